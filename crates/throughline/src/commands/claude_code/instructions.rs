//! The section "Compact Instructions" in a CLAUDE.md: which files may hold it, and when it goes.

use throughline_agents::claude_code::compact_instructions::COMPACT_INSTRUCTIONS;
use throughline_agents::claude_code::settings_read::Scope;
use throughline_engine::client_settings;
use throughline_engine::place::Place;
use throughline_store::memory::Memory;

use crate::commands::App;
use crate::commands::setup::sections::{self, Candidate, Pages};
use crate::failure::Failure;

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

fn pages(app: &App, user: bool) -> Pages {
    let files = if user { of_user(&app.place) } else { of_project(&app.memory) };
    Pages { section: &COMPACT_INSTRUCTIONS, label: "Compact Instructions", files }
}

/// Writes the section or brings it up to date.
pub(super) fn install(app: &App, user: bool, dry_run: bool) -> Result<(), Failure> {
    let elsewhere = if user { Vec::new() } else { of_user(&app.place) };
    sections::install(app, &pages(app, user), elsewhere, dry_run)
}

/// Takes the section out again, unless hooks of ours that are still registered go with it.
pub(super) fn remove(app: &App, from: Scope, dry_run: bool) -> Result<(), Failure> {
    if is_needed_by_others(app, from) {
        return Ok(());
    }
    sections::remove(app, &pages(app, from == Scope::User), dry_run)
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
