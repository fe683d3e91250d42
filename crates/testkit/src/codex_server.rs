//! Codex server: one long-lived client that is spoken to by messages, a line of JSON each, as editors do.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Write},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::process;

const WAIT: Duration = Duration::from_mins(1);

/// A running client. It is killed when dropped, with all it started.
#[derive(Debug)]
pub struct CodexServer {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    asked: u64,
    /// What is answered when the client wants to know whether it may do something.
    decision: String,
    stderr: PathBuf,
}

impl CodexServer {
    #[track_caller]
    pub(crate) fn start(command: &mut Command, stderr: &Path) -> Self {
        let log = File::create(stderr).expect("a file for the client's stderr");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).process_group(0);
        let mut child =
            command.spawn().unwrap_or_else(|error| panic!("could not start {command:?}: {error}"));
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("a piped stdout"));
        let (sender, messages) = mpsc::channel();
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if sender.send(serde_json::from_str(&line).unwrap_or_default()).is_err() {
                    return;
                }
            }
        });
        let decision = "accept".to_owned();
        let mut server = Self { child, stdin, messages, asked: 0, decision, stderr: stderr.to_owned() };
        let known = json!({"clientInfo": {"name": "testkit", "version": "0"}, "capabilities": {"experimentalApi": true}});
        server.call("initialize", &known);
        server.send(&json!({"method": "initialized"}));
        server
    }

    /// What is answered from now on when the client asks whether it may run something: `accept`, `decline`, `cancel`.
    pub fn decide(&mut self, decision: &str) {
        decision.clone_into(&mut self.decision);
    }

    /// Asks, and waits for the answer; the test stops where there is none, or an error.
    #[track_caller]
    pub fn call(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({"id": id, "method": method, "params": params}));
        let answer = self.wait(method, |message| message["id"] == id && message["method"].is_null());
        assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
        answer["result"].clone()
    }

    /// Starts a session in a folder and gives its id. `how` may hold `model`, `approvalPolicy`, `sandbox`.
    #[track_caller]
    pub fn start_thread(&mut self, cwd: &Path, how: &Value) -> String {
        let mut params = json!({"cwd": cwd, "approvalPolicy": "never", "sandbox": "danger-full-access"});
        for (key, value) in how.as_object().into_iter().flatten() {
            params[key] = value.clone();
        }
        let started = self.call("thread/start", &params);
        started["thread"]["id"].as_str().expect("a session's id").to_owned()
    }

    /// One prompt, to the end of its turn.
    #[track_caller]
    pub fn ask(&mut self, thread: &str, prompt: &str) -> Value {
        self.begin(thread, prompt);
        self.wait_turn()
    }

    /// Sends a prompt, and gives the turn's id without waiting for its end.
    #[track_caller]
    pub fn begin(&mut self, thread: &str, prompt: &str) -> String {
        let input = json!([{"type": "text", "text": prompt}]);
        let begun = self.call("turn/start", &json!({"threadId": thread, "input": input}));
        begun["turn"]["id"].as_str().expect("a turn's id").to_owned()
    }

    /// Waits for the end of a turn: how it ended.
    #[track_caller]
    pub fn wait_turn(&mut self) -> Value {
        self.wait("the turn's end", |message| message["method"] == "turn/completed")["params"]["turn"].clone()
    }

    /// Compacts a session by hand, and waits until that is done.
    #[track_caller]
    pub fn compact(&mut self, thread: &str) -> Value {
        self.call("thread/compact/start", &json!({"threadId": thread}));
        self.wait_turn()
    }

    /// Ends the client as an editor does, and waits until it is gone.
    #[track_caller]
    pub fn close(mut self) {
        drop(self.stdin.take());
        assert!(
            process::wait(&mut self.child, WAIT).is_some(),
            "the client did not end{}",
            self.last_words()
        );
    }

    #[track_caller]
    fn send(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().expect("a client that was not closed");
        if let Err(error) = writeln!(stdin, "{message}").and_then(|()| stdin.flush()) {
            panic!("the client takes no message: {error}{}", self.last_words());
        }
    }

    /// The first message that is wanted; what the client asks meanwhile is answered.
    #[track_caller]
    fn wait(&mut self, what: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
        let until = Instant::now() + WAIT;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let Ok(message) = self.messages.recv_timeout(left) else {
                panic!("{what}: nothing came{}", self.last_words());
            };
            if is_wanted(&message) {
                return message;
            }
            if message["method"].is_string() && !message["id"].is_null() {
                let answer = json!({"id": message["id"], "result": {"decision": self.decision}});
                self.send(&answer);
            }
        }
    }

    fn last_words(&self) -> String {
        format!("\nclient's stderr: {}", fs::read_to_string(&self.stderr).unwrap_or_default())
    }
}

impl Drop for CodexServer {
    fn drop(&mut self) {
        process::kill_group(&mut self.child);
    }
}
