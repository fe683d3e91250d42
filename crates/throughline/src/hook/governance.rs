//! Governance: the rules of the configuration, restated before anything else is said at a start.

use throughline_briefing::Cap;
use throughline_briefing::restore::Start;
use throughline_briefing::rules::{self, Rules};
use throughline_domain::State;
use throughline_store::config::{Config, Governance, ProjectGovernance};
use throughline_store::memory::Memory;
use throughline_store::rules_trust;

/// Our first words at a start: the rules, where they have to be restated, then what was there to be said first.
pub(super) fn before(first: String, start: Start, memory: &Memory, config: &Config, state: &State) -> String {
    // A resumed session has them in its history.
    let restated = if start == Start::Resume { Vec::new() } else { of_state(memory, config, state) };
    let first = Some(first).filter(|first| !first.is_empty());
    let texts: Vec<String> = restated.into_iter().map(|rules| rules.chosen.text).chain(first).collect();
    texts.join("\n")
}

/// The rules that hold in the phase at hand: those that count, then those that the project's file brings and for which
/// nobody vouches.
pub(crate) fn of_state(memory: &Memory, config: &Config, state: &State) -> Vec<Rules> {
    let phase = state.sd.phase.as_deref().or(state.workflow.current_phase.as_deref());
    let of_phase = |rules: &'_ Governance| -> Option<(String, String)> {
        let (name, text) = rules.of_phase(phase?)?;
        Some((name.to_owned(), text.to_owned()))
    };
    let said = |rules: &Governance, how: Render| {
        let of_phase = of_phase(rules);
        let of_phase = of_phase.as_ref().map(|(name, text)| (name.as_str(), text.as_str()));
        how(&rules.text, of_phase, cap(config))
    };
    match not_vouched(memory, config) {
        None => said(&config.governance, rules::render).into_iter().collect(),
        Some(foreign) => {
            let ours = said(&foreign.without, rules::render);
            // Both together have the room of one: what a project asks for takes nothing from the briefing.
            let left = ours.is_none().then(|| said(&foreign.rules, rules::quoted)).flatten();
            ours.into_iter().chain(left).collect()
        }
    }
}

type Render = fn(&str, Option<(&str, &str)>, Cap) -> Option<Rules>;

/// The rules of the project's own file, where they may be somebody else's: git tracks the file or cannot tell, and no
/// person has trusted them.
pub(crate) fn not_vouched<'c>(memory: &Memory, config: &'c Config) -> Option<&'c ProjectGovernance> {
    let foreign = config.project_rules.as_ref()?;
    let says_nothing = foreign.rules.text.trim().is_empty() && foreign.rules.phases.is_empty();
    if says_nothing || rules_trust::is_trusted(&memory.home, &memory.project, &foreign.rules) {
        return None;
    }
    let file = memory.project.files.join("throughline.toml");
    let is_ours = throughline_git::is_tracked(&memory.project.root, &file.shown()) == Some(false);
    (!is_ours).then_some(foreign)
}

/// Room for the rules; never more than a third of what may be said at all.
fn cap(config: &Config) -> Cap {
    Cap::tokens(config.governance.tokens.min(config.briefing.tokens / 3))
}

/// The phases whose rules do not fit, by name; an empty name for those that always hold.
pub(crate) fn too_long(config: &Config) -> Vec<&str> {
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
