//! Own dir: a git folder of our own, through which git sees a repository without any of its configuration.
//!
//! Git takes its settings from the folder that `GIT_DIR` names, and nothing can tell it not to. A list of settings that
//! start programs is never complete, and whoever reads the repository's own to switch them off can be led astray: by
//! their number, by pointers, by includes. So that folder is ours: temporary, for us alone, with a configuration that we
//! wrote. Of the repository's own only what `settings.rs` knows is passed on.
//!
//! Objects and the index are named by variables and stay where they are. References are seen, and ours written, through
//! links of ours to the repository's own folders: git itself then locks, packs and tables them, where loose files that
//! we wrote would race with `git gc`. What it ignores, its attributes and its sparse checkout are copied. A repository of
//! which any of this cannot be read whole is not asked.
//!
//! What this hides: filters, conversions, ignore files and includes that only the repository's own settings name (a
//! touched file behind such a filter looks modified; a checkpoint leaves it out and says so); `includeIf "gitdir:…"` in
//! the user's own settings, for the folder is another; grafts and replaced objects. Filters in the user's own settings
//! work.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::Instant;

use tempfile::TempDir;

use crate::Git;
use crate::left_behind;
use crate::ownership;
use crate::reading;
use crate::settings::Settings;
use crate::whereabouts::{Repository, WhyNot, repository_around};

/// `HEAD` is one short line.
const HEAD_BYTES_MAX: u64 = throughline_domain::limits::GIT_HEAD_BYTES_MAX;
/// Lists of patterns; git itself becomes slow long before.
const PATTERNS_BYTES_MAX: u64 = throughline_domain::limits::EXCLUDE_BYTES_MAX;
/// Most entries of a folder that are looked through; git makes some hundred.
const ENTRIES_MAX: usize = 10_000;
/// Most files of a split index; git keeps a few.
const SHARED_INDEXES_MAX: usize = 100;
/// Where the user's large file store keeps what it takes out of files.
const LARGE_FILES: &str = "lfs";

/// Where Linux keeps files in memory: on a disk these few would cost more than a tenth of what git needs.
const IN_MEMORY: &str = "/dev/shm";

/// What our own configuration says besides what is passed on. The user's own settings may say otherwise elsewhere.
const ALWAYS: &str = "\tbare = false\n\tfsmonitor = false\n\tuntrackedCache = false\n\tsplitIndex = false\n\
                      \thooksPath = /dev/null\n\tlogAllRefUpdates = false\n";

/// A repository as git is shown it. Goes when it is dropped.
#[derive(Debug)]
pub(crate) struct OwnDir {
    pub(crate) repository: Repository,
    pub(crate) settings: Settings,
    folder: TempDir,
}

impl OwnDir {
    /// For the repository that holds `folder`.
    pub(crate) fn around(git: &Git, folder: &Path, end: Instant) -> Result<Self, WhyNot> {
        let repository = repository_around(folder)?;
        ownership::check(git, &repository, end)?;
        Self::of(repository).map_err(WhyNot::Refused)
    }

    fn of(repository: Repository) -> Result<Self, String> {
        let Repository { top, git_dir, common_dir, .. } = &repository;
        let settings = Settings::read(git_dir, common_dir)?;
        if settings.is_bare {
            return Err("it is a bare repository".to_owned());
        }
        if let Some(named) = settings.work_tree_as_named()
            && settings.work_tree_of(git_dir).as_ref() != Some(top)
        {
            let named = crate::names::path_text(named.as_os_str().as_encoded_bytes());
            return Err(format!("the repository puts its working tree elsewhere ({named})"));
        }
        for (place, name, is_folder) in [
            (common_dir, "objects", true),
            (common_dir, "refs", true),
            (common_dir, "packed-refs", false),
            (common_dir, "shallow", false),
            (git_dir, "index", false),
        ] {
            refuse_other_kinds(&place.join(name), is_folder)?;
        }
        refuse_links_in(&common_dir.join("objects"))?;
        let head = head_of(git_dir)?;
        refuse_linked_branch(common_dir, &head)?;
        let folder = new_folder().map_err(|error| format!("no temporary folder can be made: {error}"))?;
        let own = Self { repository, settings, folder };
        own.fill(&head)?;
        Ok(own)
    }

    /// The variables that lead git here.
    pub(crate) fn env(&self) -> Vec<(&'static str, PathBuf)> {
        let Repository { top, git_dir, common_dir, .. } = &self.repository;
        let mut env = vec![
            ("GIT_DIR", self.folder.path().to_owned()),
            ("GIT_WORK_TREE", top.clone()),
            ("GIT_OBJECT_DIRECTORY", common_dir.join("objects")),
            ("GIT_INDEX_FILE", git_dir.join("index")),
        ];
        let shallow = common_dir.join("shallow");
        if fs::symlink_metadata(&shallow).is_ok() {
            env.push(("GIT_SHALLOW_FILE", shallow));
        }
        env
    }

    /// Whether a filter stored content in our folder, where nobody will find it.
    pub(crate) fn holds_large_files(&self) -> bool {
        let own = self.folder.path();
        let is_there =
            |folder: &Path| fs::symlink_metadata(folder.join(LARGE_FILES)).is_ok_and(|meta| meta.is_dir());
        is_there(own) || is_there(&own.join("common"))
    }

    /// Why no reference of ours is written: a folder on the way is a link.
    pub(crate) fn refuse_linked_references(&self) -> Result<(), String> {
        let refs = self.repository.common_dir.join("refs");
        refuse_other_kinds(&refs.join("throughline"), true)?;
        refuse_other_kinds(&refs.join("throughline/checkpoints"), true)
    }

    fn fill(&self, head: &str) -> Result<(), String> {
        let Repository { git_dir, common_dir, .. } = &self.repository;
        let own = self.folder.path();
        write(&own.join("HEAD"), head.as_bytes())?;
        let mut common = own.to_owned();
        if self.settings.has_reference_table() {
            if self.repository.is_linked() {
                // Such a worktree has a table of its own, and git looks for both where `commondir` says.
                common = own.join("common");
                make_folder(&common)?;
                make_folder(&own.join("refs"))?;
                write(&own.join("commondir"), b"common\n")?;
                write(&common.join("HEAD"), head.as_bytes())?;
                link_table(git_dir, own)?;
            }
            link_table(common_dir, &common)?;
        }
        write(&common.join("config"), self.config().as_bytes())?;
        link(&common_dir.join("refs"), &common.join("refs"))?;
        // It may come while git runs, so the link is there in any case.
        link(&common_dir.join("packed-refs"), &common.join("packed-refs"))?;
        // Without it, what the user's own filter stores would go with this folder.
        let large_files = common_dir.join(LARGE_FILES);
        refuse_other_kinds(&large_files, true)?;
        if large_files.is_dir() {
            link(&large_files, &common.join(LARGE_FILES))?;
        }
        self.copy_patterns(&common)?;
        self.link_shared_indexes()
    }

    fn config(&self) -> String {
        let settings = &self.settings;
        let has_extensions = settings.object_format.is_some() || settings.ref_storage.is_some();
        let mut text = format!("[core]\n\trepositoryformatversion = {}\n{ALWAYS}", u8::from(has_extensions));
        for (key, value) in &settings.passed_on {
            if let Some((section, name)) = key.split_once('.') {
                text.push_str(&format!("[{section}]\n\t{name} = {value}\n"));
            }
        }
        if let Some(format) = settings.object_format {
            text.push_str(&format!("[extensions]\n\tobjectFormat = {format}\n"));
        }
        if let Some(storage) = settings.ref_storage {
            text.push_str(&format!("[extensions]\n\trefStorage = {storage}\n"));
        }
        text
    }

    fn copy_patterns(&self, common: &Path) -> Result<(), String> {
        let Repository { git_dir, common_dir, .. } = &self.repository;
        let own = self.folder.path();
        for (from, to, name) in [
            (common_dir, common, "exclude"),
            (common_dir, common, "attributes"),
            // Git keeps this one beside the index.
            (git_dir, own, "sparse-checkout"),
        ] {
            refuse_other_kinds(&from.join("info"), true)?;
            let Some(text) = reading::whole(&from.join("info").join(name), PATTERNS_BYTES_MAX)? else {
                continue;
            };
            if has_pattern(&text) {
                make_folder(&to.join("info"))?;
                write(&to.join("info").join(name), &text)?;
            }
        }
        Ok(())
    }

    /// A split index names its other part, which git looks for beside `HEAD`.
    fn link_shared_indexes(&self) -> Result<(), String> {
        let Ok(entries) = fs::read_dir(&self.repository.git_dir) else { return Ok(()) };
        let is_shared = |name: &OsStr| name.as_encoded_bytes().starts_with(b"sharedindex.");
        let shared = entries.take(ENTRIES_MAX).flatten().filter(|entry| is_shared(&entry.file_name()));
        for entry in shared.take(SHARED_INDEXES_MAX) {
            refuse_other_kinds(&entry.path(), false)?;
            link(&entry.path(), &self.folder.path().join(entry.file_name()))?;
        }
        Ok(())
    }
}

/// What `HEAD` says, if it is plain: a name under `refs/` or an id.
fn head_of(git_dir: &Path) -> Result<String, String> {
    let line = reading::line(&git_dir.join("HEAD"), HEAD_BYTES_MAX)?.unwrap_or_default();
    let is_plain = match line.strip_prefix("ref:").map(str::trim) {
        Some(name) => crate::head_id::is_reference(name),
        None => crate::trees::is_id(line.trim_end()),
    };
    if is_plain {
        Ok(format!("{line}\n"))
    } else {
        Err("its `HEAD` names neither a branch nor a commit".to_owned())
    }
}

/// The branch that is checked out stands in this repository: another one's, behind a link, is not told.
fn refuse_linked_branch(common_dir: &Path, head: &str) -> Result<(), String> {
    let Some(name) = head.trim_end().strip_prefix("ref:").map(str::trim) else { return Ok(()) };
    let mut path = common_dir.to_owned();
    for part in name.split('/') {
        path.push(part);
        if fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_symlink()) {
            return Err(format!("its `{}` is a link", crate::names::path_text(part.as_bytes())));
        }
    }
    Ok(())
}

fn has_pattern(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n').any(|line| !line.trim_ascii().is_empty() && !line.starts_with(b"#"))
}

/// What is there must be a real folder, or a real file; it may be missing.
fn refuse_other_kinds(path: &Path, is_folder: bool) -> Result<(), String> {
    let Ok(meta) = fs::symlink_metadata(path) else { return Ok(()) };
    if meta.is_dir() == is_folder && meta.is_file() != is_folder {
        return Ok(());
    }
    let name = crate::names::path_text(path.file_name().unwrap_or_default().as_encoded_bytes());
    let kind = if meta.is_symlink() { "a link" } else { "of another kind than git makes it" };
    Err(format!("its `{name}` is {kind}"))
}

fn refuse_links_in(folder: &Path) -> Result<(), String> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for (count, entry) in entries.flatten().enumerate() {
        let name = crate::names::path_text(entry.file_name().as_encoded_bytes());
        if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
            return Err(format!("its `{name}` is a link"));
        }
        if count == ENTRIES_MAX {
            return Err(format!("a folder of it has more than {ENTRIES_MAX} entries, `{name}` among them"));
        }
    }
    Ok(())
}

fn link_table(from: &Path, to: &Path) -> Result<(), String> {
    let table = from.join("reftable");
    refuse_other_kinds(&table, true)?;
    refuse_links_in(&table)?;
    link(&table, &to.join("reftable"))
}

fn unmade(error: &io::Error) -> String {
    format!("a temporary folder could not be filled: {error}")
}

fn new_folder() -> io::Result<TempDir> {
    static SWEPT: Once = Once::new();
    let prefix = left_behind::prefix();
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix);
    for_us_alone(&mut builder);
    let Ok(folder) = builder.tempdir_in(IN_MEMORY) else { return builder.tempdir() };
    // Nobody else tidies up there.
    SWEPT.call_once(|| left_behind::sweep(Path::new(IN_MEMORY)));
    Ok(folder)
}

#[cfg(unix)]
fn for_us_alone(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt as _;
    builder.permissions(fs::Permissions::from_mode(0o700));
}

#[cfg(not(unix))]
fn for_us_alone(_builder: &mut tempfile::Builder<'_, '_>) {}

#[expect(clippy::disallowed_methods, reason = "a file in a temporary folder of ours, for git to read")]
fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    fs::write(path, bytes).map_err(|error| unmade(&error))
}

#[expect(clippy::disallowed_methods, reason = "a folder in a temporary folder of ours, for git to read")]
fn make_folder(path: &Path) -> Result<(), String> {
    match fs::create_dir(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(unmade(&error)),
        _ => Ok(()),
    }
}

#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "a link in a temporary folder of ours, for git to follow")]
fn link(target: &Path, path: &Path) -> Result<(), String> {
    std::os::unix::fs::symlink(target, path).map_err(|error| unmade(&error))
}

#[cfg(not(unix))]
fn link(_target: &Path, _path: &Path) -> Result<(), String> {
    Err("git is not asked on this system".to_owned())
}
