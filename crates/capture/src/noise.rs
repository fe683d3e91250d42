//! Noise: what makes a context worse, counted as the lines come: failures, repetitions, work given up, stale output, drift.
//!
//! Only the main conversation counts. Everything is remembered in the ledger's stretch, bounded.

use throughline_domain::ledger::{CommandKind, FileUse, HALF_LIFE_TURNS, Ledger, Weight};
use throughline_domain::stretch::{Answer, Asked, Deed, Stretch, Tried};
use throughline_domain::text::{fingerprint, one_line, word_count};
use throughline_domain::transcript::{Escaped, Tool, ToolAnswer, ToolCall};

use crate::run_outcome::{self, RunOutcome};
use crate::segments::REQUEST_WORDS_MIN;
use crate::shell::Simple;
use crate::{focus, head, kinds};

const ANSWERS_MAX: usize = 96;
const ASKED_MAX: usize = 64;
const TRIED_MAX: usize = 5;
const DISCARDED_MAX: usize = 4;
const WHAT_UNITS_MAX: usize = 160;
/// So many failures of the same command in a row are a circle, whatever was changed in between.
const FAILURES_MIN: u32 = 3;
/// A shorter answer takes no room worth speaking of.
const REPEATED_BYTES_MIN: usize = 120;
/// Of an answer so much at each end tells it from another one.
const PRINT_BYTES: usize = 1_024;
/// A tool's own word for why it did not work stands at the beginning.
const REASON_BYTES: usize = 200;

/// A tool other than a shell was called.
pub(crate) fn called(ledger: &mut Ledger, call: &ToolCall<'_>) {
    let path = call.path.as_deref().unwrap_or_default();
    let (deed, question) = match call.tool {
        Tool::Read => (Deed::Read, print(path.as_bytes())),
        Tool::Edit | Tool::Write => (Deed::Edit, print(path.as_bytes())),
        Tool::Search => {
            let pattern = call.pattern.as_deref().unwrap_or_default();
            (Deed::Ask, print(format!("{pattern}\0{path}").as_bytes()))
        }
        Tool::Agent | Tool::Server | Tool::Other => (Deed::Ask, 0),
        Tool::Shell | Tool::TaskCreate | Tool::TaskUpdate | Tool::TodoWrite | Tool::AskUser | Tool::Plan => {
            return;
        }
    };
    match call.tool {
        Tool::Edit | Tool::Write => focus::changed(&mut ledger.stretch, path),
        Tool::Read => focus::looked(&mut ledger.stretch, &[focus::end_of(path)]),
        Tool::Search => {
            let pattern = call.pattern.as_deref().unwrap_or_default();
            focus::looked(&mut ledger.stretch, &[head(pattern, 200), focus::end_of(path)]);
        }
        _ => {}
    }
    // Of an edit: what it replaces, by which the same one is known again.
    let line = call.text.as_deref().map_or(question, |text| print(text.as_bytes()));
    ask(ledger, &call.id, deed, question, line);
}

/// A command line was run that is not ours.
pub(crate) fn ran(ledger: &mut Ledger, call_id: &str, line: &str, commands: &[Simple]) {
    if !commands.iter().all(is_neutral) {
        focus::looked(&mut ledger.stretch, &[head(line, 400)]);
    }
    let question = if commands.iter().all(|command| command.is_repeatable) && !commands.is_empty() {
        let normal: Vec<String> = commands
            .iter()
            .map(|it| format!("{} {}", it.folder.as_deref().unwrap_or_default(), it.normal()))
            .collect();
        print(normal.join("\n").as_bytes())
    } else {
        print(line.as_bytes())
    };
    ask(ledger, call_id, Deed::Ask, question, print(line.as_bytes()));
    if commands.iter().any(|command| discards(ledger, command)) {
        give_up(ledger);
        keep_newest(&mut ledger.stretch.discarded, one_line(line, WHAT_UNITS_MAX), DISCARDED_MAX);
    }
    if commands.iter().any(may_change) || redirects(line) {
        ledger.stretch.changes += 1;
    }
}

fn ask(ledger: &mut Ledger, call_id: &str, deed: Deed, question: u32, line: u32) {
    let turn = ledger.turn;
    let stretch = &mut ledger.stretch;
    count(&mut stretch.calls, turn);
    // Before what this very call may change.
    let call = print(call_id.as_bytes());
    let asked = Asked { call, question, line, deed, changes: stretch.changes };
    keep_newest(&mut stretch.asked, asked, ASKED_MAX);
}

/// A tool answered. `outcome` is known of a shell's command, and `line` is that command.
pub(crate) fn answered(
    ledger: &mut Ledger,
    answer: &ToolAnswer<'_>,
    outcome: Option<RunOutcome>,
    line: Option<&str>,
) {
    let call = print(answer.call_id.as_bytes());
    let Some(at) = ledger.stretch.asked.iter().rposition(|asked| asked.call == call) else { return };
    let asked = ledger.stretch.asked.remove(at);
    let is_known_failure = outcome == Some(RunOutcome::Failed);
    let ended = if answer.is_error && !is_known_failure { reason(answer) } else { Ended::from(outcome) };
    let turn = ledger.turn;
    let stretch = &mut ledger.stretch;
    stretch.held_bytes += answer.text.raw_bytes() as u64;
    match ended {
        Ended::Refused => give_up(ledger),
        Ended::NotRun => {}
        Ended::Failed => {
            count(&mut stretch.failed, turn);
            if asked.deed == Deed::Ask {
                compare(stretch, &asked, &answer.text, true, turn, line);
            }
        }
        Ended::Well => match asked.deed {
            Deed::Ask => compare(stretch, &asked, &answer.text, false, turn, line),
            Deed::Read => read(stretch, &asked, &answer.text, turn),
            Deed::Edit => edited(stretch, &asked, turn),
        },
    }
}

/// A subagent changed a file: what the main conversation read of it is old.
pub(crate) fn changed_by_another(ledger: &mut Ledger, call: &ToolCall<'_>) {
    let path = call.path.as_deref().unwrap_or_default();
    changed(&mut ledger.stretch, print(path.as_bytes()));
}

/// The user stopped the agent.
pub(crate) fn stopped(ledger: &mut Ledger) {
    give_up(ledger);
}

/// The user spoke: whether that takes something back, and what it is about.
pub(crate) fn heard(ledger: &mut Ledger, text: &str) {
    if ledger.turn > 0 && takes_back(text) {
        give_up(ledger);
    }
    if word_count(head(text, 400)) >= REQUEST_WORDS_MIN {
        focus::requested(&mut ledger.stretch, text);
    }
}

/// A task changes; it still has its former state.
pub(crate) fn task_changes(ledger: &mut Ledger, call: &ToolCall<'_>) {
    let Some(id) = call.task_id.as_deref().map(|id| id.trim_start_matches('#')) else { return };
    let Some(task) = ledger.tasks.iter().rfind(|task| task.id == id) else { return };
    match call.status.as_deref() {
        Some("deleted") if task.status == "in_progress" => give_up(ledger),
        Some("in_progress") => {
            let subject = task.subject.clone();
            focus::widened(&mut ledger.stretch, &subject);
        }
        _ => {}
    }
}

/// A list of tasks was written: what is in progress belongs to the request.
pub(crate) fn list_written(ledger: &mut Ledger, call: &ToolCall<'_>) {
    for (subject, _) in call.todos.iter().filter(|(_, status)| status == "in_progress") {
        focus::widened(&mut ledger.stretch, subject);
    }
}

fn count(weight: &mut Weight, turn: u64) {
    weight.add(1.0, turn, HALF_LIFE_TURNS);
}

/// Work was thrown away or stopped. However many lines tell of it: within one response it is one.
fn give_up(ledger: &mut Ledger) {
    let turn = ledger.turn;
    let stretch = &mut ledger.stretch;
    if stretch.abandoned_turn != Some(turn) {
        stretch.abandoned_turn = Some(turn);
        count(&mut stretch.abandoned, turn);
    }
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    Well,
    Failed,
    /// The user did not want it.
    Refused,
    /// It never ran, or nobody knows.
    NotRun,
}

impl From<Option<RunOutcome>> for Ended {
    fn from(outcome: Option<RunOutcome>) -> Self {
        match outcome {
            None | Some(RunOutcome::Succeeded) => Self::Well,
            Some(RunOutcome::Failed) => Self::Failed,
            Some(RunOutcome::Unknown) => Self::NotRun,
        }
    }
}

/// Why the client says that a call failed.
fn reason(answer: &ToolAnswer<'_>) -> Ended {
    const REFUSED: [&str; 4] =
        ["The user doesn't want", "Error: The user doesn't want", "User rejected", "[Request interrupted"];
    let text = answer.text.head(REASON_BYTES);
    let start = text.trim_start();
    let says = start.strip_prefix("<tool_use_error>").unwrap_or(start);
    if REFUSED.iter().any(|it| says.starts_with(it)) {
        Ended::Refused
    } else if says.starts_with("Cancelled") || says.starts_with("Sibling") || run_outcome::was_not_run(says) {
        Ended::NotRun
    } else {
        Ended::Failed
    }
}

/// Compares an answer with the last one to the same question, which it replaces.
fn compare(
    stretch: &mut Stretch,
    asked: &Asked,
    text: &Escaped<'_>,
    failed: bool,
    turn: u64,
    line: Option<&str>,
) {
    if asked.question == 0 {
        return;
    }
    let (bytes, print) = (text.raw_bytes(), answer_print(text));
    let known = stretch.answers.iter().rposition(|it| it.question == asked.question && !it.is_file);
    let mut failures = u32::from(failed);
    if let Some(at) = known {
        let before = stretch.answers.remove(at);
        let is_unchanged = before.changes == asked.changes && before.line == asked.line;
        let is_same = before.print == print && before.line == asked.line;
        if failed {
            failures = before.failures.saturating_add(1);
            if before.failures > 0 && (is_same || is_unchanged || failures >= FAILURES_MIN) {
                count(&mut stretch.failed_again, turn);
                tried(stretch, asked.question, line);
            }
        } else if before.failures > 0 {
            solved(stretch, asked.question, turn);
        } else if is_same && is_unchanged && bytes >= REPEATED_BYTES_MIN {
            count(&mut stretch.repeated, turn);
        }
        stretch.stale_bytes += u64::from(before.bytes);
    }
    let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
    let (question, line) = (asked.question, asked.line);
    let answer = Answer { question, line, print, bytes, changes: stretch.changes, failures, is_file: false };
    keep_newest(&mut stretch.answers, answer, ANSWERS_MAX);
}

/// What failed again and again works now: its failures count half from here on.
fn solved(stretch: &mut Stretch, question: u32, turn: u64) {
    let Some(at) = stretch.tried.iter().position(|it| it.question == question) else { return };
    let tried = stretch.tried.remove(at);
    let counted = f64::from(tried.times.saturating_sub(1));
    let left = stretch.failed_again.at(turn, HALF_LIFE_TURNS);
    stretch.failed_again.add(-counted.min(left) / 2.0, turn, HALF_LIFE_TURNS);
}

fn tried(stretch: &mut Stretch, question: u32, line: Option<&str>) {
    let at = stretch.tried.iter().position(|it| it.question == question);
    let mut tried = match at {
        Some(at) => stretch.tried.remove(at),
        // The first failure was in vain, too.
        None => Tried { question, times: 1, what: String::new() },
    };
    if let Some(line) = line {
        tried.what = one_line(line, WHAT_UNITS_MAX);
    }
    tried.times = tried.times.saturating_add(1);
    keep_newest(&mut stretch.tried, tried, TRIED_MAX);
}

/// A file was read: the same part of it, with the same content, is a re-read.
fn read(stretch: &mut Stretch, asked: &Asked, text: &Escaped<'_>, turn: u64) {
    let (bytes, print) = (text.raw_bytes(), answer_print(text));
    let is_told = bytes < 400 && text.head(REASON_BYTES).contains("unchanged since");
    let known = stretch
        .answers
        .iter()
        .rposition(|it| it.is_file && it.question == asked.question && it.print == print);
    let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
    if is_told {
        count(&mut stretch.rereads, turn);
        return;
    }
    if let Some(at) = known {
        count(&mut stretch.rereads, turn);
        let before = stretch.answers.remove(at);
        stretch.stale_bytes += u64::from(before.bytes);
    }
    let (question, line) = (asked.question, asked.line);
    let answer =
        Answer { question, line, print, bytes, changes: stretch.changes, failures: 0, is_file: true };
    keep_newest(&mut stretch.answers, answer, ANSWERS_MAX);
}

/// A file was changed: the same change a second time means that the first one was lost.
fn edited(stretch: &mut Stretch, asked: &Asked, turn: u64) {
    changed(stretch, asked.question);
    let question = asked.question.rotate_left(1) ^ asked.line;
    let known = stretch.answers.iter().rposition(|it| it.question == question && !it.is_file);
    if known.is_some() {
        count(&mut stretch.repeated, turn);
    }
    let known = known.map(|at| stretch.answers.remove(at));
    let edit = Answer { question, line: asked.line, changes: stretch.changes, ..Answer::default() };
    keep_newest(&mut stretch.answers, known.unwrap_or(edit), ANSWERS_MAX);
}

/// A file is another one now: what was read of it is stale.
fn changed(stretch: &mut Stretch, file: u32) {
    stretch.changes += 1;
    let old = stretch.answers.extract_if(.., |it| it.is_file && it.question == file);
    let bytes: u64 = old.map(|it| u64::from(it.bytes)).sum();
    stretch.stale_bytes += bytes;
}

fn keep_newest<T>(list: &mut Vec<T>, newest: T, count_max: usize) {
    if list.len() >= count_max {
        list.remove(0);
    }
    list.push(newest);
}

/// A short fingerprint: a few hundred things are told apart. Never 0.
#[expect(clippy::cast_possible_truncation, reason = "the lower half is a fingerprint, too")]
pub(crate) fn print(bytes: &[u8]) -> u32 {
    (fingerprint(bytes) as u32).max(1)
}

/// Of an answer without its digits: times, addresses and counts differ in every run.
fn answer_print(text: &Escaped<'_>) -> u32 {
    let mut kept = Vec::with_capacity(PRINT_BYTES * 2);
    for piece in text.pieces.iter().take(4) {
        let bytes = piece.as_bytes();
        let tail_at = bytes.len().saturating_sub(PRINT_BYTES).max(PRINT_BYTES.min(bytes.len()));
        let ends = bytes[..PRINT_BYTES.min(bytes.len())].iter().chain(&bytes[tail_at..]);
        kept.extend(ends.filter(|byte| !byte.is_ascii_digit()));
    }
    print(&kept)
}

/// `git checkout -- x`, `git restore x`, `git reset --hard`, `git stash drop`, `git clean`: whether that throws away what
/// was changed in this stretch and is not committed.
fn discards(ledger: &Ledger, command: &Simple) -> bool {
    let Some((verb, rest)) = git_verb(command) else { return false };
    let has = |wanted: &[&str]| rest.iter().any(|word| wanted.contains(&word.as_str()));
    // What somebody else changed, a formatter for instance, was no work of ours.
    let named = |file: &FileUse| {
        let words = rest.iter().map(|word| word.trim_matches(['"', '\'']).trim_end_matches('/'));
        words.map(|word| word.trim_start_matches("./")).filter(|word| word.contains(['.', '/'])).any(|word| {
            file.path == word
                || file.path.ends_with(&format!("/{word}"))
                || file.path.starts_with(&format!("{word}/"))
        })
    };
    let everything = |_: &FileUse| true;
    let files = ledger.files.iter().filter(|file| file.edited_turn > Some(ledger.stretch.since));
    let mut unfinished = files.clone().filter(|file| file.is_uncommitted(ledger.commit_turn));
    match verb {
        "checkout" if has(&["."]) => unfinished.any(everything),
        "restore" if has(&["--staged", "-S"]) && !has(&["--worktree", "-W"]) => false,
        "restore" if has(&["."]) => unfinished.any(everything),
        "checkout" | "restore" => unfinished.any(named),
        // This takes commits back, too.
        "reset" if has(&["--hard"]) => files.count() > 0,
        "stash" => has(&["drop", "clear"]) && unfinished.any(everything),
        "clean" => has(&["-f", "-fd", "-df", "-fdx", "--force"]) && unfinished.any(everything),
        _ => false,
    }
}

/// The verb of a git command, and what follows it.
fn git_verb(command: &Simple) -> Option<(&str, &[String])> {
    let words = kinds::behind_wrappers(&command.words);
    if words.first()? != "git" {
        return None;
    }
    let mut at = 1;
    loop {
        match words.get(at)?.as_str() {
            "-C" | "-c" => at += 2,
            word if word.starts_with('-') => at += 1,
            verb => return Some((verb, &words[at + 1..])),
        }
    }
}

/// Whether a command may change files: everything but checks and commands that only look.
fn may_change(command: &Simple) -> bool {
    const LOOKS: [&str; 11] = [
        "status",
        "log",
        "diff",
        "show",
        "blame",
        "branch",
        "remote",
        "rev-parse",
        "ls-files",
        "add",
        "commit",
    ];
    const MOVES: [&str; 12] = [
        "rm",
        "mv",
        "cp",
        "ln",
        "touch",
        "tee",
        "mkdir",
        "xargs",
        "Remove-Item",
        "Copy-Item",
        "Move-Item",
        "Set-Content",
    ];
    if let Some((verb, _)) = git_verb(command) {
        return !LOOKS.contains(&verb);
    }
    let words = kinds::behind_wrappers(&command.words);
    let Some(program) = words.first().map(String::as_str) else { return false };
    let in_place = program == "sed" && words.iter().any(|word| word.starts_with("-i"));
    match kinds::kind_of(&command.words) {
        Some(CommandKind::Test | CommandKind::Lint) => words.iter().any(|word| word.contains("fix")),
        Some(CommandKind::Build) => false,
        Some(_) => true,
        None => !command.is_repeatable || in_place || MOVES.contains(&program),
    }
}

/// Whether a line writes into a file: `> x`, `>> x`, but not `2>&1` and `> /dev/null`.
fn redirects(line: &str) -> bool {
    line.match_indices('>').any(|(at, _)| {
        let rest = line[at + 1..].trim_start_matches('>').trim_start();
        let before = line[..at].chars().next_back();
        !rest.starts_with('&')
            && !rest.starts_with("/dev/null")
            && rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '~' | '$' | '"'))
            && before.is_none_or(|c| c.is_whitespace() || c.is_ascii_digit())
    })
}

/// Checks and version control belong to any work.
fn is_neutral(command: &Simple) -> bool {
    let words = kinds::behind_wrappers(&command.words);
    let program = words.first().map(String::as_str);
    matches!(program, None | Some("git" | "gh" | "echo" | "sleep" | "cd" | "true"))
        || matches!(
            kinds::kind_of(&command.words),
            Some(
                CommandKind::Test
                    | CommandKind::Build
                    | CommandKind::Lint
                    | CommandKind::Git
                    | CommandKind::Deploy
            )
        )
}

/// Whether the user takes back what was done, or says that it does not work: at the beginning, as people do.
fn takes_back(text: &str) -> bool {
    #[rustfmt::skip]
    const BEGINS: &[&str] = &[
        "no,", "no.", "no!", "no -", "no –", "no wait", "nope", "wait,", "wait no", "wrong", "that's wrong",
        "thats wrong", "that is wrong", "this is wrong", "that's not what", "thats not what", "that is not what",
        "this is not what", "not what i", "undo ", "revert ", "stop.", "stop,", "stop!", "stop it", "stop that",
        "you broke", "still not ", "still broken", "still fail", "it still ", "this still ", "this is still ",
        "that still ", "it doesn't work", "doesn't work", "that doesn't work", "why did you", "ugh", "argh", "arrg",
        "wtf", "nein,", "falsch",
    ];
    const SAYS: &[&str] =
        &["let's abandon", "lets abandon", "start over", "scrap that", "scrap this", "throw that away"];
    let start: String = text.trim_start().chars().take(60).collect::<String>().to_lowercase();
    let start = start.replace('’', "'");
    start.trim_end() == "stop"
        || BEGINS.iter().any(|says| start.starts_with(says))
        || SAYS.iter().any(|says| start.contains(says))
}

#[cfg(test)]
mod tests;
