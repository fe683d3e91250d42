//! What is known: payload, memory, branch and the hooks' glance, as the status line's room takes it.

use std::path::Path;

use throughline_agents::compaction_point::At;
use throughline_agents::status_line::{Context, RateLimit};
use throughline_domain::Timestamp;
use throughline_domain::time::seconds_between;
use throughline_domain::usage_memory::{Gap, UsageMemory};
use throughline_statusline::{
    self as statusline, Compaction, Facts, Limit, Look, Saved, Segment, seconds_to,
};
use throughline_store::glance::Glance;

use super::Call;

/// What lies outside of the payload; looked up only where it is shown.
#[derive(Debug, Default)]
pub struct Around {
    branch: Option<String>,
    folder: Option<String>,
    glance: Option<Glance>,
}

impl Around {
    /// Looks up what a look shows.
    #[must_use]
    pub fn look(call: &Call, look: &Look) -> Self {
        let cwd = call.payload.cwd.as_deref().map(Path::new).filter(|cwd| cwd.is_absolute());
        let shows_work = [Segment::Phase, Segment::Task, Segment::Memory, Segment::Purity]
            .iter()
            .any(|it| look.shows(*it));
        Self {
            branch: cwd
                .filter(|_| look.shows(Segment::Branch))
                .and_then(throughline_git::branch_from_head_file),
            folder: cwd.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned()),
            glance: call.session.as_ref().filter(|_| shows_work).and_then(|(_, folder)| Glance::read(folder)),
        }
    }
}

/// What the lines are made of.
#[must_use]
pub fn gather<'a>(call: &'a Call, memory: &UsageMemory, around: &'a Around) -> Facts<'a> {
    let payload = &call.payload;
    let context = match payload.context {
        Context::Known(size) => statusline::Context::Known {
            used: size.used(),
            window: payload.window_tokens.unwrap_or(call.point.window),
            cached: size.cache_read,
        },
        Context::Unknown | Context::Zeros => statusline::Context::Unknown,
    };
    let is_reset = payload.context == Context::Zeros
        || (payload.context == Context::Unknown && memory.gap == Gap::Zeros);
    let is_after = matches!(payload.context, Context::Known(size) if memory.compacted && size == memory.size);
    let glance = around.glance.as_ref();
    Facts {
        model: payload.model_name.as_deref(),
        effort: payload.effort.as_deref(),
        is_fast: payload.is_fast == Some(true),
        context,
        compacted: is_reset || is_after,
        compaction: match call.point.at {
            At::Compacts(tokens) => Compaction::At(tokens),
            At::Never { .. } => Compaction::Never,
            At::Unknown => Compaction::Unknown,
        },
        health: call.health(),
        purity: glance.and_then(|glance| glance.purity),
        purified: glance.and_then(|glance| glance.purified),
        seconds_left: call.compacts_at().and_then(|at| seconds_to(at, &memory.points)),
        cost_micros: payload.cost_micros,
        duration_s: payload.duration_ms.map(|ms| ms / 1_000),
        lines: payload.lines_added.zip(payload.lines_removed),
        branch: around.branch.as_deref(),
        folder: around.folder.as_deref(),
        phase: glance.and_then(|glance| glance.phase.as_deref()),
        task: glance.and_then(|glance| glance.task.as_deref()),
        limits: limits(call),
        saved: glance.map(|glance| saved(glance, call.now)),
        session: payload.session_name.as_deref(),
        agent: payload.agent_name.as_deref(),
        worktree: payload.worktree.as_deref(),
        style: payload.output_style.as_deref(),
        vim: payload.vim_mode.as_deref(),
        version: payload.version.as_deref(),
    }
}

fn limits(call: &Call) -> Vec<Limit> {
    let limit = |name, limit: Option<RateLimit>| {
        limit.map(|limit| Limit {
            name,
            percent: limit.percent,
            resets_in_s: limit.resets_at.map(|at| seconds_between(call.now, at)),
        })
    };
    let payload = &call.payload;
    [limit("5h", payload.five_hours), limit("7d", payload.seven_days)].into_iter().flatten().collect()
}

fn saved(glance: &Glance, now: Timestamp) -> Saved {
    let at = glance.saved_at_ms.and_then(|ms| Timestamp::from_millisecond(ms).ok());
    Saved { entries: glance.entries, ago_s: at.map(|at| seconds_between(at, now)) }
}
