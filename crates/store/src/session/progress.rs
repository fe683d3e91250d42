//! A session's progress: what its hooks found out on the way and go by later, apart from the facts compiled at its start.

use serde::{Deserialize, Serialize};

use crate::door::Spot;
use crate::files::{self, AtPath, Durability, FileError};

const PROGRESS_BYTES_MAX: u64 = throughline_domain::limits::SESSION_CACHE_BYTES_MAX;

/// What changes while a session goes on. Most sessions have none for a long time: then there is no file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionProgress {
    /// Percentages of the compaction point already spoken of since the last compaction.
    pub thresholds_said: Vec<u64>,
    /// A save that could not get the lock and waits for the next gate: its trigger.
    pub save_waits: Option<String>,
    /// The summary became known after the briefing was given: what both lack is told once.
    pub difference_waits: bool,
    /// The session that this one goes on from: `/clear` and a fork begin a new one. Empty where it was looked for in vain.
    pub parent: Option<String>,
    /// Tokens in the context at which the transcript is copied next; 0: at the first step.
    pub backup_at_tokens: u64,
    /// The last compaction that was noticed in the transcript, by what names it there: for clients without a hook for it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub compaction_noticed: String,
    /// A start that has not spoken yet, by how it came about: it does at the next hook that may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_waits: Option<String>,
}

impl SessionProgress {
    /// How far a session is.
    #[must_use]
    pub fn read(folder: &Spot) -> Self {
        Self::read_beside(folder, true)
    }

    /// The same beside facts that were read already: `is_mixed` where an earlier version kept it among them.
    #[must_use]
    pub fn read_beside(folder: &Spot, is_mixed: bool) -> Self {
        let read = |name: &str| files::read_limited(&folder.join(name), PROGRESS_BYTES_MAX).ok().flatten();
        let bytes = read("progress.json").or_else(|| is_mixed.then(|| read("session.json")).flatten());
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// Changes what `change` changes of what stands there now ([`Self::read_beside`]), so that what another run noted meanwhile
    /// stays. There is no lock: of two at the very same instant one may be lost, which costs a notice said twice.
    pub fn change(folder: &Spot, is_mixed: bool, change: impl FnOnce(&mut Self)) -> Result<Self, FileError> {
        let before = Self::read_beside(folder, is_mixed);
        let mut after = before.clone();
        change(&mut after);
        if after != before {
            after.write(folder)?;
        }
        Ok(after)
    }

    /// Gives it a file of its own, before facts are written over what an earlier version kept in one.
    pub fn move_out_of_facts(folder: &Spot) -> Result<(), FileError> {
        if folder.join("progress.json").exists() { Ok(()) } else { Self::read(folder).write(folder) }
    }

    fn write(&self, folder: &Spot) -> Result<(), FileError> {
        let path = folder.join("progress.json");
        let bytes = serde_json::to_vec(self).map_err(std::io::Error::other).at("encode", &path)?;
        files::create_folder(folder)?;
        files::replace(&path, &bytes, Durability::Quick)
    }

    /// The session that this one goes on from, where that is known.
    #[must_use]
    pub fn known_parent(&self) -> Option<&str> {
        self.parent.as_deref().filter(|parent| !parent.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::SessionFacts;

    fn folder() -> (tempfile::TempDir, Spot) {
        let folder = tempfile::tempdir().unwrap();
        let spot = Spot::root(folder.path()).join("s1");
        files::create_folder(&spot).unwrap();
        (folder, spot)
    }

    #[test]
    fn what_nobody_noted_makes_no_file() {
        let (_kept, spot) = folder();
        assert_eq!(SessionProgress::change(&spot, true, |_| {}).unwrap(), SessionProgress::default());
        assert!(!spot.join("progress.json").exists());
    }

    #[test]
    fn what_another_run_noted_meanwhile_stays() {
        let (_kept, spot) = folder();
        let stale = SessionProgress::read(&spot);
        SessionProgress::change(&spot, true, |it| it.thresholds_said = vec![75]).unwrap();
        assert!(stale.thresholds_said.is_empty());
        let both = SessionProgress::change(&spot, true, |it| it.difference_waits = true).unwrap();
        assert_eq!((both.thresholds_said.as_slice(), both.difference_waits), ([75].as_slice(), true));
        assert_eq!(SessionProgress::read(&spot), both);
    }

    #[test]
    fn a_session_that_an_earlier_version_began_goes_on() {
        let (_kept, spot) = folder();
        let mixed = br#"{"session":"s1","thresholds_said":[75,90],"parent":"s0","backup_at_tokens":120000}"#;
        files::replace(&spot.join("session.json"), mixed, Durability::Quick).unwrap();
        let read = SessionProgress::read(&spot);
        assert_eq!(read.thresholds_said, [75, 90]);
        assert_eq!(read.known_parent(), Some("s0"));
        assert_eq!(read.backup_at_tokens, 120_000);
        let facts = SessionFacts::read(&spot).unwrap();
        assert!(facts.holds_progress);
        SessionProgress::move_out_of_facts(&spot).unwrap();
        facts.write(&spot).unwrap();
        assert!(!SessionFacts::read(&spot).unwrap().holds_progress, "facts are written without it");
        assert_eq!(SessionProgress::read(&spot), read);
        SessionProgress::change(&spot, true, |it| it.thresholds_said.clear()).unwrap();
        assert!(SessionProgress::read(&spot).thresholds_said.is_empty(), "its own file counts from then on");
    }
}
