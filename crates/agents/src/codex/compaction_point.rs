//! Compaction point: at how many tokens the client compacts by itself.
//!
//! Measured on the real client, for three windows and a model that it does not know: at nine tenths of the window, all
//! tokens of the last response counted. What it tells as the window is nineteen twentieths of it.

use crate::agent::ToldContext;
use crate::compaction_point::{At, CompactionPoint, PointSource};

/// The window of all models that the client knows but two, less what it sets aside.
const WINDOW_TOKENS_USUAL: u64 = 258_400;

/// Where a context's end is. A limit that the user set in the client's configuration is not told, and not known here.
#[must_use]
pub fn of(told: &ToldContext<'_>) -> CompactionPoint {
    let window = told.window.filter(|window| *window > 0);
    let source = if window.is_some() { PointSource::Payload } else { PointSource::Assumed };
    let window = window.unwrap_or(WINDOW_TOKENS_USUAL);
    let at = told.compacts_at.unwrap_or(window / 19 * 18);
    CompactionPoint { window, at: At::Compacts(at), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_point_is_nine_tenths_of_what_the_model_has() {
        let at = |window| of(&ToldContext { window: Some(window), ..ToldContext::default() }).limit_tokens();
        for (whole, told) in [(272_000, 258_400), (500_000, 475_000), (100_000, 95_000)] {
            assert_eq!(at(told), whole / 10 * 9);
        }
    }

    #[test]
    fn without_a_window_the_usual_one_is_assumed() {
        for window in [None, Some(0)] {
            let point = of(&ToldContext { window, ..ToldContext::default() });
            assert_eq!((point.window, point.source), (258_400, PointSource::Assumed));
        }
    }
}
