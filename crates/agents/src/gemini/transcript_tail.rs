//! The session file's tail: how full the context was at the last response, and whether it was compressed since.
//!
//! The client appends and never rewrites: a compression is one more line, with a list of messages that begins with the summary. That
//! line is as long as what it keeps (a third of the context), so that its beginning may be far from the file's end.

use memchr::{memchr, memmem, memrchr};
use throughline_domain::context::{Fill, Moment};
use throughline_domain::time;

use super::Raw;
use super::transcript::{ACKNOWLEDGED, Compression, Record, list, read};
use crate::transcript::LastUsage;

/// A list that was put down this long after its summary is not the first to hold it.
const FRESH_MS: i64 = 2_000;
/// An id of the client's has 36 bytes.
const ID_BYTES_MAX: usize = 100;

/// The usage of the last response of the main conversation in a file's tail.
///
/// `None` when the tail holds none, or when a compression came after it: then nothing is known until the next response.
#[must_use]
pub fn last_usage(tail: &[u8]) -> Option<LastUsage> {
    let mut end = tail.len();
    while end > 0 {
        let last = tail[..end].strip_suffix(b"\n").unwrap_or(&tail[..end]);
        // A line that begins before the tail cannot be told from others.
        let start = memrchr(b'\n', last)? + 1;
        match read(&last[start..]) {
            Ok(Record::Message(message)) if message.kind == b"gemini" => {
                if let Some(context_tokens) = message.context_tokens() {
                    let at = message.timestamp.and_then(time::parse);
                    let model = message.model.map(str::to_owned);
                    return Some(LastUsage { context_tokens, model, at, window: None });
                }
            }
            Ok(Record::List(messages, _)) if list(messages).compression.is_some() => return None,
            _ => {}
        }
        end = start;
    }
    None
}

/// What one line tells about how full the context is; `None` for most of them.
#[must_use]
pub fn moment(line: &[u8]) -> Option<Moment> {
    match read(line).ok()? {
        Record::Message(message) if message.kind == b"gemini" => {
            let used_tokens = message.context_tokens()?;
            let cache_read_tokens = message.tokens?.member(b"cached").and_then(Raw::count).unwrap_or(0);
            Some(Moment::Responded(Fill {
                at: message.timestamp.and_then(time::parse),
                used_tokens,
                cache_read_tokens,
                model: message.model.map(str::to_owned),
            }))
        }
        Record::List(messages, at) => {
            let compression = list(messages).compression?;
            is_fresh(&compression, at).then_some(Moment::Compacted)
        }
        _ => None,
    }
}

/// Whether a list was put down when its summary was made: it comes again, with its old time, when the session is resumed.
fn is_fresh(compression: &Compression<'_>, at: Option<&str>) -> bool {
    let ms =
        |text: Option<&str>| text.and_then(time::parse).map(throughline_domain::Timestamp::as_millisecond);
    match (ms(compression.timestamp), ms(at)) {
        (Some(made), Some(at)) => at.saturating_sub(made) < FRESH_MS,
        _ => true,
    }
}

/// What names the last compression in a stretch of the file, which may begin and end anywhere: the same in every list that repeats
/// it. A hook that looks at what was written since the one before it knows by this whether the context was compressed meanwhile.
///
/// What is looked for cannot stand in anybody's words: quotes in them are written otherwise.
#[must_use]
pub fn compression(stretch: &[u8]) -> Option<&str> {
    let mark = format!("\"type\":\"gemini\",\"content\":[{{\"text\":\"{ACKNOWLEDGED}\"}}]}}");
    let at = memmem::rfind(stretch, mark.as_bytes())?;
    let message = memmem::rfind(&stretch[..at], b"{\"id\":\"")?;
    let id = &stretch[message + b"{\"id\":\"".len()..at];
    let id = &id[..memchr(b'"', id).filter(|bytes| *bytes <= ID_BYTES_MAX)?];
    std::str::from_utf8(id).ok().filter(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(id: &str, tokens: u64) -> String {
        format!(
            "{{\"id\":\"{id}\",\"timestamp\":\"2026-11-18T07:00:01.000Z\",\"type\":\"gemini\",\"content\":\"x\",\"tokens\":{{\"input\":{tokens},\"output\":2,\"cached\":3}},\"model\":\"m\"}}\n{{\"$set\":{{\"lastUpdated\":\"2026-11-18T07:00:01.000Z\"}}}}\n"
        )
    }

    fn compressed(id: &str, made: &str, put: &str, kept: &str) -> String {
        format!(
            "{{\"$set\":{{\"messages\":[{{\"id\":\"d0\",\"timestamp\":\"{made}\",\"type\":\"user\",\"content\":[{{\"text\":\"context\"}}]}},{{\"id\":\"u\",\"timestamp\":\"{made}\",\"type\":\"user\",\"content\":[{{\"text\":\"<state_snapshot>s</state_snapshot>\"}}]}},{{\"id\":\"{id}\",\"timestamp\":\"{made}\",\"type\":\"gemini\",\"content\":[{{\"text\":\"Got it. Thanks for the additional context!\"}}]}},{{\"id\":\"k\",\"type\":\"user\",\"content\":[{{\"text\":\"{kept}\"}}]}}],\"lastUpdated\":\"{put}\"}}}}\n"
        )
    }

    const THEN: &str = "2026-11-18T07:00:02.000Z";
    const LATER: &str = "2026-11-18T08:00:00.000Z";

    fn tokens(tail: &str) -> Option<u64> {
        last_usage(tail.as_bytes()).map(|usage| usage.context_tokens)
    }

    #[test]
    fn the_last_response_counts_until_a_compression() {
        let (first, second) = (response("a", 5), response("b", 7));
        assert_eq!(tokens(&format!("\n{first}{second}")), Some(7));
        let list = compressed("c", THEN, THEN, "");
        assert_eq!(tokens(&format!("\n{first}{list}")), None);
        assert_eq!(tokens(&format!("\n{first}{list}{second}")), Some(7));
        assert_eq!(tokens(&first[40..]), None, "begins before the tail");
        assert_eq!(
            last_usage(format!("\n{first}").as_bytes()).unwrap().at,
            time::parse("2026-11-18T07:00:01.000Z")
        );
    }

    #[test]
    fn a_moment_is_a_response_or_a_compression_that_is_new() {
        let fill = |line: &str| match moment(line.as_bytes()) {
            Some(Moment::Responded(fill)) => Some((fill.used_tokens, fill.cache_read_tokens)),
            _ => None,
        };
        assert_eq!(fill(response("a", 5).lines().next().unwrap()), Some((5, 3)));
        assert_eq!(moment(compressed("c", THEN, THEN, "").as_bytes()), Some(Moment::Compacted));
        assert_eq!(moment(compressed("c", THEN, LATER, "").as_bytes()), None);
        assert_eq!(moment(b"{\"$set\":{\"lastUpdated\":\"x\"}}"), None);
    }

    #[test]
    fn a_compression_is_seen_in_any_stretch_that_holds_its_beginning() {
        let list = compressed("5f", THEN, THEN, &"kept ".repeat(20_000));
        let file = format!("{}{list}{}", response("a", 5), response("b", 7));
        assert_eq!(compression(file.as_bytes()), Some("5f"));
        assert_eq!(compression(&file.as_bytes()[60..]), Some("5f"));
        assert_eq!(compression(&file.as_bytes()[file.len() - 400..]), None);
        let twice = format!("{file}{}", compressed("60", LATER, LATER, ""));
        assert_eq!(compression(twice.as_bytes()), Some("60"));
    }

    #[test]
    fn words_that_quote_a_compression_are_none() {
        let quoted = serde_json::json!({"id": "m", "type": "user", "content": [{"text": compressed("c", THEN, THEN, "")}]});
        assert_eq!(compression(quoted.to_string().as_bytes()), None);
        let said = serde_json::json!({"id": "m", "type": "gemini", "content": ACKNOWLEDGED});
        assert_eq!(compression(said.to_string().as_bytes()), None);
    }

    #[test]
    fn torn_odd_and_empty_tails_are_no_trouble() {
        for tail in [
            "",
            "\n",
            "x",
            "\n{\"id\":\"a\",\"type\":\"gemini\",\"tokens\":{\"input\":-1}}\n",
            "\n{\"id\"",
            "\n\0\n",
        ] {
            assert_eq!(tokens(tail), None, "{tail:?}");
            assert_eq!((moment(tail.as_bytes()), compression(tail.as_bytes())), (None, None));
        }
    }
}
