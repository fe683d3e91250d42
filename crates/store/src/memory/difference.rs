//! The difference that another version of the state file would make, and how it is made once a person wants it.

use throughline_domain::{Entry, State, WorkItem};

use super::draft::{self, Draft};
use super::{KEY_DECISIONS, WORK_ITEM};
use crate::outbox::Op;

/// The name of everything beside entries, work item and plain decision lines.
const REST: &str = "rest";

/// What another version adds, takes out and changes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Difference {
    /// Entries that it has and we have not.
    pub added: Vec<Entry>,
    /// Entries of ours that were taken out of it.
    pub removed: Vec<Entry>,
    /// Entries of ours that say something else in it: ours, theirs.
    pub changed: Vec<(Entry, Entry)>,
    /// The work item: ours, theirs.
    pub work: Option<(WorkItem, WorkItem)>,
    /// The plain decision lines: ours, theirs.
    pub lines: Option<(Vec<String>, Vec<String>)>,
    /// Theirs, where fields beside all these differ: the workflow, the history, fields of other programs.
    pub rest: Option<Box<State>>,
}

impl Difference {
    /// What `theirs` would do to `ours`. `base` is the version of ours that it was made from; without one nobody can tell
    /// what it took out or changed, so it only adds.
    pub(super) fn of(ours: &State, base: Option<&State>, theirs: &State) -> Self {
        let mut difference = Self::default();
        for entry in theirs.all_entries() {
            let id = entry.id.to_string();
            match (base.and_then(|base| base.find(&id)), ours.find(&id)) {
                (None, _) if !says(ours, entry) => difference.added.push(entry.clone()),
                (Some(before), Some(now)) if before != entry && now != entry => {
                    difference.changed.push((now.clone(), entry.clone()));
                }
                _ => {}
            }
        }
        let gone = |entry: &&Entry| theirs.find(&entry.id.to_string()).is_none();
        let were = base.into_iter().flat_map(State::all_entries).filter(gone);
        difference.removed = were.filter_map(|entry| ours.find(&entry.id.to_string()).cloned()).collect();
        let (sd, lines) = match base {
            Some(base) => (theirs.sd != base.sd, theirs.key_decisions != base.key_decisions),
            None => (ours.sd.is_empty(), ours.key_decisions.is_empty()),
        };
        difference.work = (sd && theirs.sd != ours.sd).then(|| (ours.sd.clone(), theirs.sd.clone()));
        difference.lines = (lines && theirs.key_decisions != ours.key_decisions)
            .then(|| (ours.key_decisions.clone(), theirs.key_decisions.clone()));
        if base.is_some_and(|base| rest_of(base) != rest_of(theirs)) && rest_of(ours) != rest_of(theirs) {
            difference.rest = Some(Box::new(rest_of(theirs)));
        }
        difference
    }

    /// Whether it makes none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// How many things it concerns.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names().len()
    }

    /// The names under which its parts can be taken one by one.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let entries = self.added.iter().chain(&self.removed).chain(self.changed.iter().map(|(_, it)| it));
        let mut names: Vec<String> = entries.map(|entry| entry.id.to_string()).collect();
        names.extend(self.work.as_ref().map(|_| WORK_ITEM.to_owned()));
        names.extend(self.lines.as_ref().map(|_| KEY_DECISIONS.to_owned()));
        names.extend(self.rest.as_ref().map(|_| REST.to_owned()));
        names
    }

    /// The part of it under some names.
    #[must_use]
    pub fn only(mut self, names: &[String]) -> Self {
        let is_named = |name: &str| names.iter().any(|it| it.eq_ignore_ascii_case(name));
        self.added.retain(|entry| is_named(&entry.id.to_string()));
        self.removed.retain(|entry| is_named(&entry.id.to_string()));
        self.changed.retain(|(_, entry)| is_named(&entry.id.to_string()));
        self.work = self.work.filter(|_| is_named(WORK_ITEM));
        self.lines = self.lines.filter(|_| is_named(KEY_DECISIONS));
        self.rest = self.rest.filter(|_| is_named(REST));
        self
    }

    /// Makes the difference.
    pub(super) fn make(&self, draft: &mut Draft) {
        let origin = draft.origin();
        for (ours, theirs) in &self.changed {
            let name = ours.id.to_string();
            if let Some(entry) = draft.state.find_mut(&name) {
                theirs.clone_into(entry);
                entry.id = ours.id;
                let why = Some("edited by hand".to_owned());
                let changed = draft::event(Op::Change, entry, origin, why);
                draft.events.push(changed);
            }
        }
        for entry in &self.removed {
            // One that left meanwhile is out already.
            let _ = draft.withdraw(&entry.id.to_string(), "removed by hand");
        }
        for entry in &self.added {
            draft.adopt(entry.clone());
        }
        if let Some((_, theirs)) = &self.work {
            draft.state.sd.clone_from(theirs);
        }
        if let Some((_, theirs)) = &self.lines {
            draft.state.key_decisions.clone_from(theirs);
        }
        if let Some(theirs) = &self.rest {
            draft.state.workflow = theirs.workflow.clone();
            draft.state.history.clone_from(&theirs.history);
            draft.state.summaries_extra.clone_from(&theirs.summaries_extra);
            draft.state.extra.clone_from(&theirs.extra);
            draft.state.unparsed.clone_from(&theirs.unparsed);
        }
    }
}

/// A state without what is compared by itself, or is ours to say.
fn rest_of(state: &State) -> State {
    let mut rest = State::default();
    rest.workflow = state.workflow.clone();
    rest.history.clone_from(&state.history);
    rest.summaries_extra.clone_from(&state.summaries_extra);
    rest.extra.clone_from(&state.extra);
    rest.unparsed.clone_from(&state.unparsed);
    rest
}

/// Whether the same words are recorded, under whatever id.
fn says(state: &State, entry: &Entry) -> bool {
    state.entries(entry.id.kind).iter().any(|known| known.text == entry.text && known.detail == entry.detail)
}
