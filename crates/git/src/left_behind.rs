//! Left behind: temporary folders of ours whose process was killed before it could remove them.

use std::fs::{self, DirEntry};
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::ownership::is_ours;

/// How our temporary folders begin.
pub(crate) const PREFIX: &str = "throughline-git-";
/// No git of ours runs this long.
const AGE: Duration = Duration::from_hours(24);
/// Most entries that are looked at.
const ENTRIES_MAX: usize = 1_000;

/// Removes those in `base` that are a day old at `now`. Links stay, and what is another user's.
pub(crate) fn sweep(base: &Path, now: SystemTime) {
    let Ok(entries) = fs::read_dir(base) else { return };
    for entry in entries.take(ENTRIES_MAX).flatten().filter(|entry| is_left_behind(entry, now)) {
        remove(&entry.path());
    }
}

fn is_left_behind(entry: &DirEntry, now: SystemTime) -> bool {
    entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes())
        && entry.metadata().is_ok_and(|meta| {
            let age = meta.modified().ok().and_then(|made| now.duration_since(made).ok());
            meta.is_dir() && age.is_some_and(|age| age > AGE)
        })
        && is_ours(&entry.path())
}

#[expect(clippy::disallowed_methods, reason = "a temporary folder of ours, and what is in it")]
fn remove(folder: &Path) {
    let _ = fs::remove_dir_all(folder);
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, File};
    use std::time::{Duration, SystemTime};

    use super::sweep;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test makes the folders, and stands at an hour")]
    fn what_is_a_day_old_goes_and_nothing_else() {
        let base = tempfile::tempdir().unwrap();
        let (now, victim) = (SystemTime::now(), tempfile::tempdir().unwrap());
        fs::write(victim.path().join("kept"), "").unwrap();
        for (name, hours) in [("throughline-git-old", 25), ("throughline-git-new", 1), ("other-old", 48)] {
            let folder = base.path().join(name);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("config"), "").unwrap();
            std::os::unix::fs::symlink(victim.path(), folder.join("refs")).unwrap();
            File::open(&folder).unwrap().set_modified(now - Duration::from_hours(hours)).unwrap();
        }
        let link = base.path().join("throughline-git-link");
        std::os::unix::fs::symlink(victim.path(), &link).unwrap();
        File::open(victim.path()).unwrap().set_modified(now - Duration::from_hours(99)).unwrap();
        sweep(base.path(), now);
        let left = |name: &str| base.path().join(name).exists();
        assert_eq!(
            (left("throughline-git-old"), left("throughline-git-new"), left("other-old")),
            (false, true, true)
        );
        assert!(link.exists() && victim.path().join("kept").exists());
    }
}
