//! A compaction asks git once: what its steps need of the working tree they share, and one deadline is for all of them.

use std::fs;

use throughline_testkit::payload;

use crate::scene::{Scene, program};

/// A session in whose project `git` writes down how it is called and then runs this.
fn observed(then: &str) -> Scene {
    let mut scene = Scene::with_git();
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    let (folder, calls) = (scene.home.root().join("observed"), scene.home.root().join("calls"));
    program(&folder, "git", &format!("echo \"$*\" >> '{}'\n{then}", calls.display()));
    scene.home.add_path_dir(&folder);
    scene
}

/// Works as ever.
const GIT: &str = "PATH=${PATH#*:}; exec git \"$@\"";

/// What a compaction asks git, sorted.
fn asked(scene: &Scene) -> Vec<String> {
    let calls = scene.home.root().join("calls");
    let _ = fs::remove_file(&calls);
    scene.hook(&payload::pre_compact(&scene.home, "s1", "auto", None));
    let mut verbs: Vec<String> = fs::read_to_string(&calls).unwrap().lines().map(verb).collect();
    verbs.sort();
    verbs
}

/// The first word of a call that is no option of git's own.
fn verb(call: &str) -> String {
    let mut words = call.split(' ');
    while let Some(word) = words.next() {
        match word {
            "-c" | "-C" => drop(words.next()),
            word if word.starts_with('-') => {}
            word => return word.to_owned(),
        }
    }
    String::new()
}

#[test]
fn a_compactions_steps_share_what_git_said() {
    let scene = observed(GIT);
    assert_eq!(asked(&scene), ["diff", "log", "status"], "a clean tree is its commit");
    scene.home.write("CLAUDE.md", "changed");
    scene.home.write("new.txt", "new");
    let kept =
        ["diff", "diff-index", "diff-tree", "log", "status", "update-index", "update-ref", "write-tree"];
    assert_eq!(asked(&scene), kept);
    let same = ["diff", "diff-index", "log", "status", "update-index", "write-tree"];
    assert_eq!(asked(&scene), same, "there is nothing to keep");
    scene.home.git(&["add", "new.txt"]);
    let staged = ["diff", "diff", "diff-index", "log", "status", "update-index", "write-tree"];
    assert_eq!(asked(&scene), staged);
    scene.home.write("folder/deep.txt", "new");
    let deep = asked(&scene);
    assert_eq!((deep.len(), deep.contains(&"ls-files".to_owned())), (10, true), "{deep:?}");
    let checkpoint = scene.json(&["checkpoint", "show", "latest", "--json"]);
    let files = checkpoint["git"]["files"].as_array().unwrap();
    let files: Vec<&str> = files.iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(files, ["CLAUDE.md", "folder/deep.txt", "new.txt"]);
}

#[test]
fn a_git_that_hangs_costs_a_compaction_one_deadline() {
    let scene = observed("exec sleep 1000");
    scene.home.configure("[git]\ndeadline_ms = 700\n");
    let asked = asked(&scene);
    assert!(asked.len() <= 3, "nobody asks again when the time is over: {asked:?}");
    let checkpoint = scene.json(&["checkpoint", "show", "latest", "--json"]);
    assert_eq!(checkpoint["git"]["error"], "git did not answer within 700 ms");
}
