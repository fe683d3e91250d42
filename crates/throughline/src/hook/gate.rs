//! A gate: one value for a hook run that does more than note and leave. What its steps share is opened, read and asked once.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use throughline_agents::hook::Event;
use throughline_domain::State;
use throughline_domain::ledger::Ledger;
use throughline_engine::ledger;
use throughline_engine::session_facts::{self, Settled};
use throughline_git::{Asking, Git};
use throughline_store::config::Config;
use throughline_store::lock::Patience;
use throughline_store::memory::{Author, Changed, Draft, EntryError, Memory, MemoryError, Repair};
use throughline_store::paths::Project;
use throughline_store::session::SessionFacts;
use throughline_store::statusline_rules::{Watched, stamp_of};
use throughline_store::{gate, log};

use crate::hook::Run;
use crate::leave::leave;

/// How long a gate waits for the archive.
pub(in crate::hook) const ARCHIVE_WAIT: Duration = Duration::from_millis(300);

/// A run at a gate, its session's project opened.
pub(in crate::hook) struct Gate<'r> {
    pub(in crate::hook) run: &'r Run,
    pub(in crate::hook) facts: SessionFacts,
    pub(in crate::hook) memory: Memory,
    pub(in crate::hook) config: Config,
    /// The working tree: what one step has asked of git, the next one knows.
    pub(in crate::hook) git: Asking,
    /// The state in force, as this run last read or wrote it, and the stamp that its file had then.
    state: RefCell<Option<(Rc<State>, u64)>>,
    untrusted: RefCell<Option<Rc<[String]>>>,
    is_kept_out_of_git: Cell<bool>,
}

impl<'r> Gate<'r> {
    /// Opens the session's project; `None` when the payload names none that can be found.
    pub(in crate::hook) fn open(run: &'r Run) -> Option<Self> {
        match run.facts() {
            Some(facts) => Some(Self::of_facts(run, facts)),
            // Installed in mid-session, or the folder was cleaned: settle it now.
            None => Some(Self::of_settled(run, session_facts::compile(&run.start(), "unseen", None)?)),
        }
    }

    /// The same with facts that were read already.
    pub(in crate::hook) fn of_facts(run: &'r Run, facts: SessionFacts) -> Self {
        let project = run.place.project_at(&facts.project_root);
        let project = match &facts.work_root {
            Some(work) => project.working_in(work.clone()),
            None => project,
        };
        let (config, _) = run.place.config(&project);
        Self::over(run, facts, project, config)
    }

    /// The same with facts that were settled in this very run.
    pub(in crate::hook) fn of_settled(run: &'r Run, settled: Settled) -> Self {
        Self::over(run, settled.facts, settled.project, settled.config)
    }

    fn over(run: &'r Run, facts: SessionFacts, project: Project, config: Config) -> Self {
        // A usual hook reads no settings of the project: what it notes is masked once more at the next gate.
        if crate::hook::is_gate(&run.payload) {
            throughline_store::env_files::learn_env_files(&facts.project_root);
        }
        let deadline = Duration::from_millis(config.git.deadline_ms);
        let git = Git::default().asking(&project.work, deadline);
        let memory = Memory::of(project, run.place.home.clone(), config.limits());
        Self {
            run,
            facts,
            memory,
            config,
            git,
            state: RefCell::default(),
            untrusted: RefCell::default(),
            is_kept_out_of_git: Cell::default(),
        }
    }

    /// The author of what a hook records.
    pub(in crate::hook) fn author(&self) -> Author {
        Author {
            origin: throughline_domain::Origin::Assistant,
            session: Some(self.run.payload.session_id.clone()),
            now: self.run.now,
            patience: Patience::Hook,
        }
    }

    /// The state in force; an empty one where there is none.
    pub(in crate::hook) fn state(&self) -> Rc<State> {
        self.stamped_state().0
    }

    /// The same with a stamp of its file: another one, and it may be another.
    pub(in crate::hook) fn stamped_state(&self) -> (Rc<State>, u64) {
        let known = self.state.borrow().clone();
        known.unwrap_or_else(|| {
            let stamp = self.state_stamp();
            let state = self.memory.peek().ok().flatten().unwrap_or_else(State::empty);
            (self.remember(state, stamp), stamp)
        })
    }

    /// The state in force, where this run has read or written it already and nobody has changed it since.
    pub(in crate::hook) fn known_state(&self) -> Option<Rc<State>> {
        let known = self.state.borrow().clone();
        known.filter(|(_, stamp)| *stamp == self.state_stamp()).map(|(state, _)| state)
    }

    /// The stamp of the state's file now.
    pub(in crate::hook) fn state_stamp(&self) -> u64 {
        stamp_of([Watched::Ours(&self.memory.project.state_file())], &[])
    }

    /// The state in force, settled: a broken or missing file rebuilt.
    pub(in crate::hook) fn load(&self) -> Result<(Rc<State>, Vec<Repair>), MemoryError> {
        let stamp = self.state_stamp();
        let (state, repairs) = self.memory.load(&self.author())?;
        Ok((self.remember(state, stamp), repairs))
    }

    /// Changes the working set. What a hook leaves in a project is kept out of its git.
    pub(in crate::hook) fn update<T>(
        &self,
        change: impl FnOnce(&mut Draft) -> Result<T, EntryError>,
    ) -> Result<Changed<T>, MemoryError> {
        self.update_as(&self.author(), change)
    }

    /// The same in somebody else's name.
    pub(in crate::hook) fn update_as<T>(
        &self,
        author: &Author,
        change: impl FnOnce(&mut Draft) -> Result<T, EntryError>,
    ) -> Result<Changed<T>, MemoryError> {
        self.keep_out_of_git();
        let changed = self.memory.update(author, change)?;
        self.remember(changed.state.clone(), self.state_stamp());
        Ok(changed)
    }

    fn remember(&self, state: State, stamp: u64) -> Rc<State> {
        let state = Rc::new(state);
        self.state.replace(Some((Rc::clone(&state), stamp)));
        self.untrusted.replace(None);
        state
    }

    /// Ids of entries that came with a clone and that nobody has trusted yet.
    pub(in crate::hook) fn untrusted(&self) -> Rc<[String]> {
        let known = self.untrusted.borrow().clone();
        known.unwrap_or_else(|| {
            let read: Rc<[String]> = self.memory.untrusted().into();
            self.untrusted.replace(Some(Rc::clone(&read)));
            read
        })
    }

    /// Once a run, before something of ours is written in the project.
    pub(in crate::hook) fn keep_out_of_git(&self) {
        if !self.is_kept_out_of_git.replace(true) {
            throughline_engine::git_exclude::keep_out_of_git_if_new(&self.memory.project);
        }
    }

    /// Reads the session's transcript on, at most so much of it.
    pub(in crate::hook) fn catch_up(&self, bytes_max: u64) -> Ledger {
        ledger::catch_up(&self.run.transcript(), bytes_max, &self.run.failures)
    }

    /// Folds what waits; a failure is a line in the log, and everything waits on.
    pub(in crate::hook) fn fold(&self) {
        let folded = gate::fold(&self.memory, &[&self.run.payload.session_id], ARCHIVE_WAIT);
        self.run.failures.keep(folded);
    }
}

/// A gate that takes longer than its client waits ends itself, in good order, before it is killed.
pub(in crate::hook) fn watch(run: &Run) {
    let limit = match run.payload.event {
        Event::SessionEnd => Duration::from_millis(1_300),
        Event::PreCompact => Duration::from_secs(13),
        Event::SessionStart => Duration::from_secs(8),
        _ => Duration::from_secs(4),
    };
    let (home, now, during) = (run.place.home.clone(), run.now, run.during());
    std::thread::spawn(move || {
        std::thread::sleep(limit);
        log::failure(&home, now, &during, &format!("gave up after {} ms", limit.as_millis()));
        leave();
    });
}
