//! Places: the folders that the environment names, and the project that a folder belongs to.

use std::env;
use std::path::{Path, PathBuf};

use throughline_store::config::{Allowed, Config, ConfigProblem};
use throughline_store::door::outside;
use throughline_store::paths::{Home, Project};
use throughline_store::redact;

/// The user's folders.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The data folder.
    pub(crate) home: Home,
    /// The user's home folder.
    pub(crate) user_home: Option<PathBuf>,
    /// Our own configuration folder.
    pub(crate) config_folder: Option<PathBuf>,
    /// The client's configuration folder.
    pub(crate) claude_folder: Option<PathBuf>,
}

impl Place {
    /// Reads the environment; `None` when it names no folder to keep anything in.
    pub(crate) fn from_env() -> Option<Self> {
        let user_home = folder_var("HOME");
        let data_folder = folder_var("THROUGHLINE_HOME").or_else(|| {
            let base = folder_var("XDG_DATA_HOME").or_else(|| Some(platform_data(user_home.as_deref()?)))?;
            Some(base.join("throughline"))
        })?;
        let config_folder = folder_var("XDG_CONFIG_HOME")
            .or_else(|| Some(user_home.as_deref()?.join(".config")))
            .map(|folder| folder.join("throughline"));
        let claude_folder =
            folder_var("CLAUDE_CONFIG_DIR").or_else(|| Some(user_home.as_deref()?.join(".claude")));
        let home = Home::at(data_folder);
        redact::use_key_of(&home);
        redact::learn_env_from(environment);
        Some(Self { home, user_home, config_folder, claude_folder })
    }

    /// The project at a root.
    pub(crate) fn project_at(&self, root: &Path) -> Project {
        let user_home = self.user_home.as_deref().map(real);
        Project::at(root, user_home.as_deref(), &self.home)
    }

    /// The root whose memory counts: of a linked worktree its main one, where the configuration of either says so.
    pub(crate) fn settled(&self, root: PathBuf) -> PathBuf {
        let Some(main) = main_worktree(&root) else { return root };
        let shares = |root: &Path| self.config(&self.project_at(root)).0.project.share_worktrees;
        if shares(&root) || shares(&main) { main } else { root }
    }

    /// The configuration for a project.
    pub(crate) fn config(&self, project: &Project) -> (Config, Vec<ConfigProblem>) {
        let user_file = self.config_folder.as_ref().map(|folder| folder.join("throughline.toml"));
        let allowed = Allowed::of(&self.home, project);
        let (mut config, problems) =
            Config::load(user_file.as_deref(), &project.files.join("throughline.toml"), &allowed);
        if let Some(tokens) = env::var("THROUGHLINE_BRIEFING_TOKENS").ok().and_then(|text| text.parse().ok())
        {
            config.briefing.tokens = tokens;
        }
        (config, problems)
    }
}

/// Our own environment, as far as it is text: what is secret in it is masked wherever it is said.
fn environment() -> Vec<(String, String)> {
    env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// The root of the project that a folder belongs to: `CLAUDE_PROJECT_DIR`, else the git top level, else the folder.
pub(crate) fn project_root(folder: &Path) -> Option<PathBuf> {
    if let Some(named) = folder_var("CLAUDE_PROJECT_DIR").filter(|named| named.is_dir()) {
        return Some(real(&named));
    }
    if !folder.is_absolute() || !folder.is_dir() {
        return None;
    }
    let folder = real(folder);
    let top = folder.ancestors().take(64).find(|ancestor| ancestor.join(".git").exists());
    Some(top.unwrap_or(&folder).to_owned())
}

/// The project around a folder for people: the nearest one below the git top level that has a memory, else the top.
pub(crate) fn project_around(folder: &Path) -> Option<PathBuf> {
    let top = project_root(folder)?;
    let folder = real(folder);
    let below = folder.ancestors().take_while(|ancestor| ancestor.starts_with(&top));
    let remembered = below.into_iter().find(|it| it.join(".claude/unified-session-state.json").exists());
    Some(remembered.map_or_else(|| top.clone(), Path::to_owned))
}

/// Where a linked worktree's main working tree is; `None` for a folder that is none, or that the main one does not list.
pub(crate) fn main_worktree(root: &Path) -> Option<PathBuf> {
    throughline_git::repository_at(root).ok()?.main_worktree
}

/// A path with its links followed, so that one project has one name.
pub(crate) fn real(path: &Path) -> PathBuf {
    outside::real(path).unwrap_or_else(|_| path.to_owned())
}

/// A variable that names a folder by an absolute path; anything else is as good as unset.
fn folder_var(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

fn platform_data(user_home: &Path) -> PathBuf {
    if cfg!(target_os = "macos") {
        user_home.join("Library/Application Support")
    } else {
        user_home.join(".local/share")
    }
}
