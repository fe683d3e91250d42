//! Clients' folders: where each agent's client keeps its things on this machine.

use std::path::PathBuf;

use throughline_agents::agent::{Agent, ClientFolder};

use crate::place::{Place, real};

/// The folders of an agent's client that are there: those that a variable lists, else the usual ones.
#[must_use]
pub fn of(place: &Place, agent: &Agent) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = named(place, agent);
    if folders.is_empty() {
        folders = usual(place, agent);
    }
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in folders.iter().map(|folder| real(folder)).filter(|folder| folder.is_dir()) {
        if !found.contains(&folder) {
            found.push(folder);
        }
    }
    found
}

/// The folder of an agent's client, whether it is there or not: the last one that it would look at.
#[must_use]
pub fn main(place: &Place, agent: &Agent) -> Option<PathBuf> {
    named(place, agent).into_iter().next().or_else(|| usual(place, agent).pop())
}

/// What the environment names.
fn named(place: &Place, agent: &Agent) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for folder in agent.folders {
        if let ClientFolder::Named(variable, below) = folder {
            let listed = place.around.text(variable).unwrap_or_default();
            let listed = listed.split(',').map(str::trim).filter(|folder| !folder.is_empty());
            let listed = listed.map(PathBuf::from).filter(|folder| folder.is_absolute());
            folders.extend(listed.map(|folder| if below.is_empty() { folder } else { folder.join(below) }));
        }
    }
    folders
}

fn usual(place: &Place, agent: &Agent) -> Vec<PathBuf> {
    let config = place.config_folder.as_deref().and_then(std::path::Path::parent);
    let home = place.user_home.as_deref();
    let below = |folder: &ClientFolder| match folder {
        ClientFolder::Named(..) => None,
        ClientFolder::Config(name) => Some(config?.join(name)),
        ClientFolder::Home(name) => Some(home?.join(name)),
    };
    agent.folders.iter().filter_map(below).collect()
}
