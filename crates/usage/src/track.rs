//! The change test: what a call of the status line adds to a session's memory, and whether the log gets a line.

use throughline_domain::Health;
use throughline_domain::text::fingerprint;
use throughline_domain::usage::Signs;
use throughline_domain::usage_memory::{ContextSize, Gap, UsageMemory};

use crate::compaction::{Before, Hooks, judge};

/// Points kept for the burn rate.
const POINTS_MAX: usize = 16;

/// What one call was told.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    /// Now (ms since 1970).
    pub now_ms: i64,
    /// How long the client has been running: of two calls at once it tells which is the newer.
    pub duration_ms: Option<u64>,
    /// The model's id.
    pub model: &'a str,
    /// The model's window, in tokens.
    pub window: Option<u64>,
    /// What fills it.
    pub context: Context,
    /// How near the compaction is.
    pub status: Health,
}

/// What the client knows about the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Context {
    /// No usage.
    Null,
    /// All zeros.
    Zeros,
    /// What the last response reported.
    Known(ContextSize),
}

/// What the hooks know, and the mark that says so (ms since 1970).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Witness {
    /// What they know.
    pub hooks: Hooks,
    /// Their newest mark of a compaction; 0 without one.
    pub mark_at_ms: i64,
}

/// What a call comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The memory as it is from now on.
    pub memory: UsageMemory,
    /// What the log is to be told.
    pub entry: Option<Entry>,
}

/// What a line of the log says beyond what the call was told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Entry {
    /// Whether a compaction came before.
    pub compaction: bool,
    /// What told so.
    pub signs: Signs,
    /// How full the window was before it.
    pub previous_percent: Option<u16>,
}

/// Compares a call with what is remembered. `None`: nothing is new, nothing is to be written.
#[must_use]
pub fn step(
    memory: &UsageMemory,
    told: &Told<'_>,
    min_interval_ms: i64,
    ask_hooks: impl FnOnce() -> Witness,
) -> Option<Step> {
    if is_overtaken(memory, told) {
        return None;
    }
    let knew = memory.size.used() > 0;
    let gap = match told.context {
        Context::Known(size) => return known(memory, told, size, min_interval_ms, ask_hooks),
        Context::Zeros if knew => Gap::Zeros,
        // Zeros that no response followed yet are a compaction that is still to be told.
        Context::Null if knew && memory.gap == Gap::None => Gap::Null,
        Context::Zeros | Context::Null => memory.gap,
    };
    if gap == memory.gap && (memory.window == told.window || told.window.is_none()) {
        return None;
    }
    let memory = UsageMemory {
        gap,
        duration_ms: told.duration_ms,
        window: told.window.or(memory.window),
        ..memory.clone()
    };
    Some(Step { memory, entry: None })
}

fn known(
    memory: &UsageMemory,
    told: &Told<'_>,
    size: ContextSize,
    min_interval_ms: i64,
    ask_hooks: impl FnOnce() -> Witness,
) -> Option<Step> {
    let is_new = memory.size != size
        || memory.model != told.model
        || memory.window != told.window
        || memory.gap != Gap::None;
    let mut next = memory.clone();
    let mut entry = Entry::default();
    if is_new {
        if memory.size.used() > 0 {
            entry = compare(memory, told, size, &mut next.mark_at_ms, ask_hooks);
        }
        next.compacted = entry.compaction;
        next.seen_at_ms = told.now_ms;
        next.duration_ms = told.duration_ms;
        told.model.clone_into(&mut next.model);
        next.window = told.window;
        next.size = size;
        next.gap = Gap::None;
        remember_point(&mut next.points, told.now_ms, size.used());
    }
    let print = print_of(told, size);
    let status = told.status.word();
    let is_due = told.now_ms.saturating_sub(memory.logged_at_ms) >= min_interval_ms
        // A clock that was set back must not silence the log until it has caught up.
        || told.now_ms < memory.logged_at_ms;
    let is_urgent = entry.compaction || memory.logged_status != status;
    // What could not be written is tried again with the next change, not with every call.
    let is_unlogged = print != memory.logged && (is_new || !memory.log_failed);
    let is_logged = is_unlogged && (is_due || is_urgent);
    if is_logged {
        next.logged = print;
        next.logged_at_ms = told.now_ms;
        status.clone_into(&mut next.logged_status);
    }
    (next != *memory).then(|| Step { memory: next, entry: is_logged.then_some(entry) })
}

fn compare(
    memory: &UsageMemory,
    told: &Told<'_>,
    size: ContextSize,
    mark_at_ms: &mut i64,
    ask_hooks: impl FnOnce() -> Witness,
) -> Entry {
    let before = Before { used: memory.size.used(), model: &memory.model, gap: memory.gap };
    let ask = || {
        let witness = ask_hooks();
        *mark_at_ms = witness.mark_at_ms.max(*mark_at_ms);
        witness.hooks
    };
    let verdict = judge(&before, size.used(), told.model, ask);
    if !verdict.compaction {
        // The mark waits for the sample that shows what it announces.
        *mark_at_ms = memory.mark_at_ms;
    }
    let percent = memory.window.map(|window| percent_of(before.used, window));
    let previous_percent = percent.filter(|_| verdict.compaction);
    Entry { compaction: verdict.compaction, signs: verdict.signs, previous_percent }
}

/// Whether a newer call of the same client was faster: its own clock tells. A client that was started after the last
/// call is another one, whose clock began anew.
fn is_overtaken(memory: &UsageMemory, told: &Told<'_>) -> bool {
    let (Some(newest_ms), Some(mine_ms)) = (memory.duration_ms, told.duration_ms) else { return false };
    let began_ms = told.now_ms.saturating_sub(i64::try_from(mine_ms).unwrap_or(i64::MAX));
    mine_ms < newest_ms && began_ms < memory.seen_at_ms
}

fn remember_point(points: &mut Vec<(i64, u64)>, now_ms: i64, used: u64) {
    // Burn is measured from the last time that the context became smaller.
    if points.last().is_some_and(|(_, last)| used < *last) {
        points.clear();
    }
    points.push((now_ms, used));
    if points.len() > POINTS_MAX {
        points.remove(0);
    }
}

fn print_of(told: &Told<'_>, size: ContextSize) -> u64 {
    let numbers = [told.window.unwrap_or(0), size.input, size.output, size.cache_create, size.cache_read]
        .map(u64::to_le_bytes);
    let mut bytes = numbers.concat();
    bytes.extend_from_slice(told.model.as_bytes());
    // 0 is the fingerprint of what was never logged.
    fingerprint(&bytes).max(1)
}

/// Whole per cent, rounded down; 0 of nothing.
#[must_use]
pub fn percent_of(used: u64, window: u64) -> u16 {
    u16::try_from(used.saturating_mul(100).checked_div(window).unwrap_or(0)).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALONE: fn() -> Witness = || Witness { hooks: Hooks::Absent, mark_at_ms: 0 };

    fn told(now_ms: i64, used: u64) -> Told<'static> {
        Told {
            now_ms,
            duration_ms: None,
            model: "opus",
            window: Some(200_000),
            context: Context::Known(ContextSize { input: used, ..ContextSize::default() }),
            status: Health::Healthy,
        }
    }

    /// What the log is told, call by call: `-` nothing, `+` a line, `C` a line with a compaction.
    fn logged(calls: &[Told<'_>], min_interval_ms: i64) -> String {
        let mut memory = UsageMemory::default();
        let mut lines = String::new();
        for call in calls {
            let step = step(&memory, call, min_interval_ms, ALONE);
            lines.push(match step.as_ref().and_then(|step| step.entry) {
                Some(entry) if entry.compaction => 'C',
                Some(_) => '+',
                None => '-',
            });
            memory = step.map_or(memory, |step| step.memory);
        }
        lines
    }

    #[test]
    fn one_line_a_change() {
        let calls = [told(1, 10), told(2, 10), told(3, 11), told(4, 11), told(5, 10)];
        assert_eq!(logged(&calls, 0), "+-+-+");
        let switched = Told { model: "haiku", ..told(2, 150_000) };
        assert_eq!(logged(&[told(1, 150_000), switched, Told { now_ms: 3, ..switched }], 0), "++-");
        let wider = Told { window: Some(1_000_000), ..told(2, 150_000) };
        assert_eq!(logged(&[told(1, 150_000), wider], 0), "++");
    }

    #[test]
    fn a_throttle_that_throttles_and_loses_nothing_at_the_end() {
        let calls: Vec<Told<'_>> =
            (0..180).map(|n| told(1_000_000 + n * 500, 1_000 + n.unsigned_abs())).collect();
        let lines = logged(&calls, 10_000);
        assert_eq!(lines.matches('+').count(), 9, "{lines}");
        let settled = [told(0, 10), told(1_000, 11), told(2_000, 11), told(10_000, 11), told(11_000, 11)];
        assert_eq!(logged(&settled, 10_000), "+--+-", "the last size is logged once the time is up");
        let critical = Told { status: Health::Critical, ..told(2_000, 30_000) };
        let calls = [told(1_000, 20_000), critical, Told { status: Health::Healthy, ..told(3_000, 5_000) }];
        assert_eq!(logged(&calls, 10_000), "++C", "a new status and a compaction do not wait");
    }

    #[test]
    fn zeros_are_told_with_the_response_that_follows_and_null_never() {
        let zeros = |now_ms| Told { context: Context::Zeros, ..told(now_ms, 0) };
        let null = |now_ms| Told { context: Context::Null, ..told(now_ms, 0) };
        assert_eq!(
            logged(&[told(1, 20_000), zeros(2), zeros(3), told(4, 15_000), told(5, 15_000)], 0),
            "+--C-"
        );
        assert_eq!(logged(&[told(1, 20_000), zeros(2), null(3), told(4, 15_000)], 0), "+--C");
        assert_eq!(logged(&[null(1), zeros(2), told(3, 15_000)], 0), "--+", "nothing was known before");
        assert_eq!(logged(&[told(1, 180_000), null(2), null(3), told(4, 15_000)], 0), "+--+", "cleared");
    }

    #[test]
    fn a_compaction_knows_how_full_it_was_before() {
        let first = step(&UsageMemory::default(), &told(1, 186_000), 0, ALONE).unwrap();
        let second = step(&first.memory, &told(2, 24_000), 0, ALONE).unwrap();
        let entry = second.entry.unwrap();
        assert_eq!((entry.previous_percent, second.memory.compacted), (Some(93), true));
        assert_eq!(second.memory.points, vec![(2, 24_000)]);
        let third = step(&second.memory, &told(3, 25_000), 0, ALONE).unwrap();
        assert!(!third.memory.compacted, "shown until the context changes again");
    }

    #[test]
    fn a_mark_of_the_hooks_counts_once() {
        let done = || Witness { hooks: Hooks::Done, mark_at_ms: 5 };
        let first = step(&UsageMemory::default(), &told(1, 20_000), 0, ALONE).unwrap();
        let second = step(&first.memory, &told(6, 19_000), 0, done).unwrap();
        assert_eq!((second.entry.unwrap().compaction, second.memory.mark_at_ms), (true, 5));
        let silent = || Witness { hooks: Hooks::Silent, mark_at_ms: 5 };
        let third = step(&first.memory, &told(6, 19_000), 0, silent).unwrap();
        assert_eq!((third.entry.unwrap().compaction, third.memory.mark_at_ms), (false, 0));
    }

    #[test]
    fn a_call_that_was_overtaken_changes_nothing() {
        let at = |now_ms, duration_ms, used| Told { duration_ms: Some(duration_ms), ..told(now_ms, used) };
        let newest = step(&UsageMemory::default(), &at(100_000, 60_000, 150_000), 0, ALONE).unwrap().memory;
        assert_eq!(step(&newest, &at(100_200, 59_000, 20_000), 0, ALONE), None);
        let resumed = step(&newest, &at(200_000, 3_000, 20_000), 0, ALONE).unwrap();
        assert!(resumed.entry.is_some(), "another client, whose clock began anew");
    }

    #[test]
    fn a_log_that_failed_is_tried_again_with_the_next_change() {
        let first = step(&UsageMemory::default(), &told(1, 10), 0, ALONE).unwrap().memory;
        let failed = UsageMemory { logged: 0, log_failed: true, ..first };
        assert_eq!(step(&failed, &told(2, 10), 0, ALONE), None);
        assert!(step(&failed, &told(3, 11), 0, ALONE).unwrap().entry.is_some());
    }

    #[test]
    fn the_ring_of_points_stays_small() {
        let mut memory = UsageMemory::default();
        for n in 0..100 {
            memory = step(&memory, &told(n, 1_000 + n.unsigned_abs()), 0, ALONE).unwrap().memory;
        }
        assert_eq!((memory.points.len(), memory.points[0]), (POINTS_MAX, (84, 1_084)));
    }
}
