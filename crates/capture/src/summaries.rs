//! Summaries: which stretches of work are cold, what is kept about them, and how kept ones are remembered again.

use throughline_domain::ledger::{Ledger, Segment};
use throughline_domain::summary::TaskSummary;
use throughline_domain::text::one_line;

/// Lines of a summary that somebody else wrote are cut here.
const LINE_UNITS: usize = 250;
/// And lists here.
const LINES_MAX: usize = 15;

/// The cold segments, oldest first: over for `cold_turns` turns, and not spoken of in as many.
#[must_use]
pub fn cold(ledger: &Ledger, cold_turns: u64) -> Vec<&Segment> {
    let is_cold = |segment: &&Segment| {
        let last = segment.end.unwrap_or(ledger.turn).max(segment.mentioned);
        last.saturating_add(cold_turns) <= ledger.turn
    };
    ledger.finished_segments().into_iter().filter(is_cold).collect()
}

/// What is kept about a segment.
#[must_use]
pub fn summary_of(segment: &Segment, session_id: &str, compressed_at: &str) -> TaskSummary {
    TaskSummary {
        session_id: session_id.to_owned(),
        task_id: segment.id.clone(),
        subject: segment.subject.clone(),
        start_turn: segment.start,
        end_turn: segment.end.unwrap_or(segment.start),
        compressed_at: compressed_at.to_owned(),
        files_modified: segment.files.clone(),
        commands_run: segment.commands.clone(),
        key_outcomes: segment.outcomes.clone(),
        errors_resolved: segment.errors.clone(),
    }
}

/// Takes summaries into a ledger that does not know their work any more. What it knows itself is newer.
pub fn recall(ledger: &mut Ledger, summaries: Vec<TaskSummary>) {
    for summary in summaries {
        if ledger.segments.iter().any(|segment| segment.id == summary.task_id) {
            continue;
        }
        ledger.segments.push(Segment {
            id: summary.task_id,
            subject: one_line(&summary.subject, LINE_UNITS),
            start: summary.start_turn,
            end: Some(summary.end_turn),
            mentioned: summary.end_turn,
            files: bounded(&summary.files_modified),
            commands: bounded(&summary.commands_run),
            outcomes: bounded(&summary.key_outcomes),
            errors: bounded(&summary.errors_resolved),
        });
    }
}

fn bounded(lines: &[String]) -> Vec<String> {
    lines.iter().take(LINES_MAX).map(|line| one_line(line, LINE_UNITS)).collect()
}
