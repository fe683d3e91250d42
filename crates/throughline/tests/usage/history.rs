//! A history of transcripts as the client writes them, and beside it the truth about what was used.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use throughline_testkit::{Output, TempHome};

const BINARY: &str = env!("CARGO_BIN_EXE_throughline");

/// A home with transcripts in it.
pub(crate) struct History {
    pub(crate) home: TempHome,
    /// What each response used in the end: input, output, five-minute and one-hour writes, reads.
    truth: BTreeMap<String, [u64; 5]>,
}

/// A response as the client's lines tell it.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub(crate) id: String,
    pub(crate) session: String,
    pub(crate) at: String,
    pub(crate) model: String,
    /// Input, output, five-minute and one-hour writes, reads.
    pub(crate) tokens: [u64; 5],
}

impl Said {
    /// A response of the usual model.
    pub(crate) fn new(number: u64, session: &str, at: &str) -> Self {
        Self {
            id: format!("msg_01AAAAAAAAAAAAAAAA{number:06}"),
            session: session.to_owned(),
            at: at.to_owned(),
            model: "claude-opus-4-6".to_owned(),
            tokens: [3, 100 + number, 10, 20, 1_000 * number],
        }
    }

    /// One line of it. The first lines of a stream know less of the output than the last.
    pub(crate) fn line(&self, output: u64, uuid: &str) -> Value {
        let [input, _, short, long, read] = self.tokens;
        json!({
            "parentUuid": null, "isSidechain": false, "userType": "external", "cwd": "/home/me/app",
            "sessionId": self.session, "version": "2.1.39", "gitBranch": "main", "type": "assistant",
            "message": {
                "model": self.model, "id": self.id, "type": "message", "role": "assistant",
                "content": [{"type": "text", "text": "The \"usage\": {\"output_tokens\": 999999} is fine."}],
                "usage": {
                    "input_tokens": input, "cache_creation_input_tokens": short + long,
                    "cache_read_input_tokens": read,
                    "cache_creation": {"ephemeral_5m_input_tokens": short, "ephemeral_1h_input_tokens": long},
                    "output_tokens": output, "service_tier": "standard"
                }
            },
            "requestId": self.id.replace("msg_", "req_"), "uuid": uuid, "timestamp": self.at
        })
    }
}

impl History {
    pub(crate) fn new() -> Self {
        let mut home = TempHome::new();
        home.set_env("TZ", "UTC");
        home.set_env("COLUMNS", "200");
        Self { home, truth: BTreeMap::new() }
    }

    /// The file of a session in the folder of `/home/me/app`.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.home.claude_config().join("projects/-home-me-app").join(name)
    }

    /// Appends text to a file as it is.
    pub(crate) fn append(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.file(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
        file.write_all(text.as_ref()).unwrap();
    }

    /// Appends a line.
    pub(crate) fn line(&self, name: &str, line: &Value) {
        self.append(name, format!("{line}\n"));
    }

    /// A response over two lines, the first with little of the output; it is part of the truth.
    pub(crate) fn said(&mut self, name: &str, said: &Said) {
        self.line(name, &said.line(2, &format!("{}-a", said.id)));
        self.line(name, &said.line(said.tokens[1], &format!("{}-b", said.id)));
        self.truth.insert(said.id.clone(), said.tokens);
    }

    /// Adds a response to the truth that is written by hand.
    pub(crate) fn count(&mut self, id: &str, tokens: [u64; 5]) {
        self.truth.insert(id.to_owned(), tokens);
    }

    /// What was used in truth: responses, then the sums.
    pub(crate) fn truth(&self) -> [u64; 6] {
        let mut sums = [self.truth.len() as u64, 0, 0, 0, 0, 0];
        for tokens in self.truth.values() {
            for (sum, count) in sums[1..].iter_mut().zip(tokens) {
                *sum += count;
            }
        }
        sums
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.home.run(Path::new(BINARY), args, "")
    }

    #[track_caller]
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        output.assert_success();
        output.stdout
    }

    #[track_caller]
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.ok(args)).unwrap()
    }

    /// What the program counted: responses, then the sums.
    #[track_caller]
    pub(crate) fn counted(&self) -> [u64; 6] {
        totals(&self.json(&["usage", "days", "--json"])["total"])
    }
}

/// Responses and sums out of a report's JSON.
pub(crate) fn totals(total: &Value) -> [u64; 6] {
    [
        "responses",
        "input_tokens",
        "output_tokens",
        "cache_write_5m_tokens",
        "cache_write_1h_tokens",
        "cache_read_tokens",
    ]
    .map(|key| total[key].as_u64().unwrap_or_else(|| panic!("{key} in {total}")))
}
