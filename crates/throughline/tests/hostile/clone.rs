//! Clones as they would come: a folder in the home folder of whoever cloned it, with links that lead to the keys there.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use throughline_testkit::payload;

use crate::scene::{SESSION, Scene, token};

/// The project as a clone below the home folder, with keys where people have them.
fn cloned() -> (Scene, Vec<(PathBuf, String)>) {
    let scene = Scene::new();
    let keys: Vec<(PathBuf, String)> = [".ssh/id_ed25519", ".aws/credentials", ".netrc", ".bashrc"]
        .iter()
        .map(|name| (scene.home.root().join(name), format!("{name}: {}\nthe blue heron\n", token())))
        .collect();
    for (path, text) in &keys {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    fs::create_dir_all(scene.home.project().join(".claude")).unwrap();
    (scene, keys)
}

fn assert_whole(keys: &[(PathBuf, String)], what: &str) {
    for (path, text) in keys {
        assert_eq!(&fs::read_to_string(path).unwrap(), text, "{what}: {}", path.display());
    }
}

#[test]
fn masking_again_overwrites_no_keys_behind_a_link() {
    for (name, target) in [
        (".claude/sessions", "../.."),
        (".claude/logs", "../../.ssh"),
        (".claude/checkpoints", "../../.ssh"),
        (".claude/sessions/x", "../../../.ssh"),
        (".claude", "../.ssh"),
    ] {
        let (scene, keys) = cloned();
        let link = scene.home.project().join(name);
        if name == ".claude" {
            fs::remove_dir_all(&link).unwrap();
        }
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(target, &link).unwrap();
        // Hooks alone, as right after a clone; and what a person would do then.
        for _ in 0..3 {
            let _ = fs::remove_file(scene.home.data().join("masked.json"));
            for payload in [
                payload::session_start(&scene.home, SESSION, "startup"),
                payload::stop(&scene.home, SESSION, "done"),
            ] {
                scene.run(&["hook"], &payload.to_string()).assert_success();
            }
        }
        scene.run(&["doctor", "--mask"], "");
        assert_whole(&keys, name);
    }
}

#[test]
fn forgetting_words_rewrites_nothing_behind_a_link() {
    for (name, target) in
        [(".claude/sessions", "../.."), (".claude/logs", "../../.ssh"), (".claude/checkpoints", "../../.aws")]
    {
        let (scene, keys) = cloned();
        symlink(target, scene.home.project().join(name)).unwrap();
        scene.run(&["add", "decision", "the blue heron"], "");
        scene.run(&["forget", "blue", "heron", "--yes"], "");
        assert_whole(&keys, name);
    }
}

#[test]
fn an_exclude_file_that_is_a_link_is_not_written_through() {
    for link_folder in [false, true] {
        let (scene, keys) = cloned();
        let exclude = scene.home.project().join(".git/info/exclude");
        fs::remove_file(&exclude).unwrap();
        if link_folder {
            fs::remove_dir_all(exclude.parent().unwrap()).unwrap();
            symlink("../../.ssh", exclude.parent().unwrap()).unwrap();
        } else {
            symlink("../../../.bashrc", &exclude).unwrap();
        }
        scene.do_everything();
        assert_whole(&keys, "exclude");
        assert!(!scene.home.root().join(".ssh/exclude").exists());
    }
}

#[test]
fn a_session_folder_that_is_a_link_is_not_read() {
    let (scene, _) = cloned();
    let folder = scene.home.project().join(".claude/sessions");
    fs::create_dir_all(&folder).unwrap();
    fs::write(
        scene.outside().join("keys/notes.md"),
        "<!-- throughline: begin -->\nOUTSIDE WORDS\n<!-- throughline: end -->\n",
    )
    .unwrap();
    symlink(scene.outside().join("keys"), folder.join(SESSION)).unwrap();
    scene
        .run(&["hook"], &payload::session_start(&scene.home, SESSION, "startup").to_string())
        .assert_success();
    for verb in [&["notes"][..], &["sessions", "list"], &["export", "--output", "../bundle"], &["load"]] {
        let output = scene.run(verb, "");
        assert!(!output.stdout.contains("OUTSIDE WORDS"), "{verb:?}: {}", output.stdout);
    }
}
