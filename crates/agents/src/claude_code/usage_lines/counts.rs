//! Counts: the numbers of one usage object, as the server reports them.

use throughline_domain::usage::Tokens;

use super::Raw;

/// What a usage object says.
#[derive(Debug, Clone, Default)]
pub(super) struct Counts<'a> {
    pub(super) tokens: Tokens,
    pub(super) is_fast: bool,
    pub(super) is_us_only: bool,
    /// The rounds that the server went, each with counts of its own.
    pub(super) rounds: Option<Raw<'a>>,
}

impl<'a> Counts<'a> {
    pub(super) fn of(usage: Raw<'a>) -> Self {
        let mut counts = Self::default();
        let mut cache_write = 0;
        for (key, value) in usage.members() {
            let count = || value.count().unwrap_or(0);
            match key {
                b"input_tokens" => counts.tokens.input = count(),
                b"output_tokens" => counts.tokens.output = count(),
                b"cache_read_input_tokens" => counts.tokens.cache_read = count(),
                b"cache_creation_input_tokens" => cache_write = count(),
                b"cache_creation" => counts.take_cache_writes(value),
                b"server_tool_use" => {
                    counts.tokens.web_searches =
                        value.member(b"web_search_requests").and_then(Raw::count).unwrap_or(0);
                }
                b"speed" => counts.is_fast = value.plain() == Some("fast"),
                b"inference_geo" => counts.is_us_only = value.plain() == Some("us"),
                b"iterations" => counts.rounds = Some(value),
                _ => {}
            }
        }
        // Old clients know one sum only; what is not told apart was written for five minutes, the usual time.
        let told_apart = counts.tokens.cache_write_5m.saturating_add(counts.tokens.cache_write_1h);
        counts.tokens.cache_write_5m =
            counts.tokens.cache_write_5m.saturating_add(cache_write.saturating_sub(told_apart));
        counts
    }

    fn take_cache_writes(&mut self, writes: Raw<'_>) {
        for (key, value) in writes.members() {
            match key {
                b"ephemeral_5m_input_tokens" => self.tokens.cache_write_5m = value.count().unwrap_or(0),
                b"ephemeral_1h_input_tokens" => self.tokens.cache_write_1h = value.count().unwrap_or(0),
                _ => {}
            }
        }
    }
}
