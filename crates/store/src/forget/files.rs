//! Files by origin: which of ours belong to a session, a project or a time, and their removal, one by one.
//!
//! Links are never followed: one that stands where a file of ours should be is named and stays.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use throughline_domain::Timestamp;

use super::{FILE_BYTES_MAX, FILES_MAX, Scope};
use crate::archive;
use crate::catalogue::{self, Entry, Forgotten, Inventory, SharedLines, Under};
use crate::door::Spot;
use crate::files::{self, Durability, FileError};
use crate::paths::{Home, safe_name};
use crate::session::{SessionFacts, last_record};

/// A session that goes on keeps these: they hold no words.
const KEPT_OF_LIVE: [&str; 5] =
    ["session.json", "statusline.json", "usage.jsonl", "notes.lock", "hand-over.lock"];

/// A file that is to go, or to lose some of its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Which place it belongs to, for people.
    pub place: &'static str,
    /// The file.
    pub path: Spot,
    /// Bytes that go.
    pub bytes: u64,
    lines: Option<SharedLines>,
}

/// What was found, and what could not be looked at.
#[derive(Debug, Default)]
pub struct Pieces {
    /// What is to go.
    pub found: Vec<Piece>,
    /// Links in the place of our files: named, not touched.
    pub links: Vec<Spot>,
}

/// The files of a scope. `began_ms` tells when sessions began, by their plain names, as far as the archive knows.
/// `keeps_locks`: somebody is at work, and two locks are none.
#[must_use]
pub fn of_scope(scope: &Scope, home: &Home, began_ms: &BTreeMap<String, i64>, keeps_locks: bool) -> Pieces {
    let mut pieces = Pieces::default();
    let project = &scope.project;
    let found = catalogue::find(Under::Project, &project.files, Path::new(""));
    pieces.take_stray(&found);
    for entry in &found.entries {
        of_project_file(scope, home, began_ms, entry, &mut pieces);
    }
    for session in &scope.sessions {
        of_session_folder(scope, home, session, &mut pieces);
    }
    if scope.is_everything() {
        // They hold everybody's, and nobody can take one project out of a damaged one.
        for path in archive::all_aside(home.root()) {
            pieces.file("damaged databases that were set aside", &path);
        }
    }
    let data = Path::new("projects").join(safe_name(&project.key));
    let found = catalogue::find(Under::Data, home.root(), &data);
    pieces.take_stray(&found);
    for entry in &found.entries {
        of_project_data(scope, keeps_locks, entry, &mut pieces);
    }
    pieces.found.sort_by(|left, right| left.path.cmp(&right.path));
    pieces.found.dedup_by(|left, right| left.path == right.path);
    pieces
}

/// A file in the project's part of the data folder.
fn of_project_data(scope: &Scope, keeps_locks: bool, entry: &Entry, pieces: &mut Pieces) {
    let spot = &entry.spot;
    if scope.is_everything() {
        let is_kept =
            entry.row.forgotten == Forgotten::Stays || (keeps_locks && spot.name().contains("lock"));
        if !is_kept {
            pieces.file("project data", spot);
        }
        return;
    }
    match entry.row.forgotten {
        Forgotten::Lines(lines) => pieces.lines(scope, "project data", spot, lines),
        Forgotten::WithProject if scope.session.is_none() && is_old(scope, spot) => {
            pieces.file("copies of restored files", spot);
        }
        _ => {}
    }
}

/// A file in the project's own folder.
fn of_project_file(
    scope: &Scope,
    home: &Home,
    began_ms: &BTreeMap<String, i64>,
    entry: &Entry,
    pieces: &mut Pieces,
) {
    let spot = &entry.spot;
    match entry.row.forgotten {
        // Written anew where something of it stays.
        Forgotten::Rewritten if scope.is_everything() => pieces.file("project files", spot),
        // They are asked for by their own part of the store, which knows what they tell of.
        _ if entry.path.starts_with("checkpoints") => {}
        Forgotten::WithProject
            if scope.is_everything() || (scope.session.is_none() && is_old(scope, spot)) =>
        {
            pieces.file("project files", spot);
        }
        Forgotten::Lines(_) if scope.is_everything() => pieces.file("usage log", spot),
        Forgotten::Lines(lines) => pieces.lines(scope, "usage log", spot, lines),
        Forgotten::WithSession if is_of_session(scope, home, began_ms, entry) => pieces.file("notes", spot),
        _ => {}
    }
}

/// Whether a file of a session's notes is concerned.
fn is_of_session(scope: &Scope, home: &Home, began_ms: &BTreeMap<String, i64>, entry: &Entry) -> bool {
    let names: Vec<&str> = entry.path.iter().filter_map(|name| name.to_str()).collect();
    let ["sessions", session, _] = names.as_slice() else {
        // The id of the session last active.
        let id = files::read_limited(&entry.spot, 1_024).ok().flatten().unwrap_or_default();
        return scope.names(String::from_utf8_lossy(&id).trim()) && is_old(scope, &entry.spot);
    };
    if scope.session.as_deref().is_some_and(|own| safe_name(own) != *session) {
        return false;
    }
    // A page tells of the whole session: one that began before the moment goes as a whole.
    let notes = entry.spot.parent().unwrap_or_else(|| entry.spot.clone());
    let began = began_ms.get(*session).copied().or_else(|| began_of(&home.session(session), &notes));
    began.is_none_or(|began| scope.holds_ms(began))
}

fn is_old(scope: &Scope, spot: &Spot) -> bool {
    modified_ms(spot).is_some_and(|at| scope.holds_ms(at))
}

/// When a session began, as its own files tell; else when the oldest of its pages was written.
fn began_of(folder: &Spot, notes: &Spot) -> Option<i64> {
    if let Some(cache) = SessionFacts::read(folder).filter(|cache| cache.started_at > 0) {
        return Some(cache.started_at);
    }
    notes.children(FILES_MAX).iter().filter_map(modified_ms).min()
}

fn of_session_folder(scope: &Scope, home: &Home, session: &str, pieces: &mut Pieces) {
    let folder = home.session(session);
    let found = catalogue::find(Under::Data, home.root(), &Path::new("sessions").join(safe_name(session)));
    pieces.take_stray(&found);
    let began = SessionFacts::read(&folder).map(|cache| cache.started_at).filter(|began| *began > 0);
    let last = last_record(&folder).map(|record| record.at).or_else(|| modified_ms(&folder));
    let is_whole = scope.before.is_none() || last.is_some_and(|last| scope.holds_ms(last));
    if !is_whole && !began.is_none_or(|began| scope.holds_ms(began)) {
        return;
    }
    // Also what was written since: it was made of the whole session, and is made anew from what is left of it.
    let is_kept = |entry: &&Entry| is_whole || !KEPT_OF_LIVE.contains(&entry.spot.name().as_str());
    for entry in found.entries.iter().filter(is_kept) {
        pieces.file("session data", &entry.spot);
    }
}

/// Sessions that go on began, from now on, at the moment before which they are forgotten.
pub fn settle_beginnings(scope: &Scope, home: &Home) -> Result<(), FileError> {
    let Some(before) = scope.before_ms() else { return Ok(()) };
    for session in &scope.sessions {
        let folder = home.session(session);
        if let Some(cache) = SessionFacts::read(&folder).filter(|cache| cache.started_at < before) {
            SessionFacts { started_at: before, ..cache }.write(&folder)?;
        }
    }
    Ok(())
}

impl Pieces {
    fn file(&mut self, place: &'static str, path: &Spot) {
        match path.meta() {
            Ok(meta) if meta.is_file() => {
                self.found.push(Piece { place, bytes: meta.len, path: path.clone(), lines: None });
            }
            Ok(meta) if meta.is_link() => self.links.push(path.clone()),
            _ => {}
        }
    }

    /// What is no file of ours, and what killed writers left: that goes in any case, for it may hold anything.
    fn take_stray(&mut self, found: &Inventory) {
        self.links.extend(found.odd.iter().cloned());
        for spot in &found.unfinished {
            self.file("files that were not finished", spot);
        }
    }

    fn lines(&mut self, scope: &Scope, place: &'static str, path: &Spot, lines: SharedLines) {
        let Ok(Some(bytes)) = files::read_limited(path, FILE_BYTES_MAX) else { return };
        let kept = kept_lines(lines, &bytes, scope).len() as u64;
        let gone = (bytes.len() as u64).saturating_sub(kept);
        if gone > 0 {
            self.found.push(Piece { place, path: path.clone(), bytes: gone, lines: Some(lines) });
        }
    }
}

impl Piece {
    /// Takes it away. A folder that is empty then goes too.
    pub fn remove(&self, scope: &Scope) -> Result<(), FileError> {
        let Some(lines) = self.lines else {
            files::remove(&self.path)?;
            let above = std::iter::successors(self.path.parent(), Spot::parent);
            for folder in above.take(2) {
                // One that holds something else stays.
                if !files::remove_if_empty(&folder) {
                    break;
                }
            }
            return Ok(());
        };
        let Some(bytes) = files::read_limited(&self.path, FILE_BYTES_MAX)? else { return Ok(()) };
        let kept = kept_lines(lines, &bytes, scope);
        if kept.is_empty() {
            return files::remove(&self.path);
        }
        files::replace(&self.path, &kept, Durability::Flushed)
    }
}

/// The lines that stay.
fn kept_lines(lines: SharedLines, bytes: &[u8], scope: &Scope) -> Vec<u8> {
    let is_kept = |line: &&[u8]| {
        // A line that cannot be read may tell of anything; a blank one tells nothing.
        let Ok(value) = serde_json::from_slice::<Value>(line) else {
            return line.trim_ascii().is_empty();
        };
        let session = value["session"].as_str().unwrap_or_default();
        let is_old = match lines {
            SharedLines::Registry => value["at"].as_i64().is_none_or(|at| scope.holds_ms(at)),
            SharedLines::UsageLog => value["ts"].as_str().is_none_or(|at| scope.holds_iso(at)),
        };
        !(scope.names(session) && is_old)
    };
    bytes.split_inclusive(|byte| *byte == b'\n').filter(is_kept).flatten().copied().collect()
}

fn modified_ms(path: &Spot) -> Option<i64> {
    Timestamp::try_from(path.meta().ok()?.modified()).ok().map(Timestamp::as_millisecond)
}
