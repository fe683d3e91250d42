//! Rotation of the usage log: a full one gets another name, and every line that was ever written stays.
//!
//! Writers open the log for every line. One that opened it right before the rename writes into the renamed file: its
//! line is there, and readers know files by their identity, not by their name.

use throughline_domain::{Timestamp, time};

use super::FILE_NAME;
use crate::door::Spot;
use crate::files::{self, FileError};
use crate::lock::Lock;

/// Puts the log aside if it is still full. Returns whether there may be another one now; `false` while somebody else
/// is at it: the line can go into the old one as well.
pub(super) fn rotate(folder: &Spot, rotate_bytes: u64, now: Timestamp) -> Result<bool, FileError> {
    let Some(_alone) = Lock::try_now(&folder.join(".context-usage.lock")) else { return Ok(false) };
    let path = folder.join(FILE_NAME);
    // Measured again, alone: two that saw the same full log must not put the next one aside too.
    if path.bytes() < rotate_bytes {
        return Ok(true);
    }
    files::rename(&path, &free_name(folder, now), "rotate")?;
    Ok(true)
}

/// `context-usage.2026-01-26T15-30-00-123Z.jsonl`; a name that is taken gets a number.
fn free_name(folder: &Spot, now: Timestamp) -> Spot {
    let stamp = time::iso(now).replace([':', '.'], "-");
    let first = folder.join(format!("context-usage.{stamp}.jsonl"));
    let others = (2_u32..).map(|number| folder.join(format!("context-usage.{stamp}-{number}.jsonl")));
    // The last resort is never reached: somebody would have to rotate four billion times in a millisecond.
    std::iter::once(first.clone()).chain(others).find(|path| !path.exists()).unwrap_or(first)
}
