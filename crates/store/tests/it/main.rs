//! The store against real files, real processes and real damage.
#![expect(
    clippy::disallowed_methods,
    reason = "tests prepare files behind the door's back, and look at them"
)]

#[cfg(test)]
mod archive;
#[cfg(test)]
mod archive_damage;
#[cfg(test)]
mod archive_fold;
#[cfg(test)]
mod archive_processes;
#[cfg(test)]
mod archive_search;
#[cfg(test)]
mod archive_sessions;
#[cfg(test)]
mod archive_spool;
#[cfg(test)]
mod backups;
#[cfg(test)]
mod forget_scope;
#[cfg(test)]
mod masking_again;
#[cfg(test)]
mod other_versions;
#[cfg(test)]
mod transcript_file;
#[cfg(test)]
mod usage;
