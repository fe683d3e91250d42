//! Our MCP server in the client's lists: where it is registered, and what is started there.

use std::path::{Path, PathBuf};

use serde_json::Value;
use throughline_agents::settings::servers::{SERVER_NAME, server_command};

/// The project's list, which its team shares.
#[must_use]
pub fn list_path(root: &Path) -> PathBuf {
    root.join(".mcp.json")
}

/// Where our server is registered.
#[derive(Debug, PartialEq, Eq)]
pub struct Registered {
    /// What the client calls the place.
    pub scope: &'static str,
    /// The program it starts.
    pub command: String,
}

/// Our server in the client's own state: for all projects of a person, and for this one.
#[must_use]
pub fn in_client_state(text: &str, root: &Path) -> Vec<Registered> {
    let state: Value = serde_json::from_str(text).unwrap_or_default();
    let local = state.get("projects").and_then(|projects| projects.get(root.to_string_lossy().as_ref()));
    [("user", Some(&state)), ("local", local)]
        .into_iter()
        .filter_map(|(scope, holder)| registered(scope, holder?))
        .collect()
}

/// Our server in the project's list.
#[must_use]
pub fn in_project_list(text: &str) -> Option<Registered> {
    registered("project", &serde_json::from_str(text).ok()?)
}

fn registered(scope: &'static str, holder: &Value) -> Option<Registered> {
    let command = server_command(holder.get("mcpServers")?.get(SERVER_NAME)?)?.to_owned();
    Some(Registered { scope, command })
}
