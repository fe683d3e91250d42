//! The permission rules of `init --allow`: written where they are missing, and taken out again by `uninstall`.

use std::path::Path;

use throughline_agents::claude_code::settings_edit::{self, Edit, EditOutcome, offered_permissions};
use throughline_store::project_files;

use crate::commands::App;
use crate::commands::setup::client_file::{install_folder, refuse};
use crate::failure::Failure;
use crate::output;

/// Beside the copies of the settings: the rules that we wrote.
const RECORD: &str = "allowed-rules.json";

/// A plan for one settings file.
pub(super) struct Plan {
    /// The settings with the rules in them.
    pub(super) edit: Edit,
    added: Vec<String>,
}

/// Works out which rules are missing in `text`. Nothing is written.
pub(super) fn plan(path: &Path, text: &str) -> Result<Plan, Failure> {
    let allowed = settings_edit::allow(text, &offered_permissions());
    let (edit, added) = allowed.map_err(|problem| refuse(path, &problem))?;
    Ok(Plan { edit, added })
}

impl Plan {
    /// Remembers what to take out again. Before the settings are written: a kill in between must not lose it.
    pub(super) fn remember(&self, app: &App, path: &Path) -> Result<(), Failure> {
        let mut rules = record(app, path);
        rules.extend(self.added.iter().filter(|rule| !rules.contains(rule)).cloned().collect::<Vec<_>>());
        let text = serde_json::to_string(&rules).unwrap_or_default();
        project_files::keep(&install_folder(&app.place, path).join(RECORD), &format!("{text}\n"))?;
        Ok(())
    }

    /// What was done.
    pub(super) fn tell(&self) -> Result<(), Failure> {
        if self.added.is_empty() {
            return output::say("the agent may record and hand over without asking already");
        }
        output::say(&format!(
            "the agent may record and hand over without asking: {}; `throughline uninstall` takes it back",
            self.added.join("  ")
        ))
    }
}

/// The settings without the rules that we wrote, and whether there were any; for `uninstall`.
pub(super) fn put_back(app: &App, path: &Path, text: &str) -> Result<(Edit, bool), Failure> {
    let edit = settings_edit::disallow(text, &record(app, path)).map_err(|problem| refuse(path, &problem))?;
    let changed = edit.outcome != EditOutcome::Unchanged;
    Ok((edit, changed))
}

fn record(app: &App, path: &Path) -> Vec<String> {
    let text = project_files::read_settings(&install_folder(&app.place, path).join(RECORD)).ok().flatten();
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Names the rules to whoever did not ask for them.
pub(super) fn offer() -> Result<(), Failure> {
    let rules = offered_permissions().join("  ");
    output::say(&format!(
        "offered, not taken: rules for `permissions.allow`, so that the agent may record and hand over without asking \
         (`throughline init --allow` writes them): {rules}"
    ))
}
