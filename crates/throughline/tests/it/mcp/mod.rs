//! The MCP server as a client has it: a process that answers JSON lines.

mod faults;
mod independent;
mod registering;
mod together;
mod tools;

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use serde_json::{Value, json};
use throughline_testkit::TempHome;

use crate::scene::BINARY;

/// An answer takes milliseconds; a server that gives none has hung.
const DEADLINE: Duration = Duration::from_mins(1);
/// The protocol that today's client asks for.
const PROTOCOL: &str = "2025-11-25";

/// A server, and the lines that it says.
pub(super) struct Server {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    next_id: u64,
}

impl Server {
    /// A server that nobody has greeted.
    pub(super) fn bare(home: &TempHome) -> Self {
        let mut command = home.command(Path::new(BINARY));
        command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the server");
        let stdout = child.stdout.take().expect("its output");
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let stdin = child.stdin.take();
        Self { child, stdin, lines, next_id: 1 }
    }

    /// A server that was greeted as the client does it.
    pub(super) fn start(home: &TempHome) -> Self {
        let mut server = Self::bare(home);
        let hello = server.initialize(PROTOCOL);
        assert_eq!(hello["result"]["protocolVersion"], PROTOCOL, "{hello}");
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server
    }

    pub(super) fn initialize(&mut self, version: &str) -> Value {
        let client = json!({ "name": "test", "version": "1" });
        self.request(
            "initialize",
            json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client }),
        )
    }

    pub(super) fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes());
    }

    pub(super) fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("an open pipe");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the server reads");
    }

    /// Sends a request and gives its answer; others that come first are in the way.
    #[expect(clippy::needless_pass_by_value, reason = "a call reads best with its `json!` in place")]
    #[track_caller]
    pub(super) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let answer = self.answer();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// The next line.
    #[track_caller]
    pub(super) fn answer(&mut self) -> Value {
        let line = self.lines.recv_timeout(DEADLINE).expect("an answer");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("no JSON ({error}): {line}"))
    }

    /// Calls a tool; gives its words, or the words of its refusal.
    #[expect(clippy::needless_pass_by_value, reason = "a call reads best with its `json!` in place")]
    #[track_caller]
    pub(super) fn call(&mut self, tool: &str, arguments: Value) -> Result<String, String> {
        let answer = self.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"));
        if result["isError"] == json!(true) { Err(text.to_owned()) } else { Ok(text.to_owned()) }
    }

    /// The client hangs up; the server must end, with this code and nothing more to say.
    #[track_caller]
    pub(super) fn ends_well(mut self) -> Vec<Value> {
        drop(self.stdin.take());
        let rest: Vec<Value> = self.lines.iter().map(|line| serde_json::from_str(&line).unwrap()).collect();
        let status = self.child.wait().expect("its end");
        assert!(status.success(), "{status}");
        // In a release a panic anywhere ends the process; here the runtime would swallow it.
        let mut remarks = String::new();
        let stderr = self.child.stderr.as_mut().expect("its remarks");
        stderr.read_to_string(&mut remarks).expect("text");
        assert!(!remarks.contains("panicked"), "{remarks}");
        rest
    }

    fn kill(mut self) {
        self.child.kill().expect("a process of ours");
        self.child.wait().expect("its end");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
