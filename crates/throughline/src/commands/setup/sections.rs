//! A section of ours in pages of instructions: written by `init`, taken out by `uninstall`, looked at by `doctor`.

use std::path::{Path, PathBuf};

use throughline_agents::settings::section::{Edit, Section, SectionStanding};
use throughline_domain::text::one_line;
use throughline_store::door::outside;
use throughline_store::{files, instructions_file, project_files};

use super::client_file::{install_folder, show_diff};
use crate::commands::App;
use crate::commands::init;
use crate::failure::Failure;
use crate::output::{self, GOOD, styled};

/// Beside the copies of the settings: the page was to be left alone.
const NO_INSTRUCTIONS: &str = "no-instructions";
/// Beside the copies of a file: we made it, there was none before.
const CREATED: &str = "created";

/// Pages that may hold a section of ours.
pub(in crate::commands) struct Pages {
    pub(in crate::commands) section: &'static Section,
    /// What it is called when we speak of it.
    pub(in crate::commands) label: &'static str,
    /// The first is the one that is made where there is none.
    pub(in crate::commands) files: Vec<Candidate>,
}

/// A page that may hold the section.
pub(in crate::commands) struct Candidate {
    pub(in crate::commands) path: PathBuf,
    /// Links may not leave this folder: they may have come with a clone.
    within: Option<PathBuf>,
    pub(in crate::commands) text: Result<Option<String>, String>,
}

impl Candidate {
    pub(in crate::commands) fn read(path: PathBuf, within: Option<&Path>) -> Self {
        let text = instructions_file::read(&path, within).map_err(|error| error.to_string());
        Self { path, within: within.map(Path::to_owned), text }
    }

    pub(in crate::commands) fn standing(&self, section: &Section) -> Option<SectionStanding> {
        self.text.as_ref().ok()?.as_deref().map(|text| section.standing(text))
    }

    pub(in crate::commands) fn is_ours(&self, section: &Section) -> bool {
        matches!(
            self.standing(section),
            Some(SectionStanding::UpToDate | SectionStanding::Outdated | SectionStanding::Edited)
        )
    }
}

/// Whether a page gets the section: what was said last counts, now or at an earlier run. `settings` is the file that our
/// hooks are in.
pub(in crate::commands) fn are_wanted(app: &App, args: &init::Args, settings: &Path, page: &str) -> bool {
    let was_left_out = install_folder(&app.place, settings).join(NO_INSTRUCTIONS).exists();
    if was_left_out && !args.instructions && !args.no_instructions {
        output::remark(&format!(
            "{page} is left as it is, as an earlier init was told; `--instructions` writes the section"
        ));
    }
    args.instructions || !(args.no_instructions || was_left_out)
}

/// Remembers what was said.
pub(in crate::commands) fn remember(app: &App, args: &init::Args, settings: &Path) -> Result<(), Failure> {
    let mark = install_folder(&app.place, settings).join(NO_INSTRUCTIONS);
    if args.no_instructions {
        project_files::keep(&mark, "")?;
    } else if args.instructions && mark.exists() {
        files::remove(&mark)?;
    }
    Ok(())
}

/// Writes the section or brings it up to date. What stands in the way is told; the hooks do not depend on it.
pub(in crate::commands) fn install(
    app: &App,
    pages: &Pages,
    elsewhere: Vec<Candidate>,
    dry_run: bool,
) -> Result<(), Failure> {
    let (all, section, label) = (&pages.files, pages.section, pages.label);
    let is_there = |it: &&Candidate| !matches!(it.text, Ok(None));
    let is_foreign = |it: &&Candidate| matches!(it.standing(section), Some(SectionStanding::Foreign { .. }));
    let Some(file) = all
        .iter()
        .find(|it| it.is_ours(section))
        .or_else(|| all.iter().find(is_foreign))
        .or_else(|| all.iter().find(is_there))
        .or(all.first())
    else {
        return Ok(());
    };
    let name = file.path.display();
    let text = match &file.text {
        Ok(text) => text.as_deref(),
        Err(why) => {
            output::warn(&format!("no {label} were written: {why}"));
            return Ok(());
        }
    };
    let elsewhere = elsewhere.into_iter().find(|it| !file.is_ours(section) && it.is_ours(section));
    if let Some(users) = elsewhere {
        output::remark(&format!("{label} are in {} already", users.path.display()));
        return Ok(());
    }
    let edit = section.install(text.unwrap_or(""));
    match &edit.before {
        SectionStanding::Foreign { line } => {
            output::remark(&format!(
                "{name}, line {line}: you have {label} of your own; ours were not added"
            ));
        }
        SectionStanding::Damaged { line, what } => output::warn(&format!(
            "{name}, line {line}: {what}; nothing was changed there. Remove the mark, then run `throughline init` again"
        )),
        _ if dry_run => return show_diff(&file.path, text.unwrap_or(""), &edit.text),
        SectionStanding::UpToDate => {}
        SectionStanding::Absent | SectionStanding::Outdated | SectionStanding::Edited => {
            write(app, file, label, text, &edit)?;
        }
    }
    if let Some(line) = section.foreign_line(&edit.text).filter(|_| file.is_ours(section)) {
        output::remark(&format!("{name}, line {line}: you have {label} of your own beside ours"));
    }
    Ok(())
}

fn write(app: &App, file: &Candidate, label: &str, old: Option<&str>, edit: &Edit) -> Result<(), Failure> {
    let folder = install_folder(&app.place, &file.path);
    let copy = old.map(|old| project_files::back_up(&folder, &file.path, old)).transpose()?;
    if old.is_none() {
        project_files::keep(&folder.join(CREATED), "")?;
    }
    instructions_file::write(&file.path, file.within.as_deref(), &edit.text)?;
    let name = file.path.display();
    let deed = if edit.before == SectionStanding::Absent { "written to" } else { "brought up to date in" };
    output::say(&format!("{} {label} {deed} {name}", styled(GOOD, "✓")))?;
    match (&edit.before, copy) {
        (SectionStanding::Edited, Some(copy)) => output::warn(&format!(
            "somebody had edited them; the file as it was is kept at {}. Put your own words outside the marks",
            copy.display()
        )),
        (_, Some(copy)) => {
            output::remark(&format!("a copy of the file as it was is kept at {}", copy.display()));
        }
        _ => {}
    }
    tell_who_sees(app, file);
    Ok(())
}

/// What git tracks, the team gets to see.
fn tell_who_sees(app: &App, file: &Candidate) {
    let root = &app.memory.project.work;
    if file.within.is_some() && throughline_git::is_tracked(root, &file.path) == Some(true) {
        output::remark(&format!(
            "git tracks {}: your team gets the section when you commit it; `--no-instructions` leaves it out",
            file.path.display()
        ));
    }
}

/// Takes the section out again.
pub(in crate::commands) fn remove(app: &App, pages: &Pages, dry_run: bool) -> Result<(), Failure> {
    let label = pages.label;
    for file in &pages.files {
        let name = file.path.display();
        let text = match &file.text {
            Ok(Some(text)) => text,
            Ok(None) => continue,
            Err(why) => {
                output::warn(&format!("{label} were not looked for: {}", one_line(why, 300)));
                continue;
            }
        };
        let edit = pages.section.uninstall(text);
        if let SectionStanding::Damaged { line, what } = edit.before {
            output::warn(&format!("{name}, line {line}: {what}; remove by hand what you do not want there"));
            continue;
        }
        if edit.text == *text {
            continue;
        }
        if dry_run {
            show_diff(&file.path, text, &edit.text)?;
            continue;
        }
        take_out(app, file, label, text, &edit)?;
    }
    Ok(())
}

fn take_out(app: &App, file: &Candidate, label: &str, text: &str, edit: &Edit) -> Result<(), Failure> {
    let name = file.path.display();
    let folder = install_folder(&app.place, &file.path);
    if edit.before == SectionStanding::Edited {
        let copy = project_files::back_up(&folder, &file.path, text)?;
        output::remark(&format!(
            "somebody had edited our {label}; the file as it was is kept at {}",
            copy.display()
        ));
    }
    let created = folder.join(CREATED);
    let is_all = edit.text.is_empty() && created.exists() && !outside::at(&file.path).is_linked();
    if is_all {
        instructions_file::remove(&file.path, file.within.as_deref())?;
    } else {
        instructions_file::write(&file.path, file.within.as_deref(), &edit.text)?;
    }
    files::remove(&created)?;
    let rest = if is_all { ", and the file with them: nothing else was in it" } else { "" };
    output::say(&format!("{} {label} removed from {name}{rest}", styled(GOOD, "✓")))
}
