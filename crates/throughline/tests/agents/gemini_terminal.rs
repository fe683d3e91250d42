//! As a person sees it: the Gemini CLI in a terminal, many prompts in one process, a compression by hand, a call that is refused.

use std::{
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use throughline_testkit::{Kind, Script, Step, gemini};

use crate::gemini_scene::{SUMMARY, Scene, fragments, shell};

const WAIT: Duration = Duration::from_mins(1);
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
        let line = format!("'{}'", gemini::find()?.display());
        terminal.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", "140", "-y", "50", &line]);
        terminal.wait_for("Type your message");
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

    #[track_caller]
    fn say(&self, text: &str, answer: &str) {
        self.tmux(&["send-keys", "-l", text]);
        self.wait_for(text);
        // What is typed faster than anybody types is taken for something that was pasted.
        thread::sleep(Duration::from_millis(500));
        self.tmux(&["send-keys", "Enter"]);
        self.wait_for(answer);
        self.wait_for("Type your message");
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        let all = ["-S", self.socket.to_str().unwrap_or_default(), "kill-server"];
        self.scene.lab.home().run(Path::new("tmux"), &all, "");
    }
}

#[test]
fn a_compression_by_hand_is_made_up_for_once_and_a_cancelled_request_is_none() {
    let Some(scene) = Scene::installed() else { return };
    scene.run(&["add", "decision", DECISION]);
    let script = Script::new()
        .turn("first words", [Step::text("ANSWER-ONE")])
        .turn("second words", [Step::text("ANSWER-TWO")])
        .turn("third words", [Step::text("ANSWER-THREE")])
        .turn("fourth words", [shell("touch refused.txt")])
        .turn("fifth words", [Step::text("ANSWER-FIVE")])
        .compact_summary(SUMMARY);
    scene.lab.set_script(script);
    let Some(terminal) = Terminal::open(&scene) else { return };
    terminal.say("first words", "ANSWER-ONE");
    terminal.say("second words", "ANSWER-TWO");
    terminal.say("/compress", "Chat history compressed");
    terminal.say("third words", "ANSWER-THREE");
    terminal.tmux(&["send-keys", "-l", "fourth words"]);
    terminal.wait_for("fourth words");
    thread::sleep(Duration::from_millis(500));
    terminal.tmux(&["send-keys", "Enter"]);
    terminal.wait_for("Allow execution");
    terminal.tmux(&["send-keys", "Escape"]);
    terminal.wait_for("Request cancelled");
    terminal.say("fifth words", "ANSWER-FIVE");
    let asked = scene.asked();
    assert_eq!(asked.len(), 5);
    assert_eq!(scene.lab.api().requests_of(Kind::Compact).len(), 2);
    let told = |index: usize| {
        let said = fragments(&asked[index], "briefing");
        said.into_iter().filter(|text| text.contains("You were just compacted")).collect::<Vec<_>>()
    };
    assert_eq!((told(0).len(), told(1).len()), (0, 0));
    assert!(told(2).len() == 1 && told(2)[0].contains(DECISION), "{:?}", asked[2].hook_texts());
    assert_eq!(told(4), told(2), "once, and a cancelled request is no compression");
    assert!(!scene.lab.home().project().join("refused.txt").exists());
    assert_eq!(scene.logged(), "");
}
