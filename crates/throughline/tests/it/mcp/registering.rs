//! Where the server is registered: the team's list, written and given back; the client's own, only looked at.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use throughline_testkit::process::program_under_test;

use crate::scene::{BINARY, Scene, program};

const LIST: &str = ".mcp.json";

fn list(scene: &Scene) -> Value {
    serde_json::from_str(&scene.home.read(LIST)).unwrap()
}

fn check(scene: &Scene) -> Value {
    let output = scene.run(&["doctor", "--json"]);
    let all: Value = serde_json::from_str(&output.stdout).unwrap();
    all["checks"].as_array().unwrap().iter().find(|check| check["name"] == "mcp").unwrap().clone()
}

#[test]
fn plain_init_only_tells_how() {
    let scene = Scene::with_git();
    let said = scene.ok(&["init"]);
    assert!(!scene.home.project().join(LIST).exists());
    let program = program_under_test(Path::new(BINARY));
    let line = format!("claude mcp add --scope local throughline -- '{}' mcp", program.display());
    assert!(said.contains(&line), "{said}");
    assert!(scene.ok(&["init", "--user"]).contains("claude mcp add --scope user throughline"));
    assert_eq!(check(&scene)["state"], "skip");
}

#[test]
fn init_writes_the_teams_list_and_uninstall_gives_it_back() {
    let mut scene = Scene::with_git();
    let theirs = "{\n    \"mcpServers\": {\n        \"git\": { \"command\": \"uvx\" }\n    }\n}\n";
    scene.home.write(LIST, theirs);
    let shown = scene.ok(&["init", "--mcp", "--dry-run"]);
    assert!(shown.contains("+        \"throughline\": {"), "{shown}");
    assert_eq!(scene.home.read(LIST), theirs);
    scene.ok(&["init", "--mcp"]);
    assert_eq!(
        list(&scene)["mcpServers"]["throughline"],
        json!({ "command": "throughline", "args": ["mcp"] })
    );
    let found = check(&scene);
    assert_eq!(found["state"], "fail", "no such program is on this path: {found}");
    let programs = scene.home.root().join("programs");
    program(&programs, "throughline", "exit 0");
    scene.home.add_path_dir(&programs);
    let found = check(&scene);
    assert_eq!(found["state"], "ok", "{found}");
    assert!(found["what"].as_str().unwrap().ends_with("/project/.mcp.json"), "{found}");
    assert!(scene.ok(&["init", "--mcp"]).contains(".mcp.json is up to date"));
    assert!(scene.ok(&["uninstall", "--dry-run"]).contains("-        \"throughline\": {"));
    scene.ok(&["uninstall"]);
    assert_eq!(scene.home.read(LIST), theirs);
}

#[test]
fn shared_settings_bring_the_server_and_somebody_elses_stays() {
    let scene = Scene::with_git();
    scene.ok(&["init", "--shared"]);
    assert_eq!(list(&scene)["mcpServers"]["throughline"]["command"], "throughline");
    // As on the machine of a colleague, who only has the file.
    fs::remove_dir_all(scene.home.data().join("installs")).unwrap();
    scene.ok(&["init"]);
    scene.ok(&["uninstall"]);
    assert!(scene.home.project().join(LIST).exists(), "it is the team's");
    scene.ok(&["uninstall", "--shared"]);
    assert!(!scene.home.project().join(LIST).exists());
}

#[test]
fn a_list_that_cannot_be_edited_stops_everything() {
    let scene = Scene::with_git();
    for (text, said) in [
        ("{\"mcpServers\": [", "line 1, column"),
        ("{\"mcpServers\": {\"throughline\": {\"command\": \"node\"}}}", "another server is called"),
    ] {
        scene.home.write(LIST, text);
        let failure = scene.fails(1, &["init", "--mcp"]);
        assert!(failure.contains(said) && failure.contains("nothing was changed"), "{failure}");
        assert!(!scene.home.project().join(".claude/settings.local.json").exists());
        assert_eq!(scene.home.read(LIST), text);
    }
    scene.fails(2, &["init", "--user", "--mcp"]);
}

#[test]
fn the_clients_own_list_is_read_and_left_to_the_client() {
    let scene = Scene::with_git();
    let entry = json!({ "type": "stdio", "command": BINARY, "args": ["mcp"], "env": {} });
    let root = scene.home.project().canonicalize().unwrap();
    let state = json!({ "projects": { root.to_str().unwrap(): { "mcpServers": { "throughline": entry } } } });
    let path = scene.home.claude_config().join(".claude.json");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, state.to_string()).unwrap();
    let found = check(&scene);
    assert_eq!(found["state"], "ok", "{found}");
    assert!(found["what"].as_str().unwrap().contains("(scope local)"), "{found}");
    scene.ok(&["init"]);
    let said = scene.run(&["uninstall"]);
    said.assert_success();
    assert!(said.stderr.contains("claude mcp remove --scope local throughline"), "{}", said.stderr);
    assert_eq!(fs::read_to_string(&path).unwrap(), state.to_string());
}
