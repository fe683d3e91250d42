//! The small questions, and the branch without git.

use std::fs;
use std::path::Path;

use throughline_git::{branch_from_head_file, top_level_exclude_path};

use crate::repo::Repo;

#[test]
fn the_exclude_file_is_found_from_anywhere() {
    let repo = Repo::with_commit();
    repo.write("deep/er/file.txt", "x");
    let expected = repo.folder.join(".git/info/exclude");
    for folder in ["", "deep", "deep/er"] {
        let found = top_level_exclude_path(&repo.folder.join(folder)).unwrap();
        assert_eq!((found.path(), found.name), (expected.clone(), "info/exclude"), "{folder}");
    }
    repo.git(&["worktree", "add", "-q", "-b", "topic", "../linked"]);
    let linked = top_level_exclude_path(&repo.folder.join("../linked")).unwrap();
    assert_eq!(linked.path(), expected);
    assert_eq!(top_level_exclude_path(repo.temp.path()), None);
}

#[test]
fn tracked_and_untracked_are_told_apart() {
    let repo = Repo::with_commit();
    repo.write("new.txt", "").write("star*.txt", "").write("dir/file.txt", "").write("starry.txt", "");
    repo.git(&["add", "starry.txt", "dir"]);
    let tracked = |path: &str| repo.ours().is_tracked(&repo.folder, Path::new(path));
    assert_eq!(tracked("alpha.txt"), Some(true));
    assert_eq!(tracked("dir"), Some(true));
    assert_eq!(tracked("new.txt"), Some(false));
    assert_eq!(tracked("gone.txt"), Some(false));
    assert_eq!(tracked("star*.txt"), Some(false), "a name is no pattern");
    assert_eq!(tracked("--help"), Some(false), "a name is no option");
    assert_eq!(tracked("/"), None);
    let absolute = repo.folder.join("alpha.txt");
    assert_eq!(repo.ours().is_tracked(&repo.folder, &absolute), Some(true));
    assert_eq!(repo.ours().is_tracked(repo.temp.path(), &absolute), None);
}

#[test]
fn the_version_is_a_number() {
    let version = throughline_git::version().unwrap();
    assert!(version.starts_with(|c: char| c.is_ascii_digit()) && version.contains('.'), "{version}");
}

#[test]
fn the_branch_is_read_without_git() {
    let repo = Repo::with_commit();
    repo.write("deep/file.txt", "x");
    assert_eq!(branch_from_head_file(&repo.folder).as_deref(), Some("main"));
    repo.git(&["checkout", "-q", "-b", "feature/ä-1"]);
    assert_eq!(branch_from_head_file(&repo.folder.join("deep")).as_deref(), Some("feature/ä-1"));
    repo.git(&["worktree", "add", "-q", "-b", "topic", "../linked"]);
    assert_eq!(branch_from_head_file(&repo.folder.join("../linked")).as_deref(), Some("topic"));
    repo.git(&["checkout", "-q", "--detach"]);
    assert_eq!(branch_from_head_file(&repo.folder), Some(format!("(detached at {})", &repo.head()[..7])));
}

#[test]
fn a_head_file_that_says_nothing_plain_is_no_answer() {
    let temp = tempfile::tempdir().unwrap();
    let dot_git = temp.path().join(".git");
    fs::create_dir(&dot_git).unwrap();
    assert_eq!(branch_from_head_file(temp.path()), None);
    let long = "x".repeat(100_000);
    for head in [
        "",
        "ref:",
        "ref: refs/heads/",
        "ref: refs/remotes/origin/main",
        "ref: refs/heads/.invalid",
        "ref: refs/heads/a\nb",
        "ref: refs/heads/a\u{1b}[0m",
        "0123456",
        "é",
        &long,
    ] {
        fs::write(dot_git.join("HEAD"), head).unwrap();
        assert_eq!(branch_from_head_file(temp.path()), None, "{:?}", &head[..head.len().min(40)]);
    }
    fs::write(dot_git.join("HEAD"), b"ref: refs/heads/\xff").unwrap();
    assert_eq!(branch_from_head_file(temp.path()), None);
    fs::remove_dir_all(&dot_git).unwrap();
    for file in ["", "gitdir:", "gitdir: ", "gitdir: nowhere", "gitdir: .git", "nonsense"] {
        fs::write(&dot_git, file).unwrap();
        assert_eq!(branch_from_head_file(temp.path()), None, "{file:?}");
    }
    assert_eq!(branch_from_head_file(&temp.path().join("gone")), None);
}
