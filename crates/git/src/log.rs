//! Log: reads `git log --raw -z` into commits and the files they touched.

use crate::names::subject_text;
use crate::output::Records;

/// What `git log` is asked beyond the range: machine-made lines only, no rename search, no signature check.
pub(crate) const ARGS: &[&str] = &[
    "log",
    "-z",
    "--no-color",
    "--no-notes",
    "--no-show-signature",
    "--encoding=UTF-8",
    "--format=tformat:%H %h %ct %an%x1f%s",
];
/// Adds the files. `--raw` marks each path with a record of its own, so a path can not pose as a commit.
pub(crate) const WITH_FILES_ARGS: &[&str] = &["--raw", "--no-renames", "--no-ext-diff"];

/// A commit in a few words.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Commit {
    /// Full id.
    pub(crate) id: String,
    /// As short as git makes it.
    pub(crate) short: String,
    /// When it was made, in seconds since 1970.
    pub(crate) seconds: i64,
    /// The author's name.
    pub(crate) author: String,
    /// First line of the message.
    pub(crate) subject: String,
}

/// What the log says, as far as it was read.
#[derive(Debug)]
pub(crate) struct Log {
    /// Newest first.
    pub(crate) commits: Vec<Commit>,
    /// Files of these commits from the repository's top, each once.
    pub(crate) paths: Vec<Vec<u8>>,
    /// Commits whose files are told apart, as far as they have not come yet.
    pub(crate) wanted: Vec<String>,
    /// Files of those that have come.
    pub(crate) wanted_paths: Vec<Vec<u8>>,
    wanted_paths_max: usize,
    commits_max: usize,
    paths_max: usize,
    path_follows: bool,
    is_wanted: bool,
}

impl Log {
    pub(crate) fn new(commits_max: usize, paths_max: usize) -> Self {
        Self {
            commits: Vec::new(),
            paths: Vec::new(),
            wanted: Vec::new(),
            wanted_paths: Vec::new(),
            wanted_paths_max: 0,
            commits_max,
            paths_max,
            path_follows: false,
            is_wanted: false,
        }
    }

    /// The same; files of these commits are told apart, at most so many.
    pub(crate) fn telling_apart(mut self, wanted: Vec<String>, paths_max: usize) -> Self {
        (self.wanted, self.wanted_paths_max) = (wanted, paths_max);
        self
    }

    fn path(&mut self, path: &[u8]) {
        let add = |paths: &mut Vec<Vec<u8>>, paths_max: usize| {
            if paths.len() < paths_max && !paths.iter().any(|known| known == path) {
                paths.push(path.to_vec());
            }
        };
        add(&mut self.paths, self.paths_max);
        if self.is_wanted {
            add(&mut self.wanted_paths, self.wanted_paths_max);
        }
    }
}

impl Records for Log {
    fn record(&mut self, record: Option<&[u8]>) {
        if std::mem::take(&mut self.path_follows) {
            if let Some(path) = record {
                self.path(path);
            }
            return;
        }
        let Some(record) = record else { return };
        // The first file of a commit comes after an empty line.
        let record = record.strip_prefix(b"\n").unwrap_or(record);
        if record.starts_with(b":") {
            self.path_follows = true;
            return;
        }
        self.is_wanted = false;
        if self.commits.len() < self.commits_max
            && let Some(commit) = commit(record)
        {
            let waiting = self.wanted.len();
            self.wanted.retain(|id| *id != commit.id);
            self.is_wanted = self.wanted.len() < waiting;
            self.commits.push(commit);
        }
    }
}

fn commit(record: &[u8]) -> Option<Commit> {
    let mut fields = record.splitn(4, |&byte| byte == b' ');
    let (id, short, seconds, rest) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    if !is_hex(id) || !is_hex(short) {
        return None;
    }
    let (author, subject) = rest.split_at(rest.iter().position(|&byte| byte == 0x1f)?);
    Some(Commit {
        id: String::from_utf8_lossy(id).into_owned(),
        short: String::from_utf8_lossy(short).into_owned(),
        seconds: std::str::from_utf8(seconds).ok()?.parse().ok()?,
        author: subject_text(author),
        subject: subject_text(&subject[1..]),
    })
}

/// Whether these bytes can be a commit id of either hash, short or full.
pub(crate) fn is_hex(id: &[u8]) -> bool {
    (4..=64).contains(&id.len()) && id.iter().all(u8::is_ascii_hexdigit)
}
