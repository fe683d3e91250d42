//! The budget: how large the working set may be, and what leaves it first. Nothing is dropped: what leaves is returned.

use std::cmp::Reverse;
use std::collections::VecDeque;

use crate::entry::{AnchorPriority, Detail, Entry, EntryId, Kind, Priority};
use crate::git_state::{GitState, MODIFIED_FILES_MAX, RECENT_COMMITS_MAX, STATUS_LINES_MAX};
use crate::state::State;
use crate::text::utf16_len;

/// Most bytes of porcelain lines: fifty long paths would fill the file alone.
const STATUS_BYTES_MAX: usize = 4 << 10;
/// Most bytes of the changed files' names, and of the commits.
const LIST_BYTES_MAX: usize = 2 << 10;
/// Room for what is stamped after the file was measured: two times, the size and its word.
pub(crate) const STAMPS_BYTES: usize = 96;

/// The numbers that bound the working set; each is a key of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Below this many tokens the state is healthy.
    pub target_tokens: u64,
    /// Above this many it is over budget; no rendered text is longer.
    pub max_tokens: u64,
    /// The largest state file.
    pub file_bytes_max: usize,
    /// Most entries, by kind.
    pub entries_max: [usize; Kind::ALL.len()],
    /// Plain decision lines kept.
    pub key_decisions_max: usize,
    /// Most UTF-16 units of a piece of evidence.
    pub evidence_units_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let mut entries_max = [0; Kind::ALL.len()];
        for kind in Kind::ALL {
            entries_max[kind.index()] = match kind {
                Kind::Decision | Kind::Constraint | Kind::Action | Kind::Directive => 10,
                Kind::Question | Kind::Highlight => 5,
                Kind::Evidence => 15,
                Kind::Anchor => 20,
            };
        }
        Self {
            target_tokens: 800,
            max_tokens: 1_200,
            file_bytes_max: 15 * 1024,
            entries_max,
            key_decisions_max: 10,
            evidence_units_max: crate::entry::EVIDENCE_UNITS_MAX,
        }
    }
}

impl Limits {
    /// The seed's word for a size: `healthy` below 800, `warning` up to 1200, `over_budget` above.
    #[must_use]
    pub fn budget_status(&self, tokens: u64) -> &'static str {
        if tokens < self.target_tokens {
            "healthy"
        } else if tokens <= self.max_tokens {
            "warning"
        } else {
            "over_budget"
        }
    }
}

/// Tokens of a text by estimate: `ceil(UTF-16 units / 4)`.
///
/// ```
/// assert_eq!(throughline_domain::budget::estimate_tokens("12345"), 2);
/// ```
#[must_use]
pub fn estimate_tokens(text: &str) -> u64 {
    utf16_len(text).div_ceil(4) as u64
}

/// Why an entry left the working set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// Its section was full.
    SectionFull,
    /// The file was too large.
    FileFull,
}

impl Left {
    /// The word the archive stores.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::SectionFull => "section full",
            Self::FileFull => "file full",
        }
    }
}

/// Brings the state within its caps and its file size, and measures it. Returns what had to leave.
///
/// ```
/// use throughline_domain::{State, budget};
/// let mut state = State::empty();
/// let limits = budget::Limits::default();
/// let evicted = budget::truncate_for_budget(&mut state, &limits, "2026-01-26T15:30:00.000Z");
/// assert!(evicted.is_empty());
/// assert_eq!(state.token_metrics.budget_status, "healthy");
/// ```
pub fn truncate_for_budget(state: &mut State, limits: &Limits, now: &str) -> Vec<(Entry, Left)> {
    bound_git(&mut state.git);
    file_old_key_decisions(state, limits.key_decisions_max, now);
    let mut evicted = leave_full_sections(state, limits);
    if file_bytes(state) + STAMPS_BYTES > limits.file_bytes_max && !state.key_decisions.is_empty() {
        file_old_key_decisions(state, 0, now);
        evicted.extend(leave_full_sections(state, limits));
    }
    evicted.extend(leave_full_file(state, limits));
    if !evicted.is_empty() {
        state.token_metrics.last_truncation = Some(now.to_owned());
    }
    measure(state, limits);
    evicted
}

/// Bytes of the state as it is written to disk.
#[must_use]
pub fn file_bytes(state: &State) -> usize {
    serde_json::to_string_pretty(&state.to_json()).map_or(0, |text| text.len() + 1)
}

/// The same, had it no entries.
pub(crate) fn bytes_without_entries(state: &State) -> usize {
    let bare = State {
        sections: Default::default(),
        git: state.git.clone(),
        sd: state.sd.clone(),
        workflow: state.workflow.clone(),
        history: state.history.clone(),
        token_metrics: state.token_metrics.clone(),
        summaries_extra: state.summaries_extra.clone(),
        counters_extra: state.counters_extra.clone(),
        labels_extra: state.labels_extra.clone(),
        purification: state.purification.clone(),
        extra: state.extra.clone(),
        unparsed: state.unparsed.clone(),
        ..State::empty()
    };
    file_bytes(&bare)
}

/// Writes the state's size into its metrics.
pub fn measure(state: &mut State, limits: &Limits) {
    let mut measured = state.to_json();
    if let Some(map) = measured.as_object_mut() {
        map.shift_remove("tokenMetrics");
        // No briefing tells it.
        map.shift_remove("history");
    }
    let tokens = estimate_tokens(&measured.to_string());
    state.token_metrics.estimated_tokens = tokens;
    limits.budget_status(tokens).clone_into(&mut state.token_metrics.budget_status);
}

/// What git says is asked anew at every save: it is cut by whole lines, and counted.
fn bound_git(git: &mut GitState) {
    let lines = git.status.lines().count();
    let kept = lines_within(git.status.lines(), STATUS_LINES_MAX, STATUS_BYTES_MAX);
    if kept < lines {
        git.changed_files = git.changed_files.max(lines as u64);
        git.status = git.status.lines().take(kept).collect::<Vec<_>>().join("\n");
    }
    for (list, lines_max) in
        [(&mut git.modified_files, MODIFIED_FILES_MAX), (&mut git.recent_commits, RECENT_COMMITS_MAX)]
    {
        let kept = lines_within(list.iter().map(String::as_str), lines_max, LIST_BYTES_MAX);
        list.truncate(kept);
    }
}

fn lines_within<'a>(lines: impl Iterator<Item = &'a str>, lines_max: usize, bytes_max: usize) -> usize {
    let total = lines.take(lines_max).scan(0, |bytes, line| {
        *bytes += line.len() + 1;
        (*bytes <= bytes_max).then_some(())
    });
    total.count()
}

/// Lines over the cap become decisions, so that they reach the archive like any other. The oldest go first, and stay
/// older than every decision that is there.
fn file_old_key_decisions(state: &mut State, lines_max: usize, now: &str) {
    let over = state.key_decisions.len().saturating_sub(lines_max);
    let numbers = state.next_numbers(Kind::Decision, over);
    let moved: Vec<Entry> = state
        .key_decisions
        .drain(..over)
        .zip(numbers)
        .map(|(text, number)| Entry {
            id: EntryId { kind: Kind::Decision, number },
            alias: None,
            text,
            timestamp: now.to_owned(),
            detail: Detail::Decision { rationale: String::new(), reversible: true },
            extra: serde_json::Map::new(),
        })
        .collect();
    state.entries_mut(Kind::Decision).splice(0..0, moved);
}

fn leave_full_sections(state: &mut State, limits: &Limits) -> Vec<(Entry, Left)> {
    let mut evicted = Vec::new();
    for kind in Kind::ALL {
        let section = state.entries_mut(kind);
        let over = section.len().saturating_sub(limits.entries_max[kind.index()]);
        if over > 0 {
            let order = leave_order(section);
            evicted.extend(take_out(section, &order[..over]).map(|entry| (entry, Left::SectionFull)));
        }
    }
    evicted
}

/// Entries leave until the file is small enough. What others wrote beside them cannot leave, and must not push out
/// everything that is ours: half of the file is always for entries.
fn leave_full_file(state: &mut State, limits: &Limits) -> Vec<(Entry, Left)> {
    let mut evicted = Vec::new();
    loop {
        let bytes = file_bytes(state) + STAMPS_BYTES;
        if bytes <= limits.file_bytes_max {
            return evicted;
        }
        let bytes_max = limits.file_bytes_max.max(bytes_without_entries(state) + limits.file_bytes_max / 2);
        let leaving = next_to_leave(state, bytes.saturating_sub(bytes_max));
        if leaving.iter().all(Vec::is_empty) {
            return evicted;
        }
        for (kind, places) in Kind::ALL.into_iter().zip(leaving) {
            let section = state.entries_mut(kind);
            evicted.extend(take_out(section, &places).map(|entry| (entry, Left::FileFull)));
        }
    }
}

/// Which entries, by kind and place, make room for so many bytes: answered questions first, then the ordinary ones
/// of whatever kind takes most room, precious ones only when nothing else is left.
fn next_to_leave(state: &State, bytes: usize) -> [Vec<usize>; Kind::ALL.len()] {
    // Of two kinds that take as much room, the later one here is found again more easily.
    const ORDER: [Kind; 8] = [
        Kind::Constraint,
        Kind::Decision,
        Kind::Anchor,
        Kind::Action,
        Kind::Directive,
        Kind::Highlight,
        Kind::Evidence,
        Kind::Question,
    ];
    let mut leaving: [Vec<usize>; Kind::ALL.len()] = Default::default();
    let mut answered = Vec::new();
    let mut ordinary = ORDER.map(|kind| (kind, 0, VecDeque::new()));
    let mut precious = Vec::new();
    for (kind, total, queue) in &mut ordinary {
        let section = state.entries(*kind);
        for at in leave_order(section) {
            let (entry, size) = (&section[at], entry_bytes(&section[at]));
            if entry.is_resolved() {
                answered.push((*kind, at, size));
            } else if entry.is_precious() {
                precious.push((*kind, at, size));
            } else {
                *total += size;
                queue.push_back((at, size));
            }
        }
    }
    let mut answered = answered.into_iter();
    // Blocking constraints last; within a kind the oldest first.
    precious.sort_by_key(|(kind, _, _)| Reverse(ORDER.iter().position(|it| it == kind)));
    let mut precious = precious.into_iter();
    let mut freed = 0;
    while freed < bytes {
        let largest = ordinary.iter_mut().filter(|it| !it.2.is_empty()).max_by_key(|it| it.1);
        let next = answered.next().or_else(|| {
            let (kind, total, queue) = largest?;
            let (at, size) = queue.pop_front()?;
            *total -= size;
            Some((*kind, at, size))
        });
        let Some((kind, at, size)) = next.or_else(|| precious.next()) else { break };
        leaving[kind.index()].push(at);
        freed += size;
    }
    leaving
}

/// Bytes that an entry takes in the file at least; never more than leaving frees.
fn entry_bytes(entry: &Entry) -> usize {
    match entry.id.kind {
        Kind::Highlight | Kind::Action => entry.text.len() + entry.timestamp.len(),
        _ => serde_json::to_string_pretty(&entry.to_json()).map_or(1, |text| text.len()),
    }
    .max(1)
}

/// The places of a section in the order in which its entries leave: the least needed first, of those the oldest.
fn leave_order(entries: &[Entry]) -> Vec<usize> {
    let rank = |entry: &Entry| match &entry.detail {
        Detail::Question { resolution: Some(_), .. } => 0,
        Detail::Question { priority, .. } => match priority {
            Priority::Low => 1,
            Priority::Medium => 2,
            Priority::High => 3,
        },
        Detail::Anchor { priority, .. } => match priority {
            AnchorPriority::Normal => 0,
            AnchorPriority::High => 1,
            AnchorPriority::Critical => 2,
        },
        Detail::Constraint { blocking, .. } => u8::from(*blocking),
        _ => 0,
    };
    let mut order: Vec<usize> = (0..entries.len()).collect();
    // Stable: of equals the oldest stays first.
    order.sort_by_key(|at| rank(&entries[*at]));
    order
}

/// Takes the entries at `places` out, in that order.
fn take_out(section: &mut Vec<Entry>, places: &[usize]) -> impl Iterator<Item = Entry> + use<> {
    let mut slots: Vec<Option<Entry>> = std::mem::take(section).into_iter().map(Some).collect();
    let gone: Vec<Entry> = places.iter().filter_map(|at| slots.get_mut(*at).and_then(Option::take)).collect();
    section.extend(slots.into_iter().flatten());
    gone.into_iter()
}
