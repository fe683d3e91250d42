//! Hand-made truth: subagents, resumed and forked sessions, hours in the cache, growing, torn and broken lines.
//!
//! The same files were given to `ccusage@20.0.24 daily`. It agrees on plain, resumed and forked sessions and on the one-hour
//! cache. Where it differs, it is this truth that holds: it counts a response whose lines have no request id once a line
//! (clients of some versions write none); of a subagent's response it takes the progress line, which knows less of the
//! output, and not the subagent's own; it loses a response for an odd escape in its text; and it takes the client's own
//! notices, failed requests and a tool's report of use for responses, where they carry numbers.
//!
//! Real transcripts, 5,343 lines with usage on 24 days: on 19 days tokens are equal to the last one, and costs to the
//! millionth of a dollar (one-hour cache writes included). On the other five its tokens are 1.6 to 2.3 times ours: there
//! sessions have lines without request ids, one block of content each, and the lines of a message id all repeat the
//! same usage. A third count, by message id alone, agrees with ours on all 24 days; one that adds up every line without
//! a request id gives its numbers exactly. `old_clients` has such a response, of three lines.

use serde_json::{Value, json};

use crate::history::{History, Said};

#[test]
fn every_response_counts_once_with_what_it_used_in_the_end() {
    let mut history = History::new();
    let main: Vec<Said> =
        (1..=5).map(|number| Said::new(number, "s1", &format!("2026-02-03T10:0{number}:00.000Z"))).collect();
    for said in &main {
        history.said("s1.jsonl", said);
    }
    subagents(&mut history);
    copies(&mut history, &main);
    old_clients(&mut history);
    noise(&history);
    assert_eq!(history.counted(), history.truth());
    // Again, and in another order: nothing changes.
    history.ok(&["backfill"]);
    assert_eq!(history.counted(), history.truth());
}

/// A subagent's own file, and its lines repeated as progress in the session's file, with less of the output.
fn subagents(history: &mut History) {
    let mut said = Said::new(20, "s1", "2026-02-03T10:10:00.000Z");
    said.model = "claude-haiku-4-5-20251001".into();
    let mut inner = said.line(1, "progress");
    let progress = json!({
        "type": "progress", "sessionId": "s1", "cwd": "/home/me/app", "uuid": "p1",
        "timestamp": "2026-02-03T10:10:01.000Z",
        "data": {"type": "agent_progress", "agentId": "a1",
                 "message": {"type": "assistant", "timestamp": said.at, "message": inner["message"].take(),
                             "requestId": inner["requestId"].take(), "uuid": "x"}}
    });
    history.line("s1.jsonl", &progress);
    let mut line = said.line(said.tokens[1], "sub");
    line["isSidechain"] = true.into();
    history.line("s1/subagents/agent-a1.jsonl", &line);
    history.count(&said.id, said.tokens);
}

/// A resumed session repeats lines under its own name, a fork as they are; each goes on by itself.
fn copies(history: &mut History, main: &[Said]) {
    for (name, session) in [("s2.jsonl", Some("s2")), ("s3.jsonl", None)] {
        for said in main {
            let mut line = said.line(said.tokens[1], &format!("{}-b", said.id));
            if let Some(session) = session {
                line["sessionId"] = session.into();
            }
            history.line(name, &line);
        }
    }
    history.said("s2.jsonl", &Said::new(30, "s2", "2026-02-03T11:00:00.000Z"));
    history.said("s3.jsonl", &Said::new(31, "s1", "2026-02-03T11:01:00.000Z"));
}

/// Without the split of cache writes; without request ids; without any id at all.
fn old_clients(history: &mut History) {
    let mut said = Said::new(40, "s4", "2026-02-03T12:00:00.000Z");
    said.tokens = [3, 140, 30, 0, 40_000];
    let mut line = said.line(140, "old");
    without(&mut line["message"]["usage"], "cache_creation");
    history.line("s4.jsonl", &line);
    history.count(&said.id, said.tokens);

    let said = Said::new(41, "s4", "2026-02-03T12:01:00.000Z");
    for (uuid, at) in [("a", "12:01:00.000Z"), ("b", "12:01:01.000Z"), ("c", "12:01:02.000Z")] {
        let mut line = said.line(said.tokens[1], uuid);
        line["timestamp"] = format!("2026-02-03T{at}").into();
        without(&mut line, "requestId");
        history.line("s4.jsonl", &line);
    }
    history.count(&said.id, said.tokens);

    for uuid in ["line-a", "line-b"] {
        let said = Said::new(42, "s4", "2026-02-03T12:02:00.000Z");
        let mut line = said.line(said.tokens[1], uuid);
        without(&mut line, "requestId");
        without(&mut line["message"], "id");
        history.line("s4.jsonl", &line);
        history.count(uuid, said.tokens);
    }
    // An escape that no strict parser takes, in the text: the tokens are none the worse for it.
    let said = Said::new(43, "s4", "2026-02-03T12:03:00.000Z");
    let line = said.line(said.tokens[1], "escape").to_string().replace("is fine", "is \\fine \\x");
    history.append("s4.jsonl", format!("{line}\n"));
    history.count(&said.id, said.tokens);
}

fn without(object: &mut Value, key: &str) {
    object.as_object_mut().unwrap().remove(key).unwrap();
}

/// What is no response, and what is broken.
fn noise(history: &History) {
    let said = Said::new(50, "s5", "2026-02-03T13:00:00.000Z");
    let mut synthetic = said.line(9, "n1");
    synthetic["message"]["model"] = "<synthetic>".into();
    let mut error = said.line(9, "n2");
    error["isApiErrorMessage"] = true.into();
    let mut user = said.line(9, "n3");
    user["type"] = "user".into();
    user["toolUseResult"] =
        json!({"totalTokens": 5, "usage": {"input_tokens": 7_000_000, "output_tokens": 1}});
    for line in [&synthetic, &error, &user] {
        history.line("s5.jsonl", line);
    }
    let whole = said.line(9, "n4").to_string();
    // Torn in the middle of the file, torn at its end, NULs of a power cut, a line of megabytes.
    history.append("s5.jsonl", format!("{}\n", &whole[..whole.len() / 2]));
    history.append("s5.jsonl", b"\0\0\0\0\n");
    let long = json!({"type": "user", "message": {"content": "x".repeat(3 << 20)}});
    history.append("s5.jsonl", format!("{long}\n{}", &whole[..whole.len() - 4]));
}
