//! Times: UTC instants, written as the seed format does (`2026-01-26T15:30:00.123Z`).

pub use jiff::Timestamp;

/// An instant as the state file spells it: UTC, milliseconds, `Z`.
///
/// ```
/// use throughline_domain::time::{iso, parse};
/// let at = parse("2026-01-26T15:30:00Z").unwrap();
/// assert_eq!(iso(at), "2026-01-26T15:30:00.000Z");
/// ```
#[must_use]
pub fn iso(at: Timestamp) -> String {
    let whole_ms = Timestamp::from_millisecond(at.as_millisecond()).unwrap_or(at);
    format!("{whole_ms:.3}")
}

/// The instant that a written time names; `None` for text that is no time.
#[must_use]
pub fn parse(text: &str) -> Option<Timestamp> {
    text.trim().parse().ok()
}

/// Whole seconds from `earlier` to `later`; 0 when the clock went backwards.
#[must_use]
pub fn seconds_between(earlier: Timestamp, later: Timestamp) -> u64 {
    u64::try_from(later.as_second() - earlier.as_second()).unwrap_or(0)
}

/// A span for people: `45 s`, `12 min`, `3 h 20 min`, `5 days`.
///
/// ```
/// use throughline_domain::time::span_words;
/// assert_eq!(span_words(59), "59 s");
/// assert_eq!(span_words(12_000), "3 h 20 min");
/// assert_eq!(span_words(200_000), "2 days");
/// ```
#[must_use]
pub fn span_words(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..172_800 => match (seconds / 3_600, seconds % 3_600 / 60) {
            (hours, 0) => format!("{hours} h"),
            (hours, minutes) => format!("{hours} h {minutes} min"),
        },
        _ => format!("{} days", seconds / 86_400),
    }
}
