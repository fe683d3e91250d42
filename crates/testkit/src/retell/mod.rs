//! Retelling: a Claude Code session as another client would have written it down.
//!
//! A session is read once into what happened ([`Session`]), and told again in each client's own tools and shapes: by the
//! same work the readers of all clients can be compared. Retelling the beginning of a session gives the beginning of its
//! retelling, so that a test can let a transcript grow.
//!
//! What only Claude Code has is told by no client: thoughts, subagents' own lines, what the client itself put under the
//! user's name, its tools to look for tools and to wait for what runs in the background. What else a client cannot tell
//! stands at the top of its file. No client's own cuts of long answers are made here.

pub mod codex;
pub mod gemini;
pub mod opencode;
mod task_list;
mod told;

use serde_json::Value;

pub use told::{Answer, Call, Compaction, Deed, Ending, Part, Response, Session, What};

use crate::script::Usage;

/// Tools of Claude Code that no other client has a word for.
const UNTOLD: [&str; 9] = [
    "TaskOutput",
    "TaskStop",
    "TaskGet",
    "TaskList",
    "BashOutput",
    "KillShell",
    "ToolSearch",
    "EnterPlanMode",
    "LSP",
];

/// Commands that the client carries out itself: none leaves a word in a conversation.
const OWN_COMMANDS: [&str; 9] =
    ["/compact", "/clear", "/model", "/exit", "/resume", "/context", "/config", "/login", "/status"];

impl Session {
    /// The same session under another id.
    #[must_use]
    pub fn named(mut self, id: &str) -> Self {
        id.clone_into(&mut self.id);
        self
    }
}

impl Usage {
    /// Everything that a response read, whatever the cache did for it.
    fn read(self) -> u64 {
        self.input + self.cache_creation + self.cache_read
    }
}

/// A moment, as every client writes it.
fn moment(at: jiff::Timestamp) -> String {
    format!("{at:.3}")
}

/// A slash command as it was typed; `None` for one that the client carries out itself.
fn typed(name: &str, args: &str) -> Option<String> {
    (!OWN_COMMANDS.contains(&name)).then(|| format!("{name} {args}").trim_end().to_owned())
}

/// A text with an id's letters, by what it belongs to and which it is there.
fn digits(of: &str, number: usize) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in of.bytes().chain(number.to_le_bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    format!("{hash:016x}")
}

/// An id as all of these clients make them for their own things.
fn uuid(of: &str, number: usize) -> String {
    let (first, second) = (digits(of, number), digits(of, number + 0x1_0000));
    format!("{}-{}-7{}-8{}-{}", &first[..8], &first[8..12], &first[13..], &second[1..4], &second[4..])
}

/// The lines of a file without the numbers that Claude Code's reader puts before them.
fn without_numbers(text: &str) -> String {
    let plain = text.lines().map(|line| match line.split_once(['→', '\t']) {
        Some((number, rest)) if !number.is_empty() && number.trim().bytes().all(|it| it.is_ascii_digit()) => {
            rest
        }
        _ => line,
    });
    plain.collect::<Vec<_>>().join("\n")
}

/// What an edit replaces, and by what: one pair, or several.
fn edits(call: &Call) -> Vec<(String, String)> {
    let pair = |edit: &Value| {
        let text = |name: &str| edit[name].as_str().unwrap_or_default().to_owned();
        (text("old_string"), text("new_string"))
    };
    match call.input["edits"].as_array() {
        Some(edits) => edits.iter().map(pair).collect(),
        None if call.name == "NotebookEdit" => {
            vec![(String::new(), call.text("new_source").unwrap_or_default().to_owned())]
        }
        None => vec![pair(&call.input)],
    }
}

/// The file that a call is about.
fn file(call: &Call) -> &str {
    call.text("file_path").or_else(|| call.text("notebook_path")).or_else(|| call.text("path")).unwrap_or("")
}

/// The server and the tool of `mcp__server__tool`.
fn server_tool(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("mcp__")?.split_once("__")
}
