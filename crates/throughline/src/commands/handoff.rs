//! `handoff`: the hand-over block, with how full the context is.

use throughline_briefing::Facts;
use throughline_briefing::handoff::{self, ContextUse};
use throughline_domain::Health;
use throughline_domain::time;
use throughline_store::archive::Archive;
use throughline_store::session::SessionCache;

use super::{ARCHIVE_WAIT, App};
use crate::failure::Failure;
use crate::hook::usual;
use crate::output;

/// Print the hand-over block and note the hand-over; refuses when the context is nearly full
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
    let context = context_use(app);
    if let Some(context) = context
        && context.health >= Health::Critical
        && !args.force
    {
        return Err(Failure::new(format!(
            "the context is {}: {} tokens used",
            context.health.word(),
            handoff::thousands(context.used_tokens)
        ))
        .hint("compact first (/compact), or hand over all the same with --force"));
    }
    let changed = app.change(|draft| {
        draft.state.workflow.last_handoff = Some(time::iso(app.now));
        Ok(())
    })?;
    // The block is passed on as ours: what nobody here vouches for has no place in it.
    let untrusted = app.memory.untrusted();
    let vouched = Facts { untrusted: &untrusted, ..Facts::default() }.vouched(&changed.state);
    let text = handoff::render(&vouched, context.as_ref());
    if args.json {
        return output::say_json(&serde_json::json!({
            "text": text,
            "lastHandoff": changed.state.workflow.last_handoff,
            "usedTokens": context.map(|context| context.used_tokens),
            "status": context.map(|context| context.health.word()),
        }));
    }
    output::say(text.trim_end())
}

/// How full the context of the session at hand is: the one that calls, else the one last active.
pub(crate) fn context_use(app: &App) -> Option<ContextUse> {
    let session = app.session_at_hand()?;
    let cache = SessionCache::read(&app.place.home.session(&session))?;
    let usage = usual::last_usage(&cache.transcript)?;
    let percent = usual::percent_of_limit(&cache, usage.context_tokens);
    let thresholds = &app.config.thresholds;
    let compactions = Archive::open(&app.place.home.archive(), ARCHIVE_WAIT)
        .and_then(|archive| archive.compactions(&app.memory.project.key, 1_000))
        .map_or(0, |rows| rows.iter().filter(|row| row.session == session).count() as u64);
    Some(ContextUse {
        used_tokens: usage.context_tokens,
        window_tokens: cache.window_tokens,
        health: Health::at(percent, thresholds.warning, thresholds.critical, thresholds.emergency),
        compactions,
    })
}
