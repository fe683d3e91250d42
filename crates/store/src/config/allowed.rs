//! Allowed configurations: the bytes of a project's own file that a person gave their word for, by their hashes.

use crate::content_hash;
use crate::door::Spot;
use crate::files::{self, Durability, FileError};
use crate::paths::{Home, Project};

/// Most contents that are remembered: one for each branch that somebody works on.
const ALLOWED_MAX: usize = 64;
const FILE_BYTES_MAX: u64 = throughline_domain::limits::TRUST_BYTES_MAX;

/// What a person allowed for a project.
#[derive(Debug, Clone, Default)]
pub struct Allowed {
    hashes: Vec<String>,
    /// What earlier versions kept: the hash of the rules alone.
    rules: Option<String>,
}

impl Allowed {
    /// What is allowed for a project.
    #[must_use]
    pub fn of(home: &Home, project: &Project) -> Self {
        let read = |path: Spot| {
            let bytes = files::read_limited(&path, FILE_BYTES_MAX).ok().flatten()?;
            String::from_utf8(bytes).ok()
        };
        let hashes = read(path(home, project)).unwrap_or_default();
        Self { hashes: hashes.lines().map(str::to_owned).collect(), rules: read(earlier_path(home, project)) }
    }

    /// Whether content with this hash counts.
    #[must_use]
    pub fn holds(&self, hash: &str) -> bool {
        self.hashes.iter().any(|allowed| allowed == hash)
    }

    /// Whether these rules, as the file's table says them, were trusted by themselves under an earlier version.
    pub(super) fn holds_rules(&self, rules: &toml::Value) -> bool {
        let Some(kept) = &self.rules else { return false };
        let rules = rules.clone().try_into::<super::Governance>().ok();
        let bytes = rules.and_then(|rules| serde_json::to_vec(&rules).ok());
        bytes.is_some_and(|bytes| content_hash::is_of(kept, &bytes))
    }
}

/// Where it is kept what is allowed: whatever was compiled from a configuration depends on it.
#[must_use]
pub fn path(home: &Home, project: &Project) -> Spot {
    home.project(&project.key).join("allowed-config")
}

fn earlier_path(home: &Home, project: &Project) -> Spot {
    home.project(&project.key).join("trusted-rules")
}

/// Allows content by its hash.
pub fn allow(home: &Home, project: &Project, hash: &str) -> Result<(), FileError> {
    let mut hashes = Allowed::of(home, project).hashes;
    hashes.retain(|known| known != hash);
    hashes.push(hash.to_owned());
    let over = hashes.len().saturating_sub(ALLOWED_MAX);
    files::create_folder(&home.project(&project.key))?;
    let text = hashes[over..].iter().flat_map(|hash| [hash.as_str(), "\n"]).collect::<String>();
    files::replace(&path(home, project), text.as_bytes(), Durability::Flushed)
}

/// Takes every word back. Says whether there was one.
pub fn revoke(home: &Home, project: &Project) -> Result<bool, FileError> {
    let before = Allowed::of(home, project);
    files::remove(&path(home, project))?;
    files::remove(&earlier_path(home, project))?;
    Ok(!before.hashes.is_empty() || before.rules.is_some())
}
