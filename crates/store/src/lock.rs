//! The project's lock: an advisory lock on a file of its own. The system frees it when its holder dies.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::files::{self, FileError};

/// How long to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// A person waits, and then gets an error.
    Person,
    /// A hook does not: it spools instead.
    Hook,
}

impl Patience {
    fn limit(self) -> Duration {
        match self {
            Self::Person => Duration::from_secs(10),
            Self::Hook => Duration::from_millis(100),
        }
    }
}

/// Why there is no lock.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Somebody else has it for too long.
    #[error("another process holds {} for more than {waited_ms} ms", path.display())]
    Busy {
        /// The lock file.
        path: PathBuf,
        /// How long we tried.
        waited_ms: u128,
    },
    /// The file system does not lock.
    #[error("the file system of {} does not support locks: {source}", path.display())]
    Unsupported {
        /// The lock file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The lock file could not be opened.
    #[error(transparent)]
    File(#[from] FileError),
}

/// A held lock; dropping it gives it back.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock at `path`, trying for as long as `patience` allows.
    pub fn acquire(path: &Path, patience: Patience) -> Result<Self, LockError> {
        let began = Instant::now();
        let file = files::open_append(path)?;
        let mut pause_us = 200;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::Error(source)) => {
                    return Err(LockError::Unsupported { path: path.to_owned(), source });
                }
                Err(TryLockError::WouldBlock) if began.elapsed() >= patience.limit() => {
                    let waited_ms = began.elapsed().as_millis();
                    return Err(LockError::Busy { path: path.to_owned(), waited_ms });
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(jittered(pause_us)),
            }
            pause_us = (pause_us * 2).min(4_000);
        }
    }

    /// Takes the lock only if nobody has it.
    #[must_use]
    pub fn try_now(path: &Path) -> Option<Self> {
        let file = files::open_append(path).ok()?;
        file.try_lock().ok().map(|()| Self { _file: file })
    }
}

/// Between half and the whole of a pause: writers that met once do not meet again at the same instant.
fn jittered(pause_us: u64) -> Duration {
    use std::hash::{BuildHasher, RandomState};
    let random = RandomState::new().hash_one(pause_us);
    Duration::from_micros(pause_us / 2 + random % (pause_us / 2 + 1))
}
