//! Session notes: a page for people that says where a session stands now, with a log of what it did.
//!
//! `current.rs` says where it stands, `progress.rs` what happened since the page was last written, `page.rs` puts both
//! into the page and leaves everything else in it as it is.

use throughline_domain::Timestamp;

mod current;
mod page;
mod progress;

pub use current::CurrentState;
pub use page::{Mark, Page, Update};
pub use progress::{Happened, since};

/// When something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum When {
    /// When it is written down.
    #[default]
    Now,
    /// Then.
    At(Timestamp),
    /// When the line at this byte of the transcript was written: whoever has the transcript can tell.
    Line(u64),
}

/// A commit, as git tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// `abc1234 subject (author)`.
    pub words: String,
    /// When it was made, where that is known.
    pub at: Option<Timestamp>,
}

/// One entry of the progress log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NotesEntry {
    /// When it happened; not when somebody came to write it down.
    pub at: When,
    /// What happened, on one line.
    pub title: String,
    /// What belongs to it, a line each.
    pub lines: Vec<String>,
}
