//! Recall: what a passage of a session is, which words find it, and how well it answers.

pub mod error_form;
mod inflection;
pub mod passage;
pub mod question;
pub mod rank;
mod synonyms;
pub mod words;

pub use passage::{Outcome, Passage, PassageKind};
pub use question::Question;
