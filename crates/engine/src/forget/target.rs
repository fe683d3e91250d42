//! Whose memory is meant: the project at hand, one that was named, also one whose folder is gone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use throughline_domain::Timestamp;
use throughline_domain::text::one_line;
use throughline_store::archive::{Archive, ArchiveError};
use throughline_store::backups::Backups;
use throughline_store::door::NodeKind;
use throughline_store::forget::Scope;
use throughline_store::paths::Project;
use throughline_store::recall::{Recall, RecallError};
use throughline_store::session::{Registry, SessionFacts};
use throughline_store::usage::UsageStore;

use super::FOLDERS_MAX;
use crate::at_hand::{ARCHIVE_WAIT, AtHand};
use crate::place::{self, Place};
use crate::transcripts;
use crate::work_error::WorkError;

/// Candidates that are named.
const CANDIDATES_MAX: usize = 8;

/// Why nobody knows what is meant.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// No such project.
    #[error("nothing is remembered of a project {named}")]
    UnknownProject {
        /// What was named, as it can be shown.
        named: String,
        /// Some that are known, the last used first.
        known: Vec<String>,
    },
    /// No such session.
    #[error("nothing is remembered of a session `{named}` in this project")]
    UnknownSession {
        /// What was named, as it can be shown.
        named: String,
    },
    /// Several begin so.
    #[error("{count} sessions begin with `{named}`")]
    SeveralSessions {
        /// What was named, as it can be shown.
        named: String,
        /// How many do.
        count: usize,
        /// Some of them.
        ids: Vec<String>,
    },
    /// A store could not be asked.
    #[error(transparent)]
    Work(#[from] WorkError),
}

impl From<ArchiveError> for TargetError {
    fn from(error: ArchiveError) -> Self {
        Self::Work(error.into())
    }
}

impl From<RecallError> for TargetError {
    fn from(error: RecallError) -> Self {
        Self::Work(error.into())
    }
}

/// The folder of a project that is gone: by its path, or by its name in the data folder.
pub fn gone(place: &Place, named: &Path, absolute: PathBuf) -> Result<PathBuf, TargetError> {
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
        if is_told_of(place, &root.to_string_lossy())? {
            return Ok(root);
        }
    }
    let known = known.into_iter().take(CANDIDATES_MAX).map(|(key, _)| key).collect();
    Err(TargetError::UnknownProject { named: one_line(&named.to_string_lossy(), 200), known })
}

fn is_told_of(place: &Place, root: &str) -> Result<bool, WorkError> {
    let (index, archive) = (place.home.recall(), place.home.archive());
    if index.exists() && !Recall::open(&index, ARCHIVE_WAIT)?.sessions_of(root)?.is_empty() {
        return Ok(true);
    }
    Ok(archive.exists()
        && UsageStore::open(&archive, ARCHIVE_WAIT)?.projects()?.iter().any(|known| known == root))
}

/// What is to be forgotten: of one session or of all, what is older or everything.
pub fn scope(
    at_hand: &AtHand<'_>,
    session: Option<&str>,
    before: Option<Timestamp>,
) -> Result<Scope, TargetError> {
    let mut scope = Scope {
        project: at_hand.memory.project.clone(),
        session: None,
        before,
        sessions: sessions(at_hand.place, &at_hand.memory.project)?.into_iter().collect(),
    };
    if let Some(named) = session {
        let session = the_one(&scope.sessions, named)?;
        scope.sessions = vec![session.clone()];
        scope.session = Some(session);
    }
    Ok(scope)
}

fn the_one(known: &[String], named: &str) -> Result<String, TargetError> {
    let shown = one_line(named, 100);
    if known.iter().any(|id| id == named) {
        return Ok(named.to_owned());
    }
    let fitting: Vec<&String> =
        known.iter().filter(|id| !named.is_empty() && id.starts_with(named)).collect();
    match fitting.as_slice() {
        [one] => Ok((*one).clone()),
        [] => Err(TargetError::UnknownSession { named: shown }),
        several => {
            let ids = several.iter().take(CANDIDATES_MAX).map(|id| (*id).clone()).collect();
            Err(TargetError::SeveralSessions { named: shown, count: several.len(), ids })
        }
    }
}

/// The sessions of the project, wherever they left something.
fn sessions(place: &Place, project: &Project) -> Result<BTreeSet<String>, WorkError> {
    let home = &place.home;
    let root = project.root.to_string_lossy();
    let mut found = BTreeSet::new();
    let folders = home.root().join("sessions").children(FOLDERS_MAX);
    let caches = folders.iter().filter_map(SessionFacts::read);
    let of_project = |cache: &SessionFacts| cache.project_root == project.root && !cache.session.is_empty();
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
    let transcripts = transcripts::of_project(place, project).unwrap_or_default();
    found.extend(transcripts.into_iter().map(|transcript| transcript.session));
    found.retain(|id| !id.is_empty());
    Ok(found)
}

fn named_folders(project: &Project) -> Vec<String> {
    let names = project.files.join("sessions").list(FOLDERS_MAX).into_iter();
    let folders = names.filter(|listed| listed.kind == NodeKind::Folder);
    folders.filter_map(|listed| listed.name.into_string().ok()).collect()
}

/// The client's transcripts of the sessions that are concerned: they stay where they are.
#[must_use]
pub fn transcripts_of(at_hand: &AtHand<'_>, scope: &Scope) -> Vec<PathBuf> {
    let all = transcripts::of_project(at_hand.place, &at_hand.memory.project).unwrap_or_default();
    let is_concerned = |transcript: &transcripts::Transcript| scope.sessions.contains(&transcript.session);
    all.into_iter().filter(is_concerned).map(|transcript| place::real(&transcript.path)).collect()
}
