//! Tracking: the change test, the session's memory, and the line that the usage log gets.

use throughline_agents::status_line::Context;
use throughline_domain::Health;
use throughline_domain::usage::Sample;
use throughline_domain::usage_memory::UsageMemory;
use throughline_store::door::Spot;
use throughline_store::session::{self, CompactionMark};
use throughline_store::usage_file::UsageFile;
use throughline_store::usage_log::{self, Appended};
use throughline_store::{log, paths::Project};
use throughline_usage::compaction::Hooks;
use throughline_usage::track::{self, Entry, Told, Witness, percent_of};

use super::Call;
use crate::place::Place;

/// A mark may be set right before the last response before it is shown: the client draws the line a moment later.
const MARK_SLACK_MS: i64 = 5_000;

/// Takes note of what the call tells. Returns the memory as it is afterwards.
pub(super) fn keep(call: &Call, place: &Place, folder: &Spot, memory: UsageMemory) -> UsageMemory {
    if step(call, folder, &memory).is_none() {
        return memory;
    }
    // Without the session's folder there is nothing to remember with.
    let Some(mut file) = UsageFile::hold(folder) else { return memory };
    // Read again, alone: of two calls with the same news one finds that it is old.
    let memory = file.memory.clone();
    let Some(step) = step(call, folder, &memory) else { return memory };
    // The memory first: a kill in between loses a line, and never writes one twice.
    if file.write(&step.memory).is_err() {
        return memory;
    }
    let Some(entry) = step.entry.filter(|_| call.rules.log) else { return step.memory };
    let Some(sample) = sample(call, entry) else { return step.memory };
    let project = place.project_at(&call.rules.project_root);
    match append(call, &project, &sample) {
        Ok(()) if !step.memory.log_failed => step.memory,
        Ok(()) => correct(&mut file, UsageMemory { log_failed: false, ..step.memory }),
        Err(error) => {
            if !memory.log_failed {
                log::failure(&place.home, call.now, "statusline", &error.to_string());
            }
            let UsageMemory { logged, logged_at_ms, ref logged_status, .. } = memory;
            let logged_status = logged_status.clone();
            correct(
                &mut file,
                UsageMemory { logged, logged_at_ms, logged_status, log_failed: true, ..step.memory },
            )
        }
    }
}

fn correct(file: &mut UsageFile, memory: UsageMemory) -> UsageMemory {
    let _ = file.write(&memory);
    memory
}

fn step(call: &Call, folder: &Spot, memory: &UsageMemory) -> Option<track::Step> {
    let payload = &call.payload;
    let told = Told {
        now_ms: call.now.as_millisecond(),
        duration_ms: payload.duration_ms,
        model: payload.model_id.as_deref().or(payload.model_name.as_deref()).unwrap_or_default(),
        window: payload.window_tokens,
        context: match payload.context {
            Context::Unknown => track::Context::Null,
            Context::Zeros => track::Context::Zeros,
            Context::Known(size) => track::Context::Known(size),
        },
        status: call.health().unwrap_or(Health::Healthy),
    };
    track::step(memory, &told, call.rules.min_interval_ms, || witness(folder, memory))
}

/// What the hooks know of the time since the size that is remembered.
fn witness(folder: &Spot, memory: &UsageMemory) -> Witness {
    let at = |mark: &CompactionMark| mark.at.max(mark.happened_at);
    let mark = CompactionMark::last(folder).filter(|mark| {
        at(mark) > memory.mark_at_ms && at(mark).saturating_add(MARK_SLACK_MS) >= memory.seen_at_ms
    });
    let mark_at_ms = mark.as_ref().map_or(0, at);
    let hooks = match mark {
        Some(mark) if mark.happened_at > 0 => Hooks::Done,
        Some(_) => Hooks::Begun,
        None if session::last_record(folder).is_some_and(|record| record.at > memory.seen_at_ms) => {
            Hooks::Silent
        }
        None => Hooks::Absent,
    };
    Witness { hooks, mark_at_ms }
}

fn sample(call: &Call, entry: Entry) -> Option<Sample> {
    let payload = &call.payload;
    let Context::Known(size) = payload.context else { return None };
    let window = payload.window_tokens.unwrap_or(call.point.window);
    Some(Sample {
        at: call.now,
        session: payload.session_id.clone(),
        model: payload.model_id.clone().or_else(|| payload.model_name.clone()).unwrap_or_default(),
        context_used: size.used(),
        context_size: window,
        percent: percent_of(size.used(), window),
        input: size.input,
        output: size.output,
        cache_create: size.cache_create,
        cache_read: size.cache_read,
        status: call.health().unwrap_or(Health::Healthy),
        compaction: entry.compaction,
        previous_percent: entry.previous_percent,
        signs: entry.signs,
        compacts_at: call.compacts_at(),
        cost_micros: payload.cost_micros,
        cwd: payload.cwd.clone().unwrap_or_default(),
        project: call.rules.project_root.to_string_lossy().into_owned(),
    })
}

fn append(
    call: &Call,
    project: &Project,
    sample: &Sample,
) -> Result<(), throughline_store::files::FileError> {
    let line = usage_log::encode(sample);
    if usage_log::append(project, &line, call.rules.rotate_bytes, call.now)? == Appended::ToNewLog {
        crate::git_exclude::keep_out_of_git(project);
    }
    Ok(())
}
