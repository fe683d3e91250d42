//! Automatic checkpoints: at a task's end, a commit, another branch, a threshold, before a compaction.

use std::borrow::Cow;

use throughline_domain::ledger::Ledger;
use throughline_engine::checkpoint::{self, CheckpointMoment};
use throughline_store::checkpoints::CheckpointError;
use throughline_store::lock::{LockError, Patience};
use throughline_store::session::GateMarks;

use crate::hook::Run;
use crate::hook::gate::Gate;

/// Makes one, unless nothing changed. A failure costs this checkpoint only.
pub(in crate::hook) fn automatic(gate: &Gate<'_>, kind: &str, task: Option<&str>, told: Option<&Ledger>) {
    with_note(gate, (kind, None), task, told);
}

/// The same with a word about it, which makes one also where nothing changed.
pub(in crate::hook) fn with_note(
    gate: &Gate<'_>,
    (kind, notes): (&str, Option<&str>),
    task: Option<&str>,
    told: Option<&Ledger>,
) {
    if gate.facts.paused || !gate.config.checkpoints.automatic {
        return;
    }
    let ledger = told.map_or_else(|| Cow::Owned(gate.run.transcript().read_so_far()), Cow::Borrowed);
    gate.keep_out_of_git();
    let moment = CheckpointMoment {
        memory: &gate.memory,
        config: &gate.config,
        state: &gate.state(),
        untrusted: &gate.untrusted(),
        ledger: Some(&ledger),
        cache: Some(&gate.facts),
        git: &gate.git,
        now: gate.run.now,
        kind,
        task,
        notes,
        patience: Patience::Hook,
        with_files: true,
    };
    match checkpoint::make(&moment) {
        // Somebody else makes one at this very moment.
        Ok(_) | Err(CheckpointError::Lock(LockError::Busy { .. })) => {}
        Err(error) => gate.run.failures.add(format_args!("checkpoint: {error}")),
    }
}

/// TaskCompleted: the task's end is the moment; the next one begins right after it.
pub(in crate::hook) fn at_task_end(gate: &Gate<'_>, told: Option<&Ledger>) {
    let run = gate.run;
    let marks = GateMarks { task_events: true, ..GateMarks::read(&run.folder).unwrap_or_default() };
    run.failures.keep(marks.write(&run.folder));
    automatic(gate, "task", run.payload.task_subject.as_deref(), told);
}

/// A session begins, or goes on after a pause: commits up to here are not its own.
pub(in crate::hook) fn at_start(gate: &Gate<'_>) {
    let run = gate.run;
    let before = GateMarks::read(&run.folder);
    let root = &gate.memory.project.work;
    let head = throughline_git::head_from_files(root);
    let marks = GateMarks {
        noted: head.clone(),
        head,
        branch: throughline_git::branch_from_head_file(root),
        ..before.clone().unwrap_or_default()
    };
    if before.as_ref() != Some(&marks) {
        run.failures.keep(marks.write(&run.folder));
    }
}

/// The notes tell of all commits up to this one.
pub(in crate::hook) fn noted(run: &Run) {
    let Some(mut marks) = GateMarks::read(&run.folder) else { return };
    if marks.noted != marks.head {
        marks.noted.clone_from(&marks.head);
        run.failures.keep(marks.write(&run.folder));
    }
}

/// A gate: whether a commit was made since the last one, or a task finished that no event told of. Gives the commit
/// up to which the notes tell, where another one is checked out now.
pub(in crate::hook) fn at_gate(gate: &Gate<'_>, told: Option<&Ledger>) -> Option<String> {
    let run = gate.run;
    let before = GateMarks::read(&run.folder);
    let mut marks = before.clone().unwrap_or_default();
    let head = throughline_git::head_from_files(&gate.memory.project.work);
    let finished = told.map(|told| told.tasks.iter().filter(|task| task.status == "completed").count());
    let committed = before.is_some() && head.is_some() && marks.head != head;
    let done =
        before.is_some() && !marks.task_events && finished.is_some_and(|count| count > marks.tasks_done);
    marks.head = head.or(marks.head);
    let branch = throughline_git::branch_from_head_file(&gate.memory.project.work);
    let is_other_branch = is_other_branch(marks.branch.as_deref(), branch.as_deref());
    marks.branch = branch;
    if is_other_branch {
        // What others committed there is not what this session did.
        marks.noted.clone_from(&marks.head);
    }
    marks.tasks_done = finished.unwrap_or(marks.tasks_done);
    if before.as_ref() != Some(&marks) {
        run.failures.keep(marks.write(&run.folder));
    }
    if committed {
        let kind = if is_other_branch { "branch" } else { "commit" };
        automatic(gate, kind, None, told);
    } else if done {
        let last = told.and_then(|told| {
            let over = told.tasks.iter().filter(|task| task.status == "completed");
            over.max_by_key(|task| task.changed).map(|task| task.subject.clone())
        });
        automatic(gate, "task", last.as_deref(), told);
    }
    marks.noted.filter(|noted| marks.head.as_ref() != Some(noted))
}

/// A branch that could not be told is no other one; without one, every commit has a name of its own.
fn is_other_branch(before: Option<&str>, now: Option<&str>) -> bool {
    let is_detached = |branch: &str| branch.starts_with('(');
    let both = before.zip(now);
    both.is_some_and(|(before, now)| before != now && !(is_detached(before) && is_detached(now)))
}
