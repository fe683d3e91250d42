//! Retell: writes a Claude Code transcript as another client would have written it.
//!
//! `retell codex|gemini FROM.jsonl TO.jsonl [SESSION]`, `retell opencode FROM.jsonl TO.db [SESSION]`; prints the session's id.
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::panic,
    reason = "a tool of the tests, used by hand"
)]

use std::path::Path;
use std::{env, fs};

use throughline_testkit::retell::{Session, codex, gemini, opencode};

fn main() {
    let args: Vec<String> = env::args().skip(1).collect();
    let [agent, from, to, rest @ ..] = args.as_slice() else {
        panic!("retell codex|gemini|opencode FROM TO [SESSION]")
    };
    let text = fs::read(from).expect("a transcript");
    let mut session = Session::read(&String::from_utf8_lossy(&text));
    if let Some(id) = rest.first() {
        session = session.named(id);
    }
    match agent.as_str() {
        "codex" => fs::write(to, codex::retell(&session)).expect("a file to write to"),
        "gemini" => fs::write(to, gemini::retell(&session)).expect("a file to write to"),
        "opencode" => opencode::write(&session, Path::new(to)),
        other => panic!("no client is called {other}"),
    }
    let id = if agent == "opencode" { opencode::session_id(&session) } else { session.id };
    println!("{id}");
}
