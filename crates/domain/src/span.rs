//! Spans of time as people type them: `90s`, `30min`, `24h`, `7d`, `2w`, `3mo`, `1y`.

use std::error::Error;
use std::fmt;

use jiff::Span;
use jiff::fmt::friendly::SpanParser;
use jiff::tz::TimeZone;

use crate::time::{Timestamp, seconds_between};

/// Why a text is no span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoSpan {
    /// Its unit is `m`, behind this number: minutes to some, months to others.
    MinutesOrMonths(String),
    /// It is no number with a unit, or one that nobody lives to see.
    Unknown,
}

impl fmt::Display for NoSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MinutesOrMonths(number) => {
                write!(f, "`m` may be minutes or months: write {number}min or {number}mo")
            }
            Self::Unknown => f.write_str("a number with its unit: 90s, 30min, 24h, 7d, 2w, 3mo or 1y"),
        }
    }
}

impl Error for NoSpan {}

/// The span that a person means; several units may follow each other, the longest first: `1d12h`, `2 hours 30 minutes`.
///
/// ```
/// use throughline_domain::span;
/// assert!(span::parse("30min").is_ok());
/// let refused = span::parse("30m").unwrap_err();
/// assert_eq!(refused.to_string(), "`m` may be minutes or months: write 30min or 30mo");
/// ```
pub fn parse(text: &str) -> Result<Span, NoSpan> {
    let text = text.trim();
    // The parser takes it for minutes, as half of our own options once did; the other half took it for months.
    if let Some(number) = number_of_m(text) {
        return Err(NoSpan::MinutesOrMonths(number.to_owned()));
    }
    let span = SpanParser::new().parse_span(text).map_err(|_| NoSpan::Unknown)?;
    if span.is_negative() { Err(NoSpan::Unknown) } else { Ok(span) }
}

/// How long a span is when it ends now, in seconds: a day has 24 hours, a month as many days as the calendar says.
#[must_use]
pub fn seconds_until(now: Timestamp, span: Span) -> u64 {
    let start = now.to_zoned(TimeZone::UTC).saturating_sub(span);
    seconds_between(start.timestamp(), now)
}

/// The number before a unit that is the letter `m` and nothing else.
fn number_of_m(text: &str) -> Option<&str> {
    text.match_indices(['m', 'M']).find_map(|(at, _)| {
        let is_whole_unit = !text[at + 1..].starts_with(char::is_alphabetic);
        let number = text[..at].trim_end().rsplit(|c: char| !c.is_ascii_digit() && c != '.').next()?;
        (is_whole_unit && !number.is_empty()).then_some(number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Result<u64, NoSpan> {
        let now = "2026-03-31T12:00:00Z".parse().unwrap_or_else(|error| panic!("{error}"));
        parse(text).map(|span| seconds_until(now, span))
    }

    #[test]
    fn a_span_is_a_number_with_its_unit() {
        let known = ["90s", "30min", "24h", "7d", "1w", "0h", " 7 d ", "1d12h"].map(seconds);
        assert_eq!(known, [90, 1_800, 86_400, 604_800, 604_800, 0, 604_800, 129_600].map(Ok));
        for wrong in ["", "7", "d", "7 parsecs", "-1h", "1h ago", "99999999999999999999d", "7é"] {
            assert_eq!(seconds(wrong), Err(NoSpan::Unknown), "{wrong}");
        }
    }

    #[test]
    fn months_and_years_are_as_long_as_the_calendar_makes_them() {
        let days = |text: &str| seconds(text).map(|seconds| seconds / 86_400);
        assert_eq!(["1mo", "2mo", "1y", "1 month"].map(days), [31, 59, 365, 31].map(Ok));
        assert!(seconds("9999y").is_ok(), "further back than any clock was");
    }

    #[test]
    fn a_bare_m_is_refused_with_both_spellings() {
        for (text, number) in [("30m", "30"), ("3 m", "3"), ("1h30m", "30"), ("2M", "2"), ("1.5m", "1.5")] {
            assert_eq!(seconds(text), Err(NoSpan::MinutesOrMonths(number.to_owned())), "{text}");
        }
        for text in ["30min", "30 mins", "3mo", "3 months", "5 minutes", "20ms"] {
            assert!(parse(text).is_ok(), "{text}");
        }
    }
}
