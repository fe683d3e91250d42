//! Which transcripts are meant: a session's, a file that was named, all of the project; whichever agent wrote them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use throughline_agents::agent::{AGENTS, Agent, Kept, USUAL};
use throughline_domain::text::one_line;
use throughline_store::door::outside;
use throughline_store::paths::Project;
use throughline_store::transcript_rows;

use crate::client_folders;
use crate::place::Place;
use crate::source::{LineReader, Source};

/// Most entries of a folder that are looked at.
const ENTRIES_MAX: usize = 10_000;
/// Of transcripts that are not kept by projects, so many of the newest are asked which one they belong to.
const ASKED_MAX: usize = 2_000;
/// How deep below the client's folder they are.
const DEPTH_MAX: usize = throughline_domain::limits::TRANSCRIPT_DEPTH_MAX;
/// The clients' ids have 36 characters at most.
const ID_BYTES_MAX: usize = 100;

/// Longest word that is shown in an error.
const SHOWN_CHARS: usize = 120;

/// A transcript that an agent wrote.
#[derive(Debug, Clone)]
pub struct Transcript {
    /// Whose it is.
    pub agent: &'static Agent,
    /// Its session.
    pub session: String,
    /// Its name: a path, or that of a row.
    pub path: PathBuf,
    /// When it was last written to.
    pub written: SystemTime,
}

impl Transcript {
    /// Where it is read from.
    #[must_use]
    pub fn source(&self) -> Source<'_> {
        Source::of(self.agent, &self.path)
    }

    /// A file, by its path.
    fn file(agent: &'static Agent, path: PathBuf, written: SystemTime) -> Option<Self> {
        let session = (agent.transcripts.session_of)(path.file_stem()?.to_str()?).to_owned();
        Some(Self { agent, session, path, written })
    }
}

/// Why there is no transcript to look at.
#[derive(Debug, thiserror::Error)]
pub enum TranscriptsError {
    /// Nobody knows where the client keeps them.
    #[error("neither CLAUDE_CONFIG_DIR nor HOME names a folder")]
    NoFolder,
    /// The project has none.
    #[error("there are no transcripts of this project in {}", folder.display())]
    None {
        /// Where they would be.
        folder: PathBuf,
    },
    /// What was named is neither an id nor a transcript.
    #[error("`{named}` is neither a session's id nor an existing .jsonl file")]
    Neither {
        /// The word, as it can be shown.
        named: String,
    },
    /// Several begin so.
    #[error("{} sessions begin with `{named}`", ids.len())]
    Several {
        /// The word, as it can be shown.
        named: String,
        /// Their ids.
        ids: Vec<String>,
    },
    /// No session has this id.
    #[error("there is no transcript of a session `{named}`")]
    Unknown {
        /// The word, as it can be shown.
        named: String,
    },
}

/// The project's transcripts, oldest first; never an empty list.
pub fn of_project(place: &Place, project: &Project) -> Result<Vec<Transcript>, TranscriptsError> {
    let mut found: Vec<Transcript> =
        AGENTS.into_iter().flat_map(|agent| of_agent(place, project, agent)).collect();
    found.sort_by(|left, right| (left.written, &left.path).cmp(&(right.written, &right.path)));
    if found.is_empty() {
        let folder = client_folders::main(place, USUAL).ok_or(TranscriptsError::NoFolder)?;
        return Err(TranscriptsError::None {
            folder: project_folder(USUAL, &folder, project).unwrap_or(folder),
        });
    }
    Ok(found)
}

/// Those that one agent wrote.
fn of_agent(place: &Place, project: &Project, agent: &'static Agent) -> Vec<Transcript> {
    let mut found = Vec::new();
    let mut belongs = Belonging::to(place, project);
    // The folder that is set up counts, also one of several that are listed.
    for folder in client_folders::of(place, agent) {
        match agent.transcripts.kept {
            Kept::Files { .. } if agent.transcripts.project_folder.is_some() => {
                let Some(folder) = project_folder(agent, &folder, project) else { continue };
                found.extend(files_in(agent, &folder));
            }
            Kept::Files { below, .. } => {
                let mut files = files_below(agent, &folder.join(below));
                files.sort_by_key(|file| std::cmp::Reverse(file.written));
                files.truncate(ASKED_MAX);
                for mut file in files {
                    let told = told_by(&file.source());
                    // A subagent's is no session.
                    if !told.is_sidechain && belongs.has(told.folder.as_deref()) {
                        file.session = told.session.unwrap_or(file.session);
                        found.push(file);
                    }
                }
            }
            Kept::Rows(format) => {
                let database = folder.join(format.database);
                let listed = transcript_rows::sessions(&database, format.sessions).unwrap_or_default();
                let ours = listed.into_iter().filter(|row| belongs.has(Some(&row.folder)));
                found.extend(ours.map(|row| Transcript {
                    agent,
                    path: database.join(&row.id),
                    written: moment(row.changed_ms),
                    session: row.id,
                }));
            }
        }
    }
    found
}

/// Whether sessions that were held in a folder belong to a project; each folder is looked at once.
struct Belonging<'b> {
    place: &'b Place,
    project: &'b Project,
    known: HashMap<String, bool>,
}

impl<'b> Belonging<'b> {
    fn to(place: &'b Place, project: &'b Project) -> Self {
        Self { place, project, known: HashMap::new() }
    }

    fn has(&mut self, folder: Option<&str>) -> bool {
        let Some(folder) = folder else { return false };
        let Self { place, project, known } = self;
        *known.entry(folder.to_owned()).or_insert_with(|| {
            let path = Path::new(folder);
            let is_root = |root: &Path| root == project.work || root == project.root;
            // A project below a repository's top has sessions of its own; a folder that is gone belongs by its name.
            is_root(path) || place.project_root(path).is_some_and(|root| is_root(&root))
        })
    }
}

/// What a transcript's first lines tell of it.
#[derive(Default)]
struct ToldBy {
    /// The folder that it was held in.
    folder: Option<String>,
    /// Its session, where they name one: a file's name may hold a part of it only.
    session: Option<String>,
    /// Whether it is a subagent's.
    is_sidechain: bool,
}

fn told_by(source: &Source<'_>) -> ToldBy {
    let mut reader = LineReader::afresh(source.agent);
    let mut told = ToldBy::default();
    let known = |text: &str| Some(text).filter(|text| !text.is_empty()).map(str::to_owned);
    for line in source.first_lines() {
        reader
            .each(&line, |line| told.folder = told.folder.take().or(line.cwd.as_deref().map(str::to_owned)));
        let carried = reader.so_far();
        told.folder = told.folder.or_else(|| known(&carried.cwd));
        (told.session, told.is_sidechain) = (known(&carried.session), carried.is_sidechain);
        if told.folder.is_some() {
            break;
        }
    }
    told
}

/// The transcript of a session, or the file that was named.
///
/// An id is looked for among the clients' transcripts only, whatever it looks like; a path must be one of a file.
pub fn named(place: &Place, project: &Project, word: &str) -> Result<Transcript, TranscriptsError> {
    let is_id = word.len() <= ID_BYTES_MAX
        && !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let named = one_line(word, SHOWN_CHARS);
    if !is_id {
        let path = PathBuf::from(word);
        let is_file = path.extension().is_some_and(|end| end == "jsonl") && path.is_file();
        let found = is_file.then(|| Transcript::file(writer_of(place, &path), path, SystemTime::UNIX_EPOCH));
        return found.flatten().ok_or(TranscriptsError::Neither { named });
    }
    let own = of_project(place, project).unwrap_or_default();
    if let Some(whole) = own.iter().find(|it| it.session == word) {
        return Ok(whole.clone());
    }
    if let Some(elsewhere) = elsewhere(place, word) {
        return Ok(elsewhere);
    }
    let mut begins: Vec<Transcript> = own.into_iter().filter(|it| it.session.starts_with(word)).collect();
    if begins.len() > 1 {
        begins.sort_by(|left, right| left.session.cmp(&right.session));
        return Err(TranscriptsError::Several {
            named,
            ids: begins.into_iter().map(|it| it.session).collect(),
        });
    }
    begins.pop().ok_or(TranscriptsError::Unknown { named })
}

/// A session of another project.
fn elsewhere(place: &Place, id: &str) -> Option<Transcript> {
    for agent in AGENTS {
        for folder in client_folders::of(place, agent) {
            let found = match agent.transcripts.kept {
                Kept::Files { below, .. } if agent.transcripts.project_folder.is_some() => {
                    let projects = outside::list(folder.join(below)).into_iter().flatten().flatten();
                    let folders = projects
                        .take(ENTRIES_MAX)
                        .filter(|it| it.file_type().is_ok_and(|kind| kind.is_dir()));
                    let mut paths = folders.map(|it| it.path().join(format!("{id}.jsonl")));
                    paths.find_map(|path| file_at(agent, path))
                }
                Kept::Files { below, .. } => {
                    let mut files = files_below(agent, &folder.join(below)).into_iter();
                    files.find_map(|mut file| {
                        if file.session != id && id.starts_with(&file.session) {
                            file.session = told_by(&file.source()).session?;
                        }
                        (file.session == id).then_some(file)
                    })
                }
                Kept::Rows(format) => {
                    let database = folder.join(format.database);
                    let listed = transcript_rows::sessions(&database, format.sessions).unwrap_or_default();
                    listed.into_iter().find(|row| row.id == id).map(|row| Transcript {
                        agent,
                        path: database.join(&row.id),
                        written: moment(row.changed_ms),
                        session: row.id,
                    })
                }
            };
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

/// Whose a file is: that of the agent in whose folder it is, else of the first that finds words in its first lines.
#[must_use]
pub fn writer_of(place: &Place, path: &Path) -> &'static Agent {
    let real = crate::place::real(path);
    let is_below = |agent: &&&'static Agent| {
        client_folders::of(place, agent).iter().any(|folder| real.starts_with(folder))
    };
    if let Some(agent) = AGENTS.iter().find(is_below) {
        return agent;
    }
    let tells = |agent: &&&'static Agent| {
        let mut reader = LineReader::afresh(agent);
        let mut is_told = false;
        for line in Source::of(agent, path).first_lines() {
            reader.each(&line, |_| is_told = true);
        }
        is_told
    };
    AGENTS.iter().find(tells).unwrap_or(&USUAL)
}

fn project_folder(agent: &Agent, client: &Path, project: &Project) -> Option<PathBuf> {
    let Kept::Files { below, .. } = agent.transcripts.kept else { return None };
    let folder_of = agent.transcripts.project_folder?;
    Some(client.join(below).join(folder_of(&project.work.to_string_lossy())))
}

/// The transcripts in one folder.
fn files_in(agent: &'static Agent, folder: &Path) -> Vec<Transcript> {
    let entries = outside::list(folder).into_iter().flatten().flatten().take(ENTRIES_MAX);
    entries.filter_map(|entry| file_at(agent, entry.path())).collect()
}

/// The transcripts below a folder.
fn files_below(agent: &'static Agent, folder: &Path) -> Vec<Transcript> {
    let mut found = Vec::new();
    let mut folders = vec![(folder.to_owned(), 0)];
    let mut left = ENTRIES_MAX * 10;
    while let Some((folder, depth)) = folders.pop() {
        for entry in outside::list(&folder).into_iter().flatten().flatten() {
            let Some(fewer) = left.checked_sub(1) else { return found };
            left = fewer;
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && depth < DEPTH_MAX {
                folders.push((entry.path(), depth + 1));
            } else if kind.is_file() {
                found.extend(file_at(agent, entry.path()));
            }
        }
    }
    found
}

/// A regular file by the name of a transcript: a link in the client's folder is none.
fn file_at(agent: &'static Agent, path: PathBuf) -> Option<Transcript> {
    let Kept::Files { is_one, .. } = agent.transcripts.kept else { return None };
    if !is_one(path.file_name()?.to_str()?) {
        return None;
    }
    let meta = outside::link_metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
    Transcript::file(agent, path, meta.modified().ok()?)
}

fn moment(ms: i64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(ms).unwrap_or(0))
}
