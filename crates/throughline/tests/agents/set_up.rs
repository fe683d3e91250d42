//! `init --agent` with the real clients: what it writes is what they read, and what it takes out they no longer do.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use throughline_testkit::{CodexLab, GeminiLab, Kind, OpenCodeLab, Output, Script, Step, TempHome, codex};

use crate::{codex_scene, gemini_scene, opencode_scene};

const BINARY: &str = env!("CARGO_BIN_EXE_throughline");
const DECISION: &str = "Rows are streamed";

#[track_caller]
fn run(home: &TempHome, args: &[&str]) -> Output {
    let output = home.run(Path::new(BINARY), args, "");
    output.assert_success();
    output
}

/// What `doctor` says of an agent, a line each.
fn doctor(home: &TempHome, agent: &str) -> Vec<String> {
    let output = home.run(Path::new(BINARY), &["doctor", "--json"], "");
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    let checks = report["checks"].as_array().unwrap().iter().filter(|check| check["name"] == agent);
    checks
        .map(|check| format!("{} {}", check["state"].as_str().unwrap(), check["what"].as_str().unwrap()))
        .collect()
}

#[track_caller]
fn assert_said(said: &[String], state: &str, words: &str) {
    assert!(
        said.iter().any(|line| line.starts_with(state) && line.contains(words)),
        "{state} {words}: {said:#?}"
    );
}

/// The files of a folder, with their bytes; git's own and the client's library are nobody's here.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with(".git") && !path.ends_with("node_modules") {
            found.extend(files(&path));
        } else if path.is_file() {
            found.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

#[test]
fn codex_runs_what_a_person_approved_and_goes_on_to_after_an_upgrade() {
    let script = || Script::new().turn("PROMPT:one", [Step::text("Done.")]).compact_summary("Short.");
    let Some(lab) = CodexLab::new(script()) else { return };
    let client = codex::find().unwrap();
    let lab = lab.compacting_at(20_000).with_path_dir(client.parent().unwrap());
    let home = lab.home();
    fs::remove_file(home.project().join("CLAUDE.md")).unwrap();
    run(home, &["add", "decision", DECISION]);
    run(home, &["init", "--agent", "codex", "--user"]);
    assert_said(&doctor(home, "codex"), "fail", "not approved");
    lab.exec_as_trusted("PROMPT:one go").assert_done();
    let first = lab.mock().requests_of(Kind::Main).pop().unwrap();
    assert!(codex_scene::fragments(&first).is_empty(), "nobody approved them");
    assert!(first.contains("## Throughline"), "AGENTS.md of the user");
    assert!(first.contains("- throughline: Record decisions"), "the skill is offered to the model");

    lab.trust_hooks();
    assert_said(&doctor(home, "codex"), "ok", "all 9 hooks are approved");
    let config = lab.codex_home().join("config.toml");
    let before = fs::read_to_string(&config).unwrap();
    run(home, &["init", "--agent", "codex", "--user", "--mcp", "--codex-prompt"]);
    assert_said(&doctor(home, "codex"), "ok", "all 9 hooks are approved");
    lab.set_script(Script::new().turn(
        "PROMPT:two",
        [codex_scene::fills_the_window(), codex_scene::shell("echo on"), Step::text("Done.")],
    ));
    lab.exec_as_trusted("PROMPT:two go").assert_done();
    let requests = lab.mock().requests();
    let asked = requests.iter().find(|request| request.contains("PROMPT:two")).unwrap();
    assert!(codex_scene::fragment(asked).contains(DECISION));
    assert!(asked.body.to_string().contains("throughline"), "its tools");
    assert!(
        requests.iter().any(|request| request.contains("headed \"Hand-over\"")),
        "the prompt for compactions"
    );
    assert_said(&doctor(home, "codex"), "ok", "last seen");

    run(home, &["uninstall", "--agent", "codex", "--user"]);
    let after = fs::read_to_string(&config).unwrap();
    // What the client itself wrote behind ours since stays: it notes that the project is trusted.
    let rest = after.strip_prefix(&before).unwrap_or_else(|| panic!("{after}"));
    assert!(rest.is_empty() || rest.starts_with("\n[projects."), "{rest}");
    assert!(!lab.codex_home().join("hooks.json").exists());
    assert!(!lab.codex_home().join("AGENTS.md").exists());
    assert!(!home.user().join(".agents").exists());
}

#[test]
fn codex_reads_a_projects_hooks_once_the_project_is_trusted() {
    let Some(lab) = CodexLab::new(Script::new()) else { return };
    let client = codex::find().unwrap();
    let project = lab.home().project();
    let lab = lab.with_path_dir(client.parent().unwrap());
    run(lab.home(), &["init", "--agent", "codex"]);
    assert_said(&doctor(lab.home(), "codex"), "fail", "it knows none of our 9 hooks");
    let lab = lab.with_config(&format!("[projects.\"{}\"]\ntrust_level = \"trusted\"\n", project.display()));
    assert_said(&doctor(lab.home(), "codex"), "fail", "not approved");
    lab.trust_hooks();
    assert_said(&doctor(lab.home(), "codex"), "ok", "all 9 hooks are approved");
}

#[test]
fn gemini_reads_what_init_wrote_into_its_project() {
    let Some(lab) = GeminiLab::new(Script::new()) else { return };
    let home = lab.home();
    home.write(".gemini/settings.json", "{\n  // the team's own\n  \"ui\": {\"hideTips\": true}\n}\n");
    let before = files(&home.project());
    run(home, &["add", "decision", DECISION]);
    run(home, &["init", "--agent", "gemini", "--mcp"]);
    assert_said(&doctor(home, "gemini"), "ok", "it trusts this folder");
    lab.ask("please go").assert_success();
    let asked = lab.api().requests_of(Kind::Main).pop().unwrap();
    assert_eq!(gemini_scene::fragments(&asked, "briefing").len(), 1);
    assert!(asked.contains("## Throughline"), "GEMINI.md");
    assert!(asked.body.to_string().contains("mcp_throughline_"), "the memory's tools");
    assert_said(&doctor(home, "gemini"), "ok", "last seen");
    run(home, &["uninstall", "--agent", "gemini"]);
    let is_memory = |path: &Path| path.starts_with(home.project().join(".claude"));
    let after: Vec<_> = files(&home.project()).into_iter().filter(|(path, _)| !is_memory(path)).collect();
    assert_eq!(after, before);
}

/// As the client leaves it: a file without the schema gets that line at the first start.
const CONFIG: &str =
    "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  // mine\n  \"username\": \"me\",\n}\n";

#[test]
fn opencode_loads_what_init_wrote_for_the_user() {
    let Some(lab) = OpenCodeLab::new(Script::new()) else { return };
    let home = lab.home();
    // Beside it the client would no longer read a page of ours.
    home.git(&["rm", "--quiet", "CLAUDE.md"]);
    let folder = lab.config_folder();
    fs::write(folder.join("opencode.jsonc"), CONFIG).unwrap();
    let before = files(&folder);
    run(home, &["add", "decision", DECISION]);
    run(home, &["init", "--agent", "opencode", "--user", "--mcp"]);
    lab.set_script(Script::new().turn("PROMPT:one", [Step::text("Done.")]));
    lab.run("PROMPT:one go").assert_success();
    let asked = lab.mock().requests_of(Kind::Main).pop().unwrap();
    assert_eq!(opencode_scene::fragments(&asked, "briefing").len(), 1);
    assert!(asked.contains("## Throughline"), "AGENTS.md of the user");
    assert!(asked.body.to_string().contains("throughline_recall"), "the memory's tools");
    assert_said(&doctor(home, "opencode"), "ok", "last seen");
    run(home, &["uninstall", "--agent", "opencode", "--user"]);
    let after: Vec<_> = files(&folder)
        .into_iter()
        .filter(|(path, _)| before.iter().any(|(known, _)| known == path))
        .collect();
    assert_eq!(after, before);
    assert!(!folder.join("plugin").exists() && !folder.join("AGENTS.md").exists());
}
