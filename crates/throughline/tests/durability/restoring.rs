//! A kill while files are brought back: what stood there is there, in the checkpoint made before, or in a copy.

use std::fs;
use std::path::Path;

use crate::scene::{Scene, has};
use crate::traced;

#[test]
fn no_file_is_lost_wherever_a_restore_is_killed() {
    if !has("strace") {
        return;
    }
    let scene = Scene::with_git();
    let project = scene.home.project();
    scene.home.write("a.txt", "then");
    scene.home.write(".env", "then");
    scene.home.write("w", "then");
    scene.verb(&["checkpoint", "create", "--note", "then"]).assert_success();
    let first = scene.home.git(&["for-each-ref", "--format=%(refname:lstrip=3)", "refs/throughline"]);
    let first = first.trim();
    scene.verb(&["checkpoint", "keep", first]).assert_success();
    scene.home.write(".gitignore", ".env\n*.key\n");
    let verb = ["checkpoint", "restore", first, "--files", "--yes", "--force"];
    let set = |number: usize| {
        let _ = fs::remove_file(project.join("w"));
        scene.home.write("a.txt", &format!("changed {number}."));
        scene.home.write(".env", &format!("secret {number}."));
        scene.home.write("w/in", &format!("inside {number}."));
        scene.home.write("w/my.key", &format!("key {number}."));
    };
    set(0);
    let mut killed = 0;
    for (number, call) in traced::calls(&scene, &verb, "throughline-restore-").into_iter().enumerate() {
        let number = number + 1;
        set(number);
        let ended = traced::run_killed(&scene, &verb, &call);
        killed += usize::from(!ended);
        for (path, text) in [("a.txt", "changed"), ("w/in", "inside")] {
            let text = format!("{text} {number}.");
            let is_there = fs::read_to_string(project.join(path)).is_ok_and(|found| found == text);
            assert!(is_there || is_in_git(&scene, path, &text), "killed at {call}: {path} is lost");
        }
        for text in ["secret", "key"] {
            let text = format!("{text} {number}.");
            let is_there = [project.as_path(), &scene.data_of_project()].iter().any(|it| holds(it, &text));
            assert!(is_there, "killed at {call}: `{text}` is lost");
        }
        for path in ["a.txt", ".env"] {
            let found = fs::read_to_string(project.join(path)).unwrap_or_else(|_| "then".to_owned());
            assert!(found == "then" || found.ends_with(&format!(" {number}.")), "killed at {call}: {found}");
        }
    }
    println!("{killed} kills");
    assert!(killed > 80, "{killed}");
    set(10_000);
    scene.verb(&verb).assert_success();
    for path in ["a.txt", ".env", "w"] {
        assert_eq!(fs::read_to_string(project.join(path)).ok().as_deref(), Some("then"), "{path}");
    }
}

/// Whether the newest kept tree has a file with this content.
fn is_in_git(scene: &Scene, path: &str, text: &str) -> bool {
    let names = scene.home.git(&["for-each-ref", "--format=%(refname)", "refs/throughline"]);
    let newest = names.lines().max().unwrap_or_default();
    let listed = scene.home.git(&["ls-tree", "-r", "--name-only", newest]);
    listed.lines().any(|name| name == path) && scene.home.git(&["show", &format!("{newest}:{path}")]) == text
}

/// Whether a file below a folder has this content.
fn holds(folder: &Path, text: &str) -> bool {
    fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| {
        let path = entry.path();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder {
            holds(&path, text)
        } else {
            fs::read(&path).is_ok_and(|found| found == text.as_bytes())
        }
    })
}
