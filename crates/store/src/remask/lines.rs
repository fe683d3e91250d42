//! Lines: files that others append to at any moment. A secret is overwritten where it stands: no byte moves.
//!
//! A replacement would lose what is appended meanwhile, and whoever remembers how far a file was read would read on in
//! the middle of a line.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use serde_json::Value;
use throughline_redact as redact;

use super::form;
use crate::catalogue::Form;
use crate::door::Spot;
use crate::files::{self, AtPath, FileError};

/// Largest file that is looked into.
const FILE_BYTES_MAX: u64 = throughline_domain::limits::REMASKED_LINES_BYTES_MAX;
/// A star may end what hid another secret.
const PASSES_MAX: usize = 8;
const STAR: u8 = b'*';

/// Overwrites the secrets of those lines of a file that are of our form; says whether there were any.
pub(super) fn mask(path: &Spot, form: Form) -> Result<bool, FileError> {
    let Some(before) = files::read_limited(path, FILE_BYTES_MAX)? else { return Ok(false) };
    let mut bytes = before.clone();
    let mut stars = Vec::new();
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', &bytes).chain([bytes.len()]).collect();
    let mut line = 0;
    for end in ends {
        if form::is_line_of(form, &bytes[line..end]) {
            star_line(&mut bytes[line..end], line, &mut stars);
        }
        line = (end + 1).min(bytes.len());
    }
    if stars.is_empty() {
        return Ok(false);
    }
    let file = files::open_standing(path)?;
    // What is overwritten stays beside it until the new content was read back.
    let kept = files::temp_beside(path);
    files::create_whole(&kept, &before)?;
    let written = overwrite(&file, &bytes, &stars).at("write to", path);
    if written.is_err() {
        overwrite(&file, &before, &stars).at("give back", path)?;
    }
    files::remove(&kept)?;
    written.map(|()| true)
}

/// Writes some places of a file, and reads them back. Others may append meanwhile.
fn overwrite(file: &File, bytes: &[u8], places: &[(usize, usize)]) -> io::Result<()> {
    for (from, to) in places {
        file.write_all_at(&bytes[*from..*to], *from as u64)?;
    }
    file.sync_data()?;
    let mut read = Vec::new();
    for (from, to) in places {
        read.resize(to - from, 0);
        file.read_exact_at(&mut read, *from as u64)?;
        if read != bytes[*from..*to] {
            return Err(io::Error::other("what was read back is not what was written"));
        }
    }
    Ok(())
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
#[expect(clippy::disallowed_methods, reason = "tests prepare files behind the door's back")]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_overwritten_and_nothing_moves() {
        let folder = tempfile::tempdir().unwrap();
        let path = Spot::root(folder.path()).join("spool.jsonl");
        let secret = ["ghp_", "q7Zr4TnYw8LkVb2McXdP9sHfGj3uAe6RtK1o"].concat();
        let text = format!(
            "{{\"note\":\"use {secret} é\"}}\n\u{fffd}x\n{{\"name\":\"DB_PASSWORD\",\"value\":\"tr0ub4dor&3\"}}\n{{\"cut"
        );
        std::fs::write(path.shown(), &text).unwrap();
        assert!(mask(&path, Form::JsonLines).unwrap());
        let after = std::fs::read_to_string(path.shown()).unwrap();
        assert_eq!(after.len(), text.len());
        assert_eq!(
            after,
            text.replace(&secret, &"*".repeat(secret.len())).replace("tr0ub4dor&3", &"*".repeat(11))
        );
        assert!(!mask(&path, Form::JsonLines).unwrap(), "once is enough");
    }
}
