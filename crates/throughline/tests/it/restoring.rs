//! Files brought back from a checkpoint: nothing that is only on disk is lost, and the undo undoes.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use throughline_testkit::{Output, Transcript, Usage, payload};

use crate::scene::Scene;

fn create(scene: &Scene) -> String {
    scene.json(&["checkpoint", "create", "--json"])["id"].as_str().expect("an id").to_owned()
}

fn restore(scene: &Scene, id: &str, more: &[&str]) -> Output {
    scene.run(&[&["checkpoint", "restore", id, "--files", "--yes"], more].concat())
}

fn commit(scene: &Scene) {
    scene.home.git(&["add", "-A"]);
    scene.home.git(&["commit", "-q", "-m", "more", "--allow-empty"]);
}

/// The name of the checkpoint that the printed command for undoing names.
fn undo_of(done: &Output) -> String {
    done.assert_success();
    let after = done.stderr.split_once("to undo it: throughline checkpoint restore ").expect("a way back").1;
    after.split_whitespace().next().expect("a name").to_owned()
}

/// Every file of the project but ours and git's: its kind, its mode, what is in it.
fn files(scene: &Scene) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    fn walk(top: &Path, folder: &Path, found: &mut BTreeMap<PathBuf, (u32, Vec<u8>)>) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let (path, meta) = (entry.path(), entry.metadata().unwrap());
            let name = path.strip_prefix(top).unwrap().to_owned();
            if name == Path::new(".git") || name == Path::new(".claude") {
            } else if meta.is_dir() {
                walk(top, &path, found);
            } else if meta.is_symlink() {
                let target = fs::read_link(&path).unwrap();
                found.insert(name, (0, target.to_string_lossy().into_owned().into_bytes()));
            } else {
                found.insert(name, (meta.permissions().mode() & 0o111, fs::read(&path).unwrap()));
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(&scene.home.project(), &scene.home.project(), &mut found);
    found
}

fn kept(scene: &Scene, id: &str, path: &str) -> Option<String> {
    fs::read_to_string(scene.project_data().join("kept-files").join(id).join(path)).ok()
}

#[test]
fn an_ignored_file_is_never_overwritten_unasked_and_with_force_a_copy_stays() {
    let scene = Scene::with_git();
    scene.home.write(".env", "old\n");
    let id = create(&scene);
    scene.home.write(".gitignore", ".env\n");
    scene.home.git(&["add", ".gitignore"]);
    scene.home.git(&["commit", "-q", "-m", "ignored"]);
    scene.home.write(".env", "NEWSECRET\n");
    let before = files(&scene);
    let refused = restore(&scene, &id, &[]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(refused.stdout.contains("ignored or not looked at by git:\n  .env\n"), "{}", refused.stdout);
    assert!(refused.stderr.contains("1 file that git does not hold"), "{}", refused.stderr);
    assert!(refused.stderr.contains("move them away, or add --force"), "{}", refused.stderr);
    assert_eq!(files(&scene), before, "nothing was written");
    let done = restore(&scene, &id, &["--force"]);
    let undo = undo_of(&done);
    assert_eq!(scene.home.read(".env"), "old\n");
    assert_eq!(kept(&scene, &undo, ".env").as_deref(), Some("NEWSECRET\n"));
    assert!(done.stderr.contains(&format!("kept-files/{undo}")), "{}", done.stderr);
    assert!(done.stdout.contains("1 file restored from"), "{}", done.stdout);
}

#[test]
fn a_folder_with_ignored_files_is_not_replaced_by_a_file_unasked() {
    let scene = Scene::with_git();
    scene.home.write("w", "file\n");
    let id = create(&scene);
    fs::remove_file(scene.home.project().join("w")).unwrap();
    scene.home.write(".gitignore", "*.key\n");
    scene.home.write("w/in", "in\n");
    commit(&scene);
    scene.home.write("w/my.key", "PRECIOUS\n");
    symlink("my.key", scene.home.project().join("w/link.key")).unwrap();
    let before = files(&scene);
    let refused = restore(&scene, &id, &[]);
    assert!(refused.stdout.contains("  w/link.key\n  w/my.key\n"), "{}", refused.stdout);
    assert_eq!((refused.status.code(), files(&scene)), (Some(1), before.clone()));
    let undo = undo_of(&restore(&scene, &id, &["--force"]));
    assert_eq!(scene.home.read("w"), "file\n");
    assert_eq!(kept(&scene, &undo, "w/my.key").as_deref(), Some("PRECIOUS\n"));
    let link = scene.project_data().join(format!("kept-files/{undo}/w/link.key"));
    assert_eq!(fs::read_link(link).unwrap(), Path::new("my.key"));
    restore(&scene, &undo, &["--force"]).assert_success();
    assert_eq!(scene.home.read("w/in"), "in\n", "what made room comes back");
    // A pipe can not be copied: then nothing is written at all.
    fs::remove_dir_all(scene.home.project().join("w")).unwrap();
    fs::create_dir(scene.home.project().join("w")).unwrap();
    let pipe = scene.home.project().join("w/pipe.key");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let refused = restore(&scene, &id, &["--force"]);
    assert!(refused.stderr.contains("nothing was written"), "{}", refused.stderr);
    assert!(fs::symlink_metadata(&pipe).is_ok());
}

/// Numbers that look like chance and are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// Edits, removes, links, modes; a file where a folder was, and the other way round; ignored files too.
fn disturb(scene: &Scene, dice: &mut Dice, word: &str) {
    const NAMES: [&str; 9] = ["a", "b", "sp ace", "d/x", "d/y", "e", "e/deep/z", "\u{fc}ml", "n.log"];
    for number in 0..=dice.below(6) {
        let name = NAMES[usize::try_from(dice.below(NAMES.len() as u64)).unwrap()];
        let path = scene.home.project().join(name);
        let stands = fs::symlink_metadata(&path).is_ok_and(|meta| !meta.is_dir());
        // What git ignores and a restore overwrites is copied, not brought back by the undo: only added or left alone.
        if path.is_dir() && !path.is_symlink() {
            fs::remove_dir_all(&path).unwrap();
        }
        for parent in path.ancestors().skip(1).take(2) {
            if fs::symlink_metadata(parent).is_ok_and(|meta| !meta.is_dir()) {
                fs::remove_file(parent).unwrap();
            }
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match dice.below(5) {
            0 if stands => fs::remove_file(&path).unwrap(),
            1 => {
                let _ = fs::remove_file(&path);
                symlink(format!("to-{word}"), &path).unwrap();
            }
            2 if stands && !path.is_symlink() => {
                let mode = if dice.below(2) == 0 { 0o644 } else { 0o755 };
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            }
            _ => {
                let _ = fs::remove_file(&path);
                fs::write(&path, format!("{word} {number}\n")).unwrap();
            }
        }
    }
    if dice.below(3) == 0 {
        commit(scene);
    }
}

#[test]
fn the_undo_brings_back_every_file_exactly_whatever_the_restore_touched() {
    let mut restored = 0;
    for seed in 0..24 {
        let scene = Scene::with_git();
        let mut dice = Dice(seed);
        disturb(&scene, &mut dice, "first");
        commit(&scene);
        disturb(&scene, &mut dice, "then");
        let id = create(&scene);
        if dice.below(2) == 0 {
            scene.home.git(&["stash", "-q", "-u"]);
        }
        disturb(&scene, &mut dice, "now");
        let before = files(&scene);
        let status = scene.home.git(&["ls-files", "-s"]);
        let done = restore(&scene, &id, &["--force"]);
        if done.stdout.contains("is as it was") || done.stderr.contains("holds no files") {
            continue;
        }
        let undo = undo_of(&done);
        restored += usize::from(files(&scene) != before);
        restore(&scene, &undo, &["--force"]).assert_success();
        assert_eq!(files(&scene), before, "seed {seed}: {}", done.stdout);
        assert_eq!(scene.home.git(&["ls-files", "-s"]), status, "seed {seed}: the index stays");
    }
    assert!(restored >= 12, "{restored} restores changed something");
}

/// A clean file that the restore changed, and one that it added where git ignores it, are undone too.
#[test]
fn the_undo_covers_files_that_were_clean_or_are_ignored() {
    let scene = Scene::with_git();
    scene.home.write("t", "orig\n");
    commit(&scene);
    scene.home.write("t", "changed\n");
    scene.home.write("n.log", "then\n");
    let id = create(&scene);
    scene.home.git(&["checkout", "-q", "--", "t"]);
    fs::remove_file(scene.home.project().join("n.log")).unwrap();
    scene.home.write(".gitignore", "*.log\n");
    commit(&scene);
    let before = files(&scene);
    let undo = undo_of(&restore(&scene, &id, &[]));
    assert_eq!((scene.home.read("t").as_str(), scene.home.read("n.log").as_str()), ("changed\n", "then\n"));
    let back = restore(&scene, &undo, &["--force"]);
    assert_eq!(files(&scene), before, "{}", back.stdout);
    scene.home.git(&["gc", "-q", "--prune=now"]);
    let shown = scene.json(&["checkpoint", "show", &undo, "--json"]);
    assert_eq!(shown["git"]["touched"], json!(["A n.log", "M t"]));
    assert_eq!(scene.ok(&["checkpoint", "rm", &undo]), format!("{undo} removed\n"));
    let refs = scene.home.git(&["for-each-ref", "--format=%(refname)", "refs/throughline"]);
    assert!(!refs.contains(&undo), "its reference goes with it: {refs}");
}

#[test]
fn without_git_a_difference_says_that_it_knows_nothing_of_files() {
    let scene = Scene::new();
    scene.home.write("n", "1");
    create(&scene);
    scene.home.write("n", "2");
    let told = scene.ok(&["checkpoint", "diff", "latest"]);
    assert!(told.contains("files: can not be compared (git told nothing of them"), "{told}");
    assert!(told.contains("\nnothing else changed\n"), "{told}");
    let told: Value = scene.json(&["checkpoint", "diff", "latest", "--json"]);
    assert_eq!(told["filesCompared"], false);
    assert!(told["filesNotComparedBecause"].is_string(), "{told}");
    let told = {
        let scene = Scene::with_git();
        create(&scene);
        scene.json(&["checkpoint", "diff", "latest", "--json"])
    };
    assert_eq!((&told["filesCompared"], &told["filesNotComparedBecause"]), (&json!(true), &Value::Null));
}

#[test]
fn another_branch_is_no_commit() {
    let scene = Scene::with_git();
    let kinds = |scene: &Scene| -> Vec<String> {
        let rows = scene.json(&["checkpoint", "list", "--json"]);
        rows.as_array().unwrap().iter().rev().map(|it| it["type"].as_str().unwrap().to_owned()).collect()
    };
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    let mut transcript = Transcript::new(&scene.home, "s1");
    transcript.user("Skip empty rows.").assistant("I will.", Usage::filling(20_000));
    let stop = || scene.hook(&payload::stop(&scene.home, "s1", "done"));
    stop();
    commit(&scene);
    stop();
    assert_eq!(kinds(&scene), ["commit"]);
    scene.home.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
    stop();
    assert_eq!(kinds(&scene), ["commit", "branch"]);
    scene.home.write("s.txt", "1");
    commit(&scene);
    stop();
    assert_eq!(kinds(&scene), ["commit", "branch", "commit"]);
    scene.home.git(&["checkout", "-q", "--detach"]);
    commit(&scene);
    stop();
    commit(&scene);
    stop();
    assert_eq!(kinds(&scene)[3..], ["branch", "commit"], "a commit without a branch is a commit");
}

#[test]
fn the_words_fit_one_and_none() {
    let scene = Scene::with_git();
    let none = scene.fails(1, &["checkpoint", "show", "latest"]);
    assert!(none.contains("there is no checkpoint yet") && none.contains("checkpoint create"), "{none}");
    scene.home.configure("[checkpoints]\nfiles = 1\nfile_bytes = 10\n");
    scene.home.write("large.txt", "more than ten bytes");
    scene.home.write("other.txt", "more than ten bytes");
    let made = scene.run(&["checkpoint", "create"]);
    assert!(!made.stderr.contains("readable: \n") && made.stderr.contains("readable: "), "{}", made.stderr);
    let told = made.stderr.lines().find(|line| line.contains("readable: ")).unwrap();
    let after = told.split_once("readable: ").unwrap().1;
    assert!(after.contains(" files"), "{told}");
}
