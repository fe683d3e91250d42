//! Our MCP server in the real client: the agent is shown the tools, may call them when it is allowed to, and only then.

use serde_json::{Value, json};
use throughline_testkit::{Kind, Script, Step, client};

use crate::{plugin::PLUGIN, scene::Scene, terminal::Terminal};

const TOOL: &str = "mcp__throughline__record_decision";
const QUESTION: &str = "Do you want to proceed?";
const DECISION: &str = "the parser keeps comments";

fn records(tool: &str) -> Script {
    let call = Step::tool(tool, json!({ "text": DECISION, "why": "formatters need them" }));
    Script::new().turn("PROMPT:record", [call, Step::text("Done.")])
}

/// As the command that `init` prints has it.
fn registered() -> Option<Scene> {
    let scene = Scene::installed()?;
    let binary = scene.binary.to_str().unwrap().to_owned();
    let add = ["mcp", "add", "--scope", "local", "throughline", "--", &binary, "mcp"];
    scene.lab.claude(&add).assert_success();
    Some(scene)
}

/// Our tools in the client's first event.
fn tools(event: &Value) -> Vec<&str> {
    let all = event["tools"].as_array().into_iter().flatten().filter_map(Value::as_str);
    all.filter(|name| name.contains("throughline__")).collect()
}

/// One prompt, in which the agent calls a tool that records; gives the tools that the client offered it.
#[track_caller]
fn recording_works(scene: &Scene, tool: &str, args: &[&str]) {
    scene.lab.set_script(records(tool));
    let mut client = scene.lab.live(args);
    let turn = client.ask("PROMPT:record it");
    assert_eq!(turn.text(), "Done.");
    assert!(client.close().success());
    let first = turn.events_of("init").next().unwrap();
    assert_eq!(tools(first).len(), 12, "{first}");
    let request = &scene.lab.mock().requests_of(Kind::Main)[0];
    assert!(request.contains(tool), "the tool is named to the model");
    assert!(request.contains("Throughline remembers this project's decisions"), "so is what it is for");
    let session = Some(turn.session_id().to_owned());
    assert_eq!(scene.archived_decisions(), [(DECISION.to_owned(), "assistant".to_owned(), session)]);
    assert_eq!(scene.logged(), "");
}

#[test]
fn the_agent_is_shown_the_tools_and_records_with_them() {
    let Some(scene) = registered() else { return };
    recording_works(&scene, TOOL, &[]);
    let doctor: Value =
        serde_json::from_str(&scene.lab.home().run(&scene.binary, &["doctor", "--json"], "").stdout).unwrap();
    let check = doctor["checks"].as_array().unwrap().iter().find(|check| check["name"] == "mcp").unwrap();
    assert_eq!(check["state"], "ok", "{check}");
    assert!(check["what"].as_str().unwrap().ends_with(".claude.json (scope local)"), "{check}");
}

#[test]
fn the_teams_list_brings_the_server_too() {
    let Some(scene) = Scene::new() else { return };
    let folder = scene.binary.parent().unwrap().to_owned();
    let scene = scene.with(|lab| lab.with_path_dir(&folder));
    scene.run(&["init", "--mcp"]);
    recording_works(&scene, TOOL, &[]);
}

#[test]
fn the_plugin_brings_the_server() {
    let Some(scene) = Scene::new() else { return };
    let binary = scene.binary.clone();
    let scene = scene.with(|lab| lab.with_env("THROUGHLINE_BIN", binary));
    recording_works(
        &scene,
        "mcp__plugin_throughline_throughline__record_decision",
        &["--plugin-dir", PLUGIN],
    );
}

/// What an earlier session said is found by the agent of a later one, and opened.
#[test]
fn the_agent_recalls_an_earlier_session() {
    const RECALL: &str = "mcp__throughline__recall";
    let Some(scene) = registered() else { return };
    scene.lab.set_script(
        Script::new()
            .turn("PROMPT:first", [Step::text("The zebra cache is keyed by commit.")])
            .turn(
                "PROMPT:second",
                [Step::tool(RECALL, json!({ "words": "zebra cache" })), Step::text("Found.")],
            )
            .turn("PROMPT:third", [Step::tool(RECALL, json!({ "id": "p2" })), Step::text("Opened.")]),
    );
    let mut client = scene.lab.live(&[]);
    client.ask("PROMPT:first say it");
    assert!(client.close().success());
    let mut client = scene.lab.live(&[]);
    let answered = |marks: &[&str]| {
        let last = scene.lab.mock().requests_of(Kind::Main).pop().unwrap();
        let result = last.body["messages"].as_array().unwrap().last().unwrap().to_string();
        for mark in marks {
            assert!(result.contains(mark), "{mark}: {result}");
        }
    };
    assert_eq!(client.ask("PROMPT:second find it").text(), "Found.");
    answered(&["[throughline:recall]", "\\n    The zebra cache is keyed by commit.", "[/throughline]"]);
    assert_eq!(client.ask("PROMPT:third open it").text(), "Opened.");
    answered(&["[throughline:recall]", ", session ", "PROMPT:first say it", "[/throughline]"]);
    assert!(client.close().success());
    assert_eq!(scene.logged(), "");
}

/// Without a rule the client asks; where nobody can be asked it refuses, and nothing is recorded.
#[test]
fn without_permission_nothing_is_recorded() {
    let Some(scene) = registered() else { return };
    let ask = |rules: &[&str]| {
        scene.lab.set_script(records(TOOL));
        let plain = ["-p", "PROMPT:record it", "--model", client::MODEL_WITH_REMINDERS];
        scene.lab.claude(&[&plain, rules].concat()).assert_success();
        let last = scene.lab.mock().requests_of(Kind::Main).pop().unwrap();
        last.body["messages"].as_array().unwrap().last().unwrap().to_string()
    };
    let refused = ask(&[]);
    assert!(refused.contains("is_error\":true") && refused.contains("permission"), "{refused}");
    assert!(!scene.lab.home().project().join(".claude/unified-session-state.json").exists());
    let allowed = ask(&["--allowedTools", TOOL]);
    assert!(allowed.contains("D1"), "{allowed}");
    assert_eq!(scene.archived_decisions().len(), 1);
}

/// In a terminal the client asks the person. Gives the request that follows on the answer.
fn asked_and_answered(key: &str, sign: &str) -> Option<(Scene, String)> {
    let scene = registered()?;
    scene.lab.set_script(records(TOOL));
    let terminal = Terminal::open(&scene)?;
    terminal.wait_for("❯");
    terminal.enter("PROMPT:record it");
    let screen = terminal.wait_for(QUESTION);
    assert!(screen.contains("Record Decision") && screen.contains(DECISION), "{screen}");
    assert!(!scene.lab.home().project().join(".claude/unified-session-state.json").exists(), "not yet");
    terminal.answer(QUESTION, key);
    terminal.wait_for(sign);
    let last = scene.lab.mock().requests_of(Kind::Main).pop().unwrap();
    let answered = last.body["messages"].to_string();
    drop(terminal);
    Some((scene, answered))
}

#[test]
fn a_person_who_says_yes_lets_the_tool_work() {
    let Some((scene, answered)) = asked_and_answered("1", "Done.") else { return };
    assert!(answered.contains("D1"), "{answered}");
    let decisions = scene.archived_decisions();
    assert_eq!((decisions[0].0.as_str(), decisions[0].1.as_str()), (DECISION, "assistant"));
    assert_eq!(scene.logged(), "");
}

#[test]
fn a_person_who_says_no_keeps_the_memory_as_it_is() {
    let Some((scene, _)) = asked_and_answered("Escape", "Interrupted") else { return };
    assert!(!scene.lab.home().project().join(".claude/unified-session-state.json").exists());
    assert_eq!(scene.logged(), "");
}
