//! Which transcripts are meant: a session's, a file that was named, all of the project.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use throughline_agents::agent::USUAL;
use throughline_domain::text::one_line;
use throughline_store::door::outside;
use throughline_store::paths::Project;

use crate::place::Place;

/// Most entries of a folder that are looked at.
const ENTRIES_MAX: usize = 10_000;
/// The client's ids have 36 characters.
const ID_BYTES_MAX: usize = 100;

/// Longest word that is shown in an error.
const SHOWN_CHARS: usize = 120;

/// Why there is no transcript to look at.
#[derive(Debug, thiserror::Error)]
pub enum TranscriptsError {
    /// Nobody knows where the client keeps them.
    #[error("neither CLAUDE_CONFIG_DIR nor HOME names a folder")]
    NoFolder,
    /// The project has none.
    #[error("there are no transcripts of this project in {}", folder.display())]
    None {
        /// Where they would be.
        folder: PathBuf,
    },
    /// What was named is neither an id nor a transcript.
    #[error("`{named}` is neither a session's id nor an existing .jsonl file")]
    Neither {
        /// The word, as it can be shown.
        named: String,
    },
    /// Several begin so.
    #[error("{} sessions begin with `{named}`", ids.len())]
    Several {
        /// The word, as it can be shown.
        named: String,
        /// Their ids.
        ids: Vec<String>,
    },
    /// No session has this id.
    #[error("there is no transcript of a session `{named}`")]
    Unknown {
        /// The word, as it can be shown.
        named: String,
    },
}

/// The project's transcripts, oldest first; never an empty list.
pub fn of_project(place: &Place, project: &Project) -> Result<Vec<PathBuf>, TranscriptsError> {
    let folder = project_folder(place, project)?;
    let Ok(entries) = outside::list(&folder) else { return Err(TranscriptsError::None { folder }) };
    let mut found: Vec<(SystemTime, PathBuf)> = entries
        .flatten()
        .take(ENTRIES_MAX)
        .filter(|entry| is_transcript(&entry.path()))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    found.sort();
    if found.is_empty() {
        return Err(TranscriptsError::None { folder });
    }
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// The transcript of a session, or the file that was named.
///
/// An id is looked for among the client's transcripts only, whatever it looks like; a path must be one of a file.
pub fn named(place: &Place, project: &Project, word: &str) -> Result<PathBuf, TranscriptsError> {
    let is_id = word.len() <= ID_BYTES_MAX
        && !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let named = one_line(word, SHOWN_CHARS);
    if !is_id {
        let path = PathBuf::from(word);
        if path.extension().is_some_and(|end| end == "jsonl") && path.is_file() {
            return Ok(path);
        }
        return Err(TranscriptsError::Neither { named });
    }
    let file = format!("{word}.jsonl");
    let own = project_folder(place, project)?;
    let others = own.parent().and_then(|projects| outside::list(projects).ok());
    let others = others.into_iter().flatten().flatten().take(ENTRIES_MAX);
    let folders = others.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let begins = beginning_with(&own, word);
    let mut paths = std::iter::once(own).chain(folders.map(|entry| entry.path())).map(|it| it.join(&file));
    if let Some(whole) = paths.find(|path| is_transcript(path)) {
        return Ok(whole);
    }
    if begins.len() > 1 {
        let ids = begins.iter().filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()));
        return Err(TranscriptsError::Several { named, ids: ids.collect() });
    }
    begins.into_iter().next().ok_or(TranscriptsError::Unknown { named })
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

fn project_folder(place: &Place, project: &Project) -> Result<PathBuf, TranscriptsError> {
    let client = place.claude_folder.as_ref().ok_or(TranscriptsError::NoFolder)?;
    let named = USUAL.transcripts.project_folder.map(|folder_of| folder_of(&project.work.to_string_lossy()));
    Ok(client.join("projects").join(named.unwrap_or_default()))
}

/// A regular file: a link in the client's folder is none of its transcripts.
fn is_transcript(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "jsonl")
        && outside::link_metadata(path).is_ok_and(|meta| meta.is_file())
}
