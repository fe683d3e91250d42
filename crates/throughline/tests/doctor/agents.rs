//! Other agents that are set up: whether their clients run our hooks, what is missing, what they cannot do.

use std::fs;

use crate::scene::{Report, Scene, binary};

/// What `doctor` says of one agent, a line each: state and words.
fn lines(report: &Report, agent: &str) -> Vec<(String, String)> {
    let checks = report.value["checks"].as_array().expect("checks").iter();
    let of_agent = checks.filter(|check| check["name"] == agent);
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    of_agent
        .map(|check| (text(&check["state"]), format!("{} {}", text(&check["what"]), text(&check["remedy"]))))
        .collect()
}

#[track_caller]
fn assert_line(report: &Report, agent: &str, state: &str, words: &str) {
    let lines = lines(report, agent);
    assert!(
        lines.iter().any(|(is, what)| is == state && what.contains(words)),
        "{state} {words}: {lines:#?}"
    );
}

/// A Codex that answers our question so.
fn codex(scene: &Scene, trust: &str) {
    let hooks = scene.home.project().join(".codex/hooks.json");
    let binary = binary();
    let hook = |event: &str| {
        format!(
            r#"{{"eventName":"{event}","command":"'{binary}' hook --agent codex","sourcePath":"{}","enabled":true,"trustStatus":"{trust}"}}"#,
            hooks.display()
        )
    };
    let answer = format!(
        r#"{{"id":2,"result":{{"data":[{{"hooks":[{},{}],"warnings":[],"errors":[]}}]}}}}"#,
        hook("sessionStart"),
        hook("stop")
    );
    let answers = scene.home.root().join("answer.json");
    fs::write(&answers, format!("{{\"method\":\"warning\"}}\n{answer}\n")).expect("an answer");
    scene.program(
        "codex",
        &format!("[ \"$1\" = app-server ] || exit 1\ncat '{}'\ncat > /dev/null", answers.display()),
    );
}

#[test]
fn an_agent_that_is_here_and_not_set_up_is_offered() {
    let scene = Scene::at_work();
    assert!(lines(&scene.doctor(), "codex").is_empty());
    codex(&scene, "trusted");
    assert_line(&scene.doctor(), "codex", "skip", "throughline init --agent codex");
}

#[test]
fn codex_is_asked_which_hooks_it_runs() {
    let scene = Scene::at_work();
    codex(&scene, "trusted");
    scene.ok(&["init", "--agent", "codex", "--mcp"]);
    let report = scene.doctor();
    assert_line(&report, "codex", "ok", "9 hooks registered in");
    assert_line(&report, "codex", "ok", "all 2 hooks are approved");
    assert_line(&report, "codex", "ok", "MCP server registered in");
    assert_line(&report, "codex", "skip", "none of its sessions was seen here yet");
    assert_line(&report, "codex", "skip", "no text before a compaction");
    assert_eq!(report.code, Some(0));
    codex(&scene, "untrusted");
    let report = scene.doctor();
    assert_line(
        &report,
        "codex",
        "fail",
        "not approved, so it skips them without a word: sessionStart, stop",
    );
    assert_line(&report, "codex", "fail", "/hooks");
    assert_eq!(report.code, Some(1));
}

#[test]
fn a_codex_that_does_not_answer_holds_nobody() {
    let scene = Scene::at_work();
    scene.ok(&["init", "--agent", "codex"]);
    assert_line(&scene.doctor(), "codex", "warn", "`codex` is not on the path");
    for (script, words) in [
        ("exit 3", "ended without an answer"),
        ("echo '{\"id\":2,\"error\":{\"message\":\"unknown method\"}}'; cat > /dev/null", "unknown method"),
        ("yes nonsense | head -c 300000; cat > /dev/null", "answer"),
        ("sleep 60", "no answer within"),
    ] {
        scene.program("codex", script);
        let report = scene.doctor();
        assert_line(&report, "codex", "warn", words);
        assert!(report.took.as_secs() < 30, "{script}: {:?}", report.took);
    }
}

#[test]
fn a_folder_that_gemini_does_not_trust_is_named() {
    let mut scene = Scene::at_work();
    scene.ok(&["init", "--agent", "gemini"]);
    assert_line(&scene.doctor(), "gemini", "warn", "does not trust this folder yet");
    let folder = scene.home.user().join(".gemini");
    fs::create_dir_all(&folder).unwrap();
    let rules = |level: &str| {
        let root = fs::canonicalize(scene.home.root()).unwrap();
        fs::write(
            folder.join("trustedFolders.json"),
            format!("// mine\n{{\"{}\": \"{level}\"}}", root.display()),
        )
        .unwrap();
    };
    rules("TRUST_FOLDER");
    assert_line(&scene.doctor(), "gemini", "ok", "it trusts this folder");
    rules("DO_NOT_TRUST");
    assert_line(&scene.doctor(), "gemini", "fail", "does not trust this folder");
    scene.home.set_env("GEMINI_CLI_TRUST_WORKSPACE", "true");
    assert_line(&scene.doctor(), "gemini", "ok", "the environment says so");
    fs::write(folder.join("settings.json"), "{\"hooksConfig\": {\"enabled\": false}}").unwrap();
    assert_line(&scene.doctor(), "gemini", "fail", "hooksConfig.enabled");
}

#[test]
fn hooks_of_another_version_and_programs_that_are_gone_are_told() {
    let scene = Scene::at_work();
    scene.ok(&["init", "--agent", "gemini,opencode"]);
    let path = ".gemini/settings.json";
    let text = scene.home.read(path);
    scene.home.write(path, &text.replace("10000", "60000"));
    assert_line(&scene.doctor(), "gemini", "warn", "of another version");
    scene.home.write(path, &text.replace(&binary(), "/nowhere/throughline"));
    assert_line(&scene.doctor(), "gemini", "fail", "/nowhere/throughline, which does not exist");
    scene.home.write(path, &text[..text.len() / 2]);
    let report = scene.doctor();
    assert_line(&report, "gemini", "fail", "the client ignores the file");
    assert_line(&report, "opencode", "ok", "registered in");
    scene.ok(&["init", "--agent", "opencode", "--user"]);
    assert_line(&scene.doctor(), "opencode", "warn", "for this project and for all projects");
}

#[test]
fn whoever_works_with_another_agent_alone_lacks_nothing() {
    let mut scene = Scene::new();
    fs::remove_file(scene.home.root().join("bin/claude")).unwrap();
    scene.narrow_path(&["git", "sh", "cat"]);
    codex(&scene, "trusted");
    scene.ok(&["init", "--agent", "codex"]);
    scene.ok(&["add", "decision", "keep the old parser", "--rationale", "it is measured"]);
    let report = scene.doctor();
    assert_eq!(report.code, Some(0), "{:#}", report.value);
    assert_eq!(report.value["failures"], 0);
}
