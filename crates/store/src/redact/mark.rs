//! The mark in a secret's place: its kind, and a fingerprint by which two occurrences are seen to be one.
//!
//! A plain hash of a password can be guessed by whoever reads the mark, so the fingerprint is keyed: the key is random,
//! one for each installation, readable by its owner alone, and never leaves the machine, while marks may (in a state
//! file that is committed, in a sync). And it has 16 bits: whoever has the key as well can rule guesses out, but cannot
//! confirm one. Where there is no key, the mark has no fingerprint.

use std::io::{ErrorKind, Write};
use std::sync::OnceLock;

use md5::{Digest, Md5};

use crate::door::{Spot, outside};
use crate::files;
use crate::paths::Home;

/// How every mark begins.
pub const OPENING: &str = "[masked:";

const KEY_BYTES: usize = 16;

type Key = [u8; KEY_BYTES];

static KEY_FILE: OnceLock<Spot> = OnceLock::new();
static KEY: OnceLock<Option<Key>> = OnceLock::new();

/// Names the data folder whose key makes the fingerprints of this process. Nothing is read before the first secret.
pub fn use_key_of(home: &Home) {
    let _ = KEY_FILE.set(home.mask_key());
}

/// The mark of a secret.
pub(crate) fn of(kind: &str, secret: &str) -> String {
    match KEY.get_or_init(|| KEY_FILE.get().and_then(key_at)) {
        Some(key) => format!("{OPENING}{kind}:{:04x}]", fingerprint(key, secret)),
        None => format!("{OPENING}{kind}]"),
    }
}

/// The kind of the mark that a text begins with.
pub(crate) fn at_start(text: &str) -> Option<&str> {
    let inside = text.strip_prefix(OPENING)?;
    kind_of(&inside[..inside.find(']')?])
}

/// The kind of the mark that a text ends with.
pub(crate) fn at_end(text: &str) -> Option<&str> {
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

/// The key in a file, made when there is none. A data folder that does not exist is not made for it.
fn key_at(path: &Spot) -> Option<Key> {
    if let Some(key) = read(path) {
        return Some(key);
    }
    let key: Key = outside::random().ok()?;
    match files::create_new(path).and_then(|mut file| file.write_all(&key)) {
        Ok(()) => Some(key),
        // Another process was faster.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => read(path),
        Err(_) => None,
    }
}

fn read(path: &Spot) -> Option<Key> {
    files::read_limited(path, KEY_BYTES as u64).ok()??.try_into().ok()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare files behind the door's back")]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_and_tells_secrets_apart() {
        let folder = tempfile::tempdir().unwrap();
        let root = Spot::root(folder.path());
        let path = root.join("mask-key");
        let key = key_at(&path).unwrap();
        assert_eq!(key_at(&path), Some(key));
        assert_ne!(key, Key::default());
        assert_eq!(fingerprint(&key, "hunter2"), fingerprint(&key, "hunter2"));
        let other = key_at(&root.join("another")).unwrap();
        let differ = (0..64).filter(|number| {
            let secret = number.to_string();
            fingerprint(&key, &secret) != fingerprint(&other, &secret)
        });
        assert!(differ.count() > 60, "another installation has other fingerprints");
        assert_eq!(key_at(&root.join("no/folder")), None);
        std::fs::write(path.shown(), "short").unwrap();
        assert_eq!(key_at(&path), None, "a damaged key is no key, and is left as it is");
    }
}
