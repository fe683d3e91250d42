//! Saving: the working set with the working tree as it is. Without the lock a save waits for the next gate.

use std::time::Duration;

use throughline_agents::hook::Event;
use throughline_domain::{GitState, Trigger};
use throughline_store::memory::{Draft, MemoryError};

use crate::hook::gate::Gate;

/// Saves the state with the working tree as it is now.
pub(in crate::hook) fn save(gate: &Gate<'_>, trigger: Trigger) {
    let deadline = match gate.run.payload.event {
        Event::SessionEnd => gate.config.git.session_end_deadline_ms,
        _ => gate.config.git.deadline_ms,
    };
    let git = throughline_git::capture(&gate.memory.project.work, Duration::from_millis(deadline));
    // Its failure is kept.
    let _ = save_with(gate, trigger, git, |_| {});
}

/// The same with a working tree that was looked at already, and what else is to be recorded.
pub(in crate::hook) fn save_with(
    gate: &Gate<'_>,
    trigger: Trigger,
    git: GitState,
    also: impl FnOnce(&mut Draft),
) -> Result<(), MemoryError> {
    let word = trigger.word().to_owned();
    let saved = gate.update(|draft| {
        draft.save(trigger, git);
        draft.state.workflow.tool_executions = Some(gate.run.tools.get());
        also(draft);
        Ok(())
    });
    if let Err(error) = &saved {
        gate.run.failures.add(format_args!("save: {error}"));
    }
    // Noted after the save: a kill in between makes for one save too many, not for one too few.
    let waits = saved.is_err().then_some(word);
    if waits != gate.run.progress().save_waits {
        gate.run.change_progress(|progress| progress.save_waits = waits);
    }
    saved.map(drop)
}

/// Makes up for a save that could not get the lock.
pub(in crate::hook) fn catch_up(gate: &Gate<'_>) {
    if let Some(word) = gate.run.progress().save_waits {
        save(gate, Trigger::from_word(&word));
    }
}
