//! One transcript: its new lines to responses and compactions, piece by piece.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::SystemTime;

use serde_json::{Value, json};
use throughline_agents::claude_code::transcript_place::folder_name;
use throughline_agents::claude_code::usage_lines::{self, Compacted, Place, UsageLine, UsedTokens};
use throughline_domain::Timestamp;
use throughline_domain::usage::{Boundary, RecordId, Response};
use throughline_store::known_files::KnownFile;
use throughline_store::transcript_file::{self, Cursor};

use crate::intake::discover::Changed;
use crate::intake::readers::OfFile;

/// Bytes read before the rows go to the writer.
const PIECE_BYTES: u64 = 8 << 20;
/// How deep a working folder may be in its project.
const FOLDERS_MAX: usize = 64;

/// What a stretch of a transcript holds.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub(super) path: PathBuf,
    pub(super) responses: Vec<Response>,
    pub(super) boundaries: Vec<Boundary>,
    /// How far the file was read with it; `None` when it could not be read.
    pub(super) file: Option<KnownFile>,
    pub(super) bytes: u64,
    pub(super) lines: u64,
    pub(super) problems: Vec<String>,
    /// Whether the file is done.
    pub(super) is_last: bool,
}

impl OfFile for Piece {
    fn is_last(&self) -> bool {
        self.is_last
    }
}

/// Reads on in a file; gives piece after piece until `give` says stop. Returns whether it never did.
pub(super) fn read(file: &Changed, now: SystemTime, mut give: impl FnMut(Piece) -> bool) -> bool {
    let known_state = file.known.as_ref().map(|known| known.state.as_str()).unwrap_or_default();
    let mut memory = Memory::from_text(known_state);
    let mut cursor = file.known.as_ref().map_or_else(Cursor::at_start, |known| known.cursor.clone());
    loop {
        let mut lines = Lines::of(file, &mut memory);
        let read =
            transcript_file::read_on(&file.path, &cursor, PIECE_BYTES, now, |at, line| lines.take(at, line));
        let Lines { mut piece, .. } = lines;
        let reading = match read {
            Ok((next, reading)) => {
                cursor = next;
                reading
            }
            Err(error) => {
                piece.problems.push(error.source.to_string());
                piece.is_last = true;
                return give(piece);
            }
        };
        piece.bytes = reading.bytes;
        piece.lines = reading.lines;
        piece.problems.extend(reading.problems.into_iter().map(|problem| problem.what));
        piece.is_last = !reading.more;
        let is_settled = !reading.more && (cursor.offset >= file.mark.size_bytes || file.mark.is_quiet(now));
        piece.file = Some(KnownFile {
            key: file.key.clone(),
            mark: file.mark,
            is_settled,
            cursor: cursor.clone(),
            state: memory.text(),
        });
        if !give(piece) {
            return false;
        }
        if !reading.more {
            return true;
        }
    }
}

/// What lines before told and later ones need: kept between two readings.
#[derive(Debug, Default)]
struct Memory {
    /// When the last line was written that said so.
    at: Option<Timestamp>,
    /// The model that answered last in the main conversation.
    model: String,
    /// How full its context was.
    context: u64,
}

impl Memory {
    fn from_text(text: &str) -> Self {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        Self {
            at: value["at_ms"].as_i64().and_then(|ms| Timestamp::from_millisecond(ms).ok()),
            model: value["model"].as_str().unwrap_or_default().to_owned(),
            context: value["context"].as_u64().unwrap_or(0),
        }
    }

    fn text(&self) -> String {
        let at_ms = self.at.map(Timestamp::as_millisecond);
        json!({ "at_ms": at_ms, "model": self.model, "context": self.context }).to_string()
    }
}

/// The lines of a piece, as they come.
struct Lines<'f> {
    file: &'f Changed,
    memory: &'f mut Memory,
    piece: Piece,
    /// Where in the piece each response stands: most span several lines.
    known: HashMap<RecordId, usize>,
    /// The last working folder, and the project that it belongs to.
    project: Option<(String, String)>,
    stem: String,
}

impl<'f> Lines<'f> {
    fn of(file: &'f Changed, memory: &'f mut Memory) -> Self {
        let piece = Piece { path: file.path.clone(), ..Piece::default() };
        let stem = file.path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Self { file, memory, piece, known: HashMap::new(), project: None, stem }
    }

    fn take(&mut self, at: u64, line: &[u8]) {
        let problem = usage_lines::read(line, |found| match found {
            UsageLine::Used(used) => self.used(&used),
            UsageLine::Compacted(compacted) => self.compacted(&compacted),
        });
        if let Some(problem) = problem {
            self.piece.problems.push(format!("the line at byte {at} {}", problem.what));
        }
    }

    fn used(&mut self, used: &UsedTokens<'_>) {
        let Some(at) = self.moment(&used.place) else { return };
        if !used.is_sidechain {
            if self.memory.model != used.model {
                used.model.clone_into(&mut self.memory.model);
            }
            self.memory.context = used.context;
        }
        let (session, project) = self.whose(&used.place);
        let response = Response {
            id: used.id,
            at,
            session,
            project,
            model: used.model.to_owned(),
            tier: used.tier,
            is_sidechain: used.is_sidechain,
            tokens: used.tokens,
            context: used.context,
        };
        if let Some(index) = self.known.get(&used.id) {
            self.piece.responses[*index].take_in(&response);
        } else {
            self.known.insert(used.id, self.piece.responses.len());
            self.piece.responses.push(response);
        }
    }

    fn compacted(&mut self, compacted: &Compacted<'_>) {
        let Some(at) = self.moment(&compacted.place) else { return };
        let (session, project) = self.whose(&compacted.place);
        self.piece.boundaries.push(Boundary {
            id: compacted.id,
            at,
            session,
            project,
            model: self.memory.model.clone(),
            is_auto: compacted.is_auto,
            tokens_before: compacted.tokens_before.unwrap_or(self.memory.context),
            tokens_after: compacted.tokens_after,
        });
    }

    /// When a line was written: as it says, else as the line before it does.
    fn moment(&mut self, place: &Place<'_>) -> Option<Timestamp> {
        self.memory.at = place.at.or(self.memory.at);
        if self.memory.at.is_none() {
            self.piece.problems.push("a response without a time, and none before it".to_owned());
        }
        self.memory.at
    }

    /// The session and the project of a line.
    fn whose(&mut self, place: &Place<'_>) -> (String, String) {
        let session = place.session.unwrap_or(&self.stem).to_owned();
        let Some(cwd) = place.cwd.as_deref() else {
            let project = self.project.as_ref().map(|(_, project)| project.clone());
            return (session, project.unwrap_or_else(|| self.file.project_folder.clone()));
        };
        match &self.project {
            Some((folder, project)) if folder == cwd => (session, project.clone()),
            _ => {
                let project = project_of(cwd, &self.file.project_folder).to_owned();
                self.project = Some((cwd.to_owned(), project.clone()));
                (session, project)
            }
        }
    }
}

/// The project that a working folder belongs to: the folder around it after which the client named the transcripts'.
pub(in crate::intake) fn project_of<'c>(cwd: &'c str, project_folder: &str) -> &'c str {
    let mut around = cwd;
    for _ in 0..FOLDERS_MAX {
        if folder_name(around) == project_folder {
            return around;
        }
        // Windows' paths too: transcripts travel.
        let Some(end) = around.rfind(['/', '\\']) else { break };
        around = &around[..end];
    }
    cwd
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_that_moved_into_a_folder_still_works_on_its_project() {
        assert_eq!(project_of("/home/me/my.app/src/deep", "-home-me-my-app"), "/home/me/my.app");
        assert_eq!(project_of("/home/me/my.app", "-home-me-my-app"), "/home/me/my.app");
        assert_eq!(project_of("C:\\Users\\me\\app\\src", "C--Users-me-app"), "C:\\Users\\me\\app");
        assert_eq!(project_of("/elsewhere/x", "-home-me-my-app"), "/elsewhere/x");
    }
}
