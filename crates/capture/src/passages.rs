//! Passages: transcript lines into what recall finds again: words, commands with what they told, errors, files touched.
//!
//! Long output is not taken whole: of a failed run the lines that tell why, of another one the lines that sum it up.

use std::borrow::Cow;

use throughline_domain::fragment;
use throughline_domain::ledger::CommandKind;
use throughline_domain::text::{fingerprint, printable, shorten};
use throughline_domain::time;
use throughline_domain::transcript::{Block, Line, Tool, ToolAnswer, ToolCall, What};
use throughline_recall::{CommandOutcome, Passage, PassageKind};

use crate::run_outcome::{self, RunOutcome};
use crate::shell::Simple;
use crate::{commands, errors, head, kinds, shell, words};

/// A longer text is several passages, cut where a paragraph ends.
const PASSAGE_BYTES: usize = 1_600;
/// Of one message so much is taken; what is longer is a paste.
const MESSAGE_BYTES_MAX: usize = 64 << 10;
/// Of a command line: a here-document can hold a whole file.
const COMMAND_BYTES_MAX: usize = 1_200;
const PURPOSE_BYTES_MAX: usize = 400;
/// Of a subagent's report.
const REPORT_BYTES_MAX: usize = 12 << 10;
/// Of an answer, as much at each end is looked at.
const ANSWER_BYTES_MAX: usize = 8 << 10;
const PATH_BYTES_MAX: usize = 1 << 10;
/// Calls whose answer has not come.
const PENDING_MAX: usize = 64;
/// Of what a command printed so much is taken from its beginning and from its end: what a list, a page or a configuration
/// says first is what is remembered of it.
const PRINTED_HEAD_BYTES: usize = 3 << 10;
const PRINTED_TAIL_BYTES: usize = 1 << 10;
/// A longer print is several passages.
const PRINTED_BYTES: usize = 1_000;
/// Of a printed line, and of the command above it.
const PRINTED_UNITS_MAX: usize = 240;
const PRINTER_UNITS_MAX: usize = 160;
/// Files lately read, and tasks lately named: named again they tell nothing new.
const LATELY_MAX: usize = 24;
/// What a line of output begins with, so that nobody takes it for the agent's words.
pub const OUTPUT_MARK: &str = "> ";

/// What lines before told and later ones need: kept between two readings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Teller {
    /// The response that the session is at.
    pub turn: u64,
    /// The last response's id, as a fingerprint.
    pub last_message: u64,
    /// When the last line was written that said so, in seconds since 1970.
    pub at_s: i64,
    /// Calls whose answer has not come.
    pub pending: Vec<Pending>,
    /// Fingerprints of what was lately named.
    pub lately: Vec<u32>,
}

/// A call whose answer has not come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pending {
    /// The call's id.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// Its command line or the path it works on.
    pub subject: String,
    /// What it is for.
    pub purpose: String,
    /// Whether the subject is a command line.
    pub is_command: bool,
    /// Whether a subagent does the work.
    pub is_agent: bool,
    /// Its response.
    pub turn: u64,
}

impl Teller {
    /// Takes one line; gives the passages that it completes.
    pub fn take(&mut self, line: &Line<'_>, mut give: impl FnMut(Passage)) {
        if let Some(at) = line.timestamp.and_then(time::parse) {
            self.at_s = at.as_second();
        }
        let is_sidechain = line.is_sidechain;
        let mut teller = Telling { memory: self, is_sidechain, give: &mut give };
        match &line.what {
            What::UserSaid(text) | What::Queued(text) => teller.user_said(text),
            What::Command { name, args } => {
                if !args.trim().is_empty() {
                    teller.say(PassageKind::User, &format!("{name} {args}"), MESSAGE_BYTES_MAX);
                }
                teller.memory.last_message = 0;
            }
            What::Responded { message_id, model, blocks, .. } => {
                // What the client says in the model's place has a bracketed name for a model.
                if !model.is_some_and(|name| name.starts_with('<')) {
                    teller.responded(*message_id, blocks);
                }
            }
            What::ToolsAnswered(answers) => answers.iter().for_each(|answer| teller.answered(answer)),
            What::Summary(text) => teller.say(PassageKind::Summary, text, MESSAGE_BYTES_MAX),
            What::Interrupted | What::Compacted { .. } => teller.memory.last_message = 0,
        }
    }
}

struct Telling<'t, F> {
    memory: &'t mut Teller,
    is_sidechain: bool,
    give: &'t mut F,
}

impl<F: FnMut(Passage)> Telling<'_, F> {
    fn passage(&mut self, kind: PassageKind, outcome: CommandOutcome, turn: u64, text: String) {
        if text.trim().is_empty() {
            return;
        }
        let (is_sidechain, at_s) = (self.is_sidechain, self.memory.at_s);
        (self.give)(Passage { kind, outcome, is_sidechain, at_s, turn, text });
    }

    /// Somebody's words, in passages.
    fn say(&mut self, kind: PassageKind, text: &str, bytes_max: usize) {
        let text = fragment::without(Cow::Borrowed(head(text.trim(), bytes_max)));
        let turn = self.memory.turn;
        for piece in pieces(&text) {
            self.passage(kind, CommandOutcome::Unknown, turn, printable(piece));
        }
    }

    fn user_said(&mut self, text: &str) {
        self.memory.last_message = 0;
        let text = text.trim();
        if text.starts_with("<task-notification>") {
            return self.say(PassageKind::Task, text, REPORT_BYTES_MAX);
        }
        if words::is_clients_own(text) {
            return;
        }
        // A subagent is told by the agent, not by the user.
        let kind = if self.is_sidechain { PassageKind::Task } else { PassageKind::User };
        if self.is_news(text) {
            self.say(kind, text, MESSAGE_BYTES_MAX);
        }
    }

    /// Whether a text was not named lately: queued words come twice, lists of tasks again and again.
    fn is_news(&mut self, text: &str) -> bool {
        // Half of a fingerprint: two of some dozens do not share one.
        let mark = (fingerprint(text.as_bytes()) >> 32) as u32;
        let lately = &mut self.memory.lately;
        let is_news = !lately.contains(&mark);
        lately.retain(|known| *known != mark);
        lately.push(mark);
        if lately.len() > LATELY_MAX {
            lately.remove(0);
        }
        is_news
    }

    fn responded(&mut self, message_id: Option<&str>, blocks: &[Block<'_>]) {
        let mark = message_id.map_or(1, |id| fingerprint(id.as_bytes()) | 2);
        if self.memory.last_message != mark && !self.is_sidechain {
            self.memory.last_message = mark;
            self.memory.turn += 1;
        }
        for block in blocks {
            match block {
                Block::Said(text) => self.say(PassageKind::Assistant, text, MESSAGE_BYTES_MAX),
                Block::Called(call) => self.called(call),
            }
        }
    }

    fn called(&mut self, call: &ToolCall<'_>) {
        let purpose = call.purpose.as_deref().unwrap_or_default();
        let path = call.path.as_deref().map(|path| head(path, PATH_BYTES_MAX));
        match (call.tool, path) {
            (Tool::Edit | Tool::Write, Some(path)) => {
                let turn = self.memory.turn;
                self.passage(PassageKind::Edit, CommandOutcome::Unknown, turn, path.to_owned());
            }
            (Tool::Read, Some(path)) => {
                let turn = self.memory.turn;
                if self.is_news(path) {
                    self.passage(PassageKind::Read, CommandOutcome::Unknown, turn, path.to_owned());
                }
            }
            (Tool::TaskCreate, _) => self.say(PassageKind::Task, purpose, PASSAGE_BYTES),
            (Tool::TodoWrite, _) => {
                for (subject, _) in &call.todos {
                    if self.is_news(subject) {
                        self.say(PassageKind::Task, subject, PASSAGE_BYTES);
                    }
                }
            }
            (Tool::Agent | Tool::Plan, _) => self.say(PassageKind::Task, purpose, REPORT_BYTES_MAX),
            (Tool::Server, _) if call.name.ends_with("__hand_over") => {
                self.say(PassageKind::Summary, call.text.as_deref().unwrap_or_default(), REPORT_BYTES_MAX);
            }
            (Tool::AskUser, _) => self.say(PassageKind::Assistant, purpose, PASSAGE_BYTES),
            _ => {}
        }
        let command = call.command.as_deref().filter(|_| call.tool == Tool::Shell);
        // What the agent hands over through a shell stands behind the command, and is longer than commands are.
        let handed = command.and_then(|command| command.split_once("throughline handover -"));
        if let Some((_, handed)) = handed {
            self.say(
                PassageKind::Summary,
                handed.split_once('\n').map_or("", |(_, text)| text),
                REPORT_BYTES_MAX,
            );
        }
        if call.id.len() > 200 {
            return;
        }
        self.memory.pending.push(Pending {
            id: call.id.clone().into_owned(),
            name: head(&call.name, 100).to_owned(),
            subject: command.map_or_else(
                || path.unwrap_or_default().to_owned(),
                |command| head(command, COMMAND_BYTES_MAX).to_owned(),
            ),
            purpose: head(purpose, PURPOSE_BYTES_MAX).to_owned(),
            is_command: command.is_some(),
            is_agent: call.tool == Tool::Agent,
            turn: self.memory.turn,
        });
        if self.memory.pending.len() > PENDING_MAX {
            let lost = self.memory.pending.remove(0);
            if lost.is_command {
                self.ran(&lost, None);
            }
        }
    }

    fn answered(&mut self, answer: &ToolAnswer<'_>) {
        if let Some(words) = answer.user_said.as_deref().filter(|_| !self.is_sidechain) {
            self.say(PassageKind::User, words, MESSAGE_BYTES_MAX);
        }
        let pending = &mut self.memory.pending;
        let Some(at) = pending.iter().rposition(|call| call.id == answer.call_id) else { return };
        let call = pending.remove(at);
        if call.is_command {
            self.ran(&call, Some(answer));
        } else if call.is_agent && !answer.is_error {
            let report = answer.text.head(REPORT_BYTES_MAX);
            self.say(PassageKind::Assistant, &report, REPORT_BYTES_MAX);
        } else if answer.is_error {
            self.refused(&call, answer);
        }
    }

    /// A tool other than a shell failed.
    fn refused(&mut self, call: &Pending, answer: &ToolAnswer<'_>) {
        let text = run_outcome::plain(answer.text.head_and_tail(ANSWER_BYTES_MAX));
        if run_outcome::of(&text, true, false) == RunOutcome::Unknown {
            return;
        }
        let title = format!("{} {}", call.name, call.subject);
        let told = with_output(title.trim(), "", &errors::telling_lines(&text));
        self.passage(PassageKind::Error, CommandOutcome::Failed, call.turn, told);
    }

    /// A command ran, and answered or never did.
    fn ran(&mut self, call: &Pending, answer: Option<&ToolAnswer<'_>>) {
        let commands = shell::commands(&call.subject);
        let is_mere_look = commands.iter().all(is_look);
        let Some(answer) = answer.filter(|_| !fragment::runs_us(&call.subject)) else {
            let told = with_output(&call.subject, &call.purpose, &[]);
            return self.passage(PassageKind::Command, CommandOutcome::Unknown, call.turn, told);
        };
        let text = run_outcome::plain(answer.text.head_and_tail(ANSWER_BYTES_MAX));
        let text = fragment::without(Cow::Owned(text));
        let is_check = commands.iter().any(is_check);
        let hides_exit = commands.iter().any(|command| command.is_piped)
            || call.subject.contains(';')
            || call.subject.contains("||")
            || call.subject.contains('\n');
        let (kind, outcome, lines) = match run_outcome::of(&text, answer.is_error, is_check && hides_exit) {
            RunOutcome::Failed => (PassageKind::Error, CommandOutcome::Failed, errors::telling_lines(&text)),
            // What only looked around told nothing but what it printed.
            RunOutcome::Succeeded if is_mere_look => return self.printed(call, &text, &[]),
            RunOutcome::Succeeded => (
                PassageKind::Command,
                CommandOutcome::Succeeded,
                run_outcome::last_lines(&text, is_check, RunOutcome::Succeeded),
            ),
            RunOutcome::Unknown => (PassageKind::Command, CommandOutcome::Unknown, Vec::new()),
        };
        let told = with_output(&call.subject, &call.purpose, &lines);
        self.passage(kind, outcome, call.turn, told);
        self.printed(call, &text, &lines);
    }

    /// What a command printed, in passages, unless `told` holds it all.
    fn printed(&mut self, call: &Pending, text: &str, told: &[String]) {
        let lines = printed_lines(text);
        if lines.iter().all(|line| told.iter().any(|known| known.trim() == line.trim())) {
            return;
        }
        let command = shorten(call.subject.trim(), PRINTER_UNITS_MAX);
        let mut rest = &lines[..];
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = |line: &&String| {
                bytes += line.len() + 1;
                bytes <= PRINTED_BYTES
            };
            let (piece, behind) = rest.split_at(rest.iter().take_while(fits).count().max(1));
            self.passage(
                PassageKind::Output,
                CommandOutcome::Unknown,
                call.turn,
                with_output(&command, "", piece),
            );
            rest = behind;
        }
    }
}

/// The lines of an output that are kept: from its beginning and from its end.
fn printed_lines(text: &str) -> Vec<String> {
    let meaningful: Vec<&str> =
        text.lines().map(str::trim_end).filter(|line| run_outcome::is_meaningful(line.trim())).collect();
    let within = |bytes_max: usize| {
        let mut bytes = 0;
        move |line: &&&str| {
            bytes += line.len().min(PRINTED_UNITS_MAX) + 1;
            bytes <= bytes_max
        }
    };
    let head = meaningful.iter().take_while(within(PRINTED_HEAD_BYTES)).count();
    let tail = meaningful[head..].iter().rev().take_while(within(PRINTED_TAIL_BYTES)).count();
    let kept = meaningful[..head].iter().chain(&meaningful[meaningful.len() - tail..]);
    kept.map(|line| shorten(line, PRINTED_UNITS_MAX)).collect()
}

fn is_check(command: &Simple) -> bool {
    let kind = kinds::kind_of(&command.words);
    matches!(kind, Some(CommandKind::Test | CommandKind::Build | CommandKind::Lint))
}

fn is_look(command: &Simple) -> bool {
    kinds::kind_of(&command.words).is_none()
        && kinds::is_trivial(&command.words)
        && !commands::is_git_commit(command)
}

/// A command with what it is for and what it told: the agent's words first, then the output, each line marked.
fn with_output(command: &str, purpose: &str, lines: &[String]) -> String {
    let mut told = printable(command.trim());
    if !purpose.is_empty() {
        told.push_str(&format!("\n# {}", printable(&purpose.replace('\n', " "))));
    }
    for line in lines {
        told.push_str(&format!("\n{OUTPUT_MARK}{}", printable(&shorten(line, 300))));
    }
    told
}

/// The lines of an output that tell what is wrong.
#[must_use]
pub fn telling(text: &str) -> Vec<String> {
    errors::telling_lines(&run_outcome::plain(head(text, MESSAGE_BYTES_MAX).to_owned()))
}

/// The command line of a passage, without what it told.
#[must_use]
pub fn command_of(text: &str) -> &str {
    let end = text.find("\n# ").or_else(|| text.find("\n> ")).unwrap_or(text.len());
    &text[..end]
}

/// Whether a success of the command `later` means that what made `earlier` fail is over.
#[must_use]
pub fn makes_good(later: &str, earlier: &str) -> bool {
    let normal = |line: &str| -> Vec<String> {
        shell::commands(line).iter().filter(|command| !is_look(command)).map(Simple::normal).collect()
    };
    let (later, earlier) = (normal(later), normal(earlier));
    earlier.iter().any(|failed| later.iter().any(|run| errors::is_over_after(run, failed)))
}

/// A text in passages: whole paragraphs, as many as fit.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text.trim();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, behind) = rest.split_at(cut(rest));
        rest = behind.trim_start();
        Some(piece.trim_end())
    })
}

fn cut(text: &str) -> usize {
    let first = head(text, PASSAGE_BYTES);
    if first.len() == text.len() {
        return text.len();
    }
    // Not before the half: a title belongs to what it is the title of.
    let half = PASSAGE_BYTES / 2;
    let breaks = ["\n\n", "\n", ". ", " "];
    let found = breaks.iter().find_map(|it| first.rfind(it).filter(|at| *at >= half).map(|at| at + it.len()));
    found.unwrap_or(first.len()).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_at_paragraphs_and_nothing_is_lost() {
        let paragraph = "word ".repeat(60);
        let text = vec![paragraph.trim(); 20].join("\n\n");
        let cut: Vec<&str> = pieces(&text).collect();
        assert!(cut.len() > 3 && cut.iter().all(|piece| piece.len() <= PASSAGE_BYTES));
        assert_eq!(cut.join("\n\n"), text);
        assert_eq!(pieces(&"é".repeat(3_000)).map(str::len).sum::<usize>(), 6_000);
        assert_eq!(pieces("  \n ").count(), 0);
    }

    #[test]
    fn a_wider_run_that_succeeds_makes_a_narrower_one_good() {
        assert!(makes_good("cd app && cargo test", "cargo test -p store"));
        assert!(makes_good("go test ./...", "cd /x && go test ./pkg 2>&1 | tail -5"));
        assert!(!makes_good("cargo build", "cargo test"));
        assert!(!makes_good("ls", "ls"));
    }

    #[test]
    fn the_command_of_a_passage_stands_before_what_it_told() {
        assert_eq!(command_of("cargo test\n# run it\n> failed"), "cargo test");
        assert_eq!(command_of("cargo test\n> failed"), "cargo test");
        assert_eq!(command_of("cargo test"), "cargo test");
    }
}
