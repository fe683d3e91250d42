//! `save`: notes the working tree and the reason.

use std::time::Duration;

use throughline_briefing::snapshot::{self, SnapshotParts};
use throughline_domain::{Detail, State, Trigger};
use throughline_store::memory::NewEntry;
use throughline_store::project_files;

use super::App;
use crate::failure::Failure;
use crate::output;

/// Save the working tree's state, and optionally highlights and actions
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Why: manual, checkpoint, threshold or precompact, which also writes the compaction snapshot
    #[arg(long, value_name = "T", default_value = "manual", value_parser = ["manual", "checkpoint", "threshold", "precompact"])]
    trigger: String,
    /// A point worth knowing; may be given several times
    #[arg(long = "highlight", value_name = "TEXT")]
    highlights: Vec<String>,
    /// Something still to do; may be given several times
    #[arg(long = "action", value_name = "TEXT")]
    actions: Vec<String>,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let (state, git_error) = save(app, &args.trigger, &args.highlights, &args.actions)?;
    if let Some(error) = git_error {
        output::remark(&format!("git: {error}"));
    }
    let entries = state.all_entries().count();
    let metrics = &state.token_metrics;
    output::say(&format!(
        "saved ({}): {entries} entries, about {} tokens, {}",
        args.trigger, metrics.estimated_tokens, metrics.budget_status
    ))
}

/// Saves; gives the state then, and what git could not tell.
pub(super) fn save(
    app: &App,
    trigger: &str,
    highlights: &[String],
    actions: &[String],
) -> Result<(State, Option<String>), Failure> {
    let deadline = Duration::from_millis(app.config.git.deadline_ms);
    let work = &app.memory.project.work;
    let git = if trigger == Trigger::Precompact.word() {
        let taken = throughline_git::snapshot(work, std::time::SystemTime::now(), deadline);
        write_snapshot(app, trigger, &taken)?;
        taken.state
    } else {
        throughline_git::capture(work, deadline)
    };
    let git_error = git.error.clone();
    let changed = app.change(|draft| {
        for text in highlights {
            draft.add(NewEntry { text: text.clone(), detail: Detail::Highlight })?;
        }
        for text in actions {
            draft.add(NewEntry { text: text.clone(), detail: Detail::Action })?;
        }
        draft.save(Trigger::from_word(trigger), git);
        Ok(())
    })?;
    Ok((changed.state, git_error))
}

/// The snapshot of the working tree, also where no compaction comes: somebody asked for it.
fn write_snapshot(app: &App, trigger: &str, taken: &throughline_git::Snapshot) -> Result<(), Failure> {
    let parts = SnapshotParts {
        now: app.now,
        trigger,
        git: &taken.state,
        diff_stat: &taken.diff_stat,
        staged_stat: &taken.staged_stat,
        modified_last_hour: &taken.modified_last_hour,
    };
    throughline_engine::git_exclude::keep_out_of_git_if_new(&app.memory.project);
    project_files::write_snapshot(&app.memory.project, &snapshot::render(&parts))
        .map_err(|error| Failure::new(error.to_string()))
}
