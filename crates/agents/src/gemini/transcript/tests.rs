//! What lines of a session file tell, on lines of our own making in the client's form.

use proptest::prelude::*;
use serde_json::{Value, json};
use throughline_domain::transcript::{Block, Escaped, Line, Tool, What};

use super::*;

const HEADER: &str =
    r#"{"sessionId":"s1","projectHash":"ab","startTime":"2026-11-18T07:00:00.000Z","kind":"main"}"#;

fn context() -> Value {
    json!({"id": "d0", "timestamp": "2026-11-18T07:00:00.001Z", "type": "user", "content": [{"text":
        "<session_context>\nThis is the Gemini CLI. We are setting up the context for our chat.\n- **Workspace Directories:**\n  - /home/me/app\n- **Directory Structure:**\n</session_context>"}]})
}

fn user(id: &str, text: &str) -> Value {
    json!({"id": id, "timestamp": "2026-11-18T07:00:01.000Z", "type": "user", "content": [{"text": text}]})
}

fn gemini(id: &str, text: &str, calls: &[Value]) -> Value {
    let mut message = json!({"id": id, "timestamp": "2026-11-18T07:00:02.000Z", "type": "gemini", "content": text, "thoughts": [],
        "tokens": {"input": 900, "output": 20, "cached": 100, "thoughts": 0, "tool": 0, "total": 920}, "model": "gemini-2.5-pro"});
    if !calls.is_empty() {
        message["toolCalls"] = json!(calls);
    }
    message
}

#[expect(clippy::needless_pass_by_value, reason = "every call of it makes its values in place")]
fn call(id: &str, name: &str, args: Value, status: &str, response: Value) -> Value {
    json!({"id": id, "name": name, "args": args, "status": status, "timestamp": "2026-11-18T07:00:03.000Z",
        "result": [{"functionResponse": {"id": id, "name": name, "response": response}}], "displayName": "Tool"})
}

fn set(messages: &[Value]) -> Value {
    json!({"$set": {"messages": messages, "lastUpdated": "2026-11-18T07:00:04.000Z"}})
}

fn snapshot(id: &str) -> [Value; 2] {
    [
        user("sum", "<state_snapshot>the summary</state_snapshot>"),
        json!({"id": id, "timestamp": "2026-11-18T07:00:04.000Z", "type": "gemini", "content": [{"text": ACKNOWLEDGED}]}),
    ]
}

fn shown(line: &Line<'_>) -> String {
    match &line.what {
        What::UserSaid(text) => format!("user: {text}"),
        What::Command { name, args } => format!("command: {name} {args}"),
        What::Responded { context_tokens, blocks, .. } => {
            let blocks: Vec<String> = blocks
                .iter()
                .map(|block| match block {
                    Block::Said(text) => format!("said {text}"),
                    Block::Called(call) => format!(
                        "{:?} {}",
                        call.tool,
                        call.command
                            .as_deref()
                            .or(call.path.as_deref())
                            .or(call.purpose.as_deref())
                            .unwrap_or_default()
                    ),
                })
                .collect();
            format!("model at {}: {}", context_tokens.unwrap_or(0), blocks.join(", "))
        }
        What::ToolsAnswered(answers) => {
            let answers: Vec<String> = answers
                .iter()
                .map(|answer| {
                    let text = Escaped { pieces: answer.text.pieces.clone(), mask: None }.head(10_000);
                    let mark = match (answer.is_error, answer.is_interrupted) {
                        (_, true) => "stopped",
                        (true, _) => "failed",
                        _ => "ok",
                    };
                    format!("{mark} {text:?}")
                })
                .collect();
            format!("answered {}", answers.join("; "))
        }
        What::Compacted { .. } => "compacted".to_owned(),
        What::Summary(text) => format!("summary: {text}"),
        other => format!("{other:?}"),
    }
}

/// What lines tell, one after the other.
fn told(lines: &[Value]) -> Vec<String> {
    let mut carried = Carried::default();
    let mut told = Vec::new();
    for line in lines {
        let line = line.to_string();
        // As between two readings.
        carried = Carried::from_text(&carried.text());
        let problem = read_line(line.as_bytes(), &mut carried, &mut |line| told.push(shown(&line)));
        assert_eq!(problem, None, "{line}");
    }
    told
}

#[test]
fn a_message_that_comes_again_tells_only_what_is_new() {
    let one =
        call("c1", "read_file", json!({"file_path": "src/a.rs"}), "success", json!({"output": "fn a() {}"}));
    let two = call(
        "c2",
        "run_shell_command",
        json!({"command": "make"}),
        "success",
        json!({"output": "<untrusted_context>\nOutput: done\nProcess Group PGID: 7\n</untrusted_context>"}),
    );
    let lines = [
        user("u1", "fix it"),
        gemini("g1", "I look", &[]),
        json!({"$set": {"lastUpdated": "2026-11-18T07:00:02.000Z"}}),
        gemini("g1", "I look", std::slice::from_ref(&one)),
        gemini("g1", "I look", &[one.clone(), two]),
        json!({"id": "u2", "type": "user", "content": [{"functionResponse": {"id": "c1", "response": {"output": "fn a() {}"}}}]}),
        gemini("g2", "done", &[]),
    ];
    assert_eq!(
        told(&lines),
        [
            "user: fix it",
            "model at 900: said I look",
            "model at 900: Read src/a.rs",
            "answered ok \"fn a() {}\"",
            "model at 900: Shell make",
            "answered ok \"done\"",
            "model at 900: said done",
        ]
    );
}

#[test]
fn session_and_folder_are_those_of_the_lines_before() {
    let mut carried = Carried::default();
    let lines = [HEADER.to_owned(), set(&[context()]).to_string(), user("u1", "go").to_string()];
    let mut seen = Vec::new();
    for line in &lines {
        read_line(line.as_bytes(), &mut carried, &mut |line| {
            seen.push((
                line.session.map(str::to_owned),
                line.cwd.map(Cow::into_owned),
                line.uuid.map(str::to_owned),
            ));
        });
    }
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(seen, [(text("s1"), text("/home/me/app"), text("u1"))]);
}

/// As after a request that the user cancelled: every message has a new id, and a list of them follows.
#[test]
fn a_history_that_is_written_down_again_tells_nothing_and_is_no_compression() {
    let [summary, answer] = snapshot("ack1");
    let synthetic = |id: &str, text: &str| json!({"id": id, "type": "gemini", "content": [{"text": text}], "thoughts": [], "tokens": null});
    let mut again = context();
    again["id"] = json!("new0");
    again["content"]
        .as_array_mut()
        .unwrap()
        .push(json!({"text": "<state_snapshot>the summary</state_snapshot>"}));
    let burst = [again, synthetic("new1", ACKNOWLEDGED), user("new2", "first"), synthetic("new3", "one")];
    let stopped = json!({"id": "i1", "timestamp": "2026-11-18T07:00:05.000Z", "type": "info", "content": "Request cancelled."});
    let mut lines =
        vec![user("u1", "first"), gemini("g1", "one", &[]), set(&[context(), summary, answer]), stopped];
    lines.extend(burst.clone());
    lines.extend([set(&burst), user("u2", "second"), gemini("g2", "two", &[])]);
    assert_eq!(
        told(&lines),
        [
            "user: first",
            "model at 900: said one",
            "compacted",
            "summary: the summary",
            "Interrupted",
            "user: second",
            "model at 900: said two",
        ]
    );
    // Where no list follows, a response of a model tells that the history is over.
    let cut = [burst[0].clone(), user("new2", "first"), gemini("g2", "two", &[]), user("u3", "third")];
    assert_eq!(told(&cut), ["model at 900: said two", "user: third"]);
}

#[test]
fn a_list_at_a_resume_tells_nothing_and_one_of_a_compression_its_summary_once() {
    let resumed = set(&[context(), user("u1", "first"), gemini("g1", "one", &[])]);
    let [summary, answer] = snapshot("ack1");
    let compressed = set(&[context(), summary.clone(), answer.clone(), user("k1", "first")]);
    let later = set(&[context(), summary, answer, user("k1", "first"), user("u9", "and then")]);
    let [summary, answer] = snapshot("ack2");
    let again = set(&[context(), summary, answer]);
    let lines = [user("u1", "first"), gemini("g1", "one", &[]), resumed, compressed, later, again];
    assert_eq!(
        told(&lines),
        [
            "user: first",
            "model at 900: said one",
            "compacted",
            "summary: the summary",
            "compacted",
            "summary: the summary",
        ]
    );
}

#[test]
fn what_hooks_and_the_client_put_under_the_users_name_is_not_the_users() {
    let mut with_files =
        user("u5", "look at @a.rs\n--- Content from referenced files ---\nfn a() {}\n--- End of content ---");
    let hooks = json!({"id": "u2", "type": "user", "content": [
        {"text": "<hook_context>[throughline:briefing]\nours[/throughline]</hook_context>\n\nreal words"}, {"text": "<hook_context>more</hook_context>"}]});
    let lines = [
        hooks,
        user("u3", "Please continue."),
        user("u4", "Here is the user's editor context as a JSON object. This is for your information only."),
        with_files.clone(),
        user("u6", "/compress now"),
        user("u7", "/home/me/app is broken"),
        user("u8", "System: Potential loop detected. Details: x"),
    ];
    let expected =
        ["user: real words", "user: look at @a.rs", "command: /compress now", "user: /home/me/app is broken"];
    assert_eq!(told(&lines), expected);
    with_files["displayContent"] = json!([{"text": "look at @a.rs"}]);
    assert_eq!(told(&[with_files]), ["user: look at @a.rs"]);
}

#[test]
fn how_a_command_ended_is_told_truly() {
    let shell = |id: &str, status: &str, response: Value| {
        gemini(
            &format!("g{id}"),
            "",
            &[call(id, "run_shell_command", json!({"command": "make"}), status, response)],
        )
    };
    let frame = |text: &str| json!({"output": format!("<untrusted_context>\n{text}\n</untrusted_context>")});
    let lines = [
        shell("1", "success", frame("Output: boom\nExit Code: 2\nProcess Group PGID: 7")),
        shell("2", "success", frame("Output: (empty)\nProcess Group PGID: 7")),
        shell("3", "success", frame("Output: x\nSignal: SIGKILL\nProcess Group PGID: 7")),
        shell("4", "cancelled", json!({"error": "[Operation Cancelled] Reason: User denied execution."})),
        shell("5", "cancelled", json!({"error": "[Operation Cancelled] User cancelled tool execution."})),
        shell("6", "error", json!({"error": "Tool execution denied by policy. Not here."})),
        shell(
            "7",
            "success",
            frame("Command moved to background (PID: 7). Output hidden. Press Ctrl+B to view."),
        ),
        shell(
            "8",
            "success",
            json!({"output": "<untrusted_context>\nOutput: hi\n</untrusted_context>\n\n<hook_context>[throughline:notice]\nsecret briefing\n[/throughline]</hook_context>"}),
        ),
    ];
    let answers: Vec<String> = told(&lines).into_iter().filter(|it| it.starts_with("answered")).collect();
    assert_eq!(
        answers,
        [
            "answered failed \"Exit code 2\\nboom\"",
            "answered ok \"\"",
            "answered failed \"x\"",
            "answered failed \"User rejected the call.\\n[Operation Cancelled] Reason: User denied execution.\"",
            "answered stopped \"Interrupted by the user.\\n[Operation Cancelled] User cancelled tool execution.\"",
            "answered failed \"Permission denied by the client's policy.\\nTool execution denied by policy. Not here.\"",
            "answered ok \"Command running in background.\\nCommand moved to background (PID: 7). Output hidden. Press Ctrl+B to view.\"",
            "answered ok \"hi\"",
        ]
    );
}

#[test]
fn tools_are_known_by_their_own_names() {
    let calls = [
        ("read_file", json!({"absolute_path": "/p/a"}), Tool::Read, "/p/a"),
        (
            "replace",
            json!({"file_path": "/p/a", "old_string": "x", "new_string": "y", "instruction": "why"}),
            Tool::Edit,
            "/p/a",
        ),
        ("write_file", json!({"file_path": "/p/a", "content": "x"}), Tool::Write, "/p/a"),
        ("grep_search", json!({"pattern": "x", "dir_path": "src"}), Tool::Search, "src"),
        ("glob", json!({"pattern": "*.rs"}), Tool::Search, ""),
        ("invoke_agent", json!({"agent_name": "x", "prompt": "look"}), Tool::Agent, "look"),
        ("mcp_server_tool", json!({}), Tool::Server, ""),
        ("web_fetch", json!({"prompt": "see http://a"}), Tool::Other, "see http://a"),
        ("tracker_create_task", json!({"title": "Do it", "description": "long"}), Tool::TaskCreate, "Do it"),
    ];
    for (name, args, tool, about) in calls {
        let line =
            gemini("g", "", &[call("c", name, args, "success", json!({"output": "Created task a1: Do it"}))]);
        assert_eq!(told(&[line])[0], format!("model at 900: {tool:?} {about}"), "{name}");
    }
}

#[test]
fn a_list_of_tasks_and_answers_to_questions_are_read() {
    let todos = json!({"todos": [{"description": "a", "status": "completed"}, {"description": "b", "status": "in_progress"}]});
    let questions = json!({"questions": [{"question": "Which?", "type": "text"}]});
    let line = gemini(
        "g",
        "",
        &[
            call("c1", "write_todos", todos, "success", json!({"output": "ok"})),
            call(
                "c2",
                "ask_user",
                questions,
                "success",
                json!({"output": json!({"answers": {"0": "the first"}}).to_string()}),
            ),
        ],
    )
    .to_string();
    let (mut todos, mut answers) = (Vec::new(), Vec::new());
    read_line(line.as_bytes(), &mut Carried::default(), &mut |line| match line.what {
        What::Responded { blocks, .. } => {
            for block in blocks {
                if let Block::Called(call) = block {
                    todos.extend(call.todos.iter().map(|(what, status)| format!("{what} {status}")));
                }
            }
        }
        What::ToolsAnswered(all) => {
            answers.extend(all.iter().filter_map(|it| it.answers.clone()).map(Cow::into_owned));
        }
        _ => {}
    });
    assert_eq!(todos, ["a completed", "b in_progress"]);
    assert_eq!(answers, ["Which? the first"]);
}

#[test]
fn the_clients_own_turns_and_thoughts_say_nothing() {
    let lines = [
        json!({"id": "i", "type": "info", "content": "Something else."}),
        json!({"id": "g", "type": "gemini", "content": [{"text": "Binary content received. Proceeding with analysis.", "thought": true}]}),
        json!({"id": "h", "type": "gemini", "content": [{"text": "made up"}]}),
        json!({"$rewindTo": "g"}),
        json!({"$set": {"summary": "a title"}}),
    ];
    assert!(told(&lines).is_empty());
}

#[test]
fn a_line_that_breaks_off_is_a_problem_without_a_word_of_it() {
    let whole = user("u1", "very secret words").to_string();
    for bytes in [&whole.as_bytes()[..whole.len() - 3], b"secret", b"[1]", b"\"x\""] {
        let problem = read_line(bytes, &mut Carried::default(), &mut |_| panic!("tells nothing"));
        assert!(!problem.unwrap().to_string().contains("secret"));
    }
    for nothing in [&b""[..], b"\n", b"\0\0\0", b"{}", b"{\"$set\":7}"] {
        assert_eq!(read_line(nothing, &mut Carried::default(), &mut |_| panic!("tells nothing")), None);
    }
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), cut in 0_usize..2_000, at in 0_usize..2_000, with in any::<u8>()) {
        let [summary, answer] = snapshot("ack");
        let one = call("c1", "run_shell_command", json!({"command": "make"}), "success", json!({"output": "Output: x\nExit Code: 2"}));
        for line in [gemini("g1", "I look", &[one]).to_string(), set(&[context(), summary, answer]).to_string(), HEADER.to_owned()] {
            let mut line = line.into_bytes();
            if let Some(byte) = line.get_mut(at) {
                *byte = with;
            }
            let line = &line[..cut.min(line.len())];
            for line in [line, &bytes] {
                let mut carried = Carried::default();
                read_line(line, &mut carried, &mut |line| drop(shown(&line)));
                super::super::usage_lines::read(line, &mut carried, &mut |_| {});
                let _ = (super::super::transcript_tail::last_usage(line), super::super::transcript_tail::moment(line));
                let _ = super::super::transcript_tail::compression(line);
            }
        }
    }
}
