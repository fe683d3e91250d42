//! As a person sees it: OpenCode in a terminal, many prompts in one process, a call that is refused, a compaction by hand, a notice.

use std::{
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use throughline_testkit::{Kind, OpenCodeLab, Script, Step, Usage, opencode};

use crate::opencode_scene::{SUMMARY, Scene, fragments, shell};

const WAIT: Duration = Duration::from_mins(2);
const DECISION: &str = "Parser works without recursion";

/// A terminal of its own: no server or setting of the user's.
struct Terminal<'a> {
    scene: &'a Scene,
    socket: PathBuf,
}

impl<'a> Terminal<'a> {
    /// Starts the client as a person does; `None` when there is no tmux.
    fn open(scene: &'a Scene) -> Option<Self> {
        if Command::new("tmux").arg("-V").output().is_err() {
            assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "no tmux");
            eprintln!("skipped: no tmux");
            return None;
        }
        let terminal = Self { scene, socket: scene.lab.home().root().join("tmux") };
        let line =
            format!("TERM=xterm-256color '{}'; echo CLIENT-LEFT; sleep 300", opencode::find()?.display());
        terminal.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", "160", "-y", "50", &line]);
        terminal.wait_for("Ask anything");
        Some(terminal)
    }

    #[track_caller]
    fn tmux(&self, args: &[&str]) -> String {
        let all = [&["-S", self.socket.to_str().unwrap()], args].concat();
        let output = self.scene.lab.home().run(Path::new("tmux"), &all, "");
        output.assert_success();
        output.stdout
    }

    #[track_caller]
    fn wait_for(&self, text: &str) {
        let until = Instant::now() + WAIT;
        loop {
            let screen = self.tmux(&["capture-pane", "-p"]);
            if screen.contains(text) {
                return;
            }
            assert!(Instant::now() < until, "{text} never came:\n{screen}");
            thread::sleep(Duration::from_millis(200));
        }
    }

    /// A key, as slowly as a person presses it.
    #[track_caller]
    fn press(&self, key: &str) {
        thread::sleep(Duration::from_millis(500));
        self.tmux(&["send-keys", key]);
    }

    #[track_caller]
    fn say(&self, text: &str, answer: &str) {
        self.tmux(&["send-keys", "-l", text]);
        self.wait_for(text);
        self.press("Enter");
        self.wait_for(answer);
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        let all = ["-S", self.socket.to_str().unwrap_or_default(), "kill-server"];
        self.scene.lab.home().run(Path::new("tmux"), &all, "");
    }
}

#[test]
fn many_prompts_a_refusal_a_compaction_by_hand_and_the_end() {
    let Some(scene) = Scene::installed() else { return };
    let scene = scene.with(|lab: OpenCodeLab| lab.with_config(json!({"permission": {"bash": "ask"}})));
    scene.run(&["add", "decision", DECISION]);
    scene.plays(
        Script::new()
            .turn("first words", [Step::text("ANSWER-ONE")])
            .turn("second words", [shell("touch refused.txt")])
            .turn("third words", [Step::text("ANSWER-THREE")])
            .turn("fourth words", [Step::text("ANSWER-FOUR")]),
    );
    let Some(terminal) = Terminal::open(&scene) else { return };
    terminal.say("first words", "ANSWER-ONE");
    terminal.say("second words", "Permission required");
    for key in ["Right", "Right", "Enter"] {
        terminal.press(key);
    }
    terminal.wait_for("ctrl+p commands");
    terminal.say("third words", "ANSWER-THREE");
    terminal.tmux(&["send-keys", "-l", "/compact"]);
    terminal.wait_for("/compact");
    terminal.press("Enter");
    terminal.wait_for("SUMMARY-MARK");
    terminal.say("fourth words", "ANSWER-FOUR");

    let asked = scene.asked();
    assert_eq!(asked.len(), 4);
    let told = |index: usize| fragments(&asked[index], "briefing");
    assert!(told(0).len() == 1 && told(0)[0].contains(DECISION), "{:?}", told(0));
    assert_eq!((told(1), told(2)), (told(0), told(0)), "the same text, at the same place");
    let compacts = scene.lab.mock().requests_of(Kind::Compact);
    assert_eq!(compacts.len(), 1);
    let kept = fragments(&compacts[0], "preserve");
    assert!(kept.len() == 1 && kept[0].contains(DECISION), "{kept:?}");
    assert!(asked[3].contains(SUMMARY));
    let given = told(3);
    assert_eq!(given.len(), 1, "the new one has taken the old one's place");
    assert!(given[0].contains(DECISION) && given[0].contains("second words"), "{}", given[0]);
    assert!(given[0].contains("refused"), "{}", given[0]);
    assert!(!scene.lab.home().project().join("refused.txt").exists());

    terminal.press("C-c");
    // The first may only clear the line; one more where nobody is left would end the terminal itself.
    thread::sleep(Duration::from_secs(2));
    if !terminal.tmux(&["capture-pane", "-p"]).contains("CLIENT-LEFT") {
        terminal.press("C-c");
    }
    terminal.wait_for("CLIENT-LEFT");
    let receipts = scene.receipts();
    for event in ["UserPromptSubmit", "PreCompact", "PostCompact", "Stop", "SessionEnd"] {
        assert!(receipts.iter().any(|receipt| receipt.event == event), "{event}");
    }
    let listed = scene.run(&["sessions", "list", "--json"]).stdout;
    assert!(listed.contains("\"standing\": \"ended\""), "{listed}");
    assert_eq!(scene.logged(), "");
}

#[test]
fn a_notice_is_shown_to_the_person_too() {
    let Some(scene) = Scene::installed() else { return };
    let filled = |command: &str| shell(command).usage(Usage::filling(31_000));
    scene.plays(
        Script::new().turn("first words", [filled("echo a"), filled("sleep 8"), Step::text("ANSWER-ONE")]),
    );
    let Some(terminal) = Terminal::open(&scene) else { return };
    terminal.say("first words", "of the way to the next compaction");
    terminal.wait_for("ANSWER-ONE");
}
