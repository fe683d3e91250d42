//! Our MCP server in the client's lists of servers: the project's `.mcp.json`, which we write; its own, which we read.

use throughline_agents::settings::edit::{Edit, EditOutcome};
use throughline_agents::settings::servers::{MCP_SERVERS, SERVER_NAME};
use throughline_agents::settings::shell_words;
use throughline_engine::servers::{in_client_state, list_path};
use throughline_store::files;
use throughline_store::project_files;

use crate::commands::App;
use crate::commands::setup::client_file::{install_folder, refuse, refuse_links, show_diff};
use crate::commands::setup::own_program::{SHARED_COMMAND, is_on_path, own_path};
use crate::failure::Failure;
use crate::output::{self, GOOD, styled};

/// The project's list as it is, and with our server in it.
pub(super) fn edit(app: &App) -> Result<(Option<String>, Edit), Failure> {
    let path = list_path(&app.memory.project.root);
    refuse_links(
        app,
        [path.clone()],
        "or leave the server out: `throughline init` without --mcp and --shared",
    )?;
    let old = project_files::read_settings(&app.memory.project.spot_of(&path))?;
    let edit = MCP_SERVERS.add(old.as_deref(), SHARED_COMMAND).map_err(|problem| refuse(&path, &problem))?;
    Ok((old, edit))
}

/// Writes our server into the project's list, or shows what that would change.
pub(super) fn install(app: &App, dry_run: bool) -> Result<(), Failure> {
    let path = list_path(&app.memory.project.root);
    let (old, edit) = edit(app)?;
    if dry_run {
        return show_diff(&path, old.as_deref().unwrap_or(""), &edit.text);
    }
    if edit.outcome == EditOutcome::Unchanged {
        return output::say(&format!("{} is up to date", path.display()));
    }
    let folder = install_folder(&app.place, &path);
    if let Some(old) = &old {
        project_files::back_up(&folder, &path, old)?;
    }
    project_files::write_settings(&app.memory.project.spot_of(&path), &edit.text)?;
    // By this `uninstall` knows that it was us, on this machine.
    project_files::keep(&folder.join("written"), &edit.text)?;
    output::say(&format!("{} MCP server registered in {}", styled(GOOD, "✓"), path.display()))?;
    if !is_on_path(SHARED_COMMAND) {
        output::warn("`throughline` is not on the path: the client will not find the server by that name");
    }
    Ok(())
}

/// Whether a list that is not the project's own holds our server, as far as `remove` would look for it.
pub(super) fn refuse_link(app: &App, shared: bool) -> Result<(), Failure> {
    let path = list_path(&app.memory.project.root);
    if !shared && !install_folder(&app.place, &path).join("written").is_file() {
        return Ok(());
    }
    refuse_links(app, [path], "or take out by hand what an earlier version wrote there")
}

/// Takes our server out of the project's list. One that somebody else put there stays, unless the team's own settings
/// are meant.
pub(super) fn remove(app: &App, shared: bool, dry_run: bool) -> Result<(), Failure> {
    let path = list_path(&app.memory.project.root);
    let folder = install_folder(&app.place, &path);
    let Some(now) = project_files::read_settings(&app.memory.project.spot_of(&path))? else { return Ok(()) };
    if !shared && !folder.join("written").is_file() {
        return Ok(());
    }
    let edit = MCP_SERVERS.remove(&now).map_err(|problem| refuse(&path, &problem))?;
    if edit.outcome == EditOutcome::Unchanged {
        return Ok(());
    }
    if dry_run {
        return show_diff(
            &path,
            &now,
            if edit.outcome == EditOutcome::NothingLeft { "" } else { &edit.text },
        );
    }
    match edit.outcome {
        EditOutcome::NothingLeft => files::remove(&app.memory.project.spot_of(&path))?,
        _ => project_files::write_settings(&app.memory.project.spot_of(&path), &edit.text)?,
    }
    project_files::forget_install(&folder)?;
    output::say(&format!("{} our MCP server removed from {}", styled(GOOD, "✓"), path.display()))
}

/// The command that registers the server for one person, in the list that the client keeps itself.
pub(super) fn offer(user: bool) -> Result<(), Failure> {
    let scope = if user { "user" } else { "local" };
    let binary = shell_words::quote(&own_path(false)?);
    output::say(&format!(
        "offered, not taken: the memory as tools: claude mcp add --scope {scope} {SERVER_NAME} -- {binary} mcp"
    ))
}

/// The client's own list still names us: only the client can take that back.
pub(super) fn tell_what_is_left(app: &App) {
    let state = throughline_engine::client_settings::client_state_file(&app.place);
    let text = state
        .and_then(|path| project_files::read_settings(&app.memory.project.spot_of(&path)).ok().flatten());
    for registered in text.iter().flat_map(|text| in_client_state(text, &app.memory.project.root)) {
        output::remark(&format!(
            "the client's own list still names our MCP server: claude mcp remove --scope {} {SERVER_NAME}",
            registered.scope
        ));
    }
}
