//! The outline of the state in a session's folder: a gate that needs little of it does not read it all.

use serde_json::{Value, json};
use throughline_domain::State;

use crate::door::Spot;
use crate::files::{self, Durability, FileError};

/// Ten decisions with their reasons, and the work item.
const FILE_BYTES_MAX: u64 = throughline_domain::limits::OUTLINE_BYTES_MAX;
const FILE: &str = "outline.json";

/// The outline that was kept of the state file with this stamp; `None` when the file is another one by now.
#[must_use]
pub fn read(session_folder: &Spot, stamp: u64) -> Option<State> {
    let bytes = files::read_limited(&session_folder.join(FILE), FILE_BYTES_MAX).ok()??;
    let text = std::str::from_utf8(&bytes).ok()?;
    // The stamp stands on a line of its own: an old outline is not decoded.
    let (kept, outline) = text.split_once('\n')?;
    if kept.parse() != Ok(stamp) {
        return None;
    }
    State::read(outline).ok().map(|(state, _)| state)
}

/// Keeps the outline of a state that passed the masking when it was stored.
pub fn keep(session_folder: &Spot, stamp: u64, outline: &State) -> Result<(), FileError> {
    let path = session_folder.join(FILE);
    let mut json = outline.to_json();
    if let Value::Object(fields) = &mut json {
        fields.retain(|_, value| *value != json!([]) && *value != json!({}) && !value.is_null());
    }
    files::create_folder(session_folder)?;
    let bytes = format!("{stamp}\n{json}");
    files::replace(&path, bytes.as_bytes(), Durability::Quick)
}
