//! An MCP client from a registry that shares no line with our server.

use std::path::Path;

use serde_json::{Value, json};
use throughline_testkit::{Transcript, mcp_library};

use crate::scene::{BINARY, Scene};

const DRIVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/mcp/independent.cjs");

#[test]
fn the_official_typescript_client_finds_everything_and_records() {
    let Some(library) = mcp_library::find() else { return };
    let scene = Scene::with_git();
    Transcript::new(&scene.home, "s1").user("Why does the importer drop umlauts?");
    let args = [DRIVER, library.to_str().unwrap(), BINARY];
    let output = scene.home.run(Path::new("node"), &args, "");
    output.assert_success();
    let seen: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(seen["server"], "throughline");
    assert_eq!(seen["capabilities"], json!(["prompts", "resources", "tools"]));
    assert_eq!(seen["tools"].as_array().unwrap().len(), 12, "{seen}");
    assert_eq!(seen["recorded"]["structuredContent"], json!({ "id": "D1", "isNew": true }));
    assert_eq!(seen["refused"]["isError"], true);
    assert!(
        seen["found"].as_str().unwrap().contains("    tabs, not spaces (because they are shorter)"),
        "{seen}"
    );
    assert!(seen["opened"].as_str().unwrap().contains("because: they are shorter"), "{seen}");
    assert!(seen["said"].as_str().unwrap().contains("Why does the importer drop umlauts?"), "{seen}");
    assert_eq!(seen["resources"], json!(["throughline://state", "throughline://notes"]));
    assert_eq!((&seen["state"], &seen["prompt"]), (&json!(1), &json!("user")));
    assert_eq!(seen["prompts"], json!(["compaction", "handover"]));
    assert_eq!(seen["together"], json!([false, false, false, false, false]));
    assert_eq!(scene.state()["openQuestions"].as_array().unwrap().len(), 5);
}
