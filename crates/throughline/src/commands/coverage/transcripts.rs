//! Which transcripts are meant: a session's, a file that was named, all of the project.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use throughline_agents::claude_code::transcript_place::folder_name;
use throughline_domain::text::one_line;

use crate::commands::App;
use crate::failure::Failure;
use throughline_store::door::outside;

/// Most entries of a folder that are looked at.
const ENTRIES_MAX: usize = 10_000;
/// The client's ids have 36 characters.
const ID_BYTES_MAX: usize = 100;

/// The project's transcripts, oldest first.
pub(crate) fn of_project(app: &App) -> Result<Vec<PathBuf>, Failure> {
    let entries = outside::list(project_folder(app)?).map_err(|_| none(app))?;
    let mut found: Vec<(SystemTime, PathBuf)> = entries
        .flatten()
        .take(ENTRIES_MAX)
        .filter(|entry| is_transcript(&entry.path()))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    found.sort();
    if found.is_empty() {
        return Err(none(app));
    }
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// The transcript of a session, or the file that was named.
///
/// An id is looked for among the client's transcripts only, whatever it looks like; a path must be one of a file.
pub(crate) fn named(app: &App, word: &str) -> Result<PathBuf, Failure> {
    let is_id = word.len() <= ID_BYTES_MAX
        && !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let shown = one_line(word, 120);
    if !is_id {
        let path = PathBuf::from(word);
        if path.extension().is_some_and(|end| end == "jsonl") && path.is_file() {
            return Ok(path);
        }
        return Err(Failure::new(format!("`{shown}` is neither a session's id nor an existing .jsonl file"))
            .hint("`throughline coverage --all` shows all sessions of this project"));
    }
    let file = format!("{word}.jsonl");
    let own = project_folder(app)?;
    let others = own.parent().and_then(|projects| outside::list(projects).ok());
    let others = others.into_iter().flatten().flatten().take(ENTRIES_MAX);
    let folders = others.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let begins = beginning_with(&own, word);
    let mut paths = std::iter::once(own).chain(folders.map(|entry| entry.path())).map(|it| it.join(&file));
    if let Some(whole) = paths.find(|path| is_transcript(path)) {
        return Ok(whole);
    }
    if begins.len() > 1 {
        let ids: Vec<_> = begins.iter().filter_map(|path| path.file_stem()?.to_str()).collect();
        return Err(Failure::new(format!("{} sessions begin with `{shown}`", begins.len()))
            .hint(format!("name more of it: {}", one_line(&ids.join(", "), 400))));
    }
    begins.into_iter().next().ok_or_else(|| {
        Failure::new(format!("there is no transcript of a session `{shown}`"))
            .hint("`throughline coverage --all` shows all sessions of this project; a path of a .jsonl file is taken too")
    })
}

/// The project's transcripts whose ids begin so: `status` shows eight digits.
fn beginning_with(folder: &Path, word: &str) -> Vec<PathBuf> {
    let entries = outside::list(folder).into_iter().flatten().flatten().take(ENTRIES_MAX);
    let paths = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(word));
    let mut paths: Vec<PathBuf> =
        paths.map(|entry| entry.path()).filter(|path| is_transcript(path)).collect();
    paths.sort();
    paths
}

/// There is none of this project.
pub(super) fn none(app: &App) -> Failure {
    let folder =
        project_folder(app).map_or_else(|_| "the client's folder".to_owned(), |it| it.display().to_string());
    Failure::new(format!("there are no transcripts of this project in {folder}"))
        .hint("`--project` names another project; a path of a .jsonl file is taken too")
}

fn project_folder(app: &App) -> Result<PathBuf, Failure> {
    let client = app.place.claude_folder.as_ref().ok_or_else(|| {
        Failure::new("neither CLAUDE_CONFIG_DIR nor HOME names a folder")
            .hint("give the path of a .jsonl file")
    })?;
    Ok(client.join("projects").join(folder_name(&app.memory.project.work.to_string_lossy())))
}

/// A regular file: a link in the client's folder is none of its transcripts.
fn is_transcript(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "jsonl")
        && outside::link_metadata(path).is_ok_and(|meta| meta.is_file())
}
