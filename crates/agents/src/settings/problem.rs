//! Problem: why a settings file was left alone, where, and what to do about it.

use std::fmt;

/// A settings text we refuse to edit. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsProblem {
    /// Line of the trouble, from 1.
    pub line: usize,
    /// Column of the trouble, from 1.
    pub column: usize,
    /// What is wrong.
    pub what: String,
    /// The way out; may be empty.
    pub hint: String,
}

impl SettingsProblem {
    pub(crate) fn at(text: &str, offset: usize, what: impl Into<String>, hint: impl Into<String>) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        Self { line, column, what: what.into(), hint: hint.into() }
    }

    pub(crate) fn syntax(text: &str, error: &serde_json::Error) -> Self {
        let said = error.to_string();
        let what = said.split(" at line ").next().unwrap_or(&said).to_owned();
        let (line, column) = (error.line().max(1), error.column().max(1));
        let shown = text.lines().nth(line - 1).unwrap_or("");
        let from = (column - 1).min(shown.len());
        let here = shown.as_bytes().get(from..).unwrap_or(b"");
        let hint = if here.starts_with(b"/") {
            "settings files are plain JSON: remove the comment"
        } else if what.contains("trailing comma") {
            "remove the comma before the closing bracket"
        } else {
            "correct the file by hand and run this again"
        };
        Self { line, column, what: format!("not valid JSON: {what}"), hint: hint.to_owned() }
    }
}

impl fmt::Display for SettingsProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.what)
    }
}

impl std::error::Error for SettingsProblem {}
