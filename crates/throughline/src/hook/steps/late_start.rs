//! A late start: what a start has to say, and what a compaction without a hook of its own calls for, at the next hook that may speak.
//!
//! Some clients drop a start's text when the session is resumed, and the prompt behind it with it; a text behind the prompt stays.

use throughline_agents::agent::StartText;
use throughline_agents::hook::Event;

use crate::hook::Run;

/// How a compaction begins a context anew.
const COMPACT: &str = "compact";

/// What becomes of a run.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::hook) enum LateStart {
    /// It does what its event calls for.
    None,
    /// It is a start that speaks later: there is nothing else to do in it.
    Waits,
    /// A start that waited speaks now; how it came about.
    Begins(String),
}

/// Settles whether a start waits, or has waited long enough. `is_compacted`: the context was compacted since the last hook.
pub(in crate::hook) fn settle(run: &Run, is_compacted: bool) -> LateStart {
    let (hooks, event) = (&run.agent.hooks, run.payload.event);
    let waits_at_start = hooks.start_text == StartText::Waits;
    if !waits_at_start && run.agent.transcripts.compaction_in.is_none() {
        return LateStart::None;
    }
    let before = run.progress().start_waits;
    let mut waits = if is_compacted { Some(COMPACT.to_owned()) } else { before.clone() };
    let is_late = event == Event::SessionStart && waits_at_start;
    // What a compaction took is more than what a start tells.
    if is_late && waits.as_deref() != Some(COMPACT) {
        waits = Some(run.payload.source.clone().unwrap_or_else(|| "startup".to_owned()));
    }
    let may_speak = run.payload.agent_id.is_none()
        && matches!(
            event,
            Event::UserPromptSubmit | Event::PostToolUse | Event::PostToolUseFailure | Event::PostToolBatch
        );
    let begins = if may_speak { waits.take() } else { None };
    // Without a memory of having spoken it would speak at every turn.
    if waits != before && !run.change_progress(|progress| progress.start_waits = waits) && begins.is_some() {
        return LateStart::None;
    }
    match begins {
        Some(source) => LateStart::Begins(source),
        None if is_late => LateStart::Waits,
        None => LateStart::None,
    }
}
