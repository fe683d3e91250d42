//! The project at hand: its folders, its memory, and who asks for what.

use std::time::Duration;

use throughline_domain::Timestamp;
use throughline_store::memory::{Author, Memory};

use crate::liveness;
use crate::place::Place;

/// How long whoever was asked by a person waits for a database.
pub const ARCHIVE_WAIT: Duration = Duration::from_secs(2);

/// A project that somebody works with.
#[derive(Debug)]
pub struct AtHand<'a> {
    /// The user's folders.
    pub place: &'a Place,
    /// The project's memory.
    pub memory: &'a Memory,
    /// Who asks, and when.
    pub author: Author,
}

impl AtHand<'_> {
    /// When it was asked.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.author.now
    }

    /// The session at hand: the one that asks, else the one last active in this project.
    #[must_use]
    pub fn session(&self) -> Option<String> {
        self.author.session.clone().or_else(|| {
            let seen = liveness::sessions(&self.place.home, &self.memory.project, self.now());
            seen.into_iter().next().map(|seen| seen.session)
        })
    }
}
