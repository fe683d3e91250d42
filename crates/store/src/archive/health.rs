//! Health: how large the archive is, what is in it, and whether it is whole. For `doctor` and `status`.

use super::set_aside::beside;
use super::{Archive, ArchiveError, from_sql_int};

/// What the archive holds of one project.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Entries ever recorded.
    pub entries: u64,
    /// Those in the working set.
    pub live: u64,
    /// Sessions.
    pub sessions: u64,
    /// Receipts kept.
    pub receipts: u64,
    /// Compactions.
    pub compactions: u64,
}

impl Archive {
    /// What is wrong inside the file, at most 20 lines; empty when it is whole.
    pub fn quick_check(&self) -> Result<Vec<String>, ArchiveError> {
        self.check("PRAGMA quick_check(20)")
    }

    /// The same, with every index compared to its table: slower, and misses nothing.
    pub(super) fn full_check(&self) -> Result<Vec<String>, ArchiveError> {
        self.check("PRAGMA integrity_check(20)")
    }

    fn check(&self, pragma: &str) -> Result<Vec<String>, ArchiveError> {
        let mut lines: Vec<String> =
            self.read(|connection| connection.prepare(pragma)?.query_map([], |row| row.get(0))?.collect())?;
        lines.retain(|line| line != "ok");
        Ok(lines)
    }

    /// How much of a project is in here.
    pub fn counts(&self, project: &str) -> Result<Counts, ArchiveError> {
        self.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT (SELECT count(*) FROM entries WHERE project = ?1),
                            (SELECT count(*) FROM entries WHERE project = ?1 AND left_at IS NULL),
                            (SELECT count(*) FROM sessions WHERE project = ?1),
                            (SELECT count(*) FROM receipts WHERE project = ?1),
                            (SELECT count(*) FROM compactions WHERE project = ?1)",
                )?
                .query_row([project], |row| {
                    Ok(Counts {
                        entries: from_sql_int(row.get(0)?),
                        live: from_sql_int(row.get(1)?),
                        sessions: from_sql_int(row.get(2)?),
                        receipts: from_sql_int(row.get(3)?),
                        compactions: from_sql_int(row.get(4)?),
                    })
                })
        })
    }

    /// Bytes on disk: the database and its log.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.path.bytes() + beside(&self.path, "-wal").bytes()
    }

    /// Moves the log into the database and empties it; what is in use by others waits.
    pub fn checkpoint(&self) -> Result<(), ArchiveError> {
        self.read(|connection| connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())))
    }
}
