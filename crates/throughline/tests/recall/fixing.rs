//! Fixing: an error of the past with what ended it, and a file's story.

use crate::scene::{BINARY, Scene};

#[test]
fn an_error_is_found_with_what_was_done_until_the_same_command_succeeded() {
    let scene = Scene::told();
    let found = scene.json(&[
        "recall",
        "fix",
        "--json",
        "error[E0308]: mismatched types --> /elsewhere/csv_reader.rs:7:1",
    ]);
    let case = &found["cases"][0];
    assert_eq!(case["command"], "cargo test -p import");
    assert_eq!(case["solved"]["changed"][0], "/home/me/app/src/import/csv_reader.rs");
    let said: Vec<&str> =
        case["solved"]["said"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    assert_eq!(
        said,
        ["The decoder now takes bytes, so the types agree.", "All importer tests pass; the umlauts survive."]
    );
    let told = scene.ok(&["recall", "fix", "E0308 mismatched types"]);
    assert!(
        told.contains("solved") && told.contains("changed: /home/me/app/src/import/csv_reader.rs"),
        "{told}"
    );
}

/// Below every failed build stands the same line; which error it was, another one says.
#[test]
fn of_a_paste_the_line_that_tells_most_decides() {
    let mut scene = Scene::new();
    let said = [
        "./transcript_test.go:942:15: undefined: json",
        "./session.go:3:2: missing return",
        "./hooks.go:8:1: syntax error: unexpected name",
        "./transcript_test.go:7:2: \"encoding/json\" imported and not used",
    ];
    for (number, error) in said.into_iter().enumerate() {
        let session = format!("s{number}");
        let command = serde_json::json!({"command": format!("go test ./part{number}")});
        let printed =
            format!("Exit code 1\n# example.com/cli\n{error}\nFAIL\texample.com/cli/cmd/cli [build failed]");
        scene.tool(&session, "Bash", &command, &printed, true);
        scene.tool(&session, "Bash", &command, "ok", false);
    }
    let paste = "# example.com/other\n./transcript_test.go:42:15: undefined: json\n\
                 FAIL\texample.com/cli/cmd/cli [build failed]\n";
    let found = scene.home.run(BINARY.as_ref(), &["recall", "fix", "-", "--json"], paste);
    let found: serde_json::Value = serde_json::from_str(&found.stdout).unwrap();
    let first = found["cases"][0]["text"].as_str().unwrap();
    assert!(first.contains("undefined: json"), "{found:#}");
    let typed = scene.json(&["recall", "fix", "--json", paste]);
    assert_eq!(typed["cases"][0]["text"], first, "{typed:#}");
}

#[test]
fn an_error_that_nobody_met_is_said_to_be_new() {
    let scene = Scene::told();
    assert!(
        scene.run(&["recall", "fix", "segmentation fault in libfoo"]).stderr.contains("no failed command")
    );
    assert_eq!(scene.run(&["recall", "fix", "12 34"]).status.code(), Some(1));
}

#[test]
fn an_error_that_was_never_made_good_is_told_as_such() {
    let mut scene = Scene::new();
    scene.tool(
        "s1",
        "Bash",
        &serde_json::json!({"command": "make all"}),
        "Exit code 2\nld: undefined reference to `frobnicate`",
        true,
    );
    let found = scene.json(&["recall", "fix", "--json", "undefined reference to `frobnicate`"]);
    assert!(found["cases"][0]["solved"].is_null(), "{found}");
}

#[test]
fn a_file_has_its_story() {
    let scene = Scene::told();
    let story = scene.json(&["recall", "file", "src/import/csv_reader.rs", "--json"]);
    let chapter = &story["sessions"][0];
    assert_eq!(chapter["edits"].as_array().unwrap().len(), 1, "{story}");
    assert_eq!(chapter["asked"], "Use tabs in Makefiles, never spaces.");
    assert!(chapter["commit"].as_str().unwrap().contains("rows with umlauts survive"), "{story}");
    assert_eq!(chapter["errors"].as_array().unwrap().len(), 1);
    assert!(scene.run(&["recall", "file", "src/other.rs"]).stderr.contains("no session touched"));
}
