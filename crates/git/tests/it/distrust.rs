//! A repository whose configuration names programs: none of them runs, whatever we ask.

use std::fs;

use throughline_git::{Bounds, index_file, named_programs};

use crate::repo::{PATIENCE, Repo, ask_everything, prepared, trap};

const BOUNDS: Bounds =
    Bounds { files_max: 100, file_bytes_max: 1 << 20, total_bytes_max: 10 << 20, with_content: true };

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
    let keys = ["filter.f.clean", "filter.f.process", "core.fsmonitor", "diff.external", "include.path"];
    for key in keys {
        let library = Repo::with_commit();
        let repo = Repo::with_commit();
        let source = library.folder.to_string_lossy().into_owned();
        repo.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &source, "library"]);
        repo.commit("with library");
        let (program, trace) = trap(&repo);
        let inside = repo.folder.join("library");
        let value = if key == "include.path" { "../../../../included" } else { &program };
        fs::write(repo.temp.path().join("included"), format!("[filter \"f\"]\n\tclean = {program}\n"))
            .unwrap();
        repo.git_in(&inside, &["config", key, value]);
        fs::copy(&program, repo.folder.join(".git/modules/library/hooks/post-index-change")).unwrap();
        // Another commit is checked out there, and a file is changed on top of it.
        repo.git_in(&inside, &["commit", "-q", "--allow-empty", "-m", "moved"]);
        let _ = fs::remove_file(&trace);
        repo.write("library/.gitattributes", "* filter=f\n").write("library/alpha.txt", "changed\n");
        ask_everything(&repo, &repo.folder);
        assert_eq!(fs::read_to_string(&trace).unwrap_or_default(), "", "{key}");
        ask_everything(&repo, &inside);
        assert_eq!(fs::read_to_string(&trace).unwrap_or_default(), "", "{key}, asked from inside");
        assert!(repo.capture().status.contains(" M library"), "{key}");
        // A status may tell by the sizes alone; a difference needs the content.
        repo.git_stops_or_not(&inside, &["diff"]);
        assert_ne!(fs::read_to_string(&trace).unwrap_or_default(), "", "{key}: the trap is a real one");
    }
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
    let taken = repo.ours().asking(&repo.folder, PATIENCE).take(&copy, &BOUNDS);
    assert_eq!((taken.error, taken.left_out_count), (None, 1));
    assert_eq!(taken.left_out, ["other.secret"]);
    let names: Vec<&str> = taken.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(names, ["alpha.txt", "new.txt"]);

    // So many that they are not known by name, and some that an included file defines: any may be one.
    let many: Vec<String> = (0..200).map(|n| format!("[filter \"f{n}\"]\n\tclean = x\n")).collect();
    for text in [many.concat().as_str(), "[include]\n\tpath = nowhere\n"] {
        let repo = prepared();
        let config = repo.folder.join(".git/config");
        fs::write(&config, fs::read_to_string(&config).unwrap() + text).unwrap();
        let copy = repo.temp.path().join("copied-index");
        fs::copy(index_file(&repo.folder).unwrap(), &copy).unwrap();
        let taken = repo.ours().asking(&repo.folder, PATIENCE).take(&copy, &BOUNDS);
        assert_eq!((taken.error, taken.left_out_count, taken.files.len()), (None, 3, 0));
    }

    let repo = prepared();
    let settings = repo.temp.path().join("settings-of-the-user");
    fs::write(&settings, "[filter \"f\"]\n\tclean = tr a-z n-za-m\n").unwrap();
    fs::copy(index_file(&repo.folder).unwrap(), repo.temp.path().join("copied-index")).unwrap();
    let git = repo.ours().env("GIT_CONFIG_GLOBAL", &settings);
    let taken = git.asking(&repo.folder, PATIENCE).take(&repo.temp.path().join("copied-index"), &BOUNDS);
    let tree = taken.tree.unwrap();
    assert_eq!(repo.git(&["show", &format!("{tree}:alpha.txt")]), "punatrq\n");
}

#[test]
fn what_the_repository_names_can_be_told() {
    let repo = Repo::with_commit();
    assert_eq!(named_programs(&repo.folder), Vec::<String>::new());
    repo.git(&["config", "core.fsmonitor", "x"]);
    repo.git(&["config", "filter.f.clean", "x"]);
    repo.git(&["config", "remote.origin.url", "x"]);
    assert_eq!(named_programs(&repo.folder), ["core.fsmonitor", "filter.f.clean"]);
}

/// A stand-in for a large file store: it puts content beside the repository's objects and a pointer into them.
#[test]
fn what_the_users_large_file_store_takes_is_kept_or_the_loss_is_said() {
    for has_folder in [true, false] {
        let repo = prepared();
        let settings = repo.temp.path().join("settings-of-the-user");
        let store = "mkdir -p \"$(git rev-parse --git-common-dir)/lfs\" && cat > \"$(git rev-parse --git-common-dir)/lfs/kept\" && echo pointer";
        fs::write(&settings, format!("[filter \"f\"]\n\tclean = {store:?}\n")).unwrap();
        if has_folder {
            fs::create_dir(repo.folder.join(".git/lfs")).unwrap();
        }
        let copy = repo.temp.path().join("copied-index");
        fs::copy(index_file(&repo.folder).unwrap(), &copy).unwrap();
        let git = repo.ours().env("GIT_CONFIG_GLOBAL", &settings);
        let taken = git.asking(&repo.folder, PATIENCE).take(&copy, &BOUNDS);
        if has_folder {
            let tree = taken.tree.unwrap();
            assert_eq!(repo.git(&["show", &format!("{tree}:alpha.txt")]), "pointer\n");
            assert!(repo.folder.join(".git/lfs/kept").exists());
        } else {
            assert_eq!(taken.tree, None);
            assert!(taken.error.unwrap().contains("large file store"));
        }
    }
}
