//! All local disk IO: the state file, the archive, the outbox and the spools, and everything that keeps them whole.

pub mod archive;
pub mod files;
pub mod lock;
pub mod outbox;
pub mod paths;
pub mod redact;
pub mod spool;
