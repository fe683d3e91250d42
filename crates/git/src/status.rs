//! Status: reads `git status --porcelain=v2 --branch -z` and keeps porcelain v1 lines.

use throughline_domain::git_state::STATUS_LINES_MAX;

use crate::names::{path_quoted, path_text};
use crate::output::Records;

/// A submodule counts when another commit is checked out in it. To see more, git would start itself in there, with
/// whatever programs that repository's own configuration names.
pub(crate) const NO_SUBMODULES: &str = "--ignore-submodules=dirty";
/// What git is asked. Ahead and behind are never shown, and counting them walks history. The user's own settings may hide
/// untracked files; a checkpoint wants them.
pub(crate) const ARGS: &[&str] = &[
    "status",
    "--porcelain=v2",
    "--branch",
    "--no-ahead-behind",
    NO_SUBMODULES,
    "--untracked-files=normal",
    "-z",
];

/// What the status says, as far as it was read.
#[derive(Debug, Default)]
pub(crate) struct Status {
    /// `main`, or `(detached at abc1234)`.
    pub(crate) branch: Option<String>,
    /// Full id of the commit that is checked out.
    pub(crate) head: Option<String>,
    /// The branch has no commit yet.
    pub(crate) unborn: bool,
    /// At least one change is in the index.
    pub(crate) staged: bool,
    /// The first entries in porcelain v1 form.
    pub(crate) lines: Vec<String>,
    /// The first paths from the repository's top, as git spells them; never more than `paths_max`.
    pub(crate) paths: Vec<Vec<u8>>,
    /// All entries, also those that were not kept.
    pub(crate) entries: u64,
    /// How many of `paths` and of all entries are tracked; they come first.
    tracked: (usize, u64),
    paths_max: usize,
    renamed: Option<Renamed>,
}

/// A rename whose old name comes in the next record.
#[derive(Debug)]
struct Renamed {
    letters: String,
    path: Option<Vec<u8>>,
}

impl Status {
    pub(crate) fn new(paths_max: usize) -> Self {
        Self { paths_max, ..Self::default() }
    }

    fn header(&mut self, header: &[u8]) {
        let header = String::from_utf8_lossy(header);
        match header.split_once(' ') {
            Some(("branch.oid", "(initial)")) => self.unborn = true,
            Some(("branch.oid", oid)) => self.head = Some(oid.to_owned()),
            Some(("branch.head", "(detached)")) => {
                let short: String = self.head.iter().flat_map(|oid| oid.chars()).take(7).collect();
                self.branch = Some(format!("(detached at {short})"));
            }
            Some(("branch.head", name)) => self.branch = Some(path_text(name.as_bytes())),
            _ => {}
        }
    }

    fn entry(&mut self, letters: &str, path: Option<&[u8]>, old: Option<&[u8]>) {
        self.entries += 1;
        let Some(path) = path else { return };
        if self.lines.len() < STATUS_LINES_MAX {
            let name = path_quoted(path);
            self.lines.push(match old {
                Some(old) => format!("{letters} {} -> {name}", path_quoted(old)),
                None => format!("{letters} {name}"),
            });
        }
        if self.paths.len() < self.paths_max {
            self.paths.push(path.to_vec());
        }
        if letters != UNTRACKED {
            self.tracked = (self.paths.len(), self.entries);
        }
    }

    /// Whether so many paths are known, or all there are.
    pub(crate) fn names_as_many_as(&self, paths_max: usize) -> bool {
        self.paths.len() >= paths_max || self.paths.len() as u64 == self.entries
    }

    /// Whether untracked files are told by the folder that they are in.
    pub(crate) fn has_untracked_folder(&self) -> bool {
        self.paths[self.tracked.0..].iter().any(|path| path.ends_with(b"/"))
    }

    /// The same without the files that git does not track, and with no more paths than this.
    pub(crate) fn of_tracked(mut self, paths_max: usize) -> Self {
        let (paths, entries) = self.tracked;
        self.paths.truncate(paths);
        self.entries = entries;
        self.lines.retain(|line| !line.starts_with(UNTRACKED));
        self.bounded(paths_max)
    }

    /// The same with no more paths than this.
    pub(crate) fn bounded(mut self, paths_max: usize) -> Self {
        self.paths.truncate(paths_max);
        self.paths_max = paths_max;
        self
    }
}

/// The letters of a file that git does not track.
const UNTRACKED: &str = "??";

/// Asks for the status without untracked files, and for those alone: two walks side by side take less time than one.
pub(crate) const TRACKED_ARGS: &[&str] = &[
    "status",
    "--porcelain=v2",
    "--branch",
    "--no-ahead-behind",
    NO_SUBMODULES,
    "--untracked-files=no",
    "-z",
];
/// From the repository's top, wherever we stand in it; folders without a tracked file as one entry, as the status does.
pub(crate) const UNTRACKED_ARGS: &[&str] = &[
    "ls-files",
    "--others",
    "--exclude-standard",
    "--directory",
    "--no-empty-directory",
    "--full-name",
    "-z",
    "--",
    ":/",
];

/// Untracked files, one record each.
#[derive(Debug)]
pub(crate) struct Untracked(Status);

impl Untracked {
    pub(crate) fn new(paths_max: usize) -> Self {
        Self(Status::new(paths_max))
    }
}

impl Records for Untracked {
    fn record(&mut self, record: Option<&[u8]>) {
        match record {
            Some(b"") => {}
            Some(path) => self.0.entry(UNTRACKED, Some(path), None),
            None => self.0.entries += 1,
        }
    }
}

impl Status {
    /// Puts the untracked files behind the tracked ones, where the status has them.
    pub(crate) fn with_untracked(mut self, untracked: Untracked) -> Self {
        let Untracked(untracked) = untracked;
        let room = STATUS_LINES_MAX.saturating_sub(self.lines.len());
        self.lines.extend(untracked.lines.into_iter().take(room));
        let room = self.paths_max.saturating_sub(self.paths.len());
        self.paths.extend(untracked.paths.into_iter().take(room));
        self.entries += untracked.entries;
        self
    }
}

impl Records for Status {
    fn record(&mut self, record: Option<&[u8]>) {
        if let Some(renamed) = self.renamed.take() {
            self.entry(&renamed.letters, renamed.path.as_deref(), record);
            return;
        }
        let Some(record) = record else {
            self.entries += 1;
            return;
        };
        let Some((kind, rest)) = record.split_first().filter(|(_, rest)| rest.first() == Some(&b' ')) else {
            return;
        };
        let rest = &rest[1..];
        match kind {
            b'#' => self.header(rest),
            b'?' => self.entry(UNTRACKED, Some(rest), None),
            // XY sub mH mI mW hH hI path
            b'1' => {
                if let Some((letters, path)) = letters_and_path(rest, 7) {
                    self.staged |= !letters.starts_with(' ');
                    self.entry(&letters, Some(path), None);
                }
            }
            // XY sub mH mI mW hH hI Xscore path NUL old path
            b'2' => {
                if let Some((letters, path)) = letters_and_path(rest, 8) {
                    self.staged |= !letters.starts_with(' ');
                    self.renamed = Some(Renamed { letters, path: Some(path.to_vec()) });
                }
            }
            // XY sub m1 m2 m3 mW h1 h2 h3 path
            b'u' => {
                if let Some((letters, path)) = letters_and_path(rest, 9) {
                    self.entry(&letters, Some(path), None);
                }
            }
            _ => {}
        }
    }
}

/// The two letters in v1 form (a dot becomes a space) and the path after `fields` fields.
fn letters_and_path(entry: &[u8], fields: usize) -> Option<(String, &[u8])> {
    let mut parts = entry.splitn(fields + 1, |&byte| byte == b' ');
    let letters = parts.next()?;
    let path = parts.nth(fields - 1)?;
    let known = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'.';
    if letters.len() != 2 || !letters.iter().all(known) || path.is_empty() {
        return None;
    }
    Some((letters.iter().map(|&byte| if byte == b'.' { ' ' } else { char::from(byte) }).collect(), path))
}

#[cfg(test)]
mod tests {
    use super::Status;
    use crate::output::Records;

    #[test]
    fn records_that_are_no_status_are_skipped() {
        let mut status = Status::new(10);
        for garbage in [
            &b""[..],
            b"1",
            b"1 ",
            b"1 .M",
            b"1 .M N... a b c d e",
            b"2 \xff\xff a b c d e f g",
            b"x y",
            b"#",
            b"# ",
        ] {
            status.record(Some(garbage));
        }
        assert_eq!(status.lines, Vec::<String>::new());
        status.record(Some(b"1 .M N... 100644 100644 100644 0 0 a b"));
        assert_eq!(status.lines, [" M \"a b\""]);
    }

    #[test]
    fn a_record_too_long_to_keep_is_still_counted() {
        let mut status = Status::new(10);
        status.record(None);
        assert_eq!((status.entries, status.lines.len()), (1, 0));
    }
}
