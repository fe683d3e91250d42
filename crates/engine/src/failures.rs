//! Failures: what went wrong without stopping a run, for the log and `doctor`.

use std::cell::RefCell;
use std::fmt::Display;

/// What went wrong so far, in order. Shared by all steps of a run: none of them has to hand it on.
#[derive(Debug, Default)]
pub struct Failures(RefCell<Vec<String>>);

impl Failures {
    /// None so far.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// One more.
    pub fn add(&self, what: impl Display) {
        self.0.borrow_mut().push(what.to_string());
    }

    /// What came of a step; its failure is kept.
    pub fn keep<T, E: Display>(&self, result: Result<T, E>) -> Option<T> {
        result.map_err(|error| self.add(error)).ok()
    }

    /// The same; the failure says of what it is one.
    pub fn keep_of<T, E: Display>(&self, what: &str, result: Result<T, E>) -> Option<T> {
        result.map_err(|error| self.add(format_args!("{what}: {error}"))).ok()
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> Vec<String> {
        self.0.borrow().clone()
    }
}
