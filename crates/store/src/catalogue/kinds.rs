//! The columns of the catalogue, and the kinds of names in its paths.

use throughline_domain::checkpoint::is_id;

use crate::files;
use crate::paths::safe_name;

/// A root that our files are below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Under {
    /// The user's data folder.
    Data,
    /// The project's `.claude`.
    Project,
    /// The client's configuration folder.
    Client,
}

impl Under {
    pub(super) const ALL: [Self; 3] = [Self::Project, Self::Data, Self::Client];

    pub(super) fn heading(self) -> &'static str {
        match self {
            Self::Data => "In the data folder",
            Self::Project => "In a project's `.claude`",
            Self::Client => "In the client's configuration folder",
        }
    }

    pub(super) fn place(self) -> &'static str {
        match self {
            Self::Data => "`THROUGHLINE_HOME`, else the platform's data folder.",
            Self::Project => {
                "Where the project is your home folder itself: `projects/<project>/files` in the data folder."
            }
            Self::Client => "`CLAUDE_CONFIG_DIR`, else `~/.claude`. Other tools read these.",
        }
    }
}

/// What a file's content looks like. Nothing is masked again that does not look like it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A JSON document.
    Json,
    /// A JSON document behind a line with a number.
    StampedJson,
    /// A JSON object a line.
    JsonLines,
    /// Text that begins with these words.
    Text(&'static str),
    /// A page of notes with our block in it.
    Notes,
    /// The log of compactions: a moment, a bar, `COMPACTION`.
    CompactionLog,
    /// A working set that could not be read as one.
    BrokenState,
    /// A database, or what belongs to one.
    Database,
    /// A word, a key, a number, or nothing.
    Token,
    /// A copy of something else, byte for byte.
    Copy,
}

/// What becomes of a file when the rules of masking change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Masked {
    /// Secrets are overwritten where they stand: others append to it at any moment.
    InPlace,
    /// It is replaced whole.
    Whole,
    /// Our part of it is.
    OurPart,
    /// Together with the copy of it that tells whether somebody changed it.
    WithItsCopy,
    /// Where it was made here.
    IfMadeHere,
    /// Row by row.
    Rows,
    /// Where it is text as a whole.
    IfText,
    /// Nothing: it holds no words.
    NoWords,
    /// Nothing: it is a copy, exact by purpose.
    Exact,
}

impl Masked {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::InPlace => "overwritten in place",
            Self::Whole => "yes",
            Self::OurPart => "our part",
            Self::WithItsCopy => "with its copy",
            Self::IfMadeHere => "if made here",
            Self::Rows => "row by row",
            Self::IfText => "if it is text",
            Self::NoWords => "holds no words",
            Self::Exact => "no: an exact copy",
        }
    }
}

/// What becomes of a file when a session, a project or a time is to be forgotten. Words are taken out of everything
/// that is masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forgotten {
    /// It goes with its session.
    WithSession,
    /// The lines of that session go.
    Lines(SharedLines),
    /// It goes with the project, or when it is older than the moment.
    WithProject,
    /// It goes with the project; else what is to be forgotten is taken out of it.
    Rewritten,
    /// The rows of that session go.
    Rows,
    /// It goes when everything of a project is forgotten.
    WithEverything,
    /// It stays.
    Stays,
}

/// Files of lines that many sessions share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SharedLines {
    /// The project's list of sessions.
    Registry,
    /// How full the context was.
    UsageLog,
}

impl Forgotten {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::WithSession => "with its session",
            Self::Lines(_) => "its lines of the session",
            Self::WithProject => "with the project, or by age",
            Self::Rewritten => "rewritten without it",
            Self::Rows => "its rows",
            Self::WithEverything => "with everything of the project",
            Self::Stays => "stays",
        }
    }
}

/// Whether an export carries a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carried {
    /// As a file.
    AsFile,
    /// As records.
    AsRecords,
    /// No.
    No,
}

impl Carried {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::AsFile => "yes",
            Self::AsRecords => "as records",
            Self::No => "no",
        }
    }
}

/// When a file goes by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Swept {
    /// A day after its session's end.
    AfterSession,
    /// When the work that needs it is done.
    AfterUse,
    /// When there are too many, or they are too large.
    WhenFull,
    /// With `uninstall`.
    OnUninstall,
    /// It stays.
    Stays,
}

impl Swept {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::AfterSession => "a day after the session",
            Self::AfterUse => "after use",
            Self::WhenFull => "the oldest, when there are too many",
            Self::OnUninstall => "on `uninstall`",
            Self::Stays => "stays",
        }
    }
}

/// A kind of name: how it is spelt in the table, which names it stands for, and an example.
type Kind = (&'static str, fn(&str) -> bool, &'static str);

const KINDS: [Kind; 7] = [
    ("<session>", is_plain, "2f467a84-03d0"),
    ("<project>", is_plain, "app-0123456789abcdef"),
    ("<checkpoint>", is_id, "20260126-153000123-0a1b"),
    ("<stamp>", is_stamp, "2026-01-26T15-30-00-123Z"),
    ("<number>", is_number, "2"),
    ("<hash>", is_hash, "0123456789abcdef"),
    ("<name>", is_file_name, "settings.json"),
];

/// Whether a name is one that a part of a path stands for.
pub(super) fn fits(part: &str, name: &str) -> bool {
    if files::is_temp(name) {
        return false;
    }
    let Some(begin) = part.find('<') else { return part == name };
    let Some(end) = part[begin..].find('>').map(|end| begin + end + 1) else { return false };
    let (before, kind, after) = (&part[..begin], &part[begin..end], &part[end..]);
    let Some(rest) = name.strip_prefix(before) else { return false };
    let Some((_, is_kind, _)) = KINDS.iter().find(|(name, ..)| *name == kind) else { return false };
    // What follows may hold a kind of its own: the shortest beginning that leaves something fitting.
    (1..=rest.len()).filter(|cut| rest.is_char_boundary(*cut)).any(|cut| {
        is_kind(&rest[..cut])
            && if after.is_empty() { cut == rest.len() } else { fits_rest(after, &rest[cut..]) }
    })
}

fn fits_rest(part: &str, rest: &str) -> bool {
    if part.contains('<') { fits(part, rest) } else { part == rest }
}

/// A path with an example for each kind of name.
pub(super) fn example(path: &str) -> String {
    let mut path = path.replace('…', "");
    for (kind, _, example) in KINDS {
        path = path.replace(kind, example);
    }
    path
}

fn is_plain(name: &str) -> bool {
    safe_name(name) == name
}

fn is_stamp(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 80
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

fn is_number(name: &str) -> bool {
    !name.is_empty() && name.len() <= 20 && name.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_hash(name: &str) -> bool {
    matches!(name.len(), 8..=100) && name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

fn is_file_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= 200 && !name.contains('/')
}
