//! Tree: the files of the repository as git lists them. Checks read this value and never the disk.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use super::ratchet;
use super::rust_source::RustSource;

/// A text longer than this is only weighed, never searched.
const TEXT_BYTES_MAX: u64 = 4 << 20;

/// One file of the repository.
#[derive(Debug, Default)]
pub(crate) struct RepoFile {
    /// Size on disk.
    pub(crate) bytes: u64,
    /// Content; `None` when it is no UTF-8 or too long.
    pub(crate) text: Option<String>,
    /// For `.rs` files: its tokens and comments, or why they could not be read.
    pub(crate) rust: Option<Result<RustSource, String>>,
}

/// Every file that is tracked, or would be with the next `git add`. Keys are paths with `/`.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) files: BTreeMap<String, RepoFile>,
    /// The ratchet list as it was before its last change; `None` when git knows no earlier version.
    pub(crate) ratchet_before: Option<String>,
}

impl Tree {
    /// Reads the working tree. Files that git ignores are no part of it.
    pub(crate) fn read(root: &Path) -> Result<Self, String> {
        let listing = git(root, &["ls-files", "-z", "--cached", "--others", "--exclude-standard"])?;
        let mut files = BTreeMap::new();
        for path in listing.split('\0').filter(|path| !path.is_empty()) {
            // Listed yet gone: deleted in the working tree, not yet in the index.
            let Ok(metadata) = root.join(path).symlink_metadata() else { continue };
            if metadata.is_symlink() {
                // Its name counts; what it points to is either in the tree under its own name or not ours.
                files.insert(path.to_owned(), RepoFile::default());
                continue;
            }
            if !metadata.is_file() {
                continue;
            }
            let bytes = metadata.len();
            let text = if bytes <= TEXT_BYTES_MAX {
                let content = std::fs::read(root.join(path))
                    .map_err(|error| format!("could not read {path}: {error}"))?;
                String::from_utf8(content).ok()
            } else {
                None
            };
            files.insert(path.to_owned(), RepoFile::new(path, bytes, text));
        }
        let ratchet_before = ratchet_before(root, files.get(ratchet::LIST));
        Ok(Self { files, ratchet_before })
    }

    /// Files with text.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|(path, file)| Some((path.as_str(), file.text.as_deref()?)))
    }

    /// Rust files that could be read. Those that could not are a finding of the module-docs check.
    pub(crate) fn rust_sources(&self) -> impl Iterator<Item = (&str, &RustSource)> {
        self.files.iter().filter_map(|(path, file)| Some((path.as_str(), file.rust.as_ref()?.as_ref().ok()?)))
    }

    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.text.as_deref()
    }

    /// Whether `path` is a file, or a folder that holds one.
    pub(crate) fn has(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        self.files.contains_key(path)
            || self.files.range(folder.clone()..).next().is_some_and(|(next, _)| next.starts_with(&folder))
    }

    /// Names of the folders directly under `crates/`.
    pub(crate) fn crate_folders(&self) -> Vec<&str> {
        let mut folders: Vec<&str> = self
            .files
            .keys()
            .filter_map(|path| path.strip_prefix("crates/")?.split_once('/').map(|(folder, _)| folder))
            .collect();
        folders.dedup();
        folders
    }
}

impl RepoFile {
    fn new(path: &str, bytes: u64, text: Option<String>) -> Self {
        let is_rust = Path::new(path).extension().is_some_and(|extension| extension == "rs");
        let rust = if is_rust { text.as_deref().map(RustSource::read) } else { None };
        Self { bytes, text, rust }
    }
}

/// The version against which the list may only shrink: the last committed one while the working copy differs from
/// it, else the one before the commit that last touched the list. So a growth that was committed stays a finding.
fn ratchet_before(root: &Path, now: Option<&RepoFile>) -> Option<String> {
    let now = now?.text.as_deref()?;
    let committed = git(root, &["show", &format!("HEAD:{}", ratchet::LIST)]).ok()?;
    if committed != now {
        return Some(committed);
    }
    let last_change = git(root, &["log", "-1", "--format=%H", "--", ratchet::LIST]).ok()?;
    git(root, &["show", &format!("{}~1:{}", last_change.trim(), ratchet::LIST)]).ok()
}

fn git(root: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git")
        // A checkout that belongs to another user (a container's volume) is refused otherwise. Whoever runs tidy
        // has already run this tree's own code.
        .args(["-c", "safe.directory=*"])
        .args(arguments)
        .current_dir(root)
        .output()
        .map_err(|error| format!("could not start git in {}: {error}", root.display()))?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        return Err(format!("git {} failed: {}", arguments.join(" "), reason.trim()));
    }
    String::from_utf8(output.stdout)
        .map_err(|_| format!("git {} answered with no UTF-8", arguments.join(" ")))
}

#[cfg(test)]
impl Tree {
    /// A tree that exists only in a test.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let files = files
            .iter()
            .map(|(path, text)| {
                ((*path).to_owned(), RepoFile::new(path, text.len() as u64, Some((*text).to_owned())))
            })
            .collect();
        Self { files, ratchet_before: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_exists_when_it_holds_a_file_and_not_when_its_name_only_begins_alike() {
        let tree = Tree::of(&[("crates/store/src/lib.rs", "//! x"), ("crates/storehouse.md", "")]);
        assert!(tree.has("crates/store") && tree.has("crates/store/src/lib.rs"));
        assert!(!tree.has("crates/sto") && !tree.has("crates/storehouse"));
        assert_eq!(tree.crate_folders(), ["store"]);
    }
}
