//! The project's lock: an advisory lock on a file of its own. The system frees it when its holder dies.

use std::fs::{File, TryLockError};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::door::Spot;
use crate::files::{self, FileError};

/// How long to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// A person waits, and then gets an error.
    Person,
    /// A hook does not: it spools instead.
    Hook,
    /// A verb that has done its work lets the archive catch up: among many writers somebody must come to it.
    Fold,
}

impl Patience {
    fn limit(self) -> Duration {
        match self {
            Self::Person => Duration::from_secs(10),
            Self::Hook => Duration::from_millis(100),
            Self::Fold => Duration::from_secs(1),
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
    pub fn acquire(path: &Spot, patience: Patience) -> Result<Self, LockError> {
        let began = Instant::now();
        let file = files::open_append(path)?;
        match file.try_lock() {
            Ok(()) => return Ok(Self { _file: file }),
            Err(TryLockError::Error(source)) => {
                return Err(LockError::Unsupported { path: path.shown(), source });
            }
            Err(TryLockError::WouldBlock) => {}
        }
        match wait_in_line(file, patience.limit()) {
            Some(Ok(file)) => Ok(Self { _file: file }),
            Some(Err(source)) => Err(LockError::Unsupported { path: path.shown(), source }),
            None => Err(LockError::Busy { path: path.shown(), waited_ms: began.elapsed().as_millis() }),
        }
    }

    /// Takes the lock only if nobody has it.
    #[must_use]
    pub fn try_now(path: &Spot) -> Option<Self> {
        let file = files::open_append(path).ok()?;
        file.try_lock().ok().map(|()| Self { _file: file })
    }
}

/// Waits in the system's own line, which is served in turn: writers that ask again after a pause are overtaken by those
/// who come later, and with sixty of them somebody waits for ever. `None` when the time is up.
fn wait_in_line(file: File, limit: Duration) -> Option<std::io::Result<File>> {
    let (sender, receiver) = mpsc::channel();
    let waiting = std::thread::Builder::new().name("lock".to_owned()).spawn(move || {
        let locked = file.lock().map(|()| file);
        // Nobody may be waiting any more: then the file is closed here, and the lock is free again.
        drop(sender.send(locked));
    });
    match waiting {
        Ok(_) => receiver.recv_timeout(limit).ok(),
        Err(error) => Some(Err(error)),
    }
}
