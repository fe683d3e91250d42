//! Tests of the reader: lines of our own making, as the query gives them.

use proptest::prelude::*;
use serde_json::{Value, json};
use throughline_domain::context::Moment;
use throughline_domain::transcript::{Tool, ToolAnswer, ToolCall};

use super::*;
use crate::opencode::usage;
use crate::usage_line::UsageLine;

const CWD: &str = "/home/me/app";

/// A line, as the query puts it together.
fn line(id: &str, message: &Value, parts: &[Value]) -> Vec<u8> {
    json!({
        "id": id, "session": "ses_1", "at": "2026-11-16T10:00:00.000Z", "ended": "2026-11-16T10:00:09.000Z",
        "directory": CWD, "subagent": false, "message": message, "parts": parts,
    })
    .to_string()
    .into_bytes()
}

fn user(parts: &[Value]) -> Vec<u8> {
    line("msg_u", &json!({"role": "user", "summary": {"diffs": []}}), parts)
}

fn assistant(parts: &[Value]) -> Vec<u8> {
    let tokens = json!({"total": 1220, "input": 1100, "output": 20, "reasoning": 5, "cache": {"read": 90, "write": 10}});
    let message = json!({"role": "assistant", "modelID": "m-1", "tokens": tokens, "finish": "stop"});
    line("msg_a", &message, parts)
}

fn tool(name: &str, input: &Value, state: &Value) -> Value {
    let mut state = state.clone();
    state["input"] = input.clone();
    json!({"type": "tool", "tool": name, "callID": "call_1", "state": state})
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// What lines tell, one after the other, as text.
fn told(lines: &[Vec<u8>]) -> Vec<String> {
    let mut carried = Carried::default();
    let mut told = Vec::new();
    for line in lines {
        let mut kept = carried.clone();
        let problem = read_line(line, &mut kept, &mut |line| {
            assert_eq!((line.session, line.cwd.as_deref()), (Some("ses_1"), Some(CWD)));
            told.push(match line.what {
                What::Responded { blocks, .. } => format!("{blocks:?}"),
                what => format!("{what:?}"),
            });
        });
        assert_eq!(problem, None);
        carried = kept;
    }
    told
}

/// The call and the answer of one tool part.
#[track_caller]
fn called(part: Value, check: impl FnOnce(&[ToolCall<'_>], &[ToolAnswer<'_>])) {
    let line = assistant(&[part]);
    let (mut carried, mut calls, mut answers) = (Carried::default(), Vec::new(), Vec::new());
    read_line(&line, &mut carried, &mut |line| match line.what {
        What::Responded { blocks, .. } => {
            calls.extend(blocks.into_iter().filter_map(|block| match block {
                Block::Called(call) => Some(*call),
                Block::Said(_) => None,
            }));
        }
        What::ToolsAnswered(more) => answers.extend(more),
        what => panic!("{what:?}"),
    });
    check(&calls, &answers);
}

#[test]
fn the_users_words_are_told_and_the_clients_are_not() {
    let lines = [
        user(&[text("\"fix the \\\"odd\\\" parser\"")]),
        user(&[
            text("first"),
            json!({"type": "text", "text": "Called the Read tool", "synthetic": true}),
            text("second"),
        ]),
        user(&[json!({"type": "text", "text": "Continue if you have next steps", "synthetic": true})]),
        user(&[json!({"type": "text", "text": "shown only", "ignored": true})]),
        user(&[text("[throughline:notice]\nours\n[/throughline]")]),
        user(&[text("say \"this\" and \"that\"")]),
    ];
    let words = ["fix the \\\"odd\\\" parser", "first\\nsecond", "say \\\"this\\\" and \\\"that\\\""];
    assert_eq!(told(&lines), words.map(|words| format!("UserSaid(\"{words}\")")));
}

#[test]
fn of_all_that_a_message_tells_one_thing_has_its_name() {
    let state = json!({"status": "completed", "output": "x", "metadata": {"exit": 0}});
    let call = tool("bash", &json!({"command": "make"}), &state);
    let mut stopped: Value =
        serde_json::from_slice(&assistant(&[text("I build."), call])).expect("a line of JSON");
    stopped["message"]["error"] = json!({"name": "MessageAbortedError", "data": {}});
    let summary = line(
        "msg_s",
        &json!({"role": "assistant", "summary": true, "finish": "stop"}),
        &[text("the summary")],
    );
    for (line, count) in [(stopped.to_string().into_bytes(), 3), (summary, 2)] {
        let mut names = Vec::new();
        read_line(&line, &mut Carried::default(), &mut |line| names.push(line.uuid.map(str::to_owned)));
        assert_eq!(names.len(), count);
        // Whoever meets a name twice takes the second line for a copy.
        assert_eq!(names.iter().flatten().count(), 1, "{names:?}");
    }
}

#[test]
fn a_response_tells_its_words_calls_model_and_context() {
    let line = assistant(&[
        json!({"type": "step-start"}),
        json!({"type": "reasoning", "text": "hidden"}),
        text("I look."),
        tool(
            "read",
            &json!({"filePath": "/home/me/app/a.rs"}),
            &json!({"status": "completed", "output": "x"}),
        ),
    ]);
    let mut carried = Carried::default();
    let mut seen = 0;
    read_line(&line, &mut carried, &mut |line| {
        seen += 1;
        match line.what {
            What::Responded { message_id, model, context_tokens, blocks } => {
                assert_eq!((message_id, model, context_tokens), (Some("msg_a"), Some("m-1"), Some(1_200)));
                assert_eq!(blocks[0], Block::Said("I look.".into()));
                assert_eq!(blocks.len(), 2);
                assert_eq!(line.timestamp, Some("2026-11-16T10:00:00.000Z"));
            }
            What::ToolsAnswered(answers) => {
                assert_eq!(answers.len(), 1);
                assert_eq!(line.timestamp, Some("2026-11-16T10:00:09.000Z"));
            }
            what => panic!("{what:?}"),
        }
    });
    assert_eq!(seen, 2);
}

#[test]
fn a_commands_exit_code_decides_whether_it_failed() {
    let input = json!({"command": "cargo test", "description": "run the tests"});
    for (exit, is_error) in [(json!(0), false), (json!(101), true), (json!(null), true)] {
        let state = json!({"status": "completed", "output": "test result", "metadata": {"exit": exit}});
        called(tool("bash", &input, &state), |calls, answers| {
            assert_eq!((calls[0].tool, calls[0].command.as_deref()), (Tool::Shell, Some("cargo test")));
            assert_eq!(calls[0].purpose.as_deref(), Some("run the tests"));
            assert_eq!((answers[0].is_error, answers[0].text.head(100).as_str()), (is_error, "test result"));
        });
    }
    let output = "out\n<shell_metadata>\nUser aborted the command\n</shell_metadata>";
    let state = json!({"status": "completed", "output": output, "metadata": {"exit": null}});
    called(tool("bash", &input, &state), |_, answers| {
        assert!(answers[0].is_error && answers[0].text.head(100).starts_with("Interrupted\nout"));
    });
}

#[test]
fn what_was_refused_forbidden_or_stopped_did_not_run() {
    let input = json!({"command": "rm -r build"});
    let said = "The user rejected permission to use this specific tool call";
    let cases = [
        (format!("{said}."), "User rejected", None),
        (format!("{said} with the following feedback: keep \"it\""), "User rejected", Some("keep \"it\"")),
        (
            "The user has specified a rule which prevents you from using this".to_owned(),
            "Permission denied by",
            None,
        ),
        ("Tool execution aborted".to_owned(), "Interrupted", None),
        ("ENOENT: no such file".to_owned(), "ENOENT", None),
    ];
    for (error, begins, words) in cases {
        called(tool("bash", &input, &json!({"status": "error", "error": error})), |_, answers| {
            assert!(answers[0].is_error && answers[0].text.head(200).starts_with(begins), "{error}");
            assert_eq!(answers[0].user_said.as_deref(), words, "{error}");
        });
    }
}

#[test]
fn a_call_that_runs_has_no_answer_yet() {
    for status in ["pending", "running"] {
        called(tool("bash", &json!({"command": "sleep 9"}), &json!({"status": status})), |calls, answers| {
            assert_eq!((calls.len(), answers.len()), (1, 0));
        });
    }
}

#[test]
fn every_tool_is_told_by_what_it_does() {
    let done = json!({"status": "completed", "output": "ok"});
    let edit = json!({"filePath": "/home/me/app/a.rs", "oldString": "one", "newString": "two"});
    called(tool("edit", &edit, &done), |calls, _| {
        assert_eq!((calls[0].tool, calls[0].path.as_deref()), (Tool::Edit, Some("/home/me/app/a.rs")));
        assert_eq!((calls[0].text.as_deref(), calls[0].written.as_deref()), (Some("one"), Some("two")));
    });
    called(tool("write", &json!({"filePath": "b.rs", "content": "new"}), &done), |calls, _| {
        assert_eq!((calls[0].tool, calls[0].text.as_deref()), (Tool::Write, Some("new")));
    });
    called(tool("grep", &json!({"pattern": "fn main", "path": "src"}), &done), |calls, _| {
        assert_eq!((calls[0].tool, calls[0].pattern.as_deref()), (Tool::Search, Some("fn main")));
    });
    let todos = json!({"todos": [{"content": "write it", "status": "in_progress", "priority": "high"}, {"content": "test it"}]});
    called(tool("todowrite", &todos, &done), |calls, _| {
        assert_eq!(
            calls[0].todos,
            [("write it".into(), "in_progress".into()), ("test it".into(), "pending".into())]
        );
    });
    called(tool("task", &json!({"description": "look", "prompt": "look around"}), &done), |calls, _| {
        assert_eq!((calls[0].tool, calls[0].purpose.as_deref()), (Tool::Agent, Some("look")));
    });
    called(tool("somebodys_tool", &json!({"command": "x"}), &done), |calls, _| {
        assert_eq!((calls[0].tool, calls[0].command.as_deref()), (Tool::Server, None));
    });
}

#[test]
fn a_patch_is_told_file_by_file_and_fails_as_one() {
    let patch =
        "*** Begin Patch\n*** Update File: a.rs\n@@\n-one\n+two\n*** Add File: b.rs\n+new\n*** End Patch";
    let state = json!({"status": "error", "error": "does not apply"});
    called(tool("apply_patch", &json!({"patchText": patch}), &state), |calls, answers| {
        let shown =
            |call: &ToolCall<'_>| (call.tool, call.path.as_deref().unwrap().to_owned(), call.id.to_string());
        assert_eq!(shown(&calls[0]), (Tool::Edit, "a.rs".to_owned(), "call_1".to_owned()));
        assert_eq!((calls[0].text.as_deref(), calls[0].written.as_deref()), (Some("one"), Some("two")));
        assert_eq!(shown(&calls[1]), (Tool::Write, "b.rs".to_owned(), "call_1#1".to_owned()));
        assert_eq!(answers.iter().map(|answer| &*answer.call_id).collect::<Vec<_>>(), ["call_1", "call_1#1"]);
        assert!(answers.iter().all(|answer| answer.is_error));
    });
}

#[test]
fn the_answers_to_questions_are_the_users_words() {
    let input = json!({"questions": [{"question": "Which one?"}, {"question": "And when?"}]});
    let state = json!({"status": "completed", "output": "User has answered", "metadata": {"answers": [["the first", "the last"], ["now"]]}});
    called(tool("question", &input, &state), |calls, answers| {
        assert_eq!(
            (calls[0].tool, calls[0].purpose.as_deref()),
            (Tool::AskUser, Some("Which one?\nAnd when?"))
        );
        assert_eq!(answers[0].answers.as_deref(), Some("Which one? the first, the last\nAnd when? now"));
    });
}

#[test]
fn our_own_texts_in_a_tools_output_are_nobodys() {
    let output = "one\n\n[throughline:notice]\nThe context is full.\n[/throughline]";
    let state = json!({"status": "completed", "output": output, "metadata": {"exit": 0}});
    called(tool("bash", &json!({"command": "echo one"}), &state), |_, answers| {
        assert_eq!(answers[0].text.head(500).trim_end(), "one");
    });
}

fn asked(auto: bool, overflow: bool) -> Vec<u8> {
    user(&[json!({"type": "compaction", "auto": auto, "overflow": overflow})])
}

fn summary(message: &Value, words: &str) -> Vec<u8> {
    let mut whole = json!({"role": "assistant", "summary": true, "mode": "compaction", "modelID": "m-1"});
    for (key, value) in message.as_object().into_iter().flatten() {
        whole[key] = value.clone();
    }
    line("msg_s", &whole, &[text(words)])
}

#[test]
fn a_compaction_is_told_by_its_summary() {
    let lines = [
        user(&[text("go")]),
        assistant(&[text("done")]),
        asked(false, false),
        summary(&json!({"finish": "stop"}), "We went."),
    ];
    let what = told(&lines);
    assert_eq!(
        what[2],
        "Compacted { trigger: Some(\"manual\"), tokens_before: Some(1200), tokens_after: None }"
    );
    assert_eq!(what[3..], ["Summary(\"We went.\")"]);
}

#[test]
fn a_compaction_that_failed_tells_nothing() {
    let overflow = json!({"finish": "error", "error": {"name": "ContextOverflowError", "data": {}}});
    let aborted = json!({"error": {"name": "MessageAbortedError", "data": {}}});
    for failed in [
        vec![],
        vec![summary(&overflow, "half")],
        vec![summary(&aborted, "half")],
        vec![summary(&json!({}), "half")],
    ] {
        let mut lines = vec![user(&[text("go")]), asked(true, false)];
        lines.extend(failed);
        lines.push(user(&[text("go")]));
        assert_eq!(told(&lines), ["UserSaid(\"go\")", "UserSaid(\"go\")"], "the user said it twice");
    }
}

#[test]
fn a_prompt_that_a_compaction_made_room_for_is_told_once() {
    let done = summary(&json!({"finish": "stop"}), "We went.");
    let lines = [
        user(&[text("go on")]),
        asked(true, true),
        done.clone(),
        user(&[text("go on")]),
        user(&[text("go on")]),
    ];
    let said = told(&lines).iter().filter(|what| what.starts_with("UserSaid")).count();
    assert_eq!(said, 2, "the client's repetition is none, the user's own is one");
    let lines = [user(&[text("go on")]), asked(true, true), done, user(&[text("something else")])];
    assert_eq!(told(&lines).iter().filter(|what| what.starts_with("UserSaid")).count(), 2);
}

#[test]
fn an_answer_that_the_user_stopped_is_told_as_stopped() {
    let message = json!({"role": "assistant", "modelID": "m-1", "error": {"name": "MessageAbortedError", "data": {"message": "x"}}});
    assert_eq!(told(&[line("msg_a", &message, &[text("I beg")])]), ["[Said(\"I beg\")]", "Interrupted"]);
}

#[test]
fn a_subagents_session_is_a_sidechain() {
    let mut value: Value = serde_json::from_slice(&assistant(&[text("found it")])).unwrap();
    value["subagent"] = json!(true);
    let line = value.to_string().into_bytes();
    let mut carried = Carried::default();
    read_line(&line, &mut carried, &mut |line| assert!(line.is_sidechain));
    assert_eq!(carried.told, 0, "its context is not the session's");
    assert_eq!(usage::moment(&line), None);
    let mut used = 0;
    usage::read(&line, &mut Carried::default(), &mut |line| match line {
        UsageLine::Used(tokens) if tokens.is_sidechain => used += 1,
        other => panic!("{other:?}"),
    });
    assert_eq!(used, 1);
}

#[test]
fn what_was_used_is_counted_without_the_cache_twice() {
    let line = assistant(&[]);
    let mut carried = Carried::default();
    let mut seen = Vec::new();
    assert_eq!(usage::read(&line, &mut carried, &mut |line| seen.push(format!("{line:?}"))), None);
    assert_eq!(seen.len(), 1);
    for part in [
        "input: 1100",
        "output: 25",
        "cache_read: 90",
        "cache_write_5m: 10",
        "context: 1200",
        "model: \"m-1\"",
    ] {
        assert!(seen[0].contains(part), "{part} in {}", seen[0]);
    }
    let Some(Moment::Responded(fill)) = usage::moment(&line) else { panic!() };
    assert_eq!((fill.used_tokens, fill.cache_read_tokens), (1_200, 90));
    let mut lines = [line, b"\n".to_vec(), user(&[text("more")]), b"\n".to_vec()].concat();
    assert_eq!(usage::last_usage(&lines).map(|usage| usage.context_tokens), Some(1_200));
    lines.extend(summary(&json!({"finish": "stop"}), "short"));
    assert_eq!(usage::last_usage(&lines), None, "a compaction came after it");
}

#[test]
fn use_of_a_summary_counts_and_the_boundary_is_told_once() {
    let tokens = json!({"input": 900, "output": 60, "cache": {"read": 0, "write": 0}});
    let lines =
        [assistant(&[]), asked(true, false), summary(&json!({"finish": "stop", "tokens": tokens}), "short")];
    let mut carried = Carried::default();
    let mut seen = Vec::new();
    for line in &lines {
        let mut kept = carried.clone();
        usage::read(line, &mut kept, &mut |line| match line {
            UsageLine::Used(used) => seen.push(format!("used {} {}", used.tokens.input, used.is_sidechain)),
            UsageLine::Compacted(it) => seen.push(format!("compacted {} {:?}", it.is_auto, it.tokens_before)),
        });
        carried = kept;
    }
    assert_eq!(seen, ["used 1100 false", "used 900 true", "compacted true Some(1200)"]);
}

#[test]
fn a_line_that_is_none_costs_itself_alone() {
    for broken in [
        &b"["[..],
        b"{\"id\":\"m\"",
        b"{}",
        b"{\"message\":7}",
        b"{\"message\":{\"role\":\"user\"},\"parts\":[{]",
    ] {
        assert!(read_line(broken, &mut Carried::default(), &mut |_| {}).is_some(), "{broken:?}");
        assert!(usage::read(broken, &mut Carried::default(), &mut |_| {}).is_some(), "{broken:?}");
    }
    for blank in [&b""[..], b" \n", b"\0\0", b"{\"message\":{\"role\":\"system\"}}"] {
        assert_eq!(read_line(blank, &mut Carried::default(), &mut |_| panic!("{blank:?}")), None);
    }
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        read_all(&bytes);
    }

    #[test]
    fn no_line_that_is_cut_or_changed_makes_it_panic(cut in 0..2_000_usize, at in 0..2_000_usize, byte: u8) {
        let patch = "*** Begin Patch\n*** Update File: é\n-ü\n+😀";
        let mut line = assistant(&[
            text("é[throughline:notice]\n<system-reminder>"),
            tool("apply_patch", &json!({"patchText": patch}), &json!({"status": "error", "error": "The user rejected permission"})),
            tool("bash", &json!({"command": "é".repeat(300)}), &json!({"status": "completed", "output": "\u{2028}", "metadata": {"exit": 1}})),
        ]);
        let length = line.len();
        line[at % length] = byte;
        line.truncate(cut.max(1) % length);
        read_all(&line);
    }
}

fn read_all(bytes: &[u8]) {
    let mut carried = Carried::default();
    read_line(bytes, &mut carried, &mut |line| {
        if let What::ToolsAnswered(answers) = &line.what {
            for answer in answers {
                drop(answer.text.head_and_tail(50));
            }
        }
    });
    usage::read(bytes, &mut Carried::default(), &mut |_| {});
    let _ = (usage::moment(bytes), usage::last_usage(bytes));
}
