//! Backups of transcripts: off by default, at the steps that are set, before a compaction, and back again.

use std::fs;

use serde_json::{Value, json};
use throughline_testkit::{Transcript, payload};

use crate::scene::{Scene, files_under, holding};

/// A project where the client compacts at 117,000 tokens, with this in the user's own throughline.toml.
fn scene(config: &str) -> Scene {
    let scene = Scene::with_git();
    scene.home.write(".claude/settings.json", "{\"autoCompactWindow\": 150000}\n");
    let folder = scene.home.config().join("throughline");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("throughline.toml"), config).unwrap();
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    scene
}

const ON: &str = "[backup]\ntranscripts = true\n";

fn batch(scene: &Scene) {
    let calls = [("Bash", json!({"command": "ls"}), json!({"stdout": "x"}))];
    scene.hook(&payload::post_tool_batch(&scene.home, "s1", &calls));
}

/// Tokens in the context at each part of the only backup.
fn steps(scene: &Scene) -> Vec<Option<u64>> {
    let all = scene.json(&["backups", "list", "--json"]);
    let Some(backup) = all["backups"].get(0) else { return Vec::new() };
    backup["parts"].as_array().unwrap().iter().map(|part| part["tokens"].as_u64()).collect()
}

#[test]
fn off_by_default_nothing_is_copied() {
    let scene = scene("");
    let mut transcript = Transcript::new(&scene.home, "s1");
    for tokens in [30_000, 60_000, 85_000, 100_000, 112_000] {
        transcript.user("go").assistant("yes", holding(tokens));
        batch(&scene);
    }
    scene.hook(&payload::pre_compact(&scene.home, "s1", "auto", None));
    assert!(!scene.home.data().join("backups").exists());
    assert!(scene.ok(&["backups", "list"]).contains("switches them on"));
    assert_eq!(scene.json(&["backups", "list", "--json"])["backups"], json!([]));
    assert_eq!(scene.log(), "");
}

#[test]
fn a_cloned_project_cannot_have_sessions_copied() {
    let scene = scene("");
    scene.configure_project(ON);
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    Transcript::new(&scene.home, "s1").user("go").assistant("yes", holding(60_000));
    batch(&scene);
    assert!(!scene.home.data().join("backups").exists());
    let said = scene.run(&["status"]).stderr;
    assert!(said.contains("[backup] counts in your own throughline.toml only"), "{said}");
}

#[test]
fn a_copy_is_made_at_each_step_and_before_a_compaction_after_which_the_steps_begin_again() {
    let scene = scene(ON);
    let mut transcript = Transcript::new(&scene.home, "s1");
    let mut made = Vec::new();
    for (tokens, is_step) in [
        (30_000, false),
        (49_000, false),
        (50_000, true),
        (58_000, false),
        // A leap over several steps is one copy.
        (79_000, true),
        // 30 % of the way to 117,000 remain.
        (81_950, true),
        (82_000, false),
        (91_000, true),
        // What was undone does not come again.
        (60_000, false),
        (100_000, true),
    ] {
        transcript.user("go").assistant("yes", holding(tokens));
        batch(&scene);
        if is_step {
            made.push(Some(tokens));
        }
        assert_eq!(steps(&scene), made, "{tokens}");
        batch(&scene);
        assert_eq!(steps(&scene), made, "{tokens}, told twice");
    }
    transcript.user("one more");
    scene.hook(&payload::pre_compact(&scene.home, "s1", "auto", None));
    made.push(None);
    assert_eq!(steps(&scene), made, "before the compaction");
    transcript.user("typed meanwhile");
    batch(&scene);
    assert_eq!(steps(&scene), made, "the last response is from before the compaction");
    transcript.compaction("auto", "what was done");
    scene.hook(&payload::session_start(&scene.home, "s1", "compact"));
    scene.hook(&payload::post_compact(&scene.home, "s1", "auto", "what was done"));
    transcript.at(jiff::Timestamp::now()).assistant("small again", holding(30_000));
    batch(&scene);
    assert_eq!(steps(&scene), made);
    transcript.assistant("more again", holding(51_000));
    batch(&scene);
    made.push(Some(51_000));
    assert_eq!(steps(&scene), made);
    assert_eq!(scene.log(), "");

    let said = scene.ok(&["backups", "restore", "s1", "--to", "back.jsonl"]);
    assert!(said.contains("nothing in them is masked"), "{said}");
    assert_eq!(scene.home.read("back.jsonl"), fs::read_to_string(transcript.path()).unwrap());
}

#[test]
fn a_threshold_at_the_same_turn_speaks_all_the_same() {
    let scene = scene(ON);
    Transcript::new(&scene.home, "s1").user("go").assistant("much", holding(90_000));
    let calls = [("Bash", json!({"command": "ls"}), json!({"stdout": "x"}))];
    let said = scene.hook(&payload::post_tool_batch(&scene.home, "s1", &calls));
    assert!(said.contains("76 % of the way"), "{said}");
    assert_eq!(steps(&scene), [Some(90_000)]);
    batch(&scene);
    assert_eq!(steps(&scene), [Some(90_000)], "the step was noted beside the threshold");
}

#[test]
fn a_long_transcript_is_copied_over_several_turns() {
    let scene = scene(ON);
    let mut transcript = Transcript::new(&scene.home, "s1");
    for _ in 0..9 {
        transcript.user(&"x".repeat(2 << 20));
    }
    transcript.assistant("yes", holding(50_500));
    let bytes = || fs::metadata(scene.home.transcript_path("s1")).unwrap().len();
    let copied =
        |scene: &Scene| scene.json(&["backups", "list", "--json"])["backups"][0]["bytes"].as_u64().unwrap();
    batch(&scene);
    assert_eq!(copied(&scene), 8 << 20);
    batch(&scene);
    batch(&scene);
    assert_eq!((copied(&scene), steps(&scene).len()), (bytes(), 3));
    batch(&scene);
    assert_eq!(steps(&scene).len(), 3, "then the next step counts");
}

#[test]
fn switched_on_or_off_counts_from_the_next_start() {
    let scene = scene("");
    let mut transcript = Transcript::new(&scene.home, "s1");
    transcript.user("go").assistant("yes", holding(60_000));
    let config = scene.home.config().join("throughline/throughline.toml");
    fs::write(&config, ON).unwrap();
    scene.hook(&payload::session_start(&scene.home, "s1", "resume"));
    batch(&scene);
    assert_eq!(steps(&scene), [Some(60_000)]);
    fs::write(&config, "").unwrap();
    transcript.user("go").assistant("yes", holding(95_000));
    batch(&scene);
    scene.hook(&payload::pre_compact(&scene.home, "s1", "auto", None));
    assert_eq!(steps(&scene), [Some(60_000)], "off is off, also in mid-session");
}

#[test]
fn backups_are_listed_given_back_and_removed() {
    let scene = scene(ON);
    for session in ["aaa-1", "aab-2"] {
        scene.hook(&payload::session_start(&scene.home, session, "startup"));
        Transcript::new(&scene.home, session).user(session).assistant("yes", holding(60_000));
        let calls = [("Bash", json!({"command": "ls"}), json!({"stdout": "x"}))];
        scene.hook(&payload::post_tool_batch(&scene.home, session, &calls));
    }
    let output = scene.run(&["backups", "list"]);
    assert!(
        output.stdout.contains("aaa-1  2") && output.stdout.contains("at 60,000 tokens"),
        "{}",
        output.stdout
    );
    assert!(output.stdout.contains("aaa-1.jsonl") && output.stderr.contains("nothing in them is masked"));
    let listed = scene.json(&["backups", "list", "--json"]);
    assert_eq!(listed["isMasked"], false);
    assert!(listed["bytes"].as_u64().unwrap() > listed["backups"][0]["packedBytes"].as_u64().unwrap());

    let transcript = fs::read_to_string(scene.home.transcript_path("aaa-1")).unwrap();
    assert_eq!(scene.ok(&["backups", "restore", "aaa", "--to", "-"]), transcript);
    scene.ok(&["backups", "restore", "aaa-1"]);
    assert_eq!(scene.home.read("aaa-1.jsonl"), transcript);
    let said = scene.fails(1, &["backups", "restore", "aaa-1"]);
    assert!(said.contains("aaa-1.jsonl exists already") && said.contains("--to"), "{said}");
    assert!(scene.fails(1, &["backups", "restore", "aa"]).contains("2 sessions begin with `aa`"));
    assert!(scene.fails(1, &["backups", "restore", "zz"]).contains("there is no backup"));
    assert!(
        scene.fails(1, &["backups", "restore", "aaa-1", "--generation", "2"]).contains("no such generation")
    );

    let path =
        listed["backups"].as_array().unwrap().iter().find(|it| it["session"] == "aaa-1").unwrap()["path"]
            .clone();
    let mut bytes = fs::read(path.as_str().unwrap()).unwrap();
    let at = bytes.len() - 10;
    bytes[at] ^= 1;
    fs::write(path.as_str().unwrap(), bytes).unwrap();
    let said = scene.fails(1, &["backups", "restore", "aaa-1", "--to", "damaged.jsonl"]);
    assert!(said.contains("part 1 of") && !scene.home.project().join("damaged.jsonl").exists(), "{said}");

    let checked: Value = serde_json::from_str(&scene.run(&["doctor", "--json"]).stdout).unwrap();
    let check = checked["checks"].as_array().unwrap().iter().find(|it| it["name"] == "backups").unwrap();
    assert!(check["what"].as_str().unwrap().starts_with("transcripts are copied; 2 sessions, "), "{check}");
    assert!(check["what"].as_str().unwrap().contains("nothing in them is masked"), "{check}");

    assert!(scene.ok(&["backups", "rm", "aaa-1"]).contains("aaa-1 removed"));
    assert_eq!(scene.json(&["backups", "list", "--json"])["backups"].as_array().map(Vec::len), Some(1));
    assert!(scene.fails(1, &["backups", "rm", "aaa-1"]).contains("there is no backup"));
    let left = files_under(&scene.home.data().join("backups"));
    assert!(left.iter().all(|file| !file.to_string_lossy().contains("aaa-1.json")), "{left:?}");
}

#[test]
fn a_limit_that_is_too_small_is_logged_and_the_agent_goes_on() {
    let scene = scene("[backup]\ntranscripts = true\nmax_bytes = 100\n");
    Transcript::new(&scene.home, "s1").user("go").assistant("yes", holding(60_000));
    batch(&scene);
    assert!(
        scene.log().contains("backup: the backup of this session would take more than the 100 bytes"),
        "{}",
        scene.log()
    );
    assert_eq!(steps(&scene), []);
    let logged = scene.log();
    batch(&scene);
    assert_eq!(scene.log(), logged, "once for each step, not at every turn");
}
