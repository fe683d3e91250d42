//! The MCP server: whether the client knows it, from where, and whether it can start it.

use throughline_agents::claude_code::settings_read::Scope;
use throughline_engine::servers::{self, Registered};
use throughline_store::project_files;

use crate::commands::doctor::Check;
use crate::commands::doctor::context::Context;

const NAME: &str = "mcp";

pub(in crate::commands::doctor) fn check(context: &Context) -> Vec<Check> {
    let path = servers::list_path(context.root());
    let list = match project_files::read_settings(&context.memory.project.spot_of(&path)) {
        Ok(list) => list,
        Err(error) => {
            return vec![Check::warn(NAME, error.to_string(), "the client cannot read it either")];
        }
    };
    let mut found: Vec<(Registered, String)> = Vec::new();
    if let Some(ours) = list.as_deref().and_then(servers::in_project_list) {
        found.push((ours, path.display().to_string()));
    }
    let state = context.usual.files.iter().find(|file| file.scope == Scope::ClientState);
    if let Some(text) = state.and_then(|file| file.text.as_ref().ok()?.as_deref()) {
        let own = servers::in_client_state(text, context.root()).into_iter();
        found.extend(own.map(|ours| {
            let place = format!("{} (scope {})", context.usual.file_of(Scope::ClientState), ours.scope);
            (ours, place)
        }));
    }
    let places: Vec<&str> = found.iter().map(|(_, place)| place.as_str()).collect();
    match (places.as_slice(), context.usual.plugin()) {
        ([], None) => {
            return vec![Check::skip(NAME, "not registered; `throughline init` tells how to add it")];
        }
        ([], Some(plugin)) => return vec![Check::ok(NAME, format!("brought by the plugin {plugin}"))],
        (places, Some(plugin)) => {
            let what = format!(
                "{plugin} brings the server and {} registers it too: the agent is shown every tool twice",
                places.join(" and ")
            );
            let scope = found.first().map_or("local", |(ours, _)| ours.scope);
            return vec![Check::warn(NAME, what, format!("claude mcp remove --scope {scope} throughline"))];
        }
        (_, None) => {}
    }
    if let Some((ours, place)) =
        found.iter().find(|(ours, _)| !crate::commands::setup::own_program::can_start(&ours.command))
    {
        let what = format!("{place} registers `{}`, which is not there", ours.command);
        let remedy = format!("claude mcp remove --scope {} throughline, then add it again", ours.scope);
        return vec![Check::fail(NAME, what, remedy)];
    }
    vec![Check::ok(NAME, format!("registered in {}", places.join(" and ")))]
}
