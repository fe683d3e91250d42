//! Marks of what was forgotten: fingerprints with a moment, so that nothing older comes back from a transcript.
//!
//! No text is in them. A mark concerns a session or a project; what is older than its moment is not taken in again, what
//! comes later is new.

use std::collections::BTreeMap;

use md5::{Digest, Md5};
use serde::{Deserialize, Serialize};

use std::path::Path;

use crate::door::Spot;
use crate::files::{self, AtPath, Durability, FileError};
use crate::lock::{Lock, Patience};
use crate::paths::Home;

/// Largest file of marks: a hundred thousand of them.
const FILE_BYTES_MAX: u64 = throughline_domain::limits::MARKS_BYTES_MAX;

/// What was forgotten on this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Forgotten {
    version: u32,
    /// By fingerprint of the session's id: everything before this moment (ms since 1970).
    sessions: BTreeMap<String, i64>,
    /// By fingerprint of the project's top folder.
    projects: BTreeMap<String, i64>,
}

impl Forgotten {
    /// What was forgotten; nothing where there is no file. One that cannot be read is a failure: what it kept away would
    /// come back.
    pub fn read(home: &Home) -> Result<Self, FileError> {
        let path = file(home);
        let Some(bytes) = files::read_limited(&path, FILE_BYTES_MAX)? else { return Ok(Self::default()) };
        serde_json::from_slice(&bytes).map_err(std::io::Error::other).at("read", &path)
    }

    /// Whether nothing was.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sessions.is_empty() && self.projects.is_empty()
    }

    /// Adds marks, one writer at a time. Of two for the same the later moment counts.
    pub fn add(home: &Home, sessions: &[(&str, i64)], projects: &[(&Path, i64)]) -> Result<(), FileError> {
        let path = file(home);
        let lock = home.root().join("forgotten.lock");
        let alone = Lock::acquire(&lock, Patience::Person);
        let _alone = alone.map_err(|error| std::io::Error::other(error.to_string())).at("lock", &lock)?;
        let mut all = Self::read(home)?;
        all.version = 1;
        for (session, until) in sessions {
            let known = all.sessions.entry(session_print(session)).or_insert(*until);
            *known = (*known).max(*until);
        }
        for (root, until) in projects {
            let known = all.projects.entry(project_print(&root.to_string_lossy())).or_insert(*until);
            *known = (*known).max(*until);
        }
        let bytes = serde_json::to_vec(&all).map_err(std::io::Error::other).at("encode", &path)?;
        files::create_folder(home.root())?;
        files::replace(&path, &bytes, Durability::Flushed)
    }

    /// The moment before which a session in a project is forgotten (ms since 1970).
    #[must_use]
    pub fn until_ms(&self, session: &str, project: &str) -> Option<i64> {
        if self.is_empty() {
            return None;
        }
        let of_session = self.until_of_session(session);
        let of_project = self.projects.get(&project_print(project)).copied();
        of_session.max(of_project)
    }

    /// The same for a session in whatever project.
    #[must_use]
    pub fn until_of_session(&self, session: &str) -> Option<i64> {
        if self.sessions.is_empty() {
            return None;
        }
        self.sessions.get(&session_print(session)).copied()
    }

    /// Whether what a session said in a project at that moment is forgotten.
    #[must_use]
    pub fn covers(&self, session: &str, project: &str, at_ms: i64) -> bool {
        self.until_ms(session, project).is_some_and(|until| at_ms < until)
    }

    /// Whether a transcript, by its place below the client's folder of projects, holds nothing that is not forgotten: its
    /// session is, and nobody wrote to it since.
    #[must_use]
    pub fn covers_file(&self, below: &Path, modified_ms: i64) -> bool {
        if self.sessions.is_empty() {
            return false;
        }
        // A subagent's transcript stands in a folder with its session's name.
        let folders =
            below.parent().into_iter().flat_map(Path::components).filter_map(|it| it.as_os_str().to_str());
        let stem = below.file_stem().and_then(|stem| stem.to_str());
        folders.chain(stem).any(|name| self.until_of_session(name).is_some_and(|until| modified_ms < until))
    }
}

fn file(home: &Home) -> Spot {
    home.root().join("forgotten.json")
}

fn session_print(session: &str) -> String {
    print("session", session)
}

fn project_print(root: &str) -> String {
    print("project", root)
}

fn print(what: &str, text: &str) -> String {
    format!("{:032x}", u128::from_be_bytes(Md5::digest(format!("throughline {what} {text}")).into()))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare files behind the door's back")]
mod tests {
    use super::*;

    #[test]
    fn what_is_older_than_the_mark_is_covered_and_what_is_later_is_new() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("data"));
        assert!(Forgotten::read(&home).unwrap().is_empty());
        Forgotten::add(&home, &[("s-1", 100)], &[(Path::new("/p"), 50)]).unwrap();
        Forgotten::add(&home, &[("s-1", 90)], &[]).unwrap();
        let all = Forgotten::read(&home).unwrap();
        assert!(all.covers("s-1", "/elsewhere", 99) && !all.covers("s-1", "/elsewhere", 100));
        assert!(all.covers("s-2", "/p", 49) && !all.covers("s-2", "/p", 50) && !all.covers("s-2", "/p/q", 1));
        assert!(
            all.covers_file(Path::new("-p/s-1.jsonl"), 99)
                && !all.covers_file(Path::new("-p/s-1.jsonl"), 100)
        );
        assert!(all.covers_file(Path::new("-p/s-1/subagents/agent-x.jsonl"), 5));
        let text = std::fs::read_to_string(home.root().join("forgotten.json").shown()).unwrap();
        assert!(!text.contains("s-1") && !text.contains("/p"), "{text}");
    }

    #[test]
    fn marks_that_cannot_be_read_are_a_failure() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        std::fs::write(file(&home).shown(), "{").unwrap();
        assert!(Forgotten::read(&home).is_err());
        assert!(Forgotten::add(&home, &[("s", 1)], &[]).is_err(), "they are not written over");
    }
}
