//! `init` for Claude Code: our hooks into its settings; shown as a diff, reversible, foreign entries untouched.

use std::path::{Path, PathBuf};

use throughline_agents::claude_code::plugin;
use throughline_agents::claude_code::settings_edit::{self, EditOutcome, Install};
use throughline_agents::claude_code::version::Version;
use throughline_engine::git_exclude::exclude_file;
use throughline_store::door::Spot;
use throughline_store::project_files;

use super::compact_at::{self, Plan};
use super::instructions;
use super::permissions;
use super::servers;
use super::version::client_version;
use crate::commands::App;
use crate::commands::init::Args;
use crate::commands::setup::client_file::{install_folder, refuse, refuse_links, show_diff};
use crate::commands::setup::own_program::own_path;
use crate::commands::setup::sections;
use crate::failure::Failure;
use crate::output::{self, GOOD, styled};

pub(in crate::commands) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let path = settings_path(app, args.shared, args.user)?;
    if !args.user {
        let commands = command_paths(app, false).into_iter().map(|(path, _)| path);
        refuse_links(
            app,
            commands.chain([path.clone()]),
            "or register for all your projects: `throughline init --user`",
        )?;
    }
    let spot = app.memory.project.spot_of(&path);
    let old = project_files::read_settings(&spot)?;
    // Without one the newest rules are used.
    let client = client_version().ok().map(|(version, _)| version);
    let ours = Install { binary: own_path(args.shared)?, client, status_line: true };
    let edit = settings_edit::install(old.as_deref(), &ours).map_err(|problem| refuse(&path, &problem))?;
    let plan = args
        .compact_at
        .map(|wanted| compact_at::plan(app, &path, &edit.text, wanted, args.window))
        .transpose()?;
    let wants_server = (args.mcp && !args.user) || args.shared;
    if wants_server {
        // All or nothing: a list that cannot be edited stops us before anything is written.
        servers::edit(app)?;
    }
    let text = plan.as_ref().map_or(&edit.text, |plan| &plan.edit.text);
    let allowed = args.allow.then(|| permissions::plan(&path, text)).transpose()?;
    let text = allowed.as_ref().map_or(text, |allowed| &allowed.edit.text);
    if args.dry_run {
        show_diff(&path, old.as_deref().unwrap_or(""), text)?;
        show_other_files(app, args.user)?;
        if sections::are_wanted(app, args, &path, "CLAUDE.md") {
            instructions::install(app, args.user, true)?;
        }
        if wants_server {
            servers::install(app, true)?;
        }
        return tell_plan(plan.as_ref());
    }
    if old.as_ref() == Some(text) {
        output::say(&format!("{} is up to date", path.display()))?;
    } else {
        let backup = keep_original(app, &path, old.as_deref())?;
        plan.iter().try_for_each(|plan| plan.remember(app, &path))?;
        allowed.iter().try_for_each(|allowed| allowed.remember(app, &path))?;
        project_files::write_settings(&spot, text)?;
        remember_written(app, &path, text)?;
        output::say(&format!(
            "{} hooks and status line registered in {}",
            styled(GOOD, "✓"),
            path.display()
        ))?;
        if let Some(backup) = backup {
            output::remark(&format!("a copy of the file as it was is kept at {}", backup.display()));
        }
    }
    if let Some(plan) = &plan {
        plan.warn_if_overruled(app);
    }
    tell_plan(plan.as_ref())?;
    write_command(app, args.user)?;
    if sections::are_wanted(app, args, &path, "CLAUDE.md") {
        instructions::install(app, args.user, false)?;
    }
    sections::remember(app, args, &path)?;
    throughline_engine::git_exclude::keep_out_of_git(&app.memory.project);
    if wants_server {
        servers::install(app, false)?;
    }
    offer(client)?;
    allowed.as_ref().map_or_else(permissions::offer, permissions::Plan::tell)?;
    if wants_server { Ok(()) } else { servers::offer(args.user) }
}

fn tell_plan(plan: Option<&Plan>) -> Result<(), Failure> {
    plan.map_or(Ok(()), |plan| plan.said.iter().try_for_each(|line| output::say(line)))
}

/// The settings file that is meant.
pub(super) fn settings_path(app: &App, shared: bool, user: bool) -> Result<PathBuf, Failure> {
    if user {
        let folder = app.place.claude_folder.as_ref().ok_or_else(|| {
            Failure::new("neither CLAUDE_CONFIG_DIR nor HOME names a folder")
                .hint("set CLAUDE_CONFIG_DIR to the client's configuration folder")
        })?;
        return Ok(folder.join("settings.json"));
    }
    let name = if shared { "settings.json" } else { "settings.local.json" };
    Ok(app.memory.project.work.join(".claude").join(name))
}

/// Keeps the file as it was before we first touched it.
fn keep_original(app: &App, path: &Path, old: Option<&str>) -> Result<Option<Spot>, Failure> {
    let Some(old) = old else { return Ok(None) };
    // An upgrade of our own entries must not replace the copy from before them.
    if settings_edit::uninstall(old).is_ok_and(|edit| edit.outcome != EditOutcome::Unchanged) {
        return Ok(None);
    }
    let folder = install_folder(&app.place, path);
    project_files::back_up(&folder, path, old)?;
    let copy = folder.join("original");
    project_files::keep(&copy, old)?;
    Ok(Some(copy))
}

/// Remembers the bytes that we wrote: `uninstall` gives the original back when nobody changed them since.
fn remember_written(app: &App, path: &Path, text: &str) -> Result<(), Failure> {
    project_files::keep(&install_folder(&app.place, path).join("written"), text)?;
    Ok(())
}

pub(super) fn command_paths(app: &App, user: bool) -> Vec<(PathBuf, &'static str)> {
    let folder = match (&app.place.claude_folder, user) {
        (Some(claude), true) => claude.join("commands"),
        _ => app.memory.project.work.join(".claude/commands"),
    };
    vec![
        (folder.join("context-compact.md"), plugin::CONTEXT_COMPACT_COMMAND),
        (folder.join("throughline.md"), plugin::THROUGHLINE_COMMAND),
    ]
}

/// What else a run would write: the slash commands, and the lines that keep our files out of git.
fn show_other_files(app: &App, user: bool) -> Result<(), Failure> {
    for (path, text) in command_paths(app, user) {
        match project_files::read_settings(&app.memory.project.spot_of(&path))? {
            Some(standing) if standing == text => {}
            Some(_) => output::warn(&format!("{} is not ours and would be left as it is", path.display())),
            None => show_diff(&path, "", text)?,
        }
    }
    if let Some(exclude) = exclude_file(&app.memory.project.work) {
        let (old, new) = project_files::exclusion(&exclude)?;
        if old != new {
            show_diff(&exclude.shown(), &old, &new)?;
        }
    }
    Ok(())
}

fn write_command(app: &App, user: bool) -> Result<(), Failure> {
    for (path, text) in command_paths(app, user) {
        if project_files::write_own(&app.memory.project.spot_of(&path), text, |_| false)? {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            output::remark(&format!("the command /{name} is at {}", path.display()));
        } else {
            output::warn(&format!("{} is not ours and was left as it is", path.display()));
        }
    }
    Ok(())
}

fn offer(client: Option<Version>) -> Result<(), Failure> {
    if client.is_none() {
        output::remark("the client `claude` was not found on the path; the newest rules were used");
    }
    output::say("next: start Claude Code here, work, and look at `throughline status`")
}
