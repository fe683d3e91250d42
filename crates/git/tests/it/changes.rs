//! What moved since a recorded commit.

use throughline_git::History;

use crate::repo::{PATIENCE, Repo};

#[test]
fn commits_since_then_are_named_and_counted() {
    let repo = Repo::with_commit();
    let then = repo.head();
    for n in 1..=12 {
        repo.write(&format!("file{}.txt", n % 4), &n.to_string()).commit(&format!("commit {n}"));
    }
    let changes = repo.ours().changes_since(&repo.folder, &then, PATIENCE).unwrap();
    assert_eq!((changes.commit_count, changes.files_changed, changes.commits.len()), (12, 4, 10));
    assert_eq!(changes.commits[0], format!("{} commit 12 (Ada)", &repo.head()[..7]));
    assert_eq!((changes.branch_now.as_deref(), changes.history), (Some("main"), History::Continues));
    assert_eq!(changes.history.in_words(), None);
}

#[test]
fn nothing_moved_is_an_answer_too() {
    let repo = Repo::with_commit();
    for head in [repo.head(), repo.head()[..7].to_owned()] {
        let changes = repo.ours().changes_since(&repo.folder, &head, PATIENCE).unwrap();
        assert_eq!((changes.commit_count, changes.files_changed, changes.commits.len()), (0, 0, 0));
        assert_eq!(changes.history, History::Continues);
    }
}

#[test]
fn a_rewritten_history_is_said() {
    let repo = Repo::with_commit();
    repo.write("alpha.txt", "second\n").commit("second");
    let then = repo.head();
    repo.git(&["commit", "-q", "--amend", "-m", "second, reworded"]);
    let changes = repo.ours().changes_since(&repo.folder, &then, PATIENCE).unwrap();
    assert_eq!(changes.history, History::Diverged { commits_left_behind: 1 });
    assert_eq!((changes.commit_count, changes.files_changed), (1, 0));
    assert!(changes.history.in_words().unwrap().contains("history was rewritten"));
}

#[test]
fn a_commit_that_is_gone_is_said() {
    let repo = Repo::with_commit();
    for gone in ["0123456789012345678901234567890123456789", "0123456"] {
        let changes = repo.ours().changes_since(&repo.folder, gone, PATIENCE).unwrap();
        assert_eq!(changes.history, History::HeadUnknown, "{gone}");
        assert_eq!(changes.branch_now.as_deref(), Some("main"));
    }
}

#[test]
fn only_a_commit_id_becomes_an_argument() {
    let repo = Repo::with_commit();
    for head in [
        "",
        "HEAD",
        "main",
        "--all",
        "--output=x",
        "abc123",
        "abcdefg",
        "1234567 ",
        "deadbeef\n",
        &"a".repeat(65),
    ] {
        assert_eq!(repo.ours().changes_since(&repo.folder, head, PATIENCE), None, "{head:?}");
    }
}

#[test]
fn no_repository_and_no_commit_are_no_answer() {
    let repo = Repo::empty();
    let outside = repo.temp.path();
    assert_eq!(repo.ours().changes_since(outside, "0123456", PATIENCE), None);
}

#[test]
fn a_branch_in_a_reference_table_is_asked_of_git() {
    // The reader of such tables came with git 2.45.
    let version = throughline_git::version().unwrap();
    let minor = version.split('.').nth(1).and_then(|minor| minor.parse().ok());
    if version.starts_with("2.") && minor < Some(45) {
        return;
    }
    let repo = Repo::init(&["--ref-format=reftable"]);
    repo.write("alpha.txt", "x\n").commit("first");
    assert_eq!(throughline_git::branch_from_head_file(&repo.folder), None);
    let changes = repo.ours().changes_since(&repo.folder, &repo.head(), PATIENCE).unwrap();
    assert_eq!(changes.branch_now.as_deref(), Some("main"));
    assert_eq!(repo.capture().branch.as_deref(), Some("main"));
}
