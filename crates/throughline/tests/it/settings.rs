//! `init` and `uninstall`: what is written where, shown first, given back byte for byte.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};
use throughline_testkit::process::program_under_test;

use crate::scene::{BINARY, Scene, program};

const LOCAL: &str = ".claude/settings.local.json";
const SHARED: &str = ".claude/settings.json";

fn settings(scene: &Scene, path: &str) -> Value {
    serde_json::from_str(&scene.home.read(path)).unwrap()
}

#[test]
fn init_writes_the_local_settings() {
    let scene = Scene::with_git();
    let said = scene.ok(&["init"]);
    assert!(said.contains("settings.local.json") && said.contains("next:"), "{said}");
    assert!(said.contains("offered, not taken"), "{said}");
    let written = settings(&scene, LOCAL);
    let events: Vec<&String> = written["hooks"].as_object().unwrap().keys().collect();
    for event in [
        "SessionStart",
        "UserPromptSubmit",
        "PostToolBatch",
        "PreCompact",
        "SubagentStart",
        "SubagentStop",
        "PostCompact",
        "Stop",
        "SessionEnd",
        "TaskCreated",
        "TaskCompleted",
    ] {
        assert!(events.iter().any(|it| *it == event), "{event}: {events:?}");
        let hook = &written["hooks"][event][0]["hooks"][0];
        assert_eq!(hook["type"], "command");
        assert_eq!(hook["command"], *program_under_test(Path::new(BINARY)).to_string_lossy());
        assert_eq!(hook["args"], json!(["hook"]));
        assert!(hook["timeout"].as_u64().unwrap() <= 20, "{hook}");
        assert!(hook.get("async").is_none(), "never async");
    }
    assert!(written.get("permissions").is_none(), "permission rules are offered, never taken");
    assert!(!scene.home.project().join(SHARED).exists());
    assert!(scene.home.read(".claude/commands/context-compact.md").contains("/compact"));
    assert!(scene.home.read(".claude/commands/throughline.md").contains("`throughline next`"));
    assert_eq!(scene.home.git(&["status", "--porcelain"]), "", "git sees none of it");
    assert!(scene.home.read(".git/info/exclude").contains(".claude/unified-session-state.json"));
}

#[test]
fn init_twice_changes_nothing() {
    let scene = Scene::with_git();
    scene.ok(&["init"]);
    let before = scene.home.read(LOCAL);
    assert!(scene.ok(&["init"]).contains("is up to date"));
    assert_eq!(scene.home.read(LOCAL), before);
    assert_eq!(scene.home.read(".git/info/exclude").matches("throughline: begin").count(), 1);
}

#[test]
fn shared_settings_name_no_machine() {
    let scene = Scene::with_git();
    scene.ok(&["init", "--shared"]);
    let text = scene.home.read(SHARED);
    assert!(!text.contains(scene.home.root().to_str().unwrap()) && !text.contains(BINARY), "{text}");
    assert!(!scene.home.project().join(LOCAL).exists());
    scene.ok(&["uninstall", "--shared"]);
    assert!(!scene.home.project().join(SHARED).exists());
}

#[test]
fn user_settings_are_the_clients_own_folder() {
    let scene = Scene::with_git();
    scene.ok(&["init", "--user"]);
    assert!(scene.home.claude_config().join("settings.json").exists());
    assert!(!scene.home.project().join(LOCAL).exists());
    for command in ["context-compact", "throughline"] {
        assert!(scene.home.claude_config().join(format!("commands/{command}.md")).exists());
    }
    scene.ok(&["uninstall", "--user"]);
    assert!(!scene.home.claude_config().join("commands").exists());
    assert!(!scene.home.claude_config().join("settings.json").exists());
    assert!(scene.fails(2, &["init", "--user", "--shared"]).contains("cannot be used with"));
}

#[test]
fn a_dry_run_shows_the_difference_and_writes_nothing() {
    let scene = Scene::with_git();
    scene.home.write(LOCAL, "{\n  \"model\": \"opus\"\n}\n");
    let before = crate::scene::files_under(&scene.home.project());
    let diff = scene.ok(&["init", "--dry-run"]);
    assert!(diff.contains("+  \"hooks\": {") || diff.contains("+++"), "{diff}");
    assert!(diff.lines().any(|line| line.starts_with('+') && line.contains("SessionStart")), "{diff}");
    for line in ["+++ ", "+# throughline: begin", "+.claude/unified-session-state.json*"] {
        assert!(diff.lines().any(|shown| shown.starts_with(line)), "{line}: {diff}");
    }
    for file in ["commands/context-compact.md", "commands/throughline.md", ".git/info/exclude"] {
        let is_head = |line: &str| line.starts_with("+++ ") && line.ends_with(file);
        assert!(diff.lines().any(is_head), "{file}: {diff}");
    }
    assert_eq!(scene.home.read(LOCAL), "{\n  \"model\": \"opus\"\n}\n");
    assert_eq!(crate::scene::files_under(&scene.home.project()), before);
    scene.ok(&["init"]);
    let diff = scene.ok(&["uninstall", "--dry-run"]);
    assert!(diff.lines().any(|line| line.starts_with('-') && line.contains("SessionStart")), "{diff}");
    for file in ["commands/context-compact.md", "commands/throughline.md", ".git/info/exclude"] {
        let is_head = |line: &str| line.starts_with("--- ") && line.ends_with(file);
        assert!(diff.lines().any(is_head), "{file} goes too: {diff}");
        assert!(
            scene.home.project().join(file).exists()
                || scene.home.project().join(".claude").join(file).exists()
        );
    }
    assert!(settings(&scene, LOCAL)["hooks"].is_object(), "nothing was removed");
}

#[test]
fn uninstall_gives_the_file_back_byte_for_byte() {
    for original in [
        "{}",
        "{ }\n",
        "{\n\t\"model\": \"opus\"\n}",
        "\u{feff}{\r\n  \"model\": \"opus\",\r\n  \"permissions\": {\"allow\": [\"Bash(ls)\"]}\r\n}\r\n",
        "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"say done\"}]}]},\"z\":1,\"a\":2}",
        "\n\n  {\"unicode\": \"\\u00e9 é\", \"n\": 1.0, \"big\": 12345678901234567890}  \n\n",
        "{\"statusLine\":{\"type\":\"command\",\"command\":\"my-line --x\"},\"hooks\":{}}",
    ] {
        let scene = Scene::with_git();
        scene.home.write(LOCAL, original);
        let path = scene.home.project().join(LOCAL);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        scene.ok(&["init"]);
        assert_ne!(scene.home.read(LOCAL), original);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        scene.ok(&["init"]);
        let said = scene.ok(&["uninstall"]);
        assert!(said.contains("what was recorded stays"), "{said}");
        assert_eq!(scene.home.read(LOCAL), original, "{original:?}");
        assert!(!scene.home.project().join(".claude/commands").exists());
        let said = scene.ok(&["uninstall"]);
        assert!(said.contains("has no entries of ours"), "{said}");
        assert_eq!(scene.home.read(LOCAL), original);
    }
}

#[test]
fn a_file_that_was_not_there_is_gone_again() {
    let scene = Scene::with_git();
    scene.ok(&["init"]);
    scene.ok(&["uninstall"]);
    assert!(!scene.home.project().join(LOCAL).exists());
    assert!(!scene.home.project().join(".claude").exists(), "nor is the folder left that we made for it");
    assert!(scene.ok(&["uninstall"]).contains("nothing to remove"));
    assert!(
        !scene.home.read(".git/info/exclude").contains("throughline"),
        "nothing was recorded: nothing to exclude"
    );
}

#[test]
fn what_changed_in_between_stays() {
    let scene = Scene::with_git();
    scene.home.write(LOCAL, "{\"model\": \"opus\"}");
    scene.ok(&["init"]);
    let mut changed = settings(&scene, LOCAL);
    changed["model"] = json!("sonnet");
    changed["hooks"]["Stop"]
        .as_array_mut()
        .unwrap()
        .push(json!({"hooks": [{"type": "command", "command": "say done"}]}));
    changed["hooks"]["Notification"] = json!([{"hooks": [{"type": "command", "command": "beep"}]}]);
    scene.home.write(LOCAL, &serde_json::to_string_pretty(&changed).unwrap());
    scene.ok(&["uninstall"]);
    let left = settings(&scene, LOCAL);
    assert_eq!(left["model"], "sonnet");
    assert_eq!(left["hooks"]["Stop"], json!([{"hooks": [{"type": "command", "command": "say done"}]}]));
    assert_eq!(left["hooks"]["Notification"][0]["hooks"][0]["command"], "beep");
    assert!(!left.to_string().contains("throughline"), "{left}");
}

#[test]
fn what_was_recorded_survives_uninstall_and_stays_out_of_git() {
    let scene = Scene::with_git();
    scene.ok(&["init"]);
    scene.ok(&["add", "decision", "use SQLite"]);
    scene.ok(&["uninstall"]);
    assert!(scene.ok(&["list"]).contains("use SQLite"));
    assert_eq!(scene.home.git(&["status", "--porcelain"]), "");
}

#[test]
fn bad_json_is_refused_with_the_line() {
    let scene = Scene::with_git();
    let bad = "{\n  \"model\": \"opus\",\n  \"hooks\": {,}\n}\n";
    scene.home.write(LOCAL, bad);
    for verb in ["init", "uninstall"] {
        let said = scene.fails(1, &[verb]);
        assert!(said.contains("line 3") && said.contains("nothing was changed"), "{said}");
        assert_eq!(scene.home.read(LOCAL), bad);
    }
    scene.home.write(LOCAL, "{\"hooks\": [1]}");
    let said = scene.fails(1, &["init"]);
    assert!(said.contains("line 1"), "{said}");
    assert_eq!(scene.home.read(LOCAL), "{\"hooks\": [1]}");
}

#[test]
fn a_backup_is_kept() {
    let scene = Scene::with_git();
    scene.home.write(LOCAL, "{\"model\": \"opus\"}");
    let output = scene.run(&["init"]);
    assert!(output.stderr.contains("a copy of the file as it was is kept at"), "{}", output.stderr);
    scene.ok(&["uninstall"]);
    let kept = crate::scene::files_under(&scene.home.data().join("installs"));
    assert!(kept.iter().any(|file| fs::read(file).unwrap() == b"{\"model\": \"opus\"}"), "{kept:?}");
}

#[test]
fn a_foreign_command_file_is_left_alone() {
    for name in ["context-compact", "throughline"] {
        let scene = Scene::with_git();
        let path = format!(".claude/commands/{name}.md");
        scene.home.write(&path, "my own command\n");
        let dry = scene.run(&["init", "--dry-run"]);
        assert!(dry.stderr.contains("is not ours and would be left as it is"), "{}", dry.stderr);
        let output = scene.run(&["init"]);
        assert!(output.stderr.contains("is not ours and was left as it is"), "{}", output.stderr);
        scene.ok(&["uninstall"]);
        assert_eq!(scene.home.read(&path), "my own command\n");
        let left = crate::scene::files_under(&scene.home.project().join(".claude/commands"));
        assert_eq!(left.len(), 1, "ours are gone: {left:?}");
    }
}

#[test]
fn an_old_client_gets_what_it_understands() {
    let mut scene = Scene::with_git();
    let programs = scene.home.root().join("programs");
    program(&programs, "claude", "echo '2.0.20 (Claude Code)'");
    scene.home.add_path_dir(&programs);
    scene.ok(&["init"]);
    let written = settings(&scene, LOCAL);
    let hook = &written["hooks"]["SessionStart"][0]["hooks"][0];
    assert!(hook.get("args").is_none() && hook["command"].as_str().unwrap().contains(" hook"), "{hook}");
    assert!(written["hooks"].get("PostToolBatch").is_none(), "{written}");
}

#[test]
fn a_client_that_hangs_does_not_hold_init() {
    let mut scene = Scene::with_git();
    let programs = scene.home.root().join("programs");
    program(&programs, "claude", "exec sleep 63");
    scene.home.add_path_dir(&programs);
    let output = scene.run(&["init"]);
    output.assert_success();
    assert!(output.took.as_secs() < 15, "{:?}", output.took);
    assert!(settings(&scene, LOCAL)["hooks"].is_object());
}

#[test]
fn uninstall_says_that_our_lines_stay_while_there_is_something_to_keep_out_of_git() {
    let scene = Scene::with_git();
    scene.ok(&["init"]);
    scene.ok(&["add", "decision", "use SQLite"]);
    let said = scene.run(&["uninstall"]);
    assert!(said.stderr.contains("our lines stay in") && said.stderr.contains("exclude"), "{}", said.stderr);
    assert!(scene.home.read(".git/info/exclude").contains("throughline: begin"));
}

#[test]
fn the_exclude_file_keeps_its_other_lines() {
    let scene = Scene::with_git();
    let exclude = scene.home.project().join(".git/info/exclude");
    fs::write(&exclude, "*.swp\nsecret").unwrap();
    scene.ok(&["init"]);
    let text = fs::read_to_string(&exclude).unwrap();
    assert!(text.starts_with("*.swp\nsecret\n# throughline: begin 9\n"), "{text}");
    scene.ok(&["uninstall"]);
    assert_eq!(fs::read_to_string(&exclude).unwrap().trim_end(), "*.swp\nsecret");
}

/// Lines that a later version brings arrive in the block of an earlier one; what somebody changed in it stays so.
#[test]
fn an_older_block_in_the_exclude_file_gets_what_is_new() {
    let scene = Scene::with_git();
    let exclude = scene.home.project().join(".git/info/exclude");
    let older = "*.swp\n# throughline: begin\n.claude/sessions/\nmine\n# throughline: end\nsecret\n";
    fs::write(&exclude, older).unwrap();
    let told = scene.ok(&["init", "--dry-run"]);
    assert!(told.contains("+.claude/checkpoints/"), "{told}");
    assert_eq!(fs::read_to_string(&exclude).unwrap(), older);
    scene.ok(&["init"]);
    let text = fs::read_to_string(&exclude).unwrap();
    assert!(text.starts_with("*.swp\n# throughline: begin 9\n.claude/sessions/\nmine\n.claude/"), "{text}");
    assert!(text.ends_with(".claude/logs/\n# throughline: end\nsecret\n"), "{text}");
    for line in [".claude/sessions/", ".claude/checkpoints/", ".claude/settings.local.json", "mine"] {
        assert_eq!(text.lines().filter(|known| *known == line).count(), 1, "{line}: {text}");
    }
    let without = text.replace(".claude/checkpoints/\n", "");
    fs::write(&exclude, &without).unwrap();
    scene.ok(&["init"]);
    assert_eq!(fs::read_to_string(&exclude).unwrap(), without, "what somebody took out stays out");
    fs::write(&exclude, "# throughline: begin\nno end\n").unwrap();
    scene.ok(&["init"]);
    assert_eq!(
        fs::read_to_string(&exclude).unwrap(),
        "# throughline: begin\nno end\n",
        "nobody knows what is ours"
    );
}

#[test]
fn in_a_linked_worktree_the_repositorys_exclude_file_is_used() {
    let scene = Scene::with_git();
    let linked = scene.home.root().join("linked tree");
    scene.home.git(&["worktree", "add", "--quiet", "-b", "linked", linked.to_str().unwrap()]);
    let output = scene.run(&["--project", linked.to_str().unwrap(), "init"]);
    output.assert_success();
    assert!(linked.join(LOCAL).exists());
    scene
        .run(&["--project", linked.to_str().unwrap(), "add", "decision", "in the linked tree"])
        .assert_success();
    let status = scene.home.git(&["-C", linked.to_str().unwrap(), "status", "--porcelain"]);
    assert!(!status.contains("unified-session-state"), "{status}");
}

#[test]
fn linked_settings_stay_links() {
    let scene = Scene::with_git();
    let dotfiles = scene.home.root().join("dotfiles.json");
    fs::write(&dotfiles, "{}").unwrap();
    fs::create_dir_all(scene.home.claude_config()).unwrap();
    std::os::unix::fs::symlink(&dotfiles, scene.home.claude_config().join("settings.json")).unwrap();
    scene.ok(&["init", "--user"]);
    assert!(scene.home.claude_config().join("settings.json").is_symlink());
    assert!(fs::read_to_string(&dotfiles).unwrap().contains("SessionStart"));
    scene.ok(&["uninstall", "--user"]);
    assert_eq!(fs::read_to_string(&dotfiles).unwrap(), "{}");
}

#[test]
fn uninstalling_from_one_file_tells_of_the_others() {
    let scene = Scene::new();
    scene.ok(&["init", "--user"]);
    let output = scene.run(&["uninstall"]);
    output.assert_success();
    assert!(
        output.stderr.contains("still registered") && output.stderr.contains("--user"),
        "{}",
        output.stderr
    );
    let output = scene.run(&["uninstall", "--user"]);
    output.assert_success();
    assert!(!output.stderr.contains("still registered"), "{}", output.stderr);
}
