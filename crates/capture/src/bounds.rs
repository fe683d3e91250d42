//! Bounds: how much a ledger holds, and what leaves first.

use throughline_domain::ledger::{FindingKind, HALF_LIFE_TURNS, Ledger, PendingCall, Task, Weight};

/// Files counted of one text: a listing is no list of what matters.
pub(crate) const FILES_PER_TEXT_MAX: usize = 60;

const FILES_MAX: usize = 400;
const COMMANDS_MAX: usize = 200;
const SAID_MAX: usize = 150;
const ERRORS_MAX: usize = 60;
const FINDINGS_MAX: usize = 80;
const PLANS_MAX: usize = 5;
const TASKS_MAX: usize = 200;
const PENDING_MAX: usize = 64;
/// Bytes of text in a part of the ledger: together they keep the file below 400 KB, whatever comes.
const SAID_BYTES_MAX: usize = 56 << 10;
const COMMAND_BYTES_MAX: usize = 56 << 10;
const FILE_BYTES_MAX: usize = 48 << 10;
const TASK_BYTES_MAX: usize = 32 << 10;
const ERROR_BYTES_MAX: usize = 24 << 10;
const FINDING_BYTES_MAX: usize = 24 << 10;
const PENDING_BYTES_MAX: usize = 24 << 10;
/// The newest words stay whatever they weigh: they are the current request.
const SAID_NEWEST: usize = 4;

/// How many entries each part has: only one that grew can have grown too large.
#[derive(Clone, Copy)]
pub(crate) struct Counts {
    said: usize,
    errors: usize,
    findings: usize,
    pending: usize,
    files: usize,
    commands: usize,
}

pub(crate) fn counts(ledger: &Ledger) -> Counts {
    Counts {
        said: ledger.said.len(),
        errors: ledger.errors.len(),
        findings: ledger.findings.len(),
        pending: ledger.pending.len(),
        files: ledger.files.len(),
        commands: ledger.commands.len(),
    }
}

/// Brings every part of the ledger within its bounds. Parts ranked by weight are let grow by a fifth before they are cut,
/// so that a cut is rare; the others lose one entry for one that came.
pub(crate) fn keep(ledger: &mut Ledger, before: Counts) {
    let now = counts(ledger);
    if now.said > before.said {
        keep_words(ledger);
    }
    while now.errors > before.errors
        && (ledger.errors.len() > ERRORS_MAX
            || over(&ledger.errors, ERROR_BYTES_MAX, |it| it.from.len() + total(&it.lines)))
    {
        let resolved = ledger.errors.iter().position(|error| error.resolved_turn.is_some());
        ledger.errors.remove(resolved.unwrap_or(0));
    }
    if now.findings > before.findings {
        keep_findings(ledger);
    }
    while now.pending > before.pending
        && (ledger.pending.len() > PENDING_MAX || over(&ledger.pending, PENDING_BYTES_MAX, pending_bytes))
    {
        ledger.pending.remove(0);
    }
    if now.files > before.files {
        keep_files(ledger);
    }
    if now.commands > before.commands {
        keep_commands(ledger);
    }
}

fn pending_bytes(call: &PendingCall) -> usize {
    let words = [&call.command, &call.subject].into_iter().flatten().map(String::len).sum::<usize>();
    let file = call.file.as_ref().map_or(0, |it| it.path.len() + it.did.len() + total(&it.holds));
    let commands = call.commands.iter().map(|it| it.normal.len() + it.verbatim.len() + total(&it.result));
    words + file + commands.sum::<usize>()
}

fn keep_files(ledger: &mut Ledger) {
    let commit = ledger.commit_turn;
    if ledger.files.len() > FILES_MAX + FILES_MAX / 5
        || over(&ledger.files, FILE_BYTES_MAX, |it| it.path.len() + it.did.len() + total(&it.holds))
    {
        // What is changed and not committed is worth as much as what was used a few half-lives later.
        heaviest(
            &mut ledger.files,
            FILES_MAX,
            FILE_BYTES_MAX,
            |it| rank(it.weight) + if it.is_uncommitted(commit) { 4.0 } else { 0.0 },
            |it| it.path.len() + it.did.len() + total(&it.holds),
        );
    }
}

fn keep_commands(ledger: &mut Ledger) {
    let command_bytes =
        |it: &throughline_domain::ledger::CommandUse| it.normal.len() + it.verbatim.len() + total(&it.result);
    if ledger.commands.len() > COMMANDS_MAX + COMMANDS_MAX / 5
        || over(&ledger.commands, COMMAND_BYTES_MAX, command_bytes)
    {
        heaviest(&mut ledger.commands, COMMANDS_MAX, COMMAND_BYTES_MAX, |it| rank(it.weight), command_bytes);
    }
}

fn total(lines: &[String]) -> usize {
    lines.iter().map(String::len).sum()
}

fn over<T>(items: &[T], bytes_max: usize, bytes: impl Fn(&T) -> usize) -> bool {
    items.iter().map(bytes).sum::<usize>() > bytes_max
}

/// A weight on a scale on which all can be compared, whenever they were brought up to date.
#[expect(clippy::cast_precision_loss, reason = "turns are few")]
fn rank(weight: Weight) -> f64 {
    weight.value.max(f64::MIN_POSITIVE).log2() + weight.turn as f64 / HALF_LIFE_TURNS
}

/// Keeps the entries of the highest rank, in their order.
fn heaviest<T>(
    items: &mut Vec<T>,
    count_max: usize,
    bytes_max: usize,
    rank: impl Fn(&T) -> f64,
    bytes: impl Fn(&T) -> usize,
) {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|left, right| rank(&items[*right]).total_cmp(&rank(&items[*left])).then(right.cmp(left)));
    let mut stays = vec![false; items.len()];
    let mut sum = 0;
    // A quarter less than allowed, so that the next cut is not at once.
    let bytes_max = bytes_max / 4 * 3;
    for at in order.into_iter().take(count_max) {
        sum += bytes(&items[at]);
        if sum > bytes_max {
            break;
        }
        stays[at] = true;
    }
    let mut at = 0;
    items.retain(|_| {
        at += 1;
        stays[at - 1]
    });
}

/// Old messages without a directive go first, long ones before short ones; then old ones with; never the newest.
fn keep_words(ledger: &mut Ledger) {
    let bytes = |it: &throughline_domain::ledger::UserWord| it.text.len() + total(&it.directives);
    while ledger.said.len() > SAID_MAX || over(&ledger.said, SAID_BYTES_MAX, bytes) {
        let old = ledger.said.len().saturating_sub(SAID_NEWEST);
        let candidates =
            || ledger.said[..old].iter().enumerate().filter(|(_, word)| word.directives.is_empty());
        let long = candidates().find(|(_, word)| word.text.len() > 400).or_else(|| candidates().next());
        let at = long.map_or(0, |(at, _)| at);
        if ledger.said.is_empty() {
            break;
        }
        ledger.said.remove(at);
    }
}

/// What is over goes first, then what has not begun; what is in progress is the last to be cut.
pub(crate) fn keep_tasks(ledger: &mut Ledger) {
    while ledger.tasks.len() > TASKS_MAX
        || over(&ledger.tasks, TASK_BYTES_MAX, |task| task.subject.len() + task.id.len() + task.status.len())
    {
        let class = |task: &Task| match task.status.as_str() {
            "in_progress" => 2,
            "pending" => 1,
            _ => 0,
        };
        let Some(at) = (0..ledger.tasks.len()).min_by_key(|at| class(&ledger.tasks[*at])) else { break };
        ledger.tasks.remove(at);
    }
}

fn keep_findings(ledger: &mut Ledger) {
    let plans = ledger.findings.iter().filter(|finding| finding.kind == FindingKind::Plan).count();
    if plans > PLANS_MAX
        && let Some(at) = ledger.findings.iter().position(|finding| finding.kind == FindingKind::Plan)
    {
        ledger.findings.remove(at);
    }
    while ledger.findings.len() > FINDINGS_MAX
        || over(&ledger.findings, FINDING_BYTES_MAX, |it| it.quote.len())
    {
        // What the user settled stays longer than what the agent did.
        let at = ledger.findings.iter().position(|finding| !finding.by_user).unwrap_or(0);
        ledger.findings.remove(at);
    }
}
