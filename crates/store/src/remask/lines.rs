//! Lines: files that others append to at any moment. A secret is overwritten where it stands: no byte moves.
//!
//! A replacement would lose what is appended meanwhile, and whoever remembers how far a file was read would read on in
//! the middle of a line.

use std::fs::OpenOptions;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use serde_json::Value;

use crate::files::{self, AtPath, FileError};
use crate::redact;

/// Largest file that is looked into.
const FILE_BYTES_MAX: u64 = throughline_domain::limits::REMASKED_LINES_BYTES_MAX;
/// A star may end what hid another secret.
const PASSES_MAX: usize = 8;
const STAR: u8 = b'*';

/// Overwrites the secrets of a file; says whether there were any.
pub(super) fn mask(path: &Path) -> Result<bool, FileError> {
    let Some(mut bytes) = files::read_limited(path, FILE_BYTES_MAX)? else { return Ok(false) };
    let mut stars = Vec::new();
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', &bytes).chain([bytes.len()]).collect();
    let mut line = 0;
    for end in ends {
        star_line(&mut bytes[line..end], line, &mut stars);
        line = (end + 1).min(bytes.len());
    }
    if stars.is_empty() {
        return Ok(false);
    }
    let no_link = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    let file = OpenOptions::new().write(true).custom_flags(no_link).open(path).at("open", path)?;
    for (from, to) in stars {
        file.write_all_at(&bytes[from..to], from as u64).at("write to", path)?;
    }
    file.sync_data().at("flush", path)?;
    Ok(true)
}

/// Overwrites the secrets of a line that begins at `offset`; notes where.
fn star_line(line: &mut [u8], offset: usize, stars: &mut Vec<(usize, usize)>) {
    for _ in 0..PASSES_MAX {
        let found = secrets_of(line);
        if found.is_empty() {
            return;
        }
        for (from, to) in found {
            line[from..to].fill(STAR);
            stars.push((offset + from, offset + to));
        }
    }
}

fn secrets_of(line: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    // What is no text is passed over, not what stands beside it.
    for chunk in line.utf8_chunks() {
        let text = chunk.valid();
        let place = |secret: &str| secret.as_ptr() as usize - text.as_ptr() as usize;
        let of_text = redact::secrets(text).into_iter();
        found.extend(of_text.map(|secret| (at + place(secret), at + place(secret) + secret.len())));
        at += text.len() + chunk.invalid().len();
    }
    if found.is_empty()
        && let Ok(value) = serde_json::from_slice::<Value>(line)
    {
        let mut masked = value.clone();
        redact::json(&mut masked);
        changed_strings(&value, &masked, &mut |string| {
            let spelt = serde_json::to_string(string).unwrap_or_default();
            let inside = spelt.get(1..spelt.len().saturating_sub(1)).unwrap_or_default();
            let places = memchr::memmem::find_iter(line, inside.as_bytes());
            found.extend(places.filter(|_| !inside.is_empty()).map(|from| (from, from + inside.len())));
        });
    }
    found.retain(|(from, to)| line[*from..*to].iter().any(|byte| *byte != STAR));
    found
}

/// Calls `each` with every string that differs.
fn changed_strings(before: &Value, after: &Value, each: &mut impl FnMut(&str)) {
    match (before, after) {
        (Value::String(old), Value::String(new)) if old != new => each(old),
        (Value::Array(old), Value::Array(new)) => {
            old.iter().zip(new).for_each(|(old, new)| changed_strings(old, new, each));
        }
        (Value::Object(old), Value::Object(new)) => {
            for ((old_key, old), (new_key, new)) in old.iter().zip(new) {
                if old_key != new_key {
                    each(old_key);
                }
                changed_strings(old, new, each);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_overwritten_and_nothing_moves() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spool.jsonl");
        let secret = ["ghp_", "q7Zr4TnYw8LkVb2McXdP9sHfGj3uAe6RtK1o"].concat();
        let text = format!(
            "{{\"note\":\"use {secret} é\"}}\n\u{fffd}x\n{{\"name\":\"DB_PASSWORD\",\"value\":\"tr0ub4dor&3\"}}\n{{\"cut"
        );
        std::fs::write(&path, &text).unwrap();
        assert!(mask(&path).unwrap());
        let after = std::fs::read_to_string(&path).unwrap();
        assert_eq!(after.len(), text.len());
        assert_eq!(
            after,
            text.replace(&secret, &"*".repeat(secret.len())).replace("tr0ub4dor&3", &"*".repeat(11))
        );
        assert!(!mask(&path).unwrap(), "once is enough");
    }
}
