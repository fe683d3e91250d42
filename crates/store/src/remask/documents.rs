//! Documents: files that are replaced whole.

use std::borrow::Cow;

use serde_json::Value;
use throughline_redact as redact;

use super::form::{self, BLOCK};
use super::lines;
use crate::catalogue::Form;
use crate::door::Spot;
use crate::files::{self, FileError};

const FILE_BYTES_MAX: u64 = throughline_domain::limits::REMASKED_DOCUMENT_BYTES_MAX;
/// Longest working set that was set aside and may have been ours.
const BROKEN_BYTES_MAX: u64 = throughline_domain::limits::FOREIGN_STATE_BYTES_MAX;
/// Where our block of a page ends that a person writes as well, and where our log in it begins.
const BLOCK_END: &str = "<!-- throughline: end -->";
const LOG: &str = "## Progress Log";

/// Masks a file of ours; says whether something was to be masked.
pub(super) fn mask(path: &Spot, form: Form) -> Result<bool, FileError> {
    replaced(path, form, masked)
}

/// Masks a file that is a JSON document.
pub(super) fn mask_json(path: &Spot) -> Result<bool, FileError> {
    mask(path, Form::Json)
}

/// Whether a file has the same content as another one, or has it once both are masked.
pub(super) fn is_alike(path: &Spot, other: &Spot) -> Result<bool, FileError> {
    let read = |path: &Spot| files::read_limited(path, FILE_BYTES_MAX);
    let clean = |bytes: Vec<u8>| match std::str::from_utf8(&bytes).ok().and_then(masked) {
        Some(clean) => clean.into_bytes(),
        None => bytes,
    };
    Ok(match (read(path)?, read(other)?) {
        (Some(one), Some(other)) => one == other || clean(one) == clean(other),
        _ => false,
    })
}

/// Masks what is ours in a page of notes: the block, and the log.
pub(super) fn mask_notes(path: &Spot) -> Result<bool, FileError> {
    replaced(path, Form::Notes, masked_notes)
}

/// Masks a file if it is text as a whole; `None` when it is not, or too large to be looked at.
pub(super) fn mask_text(path: &Spot, form: Form) -> Result<Option<bool>, FileError> {
    if form == Form::BrokenState && path.bytes() > BROKEN_BYTES_MAX {
        // No working set of ours was ever so long: somebody else's, set aside unread.
        return Ok(Some(false));
    }
    let is_text = match files::read_limited(path, FILE_BYTES_MAX) {
        Ok(Some(bytes)) => std::str::from_utf8(&bytes).is_ok() && !bytes.contains(&0),
        Ok(None) => return Ok(Some(false)),
        Err(_) => false,
    };
    if is_text { mask(path, form).map(Some) } else { Ok(None) }
}

fn replaced(path: &Spot, form: Form, masked: fn(&str) -> Option<String>) -> Result<bool, FileError> {
    let Some(bytes) = files::read_limited(path, FILE_BYTES_MAX)? else { return Ok(false) };
    // What is no text as a whole may hold some: it is overwritten where it stands.
    let Ok(text) = std::str::from_utf8(&bytes) else { return lines::mask(path, form) };
    if !form::is_of(form, text) {
        return Ok(false);
    }
    match masked(text) {
        Some(clean) => files::replace_verified(path, clean.as_bytes()).map(|()| true),
        None => Ok(false),
    }
}

/// The text without secrets; `None` when there were none.
pub(super) fn masked(text: &str) -> Option<String> {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return match redact::text(text) {
            Cow::Owned(clean) => Some(clean),
            Cow::Borrowed(_) => None,
        };
    };
    let mut clean = value.clone();
    redact::json(&mut clean);
    if clean == value {
        return None;
    }
    let is_pretty = text.trim_start().starts_with("{\n") || text.trim_start().starts_with("[\n");
    let written =
        if is_pretty { serde_json::to_string_pretty(&clean) } else { serde_json::to_string(&clean) };
    let end = if text.ends_with('\n') { "\n" } else { "" };
    written.ok().map(|written| written + end)
}

fn masked_notes(text: &str) -> Option<String> {
    let (mut is_ours, mut is_log) = (false, false);
    let mut clean = String::with_capacity(text.len());
    let mut ours = String::new();
    for line in text.split_inclusive('\n') {
        is_ours |= line.starts_with(BLOCK);
        is_log = (is_log || line.starts_with(LOG))
            && !(line.starts_with("# ") || line.starts_with("## ") && !line.starts_with(LOG));
        if is_ours || is_log {
            ours.push_str(line);
        } else {
            clean.push_str(&redact::text(&std::mem::take(&mut ours)));
            clean.push_str(line);
        }
        is_ours &= !line.starts_with(BLOCK_END);
    }
    clean.push_str(&redact::text(&ours));
    (clean != text).then_some(clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_persons_own_words_stay_in_a_page_of_notes() {
        let secret = ["ghp_", "q7Zr4TnYw8LkVb2McXdP9sHfGj3uAe6RtK1o"].concat();
        let page = format!(
            "# Mine {secret}\n<!-- throughline: begin (x) -->\nours {secret}\n<!-- throughline: end -->\nmine {secret}\n## Progress Log\n- ours {secret}\n## Mine\nkept {secret}\n"
        );
        let clean = masked_notes(&page).unwrap();
        assert_eq!(clean.matches(&secret).count(), 3, "{clean}");
        assert!(
            clean.contains("mine ghp_") && clean.contains("kept ghp_") && clean.contains("- ours [masked:")
        );
        assert_eq!(masked_notes(&clean), None);
    }
}
