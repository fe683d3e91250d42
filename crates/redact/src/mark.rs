//! The mark in a secret's place: its kind, and a fingerprint by which two occurrences are seen to be one.
//!
//! A plain hash of a password can be guessed by whoever reads the mark, so the fingerprint is keyed: the key is random,
//! one for each installation, readable by its owner alone, and never leaves the machine, while marks may (in a state
//! file that is committed, in a sync). And it has 16 bits: whoever has the key as well can rule guesses out, but cannot
//! confirm one. Where there is no key, the mark has no fingerprint.

use std::sync::OnceLock;

use md5::{Digest, Md5};

/// How every mark begins.
pub const OPENING: &str = "[masked:";

/// Length of a key.
pub const KEY_BYTES: usize = 16;

/// What fingerprints are keyed with.
pub type Key = [u8; KEY_BYTES];

type Source = Box<dyn Fn() -> Option<Key> + Send + Sync>;

static SOURCE: OnceLock<Source> = OnceLock::new();
static KEY: OnceLock<Option<Key>> = OnceLock::new();

/// Says where the key of this process's fingerprints comes from. It is not asked before the first secret; the first source
/// counts.
pub fn use_key_from(source: impl Fn() -> Option<Key> + Send + Sync + 'static) {
    let _ = SOURCE.set(Box::new(source));
}

/// The mark of a secret.
#[must_use]
pub fn of(kind: &str, secret: &str) -> String {
    match KEY.get_or_init(|| SOURCE.get().and_then(|key| key())) {
        Some(key) => format!("{OPENING}{kind}:{:04x}]", fingerprint(key, secret)),
        None => format!("{OPENING}{kind}]"),
    }
}

/// The kind of the mark that a text begins with.
#[must_use]
pub fn at_start(text: &str) -> Option<&str> {
    let inside = text.strip_prefix(OPENING)?;
    kind_of(&inside[..inside.find(']')?])
}

/// The kind of the mark that a text ends with.
#[must_use]
pub fn at_end(text: &str) -> Option<&str> {
    let inside = text.trim_end().strip_suffix(']')?;
    kind_of(&inside[inside.rfind(OPENING)? + OPENING.len()..])
}

fn kind_of(inside: &str) -> Option<&str> {
    let kind = inside.split(':').next().unwrap_or_default();
    let is_kind = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (!kind.is_empty() && inside.len() < 60 && kind.bytes().all(is_kind)).then_some(kind)
}

/// 16 bits of a keyed hash. The key on both sides of the secret, as HMAC has it: more than these bits never shows.
fn fingerprint(key: &Key, secret: &str) -> u16 {
    let hash = Md5::new().chain_update(key).chain_update(secret.as_bytes()).chain_update(key).finalize();
    u16::from_be_bytes([hash[0], hash[1]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_the_same_for_a_key_and_another_for_another() {
        let (key, other) = ([7; KEY_BYTES], [8; KEY_BYTES]);
        assert_eq!(fingerprint(&key, "hunter2"), fingerprint(&key, "hunter2"));
        let differ = (0..64).filter(|number| {
            let secret = number.to_string();
            fingerprint(&key, &secret) != fingerprint(&other, &secret)
        });
        assert!(differ.count() > 60, "another installation has other fingerprints");
    }
}
