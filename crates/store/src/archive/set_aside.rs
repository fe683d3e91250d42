//! Setting a damaged archive aside, so that the next open starts a new one and the old one can still be looked at.

use std::io;
use std::time::Duration;

use super::{Archive, ArchiveError};

use crate::door::{NodeKind, Spot};
use crate::files;

/// Most names of a folder that are looked at.
const NAMES_MAX: usize = 100_000;
/// How long the file is given to prove that it is whole.
const CHECK_WAIT: Duration = Duration::from_millis(500);

/// Renames a damaged archive and its log to `….corrupt-<stamp>` and gives the new name. `None` when there is nothing
/// damaged (any more): of two processes that met the damage, the second must not set the first one's new file aside.
pub fn set_aside(path: &Spot, stamp: &str) -> io::Result<Option<Spot>> {
    let guard = files::open_append(&beside(path, ".set-aside-lock")).map_err(|error| error.source)?;
    guard.lock()?;
    if !is_damaged(path) {
        return Ok(None);
    }
    rename_aside(path, stamp).map(Some)
}

/// Renames a database and its log, and gives the new name.
pub(crate) fn rename_aside(path: &Spot, stamp: &str) -> io::Result<Spot> {
    let aside = free_name(path, stamp)?;
    // The log first: a database without its log is damaged still, a log without its database is thrown away.
    for suffix in ["-wal", "-shm", ""] {
        match beside(path, suffix).rename(&beside(&aside, suffix)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            renamed => renamed?,
        }
    }
    Ok(aside)
}

/// Databases of a folder that were set aside, with the logs beside them.
#[must_use]
pub fn all_aside(folder: &Spot) -> Vec<Spot> {
    let names = folder.list(NAMES_MAX).into_iter();
    let aside = names.filter(|listed| listed.kind == NodeKind::File && is_aside(&listed.text()));
    let mut found: Vec<Spot> = aside.map(|listed| folder.join(listed.name)).collect();
    found.sort();
    found
}

/// Whether a name is one that a database or its log gets when it is set aside.
pub(crate) fn is_aside(name: &str) -> bool {
    name.contains(".db.corrupt-")
}

/// Damaged is what the engine or our own rows say is damaged; locked, newer or unreadable files are not.
fn is_damaged(path: &Spot) -> bool {
    if !path.exists() {
        return false;
    }
    let looked = Archive::open(path, CHECK_WAIT).and_then(|archive| {
        let lines = archive.full_check()?;
        archive.read_everything()?;
        Ok(lines)
    });
    match looked {
        Ok(lines) => !lines.is_empty(),
        Err(error) => error.is_corrupt(),
    }
}

impl Archive {
    /// Reads every row of every table as the queries do: a missing table or a foreign type shows.
    fn read_everything(&self) -> Result<(), ArchiveError> {
        const TABLES: [&str; 11] = [
            "projects",
            "batches",
            "entries",
            "entry_history",
            "working_sets",
            "entries_fts",
            "sessions",
            "spool_offsets",
            "receipts",
            "notes",
            "compactions",
        ];
        self.read(|connection| {
            for table in TABLES {
                connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |_| Ok(()))?;
            }
            let query = format!("SELECT {} FROM entries", super::entries::ENTRY_COLUMNS);
            let mut statement = connection.prepare(&query)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                super::EntryRow::from_row(row)?;
            }
            Ok(())
        })
    }
}

fn free_name(path: &Spot, stamp: &str) -> io::Result<Spot> {
    let stamp: String =
        stamp.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).take(64).collect();
    let names = (1..1_000).map(|count| match count {
        1 => beside(path, &format!(".corrupt-{stamp}")),
        count => beside(path, &format!(".corrupt-{stamp}-{count}")),
    });
    names.into_iter().find(|name| !name.exists()).ok_or_else(|| {
        io::Error::new(io::ErrorKind::AlreadyExists, "too many damaged archives were set aside")
    })
}

/// The path with something added to its name (`throughline.db` and `-wal`).
pub(crate) fn beside(path: &Spot, suffix: &str) -> Spot {
    path.with_file_name(format!("{}{suffix}", path.name()))
}
