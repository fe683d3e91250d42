//! What lines of a rollout say about use.
#![expect(clippy::needless_pass_by_value, reason = "values are made where they are passed")]

use serde_json::{Value, json};

use super::*;

/// What one response came to, without the line it stands in.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    id: RecordId,
    session: String,
    cwd: String,
    model: String,
    is_sidechain: bool,
    tokens: Tokens,
    context: u64,
}

#[derive(Debug, Default)]
struct Reading {
    used: Vec<Seen>,
    compacted: Vec<(RecordId, bool, Option<u64>)>,
}

/// The lines of one rollout, one after the other.
fn read_all(lines: &[Value]) -> Reading {
    let mut carried = Carried::default();
    let mut reading = Reading::default();
    for line in lines {
        let text = line.to_string();
        let problem = read(text.as_bytes(), &mut carried, &mut |found| match found {
            UsageLine::Used(it) => reading.used.push(Seen {
                id: it.id,
                session: it.origin.session.unwrap_or_default().to_owned(),
                cwd: it.origin.cwd.unwrap_or_default().into_owned(),
                model: it.model.to_owned(),
                is_sidechain: it.is_sidechain,
                tokens: it.tokens,
                context: it.context,
            }),
            UsageLine::Compacted(it) => reading.compacted.push((it.id, it.is_auto, it.tokens_before)),
        });
        assert_eq!(problem, None, "{line}");
    }
    reading
}

fn line(kind: &str, payload: Value) -> Value {
    json!({"timestamp": "2026-11-18T07:05:12.000Z", "ordinal": 3, "type": kind, "payload": payload})
}

fn beginning() -> Vec<Value> {
    vec![
        line("session_meta", json!({"session_id": "s1", "id": "s1", "cwd": "/home/me"})),
        line("turn_context", json!({"cwd": "/home/me/app", "model": "gpt-6.1-sol"})),
    ]
}

fn usage(input: u64, cached: u64, output: u64) -> Value {
    json!({"input_tokens": input, "cached_input_tokens": cached, "cache_write_input_tokens": 40,
           "output_tokens": output, "reasoning_output_tokens": 7, "total_tokens": input + output})
}

fn recorded(response: &str, usage: Value) -> Value {
    let payload = json!({"thread_id": "s1", "session_id": "s1", "turn_id": "t1", "response_id": response, "usage": usage,
                         "thread_token_usage": {"input_tokens": 9_999_999}});
    line("token_usage_record", payload)
}

fn counted(last: Value, total: u64) -> Value {
    let info = json!({"total_token_usage": {"total_tokens": total}, "last_token_usage": last, "model_context_window": 258_400});
    line("event_msg", json!({"type": "token_count", "info": info}))
}

#[test]
fn what_was_read_from_the_cache_is_part_of_the_input() {
    let mut lines = beginning();
    lines.push(recorded("resp_0123456789abcdef0123", usage(25_000, 20_000, 300)));
    let reading = read_all(&lines);
    let [seen] = &reading.used[..] else { panic!("{reading:?}") };
    let tokens =
        Tokens { input: 4_960, output: 300, cache_write_5m: 40, cache_read: 20_000, ..Tokens::default() };
    assert_eq!((seen.tokens, seen.context, seen.tokens.context()), (tokens, 25_000, 25_000));
    assert_eq!(
        (seen.session.as_str(), seen.cwd.as_str(), seen.model.as_str()),
        ("s1", "/home/me/app", "gpt-6.1-sol")
    );
    assert_eq!(seen.id, RecordId::of(&["response", "resp_0123456789abcdef0123"]));
}

#[test]
fn a_response_that_is_told_twice_counts_once() {
    let mut lines = beginning();
    lines.push(recorded("resp_0123456789abcdef0123", usage(25_000, 0, 300)));
    lines.push(counted(usage(25_000, 0, 300), 25_300));
    lines.push(counted(usage(25_000, 0, 300), 25_300));
    assert_eq!(read_all(&lines).used.len(), 1);
}

#[test]
fn older_clients_tell_it_by_counts_alone_and_repeat_them() {
    let mut lines = beginning();
    lines.push(line("event_msg", json!({"type": "token_count", "info": null})));
    lines.push(counted(usage(1_000, 0, 10), 1_010));
    lines.push(counted(usage(1_000, 0, 10), 1_010));
    lines.push(counted(usage(2_000, 0, 20), 3_030));
    let mut ids: Vec<RecordId> = read_all(&lines).used.iter().map(|seen| seen.id).collect();
    assert_eq!(ids.len(), 3);
    ids.dedup();
    assert_eq!(ids.len(), 2);
}

#[test]
fn short_ids_of_a_gateway_are_told_apart_by_thread_and_turn() {
    let mut other = recorded("1", usage(10, 0, 1));
    other["payload"]["turn_id"] = "t2".into();
    let used = read_all(&[recorded("1", usage(10, 0, 1)), other]).used;
    assert_ne!(used[0].id, used[1].id);
}

#[test]
fn a_subagent_is_a_thread_of_another_session() {
    let mut asked = recorded("resp_0123456789abcdef0123", usage(10, 0, 1));
    asked["payload"]["thread_id"] = "s2".into();
    assert!(read_all(&[asked]).used[0].is_sidechain);
    let meta = json!({"id": "s2", "cwd": "/home/me", "source": {"subagent": {"thread_spawn": {"depth": 1}}}});
    let lines = [line("session_meta", meta), counted(usage(10, 0, 1), 11)];
    assert!(read_all(&lines).used[0].is_sidechain);
}

#[test]
fn the_estimate_after_a_compaction_is_no_use() {
    let zeros =
        json!({"input_tokens": 0, "cached_input_tokens": 0, "output_tokens": 0, "total_tokens": 6_068});
    assert_eq!(read_all(&[counted(zeros, 26_540)]).used, []);
}

#[test]
fn a_compaction_is_the_clients_or_the_users() {
    let compacted = json!({"message": "", "window_id": "w1", "latest_token_usage_record": {"usage": {"input_tokens": 21_500}}});
    let prompted = line("event_msg", json!({"type": "task_started", "turn_attribution": {"turn_id": "t1"}}));
    let asked_for = line("event_msg", json!({"type": "task_started", "turn_id": "t2"}));
    let id = RecordId::of(&["boundary", "w1"]);
    let auto = read_all(&[prompted.clone(), line("compacted", compacted.clone())]);
    assert_eq!(auto.compacted, [(id, true, Some(21_500))]);
    let manual = read_all(&[prompted, asked_for, line("compacted", compacted)]);
    assert_eq!(manual.compacted, [(id, false, Some(21_500))]);
    let old = read_all(&[line("compacted", json!({"message": "so far"}))]);
    assert_eq!(old.compacted.len(), 1);
}

#[test]
fn odd_numbers_and_torn_lines_are_no_trouble() {
    let odd = json!({"input_tokens": 5, "cached_input_tokens": 50, "cache_write_input_tokens": -1, "output_tokens": "x"});
    let used = read_all(&[recorded("resp_0123456789abcdef0123", odd)]).used;
    assert_eq!((used[0].tokens.input, used[0].tokens.cache_read, used[0].context), (0, 5, 5));
    let whole = recorded("r", usage(5, 0, 1)).to_string();
    for cut in 1..whole.len() {
        let mut carried = Carried::default();
        let _ = read(&whole.as_bytes()[..cut], &mut carried, &mut |_| panic!("nothing counts"));
    }
    let mut carried = Carried::default();
    assert!(read(b"[1]", &mut carried, &mut |_| {}).is_some());
}
