//! A repository that hides programs, or poses as another: no hook and no verb starts the one or touches the other.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use throughline_testkit::payload;

use crate::scene::{Scene, files_under};

/// Every hook and verb that asks git.
fn ask_everything(scene: &Scene) {
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    scene.run(&["add", "decision", "use SQLite"]);
    scene.hook(&payload::pre_compact(&scene.home, "s1", "auto", None));
    scene.hook(&payload::stop(&scene.home, "s1", "done"));
    for verb in [
        &["checkpoint", "create"][..],
        &["checkpoint", "restore", "latest", "--files", "--yes"],
        &["checkpoint", "prune", "--yes"],
        &["away"],
        &["next"],
        &["save"],
        &["doctor"],
        &["init"],
        &["uninstall"],
    ] {
        scene.run(verb);
    }
    scene.hook(&payload::session_end(&scene.home, "s1", "other"));
}

/// A scene with a changed file that passes through the filter `f`, a trap for it, and its trace.
fn trapped() -> (Scene, String, PathBuf) {
    let scene = Scene::with_git();
    let (trap, trace) = (scene.home.root().join("trap"), scene.home.root().join("ran"));
    fs::write(&trap, format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\n", trace.display())).unwrap();
    fs::set_permissions(&trap, fs::Permissions::from_mode(0o755)).unwrap();
    scene.home.write(".gitattributes", "* filter=f\n");
    scene.home.write("importer.rs", "one\n");
    scene.home.git(&["add", "-A"]);
    scene.home.git(&["commit", "-q", "-m", "attributes"]);
    scene.home.write("importer.rs", "two\n");
    let filter = format!("[filter \"f\"]\n\tclean = {0}\n\tsmudge = {0}\n", trap.display());
    (scene, filter, trace)
}

fn append(path: &Path, text: &str) {
    let old = fs::read_to_string(path).unwrap_or_default();
    fs::write(path, old + text).unwrap();
}

type Hide = fn(&Path, &str);

fn behind_commondir(dot_git: &Path, name: &[u8], pointer: &[u8], filter: &str) {
    let common = dot_git.join(OsStr::from_bytes(name));
    fs::create_dir(&common).unwrap();
    fs::copy(dot_git.join("config"), common.join("config")).unwrap();
    for part in ["objects", "refs"] {
        fs::rename(dot_git.join(part), common.join(part)).unwrap();
        fs::create_dir(dot_git.join(part)).unwrap();
    }
    append(&common.join("config"), filter);
    fs::write(dot_git.join("commondir"), pointer).unwrap();
}

#[test]
fn no_filter_runs_wherever_the_repository_hides_it() {
    let hidden: [(&str, Hide); 3] = [
        ("behind 10,001 settings", |dot_git, filter| {
            append(&dot_git.join("config"), &format!("[x]\n{}{filter}", "\ty = 1\n".repeat(10_001)));
        }),
        ("behind a pointer that is no UTF-8", |dot_git, filter| {
            behind_commondir(dot_git, b"c\xff", b"c\xff\n", filter);
        }),
        ("behind a pointer of more than 8 KB", |dot_git, filter| {
            behind_commondir(dot_git, b"c", &[&b"c"[..], &[b'\n'; 9_000]].concat(), filter);
        }),
    ];
    for (what, hide) in hidden {
        let (scene, filter, trace) = trapped();
        hide(&scene.home.project().join(".git"), &filter);
        ask_everything(&scene);
        assert_eq!(fs::read_to_string(&trace).unwrap_or_default(), "", "{what}");
        scene.home.git(&["diff", "--stat"]);
        assert_ne!(fs::read_to_string(&trace).unwrap_or_default(), "", "{what}: the trap is a real one");
    }
}

fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    files_under(folder).into_iter().map(|path| (path.clone(), fs::read(&path).unwrap_or_default())).collect()
}

#[test]
fn a_repository_that_another_one_points_to_is_not_written() {
    type Point = fn(&Path, &Path);
    let pointers: [(&str, Point); 3] = [
        ("a file", |dot_git, victim| {
            fs::write(dot_git, format!("gitdir: {}\n", victim.display())).unwrap();
        }),
        ("a link", |dot_git, victim| symlink(victim, dot_git).unwrap()),
        ("a shared folder", |dot_git, victim| {
            fs::create_dir(dot_git).unwrap();
            fs::write(dot_git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
            fs::write(dot_git.join("commondir"), format!("{}\n", victim.display())).unwrap();
        }),
    ];
    for (what, point) in pointers {
        let (scene, _, _) = trapped();
        let (dot_git, victim) = (scene.home.project().join(".git"), scene.home.root().join("victim"));
        fs::rename(&dot_git, &victim).unwrap();
        point(&dot_git, &victim);
        let before = contents(&victim);
        ask_everything(&scene);
        let after = contents(&victim);
        let names = after.keys().chain(before.keys());
        let changed: Vec<_> = names.filter(|path| after.get(*path) != before.get(*path)).collect();
        assert!(changed.is_empty(), "{what}: {changed:?}");
        let state =
            fs::read_to_string(scene.home.project().join(".claude/unified-session-state.json")).unwrap();
        assert!(state.contains("git was not asked: its `.git`"), "{what}: the state says why: {state}");
    }
}
