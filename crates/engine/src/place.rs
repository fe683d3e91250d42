//! Places: the folders that the environment names, and the project that a folder belongs to.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use throughline_git::WhyNot;
use throughline_redact as redact;
use throughline_store::config::{Allowed, Config, ConfigProblem};
use throughline_store::door::outside;
use throughline_store::paths::{Home, Project};

/// What only the binary may ask of the system; it passes this once, and nothing is read before it is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings {
    /// A variable of the environment.
    pub var: fn(&str) -> Option<OsString>,
    /// All of them, as far as they are text: what is secret in them is masked wherever it is said.
    pub all_vars: fn() -> Vec<(String, String)>,
    /// The folder at hand.
    pub current_folder: fn() -> Option<PathBuf>,
    /// How a shell calls this program.
    pub own_command: fn() -> Option<String>,
}

impl Surroundings {
    /// A variable that is text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<String> {
        (self.var)(name)?.into_string().ok()
    }

    /// A variable that names a folder by an absolute path; anything else is as good as unset.
    fn folder(&self, name: &str) -> Option<PathBuf> {
        (self.var)(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }
}

/// The user's folders.
#[derive(Debug, Clone)]
pub struct Place {
    /// The data folder.
    pub home: Home,
    /// The user's home folder.
    pub user_home: Option<PathBuf>,
    /// Our own configuration folder.
    pub config_folder: Option<PathBuf>,
    /// The client's configuration folder.
    pub claude_folder: Option<PathBuf>,
    /// What else the system tells.
    pub around: Surroundings,
}

impl Place {
    /// The folders that the environment names; `None` when it names none to keep anything in.
    #[must_use]
    pub fn of(around: Surroundings) -> Option<Self> {
        let user_home = around.folder("HOME");
        let data_folder = around.folder("THROUGHLINE_HOME").or_else(|| {
            let base =
                around.folder("XDG_DATA_HOME").or_else(|| Some(platform_data(user_home.as_deref()?)))?;
            Some(base.join("throughline"))
        })?;
        let config_folder = around
            .folder("XDG_CONFIG_HOME")
            .or_else(|| Some(user_home.as_deref()?.join(".config")))
            .map(|folder| folder.join("throughline"));
        let claude_folder =
            around.folder("CLAUDE_CONFIG_DIR").or_else(|| Some(user_home.as_deref()?.join(".claude")));
        let home = Home::at(data_folder);
        throughline_store::mask_key::use_key_of(&home);
        redact::learn_env_from(around.all_vars);
        Some(Self { home, user_home, config_folder, claude_folder, around })
    }

    /// The project at a root.
    pub fn project_at(&self, root: &Path) -> Project {
        let user_home = self.user_home.as_deref().map(real);
        Project::at(root, user_home.as_deref(), &self.home)
    }

    /// The root whose memory counts: of a linked worktree its main one, where the configuration of either says so.
    #[must_use]
    pub fn settled(&self, root: PathBuf) -> PathBuf {
        let Some(main) = main_worktree(&root) else { return root };
        let shares = |root: &Path| self.config(&self.project_at(root)).0.project.share_worktrees;
        if shares(&root) || shares(&main) { main } else { root }
    }

    /// The configuration for a project.
    #[must_use]
    pub fn config(&self, project: &Project) -> (Config, Vec<ConfigProblem>) {
        let user_file = self.config_folder.as_ref().map(|folder| folder.join("throughline.toml"));
        let allowed = Allowed::of(&self.home, project);
        let (mut config, problems) =
            Config::load(user_file.as_deref(), &project.files.join("throughline.toml"), &allowed);
        if let Some(tokens) =
            self.around.text("THROUGHLINE_BRIEFING_TOKENS").and_then(|text| text.parse().ok())
        {
            config.briefing.tokens = tokens;
        }
        (config, problems)
    }
}

impl Place {
    /// The root of the project that a folder belongs to: `CLAUDE_PROJECT_DIR`, else the git top level, else the folder.
    #[must_use]
    pub fn project_root(&self, folder: &Path) -> Option<PathBuf> {
        if let Some(named) = self.around.folder("CLAUDE_PROJECT_DIR").filter(|named| named.is_dir()) {
            return Some(real(&named));
        }
        if !folder.is_absolute() || !folder.is_dir() {
            return None;
        }
        let folder = real(folder);
        let top = folder.ancestors().take(64).find(|ancestor| is_top_level(ancestor));
        Some(top.unwrap_or(&folder).to_owned())
    }

    /// The project around a folder for people: the nearest one below the git top level that has a memory, else the top.
    #[must_use]
    pub fn project_around(&self, folder: &Path) -> Option<PathBuf> {
        let top = self.project_root(folder)?;
        let folder = real(folder);
        let below = folder.ancestors().take_while(|ancestor| ancestor.starts_with(&top));
        let remembered = below.into_iter().find(|it| it.join(".claude/unified-session-state.json").exists());
        Some(remembered.map_or_else(|| top.clone(), Path::to_owned))
    }
}

/// Whether a folder is the top of a repository, believed or not. An empty `.git` is none: git goes on upwards there.
fn is_top_level(folder: &Path) -> bool {
    folder.join(".git").exists() && throughline_git::repository_at(folder) != Err(WhyNot::NoRepository)
}

/// Where a linked worktree's main working tree is; `None` for a folder that is none, or that the main one does not list.
#[must_use]
pub fn main_worktree(root: &Path) -> Option<PathBuf> {
    throughline_git::repository_at(root).ok()?.main_worktree
}

/// A path with its links followed, so that one project has one name.
#[must_use]
pub fn real(path: &Path) -> PathBuf {
    outside::real(path).unwrap_or_else(|_| path.to_owned())
}

fn platform_data(user_home: &Path) -> PathBuf {
    if cfg!(target_os = "macos") {
        user_home.join("Library/Application Support")
    } else {
        user_home.join(".local/share")
    }
}
