//! Scope: whose memory is to be forgotten, and up to when.

use throughline_domain::{Timestamp, time};

use crate::paths::Project;

/// What is to be forgotten: of one project, one session or all, everything or what is older than a moment.
#[derive(Debug, Clone)]
pub struct Scope {
    /// The project.
    pub project: Project,
    /// One session of it; `None`: all, and what belongs to none.
    pub session: Option<String>,
    /// Only what is older.
    pub before: Option<Timestamp>,
    /// The sessions that are concerned, as far as any place knows them.
    pub sessions: Vec<String>,
}

impl Scope {
    /// Whether it is the whole project, without a date.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.session.is_none() && self.before.is_none()
    }

    /// Whether something of that moment is concerned.
    #[must_use]
    pub fn holds_ms(&self, at_ms: i64) -> bool {
        self.before.is_none_or(|before| at_ms < before.as_millisecond())
    }

    /// The same for a moment as text; one that cannot be read is as old as can be.
    #[must_use]
    pub fn holds_iso(&self, at: &str) -> bool {
        self.holds_ms(time::parse(at).map_or(i64::MIN, Timestamp::as_millisecond))
    }

    /// Whether a session is concerned.
    #[must_use]
    pub fn names(&self, session: &str) -> bool {
        self.session.as_deref().is_none_or(|own| own == session)
    }

    pub(crate) fn before_ms(&self) -> Option<i64> {
        self.before.map(Timestamp::as_millisecond)
    }

    pub(crate) fn before_iso(&self) -> Option<String> {
        self.before.map(time::iso)
    }
}
