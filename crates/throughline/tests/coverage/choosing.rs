//! Which transcripts are read: by id, by path, the newest, all; and none that nobody meant.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use throughline_testkit::TempHome;

use crate::scene::{SESSION, Scene};

const OTHER: &str = "22222222-2222-4333-8444-555555555555";

fn compacted(scene: &Scene, id: &str) {
    scene.session(id).works().compacts(&format!("Summary of {id}.")).reads("src/lexer.rs");
}

fn make_old(home: &TempHome, id: &str, seconds: u64) {
    let then = SystemTime::now() - Duration::from_secs(seconds);
    let file = File::options().append(true).open(home.transcript_path(id)).expect("a transcript");
    file.set_modified(then).expect("its time to be set");
}

#[test]
fn the_newest_compacted_session_is_the_last() {
    let scene = Scene::new();
    compacted(&scene, SESSION);
    compacted(&scene, OTHER);
    make_old(&scene.home, SESSION, 200);
    make_old(&scene.home, OTHER, 100);
    scene.session("fresh-one").user("hello there, good morning");
    for args in [&["--last"] as &[&str], &[]] {
        assert_eq!(scene.json(args)["sessions"][0]["session"], OTHER);
    }
    assert_eq!(scene.json(&[SESSION])["sessions"][0]["session"], SESSION);
}

#[test]
fn all_sessions_of_the_project_are_told_and_a_copied_compaction_once() {
    let scene = Scene::new();
    compacted(&scene, SESSION);
    make_old(&scene.home, SESSION, 100);
    // A resumed session begins with the history of the first one.
    fs::copy(scene.home.transcript_path(SESSION), scene.home.transcript_path(OTHER)).unwrap();
    scene.session(OTHER).compacts("The second summary.").reads("src/lexer.rs");
    scene.session("fresh-one").user("hello there, good morning");
    let report = scene.json(&["--all"]);
    let counts = |at: usize| report["sessions"][at]["compactions"].as_array().unwrap().len();
    assert_eq!((report["sessions"].as_array().unwrap().len(), counts(0)), (3, 1));
    assert_eq!(report["mean"]["compactions"], 2, "{report}");
    let said = scene.says(&["--all"]);
    assert!(
        said.contains("1 session was never compacted") && said.contains("mean of 2 compactions"),
        "{said}"
    );
}

#[test]
fn a_session_of_another_project_is_found_by_its_id_and_any_file_by_its_path() {
    let scene = Scene::new();
    compacted(&scene, SESSION);
    let elsewhere = scene.home.claude_config().join("projects/-another-project");
    fs::create_dir_all(&elsewhere).unwrap();
    fs::rename(scene.home.transcript_path(SESSION), elsewhere.join(format!("{SESSION}.jsonl"))).unwrap();
    assert_eq!(scene.compactions(&[SESSION]).len(), 1);
    let copy = scene.home.root().join("copied session.jsonl");
    fs::copy(elsewhere.join(format!("{SESSION}.jsonl")), &copy).unwrap();
    assert_eq!(scene.compactions(&[copy.to_str().unwrap()]).len(), 1);
    let both = scene.json(&[SESSION, copy.to_str().unwrap()]);
    assert_eq!(both["mean"]["compactions"], 1, "the same compaction");
}

#[test]
fn a_session_is_known_by_a_beginning_of_its_id_that_no_other_has() {
    let scene = Scene::new();
    compacted(&scene, SESSION);
    compacted(&scene, OTHER);
    assert_eq!(scene.json(&["22222222"])["sessions"][0]["session"], OTHER);
    let third = "22222222-9999-4333-8444-555555555555";
    compacted(&scene, third);
    let said = scene.fails(&["22222222"]);
    assert!(said.contains("2 sessions begin with `22222222`") && said.contains(third), "{said}");
    assert_eq!(scene.json(&["22222222-2"])["sessions"][0]["session"], OTHER);
}

#[test]
fn an_id_leads_nowhere_outside_the_clients_folder() {
    let scene = Scene::new();
    compacted(&scene, SESSION);
    let secret = scene.home.root().join("x.jsonl");
    fs::rename(scene.home.transcript_path(SESSION), &secret).unwrap();
    symlink(&secret, scene.home.transcript_path("linked")).unwrap();
    for word in ["../../x", "../../../../x", "..", ".", "/etc/passwd", "a/b", "", "linked", "nobody"] {
        let said = scene.fails(&[word]);
        assert!(said.contains("session"), "{word}: {said}");
        assert!(said.contains("hint:"), "{word}: {said}");
    }
    assert!(scene.fails(&["nowhere.jsonl"]).contains("neither a session's id nor an existing .jsonl file"));
    let folder = scene.home.root().join("folder.jsonl");
    fs::create_dir(&folder).unwrap();
    scene.fails(&[folder.to_str().unwrap()]);
}

#[test]
fn without_transcripts_it_says_where_it_looked() {
    let scene = Scene::new();
    for args in [&["--all"] as &[&str], &["--last"], &[]] {
        let said = scene.fails(args);
        assert!(
            said.contains("no transcripts of this project in ") && said.contains(".claude/projects/-"),
            "{said}"
        );
    }
    assert_eq!(scene.run(&["--all", "--last"]).status.code(), Some(2));
    assert_eq!(scene.run(&["--turns", "0"]).status.code(), Some(2));
}

#[test]
fn nothing_is_written() {
    let scene = Scene::new();
    compacted(&scene, SESSION);
    scene.says(&["--all"]);
    scene.says(&["--all", "--json"]);
    for folder in [scene.home.data(), scene.home.project()] {
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "{}", folder.display());
    }
}
