//! `briefing`: what the agent would be told now, and why each line.

use throughline_briefing::briefing::{self, Occasion};
use throughline_briefing::session::{self, Known, Reader};
use throughline_briefing::{Cap, Chosen, Facts};
use throughline_domain::State;
use throughline_domain::budget::estimate_tokens;
use throughline_domain::ledger::Ledger;
use throughline_domain::substance;
use throughline_domain::text::utf16_len;
use throughline_engine::descent;
use throughline_engine::failures::Failures;
use throughline_engine::git_now;
use throughline_engine::governance;
use throughline_engine::ledger;
use throughline_engine::liveness::{self, Fate};
use throughline_engine::session_facts::agent_of;
use throughline_store::session::SessionFacts;

use super::App;
use crate::failure::Failure;
use crate::output::{self, DIM, styled};

/// Show what the agent would be told after a compaction
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Say why each line is there, and what found no room
    #[arg(long)]
    preview: bool,
    /// Another budget than the configured one, in tokens
    #[arg(long, value_name = "N")]
    tokens: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What the session at hand has told: the one that calls, else the one last active.
pub(super) fn session_ledger(app: &App) -> Option<Ledger> {
    ledger_of(app, &app.session_at_hand()?)
}

/// What a session has told, and where it has done nothing yet, the last one that worked: that is what its start was told.
/// A session that is at work has its own tasks.
pub(super) fn ledger_of_work(app: &App, session: &str) -> Option<Ledger> {
    let own = ledger_of(app, session);
    if own.as_ref().is_some_and(substance::worked) {
        return own;
    }
    let mut seen = liveness::sessions(&app.place.home, &app.memory.project, app.now);
    seen.retain(|seen| seen.session != session);
    if seen.iter().any(|seen| seen.fate == Fate::Alive) {
        return own;
    }
    let before = descent::predecessor(&app.place.home, &seen, &Failures::none());
    before.map(|before| settled(app, before.ledger)).or(own)
}

/// What git knows is asked when it is said.
fn settled(app: &App, mut ledger: Ledger) -> Ledger {
    if git_now::says_uncommitted(&ledger) {
        let deadline = std::time::Duration::from_millis(app.config.git.deadline_ms);
        git_now::settle(&mut ledger, &throughline_git::capture(&app.memory.project.work, deadline));
    }
    ledger
}

/// What a session has told; `None` when no hook of it was ever seen.
pub(super) fn ledger_of(app: &App, session: &str) -> Option<Ledger> {
    let home = &app.place.home;
    let facts = SessionFacts::read(&home.session(session))?;
    let failures = Failures::none();
    let source =
        ledger::SessionTranscript { home, session, transcript: &facts.transcript, agent: agent_of(&facts) };
    let ledger = ledger::catch_up(&source, ledger::LARGE_SLICE_BYTES, &failures);
    for failure in failures.all() {
        output::warn(&failure);
    }
    Some(settled(app, ledger))
}

/// The rules of the configuration are said first.
fn behind_rules(rules: Option<Chosen>, chosen: Option<Chosen>) -> Chosen {
    match (rules, chosen) {
        (Some(mut first), Some(chosen)) => {
            first.text = format!("{}\n{}", first.text, chosen.text);
            first.reasons.extend(chosen.reasons);
            first.left_out += chosen.left_out;
            first
        }
        (one, other) => one.or(other).unwrap_or_default(),
    }
}

/// What the agent would be told now, within a cap, between our marks.
pub(super) fn compose(app: &App, state: &State, reader: Reader, cap: Cap) -> Chosen {
    let mut state = state.clone();
    git_now::refresh(&mut state, &app.memory.project.work, app.config.git.deadline_ms, app.now);
    let state = &state;
    let occasion = if reader == Reader::Compacted { Occasion::Compacted } else { Occasion::Asked };
    let untrusted = app.memory.untrusted();
    let waiting = crate::waiting::quotations(&app.memory);
    let handed = super::handover::standing(app);
    let facts = Facts { untrusted: &untrusted, waiting: &waiting, hand_over: &handed, ..Facts::default() };
    let rules = governance::of_state(&app.config, state).map(|rules| rules.chosen);
    let cap_left = cap.less(rules.as_ref().map_or(0, |rules| utf16_len(&rules.text) + 1));
    let told = match reader {
        Reader::Asked => app.session_at_hand().and_then(|session| ledger_of_work(app, &session)),
        _ => session_ledger(app),
    };
    let chosen = told
        .filter(|ledger| ledger.turn > 0)
        .and_then(|ledger| session::render(state, &facts, &ledger, &Known::nothing(), reader, cap_left))
        .or_else(|| briefing::render(state, &facts, &occasion, cap_left));
    behind_rules(rules, chosen)
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let state = app.state()?;
    let cap = Cap::tokens(args.tokens.unwrap_or(app.config.briefing.tokens));
    let chosen = compose(app, &state, Reader::Compacted, cap);
    let tokens = estimate_tokens(&chosen.text);
    if args.json {
        let lines: Vec<_> = chosen
            .reasons
            .iter()
            .map(|(text, why)| serde_json::json!({ "text": text, "why": why }))
            .collect();
        return output::say_json(&serde_json::json!({
            "text": chosen.text, "tokens": tokens, "units": utf16_len(&chosen.text),
            "lines": lines, "leftOut": chosen.left_out,
        }));
    }
    if chosen.text.is_empty() {
        let why = if state.is_blank() {
            "nothing is recorded in this project yet"
        } else {
            "there is no room for it"
        };
        return output::say(&format!("nothing would be said: {why}"));
    }
    if !args.preview {
        return output::say_fragment(&chosen.text);
    }
    for line in chosen.text.lines() {
        let why = chosen.reasons.iter().find(|(text, _)| text.lines().next() == Some(line));
        output::say_fragment(&match why {
            Some((_, why)) => format!("{line}  {}", styled(DIM, &format!("← {why}"))),
            None => line.to_owned(),
        })?;
    }
    output::remark(&format!(
        "about {tokens} of {} tokens; {} lines found no room",
        cap.units / 4,
        chosen.left_out
    ));
    Ok(())
}
