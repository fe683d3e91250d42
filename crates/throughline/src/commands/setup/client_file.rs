//! A client's file on disk: refused behind a link, shown as a difference, its copies kept for `uninstall`.

use std::path::{Path, PathBuf};

use similar::TextDiff;
use throughline_agents::settings::problem::SettingsProblem;
use throughline_domain::text::one_line;
use throughline_engine::place::Place;
use throughline_store::door::Spot;
use throughline_store::project_files;

use crate::commands::App;
use crate::failure::Failure;
use crate::output::{self, BAD, GOOD, HINT, styled};

/// Nothing is written or removed through a link in the project: it may have come with a clone.
pub(in crate::commands) fn refuse_links(
    app: &App,
    paths: impl IntoIterator<Item = PathBuf>,
    otherwise: &str,
) -> Result<(), Failure> {
    let link_to = |path: PathBuf| project_files::link_on_the_way(&app.memory.project, &path);
    let Some(link) = paths.into_iter().find_map(link_to) else { return Ok(()) };
    let target = app.memory.project.spot_of(&link).link_target().unwrap_or_default();
    let what = format!("{} is a link to {}", link.display(), target.display());
    let hint = "nothing was changed; replace the link by a real file or folder";
    Err(Failure::new(one_line(&what, 1_000)).hint(format!("{hint}, {otherwise}")))
}

pub(in crate::commands) fn refuse(path: &Path, problem: &SettingsProblem) -> Failure {
    Failure::new(format!(
        "{}, line {}, column {}: {}",
        path.display(),
        problem.line,
        problem.column,
        problem.what
    ))
    .hint(format!("nothing was changed; {}", problem.hint))
}

pub(in crate::commands) fn show_diff(path: &Path, old: &str, new: &str) -> Result<(), Failure> {
    let diff = TextDiff::from_lines(old, new);
    let name = path.display().to_string();
    let text = diff.unified_diff().context_radius(3).header(&name, &name).to_string();
    if text.is_empty() {
        return output::say(&format!("{name}: no difference"));
    }
    for line in text.lines() {
        let shown = match line.as_bytes().first() {
            Some(b'+') => styled(GOOD, line),
            Some(b'-') => styled(BAD, line),
            Some(b'@') => styled(HINT, line),
            _ => line.to_owned(),
        };
        output::say(&shown)?;
    }
    Ok(())
}

/// Where the copies of one settings file are kept.
pub(in crate::commands) fn install_folder(place: &Place, path: &Path) -> Spot {
    let name = throughline_domain::text::fingerprint(path.as_os_str().as_encoded_bytes());
    place.home.root().join("installs").join(format!("{name:016x}"))
}
