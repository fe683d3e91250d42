//! Pick: on a terminal, which result to open. Never in a pipe.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::terminal::{Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{cursor, execute, queue, terminal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use super::picker::{AfterKey, Key, Look, Picker, Row, Size};
use super::results::{self, Hit};
use super::{Desk, show};
use crate::failure::Failure;
use crate::output::{DIM, HEAD, styled};
use crate::quoting::{self, FOUND};

/// Passages before and after the one that is opened.
const AROUND: usize = 6;
/// Longest answer that is read.
const ANSWER_BYTES_MAX: usize = 64;

/// A narrower screen is drawn as if it had so many columns.
const COLUMNS_MIN: usize = 4;

/// Whether somebody is there to be asked.
pub(super) fn is_wanted(no_pick: bool) -> bool {
    !no_pick
        && !quoting::is_for_agent()
        && io::stdin().is_terminal()
        && io::stdout().is_terminal()
        && io::stderr().is_terminal()
}

/// Lets somebody choose and look, until they leave; what they saw goes with the screen. A terminal that cannot move its
/// cursor gets the list, and is asked for a number.
pub(super) fn open(desk: &Desk<'_>, hits: &[Hit], list: &[String]) -> Result<(), Failure> {
    let is_plain = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    if !is_plain && let Ok(mut screen) = Screen::take() {
        return choose(desk, hits, &mut screen);
    }
    quoting::say(&FOUND, list)?;
    ask(desk, hits)
}

fn choose(desk: &Desk<'_>, hits: &[Hit], screen: &mut Screen) -> Result<(), Failure> {
    let plain = |line: String| throughline_domain::unseen::shown(&line).into_owned();
    let two = |hit: &Hit| {
        let mut lines = results::shown(hit).into_iter().map(plain);
        [lines.next().unwrap_or_default(), lines.next().unwrap_or_default()]
    };
    let mut picker = Picker::of(hits.iter().map(two).collect());
    // A terminal that is gone has nobody before it.
    while let Ok(size) = Screen::size() {
        let Ok(event) = screen.draw(&picker.rows(size)).and_then(|()| event::read()) else { break };
        let Some(key) = key_of(&event) else { continue };
        match picker.press(key, size) {
            AfterKey::Stay => {}
            AfterKey::Open(index) => {
                let opened = show::lines(desk, &results::id(&hits[index]), AROUND)?;
                picker.show(opened.lines.into_iter().map(plain).collect(), opened.asked_at, size);
            }
            AfterKey::Leave => break,
        }
    }
    Ok(())
}

fn key_of(event: &Event) -> Option<Key> {
    let Event::Key(KeyEvent { code, modifiers, kind, .. }) = event else { return None };
    if *kind == KeyEventKind::Release {
        return None;
    }
    if modifiers.contains(KeyModifiers::CONTROL) {
        return match code {
            KeyCode::Char('c' | 'd') => Some(Key::Stop),
            KeyCode::Char('n') => Some(Key::Down),
            KeyCode::Char('p') => Some(Key::Up),
            _ => None,
        };
    }
    match code {
        KeyCode::Up | KeyCode::Char('k') => Some(Key::Up),
        KeyCode::Down | KeyCode::Char('j') => Some(Key::Down),
        KeyCode::PageUp | KeyCode::Char('b') => Some(Key::PageUp),
        KeyCode::PageDown | KeyCode::Char(' ') => Some(Key::PageDown),
        KeyCode::Home | KeyCode::Char('g') => Some(Key::First),
        KeyCode::End | KeyCode::Char('G') => Some(Key::Last),
        KeyCode::Enter | KeyCode::Right | KeyCode::Char('l') => Some(Key::Enter),
        KeyCode::Esc | KeyCode::Left | KeyCode::Backspace | KeyCode::Char('q' | 'h') => Some(Key::Back),
        KeyCode::Char(character) => character.to_digit(10).map(|digit| Key::Digit(digit as usize)),
        _ => None,
    }
}

/// The terminal while it is ours. It is given back whatever happens: at the end, in a panic, by a signal.
struct Screen {
    has_colours: bool,
}

impl Screen {
    fn take() -> io::Result<Self> {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            before(panic);
        }));
        // Without it the picker works as well; only a signal would leave the terminal as it is.
        let _ = give_back_on_signals();
        let has_colours = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
        // Whoever holds this lock changes the terminal: a signal comes before all of it, or after.
        let mut out = io::stdout().lock();
        terminal::enable_raw_mode()?;
        let screen = Self { has_colours };
        execute!(out, EnterAlternateScreen, cursor::Hide)?;
        Ok(screen)
    }

    fn size() -> io::Result<Size> {
        let (columns, rows) = terminal::size()?;
        Ok(Size { columns: usize::from(columns).max(COLUMNS_MIN), rows: rows.into() })
    }

    fn draw(&self, rows: &[Row]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        queue!(out, cursor::MoveTo(0, 0))?;
        for (index, row) in rows.iter().enumerate() {
            let text = match row.look {
                Look::Chosen if self.has_colours => styled(HEAD.invert(), &row.text),
                Look::Dim if self.has_colours => styled(DIM, &row.text),
                _ => row.text.clone(),
            };
            let end = if index == 0 { "" } else { "\r\n" };
            write!(out, "{end}{text}")?;
            queue!(out, Clear(ClearType::UntilNewLine))?;
        }
        queue!(out, Clear(ClearType::FromCursorDown))?;
        out.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

fn give_back() {
    // What was not taken needs no giving back.
    if terminal::is_raw_mode_enabled().unwrap_or(false) {
        let _ = execute!(io::stdout(), cursor::Show, LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

/// Lets a thread wait for the signals that end a program: it gives the terminal back, and then they do. It stays to the
/// end of the process, because a signal whose handler is taken away is lost.
fn give_back_on_signals() -> io::Result<()> {
    let ending = [SIGTERM, SIGHUP, SIGINT, SIGQUIT];
    let is_ending = Arc::new(AtomicBool::new(false));
    for signal in ending {
        // A terminal that takes no more bytes holds the first one up, not the second.
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&is_ending))?;
    }
    let mut signals = signal_hook::iterator::Signals::new(ending)?;
    let wait = move || {
        let Some(signal) = signals.forever().next() else { return };
        is_ending.store(true, Ordering::SeqCst);
        // Held up to the end, or the picker would draw once more.
        let _out = io::stdout().lock();
        give_back();
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait).map(drop)
}

/// Asks until a blank line, and opens what was named.
fn ask(desk: &Desk<'_>, hits: &[Hit]) -> Result<(), Failure> {
    loop {
        let _ = write!(anstream::stderr().lock(), "open which (1-{}, Enter to leave)? ", hits.len());
        let mut answer = String::new();
        match io::stdin().read_line(&mut answer) {
            Ok(bytes) if bytes > 0 && bytes <= ANSWER_BYTES_MAX => {}
            _ => return Ok(()),
        }
        match chosen(&answer, hits.len()) {
            Choice::Leave => return Ok(()),
            Choice::Open(index) => show::open(desk, &results::id(&hits[index]), AROUND, false)?,
            Choice::Unclear => {}
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Choice {
    Leave,
    Open(usize),
    Unclear,
}

fn chosen(answer: &str, count: usize) -> Choice {
    match answer.trim() {
        "" | "q" | "quit" => Choice::Leave,
        number => match number.parse::<usize>() {
            Ok(number) if (1..=count).contains(&number) => Choice::Open(number - 1),
            _ => Choice::Unclear,
        },
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test looks at what a terminal tells")]
mod tests {
    use super::*;

    #[test]
    fn an_answer_opens_leaves_or_is_asked_again() {
        assert_eq!(chosen("2\n", 3), Choice::Open(1));
        assert_eq!([chosen("\n", 3), chosen("q", 3)], [Choice::Leave, Choice::Leave]);
        assert_eq!(
            [chosen("0", 3), chosen("4", 3), chosen("x", 3)],
            [Choice::Unclear, Choice::Unclear, Choice::Unclear]
        );
    }

    #[test]
    fn keys_of_both_schools_are_known() {
        let pressed = |code, modifiers| key_of(&Event::Key(KeyEvent::new(code, modifiers)));
        let plain = |code| pressed(code, KeyModifiers::NONE);
        for (code, key) in [
            (KeyCode::Char('j'), Key::Down),
            (KeyCode::Char('k'), Key::Up),
            (KeyCode::Down, Key::Down),
            (KeyCode::Up, Key::Up),
            (KeyCode::Enter, Key::Enter),
            (KeyCode::Char('q'), Key::Back),
            (KeyCode::Esc, Key::Back),
            (KeyCode::Char('7'), Key::Digit(7)),
        ] {
            assert_eq!(plain(code), Some(key), "{code:?}");
        }
        assert_eq!(pressed(KeyCode::Char('c'), KeyModifiers::CONTROL), Some(Key::Stop));
        assert_eq!(plain(KeyCode::Char('x')), None);
        assert_eq!(key_of(&Event::Resize(1, 1)), None);
    }

    /// What a program leaves behind in a terminal.
    struct Left {
        status: String,
        modes: String,
        screen: String,
        /// Whether the other screen is on, and the cursor.
        flags: String,
    }

    impl Left {
        fn assert_usual(&self) {
            let Self { status, modes, screen, flags } = self;
            assert!(modes.contains(" icanon") && !modes.contains("-icanon"), "{modes}");
            assert!(!modes.contains("-echo "), "{modes}");
            assert_eq!(flags, "0 1", "status {status}, screen:\n{screen}");
        }
    }

    /// Runs one of these tests in a terminal, with a variable that tells it so. `None` without tmux.
    fn in_terminal(test: &str, variable: &str) -> Option<Left> {
        let folder = tempfile::tempdir().expect("a folder");
        let (socket, modes) = (folder.path().join("tmux"), folder.path().join("modes"));
        let exe = std::env::current_exe().expect("this test");
        let line = format!(
            "{variable} '{}' --exact commands::recall::pick::tests::{test} --nocapture; echo $? >'{1}.part'; \
             stty -a >>'{1}.part'; mv '{1}.part' '{1}'; exec cat",
            exe.display(),
            modes.display()
        );
        let tmux =
            |args: &[&str]| std::process::Command::new("tmux").arg("-S").arg(&socket).args(args).output();
        let Ok(_) = tmux(&["-f", "/dev/null", "new-session", "-d", "-x", "90", "-y", "50", &line]) else {
            assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "no tmux");
            return None;
        };
        let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
        while !modes.exists() && std::time::Instant::now() < until {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let said = |args: &[&str]| String::from_utf8(tmux(args).expect("tmux").stdout).expect("text");
        let flags = said(&["display-message", "-p", "#{alternate_on} #{cursor_flag}"]).trim().to_owned();
        let screen = said(&["capture-pane", "-p"]);
        let _ = tmux(&["kill-server"]);
        let modes = std::fs::read_to_string(&modes).expect("the modes");
        let (status, modes) = modes.split_once('\n').expect("a status");
        Some(Left { status: status.to_owned(), modes: modes.to_owned(), screen, flags })
    }

    /// This test runs itself once more, in a terminal, and breaks there.
    #[test]
    fn a_panic_gives_the_terminal_back() {
        const BREAKS: &str = "THROUGHLINE_TEST_PANIC_IN_PICKER";
        if std::env::var_os(BREAKS).is_some() {
            // As in a release, nothing but the panic's hook is left.
            std::mem::forget(Screen::take().expect("a terminal"));
            panic!("the picker broke");
        }
        let Some(left) = in_terminal("a_panic_gives_the_terminal_back", &format!("{BREAKS}=1")) else {
            return;
        };
        assert!(left.screen.contains("the picker broke"), "it did break there");
        left.assert_usual();
    }

    /// This test runs itself once more, in a terminal, and ends itself there by a signal.
    #[test]
    fn a_signal_gives_the_terminal_back_and_ends_the_program() {
        const SIGNAL: &str = "THROUGHLINE_TEST_SIGNAL_IN_PICKER";
        if let Some(number) = std::env::var_os(SIGNAL) {
            let _screen = Screen::take().expect("a terminal");
            let mut kill = std::process::Command::new("kill");
            let sent = kill.arg("-s").arg(number).arg(std::process::id().to_string()).status();
            assert!(sent.expect("kill").success());
            loop {
                std::thread::park();
            }
        }
        for (name, number) in [("TERM", SIGTERM), ("HUP", SIGHUP), ("INT", SIGINT)] {
            let test = "a_signal_gives_the_terminal_back_and_ends_the_program";
            let Some(left) = in_terminal(test, &format!("{SIGNAL}={name}")) else { return };
            assert_eq!(left.status, (128 + number).to_string(), "ended by SIG{name}: {}", left.screen);
            left.assert_usual();
        }
    }
}
