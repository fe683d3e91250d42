//! What is left behind in a repository once our hooks are gone: lines in its exclude file, trees that git holds.

use throughline_engine::git_exclude::exclude_file;
use throughline_store::project_files;

use super::client_file::show_diff;
use crate::commands::App;
use crate::failure::Failure;
use crate::output;

/// Takes our lines out of the exclude file, unless they still keep something out of git.
pub(in crate::commands) fn stop_excluding(app: &App) -> Result<(), Failure> {
    let Some(exclude) = exclude_file(&app.memory.project.root) else { return Ok(()) };
    if may_go(app) {
        project_files::stop_excluding(&exclude)?;
    } else if project_files::is_excluding(&exclude) && project_files::holds_records(&app.memory.project) {
        output::remark(&format!(
            "our lines stay in {}: they keep what was recorded out of git",
            exclude.display()
        ));
    }
    Ok(())
}

fn may_go(app: &App) -> bool {
    !project_files::holds_records(&app.memory.project) && !super::table::is_in_project(app)
}

/// Our lines in the exclude file, as far as they would go.
pub(in crate::commands) fn show_exclusion(app: &App) -> Result<(), Failure> {
    let root = &app.memory.project.root;
    if let Some(exclude) = exclude_file(root)
        && may_go(app)
        && let Some((old, new)) = project_files::without_exclusion(&exclude)?
    {
        show_diff(&exclude.shown(), &old, &new)?;
    }
    Ok(())
}

/// Git no longer holds uncommitted files for checkpoints; their briefings stay.
pub(in crate::commands) fn release_files(app: &App) {
    let (git, root) = (throughline_git::Git::default(), &app.memory.project.root);
    let kept = git.kept_trees(root).unwrap_or_default();
    if kept.is_empty() {
        return;
    }
    match git.forget_trees(root, &kept) {
        Ok(()) => output::remark(&format!("git no longer holds the files of {} checkpoints", kept.len())),
        Err(why) => {
            output::warn(&format!("git still holds files of checkpoints under refs/throughline: {why}"));
        }
    }
}
