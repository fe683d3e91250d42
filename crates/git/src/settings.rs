//! Settings: the few values of a repository's own configuration that a git of ours is given.
//!
//! They say how the files on disk are meant: line ends, upper and lower case, modes, sparse checkouts, the form of ids.
//! Each is a yes or no or one of a few words, and is written down anew; no text of the repository is passed on, and
//! nothing that it includes is read. A setting that is not in these tables does not count.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::config_text::each_setting;
use crate::queries::path_from_bytes;
use crate::reading;

/// A longer configuration is not read.
const CONFIG_BYTES_MAX: u64 = throughline_domain::limits::GIT_CONFIG_BYTES_MAX;
/// Most filters that are known by name.
const FILTERS_MAX: usize = 100;

/// Yes or no.
const FLAGS: [&str; 10] = [
    "core.filemode",
    "core.symlinks",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.trustctime",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "index.sparse",
    "core.autocrlf",
    "core.sharedrepository",
];
/// One of these words.
const WORDS: [(&str, &[&str]); 4] = [
    ("core.autocrlf", &["input"]),
    ("core.eol", &["lf", "crlf", "native"]),
    ("core.checkstat", &["default", "minimal"]),
    ("core.sharedrepository", &["group"]),
];
/// Extensions of the repository's form that change nothing for us.
const HARMLESS_EXTENSIONS: [&str; 6] =
    ["noop", "noop-v1", "preciousobjects", "partialclone", "worktreeconfig", "relativeworktrees"];

/// What a repository's own configuration says, as far as it counts.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Settings {
    /// `sha1` or `sha256`.
    pub(crate) object_format: Option<&'static str>,
    /// `files` or `reftable`.
    pub(crate) ref_storage: Option<&'static str>,
    /// It says that there is no working tree.
    pub(crate) is_bare: bool,
    /// Key and value, the last of each.
    pub(crate) passed_on: Vec<(&'static str, &'static str)>,
    /// The names of filters that it defines.
    pub(crate) filters: BTreeSet<Vec<u8>>,
    /// It has too many of them, or includes other files, which may define any.
    pub(crate) may_have_more_filters: bool,
    work_tree: Option<Vec<u8>>,
    version: Option<Vec<u8>>,
    has_own_file: bool,
    unknown_extension: Option<Vec<u8>>,
}

impl Settings {
    /// Reads the configuration of a repository; why it cannot be read whole, in words.
    pub(crate) fn read(git_dir: &Path, common_dir: &Path) -> Result<Self, String> {
        let mut settings = Self::default();
        settings.take(&common_dir.join("config"), true)?;
        let version = settings.version.take().unwrap_or_default();
        if !matches!(version.as_slice(), b"" | b"0" | b"1") {
            return Err("its form is newer than what is known here".to_owned());
        }
        if let Some(name) = settings.unknown_extension.take().filter(|_| version == b"1") {
            let name = crate::names::path_text(&name);
            return Err(format!("its form has an extension that is not known here (`{name}`)"));
        }
        if git_dir != common_dir {
            // What is said of the main working tree does not hold for a linked one.
            (settings.is_bare, settings.work_tree) = (false, None);
        }
        if settings.has_own_file {
            settings.take(&git_dir.join("config.worktree"), false)?;
        }
        Ok(settings)
    }

    /// Whether references are in a table.
    pub(crate) fn has_reference_table(&self) -> bool {
        self.ref_storage == Some("reftable")
    }

    /// The working tree that the configuration names, without links.
    pub(crate) fn work_tree_of(&self, git_dir: &Path) -> Option<PathBuf> {
        fs::canonicalize(git_dir.join(self.work_tree_as_named()?)).ok()
    }

    pub(crate) fn work_tree_as_named(&self) -> Option<PathBuf> {
        self.work_tree.as_deref().map(path_from_bytes)
    }

    fn take(&mut self, config: &Path, is_shared: bool) -> Result<(), String> {
        each_setting_in(config, |key, value| self.note(key, value, is_shared))
    }

    fn note(&mut self, key: &[u8], value: Option<&[u8]>, is_shared: bool) {
        if let Some(filter) = key.strip_prefix(b"filter.") {
            let name = filter.iter().rposition(|byte| *byte == b'.').map_or(filter, |end| &filter[..end]);
            self.may_have_more_filters |= self.filters.len() == FILTERS_MAX;
            if !self.may_have_more_filters {
                self.filters.insert(name.to_vec());
            }
        }
        self.may_have_more_filters |= key.starts_with(b"include.") || key.starts_with(b"includeif.");
        if let Some(extension) = key.strip_prefix(b"extensions.").filter(|_| is_shared) {
            self.note_extension(extension, value);
        }
        match key {
            b"core.repositoryformatversion" if is_shared => self.version = value.map(<[u8]>::to_vec),
            b"core.worktree" => self.work_tree = value.map(<[u8]>::to_vec),
            b"core.bare" => self.is_bare = flag(value) == Some(true),
            _ if key.starts_with(b"core.") || key.starts_with(b"index.") => self.pass_on(key, value),
            _ => {}
        }
    }

    fn note_extension(&mut self, name: &[u8], value: Option<&[u8]>) {
        match (name, value) {
            (b"objectformat", Some(b"sha1")) => self.object_format = Some("sha1"),
            (b"objectformat", Some(b"sha256")) => self.object_format = Some("sha256"),
            (b"refstorage", Some(b"files")) => self.ref_storage = Some("files"),
            (b"refstorage", Some(b"reftable")) => self.ref_storage = Some("reftable"),
            (b"worktreeconfig", _) => self.has_own_file = flag(value) == Some(true),
            _ if HARMLESS_EXTENSIONS.iter().any(|known| known.as_bytes() == name) => {}
            _ => self.unknown_extension = Some(name.to_vec()),
        }
    }

    fn pass_on(&mut self, key: &[u8], value: Option<&[u8]>) {
        let is_key = |known: &&str| known.as_bytes() == key;
        let as_flag = FLAGS.iter().find(|known| is_key(known)).and_then(|known| {
            let is_on = flag(value)?;
            Some((*known, if is_on { "true" } else { "false" }))
        });
        let as_word = WORDS.iter().find(|(known, _)| is_key(known)).and_then(|(known, words)| {
            let word =
                words.iter().find(|word| value.is_some_and(|it| it.eq_ignore_ascii_case(word.as_bytes())))?;
            Some((*known, *word))
        });
        if let Some((key, value)) = as_word.or(as_flag) {
            self.passed_on.retain(|(known, _)| *known != key);
            self.passed_on.push((key, value));
        }
    }
}

/// Hands every setting of a file to `each`; a file that is not there has none.
pub(crate) fn each_setting_in(config: &Path, each: impl FnMut(&[u8], Option<&[u8]>)) -> Result<(), String> {
    let Some(text) = reading::whole(config, CONFIG_BYTES_MAX)? else { return Ok(()) };
    each_setting(&text, each).map_err(|line| format!("its configuration cannot be read, line {line}"))
}

/// As git reads yes and no; `None` for anything else.
fn flag(value: Option<&[u8]>) -> Option<bool> {
    let Some(value) = value else { return Some(true) };
    let is_one_of = |words: &[&str]| words.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()));
    if is_one_of(&["true", "yes", "on", "1"]) {
        Some(true)
    } else {
        is_one_of(&["false", "no", "off", "0", ""]).then_some(false)
    }
}
