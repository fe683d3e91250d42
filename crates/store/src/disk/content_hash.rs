//! Content hashes: by which bytes are known again that a person allowed, or that we wrote.

use sha2::{Digest, Sha256};
use throughline_domain::text::fingerprint;

/// What the hashes of today begin with; those of earlier versions were a short fingerprint and a length.
const MARK: &str = "sha256-";

/// The hash of some bytes. Nobody can make other bytes that have it.
#[must_use]
pub fn of(bytes: &[u8]) -> String {
    let mut hash = String::with_capacity(MARK.len() + 64);
    hash.push_str(MARK);
    for byte in Sha256::digest(bytes) {
        hash.push(char::from_digit(u32::from(byte >> 4), 16).unwrap_or('0'));
        hash.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
    }
    hash
}

/// Whether a hash that was kept is that of these bytes. What an earlier version kept still counts: it stands in our own
/// data folder, for bytes that we wrote.
#[must_use]
pub fn is_of(kept: &str, bytes: &[u8]) -> bool {
    if kept.starts_with(MARK) { kept == of(bytes) } else { kept == earlier(bytes) }
}

/// A few characters of a hash, for file names and people.
#[must_use]
pub fn short(hash: &str) -> &str {
    let digits = hash.strip_prefix(MARK).unwrap_or(hash);
    digits.get(..16).unwrap_or(digits)
}

/// The hash as earlier versions wrote it.
pub(crate) fn earlier(bytes: &[u8]) -> String {
    format!("{:016x}-{}", fingerprint(bytes), bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_that_of_its_bytes_alone_and_earlier_ones_still_count() {
        let empty = "sha256-e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(of(b""), empty);
        assert!(is_of(empty, b"") && !is_of(empty, b" "));
        assert!(is_of(&earlier(b"state"), b"state") && !is_of(&earlier(b"state"), b"State"));
        assert_eq!(short(empty), "e3b0c44298fc1c14");
    }
}
