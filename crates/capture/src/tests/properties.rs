//! Whatever comes: no panic, the same ledger however the reading was interrupted, and never a large one.

use std::borrow::Cow;

use proptest::prelude::*;
use throughline_domain::ledger::Ledger;
use throughline_domain::transcript::{Block, Line, Tool, ToolCall, What};

use super::{Session, answer, responded};
use crate::absorb;

fn pieces() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "\\PC{0,12}",
        Just("src/a.rs".to_owned()),
        Just("never".to_owned()),
        Just("we decided to".to_owned()),
        Just("?".to_owned()),
        Just("&&".to_owned()),
        Just("go test ./...".to_owned()),
        Just("<<EOF\n".to_owned()),
        Just("\"$(".to_owned()),
        Just("'".to_owned()),
        Just("C:\\x\\y.cs".to_owned()),
        Just("\n- ".to_owned()),
        Just("é.rs:12".to_owned()),
        Just("Exit code 1\nerror: x".to_owned()),
        Just("\\".to_owned()),
    ];
    prop::collection::vec(word, 0..12).prop_map(|words| words.join(" "))
}

const TOOLS: [Tool; 13] = [
    Tool::Shell,
    Tool::Read,
    Tool::Edit,
    Tool::Write,
    Tool::Search,
    Tool::TaskCreate,
    Tool::TaskUpdate,
    Tool::TodoWrite,
    Tool::Agent,
    Tool::AskUser,
    Tool::Plan,
    Tool::Other,
    Tool::Server,
];

fn what(choice: usize, text: &str) -> What<'_> {
    match choice {
        0 => What::UserSaid(text.into()),
        1 => What::Queued(text.into()),
        2 => responded(text, Block::Said(text.into())),
        3 => What::ToolsAnswered(vec![answer("c", text, text.len().is_multiple_of(2))]),
        4 => What::Command { name: text.into(), args: text.into() },
        5 => What::Compacted { trigger: Some(text), tokens_before: None, tokens_after: None },
        other => {
            let piece = || Some(Cow::Borrowed(text));
            let tool = TOOLS[other % TOOLS.len()];
            let call = ToolCall {
                id: "c".into(),
                tool,
                name: text.into(),
                path: piece(),
                command: piece(),
                pattern: piece(),
                text: piece(),
                written: piece(),
                purpose: piece(),
                task_id: piece(),
                status: piece(),
                todos: vec![(text.into(), "pending".into())],
            };
            responded(text, Block::Called(Box::new(call)))
        }
    }
}

proptest! {
    #[test]
    fn nothing_panics_and_no_pause_changes_the_ledger(
        lines in prop::collection::vec((0..18_usize, pieces(), any::<bool>()), 1..40),
    ) {
        let mut whole = Ledger::default();
        let mut paused = Ledger::default();
        for (at, (choice, text, pauses)) in lines.iter().enumerate() {
            let line = Line { uuid: None, session: None, timestamp: Some(text), cwd: Some(text.as_str().into()), is_sidechain: false, what: what(*choice, text) };
            absorb(&mut whole, &line, at as u64);
            absorb(&mut paused, &line, at as u64);
            if *pauses {
                let text = serde_json::to_string(&paused).expect("a ledger is plain data");
                paused = serde_json::from_str(&text).expect("it was just written");
            }
        }
        prop_assert_eq!(whole, paused);
    }
}

#[test]
fn a_ledger_stays_small_whatever_comes() {
    let mut session = Session::default();
    for number in 0..3_000 {
        let long = format!("{number} {}", "never use wordy_name_of_things ".repeat(60));
        let path = format!("/home/dev/repo/{}/f{number}.rs", "deep/".repeat(30));
        session
            .user(&long)
            .file(Tool::Edit, &path, &long)
            .agent(&format!("We decided to use camelCase{number} because {}.", "of it ".repeat(40)))
            .shell(
                &format!("cargo test --test t{number} {}", "x".repeat(150)),
                &"error: bad thing\\n".repeat(400),
                true,
            )
            .task("c", &format!("{number} {}", "subject ".repeat(60)))
            .call(
                Tool::Shell,
                ToolCall {
                    id: long.as_str().into(),
                    command: Some(long.as_str().into()),
                    ..ToolCall::default()
                },
            );
    }
    let ledger = &session.ledger;
    let bytes = serde_json::to_string(ledger).expect("a ledger is plain data").len();
    assert!(bytes < 400_000, "{bytes}");
    assert!(ledger.files.len() <= 480 && ledger.commands.len() <= 240);
    assert!(ledger.said.len() <= 150 && ledger.errors.len() <= 60 && ledger.findings.len() <= 80);
    assert!(ledger.tasks.len() <= 200 && ledger.pending.len() <= 64);
    assert!(ledger.said.last().is_some_and(|word| word.text.starts_with("2999")));
}
