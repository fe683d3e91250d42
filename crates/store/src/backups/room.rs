//! Room for backups: all of them together stay under a limit, the session that was backed up longest ago goes first.

use std::collections::BTreeMap;

use super::index::{Generation, generations};
use crate::door::Spot;
use crate::lock::Lock;

/// Bytes of everything.
pub(super) fn total(root: &Spot) -> u64 {
    generations(root).iter().map(Generation::disk_bytes).sum()
}

/// Bytes of one session.
pub(super) fn bytes_of(root: &Spot, name: &str) -> u64 {
    generations(root).iter().filter(|it| it.name == name).map(Generation::disk_bytes).sum()
}

/// Removes sessions until so many bytes more have room; never the one that they are for.
pub(super) fn make(root: &Spot, own: &str, more_bytes: u64, bytes_max: u64) {
    let all = generations(root);
    let mut bytes: u64 = all.iter().map(Generation::disk_bytes).sum::<u64>().saturating_add(more_bytes);
    if bytes <= bytes_max {
        return;
    }
    // When each was last backed up; what has no index was left by a kill, and goes first.
    let mut sessions: BTreeMap<&str, String> = BTreeMap::new();
    for generation in all.iter().filter(|it| it.name != own) {
        let at = generation.backup().map(|backup| backup.at).unwrap_or_default();
        let last = sessions.entry(&generation.name).or_default();
        *last = at.max(std::mem::take(last));
    }
    let mut oldest_first: Vec<(&str, String)> = sessions.into_iter().collect();
    oldest_first.sort_by(|left, right| left.1.cmp(&right.1));
    for (name, _) in oldest_first {
        if bytes <= bytes_max {
            return;
        }
        // Whoever holds it is writing: then it is not the oldest any more.
        let Some(_alone) = Lock::try_now(&root.join("locks").join(format!("{name}.lock"))) else { continue };
        for generation in all.iter().filter(|it| it.name == name) {
            bytes = bytes.saturating_sub(generation.remove().unwrap_or(0));
        }
    }
}
