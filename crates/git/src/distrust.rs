//! Distrust: which programs a repository's own configuration names. None of them is started by a git of ours.

use std::path::Path;

use crate::names::path_text;
use crate::settings::Settings;
use crate::whereabouts::repository_around;

/// See [`crate::named_programs`].
pub(crate) fn named_programs(folder: &Path) -> Vec<String> {
    let Ok(repository) = repository_around(folder) else { return Vec::new() };
    let Ok(settings) = Settings::read(&repository.git_dir, &repository.common_dir) else { return Vec::new() };
    settings.programs.iter().map(|key| path_text(key)).collect()
}
