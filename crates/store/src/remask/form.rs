//! Forms: whether a file looks like one that we write. What does not is left as it is, whatever its name.

use crate::catalogue::Form;

/// What every page of our notes has.
pub(super) const BLOCK: &str = "<!-- throughline: begin";
const COMPACTION: &[u8] = b" | COMPACTION (";

/// Whether a whole file is of this form.
pub(super) fn is_of(form: Form, text: &str) -> bool {
    let is_json = |text: &str| {
        text.trim_start().starts_with(['{', '['])
            && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
    };
    match form {
        Form::Json => is_json(text),
        Form::StampedJson => {
            text.split_once('\n').is_some_and(|(stamp, json)| stamp.parse::<u64>().is_ok() && is_json(json))
        }
        Form::Text(begin) => text.starts_with(begin),
        Form::Notes => text.contains(BLOCK),
        // Broken as it is, it still has the names that a working set has.
        Form::BrokenState => ["\"version\"", "\"decisions\""].iter().all(|name| text.contains(name)),
        Form::Database => true,
        Form::JsonLines | Form::CompactionLog => text.lines().any(|line| is_line_of(form, line.as_bytes())),
        Form::Token | Form::Copy => false,
    }
}

/// Whether a line of a file that others append to is of this form; also one that a kill cut short.
pub(super) fn is_line_of(form: Form, line: &[u8]) -> bool {
    match form {
        Form::JsonLines => line.starts_with(b"{"),
        Form::CompactionLog => {
            line.first().is_some_and(u8::is_ascii_digit) && memchr::memmem::find(line, COMPACTION).is_some()
        }
        // A damaged document is looked at line by line.
        _ => true,
    }
}
