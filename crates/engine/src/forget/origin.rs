//! Forgetting by origin: what a session, a project or a time brought goes out of every place, and every place is looked at again.

use std::collections::BTreeMap;

use throughline_domain::{State, Timestamp, time};
use throughline_store::anchor_proposals;
use throughline_store::archive::{Archive, ScopeRows};
use throughline_store::backups::{Backups, KeptBackups};
use throughline_store::checkpoints::Checkpoints;
use throughline_store::door::Spot;
use throughline_store::forget::files::{self, Pieces};
use throughline_store::forget::{Forgotten, ID_BYTES_MIN, Needle, Places, Scope};
use throughline_store::gate;
use throughline_store::lock::{Lock, Patience};
use throughline_store::paths::{Home, safe_name};
use throughline_store::recall::Recall;
use throughline_store::session::{Registry, SessionFacts, SessionNote};
use throughline_store::task_summaries::TaskSummaries;
use throughline_store::usage::{RowKind, UsageStore};

use super::ROUNDS_MAX;
use super::traces::{Proof, Traces};
use crate::at_hand::{ARCHIVE_WAIT, AtHand};
use crate::checkpoint as making;
use crate::liveness::{self, Fate};
use crate::work_error::WorkError;

/// A forgetting, under way.
#[derive(Debug)]
pub struct Forgetting<'a> {
    at_hand: &'a AtHand<'a>,
    /// What is forgotten.
    pub scope: Scope,
    /// Sessions of it that are at work at this moment.
    at_work: Vec<String>,
    /// The texts of its entries: other sessions were told them too.
    texts: Option<Needle>,
}

impl<'a> Forgetting<'a> {
    /// Nothing is done yet: who is at work is settled.
    #[must_use]
    pub fn of(at_hand: &'a AtHand<'a>, scope: Scope) -> Self {
        let home = &at_hand.place.home;
        let seen = liveness::newest(home, &scope.project, at_hand.now(), liveness::LISTED_MAX);
        let at_work = seen.into_iter().filter(|seen| seen.fate == Fate::Alive).map(|seen| seen.session);
        let at_work = at_work.filter(|session| scope.sessions.contains(session)).collect();
        Self { at_hand, scope, at_work, texts: None }
    }

    /// What there is, everywhere.
    pub fn found(&self) -> Result<Traces, WorkError> {
        self.look(&self.scope)
    }

    /// Forgets it and looks everywhere again, until nothing is found or there is no point in going on.
    pub fn run(&mut self) -> Result<Proof, WorkError> {
        let mut proof = Proof::default();
        for _ in 0..ROUNDS_MAX {
            let troubles = self.forget()?;
            proof = self.prove()?;
            proof.troubles = troubles;
            if proof.is_clean() {
                break;
            }
        }
        Ok(proof)
    }

    fn archive(&self) -> Result<Option<Archive>, WorkError> {
        let path = self.at_hand.place.home.archive();
        Ok(if path.exists() { Some(Archive::open(&path, ARCHIVE_WAIT)?) } else { None })
    }

    fn summaries(&self) -> Option<TaskSummaries> {
        self.at_hand.place.claude_folder.as_deref().map(TaskSummaries::of)
    }

    fn look(&self, scope: &Scope) -> Result<Traces, WorkError> {
        let mut found = Traces::of(self.entries(scope)?);
        if let Some(mut archive) = self.archive()? {
            let ScopeRows { entries, history, sessions, usage } = archive.forget_scope(scope, true)?;
            found.put("archive: entries", entries, 0);
            found.put("archive: history of entries", history, 0);
            found.put("archive: sessions and what their hooks did", sessions, 0);
            found.put("usage", usage, 0);
        }
        found.put("index of recall: passages", self.forget_passages(scope, true)?, 0);
        let Pieces { found: pieces, links } = self.pieces(scope)?;
        for piece in &pieces {
            found.put(piece.place, 1, piece.bytes);
        }
        found.links = links;
        found.put("checkpoints", self.checkpoints(scope).len() as u64, 0);
        for kept in self.backups(scope) {
            found.put("backups of transcripts", 1, kept.bytes);
        }
        found.put("task summaries", self.summary_ids(scope).len() as u64, 0);
        if !scope.is_everything() {
            let waiting = anchor_proposals::read(&self.at_hand.memory.folder()).waiting;
            let proposed =
                waiting.iter().filter(|it| scope.names(&it.session) && scope.holds_iso(&it.timestamp));
            found.put("proposed anchors", proposed.count() as u64, 0);
        }
        Ok(found)
    }

    /// Entries of the working set, by their ids.
    fn entries(&self, scope: &Scope) -> Result<Vec<String>, WorkError> {
        let Some(state) = self.at_hand.memory.peek()? else { return Ok(Vec::new()) };
        let of_session = match (&scope.session, self.archive()?) {
            (Some(session), Some(archive)) => Some(archive.entries_of_session(&scope.project.key, session)?),
            (Some(_), None) => Some(Vec::new()),
            (None, _) => None,
        };
        Ok(entries_in(&state, scope, of_session.as_deref()))
    }

    fn pieces(&self, scope: &Scope) -> Result<Pieces, WorkError> {
        let began_ms = began(&self.at_hand.place.home, scope)?;
        Ok(files::of_scope(scope, &self.at_hand.place.home, &began_ms, !self.at_work.is_empty()))
    }

    fn checkpoints(&self, scope: &Scope) -> Vec<String> {
        let on_disk = Checkpoints::of(&scope.project, &self.at_hand.place.home);
        let is_concerned = |id: &String| match on_disk.read(id) {
            Ok(it) => {
                let of_session = scope.session.is_none() || it.session == scope.session;
                of_session && scope.holds_iso(&it.created_at)
            }
            // One that cannot be read may hold anything.
            Err(_) => scope.is_everything(),
        };
        on_disk.ids().into_iter().filter(is_concerned).collect()
    }

    fn backups(&self, scope: &Scope) -> Vec<KeptBackups> {
        let mut kept = Backups::of(&self.at_hand.place.home).kept_in(&scope.project.key);
        kept.retain(|it| scope.session.as_deref().is_none_or(|own| safe_name(own) == it.name));
        kept.retain(|it| it.first_at.as_deref().is_none_or(|at| scope.holds_iso(at)));
        kept
    }

    fn summary_ids(&self, scope: &Scope) -> Vec<String> {
        let kept = self.summaries().map(|summaries| summaries.all()).unwrap_or_default();
        let is_concerned = |at: std::time::SystemTime, session: &String| {
            let at = Timestamp::try_from(at).map_or(i64::MIN, Timestamp::as_millisecond);
            scope.sessions.contains(session) && scope.holds_ms(at)
        };
        let concerned = kept.into_iter().filter(|it| is_concerned(it.modified, &it.summary.session_id));
        concerned.map(|it| it.id).collect()
    }

    /// One round; gives what could not be done. Each step can be done again.
    fn forget(&mut self) -> Result<Vec<String>, WorkError> {
        self.mark()?;
        let mut troubles = Vec::new();
        if !self.scope.is_everything() {
            self.withdraw()?;
            self.learn_texts()?;
        }
        let (home, scope) = (&self.at_hand.place.home, &self.scope);
        let ids = self.checkpoints(scope);
        if !ids.is_empty() {
            let on_disk = Checkpoints::of(&scope.project, home);
            let alone = on_disk.alone(Patience::Person)?;
            troubles.extend(making::remove(self.at_hand.memory, &on_disk, &alone, &ids)?);
        }
        let backups = Backups::of(home);
        let kept = self.backups(scope).into_iter().map(|kept| kept.name);
        // Of backups that went earlier the lock is left, which has the session's name.
        let is_gone = |session: &&String| scope.before.is_none() && !self.at_work.contains(session);
        let gone = scope.sessions.iter().filter(is_gone).filter(|session| backups.knows(session)).cloned();
        for session in kept.chain(gone) {
            let removed = backups.forget(&session, Patience::Person);
            troubles.extend(removed.err().map(|error| error.to_string()));
        }
        if let Some(summaries) = self.summaries() {
            troubles.extend(summaries.remove(&self.summary_ids(scope)).err().map(|error| error.to_string()));
            if scope.before.is_none() {
                scope.sessions.iter().for_each(|session| summaries.forget_check(session));
            }
        }
        if scope.is_everything() {
            self.clear_project(&mut troubles)?;
        } else {
            self.mask_copies()?;
            // When a session began is told by rows that go last: a run that was killed finds its files again.
            self.remove_pieces(&mut troubles)?;
            files::settle_beginnings(scope, home)?;
            self.clear_rows()?;
        }
        self.forget_passages(scope, false)?;
        self.mask_ids()?;
        troubles.extend(self.leave_nothing_behind()?);
        self.begin_afresh()?;
        Ok(troubles)
    }

    /// First of all: whatever happens then, nothing comes back.
    fn mark(&self) -> Result<(), WorkError> {
        let scope = &self.scope;
        let until = scope.before.unwrap_or(self.at_hand.now()).as_millisecond();
        let began_ms = began(&self.at_hand.place.home, scope)?;
        let began = |session: &&String| began_ms.get(&safe_name(session)).copied();
        let is_concerned = |session: &&String| began(session).is_none_or(|began| scope.holds_ms(began));
        let sessions: Vec<(&str, i64)> =
            scope.sessions.iter().filter(is_concerned).map(|session| (session.as_str(), until)).collect();
        let project = (scope.project.root.as_path(), until);
        let projects = if scope.session.is_none() { vec![project] } else { Vec::new() };
        Ok(Forgotten::add(&self.at_hand.place.home, &sessions, &projects)?)
    }

    /// Takes entries out of the working set, and lets the archive see it: what waits would bring them back.
    fn withdraw(&self) -> Result<(), WorkError> {
        let (memory, scope) = (&self.at_hand.memory, &self.scope);
        let ids = self.entries(scope)?;
        let is_old = |at: &str| scope.session.is_none() && scope.holds_iso(at);
        let state = memory.peek()?;
        let has_history =
            state.is_some_and(|state| state.history.iter().any(|it| is_old(transition_time(it))));
        if !ids.is_empty() || has_history {
            memory.update(&self.at_hand.author, |draft| {
                for id in &ids {
                    draft.withdraw(id, "forgotten")?;
                }
                draft.state.history.retain(|it| !is_old(transition_time(it)));
                Ok(())
            })?;
        }
        if memory.folder().is_folder() {
            let sessions: Vec<&str> = scope.sessions.iter().map(String::as_str).collect();
            gate::fold(memory, &sessions, ARCHIVE_WAIT)?;
            let is_proposed = |session: &str, at: &str| scope.names(session) && scope.holds_iso(at);
            if anchor_proposals::read(&memory.folder())
                .waiting
                .iter()
                .any(|it| is_proposed(&it.session, &it.timestamp))
            {
                anchor_proposals::update(&memory.folder(), Patience::Person, |proposals| {
                    proposals.waiting.retain(|it| !is_proposed(&it.session, &it.timestamp));
                })?;
            }
        }
        Ok(())
    }

    /// What the entries say, before their rows go; a later round finds no rows, and looks for the same again.
    fn learn_texts(&mut self) -> Result<(), WorkError> {
        if let Some(archive) = self.archive()?
            && let Some(texts) = Needle::copies(&archive.entry_texts(&self.scope)?)?
        {
            self.texts = Some(texts);
        }
        Ok(())
    }

    /// Entries that go were told to other sessions too: their copies in pages, files and checkpoints of those are masked.
    fn mask_copies(&self) -> Result<(), WorkError> {
        let Some(needle) = &self.texts else { return Ok(()) };
        let on_disk = Checkpoints::of(&self.scope.project, &self.at_hand.place.home);
        if on_disk.folder().is_folder() {
            on_disk.mask(&on_disk.alone(Patience::Person)?, needle)?;
        }
        self.places().mask(needle, false)?;
        Ok(())
    }

    /// The files in which such copies stand.
    fn copies_left(&self) -> Result<Vec<Spot>, WorkError> {
        let Some(needle) = &self.texts else { return Ok(Vec::new()) };
        let on_disk = Checkpoints::of(&self.scope.project, &self.at_hand.place.home);
        let file = |id: String| on_disk.folder().join(format!("{id}.json"));
        let mut left: Vec<Spot> = on_disk.holding(needle).into_iter().map(file).collect();
        left.extend(self.places().mask(needle, true)?);
        Ok(left)
    }

    /// Sessions at work are in the project's list again: they go on without another start.
    fn begin_afresh(&self) -> Result<(), WorkError> {
        if self.scope.before.is_some() {
            return Ok(());
        }
        let registry = Registry::of(&self.at_hand.place.home, &self.scope.project);
        let known = registry.recent();
        for session in
            self.at_work.iter().filter(|session| !known.iter().any(|note| note.session == **session))
        {
            let (session, how) = (session.clone(), "startup".to_owned());
            let at = self.at_hand.now().as_millisecond();
            registry.note(&SessionNote {
                at,
                session,
                what: "start".to_owned(),
                how,
                parent: None,
                phase: None,
            })?;
        }
        Ok(())
    }

    /// The whole project, under its lock: a hook in between would build the state again from what is left.
    fn clear_project(&self, troubles: &mut Vec<String>) -> Result<(), WorkError> {
        let folder = self.at_hand.memory.folder();
        let lock = if folder.is_folder() {
            Some(Lock::acquire(&self.at_hand.memory.lock_path(), Patience::Person)?)
        } else {
            None
        };
        self.clear_rows()?;
        self.remove_pieces(troubles)?;
        drop(lock);
        Ok(())
    }

    fn clear_rows(&self) -> Result<(), WorkError> {
        if let Some(mut archive) = self.archive()? {
            archive.forget_scope(&self.scope, false)?;
        }
        Ok(())
    }

    fn remove_pieces(&self, troubles: &mut Vec<String>) -> Result<(), WorkError> {
        for piece in self.pieces(&self.scope)?.found {
            troubles.extend(piece.remove(&self.scope).err().map(|error| error.to_string()));
        }
        Ok(())
    }

    fn forget_passages(&self, scope: &Scope, is_trial: bool) -> Result<u64, WorkError> {
        let path = self.at_hand.place.home.recall();
        if !path.exists() {
            return Ok(0);
        }
        let writing = Recall::writing(&path, Patience::Person)?;
        Ok(Recall::open(&path, ARCHIVE_WAIT)?.forget_scope(&writing, scope, is_trial)?)
    }

    /// Ids by which the bytes are searched: of sessions that are forgotten as a whole, and at work no more.
    fn ids_gone(&self) -> Vec<String> {
        if self.scope.before.is_some() {
            return Vec::new();
        }
        let is_gone = |id: &&String| id.len() >= ID_BYTES_MIN && !self.at_work.contains(id);
        let mut ids: Vec<String> = self.scope.sessions.iter().filter(is_gone).cloned().collect();
        if self.scope.is_everything() && self.at_work.is_empty() && !self.at_hand.memory.is_paused() {
            ids.push(self.scope.project.key.clone());
        }
        ids
    }

    /// Where others mention them: the log, a session that went on from one, somebody's words.
    fn mask_ids(&self) -> Result<(), WorkError> {
        let ids = self.ids_gone();
        if let Some(needle) = Needle::any(&ids)? {
            self.places().mask(&needle, false)?;
        }
        if let Some(mut archive) = self.archive()? {
            archive.mask_ids(&ids)?;
        }
        Ok(())
    }

    /// Neither in free pages nor in the logs beside the databases; names those that somebody holds.
    fn leave_nothing_behind(&self) -> Result<Vec<String>, WorkError> {
        let held = |name: &str| format!("{name}: somebody reads it, and keeps its log");
        let mut troubles = Vec::new();
        if let Some(mut archive) = self.archive()?
            && !archive.leave_nothing_behind()?
        {
            troubles.push(held("archive"));
        }
        let path = self.at_hand.place.home.recall();
        if path.exists() {
            let writing = Recall::writing(&path, Patience::Person)?;
            if !Recall::open(&path, ARCHIVE_WAIT)?.empty_log(&writing)? {
                troubles.push(held("index of recall"));
            }
        }
        Ok(troubles)
    }

    fn places(&self) -> Places {
        Places::of(&self.at_hand.place.home, &self.scope.project, self.at_hand.place.claude_folder.as_deref())
    }

    /// Looks everywhere again.
    fn prove(&self) -> Result<Proof, WorkError> {
        let mut scope = self.scope.clone();
        if !self.at_work.is_empty() {
            // What came since is new, and no remainder.
            scope.before = scope.before.or(Some(self.at_hand.now()));
        }
        let left = self.look(&scope)?;
        let ids = self.ids_gone();
        let needle = Needle::any(&ids)?;
        let searched = self.places().search(needle.as_ref());
        let mut proof = Proof { ids: ids.len(), at_work: self.at_work.clone(), left, ..Proof::default() };
        (proof.files, proof.bytes, proof.holding) = (searched.files, searched.bytes, searched.holding);
        proof.holding.extend(self.copies_left()?);
        proof.damaged = self.places().damaged();
        proof.holding.retain(|path| path.name() != "forgotten.json" && !proof.damaged.contains(path));
        proof.holding.sort();
        proof.holding.dedup();
        if let Some(archive) = self.archive()? {
            proof.free_pages.push(("archive", archive.free_pages()?));
            proof.was_sent = RowKind::ALL.into_iter().any(|kind| self.was_sent(kind));
        }
        if self.at_hand.place.home.recall().exists() {
            let index = Recall::open(&self.at_hand.place.home.recall(), ARCHIVE_WAIT)?;
            proof.free_pages.push(("index of recall", index.free_pages()?));
        }
        Ok(proof)
    }

    fn was_sent(&self, kind: RowKind) -> bool {
        let store = UsageStore::open(&self.at_hand.place.home.archive(), ARCHIVE_WAIT);
        store.and_then(|store| store.last_sent(kind)).is_ok_and(|row| row > 0)
    }
}

/// The entries of a state that are concerned; `of_session` are those that the session recorded.
fn entries_in(state: &State, scope: &Scope, of_session: Option<&[String]>) -> Vec<String> {
    let is_concerned =
        |id: &String, at: &str| of_session.is_none_or(|own| own.contains(id)) && scope.holds_iso(at);
    let all = state.all_entries().map(|entry| (entry.id.to_string(), entry.timestamp.as_str()));
    all.filter(|(id, at)| is_concerned(id, at)).map(|(id, _)| id).collect()
}

fn transition_time(transition: &serde_json::Value) -> &str {
    transition
        .get("timestamp")
        .or_else(|| transition.get("at"))
        .and_then(|at| at.as_str())
        .unwrap_or_default()
}

/// When sessions began, as the archive or their own files tell.
fn began(home: &Home, scope: &Scope) -> Result<BTreeMap<String, i64>, WorkError> {
    let archive =
        if home.archive().exists() { Some(Archive::open(&home.archive(), ARCHIVE_WAIT)?) } else { None };
    let mut began = BTreeMap::new();
    for session in &scope.sessions {
        let times = match &archive {
            Some(archive) => archive.session_times(session)?,
            None => None,
        };
        let archived = times.and_then(|(started, _)| time::parse(&started)).map(Timestamp::as_millisecond);
        let cached =
            SessionFacts::read(&home.session(session)).map(|cache| cache.started_at).filter(|at| *at > 0);
        if let Some(at) = archived.into_iter().chain(cached).min() {
            began.insert(safe_name(session), at);
        }
    }
    Ok(began)
}
