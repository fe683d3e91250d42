//! A problem: something that was not understood, and was kept aside instead of being lost.

use std::fmt;

/// What was not understood, and where. Reading goes on; `validate` and `doctor` show the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The place, as a path into the document: `decisions[2].timestamp`.
    pub place: String,
    /// What is wrong there.
    pub what: String,
}

impl Problem {
    /// A problem at a place.
    pub fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { place: place.into(), what: what.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}
