//! Installed beside other people's hooks, and taken out again without a trace.

use std::fs;

use throughline_testkit::{Kind, Script, Step};

use crate::scene::{Scene, fragments};

const LOCAL: &str = ".claude/settings.local.json";

/// Formatted as nobody would: it must come back so.
const FOREIGN: &str = r#"{ "permissions": {"allow": ["Bash(echo:*)"]},
     "hooks": {"SessionStart": [{"hooks": [{"type": "command",  "command": "cat > /dev/null; echo FOREIGN-START"}]}],
  "Stop": [ {"hooks":[{"type":"command","command":"cat >> \"$THROUGHLINE_HOME/foreign-stop\""}]} ] },
	"model": "sonnet" }"#;

fn one_turn(scene: &Scene) {
    scene.lab.set_script(Script::new().turn("PROMPT:go", [Step::bash("echo one"), Step::text("Done.")]));
    let mut client = scene.lab.live(&[]);
    assert_eq!(client.ask("PROMPT:go on").text(), "Done.");
    assert!(client.close().success());
}

fn foreign_stops(scene: &Scene) -> usize {
    let payloads = fs::read_to_string(scene.lab.home().data().join("foreign-stop")).unwrap_or_default();
    payloads.matches(r#""hook_event_name":"Stop""#).count()
}

/// Whether a session of ours was ever noted.
fn sessions_noted(scene: &Scene) -> usize {
    fs::read_dir(scene.lab.home().data().join("sessions")).map_or(0, Iterator::count)
}

#[test]
fn other_peoples_hooks_run_beside_ours() {
    let Some(scene) = Scene::new() else { return };
    scene.lab.home().write(LOCAL, FOREIGN);
    scene.run(&["init"]);
    scene.run(&["add", "decision", "Parser works without recursion"]);
    one_turn(&scene);
    let request = &scene.lab.mock().requests_of(Kind::Main)[0];
    assert!(request.contains("FOREIGN-START"));
    let said = fragments(request);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("Parser works without recursion"));
    assert_eq!(foreign_stops(&scene), 1);
    assert_eq!(scene.receipt("Stop").outcome, "ok");
    assert_eq!(scene.logged(), "");
}

#[test]
fn after_uninstall_the_client_runs_without_us_and_the_settings_are_as_before() {
    let Some(scene) = Scene::new() else { return };
    scene.lab.home().write(LOCAL, FOREIGN);
    scene.run(&["add", "decision", "Parser works without recursion"]);
    scene.run(&["init"]);
    let installed = scene.lab.home().read(LOCAL);
    scene.run(&["init"]);
    assert_eq!(scene.lab.home().read(LOCAL), installed, "a second init changes nothing");
    one_turn(&scene);
    assert_eq!(scene.lab.home().read(LOCAL), installed, "the client leaves our entries alone");
    let noted = sessions_noted(&scene);
    assert_eq!(noted, 1);

    scene.run(&["uninstall"]);
    assert_eq!(scene.lab.home().read(LOCAL), FOREIGN);
    assert!(!fs::exists(scene.lab.home().project().join(".claude/commands")).unwrap());
    let before = scene.lab.mock().requests().len();
    one_turn(&scene);
    let later = scene.lab.mock().requests().split_off(before);
    assert!(later.iter().all(|request| fragments(request).is_empty()));
    assert!(later.iter().any(|request| request.contains("FOREIGN-START")));
    assert_eq!(foreign_stops(&scene), 2);
    assert_eq!(sessions_noted(&scene), noted, "no hook of ours ran");
    assert!(
        scene.run(&["list"]).stdout.contains("Parser works without recursion"),
        "what was recorded stays"
    );
}

#[test]
fn where_there_were_no_settings_none_are_left() {
    let Some(scene) = Scene::installed() else { return };
    one_turn(&scene);
    scene.run(&["uninstall"]);
    assert!(!fs::exists(scene.lab.home().project().join(LOCAL)).unwrap());
    let noted = sessions_noted(&scene);
    one_turn(&scene);
    assert_eq!(sessions_noted(&scene), noted);
    let tracked = scene.lab.home().git(&["status", "--porcelain"]);
    assert_eq!(tracked, "", "nothing is left for git to see");
}

#[test]
fn the_command_that_init_writes_reaches_the_model() {
    let Some(scene) = Scene::installed() else { return };
    let mut client = scene.lab.live(&[]);
    client.ask("/context-compact the parser");
    assert!(client.close().success());
    let request = &scene.lab.mock().requests_of(Kind::Main)[0];
    assert!(request.contains("The user is about to compact this conversation."));
    assert!(request.contains("if anything stands here: the parser"));
}

#[test]
fn the_command_that_shows_what_is_next_reaches_the_model() {
    let Some(scene) = Scene::installed() else { return };
    let mut client = scene.lab.live(&[]);
    client.ask("/throughline");
    assert!(client.close().success());
    let request = &scene.lab.mock().requests_of(Kind::Main)[0];
    assert!(request.contains("Run `throughline next` and show its output as it is"));
}

#[test]
fn hooks_from_the_users_own_settings_work_in_every_project() {
    let Some(scene) = Scene::new() else { return };
    scene.run(&["init", "--user"]);
    scene.run(&["add", "decision", "Parser works without recursion"]);
    one_turn(&scene);
    let said = fragments(&scene.lab.mock().requests_of(Kind::Main)[0]);
    assert_eq!(said.len(), 1, "{said:?}");
    scene.run(&["uninstall", "--user"]);
    let left = fs::read_to_string(scene.lab.home().claude_config().join("settings.json")).unwrap_or_default();
    assert!(!left.contains("throughline"), "{left}");
}

#[test]
fn installed_for_the_user_and_for_the_project_everything_is_said_once() {
    let Some(scene) = Scene::installed() else { return };
    scene.run(&["init", "--user"]);
    scene.run(&["add", "decision", "Parser works without recursion"]);
    one_turn(&scene);
    let said = fragments(&scene.lab.mock().requests_of(Kind::Main)[0]);
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(scene.logged(), "");
}
