//! The times of events: an entry of a session's notes carries the time of the transcript's line that it came from.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use throughline_agents::agent::Agent;
use throughline_agents::transcript::Parsed;
use throughline_briefing::notes::{NotesEntry, When};
use throughline_domain::{Timestamp, time};
use throughline_store::door::outside;

/// A longer line's time is not looked for: the entry carries the time at which it was written down.
const LINE_BYTES_MAX: u64 = throughline_domain::limits::TIMED_LINE_BYTES_MAX;

/// Puts the times of their lines to the entries, in their order.
pub fn resolve(entries: &mut [NotesEntry], transcript: &str, agent: &Agent) {
    let wanted = entries.iter().any(|entry| matches!(entry.at, When::Line(_)));
    let Some(mut file) = wanted.then(|| outside::open(Path::new(transcript)).ok()).flatten() else { return };
    for entry in entries.iter_mut() {
        if let When::Line(offset) = entry.at {
            entry.at = time_at(&mut file, offset, agent).map_or(When::Now, When::At);
        }
    }
    entries.sort_by_key(|entry| match entry.at {
        When::At(at) => at.as_millisecond(),
        When::Now | When::Line(_) => i64::MAX,
    });
}

/// The time that the line at a byte carries.
fn time_at(file: &mut (impl Read + Seek), offset: u64, agent: &Agent) -> Option<Timestamp> {
    file.seek(SeekFrom::Start(offset)).ok()?;
    let mut bytes = Vec::new();
    let mut chunk = [0; 16 << 10];
    while (bytes.len() as u64) < LINE_BYTES_MAX {
        let read = file.read(&mut chunk).ok().filter(|read| *read > 0)?;
        if let Some(end) = chunk[..read].iter().position(|byte| *byte == b'\n') {
            bytes.extend_from_slice(&chunk[..end]);
            let Parsed::Line(line) = (agent.transcripts.read_line)(&bytes) else { return None };
            return line.timestamp.and_then(time::parse);
        }
        bytes.extend_from_slice(&chunk[..read]);
    }
    None
}
