//! The transcript's tail: how full the context was at the last response. Reads the end only, never from the top.

use std::ops::ControlFlow::{self, Break, Continue};

use memchr::{memmem, memrchr};
use serde::Deserialize;
use throughline_domain::context::{Fill, Moment};
use throughline_domain::time;

use crate::transcript::LastUsage;

/// The last response is nearly always that near to the end: looking there first spares most of the search.
const NEAR_BYTES: usize = 6 << 10;

/// The usage of the last response of the main conversation in a transcript's tail.
///
/// `None` when the tail holds none, or when a compaction came after it: then nothing is known until the next response.
#[must_use]
pub fn last_usage(tail: &[u8]) -> Option<LastUsage> {
    let near = tail.len().saturating_sub(NEAR_BYTES);
    match usage_from(tail, near) {
        Continue(()) if near > 0 => usage_from(tail, 0).break_value().flatten(),
        looked => looked.break_value().flatten(),
    }
}

/// The same of what stands from a place on; goes on where it does not settle it.
fn usage_from(tail: &[u8], from: usize) -> ControlFlow<Option<LastUsage>> {
    let positions: Vec<usize> = memmem::find_iter(&tail[from..], b"\"usage\":").map(|at| from + at).collect();
    let mut above = tail.len();
    for position in positions.into_iter().rev() {
        if position >= above {
            // The same line again: it was looked at as a whole.
            continue;
        }
        let Some(start) = memrchr(b'\n', &tail[..position]).map(|at| at + 1) else {
            // The line begins before the tail: it cannot be told whose usage this is.
            return Break(None);
        };
        above = start;
        let end = memchr::memchr(b'\n', &tail[position..]).map_or(tail.len(), |at| position + at);
        let Ok(line) = serde_json::from_slice::<Line>(&tail[start..end]) else { continue };
        if line.is_sidechain || line.kind != "assistant" {
            continue;
        }
        let Some(message) = line.message else { continue };
        // The client's own notices (`<synthetic>`) report zeros.
        let Some(usage) = message.usage.filter(|usage| usage.context_tokens() > 0) else { continue };
        if memmem::find(&tail[end..], b"\"compact_boundary\"").is_some() {
            return Break(None);
        }
        let at = line.timestamp.as_deref().and_then(time::parse);
        let context_tokens = usage.context_tokens();
        return Break(Some(LastUsage { context_tokens, model: message.model, at, window: None }));
    }
    Continue(())
}

/// What one line tells about how full the context is; `None` for nearly all of them, at the price of a search.
#[must_use]
pub fn moment(line: &[u8]) -> Option<Moment> {
    let is_boundary = memmem::find(line, b"\"compact_boundary\"").is_some();
    if !is_boundary && memmem::find(line, b"\"usage\":").is_none() {
        return None;
    }
    let line: Line = serde_json::from_slice(line).ok()?;
    match line.kind.as_str() {
        _ if line.is_sidechain => None,
        "system" if line.subtype.as_deref() == Some("compact_boundary") => Some(Moment::Compacted),
        "assistant" => {
            let message = line.message?;
            let usage = message.usage.filter(|usage| usage.context_tokens() > 0)?;
            Some(Moment::Responded(Fill {
                at: line.timestamp.as_deref().and_then(time::parse),
                used_tokens: usage.context_tokens(),
                cache_read_tokens: usage.cache_read_input_tokens,
                model: message.model,
            }))
        }
        _ => None,
    }
}

#[derive(Deserialize)]
struct Line {
    #[serde(default, rename = "isSidechain")]
    is_sidechain: bool,
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    subtype: Option<String>,
    #[serde(default)]
    timestamp: Option<String>,
    #[serde(default)]
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    usage: Option<Usage>,
}

#[derive(Deserialize)]
#[expect(clippy::struct_field_names, reason = "these are the server's names")]
struct Usage {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    cache_creation_input_tokens: u64,
    #[serde(default)]
    cache_read_input_tokens: u64,
}

impl Usage {
    fn context_tokens(&self) -> u64 {
        self.input_tokens
            .saturating_add(self.cache_creation_input_tokens)
            .saturating_add(self.cache_read_input_tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assistant(tokens: u64, sidechain: bool) -> String {
        format!(
            "{{\"isSidechain\":{sidechain},\"message\":{{\"model\":\"m\",\"usage\":{{\"input_tokens\":{tokens},\"cache_read_input_tokens\":10}}}},\"type\":\"assistant\"}}\n"
        )
    }

    fn tokens(tail: &str) -> Option<u64> {
        last_usage(tail.as_bytes()).map(|usage| usage.context_tokens)
    }

    #[test]
    fn the_last_response_of_the_main_conversation_counts() {
        let tail = format!("\n{}{}{}", assistant(5, false), assistant(7, false), assistant(900, true));
        assert_eq!(tokens(&tail), Some(17));
    }

    #[test]
    fn it_is_found_near_the_end_and_far_from_it() {
        let boundary = "{\"type\":\"system\",\"subtype\":\"compact_boundary\"}\n";
        for kilobytes in [0, 1, 5, 6, 7, 20] {
            let answer = format!("{{\"type\":\"user\",\"x\":\"{}\"}}\n", "y".repeat(kilobytes << 10));
            let tail = format!("\n{}{answer}", assistant(5, false));
            assert_eq!(tokens(&tail), Some(15), "{kilobytes}");
            assert_eq!(tokens(&format!("{tail}{}", assistant(900, true))), Some(15), "{kilobytes}");
            assert_eq!(tokens(&format!("{tail}{boundary}{answer}")), None, "{kilobytes}");
            assert_eq!(tokens(&tail[40..]), None, "begins before the tail: {kilobytes}");
        }
    }

    #[test]
    fn a_tool_result_that_speaks_of_usage_does_not_count() {
        let tool = "{\"type\":\"user\",\"toolUseResult\":{\"usage\":{\"input_tokens\":999999}}}\n";
        assert_eq!(tokens(&format!("\n{}{tool}", assistant(5, false))), Some(15));
    }

    #[test]
    fn after_a_boundary_nothing_is_known_until_the_next_response() {
        let boundary = "{\"type\":\"system\",\"subtype\":\"compact_boundary\"}\n";
        assert_eq!(tokens(&format!("\n{}{boundary}", assistant(5, false))), None);
        assert_eq!(tokens(&format!("\n{}{boundary}{}", assistant(5, false), assistant(2, false))), Some(12));
    }

    #[test]
    fn the_time_of_the_response_is_known_where_the_line_has_one() {
        let line = assistant(5, false);
        let timed = line.replacen('{', "{\"timestamp\":\"2026-11-16T04:11:42.567Z\",", 1);
        let at = last_usage(format!("\n{timed}").as_bytes()).and_then(|usage| usage.at);
        assert_eq!(at, time::parse("2026-11-16T04:11:42.567Z"));
        assert!(at.is_some());
        assert_eq!(last_usage(format!("\n{line}").as_bytes()).and_then(|usage| usage.at), None);
    }

    #[test]
    fn a_moment_is_an_answer_of_the_main_conversation_or_a_boundary() {
        let used = |line: &str| match moment(line.as_bytes()) {
            Some(Moment::Responded(fill)) => Some((fill.used_tokens, fill.cache_read_tokens)),
            _ => None,
        };
        assert_eq!(used(&assistant(5, false)), Some((15, 10)));
        assert_eq!(used(&assistant(5, true)), None);
        let boundary = "{\"type\":\"system\",\"subtype\":\"compact_boundary\"}";
        assert_eq!(moment(boundary.as_bytes()), Some(Moment::Compacted));
        let quoted = "{\"type\":\"user\",\"message\":{\"content\":\"a \\\"compact_boundary\\\" of ours\"}}";
        assert_eq!(moment(quoted.as_bytes()), None);
        assert_eq!(moment(b"{\"usage\":"), None);
    }

    #[test]
    fn torn_odd_and_empty_tails_are_no_trouble() {
        for tail in [
            "",
            "\"usage\":",
            "x\"usage\":{}\n",
            "\n{\"usage\":{\"input_tokens\":-1}}\n",
            "\n{\"usage\":\u{0}",
        ] {
            assert_eq!(tokens(tail), None, "{tail:?}");
        }
    }
}
