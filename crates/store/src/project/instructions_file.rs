//! A file of instructions that people write (CLAUDE.md): read under a limit, replaced whole, never outside the project.

use std::path::{Component, Path, PathBuf};

use rustix::fs::Mode;

use crate::door::{Refused, Spot, outside};
use crate::files::{self, AtPath, Durability, FileError};

/// A longer file is no instructions: the client would not read it whole either.
const INSTRUCTIONS_BYTES_MAX: u64 = throughline_domain::limits::INSTRUCTIONS_BYTES_MAX;
/// A new one is for everybody who works here, as if an editor had made it.
const NEW_FILE_MODE: u32 = 0o644;
/// A link may lead to a link.
const LINKS_MAX: usize = 8;

/// The text; `None` when there is no file. With `within`, a link that leaves that folder is an error: it may have come
/// with a clone.
pub fn read(path: &Path, within: Option<&Path>) -> Result<Option<String>, FileError> {
    let spot = followed(path, within).at("follow", path)?;
    let Some(bytes) = files::read_limited(&spot, INSTRUCTIONS_BYTES_MAX)? else { return Ok(None) };
    let text = String::from_utf8(bytes).map_err(|_| std::io::Error::other("not UTF-8 text"));
    text.map(Some).at("read", path)
}

/// Replaces the text; permissions and links stay.
pub fn write(path: &Path, within: Option<&Path>, text: &str) -> Result<(), FileError> {
    let spot = followed(path, within).at("follow", path)?;
    if let Some(folder) = spot.parent() {
        files::create_folder(&folder)?;
    }
    let mode = spot.meta().map_or(NEW_FILE_MODE, |meta| meta.mode);
    files::replace_with_mode(&spot, text.as_bytes(), Durability::Flushed, Mode::from_raw_mode(mode))
}

/// Removes a file that we had created; a link goes, what it leads to stays.
pub fn remove(path: &Path, within: Option<&Path>) -> Result<(), FileError> {
    match within.and_then(|top| Some((top, path.strip_prefix(top).ok()?))) {
        Some((top, below)) => files::remove(&Spot::root(top).join(below)),
        None => files::remove(&outside::at(path)),
    }
}

/// The file that is meant. In a project it is reached from the project's own folder, and where it is a link to another
/// page of the project, that one is meant: links are read here, name by name, and never followed by the system.
/// A file of the user's own is where the user put it.
fn followed(path: &Path, within: Option<&Path>) -> std::io::Result<Spot> {
    let Some(top) = within else { return Ok(outside::resolved(path)) };
    let mut below = path.strip_prefix(top).map_err(|_| Refused::LeadsOut)?.to_owned();
    let top = Spot::root(top);
    for followed in 0..LINKS_MAX {
        let spot = top.join(&below);
        match spot.meta() {
            Ok(meta) if meta.is_link() => {
                let target = spot.link_target()?;
                let led = inside(below.parent().unwrap_or(Path::new("")), &target);
                below = led.filter(|led| is_page(led)).ok_or(Refused::Link)?;
            }
            Ok(_) => return Ok(spot),
            // A link to nowhere is no place for a new file.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && followed == 0 => return Ok(spot),
            Err(error) => return Err(error),
        }
    }
    Err(Refused::Link.into())
}

/// Whether a link may lead there: to another page for people, and nowhere into git's own folder.
fn is_page(path: &Path) -> bool {
    let is_git = |name: &std::ffi::OsStr| name.eq_ignore_ascii_case(".git");
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("md")) && !path.iter().any(is_git)
}

/// Where a link in a folder leads, by its names alone; `None` when that is outside.
fn inside(folder: &Path, target: &Path) -> Option<PathBuf> {
    let mut at = folder.to_owned();
    for step in target.components() {
        match step {
            Component::Normal(name) => at.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !at.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(at)
}
