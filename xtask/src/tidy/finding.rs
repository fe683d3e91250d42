//! Finding: one broken rule, where it is, and what to do about it.

use std::fmt;

/// Shown as `path:line: what; remedy`, the form that editors turn into a jump.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) what: String,
    pub(crate) remedy: String,
}

impl Finding {
    pub(crate) fn new(
        path: impl Into<String>,
        line: usize,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { path: path.into(), line, what: what.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}; {}", self.path, self.line, self.what, self.remedy)
    }
}
