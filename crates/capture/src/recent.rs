//! Recent: the small part of a ledger that tells where the work stands, for reading on between two whole readings.

use std::collections::VecDeque;

use throughline_domain::ledger::{Finding, FindingKind, Ledger, Task};
use throughline_domain::seen_lines::SeenLines;
use throughline_domain::stretch::Stretch;

const SEEN_MAX: usize = 64;
const FOLDERS_MAX: usize = 4;
const COMMANDS_MAX: usize = 8;
const SAID_MAX: usize = 3;
const TASKS_OVER_MAX: usize = 5;
const ERRORS_MAX: usize = 3;
const FINDINGS_MAX: usize = 5;
const SEGMENTS_OVER_MAX: usize = 3;
const TELLINGS_MAX: usize = 12;
const LANDMARKS_MAX: usize = 4;

/// What of a ledger is needed to read on from it and to say where the work stands: open tasks, the newest words, checks,
/// errors. Its cost does not grow with the session.
#[must_use]
pub fn recent_part(ledger: &Ledger) -> Ledger {
    let seen: VecDeque<u64> = ledger.seen_lines.clone().into();
    let seen: VecDeque<u64> = seen.iter().skip(seen.len().saturating_sub(SEEN_MAX)).copied().collect();
    let mut commands = ledger.commands.clone();
    commands.sort_by_key(|command| command.last);
    let mut errors = ledger.errors.clone();
    errors.retain(|error| error.resolved_turn.is_none());
    let is_asked = |finding: &Finding| finding.kind == FindingKind::Question;
    Ledger {
        seen_lines: SeenLines::from(seen),
        folders: newest(&ledger.folders, FOLDERS_MAX),
        files: Vec::new(),
        commands: newest(&commands, COMMANDS_MAX),
        said: newest(&ledger.said, SAID_MAX),
        tasks: open_and_newest(&ledger.tasks, Task::is_open, TASKS_OVER_MAX),
        errors: newest(&errors, ERRORS_MAX),
        findings: open_and_newest(&ledger.findings, is_asked, FINDINGS_MAX),
        compactions: Vec::new(),
        segments: open_and_newest(&ledger.segments, |it| it.end.is_none(), SEGMENTS_OVER_MAX),
        version: ledger.version,
        turn: ledger.turn,
        last_message: ledger.last_message,
        context_tokens: ledger.context_tokens,
        commit_turn: ledger.commit_turn,
        pending: ledger.pending.clone(),
        stand: ledger.stand.clone(),
        // Purity is worked out at whole readings alone.
        stretch: Stretch::default(),
        tellings: newest(&ledger.tellings, TELLINGS_MAX),
        landmarks: newest(&ledger.landmarks, LANDMARKS_MAX),
        detours: newest(&ledger.detours, LANDMARKS_MAX),
        refusals: newest(&ledger.refusals, LANDMARKS_MAX),
        summarised: Vec::new(),
        answered: ledger.answered.clone(),
    }
}

/// Everything that is open, and the newest of what is over; the order stays.
fn open_and_newest<T: Clone>(all: &[T], is_open: impl Fn(&T) -> bool, over_max: usize) -> Vec<T> {
    let mut left_out = all.iter().filter(|it| !is_open(it)).count().saturating_sub(over_max);
    let mut kept = Vec::new();
    for it in all {
        if is_open(it) || left_out == 0 {
            kept.push(it.clone());
        } else {
            left_out -= 1;
        }
    }
    kept
}

fn newest<T: Clone>(all: &[T], count_max: usize) -> Vec<T> {
    all[all.len().saturating_sub(count_max)..].to_vec()
}

#[cfg(test)]
mod tests {
    use throughline_domain::ledger::{ErrorSeen, FileUse, Segment, UserWord};

    use super::*;

    #[test]
    fn what_is_open_stays_and_of_what_is_over_the_newest() {
        let task = |number: usize, status: &str| Task {
            id: number.to_string(),
            status: status.to_owned(),
            ..Task::default()
        };
        let mut ledger = Ledger { turn: 900, ..Ledger::default() };
        ledger.tasks = (0..50).map(|number| task(number, "completed")).collect();
        ledger.tasks.insert(0, task(99, "in_progress"));
        ledger.said = (0..90).map(|at| UserWord { text: at.to_string(), ..UserWord::default() }).collect();
        ledger.files = vec![FileUse::default(); 300];
        ledger.findings =
            vec![
                Finding { kind: FindingKind::Question, quote: "Which?".to_owned(), ..Finding::default() };
                1
            ];
        ledger.findings.extend(vec![Finding::default(); 70]);
        ledger.errors = vec![ErrorSeen { resolved_turn: Some(3), ..ErrorSeen::default() }; 20];
        ledger.errors.insert(0, ErrorSeen { from: "make".to_owned(), ..ErrorSeen::default() });
        ledger.segments = vec![Segment { end: Some(1), ..Segment::default() }; 30];
        ledger.segments.insert(0, Segment { id: "99".to_owned(), ..Segment::default() });
        let recent = recent_part(&ledger);
        let ids: Vec<&str> = recent.tasks.iter().map(|task| task.id.as_str()).collect();
        assert_eq!(ids, ["99", "45", "46", "47", "48", "49"]);
        let said: Vec<&str> = recent.said.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(said, ["87", "88", "89"]);
        assert_eq!(recent.errors.iter().map(|it| it.from.as_str()).collect::<Vec<_>>(), ["make"]);
        assert_eq!(recent.findings.iter().filter(|it| it.kind == FindingKind::Question).count(), 1);
        assert_eq!((recent.segments.len(), recent.segments[0].id.as_str()), (4, "99"));
        assert_eq!((recent.files.len(), recent.turn), (0, 900));
        assert_eq!(recent_part(&recent), recent, "a part of a part is the part");
    }
}
