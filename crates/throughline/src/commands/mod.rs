//! The verbs, one file each, and what they share: the project at hand and who is asking.

pub(crate) mod add;
pub(crate) mod age;
pub(crate) mod anchor;
pub(crate) mod away;
pub(crate) mod backfill;
pub(crate) mod backups;
pub(crate) mod briefing;
pub(crate) mod checkpoint;
mod claude_code;
pub(crate) mod compact_focus;
pub(crate) mod config;
pub(crate) mod count_tokens;
pub(crate) mod coverage;
pub(crate) mod cursor;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod edit;
pub(crate) mod export;
pub(crate) mod forget;
pub(crate) mod fresh;
pub(crate) mod handoff;
pub(crate) mod handover;
pub(crate) mod health;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod list;
pub(crate) mod load;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod next;
pub(crate) mod note;
pub(crate) mod notes;
pub(crate) mod pause;
pub(crate) mod preflight;
pub(crate) mod recall;
pub(crate) mod resolve;
pub(crate) mod save;
pub(crate) mod sessions;
pub(crate) mod set;
pub(crate) mod setup;
pub(crate) mod status;
pub(crate) mod summaries;
pub(crate) mod supersede;
pub(crate) mod trust;
pub(crate) mod uninstall;
pub(crate) mod usage;
pub(crate) mod validate;
pub(crate) mod withdraw;
pub(crate) mod work;

use std::path::{Path, PathBuf};

use throughline_domain::{Origin, State, Timestamp};
pub(crate) use throughline_engine::at_hand::ARCHIVE_WAIT;
use throughline_engine::at_hand::AtHand;
use throughline_engine::place::{self, Place};
use throughline_store::config::{Config, ConfigProblem};
use throughline_store::gate;
use throughline_store::lock::Patience;
use throughline_store::memory::{Author, Changed, Draft, EntryError, Memory, Repair};
use throughline_store::session::SessionFacts;

use crate::failure::Failure;
use crate::output;
use crate::quoting;
use crate::repairs::{self, Audience};

/// The project at hand.
pub(crate) struct App {
    pub(crate) place: Place,
    pub(crate) config: Config,
    pub(crate) memory: Memory,
    pub(crate) now: Timestamp,
    caller: Caller,
}

/// Who runs us.
struct Caller {
    is_agent: bool,
    session: Option<String>,
}

impl Caller {
    fn of(place: &Place) -> Self {
        Self { is_agent: quoting::is_for_agent(), session: session_around(place) }
    }
}

impl App {
    /// Opens the project that `folder` names, or the one that the current folder belongs to.
    pub(crate) fn open(folder: Option<&Path>) -> Result<Self, Failure> {
        let (app, problems) = Self::open_silently(folder)?;
        for problem in problems {
            output::warn(&format!("{}: {}", problem.path.display(), problem.what));
        }
        Ok(app)
    }

    /// The same, for a verb that tells what is wrong with the configuration in its own words.
    pub(crate) fn open_silently(folder: Option<&Path>) -> Result<(Self, Vec<ConfigProblem>), Failure> {
        let place = crate::surroundings::place().ok_or_else(no_home)?;
        let work = match folder {
            Some(folder) => Some(place::real(folder)).filter(|root| root.is_dir()).ok_or_else(|| {
                Failure::new(format!("there is no folder {}", folder.display()))
                    .hint("--project takes the top folder of a project")
            })?,
            None => match session_project(&place) {
                Some(root) => root,
                None => current_project(&place)?,
            },
        };
        throughline_store::env_files::learn_env_files(&work);
        let project = place.project_at(&place.settled(work.clone())).working_in(work);
        let (config, problems) = place.config(&project);
        let memory = Memory::of(project, place.home.clone(), config.limits());
        let caller = Caller::of(&place);
        Ok((Self { place, config, memory, now: Timestamp::now(), caller }, problems))
    }

    /// The project of a folder that is gone, for whoever wants nothing of it to be kept.
    pub(crate) fn of_gone(root: &Path) -> Result<Self, Failure> {
        let place = crate::surroundings::place().ok_or_else(no_home)?;
        let project = place.project_at(root);
        let (config, _) = place.config(&project);
        let memory = Memory::of(project, place.home.clone(), config.limits());
        let caller = Caller::of(&place);
        Ok(Self { place, config, memory, now: Timestamp::now(), caller })
    }

    /// Who is asking: a person, or an agent that runs us as a command.
    pub(crate) fn author(&self) -> Author {
        Author {
            origin: if self.caller.is_agent { Origin::Assistant } else { Origin::User },
            session: self.caller.session.clone(),
            now: self.now,
            patience: Patience::Person,
        }
    }

    /// Refuses what takes a person's word where an agent runs us. The client says so in the environment, and whoever may
    /// run any command can hide that: this keeps an agent from doing it in good faith.
    pub(crate) fn refuse_agent(&self, what: &str, instead: &str) -> Result<(), Failure> {
        if !self.caller.is_agent {
            return Ok(());
        }
        Err(Failure::new(format!("{what} takes a person's word, and an agent runs this command"))
            .hint(format!("nothing was changed; a person runs it in a terminal of their own{instead}")))
    }

    /// The session at hand: the one that calls, else the one last active in this project.
    pub(crate) fn session_at_hand(&self) -> Option<String> {
        self.at_hand().session()
    }

    /// The same, for the work below the verbs.
    pub(crate) fn at_hand(&self) -> AtHand<'_> {
        AtHand { place: &self.place, memory: &self.memory, author: self.author() }
    }

    /// Changes the working set, tells what happened on the way, and lets the archive catch up.
    pub(crate) fn change<T>(
        &self,
        change: impl FnOnce(&mut Draft) -> Result<T, EntryError>,
    ) -> Result<Changed<T>, Failure> {
        throughline_engine::git_exclude::keep_out_of_git_if_new(&self.memory.project);
        let changed = self.memory.update(&self.author(), change)?;
        tell_repairs(self, &changed.repairs);
        if !changed.evicted.is_empty() {
            output::remark(&format!("{} moved to the archive to make room", changed.evicted.join(", ")));
        }
        for id in &changed.evicted_precious {
            output::warn(&format!(
                "{id} must not be forgotten, yet there was no more room for it: the agent will not be told of it; \
                 withdraw what no longer holds, and record it again"
            ));
        }
        // A save holds no entry that somebody could look for in the archive: opening that would cost a third of the
        // save's time. It goes in with the next entry or at the next gate.
        if changed.concerns_entries || self.memory.outbox().is_long() {
            self.fold();
        }
        if changed.concerns_entries {
            notes::follow(self);
        }
        Ok(changed)
    }

    /// The state as it stands, settled.
    pub(crate) fn state(&self) -> Result<State, Failure> {
        let (state, repairs) = self.memory.load(&self.author())?;
        tell_repairs(self, &repairs);
        if repairs.iter().any(|repair| !matches!(repair, Repair::Waits { .. })) {
            self.fold();
        }
        Ok(state)
    }

    fn fold(&self) {
        // The change is on disk and acknowledged; an archive that cannot take it now takes it next time.
        if let Err(error) = gate::fold_changes(&self.memory, ARCHIVE_WAIT) {
            output::warn(&error.to_string());
            throughline_store::log::failure(&self.place.home, self.now, "archive", &error.to_string());
        }
    }
}

/// The environment names no folder to keep anything in.
pub(crate) fn no_home() -> Failure {
    Failure::new("neither THROUGHLINE_HOME nor HOME names a folder")
        .hint("set THROUGHLINE_HOME to a folder where Throughline may keep its data")
}

/// Words to be recorded: they may begin with a dash, but a lone `--option` is a slip of the pen.
fn words(text: &str) -> Result<String, String> {
    if text.starts_with("--") && !text.contains(char::is_whitespace) {
        return Err("there is no such option; words to be recorded stand in quotes".to_owned());
    }
    Ok(text.to_owned())
}

/// The agent's session that runs us as a command.
fn session_around(place: &Place) -> Option<String> {
    place.around.text("CLAUDE_CODE_SESSION_ID").filter(|id| !id.is_empty())
}

/// The project of that session: pinned, wherever its shell has moved.
fn session_project(place: &Place) -> Option<PathBuf> {
    let cache = SessionFacts::read(&place.home.session(&session_around(place)?))?;
    cache.work_root.into_iter().chain([cache.project_root]).find(|root| root.is_dir())
}

fn current_project(place: &Place) -> Result<PathBuf, Failure> {
    let folder = (place.around.current_folder)().ok_or_else(|| {
        Failure::new("could not tell the current folder: it was removed, or must not be looked at")
    })?;
    place.project_around(&folder).ok_or_else(|| Failure::new(format!("{} is no folder", folder.display())))
}

fn tell_repairs(app: &App, mended: &[Repair]) {
    for repair in mended {
        // Said once for each version: `status` says it as long as it waits.
        if matches!(repair, Repair::Waits { hash } if !app.memory.tell_once(hash)) {
            continue;
        }
        if let Some(words) = repairs::words(repair, Audience::Person) {
            output::warn(&words);
        }
    }
}
