//! What was done in Codex CLI is known afterwards: commands, files, refusals, use; whichever manner the model calls tools in.

use serde_json::{Value, json};
use throughline_testkit::{Script, Step, Usage, codex};

use crate::codex_scene::{Scene, fills_the_window, fragment, scripted_shell, shell};

const PATCH: &str = "*** Begin Patch\n*** Add File: rows.rs\n+fn rows() {}\n*** End Patch";

#[track_caller]
fn assert_knows_the_work(scene: &Scene) {
    let said = fragment(&scene.after_compaction(1));
    for part in ["PROMPT:rows write the importer", "pytest rows", "empty row not skipped", "rows.rs"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let session = scene.sessions()[0]["session"].as_str().unwrap().to_owned();
    let page = scene.page(&session);
    assert!(page.contains("] Tests failed: `./run/pytest rows`"), "{page}");
    assert_eq!(scene.logged(), "");
}

#[test]
fn tools_that_are_called_one_by_one_are_known() {
    let Some(scene) = Scene::installed() else { return };
    scene.runner("echo 'FAILED rows: error: empty row not skipped'; exit 1");
    let steps = [
        Step::tool("apply_patch", json!(PATCH)),
        shell("./run/pytest rows"),
        fills_the_window(),
        Step::text("Hm."),
    ];
    scene.plays(Script::new().turn("PROMPT:rows", steps));
    scene.lab.exec("PROMPT:rows write the importer").assert_done();
    assert_knows_the_work(&scene);
}

#[test]
fn tools_that_a_script_calls_are_known_as_well() {
    let Some(scene) = Scene::installed() else { return };
    let scene = scene.with(|lab| lab.with_model(codex::MODEL_WITH_SCRIPTS));
    scene.runner("echo 'FAILED rows: error: empty row not skipped'; exit 1");
    let patch = format!("text(await tools.apply_patch({PATCH:?}));");
    let steps = [
        Step::tool("exec", json!(patch)),
        scripted_shell("./run/pytest rows"),
        scripted_shell("true").usage(Usage::filling(30_000)),
        Step::text("Hm."),
    ];
    scene.plays(Script::new().turn("PROMPT:rows", steps));
    scene.lab.exec("PROMPT:rows write the importer").assert_done();
    assert_knows_the_work(&scene);
}

/// A command that the user refuses: it was not run, and the next model is told so.
fn refused(scene: &Scene, asks: Step, model: &str) {
    scene.plays(Script::new().turn("PROMPT:push", [asks, Step::text("Not then.")]));
    scene.lab.trust_hooks();
    let mut server = scene.lab.server();
    let how = json!({"approvalPolicy": "on-request", "sandbox": "workspace-write", "model": model});
    let thread = server.start_thread(&scene.lab.home().project(), &how);
    server.decide("decline");
    server.ask(&thread, "PROMPT:push it");
    server.compact(&thread);
    server.ask(&thread, "go on");
    server.close();
    let said = fragment(&scene.after_compaction(1));
    assert!(said.contains("git push origin main"), "{said}");
    assert!(said.to_lowercase().contains("refused") && !said.contains("Fails:"), "{said}");
    assert_eq!(scene.logged(), "");
}

#[test]
fn a_refusal_is_told_as_one() {
    let Some(scene) = Scene::installed() else { return };
    let ask = json!({"cmd": "git push origin main", "sandbox_permissions": "require_escalated", "justification": "to share it"});
    refused(&scene, Step::tool("exec_command", ask), codex::MODEL_WITH_TOOLS);
}

#[test]
fn a_refusal_in_a_script_is_told_as_one() {
    let Some(scene) = Scene::installed() else { return };
    let script = "try { await tools.exec_command({cmd: \"git push origin main\", sandbox_permissions: \"require_escalated\", \
                  justification: \"to share it\"}); } catch (error) { text(String(error)); }";
    refused(&scene, Step::tool("exec", json!(script)), codex::MODEL_WITH_SCRIPTS);
}

#[test]
fn what_was_used_is_counted_once_and_without_what_the_cache_gave() {
    let Some(scene) = Scene::installed() else { return };
    let usage = Usage { input: 900, cache_creation: 0, cache_read: 8_000, output: 70 };
    scene.plays(
        Script::new().turn("PROMPT:go", [shell("echo one").usage(usage), Step::text("Done.").usage(usage)]),
    );
    scene.lab.exec("PROMPT:go on").assert_done();
    let report: Value = serde_json::from_str(&scene.run(&["usage", "models", "--json"]).stdout).unwrap();
    let text = report.to_string();
    for number in ["1800", "16000", "140"] {
        assert!(text.contains(number), "{number}: {text}");
    }
    assert!(text.contains(codex::MODEL_WITH_TOOLS), "{text}");
}

#[test]
fn what_was_said_is_found_again() {
    let Some(scene) = Scene::installed() else { return };
    scene.plays(Script::new().turn("PROMPT:go", [Step::text("The importer reads zebra files in chunks.")]));
    scene.lab.exec("PROMPT:go how does the importer read?").assert_done();
    let found = scene.run(&["recall", "zebra files", "--json"]).stdout;
    assert!(found.contains("zebra files in chunks"), "{found}");
}

#[test]
fn a_subagents_work_is_not_taken_for_the_sessions() {
    let Some(scene) = Scene::installed() else { return };
    let scene = scene.with(|lab| lab.with_model(codex::MODEL_WITH_SCRIPTS));
    let spawn = json!({"task_name": "look", "message": "SUBAGENT-MARK look around", "fork_turns": "none"});
    let script = Script::new()
        .turn(
            "PROMPT:look",
            [
                Step::tool("collaboration.spawn_agent", spawn),
                Step::tool("collaboration.wait_agent", json!({"timeout_ms": 10_000})),
                Step::text("Seen."),
            ],
        )
        .subagent([scripted_shell("echo the subagent was here"), Step::text("It is all there.")]);
    scene.plays(script);
    let run = scene.lab.exec("PROMPT:look around, please");
    let session = run.assert_done().thread_id();
    assert_eq!(scene.lab.rollouts().len(), 2, "a rollout of its own");
    let listed = scene.sessions();
    let own = listed.iter().find(|it| it["session"] == session).expect("the session is listed");
    assert!(own["transcript"].as_str().unwrap().contains(session), "{own}");
    assert_eq!(own["request"], "PROMPT:look around, please");
    assert_eq!(scene.logged(), "");
}
