//! A working tree taken as git objects, and files brought back from them.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use throughline_git::{Bounds, Git, Taken, Then, head_from_files, index_file};

use crate::repo::{PATIENCE, Repo, fake_git};

const BOUNDS: Bounds =
    Bounds { files_max: 100, file_bytes_max: 1 << 20, total_bytes_max: 10 << 20, with_content: true };

fn take(repo: &Repo, folder: &Path, bounds: &Bounds) -> Taken {
    let copy: PathBuf = repo.temp.path().join("copied-index");
    let _ = fs::remove_file(&copy);
    if let Some(index) = index_file(folder).filter(|index| index.exists()) {
        fs::copy(index, &copy).unwrap();
    }
    repo.ours().asking(folder, PATIENCE).take(&copy, bounds)
}

fn named(taken: &Taken) -> Vec<(char, &str)> {
    taken.files.iter().map(|file| (file.letter, file.path.as_str())).collect()
}

#[test]
fn everything_that_differs_is_taken_and_nothing_of_the_users_changes() {
    let repo = Repo::with_commit();
    repo.write("gone.txt", "x").write("mode.sh", "x").commit("second");
    repo.write("alpha.txt", "changed\n")
        .write("sub dir/new \"file\".txt", "new\n")
        .write(".gitignore", "*.log\n");
    repo.write("noise.log", "ignored");
    fs::remove_file(repo.folder.join("gone.txt")).unwrap();
    fs::set_permissions(repo.folder.join("mode.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("alpha.txt", repo.folder.join("link")).unwrap();
    repo.write("staged.txt", "one").git(&["add", "staged.txt"]);
    repo.write("staged.txt", "two");
    let before =
        (repo.git(&["status", "--porcelain"]), repo.git(&["ls-files", "-s"]), repo.git(&["for-each-ref"]));
    let taken = take(&repo, &repo.folder, &BOUNDS);
    assert_eq!(taken.error, None);
    assert_eq!(
        named(&taken),
        [
            ('A', ".gitignore"),
            ('M', "alpha.txt"),
            ('D', "gone.txt"),
            ('A', "link"),
            ('M', "mode.sh"),
            ('A', "staged.txt"),
            ('A', "sub dir/new \"file\".txt"),
        ]
    );
    let tree = taken.tree.clone().unwrap();
    assert_eq!(repo.git(&["show", &format!("{tree}:staged.txt")]), "two");
    assert_eq!(repo.git(&["show", &format!("{tree}:link")]), "alpha.txt", "a link stays a link");
    assert!(repo.git(&["ls-tree", &tree, "mode.sh"]).starts_with("100755"));
    assert_eq!(repo.git(&["show", &format!("{tree}:beta.txt")]), "beta\nbeta\n", "the whole tree is there");
    let after =
        (repo.git(&["status", "--porcelain"]), repo.git(&["ls-files", "-s"]), repo.git(&["for-each-ref"]));
    assert_eq!(before, after);
    assert_eq!(take(&repo, &repo.folder, &BOUNDS), taken, "the same again");
}

#[test]
fn a_link_where_a_folder_was_is_taken() {
    let repo = Repo::with_commit();
    repo.write("e/deep/z", "1").commit("folder");
    fs::remove_dir_all(repo.folder.join("e")).unwrap();
    symlink("nowhere", repo.folder.join("e")).unwrap();
    let taken = take(&repo, &repo.folder, &BOUNDS);
    assert_eq!((named(&taken), taken.error.clone()), (vec![('A', "e"), ('D', "e/deep/z")], None));
}

#[test]
fn a_clean_tree_is_its_commit_and_an_unborn_branch_has_files_all_the_same() {
    let repo = Repo::with_commit();
    let taken = take(&repo, &repo.folder, &BOUNDS);
    assert_eq!((taken.tree.as_deref(), taken.head.as_deref()), (Some(&*repo.head()), Some(&*repo.head())));
    assert!(!taken.is_dirty() && taken.error.is_none());
    let unborn = Repo::empty();
    unborn.write("first.txt", "1");
    let taken = take(&unborn, &unborn.folder, &BOUNDS);
    assert_eq!((taken.head.clone(), named(&taken)), (None, vec![('A', "first.txt")]), "{taken:?}");
    assert!(taken.tree.is_some());
}

#[test]
fn what_is_too_much_is_counted_and_named() {
    let repo = Repo::with_commit();
    repo.write("large.bin", &"x".repeat(5_000)).write("small.txt", "x");
    repo.write("other.txt", "y");
    let bounds = Bounds { file_bytes_max: 1_000, ..BOUNDS };
    let taken = take(&repo, &repo.folder, &bounds);
    assert_eq!((named(&taken).contains(&('A', "small.txt")), taken.left_out_count), (true, 1), "{taken:?}");
    assert_eq!(taken.left_out, ["large.bin"]);
    let taken = take(&repo, &repo.folder, &Bounds { files_max: 1, ..BOUNDS });
    assert_eq!((taken.files.len(), taken.left_out_count), (1, 2), "{taken:?}");
    repo.write("fresh.txt", "nobody has this");
    let taken = take(&repo, &repo.folder, &Bounds { with_content: false, ..BOUNDS });
    let told = taken.files.iter().find(|file| file.path == "fresh.txt").unwrap().hash.clone().unwrap();
    assert_eq!(taken.tree, None);
    assert!(
        !repo.folder.join(format!(".git/objects/{}/{}", &told[..2], &told[2..])).exists(),
        "nothing was written"
    );
}

#[test]
fn a_folder_that_is_no_repository_says_so() {
    let temp = tempfile::tempdir().unwrap();
    let repo = Repo::with_commit();
    let taken = take(&repo, temp.path(), &BOUNDS);
    assert!(taken.error.is_some() && taken.tree.is_none() && !taken.is_dirty(), "{taken:?}");
}

#[test]
fn a_kept_tree_outlives_a_collection_and_goes_when_it_is_let_go() {
    let repo = Repo::with_commit();
    repo.write("new.txt", "precious\n");
    let tree = take(&repo, &repo.folder, &BOUNDS).tree.unwrap();
    let git = repo.ours();
    assert!(git.keep_tree(&repo.folder, "../heads/main", &tree, PATIENCE).is_err(), "a name is no path");
    git.keep_tree(&repo.folder, "20260101-000000-feed", &tree, PATIENCE).unwrap();
    assert_eq!(git.kept_trees(&repo.folder).unwrap(), ["20260101-000000-feed"]);
    repo.git(&["gc", "-q", "--prune=now"]);
    assert_eq!(repo.git(&["show", &format!("{tree}:new.txt")]), "precious\n");
    assert_eq!(repo.git(&["fsck", "--strict"]), "");
    assert_eq!(repo.git(&["log", "--all", "--oneline"]).lines().count(), 1, "history shows nothing of it");
    git.forget_trees(&repo.folder, &["20260101-000000-feed".to_owned(), "20260101-000000-dead".to_owned()])
        .unwrap();
    assert!(git.kept_trees(&repo.folder).unwrap().is_empty());
    repo.git(&["gc", "-q", "--prune=now"]);
    assert!(git.diff_trees(&repo.folder, &repo.head(), &tree, PATIENCE).is_none(), "it was collected");
}

#[test]
fn only_the_files_that_were_uncommitted_come_back() {
    let repo = Repo::with_commit();
    repo.write("alpha.txt", "then\n").write("new.txt", "then\n");
    fs::remove_file(repo.folder.join("beta.txt")).unwrap();
    let then = take(&repo, &repo.folder, &BOUNDS);
    repo.git(&["checkout", "-q", "--", "."]);
    fs::remove_file(repo.folder.join("new.txt")).unwrap();
    repo.write("later.txt", "later\n").commit("later");
    repo.write("alpha.txt", "now\n").write("untracked.txt", "mine\n");
    let now = take(&repo, &repo.folder, &BOUNDS);
    let git = repo.ours();
    let tree = then.tree.as_deref().unwrap();
    let wanted = Then { head: then.head.as_deref(), tree, touched: &[] };
    let plan = git.plan_restore(&repo.folder, &wanted, &now, PATIENCE).unwrap();
    let planned: Vec<(char, &str)> =
        plan.files.iter().map(|(letter, path)| (*letter, path.as_str())).collect();
    assert_eq!(planned, [('M', "alpha.txt"), ('D', "beta.txt"), ('A', "new.txt")]);
    assert_eq!(plan.other_changes, ["alpha.txt", "untracked.txt"]);
    let hook = repo.folder.join(".git/hooks/post-checkout");
    fs::write(&hook, "#!/bin/sh\ntouch hook-ran\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let (index, aside) = (repo.temp.path().join("own-index"), repo.temp.path().join("aside"));
    fs::create_dir(&aside).unwrap();
    let before = repo.git(&["status", "--porcelain"]);
    git.write_restored(&plan, &index, &aside, PATIENCE).unwrap();
    assert_eq!(repo.git(&["status", "--porcelain"]), before, "the working tree stays, and the index");
    let read = |name: &str| fs::read_to_string(aside.join(name)).ok();
    assert_eq!((read("alpha.txt").as_deref(), read("new.txt").as_deref()), (Some("then\n"), Some("then\n")));
    assert_eq!((read("beta.txt"), read("later.txt"), read("hook-ran")), (None, None, None));
    assert!(!repo.folder.join("hook-ran").exists());
    assert_eq!(plan.not_in_git(), Vec::<PathBuf>::new());
    assert_eq!(plan.touched(), ["M beta.txt", "M alpha.txt", "A new.txt"]);
}

/// What git does not look at is in no tree: a plan that would overwrite it says so.
#[test]
fn a_plan_names_every_file_in_the_way_that_git_does_not_hold() {
    let repo = Repo::with_commit();
    repo.write("told.txt", "1").write("flat", "1").commit("more");
    repo.write("alpha.txt", "then\n").write(".env", "then").write("w", "then").write("d/x", "then");
    repo.write("told.txt", "then").write("flat", "then");
    let then = take(&repo, &repo.folder, &BOUNDS);
    repo.git(&["checkout", "-q", "--", "."]);
    for name in ["w", "d/x", "flat"] {
        fs::remove_file(repo.folder.join(name)).unwrap();
    }
    fs::remove_dir(repo.folder.join("d")).unwrap();
    repo.write(".gitignore", ".env\n*.key\nd\n").write("w/in", "mine").write("w/deep/my.key", "mine");
    repo.write("flat/in", "mine").write("d", "mine").write(".env", "mine").commit("now");
    symlink("nowhere", repo.folder.join("w/link.key")).unwrap();
    repo.git(&["update-index", "--assume-unchanged", "told.txt"]);
    repo.write("told.txt", "mine");
    let now = take(&repo, &repo.folder, &BOUNDS);
    let wanted = Then { head: then.head.as_deref(), tree: then.tree.as_deref().unwrap(), touched: &[] };
    let plan = repo.ours().plan_restore(&repo.folder, &wanted, &now, PATIENCE).unwrap();
    assert_eq!(plan.names_not_in_git(), [".env", "d", "told.txt", "w/deep/my.key", "w/link.key"]);
    let removed: Vec<&str> =
        plan.files.iter().filter(|(letter, _)| *letter == 'D').map(|(_, path)| path.as_str()).collect();
    assert_eq!(removed, ["flat/in", "w/in"], "what git holds makes room, and that is said");
}

/// Others found no commit where references are packed, and none in a linked worktree.
#[test]
fn the_commit_is_found_in_packed_references_and_linked_worktrees() {
    let repo = Repo::with_commit();
    assert_eq!(head_from_files(&repo.folder), Some(repo.head()));
    repo.git(&["pack-refs", "--all"]);
    assert_eq!(head_from_files(&repo.folder), Some(repo.head()));
    repo.git(&["worktree", "add", "-q", "../linked", "-b", "side/branch-1"]);
    let linked = repo.folder.with_file_name("linked");
    assert_eq!(head_from_files(&linked), Some(repo.head()));
    repo.git_in(&linked, &["commit", "-q", "--allow-empty", "-m", "more"]);
    assert_eq!(head_from_files(&linked).unwrap(), repo.git_in(&linked, &["rev-parse", "HEAD"]).trim());
    repo.git_in(&linked, &["checkout", "-q", "--detach"]);
    assert_eq!(head_from_files(&linked).unwrap(), repo.git_in(&linked, &["rev-parse", "HEAD"]).trim());
    fs::write(linked.join("new.txt"), "x").unwrap();
    let taken = take(&repo, &linked, &BOUNDS);
    assert_eq!((named(&taken), taken.error.clone()), (vec![('A', "new.txt")], None));
    assert_eq!(head_from_files(&Repo::empty().folder), None);
    assert_eq!(head_from_files(repo.temp.path()), None);
}

/// Everything that a status can tell: renamed, in conflict, staged, new, in folders, a repository inside.
fn with_everything() -> Repo {
    let repo = Repo::with_commit();
    repo.write("moved.txt", "some lines\nthat are\nfound again\n").write("both.txt", "1\n").commit("second");
    repo.git(&["checkout", "-q", "-b", "other"]);
    repo.write("both.txt", "theirs\n").commit("theirs");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("both.txt", "ours\n").commit("ours");
    repo.git_stops(&["merge", "other"]);
    repo.git(&["mv", "moved.txt", "new place.txt"]);
    repo.write("alpha.txt", "changed\n").write("z.txt", "new").write("a new/deep/one.txt", "1");
    repo.write("a new/two.txt", "2").write("inner/in.txt", "3").write("staged.txt", "4");
    repo.git(&["add", "staged.txt"]);
    repo.git_in(&repo.folder.join("inner"), &["init", "-q"]);
    repo
}

/// A copy of the index as it is now.
fn index_copy(repo: &Repo) -> PathBuf {
    let copy = repo.temp.path().join("copied-index");
    fs::copy(index_file(&repo.folder).unwrap(), &copy).unwrap();
    copy
}

#[test]
fn what_a_snapshot_saw_is_taken_as_if_it_were_asked_again() {
    let repo = with_everything();
    for files_max in [100, 5, 2, 0] {
        let bounds = Bounds { files_max, ..BOUNDS };
        let asking = repo.ours().asking(&repo.folder, PATIENCE);
        let snapshot = asking.snapshot(SystemTime::now());
        assert_eq!(snapshot.state, repo.capture());
        let taken = asking.take(&index_copy(&repo), &bounds);
        assert_eq!(taken, take(&repo, &repo.folder, &bounds), "at most {files_max} files");
    }
    let settings = repo.temp.path().join("gitconfig");
    fs::write(settings, "[status]\n\tshowUntrackedFiles = no\n").unwrap();
    let asking = repo.ours().asking(&repo.folder, PATIENCE);
    assert_eq!(asking.snapshot(SystemTime::now()).state, repo.capture(), "what the user hides is there");
    let taken = asking.take(&index_copy(&repo), &BOUNDS);
    assert_eq!((&taken, &taken.error), (&take(&repo, &repo.folder, &BOUNDS), &None));
    assert!(named(&taken).contains(&('A', "a new/deep/one.txt")), "{taken:?}");
}

#[test]
fn what_moved_since_a_snapshot_is_asked_again() {
    let repo = Repo::with_commit();
    repo.write("alpha.txt", "changed\n");
    let asking = repo.ours().asking(&repo.folder, PATIENCE);
    assert_eq!(asking.snapshot(SystemTime::now()).state.changed_files, 1);
    repo.commit("another one").write("beta.txt", "changed\n");
    let taken = asking.take(&index_copy(&repo), &BOUNDS);
    assert_eq!((taken.head.as_deref(), named(&taken)), (Some(&*repo.head()), vec![('M', "beta.txt")]));

    let other = Repo::with_commit();
    other.write("alpha.txt", "changed\n");
    let asking = repo.ours().asking(&repo.folder, PATIENCE);
    assert_eq!(asking.snapshot(SystemTime::now()).state.status, " M beta.txt");
    fs::rename(repo.folder.join(".git"), repo.temp.path().join("away")).unwrap();
    repo.git_in(&other.folder, &["worktree", "add", "-q", "--detach", "linked"]);
    fs::rename(other.folder.join("linked/.git"), repo.folder.join(".git")).unwrap();
    let taken = asking.take(&repo.temp.path().join("no index"), &BOUNDS);
    assert!(taken.error.is_some_and(|why| why.starts_with("git was not asked: ")), "it is not believed");
}

#[test]
fn all_questions_share_one_deadline() {
    let repo = Repo::with_commit();
    repo.write("alpha.txt", "changed\n");
    let calls = repo.temp.path().join("calls");
    let script = format!("echo call >> {}; exec sleep 1000", calls.display());
    let asking =
        Git::new(fake_git(repo.temp.path(), &script)).asking(&repo.folder, Duration::from_millis(500));
    let snapshot = asking.snapshot(SystemTime::now());
    assert_eq!(snapshot.state.error.as_deref(), Some("git did not answer within 500 ms"));
    let so_far = fs::read_to_string(&calls).unwrap();
    let taken = asking.take(&index_copy(&repo), &BOUNDS);
    assert_eq!(taken.error.as_deref(), Some("git did not answer within 500 ms"));
    assert_eq!(asking.diff_trees(&repo.head(), &repo.head()), None);
    assert_eq!(fs::read_to_string(&calls).unwrap(), so_far, "git is not started any more");
}
