//! The lock: whether the data folder's file system locks at all, and who holds the project's lock.

use throughline_store::door::Spot;
use throughline_store::door::outside;
use throughline_store::lock::{Lock, LockError, Patience};

use super::Check;
use super::context::Context;

const NAME: &str = "lock";

pub(super) fn check(context: &Context) -> Vec<Check> {
    let path = context.memory.lock_path();
    vec![match Lock::acquire(&path, Patience::Hook) {
        Ok(_) => Check::ok(NAME, "free, and the file system supports it"),
        Err(LockError::Busy { waited_ms, .. }) => {
            let who =
                holder(&path).map_or_else(|| "another process".to_owned(), |who| format!("process {who}"));
            Check::warn(
                NAME,
                format!("{who} holds {} for more than {waited_ms} ms", path.display()),
                "wait for it to end, or end it: the lock goes with it, nothing is lost",
            )
        }
        Err(error @ LockError::Unsupported { .. }) => Check::fail(
            NAME,
            format!("{error}: nothing can be recorded"),
            "set THROUGHLINE_HOME to a folder on a local disk",
        ),
        Err(LockError::File(error)) => Check::fail(
            NAME,
            error.to_string(),
            "check who owns the data folder, or set THROUGHLINE_HOME to a folder you can write",
        ),
    }]
}

/// The process that holds a lock, and its name, where the system tells.
fn holder(path: &Spot) -> Option<String> {
    let inode = path.meta().ok()?.inode.to_string();
    let locks = outside::system_text("/proc/locks").ok()?;
    // `1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF`
    let pid = locks.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let held = words.get(1) == Some(&"FLOCK") && words.get(5)?.rsplit(':').next() == Some(inode.as_str());
        held.then(|| words.get(4)?.parse::<u32>().ok()).flatten()
    })?;
    let name = outside::system_text(format!("/proc/{pid}/comm")).unwrap_or_default();
    Some(format!("{pid} ({})", name.trim()))
}
