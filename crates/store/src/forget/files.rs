//! Files by origin: which of ours belong to a session, a project or a time, and their removal, one by one.
//!
//! Links are never followed: one that stands where a file of ours should be is named and stays.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use throughline_domain::Timestamp;

use super::{DEPTH_MAX, FILE_BYTES_MAX, FILES_MAX, Scope};
use crate::archive;
use crate::files::{self, Durability, FileError};
use crate::paths::{Home, safe_name};
use crate::session::{SessionCache, last_record};

/// A session that goes on keeps these: they hold no words.
const KEPT_OF_LIVE: [&str; 4] = ["session.json", "statusline.json", "usage.jsonl", "notes.lock"];
/// The user's choice, no memory.
const PAUSED: &str = "paused";

/// A file that is to go, or to lose some of its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Which place it belongs to, for people.
    pub place: &'static str,
    /// The file.
    pub path: PathBuf,
    /// Bytes that go.
    pub bytes: u64,
    lines: Option<Lines>,
}

/// Files of lines that many sessions share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lines {
    /// The project's list of sessions.
    Registry,
    /// How full the context was.
    UsageLog,
}

/// What was found, and what could not be looked at.
#[derive(Debug, Default)]
pub struct Pieces {
    /// What is to go.
    pub found: Vec<Piece>,
    /// Links in the place of our files: named, not touched.
    pub links: Vec<PathBuf>,
}

/// The files of a scope. `began_ms` tells when sessions began, by their plain names, as far as the archive knows.
/// `keeps_locks`: somebody is at work, and two locks are none.
#[must_use]
pub fn of_scope(scope: &Scope, home: &Home, began_ms: &BTreeMap<String, i64>, keeps_locks: bool) -> Pieces {
    let mut pieces = Pieces::default();
    let project = &scope.project;
    if project.files.is_symlink() {
        pieces.links.push(project.files.clone());
    } else {
        of_project_folder(scope, home, began_ms, &mut pieces);
    }
    for session in &scope.sessions {
        of_session_folder(scope, &home.session(session), &mut pieces);
    }
    let data = home.project(&project.key);
    if scope.is_everything() {
        // They hold everybody's, and nobody can take one project out of a damaged one.
        for path in archive::all_aside(home.root()) {
            pieces.file("damaged databases that were set aside", path);
        }
        let is_kept = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            name == PAUSED || (keeps_locks && name.contains("lock"))
        };
        pieces.whole("project data", &data, &|path| !is_kept(path));
    } else {
        pieces.lines(scope, "project data", data.join("sessions.jsonl"), Lines::Registry);
        if scope.session.is_none() {
            let is_old = |path: &Path| modified_ms(path).is_some_and(|at| scope.holds_ms(at));
            for folder in folders_in(&data) {
                // The project's own files live here when it is the user's home folder: they are looked at by themselves.
                if folder != project.files {
                    pieces.whole("copies of restored files", &folder, &is_old);
                }
            }
        }
    }
    pieces.found.sort_by(|left, right| left.path.cmp(&right.path));
    pieces.found.dedup_by(|left, right| left.path == right.path);
    pieces
}

fn of_project_folder(scope: &Scope, home: &Home, began_ms: &BTreeMap<String, i64>, pieces: &mut Pieces) {
    let folder = &scope.project.files;
    let is_old = |path: &Path| modified_ms(path).is_some_and(|at| scope.holds_ms(at));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().take(FILES_MAX) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_state = name.trim_start_matches('.').starts_with("unified-session-state.json");
        let is_set_aside = is_state && name != "unified-session-state.json";
        // The state file itself is written anew where something of it stays.
        let is_concerned = if scope.is_everything() {
            is_state || name == "compaction-snapshot.md"
        } else {
            scope.session.is_none()
                && (is_set_aside || name == "compaction-snapshot.md")
                && is_old(&entry.path())
        };
        if is_concerned {
            pieces.file("project files", entry.path());
        }
    }
    let logs = folder.join("logs");
    for path in pieces.names_in(&logs) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with("context-usage.") {
            if scope.is_everything() {
                pieces.file("usage log", path);
            } else {
                pieces.lines(scope, "usage log", path, Lines::UsageLog);
            }
        }
    }
    let sessions = folder.join("sessions");
    for path in pieces.names_in(&sessions) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name == "CURRENT_SESSION" {
            let id = files::read_limited(&path, 1_024).ok().flatten().unwrap_or_default();
            let is_named = scope.names(String::from_utf8_lossy(&id).trim()) && is_old(&path);
            if is_named {
                pieces.file("notes", path);
            }
        } else if path.is_dir() && scope.session.as_deref().is_none_or(|own| safe_name(own) == name) {
            // A page tells of the whole session: one that began before the moment goes as a whole.
            let began = began_ms.get(&name).copied().or_else(|| began_of(&home.session(&name), &path));
            if began.is_none_or(|began| scope.holds_ms(began)) {
                pieces.whole("notes", &path, &|_| true);
            }
        }
    }
}

/// When a session began, as its own files tell; else when the oldest of its pages was written.
fn began_of(folder: &Path, notes: &Path) -> Option<i64> {
    if let Some(cache) = SessionCache::read(folder).filter(|cache| cache.started_at > 0) {
        return Some(cache.started_at);
    }
    fs::read_dir(notes).ok()?.flatten().filter_map(|entry| modified_ms(&entry.path())).min()
}

fn of_session_folder(scope: &Scope, folder: &Path, pieces: &mut Pieces) {
    if folder.is_symlink() {
        pieces.links.push(folder.to_owned());
        return;
    }
    if scope.before.is_none() {
        pieces.whole("session data", folder, &|_| true);
        return;
    }
    let began = SessionCache::read(folder).map(|cache| cache.started_at).filter(|began| *began > 0);
    let last = last_record(folder).map(|record| record.at).or_else(|| modified_ms(folder));
    if last.is_some_and(|last| scope.holds_ms(last)) {
        pieces.whole("session data", folder, &|_| true);
    } else if began.is_none_or(|began| scope.holds_ms(began)) {
        let is_kept = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            KEPT_OF_LIVE.contains(&name.as_str())
        };
        // Also what was written since: it was made of the whole session, and is made anew from what is left of it.
        pieces.whole("session data", folder, &|path| !is_kept(path));
    }
}

/// Sessions that go on began, from now on, at the moment before which they are forgotten.
pub fn settle_beginnings(scope: &Scope, home: &Home) -> Result<(), FileError> {
    let Some(before) = scope.before_ms() else { return Ok(()) };
    for session in &scope.sessions {
        let folder = home.session(session);
        if let Some(cache) = SessionCache::read(&folder).filter(|cache| cache.started_at < before) {
            SessionCache { started_at: before, ..cache }.write(&folder)?;
        }
    }
    Ok(())
}

impl Pieces {
    fn file(&mut self, place: &'static str, path: PathBuf) {
        match path.symlink_metadata() {
            Ok(meta) if meta.is_file() => {
                self.found.push(Piece { place, bytes: meta.len(), path, lines: None });
            }
            Ok(meta) if meta.is_symlink() => self.links.push(path),
            _ => {}
        }
    }

    /// Every file below a folder that is wanted.
    fn whole(&mut self, place: &'static str, folder: &Path, is_wanted: &dyn Fn(&Path) -> bool) {
        if folder.is_symlink() {
            self.links.push(folder.to_owned());
            return;
        }
        let mut all = Vec::new();
        super::walk(folder, DEPTH_MAX, &mut all);
        for path in all.into_iter().filter(|path| is_wanted(path)) {
            self.file(place, path);
        }
    }

    fn names_in(&mut self, folder: &Path) -> Vec<PathBuf> {
        if folder.is_symlink() {
            self.links.push(folder.to_owned());
            return Vec::new();
        }
        fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .take(FILES_MAX)
            .map(|entry| entry.path())
            .collect()
    }

    fn lines(&mut self, scope: &Scope, place: &'static str, path: PathBuf, lines: Lines) {
        if path.is_symlink() {
            self.links.push(path);
            return;
        }
        let Ok(Some(bytes)) = files::read_limited(&path, FILE_BYTES_MAX) else { return };
        let kept = lines.kept(&bytes, scope).len() as u64;
        let gone = (bytes.len() as u64).saturating_sub(kept);
        if gone > 0 {
            self.found.push(Piece { place, path, bytes: gone, lines: Some(lines) });
        }
    }
}

impl Piece {
    /// Takes it away. A folder that is empty then goes too.
    pub fn remove(&self, scope: &Scope) -> Result<(), FileError> {
        let Some(lines) = self.lines else {
            files::remove(&self.path)?;
            for folder in self.path.ancestors().skip(1).take(2) {
                // One that holds something else stays.
                if fs::remove_dir(folder).is_err() {
                    break;
                }
            }
            return Ok(());
        };
        let Some(bytes) = files::read_limited(&self.path, FILE_BYTES_MAX)? else { return Ok(()) };
        let kept = lines.kept(&bytes, scope);
        if kept.is_empty() {
            return files::remove(&self.path);
        }
        files::replace(&self.path, &kept, Durability::Flushed)
    }
}

impl Lines {
    fn kept(self, bytes: &[u8], scope: &Scope) -> Vec<u8> {
        let is_kept = |line: &&[u8]| {
            // A line that cannot be read may tell of anything; a blank one tells nothing.
            let Ok(value) = serde_json::from_slice::<Value>(line) else {
                return line.trim_ascii().is_empty();
            };
            let session = value["session"].as_str().unwrap_or_default();
            let is_old = match self {
                Self::Registry => value["at"].as_i64().is_none_or(|at| scope.holds_ms(at)),
                Self::UsageLog => value["ts"].as_str().is_none_or(|at| scope.holds_iso(at)),
            };
            !(scope.names(session) && is_old)
        };
        bytes.split_inclusive(|byte| *byte == b'\n').filter(is_kept).flatten().copied().collect()
    }
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(FILES_MAX);
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect()
}

fn modified_ms(path: &Path) -> Option<i64> {
    let modified = path.symlink_metadata().and_then(|meta| meta.modified()).ok()?;
    Timestamp::try_from(modified).ok().map(Timestamp::as_millisecond)
}
