//! Segments: work on one task, or on one request where there are no tasks, from its beginning to its end.
//!
//! What a segment holds is settled when it ends: later work on the same files would blur it.

use throughline_domain::ledger::{
    CommandKind, CommandUse, FindingKind, Ledger, REQUEST_SEGMENT, Segment, Task,
};
use throughline_domain::text::{fingerprint, one_line, word_count};

const SEGMENTS_MAX: usize = 60;
/// Bytes of text in all segments together.
const SEGMENT_BYTES_MAX: usize = 64 << 10;
/// Newest finished segments whose subjects are listened for: older ones are cold and seldom spoken of again.
const LISTENED_MAX: usize = 12;

const FILES_MAX: usize = 15;
const COMMANDS_MAX: usize = 8;
const OUTCOMES_MAX: usize = 6;
const ERRORS_MAX: usize = 4;
const COMMAND_UNITS: usize = 100;
const OUTCOME_UNITS: usize = 250;
const ERROR_UNITS: usize = 200;
const SUBJECT_UNITS: usize = 200;
/// Fewer words ("yes", "go on") continue what is being done.
pub(crate) const REQUEST_WORDS_MIN: usize = 4;

/// Tasks have changed: those that were begun get a segment, those that are done end theirs.
pub(crate) fn follow_tasks(ledger: &mut Ledger) {
    for at in 0..ledger.tasks.len() {
        let task = &ledger.tasks[at];
        let id = segment_id(task);
        let known = ledger.segments.iter().position(|segment| segment.id == id);
        match (task.status.as_str(), known) {
            ("in_progress", Some(at)) => ledger.segments[at].end = None,
            ("in_progress", None) => {
                let segment = Segment { start: task.changed.turn, ..begun(id, task) };
                ledger.segments.push(segment);
            }
            ("completed", Some(at)) if ledger.segments[at].end.is_none() => finish(ledger, at),
            // One that ended long ago and has no segment had to make room; a row that came done tells no work.
            ("completed", None) if task.changed.turn == ledger.turn && !came_done(task) => {
                let segment = Segment { start: task.created.turn, ..begun(id, task) };
                ledger.segments.push(segment);
                finish(ledger, ledger.segments.len() - 1);
            }
            _ => {}
        }
    }
    let tasks = &ledger.tasks;
    let goes_on = |segment: &Segment| {
        tasks.iter().any(|task| task.status == "in_progress" && segment_id(task) == segment.id)
    };
    // Set back, deleted, or gone from the list: nothing came of it.
    ledger.segments.retain(|segment| segment.end.is_some() || segment.is_request() || goes_on(segment));
    keep_within_bounds(ledger);
}

/// The user asks for something: the request before it is over.
pub(crate) fn requested(ledger: &mut Ledger, text: &str) {
    if word_count(crate::head(text, 400)) < REQUEST_WORDS_MIN {
        return;
    }
    if let Some(at) = ledger.segments.iter().position(|it| it.is_request() && it.end.is_none()) {
        finish(ledger, at);
        let segment = &ledger.segments[at];
        if segment.files.is_empty() && segment.commands.is_empty() {
            ledger.segments.remove(at);
        }
    }
    if ledger.tasks.is_empty() {
        let start = ledger.turn + 1;
        let (id, subject) = (format!("{REQUEST_SEGMENT}{start}"), one_line(text, SUBJECT_UNITS));
        ledger.segments.retain(|segment| segment.id != id);
        ledger.segments.push(Segment { id, subject, start, ..Segment::default() });
    }
    keep_within_bounds(ledger);
}

/// The agent says what came out: it belongs to whatever is being worked on.
pub(crate) fn told(ledger: &mut Ledger, outcome: &str) {
    for segment in ledger.segments.iter_mut().filter(|segment| segment.end.is_none()) {
        if segment.outcomes.len() >= OUTCOMES_MAX {
            segment.outcomes.remove(0);
        }
        segment.outcomes.push(outcome.to_owned());
    }
}

/// Somebody says something: whether it is about a segment that is over.
pub(crate) fn mentioned(ledger: &mut Ledger, text: &str) {
    let turn = ledger.turn;
    let finished = ledger.segments.iter_mut().rev().filter(|segment| segment.end.is_some());
    for segment in finished.take(LISTENED_MAX) {
        if contains_ignoring_case(text.as_bytes(), segment.subject.as_bytes()) {
            segment.mentioned = turn;
        }
    }
}

/// Looks for the rarest of the first letters, and around each.
fn contains_ignoring_case(text: &[u8], wanted: &[u8]) -> bool {
    let head = &wanted[..wanted.len().min(16)];
    let Some(anchor) = (0..head.len()).max_by_key(|at| rarity(head[*at])) else { return false };
    let Some(last_start) = text.len().checked_sub(wanted.len()) else { return false };
    let byte = head[anchor];
    memchr::memchr2_iter(
        byte.to_ascii_lowercase(),
        byte.to_ascii_uppercase(),
        &text[anchor..=last_start + anchor],
    )
    .any(|at| text[at..at + wanted.len()].eq_ignore_ascii_case(wanted))
}

/// How seldom a letter stands in a text, roughly.
fn rarity(byte: u8) -> u8 {
    match byte.to_ascii_lowercase() {
        b' ' | b'e' | b't' | b'a' | b'o' | b'i' | b'n' | b's' | b'r' => 0,
        b'l' | b'd' | b'c' | b'u' | b'm' | b'p' | b'h' => 1,
        b'f' | b'g' | b'y' | b'b' | b'w' | b'.' | b'-' | b'_' | b'`' => 2,
        _ => 3,
    }
}

fn begun(id: String, task: &Task) -> Segment {
    Segment { id, subject: one_line(&task.subject, SUBJECT_UNITS), ..Segment::default() }
}

/// A row of a list has no id: it is told by its words and by when it came.
fn segment_id(task: &Task) -> String {
    if task.id.is_empty() {
        format!("list-{:016x}-{}", fingerprint(task.subject.as_bytes()), task.created.turn)
    } else {
        task.id.clone()
    }
}

fn came_done(task: &Task) -> bool {
    task.id.is_empty() && task.created == task.changed
}

/// The segment ends now: what was changed, run, decided and resolved since it began is its own.
fn finish(ledger: &mut Ledger, at: usize) {
    let start = ledger.segments[at].start;
    let (files, commands) = (files_since(ledger, start), commands_since(ledger, start));
    let (decided, errors) = (decided_since(ledger, start), errors_since(ledger, start));
    let end = ledger.turn;
    let segment = &mut ledger.segments[at];
    let is_said = |quote: &String| segment.outcomes.iter().any(|outcome| outcome.contains(quote.as_str()));
    let mut outcomes: Vec<String> =
        decided.into_iter().filter(|quote| !is_said(quote)).take(OUTCOMES_MAX / 2).collect();
    let said = segment.outcomes.len().saturating_sub(OUTCOMES_MAX - outcomes.len());
    outcomes.extend(segment.outcomes.drain(..).skip(said));
    *segment = Segment {
        end: Some(end),
        mentioned: end,
        files,
        commands,
        outcomes,
        errors,
        ..std::mem::take(segment)
    };
}

fn files_since(ledger: &Ledger, start: u64) -> Vec<String> {
    let mut files: Vec<_> =
        ledger.files.iter().filter(|file| file.edited_turn.is_some_and(|turn| turn >= start)).collect();
    files.sort_by_key(|file| file.edited_turn);
    newest(files, FILES_MAX).map(|file| file.path.clone()).collect()
}

/// Commands that check or ship the work before those that look around.
fn commands_since(ledger: &Ledger, start: u64) -> Vec<String> {
    let mut commands: Vec<&CommandUse> =
        ledger.commands.iter().filter(|command| command.last.turn >= start).collect();
    commands.sort_by_key(|command| (command.kind != CommandKind::Run, command.last));
    let mut chosen: Vec<&CommandUse> = newest(commands, COMMANDS_MAX).collect();
    chosen.sort_by_key(|command| command.last);
    chosen.into_iter().map(|command| one_line(&command.normal, COMMAND_UNITS)).collect()
}

fn decided_since(ledger: &Ledger, start: u64) -> Vec<String> {
    let decided =
        ledger.findings.iter().filter(|it| it.kind == FindingKind::Decision && it.place.turn >= start);
    let newest_first = decided.rev().take(OUTCOMES_MAX);
    newest_first.map(|finding| one_line(&finding.quote, OUTCOME_UNITS)).collect()
}

fn errors_since(ledger: &Ledger, start: u64) -> Vec<String> {
    let resolved =
        ledger.errors.iter().filter(|error| error.resolved_turn.is_some_and(|turn| turn >= start)).collect();
    newest(resolved, ERRORS_MAX)
        .filter_map(|error| {
            let by = error.resolved_by.as_ref().unwrap_or(&error.from);
            let line = one_line(error.lines.first()?, ERROR_UNITS / 2);
            Some(one_line(&format!("{line} (resolved: `{by}` passed)"), ERROR_UNITS))
        })
        .collect()
}

fn newest<T>(items: Vec<T>, count_max: usize) -> impl Iterator<Item = T> {
    let surplus = items.len().saturating_sub(count_max);
    items.into_iter().skip(surplus)
}

/// What ended first goes first; what goes on stays as long as anything else can go.
fn keep_within_bounds(ledger: &mut Ledger) {
    let bytes = |segment: &Segment| {
        let texts = [&segment.files, &segment.commands, &segment.outcomes, &segment.errors];
        let content: usize = texts.into_iter().flatten().map(String::len).sum();
        segment.id.len() + segment.subject.len() + content
    };
    let mut sum: usize = ledger.segments.iter().map(bytes).sum();
    while ledger.segments.len() > SEGMENTS_MAX || sum > SEGMENT_BYTES_MAX {
        let ended = ledger.segments.iter().enumerate().filter(|(_, segment)| segment.end.is_some());
        let at = ended.min_by_key(|(_, segment)| segment.end).map_or(0, |(at, _)| at);
        sum -= bytes(&ledger.segments[at]);
        ledger.segments.remove(at);
    }
}

#[cfg(test)]
mod tests;
