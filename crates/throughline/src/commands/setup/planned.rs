//! One file of a client, as it stands and as it shall be: shown, written, given back byte for byte.

use std::path::{Path, PathBuf};

use throughline_agents::settings::edit::{Edit, EditOutcome, SettingsProblem};
use throughline_store::door::Spot;
use throughline_store::{files, project_files};

use super::client_file::{install_folder, refuse, show_diff};
use crate::commands::App;
use crate::failure::Failure;

/// Beside the copies of a file: we made it, and which folders above it.
const CREATED: &str = "created";
/// Folders above a file that are looked at.
const FOLDERS_MAX: usize = 8;

/// A change to one file.
#[derive(Debug)]
pub(in crate::commands) struct Planned {
    pub(in crate::commands) path: PathBuf,
    spot: Spot,
    old: Option<String>,
    /// `None`: the file goes.
    new: Option<String>,
    /// Whether something of ours stood in it already.
    had_ours: bool,
    /// What of ours it is about.
    pub(in crate::commands) what: Vec<&'static str>,
}

/// Something of ours that goes into a text, for which there may be no file yet.
pub(in crate::commands) struct Step<'a> {
    /// What it is, for people.
    pub(in crate::commands) what: &'static str,
    pub(in crate::commands) edit: Put<'a>,
}

/// Puts it there.
pub(in crate::commands) type Put<'a> = Box<dyn Fn(Option<&str>) -> Result<Edit, SettingsProblem> + 'a>;

/// The same backwards.
pub(in crate::commands) type Undo<'a> = Box<dyn Fn(&str) -> Result<Edit, SettingsProblem> + 'a>;

impl Planned {
    /// Puts something of ours into a file.
    pub(in crate::commands) fn install(
        app: &App,
        path: &Path,
        steps: &[Step<'_>],
        undo: &[Undo<'_>],
    ) -> Result<Self, Failure> {
        let spot = app.memory.project.spot_of(path);
        let old = project_files::read_settings(&spot)?;
        let mut new = old.clone();
        for step in steps {
            new = Some((step.edit)(new.as_deref()).map_err(|problem| refuse(path, &problem))?.text);
        }
        let without = old.as_deref().map(|old| taken_out(path, old, undo)).transpose()?;
        let had_ours = without.is_some_and(|edit| edit.outcome != EditOutcome::Unchanged);
        let what = steps.iter().map(|step| step.what).collect();
        Ok(Self { path: path.to_owned(), spot, old, new, had_ours, what })
    }

    /// Takes out of a file what is ours. `None` where nothing is.
    pub(in crate::commands) fn uninstall(
        app: &App,
        path: &Path,
        undo: &[Undo<'_>],
    ) -> Result<Option<Self>, Failure> {
        let spot = app.memory.project.spot_of(path);
        let Some(old) = project_files::read_settings(&spot)? else { return Ok(None) };
        let edit = taken_out(path, &old, undo)?;
        if edit.outcome == EditOutcome::Unchanged {
            return Ok(None);
        }
        let folder = install_folder(&app.place, path);
        let was_made = folder.join(CREATED).exists();
        let is_untouched = project_files::read_settings(&folder.join("written"))?.as_ref() == Some(&old);
        let original = project_files::read_settings(&folder.join("original"))?;
        let new = match (original, edit.outcome) {
            (Some(original), _) if is_untouched => Some(original),
            (None, _) if is_untouched && was_made => None,
            (None, EditOutcome::NothingLeft) if was_made || edit.text.trim() == "{}" => None,
            _ => Some(edit.text),
        };
        Ok(Some(Self { path: path.to_owned(), spot, old: Some(old), new, had_ours: true, what: Vec::new() }))
    }

    /// A file that is ours alone.
    pub(in crate::commands) fn whole(
        app: &App,
        path: &Path,
        what: &'static str,
        text: String,
        is_ours: impl Fn(&str) -> bool,
    ) -> Result<Self, Failure> {
        let spot = app.memory.project.spot_of(path);
        let old = project_files::read_settings(&spot)?;
        if old.as_deref().is_some_and(|old| !is_ours(old)) {
            return Err(Failure::new(format!("{} is there, and is not ours", path.display()))
                .hint("nothing was changed; give it another name and run this again"));
        }
        let had_ours = old.is_some();
        Ok(Self { path: path.to_owned(), spot, old, new: Some(text), had_ours, what: vec![what] })
    }

    /// The removal of a file that is ours alone. `None` where there is none, or somebody's.
    pub(in crate::commands) fn whole_gone(
        app: &App,
        path: &Path,
        is_ours: impl Fn(&str) -> bool,
    ) -> Result<Option<Self>, Failure> {
        let spot = app.memory.project.spot_of(path);
        let old = project_files::read_settings(&spot)?.filter(|old| is_ours(old));
        let path = path.to_owned();
        let gone = |old| Self { path, spot, old: Some(old), new: None, had_ours: true, what: Vec::new() };
        Ok(old.map(gone))
    }

    pub(in crate::commands) fn is_change(&self) -> bool {
        self.old != self.new
    }

    /// Whether the file is made by this.
    pub(in crate::commands) fn makes_file(&self) -> bool {
        self.old.is_none() && self.new.is_some()
    }

    /// Whether the file goes.
    pub(in crate::commands) fn removes_file(&self) -> bool {
        self.new.is_none()
    }

    pub(in crate::commands) fn show(&self) -> Result<(), Failure> {
        show_diff(&self.path, self.old.as_deref().unwrap_or(""), self.new.as_deref().unwrap_or(""))
    }

    /// Writes the new text. What is needed to give the old one back is kept before. Gives the place of the copy.
    pub(in crate::commands) fn write(&self, app: &App) -> Result<Option<Spot>, Failure> {
        let Some(new) = &self.new else { return Ok(None) };
        let folder = install_folder(&app.place, &self.path);
        let mut kept = None;
        match &self.old {
            None => project_files::keep(&folder.join(CREATED), &missing_folders(&self.path))?,
            // An upgrade of our own entries must not replace the copy from before them.
            Some(_) if self.had_ours => {}
            Some(old) => {
                project_files::back_up(&folder, &self.path, old)?;
                let copy = folder.join("original");
                project_files::keep(&copy, old)?;
                kept = Some(copy);
            }
        }
        project_files::write_settings(&self.spot, new)?;
        project_files::keep(&folder.join("written"), new)?;
        Ok(kept)
    }

    /// Gives the old text back, or takes the file away. Gives the folders that were made for it.
    pub(in crate::commands) fn give_back(&self, app: &App) -> Result<Vec<PathBuf>, Failure> {
        let folder = install_folder(&app.place, &self.path);
        let made = project_files::read_settings(&folder.join(CREATED))?.unwrap_or_default();
        match &self.new {
            Some(new) => project_files::write_settings(&self.spot, new)?,
            None => files::remove(&self.spot)?,
        }
        project_files::forget_install(&folder)?;
        files::remove(&folder.join(CREATED))?;
        let is_made = |above: &&Path| made.lines().any(|line| Path::new(line) == *above);
        Ok(above(&self.path).take_while(is_made).map(Path::to_owned).collect())
    }
}

/// Takes folders away that we made, as far as nothing is in them; the innermost first.
pub(in crate::commands) fn remove_made(app: &App, mut folders: Vec<PathBuf>) {
    folders.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
    for folder in &folders {
        project_files::remove_empty(&app.memory.project.spot_of(folder));
    }
}

fn taken_out(path: &Path, text: &str, undo: &[Undo<'_>]) -> Result<Edit, Failure> {
    let mut edit = Edit { text: text.to_owned(), outcome: EditOutcome::Unchanged };
    for undo in undo {
        let next = undo(&edit.text).map_err(|problem| refuse(path, &problem))?;
        let outcome = if next.outcome == EditOutcome::Unchanged { edit.outcome } else { next.outcome };
        edit = Edit { text: next.text, outcome };
    }
    Ok(edit)
}

/// The folders above a file that are not there yet, a line each.
fn missing_folders(path: &Path) -> String {
    let missing = above(path).take_while(|folder| !folder.exists());
    missing.flat_map(|folder| [folder.display().to_string(), "\n".to_owned()]).collect()
}

fn above(path: &Path) -> impl Iterator<Item = &Path> {
    path.ancestors().skip(1).take(FOLDERS_MAX)
}
