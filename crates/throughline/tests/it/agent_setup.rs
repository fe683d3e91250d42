//! `init --agent` and `uninstall --agent`: each client's own files, given back byte for byte, whatever they were.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;
use throughline_testkit::process::program_under_test;

use crate::scene::{BINARY, Scene, files_under};

/// Where each client's hooks are in a project, and what else `init --agent` makes there.
const HOOKS: [(&str, &str); 3] = [
    ("codex", ".codex/hooks.json"),
    ("gemini", ".gemini/settings.json"),
    ("opencode", ".opencode/plugin/throughline.js"),
];
const SKILL: &str = ".agents/skills/throughline/SKILL.md";

fn json(scene: &Scene, path: &str) -> Value {
    serde_json::from_str(&scene.home.read(path)).unwrap()
}

fn program() -> String {
    program_under_test(Path::new(BINARY)).to_string_lossy().into_owned()
}

/// A project with a repository and no page for any agent.
fn bare() -> Scene {
    let scene = Scene::with_git();
    scene.home.git(&["rm", "--quiet", "CLAUDE.md"]);
    scene.home.git(&["commit", "--quiet", "--allow-empty", "--message=no page"]);
    scene
}

fn is_gits(path: &Path) -> bool {
    path.iter().any(|name| name == ".git")
}

/// Every file and folder of the project but git's own, with its bytes.
fn tree(scene: &Scene) -> Vec<(String, Vec<u8>)> {
    fn walk(folder: &Path, top: &Path, found: &mut Vec<(String, Vec<u8>)>) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(top).unwrap().to_string_lossy().into_owned();
            if name == ".git" {
                continue;
            }
            if path.is_dir() {
                found.push((format!("{name}/"), Vec::new()));
                walk(&path, top, found);
            } else {
                found.push((name, fs::read(&path).unwrap()));
            }
        }
    }
    let mut found = Vec::new();
    walk(&scene.home.project(), &scene.home.project(), &mut found);
    found.push((
        "exclude".to_owned(),
        fs::read(scene.home.project().join(".git/info/exclude")).unwrap_or_default(),
    ));
    found.sort();
    found
}

#[test]
fn each_client_gets_its_hooks_in_its_own_file() {
    let scene = bare();
    let before = tree(&scene);
    for (agent, path) in HOOKS {
        let said = scene.ok(&["init", "--agent", agent]);
        assert!(said.contains(path) && said.contains("throughline doctor"), "{said}");
        let text = scene.home.read(path);
        assert!(text.contains(&program()), "{text}");
        assert!(scene.ok(&["init", "--agent", agent]).contains("is up to date"));
        assert_eq!(scene.home.read(path), text, "a second run changes nothing");
    }
    let codex = json(&scene, ".codex/hooks.json");
    let command = codex["hooks"]["SessionStart"][0]["hooks"][0]["command"].as_str().unwrap();
    assert_eq!(command, format!("'{}' hook --agent codex", program()));
    assert_eq!(codex.as_object().unwrap().len(), 1, "Codex ignores a file with any other name in it");
    let gemini = json(&scene, ".gemini/settings.json");
    let events: Vec<&String> = gemini["hooks"].as_object().unwrap().keys().collect();
    assert_eq!(events, ["SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd"]);
    let hook = &gemini["hooks"]["SessionStart"][0]["hooks"][0];
    assert!(hook["timeout"].as_u64().unwrap() >= 1_000, "milliseconds: {hook}");
    assert!(
        !scene.home.project().join(".claude/settings.local.json").exists(),
        "nobody asked for Claude Code"
    );
    assert!(scene.home.read(SKILL).starts_with("---\nname: throughline\n"));
    assert!(scene.home.read("AGENTS.md").contains("throughline recall"));
    assert!(scene.home.read("GEMINI.md").contains("throughline recall"));
    let status = scene.home.git(&["status", "--porcelain"]);
    assert_eq!(status, "?? AGENTS.md\n?? GEMINI.md\n", "what is for one person stays out of git");
    scene.ok(&["uninstall", "--agent", "all"]);
    assert_eq!(tree(&scene), before, "nothing of it is left");
}

#[test]
fn odd_files_come_back_byte_for_byte() {
    let foreign = "{\n\t\"hooks\": {\n\t\t\"SessionStart\": [\n\t\t\t{\"hooks\": [{\"type\": \"command\", \"command\": \"echo hi\"}]}\n\t\t],\n\t\t\"Stop\": [ ]\n\t}\n}";
    let originals: [&str; 7] = [
        "{}",
        "{ }\n",
        "",
        "  \n",
        foreign,
        "{\r\n  \"hooks\": {\r\n    \"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": []}]\r\n  }\r\n}\r\n",
        "{\"hooks\":{\"SessionStart\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"true\",\"timeout\":1}]}]}}",
    ];
    for original in originals {
        for (agent, path) in &HOOKS[..2] {
            round_trip(agent, path, original, &[]);
        }
    }
    for commented in [
        "// mine\n{\n  \"model\": {\"name\": \"x\"}, // why\n  /* and */ \"hooks\": {\n    // none yet\n  }\n}\n",
        "{ \"ui\": 1 // last\n}",
    ] {
        round_trip("gemini", ".gemini/settings.json", commented, &[]);
        round_trip("gemini", ".gemini/settings.json", commented, &["--mcp"]);
        round_trip("opencode", "opencode.jsonc", commented, &["--mcp"]);
    }
    for toml in [
        "",
        "model = \"x\"",
        "# mine\r\n[mcp_servers.a]\r\ncommand = \"b\"\r\n",
        "[a]\n\tb = [\n [1],\n]\n\n\n",
    ] {
        round_trip("codex", ".codex/config.toml", toml, &["--mcp"]);
    }
}

fn round_trip(agent: &str, path: &str, original: &str, flags: &[&str]) {
    let scene = bare();
    scene.home.write(path, original);
    fs::set_permissions(scene.home.project().join(path), fs::Permissions::from_mode(0o640)).unwrap();
    let before = tree(&scene);
    let shown = scene.ok(&[&["init", "--agent", agent, "--dry-run"], flags].concat());
    assert!(shown.contains("+++ "), "{shown}");
    assert_eq!(tree(&scene), before, "a dry run writes nothing");
    scene.ok(&[&["init", "--agent", agent], flags].concat());
    let installed = scene.home.read(path);
    assert_ne!(installed, original);
    scene.ok(&[&["init", "--agent", agent], flags].concat());
    assert_eq!(scene.home.read(path), installed);
    let shown = scene.ok(&["uninstall", "--agent", agent, "--dry-run"]);
    assert!(shown.contains("--- "), "{shown}");
    assert_eq!(scene.home.read(path), installed, "a dry run writes nothing");
    scene.ok(&["uninstall", "--agent", agent]);
    assert_eq!(tree(&scene), before, "{original:?}");
    let mode = fs::metadata(scene.home.project().join(path)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn what_changed_in_between_stays() {
    let scene = bare();
    scene.ok(&["init", "--agent", "codex,gemini", "--mcp"]);
    let hooks = scene.home.read(".codex/hooks.json");
    let edited = hooks.replace("{\n  \"hooks\"", "{\n  \"description\": \"mine\",\n  \"hooks\"");
    scene.home.write(".codex/hooks.json", &edited);
    let config = scene.home.read(".codex/config.toml");
    scene.home.write(".codex/config.toml", &format!("model = \"x\"\n\n{config}\n[other]\na = 1\n"));
    scene.ok(&["uninstall", "--agent", "codex"]);
    assert_eq!(scene.home.read(".codex/hooks.json"), "{\n  \"description\": \"mine\"\n}\n");
    assert_eq!(scene.home.read(".codex/config.toml"), "model = \"x\"\n\n[other]\na = 1\n");
    assert!(scene.home.project().join(SKILL).exists(), "Gemini CLI reads it, too");
    assert!(!scene.home.project().join("AGENTS.md").exists(), "nobody else reads that");
    assert!(scene.home.read(".gemini/settings.json").contains("mcpServers"));
    let said = scene.ok(&["uninstall", "--agent", "gemini"]);
    assert!(said.contains("init --agent gemini"), "{said}");
    assert!(!scene.home.project().join(".gemini").exists());
    assert!(!scene.home.project().join(".agents").exists());
}

#[test]
fn a_folder_that_was_there_stays_though_it_is_empty() {
    let scene = bare();
    for folder in [".codex", ".agents/skills", ".gemini", ".opencode/plugin"] {
        fs::create_dir_all(scene.home.project().join(folder)).unwrap();
    }
    let before = tree(&scene);
    scene.ok(&["init", "--agent", "codex,gemini,opencode"]);
    scene.ok(&["init", "--agent", "codex,gemini,opencode", "--mcp"]);
    scene.ok(&["uninstall", "--agent", "codex,gemini,opencode"]);
    assert_eq!(tree(&scene), before);
}

#[test]
fn a_persons_own_files_are_where_the_environment_says() {
    let mut scene = Scene::with_git();
    let root = scene.home.root().to_owned();
    scene.home.set_env("CODEX_HOME", root.join("codex home"));
    scene.home.set_env("GEMINI_CLI_HOME", root.join("gemini home"));
    let before = files_under(&root);
    scene.ok(&["init", "--user", "--agent", "codex,gemini,opencode", "--mcp"]);
    let config = scene.home.config().join("opencode");
    for path in [
        root.join("codex home/hooks.json"),
        root.join("codex home/config.toml"),
        root.join("codex home/AGENTS.md"),
        root.join("gemini home/.gemini/settings.json"),
        root.join("gemini home/.gemini/GEMINI.md"),
        config.join("plugin/throughline.js"),
        config.join("opencode.json"),
        config.join("AGENTS.md"),
        scene.home.user().join(SKILL),
    ] {
        assert!(path.exists(), "{}", path.display());
    }
    assert!(!scene.home.project().join(".codex").exists());
    let told = scene.ok(&["init", "--agent", "codex"]);
    let warned = scene.run(&["init", "--agent", "codex"]).stderr;
    assert!(warned.contains("for this project and for all projects"), "{told}{warned}");
    scene.ok(&["uninstall", "--agent", "codex"]);
    scene.ok(&["uninstall", "--user", "--agent", "all"]);
    let is_ours = |path: &PathBuf| path.starts_with(scene.home.data()) || is_gits(path);
    let after: Vec<_> = files_under(&root).into_iter().filter(|path| !is_ours(path)).collect();
    let before: Vec<_> = before.into_iter().filter(|path| !is_ours(path)).collect();
    assert_eq!(after, before);
    assert!(!root.join("codex home").exists() && !root.join("gemini home").exists());
}

#[test]
fn our_server_is_found_again_where_it_was_put() {
    let scene = bare();
    let original = "{\n  // mine\n  \"model\": \"x\",\n}\n";
    scene.home.write("opencode.jsonc", original);
    scene.ok(&["init", "--agent", "opencode", "--mcp"]);
    scene.home.write("opencode.json", "{}\n");
    scene.ok(&["init", "--agent", "opencode", "--mcp"]);
    assert_eq!(scene.home.read("opencode.json"), "{}\n", "it is registered once");
    scene.ok(&["uninstall", "--agent", "opencode"]);
    assert_eq!(scene.home.read("opencode.jsonc"), original);
}

#[test]
fn shared_files_name_no_machine() {
    let scene = Scene::with_git();
    scene.ok(&["init", "--shared", "--agent", "codex,gemini,opencode", "--mcp"]);
    for path in [HOOKS[0].1, HOOKS[1].1, HOOKS[2].1, ".codex/config.toml", "opencode.json"] {
        let text = scene.home.read(path);
        assert!(text.contains("throughline") && !text.contains(&program()), "{text}");
    }
    let status = scene.home.git(&["status", "--porcelain"]);
    assert!(status.contains(".codex/") && status.contains("opencode.json"), "a team commits them: {status}");
}

#[test]
fn nothing_is_written_through_a_link_in_a_project() {
    for (agent, path) in HOOKS {
        let scene = Scene::with_git();
        let target = scene.home.root().join("elsewhere.json");
        fs::write(&target, "{}").unwrap();
        let link = scene.home.project().join(path);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        for verb in ["init", "uninstall"] {
            let said = scene.fails(1, &[verb, "--agent", agent]);
            assert!(said.contains("is a link to") && said.contains("nothing was changed"), "{said}");
        }
        assert_eq!(fs::read_to_string(&target).unwrap(), "{}");
        assert!(!scene.home.project().join(SKILL).exists(), "all or nothing");
    }
}

#[test]
fn what_a_client_would_not_read_is_refused_with_the_place() {
    for (agent, path, text, words) in [
        ("codex", ".codex/hooks.json", "{\n  // mine\n}", "line 2, column 3"),
        ("codex", ".codex/hooks.json", "{\"hooks\": {}, \"extra\": 1}", "ignore the whole file"),
        ("codex", ".codex/hooks.json", "\u{feff}{}", "byte order mark"),
        ("codex", ".codex/hooks.json", "{\"hooks\": {\"Stop\": {}}}", "\"Stop\" is not a list"),
        ("codex", ".codex/config.toml", "model = ", "not valid TOML"),
        ("codex", ".codex/config.toml", "mcp_servers = { a = { command = \"b\" } }\n", "by hand"),
        ("gemini", ".gemini/settings.json", "{\"a\": 1,}", "trailing comma"),
        ("opencode", "opencode.json", "{\"mcp\": []}", "\"mcp\" is not an object"),
        ("opencode", ".opencode/plugin/throughline.js", "export const mine = 1\n", "is not ours"),
    ] {
        let scene = Scene::with_git();
        scene.home.write(path, text);
        let before = tree(&scene);
        let said = scene.fails(1, &["init", "--agent", agent, "--mcp"]);
        assert!(said.contains(words) && said.contains(path), "{agent} {text:?}: {said}");
        assert_eq!(tree(&scene), before, "nothing was written");
    }
}

#[test]
fn a_page_that_would_hide_another_is_not_made() {
    let scene = Scene::with_git();
    scene.home.write("CLAUDE.md", "# Mine\n");
    let said = scene.run(&["init", "--agent", "opencode,codex"]);
    assert!(said.stderr.contains("AGENTS.md was not made"), "{}", said.stderr);
    assert!(!scene.home.project().join("AGENTS.md").exists());
    scene.home.write("AGENTS.md", "# Rules\r\n\r\nBe brief.");
    scene.ok(&["init", "--agent", "codex"]);
    let page = scene.home.read("AGENTS.md");
    assert!(page.starts_with("# Rules\r\n\r\nBe brief.\r\n\r\n<!-- throughline agents: begin"), "{page}");
    scene.ok(&["uninstall", "--agent", "codex"]);
    assert_eq!(scene.home.read("AGENTS.md"), page, "OpenCode reads it, too");
    scene.ok(&["uninstall", "--agent", "opencode"]);
    assert_eq!(scene.home.read("AGENTS.md"), "# Rules\r\n\r\nBe brief.");
    assert_eq!(scene.home.read("CLAUDE.md"), "# Mine\n");
}

#[test]
fn a_page_can_be_left_alone_and_named_by_the_settings() {
    let scene = bare();
    scene.ok(&["init", "--agent", "codex", "--no-instructions"]);
    assert!(!scene.home.project().join("AGENTS.md").exists());
    scene.ok(&["init", "--agent", "codex"]);
    assert!(!scene.home.project().join("AGENTS.md").exists(), "what was said last counts");
    scene.ok(&["init", "--agent", "codex", "--instructions"]);
    assert!(scene.home.project().join("AGENTS.md").exists());
    scene.home.write(
        ".gemini/settings.json",
        "{\n  // ours\n  \"context\": {\"fileName\": [\"NOTES.md\", \"AGENTS.md\"]}\n}\n",
    );
    scene.ok(&["init", "--agent", "gemini"]);
    assert!(!scene.home.project().join("GEMINI.md").exists(), "the page that is there is taken");
    assert!(!scene.home.project().join("NOTES.md").exists());
    // Claude Code's own section has marks of its own, also where both are in one page.
    std::os::unix::fs::symlink("AGENTS.md", scene.home.project().join("CLAUDE.md")).unwrap();
    scene.ok(&["init"]);
    let page = scene.home.read("AGENTS.md");
    assert!(page.contains("## Compact Instructions") && page.contains("## Throughline"), "{page}");
    scene.ok(&["uninstall"]);
    let page = scene.home.read("AGENTS.md");
    assert!(!page.contains("## Compact Instructions") && page.contains("## Throughline"), "{page}");
}

#[test]
fn a_skill_of_somebody_elses_stays() {
    let scene = Scene::with_git();
    scene.home.write(SKILL, "---\nname: throughline\ndescription: mine\n---\nMine.\n");
    let said = scene.run(&["init", "--agent", "codex"]);
    said.assert_success();
    assert!(said.stderr.contains("is not ours and was left"), "{}", said.stderr);
    scene.ok(&["uninstall", "--agent", "codex"]);
    assert!(scene.home.read(SKILL).ends_with("Mine.\n"));
}

#[test]
fn a_prompt_for_codex_is_written_when_asked_for_and_taken_out_again() {
    let mut scene = Scene::with_git();
    let folder = scene.home.root().join("codex home");
    scene.home.set_env("CODEX_HOME", &folder);
    fs::create_dir_all(&folder).unwrap();
    let original = "# mine\nmodel = \"x\"\n\n[projects.\"/p\"]\ntrust_level = \"trusted\"";
    let config = folder.join("config.toml");
    fs::write(&config, original).unwrap();
    scene.ok(&["init", "--agent", "codex"]);
    assert_eq!(fs::read_to_string(&config).unwrap(), original, "nobody asked for it");
    let said = scene.ok(&["init", "--agent", "codex", "--codex-prompt", "--user", "--mcp"]);
    assert!(said.contains("MCP server and prompt for compactions"), "{said}");
    let written = fs::read_to_string(&config).unwrap();
    assert!(written.contains("compact_prompt = \"\"\"") && written.contains("Hand-over"), "{written}");
    assert!(written.contains("[mcp_servers.throughline]"), "{written}");
    // As Codex does it: what it notes itself comes to stand behind ours.
    let later = "\n\n[hooks.state.\"x\"]\ntrusted_hash = \"sha256:0\"\n";
    fs::write(&config, format!("{written}{later}")).unwrap();
    scene.ok(&["uninstall", "--agent", "codex", "--user"]);
    let kept = fs::read_to_string(&config).unwrap();
    assert!(
        kept.contains("compact_prompt") && !kept.contains("mcp_servers"),
        "the project's hooks are left: {kept}"
    );
    scene.ok(&["uninstall", "--agent", "codex"]);
    assert_eq!(fs::read_to_string(&config).unwrap(), format!("{original}{later}"));
    fs::write(&config, original).unwrap();
    scene.ok(&["init", "--agent", "codex", "--codex-prompt", "--user", "--mcp"]);
    scene.ok(&["uninstall", "--agent", "codex", "--user"]);
    assert_eq!(fs::read_to_string(&config).unwrap(), original);
    fs::write(&config, "compact_prompt = \"mine\"\n").unwrap();
    let said = scene.fails(1, &["init", "--agent", "codex", "--codex-prompt"]);
    assert!(said.contains("not ours") && said.contains("without --codex-prompt"), "{said}");
    assert_eq!(fs::read_to_string(&config).unwrap(), "compact_prompt = \"mine\"\n");
}

#[test]
fn flags_that_are_for_one_agent_say_so() {
    let scene = bare();
    let said = scene.fails(1, &["init", "--codex-prompt"]);
    assert!(said.contains("--codex-prompt is for Codex alone") && said.contains("--agent codex"), "{said}");
    let said = scene.fails(1, &["init", "--agent", "gemini", "--compact-at", "70%"]);
    assert!(said.contains("--compact-at is for Claude Code alone"), "{said}");
    let said = scene.fails(2, &["init", "--agent", "codx"]);
    assert!(said.contains("claude-code, codex, gemini, opencode"), "{said}");
    let said = scene.fails(1, &["init", "--agent", "all"]);
    assert!(said.contains("no agent was found on this machine"), "{said}");
    assert!(files_under(&scene.home.project()).iter().all(|path| is_gits(path)), "nothing was written");
}

#[test]
fn a_plain_init_tells_of_the_other_agents_that_are_here() {
    let mut scene = Scene::with_git();
    let said = scene.ok(&["init"]);
    assert!(!said.contains("also on this machine"), "{said}");
    let bin = scene.home.root().join("bin of others");
    fs::create_dir_all(&bin).unwrap();
    fs::write(bin.join("codex"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(bin.join("codex"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir_all(scene.home.user().join(".gemini")).unwrap();
    scene.home.set_env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    let said = scene.ok(&["init"]);
    assert!(said.contains("also on this machine: Codex CLI (") && said.contains("Gemini CLI ("), "{said}");
    assert!(said.contains("`throughline init --agent codex,gemini`"), "{said}");
    scene.ok(&["init", "--agent", "all"]);
    assert!(scene.home.project().join(".codex/hooks.json").exists());
    assert!(scene.home.project().join(".gemini/settings.json").exists());
    assert!(!scene.home.project().join(".opencode").exists(), "OpenCode is not on this machine");
    let said = scene.run(&["uninstall"]);
    assert!(
        said.stderr.contains("Codex CLI is still set up: `throughline uninstall --agent codex`"),
        "{}",
        said.stderr
    );
    assert!(scene.home.read(".git/info/exclude").contains("/.codex/hooks.json"), "they are still there");
}

#[test]
fn in_a_linked_worktree_codex_takes_the_hooks_of_the_main_one() {
    let scene = Scene::with_git();
    let linked = scene.home.root().join("linked tree");
    scene.home.git(&["worktree", "add", "--quiet", "-b", "linked", linked.to_str().unwrap()]);
    let said = scene.fails(1, &["--project", linked.to_str().unwrap(), "init", "--agent", "codex"]);
    assert!(said.contains("is a linked worktree") && said.contains("--user"), "{said}");
    assert!(!linked.join(".codex").exists());
    scene.run(&["--project", linked.to_str().unwrap(), "init", "--agent", "gemini"]).assert_success();
    assert!(linked.join(".gemini/settings.json").exists());
}

#[test]
fn a_tracked_file_is_told_of() {
    let scene = Scene::with_git();
    scene.home.write(".gemini/settings.json", "{}\n");
    scene.home.git(&["add", ".gemini/settings.json"]);
    let said = scene.run(&["init", "--agent", "gemini"]);
    assert!(said.stderr.contains("git tracks") && said.stderr.contains("--shared"), "{}", said.stderr);
}
