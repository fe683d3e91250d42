//! Lines of our own making, and what they tell.
#![expect(clippy::needless_pass_by_value, reason = "values are made where they are passed")]

mod answers;
mod calls;
mod words;

use proptest::prelude::*;
use serde_json::{Value, json};
use throughline_domain::transcript::{Block, Line, What};

use super::read_line;
use crate::transcript::Carried;

/// One rollout, read line by line.
#[derive(Default)]
struct Rollout {
    carried: Carried,
    /// What was told, a line each: `said: …`, `shell call_1: …`, `failed call_1: …`.
    told: Vec<String>,
}

impl Rollout {
    fn of(lines: &[Value]) -> Vec<String> {
        let mut rollout = Self::begun();
        for line in lines {
            rollout.read(line);
        }
        rollout.told
    }

    /// One whose session and model are known.
    fn begun() -> Self {
        let mut rollout = Self::default();
        rollout.read(&line("session_meta", json!({"session_id": "s1", "id": "s1", "cwd": "/home/me/app"})));
        rollout.read(&line("turn_context", json!({"cwd": "/home/me/app", "model": "gpt-6.1-sol"})));
        assert_eq!(rollout.told, Vec::<String>::new());
        rollout
    }

    fn read(&mut self, line: &Value) {
        let text = line.to_string();
        // Between two readings it is written down.
        self.carried = Carried::from_text(&self.carried.text());
        let told = &mut self.told;
        let problem = read_line(text.as_bytes(), &mut self.carried, &mut |line| told.extend(spelt(&line)));
        assert_eq!(problem, None, "{line}");
    }
}

/// A line as a test spells it.
fn spelt(line: &Line<'_>) -> Vec<String> {
    let side = if line.is_sidechain { "side " } else { "" };
    match &line.what {
        What::UserSaid(text) => vec![format!("{side}user: {text}")],
        What::Interrupted => vec!["interrupted".to_owned()],
        What::Compacted { trigger, tokens_before, .. } => {
            vec![format!("compacted {} {tokens_before:?}", trigger.unwrap_or("?"))]
        }
        What::Summary(text) => vec![format!("summary: {text}")],
        What::Responded { blocks, context_tokens, .. } => {
            let context = context_tokens.map(|tokens| format!("context {tokens}"));
            context
                .into_iter()
                .chain(blocks.iter().map(|block| format!("{side}{}", block_spelt(block))))
                .collect()
        }
        What::ToolsAnswered(answers) => {
            let spelt = answers.iter().map(|answer| {
                let sign = if answer.is_error { "failed" } else { "done" };
                format!("{sign} {}: {}", answer.call_id, answer.text.head(10_000))
            });
            spelt.collect()
        }
        other => vec![format!("{other:?}")],
    }
}

fn block_spelt(block: &Block<'_>) -> String {
    match block {
        Block::Said(text) => format!("said: {text}"),
        Block::Called(call) => {
            let about = call.command.as_ref().or(call.path.as_ref()).or(call.pattern.as_ref());
            let about = about.or(call.purpose.as_ref()).map_or("", |text| text);
            format!("{:?} {}: {about}", call.tool, call.id).to_lowercase()
        }
    }
}

fn line(kind: &str, payload: Value) -> Value {
    json!({"timestamp": "2026-11-18T07:05:12.000Z", "ordinal": 3, "type": kind, "payload": payload})
}

fn item(payload: Value) -> Value {
    line("response_item", payload)
}

fn event(payload: Value) -> Value {
    line("event_msg", payload)
}

fn message(role: &str, text: &str, source: &str) -> Value {
    item(json!({
        "type": "message", "id": "msg_1", "role": role, "content": [{"type": "input_text", "text": text}],
        "internal_chat_message_metadata_passthrough": {"content_item_metadata": [{"provenance": {"type": source}}]},
    }))
}

fn function(id: &str, name: &str, arguments: &Value) -> Value {
    item(
        json!({"type": "function_call", "id": format!("fc_{id}"), "name": name, "arguments": arguments.to_string(), "call_id": id}),
    )
}

fn custom(id: &str, name: &str, input: &str) -> Value {
    item(
        json!({"type": "custom_tool_call", "id": format!("ctc_{id}"), "name": name, "input": input, "call_id": id}),
    )
}

fn output(id: &str, output: impl Into<Value>) -> Value {
    let output: Value = output.into();
    item(json!({"type": "function_call_output", "id": format!("fco_{id}"), "call_id": id, "output": output}))
}

fn completed(item: &Value) -> Value {
    event(json!({"type": "item_completed", "thread_id": "s1", "turn_id": "t1", "item": item}))
}

fn ran(id: &str, command: &str, code: i64, printed: &str) -> Value {
    let status = if code == 0 { "completed" } else { "failed" };
    completed(&json!({
        "type": "CommandExecution", "id": id, "command": ["/bin/bash", "-lc", command], "cwd": "file:///home/me/my%20app",
        "status": status, "aggregated_output": printed, "exit_code": code,
    }))
}

/// Without the marks of newer clients.
fn old(mut line: Value) -> Value {
    line.as_object_mut().map(|line| line.remove("ordinal"));
    if let Some(payload) = line["payload"].as_object_mut() {
        payload.remove("internal_chat_message_metadata_passthrough");
    }
    line
}

#[test]
fn what_a_session_says_about_itself_goes_with_every_line() {
    let mut rollout = Rollout::begun();
    let text = message("user", "go", "user").to_string();
    let mut seen = Vec::new();
    read_line(text.as_bytes(), &mut rollout.carried, &mut |line| {
        seen.push((
            line.session.map(str::to_owned),
            line.cwd.map(std::borrow::Cow::into_owned),
            line.timestamp.map(str::to_owned),
            line.uuid.map(str::to_owned),
        ));
    });
    let own = |text: &str| Some(text.to_owned());
    assert_eq!(seen, [(own("s1"), own("/home/me/app"), own("2026-11-18T07:05:12.000Z"), own("msg_1"))]);
}

#[test]
fn the_items_of_one_response_share_a_name_and_the_model() {
    let mut carried = Rollout::begun().carried;
    let usage = line("token_usage_record", json!({"response_id": "r", "usage": {"input_tokens": 900}}));
    let lines = [
        message("assistant", "I look.", "x"),
        custom("call_1", "exec", "await tools.exec_command({cmd: 'a'})"),
        usage.clone(),
        ran("exec-1", "a", 0, ""),
        output("call_1", "Script completed\nOutput:\n"),
        function("call_2", "exec_command", &json!({"cmd": "b"})),
        usage,
    ];
    let mut names = Vec::new();
    for line in lines {
        let text = line.to_string();
        read_line(text.as_bytes(), &mut carried, &mut |line| {
            if let What::Responded { message_id, model, .. } = line.what {
                names.push((message_id.unwrap_or_default().to_owned(), model.unwrap_or_default().to_owned()));
            }
        });
    }
    let names: Vec<(&str, &str)> = names.iter().map(|(id, model)| (id.as_str(), model.as_str())).collect();
    let first = ("msg_1", "gpt-6.1-sol");
    let second = ("fc_call_2", "gpt-6.1-sol");
    assert_eq!(names, [first, first, first, second, second]);
}

#[test]
fn a_subagents_rollout_is_a_side_conversation() {
    let mut rollout = Rollout::default();
    let meta = json!({"session_id": "s1", "id": "s2", "cwd": "/home/me", "thread_source": "subagent",
                      "source": {"subagent": {"thread_spawn": {"parent_thread_id": "s1"}}}});
    rollout.read(&line("session_meta", meta));
    rollout.read(&message("assistant", "Seen.", "x"));
    assert_eq!((rollout.told, rollout.carried.session.as_str()), (vec!["side said: Seen.".to_owned()], "s1"));
}

#[test]
fn in_a_copy_of_another_session_the_own_name_counts() {
    let mut rollout = Rollout::begun();
    rollout.read(&old(line("session_meta", json!({"id": "s0", "cwd": "/elsewhere"}))));
    assert_eq!((rollout.carried.session.as_str(), rollout.carried.cwd.as_str()), ("s1", "/home/me/app"));
}

#[test]
fn a_compaction_is_told_once_with_its_summary() {
    let told = Rollout::of(&[
        event(json!({"type": "task_started", "turn_attribution": {"turn_id": "t1"}})),
        line(
            "response_item",
            json!({"type": "message", "id": "m", "role": "assistant",
             "content": [{"type": "output_text", "text": "Goal: ship."}]}),
        ),
    ]);
    assert_eq!(told, ["said: Goal: ship."]);
    let mut summary = message("assistant", "Goal: ship.", "x");
    summary["metadata"] = json!({"compaction_output": true});
    let asked = "Another language model started to solve this problem and produced a summary. Use it to assist with your own analysis:\nGoal: ship.";
    let compacted = json!({"message": asked, "window_id": "w1", "replacement_history": [{"type": "message", "role": "user",
        "content": [{"type": "input_text", "text": "old words"}]}],
        "latest_token_usage_record": {"usage": {"input_tokens": 21_500}}});
    let usage = line("token_usage_record", json!({"response_id": "r", "usage": {"input_tokens": 21_500}}));
    let told = Rollout::of(&[
        event(json!({"type": "task_started", "turn_attribution": {"turn_id": "t1"}})),
        summary,
        usage,
        line("compacted", compacted.clone()),
        completed(&json!({"type": "ContextCompaction", "id": "c1"})),
    ]);
    assert_eq!(told, ["compacted auto Some(21500)", "summary: Goal: ship."]);
    let manual =
        Rollout::of(&[event(json!({"type": "task_started", "turn_id": "t2"})), line("compacted", compacted)]);
    assert_eq!(manual[0], "compacted manual Some(21500)");
}

#[test]
fn a_summary_that_nobody_can_read_is_not_told() {
    let opaque = json!({"message": "", "window_id": "w1", "replacement_history": [{"type": "compaction", "encrypted_content": "eA=="}]});
    assert_eq!(Rollout::of(&[line("compacted", opaque)]), ["compacted manual None"]);
    let old_form = old(line("compacted", json!({"message": "Where we were."})));
    assert_eq!(Rollout::of(&[old_form]), ["compacted ? None", "summary: Where we were."]);
}

#[test]
fn how_full_the_context_was_is_told_once_a_response() {
    let used = json!({"input_tokens": 25_000, "cached_input_tokens": 20_000});
    let count = event(json!({"type": "token_count", "info": {"last_token_usage": used}}));
    let usage = line("token_usage_record", json!({"response_id": "r", "usage": used}));
    let told = Rollout::of(&[message("assistant", "Hm.", "x"), usage, count.clone(), count.clone()]);
    assert_eq!(told, ["said: Hm.", "context 25000"]);
    let told = Rollout::of(&[message("assistant", "Hm.", "x"), old(count.clone()), old(count)]);
    assert_eq!(told, ["said: Hm.", "context 25000"]);
}

#[test]
fn lines_that_mean_nothing_and_broken_ones_are_told_apart() {
    let mut carried = Carried::default();
    for sound in ["", "\n", "{\"type\":\"world_state\",\"payload\":{\"torn", "{\"type\":\"brand_new\"}", "{}"]
    {
        assert_eq!(read_line(sound.as_bytes(), &mut carried, &mut |_| panic!("nothing")), None, "{sound}");
    }
    for broken in ["[]", "x", "{\"type\":\"response_item\",\"payload\":{\"a\":", "{\"type\":\"compacted\""] {
        let problem = read_line(broken.as_bytes(), &mut carried, &mut |_| panic!("nothing"));
        assert!(problem.is_some(), "{broken}");
    }
    let behind_zeros = format!("\0\0{}", message("user", "go", "user"));
    let mut count = 0;
    assert_eq!(read_line(behind_zeros.as_bytes(), &mut carried, &mut |_| count += 1), None);
    assert_eq!(count, 1);
}

fn any_value() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "user",
        "assistant",
        "exec",
        "apply_patch",
        "exec_command",
        "call_1",
        "exec-1",
        "interrupted",
        "completed",
        "Exit code: 0\nOutput:\nx",
        "{\"output\":\"a\\nb\",\"metadata\":{\"exit_code\":1}}",
        "Wall time: 1\naborted by user",
        "Success. Updated the following files:\nA b",
        "{\"answers\":{\"q\":{\"answers\":[\"y\"]}}}",
        "[throughline:x]y",
        "file:///a%2",
    ]);
    let leaf = prop_oneof![
        word.prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        Just(Value::Null),
        Just(Value::from(true))
    ];
    let key = prop::sample::select(vec![
        "type",
        "id",
        "role",
        "content",
        "text",
        "call_id",
        "name",
        "arguments",
        "input",
        "output",
        "item",
        "command",
        "cwd",
        "status",
        "exit_code",
        "aggregated_output",
        "changes",
        "unified_diff",
        "message",
        "info",
        "last_token_usage",
        "input_tokens",
        "usage",
        "reason",
        "plan",
        "step",
        "server",
        "tool",
        "result",
        "namespace",
        "model",
        "session_id",
    ]);
    leaf.prop_recursive(4, 40, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key.clone(), inner, 0..8).prop_map(|map| Value::Object(
                map.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            )),
        ]
    })
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut carried = Carried::default();
        let _ = read_line(&bytes, &mut carried, &mut |_| {});
    }

    #[test]
    fn no_lines_of_its_words_make_it_panic(
        lines in prop::collection::vec((0..6_usize, 0..8_usize, any_value(), any::<prop::sample::Index>()), 0..6),
    ) {
        let kinds = ["response_item", "event_msg", "session_meta", "turn_context", "compacted", "token_usage_record"];
        let inner = ["message", "function_call", "custom_tool_call", "function_call_output", "item_completed", "token_count",
                     "CommandExecution", "FileChange"];
        let mut carried = Carried::default();
        for (kind, inside, mut payload, cut) in lines {
            if let Some(payload) = payload.as_object_mut() {
                payload.insert("type".to_owned(), inner[inside].into());
            }
            let text = line(kinds[kind], payload).to_string();
            let _ = read_line(text.as_bytes(), &mut carried, &mut |line| drop(spelt(&line)));
            let mut torn = Carried::default();
            let _ = read_line(&text.as_bytes()[..cut.index(text.len())], &mut torn, &mut |_| {});
            prop_assert!(carried.message.len() < 2_000);
        }
    }
}
