//! Commands: which were run, how often, and how the last run of each ended.

use throughline_domain::ledger::{CommandKind, CommandUse, HALF_LIFE_TURNS, Ledger, Place};
use throughline_domain::text::{one_line, utf16_len};
use throughline_domain::transcript::ToolAnswer;

use crate::files::{self, Role};
use crate::outcome::{self, Outcome};
use crate::shell::{self, Simple};
use crate::{errors, head, kinds, names};

/// What is longer was written for once.
const NORMAL_UNITS: std::ops::RangeInclusive<usize> = 3..=200;
const VERBATIM_UNITS_MAX: usize = 400;
/// Of a line that is not kept as a command: enough to know it again.
const ONCE_UNITS_MAX: usize = 120;
/// Of an answer, as much at each end is looked at: what a run was about stands at its beginning, how it ended at its end.
const ANSWER_BYTES_MAX: usize = 8 << 10;

/// A command line was run. Gives its commands, unless they are all our own.
pub(crate) fn ran(ledger: &mut Ledger, line: &str, cwd: Option<&str>, place: Place) -> Option<Vec<Simple>> {
    let commands = shell::commands(line);
    if !commands.is_empty() && commands.iter().all(is_ours) {
        return None;
    }
    let folder = commands.iter().find_map(|command| command.folder.as_deref());
    let cwd = folder_after(cwd, folder);
    if commands.iter().all(|command| command.is_repeatable) {
        files::mentioned(ledger, head(line, 4_000), Role::Command, cwd.as_deref(), place);
    }
    for command in &commands {
        if matches!(
            command.words[0].as_str(),
            "grep" | "rg" | "egrep" | "ag" | "ack" | "Select-String" | "findstr"
        ) {
            for word in command.words[1..].iter().filter(|word| !word.starts_with('-')).take(1) {
                names::searched(ledger, word, place);
            }
        }
        let Some((kind, normal)) = kept(command) else { continue };
        let at = ledger.commands.iter().rposition(|known| known.normal == normal).unwrap_or_else(|| {
            ledger.commands.push(CommandUse { normal, kind, ..CommandUse::default() });
            ledger.commands.len() - 1
        });
        let known = &mut ledger.commands[at];
        known.verbatim = one_line(line, VERBATIM_UNITS_MAX);
        known.count = known.count.saturating_add(1);
        known.weight.add(1.0, place.turn, HALF_LIFE_TURNS);
        known.last = place;
        known.succeeded = None;
        known.result.clear();
    }
    Some(commands)
}

/// The folder a command line works in: the one it went to, else the agent's.
fn folder_after(cwd: Option<&str>, went_to: Option<&str>) -> Option<String> {
    match (cwd, went_to) {
        (_, Some(folder)) if folder.starts_with('/') => Some(folder.to_owned()),
        (Some(cwd), Some(folder)) if !folder.starts_with(['~', '$', '-', '.']) && !folder.contains(':') => {
            Some(format!("{cwd}/{folder}"))
        }
        (_, Some(_)) => None,
        (cwd, None) => cwd.map(str::to_owned),
    }
}

/// Our own program: what it takes and prints is recorded elsewhere, and must not come back as the session's words.
fn is_ours(command: &Simple) -> bool {
    let program = kinds::behind_wrappers(&command.words).first();
    program
        .and_then(|word| word.rsplit(['/', '\\']).next())
        .is_some_and(|name| name.strip_suffix(".exe").unwrap_or(name).eq_ignore_ascii_case("throughline"))
}

/// What is remembered of a command: its kind and normal form; nothing for a small or unrepeatable one.
fn kept(command: &Simple) -> Option<(CommandKind, String)> {
    if is_ours(command) {
        return None;
    }
    let kind = kinds::kind_of(&command.words)?;
    let normal = command.normal();
    let starts_well =
        normal.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '@' | '_' | '~'));
    let is_kept = command.is_repeatable && starts_well && NORMAL_UNITS.contains(&utf16_len(&normal));
    is_kept.then_some((kind, normal))
}

/// Whether a command of this line was run again after that.
pub(crate) fn ran_after(ledger: &Ledger, line: &str, place: Place) -> bool {
    let is_later = |normal: &str| {
        ledger.commands.iter().any(|known| known.normal == normal && known.last.offset > place.offset)
    };
    shell::commands(line).iter().filter_map(kept).any(|(_, normal)| is_later(&normal))
}

/// It runs, or ran, and how it ended is not known: what its runs before came to says nothing now.
pub(crate) fn unknown_again(ledger: &mut Ledger, line: &str) {
    let normals: Vec<String> =
        shell::commands(line).iter().filter_map(kept).map(|(_, normal)| normal).collect();
    ledger.errors.retain(|error| !normals.contains(&error.from));
}

/// Its answer came; says how it ended.
pub(crate) fn answered(ledger: &mut Ledger, line: &str, answer: &ToolAnswer<'_>, place: Place) -> Outcome {
    let commands = shell::commands(line);
    let kept: Vec<(CommandKind, String)> = commands.iter().filter_map(kept).collect();
    let is_commit = commands.iter().any(is_git_commit);
    // What our own program printed stands among the rest, and nobody can tell which lines are whose.
    if commands.iter().any(is_ours) {
        return Outcome::Unknown;
    }
    if kept.is_empty() && !is_commit && !answer.is_error {
        return Outcome::Succeeded;
    }
    let text = outcome::plain(answer.text.head_and_tail(ANSWER_BYTES_MAX));
    let hides_exit = commands.iter().any(|command| command.is_piped)
        || line.contains("||")
        || line.contains(';')
        || line.contains('\n');
    let told = kept.iter().rposition(|(kind, _)| is_check(*kind)).unwrap_or(kept.len().saturating_sub(1));
    let is_check = kept.get(told).is_some_and(|(kind, _)| is_check(*kind));
    let outcome = outcome::of(&text, answer.is_error, is_check && hides_exit);
    if is_commit && (outcome == Outcome::Succeeded || text.contains(" changed, ")) {
        ledger.commit_turn = Some(place.turn);
    }
    let Some((_, from)) = kept.get(told) else {
        // A script for once, which nobody can run again by its name: what went wrong is told, if anything tells it.
        let is_mere_look = commands.iter().all(|command| kinds::is_trivial(&command.words));
        if outcome == Outcome::Failed && !is_mere_look {
            errors::failed_once(ledger, &text, &one_line(line, ONCE_UNITS_MAX), place);
        }
        return outcome;
    };
    match outcome {
        Outcome::Unknown => {}
        Outcome::Succeeded => {
            // The end of a pipe succeeds whatever came before it.
            let is_known = !hides_exit || !is_check || outcome::sums_up(&text);
            for (_, normal) in &kept {
                set(ledger, normal, is_known.then_some(true));
                errors::resolve(ledger, normal, place.turn);
            }
        }
        Outcome::Failed => {
            set(ledger, from, Some(false));
            errors::failed(ledger, &text, from, answer.is_error || outcome::tells_exit(&text), place);
        }
    }
    if outcome != Outcome::Unknown
        && let Some(known) = ledger.commands.iter_mut().rfind(|known| known.normal == *from)
    {
        known.result = outcome::last_lines(&text, is_check, outcome);
    }
    outcome
}

fn set(ledger: &mut Ledger, normal: &str, succeeded: Option<bool>) {
    if let Some(known) = ledger.commands.iter_mut().rfind(|known| known.normal == normal) {
        known.succeeded = succeeded;
    }
}

fn is_check(kind: CommandKind) -> bool {
    matches!(kind, CommandKind::Test | CommandKind::Build | CommandKind::Lint)
}

pub(crate) fn is_git_commit(command: &Simple) -> bool {
    let words = kinds::behind_wrappers(&command.words);
    words.first().is_some_and(|word| word == "git") && words.iter().skip(1).any(|word| word == "commit") && {
        // `git log --grep commit` is none: the first word that is no option must be it.
        let mut rest = words[1..].iter();
        loop {
            match rest.next().map(String::as_str) {
                Some("-C" | "-c") => {
                    rest.next();
                }
                Some(word) if word.starts_with('-') => {}
                word => break word == Some("commit"),
            }
        }
    }
}
