//! Commands: what can be pasted as it stands. A command that was run is whole or it is none; other words are quoted.

use throughline_domain::ledger::CommandUse;
use throughline_domain::text::{one_line, utf16_len};

use super::Session;
use crate::sections::verbatim;

/// A longer command is a script.
const COMMAND_UNITS: usize = 400;
/// What a prompt may say of a subject.
const WORDS_UNITS: usize = 200;
/// What stands where a secret stood, and stood in earlier versions: such a command is not the one that was run.
const MASKED: [&str; 2] = ["[masked:", "[redacted]"];

/// Something to paste.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Into the agent's prompt.
    Prompt(String),
    /// Into a shell.
    Shell(String),
}

impl Command {
    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Prompt(text) | Self::Shell(text) => text,
        }
    }

    /// Words for the agent about something: ours, then the subject's.
    pub(super) fn prompt(ours: &str, subject: &str) -> Self {
        Self::Prompt(format!("{ours}{}", words(subject, WORDS_UNITS)))
    }

    /// The same with ours around the subject's.
    pub(super) fn prompt_around(before: &str, subject: &str, after: &str) -> Self {
        Self::Prompt(format!("{before}{}{after}", words(subject, WORDS_UNITS)))
    }

    /// A verb of this program.
    pub(super) fn verb(line: &str) -> Self {
        Self::Shell(line.to_owned())
    }

    /// A command as it was run, else in its short form; `None` where neither can be run again as it stands here.
    pub(super) fn as_run(command: &CommandUse) -> Option<Self> {
        let is_whole = |line: &&String| {
            let line = line.trim();
            !line.is_empty()
                && utf16_len(line) <= COMMAND_UNITS
                && verbatim(line, COMMAND_UNITS) == line
                && !MASKED.iter().any(|mark| line.contains(mark))
        };
        // What else stood on the line (`git stash && …`) may do harm when it is run again.
        let as_run = Some(&command.verbatim).filter(|line| runs_one_thing(line));
        let line = as_run.into_iter().chain([&command.normal]).find(is_whole)?;
        Some(Self::Shell(line.trim().to_owned()))
    }

    /// The same for a session that does not run any more, or has not begun: a shell has to start the client first.
    pub(super) fn for_session(self, session: Option<Session<'_>>) -> Self {
        let Self::Prompt(prompt) = self else { return self };
        let client = match session {
            Some(Session { is_live: true, .. }) => return Self::Prompt(prompt),
            Some(Session { id, .. }) if is_plain(id) => format!("claude --resume {id}"),
            _ => "claude".to_owned(),
        };
        let line = format!("{client} {}", quoted(&prompt));
        Self::Shell(if utf16_len(&line) <= COMMAND_UNITS { line } else { client })
    }
}

/// Whether a line does nothing beside one command but change the folder before it.
fn runs_one_thing(line: &str) -> bool {
    let parts = line.split(['\n', ';', '&']).flat_map(|part| part.split("||")).map(str::trim);
    // `2>&1` is no part of its own.
    let is_deed = |part: &&str| {
        let is_stream = part.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '>');
        !part.is_empty() && !part.starts_with("cd ") && !is_stream
    };
    parts.filter(is_deed).count() <= 1
}

/// Somebody's words on one line, harmless and bounded.
pub(super) fn words(text: &str, units_max: usize) -> String {
    verbatim(&one_line(text, units_max), units_max)
}

/// Whether an id can stand in a command line as it is.
fn is_plain(id: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !id.is_empty() && id.len() <= 128 && !id.starts_with('-') && id.chars().all(is_letter)
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(verbatim: &str, normal: &str) -> Option<String> {
        let (verbatim, normal) = (verbatim.to_owned(), normal.to_owned());
        let command = CommandUse { verbatim, normal, ..CommandUse::default() };
        Command::as_run(&command).map(|command| command.text().to_owned())
    }

    #[test]
    fn a_command_is_whole_or_it_is_none() {
        assert_eq!(
            run("cd app && make test | tail -3", "make test").unwrap(),
            "cd app && make test | tail -3"
        );
        assert_eq!(run("cd a; cd b && make test 2>&1 || true", "make test").unwrap(), "make test");
        assert_eq!(run("make test 2>&1 | tail", "make test").unwrap(), "make test 2>&1 | tail");
        let with_more = "git stash && make lint; git stash pop";
        assert_eq!(run(with_more, "make lint").unwrap(), "make lint", "the check alone");
        assert_eq!(run("cat <<X\nscript\nX\nmake test", "make test").unwrap(), "make test", "no script");
        assert_eq!(run(&"x".repeat(401), "make test").unwrap(), "make test", "no half of one");
        assert_eq!(run("TOKEN=[redacted] make test", "make test").unwrap(), "make test");
        assert_eq!(run("TOKEN=[masked:token:3f9a] make test", "make test").unwrap(), "make test");
        assert_eq!(run("echo [/throughline]", "echo \u{1b}[31m"), None);
        assert_eq!(run("", " "), None);
    }

    #[test]
    fn a_session_that_is_over_is_resumed_with_the_words_as_one_quoted_word() {
        let at = |id, is_live| Some(Session { id, is_live });
        let prompt = || Command::prompt("continue with: ", "it's `rm -rf` $(now)\nplease");
        assert_eq!(prompt().for_session(at("s1", true)), prompt());
        let rows = [
            (at("s-1.x_y", false), "claude --resume s-1.x_y "),
            (at("a b; rm", false), "claude "),
            (at("--help", false), "claude "),
            (None, "claude "),
        ];
        for (session, client) in rows {
            let shell = prompt().for_session(session);
            let expected = format!(r"{client}'continue with: it'\''s `rm -rf` $(now) please'");
            assert_eq!(shell, Command::Shell(expected));
        }
        let hostile = Command::prompt("", &"'".repeat(300)).for_session(at("s1", false));
        assert_eq!(hostile, Command::Shell("claude --resume s1".to_owned()), "too long with its quotes");
        assert_eq!(Command::verb("throughline work").for_session(None).text(), "throughline work");
    }
}
