//! Governance: the rules of the configuration, restated before anything else is said at a start.

use throughline_briefing::Cap;
use throughline_briefing::restore::Start;
use throughline_briefing::rules::{self, Rules};
use throughline_domain::State;
use throughline_store::config::Config;

/// Our first words at a start: the rules, where they have to be restated, then what was there to be said first.
#[must_use]
pub fn before(first: String, start: Start, config: &Config, state: &State) -> String {
    // A resumed session has them in its history.
    let restated = if start == Start::Resume { None } else { of_state(config, state) };
    let first = Some(first).filter(|first| !first.is_empty());
    let texts: Vec<String> = restated.into_iter().map(|rules| rules.chosen.text).chain(first).collect();
    texts.join("\n")
}

/// The rules that hold in the phase at hand. What a project's file asks for and nobody allowed is not among them, and
/// not quoted either: no agent needs rules that do not hold.
#[must_use]
pub fn of_state(config: &Config, state: &State) -> Option<Rules> {
    let phase = state.sd.phase.as_deref().or(state.workflow.current_phase.as_deref());
    let of_phase = phase.and_then(|phase| config.governance.of_phase(phase));
    rules::render(&config.governance.text, of_phase, cap(config))
}

/// Room for the rules; never more than a third of what may be said at all.
fn cap(config: &Config) -> Cap {
    Cap::tokens(config.governance.tokens.min(config.briefing.tokens / 3))
}

/// The phases whose rules do not fit, by name; an empty name for those that always hold.
#[must_use]
pub fn too_long(config: &Config) -> Vec<&str> {
    let governance = &config.governance;
    let is_said = |text: &str| !text.trim().is_empty();
    let is_cut = |of_phase: Option<(&str, &str)>| {
        let rules = rules::render(&governance.text, of_phase, cap(config));
        rules.is_none_or(|rules| rules.is_cut)
    };
    let mut cut = Vec::new();
    if is_said(&governance.text) && is_cut(None) {
        cut.push("");
    }
    let phases = governance.phases.iter().filter(|(_, rules)| is_said(rules));
    cut.extend(phases.filter(|(name, rules)| is_cut(Some((name, rules)))).map(|(name, _)| name.as_str()));
    cut
}
