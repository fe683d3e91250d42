//! Folders that are missing, read-only, files, or links to elsewhere: a hook ends well, a verb says what is wrong.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use throughline_testkit::{Output, payload, process};

use crate::scene::{BINARY, STATE, Scene, files_under};

fn recorded() -> Scene {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    scene
}

fn life_of_a_session(scene: &Scene, session: &str) -> Vec<Value> {
    vec![
        payload::session_start(&scene.home, session, "startup"),
        payload::user_prompt_submit(&scene.home, session, "go"),
        payload::post_tool_batch(&scene.home, session, &[]),
        payload::pre_compact(&scene.home, session, "manual", Some("keep names")),
        payload::subagent_stop(&scene.home, session, "", "summary"),
        payload::session_start(&scene.home, session, "compact"),
        payload::post_compact(&scene.home, session, "manual", "summary"),
        payload::stop(&scene.home, session, "done"),
        payload::session_end(&scene.home, session, "other"),
    ]
}

#[test]
fn without_a_home_a_hook_is_silent_and_a_verb_explains() {
    let mut scene = recorded();
    for name in ["HOME", "THROUGHLINE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR"] {
        scene.home.remove_env(name);
    }
    for payload in life_of_a_session(&scene, "s1") {
        assert_eq!(scene.hook(&payload), "");
    }
    let said = scene.fails(1, &["add", "decision", "x"]);
    assert!(said.contains("neither THROUGHLINE_HOME nor HOME") && said.contains("hint:"), "{said}");
    scene.home.set_env("HOME", "relative/path");
    assert!(scene.fails(1, &["list"]).contains("neither"), "a relative path is no home");
}

#[test]
fn the_home_folder_alone_is_enough() {
    let mut scene = Scene::with_git();
    scene.home.remove_env("THROUGHLINE_HOME");
    scene.home.remove_env("XDG_CONFIG_HOME");
    scene.ok(&["add", "decision", "use SQLite"]);
    assert!(scene.home.user().join(".local/share/throughline/throughline.db").exists());
    scene.home.set_env("XDG_DATA_HOME", scene.home.root().join("xdg"));
    scene.ok(&["list", "--all"]);
    assert!(scene.home.root().join("xdg/throughline").exists());
}

#[test]
fn a_data_folder_that_is_a_file_stops_verbs_not_hooks() {
    let mut scene = recorded();
    let file = scene.home.root().join("a-file");
    fs::write(&file, "not a folder").unwrap();
    scene.home.set_env("THROUGHLINE_HOME", &file);
    let before = fs::read(scene.state_path()).unwrap();
    for payload in life_of_a_session(&scene, "s1") {
        scene.hook(&payload);
    }
    let said = scene.fails(1, &["add", "decision", "x"]);
    assert!(said.contains("a-file") && said.contains("hint:"), "{said}");
    assert_eq!(fs::read(scene.state_path()).unwrap(), before);
    assert_eq!(fs::read(&file).unwrap(), b"not a folder");
}

#[test]
fn a_state_file_that_is_a_folder_is_an_error_and_no_loss() {
    let scene = Scene::with_git();
    fs::create_dir_all(scene.state_path().join("inner")).unwrap();
    for payload in life_of_a_session(&scene, "s1") {
        scene.hook(&payload);
    }
    let said = scene.fails(1, &["add", "decision", "x"]);
    assert!(said.contains("directory") && said.contains("hint:"), "{said}");
    assert!(scene.state_path().join("inner").exists());
}

#[test]
fn a_state_file_that_is_a_pipe_is_an_error_at_once() {
    let scene = Scene::with_git();
    fs::create_dir_all(scene.home.project().join(".claude")).unwrap();
    scene.home.run(Path::new("/usr/bin/mkfifo"), &[STATE], "").assert_success();
    for payload in life_of_a_session(&scene, "s1") {
        let output = scene.hook_run(payload.to_string());
        assert!(output.took < Duration::from_secs(3), "{:?}", output.took);
    }
    let said = scene.fails(1, &["add", "decision", "x"]);
    assert!(said.contains("not a regular file"), "{said}");
}

/// Runs the binary as somebody who may not write everywhere: root may.
fn as_nobody(scene: &Scene, args: &[&str], stdin: &str) -> Output {
    // Another user must be able to start it; the build folder may be closed to others.
    let open_place = tempfile::tempdir().unwrap();
    fs::set_permissions(open_place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let binary = open_place.path().join("throughline");
    process::copy_program(Path::new(BINARY), &binary);
    let mut command = scene.home.command(&binary);
    command.args(args);
    if rustix::process::geteuid().is_root() {
        command.uid(65_534).gid(65_534);
    }
    process::run(&mut command, stdin.as_bytes(), Duration::from_secs(20))
}

fn set_modes(folder: &Path, folder_mode: u32, file_mode: u32) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            set_modes(&entry, folder_mode, file_mode);
        } else if !entry.is_symlink() {
            fs::set_permissions(&entry, fs::Permissions::from_mode(file_mode)).unwrap();
        }
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(folder_mode)).unwrap();
}

/// A scene in which nobody may write, and everybody may read.
fn read_only() -> Scene {
    let scene = recorded();
    set_modes(scene.home.root(), 0o555, 0o444);
    scene
}

fn writable_again(scene: &Scene) {
    set_modes(scene.home.root(), 0o755, 0o644);
}

#[test]
fn where_nothing_can_be_written_a_hook_still_tells_what_it_knows() {
    let scene = read_only();
    let before: Vec<PathBuf> = files_under(scene.home.root());
    for payload in life_of_a_session(&scene, "s1") {
        let output = as_nobody(&scene, &["hook"], &payload.to_string());
        output.assert_success();
        assert_eq!(output.stderr, "");
        if payload["source"] == "compact" {
            assert!(output.stdout.contains("use SQLite"), "{}", output.stdout);
        }
    }
    let output = as_nobody(&scene, &["add", "decision", "x"], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        output.stderr.contains("denied") && output.stderr.contains("nothing was lost"),
        "{}",
        output.stderr
    );
    let output = as_nobody(&scene, &["list"], "");
    output.assert_success();
    assert!(output.stdout.contains("use SQLite"));
    assert_eq!(files_under(scene.home.root()), before);
    writable_again(&scene);
}

#[test]
fn a_project_that_cannot_be_written_loses_nothing() {
    let scene = recorded();
    set_modes(scene.home.root(), 0o777, 0o666);
    set_modes(&scene.home.project().join(".claude"), 0o555, 0o444);
    let output = as_nobody(&scene, &["add", "decision", "second"], "");
    assert_eq!(output.status.code(), Some(1), "{}", output.stdout);
    assert!(output.stderr.contains("unified-session-state.json"), "{}", output.stderr);
    for payload in life_of_a_session(&scene, "s1") {
        as_nobody(&scene, &["hook"], &payload.to_string()).assert_success();
    }
    assert_eq!(scene.state()["decisions"].as_array().unwrap().len(), 1);
    writable_again(&scene);
    // What was not acknowledged may come or not; what was, stays.
    assert!(scene.ok(&["list"]).contains("use SQLite"));
    let said = scene.ok(&["add", "decision", "third"]);
    assert!(said == "D2 recorded\n" || said == "D3 recorded\n", "{said}");
}

/// The summary is made in any case: what it should keep is said though nothing can be saved.
#[test]
fn before_a_compaction_is_said_what_to_keep_though_the_project_cannot_be_written() {
    let scene = recorded();
    set_modes(scene.home.root(), 0o777, 0o666);
    set_modes(&scene.home.project().join(".claude"), 0o555, 0o444);
    for (trigger, focus) in [("auto", None), ("manual", Some("keep the parser's names"))] {
        let payload = payload::pre_compact(&scene.home, "s1", trigger, focus);
        let output = as_nobody(&scene, &["hook"], &payload.to_string());
        output.assert_success();
        assert!(output.stdout.contains("[throughline:preserve]"), "{trigger}: {}", output.stdout);
        assert!(output.stdout.contains("use SQLite"), "{trigger}: {}", output.stdout);
    }
    writable_again(&scene);
}

#[test]
fn a_state_file_that_is_a_link_out_of_the_project_is_refused() {
    let scene = Scene::with_git();
    let outside = scene.home.root().join("outside.json");
    fs::write(&outside, r#"{"version":"2.0.0","decisions":[{"id":"D1","decision":"elsewhere"}]}"#).unwrap();
    let before = fs::read(&outside).unwrap();
    fs::create_dir(scene.home.project().join(".claude")).unwrap();
    symlink(&outside, scene.state_path()).unwrap();
    for verb in [vec!["add", "decision", "x"], vec!["list"], vec!["save"], vec!["fresh"]] {
        let said = scene.fails(1, &verb);
        assert!(said.contains("link") && said.contains("hint:"), "{said}");
    }
    for payload in life_of_a_session(&scene, "s1") {
        assert!(!scene.hook(&payload).contains("elsewhere"));
    }
    assert_eq!(fs::read(&outside).unwrap(), before);
    fs::remove_file(scene.state_path()).unwrap();
    symlink(scene.home.root().join("not-there-yet.json"), scene.state_path()).unwrap();
    assert!(scene.fails(1, &["add", "decision", "x"]).contains("link"));
    assert!(!scene.home.root().join("not-there-yet.json").exists());
}

#[test]
fn nothing_is_written_through_a_claude_folder_that_leaves_the_project() {
    let scene = Scene::with_git();
    let outside = scene.home.root().join("outside");
    fs::create_dir(&outside).unwrap();
    symlink(&outside, scene.home.project().join(".claude")).unwrap();
    assert!(scene.fails(1, &["add", "decision", "x"]).contains("link"));
    for payload in life_of_a_session(&scene, "s1") {
        scene.hook(&payload);
    }
    assert_eq!(files_under(&outside), Vec::<PathBuf>::new());
}

#[test]
fn nothing_is_written_through_a_sessions_folder_that_leaves_the_project() {
    let scene = recorded();
    let outside = scene.home.root().join("outside");
    fs::create_dir(&outside).unwrap();
    let _ = fs::remove_dir_all(scene.home.project().join(".claude/sessions"));
    symlink(&outside, scene.home.project().join(".claude/sessions")).unwrap();
    for payload in life_of_a_session(&scene, "s1") {
        scene.hook(&payload);
    }
    assert_eq!(files_under(&outside), Vec::<PathBuf>::new());
    assert_eq!(scene.state()["trigger"], "precompact", "the save does not depend on it");
}

#[test]
fn a_snapshot_that_is_a_link_is_replaced_not_followed() {
    let scene = recorded();
    let outside = scene.home.root().join("precious.txt");
    fs::write(&outside, "precious").unwrap();
    symlink(&outside, scene.home.project().join(".claude/compaction-snapshot.md")).unwrap();
    symlink(&outside, scene.home.project().join(".claude/session-state.md")).unwrap();
    scene.hook(&payload::pre_compact(&scene.home, "s1", "auto", None));
    let text = scene.hook(&payload::session_start(&scene.home, "s1", "compact"));
    assert!(!text.contains("precious"), "a link is not read either: {text}");
    assert_eq!(fs::read_to_string(&outside).unwrap(), "precious");
    assert!(!scene.home.project().join(".claude/compaction-snapshot.md").is_symlink());
}

#[test]
fn links_inside_the_project_are_refused_too() {
    let scene = Scene::with_git();
    fs::create_dir(scene.home.project().join("kept")).unwrap();
    symlink("kept", scene.home.project().join(".claude")).unwrap();
    let said = scene.fails(1, &["add", "decision", "through a linked folder"]);
    assert!(said.contains("link") && said.contains("hint:"), "{said}");
    assert_eq!(files_under(&scene.home.project().join("kept")), Vec::<PathBuf>::new());
    let other = Scene::with_git();
    let state = r#"{"version":"2.0.0"}"#;
    other.home.write("kept/state.json", state);
    fs::create_dir(other.home.project().join(".claude")).unwrap();
    symlink("../kept/state.json", other.state_path()).unwrap();
    assert!(other.fails(1, &["add", "decision", "through a linked file"]).contains("link"));
    assert_eq!(other.home.read("kept/state.json"), state);
}

/// Every file below a folder, as it is; of a link to nowhere, nothing.
fn content_of(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let content = |path: PathBuf| (path.clone(), fs::read(&path).unwrap_or_default());
    files_under(folder).into_iter().map(content).collect()
}

#[test]
fn nothing_is_written_or_removed_through_links_that_leave_the_project_by_init_or_uninstall() {
    let way: [(&str, &str, &[&str]); 8] = [
        (".claude/commands", "commands", &[]),
        (".claude/settings.local.json", "settings.json", &[]),
        (".claude/settings.json", "settings.json", &["--shared"]),
        (".claude/settings.local.json", "not-there-yet.json", &[]),
        (".claude/commands/throughline.md", "not-there-yet.md", &[]),
        (".claude", "commands", &[]),
        (".claude", "commands", &["--shared"]),
        (".mcp.json", "settings.json", &["--mcp"]),
    ];
    for (link, target, flags) in way {
        let scene = Scene::with_git();
        let outside = scene.home.root().join("outside");
        fs::create_dir_all(outside.join("commands")).unwrap();
        fs::write(outside.join("settings.json"), "{\"model\":\"opus\"}").unwrap();
        let path = scene.home.project().join(link);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(outside.join(target), &path).unwrap();
        // What an earlier version wrote there: it is whole, and would be removed.
        let other = Scene::with_git();
        other.ok(&["init"]);
        for name in ["context-compact.md", "throughline.md"] {
            fs::copy(
                other.home.project().join(".claude/commands").join(name),
                outside.join("commands").join(name),
            )
            .unwrap();
        }
        let before = (content_of(&outside), content_of(&scene.home.project()));
        for verb in ["init", "uninstall"] {
            let flags: &[&str] =
                if verb == "uninstall" && flags == ["--mcp"] { &["--shared"] } else { flags };
            for trial in [&[][..], &["--dry-run"]] {
                let said = scene.fails(1, &[&[verb], flags, trial].concat());
                assert!(said.contains("link") && said.contains("nothing was changed"), "{said}");
                assert!(
                    said.contains(link) && said.contains(outside.join(target).to_str().unwrap()),
                    "{said}"
                );
            }
        }
        let after = (content_of(&outside), content_of(&scene.home.project()));
        assert_eq!(after, before, "{link}");
        assert!(path.is_symlink(), "{link}");
        let doctor = scene.run(&["doctor"]).stdout;
        let named = doctor.lines().find(|line| line.contains("links")).unwrap_or_default();
        assert!(named.contains(link), "{link}: {doctor}");
    }
}

#[test]
fn init_follows_links_of_the_user_s_own_folder_alone() {
    let scene = Scene::with_git();
    fs::create_dir_all(scene.home.project().join("kept/commands")).unwrap();
    fs::create_dir(scene.home.project().join(".claude")).unwrap();
    symlink("../kept/commands", scene.home.project().join(".claude/commands")).unwrap();
    symlink("../kept/settings.json", scene.home.project().join(".claude/settings.local.json")).unwrap();
    scene.home.write("kept/settings.json", "{}");
    assert!(scene.fails(1, &["init"]).contains("link"));
    assert_eq!(scene.home.read("kept/settings.json"), "{}");
    assert!(!scene.home.project().join("kept/commands/throughline.md").exists());
    let dotfiles = scene.home.root().join("dotfiles");
    fs::create_dir_all(&dotfiles).unwrap();
    let _ = fs::remove_dir_all(scene.home.claude_config());
    symlink(&dotfiles, scene.home.claude_config()).unwrap();
    scene.ok(&["init", "--user"]);
    assert!(dotfiles.join("settings.json").is_file() && dotfiles.join("commands/throughline.md").is_file());
    scene.ok(&["uninstall", "--user"]);
    assert!(!dotfiles.join("commands/throughline.md").exists());
}
