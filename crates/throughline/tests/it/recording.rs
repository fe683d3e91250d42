//! The verbs that record: what they say, what they write, what they refuse.

use std::os::unix::fs::PermissionsExt;

use expect_test::expect;

use crate::scene::{STATE, Scene};

#[test]
fn each_kind_is_recorded_with_all_its_fields() {
    let scene = Scene::new();
    let say = |args: &[&str]| scene.ok(args);
    assert_eq!(
        say(&["add", "decision", "use SQLite", "--rationale", "one file", "--irreversible"]),
        "D1 recorded\n"
    );
    assert_eq!(say(&["add", "decision", "no ORM"]), "D2 recorded\n");
    let constraint =
        ["add", "constraint", "no network", "--source", "user", "--blocking", "--type", "technical"];
    assert_eq!(say(&constraint), "C1 recorded\n");
    let question = ["add", "question", "which port?", "--context", "two servers", "--priority", "high"];
    assert_eq!(say(&question), "Q1 recorded\n");
    let evidence = [
        "add",
        "evidence",
        "E404 not found",
        "--type",
        "error",
        "--source",
        "npm test",
        "--context",
        "first run",
    ];
    assert_eq!(say(&evidence), "E1 recorded\n");
    assert_eq!(say(&["add", "highlight", "the cache is warm"]), "H1 recorded\n");
    assert_eq!(say(&["add", "action", "write the docs"]), "P1 recorded\n");

    let state = scene.state();
    assert_eq!(state["version"], "2.0.0");
    let decision = &state["decisions"][0];
    assert_eq!(decision["decision"], "use SQLite");
    assert_eq!(decision["rationale"], "one file");
    assert_eq!(decision["reversible"], false);
    assert_eq!(state["decisions"][1]["reversible"], true);
    let constraint = &state["constraints"][0];
    assert_eq!(constraint["constraint"], "no network");
    assert_eq!(constraint["source"], "user");
    assert_eq!(constraint["blocking"], true);
    assert_eq!(constraint["type"], "technical");
    let question = &state["openQuestions"][0];
    assert_eq!(question["question"], "which port?");
    assert_eq!(question["context"], "two servers");
    assert_eq!(question["priority"], "high");
    let evidence = &state["evidenceLedger"][0];
    assert_eq!(evidence["type"], "error");
    assert_eq!(evidence["content"], "E404 not found");
    assert_eq!(evidence["source"], "npm test");
    assert_eq!(evidence["context"], "first run");
    assert_eq!(state["summaries"]["contextHighlights"][0], "the cache is warm");
    assert_eq!(state["summaries"]["pendingActions"][0], "write the docs");
}

#[test]
fn the_same_words_twice_are_one_entry() {
    let scene = Scene::new();
    scene.ok(&["add", "constraint", "no network"]);
    assert_eq!(scene.ok(&["add", "constraint", "no network"]), "C1 was recorded already\n");
    assert_eq!(scene.state()["constraints"].as_array().unwrap().len(), 1);
}

#[test]
fn words_that_are_no_entry_are_refused_with_a_way_out() {
    let scene = Scene::new();
    expect![[r#"
        error: the decision is empty
    "#]]
    .assert_eq(&scene.fails(1, &["add", "decision", "  \n "]));
    let long = "x".repeat(50_000);
    let said = scene.fails(1, &["add", "decision", &long]);
    assert!(said.contains("50000 characters") && said.contains("hint:"), "{said}");
    assert!(scene.fails(2, &["add", "question", "why?", "--priority", "urgent"]).contains("possible values"));
    assert!(scene.fails(2, &["add", "evidence", "x", "--type", "rumour"]).contains("possible values"));
    assert!(scene.fails(2, &["add", "decision"]).contains("<TEXT>"));
    assert!(!scene.state_path().exists(), "nothing was written");
}

#[test]
fn words_may_begin_with_a_dash() {
    let scene = Scene::new();
    scene.ok(&["add", "evidence", "--- FAIL: TestArchive (0.00s)", "--type", "error", "--source", "-run x"]);
    scene.ok(&["add", "decision", "-O2 it is", "--rationale", "--release is slow", "--irreversible"]);
    scene.ok(&["add", "question", "--", "-x or -y?"]);
    scene.ok(&["resolve", "Q1", "-y"]);
    scene.ok(&["edit", "D1", "-O3 it is"]);
    let state = scene.state();
    assert_eq!(state["evidenceLedger"][0]["content"], "--- FAIL: TestArchive (0.00s)");
    assert_eq!(state["evidenceLedger"][0]["type"], "error");
    assert_eq!(state["decisions"][0]["decision"], "-O3 it is");
    assert_eq!(state["decisions"][0]["rationale"], "--release is slow");
    assert_eq!(state["decisions"][0]["reversible"], false);
    assert_eq!(
        scene.ok(&["supersede", "D1", "--Os it is", "--rationale", "-small"]),
        "D2 recorded, supersedes D1\n"
    );
    assert!(scene.ok(&["add", "decision", "--help"]).contains("Usage:"), "help is still help");
}

#[test]
fn evidence_is_cut_at_500_and_says_so() {
    let scene = Scene::new();
    let output = scene.run(&["add", "evidence", &"e".repeat(600)]);
    output.assert_success();
    assert_eq!(output.stdout, "E1 recorded\n");
    assert_eq!(output.stderr, "the first 500 of 600 characters were kept\n");
    assert_eq!(scene.state()["evidenceLedger"][0]["content"].as_str().unwrap().len(), 500);
}

#[test]
fn control_characters_do_not_reach_the_file_or_the_terminal() {
    let scene = Scene::new();
    scene.ok(&["add", "decision", "red \u{1b}[31malert\u{1b}[0m\u{7} end", "--rationale", "a\u{202e}b"]);
    let text = scene.home.read(STATE);
    assert!(!text.contains("\\u001b") && !text.contains("\\u0007"), "{text}");
    assert!(!scene.ok(&["list"]).contains('\u{1b}'));
    assert!(scene.ok(&["list"]).contains("alert"));
}

#[test]
fn secrets_are_masked_before_anything_is_stored() {
    let scene = Scene::new();
    let key = format!("sk-ant-{}", "a1b2c3d4e5".repeat(4));
    scene.ok(&["add", "decision", &format!("use {key}"), "--rationale", "password=hunter2hunter2"]);
    scene.ok(&["add", "evidence", &format!("curl -H 'x-api-key: {key}'"), "--source", &key]);
    scene.ok(&["set", "work", "--title", &key]);
    scene.ok(&["edit", "D1", "--reason", &key]);
    scene.ok(&["list", "--all"]);
    for file in crate::scene::files_under(scene.home.root()) {
        let bytes = std::fs::read(&file).unwrap();
        for secret in [key.as_bytes(), b"hunter2hunter2"] {
            assert!(!bytes.windows(secret.len()).any(|window| window == secret), "{}", file.display());
        }
    }
}

/// Nothing in the sentence says secret: only the file of settings does.
#[test]
fn what_a_project_keeps_in_its_env_file_is_masked_wherever_it_is_said() {
    let scene = Scene::new();
    let secret = ["Kestrel-Quarry", "-4471x"].concat();
    scene.home.write(".env.local", &format!("LOG=info\nSMTP_PASSWORD={secret}\n"));
    scene.ok(&["add", "decision", &format!("it printed {secret} twice")]);
    let state = scene.home.read(STATE);
    assert!(state.contains("it printed [masked:") && !state.contains("Quarry"), "{state}");
    assert!(!scene.ok(&["list"]).contains("Quarry"));
}

#[test]
fn files_are_for_the_owner_alone() {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    scene.ok(&["list", "--all"]);
    let files = crate::scene::files_under(&scene.home.data());
    assert!(files.len() >= 2, "{files:?}");
    for file in files.into_iter().chain([scene.state_path()]) {
        let mode = file.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode & 0o077, 0, "{} is {mode:o}", file.display());
        let folder = file.parent().unwrap();
        if folder.starts_with(scene.home.data().join("projects")) {
            assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o077, 0, "{}", folder.display());
        }
    }
    assert_eq!(scene.home.git(&["status", "--porcelain"]), "", "git does not see our files");
}

#[test]
fn the_work_item_is_set_piece_by_piece() {
    let scene = Scene::new();
    let all = [
        "set",
        "work",
        "--id",
        "SD-1",
        "--title",
        "Archive",
        "--phase",
        "EXEC",
        "--progress",
        "0.75",
        "--item",
        "tests",
        "--blocking",
        "review",
        "--next",
        "ship",
    ];
    assert_eq!(scene.ok(&all), "SD-1 set\n");
    let sd = &scene.state()["sd"];
    assert_eq!(sd["id"], "SD-1");
    assert_eq!(sd["title"], "Archive");
    assert_eq!(sd["phase"], "EXEC");
    assert_eq!(sd["progress"], 0.75);
    scene.ok(&["set", "work", "--phase", "VERIFY", "--next", ""]);
    let state = scene.state();
    assert_eq!(state["sd"]["title"], "Archive", "what is not given stays");
    assert_eq!(state["sd"]["phase"], "VERIFY");
    assert_eq!(state["workflow"]["currentPhase"], "VERIFY");
    assert!(state["sd"].get("next").is_none_or(serde_json::Value::is_null), "an empty text clears");
    assert!(scene.fails(1, &["set", "work"]).contains("hint: give --id"));
    assert!(scene.fails(2, &["set", "work", "--progress", "75"]).contains("from 0 to 1"));
    assert!(scene.fails(2, &["set", "work", "--progress", "NaN"]).contains("from 0 to 1"));
}

#[test]
fn save_notes_the_working_tree_and_the_reason() {
    let scene = Scene::with_git();
    scene.home.write("new.txt", "x");
    let said =
        scene.ok(&["save", "--trigger", "checkpoint", "--highlight", "a point", "--action", "a thing"]);
    assert!(said.starts_with("saved (checkpoint): 2 entries, about "), "{said}");
    let state = scene.state();
    assert_eq!(state["trigger"], "checkpoint");
    assert_eq!(state["git"]["branch"], "main");
    assert!(state["git"]["status"].as_str().unwrap().contains("?? new.txt"), "{}", state["git"]);
    assert_eq!(state["git"]["recentCommits"].as_array().unwrap().len(), 1);
    for trigger in ["manual", "threshold", "precompact"] {
        scene.ok(&["save", "--trigger", trigger]);
        assert_eq!(scene.state()["trigger"], trigger);
    }
    assert!(scene.fails(2, &["save", "--trigger", "whim"]).contains("possible values"));
}

#[test]
fn save_succeeds_without_git_and_says_so() {
    let mut scene = Scene::new();
    let output = scene.run(&["save"]);
    output.assert_success();
    assert!(output.stderr.contains("git:"), "{}", output.stderr);
    assert!(!scene.state()["git"]["error"].as_str().unwrap().is_empty());
    // No git at all.
    let empty = scene.home.root().join("no-programs");
    std::fs::create_dir(&empty).unwrap();
    scene.home.set_env("PATH", &empty);
    scene.ok(&["save"]);
    assert!(!scene.state()["git"]["error"].as_str().unwrap().is_empty());
    assert_eq!(scene.ok(&["add", "decision", "still works"]), "D1 recorded\n");
}

#[test]
fn an_agent_that_runs_the_verbs_is_told_apart_from_a_person() {
    let mut scene = Scene::new();
    scene.ok(&["add", "decision", "by a person"]);
    scene.home.set_env("CLAUDECODE", "1");
    scene.home.set_env("CLAUDE_CODE_SESSION_ID", "s-1");
    scene.ok(&["add", "decision", "by the agent"]);
    assert_eq!(scene.archived_entry("D1").origin, "user");
    assert_eq!(scene.archived_entry("D1").session, None);
    assert_eq!(scene.archived_entry("D2").origin, "assistant");
    assert_eq!(scene.archived_entry("D2").session.as_deref(), Some("s-1"));
}

#[test]
fn an_option_that_does_not_exist_is_not_taken_for_words() {
    let scene = Scene::new();
    for args in [["add", "decision", "--json"], ["add", "action", "--help-me"], ["resolve", "Q1", "--foo"]] {
        let said = scene.fails(2, &args);
        assert!(said.contains("there is no such option"), "{said}");
    }
    assert_eq!(scene.ok(&["add", "decision", "--json is the default from now on"]), "D1 recorded\n");
}

#[test]
fn a_constraint_names_whoever_recorded_it() {
    let mut scene = Scene::new();
    scene.ok(&["add", "constraint", "by a person"]);
    scene.home.set_env("CLAUDECODE", "1");
    scene.ok(&["add", "constraint", "by the agent"]);
    let sources: Vec<_> = scene
        .json(&["list", "constraints", "--json"])
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["source"].clone())
        .collect();
    assert_eq!(sources, ["user", "agent"]);
}

#[test]
fn a_blocking_constraint_that_finds_no_room_is_no_quiet_loss() {
    let scene = Scene::new();
    for count in 1..=10 {
        scene.ok(&["add", "constraint", &format!("rule {count}"), "--blocking"]);
    }
    let output = scene.run(&["add", "constraint", "one too many", "--blocking"]);
    output.assert_success();
    assert!(output.stderr.contains("C1 must not be forgotten"), "{}", output.stderr);
}

#[test]
fn a_slip_in_the_users_configuration_names_the_users_file() {
    let scene = Scene::new();
    let folder = scene.home.config().join("throughline");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("throughline.toml"), "[briefing]\ntokns = 5\n").unwrap();
    let output = scene.run(&["age"]);
    output.assert_success();
    assert!(
        output.stderr.contains(&folder.join("throughline.toml").display().to_string()),
        "{}",
        output.stderr
    );
    assert!(output.stderr.contains("briefing.tokns"), "{}", output.stderr);
}
