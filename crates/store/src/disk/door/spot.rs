//! A spot: a root and the names below it; what can be done at such a place without following a link.

use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{AtFlags, Dir, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use super::meta::{Listed, Meta, NodeKind};
use super::root::{self, FOLDER, Root};
use super::{OWNER_FOLDER, Refused, walk};

/// Deepest tree that is removed.
const DEPTH_MAX: usize = throughline_domain::limits::REMOVED_DEPTH_MAX;

/// A place for a file or a folder of ours.
#[derive(Clone)]
pub struct Spot {
    root: Arc<Root>,
    below: PathBuf,
}

/// The folder that a name is in.
enum Above<'a> {
    Root(BorrowedFd<'a>),
    Opened(OwnedFd),
}

impl AsFd for Above<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Root(folder) => *folder,
            Self::Opened(folder) => folder.as_fd(),
        }
    }
}

impl Spot {
    /// A root. Nothing is opened or made yet.
    pub fn root(path: impl Into<PathBuf>) -> Self {
        Self { root: Arc::new(Root::at(path.into())), below: PathBuf::new() }
    }

    /// The place of a name, or of several, below this one.
    #[must_use]
    pub fn join(&self, names: impl AsRef<Path>) -> Self {
        Self { root: Arc::clone(&self.root), below: self.below.join(names) }
    }

    /// The folder that it is in; `None` for a root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        Some(Self { root: Arc::clone(&self.root), below: self.below.parent()?.to_owned() })
    }

    /// Its last name; a root's own.
    #[must_use]
    pub fn file_name(&self) -> Option<&OsStr> {
        self.below.file_name().or_else(|| self.root.path().file_name())
    }

    /// Its last name as text.
    #[must_use]
    pub fn name(&self) -> String {
        self.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The place of another name in the same folder.
    #[must_use]
    pub fn with_file_name(&self, name: impl AsRef<OsStr>) -> Self {
        Self { root: Arc::clone(&self.root), below: self.below.with_file_name(name) }
    }

    /// The path, for people and for programs that can only be told one. Nothing of ours opens it.
    #[must_use]
    pub fn shown(&self) -> PathBuf {
        if self.below.as_os_str().is_empty() {
            return self.root.path().to_owned();
        }
        self.root.path().join(&self.below)
    }

    /// The path, to be printed.
    #[must_use]
    pub fn display(&self) -> String {
        self.shown().display().to_string()
    }

    /// The path with the links on the way to the root followed; for the database engine, which opens files itself and is
    /// told to follow none.
    pub fn real_path(&self) -> io::Result<PathBuf> {
        Ok(self.root.real_path()?.join(&self.below))
    }

    /// Whether it is below another one, or that one.
    #[must_use]
    pub fn starts_with(&self, other: &Self) -> bool {
        self.shown().starts_with(other.shown())
    }

    /// What stands there; a link is a link.
    pub fn meta(&self) -> io::Result<Meta> {
        if self.below.as_os_str().is_empty() {
            return Ok(Meta::of(&rustix::fs::fstat(self.root.handle()?)?));
        }
        let (folder, name) = self.above()?;
        Ok(Meta::of(&rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    /// Whether anything stands there.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.meta().is_ok()
    }

    /// Whether a regular file stands there.
    #[must_use]
    pub fn is_file(&self) -> bool {
        self.meta().is_ok_and(|meta| meta.is_file())
    }

    /// Whether a folder stands there.
    #[must_use]
    pub fn is_folder(&self) -> bool {
        self.meta().is_ok_and(|meta| meta.is_folder())
    }

    /// Whether it, or a folder on the way to it, is a link.
    #[must_use]
    pub fn is_linked(&self) -> bool {
        match self.meta() {
            Ok(meta) => meta.is_link(),
            Err(error) => super::is_refusal(&error),
        }
    }

    /// Its length; 0 where nothing is.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.meta().map_or(0, |meta| meta.len)
    }

    /// Where a link leads, as it says.
    pub fn link_target(&self) -> io::Result<PathBuf> {
        let (folder, name) = self.above()?;
        let target = rustix::fs::readlinkat(&folder, name, Vec::new())?;
        Ok(PathBuf::from(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(target.as_bytes())))
    }

    /// The names in a folder, at most `names_max` of them. A folder that cannot be read has none.
    #[must_use]
    pub fn list(&self, names_max: usize) -> Vec<Listed> {
        self.try_list(names_max).unwrap_or_default()
    }

    /// The names in a folder, or why there are none.
    pub fn try_list(&self, names_max: usize) -> io::Result<Vec<Listed>> {
        let folder = self.open_node(FOLDER, Mode::empty())?;
        let mut listed = Vec::new();
        for entry in Dir::read_from(&folder)? {
            let entry = entry?;
            let name = <OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            if listed.len() >= names_max {
                break;
            }
            let kind = match entry.file_type() {
                // Some file systems do not tell it with the name.
                rustix::fs::FileType::Unknown => rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)
                    .map_or(NodeKind::Other, |stat| Meta::of(&stat).kind),
                kind => NodeKind::of(kind),
            };
            listed.push(Listed { name: name.to_owned(), kind });
        }
        Ok(listed)
    }

    /// The places of the names in a folder, at most `names_max` of them.
    #[must_use]
    pub fn children(&self, names_max: usize) -> Vec<Self> {
        self.list(names_max).into_iter().map(|listed| self.join(listed.name)).collect()
    }

    /// Opens what stands there.
    pub(crate) fn open(&self, flags: OFlags, mode: Mode) -> io::Result<File> {
        Ok(File::from(self.open_node(flags, mode)?))
    }

    /// Makes the folder itself; the one above it is there.
    pub(crate) fn make_folder(&self) -> io::Result<()> {
        let (folder, name) = self.above()?;
        Ok(rustix::fs::mkdirat(&folder, name, OWNER_FOLDER)?)
    }

    /// Makes the folder and those above it; gives the new ones, each with where its name must be flushed.
    pub(crate) fn make_folders(&self) -> io::Result<Vec<MadeIn>> {
        let mut made: Vec<MadeIn> = Vec::new();
        for new in self.root.create()? {
            made.extend(new.parent().map(|above| MadeIn::Outside(above.to_owned())));
        }
        let mut at = Self { root: Arc::clone(&self.root), below: PathBuf::new() };
        for step in self.below.components() {
            let next = at.join(step);
            match next.make_folder() {
                Ok(()) => made.push(MadeIn::Below(at)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match next.meta()? {
                    meta if meta.is_folder() => {}
                    meta if meta.is_link() => return Err(Refused::Link.into()),
                    _ => return Err(io::ErrorKind::NotADirectory.into()),
                },
                Err(error) => return Err(error),
            }
            at = next;
        }
        Ok(made)
    }

    /// Flushes a folder's list of names.
    pub(crate) fn flush_names(&self) -> io::Result<()> {
        self.open(FOLDER, Mode::empty())?.sync_all()
    }

    /// Gives the file another name, whatever stands there.
    pub(crate) fn rename(&self, to: &Self) -> io::Result<()> {
        let ((from, from_name), (into, into_name)) = (self.above()?, to.above()?);
        Ok(rustix::fs::renameat(&from, from_name, &into, into_name)?)
    }

    /// Gives the file another name, unless something has it already.
    pub(crate) fn rename_to_free(&self, to: &Self) -> io::Result<()> {
        let ((from, from_name), (into, into_name)) = (self.above()?, to.above()?);
        match rustix::fs::renameat_with(&from, from_name, &into, into_name, RenameFlags::NOREPLACE) {
            // Not every file system can. A second name is refused where there is one already, too.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                if self.is_folder() {
                    return if to.exists() {
                        Err(io::ErrorKind::AlreadyExists.into())
                    } else {
                        self.rename(to)
                    };
                }
                self.second_name(to)?;
                self.unlink()
            }
            renamed => Ok(renamed?),
        }
    }

    /// Gives the file a second name, where nothing has it.
    pub(crate) fn second_name(&self, to: &Self) -> io::Result<()> {
        let ((from, from_name), (into, into_name)) = (self.above()?, to.above()?);
        Ok(rustix::fs::linkat(&from, from_name, &into, into_name, AtFlags::empty())?)
    }

    /// Makes a link.
    pub(crate) fn make_link(&self, target: &Path) -> io::Result<()> {
        let (folder, name) = self.above()?;
        Ok(rustix::fs::symlinkat(target, &folder, name)?)
    }

    /// Takes the name away; a link goes, what it leads to stays.
    pub(crate) fn unlink(&self) -> io::Result<()> {
        let (folder, name) = self.above()?;
        Ok(rustix::fs::unlinkat(&folder, name, AtFlags::empty())?)
    }

    /// Removes the folder if it is empty.
    pub(crate) fn remove_folder(&self) -> io::Result<()> {
        let (folder, name) = self.above()?;
        Ok(rustix::fs::unlinkat(&folder, name, AtFlags::REMOVEDIR)?)
    }

    /// Removes the folder and everything below it. Links in it go; what they lead to stays.
    pub(crate) fn remove_tree(&self) -> io::Result<()> {
        let (folder, name) = self.above()?;
        match empty(folder.as_fd(), name, DEPTH_MAX) {
            Err(Errno::NOENT) => Ok(()),
            removed => Ok(removed?),
        }
    }

    fn open_node(&self, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        walk::open(self.root.handle()?, &self.below, flags | OFlags::CLOEXEC, mode)
    }

    /// The folder that it is in, opened, and its name there.
    fn above(&self) -> io::Result<(Above<'_>, &OsStr)> {
        let name = self.below.file_name().filter(|_| walk::is_plain(&self.below)).ok_or(Refused::LeadsOut)?;
        let root = self.root.handle()?;
        match self.below.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => {
                Ok((Above::Opened(walk::open(root, folder, FOLDER, Mode::empty())?), name))
            }
            _ => Ok((Above::Root(root), name)),
        }
    }
}

/// Where a folder's name stands that was just made.
pub(crate) enum MadeIn {
    /// Above a root.
    Outside(PathBuf),
    /// In a folder below it.
    Below(Spot),
}

impl MadeIn {
    pub(crate) fn flush(&self) -> io::Result<()> {
        match self {
            Self::Outside(folder) => root::flush_above(folder),
            Self::Below(folder) => folder.flush_names(),
        }
    }
}

/// Removes a folder with what is in it; each folder through the handle of the one above.
fn empty(above: BorrowedFd<'_>, name: &OsStr, depth: usize) -> Result<(), Errno> {
    match rustix::fs::openat(above, name, FOLDER | OFlags::NOFOLLOW, Mode::empty()) {
        Ok(folder) if depth > 0 => {
            let names: Vec<_> =
                Dir::read_from(&folder)?.flatten().map(|entry| entry.file_name().to_owned()).collect();
            for inner in names.iter().filter(|name| !matches!(name.to_bytes(), b"." | b"..")) {
                let inner = <OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(inner.to_bytes());
                match rustix::fs::unlinkat(&folder, inner, AtFlags::empty()) {
                    // Linux says the first of a folder, other systems the second.
                    Err(Errno::ISDIR | Errno::PERM) => empty(folder.as_fd(), inner, depth - 1)?,
                    Err(Errno::NOENT) => {}
                    removed => removed?,
                }
            }
            rustix::fs::unlinkat(above, name, AtFlags::REMOVEDIR)
        }
        Ok(_) => Err(Errno::NAMETOOLONG),
        Err(Errno::LOOP | Errno::NOTDIR | Errno::MLINK) => {
            rustix::fs::unlinkat(above, name, AtFlags::empty())
        }
        Err(error) => Err(error),
    }
}

impl fmt::Debug for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shown().fmt(f)
    }
}

impl PartialEq for Spot {
    fn eq(&self, other: &Self) -> bool {
        self.shown() == other.shown()
    }
}

impl Eq for Spot {}

impl PartialOrd for Spot {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Spot {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.shown().cmp(&other.shown())
    }
}
