//! As a person sees it: the client in a terminal, with our hooks, and no complaint under the prompt.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use throughline_testkit::{Kind, client};

use crate::scene::{Scene, fragments};

const WAIT: Duration = Duration::from_secs(30);

/// A terminal of its own: no server or setting of the user's.
pub(crate) struct Terminal<'a> {
    scene: &'a Scene,
    /// One for each terminal: the server of the one before may still be on its way out.
    socket: PathBuf,
}

impl<'a> Terminal<'a> {
    /// Starts the client as a person does; `None` when there is no tmux.
    pub(crate) fn open(scene: &'a Scene) -> Option<Self> {
        Self::open_with(scene, &[])
    }

    /// The same with more arguments.
    pub(crate) fn open_with(scene: &'a Scene, args: &[&str]) -> Option<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        if Command::new("tmux").arg("-V").output().is_err() {
            assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "no tmux");
            eprintln!("skipped: no tmux");
            return None;
        }
        settle_first_questions(scene);
        let name = format!("tmux-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let terminal = Self { scene, socket: scene.lab.home().root().join(name) };
        let client = client::find().expect("the client of the scene");
        let model = client::MODEL_WITH_REMINDERS;
        let line = format!("'{}' --model {model} {}", client.display(), args.join(" "));
        terminal.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", "140", "-y", "50", &line]);
        Some(terminal)
    }

    #[track_caller]
    fn tmux(&self, args: &[&str]) -> String {
        let all = [&["-S", self.socket.to_str().unwrap()], args].concat();
        let output = self.scene.lab.home().run(Path::new("tmux"), &all, "");
        output.assert_success();
        output.stdout
    }

    fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    #[track_caller]
    pub(crate) fn wait_for(&self, text: &str) -> String {
        self.wait_for_any(&[text])
    }

    #[track_caller]
    pub(crate) fn wait_for_any(&self, texts: &[&str]) -> String {
        let until = Instant::now() + WAIT;
        loop {
            let screen = self.screen();
            if texts.iter().any(|text| screen.contains(text)) {
                return screen;
            }
            assert!(Instant::now() < until, "{texts:?} never came; the screen is:\n{screen}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Types a line and sends it.
    pub(crate) fn enter(&self, line: &str) {
        self.tmux(&["send-keys", "-l", line]);
        self.wait_for(line);
        self.tmux(&["send-keys", "Enter"]);
    }

    /// Presses a key.
    pub(crate) fn press(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    /// Answers a question that stands on the screen: the client does not listen in its first moments, so the key is
    /// pressed again while the question is there.
    #[track_caller]
    pub(crate) fn answer(&self, question: &str, key: &str) {
        let until = Instant::now() + WAIT;
        while self.screen().contains(question) {
            assert!(Instant::now() < until, "{key} does not answer {question:?}:\n{}", self.screen());
            self.press(key);
            thread::sleep(Duration::from_millis(500));
        }
    }

    fn ask(&self, prompt: &str) -> String {
        self.enter(prompt);
        self.wait_for("Nothing scripted for this prompt.")
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        let mut stop = self.scene.lab.home().command(Path::new("tmux"));
        let _ = stop.arg("-S").arg(&self.socket).arg("kill-server").output();
    }
}

/// The client asks about theme, key and trust before anything else; a user has answered long ago.
#[expect(clippy::disallowed_methods, reason = "a test sets its scene")]
fn settle_first_questions(scene: &Scene) {
    let file = scene.lab.home().user().join(".claude.json");
    // What the client wrote there already, such as a registered server, stays.
    let known = fs::read_to_string(&file).ok().and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let mut settled = known.unwrap_or_else(|| json!({}));
    settled["hasCompletedOnboarding"] = true.into();
    settled["theme"] = "dark".into();
    settled["customApiKeyResponses"] = json!({"approved": ["sk-ant-not-a-key"], "rejected": []});
    settled["projects"][scene.lab.home().project().to_str().unwrap()]["hasTrustDialogAccepted"] = true.into();
    fs::write(file, settled.to_string()).unwrap();
}

/// What the client says of a hook that cannot be run: 2.1.325, and 2.1.326.
const COMPLAINTS: [&str; 2] = ["hook error", "hook failed"];

#[test]
fn a_person_sees_no_complaint_about_our_hooks() {
    let Some(scene) = Scene::installed() else { return };
    scene.run(&["add", "decision", "Parser works without recursion"]);
    let Some(terminal) = Terminal::open(&scene) else { return };
    terminal.wait_for("❯");
    let screen = terminal.ask("say something");
    assert!(COMPLAINTS.iter().all(|words| !screen.to_lowercase().contains(words)), "{screen}");
    let said = fragments(&scene.lab.mock().requests_of(Kind::Main)[0]);
    assert!(said[0].contains("Parser works without recursion"), "{said:?}");
    assert_eq!(scene.ended_receipt("Stop").outcome, "ok");
    assert_eq!(scene.logged(), "");
}

/// The counterpart, so that the test above is known to look at the right thing.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test breaks what it has set up")]
fn a_person_sees_when_the_binary_is_gone() {
    let Some(scene) = Scene::installed() else { return };
    fs::remove_file(&scene.binary).unwrap();
    let Some(terminal) = Terminal::open(&scene) else { return };
    terminal.wait_for("❯");
    terminal.ask("say something");
    terminal.wait_for_any(&COMPLAINTS);
}
