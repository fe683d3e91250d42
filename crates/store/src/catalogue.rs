//! The catalogue: every file that we ever write, in one table. What masks, forgets, carries, sweeps or names our files
//! goes by it, and touches nothing that is not in it.
//!
//! A name is a path below its root. `<…>` stands for one name of a kind, `<…>…` for whatever is below: a copy of
//! something that is not ours to look into.

mod kinds;
mod table;

use std::path::{Component, Path};

use crate::door::{NodeKind, Spot};
use crate::files;

pub use kinds::{Carried, Forgotten, Form, Masked, SharedLines, Swept, Under};
pub use table::ROWS;

/// A kind of file.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    /// The root that it is below.
    pub under: Under,
    /// Its path from there.
    pub path: &'static str,
    /// What it is, for people.
    pub what: &'static str,
    /// What its content looks like.
    pub form: Form,
    /// What becomes of it when the rules of masking change.
    pub masked: Masked,
    /// What becomes of it when something is to be forgotten.
    pub forgotten: Forgotten,
    /// Whether an export carries it.
    pub carried: Carried,
    /// When it goes by itself.
    pub swept: Swept,
}

/// Deepest file of ours, but for copies.
const DEPTH_MAX: usize = throughline_domain::limits::CATALOGUE_DEPTH_MAX;
/// Most files of one root that are looked at.
pub const FILES_MAX: usize = 100_000;

impl Row {
    /// Whether a path from the root is one of these.
    #[must_use]
    pub fn fits(&self, path: &Path) -> bool {
        let mut names = path.components();
        for part in self.path.split('/') {
            if part.ends_with('…') {
                return names.next().is_some();
            }
            match names.next() {
                Some(Component::Normal(name))
                    if name.to_str().is_some_and(|name| kinds::fits(part, name)) => {}
                _ => return false,
            }
        }
        names.next().is_none()
    }

    /// The path of such a file, of a session and a project by these names.
    #[must_use]
    pub fn example(&self, session: &str, project: &str) -> String {
        kinds::example(&self.path.replace("<session>", session).replace("<project>", project))
    }

    /// The folder that such files are in, from the root.
    fn folder(&self) -> &'static str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Whether it is a copy of something that is not ours to look into.
    #[must_use]
    pub fn is_copy(&self) -> bool {
        self.path.ends_with('…')
    }
}

/// The kind of a file, by its path from the root; `None` when it is none of ours.
#[must_use]
pub fn row_of(under: Under, path: &Path) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.under == under && row.fits(path))
}

/// A file of ours that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its kind.
    pub row: &'static Row,
    /// Where it is.
    pub spot: Spot,
    /// Its path from the root.
    pub path: std::path::PathBuf,
}

/// What was found below a root.
#[derive(Debug, Default)]
pub struct Inventory {
    /// Files of ours.
    pub entries: Vec<Entry>,
    /// What stands at one of our names and is no file: a link, a pipe, a device. Nobody touches it.
    pub odd: Vec<Spot>,
    /// What killed writers left beside files of ours, whole or torn.
    pub unfinished: Vec<Spot>,
    /// Names that may still be looked at; none are left where there were too many.
    names_left: usize,
}

impl Inventory {
    /// Whether there were more names than somebody wanted to look at.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.names_left == 0
    }
}

/// Every file of ours below a root, or below one of its folders (`from`). Links are not followed.
#[must_use]
pub fn find(under: Under, root: &Spot, from: &Path) -> Inventory {
    find_some(under, root, from, usize::MAX)
}

/// The same, for somebody who is in a hurry: after so many names it says that there are more.
#[must_use]
pub fn find_some(under: Under, root: &Spot, from: &Path, names_max: usize) -> Inventory {
    let mut found = Inventory { names_left: names_max, ..Inventory::default() };
    let start = root.join(from);
    if start.is_linked() {
        found.odd.push(start);
        return found;
    }
    walk(under, root, from, DEPTH_MAX, &mut found);
    found.entries.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

fn walk(under: Under, root: &Spot, folder: &Path, depth: usize, found: &mut Inventory) {
    for listed in root.join(folder).list(FILES_MAX.min(found.names_left)) {
        if found.names_left == 0 {
            return;
        }
        found.names_left -= 1;
        let path = folder.join(&listed.name);
        match listed.kind {
            NodeKind::Folder if depth > 0 && leads_to_ours(under, &path) => {
                walk(under, root, &path, depth - 1, found);
            }
            NodeKind::Folder => {}
            NodeKind::File if found.entries.len() < FILES_MAX => {
                let spot = root.join(&path);
                if let Some(row) = row_of(under, &path) {
                    found.entries.push(Entry { row, spot, path });
                } else if is_left_behind(under, &path, &spot) {
                    found.unfinished.push(spot);
                }
            }
            NodeKind::File => {}
            NodeKind::Link | NodeKind::Other => {
                if row_of(under, &path).is_some() || leads_to_ours(under, &path) {
                    found.odd.push(root.join(&path));
                }
            }
        }
    }
}

/// Whether a file was to become one of ours, and never will.
fn is_left_behind(under: Under, path: &Path, spot: &Spot) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let target = files::temp_target(name).map(|target| path.with_file_name(target));
    target.is_some_and(|target| row_of(under, &target).is_some()) && files::is_abandoned(spot)
}

/// Whether files of ours may be below a folder.
fn leads_to_ours(under: Under, folder: &Path) -> bool {
    let depth = folder.components().count();
    ROWS.iter().filter(|row| row.under == under).any(|row| {
        let parts: Vec<&str> = row.path.split('/').collect();
        if parts.len() <= depth && !row.is_copy() {
            return false;
        }
        folder.components().zip(&parts).all(|(name, part)| match name {
            Component::Normal(name) => {
                part.ends_with('…') || name.to_str().is_some_and(|name| kinds::fits(part, name))
            }
            _ => false,
        })
    })
}

/// Removes the temp files that killed writers left in the folders of our files, below a root, for one session.
pub fn sweep(under: Under, root: &Spot, session: &str) {
    let mut folders: Vec<String> = ROWS
        .iter()
        .filter(|row| row.under == under && !row.is_copy())
        .map(|row| row.folder().replace("<session>", session))
        // Those of a project are swept under the project's lock.
        .filter(|folder| !folder.contains('<'))
        .collect();
    folders.sort_unstable();
    folders.dedup();
    for folder in folders {
        files::sweep_temps(&root.join(folder), None);
    }
}

/// The table as a page for people: `docs/files.md`.
#[must_use]
pub fn page() -> String {
    let mut page = PAGE_HEAD.to_owned();
    for under in Under::ALL {
        page.push_str(&format!("\n## {}\n\n{}\n\n", under.heading(), under.place()));
        page.push_str("| file | what | masked again | forgotten | exported | goes by itself |\n");
        page.push_str("|---|---|---|---|---|---|\n");
        for row in ROWS.iter().filter(|row| row.under == under) {
            let words = [row.masked.words(), row.forgotten.words(), row.carried.words(), row.swept.words()];
            page.push_str(&format!("| `{}` | {} | {} |\n", row.path, row.what, words.join(" | ")));
        }
    }
    page
}

const PAGE_HEAD: &str = "# Files

Every file that Throughline ever writes. Names in angle brackets stand for ids, hashes and times; what ends in `…` is a
copy of something else. `masked again`: what becomes of it when a new version knows more secrets; `forgotten`: what
`throughline forget` does with it (words are taken out of everything that is masked); `exported`: whether
`throughline export --output` carries it. Nothing else is ever rewritten or removed, and no link is followed to get there.

`init` edits files of the client beside these: `settings.local.json` (or `settings.json`, `--user`, `--shared`), `.mcp.json`,
`commands/context-compact.md`, `commands/throughline.md`, a section of `CLAUDE.md`; and it adds lines to `.git/info/exclude`.
`uninstall` takes them out again. While git is asked, a folder of ours stands in the system's folder for temporary files.

This page is made from `crates/store/src/catalogue/table.rs`; a test compares them.
";

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the tests prepare files and compare a page")]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_row_and_every_row_has_an_example() {
        for row in ROWS {
            let example = row.example("2f467a84-03d0", "app-0123456789abcdef");
            let fitting: Vec<&str> = ROWS
                .iter()
                .filter(|other| other.under == row.under && other.fits(Path::new(&example)))
                .map(|other| other.path)
                .collect();
            assert_eq!(fitting, [row.path], "{example}");
        }
    }

    #[test]
    fn the_page_says_what_the_table_says() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/files.md");
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(path, page()).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), page(), "BLESS=1 writes the page anew");
    }

    #[test]
    fn what_git_should_not_see_is_kept_out_of_it() {
        for row in ROWS.iter().filter(|row| row.under == Under::Project && row.path != "throughline.toml") {
            let path = format!(".claude/{}", row.example("s1", "p1"));
            let is_kept_out = |line: &str| match line.strip_suffix('*') {
                Some(begin) => path.starts_with(begin),
                None => path == line || (line.ends_with('/') && path.starts_with(line)),
            };
            assert!(crate::project_files::EXCLUDED.iter().any(|line| is_kept_out(line)), "{path}");
        }
    }

    #[test]
    fn what_is_not_in_the_table_is_not_ours() {
        for path in [
            "settings.json",
            "settings.local.json",
            "commands/x.md",
            "sessions/../notes.md",
            "../unified-session-state.json",
            "sessions/s1/deep/notes.md",
            "sessions/s1/.ssh",
            "logs/other.jsonl",
            "logs/context-usage./../x.jsonl",
            "checkpoints/x.sh",
            "sessions/s 1/notes.md",
            "/compaction-snapshot.md",
        ] {
            assert_eq!(row_of(Under::Project, Path::new(path)), None, "{path}");
        }
    }

    #[test]
    fn links_are_named_and_not_followed() {
        let temp = tempfile::tempdir().unwrap();
        let (project, outside) = (temp.path().join("p"), temp.path().join("outside"));
        for folder in [project.join("logs"), outside.join("s1")] {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(outside.join("s1/notes.md"), "theirs").unwrap();
        std::os::unix::fs::symlink(&outside, project.join("sessions")).unwrap();
        std::fs::write(project.join("logs/context-usage.jsonl"), "{}\n").unwrap();
        std::fs::write(project.join("logs/id_ed25519"), "key").unwrap();
        let found = find(Under::Project, &Spot::root(&project), Path::new(""));
        let names: Vec<String> = found.entries.iter().map(|it| it.path.display().to_string()).collect();
        assert_eq!(names, ["logs/context-usage.jsonl"]);
        assert_eq!(found.odd, [Spot::root(project.join("sessions"))]);
    }
}
