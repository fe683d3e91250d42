//! Which project is meant: top levels, subfolders, worktrees, the home folder, and names that are hard to spell.

use std::fs;
use std::path::{Path, PathBuf};

use throughline_testkit::{Output, payload, process};

use crate::scene::{BINARY, STATE, Scene};

fn run_in(scene: &Scene, folder: &Path, args: &[&str], stdin: &str) -> Output {
    let mut command = scene.home.command(Path::new(BINARY));
    command.args(args).current_dir(folder);
    let output = process::run(&mut command, stdin.as_bytes(), std::time::Duration::from_secs(30));
    output.assert_success();
    output
}

fn start_in(scene: &Scene, folder: &Path, session: &str) -> String {
    let mut payload = payload::session_start(&scene.home, session, "compact");
    payload["cwd"] = serde_json::json!(folder);
    run_in(scene, folder, &["hook"], &payload.to_string()).stdout
}

#[test]
fn a_subfolder_belongs_to_its_top_level() {
    let scene = Scene::with_git();
    let below = scene.home.project().join("a/b c/d");
    fs::create_dir_all(&below).unwrap();
    run_in(&scene, &below, &["add", "decision", "from below"], "");
    assert_eq!(scene.state()["decisions"][0]["decision"], "from below");
    assert!(!below.join(".claude").exists());
    assert!(start_in(&scene, &below, "s1").contains("from below"));
}

/// Sandboxes of agents leave such folders behind, in `/tmp` above all.
#[test]
fn a_git_folder_that_is_empty_makes_no_project_of_all_below_it() {
    let scene = Scene::new();
    fs::create_dir(scene.home.root().join(".git")).unwrap();
    scene.ok(&["add", "decision", "of this project"]);
    assert!(scene.state_path().exists(), "git goes on upwards there, too");
    assert!(!scene.home.root().join(".claude").exists());
}

#[test]
fn a_folder_that_was_removed_belongs_to_no_project_and_says_so() {
    let scene = Scene::new();
    let mut command = scene.home.command(Path::new("sh"));
    command.args(["-c", "mkdir gone && cd gone && rmdir ../gone && exec \"$0\" list", BINARY]);
    let output = process::run(&mut command, b"", std::time::Duration::from_secs(30));
    assert_eq!(output.status.code(), Some(1), "{}", output.stdout);
    assert!(output.stderr.contains("could not tell the current folder: it was removed"), "{}", output.stderr);
}

#[test]
fn the_project_is_pinned_for_the_session() {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    let elsewhere = scene.home.root().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    assert!(
        start_in(&scene, &elsewhere, "s1").contains("use SQLite"),
        "the agent moved; its project did not"
    );
    assert_eq!(start_in(&scene, &elsewhere, "s2"), "");
}

#[test]
fn the_clients_word_for_the_project_counts() {
    let mut scene = Scene::with_git();
    let inner = scene.home.project().join("packages/inner");
    fs::create_dir_all(&inner).unwrap();
    scene.home.set_env("CLAUDE_PROJECT_DIR", &inner);
    scene.ok(&["add", "decision", "of the inner package"]);
    assert!(inner.join(STATE).exists() && !scene.state_path().exists());
    scene.home.set_env("CLAUDE_PROJECT_DIR", "/no/such/folder");
    scene.ok(&["add", "decision", "of the whole"]);
    assert!(scene.state_path().exists(), "a folder that is none is as good as unset");
}

#[test]
fn a_linked_worktree_is_a_project_of_its_own() {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "of the main tree"]);
    let linked = scene.home.root().join("linked");
    scene.home.git(&["worktree", "add", "--quiet", linked.to_str().unwrap()]);
    run_in(&scene, &linked, &["add", "decision", "of the linked tree"], "");
    let main = scene.ok(&["list"]);
    assert!(main.contains("of the main tree") && !main.contains("of the linked tree"), "{main}");
    let other = run_in(&scene, &linked, &["list"], "").stdout;
    assert!(other.contains("D1 of the linked tree") && !other.contains("of the main tree"), "{other}");
}

#[test]
fn worktrees_share_one_memory_where_that_is_set() {
    let scene = Scene::with_git();
    fs::create_dir_all(scene.home.config().join("throughline")).unwrap();
    fs::write(
        scene.home.config().join("throughline/throughline.toml"),
        "[project]\nshare_worktrees = true\n",
    )
    .unwrap();
    scene.ok(&["add", "decision", "of the main tree"]);
    let linked = scene.home.root().join("linked");
    scene.home.git(&["worktree", "add", "--quiet", linked.to_str().unwrap()]);
    run_in(&scene, &linked, &["add", "decision", "of the linked tree"], "");
    assert!(!linked.join(".claude").exists());
    assert!(scene.ok(&["list"]).contains("D2 of the linked tree"));
    assert!(start_in(&scene, &linked, "s1").contains("of the main tree"));
    // Git can write relative pointers too.
    let name = linked.file_name().unwrap().to_str().unwrap();
    fs::write(linked.join(".git"), format!("gitdir: ../project/.git/worktrees/{name}\n")).unwrap();
    let other = scene.home.root().join("other");
    fs::create_dir(&other).unwrap();
    let listed = run_in(&scene, &other, &["--project", linked.to_str().unwrap(), "list"], "").stdout;
    assert!(listed.contains("of the main tree"), "{listed}");
}

#[test]
fn the_home_folders_own_files_go_to_the_data_folder() {
    let scene = Scene::new();
    let home = scene.home.user();
    run_in(&scene, &home, &["add", "decision", "at home"], "");
    assert!(!home.join(".claude/unified-session-state.json").exists());
    assert!(scene.project_data().join("files/unified-session-state.json").exists());
    assert!(start_in(&scene, &home, "s1").contains("at home"));
    let mut payload = payload::pre_compact(&scene.home, "s1", "auto", None);
    payload["cwd"] = serde_json::json!(home);
    assert!(run_in(&scene, &home, &["hook"], &payload.to_string()).stdout.contains("at home"));
    let strays: Vec<PathBuf> = crate::scene::files_under(&home);
    assert_eq!(strays, Vec::<PathBuf>::new());
}

#[test]
fn names_that_are_hard_to_spell_are_no_trouble() {
    for name in ["with space", "ünïcödé 😀", "new\nline", "quote'\"$(x)`", "-dash", "trailing.", "percent%41"]
    {
        let scene = Scene::new();
        let folder = scene.home.root().join(name);
        fs::create_dir(&folder).unwrap();
        scene.home.git(&["init", "--quiet", "--initial-branch=main", folder.to_str().unwrap()]);
        fs::write(folder.join("a file"), "x").unwrap();
        run_in(&scene, &folder, &["init"], "");
        run_in(&scene, &folder, &["add", "decision", "spelled"], "");
        run_in(&scene, &folder, &["save"], "");
        let state: serde_json::Value =
            serde_json::from_slice(&fs::read(folder.join(STATE)).unwrap()).unwrap();
        assert_eq!(state["git"]["branch"], "main", "{name:?}: {}", state["git"]);
        assert!(state["git"]["status"].as_str().unwrap().contains("a file"), "{name:?}: {}", state["git"]);
        assert!(start_in(&scene, &folder, "s1").contains("spelled"), "{name:?}");
        run_in(&scene, &folder, &["status"], "");
        run_in(&scene, &folder, &["uninstall"], "");
        assert!(!folder.join(".claude/settings.local.json").exists());
    }
}

#[test]
fn a_name_that_is_no_text_is_no_trouble() {
    use std::os::unix::ffi::OsStrExt;
    let scene = Scene::new();
    let folder = scene.home.root().join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir(&folder).unwrap();
    run_in(&scene, &folder, &["add", "decision", "spelled"], "");
    assert!(run_in(&scene, &folder, &["list", "--all"], "").stdout.contains("spelled"));
}

#[test]
fn the_same_folder_through_a_link_is_the_same_project() {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    let link = scene.home.root().join("link");
    std::os::unix::fs::symlink(scene.home.project(), &link).unwrap();
    assert!(run_in(&scene, &link, &["list"], "").stdout.contains("use SQLite"));
    assert!(scene.ok(&["--project", link.to_str().unwrap(), "list"]).contains("use SQLite"));
    scene.project_data();
    let said = scene.fails(1, &["--project", "/no/such/folder", "list"]);
    assert!(said.contains("hint:"), "{said}");
}

#[test]
fn two_projects_of_the_same_name_do_not_mix() {
    let scene = Scene::new();
    for (parent, words) in [("one", "of the first"), ("two", "of the second")] {
        let folder = scene.home.root().join(parent).join("app");
        fs::create_dir_all(&folder).unwrap();
        assert_eq!(run_in(&scene, &folder, &["add", "decision", words], "").stdout, "D1 recorded\n");
    }
    let listed = run_in(&scene, &scene.home.root().join("one/app"), &["list", "--all"], "").stdout;
    assert!(listed.contains("of the first") && !listed.contains("of the second"), "{listed}");
}

#[test]
fn in_a_shared_memory_git_is_asked_where_the_work_is() {
    let scene = Scene::with_git();
    scene.home.configure("[project]\nshare_worktrees = true\n");
    let linked = scene.home.root().join("linked");
    scene.home.git(&["worktree", "add", "--quiet", "-b", "side", linked.to_str().unwrap()]);
    let linked = fs::canonicalize(&linked).unwrap();
    let hook = |mut payload: serde_json::Value| {
        payload["cwd"] = serde_json::json!(linked);
        run_in(&scene, &linked, &["hook"], &payload.to_string());
    };
    hook(payload::session_start(&scene.home, "s1", "startup"));
    fs::write(linked.join("wip.txt"), "work\n").unwrap();
    let left = run_in(&scene, &linked, &["away", "--json"], "");
    let left: serde_json::Value = serde_json::from_str(&left.stdout).unwrap();
    assert_eq!(left["uncommittedFiles"], 1, "{left}");
    let git = |args: &[&str]| {
        let at = ["-C", linked.to_str().unwrap()];
        scene.home.git(&[&at[..], args].concat())
    };
    git(&["add", "wip.txt"]);
    git(&["commit", "--quiet", "--message=made in the worktree"]);
    hook(payload::stop(&scene.home, "s1", "done"));
    let page = scene.home.read(".claude/sessions/s1/notes.md");
    assert!(page.contains("made in the worktree"), "{page}");
    let latest = scene.json(&["checkpoint", "show", "latest", "--json"]);
    assert_eq!(
        (latest["type"].as_str(), latest["git"]["branch"].as_str()),
        (Some("commit"), Some("side")),
        "{latest}"
    );
    assert!(!linked.join(".claude").exists(), "one memory");
}

/// A clone that says it is a worktree of another project, which does not list it.
#[test]
fn a_forged_worktree_neither_reads_nor_writes_another_projects_memory() {
    let scene = Scene::with_git();
    fs::create_dir_all(scene.home.config().join("throughline")).unwrap();
    let shared = "[project]\nshare_worktrees = true\n";
    fs::write(scene.home.config().join("throughline/throughline.toml"), shared).unwrap();
    scene.ok(&["add", "decision", "of the victim"]);
    let victim = fs::canonicalize(scene.home.project()).unwrap().join(".git");
    let forged = scene.home.root().join("forged");
    let git_folder = forged.join("inner/worktrees/x");
    fs::create_dir_all(&git_folder).unwrap();
    fs::write(forged.join(".git"), "gitdir: inner/worktrees/x\n").unwrap();
    fs::write(git_folder.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(git_folder.join("gitdir"), format!("{}\n", forged.join(".git").display())).unwrap();
    fs::write(git_folder.join("commondir"), format!("{}\n", victim.display())).unwrap();
    run_in(&scene, &forged, &["add", "decision", "of the forger"], "");
    let theirs = run_in(&scene, &forged, &["list"], "").stdout;
    assert!(theirs.contains("of the forger") && !theirs.contains("of the victim"), "{theirs}");
    assert!(!start_in(&scene, &forged, "s1").contains("of the victim"));
    assert!(!scene.ok(&["list"]).contains("of the forger"));
    // Nor does anything of it reach the victim's git folder.
    let exclude = fs::read_to_string(victim.join("info/exclude")).unwrap_or_default();
    let before =
        exclude.lines().filter(|line| line.contains("throughline") || line.contains(".claude")).count();
    run_in(&scene, &forged, &["checkpoint", "create"], "");
    let exclude = fs::read_to_string(victim.join("info/exclude")).unwrap_or_default();
    let after =
        exclude.lines().filter(|line| line.contains("throughline") || line.contains(".claude")).count();
    assert_eq!(before, after, "{exclude}");
    assert_eq!(scene.home.git(&["for-each-ref", "refs/throughline"]), "");
}
