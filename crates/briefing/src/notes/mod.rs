//! Session notes: a page for people that says where a session stands now, with a log of what it did.
//!
//! `current.rs` says where it stands, `progress.rs` what happened since the page was last written, `page.rs` puts both
//! into the page and leaves everything else in it as it is.

mod current;
mod page;
mod progress;

pub use current::CurrentState;
pub use page::{Mark, Page, Update};
pub use progress::{Happened, since};

/// One entry of the progress log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Progress {
    /// What happened, on one line.
    pub title: String,
    /// What belongs to it, a line each.
    pub lines: Vec<String>,
}
