//! Automatic checkpoints: at a task's end, a commit, another branch, a threshold, before a compaction.

use std::borrow::Cow;

use throughline_domain::State;
use throughline_domain::ledger::Ledger;
use throughline_engine::checkpoint::{self, Moment};
use throughline_store::checkpoints::CheckpointError;
use throughline_store::ledger_file::LedgerFile;
use throughline_store::lock::{LockError, Patience};
use throughline_store::session::GateMarks;

use crate::hook::Run;
use crate::hook::steps::gate::Session;

/// Makes one, unless nothing changed. A failure costs this checkpoint only.
pub(in crate::hook) fn automatic(
    run: &Run,
    session: &Session,
    kind: &str,
    task: Option<&str>,
    told: Option<&Ledger>,
    failures: &mut Vec<String>,
) {
    with_note(run, session, (kind, None), task, told, failures);
}

/// The same with a word about it, which makes one also where nothing changed.
pub(in crate::hook) fn with_note(
    run: &Run,
    session: &Session,
    (kind, notes): (&str, Option<&str>),
    task: Option<&str>,
    told: Option<&Ledger>,
    failures: &mut Vec<String>,
) {
    if session.cache.paused || !session.config.checkpoints.automatic {
        return;
    }
    let state = session.memory.peek().ok().flatten().unwrap_or_else(State::empty);
    let folder = run.place.home.session(&run.payload.session_id);
    let read = || LedgerFile::read(&folder, &run.payload.transcript_path).main.ledger;
    let ledger = told.map_or_else(|| Cow::Owned(read()), Cow::Borrowed);
    throughline_engine::git_exclude::keep_out_of_git_if_new(&session.memory.project);
    let moment = Moment {
        memory: &session.memory,
        config: &session.config,
        state: &state,
        ledger: Some(&ledger),
        cache: Some(&session.cache),
        now: run.now,
        kind,
        task,
        notes,
        patience: Patience::Hook,
        with_files: true,
    };
    match checkpoint::make(&moment) {
        // Somebody else makes one at this very moment.
        Ok(_) | Err(CheckpointError::Lock(LockError::Busy { .. })) => {}
        Err(error) => failures.push(format!("checkpoint: {error}")),
    }
}

/// TaskCompleted: the task's end is the moment; the next one begins right after it.
pub(in crate::hook) fn at_task_end(
    run: &Run,
    session: &Session,
    told: Option<&Ledger>,
    failures: &mut Vec<String>,
) {
    let folder = run.place.home.session(&run.payload.session_id);
    let marks = GateMarks { task_events: true, ..GateMarks::read(&folder).unwrap_or_default() };
    failures.extend(marks.write(&folder).err().map(|error| error.to_string()));
    let subject = run.payload.task_subject.as_deref();
    automatic(run, session, "task", subject, told, failures);
}

/// A session begins, or goes on after a pause: commits up to here are not its own.
pub(in crate::hook) fn at_start(run: &Run, session: &Session, failures: &mut Vec<String>) {
    let folder = run.place.home.session(&run.payload.session_id);
    let before = GateMarks::read(&folder);
    let root = &session.memory.project.work;
    let marks = GateMarks {
        noted: throughline_git::head_from_files(root),
        head: throughline_git::head_from_files(root),
        branch: throughline_git::branch_from_head_file(root),
        ..before.clone().unwrap_or_default()
    };
    if before.as_ref() != Some(&marks) {
        failures.extend(marks.write(&folder).err().map(|error| error.to_string()));
    }
}

/// The notes tell of all commits up to this one.
pub(in crate::hook) fn noted(run: &Run, failures: &mut Vec<String>) {
    let folder = run.place.home.session(&run.payload.session_id);
    let Some(mut marks) = GateMarks::read(&folder) else { return };
    if marks.noted != marks.head {
        marks.noted.clone_from(&marks.head);
        failures.extend(marks.write(&folder).err().map(|error| error.to_string()));
    }
}

/// A gate: whether a commit was made since the last one, or a task finished that no event told of. Gives the commit
/// up to which the notes tell, where another one is checked out now.
pub(in crate::hook) fn at_gate(
    run: &Run,
    session: &Session,
    told: Option<&Ledger>,
    failures: &mut Vec<String>,
) -> Option<String> {
    let folder = run.place.home.session(&run.payload.session_id);
    let before = GateMarks::read(&folder);
    let mut marks = before.clone().unwrap_or_default();
    let head = throughline_git::head_from_files(&session.memory.project.work);
    let finished = told.map(|told| told.tasks.iter().filter(|task| task.status == "completed").count());
    let committed = before.is_some() && head.is_some() && marks.head != head;
    let done =
        before.is_some() && !marks.task_events && finished.is_some_and(|count| count > marks.tasks_done);
    marks.head = head.or(marks.head);
    let branch = throughline_git::branch_from_head_file(&session.memory.project.work);
    let is_other_branch = is_other_branch(marks.branch.as_deref(), branch.as_deref());
    marks.branch = branch;
    if is_other_branch {
        // What others committed there is not what this session did.
        marks.noted.clone_from(&marks.head);
    }
    marks.tasks_done = finished.unwrap_or(marks.tasks_done);
    if before.as_ref() != Some(&marks) {
        failures.extend(marks.write(&folder).err().map(|error| error.to_string()));
    }
    if committed {
        let kind = if is_other_branch { "branch" } else { "commit" };
        automatic(run, session, kind, None, told, failures);
    } else if done {
        let last = told.and_then(|told| {
            let over = told.tasks.iter().filter(|task| task.status == "completed");
            over.max_by_key(|task| task.changed).map(|task| task.subject.clone())
        });
        automatic(run, session, "task", last.as_deref(), told, failures);
    }
    marks.noted.filter(|noted| marks.head.as_ref() != Some(noted))
}

/// A branch that could not be told is no other one; without one, every commit has a name of its own.
fn is_other_branch(before: Option<&str>, now: Option<&str>) -> bool {
    let is_detached = |branch: &str| branch.starts_with('(');
    let both = before.zip(now);
    both.is_some_and(|(before, now)| before != now && !(is_detached(before) && is_detached(now)))
}
