//! Compaction point: at how many used tokens the client compresses by itself.
//!
//! Before each request it compares what the last response reported as read with a share of the model's window.

use serde_json::Value;

use crate::agent::ToldContext;
use crate::compaction_point::{At, CompactionPoint, PointSource};

/// The window of every model that the client knows no other for.
const WINDOW_TOKENS: u64 = 1_048_576;
/// The window of the two open models that it knows.
const WINDOW_TOKENS_GEMMA: u64 = 256_000;
/// The share of the window, unless the settings name another.
const THRESHOLD: f64 = 0.5;

/// What is known about a session when the question is asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs<'a> {
    /// The model's id, such as `gemini-2.5-pro`.
    pub model: Option<&'a str>,
    /// `model.compressionThreshold` of the settings.
    pub threshold: Option<f64>,
    /// Where this model was last seen to compress by itself.
    pub observed: Option<u64>,
}

/// `model.compressionThreshold` of one settings file.
#[must_use]
pub fn threshold_of(settings: &Value) -> Option<f64> {
    settings["model"]["compressionThreshold"].as_f64()
}

/// The window that the client takes for a model: it asks no server.
#[must_use]
pub fn model_window(model: &str) -> u64 {
    match model {
        "gemma-4-31b-it" | "gemma-4-26b-a4b-it" => WINDOW_TOKENS_GEMMA,
        _ => WINDOW_TOKENS,
    }
}

/// The same by what the client tells: its model.
#[must_use]
pub fn told(context: &ToldContext<'_>) -> CompactionPoint {
    effective_point(&Inputs { model: context.model, ..Inputs::default() })
}

/// The effective compaction point.
#[must_use]
pub fn effective_point(inputs: &Inputs<'_>) -> CompactionPoint {
    let window = inputs.model.map_or(WINDOW_TOKENS, model_window);
    // The client takes 0 for not set.
    let set = inputs.threshold.filter(|share| share.is_finite() && *share > 0.0);
    let observed = inputs.observed.filter(|tokens| *tokens > 0);
    if let (None, Some(observed)) = (set, observed) {
        return CompactionPoint { window, at: At::Compacts(observed), source: PointSource::Observed };
    }
    let source = if set.is_some() { PointSource::Settings } else { PointSource::Model };
    let at = share(window, set.unwrap_or(THRESHOLD));
    if at > window {
        let reason = "\"compressionThreshold\" is more than 1 in the settings: the window is full before";
        let remedy = "set it to a share of the window, such as 0.5, or run /compress by hand in time";
        return CompactionPoint { window, at: At::Never { reason, remedy }, source };
    }
    CompactionPoint { window, at: At::Compacts(at.max(1)), source }
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a window that is far below 2^52, and a cast saturates"
)]
fn share(window: u64, share: f64) -> u64 {
    (window as f64 * share).ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(inputs: &Inputs<'_>, expected: &str) {
        let point = effective_point(inputs);
        let at = match &point.at {
            At::Compacts(tokens) => tokens.to_string(),
            At::Never { remedy, .. } => format!("never: {}", remedy.split(',').next().unwrap_or("")),
            At::Unknown => "unknown".to_owned(),
        };
        assert_eq!(format!("{:?} {}: {at}", point.source, point.window), expected, "{inputs:?}");
    }

    #[test]
    fn half_of_the_window_unless_the_settings_say_otherwise() {
        let known = Inputs { model: Some("gemini-2.5-pro"), ..Inputs::default() };
        check(&Inputs::default(), "Model 1048576: 524288");
        check(&known, "Model 1048576: 524288");
        check(&Inputs { model: Some("gemma-4-31b-it"), ..Inputs::default() }, "Model 256000: 128000");
        check(
            &Inputs { threshold: Some(0.02), observed: Some(7), ..known.clone() },
            "Settings 1048576: 20972",
        );
        check(&Inputs { observed: Some(400_000), ..known.clone() }, "Observed 1048576: 400000");
        for unset in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            check(&Inputs { threshold: Some(unset), ..known.clone() }, "Model 1048576: 524288");
        }
        check(
            &Inputs { threshold: Some(5.0), ..known },
            "Settings 1048576: never: set it to a share of the window",
        );
    }

    #[test]
    fn the_threshold_is_found_where_the_settings_have_it() {
        let settings = serde_json::json!({"model": {"name": "x", "compressionThreshold": 0.3}});
        assert_eq!(threshold_of(&settings), Some(0.3));
        assert_eq!(threshold_of(&serde_json::json!({"model": 3})), None);
    }
}
