//! Left behind: temporary folders of ours whose process was killed before it could remove them.
//!
//! A folder's name says whose it is: which space of process ids (a container has its own), and which process in it.

use std::fs;
use std::path::Path;

use crate::ownership::is_ours;

/// How our temporary folders begin.
const PREFIX: &str = "throughline-git-";
/// Most entries that are looked at, and most folders that are removed, in one go.
const ENTRIES_MAX: usize = 10_000;
const REMOVED_MAX: usize = 64;
/// Where the system tells about processes.
const PROCESSES: &str = "/proc";

/// What the name of a folder of this process begins with.
pub(crate) fn prefix() -> String {
    format!("{}{}-", space_prefix(), std::process::id())
}

/// Removes those in `base` whose process is gone. Links stay, and what is another user's, or of another container.
pub(crate) fn sweep(base: &Path) {
    sweep_where(base, &|process| Path::new(PROCESSES).join(process).exists());
}

fn sweep_where(base: &Path, is_alive: &dyn Fn(&str) -> bool) {
    let space = space_prefix();
    let Ok(entries) = fs::read_dir(base) else { return };
    let gone = entries.take(ENTRIES_MAX).flatten().filter(|entry| {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(&space)?.split_once('-'));
        process.is_some_and(|(process, _)| {
            !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit()) && !is_alive(process)
        }) && entry.file_type().is_ok_and(|kind| kind.is_dir())
    });
    for entry in gone.take(REMOVED_MAX).filter(|entry| is_ours(&entry.path())) {
        remove(&entry.path());
    }
}

/// Where the system does not tell, the space has no number, and nothing is ever taken for gone.
fn space_prefix() -> String {
    let link = fs::read_link(Path::new(PROCESSES).join("self/ns/pid")).unwrap_or_default();
    let number: String = link.to_string_lossy().chars().filter(char::is_ascii_digit).collect();
    format!("{PREFIX}{number}-")
}

#[expect(clippy::disallowed_methods, reason = "a temporary folder of ours, and what is in it")]
fn remove(folder: &Path) {
    let _ = fs::remove_dir_all(folder);
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::{PREFIX, prefix, space_prefix, sweep, sweep_where};

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test makes the folders")]
    fn what_a_killed_process_left_goes_and_nothing_else() {
        let base = tempfile::tempdir().unwrap();
        let victim = tempfile::tempdir().unwrap();
        fs::write(victim.path().join("kept"), "").unwrap();
        let (own, gone, odd, foreign) = (
            format!("{}x", prefix()),
            format!("{}4711-x", space_prefix()),
            format!("{}47x11-x", space_prefix()),
            format!("{PREFIX}1-4711-x"),
        );
        for name in [&own, &gone, &odd, &foreign] {
            let folder = base.path().join(name);
            fs::create_dir(&folder).unwrap();
            std::os::unix::fs::symlink(victim.path(), folder.join("refs")).unwrap();
        }
        let link = base.path().join(format!("{}4712-x", space_prefix()));
        std::os::unix::fs::symlink(victim.path(), &link).unwrap();
        sweep_where(base.path(), &|process| !process.starts_with("471"));
        let left = |name: &str| base.path().join(name).exists();
        assert_eq!((left(&own), left(&gone), left(&odd), left(&foreign)), (true, false, true, true));
        assert!(link.exists() && victim.path().join("kept").exists());
        sweep(base.path());
        assert!(left(&own), "this process is alive");
    }
}
