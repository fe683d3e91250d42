//! A repository whose configuration names programs: none of them runs, whatever we ask.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use throughline_git::{Bounds, Then, index_file};

use crate::repo::{PATIENCE, Repo};

const BOUNDS: Bounds =
    Bounds { files_max: 100, file_bytes_max: 1 << 20, total_bytes_max: 10 << 20, with_content: true };

/// A program that leaves a trace, and the trace.
fn trap(repo: &Repo) -> (String, PathBuf) {
    let (program, trace) = (repo.temp.path().join("trap"), repo.temp.path().join("ran"));
    fs::write(&program, format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\n", trace.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    (program.to_string_lossy().into_owned(), trace)
}

/// Everything that this room can ask of git.
fn ask_everything(repo: &Repo, folder: &Path) {
    let git = repo.ours();
    let head = repo.head();
    let _ = git.capture(folder, PATIENCE);
    let _ = git.snapshot(folder, SystemTime::now(), PATIENCE);
    let _ = git.changes_since(folder, &head, PATIENCE);
    let _ = git.is_tracked(folder, Path::new("alpha.txt"));
    let _ = git.top_level_exclude_path(folder);
    let _ = git.named_programs(folder);
    let copy = repo.temp.path().join("copied-index");
    for with_content in [false, true] {
        let _ = fs::remove_file(&copy);
        if let Some(index) = index_file(folder).filter(|index| index.exists()) {
            fs::copy(index, &copy).unwrap();
        }
        let taken = git.take(folder, &copy, &Bounds { with_content, ..BOUNDS }, PATIENCE);
        let Some(tree) = taken.tree.clone() else { continue };
        let _ = git.keep_tree(folder, "a", &tree, PATIENCE);
        let _ = git.kept_trees(folder);
        let _ = git.diff_trees(folder, &head, &tree, PATIENCE);
        repo.write("alpha.txt", "third\n").write("other.secret", "third\n");
        let _ = fs::copy(index_file(folder).unwrap(), &copy);
        let now = git.take(folder, &copy, &BOUNDS, PATIENCE);
        let then = Then { head: Some(&head), tree: &tree, touched: &[] };
        if let Ok(plan) = git.plan_restore(folder, &then, &now, PATIENCE) {
            let aside = repo.temp.path().join(format!("aside-{with_content}"));
            let _ = fs::remove_dir_all(&aside);
            fs::create_dir(&aside).unwrap();
            let _ = fs::remove_file(repo.temp.path().join("new-index"));
            let _ = git.write_restored(&plan, &repo.temp.path().join("new-index"), &aside, PATIENCE);
        }
        let _ = git.forget_trees(folder, &["a".to_owned()]);
    }
}

/// A repository in which every file differs and passes through whatever is configured.
fn prepared() -> Repo {
    let repo = Repo::with_commit();
    repo.write("other.secret", "one\n").commit("second");
    repo.write(".gitattributes", "* filter=f diff=d\n*.secret filter=a=b\n").commit("attributes");
    repo.write("alpha.txt", "changed\n").write("other.secret", "changed\n").write("new.txt", "new\n");
    repo
}

#[test]
fn no_program_that_the_repository_names_is_started() {
    let keys = [
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "core.editor",
        "core.askPass",
        "core.gitProxy",
        "core.alternateRefsCommand",
        "diff.external",
        "diff.d.command",
        "diff.d.textconv",
        "filter.f.clean",
        "filter.f.smudge",
        "filter.f.process",
        "filter.a=b.clean",
        "filter.a=b.smudge",
        "credential.helper",
        "gpg.program",
        "gpg.ssh.program",
        "pager.status",
        "pager.log",
        "pager.diff",
        "alias.status",
        "uploadpack.packObjectsHook",
        "trailer.x.command",
        "interactive.diffFilter",
    ];
    for key in keys {
        let repo = prepared();
        let (program, trace) = trap(&repo);
        repo.git(&["config", key, &program]);
        if key.starts_with("filter.") {
            let filter = key.rsplit_once('.').unwrap().0;
            repo.git(&["config", &format!("{filter}.required"), "true"]);
        }
        ask_everything(&repo, &repo.folder);
        let ran = fs::read_to_string(&trace).unwrap_or_default();
        assert_eq!(ran, "", "{key}");
    }
}

type Hide = fn(&Repo, &str);

#[test]
fn filters_are_found_wherever_the_repository_hides_them() {
    let section = |program: &str| format!("[filter \"f\"]\n\tclean = {program}\n\tsmudge = {program}\n");
    let hidden: [(&str, Hide); 4] = [
        ("another case", |repo, text| {
            let config = repo.folder.join(".git/config");
            let old = fs::read_to_string(&config).unwrap();
            fs::write(config, old + &text.replace("filter", "FilTer")).unwrap();
        }),
        ("an included file", |repo, text| {
            repo.write("included", text).git(&["config", "include.path", "../included"]);
        }),
        ("an included file, if", |repo, text| {
            repo.write("included", text).git(&[
                "config",
                &format!("includeIf.gitdir:{}/.path", repo.folder.display()),
                "../included",
            ]);
        }),
        ("a working tree's configuration", |repo, text| {
            repo.git(&["config", "extensions.worktreeConfig", "true"]);
            fs::write(repo.folder.join(".git/config.worktree"), text).unwrap();
        }),
    ];
    for (what, hide) in hidden {
        let repo = prepared();
        let (program, trace) = trap(&repo);
        hide(&repo, &section(&program));
        ask_everything(&repo, &repo.folder);
        assert_eq!(fs::read_to_string(&trace).unwrap_or_default(), "", "{what}");
        // A `.git` that is no repository is passed over by git, so it is by us.
        fs::create_dir_all(repo.folder.join("inner/.git")).unwrap();
        fs::write(repo.folder.join("inner/.git/config"), "[core]\n").unwrap();
        ask_everything(&repo, &repo.folder.join("inner"));
        assert_eq!(fs::read_to_string(&trace).unwrap_or_default(), "", "{what}, from an inner folder");
        // The trap is a real one.
        repo.git(&["add", "-A"]);
        assert_ne!(fs::read_to_string(&trace).unwrap_or_default(), "", "{what}");
    }
}

#[test]
fn hooks_of_the_repository_are_not_started() {
    let repo = prepared();
    let (program, trace) = trap(&repo);
    fs::create_dir_all(repo.folder.join(".git/hooks")).unwrap();
    for hook in ["post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman"] {
        fs::copy(&program, repo.folder.join(".git/hooks").join(hook)).unwrap();
    }
    ask_everything(&repo, &repo.folder);
    assert_eq!(fs::read_to_string(&trace).unwrap_or_default(), "");
    repo.git(&["update-ref", "refs/heads/x", "HEAD"]);
    assert_ne!(fs::read_to_string(&trace).unwrap_or_default(), "", "the trap is a real one");
}

#[test]
fn a_submodule_is_not_entered() {
    let library = Repo::with_commit();
    let repo = Repo::with_commit();
    let source = library.folder.to_string_lossy().into_owned();
    repo.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &source, "library"]);
    repo.commit("with library");
    let (program, trace) = trap(&repo);
    let inside = repo.folder.join("library");
    repo.git_in(&inside, &["config", "filter.f.clean", &program]);
    repo.write("library/.gitattributes", "* filter=f\n").write("library/alpha.txt", "changed\n");
    ask_everything(&repo, &repo.folder);
    assert_eq!(fs::read_to_string(&trace).unwrap_or_default(), "");
    // A status may tell by the sizes alone; a difference needs the content.
    repo.git_in(&inside, &["diff"]);
    assert_ne!(fs::read_to_string(&trace).unwrap_or_default(), "", "the trap is a real one");
}

#[test]
fn a_folder_that_poses_as_a_bare_repository_is_none() {
    let repo = prepared();
    let (program, trace) = trap(&repo);
    let inner = repo.folder.join("inner");
    repo.git(&["init", "-q", "--bare", "inner"]);
    for (key, value) in [("core.bare", "false"), ("core.worktree", ".."), ("core.fsmonitor", &program)] {
        repo.git(&["--git-dir", inner.to_str().unwrap(), "config", key, value]);
    }
    ask_everything(&repo, &inner);
    assert_eq!(fs::read_to_string(&trace).unwrap_or_default(), "");
}

#[test]
fn a_working_tree_elsewhere_is_not_looked_at() {
    let repo = prepared();
    let elsewhere = repo.temp.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("private.txt"), "x").unwrap();
    repo.git(&["config", "core.worktree", elsewhere.to_str().unwrap()]);
    let state = repo.capture();
    assert!(!format!("{state:?}").contains("private.txt"), "{state:?}");
    assert!(state.error.unwrap().contains("was not asked: the repository puts its working tree elsewhere"));
}

#[test]
fn files_behind_a_filter_of_the_repository_are_left_out_and_the_users_own_filter_works() {
    let repo = prepared();
    repo.git(&["config", "filter.a=b.clean", "tr a-z n-za-m"]);
    let copy = repo.temp.path().join("copied-index");
    fs::copy(index_file(&repo.folder).unwrap(), &copy).unwrap();
    let taken = repo.ours().take(&repo.folder, &copy, &BOUNDS, PATIENCE);
    assert_eq!((taken.error, taken.left_out_count), (None, 1));
    assert_eq!(taken.left_out, ["other.secret"]);
    let names: Vec<&str> = taken.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(names, ["alpha.txt", "new.txt"]);

    let repo = prepared();
    let settings = repo.temp.path().join("settings-of-the-user");
    fs::write(&settings, "[filter \"f\"]\n\tclean = tr a-z n-za-m\n").unwrap();
    fs::copy(index_file(&repo.folder).unwrap(), repo.temp.path().join("copied-index")).unwrap();
    let git = repo.ours().env("GIT_CONFIG_GLOBAL", &settings);
    let taken = git.take(&repo.folder, &repo.temp.path().join("copied-index"), &BOUNDS, PATIENCE);
    let tree = taken.tree.unwrap();
    assert_eq!(repo.git(&["show", &format!("{tree}:alpha.txt")]), "punatrq\n");
}

#[test]
fn what_the_repository_names_can_be_told() {
    let repo = Repo::with_commit();
    assert_eq!(repo.ours().named_programs(&repo.folder), Vec::<String>::new());
    repo.git(&["config", "core.fsmonitor", "x"]);
    repo.git(&["config", "filter.f.clean", "x"]);
    repo.git(&["config", "remote.origin.url", "x"]);
    assert_eq!(repo.ours().named_programs(&repo.folder), ["core.fsmonitor", "filter.f.clean"]);
}
