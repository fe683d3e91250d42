//! The budget: how large the working set may be, and what leaves it first. Nothing is dropped: what leaves is returned.

use crate::entry::{AnchorPriority, Detail, Entry, Kind, Priority};
use crate::state::State;
use crate::text::utf16_len;

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
    file_old_key_decisions(state, limits.key_decisions_max, now);
    let mut evicted = Vec::new();
    for kind in Kind::ALL {
        while state.entries(kind).len() > limits.entries_max[kind.index()] {
            let at = first_to_leave(state.entries(kind));
            evicted.push((state.entries_mut(kind).remove(at), Left::SectionFull));
        }
    }
    measure(state, limits);
    while file_bytes(state) > limits.file_bytes_max {
        // The ordinary entries go first, kind by kind in the order of how easily they are found again.
        let next = leave_order(state);
        let Some((kind, at)) = next else { break };
        evicted.push((state.entries_mut(kind).remove(at), Left::FileFull));
    }
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

/// Writes the state's size into its metrics.
pub fn measure(state: &mut State, limits: &Limits) {
    let mut measured = state.to_json();
    if let Some(map) = measured.as_object_mut() {
        map.shift_remove("tokenMetrics");
    }
    let tokens = estimate_tokens(&measured.to_string());
    state.token_metrics.estimated_tokens = tokens;
    limits.budget_status(tokens).clone_into(&mut state.token_metrics.budget_status);
}

/// Lines over the cap become decisions, so that they reach the archive like any other.
fn file_old_key_decisions(state: &mut State, lines_max: usize, now: &str) {
    while state.key_decisions.len() > lines_max {
        let text = state.key_decisions.remove(0);
        let id = state.next_id(Kind::Decision);
        let detail = Detail::Decision { rationale: String::new(), reversible: true };
        let timestamp = now.to_owned();
        let entry = Entry { id, alias: None, text, timestamp, detail, extra: serde_json::Map::new() };
        state.entries_mut(Kind::Decision).insert(0, entry);
    }
}

/// Which entry of a full section leaves: the least needed, and of those the oldest.
fn first_to_leave(entries: &[Entry]) -> usize {
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
    // `min_by_key` gives the first of equals: the oldest.
    entries.iter().enumerate().min_by_key(|(_, entry)| rank(entry)).map_or(0, |(at, _)| at)
}

/// The next entry to leave a file that is too large; precious ones only when nothing else is left.
fn leave_order(state: &State) -> Option<(Kind, usize)> {
    const ORDER: [Kind; 8] = [
        Kind::Question,
        Kind::Evidence,
        Kind::Highlight,
        Kind::Directive,
        Kind::Action,
        Kind::Anchor,
        Kind::Decision,
        Kind::Constraint,
    ];
    let resolved = state.entries(Kind::Question).iter().position(Entry::is_resolved);
    if let Some(at) = resolved {
        return Some((Kind::Question, at));
    }
    let ordinary = |kind: &Kind| state.entries(*kind).iter().any(|entry| !entry.is_precious());
    let largest = ORDER.into_iter().filter(ordinary).max_by_key(|kind| {
        let bytes: usize =
            state.entries(*kind).iter().map(|entry| entry.text.len() + entry.reason().len()).sum();
        bytes
    });
    match largest {
        Some(kind) => {
            let at = state.entries(kind).iter().position(|entry| !entry.is_precious())?;
            Some((kind, at))
        }
        None => ORDER.into_iter().find(|kind| !state.entries(*kind).is_empty()).map(|kind| (kind, 0)),
    }
}
