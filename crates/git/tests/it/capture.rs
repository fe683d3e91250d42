//! What `capture` tells about repositories in every shape.

use std::fs;

use throughline_domain::git_state::{MODIFIED_FILES_MAX, STATUS_LINES_MAX};
use throughline_git::Git;

use crate::repo::{PATIENCE, Repo, fake_git, isolated};

#[test]
fn a_usual_repository_is_told_in_full() {
    let repo = Repo::with_commit();
    repo.write("gamma.txt", "1\n2\n3\n");
    repo.git(&["add", "gamma.txt"]);
    repo.write("beta.txt", "changed\n").write("new.txt", "");
    let state = repo.capture();
    assert_eq!(state.error, None);
    assert_eq!(state.branch.as_deref(), Some("main"));
    assert_eq!(state.status, " M beta.txt\nA  gamma.txt\n?? new.txt");
    assert_eq!(state.changed_files, 3);
    assert_eq!(state.staged_changes, "1 file changed, 3 insertions(+)");
    assert_eq!(state.head.as_deref(), Some(repo.head().as_str()));
    assert_eq!(state.recent_commits, [format!("{} first", &repo.head()[..7])]);
    assert_eq!(state.modified_files, ["beta.txt", "gamma.txt", "new.txt", "alpha.txt"]);
}

/// The whole output was trimmed once, and ` M alpha.txt` became `M alpha.txt`, then `lpha.txt`.
#[test]
fn the_first_porcelain_line_keeps_its_first_letter() {
    let repo = Repo::with_commit();
    repo.write("alpha.txt", "changed\n");
    let state = repo.capture();
    assert_eq!(state.status, " M alpha.txt");
    assert_eq!(state.modified_files[0], "alpha.txt");
}

/// A buffer of 1 MiB overflowed once, and the section said "unknown".
#[test]
fn more_than_a_mebibyte_of_status_does_not_void_the_section() {
    let repo = Repo::with_commit();
    let names: Vec<String> =
        (0..30_000).map(|n| format!("a-file-with-quite-a-long-name-number-{n:05}.txt")).collect();
    for name in &names {
        fs::File::create(repo.folder.join(name)).unwrap();
    }
    assert!(repo.git(&["status", "--porcelain"]).len() > 1 << 20);
    let state = repo.capture();
    assert_eq!(state.error, None);
    assert_eq!(state.changed_files, 30_000);
    assert_eq!(state.status.lines().count(), STATUS_LINES_MAX);
    assert_eq!(state.status.lines().next(), Some(format!("?? {}", names[0]).as_str()));
    assert_eq!(state.modified_files.len(), MODIFIED_FILES_MAX);
    assert_eq!((state.branch.as_deref(), state.recent_commits.len()), (Some("main"), 1));
}

/// `git log` fails there, and with it the whole section was "unknown".
#[test]
fn a_repository_without_commits_keeps_branch_and_status() {
    let repo = Repo::empty();
    repo.write("staged.txt", "one\n");
    repo.git(&["add", "staged.txt"]);
    repo.write("new.txt", "");
    let state = repo.capture();
    assert_eq!(state.error, None);
    assert_eq!(state.branch.as_deref(), Some("main"));
    assert_eq!(state.status, "A  staged.txt\n?? new.txt");
    assert_eq!(state.staged_changes, "1 file changed, 1 insertion(+)");
    assert_eq!((state.recent_commits.len(), state.head), (0, None));
}

#[test]
fn a_detached_head_is_named_and_the_rest_is_there() {
    let repo = Repo::with_commit();
    repo.git(&["checkout", "-q", "--detach"]);
    repo.write("alpha.txt", "changed\n");
    let state = repo.capture();
    assert_eq!(state.branch, Some(format!("(detached at {})", &repo.head()[..7])));
    assert_eq!((state.error, state.status.as_str()), (None, " M alpha.txt"));
}

#[test]
fn conflicts_renames_and_deletions_have_their_letters() {
    let repo = Repo::with_commit();
    repo.write("long.txt", "a line that is long enough\nto be recognised\n").commit("second");
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.write("alpha.txt", "side\n").commit("side");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("alpha.txt", "main\n").commit("main");
    repo.git_stops(&["merge", "side"]);
    repo.git(&["mv", "long.txt", "moved.txt"]);
    repo.git(&["rm", "-q", "beta.txt"]);
    let state = repo.capture();
    assert_eq!(state.status, "D  beta.txt\nR  long.txt -> moved.txt\nUU alpha.txt");
    assert_eq!(state.changed_files, 3);
    assert!(!state.modified_files.contains(&"long.txt".to_owned()) || state.modified_files[1] == "moved.txt");
}

#[test]
fn files_of_the_last_five_commits_follow_the_dirty_ones_each_once() {
    let repo = Repo::with_commit();
    for n in 1..=6 {
        repo.write(&format!("file{n}.txt"), "x")
            .write("always.txt", &n.to_string())
            .commit(&format!("commit {n}"));
    }
    repo.write("file6.txt", "dirty");
    let state = repo.capture();
    let expected = ["file6.txt", "always.txt", "file5.txt", "file4.txt", "file3.txt", "file2.txt"];
    assert_eq!(state.modified_files, expected);
    let subjects: Vec<&str> = state.recent_commits.iter().map(|commit| &commit[8..]).collect();
    assert_eq!(subjects, ["commit 6", "commit 5", "commit 4", "commit 3", "commit 2"]);
}

#[test]
fn a_folder_inside_the_repository_tells_the_whole_repository() {
    let repo = Repo::with_commit();
    repo.write("deep/er/file.txt", "x").commit("deep").write("alpha.txt", "changed\n");
    repo.git(&["config", "diff.relative", "true"]);
    repo.git(&["config", "status.relativePaths", "true"]);
    let state = repo.ours().capture(&repo.folder.join("deep/er"), PATIENCE);
    assert_eq!(state.status, " M alpha.txt");
    assert_eq!(state.modified_files, ["alpha.txt", "deep/er/file.txt", "beta.txt"]);
}

#[test]
fn settings_of_the_user_do_not_change_what_is_told() {
    let repo = Repo::with_commit();
    repo.write("gamma.txt", "x\n");
    repo.git(&["add", "gamma.txt"]);
    let plain = repo.capture();
    for (name, value) in [
        ("color.ui", "always"),
        ("color.status", "always"),
        ("color.diff", "always"),
        ("status.short", "true"),
        ("status.branch", "true"),
        ("status.showStash", "true"),
        ("log.showSignature", "true"),
        ("log.decorate", "full"),
        ("log.date", "relative"),
        ("format.pretty", "fuller"),
        ("diff.external", "false"),
        ("diff.noprefix", "true"),
        ("core.pager", "false"),
        ("core.quotepath", "true"),
        ("notes.displayRef", "*"),
    ] {
        repo.git(&["config", name, value]);
    }
    assert_eq!(repo.capture(), plain);
}

#[test]
fn a_linked_worktree_tells_its_own_branch_and_status() {
    let repo = Repo::with_commit();
    repo.git(&["worktree", "add", "-q", "-b", "topic", "../linked"]);
    let linked = repo.folder.join("../linked");
    fs::write(linked.join("alpha.txt"), "changed\n").unwrap();
    let state = repo.ours().capture(&linked, PATIENCE);
    assert_eq!((state.branch.as_deref(), state.status.as_str()), (Some("topic"), " M alpha.txt"));
    assert_eq!(repo.capture().status, "");
}

#[test]
fn a_submodule_is_one_entry_and_a_repository_of_its_own() {
    let library = Repo::with_commit();
    let repo = Repo::with_commit();
    let source = library.folder.to_string_lossy().into_owned();
    repo.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &source, "library"]);
    repo.commit("with library").write("library/alpha.txt", "changed\n");
    // Git would have to start itself in there, with that repository's settings.
    assert_eq!(repo.capture().status, "");
    let inside = repo.ours().capture(&repo.folder.join("library"), PATIENCE);
    assert_eq!((inside.error, inside.status.as_str()), (None, " M alpha.txt"));
    repo.git_in(&repo.folder.join("library"), &["commit", "-q", "-a", "-m", "moved"]);
    assert_eq!(repo.capture().status, " M library");
}

#[test]
fn a_repository_with_sha256_ids_is_told_in_full() {
    let repo = Repo::init(&["--object-format=sha256"]);
    repo.write("alpha.txt", "x\n").commit("first").write("alpha.txt", "y\n");
    repo.git(&["add", "alpha.txt"]);
    let state = repo.capture();
    assert_eq!((state.error, state.status.as_str()), (None, "M  alpha.txt"));
    assert_eq!(state.head.map(|id| id.len()), Some(64));
    assert_eq!(state.recent_commits.len(), 1);
    assert_eq!(state.staged_changes, "1 file changed, 1 insertion(+), 1 deletion(-)");
}

#[test]
fn a_hook_of_git_s_own_does_not_lead_us_to_its_repository() {
    let (repo, other) = (Repo::with_commit(), Repo::empty());
    let dot_git = other.folder.join(".git");
    let git = repo
        .ours()
        .env("GIT_DIR", &dot_git)
        .env("GIT_WORK_TREE", &other.folder)
        .env("GIT_INDEX_FILE", dot_git.join("index"))
        .env("GIT_PREFIX", "x/");
    assert_eq!(git.capture(&repo.folder, PATIENCE), repo.capture());
    assert_eq!(repo.capture().recent_commits.len(), 1);
}

#[test]
fn capturing_never_writes_the_index() {
    let repo = Repo::with_commit();
    let index = repo.folder.join(".git/index");
    // Same content, new time: git would like to note that in the index.
    repo.write("alpha.txt", "alpha\n");
    let before = fs::read(&index).unwrap();
    assert_eq!(repo.capture().status, "");
    assert_eq!(fs::read(&index).unwrap(), before);
}

#[test]
fn staged_changes_are_asked_while_the_status_still_runs_and_only_if_there_may_be_some() {
    let repo = Repo::with_commit();
    let diary = repo.temp.path().join("diary");
    let script = format!(
        "case \" $* \" in *' status '*) sleep 1; git \"$@\"; echo status ended >> {0};; \
         *' diff '*) echo diff started >> {0}; exec git \"$@\";; *) exec git \"$@\";; esac",
        diary.display()
    );
    let git = isolated(Git::new(fake_git(repo.temp.path(), &script)), repo.temp.path());
    repo.write("alpha.txt", "changed\n").write("new.txt", "");
    assert_eq!(git.capture(&repo.folder, PATIENCE).staged_changes, "");
    assert_eq!(fs::read_to_string(&diary).unwrap(), "status ended\n");
    repo.git(&["add", "alpha.txt"]);
    assert_eq!(git.capture(&repo.folder, PATIENCE), repo.capture());
    assert_eq!(fs::read_to_string(&diary).unwrap(), "status ended\ndiff started\nstatus ended\n");
    // Staged without a trace in the index file: asked when the status has told it.
    repo.commit("second").git(&["reset", "-q", "--soft", "HEAD~1"]);
    assert_eq!(
        git.capture(&repo.folder, PATIENCE).staged_changes,
        "2 files changed, 1 insertion(+), 1 deletion(-)"
    );
    assert!(fs::read_to_string(&diary).unwrap().ends_with("status ended\ndiff started\n"));
}
