//! A project's other files: the compaction snapshot, the compaction log, the id of the session last active, commands.

use std::path::{Path, PathBuf};

use rustix::fs::Mode;
use throughline_domain::text::one_line;
use throughline_domain::{Timestamp, time};
use throughline_redact as redact;

use crate::catalogue::{self, Under};
use crate::door::{Meta, Spot, outside};
use crate::files::{self, AtPath, Durability, FileError};
use crate::lock::{Lock, Patience};
use crate::paths::Project;

/// Longest file that a person or a hook left for the next session and that is read back.
const NOTE_FILE_BYTES_MAX: u64 = throughline_domain::limits::NOTE_FILE_BYTES_MAX;
/// Longest settings file.
const SETTINGS_BYTES_MAX: u64 = throughline_domain::limits::SETTINGS_FILE_BYTES_MAX;
/// Longest exclude file that is edited.
const EXCLUDE_BYTES_MAX: u64 = throughline_domain::limits::EXCLUDE_BYTES_MAX;

/// What of ours git should not see. New lines go to the end: the file says how many of them it was given.
pub(crate) const EXCLUDED: [&str; 9] = [
    // The client keeps its own local settings out of git, but only where it made the file itself.
    ".claude/settings.local.json",
    ".claude/commands/context-compact.md",
    ".claude/commands/throughline.md",
    ".claude/unified-session-state.json*",
    ".claude/.unified-session-state.json*",
    ".claude/compaction-snapshot.md",
    ".claude/sessions/",
    ".claude/checkpoints/",
    ".claude/logs/",
];
const EXCLUDE_BEGIN: &str = "# throughline: begin";
const EXCLUDE_END: &str = "# throughline: end";

/// Writes the compaction snapshot.
pub fn write_snapshot(project: &Project, text: &str) -> Result<(), FileError> {
    let path = project.snapshot_file();
    files::create_folder(&project.files)?;
    files::replace(&path, redact::text(text).as_bytes(), Durability::Quick)
}

/// Adds a line to a session's compaction log.
pub fn log_compaction(
    project: &Project,
    session_id: &str,
    now: Timestamp,
    trigger: &str,
    transcript: &str,
) -> Result<(), FileError> {
    let folder = project.session_folder(session_id);
    let path = folder.join("compaction-log.txt");
    let line = format!(
        "{} | COMPACTION ({}) | transcript: {}",
        time::iso(now),
        one_line(trigger, 20),
        one_line(transcript, 500)
    );
    let mut file = files::open_append(&path)?;
    let (_, ends_line) = files::read_tail(&mut file, 1).at("read", &path)?;
    files::append_line(&mut file, redact::text(&line).as_bytes(), ends_line).at("append to", &path)
}

/// Notes which session was last active, where the project has files of ours at all. Informational: nothing follows it.
pub fn note_current_session(project: &Project, session_id: &str) -> Result<(), FileError> {
    if !project.files.is_folder() {
        return Ok(());
    }
    let folder = project.files.join("sessions");
    let line = format!("{}\n", one_line(session_id, 128));
    let standing = files::read_limited(&folder.join("CURRENT_SESSION"), NOTE_FILE_BYTES_MAX).ok().flatten();
    if standing.as_deref() == Some(line.as_bytes()) {
        return Ok(());
    }
    files::create_folder(&folder)?;
    files::replace(&folder.join("CURRENT_SESSION"), line.as_bytes(), Durability::Quick)
}

/// Our files and folders in the project that are links, by their names.
#[must_use]
pub fn links(project: &Project) -> Vec<String> {
    if project.files.is_linked() {
        return vec![below_root(project, &project.files)];
    }
    let odd = catalogue::find(Under::Project, &project.files, Path::new("")).odd.into_iter();
    let read = [project.session_state_file(), project.files.join("throughline.toml")].into_iter();
    odd.chain(read).filter(Spot::is_linked).map(|spot| below_root(project, &spot)).collect()
}

fn below_root(project: &Project, spot: &Spot) -> String {
    let path = spot.shown();
    path.strip_prefix(&project.root).unwrap_or(&path).display().to_string()
}

/// The link on the way to a file below the working tree, if there is one: it may have come with a clone. The user's own
/// home folder is no project that somebody else prepared.
#[must_use]
pub fn link_on_the_way(project: &Project, path: &Path) -> Option<PathBuf> {
    if !project.files.starts_with(&project.top) {
        return None;
    }
    let top = [&project.work, &project.root].into_iter().find(|top| path.starts_with(top))?;
    let below = path.strip_prefix(top).ok()?;
    let root = Spot::root(top);
    let steps = below.components().scan(root, |at, step| {
        *at = at.join(step);
        Some(at.clone())
    });
    let found: Option<Spot> = steps.into_iter().find(|at| at.meta().is_ok_and(|meta| meta.is_link()));
    found.map(|link| link.shown())
}

/// The content of a note file and its age in seconds, if it was modified less than `seconds_max` before `now`.
#[must_use]
pub fn read_if_young(path: &Spot, now: Timestamp, seconds_max: u64) -> Option<(String, u64)> {
    let meta = path.meta().ok().filter(Meta::is_file)?;
    let modified = Timestamp::try_from(meta.modified()).ok()?;
    let age_seconds = time::seconds_between(modified, now);
    if age_seconds >= seconds_max {
        return None;
    }
    let bytes = files::read_limited(path, NOTE_FILE_BYTES_MAX).ok()??;
    Some((redact::text(&String::from_utf8_lossy(&bytes)).into_owned(), age_seconds))
}

/// Keeps our files out of git, in the repository's own exclude file. Returns whether it was changed.
///
/// The lines are added in one write: the file keeps its owner and its mode, and a kill leaves no temp file in a folder
/// that we never look at again. Its lock keeps two of us from adding them twice. A block that an earlier version wrote
/// gets what it lacks.
pub fn exclude_from_git(exclude_file: &Spot) -> Result<bool, FileError> {
    if matches!(exclusion(exclude_file)?, (old, new) if old == new) {
        return Ok(false);
    }
    let _alone = Lock::acquire(exclude_file, Patience::Hook);
    let mut file = files::open_append(exclude_file)?;
    let (old, new) = exclusion(exclude_file)?;
    if old == new {
        return Ok(false);
    }
    if holds_our_lines(&old) {
        files::replace(exclude_file, new.as_bytes(), Durability::Quick)?;
    } else {
        let ends_line = old.is_empty() || old.ends_with('\n');
        files::append_line(&mut file, our_lines().as_bytes(), ends_line).at("append to", exclude_file)?;
    }
    Ok(true)
}

fn our_lines() -> String {
    format!("{EXCLUDE_BEGIN} {}\n{}\n{EXCLUDE_END}", EXCLUDED.len(), EXCLUDED.join("\n"))
}

fn holds_our_lines(text: &str) -> bool {
    text.contains(EXCLUDE_BEGIN)
}

/// Whether the exclude file has our lines.
#[must_use]
pub fn is_excluding(exclude_file: &Spot) -> bool {
    let text = files::read_limited(exclude_file, EXCLUDE_BYTES_MAX).ok().flatten();
    text.is_some_and(|text| holds_our_lines(&String::from_utf8_lossy(&text)))
}

/// The exclude file as it is and as it would be with our lines. One that is no text, and has our lines, stays.
pub fn exclusion(exclude_file: &Spot) -> Result<(String, String), FileError> {
    let bytes = files::read_limited(exclude_file, EXCLUDE_BYTES_MAX)?.unwrap_or_default();
    let old = String::from_utf8_lossy(&bytes).into_owned();
    let new = if !holds_our_lines(&old) {
        let line_end = if old.is_empty() || old.ends_with('\n') { "" } else { "\n" };
        format!("{old}{line_end}{}\n", our_lines())
    } else if old.as_bytes() == bytes {
        with_new_lines(&old).unwrap_or_else(|| old.clone())
    } else {
        old.clone()
    };
    Ok((old, new))
}

/// The text with those lines in our block that a later version brought. What somebody took out of it stays out, and
/// what somebody put in stays in. `None` where the block has no end.
fn with_new_lines(text: &str) -> Option<String> {
    let begin = text.find(EXCLUDE_BEGIN)?;
    let end = begin + text[begin..].find(EXCLUDE_END)?;
    let (first, rest) = text[begin..end].split_once('\n')?;
    // The first versions did not count.
    let given: usize = first[EXCLUDE_BEGIN.len()..].trim().parse().unwrap_or(0);
    let line_end = if first.ends_with('\r') { "\r\n" } else { "\n" };
    let is_there = |line: &str| rest.lines().any(|known| known.trim_end() == line);
    let missing: Vec<&str> = EXCLUDED.into_iter().skip(given).filter(|line| !is_there(line)).collect();
    if given >= EXCLUDED.len() {
        return None;
    }
    let missing: String = missing.iter().flat_map(|line| [*line, line_end]).collect();
    let head = format!("{EXCLUDE_BEGIN} {}{line_end}", EXCLUDED.len());
    Some(format!("{}{head}{rest}{missing}{}", &text[..begin], &text[end..]))
}

/// The exclude file as it is, and as it would be with our lines and these beside them.
pub fn exclusion_with(exclude_file: &Spot, lines: &[String]) -> Result<(String, String), FileError> {
    let (old, new) = exclusion(exclude_file)?;
    let Some(end) = new.find(EXCLUDE_END).filter(|end| new.find(EXCLUDE_BEGIN).is_some_and(|at| at < *end))
    else {
        return Ok((old, new));
    };
    let is_there = |line: &&String| new.lines().any(|known| known.trim_end() == line.as_str());
    let missing = lines.iter().filter(|line| !is_there(line));
    let missing: String = missing.flat_map(|line| [line.as_str(), "\n"]).collect();
    let new = format!("{}{missing}{}", &new[..end], &new[end..]);
    Ok((old, new))
}

/// Keeps these paths out of git, too. They stand in our block, and count as put there by somebody.
pub fn exclude_lines(exclude_file: &Spot, lines: &[String]) -> Result<(), FileError> {
    let _alone = Lock::acquire(exclude_file, Patience::Hook);
    let (old, new) = exclusion_with(exclude_file, lines)?;
    if old == new { Ok(()) } else { files::replace(exclude_file, new.as_bytes(), Durability::Quick) }
}

/// Takes these paths out of our block again.
pub fn stop_excluding_lines(exclude_file: &Spot, lines: &[String]) -> Result<(), FileError> {
    let _alone = Lock::acquire(exclude_file, Patience::Hook);
    let Some(bytes) = files::read_limited(exclude_file, EXCLUDE_BYTES_MAX)? else { return Ok(()) };
    let Ok(old) = String::from_utf8(bytes) else { return Ok(()) };
    let (Some(begin), Some(end)) = (old.find(EXCLUDE_BEGIN), old.find(EXCLUDE_END)) else { return Ok(()) };
    let Some(block) = old.get(begin..end) else { return Ok(()) };
    let is_theirs = |line: &&str| !lines.iter().any(|known| known == line.trim_end());
    let block: String = block.split_inclusive('\n').filter(is_theirs).collect();
    let new = format!("{}{block}{}", &old[..begin], &old[end..]);
    if old == new { Ok(()) } else { files::replace(exclude_file, new.as_bytes(), Durability::Quick) }
}

/// Whether the project holds anything that was recorded: what the exclude file keeps out of git.
#[must_use]
pub fn holds_records(project: &Project) -> bool {
    let folders = ["sessions", "checkpoints", "logs"].map(|name| project.files.join(name));
    folders.into_iter().chain([project.state_file(), project.snapshot_file()]).any(|path| path.exists())
}

/// The exclude file as it is and as it would be without our lines; `None` where there are none to be told.
pub fn without_exclusion(exclude_file: &Spot) -> Result<Option<(String, String)>, FileError> {
    let Some(old) = files::read_limited(exclude_file, EXCLUDE_BYTES_MAX)? else { return Ok(None) };
    let Ok(text) = String::from_utf8(old) else { return Ok(None) };
    let (Some(begin), Some(end)) = (text.find(EXCLUDE_BEGIN), text.find(EXCLUDE_END)) else {
        return Ok(None);
    };
    if end < begin {
        return Ok(None);
    }
    let after = &text[end + EXCLUDE_END.len()..];
    let after = after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n')).unwrap_or(after);
    let new = format!("{}{after}", &text[..begin]);
    Ok(Some((text, new)))
}

/// Takes our lines out of the exclude file again.
pub fn stop_excluding(exclude_file: &Spot) -> Result<bool, FileError> {
    let Some((_, new)) = without_exclusion(exclude_file)? else { return Ok(false) };
    files::replace(exclude_file, new.as_bytes(), Durability::Quick)?;
    Ok(true)
}

/// Writes a file that belongs to us alone (a slash command), unless somebody changed it. Returns whether it stands.
pub fn write_own(path: &Spot, text: &str, known: impl Fn(&str) -> bool) -> Result<bool, FileError> {
    if let Some(bytes) = files::read_limited(path, NOTE_FILE_BYTES_MAX)? {
        let standing = String::from_utf8_lossy(&bytes);
        if standing == text {
            return Ok(true);
        }
        if !known(&standing) {
            return Ok(false);
        }
    }
    if let Some(folder) = path.parent() {
        files::create_folder(&folder)?;
    }
    files::replace(path, text.as_bytes(), Durability::Quick)?;
    Ok(true)
}

/// Removes a file that belongs to us alone, unless somebody changed it; and its folder, if that is empty then.
pub fn remove_own(path: &Spot, text: &str) -> Result<bool, FileError> {
    match files::read_limited(path, NOTE_FILE_BYTES_MAX)? {
        Some(bytes) if bytes == text.as_bytes() => {
            files::remove(path)?;
            if let Some(folder) = path.parent() {
                // Fails when somebody else's files are in it, as it should.
                files::remove_if_empty(&folder);
            }
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// Removes the project's `.claude` where nothing is in it any more; a link to somewhere is not ours to remove.
pub fn remove_empty(folder: &Spot) {
    // Fails when anything is in it, as it should.
    files::remove_if_empty(folder);
}

/// A settings file's text; `None` when there is none.
pub fn read_settings(spot: &Spot) -> Result<Option<String>, FileError> {
    let Some(bytes) = files::read_limited(spot, SETTINGS_BYTES_MAX)? else { return Ok(None) };
    let text = String::from_utf8(bytes).map_err(|_| std::io::Error::other("not UTF-8 text"));
    text.map(Some).at("read", spot)
}

/// The text of the project's configuration; `None` when there is none.
pub fn read_config(project: &Project) -> Result<Option<String>, FileError> {
    read_settings(&project.files.join("throughline.toml"))
}

/// Replaces the project's configuration by what its user saved.
pub fn write_config(project: &Project, text: &str) -> Result<(), FileError> {
    files::create_folder(&project.files)?;
    files::replace(&project.files.join("throughline.toml"), text.as_bytes(), Durability::Flushed)
}

/// Replaces a settings file; its permissions stay.
pub fn write_settings(spot: &Spot, text: &str) -> Result<(), FileError> {
    if let Some(folder) = spot.parent() {
        files::create_folder(&folder)?;
    }
    let mode = spot.meta().map_or(0o600, |meta| meta.mode);
    files::replace_with_mode(spot, text.as_bytes(), Durability::Flushed, Mode::from_raw_mode(mode))
}

/// Keeps a text in the data folder.
pub fn keep(spot: &Spot, text: &str) -> Result<(), FileError> {
    if let Some(folder) = spot.parent() {
        files::create_folder(&folder)?;
    }
    files::replace(spot, text.as_bytes(), Durability::Flushed)
}

/// Keeps a copy of a settings file in the data folder, named by its fingerprint. Returns where.
pub fn back_up(folder: &Spot, path: &Path, text: &str) -> Result<Spot, FileError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let hash = crate::content_hash::of(text.as_bytes());
    let copy = folder.join("backups").join(format!("{name}.{hash}"));
    keep(&copy, text)?;
    Ok(copy)
}

/// Writes a page for people (a man page): readable by all.
pub fn write_page(path: &Path, text: &str) -> Result<(), FileError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        outside::create_folder_for_all(folder).at("create", folder)?;
    }
    let mode = Mode::from_raw_mode(0o644);
    files::replace_with_mode(&outside::resolved(path), text.as_bytes(), Durability::Quick, mode)
}

/// Forgets the copies that `init` kept for `uninstall`; the backups by fingerprint stay.
pub fn forget_install(folder: &Spot) -> Result<(), FileError> {
    ["original", "written", "no-instructions"].iter().try_for_each(|name| files::remove(&folder.join(name)))
}
