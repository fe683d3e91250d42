//! The snapshot that is taken at a compaction.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use throughline_git::Git;

use crate::repo::{PATIENCE, Repo, fake_git};

const HOURS: Duration = Duration::from_hours(1);

#[test]
fn stats_and_the_files_of_the_last_hour_are_there() {
    let repo = Repo::with_commit();
    repo.write("old.txt", "x\n").write("fresh.txt", "x\n").write("committed.txt", "x\n").commit("second");
    repo.write("old.txt", "old change\n").write("fresh.txt", "fresh change\n");
    repo.write("folder/inside/new.txt", "x").write("folder/ancient.txt", "x").write("staged.txt", "1\n2\n");
    repo.git(&["add", "staged.txt"]);
    let two_hours_ago = SystemTime::now() - 2 * HOURS;
    for path in ["old.txt", "folder/ancient.txt"] {
        File::options()
            .write(true)
            .open(repo.folder.join(path))
            .unwrap()
            .set_modified(two_hours_ago)
            .unwrap();
    }
    let snapshot = repo.ours().snapshot(&repo.folder, SystemTime::now(), PATIENCE);
    assert_eq!(snapshot.state, repo.capture());
    assert!(snapshot.diff_stat.contains("fresh.txt") && snapshot.diff_stat.contains("2 files changed"));
    assert!(snapshot.staged_stat.contains("staged.txt"));
    assert_eq!(snapshot.state.staged_changes, "1 file changed, 2 insertions(+)");
    let hour = snapshot.modified_last_hour;
    assert_eq!(hour[..3], ["fresh.txt", "staged.txt", "folder/inside/new.txt"]);
    assert!(hour.contains(&"committed.txt".to_owned()) && hour.contains(&"alpha.txt".to_owned()));
    assert!(!hour.contains(&"folder/ancient.txt".to_owned()));

    let later = repo.ours().snapshot(&repo.folder, SystemTime::now() + 3 * HOURS, PATIENCE);
    assert_eq!(later.modified_last_hour, Vec::<String>::new());
}

/// `git diff` notes new times in the index, also when it was told to take no lock that it does not need.
#[test]
fn a_snapshot_never_writes_the_index() {
    let repo = Repo::with_commit();
    repo.git(&["config", "core.untrackedCache", "true"]);
    repo.git(&["update-index", "--untracked-cache"]);
    repo.write("beta.txt", "changed\n");
    let alpha = File::options().write(true).open(repo.folder.join("alpha.txt")).unwrap();
    alpha.set_modified(SystemTime::now() + HOURS).unwrap();
    let index = repo.folder.join(".git/index");
    let before = std::fs::read(&index).unwrap();
    let snapshot = repo.ours().snapshot(&repo.folder, SystemTime::now(), PATIENCE);
    assert!(snapshot.diff_stat.contains("beta.txt") && !snapshot.diff_stat.contains("alpha.txt"));
    assert_eq!(snapshot.state.status, " M beta.txt");
    assert_eq!(std::fs::read(&index).unwrap(), before);
}

#[test]
fn a_commit_of_hours_ago_is_not_of_the_last_hour() {
    let repo = Repo::empty();
    repo.write("alpha.txt", "x\n");
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-q", "-m", "first"]);
    let snapshot = repo.ours().snapshot(&repo.folder, SystemTime::now() + 2 * HOURS, PATIENCE);
    assert_eq!((snapshot.modified_last_hour.len(), snapshot.state.recent_commits.len()), (0, 1));
}

#[test]
fn long_stats_are_cut_and_keep_their_summary() {
    let repo = Repo::with_commit();
    for n in 0..200 {
        repo.write(&format!("file{n}.txt"), "x\n");
    }
    repo.git(&["add", "-A"]);
    let snapshot = repo.ours().snapshot(&repo.folder, SystemTime::now(), PATIENCE);
    assert_eq!(snapshot.staged_stat.lines().count(), 60);
    assert_eq!(snapshot.state.staged_changes, "200 files changed, 200 insertions(+)");
    assert_eq!(snapshot.diff_stat, "");
    assert_eq!(snapshot.modified_last_hour.len(), 100);
}

#[test]
fn no_commit_and_no_repository_are_said_as_in_the_state() {
    let repo = Repo::empty();
    repo.write("new.txt", "x");
    let snapshot = repo.ours().snapshot(&repo.folder, SystemTime::now(), PATIENCE);
    assert_eq!((snapshot.state.error, snapshot.modified_last_hour), (None, vec!["new.txt".to_owned()]));
    let outside = repo.ours().snapshot(repo.temp.path(), SystemTime::now(), PATIENCE);
    let error = "git was not asked: this is not a git repository, and it is in none";
    assert_eq!(outside.state.error.as_deref(), Some(error));
    assert_eq!((outside.diff_stat.as_str(), outside.staged_stat.as_str()), ("", ""));
}

#[test]
fn a_hanging_git_costs_one_deadline_not_five() {
    let repo = Repo::empty();
    let git = Git::new(fake_git(repo.temp.path(), "sleep 1000"));
    let start = std::time::Instant::now();
    let snapshot = git.snapshot(&repo.folder, SystemTime::now(), Duration::from_millis(500));
    assert!(start.elapsed() < Duration::from_secs(5));
    assert_eq!(snapshot.state.error.as_deref(), Some("git did not answer within 500 ms"));
}

#[test]
fn a_fresh_clone_was_not_modified_in_the_last_hour() {
    let repo = Repo::with_commit();
    let clone = repo.temp.path().canonicalize().unwrap().join("clone");
    repo.git(&["clone", "-q", repo.folder.to_str().unwrap(), clone.to_str().unwrap()]);
    let taken = || repo.ours().snapshot(&clone, SystemTime::now(), PATIENCE).modified_last_hour;
    assert_eq!(taken(), Vec::<String>::new(), "its commit of a moment ago was made elsewhere");
    std::fs::write(clone.join("beta.txt"), "changed\n").unwrap();
    assert_eq!(taken(), ["beta.txt"]);
    repo.git_in(&clone, &["commit", "-q", "-a", "-m", "made here"]);
    assert_eq!(taken(), ["beta.txt"]);
}

/// The last commits are asked for in any case; of those that are not among them git is asked once more.
#[test]
fn every_commit_of_the_last_hour_counts_also_one_that_is_no_longer_in_the_history() {
    let repo = Repo::with_commit();
    repo.write("amended.txt", "1").commit("amended");
    fs::remove_file(repo.folder.join("amended.txt")).unwrap();
    repo.write("instead.txt", "1").git(&["add", "-A"]);
    repo.git(&["commit", "-q", "--amend", "-m", "instead"]);
    for n in 0..8 {
        repo.write(&format!("file{n}.txt"), "x").commit("more");
    }
    let mut hour = repo.ours().snapshot(&repo.folder, SystemTime::now(), PATIENCE).modified_last_hour;
    hour.sort();
    let mut all: Vec<String> = (0..8).map(|n| format!("file{n}.txt")).collect();
    all.extend(["alpha.txt", "amended.txt", "beta.txt", "instead.txt"].map(str::to_owned));
    all.sort();
    assert_eq!(hour, all);
}
