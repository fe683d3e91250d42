//! Our files and git: they are kept out of it before the first of them is written.

use std::path::Path;

use throughline_store::door::Spot;
use throughline_store::paths::Project;
use throughline_store::project_files;

/// Keeps our files out of git before the first of them is written: after a kill in between nobody would do it.
pub fn keep_out_of_git_if_new(project: &Project) {
    if !project.state_file().exists() {
        keep_out_of_git(project);
    }
}

/// Keeps our files out of git; where there is no repository there is nothing to do.
pub fn keep_out_of_git(project: &Project) {
    if let Some(exclude) = exclude_file(&project.root) {
        let _ = project_files::exclude_from_git(&exclude);
    }
}

/// The repository's own list of files that git does not see, reached from the repository's folder.
#[must_use]
pub fn exclude_file(root: &Path) -> Option<Spot> {
    let file = throughline_git::top_level_exclude_path(root)?;
    Some(Spot::root(file.common_dir).join(file.name))
}
