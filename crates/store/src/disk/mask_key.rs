//! The key of the marks in the data folder: random, made once, readable by its owner alone.

use std::io::{ErrorKind, Write};

use throughline_redact::{KEY_BYTES, Key};

use crate::door::{Spot, outside};
use crate::files;
use crate::paths::Home;

/// Makes this process's marks with the key of a data folder. Nothing is read before the first secret.
pub fn use_key_of(home: &Home) {
    let path = home.mask_key();
    throughline_redact::use_key_from(move || key_at(&path));
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
    fn a_key_is_made_once_for_each_data_folder() {
        let folder = tempfile::tempdir().unwrap();
        let root = Spot::root(folder.path());
        let path = root.join("mask-key");
        let key = key_at(&path).unwrap();
        assert_eq!(key_at(&path), Some(key));
        assert_ne!(key, Key::default());
        assert_ne!(key_at(&root.join("another")), Some(key));
        assert_eq!(key_at(&root.join("no/folder")), None);
        std::fs::write(path.shown(), "short").unwrap();
        assert_eq!(key_at(&path), None, "a damaged key is no key, and is left as it is");
    }
}
