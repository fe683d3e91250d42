//! The door: every file of ours is reached through a handle of the folder that it belongs to, and through no link.
//!
//! A repository that somebody cloned may hold links, pipes and second names wherever our files would be, and may change
//! them while we look. So a file is never named by a path that the system resolves afresh at every call. A [`Spot`] is
//! a root, opened once, and the names below it: each is looked up in the folder before it, and a link among them is
//! refused. The root itself may be reached through links: which folder is meant is the user's own choice.
//!
//! Files that are not ours are named by the user or by the client ([`outside`]): they are read, regular ones alone.

mod meta;
pub mod outside;
mod root;
mod spot;
mod walk;

pub use meta::{Listed, Meta, NodeKind};
pub use spot::Spot;

/// What the system is told about every file and folder that we make: they are for the owner alone.
pub(crate) const OWNER_FILE: rustix::fs::Mode = rustix::fs::Mode::from_raw_mode(0o600);
pub(crate) const OWNER_FOLDER: rustix::fs::Mode = rustix::fs::Mode::from_raw_mode(0o700);

/// Something other than a file or a folder is on the way.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// A link: it may have come with a clone.
    #[error("a link is in the way; nothing is read or written through it")]
    Link,
    /// A second name of the same file: what is written here would show there.
    #[error("the file has a second name (a hard link) elsewhere; it is not written to")]
    SecondName,
    /// A pipe, a device, a socket.
    #[error("not a regular file")]
    NotRegular,
    /// A name that leads out of its folder.
    #[error("the name leads out of its folder")]
    LeadsOut,
}

impl From<Refused> for std::io::Error {
    fn from(refused: Refused) -> Self {
        Self::other(refused)
    }
}

/// Whether an error says that something on the way was refused, not that nothing is there.
#[must_use]
pub fn is_refusal(error: &std::io::Error) -> bool {
    error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<Refused>)
}
