//! Crossing over: work begun in Claude Code, compacted there, goes on in Codex CLI and then in OpenCode, with one memory.

use std::{fs, os::unix::fs::symlink, path::Path, process::Command};

use serde_json::Value;
use throughline_testkit::{ClientLab, Output, Script, Step, Usage, client};

use crate::{codex_scene, opencode_scene};

const DECISION: &str = "Rows are streamed";
const RULE: &str = "Never change the public API of this crate.";

/// Claude Code in a project, our binary installed as a user installs it.
struct Beginning {
    lab: ClientLab,
}

impl Beginning {
    fn new() -> Option<Self> {
        let lab = ClientLab::new(Script::new())?.with_small_window();
        let client = client::find()?;
        let lab = lab.with_path_dir(client.parent().expect("the client's folder"));
        let beginning = Self { lab };
        beginning.run(&["init"]);
        Some(beginning)
    }

    #[track_caller]
    fn run(&self, args: &[&str]) -> Output {
        let output = self.lab.home().run(Path::new(env!("CARGO_BIN_EXE_throughline")), args, "");
        output.assert_success();
        output
    }
}

/// Another client's project becomes the one that the work began in; what its lab put there goes along.
fn move_into(project: &Path, own: &Path) {
    for entry in fs::read_dir(own).unwrap().flatten().filter(|entry| entry.file_name() != ".git") {
        let copied = Command::new("cp").arg("-a").arg(entry.path()).arg(project).status().unwrap();
        assert!(copied.success());
    }
    fs::remove_dir_all(own).unwrap();
    symlink(project, own).unwrap();
}

/// All our texts in what a model was sent.
fn ours(texts: &[String]) -> String {
    let from_mark = |text: &String| text.find("[throughline:").map(|at| text[at..].to_owned());
    texts.iter().filter_map(from_mark).collect::<Vec<_>>().join("\n")
}

/// Claude Code: a rule of the user's, a decision, a test that fails, a compaction.
fn begins(claude: &Beginning) {
    claude.run(&["add", "decision", DECISION]);
    let runner = "#!/bin/sh\necho 'FAILED rows: error: empty row not skipped'; exit 1\n";
    claude.lab.home().write("run/pytest", runner);
    let steps = [
        Step::bash("sh run/pytest rows"),
        Step::bash("sleep 0.4").usage(Usage::filling(150_000)),
        Step::text("The rows are read. Next I'll skip the empty ones."),
    ];
    let script = Script::new().compact_summary("<summary>The rows are read.</summary>");
    claude.lab.set_script(script.turn("PROMPT:rows", steps).otherwise("Yes."));
    let prompt = format!("PROMPT:rows Read the rows of data.csv. {RULE}");
    claude.lab.claude(&["-p", &prompt, "--dangerously-skip-permissions"]).assert_success();
}

/// Codex CLI goes on from there; somebody committed meanwhile.
fn goes_on(codex: &codex_scene::Scene) {
    let steps = [codex_scene::shell("echo on"), Step::text("Codex skips the empty rows.")];
    codex.plays(Script::new().turn("PROMPT:on", steps));
    codex.lab.exec("PROMPT:on Go on: skip the empty rows in rows.rs.").assert_done();
    let first = &codex.asked()[0];
    let told = ours(&first.texts_of("developer"));
    for words in [DECISION, RULE, "empty row not skipped", "Read the rows of data.csv", "between the two"] {
        assert!(told.contains(words), "Codex is not told `{words}`: {told}");
    }
    assert!(first.place_of("developer", DECISION) < first.place_of("user", "PROMPT:on"));
}

/// OpenCode goes on from what Codex left.
fn ends(opencode: &opencode_scene::Scene) {
    opencode.plays(Script::new().turn("PROMPT:end", [Step::text("Done.")]));
    opencode.lab.run("PROMPT:end Finish it.").assert_success();
    let told = ours(&opencode.asked()[0].texts());
    for words in [DECISION, "skip the empty rows in rows.rs"] {
        assert!(told.contains(words), "OpenCode is not told `{words}`: {told}");
    }
}

#[test]
fn each_agent_is_told_what_the_last_one_left_and_whose_words_they_are() {
    let Some(claude) = Beginning::new() else { return };
    let (Some(codex), Some(opencode)) = (codex_scene::Scene::installed(), opencode_scene::Scene::installed())
    else {
        return;
    };
    let (data, project) = (claude.lab.home().data(), claude.lab.home().project());
    begins(&claude);
    move_into(&project, &codex.lab.home().project());
    move_into(&project, &opencode.lab.home().project());
    claude.lab.home().git(&["commit", "--quiet", "--allow-empty", "--message=between the two"]);
    let codex = codex.with(|lab| lab.with_env("THROUGHLINE_HOME", &data));
    goes_on(&codex);
    let opencode = opencode.with(|lab| lab.with_env("THROUGHLINE_HOME", &data));
    ends(&opencode);

    // One list, one report, one memory.
    let run = |args: &[&str]| {
        let mut with = opencode.lab.home().command(Path::new(env!("CARGO_BIN_EXE_throughline")));
        with.env("CLAUDE_CONFIG_DIR", claude.lab.home().claude_config());
        with.env("CODEX_HOME", codex.lab.codex_home());
        let output = with.args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let listed: Value = serde_json::from_str(&run(&["sessions", "list", "--json"])).unwrap();
    let mut agents: Vec<&str> =
        listed.as_array().unwrap().iter().filter_map(|session| session["agent"].as_str()).collect();
    agents.sort_unstable();
    assert_eq!(agents, ["claude-code", "codex", "opencode"], "{listed}");
    let used: Value = serde_json::from_str(&run(&["usage", "agents", "--json"])).unwrap();
    let used = used.to_string();
    for agent in ["Claude Code", "Codex CLI", "OpenCode"] {
        assert!(used.contains(agent), "{used}");
    }
    let found = run(&["recall", "--no-pick", "empty rows"]);
    assert!(found.contains("Codex skips the empty rows."), "{found}");
    for log in [claude.lab.home().data(), codex.lab.home().data(), opencode.lab.home().data()] {
        assert_eq!(fs::read_to_string(log.join("throughline.log")).unwrap_or_default(), "");
    }
}
