//! The picker as a person has it: in a terminal, with a shell around it that must be as usable as before.

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::scene::{BINARY, Scene};

const WAIT: Duration = Duration::from_secs(30);
/// The last line of the list of results, and of what is opened.
const LIST: &str = "Enter opens, q leaves";
const OPENED: &str = "q back to the list";

/// A shell in a terminal of its own: no server or setting of the user's.
struct Terminal<'s> {
    scene: &'s Scene,
}

impl<'s> Terminal<'s> {
    /// `None` when there is no tmux.
    fn open(scene: &'s Scene) -> Option<Self> {
        if Command::new("tmux").arg("-V").output().is_err() {
            assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "no tmux");
            #[expect(clippy::print_stderr, reason = "whoever runs the tests should know what was left out")]
            {
                eprintln!("skipped: no tmux");
            }
            return None;
        }
        let terminal = Self { scene };
        let shell = "env -u CLAUDECODE -u AI_AGENT PS1='ready> ' sh";
        terminal.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", "90", "-y", "24", shell]);
        terminal.wait_for("ready>");
        Some(terminal)
    }

    #[track_caller]
    fn tmux(&self, args: &[&str]) -> String {
        let socket = self.scene.home.root().join("tmux");
        let all = [&["-S", socket.to_str().unwrap()], args].concat();
        let output = self.scene.home.run(Path::new("tmux"), &all, "");
        output.assert_success();
        output.stdout
    }

    fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    #[track_caller]
    fn wait(&self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let until = Instant::now() + WAIT;
        loop {
            let screen = self.screen();
            if is_so(&screen) {
                return screen;
            }
            assert!(Instant::now() < until, "{what} never came; the screen is:\n{screen}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    #[track_caller]
    fn wait_for(&self, text: &str) -> String {
        self.wait(text, |screen| screen.contains(text))
    }

    #[track_caller]
    fn press(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    /// Types a command line into the shell.
    #[track_caller]
    fn run(&self, line: &str) {
        self.tmux(&["send-keys", "-l", &format!("clear; {line}")]);
        self.press(&["Enter"]);
    }

    /// The shell reads lines and shows what is typed, on its own screen.
    #[track_caller]
    fn is_given_back(&self) {
        self.wait("the shell", |screen| {
            screen.trim_end().ends_with("ready>") && !screen.contains(LIST) && !screen.contains(OPENED)
        });
        self.run("stty -a | tr ' ;' '\\n' | grep -xE -- '-?(icanon|echo|isig)' | xargs");
        self.wait_for("isig icanon echo\n");
        assert_eq!(self.tmux(&["display-message", "-p", "#{cursor_flag} #{alternate_on}"]).trim(), "1 0");
    }

    /// The line of the result that is chosen.
    #[track_caller]
    fn chosen(&self, number: usize) -> String {
        let mark = format!("\n> {number:>2} ");
        self.wait(&mark, |screen| format!("\n{screen}").contains(&mark))
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        let socket = self.scene.home.root().join("tmux");
        let _ = self.scene.home.command(Path::new("tmux")).arg("-S").arg(socket).arg("kill-server").output();
    }
}

fn told() -> Scene {
    let mut scene = Scene::new();
    for session in ["s1", "s2", "s3"] {
        scene.user(session, &format!("the heron of {session} nests in a tree"));
        scene.agent(session, &format!("It was seen there, in {session}."));
    }
    scene.ok(&["backfill"]);
    scene
}

#[test]
fn keys_choose_open_and_leave() {
    let scene = told();
    let Some(terminal) = Terminal::open(&scene) else { return };
    terminal.run(&format!("{BINARY} recall heron"));
    let list = terminal.wait_for(LIST);
    assert!(list.contains("1 of 3: "), "{list}");
    terminal.chosen(1);
    terminal.press(&["Down"]);
    terminal.chosen(2);
    terminal.press(&["j"]);
    terminal.chosen(3);
    terminal.press(&["k"]);
    terminal.chosen(2);
    terminal.press(&["Up"]);
    terminal.chosen(1);
    terminal.press(&["3"]);
    let list = terminal.chosen(3);
    let id = list.lines().find(|line| line.starts_with(">  3 ")).unwrap()[5..].split(' ').next().unwrap();
    terminal.press(&["Enter"]);
    let opened = terminal.wait_for(OPENED);
    assert!(
        opened.contains("/home/me/app, session s") && opened.contains(&format!("\n{id}  ")),
        "{id}: {opened}"
    );
    terminal.press(&["q"]);
    terminal.chosen(3);
    terminal.press(&["q"]);
    terminal.is_given_back();
}

/// Six passages stand before it, and more than a screen holds: it is shown all the same, and marked.
#[test]
fn what_is_opened_is_on_the_screen_and_leaving_leaves_nothing_behind() {
    let mut scene = Scene::new();
    let lines =
        (1..=12).map(|number| format!("line {number} of a long answer")).collect::<Vec<_>>().join("\n");
    for _ in 0..6 {
        scene.user("s1", "Tell me more.");
        scene.agent("s1", &lines);
    }
    scene.user("s1", "The heron nests in a tree.");
    for _ in 0..6 {
        scene.agent("s1", &lines);
        scene.user("s1", "And then?");
    }
    scene.ok(&["backfill"]);
    let Some(terminal) = Terminal::open(&scene) else { return };
    terminal.run(&format!("{BINARY} recall heron"));
    terminal.wait_for(LIST);
    terminal.press(&["Enter"]);
    let opened = terminal.wait_for(OPENED);
    assert!(opened.contains("← this one\n    The heron nests in a tree."), "{opened}");
    terminal.press(&["q"]);
    terminal.wait_for(LIST);
    terminal.press(&["q"]);
    let left = terminal.wait("the shell", |screen| screen.trim_end().ends_with("ready>"));
    assert!(!left.contains("heron nests"), "the list is not told again: {left}");
}

#[test]
fn the_screen_follows_the_window() {
    let scene = told();
    let Some(terminal) = Terminal::open(&scene) else { return };
    terminal.run(&format!("{BINARY} recall heron"));
    terminal.wait_for(LIST);
    terminal.press(&["3"]);
    terminal.chosen(3);
    terminal.tmux(&["resize-window", "-x", "30", "-y", "5"]);
    let small = terminal.wait("a small list", |screen| screen.contains("…") && screen.contains("3 of 3: "));
    assert!(format!("\n{small}").contains("\n>  3 "), "what is chosen stays on the screen: {small}");
    assert!(!small.contains(">  1 "), "{small}");
    terminal.tmux(&["resize-window", "-x", "100", "-y", "30"]);
    terminal.wait_for(LIST);
    terminal.chosen(3);
    terminal.press(&["Enter"]);
    terminal.wait_for(OPENED);
    terminal.tmux(&["resize-window", "-x", "40", "-y", "8"]);
    terminal.wait("a small page", |screen| screen.lines().count() <= 8 && screen.contains("scroll"));
    terminal.press(&["Escape"]);
    terminal.chosen(3);
    terminal.press(&["Escape"]);
    terminal.tmux(&["resize-window", "-x", "90", "-y", "24"]);
    terminal.is_given_back();
}

#[test]
fn ctrl_c_leaves_from_everywhere() {
    let scene = told();
    let Some(terminal) = Terminal::open(&scene) else { return };
    for keys in [&[][..], &["Enter"]] {
        terminal.run(&format!("{BINARY} recall heron"));
        terminal.wait_for(LIST);
        for key in keys {
            terminal.press(&[key]);
            terminal.wait_for(OPENED);
        }
        terminal.press(&["C-c"]);
        terminal.is_given_back();
    }
}

#[test]
fn colours_are_left_out_where_nobody_wants_them() {
    let scene = told();
    let Some(terminal) = Terminal::open(&scene) else { return };
    for (line, is_coloured) in [("", true), ("NO_COLOR=1 ", false)] {
        terminal.run(&format!("{line}{BINARY} recall heron"));
        terminal.wait_for(LIST);
        let codes = terminal.tmux(&["capture-pane", "-p", "-e"]);
        assert_eq!(codes.contains('\u{1b}'), is_coloured, "{codes:?}");
        terminal.press(&["q"]);
        terminal.is_given_back();
    }
}

#[test]
fn a_plain_terminal_is_asked_for_a_number_and_no_one_where_nobody_wants_it() {
    let scene = told();
    let Some(terminal) = Terminal::open(&scene) else { return };
    terminal.run(&format!("TERM=dumb {BINARY} recall heron"));
    terminal.wait_for("open which (1-3, Enter to leave)?");
    terminal.press(&["1", "Enter"]);
    terminal.wait_for("/home/me/app, session s");
    terminal.press(&["Enter"]);
    terminal.is_given_back();
    for line in [
        format!("{BINARY} recall heron --no-pick"),
        format!("{BINARY} recall heron | cat"),
        format!("{BINARY} recall heron </dev/null"),
        format!("CLAUDECODE=1 {BINARY} recall heron"),
        format!("{BINARY} recall heron --json | tail -1"),
    ] {
        terminal.run(&format!("{line}; echo left without a question"));
        let screen = terminal.wait_for("\nleft without a question\n");
        assert!(!screen.contains(LIST) && !screen.contains("open which"), "{line}: {screen}");
    }
}
