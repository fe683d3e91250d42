//! Forgetting in files: certain words are taken out of every file of ours, and every byte is looked at afterwards.

pub mod files;
mod marks;
mod scope;

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use regex::bytes::{Regex, RegexBuilder};

use crate::archive;
use crate::backups::Backups;
use crate::catalogue::{self, Forgotten as Fate, Form, Masked, Row, Under};
use crate::door::{NodeKind, Spot};
use crate::files::{self as disk, FileError, Readable};
use crate::lock::Patience;
use crate::paths::{Home, Project, safe_name};
use crate::session::SessionFacts;

pub use marks::Forgotten;
pub use scope::Scope;

/// Largest file of ours that is rewritten.
const FILE_BYTES_MAX: u64 = throughline_domain::limits::FORGOTTEN_FILE_BYTES_MAX;
/// Bytes that are looked at together; words are shorter than the overlap of two pieces.
const PIECE_BYTES: usize = 1 << 20;
const OVERLAP_BYTES: usize = 8 << 10;
/// Longest text that can be forgotten.
const WORDS_BYTES_MAX: usize = 1 << 10;
/// Most files that are looked at.
const FILES_MAX: usize = 100_000;
const DEPTH_MAX: usize = throughline_domain::limits::FORGOTTEN_DEPTH_MAX;
/// Most texts whose copies are looked for together.
const TEXTS_MAX: usize = 1_000;
/// Of a long text so much tells a copy, which may have been cut short behind it.
const HEAD_CHARS: usize = 60;
/// A shorter id stands in too many bytes by chance to be looked for in them.
pub const ID_BYTES_MIN: usize = 12;
/// Stands where the words stood: valid inside of a JSON string.
const FORGOTTEN: &[u8] = b"[forgotten]";

/// The words to be forgotten, in any case and with any blanks between them.
#[derive(Debug, Clone)]
pub struct Needle {
    pattern: Regex,
}

/// Why nothing can be looked for. It is never the same as nothing to be found.
#[derive(Debug, thiserror::Error)]
pub enum NeedleError {
    /// Only blanks.
    #[error("there are no words to forget")]
    Empty,
    /// More than anybody types.
    #[error("the words to forget are {0} bytes long, {WORDS_BYTES_MAX} at most can be looked for")]
    TooLong(usize),
    /// The pattern was not accepted.
    #[error("the words to forget cannot be looked for: {0}")]
    Unusable(#[from] regex::Error),
}

impl Needle {
    /// Words that somebody typed.
    pub fn new(words: &[String]) -> Result<Self, NeedleError> {
        let joined = words.join(" ");
        let words: Vec<String> = joined.split_whitespace().map(escaped).collect();
        if words.is_empty() {
            return Err(NeedleError::Empty);
        }
        if joined.len() > WORDS_BYTES_MAX {
            return Err(NeedleError::TooLong(joined.len()));
        }
        // In JSON a line end between two words is spelt out.
        let pattern = words.join(r"(?:\s|\\[nrt])+");
        let pattern = RegexBuilder::new(&pattern).case_insensitive(true).size_limit(32 << 20).build()?;
        Ok(Self { pattern })
    }

    /// Any of some names, each as it is; `None` when there are none.
    pub fn any(names: &[String]) -> Result<Option<Self>, NeedleError> {
        Self::of_patterns(&names.iter().map(|name| regex::escape(name)).collect::<Vec<String>>())
    }

    /// Copies of texts: each as it is, but for how blanks and JSON spell it, and also where it was cut short. `None` when
    /// no text is long enough to be told from others' words.
    pub fn copies(texts: &[String]) -> Result<Option<Self>, NeedleError> {
        let long_enough = texts.iter().filter(|text| text.trim().len() >= ID_BYTES_MIN).take(TEXTS_MAX);
        Self::of_patterns(&long_enough.map(|text| copy_pattern(text)).collect::<Vec<String>>())
    }

    fn of_patterns(patterns: &[String]) -> Result<Option<Self>, NeedleError> {
        if patterns.is_empty() {
            return Ok(None);
        }
        let pattern = RegexBuilder::new(&patterns.join("|")).size_limit(256 << 20).build()?;
        Ok(Some(Self { pattern }))
    }

    /// Whether a text holds the words.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        self.pattern.is_match(text.as_bytes())
    }

    /// The text with something else in the words' place.
    #[must_use]
    pub fn masked(&self, bytes: &[u8]) -> Vec<u8> {
        self.pattern.replace_all(bytes, FORGOTTEN).into_owned()
    }
}

fn copy_pattern(text: &str) -> String {
    let head_end = text.char_indices().nth(HEAD_CHARS).map_or(text.len(), |(at, _)| at);
    let words: Vec<String> = text[..head_end].split_whitespace().map(escaped).collect();
    let rest = if head_end < text.len() { r#"[^"\\\n]{0,4000}"# } else { "" };
    words.join(r"(?:\s|\\[nrt])+") + rest
}

/// A word as a pattern; a quotation mark and a backslash may be spelt as JSON spells them.
fn escaped(word: &str) -> String {
    let escaped = |c: char| match c {
        '"' => r#"\\?""#.to_owned(),
        '\\' => r"\\{1,2}".to_owned(),
        c => regex::escape(&c.to_string()),
    };
    word.chars().map(escaped).collect()
}

/// What a search looked at, and what it found.
#[derive(Debug, Default)]
pub struct Searched {
    /// Files.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Files that hold what was looked for, in them or in their names.
    pub holding: Vec<Spot>,
}

/// The places that hold what is remembered about a project.
#[derive(Debug)]
pub struct Places {
    home: Home,
    project: Project,
    client: Option<Spot>,
}

impl Places {
    /// Those of a project; `claude_folder` is where other tools read our summaries.
    #[must_use]
    pub fn of(home: &Home, project: &Project, claude_folder: Option<&Path>) -> Self {
        Self { home: home.clone(), project: project.clone(), client: claude_folder.map(Spot::root) }
    }

    /// The sessions that worked in the project.
    #[must_use]
    pub fn sessions(&self) -> Vec<String> {
        let folders = self.home.root().join("sessions").children(FILES_MAX);
        let of_project = |folder: &&Spot| {
            SessionFacts::read(folder).is_some_and(|cache| cache.project_root == self.project.root)
        };
        folders
            .iter()
            .filter(of_project)
            .filter_map(|it| Some(it.file_name()?.to_str()?.to_owned()))
            .collect()
    }

    /// Files of text that belong to the project alone, and the log: those of the catalogue that hold words. And what
    /// killed writers left beside them.
    fn texts(&self) -> Vec<Spot> {
        let mut found = Vec::new();
        let mut look = |under: Under, root: &Spot, from: PathBuf| {
            let below = catalogue::find(under, root, &from);
            found.extend(below.entries.into_iter().filter(|it| holds_words(it.row)).map(|it| it.spot));
            found.extend(below.unfinished);
        };
        look(Under::Project, &self.project.files, PathBuf::new());
        look(Under::Data, self.home.root(), Path::new("projects").join(safe_name(&self.project.key)));
        for session in self.sessions() {
            look(Under::Data, self.home.root(), Path::new("sessions").join(safe_name(&session)));
        }
        if let Some(client) = &self.client {
            look(Under::Client, client, PathBuf::from("data"));
        }
        let log = self.home.log();
        found.extend([log.with_file_name("throughline.log.1"), log].into_iter().filter(Spot::is_file));
        found
    }

    /// Takes the words out of every text; says in which they stood. With `is_trial` they stay.
    pub fn mask(&self, needle: &Needle, is_trial: bool) -> Result<Vec<Spot>, FileError> {
        let mut held = Vec::new();
        for path in self.texts() {
            if !holds(&path, needle) {
                continue;
            }
            if !is_trial && disk::is_temp(&path.name()) {
                disk::remove(&path)?;
            } else if !is_trial {
                let bytes = disk::read_limited(&path, FILE_BYTES_MAX)?.unwrap_or_default();
                disk::replace_verified(&path, &needle.masked(&bytes))?;
            }
            held.push(path);
        }
        Ok(held)
    }

    /// Removes copies of transcripts that hold the words: of each session all, for they build on one another.
    pub fn remove_backups(&self, needle: &Needle, is_trial: bool) -> Result<Vec<String>, FileError> {
        let backups = Backups::of(&self.home);
        let mut sessions: Vec<String> = Vec::new();
        for backup in backups.all().iter().filter(|it| it.project == self.project.key) {
            let mut scan = Scan::new(needle);
            // A copy that cannot be read back as a whole may hold anything.
            let is_whole = backups.restore(backup, &mut scan).is_ok();
            if (scan.found || !is_whole) && !sessions.contains(&backup.session) {
                sessions.push(backup.session.clone());
            }
        }
        if !is_trial {
            for session in &sessions {
                let removed = backups.remove(session, Patience::Person);
                removed.map_err(|error| FileError {
                    deed: "remove the backups in",
                    path: self.home.root().join("backups").shown(),
                    source: io::Error::other(error.to_string()),
                })?;
            }
        }
        Ok(sessions)
    }

    /// Damaged databases that were set aside, and their logs: no look at their pages proves that something is not there.
    #[must_use]
    pub fn damaged(&self) -> Vec<Spot> {
        archive::all_aside(self.home.root())
    }

    /// Looks at every byte of the data folder, and of our files in the project; says which files hold what is looked for.
    #[must_use]
    pub fn search(&self, needle: Option<&Needle>) -> Searched {
        let mut all = self.texts();
        walk(self.home.root(), DEPTH_MAX, &mut all);
        all.sort();
        all.dedup();
        let bytes = all.iter().map(Spot::bytes).sum();
        let files = all.len();
        let is_held = |path: &Spot| {
            let is_named = needle.is_some_and(|needle| needle.is_in(&path.display()));
            is_named || needle.is_some_and(|needle| holds(path, needle))
        };
        Searched { files, bytes, holding: all.into_iter().filter(is_held).collect() }
    }

    /// Files that still hold the words: every byte of the data folder, and of our files in the project.
    #[must_use]
    pub fn still_holding(&self, needle: &Needle) -> Vec<Spot> {
        let mut all = self.texts();
        walk(self.home.root(), DEPTH_MAX, &mut all);
        all.sort();
        all.dedup();
        let mut holding: Vec<Spot> = all.into_iter().filter(|path| holds(path, needle)).collect();
        if let Ok(sessions) = self.remove_backups(needle, true) {
            holding.extend(sessions.iter().map(|session| self.home.root().join("backups").join(session)));
        }
        holding
    }
}

/// Every file below a folder, whatever it is: for looking, not for writing.
fn walk(folder: &Spot, depth: usize, found: &mut Vec<Spot>) {
    for listed in folder.list(FILES_MAX) {
        match listed.kind {
            NodeKind::Folder if depth > 0 => walk(&folder.join(listed.name), depth - 1, found),
            NodeKind::File if found.len() < FILES_MAX => found.push(folder.join(listed.name)),
            _ => {}
        }
    }
}

/// Whether words are taken out of such a file. Databases and copies of transcripts have a part of the store that does it;
/// other copies that we made of a project's texts lose them as well, exact or not.
fn holds_words(row: &Row) -> bool {
    let is_our_copy = matches!(row.forgotten, Fate::WithProject | Fate::WithEverything);
    match row.masked {
        Masked::NoWords | Masked::Rows => false,
        Masked::Exact => is_our_copy,
        _ => row.form != Form::Database,
    }
}

/// Whether a file holds the words. One that cannot be read may.
#[must_use]
pub fn holds(path: &(impl Readable + ?Sized), needle: &Needle) -> bool {
    let look = || -> io::Result<bool> {
        let mut file = path.open_to_read()?;
        let mut scan = Scan::new(needle);
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            let bytes = file.read(&mut piece)?;
            if bytes == 0 || scan.found {
                return Ok(scan.found);
            }
            scan.write_all(&piece[..bytes])?;
        }
    };
    match look() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        looked => looked.unwrap_or(true),
    }
}

/// Looks for the words in a stream.
struct Scan<'n> {
    needle: &'n Needle,
    last: Vec<u8>,
    found: bool,
}

impl<'n> Scan<'n> {
    fn new(needle: &'n Needle) -> Self {
        Self { needle, last: Vec::new(), found: false }
    }
}

impl Write for Scan<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.found {
            self.last.extend_from_slice(bytes);
            self.found = self.needle.pattern.is_match(&self.last);
            let done = self.last.len().saturating_sub(OVERLAP_BYTES);
            self.last.drain(..done);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needle(words: &str) -> Needle {
        Needle::new(&[words.to_owned()]).unwrap()
    }

    #[test]
    fn words_are_found_however_they_are_spelt_and_broken() {
        let needle = needle("Project \"Blue\" moon");
        for text in
            ["project \"blue\" MOON", "x project\n  \"blue\"\tmoon", r#"{"a":"Project \"Blue\"\nmoon"}"#]
        {
            assert!(needle.is_in(text), "{text}");
        }
        assert!(!needle.is_in("project blue moon"));
        assert_eq!(needle.masked(br#"{"a":"b project \"blue\" moon c"}"#), br#"{"a":"b [forgotten] c"}"#);
        assert!(matches!(Needle::new(&[" \t".to_owned()]), Err(NeedleError::Empty)));
        let long = "w".repeat(WORDS_BYTES_MAX + 1);
        assert!(matches!(Needle::new(&[long]), Err(NeedleError::TooLong(_))));
    }

    #[test]
    fn copies_of_a_text_are_known_whole_and_cut_short() {
        let long = format!("{}, and then the herons left", "the queue is drained before a deploy ".repeat(3));
        let needle = Needle::copies(&[long.clone(), "name it \"heron\"".to_owned(), "short".to_owned()])
            .unwrap()
            .unwrap();
        assert_eq!(needle.masked(format!("- {long}\nnext").as_bytes()), b"- [forgotten]\nnext");
        assert_eq!(needle.masked(format!("- {}…\nnext", &long[..80]).as_bytes()), b"- [forgotten]\nnext");
        assert_eq!(needle.masked(br#"{"a":"name it \"heron\""}"#), br#"{"a":"[forgotten]"}"#);
        assert!(!needle.is_in("short"), "too common to be told from others' words");
    }

    #[test]
    fn a_stream_is_looked_at_across_its_pieces() {
        let needle = needle("blue moon");
        let mut scan = Scan::new(&needle);
        for piece in ["x".repeat(20_000).as_str(), " blue", " mo", "on"] {
            scan.write_all(piece.as_bytes()).unwrap();
        }
        assert!(scan.found);
    }
}
