//! Trusted rules: whether a person has vouched for the rules that a project's own configuration brings.

use crate::config::Governance;
use crate::door::Spot;
use crate::files::{self, Durability, FileError};
use crate::paths::{Home, Project};
use crate::state_file::hash_of;

const FILE_BYTES_MAX: u64 = throughline_domain::limits::TRUST_BYTES_MAX;

fn path(home: &Home, project: &Project) -> Spot {
    home.project(&project.key).join("trusted-rules")
}

fn hash(rules: &Governance) -> String {
    hash_of(&serde_json::to_vec(rules).unwrap_or_default())
}

/// Whether exactly these rules were trusted.
#[must_use]
pub fn is_trusted(home: &Home, project: &Project, rules: &Governance) -> bool {
    let trusted = files::read_limited(&path(home, project), FILE_BYTES_MAX).ok().flatten();
    trusted.is_some_and(|trusted| trusted == hash(rules).as_bytes())
}

/// Trusts these rules; a word of them changed, and they are others.
pub fn trust(home: &Home, project: &Project, rules: &Governance) -> Result<(), FileError> {
    files::create_folder(&home.project(&project.key))?;
    files::replace(&path(home, project), hash(rules).as_bytes(), Durability::Flushed)
}
