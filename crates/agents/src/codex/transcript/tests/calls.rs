//! Tools of every name and form.

use serde_json::{Value, json};
use throughline_domain::transcript::{Block, ToolCall, What};

use super::super::read_line;
use super::{Rollout, completed, custom, event, function, item, output, ran};

/// The first call that a line tells, and the folder.
fn call_of(line: &Value) -> (ToolCall<'static>, String) {
    let text: &'static str = Box::leak(line.to_string().into_boxed_str());
    let carried = Box::leak(Box::new(Rollout::begun().carried));
    let mut found = None;
    read_line(text.as_bytes(), carried, &mut |line| {
        if let What::Responded { blocks, .. } = line.what
            && let Some(Block::Called(call)) = blocks.into_iter().next()
            && found.is_none()
        {
            found = Some((*call, line.cwd.unwrap_or_default().into_owned()));
        }
    });
    found.expect("a call")
}

#[test]
fn a_command_is_the_same_in_every_form() {
    let forms = [
        function(
            "c",
            "exec_command",
            &json!({"cmd": "cargo test", "workdir": "crates", "yield_time_ms": 500}),
        ),
        function(
            "c",
            "shell",
            &json!({"command": ["bash", "-lc", "cargo test"], "workdir": "/home/me/app/crates"}),
        ),
        function("c", "shell_command", &json!({"command": "cargo test", "workdir": "crates"})),
    ];
    for form in forms {
        let (call, cwd) = call_of(&form);
        assert_eq!(
            (call.command.as_deref(), cwd.as_str()),
            (Some("cargo test"), "/home/me/app/crates"),
            "{form}"
        );
    }
    let local = item(
        json!({"type": "local_shell_call", "call_id": "c", "action": {"type": "exec", "command": ["git", "status"]}}),
    );
    assert_eq!(call_of(&local).0.command.as_deref(), Some("git status"));
    assert_eq!(Rollout::of(&[local]), ["shell c: git status"]);
}

#[test]
fn other_tools_are_known_by_what_they_do() {
    let plan =
        json!({"explanation": "why", "plan": [{"step": "Read", "status": "completed"}, {"step": "Write"}]});
    let (call, _) = call_of(&function("c", "update_plan", &plan));
    assert_eq!(call.todos, [("Read".into(), "completed".into()), ("Write".into(), "pending".into())]);
    let mut served = function("c", "greet", &json!({"text": "hello", "command": "no command line"}));
    served["payload"]["namespace"] = "mcp__toy__".into();
    assert_eq!(call_of(&served).0.name, "mcp__toy__greet");
    let mut spawned = function("c", "spawn_agent", &json!({"task_name": "look", "message": "Look around"}));
    spawned["payload"]["namespace"] = "collaboration".into();
    let asked = json!({"questions": [{"id": "q", "question": "Which port?", "options": []}]});
    let told = Rollout::of(&[
        function("c1", "update_plan", &plan),
        served,
        spawned,
        function("c2", "view_image", &json!({"path": "shot.png"})),
        function("c3", "request_user_input", &asked),
        function("c4", "write_stdin", &json!({"session_id": 1, "chars": "y"})),
        item(
            json!({"type": "web_search_call", "id": "ws", "action": {"type": "search", "query": "rust walk"}}),
        ),
    ]);
    let expected = [
        "todowrite c1: ",
        "server c: no command line",
        "agent c: look around",
        "read c2: shot.png",
        "askuser c3: which port?",
        "other c4: ",
        "other : rust walk",
    ];
    assert_eq!(told, expected);
}

#[test]
fn what_a_script_ran_is_told_by_what_came_of_it() {
    let told = Rollout::of(&[
        custom("call_1", "exec", "await tools.exec_command({cmd: 'cargo test'})"),
        ran("exec-1", "cargo test", 101, "test result: FAILED\n"),
        ran("exec-2", "git status", 0, "clean\n"),
        output(
            "call_1",
            json!([{"type": "input_text", "text": "Script completed\nWall time 0.6 seconds\nOutput:\n"},
                                {"type": "input_text", "text": "test result: FAILED\n"}]),
        ),
    ]);
    let expected = [
        "shell exec-1: cargo test",
        "failed exec-1: test result: FAILED\n",
        "shell exec-2: git status",
        "done exec-2: clean\n",
    ];
    assert_eq!(told, expected);
    assert_eq!(call_of(&ran("exec-1", "ls", 0, "")).1, "/home/me/my app");
}

#[test]
fn files_are_told_by_what_was_changed_in_them() {
    let changes = json!({
        "/home/me/app/src/new.rs": {"type": "add", "content": "fn main() {}\n"},
        "/home/me/app/old.md": {"type": "update", "unified_diff": "@@ -1,2 +1,2 @@\n same\n-hi\n+hello\n", "move_path": "/home/me/app/new.md"},
        "/home/me/app/gone.txt": {"type": "delete", "content": "x\n"},
    });
    let change =
        completed(&json!({"type": "FileChange", "id": "call_1", "changes": changes, "status": "completed"}));
    let patch = "*** Begin Patch\n*** Add File: src/new.rs\n+fn main() {}\n*** End Patch";
    let told = Rollout::of(&[
        custom("call_1", "apply_patch", patch),
        change,
        output(
            "call_1",
            "Exit code: 0\nWall time: 0.4 seconds\nOutput:\nSuccess. Updated the following files:\nA src/new.rs\n",
        ),
    ]);
    let expected = [
        "write call_1: /home/me/app/src/new.rs",
        "done call_1: ",
        "edit call_1/1: /home/me/app/new.md",
        "done call_1/1: ",
        "edit call_1/2: /home/me/app/gone.txt",
        "done call_1/2: ",
        "done call_1: Success. Updated the following files:\nA src/new.rs\n",
    ];
    assert_eq!(told, expected);
    let update =
        json!({"/a": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-hi\n+hello\n", "move_path": null}});
    let (call, _) = call_of(&completed(
        &json!({"type": "FileChange", "id": "c", "changes": update, "status": "completed"}),
    ));
    assert_eq!(
        (call.path.as_deref(), call.text.as_deref(), call.written.as_deref()),
        (Some("/a"), Some("hi\n"), Some("hello\n"))
    );
}

#[test]
fn a_patch_that_was_refused_or_failed_changed_nothing() {
    let changes = json!({"/home/me/zz.rs": {"type": "add", "content": "x"}});
    let declined = completed(
        &json!({"type": "FileChange", "id": "c1", "changes": changes, "status": "declined", "stderr": "patch rejected by user"}),
    );
    let failed =
        completed(&json!({"type": "FileChange", "id": "c2", "changes": changes, "status": "failed"}));
    let told =
        Rollout::of(&[declined, failed, output("c3", "apply_patch verification failed: no such file")]);
    let expected = [
        "write c1: /home/me/zz.rs",
        "failed c1: User rejected this call",
        "write c2: /home/me/zz.rs",
        "failed c2: ",
        "failed c3: apply_patch verification failed: no such file",
    ];
    assert_eq!(told, expected);
}

#[test]
fn older_clients_tell_changed_files_with_the_answer_alone() {
    let applied = super::old(output(
        "c",
        "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nA b.txt\nM src/lib.rs\n",
    ));
    let told = Rollout::of(&[applied]);
    assert_eq!(
        told[..4],
        ["write c/0: b.txt", "done c/0: ", "edit c/1: src/lib.rs", "done c/1: "].map(str::to_owned)
    );
}

#[test]
fn a_servers_tool_in_a_script_is_told_and_outside_of_one_not_twice() {
    let served = |id: &str| {
        completed(
            &json!({"type": "McpToolCall", "id": id, "server": "toy", "tool": "greet", "arguments": {"name": "x"},
            "status": "completed", "result": {"content": [{"type": "text", "text": "hello there"}]}}),
        )
    };
    let told = Rollout::of(&[served("exec-1"), served("call_1"), event(json!({"type": "item_completed"}))]);
    assert_eq!(told, ["server exec-1: ", "done exec-1: hello there"]);
}
