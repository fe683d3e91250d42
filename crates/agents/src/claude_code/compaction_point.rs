//! Compaction point: at how many used tokens the client will compact by itself, if it ever does.
//!
//! The rules were measured on the real client: a set window W compacts at W − 33,000; a percentage is taken of
//! W − 20,000; without a window only the models with a million tokens compact by usage.

use crate::compaction_point::{At, CompactionPoint, PointSource};

/// What stays free below the window when the client compacts.
const RESERVE_TOKENS: u64 = 33_000;
/// What the client sets aside for the summary before it takes a percentage.
const SUMMARY_TOKENS: u64 = 20_000;
/// The client takes no smaller window and no larger one: out of these a setting is ignored, a variable is bent.
pub const WINDOW_TOKENS_MIN: u64 = 100_000;
/// The largest.
pub const WINDOW_TOKENS_MAX: u64 = 1_000_000;
const WINDOW_TOKENS_LARGE: u64 = 1_000_000;
const WINDOW_TOKENS_USUAL: u64 = 200_000;

/// What is known about a session when the question is asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs<'a> {
    /// The model's id, such as `claude-sonnet-4-5-20250929`.
    pub model: Option<&'a str>,
    /// `autoCompactWindow` of the settings.
    pub window_setting: Option<u64>,
    /// `CLAUDE_CODE_AUTO_COMPACT_WINDOW`.
    pub env_window: Option<u64>,
    /// `CLAUDE_AUTOCOMPACT_PCT_OVERRIDE`.
    pub pct_override: Option<f64>,
    /// `autoCompactEnabled` of the settings.
    pub auto_enabled: Option<bool>,
    /// Whether `DISABLE_AUTO_COMPACT` or `DISABLE_COMPACT` is set.
    pub disabled_by_env: bool,
    /// The window that the status line's payload gave.
    pub payload_window: Option<u64>,
    /// Where this model was last seen to compact by itself.
    pub observed: Option<u64>,
}

/// The window of a model that is known to us.
#[must_use]
pub fn model_window(model: &str) -> Option<u64> {
    habit_of(model).window()
}

/// Where a compaction can be had, when it cannot be had where it was wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfReach {
    /// The fewest used tokens.
    pub earliest: u64,
    /// The most.
    pub latest: u64,
}

/// The window to set so that the client compacts at `at` used tokens of a model's window.
pub fn window_for(at: u64, model_window: u64, pct_override: Option<f64>) -> Result<u64, OutOfReach> {
    let largest = model_window.min(WINDOW_TOKENS_MAX);
    let reach = OutOfReach {
        earliest: point_in(WINDOW_TOKENS_MIN, pct_override),
        latest: point_in(largest, pct_override),
    };
    if at < reach.earliest || at > reach.latest {
        return Err(reach);
    }
    // The point grows with the window: the first window that reaches it.
    let (mut low, mut high) = (WINDOW_TOKENS_MIN, largest.max(WINDOW_TOKENS_MIN));
    while low < high {
        let middle = low.midpoint(high);
        if point_in(middle, pct_override) < at {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low)
}

/// The effective compaction point.
#[must_use]
pub fn effective_point(inputs: &Inputs<'_>) -> CompactionPoint {
    let habit = inputs.model.map_or(Habit::Unknown, habit_of);
    let payload_window = inputs.payload_window.filter(|window| *window > 0);
    let model_window = payload_window.or(habit.window());
    let set = match (inputs.env_window, inputs.window_setting) {
        (Some(window), _) if window > 0 => {
            Some((window.clamp(WINDOW_TOKENS_MIN, WINDOW_TOKENS_MAX), PointSource::Environment))
        }
        (_, Some(window)) if (WINDOW_TOKENS_MIN..=WINDOW_TOKENS_MAX).contains(&window) => {
            Some((window, PointSource::Settings))
        }
        _ => None,
    };
    // Only a window that is known limits what the user set; an assumed one must not overrule it.
    let clamped = set.map(|(window, source)| (model_window.map_or(window, |most| window.min(most)), source));
    let window = clamped.map(|(window, _)| window).or(model_window).unwrap_or(WINDOW_TOKENS_USUAL);

    if let Some((reason, remedy, source)) = switched_off(inputs) {
        return CompactionPoint { window, at: At::Never { reason, remedy }, source };
    }
    if let Some((window, source)) = clamped {
        return CompactionPoint { window, at: At::Compacts(point_in(window, inputs.pct_override)), source };
    }
    if let Some(observed) = inputs.observed.filter(|tokens| *tokens > 0) {
        return CompactionPoint { window, at: At::Compacts(observed), source: PointSource::Observed };
    }
    match habit {
        Habit::Compacts(_) => {
            let at = At::Compacts(point_in(window, inputs.pct_override));
            CompactionPoint { window, at, source: PointSource::Model }
        }
        Habit::NeverByUsage(_) => CompactionPoint {
            window,
            at: At::Never {
                reason: "without a window set, the client does not compact this model by usage",
                remedy: "run `throughline init --compact-at 80%`, or set \"autoCompactWindow\": 200000 in the settings",
            },
            source: PointSource::Model,
        },
        Habit::Unknown => {
            let source = if payload_window.is_some() { PointSource::Payload } else { PointSource::Assumed };
            CompactionPoint { window, at: At::Unknown, source }
        }
    }
}

fn switched_off(inputs: &Inputs<'_>) -> Option<(&'static str, &'static str, PointSource)> {
    if inputs.disabled_by_env {
        let reason = "DISABLE_AUTO_COMPACT or DISABLE_COMPACT is set";
        return Some((reason, "unset it, or run /compact by hand in time", PointSource::Environment));
    }
    (inputs.auto_enabled == Some(false)).then_some((
        "\"autoCompactEnabled\" is false in the settings",
        "set it to true, or run /compact by hand in time",
        PointSource::Settings,
    ))
}

fn point_in(window: u64, pct_override: Option<f64>) -> u64 {
    let usual = window.saturating_sub(RESERVE_TOKENS);
    let pct = pct_override.filter(|pct| *pct > 0.0 && *pct <= 100.0);
    // A high percentage does not move the compaction behind its usual place. Never 0: percentages are taken of it.
    pct.map_or(usual, |pct| usual.min(share(window.saturating_sub(SUMMARY_TOKENS), pct))).max(1)
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a token count, between 0 and 100 %: far below 2^52 for any real window, and a cast saturates"
)]
fn share(tokens: u64, pct: f64) -> u64 {
    (tokens as f64 * pct / 100.0).floor() as u64
}

/// What a model does when no window is set.
#[derive(Clone, Copy)]
enum Habit {
    Compacts(u64),
    NeverByUsage(u64),
    Unknown,
}

impl Habit {
    fn window(self) -> Option<u64> {
        match self {
            Self::Compacts(window) | Self::NeverByUsage(window) => Some(window),
            Self::Unknown => None,
        }
    }
}

fn habit_of(model: &str) -> Habit {
    let model = model.to_ascii_lowercase();
    let is = |families: &[&str]| families.iter().any(|family| model.contains(family));
    if model.contains("[1m]") || is(&["opus-5-5", "sonnet-5-5"]) {
        Habit::Compacts(WINDOW_TOKENS_LARGE)
    } else if is(&["sonnet-4-5", "haiku-4-5", "opus-4-5"]) {
        Habit::NeverByUsage(WINDOW_TOKENS_USUAL)
    } else {
        Habit::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SONNET_4_5: Option<&str> = Some("claude-sonnet-4-5-20250929");
    const OPUS_5_5: Option<&str> = Some("claude-opus-5-5");

    /// Measured on the client: it did not compact at the first number of used tokens, and did at the second. To what
    /// the server reported the client adds an estimate of what came after: some 30 tokens in these runs.
    #[test]
    fn the_point_lies_between_what_was_measured() {
        let cases = [
            (SONNET_4_5, Some(100_000), None, 66_796, 66_991),
            (SONNET_4_5, Some(150_000), None, 116_796, 116_991),
            (SONNET_4_5, Some(300_000), None, 166_962, 167_109),
            (SONNET_4_5, Some(150_000), Some(50.0), 64_940, 65_194),
            (SONNET_4_5, Some(150_000), Some(80.0), 103_788, 104_042),
            (OPUS_5_5, None, None, 966_000, 968_000),
            (Some("claude-sonnet-5-5-20260801"), None, None, 966_000, 968_000),
            (OPUS_5_5, None, Some(50.0), 480_000, 510_000),
        ];
        for (model, window, pct_override, not_yet, done) in cases {
            for from_env in [true, false] {
                let (env_window, window_setting) = if from_env { (window, None) } else { (None, window) };
                let inputs = Inputs { model, window_setting, env_window, pct_override, ..Inputs::default() };
                let At::Compacts(tokens) = effective_point(&inputs).at else { panic!("{inputs:?}") };
                assert!(not_yet < tokens && tokens <= done + 30, "{inputs:?}: {tokens}");
            }
        }
    }

    #[test]
    fn the_window_for_a_point_brings_the_compaction_there_and_nowhere_else() {
        for pct_override in [None, Some(50.0), Some(80.0), Some(99.0)] {
            for at in (1..=100).map(|step| step * 10_000) {
                match window_for(at, 1_000_000, pct_override) {
                    Ok(window) => assert_eq!(point_in(window, pct_override), at, "{at} {pct_override:?}"),
                    Err(reach) => assert!(at < reach.earliest || at > reach.latest, "{at} {reach:?}"),
                }
            }
        }
        assert_eq!(window_for(140_000, 200_000, None), Ok(173_000));
        let reach = Err(OutOfReach { earliest: 67_000, latest: 167_000 });
        assert_eq!(window_for(66_999, 200_000, None), reach);
        assert_eq!(window_for(167_001, 200_000, None), reach);
        assert_eq!(window_for(167_000, 200_000, None), Ok(200_000));
        assert!(window_for(140_000, 50_000, None).is_err());
    }

    fn check(inputs: &Inputs<'_>, expected: &str) {
        let point = effective_point(inputs);
        let at = match &point.at {
            At::Compacts(tokens) => tokens.to_string(),
            At::Never { remedy, .. } => format!("never: {}", remedy.split(',').next().unwrap_or("")),
            At::Unknown => "unknown".to_owned(),
        };
        let shown = format!("{:?} {}: {at}; limit {}", point.source, point.window, point.limit_tokens());
        assert_eq!(shown, expected, "{inputs:?}");
    }

    #[test]
    fn without_a_window_the_model_decides() {
        let never = "Model 200000: never: run `throughline init --compact-at 80%`; limit 200000";
        let model = |model| Inputs { model: Some(model), ..Inputs::default() };
        check(&Inputs::default(), "Assumed 200000: unknown; limit 200000");
        check(&model("claude-sonnet-4-5-20250929"), never);
        check(&model("claude-haiku-4-5"), never);
        check(&Inputs { pct_override: Some(50.0), ..model("claude-opus-4-5") }, never);
        check(&model("claude-sonnet-4-5[1m]"), "Model 1000000: 967000; limit 967000");
        let small = Inputs { payload_window: Some(200_000), ..model("claude-opus-5-5") };
        check(&small, "Model 200000: 167000; limit 167000");
        let new = Inputs { payload_window: Some(500_000), ..model("new-model") };
        check(&new, "Payload 500000: unknown; limit 500000");
        let seen = Inputs { observed: Some(185_000), ..model("claude-sonnet-4-5") };
        check(&seen, "Observed 200000: 185000; limit 185000");
        let zero = Inputs { env_window: Some(0), auto_enabled: Some(true), ..model("claude-opus-5-5") };
        check(&zero, "Model 1000000: 967000; limit 967000");
    }

    #[test]
    fn a_window_that_is_set_decides_unless_compaction_is_switched_off() {
        let set = |window| Inputs { window_setting: Some(window), ..Inputs::default() };
        let both = Inputs { env_window: Some(150_000), observed: Some(9), ..set(100_000) };
        check(&both, "Environment 150000: 117000; limit 117000");
        check(&Inputs { model: Some("new-model"), ..set(300_000) }, "Settings 300000: 267000; limit 267000");
        for ignored in [0, 20_000, 99_999, 1_000_001, u64::MAX] {
            check(&set(ignored), "Assumed 200000: unknown; limit 200000");
        }
        let bent = |window| Inputs { env_window: Some(window), ..Inputs::default() };
        check(&bent(20_000), "Environment 100000: 67000; limit 67000");
        check(&bent(u64::MAX), "Environment 1000000: 967000; limit 967000");
        for pct in [99.0, 100.0, 101.0, 0.0, -5.0, f64::NAN, f64::INFINITY] {
            check(
                &Inputs { pct_override: Some(pct), ..set(150_000) },
                "Settings 150000: 117000; limit 117000",
            );
        }
        let off = Inputs { auto_enabled: Some(false), ..set(150_000) };
        check(&off, "Settings 150000: never: set it to true; limit 150000");
        let forbidden = Inputs { disabled_by_env: true, ..set(150_000) };
        check(&forbidden, "Environment 150000: never: unset it; limit 150000");
    }
}
