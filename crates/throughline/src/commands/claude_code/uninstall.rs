//! `uninstall` for Claude Code: takes our entries out of its settings; byte for byte when nothing else changed.

use std::path::Path;

use throughline_agents::claude_code::settings_edit::{self, EditOutcome};
use throughline_agents::claude_code::settings_read::Scope;
use throughline_engine::client_settings;
use throughline_store::files;
use throughline_store::project_files;

use super::compact_at;
use super::install::{command_paths, settings_path};
use super::instructions;
use super::permissions;
use super::servers;
use crate::commands::App;
use crate::commands::setup::client_file::{install_folder, refuse, refuse_links, show_diff};
use crate::commands::setup::{leaving, table};
use crate::commands::uninstall::Args;
use crate::failure::Failure;
use crate::output::{self, GOOD, styled};

/// `is_last`: no other agent is left after it in the same run.
pub(in crate::commands) fn run(app: &App, args: &Args, is_last: bool) -> Result<(), Failure> {
    let path = settings_path(app, args.shared, args.user)?;
    let scope = match (args.user, args.shared) {
        (true, _) => Scope::User,
        (_, true) => Scope::Project,
        _ => Scope::Local,
    };
    look_for_links(app, args, &path)?;
    let Some(now) = project_files::read_settings(&app.memory.project.spot_of(&path))? else {
        remove_commands(app, args)?;
        instructions::remove(app, scope, args.dry_run)?;
        remove_server(app, args)?;
        leave(app, args, is_last);
        return output::say(&format!("{} does not exist: nothing to remove", path.display()));
    };
    let folder = install_folder(&app.place, &path);
    let written = project_files::read_settings(&folder.join("written"))?;
    let original = project_files::read_settings(&folder.join("original"))?;
    let (without_window, had_window) = compact_at::put_back(app, &path, &now)?;
    let (without_rules, had_rules) = permissions::put_back(app, &path, &without_window.text)?;
    let mut edit =
        settings_edit::uninstall(&without_rules.text).map_err(|problem| refuse(&path, &problem))?;
    if (had_window || had_rules) && edit.outcome == EditOutcome::Unchanged {
        edit.outcome = EditOutcome::Rewritten;
    }
    let untouched = written.as_deref() == Some(&now);
    let text = match original {
        Some(original) if untouched => original,
        _ => edit.text,
    };
    if args.dry_run {
        show_diff(&path, &now, &text)?;
        remove_commands(app, args)?;
        leaving::show_exclusion(app)?;
        remove_server(app, args)?;
        return instructions::remove(app, scope, true);
    }
    match edit.outcome {
        EditOutcome::Unchanged => output::say(&format!("{} has no entries of ours", path.display()))?,
        EditOutcome::NothingLeft => {
            files::remove(&app.memory.project.spot_of(&path))?;
            output::say(&format!(
                "{} {} removed: nothing else was in it",
                styled(GOOD, "✓"),
                path.display()
            ))?;
        }
        EditOutcome::Rewritten => {
            project_files::write_settings(&app.memory.project.spot_of(&path), &text)?;
            output::say(&format!("{} our hooks removed from {}", styled(GOOD, "✓"), path.display()))?;
        }
    }
    project_files::forget_install(&folder)?;
    remove_commands(app, args)?;
    instructions::remove(app, scope, false)?;
    remove_server(app, args)?;
    leaving::stop_excluding(app)?;
    leave(app, args, is_last);
    output::say("what was recorded stays; `throughline init` brings the hooks back")
}

/// Where no hooks of ours are left, git holds nothing for us any more; the project's folder for the client goes where
/// `init` was the only one who put something there.
fn leave(app: &App, args: &Args, is_last: bool) {
    let is_left = tell_what_is_left(app) | (!is_last || table::tell_what_is_left(app));
    if args.dry_run {
        return;
    }
    if !is_left {
        leaving::release_files(app);
    }
    if !args.user {
        project_files::remove_empty(&app.memory.project.top.join(".claude"));
    }
}

/// Before anything is taken out.
fn look_for_links(app: &App, args: &Args, settings: &Path) -> Result<(), Failure> {
    if args.user {
        return Ok(());
    }
    let commands = command_paths(app, false).into_iter().map(|(path, _)| path);
    let otherwise = "or take out by hand what an earlier version wrote there";
    refuse_links(app, commands.chain([settings.to_owned()]), otherwise)?;
    servers::refuse_link(app, args.shared)
}

/// The slash commands that `init` wrote, unless somebody changed them.
fn remove_commands(app: &App, args: &Args) -> Result<(), Failure> {
    for (path, text) in command_paths(app, args.user) {
        if !args.dry_run {
            project_files::remove_own(&app.memory.project.spot_of(&path), text)?;
        } else if project_files::read_settings(&app.memory.project.spot_of(&path))?.as_deref() == Some(text) {
            show_diff(&path, text, "")?;
        }
    }
    Ok(())
}

/// The project's list of servers goes with the project's settings, not with somebody's own.
fn remove_server(app: &App, args: &Args) -> Result<(), Failure> {
    if !args.user {
        servers::remove(app, args.shared, args.dry_run)?;
    }
    servers::tell_what_is_left(app);
    Ok(())
}

/// Hooks of ours in other settings files still run.
pub(in crate::commands) fn tell_what_is_left(app: &App) -> bool {
    let settings = client_settings::client_settings(&app.place, &app.memory.project);
    let mut is_left = false;
    let flags = [(Scope::User, "--user"), (Scope::Project, "--shared"), (Scope::Local, "without a flag")];
    for (scope, flag) in flags {
        if settings.hooks.iter().any(|registered| registered.scope == scope) {
            let files = client_settings::settings_files(&app.place, &app.memory.project);
            let path = files.into_iter().find(|(known, _)| *known == scope).map(|(_, path)| path);
            let path = path.unwrap_or_default();
            output::warn(&format!("hooks of ours are still registered in {} ({flag})", path.display()));
            is_left = true;
        }
    }
    is_left
}
