//! Live client: one long-lived client process, prompts in and events out as lines of JSON.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Write},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::process;

/// A turn takes a second or two; a machine under load gets this much.
const TURN_DEADLINE: Duration = Duration::from_mins(1);

/// A running client. It is killed when dropped, with all it started.
#[derive(Debug)]
pub struct LiveClient {
    child: Child,
    stdin: Option<ChildStdin>,
    events: Receiver<Value>,
    stderr: PathBuf,
}

/// What the client reported between a prompt and the end of its turn.
#[derive(Clone, Debug)]
pub struct TurnResult {
    /// Every event, the result included.
    pub lines: Vec<Value>,
    /// The last event, of type `result`.
    pub result: Value,
}

impl TurnResult {
    /// The model's last words, or the client's own.
    #[must_use]
    pub fn text(&self) -> &str {
        self.result["result"].as_str().unwrap_or_default()
    }

    /// Whether the client calls the turn failed.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.result["is_error"] == true
    }

    /// The session, to resume it later.
    #[must_use]
    pub fn session_id(&self) -> &str {
        self.result["session_id"].as_str().unwrap_or_default()
    }

    /// The events of one subtype, as `compact_boundary` or `hook_response`.
    pub fn events_of<'a>(&'a self, subtype: &str) -> impl Iterator<Item = &'a Value> {
        self.lines.iter().filter(move |line| line["subtype"] == subtype)
    }

    /// How many compactions happened in the turn.
    #[must_use]
    pub fn compactions(&self) -> usize {
        self.events_of("compact_boundary").count()
    }

    /// What the hooks said, for [`crate::Request::hook_texts_among`]. The client reports no compaction hooks but
    /// `SessionStart`.
    #[must_use]
    pub fn hooks_said(&self) -> Vec<String> {
        let outputs = self.events_of("hook_response").filter_map(|event| event["stdout"].as_str());
        outputs.map(said).filter(|text| !text.is_empty()).collect()
    }
}

impl LiveClient {
    #[track_caller]
    pub(crate) fn start(command: &mut Command, stderr: &Path) -> Self {
        let log = File::create(stderr).expect("a file for the client's stderr");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).process_group(0);
        let mut child =
            command.spawn().unwrap_or_else(|error| panic!("could not start {command:?}: {error}"));
        let stdin = child.stdin.take();
        let events = read_events(child.stdout.take().expect("a piped stdout"));
        Self { child, stdin, events, stderr: stderr.to_owned() }
    }

    /// Sends a prompt and waits for the end of its turn. The test stops when the client ends or a minute passes.
    #[track_caller]
    pub fn ask(&mut self, text: &str) -> TurnResult {
        self.send(text);
        self.wait_result(TURN_DEADLINE)
    }

    /// Sends a prompt and does not wait.
    #[track_caller]
    pub fn send(&mut self, text: &str) {
        let prompt = json!({"type": "user", "message": {"role": "user", "content": text}});
        let stdin = self.stdin.as_mut().expect("a client that was not closed");
        if let Err(error) = writeln!(stdin, "{prompt}").and_then(|()| stdin.flush()) {
            panic!("the client takes no prompt: {error}{}", self.last_words());
        }
    }

    /// Waits for the end of the turn that was sent.
    #[track_caller]
    pub fn wait_result(&mut self, deadline: Duration) -> TurnResult {
        let until = Instant::now() + deadline;
        let mut lines = Vec::new();
        loop {
            match self.events.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(event) => {
                    lines.push(event.clone());
                    if event["type"] == "result" {
                        return TurnResult { lines, result: event };
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    panic!("no result after {deadline:?}; {}{}", seen(&lines), self.last_words())
                }
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("the client ended without a result; {}{}", seen(&lines), self.last_words())
                }
            }
        }
    }

    /// The client's process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends the session as a user does, and waits until the client is gone (`SessionEnd` hooks have run then).
    #[track_caller]
    pub fn close(mut self) -> ExitStatus {
        drop(self.stdin.take());
        match process::wait(&mut self.child, TURN_DEADLINE) {
            Some(status) => status,
            None => panic!("the client did not end within {TURN_DEADLINE:?}{}", self.last_words()),
        }
    }

    /// Kills the client alone, as a crash does: no `SessionEnd`, and what it started goes on for a while.
    pub fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn last_words(&self) -> String {
        let stderr = fs::read_to_string(&self.stderr).unwrap_or_default();
        format!("\nclient's stderr: {stderr}")
    }
}

impl Drop for LiveClient {
    fn drop(&mut self) {
        process::kill_group(&mut self.child);
    }
}

fn read_events(stdout: ChildStdout) -> Receiver<Value> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines() {
            let Ok(line) = line else { return };
            let event =
                serde_json::from_str(&line).unwrap_or_else(|_| json!({"type": "unparsed", "line": line}));
            if sender.send(event).is_err() {
                return;
            }
        }
    });
    receiver
}

/// What a hook's output says to the model: its additional context, or the plain text.
fn said(stdout: &str) -> String {
    let reply: Value = serde_json::from_str(stdout).unwrap_or_default();
    let context = reply["hookSpecificOutput"]["additionalContext"].as_str();
    context.unwrap_or(stdout).trim().to_owned()
}

fn seen(lines: &[Value]) -> String {
    let events = lines.iter().map(|line| format!("{}/{}", line["type"], line["subtype"]));
    format!("events so far: {}", events.collect::<Vec<_>>().join(" "))
}
