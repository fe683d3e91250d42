//! Where a client's files are on this machine, for one project or for all of them.

use std::path::{Path, PathBuf};

use throughline_agents::setup::{ByScope, ClientFiles, SKILL_PATH, ServerFile, Setup};
use throughline_engine::place::Place;
use throughline_store::paths::Project;
use throughline_store::project_files;

use crate::failure::Failure;

/// For whom an agent is set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands) enum Scope {
    /// In one project.
    Project,
    /// In all projects of this user.
    User,
}

impl Scope {
    pub(in crate::commands) const BOTH: [Self; 2] = [Self::Project, Self::User];

    pub(in crate::commands) fn of(user: bool) -> Self {
        if user { Self::User } else { Self::Project }
    }

    /// The flag that means it, with a blank before it.
    pub(in crate::commands) fn flag(self) -> &'static str {
        match self {
            Self::Project => "",
            Self::User => " --user",
        }
    }
}

/// The files of one client in one scope.
#[derive(Debug)]
pub(in crate::commands) struct Places {
    pub(in crate::commands) hooks: PathBuf,
    /// Where our server is or would go.
    pub(in crate::commands) servers: PathBuf,
    pub(in crate::commands) page: PathBuf,
    /// Folder that a link on the way to the page may not leave.
    pub(in crate::commands) within: Option<PathBuf>,
    pub(in crate::commands) skill: PathBuf,
    /// Where our prompt goes; only a person's own configuration takes it.
    pub(in crate::commands) prompt: Option<PathBuf>,
}

/// The client's own folder; `None` where the environment names none.
pub(in crate::commands) fn client_folder(place: &Place, setup: &Setup) -> Option<PathBuf> {
    let folder = &setup.folder;
    let named = (place.around.var)(folder.variable).map(PathBuf::from).filter(|path| path.is_absolute());
    match named {
        Some(named) => Some(named.join(folder.below_variable)),
        None => Some(place.user_home.as_ref()?.join(folder.below_home)),
    }
}

impl Places {
    pub(in crate::commands) fn of(
        place: &Place,
        project: &Project,
        setup: &Setup,
        files: &ClientFiles,
        scope: Scope,
    ) -> Result<Self, Failure> {
        let folder = client_folder(place, setup).ok_or_else(|| {
            Failure::new(format!("neither {} nor HOME names a folder", setup.folder.variable))
                .hint(format!("set {} to the folder of {}", setup.folder.variable, setup.title))
        })?;
        let top = &project.work;
        let at = |by: ByScope| match scope {
            Scope::Project => by.in_project(top),
            Scope::User => by.in_folder(&folder),
        };
        let hooks = at(files.hooks.at());
        let skills = match scope {
            Scope::Project => top.clone(),
            Scope::User => place.user_home.clone().unwrap_or_else(|| folder.clone()),
        };
        let base = if scope == Scope::User { &folder } else { top };
        Ok(Self {
            servers: base.join(server_name(project, &files.servers, base, scope)),
            page: base.join(page_name(project, files, &folder, scope)),
            within: (scope == Scope::Project).then(|| top.clone()),
            skill: skills.join(SKILL_PATH),
            prompt: files.prompt.as_ref().map(|prompt| folder.join(prompt.user)),
            hooks,
        })
    }

    /// Every file that may be written, without the page: links on the way there have rules of their own.
    pub(in crate::commands) fn all(&self) -> impl Iterator<Item = PathBuf> {
        [&self.hooks, &self.servers, &self.skill].map(Clone::clone).into_iter()
    }
}

/// The file that holds the list of servers: the one that names ours, else the first that is there, else the first of all.
fn server_name(project: &Project, file: &ServerFile, base: &Path, scope: Scope) -> &'static str {
    match (file, scope) {
        (ServerFile::Toml(at), Scope::Project) => at.project,
        (ServerFile::Toml(at), Scope::User) => at.user,
        (ServerFile::Json { project: names, list, .. }, Scope::Project)
        | (ServerFile::Json { user: names, list, .. }, Scope::User) => {
            let is_ours = |name: &&&str| {
                let text = project_files::read_settings(&project.spot_of(&base.join(name)));
                text.ok().flatten().is_some_and(|text| list.registered(&text).is_some())
            };
            let there = names.iter().find(|name| base.join(name).exists());
            names.iter().find(is_ours).or(there).or(names.first()).copied().unwrap_or_default()
        }
    }
}

/// The page's name, which some clients' settings decide: of several names the first whose page is there.
fn page_name(project: &Project, files: &ClientFiles, folder: &Path, scope: Scope) -> String {
    let (at, base) = (files.page.at, if scope == Scope::User { folder } else { &project.work });
    let usual = if scope == Scope::User { at.user } else { at.project };
    let Some(read) = files.page.names else { return usual.to_owned() };
    let settings = files.hooks.at();
    // The project's settings count before the user's.
    let settings = [settings.in_project(&project.work), settings.in_folder(folder)];
    let names = settings.iter().find_map(|path| {
        let text = project_files::read_settings(&project.spot_of(path)).ok()??;
        Some(read(&text)).filter(|names| !names.is_empty())
    });
    let is_plain = |name: &String| !name.is_empty() && !name.contains(['/', '\\']) && name != "..";
    let names: Vec<String> = names.unwrap_or_default().into_iter().filter(is_plain).collect();
    let there = names.iter().find(|name| base.join(name).exists());
    there.or(names.first()).cloned().unwrap_or_else(|| usual.to_owned())
}
