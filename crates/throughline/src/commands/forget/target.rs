//! Whose memory is meant: the project at hand, one that was named, also one whose folder is gone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use throughline_domain::Timestamp;
use throughline_domain::text::one_line;
use throughline_engine::place::{self, Place};
use throughline_engine::transcripts;
use throughline_store::archive::Archive;
use throughline_store::backups::Backups;
use throughline_store::door::NodeKind;
use throughline_store::forget::Scope;
use throughline_store::paths::Project;
use throughline_store::recall::Recall;
use throughline_store::session::{Registry, SessionCache};
use throughline_store::usage::UsageStore;
use throughline_usage::calendar;

use super::Args;
use crate::commands::{ARCHIVE_WAIT, App, no_home};
use crate::failure::Failure;

/// Most folders of sessions that are looked at.
const FOLDERS_MAX: usize = 100_000;
/// Candidates that are named.
const CANDIDATES_MAX: usize = 8;

/// The project that was named; its folder need not be there any more.
pub(super) fn open(folder: Option<&Path>) -> Result<App, Failure> {
    match folder {
        Some(folder) if !folder.is_dir() => App::of_gone(&gone(folder)?),
        folder => App::open(folder),
    }
}

/// The folder of a project that is gone: by its path, or by its name in the data folder.
fn gone(named: &Path) -> Result<PathBuf, Failure> {
    let place = crate::surroundings::place().ok_or_else(no_home)?;
    let absolute = std::path::absolute(named).unwrap_or_else(|_| named.to_owned());
    let known = if place.home.archive().exists() {
        Archive::open(&place.home.archive(), ARCHIVE_WAIT)?.projects()?
    } else {
        Vec::new()
    };
    let is_meant = |key: &str, root: &str| Path::new(root) == absolute || named.to_str() == Some(key);
    if let Some((_, root)) = known.iter().find(|(key, root)| is_meant(key, root)) {
        return Ok(PathBuf::from(root));
    }
    // It may have left files and no row: killed before the first fold.
    let project = place.project_at(&absolute);
    if place.home.project(&project.key).is_folder() {
        return Ok(absolute);
    }
    // Or only what its transcripts told: `backfill` reads those of projects that never had a hook.
    for root in [absolute, named.to_owned()] {
        if is_told_of(&place, &root.to_string_lossy())? {
            return Ok(root);
        }
    }
    let keys: Vec<String> = known.iter().take(CANDIDATES_MAX).map(|(key, _)| key.clone()).collect();
    Err(Failure::new(format!(
        "nothing is remembered of a project {}",
        one_line(&named.to_string_lossy(), 200)
    ))
    .hint(format!("known ones, the last used first: {}", one_line(&keys.join(", "), 400))))
}

fn is_told_of(place: &Place, root: &str) -> Result<bool, Failure> {
    let (index, archive) = (place.home.recall(), place.home.archive());
    if index.exists() && !Recall::open(&index, ARCHIVE_WAIT)?.sessions_of(root)?.is_empty() {
        return Ok(true);
    }
    Ok(archive.exists()
        && UsageStore::open(&archive, ARCHIVE_WAIT)?.projects()?.iter().any(|known| known == root))
}

/// What is to be forgotten.
pub(super) fn scope(app: &App, args: &Args) -> Result<Scope, Failure> {
    let before = args.before.as_deref().map(|text| moment(text, app.now)).transpose()?;
    let mut scope = Scope {
        project: app.memory.project.clone(),
        session: None,
        before,
        sessions: sessions(app)?.into_iter().collect(),
    };
    if let Some(named) = &args.session {
        let session = the_one(&scope.sessions, named)?;
        scope.sessions = vec![session.clone()];
        scope.session = Some(session);
    }
    Ok(scope)
}

/// The start of the day that is meant, in the user's time zone.
fn moment(text: &str, now: Timestamp) -> Result<Timestamp, Failure> {
    let zone = TimeZone::system();
    let date = calendar::parse(text, calendar::date_of(now, &zone)).map_err(|what| {
        Failure::new(what).hint("`--before 30d` means what is older than the last thirty days")
    })?;
    let start = date.to_zoned(zone).map_err(|error| Failure::new(error.to_string()))?.timestamp();
    if start > now {
        return Err(Failure::new(format!("{} lies in the future", one_line(text, 40)))
            .hint("`throughline forget --everything` forgets all of a project"));
    }
    Ok(start)
}

fn the_one(known: &[String], named: &str) -> Result<String, Failure> {
    let shown = one_line(named, 100);
    if known.iter().any(|id| id == named) {
        return Ok(named.to_owned());
    }
    let fitting: Vec<&String> =
        known.iter().filter(|id| !named.is_empty() && id.starts_with(named)).collect();
    match fitting.as_slice() {
        [one] => Ok((*one).clone()),
        [] => Err(Failure::new(format!("nothing is remembered of a session `{shown}` in this project"))
            .hint("`throughline sessions list` shows them; --project names another project")),
        several => {
            let ids: Vec<&str> = several.iter().take(CANDIDATES_MAX).map(|id| id.as_str()).collect();
            Err(Failure::new(format!("{} sessions begin with `{shown}`", several.len()))
                .hint(format!("name more of it: {}", one_line(&ids.join(", "), 600))))
        }
    }
}

/// The sessions of the project, wherever they left something.
fn sessions(app: &App) -> Result<BTreeSet<String>, Failure> {
    let (home, project) = (&app.place.home, &app.memory.project);
    let root = project.root.to_string_lossy();
    let mut found = BTreeSet::new();
    let folders = home.root().join("sessions").children(FOLDERS_MAX);
    let caches = folders.iter().filter_map(SessionCache::read);
    let of_project = |cache: &SessionCache| cache.project_root == project.root && !cache.session.is_empty();
    found.extend(caches.filter(of_project).map(|cache| cache.session));
    found.extend(Registry::of(home, project).recent().into_iter().map(|note| note.session));
    if home.archive().exists() {
        let archive = Archive::open(&home.archive(), ARCHIVE_WAIT)?;
        found.extend(archive.sessions_known(&project.key, &root)?);
    }
    if home.recall().exists() {
        found.extend(Recall::open(&home.recall(), ARCHIVE_WAIT)?.sessions_of(&root)?);
    }
    found.extend(Backups::of(home).kept_in(&project.key).into_iter().map(|kept| kept.name));
    found.extend(named_folders(project));
    // The client may have sessions that we never saw: they are kept away, too.
    let transcripts = transcripts::of_project(&app.place, &app.memory.project).unwrap_or_default();
    found.extend(transcripts.iter().filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())));
    found.retain(|id| !id.is_empty());
    Ok(found)
}

fn named_folders(project: &Project) -> Vec<String> {
    let names = project.files.join("sessions").list(FOLDERS_MAX).into_iter();
    let folders = names.filter(|listed| listed.kind == NodeKind::Folder);
    folders.filter_map(|listed| listed.name.into_string().ok()).collect()
}

/// The client's transcripts of the sessions that are concerned: they stay where they are.
pub(super) fn transcripts_of(app: &App, scope: &Scope) -> Vec<PathBuf> {
    let all = transcripts::of_project(&app.place, &app.memory.project).unwrap_or_default();
    let is_concerned = |path: &PathBuf| {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        scope.sessions.iter().any(|session| session == stem)
    };
    all.into_iter().filter(is_concerned).map(|path| place::real(&path)).collect()
}
