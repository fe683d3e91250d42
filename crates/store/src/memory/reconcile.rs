//! Reconciling: what the state file holds against what we last wrote, which stays in force until a person says otherwise.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::Value;
use throughline_domain::purity::Purification;
use throughline_domain::state_json::Unreadable;
use throughline_domain::text::cut_utf16;
use throughline_domain::{Kind, Origin, Problem, State};

use super::versions::Versions;
use super::{Memory, MemoryError, draft, known_ids};
use crate::archive::Archive;
use crate::content_hash;
use crate::door::Spot;
use crate::files::{self, Durability, FileError};
use crate::outbox::{Event, Op};
use crate::state_file;

/// How long a change waits for the archive when only the archive can tell.
const ARCHIVE_WAIT: Duration = Duration::from_millis(500);
/// The work item's name among what is not trusted: the state file's key.
pub const WORK_ITEM: &str = "sd";
/// Likewise for the plain decision lines of older files.
pub const KEY_DECISIONS: &str = "keyDecisions";
/// Largest state file that is looked at.
const STATE_FILE_BYTES_MAX: u64 = throughline_domain::limits::STATE_FILE_BYTES_MAX;
/// Largest one that was not written here: it is parsed, and kept, only up to this.
pub(super) const FOREIGN_BYTES_MAX: u64 = throughline_domain::limits::FOREIGN_STATE_BYTES_MAX;
/// Largest list of untrusted ids.
const UNTRUSTED_BYTES_MAX: u64 = throughline_domain::limits::UNTRUSTED_BYTES_MAX;

/// Something that was mended, or that the user should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repair {
    /// The file was no state: it stands aside under a new name, and the working set was rebuilt.
    SetAside {
        /// What was wrong.
        why: String,
        /// Its new name.
        aside: Spot,
        /// How many entries the rebuilt set has.
        rebuilt: usize,
    },
    /// The file was gone; the working set was rebuilt.
    Rebuilt {
        /// How many entries it has.
        rebuilt: usize,
    },
    /// Somebody edited the file.
    HandEdit {
        /// Entries added.
        added: usize,
        /// Entries removed; they are in the archive.
        removed: usize,
        /// Entries changed.
        changed: usize,
    },
    /// Another version stands in the file; what we last wrote stays in force until a person takes the other one over.
    Waits {
        /// The hash of its bytes.
        hash: String,
    },
    /// Another version stood in the file; it is kept beside ours until a person takes it over.
    KeptAside {
        /// Its new name.
        aside: Spot,
    },
    /// An older version was upgraded.
    Upgraded {
        /// From which.
        from: String,
    },
    /// Something in it did not fit and was kept under `unparsed`.
    Kept(Problem),
}

/// The state to start a change from.
#[derive(Default)]
pub(super) struct Base {
    pub(super) state: State,
    pub(super) events: Vec<Event>,
    pub(super) repairs: Vec<Repair>,
    /// Fingerprint of the file as it was found; `None` when there is none (any more).
    pub(super) hash_before: Option<String>,
    /// Whether the file must be written even if the caller changes nothing.
    pub(super) must_write: bool,
    /// Somebody else's version, which stands in the file and has to be kept when we write there.
    pub(super) waits: Option<Foreign>,
    /// What we last wrote, where that is not what stands in the file.
    pub(super) last: Option<State>,
    /// Whether somebody else's version was taken over as it stands.
    pub(super) took_whole: bool,
}

/// A version of the state file that is not ours.
#[derive(Debug)]
pub(super) struct Foreign {
    pub(super) hash: String,
    pub(super) bytes: Vec<u8>,
}

/// Whose version stands in the state file.
#[derive(Debug)]
pub(super) enum WhoseVersion {
    /// None at all.
    Missing,
    /// What we last wrote.
    Ours { state: Box<State>, problems: Vec<Problem>, hash: String },
    /// One that we wrote earlier, or that somebody took over once: nothing new, whoever brought it back.
    Earlier(Foreign),
    /// Somebody else's.
    Foreign(Foreign),
    /// No state, or one that is too large to be looked at before anybody vouches for it.
    Corrupt(Unreadable),
}

/// Looks at the state file, and at what we last wrote. Whatever is not ours is looked at no closer than its limit allows.
pub(super) fn standing(
    memory: &Memory,
    path: &Spot,
) -> Result<(WhoseVersion, Option<LastKnown>), MemoryError> {
    let mut last = last_known(memory)?;
    let bytes = match files::read_limited(path, STATE_FILE_BYTES_MAX) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Ok((WhoseVersion::Missing, last)),
        Err(error) if error.source.kind() == std::io::ErrorKind::FileTooLarge => {
            return Ok((WhoseVersion::Corrupt(unreadable(error.source.to_string())), last));
        }
        Err(error) => return Err(error.into()),
    };
    if last.is_none() {
        last = from_archive(memory);
    }
    if last.as_ref().is_some_and(|last| last.wrote(&bytes)) {
        let hash = content_hash::of(&bytes);
        let standing = match state_in(&bytes) {
            Ok((state, problems)) => WhoseVersion::Ours { state: Box::new(state), problems, hash },
            Err(unreadable) => WhoseVersion::Corrupt(unreadable),
        };
        return Ok((standing, last));
    }
    if bytes.len() as u64 > FOREIGN_BYTES_MAX {
        let why = format!("more than {FOREIGN_BYTES_MAX} bytes that were not written here");
        return Ok((WhoseVersion::Corrupt(unreadable(why)), last));
    }
    match state_in(&bytes) {
        Err(unreadable) => return Ok((WhoseVersion::Corrupt(unreadable), last)),
        // Another layout of the same words.
        Ok((state, problems)) if last.as_ref().is_some_and(|last| last.state == state) => {
            let hash = LastKnown::hash_over(last.as_ref(), &content_hash::of(&bytes));
            return Ok((WhoseVersion::Ours { state: Box::new(state), problems, hash }, last));
        }
        Ok(_) => {}
    }
    let foreign = Foreign { hash: content_hash::of(&bytes), bytes };
    let is_known = Versions::known(memory).has(&foreign.hash);
    Ok((if is_known { WhoseVersion::Earlier(foreign) } else { WhoseVersion::Foreign(foreign) }, last))
}

/// The state that some bytes are.
pub(super) fn state_in(bytes: &[u8]) -> Result<(State, Vec<Problem>), Unreadable> {
    let text = std::str::from_utf8(bytes).map_err(|_| unreadable("not UTF-8 text".to_owned()))?;
    State::read(text)
}

fn unreadable(what: String) -> Unreadable {
    Unreadable { line: 0, column: 0, what }
}

/// Reads the state file and settles whatever happened to it since we last wrote it. A version that is not ours waits,
/// but for the one with the hash `taking`.
pub(super) fn load(
    memory: &Memory,
    path: &Spot,
    now: &str,
    taking: Option<&str>,
) -> Result<Base, MemoryError> {
    sweep(memory, path);
    let (standing, last) = standing(memory, path)?;
    let mut base = match standing {
        WhoseVersion::Missing => return Ok(rebuild_missing(memory, last)),
        WhoseVersion::Corrupt(why) => return rebuild_corrupt(memory, path, last, &why, now),
        WhoseVersion::Ours { state, problems, hash } => {
            let mut base = found(*state, problems, hash);
            if let Some(last) = &last {
                raise_counters(&mut base.state, &last.state);
            }
            base
        }
        WhoseVersion::Foreign(foreign) | WhoseVersion::Earlier(foreign) if taking == Some(&foreign.hash) => {
            take_over(memory, &foreign, last, now)
        }
        WhoseVersion::Earlier(foreign) => in_force(&foreign.hash, last),
        WhoseVersion::Foreign(foreign) => {
            let mut base = in_force(&foreign.hash, last);
            base.repairs.push(Repair::Waits { hash: foreign.hash.clone() });
            base.waits = Some(foreign);
            base
        }
    };
    known_ids::raise(&memory.folder(), &mut base.state);
    Ok(base)
}

/// A base of what was read out of the file.
fn found(state: State, problems: Vec<Problem>, hash: String) -> Base {
    // What was upgraded or did not fit is written at once: otherwise it is found, and told, again and again.
    let must_write = !problems.is_empty() || state.version != throughline_domain::state::VERSION;
    let mut base = Base { state, hash_before: Some(hash), must_write, ..Base::default() };
    if base.state.version != throughline_domain::state::VERSION {
        base.repairs.push(Repair::Upgraded { from: base.state.version.clone() });
    }
    base.repairs.extend(problems.into_iter().map(Repair::Kept));
    base
}

/// What we last wrote, whatever stands in the file.
fn in_force(hash: &str, last: Option<LastKnown>) -> Base {
    let hash_before = Some(LastKnown::hash_over(last.as_ref(), hash));
    let last = last.map(|last| last.state);
    let state = last.clone().unwrap_or_else(State::empty);
    Base { state, hash_before, last, ..Base::default() }
}

/// Somebody else's version becomes ours, because a person said so. Where it was made from ours, or there is nothing of
/// ours, it is taken as it stands; else the caller makes the difference.
fn take_over(memory: &Memory, foreign: &Foreign, last: Option<LastKnown>, now: &str) -> Base {
    let Ok((state, problems)) = state_in(&foreign.bytes) else { return in_force(&foreign.hash, last) };
    let ours = last.as_ref().map(|last| &last.state);
    let comes_from_ours = ours.is_some_and(|ours| ours.timestamp == state.timestamp);
    if !comes_from_ours && !ours.is_none_or(State::is_blank) {
        return in_force(&foreign.hash, last);
    }
    let hash_before = LastKnown::hash_over(last.as_ref(), &foreign.hash);
    let before = last.map_or_else(State::empty, |last| last.state);
    let mut base = found(state, problems, hash_before);
    base.took_whole = true;
    keep_own_purification(&mut base, before.purification.as_ref());
    take_hand_edits(memory, &mut base, &before, now);
    base
}

/// What killed writers left lying about goes with the next change: we hold the lock of the two that matter most.
fn sweep(memory: &Memory, path: &Spot) {
    for path in [path, &memory.last_written_path()] {
        if let (Some(folder), Some(name)) = (path.parent(), path.file_name()) {
            files::sweep_temps(&folder, Some(&name.to_string_lossy()));
        }
    }
}

/// The state in force, where nothing has to be written: the file is just as we left it, there never was one, or another
/// version stands there and waits. The usual case, without a lock.
pub(super) fn if_settled(memory: &Memory, path: &Spot) -> Result<Option<(State, Vec<Repair>)>, MemoryError> {
    let (standing, last) = standing(memory, path)?;
    let is_first = last.is_none();
    let ours = || last.map_or_else(State::empty, |last| last.state);
    Ok(match standing {
        WhoseVersion::Ours { state, .. } => Some((*state, Vec::new())),
        WhoseVersion::Earlier(_) => Some((ours(), Vec::new())),
        WhoseVersion::Foreign(foreign) => Some((ours(), vec![Repair::Waits { hash: foreign.hash }])),
        WhoseVersion::Missing if is_first && !memory.home.archive().exists() => {
            Some((State::empty(), Vec::new()))
        }
        WhoseVersion::Missing | WhoseVersion::Corrupt(_) => None,
    })
}

/// What we last wrote, as far as anything remembers it.
pub(super) struct LastKnown {
    pub(super) state: State,
    /// Hashes under which the file may stand beside the copy's: of batches that are newer than it.
    hashes: Vec<String>,
    /// The copy that is made after each write: unlike a batch, it always was the state file.
    written: Option<State>,
    copy: Option<Vec<u8>>,
    /// Whether the archive alone remembers it.
    is_archived: bool,
}

impl LastKnown {
    /// Whether the file is ours with these bytes.
    fn wrote(&self, bytes: &[u8]) -> bool {
        self.copy.as_deref() == Some(bytes) || self.hashes.iter().any(|hash| content_hash::is_of(hash, bytes))
    }

    /// What a batch is compared by, when it goes over a version of somebody else's: that version, and ours at that time.
    /// Either alone can come back; both together only for a writer that was killed.
    fn hash_over(last: Option<&Self>, theirs: &str) -> String {
        let ours = last.and_then(|last| last.copy.as_deref()).map(content_hash::of);
        format!("{theirs} over {}", ours.as_deref().unwrap_or("none"))
    }
}

/// The state file as the last batch's `hash_before` would have it, in today's spelling and the earlier one; and its bytes,
/// where they are ours and the copy of them is not up to date.
pub(super) fn found_now(memory: &Memory) -> Result<(Vec<String>, Option<Vec<u8>>), FileError> {
    let file = state_file::standing(&memory.project).ok();
    let bytes = file.and_then(|path| files::read_limited(&path, STATE_FILE_BYTES_MAX).ok().flatten());
    let Some(bytes) = bytes else {
        let was_there = memory.last_written_path().exists();
        return Ok((was_there.then(|| state_file::GONE.to_owned()).into_iter().collect(), None));
    };
    let last = last_known(memory)?;
    let is_ours = last.as_ref().is_none_or(|last| last.wrote(&bytes));
    let now = [content_hash::of(&bytes), content_hash::earlier(&bytes)];
    if !is_ours {
        return Ok((vec![LastKnown::hash_over(last.as_ref(), &now[0])], None));
    }
    let is_new = last.is_some_and(|last| last.copy.as_ref() != Some(&bytes));
    Ok((now.into(), is_new.then_some(bytes)))
}

fn last_known(memory: &Memory) -> Result<Option<LastKnown>, FileError> {
    // One writer may have been killed before its batch reached the file, another before it had noted the copy: the
    // file is ours if it stands as any of them left it.
    let (batch, mut hashes) = memory.outbox().recent()?;
    // Only a copy: without it the outbox and the archive tell what is ours.
    let copy = files::read_limited(&memory.last_written_path(), 8 << 20).ok().flatten();
    if let Some(copy) = &copy {
        // What is older than the copy is no longer in force, whoever put it back.
        let newer = hashes.iter().position(|hash| content_hash::is_of(hash, copy));
        hashes.truncate(newer.unwrap_or(hashes.len()));
    }
    let mut state = None;
    if let Some(Value::Object(map)) = batch.map(|batch| batch.state) {
        state = Some(State::from_map(map).0);
    }
    let mut written = None;
    if let Some(bytes) = &copy {
        let text = std::str::from_utf8(bytes).ok();
        written = text.and_then(|text| State::read(text).ok()).map(|(state, _)| state);
        state = state.or_else(|| written.clone());
    }
    Ok(state.map(|state| LastKnown { state, hashes, written, copy, is_archived: false }))
}

/// The newest state that the archive remembers; for a data folder whose small files were lost.
fn from_archive(memory: &Memory) -> Option<LastKnown> {
    if !memory.home.archive().exists() {
        return None;
    }
    let archive = Archive::open(&memory.home.archive(), ARCHIVE_WAIT).ok()?;
    let (text, hash) = archive.working_set(&memory.project.key).ok().flatten()?;
    let mut state = State::read(&text).ok().map_or_else(State::empty, |(state, _)| state);
    for (kind, number) in archive.counters(&memory.project.key).unwrap_or_default() {
        state.raise_counter(kind, number);
    }
    Some(LastKnown { state, hashes: vec![hash], written: None, copy: None, is_archived: true })
}

fn rebuild_missing(memory: &Memory, last: Option<LastKnown>) -> Base {
    let (mut state, hash_before) = match last {
        Some(LastKnown { state, written: Some(mut written), .. }) => {
            raise_counters(&mut written, &state);
            (written, Some(state_file::GONE.to_owned()))
        }
        // Batches, but no copy: their writers were killed before there was a file at all.
        Some(last) if !last.is_archived => {
            let mut state = State::empty();
            raise_counters(&mut state, &last.state);
            (state, None)
        }
        Some(last) => (last.state, None),
        None => (from_archive(memory).map_or_else(State::empty, |last| last.state), None),
    };
    known_ids::raise(&memory.folder(), &mut state);
    let rebuilt = state.all_entries().count();
    let mut base = Base { state, hash_before, must_write: rebuilt > 0, ..Base::default() };
    if rebuilt > 0 {
        base.repairs.push(Repair::Rebuilt { rebuilt });
    }
    base
}

fn rebuild_corrupt(
    memory: &Memory,
    path: &Spot,
    last: Option<LastKnown>,
    why: &Unreadable,
    now: &str,
) -> Result<Base, MemoryError> {
    let aside = state_file::set_aside(path, now)?;
    let mut base = rebuild_missing(memory, last);
    base.repairs.clear();
    let rebuilt = base.state.all_entries().count();
    base.repairs.push(Repair::SetAside { why: why.to_string(), aside, rebuilt });
    base.must_write = true;
    Ok(base)
}

/// What is kept of a purified context is told to the agent as our own word: only what we wrote ourselves stays.
fn keep_own_purification(base: &mut Base, ours: Option<&Purification>) {
    if base.state.purification.as_ref() != ours {
        base.state.purification = None;
        base.must_write = true;
    }
}

/// Additions are recorded as made by hand, removals are kept in the archive and never come back by themselves.
fn take_hand_edits(memory: &Memory, base: &mut Base, last: &State, now: &str) {
    raise_counters(&mut base.state, last);
    let (mut added, mut changed) = (0, 0);
    for entry in base.state.all_entries() {
        match last.find(&entry.id.to_string()) {
            None => {
                base.events.push(draft::event(Op::Add, entry, Origin::Hand, None));
                added += 1;
            }
            Some(old) if old.to_json() != entry.to_json() => {
                let why = Some("edited by hand".to_owned());
                base.events.push(draft::event(Op::Change, entry, Origin::Hand, why));
                changed += 1;
            }
            Some(_) => {}
        }
    }
    let gone = |entry: &&throughline_domain::Entry| base.state.find(&entry.id.to_string()).is_none();
    let removed: Vec<Event> = last
        .all_entries()
        .filter(gone)
        .map(|entry| draft::event(Op::Leave, entry, Origin::Hand, Some("removed by hand".to_owned())))
        .collect();
    let counts = (added, removed.len(), changed);
    base.events.extend(removed);
    cut_long_evidence(memory, &mut base.state);
    // Known from now on as it stands.
    base.must_write = true;
    // Whoever edits by hand does not write the history as well; where another copy of ours did, it stands there.
    if base.state.history == last.history {
        base.state.note_transition(&last.sd, now, Origin::Hand);
    }
    if counts != (0, 0, 0) {
        base.repairs.push(Repair::HandEdit { added: counts.0, removed: counts.1, changed: counts.2 });
    }
}

/// The archive has the whole text (its event was made before); the file keeps what evidence may have at most.
fn cut_long_evidence(memory: &Memory, state: &mut State) {
    for entry in state.entries_mut(Kind::Evidence) {
        let cut = cut_utf16(&entry.text, memory.limits.evidence_units_max).len();
        entry.text.truncate(cut);
    }
}

fn raise_counters(state: &mut State, known: &State) {
    for kind in Kind::ALL {
        state.raise_counter(kind, known.counter(kind));
    }
}

pub(super) fn untrusted_path(folder: &Spot) -> Spot {
    folder.join("untrusted.json")
}

pub(super) fn read_untrusted(folder: &Spot) -> Vec<String> {
    let bytes = files::read_limited(&untrusted_path(folder), UNTRUSTED_BYTES_MAX).ok().flatten();
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// Whether the plain decision lines are not trusted, by what was known or by what was just found.
pub(super) fn distrusts_lines(folder: &Spot, foreign: &[String]) -> bool {
    let is_lines = |name: &String| name == KEY_DECISIONS;
    foreign.iter().any(is_lines) || read_untrusted(folder).iter().any(is_lines)
}

/// Notes what came from elsewhere and stays in the working set. Before the state file is written: no kill may leave
/// an entry that is known and not known to be foreign.
pub(super) fn distrust(folder: &Spot, foreign: &[String], state: &State) -> Result<(), FileError> {
    let mut all = read_untrusted(folder);
    let known: HashSet<String> = all.iter().cloned().collect();
    let names = names_in(state);
    all.extend(foreign.iter().filter(|name| names.contains(*name) && !known.contains(*name)).cloned());
    if all.len() == known.len() { Ok(()) } else { write_untrusted(folder, &all) }
}

/// Forgets what has left the working set. After the state file is written.
pub(super) fn forget_untrusted(folder: &Spot, state: &State) -> Result<(), FileError> {
    let before = read_untrusted(folder);
    if before.is_empty() {
        return Ok(());
    }
    let names = names_in(state);
    let after: Vec<String> = before.iter().filter(|name| names.contains(*name)).cloned().collect();
    if after.len() == before.len() { Ok(()) } else { write_untrusted(folder, &after) }
}

/// What of a state can be trusted or not, by name.
fn names_in(state: &State) -> HashSet<String> {
    let mut names: HashSet<String> = state.all_entries().map(|entry| entry.id.to_string()).collect();
    names.extend((!state.sd.is_empty()).then(|| WORK_ITEM.to_owned()));
    names.extend((!state.key_decisions.is_empty()).then(|| KEY_DECISIONS.to_owned()));
    names
}

pub(super) fn trust(folder: &Spot, names: &[String]) -> Result<usize, FileError> {
    let before = read_untrusted(folder);
    let stays = |id: &&String| !names.is_empty() && !names.iter().any(|name| name.eq_ignore_ascii_case(id));
    let after: Vec<String> = before.iter().filter(stays).cloned().collect();
    write_untrusted(folder, &after)?;
    Ok(before.len() - after.len())
}

fn write_untrusted(folder: &Spot, ids: &[String]) -> Result<(), FileError> {
    let bytes = serde_json::to_vec(ids).unwrap_or_else(|_| b"[]".to_vec());
    files::create_folder(folder)?;
    files::replace(&untrusted_path(folder), &bytes, Durability::Flushed)
}
