//! The files of a project in a bundle: pages, logs and snapshots, by names that can lead nowhere else.

use std::fs;
use std::path::{Path, PathBuf};

use throughline_domain::text::printable;

use crate::files::{self, AtPath, FileError};
use crate::paths::{Project, safe_name};
use crate::project_files::own_folder;
use crate::redact;

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
pub fn of_project(project: &Project) -> (Vec<(String, PathBuf)>, Vec<PathBuf>) {
    let (mut found, mut passed) = (Vec::new(), Vec::new());
    let mut look = |folder: &Path, prefix: &str| {
        if folder.is_symlink() {
            passed.push(folder.to_owned());
            return;
        }
        for entry in fs::read_dir(folder).into_iter().flatten().flatten().take(FILES_MAX) {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let name = format!("{prefix}{name}");
            if !is_carried(&name) {
                continue;
            }
            let is_whole = |meta: fs::Metadata| meta.is_file() && meta.len() <= FILE_BYTES_MAX as u64;
            if entry.path().symlink_metadata().is_ok_and(is_whole) {
                found.push((name, entry.path()));
            } else {
                passed.push(entry.path());
            }
        }
    };
    look(&project.files, "");
    look(&project.files.join("logs"), "logs/");
    let sessions = project.files.join("sessions");
    for entry in fs::read_dir(&sessions).into_iter().flatten().flatten().take(FILES_MAX) {
        if let (Ok(name), true) = (entry.file_name().into_string(), !sessions.is_symlink()) {
            look(&entry.path(), &format!("sessions/{name}/"));
        }
    }
    found.sort();
    (found, passed)
}

/// Whether a name in a bundle is one of ours: nothing else is written, wherever it would lead.
#[must_use]
pub fn is_carried(name: &str) -> bool {
    let is_plain = |part: &str| {
        part.len() <= 100
            && !part.starts_with('.')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
    };
    let ends = |part: &str, ends: &[&str]| ends.iter().any(|end| part.ends_with(end));
    match name.split('/').collect::<Vec<_>>().as_slice() {
        ["compaction-snapshot.md"] => true,
        ["logs", log] => is_plain(log) && log.starts_with("context-usage.") && ends(log, &[".jsonl"]),
        ["sessions", session, page] => {
            safe_name(session) == *session && is_plain(page) && ends(page, &[".md", ".txt"])
        }
        _ => false,
    }
}

/// Puts a file where it belongs, masked; one that stands there is never written over. With `is_trial` nothing is written.
pub fn take(project: &Project, name: &str, text: &str, is_trial: bool) -> Result<Taken, FileError> {
    let path = project.files.join(name);
    let shown = printable(text);
    let clean = redact::text(&shown);
    let standing = match path.symlink_metadata() {
        Ok(meta) if meta.is_file() => files::read_limited(&path, FILE_BYTES_MAX as u64).ok().flatten(),
        Ok(_) => return Ok(Taken::Differs),
        Err(_) => None,
    };
    match standing {
        Some(bytes) if bytes == clean.as_bytes() || bytes == text.as_bytes() => return Ok(Taken::Known),
        Some(_) => return Ok(Taken::Differs),
        None if is_trial => return Ok(Taken::New),
        None => {}
    }
    own_folder(project, path.parent().unwrap_or(&project.files))?;
    match files::create_whole(&path, clean.as_bytes()) {
        Err(error) if error.source.kind() == std::io::ErrorKind::AlreadyExists => Ok(Taken::Differs),
        created => created.map(|()| Taken::New),
    }
}

/// The text of a file that is carried; `None` when it is none.
pub fn text_of(path: &Path) -> Result<Option<String>, FileError> {
    let bytes = files::read_limited(path, FILE_BYTES_MAX as u64)?.unwrap_or_default();
    Ok(String::from_utf8(bytes).ok().map(|text| redact::text(&text).into_owned()))
}

/// Removes a bundle that was not finished.
pub fn give_up(path: &Path) -> Result<(), FileError> {
    fs::remove_file(path).at("remove", path)
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
