//! The section "Compact Instructions" in a CLAUDE.md: written by `init`, taken out by `uninstall`, looked at by `doctor`.

use std::path::{Path, PathBuf};

use throughline_agents::claude_code::compact_instructions::{self, SectionStanding};
use throughline_agents::claude_code::settings_read::Scope;
use throughline_domain::text::one_line;
use throughline_engine::client_settings;
use throughline_engine::place::Place;
use throughline_store::door::outside;
use throughline_store::memory::Memory;
use throughline_store::{files, instructions_file, project_files};

use super::App;
use super::init::{install_folder, show_diff};
use crate::failure::Failure;
use crate::output::{self, GOOD, styled};

/// Beside the copies of a file: we made it, there was none before.
const CREATED: &str = "created";

/// A CLAUDE.md that may hold the section.
pub(in crate::commands) struct Candidate {
    pub(super) path: PathBuf,
    /// Links may not leave this folder: they may have come with a clone.
    within: Option<PathBuf>,
    pub(super) text: Result<Option<String>, String>,
}

impl Candidate {
    fn read(path: PathBuf, within: Option<&Path>) -> Self {
        let text = instructions_file::read(&path, within).map_err(|error| error.to_string());
        Self { path, within: within.map(Path::to_owned), text }
    }

    pub(super) fn standing(&self) -> Option<SectionStanding> {
        self.text.as_ref().ok()?.as_deref().map(compact_instructions::standing)
    }

    fn is_ours(&self) -> bool {
        matches!(
            self.standing(),
            Some(SectionStanding::UpToDate | SectionStanding::Outdated | SectionStanding::Edited)
        )
    }
}

/// The files that the client reads for a project; the first is the one that is made where there is none.
pub(in crate::commands) fn of_project(memory: &Memory) -> Vec<Candidate> {
    let root = &memory.project.work;
    let names = ["CLAUDE.md", ".claude/CLAUDE.md"];
    names.map(|name| Candidate::read(root.join(name), Some(root))).into()
}

/// The user's own file, which the client reads in every project.
pub(in crate::commands) fn of_user(place: &Place) -> Vec<Candidate> {
    let folder = place.claude_folder.as_ref();
    folder.map(|folder| Candidate::read(folder.join("CLAUDE.md"), None)).into_iter().collect()
}

fn candidates(app: &App, user: bool) -> Vec<Candidate> {
    if user { of_user(&app.place) } else { of_project(&app.memory) }
}

/// Writes the section or brings it up to date. What stands in the way is told; the hooks do not depend on it.
pub(super) fn install(app: &App, user: bool, dry_run: bool) -> Result<(), Failure> {
    let all = candidates(app, user);
    let is_there = |it: &&Candidate| !matches!(it.text, Ok(None));
    let Some(file) = all
        .iter()
        .find(|it| it.is_ours())
        .or_else(|| all.iter().find(|it| matches!(it.standing(), Some(SectionStanding::Foreign { .. }))))
        .or_else(|| all.iter().find(is_there))
        .or(all.first())
    else {
        return Ok(());
    };
    let name = file.path.display();
    let text = match &file.text {
        Ok(text) => text.as_deref(),
        Err(why) => {
            output::warn(&format!("no Compact Instructions were written: {why}"));
            return Ok(());
        }
    };
    let elsewhere = of_user(&app.place).into_iter().find(|it| !user && !file.is_ours() && it.is_ours());
    if let Some(users) = elsewhere {
        output::remark(&format!("Compact Instructions are in {} already", users.path.display()));
        return Ok(());
    }
    let edit = compact_instructions::install(text.unwrap_or(""));
    match &edit.before {
        SectionStanding::Foreign { line } => output::remark(&format!(
            "{name}, line {line}: you have Compact Instructions of your own; ours were not added"
        )),
        SectionStanding::Damaged { line, what } => output::warn(&format!(
            "{name}, line {line}: {what}; nothing was changed there. Remove the mark, then run `throughline init` again"
        )),
        _ if dry_run => return show_diff(&file.path, text.unwrap_or(""), &edit.text),
        SectionStanding::UpToDate => {}
        SectionStanding::Absent | SectionStanding::Outdated | SectionStanding::Edited => {
            write(app, file, text, &edit)?;
        }
    }
    if let Some(line) = compact_instructions::foreign_line(&edit.text).filter(|_| file.is_ours()) {
        output::remark(&format!(
            "{name}, line {line}: you have Compact Instructions of your own beside ours"
        ));
    }
    Ok(())
}

fn write(
    app: &App,
    file: &Candidate,
    old: Option<&str>,
    edit: &compact_instructions::Edit,
) -> Result<(), Failure> {
    let folder = install_folder(&app.place, &file.path);
    let copy = old.map(|old| project_files::back_up(&folder, &file.path, old)).transpose()?;
    if old.is_none() {
        project_files::keep(&folder.join(CREATED), "")?;
    }
    instructions_file::write(&file.path, file.within.as_deref(), &edit.text)?;
    let name = file.path.display();
    let deed = if edit.before == SectionStanding::Absent { "written to" } else { "brought up to date in" };
    output::say(&format!("{} Compact Instructions {deed} {name}", styled(GOOD, "✓")))?;
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

/// Takes the section out again, unless hooks of ours that are still registered go with it.
pub(super) fn remove(app: &App, from: Scope, dry_run: bool) -> Result<(), Failure> {
    if is_needed_by_others(app, from) {
        return Ok(());
    }
    for file in candidates(app, from == Scope::User) {
        let name = file.path.display();
        let text = match &file.text {
            Ok(Some(text)) => text,
            Ok(None) => continue,
            Err(why) => {
                output::warn(&format!("Compact Instructions were not looked for: {}", one_line(why, 300)));
                continue;
            }
        };
        let edit = compact_instructions::uninstall(text);
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
        take_out(app, &file, text, &edit)?;
    }
    Ok(())
}

fn take_out(
    app: &App,
    file: &Candidate,
    text: &str,
    edit: &compact_instructions::Edit,
) -> Result<(), Failure> {
    let name = file.path.display();
    let folder = install_folder(&app.place, &file.path);
    if edit.before == SectionStanding::Edited {
        let copy = project_files::back_up(&folder, &file.path, text)?;
        output::remark(&format!(
            "somebody had edited our Compact Instructions; the file as it was is kept at {}",
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
    output::say(&format!("{} Compact Instructions removed from {name}{rest}", styled(GOOD, "✓")))
}

/// Whether the other settings of this project still call us: the section is theirs, too.
fn is_needed_by_others(app: &App, from: Scope) -> bool {
    let others: &[Scope] = match from {
        Scope::Project => &[Scope::Local],
        Scope::Local => &[Scope::Project],
        _ => &[],
    };
    let settings = client_settings::client_settings(&app.place, &app.memory.project);
    settings.hooks.iter().any(|registered| others.contains(&registered.scope))
}
