//! The bugs of the systems that came before, one test each: they must not come back.

use std::fs;
use std::process::Stdio;

use serde_json::json;
use throughline_testkit::{TempHome, payload};

use crate::scene::{BINARY, Scene, tokens};

#[test]
fn ids_do_not_repeat_after_the_cap() {
    let scene = Scene::new();
    for number in 1..=24 {
        assert_eq!(
            scene.ok(&["add", "constraint", &format!("constraint {number}")]),
            format!("C{number} recorded\n")
        );
    }
    let kept = scene.state()["constraints"].as_array().unwrap().len();
    assert!(kept < 24, "the cap is 10: {kept}");
    scene.ok(&["rm", "C24"]);
    assert_eq!(scene.ok(&["add", "constraint", "after the newest was removed"]), "C25 recorded\n");
    scene.ok(&["fresh"]);
    fs::remove_file(scene.state_path()).unwrap();
    assert_eq!(scene.ok(&["add", "constraint", "after the file was removed"]), "C26 recorded\n");
    fs::remove_file(scene.state_path()).unwrap();
    fs::remove_dir_all(scene.project_data()).unwrap();
    assert_eq!(scene.ok(&["add", "constraint", "with only the archive left"]), "C27 recorded\n");
    let rows = scene.archived();
    let mut ids: Vec<&String> = rows.iter().map(|row| &row.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!((ids.len(), rows.len()), (27, 27), "every one is in the archive, once");
}

#[test]
fn the_budget_is_enforced_in_a_repository_with_5000_dirty_files() {
    let scene = Scene::with_git();
    let folder = scene.home.project().join("a-folder-with-a-rather-long-name/and-another-below-it");
    fs::create_dir_all(&folder).unwrap();
    for number in 0..5_000 {
        fs::write(folder.join(format!("file-number-{number:05}.txt")), "").unwrap();
    }
    scene.home.git(&["add", "--all"]);
    scene.ok(&["add", "decision", "use SQLite"]);
    scene.ok(&["save"]);
    let state = scene.state();
    assert_eq!(state["git"]["changedFiles"], 5_000);
    assert!(state["git"]["status"].as_str().unwrap().lines().count() <= 50);
    assert!(fs::metadata(scene.state_path()).unwrap().len() <= 15 * 1_024);
    assert!(tokens(&scene.ok(&["load"])) <= 1_200);
    assert!(tokens(&scene.ok(&["briefing"])) <= 1_200);
    for source in ["startup", "compact"] {
        let text = scene.hook(&payload::session_start(&scene.home, source, source));
        assert!(tokens(&text) <= 1_200 && text.contains("use SQLite"), "{text}");
    }
    assert!(scene.hook(&payload::pre_compact(&scene.home, "s", "auto", None)).contains("use SQLite"));
    let snapshot = scene.home.read(".claude/compaction-snapshot.md");
    assert!(snapshot.len() < 64 << 10, "{}", snapshot.len());
}

#[test]
fn a_compaction_keeps_every_decision() {
    let scene = Scene::with_git();
    for number in 1..=10 {
        scene.ok(&["add", "decision", &format!("decision {number}"), "--rationale", "a reason"]);
    }
    for _ in 0..3 {
        scene.hook(&payload::pre_compact(&scene.home, "s1", "auto", None));
        scene.hook(&payload::session_start(&scene.home, "s1", "compact"));
        scene.hook(&payload::session_end(&scene.home, "s1", "other"));
    }
    let state = scene.state();
    let decisions = state["decisions"].as_array().unwrap();
    assert_eq!(decisions.len(), 10, "{decisions:?}");
    assert_eq!(decisions[0]["rationale"], "a reason");
}

fn aside(scene: &Scene) -> Vec<String> {
    let files = fs::read_dir(scene.home.project().join(".claude")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name.contains(".corrupt-")).collect()
}

#[test]
fn a_corrupt_file_is_set_aside_and_rebuilt_never_replaced() {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    for (number, garbage) in
        ["", "{", "[]", "\u{0}\u{0}\u{0}", "null", "{\"decisions\": ["].into_iter().enumerate()
    {
        fs::write(scene.state_path(), garbage).unwrap();
        let output = scene.run(&["list"]);
        output.assert_success();
        assert!(output.stdout.contains("D1 use SQLite"), "{garbage:?}: {}", output.stdout);
        assert!(output.stderr.contains("could not be read"), "{garbage:?}: {}", output.stderr);
        assert!(output.stderr.contains("1 entries were rebuilt"), "{}", output.stderr);
        assert_eq!(aside(&scene).len(), number + 1, "{garbage:?} was kept");
        assert_eq!(scene.run(&["list"]).stderr, "", "it is said once");
    }
    fs::write(scene.state_path(), vec![b' '; 5 << 20]).unwrap();
    assert!(
        scene.run(&["list"]).stderr.contains("could not be read (more than 4194304 bytes)"),
        "too long is broken too"
    );
    fs::write(scene.state_path(), b"\xff\xfe{}").unwrap();
    assert_eq!(scene.ok(&["add", "decision", "after it"]), "D2 recorded\n");
    assert_eq!(scene.state()["decisions"].as_array().unwrap().len(), 2);
}

#[test]
fn a_corrupt_file_is_rebuilt_from_the_archive_alone() {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite", "--rationale", "one file"]);
    scene.ok(&["add", "action", "ship"]);
    scene.ok(&["add", "action", "gone"]);
    scene.ok(&["done", "P2"]);
    fs::write(scene.state_path(), "garbage").unwrap();
    let _ = fs::remove_file(scene.project_data().join("last-state.json"));
    let _ = fs::remove_file(scene.project_data().join("outbox.jsonl"));
    let text = scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    assert!(text.contains("could not be read") && text.contains("Tell the user"), "{text}");
    assert!(text.contains("D1: use SQLite (because one file)") && text.contains("P1: ship"), "{text}");
    assert!(!text.contains("gone"), "what was withdrawn stays withdrawn: {text}");
    assert_eq!(aside(&scene).len(), 1);
    assert_eq!(scene.ok(&["trust", "--list"]), "", "they are ours");
    assert_eq!(scene.ok(&["add", "action", "next"]), "P3 recorded\n");
}

#[test]
fn concurrent_writers_lose_nothing() {
    let scene = Scene::with_git();
    scene.ok(&["save"]);
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let script = format!(
                "for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do '{BINARY}' add decision \"writer {writer} entry $n\" || exit 9; done"
            );
            let mut command = scene.home.command("/bin/sh".as_ref());
            command.args(["-c", &script]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    let mut acknowledged = Vec::new();
    for writer in writers {
        let output = writer.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let ids = String::from_utf8_lossy(&output.stdout).into_owned();
        acknowledged.extend(ids.lines().map(|line| line.replace(" recorded", "")));
    }
    assert_eq!(acknowledged.len(), 120);
    let unique: std::collections::HashSet<&String> = acknowledged.iter().collect();
    assert_eq!(unique.len(), 120, "each acknowledged id is given once");
    scene.ok(&["list", "--all"]);
    let rows = scene.archived();
    assert_eq!(rows.len(), 120, "every one is in the archive");
    for id in acknowledged {
        assert!(rows.iter().any(|row| row.id == id), "{id}");
    }
}

#[test]
fn the_first_porcelain_line_keeps_its_first_letter() {
    let scene = Scene::with_git();
    scene.home.write("CLAUDE.md", "changed\n");
    scene.ok(&["save"]);
    let status = scene.state()["git"]["status"].as_str().unwrap().to_owned();
    assert_eq!(status.lines().next(), Some(" M CLAUDE.md"));
    assert!(
        scene.state()["git"]["modifiedFiles"].to_string().contains("CLAUDE.md"),
        "{}",
        scene.state()["git"]
    );
}

#[test]
fn more_than_a_mebibyte_of_status_costs_nothing() {
    let scene = Scene::with_git();
    let folder = scene.home.project().join("x".repeat(100));
    fs::create_dir(&folder).unwrap();
    let name = "n".repeat(60);
    for number in 0..7_000 {
        fs::write(folder.join(format!("{name}{number}")), "").unwrap();
    }
    scene.home.git(&["config", "status.showUntrackedFiles", "all"]);
    assert!(scene.home.git(&["status", "--porcelain", "--untracked-files=all"]).len() > 1 << 20);
    scene.home.git(&["add", "--all"]);
    scene.ok(&["save"]);
    let git = &scene.state()["git"];
    assert_eq!(git["branch"], "main");
    assert_eq!(git["changedFiles"], 7_000, "{}", git["error"]);
    assert_eq!(git["recentCommits"].as_array().unwrap().len(), 1);
    assert!(fs::metadata(scene.state_path()).unwrap().len() <= 15 * 1_024);
}

#[test]
fn a_repository_without_commits_still_has_its_status() {
    let scene = Scene { home: TempHome::new() };
    scene.home.git(&["init", "--quiet", "--initial-branch=main"]);
    scene.home.write("new.txt", "x");
    scene.ok(&["save"]);
    let git = &scene.state()["git"];
    assert_eq!(git["branch"], "main", "{git}");
    assert!(git["status"].as_str().unwrap().contains("?? new.txt"), "{git}");
    assert_eq!(git["recentCommits"], json!([]));
    scene.hook(&payload::pre_compact(&scene.home, "s1", "auto", None));
    assert!(scene.home.read(".claude/compaction-snapshot.md").contains("new.txt"));
}

#[test]
fn the_cut_at_500_never_halves_a_character() {
    let scene = Scene::new();
    scene.ok(&["add", "evidence", &format!("{}😀 and more", "x".repeat(499))]);
    let kept = scene.state()["evidenceLedger"][0]["content"].as_str().unwrap().to_owned();
    assert_eq!(kept, "x".repeat(499));
    assert_eq!(scene.ok(&["validate"]), "valid\n");
}

#[test]
fn resolved_questions_do_not_keep_their_slot() {
    let scene = Scene::new();
    for number in 1..=5 {
        scene.ok(&["add", "question", &format!("question {number}?"), "--priority", "high"]);
    }
    scene.ok(&["resolve", "Q1", "yes"]);
    scene.ok(&["resolve", "Q2", "no"]);
    for number in 6..=7 {
        scene.ok(&["add", "question", &format!("question {number}?"), "--priority", "low"]);
    }
    // Something else brings the state over its budget, so that the caps bind.
    for number in 0..8 {
        scene.ok(&["add", "decision", &format!("decision {number} {}", "with many words ".repeat(12))]);
    }
    let text = scene.ok(&["list", "questions"]);
    for number in 3..=7 {
        assert!(text.contains(&format!("question {number}?")), "an open one lost its place: {text}");
    }
    assert!(!text.contains("question 1?") && !text.contains("question 2?"), "{text}");
    assert!(!scene.ok(&["briefing"]).contains("question 1?"));
}
