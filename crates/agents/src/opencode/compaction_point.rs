//! Where OpenCode compacts: by the model's limits and what the user set, as its plugin is told both.

use serde::Deserialize;

use crate::agent::ToldContext;
use crate::compaction_point::{At, CompactionPoint, PointSource};

/// Most tokens that the client asks for in one answer.
const OUTPUT_TOKENS_MAX: u64 = 32_000;
/// What the client keeps free, at most, where the user sets nothing.
const RESERVED_TOKENS: u64 = 20_000;
/// The window where nothing is known.
const WINDOW_ASSUMED: u64 = 200_000;

/// A model's limits, in tokens; 0 where one is not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// The window.
    pub context: u64,
    /// What it reads at most, where that is less.
    pub input: u64,
    /// What it writes at most.
    pub output: u64,
}

/// What the user set for compactions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Whether the client compacts by itself; it does unless this says no.
    pub auto: Option<bool>,
    /// What is kept free.
    pub reserved: Option<u64>,
}

/// How many tokens make the client compact; `None` where nothing does.
#[must_use]
pub fn compacts_at(limits: Limits, settings: Settings) -> Option<u64> {
    if settings.auto == Some(false) || limits.context == 0 {
        return None;
    }
    let output = if limits.output == 0 { OUTPUT_TOKENS_MAX } else { limits.output.min(OUTPUT_TOKENS_MAX) };
    Some(match limits.input {
        // What is reserved counts with this limit alone.
        0 => limits.context.saturating_sub(output),
        input => input.saturating_sub(settings.reserved.unwrap_or(output.min(RESERVED_TOKENS))),
    })
}

/// Where a context ends, by what the plugin tells.
#[must_use]
pub fn point(told: &ToldContext<'_>) -> CompactionPoint {
    let Some(window) = told.window else {
        return CompactionPoint { window: WINDOW_ASSUMED, at: At::Unknown, source: PointSource::Assumed };
    };
    let at = told.compacts_at.map_or(
        At::Never {
            reason: "`compaction.auto` is off",
            remedy: "remove `compaction.auto` from opencode.json, or run /compact in time",
        },
        At::Compacts,
    );
    CompactionPoint { window, at, source: PointSource::Payload }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clients_own_formula() {
        let limits = |context, input, output| Limits { context, input, output };
        let usual = Settings::default();
        assert_eq!(compacts_at(limits(40_000, 0, 4_000), usual), Some(36_000), "seen in the client");
        assert_eq!(compacts_at(limits(200_000, 0, 64_000), usual), Some(168_000));
        assert_eq!(compacts_at(limits(400_000, 272_000, 128_000), usual), Some(252_000));
        let reserving = Settings { reserved: Some(50_000), ..usual };
        assert_eq!(compacts_at(limits(400_000, 272_000, 128_000), reserving), Some(222_000));
        assert_eq!(
            compacts_at(limits(200_000, 0, 64_000), reserving),
            Some(168_000),
            "ignored without an input limit"
        );
        assert_eq!(compacts_at(limits(0, 0, 0), usual), None);
        assert_eq!(compacts_at(limits(40_000, 0, 4_000), Settings { auto: Some(false), ..usual }), None);
    }

    #[test]
    fn a_window_without_a_point_is_one_that_is_never_compacted() {
        let told = ToldContext { model: None, window: Some(40_000), compacts_at: None };
        assert!(matches!(point(&told), CompactionPoint { window: 40_000, at: At::Never { .. }, .. }));
        assert_eq!(point(&ToldContext::default()).at, At::Unknown);
        let told = ToldContext { compacts_at: Some(36_000), ..told };
        assert_eq!(point(&told).limit_tokens(), 36_000);
    }
}
