//! The client: its version, how long it keeps transcripts, and whether its automatic compaction will ever come.

use throughline_agents::claude_code::compaction_point::{Inputs, effective_point};
use throughline_agents::claude_code::hook_table;
use throughline_agents::compaction_point::{At, PointSource};
use throughline_store::session::{self, SessionFacts};

use crate::commands::doctor::Check;
use crate::commands::doctor::context::Context;
use crate::program::Silence;

/// What the client does when nothing is set.
const CLEANUP_DAYS_DEFAULT: u64 = 30;
/// Below this a holiday is longer than the memory.
const CLEANUP_DAYS_MIN: u64 = 7;

pub(in crate::commands::doctor) fn version(context: &Context) -> Vec<Check> {
    const NAME: &str = "client";
    let (version, program) = match &context.usual.client {
        Ok(found) => found,
        Err(Silence::Missing) if context.usual.settings.hooks.is_empty() && !context.others.is_empty() => {
            return vec![Check::skip(NAME, "`claude` is not on the path, and nothing is set up for it")];
        }
        Err(Silence::Missing) => {
            return vec![Check::warn(
                NAME,
                "`claude` is not on the path; the newest rules are assumed",
                "install Claude Code, or add it to PATH",
            )];
        }
        Err(Silence::Late(deadline)) => {
            return vec![Check::warn(
                NAME,
                format!(
                    "`claude --version` did not answer within {} s; the newest rules are assumed",
                    deadline.as_secs()
                ),
                "run `claude --version` by hand and see what it waits for",
            )];
        }
        Err(Silence::Odd(what)) => {
            return vec![Check::warn(NAME, what, "run `claude --version` by hand and see what it says")];
        }
    };
    let known: Vec<&str> = hook_table::rules_for(Some(*version)).map(|rule| rule.event).collect();
    let lacking: Vec<&str> =
        hook_table::rules_for(None).map(|rule| rule.event).filter(|event| !known.contains(event)).collect();
    if lacking.is_empty() {
        return vec![Check::ok(NAME, format!("Claude Code {version} {}", program.display()))];
    }
    let what = format!("Claude Code {version} is old: it has no {}; the rest works", lacking.join(", "));
    vec![Check::warn(NAME, what, "update the client (`claude update`), then run `throughline init` again")]
}

pub(in crate::commands::doctor) fn transcripts(context: &Context) -> Vec<Check> {
    const NAME: &str = "transcripts";
    let remedy = "set \"cleanupPeriodDays\": 30 or more in the client's settings";
    vec![match context.usual.settings.cleanup_period_days {
        None => {
            Check::ok(NAME, format!("the client keeps them for {CLEANUP_DAYS_DEFAULT} days, its default"))
        }
        Some(0) => Check::warn(
            NAME,
            "the client keeps none (cleanupPeriodDays is 0): after a crash there is nothing to catch up from",
            remedy,
        ),
        Some(days) if days < CLEANUP_DAYS_MIN => Check::warn(
            NAME,
            format!("the client deletes them after {days} days: an older session cannot be read again"),
            remedy,
        ),
        Some(days) => Check::ok(NAME, format!("the client keeps them for {days} days")),
    }]
}

pub(in crate::commands::doctor) fn compaction(context: &Context) -> Vec<Check> {
    const NAME: &str = "compaction";
    let folder = context.seen.first().map(|seen| context.place.home.session(&seen.session));
    let model = folder.as_ref().and_then(SessionFacts::read).and_then(|cache| cache.model);
    let observed = (context.config.compaction.at_tokens > 0).then_some(context.config.compaction.at_tokens);
    let point = effective_point(&Inputs {
        observed,
        payload_window: folder.as_ref().and_then(session::told_window),
        ..context.usual.settings.compaction_inputs(model.as_deref())
    });
    let model = model.as_deref().unwrap_or("a model not known yet");
    vec![match point.at {
        At::Compacts(tokens) => {
            let by = match point.source {
                PointSource::Environment => ", as the environment says",
                PointSource::Settings => ", as the settings say",
                PointSource::Observed => ", as the configuration says",
                PointSource::Model | PointSource::Payload | PointSource::Assumed => "",
            };
            Check::ok(NAME, format!("automatic at {tokens} tokens with {model}{by}"))
        }
        At::Never { reason, remedy } => {
            Check::warn(NAME, format!("will never come by itself with {model}: {reason}"), remedy)
        }
        At::Unknown => Check::ok(
            NAME,
            format!(
                "with {model} it is not known when it comes; a window of {} tokens is assumed",
                point.window
            ),
        ),
    }]
}
