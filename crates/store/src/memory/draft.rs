//! A draft: the working set while it is being changed. Each call here is one of the memory's verbs.

use serde_json::{Map, Value};
use throughline_domain::budget::Limits;
use throughline_domain::entry::{BY_AGENT, ENTRY_UNITS_MAX, EntryId, OUTPUT_STYLE, Resolution};
use throughline_domain::text::{cut_utf16, printable, utf16_len};
use throughline_domain::{
    AnchorPriority, Detail, Entry, EvidenceType, GitState, Kind, Origin, Priority, State, Trigger, WorkItem,
};
use throughline_redact as redact;

use crate::outbox::{Event, Op};

/// An adopted entry keeps its number when it is at most this far ahead of ours: a wild one must not use up the rest.
const ADOPTED_GAP_MAX: u64 = 10_000;

/// What the archive calls a transition of the work item that has left the state file.
const TRANSITION: &str = "transition";

/// Words that are no entry, or name none.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum EntryError {
    /// Nothing was said.
    #[error("the {0} is empty")]
    Empty(&'static str),
    /// Too much was said.
    #[error("the {what} has {units} characters; at most {units_max} are kept")]
    TooLong {
        /// Which text.
        what: &'static str,
        /// Its length.
        units: usize,
        /// The limit.
        units_max: usize,
    },
    /// No such entry.
    #[error("there is no entry `{name}` in the working set")]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// An entry of another kind.
    #[error("{id} is {article} {}, not {wanted}", id.kind.word())]
    OtherKind {
        /// The entry.
        id: EntryId,
        /// `a` or `an`.
        article: &'static str,
        /// What was needed.
        wanted: &'static str,
    },
    /// The new words are the old ones.
    #[error("{0} says that already")]
    Same(EntryId),
    /// The user's own words, which an agent was to change.
    #[error("{0} is in the user's own words, which an agent cannot change")]
    UsersWords(EntryId),
    /// The question has an answer already.
    #[error("{0} is resolved already")]
    Resolved(EntryId),
}

/// An entry to be recorded.
#[derive(Debug, Clone)]
pub struct NewEntry {
    /// The words.
    pub text: String,
    /// What its kind adds.
    pub detail: Detail,
}

/// The working set while it is being changed.
#[derive(Debug)]
pub struct Draft {
    /// The state; may be changed directly where no entry is concerned.
    pub state: State,
    pub(super) events: Vec<Event>,
    /// Entries that came from elsewhere, and are only quoted.
    pub(super) foreign: Vec<String>,
    /// Whether the state file was taken over as it stood.
    pub(super) took_whole: bool,
    now: String,
    origin: Origin,
    limits: Limits,
}

impl Draft {
    pub(super) fn new(state: State, now: &str, origin: Origin, limits: &Limits) -> Self {
        Self {
            state,
            events: Vec::new(),
            foreign: Vec::new(),
            took_whole: false,
            now: now.to_owned(),
            origin,
            limits: limits.clone(),
        }
    }

    pub(super) fn origin(&self) -> Origin {
        self.origin
    }

    /// Records a decision and why it was taken.
    pub fn add_decision(
        &mut self,
        decision: &str,
        rationale: &str,
        reversible: bool,
    ) -> Result<EntryId, EntryError> {
        let rationale = checked("rationale", rationale, May::BeEmpty)?;
        self.add(NewEntry { text: decision.to_owned(), detail: Detail::Decision { rationale, reversible } })
    }

    /// Records a constraint and who set it.
    pub fn add_constraint(
        &mut self,
        constraint: &str,
        source: &str,
        blocking: bool,
    ) -> Result<EntryId, EntryError> {
        let source = checked("source", source, May::BeEmpty)?;
        self.add(NewEntry {
            text: constraint.to_owned(),
            detail: Detail::Constraint { source, blocking, category: None },
        })
    }

    /// Records a question and why it matters.
    pub fn add_open_question(
        &mut self,
        question: &str,
        context: &str,
        priority: Priority,
    ) -> Result<EntryId, EntryError> {
        let context = checked("context", context, May::BeEmpty)?;
        let detail = Detail::Question { context, priority, resolution: None };
        self.add(NewEntry { text: question.to_owned(), detail })
    }

    /// Records what was really seen, word by word.
    pub fn add_evidence(
        &mut self,
        evidence_type: EvidenceType,
        content: &str,
        source: &str,
    ) -> Result<EntryId, EntryError> {
        let source = checked("source", source, May::BeEmpty)?;
        let detail = Detail::Evidence { evidence_type, source, context: None };
        self.add(NewEntry { text: content.to_owned(), detail })
    }

    /// Records an entry. The same words twice are one entry: the id of the first is given back.
    pub fn add(&mut self, new: NewEntry) -> Result<EntryId, EntryError> {
        let new = NewEntry { detail: new.detail.made_printable(), text: new.text };
        let kind = new.detail.kind();
        let text = if kind == Kind::Evidence {
            let whole = printable(&redact::text(&new.text));
            cut_utf16(whole.trim(), self.limits.evidence_units_max).to_owned()
        } else {
            checked(kind.word(), &new.text, May::NotBeEmpty)?
        };
        if text.is_empty() {
            return Err(EntryError::Empty(kind.word()));
        }
        let same = |entry: &&Entry| entry.text == text && !entry.is_resolved() && entry.detail == new.detail;
        if let Some(known) = self.state.entries(kind).iter().find(same) {
            return Ok(known.id);
        }
        let id = self.state.next_id(kind);
        let entry = Entry {
            id,
            alias: None,
            text,
            timestamp: self.now.clone(),
            detail: new.detail,
            extra: Map::new(),
        };
        self.put(entry);
        Ok(id)
    }

    /// Records an entry that was written elsewhere: keeps its time and its own fields; its id too where that is free,
    /// else as an alias.
    pub fn adopt(&mut self, entry: Entry) -> EntryId {
        let counter = self.state.counter(entry.id.kind);
        let is_free = (1..=ADOPTED_GAP_MAX).contains(&entry.id.number.saturating_sub(counter));
        self.adopt_under(entry, is_free)
    }

    /// The same for an entry whose row is in the archive already, under its id.
    pub fn adopt_archived(&mut self, entry: Entry) -> EntryId {
        let is_wild = entry.id.number.saturating_sub(self.state.counter(entry.id.kind)) > ADOPTED_GAP_MAX;
        let is_free = self.state.find(&entry.id.to_string()).is_none() && !is_wild;
        self.adopt_under(entry, is_free)
    }

    fn adopt_under(&mut self, mut entry: Entry, keeps_id: bool) -> EntryId {
        let kind = entry.id.kind;
        entry.text = printable(&entry.text);
        entry.detail = entry.detail.made_printable();
        if kind == Kind::Evidence {
            let masked = redact::text(&entry.text).into_owned();
            cut_utf16(&masked, self.limits.evidence_units_max).clone_into(&mut entry.text);
        }
        let known = |known: &&Entry| {
            known.text == entry.text || (known.alias.is_some() && known.alias == entry.alias)
        };
        if let Some(known) = self.state.entries(kind).iter().find(known) {
            return known.id;
        }
        if keeps_id {
            self.state.raise_counter(kind, entry.id.number);
        } else {
            let old = std::mem::replace(&mut entry.id, self.state.next_id(kind));
            entry.alias.get_or_insert_with(|| old.to_string());
        }
        let id = entry.id;
        self.put(entry);
        id
    }

    /// The same for one that nobody has trusted: it is only quoted here, too. One that is known already stays what it is.
    pub fn adopt_quoted(&mut self, entry: Entry, is_archived: bool) -> EntryId {
        let (events, origin) = (self.events.len(), self.origin);
        self.origin = Origin::Import;
        let id = if is_archived { self.adopt_archived(entry) } else { self.adopt(entry) };
        self.origin = origin;
        if self.events.len() > events {
            self.foreign.push(id.to_string());
        }
        id
    }

    fn put(&mut self, entry: Entry) {
        self.events.push(event(Op::Add, &entry, self.origin, None));
        self.state.entries_mut(entry.id.kind).push(entry);
    }

    /// Answers a question. It stays in view until its room is needed.
    pub fn resolve_question(&mut self, name: &str, answer: &str) -> Result<EntryId, EntryError> {
        let answer = checked("resolution", answer, May::NotBeEmpty)?;
        let (now, origin) = (self.now.clone(), self.origin);
        let entry = self.find(name)?;
        let id = entry.id;
        let Detail::Question { resolution, .. } = &mut entry.detail else {
            return Err(other_kind(id, "a question"));
        };
        if resolution.is_some() {
            return Err(EntryError::Resolved(id));
        }
        *resolution = Some(Resolution { text: answer, resolved_at: now });
        let changed = event(Op::Change, entry, origin, Some("resolved".to_owned()));
        self.events.push(changed);
        Ok(id)
    }

    /// Records an anchor. An output style takes the place of the one that its agent had.
    pub fn add_anchor(&mut self, new: NewEntry) -> Result<EntryId, EntryError> {
        let styled = match &new.detail {
            Detail::Anchor { anchor_type, agent, .. } if anchor_type == OUTPUT_STYLE => Some(agent.clone()),
            _ => None,
        };
        let text = printable(&new.text).trim().to_owned();
        let same = |entry: &&mut Entry| match (&entry.detail, &new.detail) {
            (
                Detail::Anchor { anchor_type, agent, .. },
                Detail::Anchor { anchor_type: new_type, agent: new_agent, .. },
            ) => entry.text == text && anchor_type == new_type && agent == new_agent,
            _ => false,
        };
        let (wanted, origin) = (new.detail.clone(), self.origin);
        if let Some(known) = self.state.entries_mut(Kind::Anchor).iter_mut().find(same) {
            let id = known.id;
            // Said again with more weight; never with less: that is what `promote --to` is for.
            if let (Detail::Anchor { priority, .. }, Detail::Anchor { priority: given, .. }) =
                (&mut known.detail, wanted)
                && given < *priority
            {
                *priority = given;
                let changed = event(Op::Change, known, origin, Some("recorded again".to_owned()));
                self.events.push(changed);
            }
            return Ok(id);
        }
        let id = self.add(new)?;
        if let Some(agent) = styled {
            let replaced = |entry: &&Entry| {
                entry.id != id
                    && matches!(&entry.detail, Detail::Anchor { anchor_type, agent: of, .. }
                        if anchor_type == OUTPUT_STYLE && *of == agent)
            };
            let old: Vec<String> = self
                .state
                .entries(Kind::Anchor)
                .iter()
                .filter(replaced)
                .map(|entry| entry.id.to_string())
                .collect();
            for name in old {
                self.withdraw(&name, &format!("replaced by {id}"))?;
            }
        }
        Ok(id)
    }

    /// Gives an anchor another priority: the one named, else the next higher one.
    pub fn promote(
        &mut self,
        name: &str,
        to: Option<AnchorPriority>,
    ) -> Result<(EntryId, AnchorPriority), EntryError> {
        let origin = self.origin;
        let entry = self.find(name)?;
        let id = entry.id;
        let Detail::Anchor { priority, .. } = &mut entry.detail else {
            return Err(other_kind(id, "an anchor"));
        };
        let wanted = to.unwrap_or(priority.raised());
        if wanted != *priority {
            *priority = wanted;
            // What the file said before is answered by this.
            entry.extra.shift_remove("priorityGiven");
            let why = format!("priority {}", wanted.word());
            let changed = event(Op::Change, entry, origin, Some(why));
            self.events.push(changed);
        }
        Ok((id, wanted))
    }

    /// Takes an entry out of the working set; the archive keeps it, with the reason.
    pub fn withdraw(&mut self, name: &str, why: &str) -> Result<Entry, EntryError> {
        let id = self.find(name)?.id;
        let unknown = || EntryError::Unknown { name: asked(name) };
        let entry = self.state.remove(id).ok_or_else(unknown)?;
        self.events.push(event(Op::Leave, &entry, self.origin, Some(why.to_owned())));
        Ok(entry)
    }

    /// Puts a new decision (or constraint…) in the place of an old one.
    pub fn supersede(
        &mut self,
        name: &str,
        text: &str,
        rationale: Option<&str>,
    ) -> Result<(EntryId, EntryId), EntryError> {
        let old = self.find(name)?.clone();
        if printable(text).trim() == old.text {
            return Err(EntryError::Same(old.id));
        }
        refuse_agent(old.id, self.origin)?;
        let mut detail = old.detail.clone();
        name_agent(&mut detail, self.origin);
        if let Detail::Decision { rationale: reason, .. } = &mut detail {
            // The old reason was the old decision's.
            *reason = checked("rationale", rationale.unwrap_or(""), May::BeEmpty)?;
        }
        let id = self.add(NewEntry { text: text.to_owned(), detail })?;
        if id == old.id {
            return Err(EntryError::Same(id));
        }
        if let Some(entry) = self.state.find_mut(&id.to_string()) {
            entry.extra.insert("supersedes".to_owned(), Value::String(old.id.to_string()));
            let entry = entry.clone();
            if let Some(added) = self.events.iter_mut().rev().find(|event| event.id == id.to_string()) {
                added.body = entry.to_json();
            }
        }
        self.withdraw(&old.id.to_string(), &format!("superseded by {id}"))?;
        Ok((old.id, id))
    }

    /// Changes an entry's words; the archive keeps the old ones.
    pub fn edit(
        &mut self,
        name: &str,
        text: Option<&str>,
        reason: Option<&str>,
    ) -> Result<EntryId, EntryError> {
        let origin = self.origin;
        let units_max = self.limits.evidence_units_max;
        let entry = self.find(name)?;
        refuse_agent(entry.id, origin)?;
        if let Some(text) = text {
            entry.text = match entry.id.kind {
                Kind::Evidence if !printable(text).trim().is_empty() => {
                    cut_utf16(printable(&redact::text(text)).trim(), units_max).to_owned()
                }
                kind => checked(kind.word(), text, May::NotBeEmpty)?,
            };
        }
        if let Some(reason) = reason {
            let reason = checked("reason", reason, May::BeEmpty)?;
            let id = entry.id;
            match &mut entry.detail {
                Detail::Decision { rationale, .. } => *rationale = reason,
                Detail::Constraint { source, .. }
                | Detail::Evidence { source, .. }
                | Detail::Directive { source } => *source = reason,
                Detail::Question { context, .. } => *context = reason,
                Detail::Highlight | Detail::Action | Detail::Anchor { .. } => {
                    return Err(other_kind(id, "an entry with a reason"));
                }
            }
        }
        name_agent(&mut entry.detail, origin);
        let id = entry.id;
        let changed = event(Op::Change, entry, origin, Some("edited".to_owned()));
        self.events.push(changed);
        Ok(id)
    }

    /// Archives everything and starts empty. Counters stay: ids are never used twice.
    pub fn start_fresh(&mut self) -> usize {
        let names: Vec<String> = self.state.all_entries().map(|entry| entry.id.to_string()).collect();
        let gone = names.iter().filter(|name| self.withdraw(name, "fresh start").is_ok()).count();
        self.state.key_decisions.clear();
        self.state.sd = WorkItem::default();
        let history = std::mem::take(&mut self.state.history).into_iter();
        self.events.extend(history.map(|it| history_event(it, self.origin, "fresh start")));
        self.state.purification = None;
        gone
    }

    /// Notes the working tree and the reason for the save.
    pub fn save(&mut self, trigger: Trigger, git: GitState) {
        self.state.trigger = trigger;
        self.state.git = git;
        self.state.timestamp.clone_from(&self.now);
    }

    fn find(&mut self, name: &str) -> Result<&mut Entry, EntryError> {
        self.state.find_mut(name).ok_or_else(|| EntryError::Unknown { name: asked(name) })
    }
}

pub(super) fn event(op: Op, entry: &Entry, origin: Origin, why: Option<String>) -> Event {
    let kind = entry.id.kind.word().to_owned();
    Event { op, kind, id: entry.id.to_string(), origin, body: entry.to_json(), why }
}

/// A transition that leaves the working set.
pub(super) fn history_event(transition: Value, origin: Origin, why: &str) -> Event {
    let id = throughline_domain::transition::name_of(&transition);
    Event {
        op: Op::Leave,
        kind: TRANSITION.to_owned(),
        id,
        origin,
        body: transition,
        why: Some(why.to_owned()),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum May {
    BeEmpty,
    NotBeEmpty,
}

/// Directives are the user's own words.
fn refuse_agent(id: EntryId, origin: Origin) -> Result<(), EntryError> {
    if origin == Origin::Assistant && id.kind == Kind::Directive {
        return Err(EntryError::UsersWords(id));
    }
    Ok(())
}

/// Where an agent changed the words of a constraint, they are its own, whoever set it before.
fn name_agent(detail: &mut Detail, origin: Origin) {
    if let Detail::Constraint { source, .. } = detail
        && origin == Origin::Assistant
    {
        BY_AGENT.clone_into(source);
    }
}

fn checked(what: &'static str, text: &str, may: May) -> Result<String, EntryError> {
    let text = printable(text).trim().to_owned();
    let units = utf16_len(&text);
    if text.is_empty() && may == May::NotBeEmpty {
        return Err(EntryError::Empty(what));
    }
    if units > ENTRY_UNITS_MAX {
        return Err(EntryError::TooLong { what, units, units_max: ENTRY_UNITS_MAX });
    }
    Ok(text)
}

fn other_kind(id: EntryId, wanted: &'static str) -> EntryError {
    let article = if matches!(id.kind, Kind::Evidence | Kind::Action | Kind::Anchor) { "an" } else { "a" };
    EntryError::OtherKind { id, article, wanted }
}
/// What was asked for, as an error repeats it: masked before it is cut, for half of a secret is not known as one.
fn asked(name: &str) -> String {
    throughline_domain::text::one_line(&redact::text(name), 60)
}
