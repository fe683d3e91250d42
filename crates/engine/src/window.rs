//! The window that a model's context probably had, where no sample says so.

pub use throughline_agents::claude_code::compaction_point::model_window;
use throughline_agents::claude_code::compaction_point::{Inputs, effective_point};

const WINDOW_TOKENS_LARGE: u64 = 1_000_000;

/// The model's usual window; the large one where more was seen in it than the usual one holds.
#[must_use]
pub fn window_of(model: &str, tokens_seen: u64) -> u64 {
    let usual = effective_point(&Inputs { model: Some(model), ..Inputs::default() }).window;
    if tokens_seen > usual { WINDOW_TOKENS_LARGE.max(tokens_seen) } else { usual }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_fits_into_the_window() {
        assert_eq!(window_of("claude-opus-4-5-20251101", 167_000), 200_000);
        assert_eq!(window_of("claude-opus-5-5", 10), 1_000_000);
        assert_eq!(window_of("claude-opus-4-6", 208_162), 1_000_000);
        assert_eq!(window_of("", 3_000_000), 3_000_000);
    }
}
