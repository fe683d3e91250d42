//! Reconciling: what the state file holds against what we last wrote. Hand edits, clones, broken and missing files.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::Value;
use throughline_domain::purity::Purification;
use throughline_domain::state_json::Unreadable;
use throughline_domain::text::cut_utf16;
use throughline_domain::{Kind, Origin, Problem, State};

use super::{Memory, MemoryError, draft, known_ids};
use crate::archive::Archive;
use crate::door::Spot;
use crate::files::{self, Durability, FileError};
use crate::outbox::{Event, Op};
use crate::state_file::{self, Found};

/// How long a change waits for the archive when only the archive can tell.
const ARCHIVE_WAIT: Duration = Duration::from_millis(500);
/// The work item's name among what is not trusted: the state file's key.
pub const WORK_ITEM: &str = "sd";
/// Likewise for the plain decision lines of older files.
pub const KEY_DECISIONS: &str = "keyDecisions";
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
    /// The file holds entries that were not recorded here.
    Untrusted {
        /// How many.
        entries: usize,
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
    /// What came from elsewhere: entries, [`WORK_ITEM`], [`KEY_DECISIONS`].
    pub(super) foreign: Vec<String>,
}

/// Reads the state file and settles whatever happened to it since we last wrote it.
pub(super) fn load(memory: &Memory, path: &Spot, now: &str) -> Result<Base, MemoryError> {
    sweep(memory, path);
    let found = state_file::read(path)?;
    let last = last_known(memory)?;
    let (state, problems, hash) = match found {
        Found::State { state, problems, hash } => (*state, problems, hash),
        Found::Missing => return Ok(rebuild_missing(memory, last)),
        Found::Corrupt(why) => return rebuild_corrupt(memory, path, last, &why, now),
    };
    let hash_before = Some(hash.clone());
    // What was upgraded or did not fit is written at once: otherwise it is found, and told, again and again.
    let must_write = !problems.is_empty() || state.version != throughline_domain::state::VERSION;
    let mut base = Base { state, hash_before, must_write, ..Base::default() };
    if base.state.version != throughline_domain::state::VERSION {
        base.repairs.push(Repair::Upgraded { from: base.state.version.clone() });
    }
    base.repairs.extend(problems.into_iter().map(Repair::Kept));
    match last {
        Some(last) if last.hashes.contains(&hash) => raise_counters(&mut base.state, &last.state),
        Some(last) => {
            keep_own_purification(&mut base, last.state.purification.as_ref());
            take_hand_edits(memory, &mut base, &last.state, now);
        }
        None => {
            keep_own_purification(&mut base, None);
            meet_for_the_first_time(memory, &mut base);
        }
    }
    known_ids::raise(&memory.folder(), &mut base.state);
    Ok(base)
}

/// What killed writers left lying about goes with the next change: we hold the lock of the two that matter most.
fn sweep(memory: &Memory, path: &Spot) {
    for path in [path, &memory.last_written_path()] {
        if let (Some(folder), Some(name)) = (path.parent(), path.file_name()) {
            files::sweep_temps(&folder, Some(&name.to_string_lossy()));
        }
    }
}

/// The state, if the file is just as we left it (or there never was one): the usual case, without a lock.
pub(super) fn if_untouched(memory: &Memory, path: &Spot) -> Result<Option<State>, MemoryError> {
    let last = last_known(memory)?;
    Ok(match (state_file::read(path)?, last) {
        (Found::State { state, hash, .. }, Some(last)) if last.hashes.contains(&hash) => Some(*state),
        (Found::Missing, None) if !memory.home.archive().exists() => Some(State::empty()),
        _ => None,
    })
}

/// What we last wrote, as far as anything remembers it.
struct LastKnown {
    state: State,
    /// Fingerprints under which the file may stand: of the last batches, and of the last copy.
    hashes: Vec<String>,
    /// The copy that is made after each write: unlike a batch, it always was the state file.
    written: Option<State>,
}

fn last_known(memory: &Memory) -> Result<Option<LastKnown>, MemoryError> {
    // One writer may have been killed before its batch reached the file, another before it had noted the copy: the
    // file is ours if it stands as any of them left it.
    let (batch, mut hashes) = memory.outbox().recent()?;
    // Only a copy: without it the outbox and the archive tell what is ours.
    let copy = files::read_limited(&memory.last_written_path(), 8 << 20).ok().flatten();
    let mut state = None;
    if let Some(Value::Object(map)) = batch.map(|batch| batch.state) {
        state = Some(State::from_map(map).0);
    }
    let mut written = None;
    if let Some(bytes) = copy {
        hashes.push(state_file::hash_of(&bytes));
        let text = std::str::from_utf8(&bytes).ok();
        written = text.and_then(|text| State::read(text).ok()).map(|(state, _)| state);
        state = state.or_else(|| written.clone());
    }
    Ok(state.map(|state| LastKnown { state, hashes, written }))
}

/// The newest state that the archive remembers; for a data folder whose small files were lost.
fn from_archive(memory: &Memory) -> Option<State> {
    if !memory.home.archive().exists() {
        return None;
    }
    let archive = Archive::open(&memory.home.archive(), ARCHIVE_WAIT).ok()?;
    let mut state = match archive.working_set(&memory.project.key).ok().flatten() {
        Some((text, _)) => State::read(&text).ok().map_or_else(State::empty, |(state, _)| state),
        None => State::empty(),
    };
    for (kind, number) in archive.counters(&memory.project.key).unwrap_or_default() {
        state.raise_counter(kind, number);
    }
    Some(state)
}

fn rebuild_missing(memory: &Memory, last: Option<LastKnown>) -> Base {
    let (mut state, hash_before) = match last {
        Some(LastKnown { state, written: Some(mut written), .. }) => {
            raise_counters(&mut written, &state);
            (written, Some(state_file::GONE.to_owned()))
        }
        // Batches, but no copy: their writers were killed before there was a file at all.
        Some(last) => {
            let mut state = State::empty();
            raise_counters(&mut state, &last.state);
            (state, None)
        }
        None => (from_archive(memory).unwrap_or_else(State::empty), None),
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
    let mut added = Vec::new();
    let mut changed = 0;
    for entry in base.state.all_entries() {
        match last.find(&entry.id.to_string()) {
            None => {
                base.events.push(draft::event(Op::Add, entry, Origin::Hand, None));
                added.push(entry.id.to_string());
            }
            Some(old) if old.to_json() != entry.to_json() => {
                let why = Some("edited by hand".to_owned());
                base.events.push(draft::event(Op::Change, entry, Origin::Hand, why));
                added.push(entry.id.to_string());
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
    let counts = (added.len() - changed, removed.len(), changed);
    base.events.extend(removed);
    cut_long_evidence(memory, &mut base.state);
    let mut edited = added;
    edited.extend((base.state.sd != last.sd).then(|| WORK_ITEM.to_owned()));
    edited.extend((base.state.key_decisions != last.key_decisions).then(|| KEY_DECISIONS.to_owned()));
    // Known from now on as it stands.
    base.must_write = true;
    let is_foreign = !edited.is_empty() && (memory.edits_come_from_others)(&memory.project);
    let by = if is_foreign { Origin::Import } else { Origin::Hand };
    // Whoever edits by hand does not write the history as well; where another copy of ours did, it stands there.
    if base.state.history == last.history {
        base.state.note_transition(&last.sd, now, by);
    }
    if is_foreign {
        // The file is under version control: an edit may be somebody else's commit.
        base.repairs.push(Repair::Untrusted { entries: edited.len() });
        base.foreign = edited;
    } else if counts != (0, 0, 0) {
        base.repairs.push(Repair::HandEdit { added: counts.0, removed: counts.1, changed: counts.2 });
    }
}

/// A file that we have never written: entries that the archive does not know are not ours to vouch for.
fn meet_for_the_first_time(memory: &Memory, base: &mut Base) {
    let archive = memory.home.archive();
    let archive = if archive.exists() { Archive::open(&archive, ARCHIVE_WAIT).ok() } else { None };
    let key = &memory.project.key;
    if let Some(archive) = &archive {
        for (kind, number) in archive.counters(key).unwrap_or_default() {
            base.state.raise_counter(kind, number);
        }
    }
    let mut foreign = Vec::new();
    for entry in base.state.all_entries() {
        let known = archive.as_ref().is_some_and(|archive| {
            archive.knows(key, entry.id.kind, &entry.id.to_string(), &entry.text).unwrap_or(false)
        });
        if !known {
            base.events.push(draft::event(Op::Add, entry, Origin::Import, None));
            foreign.push(entry.id.to_string());
        }
    }
    cut_long_evidence(memory, &mut base.state);
    let ours =
        archive.as_ref().is_some_and(|archive| archive.working_set(key).is_ok_and(|set| set.is_some()));
    if !ours {
        foreign.extend((!base.state.sd.is_empty()).then(|| WORK_ITEM.to_owned()));
        foreign.extend((!base.state.key_decisions.is_empty()).then(|| KEY_DECISIONS.to_owned()));
    }
    base.must_write = true;
    if !foreign.is_empty() {
        base.repairs.push(Repair::Untrusted { entries: foreign.len() });
        base.foreign = foreign;
    }
}

/// The archive has the whole text (its event was made before); the file keeps what S0.6 allows.
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
