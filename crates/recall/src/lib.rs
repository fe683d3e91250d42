//! Recall: what a passage of a session is, which words find it, and how well it answers. Pure: no files, no clock, no
//! environment.
//!
//! A [`Question`] is asked of an index, which tells how rare its words are here ([`Asked`]) and in which passages they
//! stand ([`postings`]). By these and by their heads passages are chosen to be read ([`candidate`]); their texts are
//! judged ([`rank`]) and put in order ([`found`]). What stands close together becomes one result ([`places`]), beside
//! what was recorded ([`entries`], [`hits`]). Whoever keeps the passages looks them up and hands them over.

mod asked;
pub mod candidate;
pub mod cases;
pub mod entries;
pub mod error_form;
pub mod exchange;
pub mod found;
pub mod hits;
mod inflection;
pub mod naming;
pub mod passage;
pub mod places;
pub mod postings;
pub mod question;
pub mod rank;
pub mod scope;
mod search;
mod synonyms;
mod taste;
pub mod weights;
pub mod words;

pub use asked::Asked;
pub use found::{Found, Searched};
pub use hits::Hit;
pub use passage::{CommandOutcome, Head, Passage, PassageKind, Placed, SessionOf};
pub use question::Question;
pub use scope::Scope;
pub use search::Search;
pub use taste::Taste;
