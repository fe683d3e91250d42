//! Limits: how much is read of everything that comes from outside, and how deep; one table for all rooms.
//!
//! A room gives a limit the name that it has there (`const FILE_BYTES_MAX: u64 = limits::CHECKPOINT_BYTES_MAX`); the
//! number stands here alone, and `cargo xtask tidy` sees to it. How much a bundle unpacks to depends on who vouches for
//! it: `Room` in the store's bundles.

/// A limit: its name, its number, what it bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// The constant's name.
    pub name: &'static str,
    /// Bytes, folders, rounds, as the name says.
    pub number: u64,
    /// What it bounds.
    pub bounds: &'static str,
}

/// Makes a constant and a row of the table from each line.
macro_rules! limits {
    ($($name:ident: $kind:ty = $number:expr, $bounds:literal;)*) => {
        $(#[doc = $bounds] pub const $name: $kind = $number;)*
        /// All of them.
        pub const ALL: &[Limit] = &[$(Limit { name: stringify!($name), number: $number as u64, bounds: $bounds }),*];
    };
}

limits! {
    // What the client hands to a hook, a status line or a server of ours.
    PAYLOAD_BYTES_MAX: usize = 4 << 20, "A hook's or a status line's payload.";
    CLAIM_BYTES_MAX: usize = 64 << 10, "The part of a spool in which two installations look for each other's claims.";
    HOOK_RECALL_BYTES_MAX: u64 = 8 << 20, "What a hook reads of transcripts for the index of recall, at a time.";
    MCP_LINE_BYTES_MAX: usize = 8 << 20, "A message of an MCP client.";
    TRANSCRIPT_LINE_BYTES_MAX: usize = 16 << 20, "A line of a transcript.";
    TRANSCRIPT_BYTES_MAX: u64 = 512 << 20, "A transcript that is read whole, for a trend.";
    TRAIL_BYTES_MAX: u64 = 128 << 20, "The end of a transcript that a gauge looks at.";
    TRANSCRIPT_DEPTH_MAX: usize = 8, "Folders below the client's `projects` in which transcripts are looked for.";
    BACKUP_SLICE_BYTES_MAX: u64 = 8 << 20, "What one backup copies of a transcript.";
    SETTINGS_BYTES_MAX: usize = 4 << 20, "The client's settings, to be edited.";
    SETTINGS_FILE_BYTES_MAX: u64 = 8 << 20, "A settings file of the client's, read.";
    CLIENT_LIST_BYTES_MAX: usize = 32 << 20, "The client's own list of projects and servers.";
    // What a project holds: it may have come with a clone.
    STATE_BYTES_MAX: usize = 4 << 20, "A state as text.";
    STATE_FILE_BYTES_MAX: u64 = 4 << 20, "A state file that is taken in.";
    FOREIGN_STATE_BYTES_MAX: u64 = 128 << 10, "A state file that was not written here; a longer one is set aside unread.";
    STATE_COPY_BYTES_MAX: u64 = 8 << 20, "A state file that is looked at, and our copy of it.";
    CONFIG_BYTES_MAX: u64 = 256 << 10, "A configuration: `throughline.toml`.";
    CHECKPOINT_BYTES_MAX: u64 = 4 << 20, "A checkpoint.";
    PAGE_BYTES_MAX: u64 = 1 << 20, "A page of notes.";
    NOTE_FILE_BYTES_MAX: u64 = 64 << 10, "A file that was left for the next session.";
    INSTRUCTIONS_BYTES_MAX: u64 = 1 << 20, "CLAUDE.md.";
    EXCLUDE_BYTES_MAX: u64 = 1 << 20, "Git's exclude file.";
    ENV_FILE_BYTES_MAX: u64 = 64 << 10, "A file of settings beside the code (`.env`).";
    GIT_HEAD_BYTES_MAX: u64 = 8 << 10, "`HEAD`, and a `.git` that is a file.";
    TIMED_LINE_BYTES_MAX: u64 = 1 << 20, "A transcript's line whose time is looked for.";
    NOTICED_BYTES_MAX: u64 = 8 << 20, "What was written to a transcript since the last hook, where a compaction is looked for in it.";
    VERBATIM_BYTES_MAX: u64 = 4 << 20, "What came after a summary that was made ahead of its compaction.";
    GIT_MOVEMENTS_BYTES_MAX: u64 = 4 << 20, "Git's list of the movements of `HEAD`; of a longer one nothing is told.";
    GIT_POINTER_BYTES_MAX: u64 = 8 << 10, "A path that git wrote into a file.";
    GIT_CONFIG_BYTES_MAX: u64 = 1 << 20, "A configuration of git's; a longer one, and the repository is not asked.";
    GIT_SUBMODULE_DEPTH_MAX: u8 = 16, "Submodules in submodules.";
    GIT_PACKED_BYTES_MAX: u64 = 4 << 20, "Git's packed references.";
    GIT_INDEX_TAIL_BYTES_MAX: u64 = 256 << 10, "The end of git's index.";
    GIT_INDEX_BYTES_MAX: u64 = 512 << 20, "An index of git's that is copied.";
    // What a person names, or hands over.
    BUNDLE_LINE_BYTES_MAX: usize = 16 << 20, "A record of a bundle.";
    BUNDLE_FILE_BYTES_MAX: usize = 6 << 20, "A file in a bundle: a usage log is put aside at 5 MB.";
    PIPED_BYTES_MAX: u64 = 64 << 20, "A bundle that comes through a pipe: it is read twice, and kept until then.";
    COUNTED_BYTES_MAX: u64 = 32 << 20, "A text whose tokens are counted; the API takes no larger request either.";
    PRICES_BYTES_MAX: u64 = 32 << 20, "A table of prices.";
    PASTED_BYTES_MAX: u64 = 64 << 10, "A log that is pasted into `recall fix`.";
    FLEET_URL_BYTES_MAX: u64 = 8 << 10, "A file that holds the fleet's address.";
    PGPASS_BYTES_MAX: u64 = 256 << 10, "A file of passwords, as PostgreSQL's programs read it.";
    ENCODED_DEPTH_MAX: usize = 2, "Base64 inside of base64, where secrets are looked for.";
    // What servers and programs answer.
    FLEET_MESSAGE_BYTES_MAX: usize = 64 << 20, "A message of the fleet's server.";
    SCRAM_ROUNDS_MAX: u32 = 1_000_000, "Rounds of hashing at a login; a billion would keep us busy for an hour.";
    RESOLVER_BYTES_MAX: u64 = 64 << 10, "The addresses of a host.";
    AUTHORITIES_BYTES_MAX: u64 = 8 << 20, "A file of certificates.";
    API_ANSWER_BYTES_MAX: u64 = 1 << 20, "An answer of the Messages API.";
    PROGRAM_ANSWER_BYTES_MAX: u64 = 64 << 10, "What a program prints that we ask for its version.";
    WRAPPED_LINE_BYTES_MAX: u64 = 16 << 10, "What another status line prints.";
    // What stands in our own data folder: ours, but disks and people change files.
    ARCHIVE_LOG_BYTES_MAX: u64 = 1 << 20, "The write-ahead log that an archive leaves behind.";
    RECALL_LOG_BYTES_MAX: u64 = 4 << 20, "The write-ahead log of the index of recall.";
    RECALL_BLOCK_BYTES_MAX: usize = 16 << 20, "A block of passages, unpacked.";
    BACKUP_INDEX_BYTES_MAX: u64 = 16 << 20, "An index of backups.";
    SPOOL_FOLD_BYTES_MAX: u64 = 4 << 20, "A spool, at one fold; the rest waits for the next gate.";
    OUTBOX_BATCH_BYTES_MAX: u64 = 64 << 20, "A batch of the outbox.";
    LEDGER_BYTES_MAX: u64 = 16 << 20, "A ledger.";
    SESSION_CACHE_BYTES_MAX: u64 = 1 << 20, "A session's cache or mark.";
    SESSION_LIST_BYTES_MAX: u64 = 256 << 10, "A project's list of sessions.";
    SUMMARY_BYTES_MAX: u64 = 256 << 10, "A summary of a task.";
    SUMMARY_INDEX_BYTES_MAX: u64 = 1 << 20, "A session's list of summaries.";
    STATUSLINE_RULES_BYTES_MAX: u64 = 64 << 10, "The compiled rules of a status line.";
    USAGE_LINE_BYTES_MAX: usize = 4 << 10, "A line of the usage log.";
    HAND_OVER_BYTES_MAX: u64 = 256 << 10, "What a session handed over.";
    HANDED_BYTES_MAX: u64 = 64 << 10, "A hand-over on standard input.";
    GLANCE_BYTES_MAX: u64 = 16 << 10, "The few words that a status line shows.";
    OUTLINE_BYTES_MAX: u64 = 64 << 10, "An outline: ten decisions with their reasons, and the work item.";
    PROPOSALS_BYTES_MAX: u64 = 256 << 10, "Proposed anchors: ten sentences, a thousand fingerprints.";
    TRUST_BYTES_MAX: u64 = 16 << 10, "What was trusted.";
    VERSIONS_BYTES_MAX: u64 = 64 << 10, "Hashes of the state files that we wrote, or were told of.";
    UNTRUSTED_BYTES_MAX: u64 = 1 << 20, "A list of ids that nobody trusted.";
    KNOWN_IDS_BYTES_MAX: u64 = 4 << 10, "The highest ids: one number per kind.";
    MACHINE_BYTES_MAX: u64 = 256, "The machine's id.";
    LOG_BYTES_MAX: u64 = 1 << 20, "The log of failures.";
    MARKS_BYTES_MAX: u64 = 8 << 20, "What was forgotten: a hundred thousand marks.";
    FORGOTTEN_FILE_BYTES_MAX: u64 = 256 << 20, "A file of ours that forgetting rewrites.";
    FORGOTTEN_DEPTH_MAX: usize = 8, "Folders below ours into which forgetting looks.";
    CATALOGUE_DEPTH_MAX: usize = 8, "Folders below a root of ours into which the catalogue looks.";
    REMOVED_DEPTH_MAX: usize = 64, "Folders in a folder of ours that is removed whole.";
    REMASKED_LINES_BYTES_MAX: u64 = 256 << 20, "A file of lines that is masked again.";
    REMASKED_DOCUMENT_BYTES_MAX: u64 = 64 << 20, "A document that is masked again.";
    REMASKED_QUICK_BYTES_MAX: u64 = 16 << 20, "A database that is put in order while a hook runs.";
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn every_limit_has_a_name_of_its_own_a_unit_and_a_number() {
        let mut names: Vec<&str> = ALL.iter().map(|limit| limit.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
        for limit in ALL {
            assert!(
                ["_BYTES_MAX", "_DEPTH_MAX", "_ROUNDS_MAX"].iter().any(|unit| limit.name.ends_with(unit))
            );
            assert!(limit.number > 0 && limit.bounds.ends_with('.'), "{limit:?}");
        }
    }
}
