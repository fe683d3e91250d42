//! Forgetting: words, or what a session, a project or a time brought, goes out of every place, and it is proven.

pub mod origin;
pub mod target;
pub mod traces;
pub mod words;

/// Hooks may write meanwhile: so often everything is looked through before giving up.
const ROUNDS_MAX: usize = 3;
/// Most folders of sessions that are looked at.
const FOLDERS_MAX: usize = 100_000;
