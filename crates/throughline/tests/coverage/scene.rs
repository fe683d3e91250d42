//! The scene of a test: sessions of one project, and what `coverage` says of them.

use std::path::Path;

use serde_json::{Value, json};
use throughline_testkit::{Output, TempHome, Transcript, Usage};

const BINARY: &str = env!("CARGO_BIN_EXE_throughline");
/// The session of most tests.
pub(crate) const SESSION: &str = "11111111-2222-4333-8444-555555555555";

pub(crate) struct Scene {
    pub(crate) home: TempHome,
}

/// One session, written line by line.
pub(crate) struct Session {
    pub(crate) transcript: Transcript,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self { home: TempHome::new() }
    }

    /// A session of the project, at a fixed time.
    pub(crate) fn session(&self, id: &str) -> Session {
        let mut transcript = Transcript::new(&self.home, id);
        transcript.at("2026-03-01T09:30:00Z".parse().expect("a time"));
        Session { transcript }
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.home.run(Path::new(BINARY), &[&["coverage"], args].concat(), "")
    }

    #[track_caller]
    pub(crate) fn says(&self, args: &[&str]) -> String {
        let output = self.run(args);
        output.assert_success();
        output.stdout
    }

    #[track_caller]
    pub(crate) fn fails(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(1), "{}{}", output.stdout, output.stderr);
        assert!(output.stdout.is_empty(), "{}", output.stdout);
        output.stderr
    }

    #[track_caller]
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let said = self.says(&[args, &["--json"]].concat());
        serde_json::from_str(&said).expect("JSON")
    }

    /// The compactions of the only session.
    #[track_caller]
    pub(crate) fn compactions(&self, args: &[&str]) -> Vec<Value> {
        let report = self.json(args);
        let sessions = report["sessions"].as_array().expect("sessions");
        assert_eq!(sessions.len(), 1, "{report}");
        sessions[0]["compactions"].as_array().expect("compactions").clone()
    }
}

impl Session {
    pub(crate) fn user(&mut self, text: &str) -> &mut Self {
        self.transcript.user(text);
        self
    }

    pub(crate) fn says(&mut self, text: &str) -> &mut Self {
        self.transcript.assistant(text, Usage::filling(50_000));
        self
    }

    pub(crate) fn tool(&mut self, name: &str, input: &Value, result: &str) -> &mut Self {
        self.transcript.tool(name, input, result, Usage::filling(50_000));
        self
    }

    pub(crate) fn reads(&mut self, path: &str) -> &mut Self {
        self.tool("Read", &json!({ "file_path": path }), "some text")
    }

    pub(crate) fn edits(&mut self, path: &str) -> &mut Self {
        let change = json!({ "file_path": path, "old_string": "old text", "new_string": "new text" });
        self.tool("Edit", &change, "changed")
    }

    pub(crate) fn runs(&mut self, command: &str) -> &mut Self {
        self.tool("Bash", &json!({ "command": command }), "ok")
    }

    pub(crate) fn searches(&mut self, pattern: &str) -> &mut Self {
        self.tool("Grep", &json!({ "pattern": pattern }), "nothing found")
    }

    pub(crate) fn compacts(&mut self, summary: &str) -> &mut Self {
        self.transcript.compaction("auto", summary);
        self
    }

    /// Work on a parser, as far as the compaction: three files, a command, a name.
    pub(crate) fn works(&mut self) -> &mut Self {
        self.user("Please make the parser faster without changing what it accepts")
            .reads("src/lexer.rs")
            .edits("src/parser.rs")
            .reads("src/tokens.rs")
            .runs("cargo test -p parser")
            .searches("parse_line")
    }
}

/// The texts that were needed, in their order.
pub(crate) fn needed(compaction: &Value) -> Vec<&str> {
    let all = compaction["needed"].as_array().expect("a list");
    all.iter().map(|it| it["text"].as_str().expect("a text")).collect()
}
