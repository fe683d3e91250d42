//! Repositories of every ordinary kind: without their configuration we tell what git tells with it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::SystemTime;

use throughline_git::{Bounds, index_file};

use crate::repo::{PATIENCE, Repo, isolated};

const BOUNDS: Bounds =
    Bounds { files_max: 100, file_bytes_max: 1 << 20, total_bytes_max: 10 << 20, with_content: true };

/// Everything that is told agrees with what git says of its own accord; what it says.
fn assert_told(repo: &Repo, folder: &Path, what: &str) -> String {
    let theirs = |args: &[&str]| repo.git_in(folder, args).trim_end_matches('\n').to_owned();
    let ignoring = "--ignore-submodules=dirty";
    let status = theirs(&["-c", "core.quotepath=false", "status", "--porcelain", ignoring]);
    let state = repo.ours().capture(folder, PATIENCE);
    assert_eq!((state.error.as_deref(), state.status.as_str()), (None, status.as_str()), "{what}");
    let log = theirs(&["log", "-5", "--format=%h %s"]);
    assert_eq!(state.recent_commits.join("\n"), log, "{what}");
    assert_eq!(state.head.unwrap(), theirs(&["rev-parse", "HEAD"]), "{what}");
    let branch = theirs(&["branch", "--show-current"]);
    assert_eq!(state.branch.unwrap(), branch, "{what}");
    let snapshot = repo.ours().snapshot(folder, SystemTime::now(), PATIENCE);
    let trimmed = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    assert_eq!(trimmed(&snapshot.diff_stat), trimmed(&theirs(&["diff", "--stat=100", ignoring])), "{what}");
    assert_eq!(
        trimmed(&snapshot.staged_stat),
        trimmed(&theirs(&["diff", "--cached", "--stat=100", ignoring])),
        "{what}"
    );
    status
}

/// A tree that is taken and kept is the one that git would commit.
fn assert_taken(repo: &Repo, folder: &Path, what: &str) {
    let copy = repo.temp.path().join("copied-index");
    let _ = fs::remove_file(&copy);
    fs::copy(index_file(folder).unwrap(), &copy).unwrap();
    let taken = repo.ours().asking(folder, PATIENCE).take(&copy, &BOUNDS);
    assert_eq!(taken.error, None, "{what}");
    let tree = taken.tree.unwrap();
    repo.ours().keep_tree(folder, "kept", &tree, PATIENCE).unwrap();
    assert_eq!(repo.ours().kept_trees(folder).unwrap(), ["kept"], "{what}");
    assert_eq!(
        repo.git_in(folder, &["rev-parse", "refs/throughline/checkpoints/kept"]).trim(),
        tree,
        "{what}"
    );
    repo.ours().forget_trees(folder, &["kept".to_owned()]).unwrap();
    assert_eq!(repo.git_in(folder, &["for-each-ref", "refs/throughline"]), "", "{what}");
    repo.git_in(folder, &["add", "-A"]);
    let theirs = repo.git_in(folder, &["write-tree"]);
    let ours = repo.git_in(folder, &["rev-parse", &format!("{tree}^{{tree}}")]);
    assert_eq!(ours, theirs, "{what}");
}

fn changed(repo: &Repo) {
    repo.write("staged.txt", "x\n").git(&["add", "staged.txt"]);
    repo.write("alpha.txt", "changed\n").write("new.txt", "new\n");
}

#[test]
fn the_form_of_ids_and_references_is_known() {
    for args in [&["--object-format=sha256"][..], &["--ref-format=reftable"], &[]] {
        let repo = Repo::init(args);
        repo.write("alpha.txt", "a\n").write("beta.txt", "b\n").commit("first");
        changed(&repo);
        let status = assert_told(&repo, &repo.folder, &format!("{args:?}"));
        assert_eq!(status, " M alpha.txt\nA  staged.txt\n?? new.txt");
        assert_taken(&repo, &repo.folder, &format!("{args:?}"));
        repo.git(&["worktree", "add", "-q", "-b", "side", "../linked"]);
        let linked = repo.folder.with_file_name("linked");
        repo.git_in(&linked, &["commit", "-q", "--allow-empty", "-m", "side"]);
        fs::write(linked.join("alpha.txt"), "changed in the linked one\n").unwrap();
        assert_eq!(assert_told(&repo, &linked, "linked"), " M alpha.txt");
        assert_taken(&repo, &linked, &format!("linked, {args:?}"));
    }
}

#[test]
fn an_unborn_branch_is_taken_whatever_the_form_of_ids() {
    for args in [&["--object-format=sha256"][..], &[]] {
        let repo = Repo::init(args);
        repo.write("first.txt", "1");
        let taken = repo.ours().asking(&repo.folder, PATIENCE).take(&repo.temp.path().join("copy"), &BOUNDS);
        assert_eq!((taken.error, taken.files.len()), (None, 1), "{args:?}");
    }
}

/// The content is looked at again: by the times alone a file would seem unchanged.
fn touch(path: &Path) {
    let later = SystemTime::now() + std::time::Duration::from_mins(1);
    fs::File::options().write(true).open(path).unwrap().set_modified(later).unwrap();
}

#[test]
fn line_ends_are_those_that_the_repository_is_set_to() {
    for (key, value) in [("core.autocrlf", "true"), ("core.autocrlf", "input"), ("core.AutoCRLF", "TRUE")] {
        let repo = Repo::empty();
        repo.git(&["config", key, value]);
        repo.write("dos.txt", "one\r\ntwo\r\n").commit("first");
        touch(&repo.folder.join("dos.txt"));
        assert_eq!(assert_told(&repo, &repo.folder, value), "");
        repo.write("dos.txt", "one\r\nthree\r\n");
        assert_eq!(assert_told(&repo, &repo.folder, value), " M dos.txt");
        assert_taken(&repo, &repo.folder, value);
    }
    let repo = Repo::empty();
    fs::create_dir_all(repo.folder.join(".git/info")).unwrap();
    fs::write(repo.folder.join(".git/info/attributes"), "*.txt text eol=crlf\n").unwrap();
    repo.write("dos.txt", "one\r\ntwo\r\n").commit("first");
    touch(&repo.folder.join("dos.txt"));
    assert_eq!(assert_told(&repo, &repo.folder, "attributes beside the tree"), "");
}

#[test]
fn modes_and_links_count_as_the_repository_is_set_to() {
    let repo = Repo::with_commit();
    fs::set_permissions(repo.folder.join("alpha.txt"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(assert_told(&repo, &repo.folder, "modes count"), " M alpha.txt");
    repo.git(&["config", "core.fileMode", "false"]);
    assert_eq!(assert_told(&repo, &repo.folder, "modes do not count"), "");
    repo.git(&["config", "core.fileMode", "nonsense = or worse"]);
    assert_eq!(repo.capture().status, " M alpha.txt", "what is neither yes nor no is left out");
}

#[test]
fn what_the_repository_alone_ignores_is_ignored() {
    let repo = Repo::with_commit();
    repo.write("noise.log", "x").write("new.txt", "x");
    fs::write(repo.folder.join(".git/info/exclude"), "# ours\n*.log\n").unwrap();
    assert_eq!(assert_told(&repo, &repo.folder, "exclude"), "?? new.txt");
}

#[test]
fn sparse_checkouts_are_told_as_they_are() {
    for args in [&["set", "a"][..], &["set", "--sparse-index", "a"], &["set", "--no-cone", "/a/*"]] {
        let repo = Repo::with_commit();
        repo.write("a/x.txt", "a\n").write("b/y.txt", "b\n").write("c/d/z.txt", "c\n").commit("more");
        repo.git(&[&["sparse-checkout"], args].concat());
        assert!(!repo.folder.join("b").exists());
        assert_eq!(assert_told(&repo, &repo.folder, &format!("{args:?}")), "");
        repo.write("a/x.txt", "changed\n");
        assert_eq!(assert_told(&repo, &repo.folder, &format!("{args:?}")), " M a/x.txt");
        assert_taken(&repo, &repo.folder, &format!("{args:?}"));
    }
}

#[test]
fn a_split_index_is_read_whole() {
    let repo = Repo::with_commit();
    repo.git(&["update-index", "--split-index"]);
    changed(&repo);
    assert_eq!(assert_told(&repo, &repo.folder, "split"), " M alpha.txt\nA  staged.txt\n?? new.txt");
    assert_taken(&repo, &repo.folder, "split");
}

#[test]
fn a_shallow_clone_and_one_that_borrows_objects_are_told() {
    let origin = Repo::with_commit();
    origin.write("alpha.txt", "second\n").commit("second");
    let source = format!("file://{}", origin.folder.display());
    origin.git(&["clone", "-q", "--depth=1", &source, "../shallow"]);
    origin.git(&["clone", "-q", "--shared", ".", "../shared"]);
    for name in ["shallow", "shared"] {
        let clone = origin.folder.with_file_name(name);
        fs::write(clone.join("alpha.txt"), "changed\n").unwrap();
        assert_eq!(assert_told(&origin, &clone, name), " M alpha.txt");
        assert_taken(&origin, &clone, name);
    }
}

#[test]
fn submodules_are_told_from_inside_and_from_outside() {
    let library = Repo::with_commit();
    let repo = Repo::with_commit();
    let source = library.folder.to_string_lossy().into_owned();
    repo.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &source, "lib/inner"]);
    repo.commit("with library").write("lib/inner/alpha.txt", "changed\n");
    assert_eq!(assert_told(&repo, &repo.folder, "outside"), "");
    let inside = repo.folder.join("lib/inner");
    assert_eq!(assert_told(&repo, &inside, "inside"), " M alpha.txt");
    assert_taken(&repo, &inside, "inside");
    repo.git(&["worktree", "add", "-q", "-b", "side", "../linked"]);
    let linked = repo.folder.with_file_name("linked");
    repo.git_in(&linked, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init"]);
    let inside = linked.join("lib/inner");
    repo.git_in(&inside, &["checkout", "-q", "-b", "topic"]);
    fs::write(inside.join("beta.txt"), "changed\n").unwrap();
    assert_eq!(assert_told(&repo, &inside, "of a linked worktree"), " M beta.txt");
}

#[test]
fn a_bare_repository_with_worktrees_is_told_in_each() {
    let repo = Repo::with_commit();
    repo.git(&["clone", "-q", "--bare", ".", "../all/.bare"]);
    let all = repo.folder.with_file_name("all");
    fs::write(all.join(".git"), "gitdir: ./.bare\n").unwrap();
    repo.git_in(&all, &["worktree", "add", "-q", "-b", "topic", "topic"]);
    fs::write(all.join("topic/alpha.txt"), "changed\n").unwrap();
    assert_eq!(assert_told(&repo, &all.join("topic"), "a worktree"), " M alpha.txt");
    assert_taken(&repo, &all.join("topic"), "a worktree");
    let error = repo.ours().capture(&all, PATIENCE).error.unwrap();
    assert_eq!(error, "git was not asked: it is a bare repository");
}

#[test]
fn a_merge_in_conflict_is_told() {
    let repo = Repo::with_commit();
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.write("alpha.txt", "side\n").commit("side");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("alpha.txt", "main\n").commit("main");
    repo.git_stops(&["merge", "side"]);
    assert_eq!(repo.capture().status, "UU alpha.txt");
    assert_eq!(repo.capture().branch.as_deref(), Some("main"));
}

#[test]
fn a_repository_that_cannot_be_read_whole_is_not_asked_and_says_why() {
    type Break = Box<dyn Fn(&Repo)>;
    let config = |repo: &Repo, text: &str| {
        let path = repo.folder.join(".git/config");
        let old = fs::read_to_string(&path).unwrap();
        fs::write(path, old + text).unwrap();
    };
    let broken: [(&str, Break); 8] = [
        ("longer than", Box::new(move |repo| config(repo, &"# long\n".repeat(200_000)))),
        ("cannot be read, line", Box::new(move |repo| config(repo, "[core\n"))),
        ("an extension that is not known", {
            Box::new(move |repo| config(repo, "[core]\nrepositoryformatversion = 1\n[extensions]\nnew = 1\n"))
        }),
        ("newer than", Box::new(move |repo| config(repo, "[core]\nrepositoryformatversion = 2\n"))),
        ("neither a branch nor a commit", {
            Box::new(|repo| fs::write(repo.folder.join(".git/HEAD"), "ref: refs/../x\n").unwrap())
        }),
        ("`exclude` is longer than", {
            let long = "x\n".repeat(1 << 20);
            Box::new(move |repo| fs::write(repo.folder.join(".git/info/exclude"), &long).unwrap())
        }),
        ("`index` is a link", Box::new(|repo| into_link(repo, "index"))),
        ("`objects` is a link", Box::new(|repo| into_link(repo, "objects"))),
    ];
    for (why, break_it) in broken {
        let repo = Repo::with_commit();
        break_it(&repo);
        let error = repo.capture().error.unwrap_or_default();
        assert!(error.starts_with("git was not asked: ") && error.contains(why), "{why}: {error}");
    }
}

fn into_link(repo: &Repo, name: &str) {
    let (path, away) = (repo.folder.join(".git").join(name), repo.temp.path().join(name));
    fs::rename(&path, &away).unwrap();
    std::os::unix::fs::symlink(&away, &path).unwrap();
}

/// Nothing of ours stays behind where temporary files are.
#[test]
fn the_temporary_folder_goes_again() {
    let repo = Repo::with_commit();
    let seen = repo.temp.path().join("seen");
    let script =
        format!("echo \"$GIT_DIR\" >> '{}'; ls -ld \"$GIT_DIR\" >> '{0}'; exec git \"$@\"", seen.display());
    let git = throughline_git::Git::new(crate::repo::fake_git(repo.temp.path(), &script));
    assert_eq!(isolated(git, repo.temp.path()).capture(&repo.folder, PATIENCE).error, None);
    let seen = fs::read_to_string(seen).unwrap();
    let (folders, modes): (Vec<&str>, Vec<&str>) = seen.lines().partition(|line| line.starts_with('/'));
    assert!(!folders.is_empty() && modes.iter().all(|mode| mode.starts_with("drwx------")), "{seen}");
    assert!(folders.iter().all(|folder| !Path::new(folder).exists()), "{seen}");
}
