//! Programs that a repository names where a reader of its settings would not look: none of them runs.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::repo::{Repo, ask_everything, prepared, trap};

/// A filter that every file passes through.
fn filter(program: &str) -> String {
    format!("[filter \"f\"]\n\tclean = {program}\n\tsmudge = {program}\n\trequired = true\n")
}

fn append(path: &Path, text: &str) {
    let old = fs::read_to_string(path).unwrap_or_default();
    fs::write(path, old + text).unwrap();
}

fn ran(trace: &Path) -> String {
    fs::read_to_string(trace).unwrap_or_default()
}

/// The trap is a real one: a plain git steps into it.
fn assert_trap_works(repo: &Repo, trace: &Path, what: &str) {
    repo.write("alpha.txt", "changed once more\n").git(&["add", "-A"]);
    assert_ne!(ran(trace), "", "{what}");
}

#[test]
fn a_filter_behind_any_number_of_settings_is_not_started() {
    for keys in [9_999, 10_000, 10_001, 30_000] {
        let repo = prepared();
        let (program, trace) = trap(&repo);
        let many = "\tk = 1\n".repeat(keys);
        append(&repo.folder.join(".git/config"), &format!("[many]\n{many}{}", filter(&program)));
        ask_everything(&repo, &repo.folder);
        assert_eq!(ran(&trace), "", "{keys} settings");
        assert_trap_works(&repo, &trace, "many settings");
    }
}

/// The real settings stand where `commondir` leads; what is beside it is a decoy.
fn move_behind_commondir(repo: &Repo, name: &[u8], pointer: &[u8]) {
    let dot_git = repo.folder.join(".git");
    let common = dot_git.join(OsStr::from_bytes(name));
    fs::create_dir(&common).unwrap();
    fs::copy(dot_git.join("config"), common.join("config")).unwrap();
    for part in ["objects", "refs"] {
        fs::rename(dot_git.join(part), common.join(part)).unwrap();
        fs::create_dir(dot_git.join(part)).unwrap();
    }
    fs::write(dot_git.join("commondir"), pointer).unwrap();
}

#[test]
fn a_pointer_that_we_cannot_read_leads_to_no_filter() {
    let long = [&b"common"[..], &[b'\n'; 9_000]].concat();
    let pointers: [(&str, &[u8], &[u8]); 3] =
        [("no UTF-8", b"c\xff", b"c\xff\n"), ("longer than 8 KB", b"common", &long), ("plain", b"x", b"x\n")];
    for (what, name, pointer) in pointers {
        let repo = prepared();
        let (program, trace) = trap(&repo);
        move_behind_commondir(&repo, name, pointer);
        let config = repo.folder.join(".git").join(OsStr::from_bytes(name)).join("config");
        append(&config, &filter(&program));
        ask_everything(&repo, &repo.folder);
        assert_eq!(ran(&trace), "", "{what}");
        let error = repo.capture().error.unwrap_or_default();
        assert!(error.contains("was not asked"), "{what}: {error}");
        assert_trap_works(&repo, &trace, what);
    }
}

#[test]
fn a_pointer_of_a_linked_worktree_that_we_cannot_read_leads_to_no_filter() {
    for pointer in [&[&b"../.."[..], &[b'\n'; 9_000]].concat()[..], b"../../../.git/./\n"] {
        let repo = prepared();
        let (program, trace) = trap(&repo);
        repo.git(&["worktree", "add", "-q", "-b", "side", "../linked"]);
        let linked = repo.folder.with_file_name("linked");
        fs::write(repo.folder.join(".git/worktrees/linked/commondir"), pointer).unwrap();
        append(&repo.folder.join(".git/config"), &filter(&program));
        fs::write(linked.join("alpha.txt"), "changed\n").unwrap();
        ask_everything(&repo, &linked);
        assert_eq!(ran(&trace), "");
        repo.git_in(&linked, &["add", "-A"]);
        assert_ne!(ran(&trace), "", "the trap is a real one");
    }
}

#[test]
fn a_repository_that_is_a_link_or_stands_elsewhere_starts_nothing() {
    type Place = fn(&Repo, &Path);
    let places: [(&str, Place); 3] = [
        ("a link", |repo, away| symlink(away, repo.folder.join(".git")).unwrap()),
        ("a file that points elsewhere", |repo, away| {
            fs::write(repo.folder.join(".git"), format!("gitdir: {}\n", away.display())).unwrap();
        }),
        ("a relative one", |repo, _| fs::write(repo.folder.join(".git"), "gitdir: ../away\n").unwrap()),
    ];
    for (what, place) in places {
        let repo = prepared();
        let (program, trace) = trap(&repo);
        append(&repo.folder.join(".git/config"), &filter(&program));
        let away = repo.folder.with_file_name("away");
        fs::rename(repo.folder.join(".git"), &away).unwrap();
        place(&repo, &away);
        let before = repo.git(&["count-objects", "-v"]);
        ask_everything(&repo, &repo.folder);
        assert_eq!(ran(&trace), "", "{what}");
        assert!(repo.capture().error.unwrap().contains("was not asked"), "{what}");
        assert_eq!(repo.git(&["count-objects", "-v"]), before, "{what}: nothing is written there");
        assert_trap_works(&repo, &trace, what);
    }
}

#[test]
fn attributes_outside_the_tree_lead_to_no_program() {
    let repo = prepared();
    let (program, trace) = trap(&repo);
    fs::write(repo.folder.join(".git/info/attributes"), "* filter=g diff=g merge=g\n").unwrap();
    let section = filter(&program).replace("\"f\"", "\"g\"");
    append(&repo.folder.join(".git/config"), &format!("{section}[diff \"g\"]\n\ttextconv = {program}\n"));
    append(&repo.folder.join(".git/config"), &format!("[merge \"g\"]\n\tdriver = {program}\n"));
    ask_everything(&repo, &repo.folder);
    assert_eq!(ran(&trace), "");
    assert_trap_works(&repo, &trace, "attributes");
}

#[test]
fn objects_of_another_repository_bring_no_program_along() {
    let (repo, other) = (prepared(), prepared());
    let (program, trace) = trap(&repo);
    append(&other.folder.join(".git/config"), &filter(&program));
    repo.git(&["config", "core.alternateRefsCommand", &program]);
    let alternates = format!("{}\n", other.folder.join(".git/objects").display());
    fs::write(repo.folder.join(".git/objects/info/alternates"), alternates).unwrap();
    ask_everything(&repo, &repo.folder);
    assert_eq!(ran(&trace), "");
    assert_eq!(repo.capture().error, None, "objects are data: a clone that borrows them is told");
}

#[test]
fn a_branch_or_objects_behind_a_link_are_not_told() {
    for link_objects in [false, true] {
        let (repo, other) = (prepared(), prepared());
        other.git(&["commit", "-q", "--allow-empty", "-m", "PRIVATE SUBJECT"]);
        let (at, to) = if link_objects {
            (".git/objects/pack", ".git/objects/pack")
        } else {
            (".git/refs/heads", ".git/refs/heads")
        };
        let alternates = format!("{}\n", other.folder.join(".git/objects").display());
        fs::write(repo.folder.join(".git/objects/info/alternates"), alternates).unwrap();
        fs::remove_dir_all(repo.folder.join(at)).unwrap();
        symlink(other.folder.join(to), repo.folder.join(at)).unwrap();
        let told = repo.capture();
        assert!(told.error.as_deref().is_some_and(|why| why.contains("a link")), "{:?}", told.error);
        assert!(!format!("{told:?}").contains("PRIVATE"), "{told:?}");
    }
}

/// Where a program is looked for in the folder at hand, the project would bring its own.
#[test]
fn a_git_of_the_project_is_not_started() {
    use std::os::unix::fs::PermissionsExt as _;
    let repo = prepared();
    let trace = repo.temp.path().join("ran");
    fs::write(repo.folder.join("git"), format!("#!/bin/sh\necho x >> '{}'\n", trace.display())).unwrap();
    fs::set_permissions(repo.folder.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    for path in [".:/usr/local/bin:/usr/bin:/bin", ":/usr/local/bin:/usr/bin:/bin"] {
        let told = repo.ours().env("PATH", path).capture(&repo.folder, crate::repo::PATIENCE);
        assert_eq!((told.error, trace.exists()), (None, false), "{path}");
    }
}

#[test]
fn references_are_not_kept_through_links() {
    let repo = prepared();
    let elsewhere = repo.temp.path().join("elsewhere");
    fs::create_dir_all(elsewhere.join("checkpoints")).unwrap();
    symlink(&elsewhere, repo.folder.join(".git/refs/throughline")).unwrap();
    ask_everything(&repo, &repo.folder);
    let head = repo.head();
    assert!(repo.ours().keep_tree(&repo.folder, "a", &head, crate::repo::PATIENCE).is_err());
    assert_eq!(fs::read_dir(elsewhere.join("checkpoints")).unwrap().count(), 0);
}

/// A name under ours that stands for the user's branch: to let it go must not take the branch.
#[test]
fn a_reference_that_stands_for_a_branch_goes_without_the_branch() {
    let repo = prepared();
    repo.git(&["symbolic-ref", "refs/throughline/checkpoints/a", "refs/heads/main"]);
    repo.ours().forget_trees(&repo.folder, &["a".to_owned()]).unwrap();
    assert_eq!(repo.git(&["for-each-ref", "--format=%(refname)"]), "refs/heads/main\n");
}
