//! The disk: room, and a data folder that can be written and that nobody else reads.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use throughline_store::door::outside;
use throughline_store::files;
use throughline_store::forget::Forgotten;

use super::Check;
use super::context::{Context, size_words};

const NAME: &str = "disk";
/// Below this it is time to clean up.
const FREE_BYTES_LOW: u64 = 100_000_000;
/// Below this the next change may not fit.
const FREE_BYTES_MIN: u64 = 5_000_000;
/// What the group and everybody else may do, in a mode.
const OTHERS: u32 = 0o077;

pub(super) fn check(context: &Context) -> Vec<Check> {
    let data = context.place.home.root();
    let mut checks = Vec::new();
    let written = files::create_folder(data).and_then(|()| files::try_write(data));
    if let Err(error) = written {
        checks.push(Check::fail(
            NAME,
            error.to_string(),
            "check who owns the data folder and its space, or set THROUGHLINE_HOME to a folder you can write",
        ));
    }
    let data = data.shown();
    checks.extend(readable_by_others(&data));
    if let Err(error) = Forgotten::read(&context.place.home) {
        checks.push(Check::fail(
            NAME,
            format!("{error}: what was forgotten cannot be told, so no transcript is read"),
            "remove the file, and forget again what should stay forgotten",
        ));
    }
    let mut free = Vec::new();
    for (role, folder) in [("the data folder", data.as_path()), ("the project", context.root())] {
        match free_bytes(folder) {
            Some(bytes) if bytes < FREE_BYTES_MIN => checks.push(Check::fail(
                NAME,
                format!("only {} are free for {role} ({})", size_words(bytes), folder.display()),
                "free some space: the next change may not fit (nothing recorded is lost)",
            )),
            Some(bytes) if bytes < FREE_BYTES_LOW => checks.push(Check::warn(
                NAME,
                format!("only {} are free for {role} ({})", size_words(bytes), folder.display()),
                "free some space",
            )),
            Some(bytes) => free.push(format!("{} free for {role}", size_words(bytes))),
            None => checks
                .push(Check::skip(NAME, format!("the system does not tell how much is free for {role}"))),
        }
    }
    if !free.is_empty() {
        checks.push(Check::ok(NAME, free.join(", ")));
    }
    checks
}

fn free_bytes(folder: &Path) -> Option<u64> {
    let stat = folder.ancestors().find_map(|folder| rustix::fs::statvfs(folder).ok())?;
    Some(stat.f_bavail.saturating_mul(stat.f_frsize))
}

fn readable_by_others(data: &Path) -> Option<Check> {
    let meta = outside::metadata(data).ok()?;
    if meta.uid() != rustix::process::geteuid().as_raw() {
        let what = format!("{} belongs to another user, who can read and replace all of it", data.display());
        let remedy = format!("chown it (`chown -R \"$USER\" {}`), or set THROUGHLINE_HOME", data.display());
        return Some(Check::fail(NAME, what, remedy));
    }
    let mode = meta.permissions().mode() & 0o777;
    if mode & OTHERS == 0 {
        return None;
    }
    let what = format!("{} can be read by others (mode {mode:o})", data.display());
    Some(Check::warn(NAME, what, format!("chmod 700 {}", data.display())))
}
