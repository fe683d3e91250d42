//! Commands: which were run, how often, and how the last run of each ended.

use throughline_domain::command_line::behind_cd;
use throughline_domain::ledger::{CommandKind, CommandUse, HALF_LIFE_TURNS, Ledger, TranscriptPlace};
use throughline_domain::text::{one_line, utf16_len};
use throughline_domain::transcript::ToolAnswer;

use crate::files::{self, Role};
use crate::run_outcome::{self, RunOutcome};
use crate::shell::{self, Simple};
use crate::{detours, errors, head, kinds, landmarks};

/// What is longer was written for once.
const NORMAL_UNITS: std::ops::RangeInclusive<usize> = 3..=200;
const VERBATIM_UNITS_MAX: usize = 400;
/// A line that looks something up far away.
const LOOKUP_UNITS: std::ops::RangeInclusive<usize> = 16..=300;
const LOOKUP_LINES_MAX: usize = 6;
/// Of a line that is not kept as a command: enough to know it again.
const ONCE_UNITS_MAX: usize = 120;
/// Of an answer, as much at each end is looked at: what a run was about stands at its beginning, how it ended at its end.
const ANSWER_BYTES_MAX: usize = 8 << 10;

/// A command line was run. Gives its commands, unless they are all our own.
pub(crate) fn ran(
    ledger: &mut Ledger,
    line: &str,
    cwd: Option<&str>,
    place: TranscriptPlace,
) -> Option<Vec<Simple>> {
    let commands = shell::commands(line);
    if !commands.is_empty() && commands.iter().all(is_ours) {
        return None;
    }
    let folder = commands.iter().find_map(|command| command.folder.as_deref());
    let cwd = folder_after(cwd, folder);
    if commands.iter().all(|command| command.is_repeatable) {
        files::mentioned(ledger, head(line, 4_000), Role::Command, cwd.as_deref(), place);
    }
    let kept: Vec<(CommandKind, String)> = commands.iter().filter_map(kept).collect();
    let looked_up = kept.is_empty().then(|| lookup(line)).flatten();
    for (kind, normal) in kept.into_iter().chain(looked_up) {
        let at = position(ledger, kind, &normal).unwrap_or_else(|| {
            ledger.commands.push(CommandUse { kind, ..CommandUse::default() });
            ledger.commands.len() - 1
        });
        let known = &mut ledger.commands[at];
        known.normal = normal;
        known.verbatim = one_line(line, VERBATIM_UNITS_MAX);
        known.count = known.count.saturating_add(1);
        known.weight.add(1.0, place.turn, HALF_LIFE_TURNS);
        known.last = place;
        known.succeeded = None;
        known.result.clear();
    }
    Some(commands)
}

/// The commands of a line as they are known before it is run; a new one has never been run.
pub(crate) fn known(ledger: &Ledger, line: &str) -> Vec<CommandUse> {
    let kept = shell::commands(line).into_iter().filter_map(|command| kept(&command));
    kept.map(|(kind, normal)| {
        let known = position(ledger, kind, &normal).map(|at| ledger.commands[at].clone());
        known.unwrap_or_else(|| CommandUse { normal, ..CommandUse::default() })
    })
    .collect()
}

/// Where a command is known: by its words; a check also by what it runs, in whatever manner it tells of it.
fn position(ledger: &Ledger, kind: CommandKind, normal: &str) -> Option<usize> {
    let known = &ledger.commands;
    known.iter().rposition(|known| known.normal == normal).or_else(|| {
        known.iter().rposition(|known| {
            is_check(kind) && is_check(known.kind) && kinds::is_same_run(&known.normal, normal)
        })
    })
}

/// The line was not run: its commands are known again as they were before.
pub(crate) fn not_run(ledger: &mut Ledger, line: &str, former: &[CommandUse]) {
    let kept: Vec<(CommandKind, String)> = shell::commands(line).iter().filter_map(kept).collect();
    let looked_up = kept.is_empty().then(|| lookup(line)).flatten();
    for (_, normal) in kept.into_iter().chain(looked_up) {
        let Some(at) = ledger.commands.iter().rposition(|known| known.normal == normal) else { continue };
        let is_it = |known: &&CommandUse| known.count > 0 && kinds::is_same_run(&known.normal, &normal);
        match former.iter().find(is_it) {
            Some(known) => ledger.commands[at] = known.clone(),
            None => {
                ledger.commands.remove(at);
            }
        }
    }
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

/// A line that looks something up at a place which nobody would find again: an address, an interface's path, a version of a
/// file, a log far from here. It is kept whole, loops and pipes included, for its parts say nothing alone.
fn lookup(line: &str) -> Option<(CommandKind, String)> {
    let line = line.trim();
    let is_far = |word: &str| {
        let word = word.trim_matches(['"', '\'', '(', ')']);
        word.contains("://") || (word.starts_with(['/', '~']) && word.matches('/').count() >= 3)
    };
    let is_version = |pair: &[&str]| {
        pair[0] == "show"
            && pair[1].split_once(':').is_some_and(|(at, path)| !at.is_empty() && path.contains('/'))
    };
    // The folder that it goes to first is told, and says nothing about what is looked up.
    let words: Vec<&str> = behind_cd(line).split_whitespace().collect();
    let is_script = line.contains("<<") || line.lines().count() > LOOKUP_LINES_MAX;
    let tells = words.iter().any(|word| is_far(word)) || words.windows(2).any(is_version);
    let first = words.first().copied().unwrap_or_default();
    let is_mere = matches!(
        first,
        "ls" | "cd" | "mkdir" | "rm" | "cp" | "mv" | "touch" | "echo" | "pwd" | "chmod" | "sleep"
    );
    // `git -C far away status` looks around here as well.
    let is_mere = is_mere || first == "git" && !words.contains(&"show");
    // Of a long line its filters say the least.
    let whole = one_line(line, VERBATIM_UNITS_MAX);
    let shown = if utf16_len(&whole) <= *LOOKUP_UNITS.end() {
        &whole
    } else {
        whole.split(" | ").next().unwrap_or(&whole)
    };
    (tells && !is_script && !is_mere && LOOKUP_UNITS.contains(&utf16_len(shown)))
        .then(|| (CommandKind::Run, shown.to_owned()))
}

/// Whether a command of this line was run again after that.
pub(crate) fn ran_after(ledger: &Ledger, line: &str, place: TranscriptPlace) -> bool {
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
pub(crate) fn answered(
    ledger: &mut Ledger,
    line: &str,
    answer: &ToolAnswer<'_>,
    place: TranscriptPlace,
) -> RunOutcome {
    let commands = shell::commands(line);
    let kept: Vec<(CommandKind, String)> = commands.iter().filter_map(kept).collect();
    let is_commit = commands.iter().any(is_git_commit);
    // What our own program printed stands among the rest, and nobody can tell which lines are whose.
    if commands.iter().any(is_ours) {
        return RunOutcome::Unknown;
    }
    let may_tell = landmarks::may_tell(&commands);
    if kept.is_empty() && !is_commit && !may_tell && !answer.is_error {
        detours::succeeded(ledger, line, place);
        return RunOutcome::Succeeded;
    }
    let text = run_outcome::plain(answer.text.head_and_tail(ANSWER_BYTES_MAX));
    if !answer.is_error && may_tell {
        landmarks::heard(ledger, &text, place);
    }
    landmarks::started(ledger, line, &text, place);
    let hides_exit = commands.iter().any(|command| command.is_piped)
        || line.contains("||")
        || line.contains(';')
        || line.contains('\n');
    let told = kept.iter().rposition(|(kind, _)| is_check(*kind)).unwrap_or(kept.len().saturating_sub(1));
    let is_check = kept.get(told).is_some_and(|(kind, _)| is_check(*kind));
    let outcome = run_outcome::of(&text, answer.is_error, is_check && hides_exit);
    if is_check {
        errors::passed(ledger, &text, place.turn);
    }
    match outcome {
        RunOutcome::Failed if answer.is_error || run_outcome::tells_exit(&text) => {
            detours::failed(ledger, line, &text, is_check, place);
        }
        RunOutcome::Succeeded => detours::succeeded(ledger, line, place),
        _ => {}
    }
    if is_commit && (outcome == RunOutcome::Succeeded || text.contains(" changed, ")) {
        ledger.commit_turn = Some(place.turn);
    }
    let Some((_, from)) = kept.get(told) else {
        // A script for once, which nobody can run again by its name: what went wrong is told, if anything tells it.
        let is_mere_look = commands.iter().all(|command| kinds::is_trivial(&command.words));
        if outcome == RunOutcome::Failed && !is_mere_look {
            errors::failed_once(ledger, &text, &one_line(line, ONCE_UNITS_MAX), place);
        }
        return outcome;
    };
    match outcome {
        RunOutcome::Unknown => {}
        RunOutcome::Succeeded => {
            // The end of a pipe succeeds whatever came before it.
            let is_known = !hides_exit || !is_check || run_outcome::sums_up(&text);
            for (_, normal) in &kept {
                set(ledger, normal, is_known.then_some(true));
                errors::resolve(ledger, normal, place.turn);
            }
        }
        RunOutcome::Failed => {
            set(ledger, from, Some(false));
            errors::failed(ledger, &text, from, answer.is_error || run_outcome::tells_exit(&text), place);
        }
    }
    if outcome != RunOutcome::Unknown
        && let Some(known) = ledger.commands.iter_mut().rfind(|known| known.normal == *from)
    {
        known.result = run_outcome::last_lines(&text, is_check, outcome);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_looked_up_far_away_is_kept_with_the_folder_it_starts_from() {
        let shown = |line: &str| lookup(line).map(|(_, shown)| shown);
        let line = "cd ../site && git show data/v1:a7/6f0e/full.jsonl | wc -l";
        assert_eq!(shown(line).as_deref(), Some(line));
        assert_eq!(shown("cd /home/dev/code/site && ls -la"), None);
        assert_eq!(shown("cd /home/dev/code/site && make all"), None);
        assert!(shown("cd site; gh api \"/users/me/packages/container/web/versions\" --paginate").is_some());
    }
}
