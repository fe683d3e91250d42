//! The log of failures: one line each, bounded, without prompts, file contents or the environment.

use serde::{Deserialize, Serialize};
use throughline_domain::text::{one_line, shorten};
use throughline_domain::{Timestamp, time};
use throughline_redact as redact;

use crate::door::Spot;
use crate::files;
use crate::paths::Home;

/// A longer log is put aside as `throughline.log.1`; the one before that is gone.
const LOG_BYTES_MAX: u64 = throughline_domain::limits::LOG_BYTES_MAX;
/// Longest message.
const MESSAGE_UNITS_MAX: usize = 600;

/// One failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// When (ISO 8601).
    pub at: String,
    /// Where it happened: `hook PreCompact`, `save`.
    pub during: String,
    /// What happened.
    pub what: String,
}

/// Notes a failure. A log that cannot be written is nobody's concern at this point.
pub fn failure(home: &Home, now: Timestamp, during: &str, what: &str) {
    let failure = Failure {
        at: time::iso(now),
        during: shorten(during, 80),
        what: one_line(&redact::text(what), MESSAGE_UNITS_MAX),
    };
    let Ok(line) = serde_json::to_vec(&failure) else { return };
    let path = home.log();
    if path.bytes() > LOG_BYTES_MAX {
        let _ = path.rename(&path.with_file_name("throughline.log.1"));
    }
    let Ok(mut file) = files::open_append(&path) else { return };
    let ends_line = files::read_tail(&mut file, 1).is_ok_and(|(_, ends_line)| ends_line);
    let _ = files::append_line(&mut file, &line, ends_line);
}

/// The newest failures, newest first.
#[must_use]
pub fn recent(home: &Home, count_max: usize) -> Vec<Failure> {
    read_failures(&home.log(), count_max)
}

fn read_failures(path: &Spot, count_max: usize) -> Vec<Failure> {
    let Ok(mut file) = files::open_regular(path) else { return Vec::new() };
    let Ok((tail, _)) = files::read_tail(&mut file, 64 << 10) else { return Vec::new() };
    let lines = tail.rsplit(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok()).take(count_max).collect()
}
