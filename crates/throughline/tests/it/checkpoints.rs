//! Checkpoints: made by hand and by themselves, compared, given back, bounded; the user's files stay the user's.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use expect_test::expect;
use serde_json::{Value, json};
use throughline_testkit::{Transcript, Usage, payload};

use crate::scene::Scene;

fn create(scene: &Scene, args: &[&str]) -> Value {
    scene.json(&[&["checkpoint", "create", "--json"][..], args].concat())
}

fn list(scene: &Scene) -> Vec<Value> {
    scene.json(&["checkpoint", "list", "--json"]).as_array().cloned().unwrap()
}

fn kinds(scene: &Scene) -> Vec<String> {
    list(scene).iter().rev().map(|it| it["type"].as_str().unwrap().to_owned()).collect()
}

fn id(checkpoint: &Value) -> &str {
    checkpoint["id"].as_str().expect("an id")
}

fn references(scene: &Scene) -> String {
    scene.home.git(&["for-each-ref", "--format=%(refname)", "refs/throughline"])
}

/// Names, times and hashes differ from run to run; the form does not.
fn plain(text: &str, checkpoint: &Value) -> String {
    let head = checkpoint["git"]["head"].as_str().unwrap_or("none");
    let text = text.replace(id(checkpoint), "<id>").replace(&head[..7.min(head.len())], "<commit>");
    let mut words: Vec<String> = Vec::new();
    for line in text.lines() {
        words.push(match line.split_once(" ago") {
            Some((before, after)) => {
                let kept =
                    before.rfind("made ").map_or(before.rfind('(').map_or(0, |at| at + 1), |at| at + 5);
                format!("{}<age> ago{after}", &before[..kept])
            }
            None => line.to_owned(),
        });
    }
    words.join("\n") + "\n"
}

#[test]
fn a_checkpoint_holds_the_moment_and_is_shown_in_a_known_form() {
    let scene = Scene::with_git();
    scene.ok(&["set", "work", "--title", "Importer"]);
    scene.ok(&["anchor", "add", "No new dependencies", "--priority", "critical"]);
    scene.ok(&["anchor", "add", "a detail"]);
    scene.home.write("CLAUDE.md", "changed\n");
    scene.home.write("src/new.rs", "fn new() {}\n");
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    let mut transcript = Transcript::new(&scene.home, "s1");
    transcript.user("Skip empty rows.");
    transcript.tool(
        "TaskCreate",
        &json!({"subject": "Skip empty rows", "description": "x"}),
        "Task #1 created successfully: Skip empty rows",
        Usage::filling(30_000),
    );
    let made = create(&scene, &["--note", "before the rename", "--task", "rename: a/b -- ../c"]);
    let listed = scene.ok(&["checkpoint", "list"]);
    let shown = scene.ok(&["checkpoint", "show", "latest"]);
    expect![[r#"
        <id> manual before the rename (<age> ago, <commit> on main, 2 files)
    "#]]
    .assert_eq(&plain(&listed, &made));
    expect![[r#"
        <id> manual, made <age> ago
        note: before the rename
        task: rename: a/b -- ../c
        commit: <commit> on main
        uncommitted files:
          M CLAUDE.md
          A src/new.rs
        tasks:
          Skip empty rows (pending)
        anchors:
          A1: No new dependencies
        context: 29980 tokens after 1 response, 14 % of the way to the compaction
        `throughline checkpoint restore <id>` prints its briefing
    "#]]
    .assert_eq(&plain(&shown, &made));
    let file = scene.home.project().join(format!(".claude/checkpoints/{}.json", id(&made)));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let keys: Vec<String> = serde_json::from_slice::<Value>(&fs::read(&file).unwrap())
        .unwrap()
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    expect!["version id createdAt type session task notes kept work git tasks anchors metrics changedSince briefing content"]
        .assert_eq(&keys.join(" "));
    assert_eq!(made["git"]["files"][0]["hash"], scene.home.git(&["hash-object", "CLAUDE.md"]).trim());
    assert_eq!(
        scene.home.git(&["status", "--porcelain"]),
        " M CLAUDE.md\n?? src/\n",
        "git sees none of ours"
    );
    let restored = scene.ok(&["checkpoint", "restore", id(&made)]);
    assert!(restored.starts_with("[throughline:notice]\nCheckpoint "), "{restored}");
    assert!(
        restored.contains("Skip empty rows.") && restored.contains("A1: No new dependencies"),
        "{restored}"
    );
}

#[test]
fn nothing_new_makes_no_second_one_and_every_change_makes_one() {
    let scene = Scene::with_git();
    let first = create(&scene, &[]);
    assert_eq!((&first["isNew"], first["git"]["files"].as_array().map(Vec::len)), (&json!(true), Some(0)));
    let again = create(&scene, &[]);
    assert_eq!((&again["isNew"], id(&again)), (&json!(false), id(&first)));
    assert!(scene.ok(&["checkpoint", "create"]).contains("nothing changed since"));
    scene.home.write("a.txt", "1");
    assert_eq!(create(&scene, &[])["isNew"], true);
    scene.home.write("a.txt", "2");
    assert_eq!(create(&scene, &[])["isNew"], true);
    scene.ok(&["add", "decision", "use SQLite"]);
    assert_eq!(create(&scene, &[])["isNew"], true);
    assert_eq!(create(&scene, &["--note", "worth a word"])["isNew"], true);
    assert_eq!(list(&scene).len(), 5);
}

/// Others put the phase into the name, and could not load a phase with a dash.
#[test]
fn a_phase_is_any_text_and_never_a_path() {
    let scene = Scene::with_git();
    for phase in ["phase-1", "../../etc/passwd", "plan/exec -- «ünïcode» \u{1b}[31m", &"x".repeat(3_000)]
    {
        scene.ok(&["set", "work", "--phase", phase]);
        let newest = &list(&scene)[0];
        assert_eq!(newest["type"], "phase", "{phase}");
        let shown = scene.json(&["checkpoint", "show", id(newest), "--json"]);
        assert!(phase.starts_with(&shown["phase"].as_str().unwrap()[..4]), "{shown}");
        assert!(!scene.ok(&["checkpoint", "show", id(newest)]).contains('\u{1b}'));
    }
    assert_eq!(list(&scene).len(), 4);
    scene.ok(&["set", "work", "--phase", &"x".repeat(3_000)]);
    scene.ok(&["set", "work", "--progress", "0.5"]);
    assert_eq!(list(&scene).len(), 4, "the same phase is no new one");
    for name in ["../../etc/passwd", "phase-1", "", "2", "checkpoints"] {
        scene.run(&["checkpoint", "show", name]);
    }
    assert!(scene.fails(1, &["checkpoint", "show", "../x"]).contains("there is no checkpoint"));
    assert!(scene.fails(1, &["checkpoint", "show", "20"]).contains("begin or end with"));
}

#[test]
fn the_hooks_make_them_at_a_tasks_end_a_commit_and_a_compaction_and_not_twice() {
    let scene = Scene::with_git();
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    let mut transcript = Transcript::new(&scene.home, "s1");
    transcript.user("Skip empty rows.").assistant("I will.", Usage::filling(20_000));
    let stop = || scene.hook(&payload::stop(&scene.home, "s1", "done"));
    stop();
    assert_eq!(kinds(&scene), Vec::<String>::new(), "nothing happened yet");
    scene.home.write("a.txt", "1");
    scene.hook(&payload::task_completed(&scene.home, "s1", "1", "Skip empty rows"));
    scene.hook(&payload::task_completed(&scene.home, "s1", "1", "Skip empty rows"));
    assert_eq!(kinds(&scene), ["task"]);
    assert_eq!(list(&scene)[0]["task"], "Skip empty rows");
    scene.home.git(&["add", "-A"]);
    scene.home.git(&["commit", "-q", "-m", "rows"]);
    stop();
    stop();
    assert_eq!(kinds(&scene), ["task", "commit"]);
    let latest = scene.json(&["checkpoint", "show", "latest", "--json"]);
    assert_eq!(latest["git"]["head"], scene.home.git(&["rev-parse", "HEAD"]).trim());
    assert_eq!(latest["changedSince"], json!([]), "what was kept then is what was committed");
    let compact = || scene.hook(&payload::pre_compact(&scene.home, "s1", "auto", None));
    compact();
    assert_eq!(kinds(&scene), ["task", "commit"], "nothing changed");
    scene.home.write("b.txt", "1");
    compact();
    compact();
    assert_eq!(kinds(&scene), ["task", "commit", "precompact"]);
    transcript.user("Now the columns.");
    compact();
    assert_eq!(kinds(&scene).len(), 4, "the user said something new");
    assert_eq!(fs::read_to_string(scene.home.data().join("throughline.log")).unwrap_or_default(), "");
}

#[test]
fn they_stay_away_where_nobody_wants_them() {
    let scene = Scene::with_git();
    scene.home.configure("[checkpoints]\nautomatic = false\n");
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    scene.home.write("a.txt", "1");
    scene.hook(&payload::pre_compact(&scene.home, "s1", "auto", None));
    scene.hook(&payload::task_completed(&scene.home, "s1", "1", "x"));
    scene.ok(&["set", "work", "--phase", "PLAN"]);
    assert_eq!(list(&scene).len(), 0);
    scene.home.configure("[checkpoints]\nkeep_files = false\n");
    let made = create(&scene, &[]);
    assert_eq!((&made["git"]["tree"], references(&scene).as_str()), (&Value::Null, ""));
    assert!(
        made["git"]["files"][0]["hash"].is_string(),
        "the ids of contents are there all the same: {made}"
    );
    assert!(
        scene.fails(1, &["checkpoint", "restore", "latest", "--files", "--yes"]).contains("holds no files")
    );
}

#[test]
fn a_difference_is_told_between_two_and_between_one_and_now() {
    let scene = Scene::with_git();
    scene.home.write("a.txt", "1");
    let first = create(&scene, &[]);
    scene.home.git(&["add", "-A"]);
    scene.home.git(&["commit", "-q", "-m", "a"]);
    scene.home.write("b.txt", "1");
    scene.ok(&["anchor", "add", "No new dependencies", "--priority", "critical"]);
    scene.home.configure("[checkpoints]\nautomatic = false\n");
    scene.ok(&["set", "work", "--phase", "phase-2"]);
    let second = create(&scene, &[]);
    let told = scene.ok(&["checkpoint", "diff", id(&first), id(&second)]);
    let told = plain(&told, &first).replace(id(&second), "<later>");
    let told = told.replace(&second["git"]["head"].as_str().unwrap()[..7], "<new commit>");
    expect![[r#"
        <id> → <later>
        commit: <commit> → <new commit>
        phase: none → phase-2
        committed in between (1 file):
          A a.txt
        uncommitted files (+ new, ~ changed, - no longer):
          + A b.txt
          - A a.txt
        anchors:
          + A1: No new dependencies
    "#]]
    .assert_eq(&told);
    assert!(scene.ok(&["checkpoint", "diff", "latest"]).contains("→ now\nnothing changed"));
    let objects = scene.home.git(&["count-objects"]);
    scene.home.write("b.txt", "2");
    let now = scene.json(&["checkpoint", "diff", id(&second), "--json"]);
    assert_eq!(now["difference"]["files"], json!(["~ A b.txt"]));
    assert_eq!(scene.home.git(&["count-objects"]), objects, "a look writes nothing into git");
}

#[test]
fn files_come_back_only_when_asked_and_never_over_other_changes() {
    let scene = Scene::with_git();
    scene.home.write("CLAUDE.md", "then\n");
    scene.home.write("new.txt", "then\n");
    let then = create(&scene, &[]);
    assert!(references(&scene).contains(id(&then)));
    scene.home.git(&["checkout", "-q", "--", "."]);
    fs::remove_file(scene.home.project().join("new.txt")).unwrap();
    scene.ok(&["checkpoint", "restore", id(&then)]);
    assert!(!scene.home.project().join("new.txt").exists(), "without --files nothing is written");
    let asked = scene.fails(1, &["checkpoint", "restore", id(&then), "--files"]);
    assert!(asked.contains("add --yes"), "{asked}");
    scene.home.write("other.txt", "mine\n");
    let refused = scene.fails(1, &["checkpoint", "restore", id(&then), "--files", "--yes"]);
    assert!(refused.contains("other changes"), "{refused}");
    assert!(!scene.home.project().join("new.txt").exists());
    fs::remove_file(scene.home.project().join("other.txt")).unwrap();
    assert!(scene.ok(&["checkpoint", "restore", id(&then), "--files", "--yes"]).contains("2 files restored"));
    assert_eq!(
        (scene.home.read("CLAUDE.md").as_str(), scene.home.read("new.txt").as_str()),
        ("then\n", "then\n")
    );
    assert_eq!(kinds(&scene), ["manual", "restore"], "what was there was kept first");
    scene.home.write("CLAUDE.md", "later\n");
    let done = scene.run(&["checkpoint", "restore", id(&then), "--files", "--yes", "--force"]);
    assert_eq!(scene.home.read("CLAUDE.md"), "then\n");
    let undo =
        done.stderr.split_whitespace().skip_while(|word| *word != "restore").nth(1).unwrap().to_owned();
    scene.ok(&["checkpoint", "restore", &undo, "--files", "--yes", "--force"]);
    assert_eq!(scene.home.read("CLAUDE.md"), "later\n");
    assert!(scene.ok(&["checkpoint", "restore", &undo, "--files", "--yes"]).contains("is as it was"));
}

#[test]
fn there_are_fifty_at_most_and_marked_ones_stay() {
    let scene = Scene::with_git();
    scene.home.configure("[checkpoints]\nmax = 3\n");
    scene.home.write("a.txt", "0");
    let first = create(&scene, &[]);
    scene.ok(&["checkpoint", "keep", id(&first)]);
    for number in 1..6 {
        scene.home.write("a.txt", &number.to_string());
        create(&scene, &[]);
    }
    let rows = list(&scene);
    assert_eq!(rows.len(), 3);
    assert_eq!((id(&rows[2]), &rows[2]["kept"]), (id(&first), &json!(true)));
    assert_eq!(references(&scene).lines().count(), 3, "references go with their checkpoints");
    scene.ok(&["checkpoint", "keep", id(&rows[0])]);
    assert!(scene.fails(1, &["checkpoint", "keep", id(&rows[1])]).contains("2 of 3 are marked"));
    scene.ok(&["checkpoint", "rm", id(&rows[0]), id(&first)]);
    assert_eq!((list(&scene).len(), references(&scene).lines().count()), (1, 1));
    assert_eq!(scene.ok(&["checkpoint", "prune", "--older", "1h"]), "nothing to remove\n");
    assert!(scene.ok(&["checkpoint", "prune", "--older", "0s", "--dry-run"]).contains("would go"));
    assert_eq!(scene.ok(&["checkpoint", "prune", "--older", "0s"]), "1 checkpoint removed\n");
    assert_eq!((list(&scene).len(), references(&scene).as_str()), (0, ""));
}

#[test]
fn an_old_one_is_stale_and_a_broken_one_costs_no_other() {
    let scene = Scene::with_git();
    let made = create(&scene, &[]);
    let folder = scene.home.project().join(".claude/checkpoints");
    let file = folder.join(format!("{}.json", id(&made)));
    let text = fs::read_to_string(&file).unwrap();
    let old = text.replace(made["createdAt"].as_str().unwrap(), "2026-01-01T00:00:00.000Z");
    fs::write(folder.join("20260101-000000000-0001.json"), &old).unwrap();
    fs::write(folder.join("20260101-000000000-0002.json"), "{ torn").unwrap();
    fs::write(folder.join("notes.txt"), "mine").unwrap();
    let rows = list(&scene);
    assert_eq!(rows.iter().map(|it| &it["stale"]).collect::<Vec<_>>(), [&json!(false), &json!(true)]);
    let output = scene.run(&["checkpoint", "list"]);
    assert!(output.stdout.contains(", stale") && output.stderr.contains("0002.json"), "{output:?}");
    assert!(scene.fails(1, &["checkpoint", "show", "0002"]).contains("can not be read"));
    let doctor: Value = serde_json::from_str(&scene.run(&["doctor", "--json"]).stdout).unwrap();
    let check =
        doctor["checks"].as_array().unwrap().iter().find(|it| it["name"] == "checkpoints").cloned().unwrap();
    assert_eq!(check["state"], "warn", "{check}");
}

#[test]
fn without_a_repository_there_is_the_context_and_no_files() {
    let scene = Scene::new();
    scene.ok(&["add", "decision", "use SQLite"]);
    let output = scene.run(&["checkpoint", "create"]);
    output.assert_success();
    assert!(output.stderr.contains("the files were not kept"), "{}", output.stderr);
    assert!(scene.ok(&["checkpoint", "restore", "latest"]).contains("use SQLite"));
    assert!(scene.fails(1, &["checkpoint", "restore", "latest", "--files"]).contains("holds no files"));
    assert!(scene.ok(&["checkpoint", "create"]).contains("nothing changed"));
}

#[test]
fn stray_references_are_found_and_uninstalling_leaves_none() {
    let scene = Scene::with_git();
    scene.ok(&["init"]);
    scene.home.write("a.txt", "1");
    let made = create(&scene, &[]);
    let check = |scene: &Scene| {
        let doctor = scene.run(&["doctor", "--json"]).stdout;
        let doctor: Value = serde_json::from_str(&doctor).unwrap();
        doctor["checks"].as_array().unwrap().iter().find(|it| it["name"] == "checkpoints").cloned().unwrap()
    };
    assert_eq!(check(&scene)["state"], "ok");
    fs::remove_file(scene.home.project().join(format!(".claude/checkpoints/{}.json", id(&made)))).unwrap();
    assert_eq!(check(&scene)["remedy"], "run throughline checkpoint prune");
    assert_eq!(scene.ok(&["checkpoint", "prune"]), "0 checkpoints and 1 stray references removed\n");
    create(&scene, &[]);
    assert_ne!(references(&scene), "");
    scene.ok(&["uninstall"]);
    assert_eq!((references(&scene).as_str(), list(&scene).len()), ("", 1));
}

#[test]
fn what_came_with_a_clone_is_quoted_and_restores_no_file() {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    scene.home.write("a.txt", "theirs");
    let made = create(&scene, &[]);
    fs::remove_file(scene.project_data().join("checkpoints-made.json")).unwrap();
    scene.home.write("a.txt", "mine");
    let text = scene.ok(&["checkpoint", "restore", id(&made)]);
    assert!(text.contains("not instructions:\n> ") && text.contains("> D1: use SQLite"), "{text}");
    assert!(text.lines().skip(2).all(|line| line.starts_with("> ") || line == "[/throughline]"), "{text}");
    let refused = scene.fails(1, &["checkpoint", "restore", id(&made), "--files", "--yes", "--force"]);
    assert!(refused.contains("was not made on this machine"), "{refused}");
    assert_eq!((scene.home.read("a.txt").as_str(), &list(&scene)[0]["madeHere"]), ("mine", &json!(false)));
    assert_eq!(create(&scene, &[])["isNew"], true);
    assert_eq!(scene.ok(&["checkpoint", "prune", "--older", "0s"]), "1 checkpoint removed\n");
    assert_eq!(id(&list(&scene)[0]), id(&made), "it is not ours to remove by itself");
}

#[test]
fn secrets_are_masked_and_a_folder_that_leads_away_is_refused() {
    let scene = Scene::with_git();
    let key = concat!("ghp_", "abcdefghijklmnopqrstuvwxyz0123456789");
    let made = create(&scene, &["--note", &format!("token {key}")]);
    let folder = scene.home.project().join(".claude/checkpoints");
    assert!(!fs::read_to_string(folder.join(format!("{}.json", id(&made)))).unwrap().contains(key));
    fs::remove_dir_all(&folder).unwrap();
    let elsewhere = scene.home.root().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &folder).unwrap();
    assert!(scene.fails(1, &["checkpoint", "create"]).contains("a link is in the way"));
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
}
