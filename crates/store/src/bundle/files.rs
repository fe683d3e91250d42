//! The files of a project in a bundle: pages, logs and snapshots, by names that can lead nowhere else.

use std::path::Path;

use throughline_domain::text::printable;
use throughline_redact as redact;

use crate::catalogue::{self, Carried, Under};
use crate::door::{Spot, outside};
use crate::files::{self, AtPath, FileError};
use crate::paths::Project;

/// Largest file that is carried: a usage log is put aside at 5 MB.
pub const FILE_BYTES_MAX: usize = throughline_domain::limits::BUNDLE_FILE_BYTES_MAX;
/// Most files.
const FILES_MAX: usize = 20_000;

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It is new here.
    New,
    /// It was here already.
    Known,
    /// Another one stands there, and stays.
    Differs,
}

/// The files of a project that are carried: their names in a bundle, and where they are. Those that are no files (links) or too
/// long come second.
#[must_use]
pub fn of_project(project: &Project) -> (Vec<(String, Spot)>, Vec<Spot>) {
    let all = catalogue::find(Under::Project, &project.files, Path::new(""));
    let carried = all.entries.into_iter().filter(|entry| entry.row.carried == Carried::AsFile);
    let (whole, long): (Vec<_>, Vec<_>) =
        carried.partition(|entry| entry.spot.bytes() <= FILE_BYTES_MAX as u64);
    let found = whole.into_iter().filter_map(|entry| Some((entry.path.to_str()?.to_owned(), entry.spot)));
    let passed = all.odd.into_iter().chain(long.into_iter().map(|entry| entry.spot));
    (found.take(FILES_MAX).collect(), passed.collect())
}

/// Whether a name in a bundle is one of ours: nothing else is written, wherever it would lead.
#[must_use]
pub fn is_carried(name: &str) -> bool {
    let row = catalogue::row_of(Under::Project, Path::new(name));
    row.is_some_and(|row| row.carried == Carried::AsFile && !name.contains("//") && !name.contains("./"))
}

/// Puts a file where it belongs, masked; one that stands there is never written over. With `is_trial` nothing is written.
pub fn take(project: &Project, name: &str, text: &str, is_trial: bool) -> Result<Taken, FileError> {
    let path = project.files.join(name);
    let shown = printable(text);
    let clean = redact::text(&shown);
    let standing = match path.meta() {
        Ok(meta) if meta.is_file() => files::read_limited(&path, FILE_BYTES_MAX as u64).ok().flatten(),
        Ok(_) => return Ok(Taken::Differs),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).at("look at", &path),
    };
    match standing {
        Some(bytes) if bytes == clean.as_bytes() || bytes == text.as_bytes() => return Ok(Taken::Known),
        Some(_) => return Ok(Taken::Differs),
        None if is_trial => return Ok(Taken::New),
        None => {}
    }
    files::create_folder(&path.parent().unwrap_or_else(|| project.files.clone()))?;
    match files::create_whole(&path, clean.as_bytes()) {
        Err(error) if error.source.kind() == std::io::ErrorKind::AlreadyExists => Ok(Taken::Differs),
        created => created.map(|()| Taken::New),
    }
}

/// The text of a file that is carried; `None` when it is none.
pub fn text_of(path: &Spot) -> Result<Option<String>, FileError> {
    let bytes = files::read_limited(path, FILE_BYTES_MAX as u64)?.unwrap_or_default();
    Ok(String::from_utf8(bytes).ok().map(|text| redact::text(&text).into_owned()))
}

/// Removes a bundle that was not finished.
pub fn give_up(path: &Path) -> Result<(), FileError> {
    files::remove(&outside::resolved(path))
}

#[cfg(test)]
mod tests {
    use super::is_carried;

    #[test]
    fn names_that_lead_elsewhere_are_none_of_ours() {
        for name in [
            "compaction-snapshot.md",
            "logs/context-usage.jsonl",
            "logs/context-usage.20260101T000000Z.jsonl",
            "sessions/2f467a84-03d0/notes.md",
            "sessions/s1/compaction-log.txt",
        ] {
            assert!(is_carried(name), "{name}");
        }
        for name in [
            "",
            "/etc/passwd",
            "../x.md",
            "sessions/../../x.md",
            "sessions/../notes.md",
            "sessions/s1/../notes.md",
            "sessions/s1/.notes.md",
            "sessions/s1//notes.md",
            "sessions//notes.md",
            "sessions/s1/notes.sh",
            "sessions/s1/deep/notes.md",
            "sessions/s 1/notes.md",
            "sessions\\s1\\notes.md",
            "settings.json",
            "settings.local.json",
            "throughline.toml",
            "commands/x.md",
            "unified-session-state.json",
            "logs/other.jsonl",
            "logs/context-usage./../x.jsonl",
            "sessions/s1/notes.md\0",
            "sessions/s1/no\ntes.md",
            "./compaction-snapshot.md",
        ] {
            assert!(!is_carried(name), "{name:?}");
        }
    }
}
