//! The times of events: an entry of a session's notes carries the time of the transcript's line that it came from.

use std::path::Path;

use throughline_agents::agent::Agent;
use throughline_briefing::notes::{NotesEntry, When};
use throughline_domain::{Timestamp, time};

use crate::source::{LineReader, Source};

/// A longer line's time is not looked for: the entry carries the time at which it was written down.
const LINE_BYTES_MAX: u64 = throughline_domain::limits::TIMED_LINE_BYTES_MAX;

/// Puts the times of their lines to the entries, in their order.
pub fn resolve(entries: &mut [NotesEntry], transcript: &str, agent: &'static Agent) {
    let source = Source::of(agent, Path::new(transcript));
    for entry in entries.iter_mut() {
        if let When::Line(offset) = entry.at {
            entry.at = time_at(&source, offset).map_or(When::Now, When::At);
        }
    }
    entries.sort_by_key(|entry| match entry.at {
        When::At(at) => at.as_millisecond(),
        When::Now | When::Line(_) => i64::MAX,
    });
}

/// The time that the line at a place carries.
fn time_at(source: &Source<'_>, place: u64) -> Option<Timestamp> {
    let line = source.line_at(place, LINE_BYTES_MAX)?;
    let mut at = None;
    LineReader::afresh(source.agent).each(&line, |line| at = at.or(line.timestamp.and_then(time::parse)));
    at
}
