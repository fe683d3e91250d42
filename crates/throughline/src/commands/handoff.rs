//! `handoff`: the hand-over as a block for another person, with how full the context is.

use std::time::Duration;

use throughline_briefing::Facts;
use throughline_briefing::handoff::{self, ContextUse, Work};
use throughline_domain::time;
use throughline_domain::{Health, State};
use throughline_engine::gauge::Gauge;
use throughline_redact as redact;
use throughline_store::memory::Draft;

use super::briefing::ledger_of_work;
use super::{App, handover};
use crate::failure::Failure;
use crate::output;

/// Print the hand-over as a block for another person and note it; refuses when the context is nearly full
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Hand over however full the context is
    #[arg(long)]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let (text, state, context) = block(app, args.force)?;
    if args.json {
        return output::say_json(&serde_json::json!({
            "text": text,
            "lastHandoff": state.workflow.last_handoff,
            "usedTokens": context.map(|context| context.used_tokens),
            "status": context.map(|context| context.health.word()),
        }));
    }
    output::say(text.trim_end())
}

/// The block, the state with the hand-over noted in it, and how full the context is.
pub(super) fn block(app: &App, force: bool) -> Result<(String, State, Option<ContextUse>), Failure> {
    let context = Gauge::at_hand(&app.at_hand(), None).and_then(|gauge| gauge.context_use());
    if let Some(context) = context
        && context.health >= Health::Critical
        && !force
    {
        return Err(Failure::new(format!(
            "the context is {}: {} tokens used",
            context.health.word(),
            throughline_domain::text::thousands(context.used_tokens)
        ))
        .hint("compact first (/compact), or hand over all the same with --force"));
    }
    let settled = app.state()?;
    let state = if app.memory.peek()?.is_none() {
        // Nothing was ever recorded here: there is nothing to stamp, and no reason to begin a file.
        settled
    } else {
        let stamp = |draft: &mut Draft| {
            draft.state.workflow.last_handoff = Some(time::iso(app.now));
            Ok(())
        };
        app.change(stamp)?.state
    };
    // The block is passed on as ours: what nobody here vouches for has no place in it.
    let untrusted = app.memory.untrusted();
    let vouched = Facts { untrusted: &untrusted, ..Facts::default() }.vouched(&state);
    let ledger = app.session_at_hand().and_then(|session| ledger_of_work(app, &session));
    let deadline = Duration::from_millis(app.config.git.deadline_ms);
    let status = throughline_git::capture(&app.memory.project.work, deadline).status;
    let uncommitted: Vec<String> = status.lines().map(str::to_owned).collect();
    let handed = handover::standing(app);
    let work = Work { ledger: ledger.as_ref(), uncommitted: &uncommitted, hand_over: &handed };
    let text = redact::text(&handoff::render(&vouched, &work, context.as_ref())).into_owned();
    Ok((text, state, context))
}
