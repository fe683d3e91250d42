//! The rollout's tail: how full the context was at the last response. Reads the end only, never from the top.

use memchr::{memchr, memmem, memrchr};
use throughline_domain::context::{Fill, Moment};
use throughline_domain::time;

use super::transcript::record::Record;
use crate::claude_code::transcript::scan::Raw;
use crate::transcript::LastUsage;

/// Inside of a text these quotes would be escaped.
const COUNT: &[u8] = b"\"type\":\"token_count\"";
const COMPACTED: &[u8] = b"\"type\":\"compacted\"";
const TURN: &[u8] = b"\"type\":\"turn_context\"";

/// The usage of the last response in a rollout's tail.
///
/// `None` when the tail holds none, or when a compaction came after it: then nothing is known until the next response.
#[must_use]
pub fn last_usage(tail: &[u8]) -> Option<LastUsage> {
    for at in memmem::rfind_iter(tail, COUNT) {
        let (line, end) = line_around(tail, at)?;
        let Some((fill, window)) = count(line) else { continue };
        if memmem::find(&tail[end..], COMPACTED).is_some() {
            return None;
        }
        let context_tokens = fill.used_tokens;
        return Some(LastUsage { context_tokens, model: model(tail), at: fill.at, window });
    }
    None
}

/// What one line tells about how full the context is; `None` for nearly all of them, at the price of a search.
#[must_use]
pub fn moment(line: &[u8]) -> Option<Moment> {
    if memmem::find(line, COUNT).is_some() {
        return count(line).map(|(fill, _)| Moment::Responded(fill));
    }
    memmem::find(line, COMPACTED)?;
    let record = Record::read(line).ok()??;
    (record.kind == b"compacted").then_some(Moment::Compacted)
}

/// The line around a place, and where it ends; `None` where it begins before the tail.
fn line_around(tail: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let start = memrchr(b'\n', &tail[..at])? + 1;
    let end = memchr(b'\n', &tail[at..]).map_or(tail.len(), |length| at + length);
    Some((&tail[start..end], end))
}

/// What a count says: how full the context was, and the window. Right after a compaction all of it is zero.
fn count(line: &[u8]) -> Option<(Fill, Option<u64>)> {
    let record = Record::read(line).ok()??;
    if record.kind != b"event_msg" || record.inner() != b"token_count" {
        return None;
    }
    let info = record.payload.member(b"info")?;
    let last = info.member(b"last_token_usage")?;
    let number = |name: &[u8]| last.member(name).and_then(Raw::count).unwrap_or(0);
    let fill = Fill {
        at: record.timestamp.and_then(time::parse),
        used_tokens: number(b"input_tokens"),
        cache_read_tokens: number(b"cached_input_tokens"),
        model: None,
    };
    let window = info.member(b"model_context_window").and_then(Raw::count).filter(|window| *window > 0);
    (fill.used_tokens > 0).then_some((fill, window))
}

/// The model of the last turn that begins in the tail.
fn model(tail: &[u8]) -> Option<String> {
    let (line, _) = line_around(tail, memmem::rfind(tail, TURN)?)?;
    let record = Record::read(line).ok()??;
    let model = record.payload.member(b"model")?.text()?;
    (!model.is_empty()).then(|| model.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(tokens: u64) -> String {
        format!(
            "{{\"timestamp\":\"2026-11-18T07:05:12.000Z\",\"ordinal\":7,\"type\":\"event_msg\",\"payload\":{{\"type\":\"token_count\",\"info\":{{\
             \"total_token_usage\":{{\"input_tokens\":9000000}},\"last_token_usage\":{{\"input_tokens\":{tokens},\"cached_input_tokens\":3}},\
             \"model_context_window\":258400}}}}}}\n"
        )
    }
    const TURNS: &str =
        "{\"type\":\"turn_context\",\"payload\":{\"cwd\":\"/home/me/app\",\"model\":\"gpt-6.1-sol\"}}\n";
    const BOUNDARY: &str = "{\"ordinal\":9,\"type\":\"compacted\",\"payload\":{\"message\":\"\"}}\n";

    #[test]
    fn the_last_response_counts_with_its_window_and_model() {
        let tail = format!("torn\n{TURNS}{}{}", counted(5), counted(7));
        let usage = last_usage(tail.as_bytes()).unwrap();
        assert_eq!((usage.context_tokens, usage.window), (7, Some(258_400)));
        assert_eq!(
            (usage.model.as_deref(), usage.at),
            (Some("gpt-6.1-sol"), time::parse("2026-11-18T07:05:12.000Z"))
        );
    }

    #[test]
    fn after_a_compaction_nothing_is_known_until_the_next_response() {
        let after = format!("\n{}{BOUNDARY}{}", counted(5), counted(0));
        assert_eq!(last_usage(after.as_bytes()), None);
        let next = format!("{after}{}", counted(2));
        assert_eq!(last_usage(next.as_bytes()).map(|usage| usage.context_tokens), Some(2));
    }

    #[test]
    fn what_only_speaks_of_counts_and_compactions_is_neither() {
        let spoken = "{\"type\":\"response_item\",\"payload\":{\"type\":\"message\",\"text\":\"a \\\"type\\\":\\\"compacted\\\" line\"}}";
        assert_eq!(moment(spoken.as_bytes()), None);
        let tail = format!("\n{}{spoken}\n", counted(5));
        assert_eq!(last_usage(tail.as_bytes()).map(|usage| usage.context_tokens), Some(5));
        assert_eq!(moment(BOUNDARY.as_bytes()), Some(Moment::Compacted));
        let used = |line: &str| match moment(line.as_bytes()) {
            Some(Moment::Responded(fill)) => Some((fill.used_tokens, fill.cache_read_tokens)),
            _ => None,
        };
        assert_eq!((used(&counted(5)), used(&counted(0))), (Some((5, 3)), None));
    }

    #[test]
    fn torn_odd_and_empty_tails_are_no_trouble() {
        let whole = format!("\n{}", counted(5));
        for cut in 0..whole.len() {
            let _ = (last_usage(&whole.as_bytes()[..cut]), last_usage(&whole.as_bytes()[cut..]));
        }
        assert_eq!(last_usage(b""), None);
        assert_eq!(last_usage(b"\"type\":\"token_count\""), None);
    }
}
