//! The machine's id: random, made once, kept in the data folder. It tells machines apart and says nothing about them.

use std::path::Path;

use throughline_domain::usage::RecordId;

use crate::door::outside;
use crate::files::{self, AtPath, Durability, FileError};
use crate::paths::Home;

const FILE_BYTES_MAX: u64 = throughline_domain::limits::MACHINE_BYTES_MAX;

/// The id, made on the first call. Of two first calls at once the file's last writer wins, and both read it back.
pub fn id(home: &Home) -> Result<RecordId, FileError> {
    if let Some(id) = read(home)? {
        return Ok(id);
    }
    let bytes: [u8; 16] = outside::random().at("read", Path::new("/dev/urandom"))?;
    files::create_folder(home.root())?;
    files::replace(
        &home.machine(),
        format!("{}\n", RecordId(bytes).as_uuid()).as_bytes(),
        Durability::Flushed,
    )?;
    Ok(read(home)?.unwrap_or(RecordId(bytes)))
}

fn read(home: &Home) -> Result<Option<RecordId>, FileError> {
    let text = files::read_limited(&home.machine(), FILE_BYTES_MAX)?.unwrap_or_default();
    let digits: String =
        String::from_utf8_lossy(&text).trim().chars().filter(|letter| *letter != '-').collect();
    let is_whole = digits.len() == 32;
    Ok(u128::from_str_radix(&digits, 16).ok().filter(|_| is_whole).map(|id| RecordId(id.to_be_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_stays_and_a_broken_file_gets_a_new_one() {
        let folder = tempfile::TempDir::new().unwrap();
        let home = Home::at(folder.path().join("data"));
        let first = id(&home).unwrap();
        assert_eq!(id(&home).unwrap(), first);
        assert_ne!(first, RecordId([0; 16]));
        files::replace(&home.machine(), b"not an id", Durability::Quick).unwrap();
        let second = id(&home).unwrap();
        assert!(second != first && id(&home).unwrap() == second);
    }
}
