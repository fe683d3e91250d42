//! A stretch of work: what the context collected since it was last new, as far as it tells how clean it is.
//!
//! A compaction and a purification begin another one. Time is counted in responses: how fast they came does not matter.

use serde::{Deserialize, Serialize};

use crate::ledger::{HALF_LIFE_TURNS, Weight};
use crate::purity::Signals;

/// So much output is in every context and never stale enough to matter.
const FRESH_BYTES: u64 = 64 << 10;
/// Fewer calls show no direction.
const DIRECTION_CALLS_MIN: u32 = 12;
/// The newest calls whose direction is remembered, one bit each.
const DIRECTION_CALLS_MAX: u32 = u32::BITS;

/// What was seen since the context was last new.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stretch {
    /// The response after which it began.
    pub since: u64,
    /// Calls of tools.
    pub calls: Weight,
    /// Those that failed.
    pub failed: Weight,
    /// Those that failed again, with nothing changed or in the same way.
    pub failed_again: Weight,
    /// Those that gave the same answer again.
    pub repeated: Weight,
    /// Reads of what had been read and had not changed.
    pub rereads: Weight,
    /// Work that was thrown away or stopped.
    pub abandoned: Weight,
    /// The turn of the last of these: one stop is one, however many lines tell of it.
    pub abandoned_turn: Option<u64>,
    /// Changes so far: edits, and commands that may have changed something.
    pub changes: u64,
    /// Bytes of tool output in the context.
    pub held_bytes: u64,
    /// Bytes of it that are no longer true.
    pub stale_bytes: u64,
    /// The newest answers that can become stale or come again.
    pub answers: Vec<Answer>,
    /// Calls that no answer has come to yet.
    pub asked: Vec<Asked>,
    /// Fingerprints of the words that belong to the request: its own, and those of the files changed for it.
    pub focus: Vec<u32>,
    /// Whether something was changed for the request: before that, the agent is finding its way.
    pub is_under_way: bool,
    /// The direction of the newest calls, the last in the lowest bit: 1 is off the request.
    pub off: u32,
    /// How many calls these bits stand for.
    pub directed: u32,
    /// What failed again and again, the newest last.
    pub tried: Vec<Tried>,
    /// Command lines that threw work away, the newest last.
    pub discarded: Vec<String>,
    /// It began with a purification: no line of the transcript tells that.
    pub is_purified: bool,
}

/// An answer that stands in the context.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Answer {
    /// Fingerprint of the question: a command, a file, a search.
    pub question: u32,
    /// Fingerprint of the whole command line, filters behind a pipe included.
    pub line: u32,
    /// Fingerprint of the answer, without its digits: times and addresses differ in every run.
    pub print: u32,
    /// Its length.
    pub bytes: u32,
    /// The count of changes when it came.
    pub changes: u64,
    /// How often in a row the question was answered by a failure, up to this one.
    pub failures: u32,
    /// The question was a file.
    pub is_file: bool,
}

/// A call that waits for its answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Asked {
    /// Fingerprint of the call's id.
    pub call: u32,
    /// Fingerprint of the question; 0 where the same question may have many answers.
    pub question: u32,
    /// Fingerprint of the whole command line.
    pub line: u32,
    /// What it does.
    pub deed: Deed,
    /// The count of changes before it.
    pub changes: u64,
}

/// What a call does, as far as purity goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Deed {
    /// Asks something that has an answer.
    #[default]
    Ask,
    /// Reads a file.
    Read,
    /// Changes a file.
    Edit,
}

/// Something that failed again and again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tried {
    /// Fingerprint of the question.
    pub question: u32,
    /// The command, in one line.
    pub what: String,
    /// How often it failed in vain.
    pub times: u32,
}

impl Stretch {
    /// Begins another one after a response. What was asked and what the request is about go on.
    pub fn begin(&mut self, turn: u64) {
        *self = Self {
            since: turn,
            asked: std::mem::take(&mut self.asked),
            focus: std::mem::take(&mut self.focus),
            ..Self::default()
        };
    }

    /// Begins another one because the context was purified.
    pub fn purify(&mut self, turn: u64) {
        self.begin(turn);
        self.is_purified = true;
    }

    /// Notes the direction of a call.
    pub fn direct(&mut self, is_off: bool) {
        self.off = self.off << 1 | u32::from(is_off);
        self.directed = (self.directed + 1).min(DIRECTION_CALLS_MAX);
    }

    /// How much noise there is at a turn.
    #[must_use]
    pub fn signals(&self, turn: u64) -> Signals {
        let now = |weight: &Weight| weight.at(turn, HALF_LIFE_TURNS);
        Signals {
            calls: now(&self.calls),
            failed: now(&self.failed),
            failed_again: now(&self.failed_again),
            repeated: now(&self.repeated),
            rereads: now(&self.rereads),
            abandoned: now(&self.abandoned),
            stale: ratio(self.stale_bytes, self.held_bytes.saturating_add(FRESH_BYTES)),
            drift: if self.directed < DIRECTION_CALLS_MIN {
                0.0
            } else {
                ratio(u64::from(self.off.count_ones()), u64::from(self.directed))
            },
        }
    }

    /// The same stretch where turns are counted from another beginning: this moment is `now` here and `now_there` there.
    #[must_use]
    pub fn counted_from(mut self, now: u64, now_there: u64) -> Self {
        let moved = |turn: u64| (turn + now_there).saturating_sub(now);
        self.since = moved(self.since);
        self.abandoned_turn = self.abandoned_turn.map(moved);
        for weight in [
            &mut self.calls,
            &mut self.failed,
            &mut self.failed_again,
            &mut self.repeated,
            &mut self.rereads,
            &mut self.abandoned,
        ] {
            weight.turn = moved(weight.turn);
        }
        self
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share needs no more than fifty bits")]
fn ratio(part: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { part as f64 / of as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_fades_with_the_responses_and_no_message_resets_it() {
        let mut stretch = Stretch::default();
        stretch.failed_again.add(8.0, 10, HALF_LIFE_TURNS);
        let at = |turn| stretch.signals(turn).failed_again;
        assert!((at(10) - 8.0).abs() < 1e-9);
        assert!((at(50) - 4.0).abs() < 1e-9, "half after {HALF_LIFE_TURNS} responses");
        // However many small steps the same way has, it ends at the same place.
        let mut stepped = stretch.clone();
        for turn in 11..=50 {
            stepped.failed_again.add(0.0, turn, HALF_LIFE_TURNS);
        }
        assert!((stepped.signals(50).failed_again - at(50)).abs() < 1e-9);
    }

    #[test]
    fn a_few_calls_show_no_direction() {
        let mut stretch = Stretch::default();
        for _ in 0..11 {
            stretch.direct(true);
        }
        assert!(stretch.signals(1).drift == 0.0);
        stretch.direct(true);
        assert!((stretch.signals(1).drift - 1.0).abs() < 1e-9);
        for _ in 0..24 {
            stretch.direct(false);
        }
        assert!((stretch.signals(1).drift - 0.25).abs() < 1e-9, "eight of the last 32");
    }

    #[test]
    fn a_little_stale_output_is_no_matter() {
        let stretch = Stretch { held_bytes: 2_000, stale_bytes: 2_000, ..Stretch::default() };
        assert!(stretch.signals(0).stale < 0.05);
        let stretch = Stretch { held_bytes: 640 << 10, stale_bytes: 640 << 10, ..Stretch::default() };
        assert!(stretch.signals(0).stale > 0.9);
    }

    #[test]
    fn another_stretch_begins_clean_and_keeps_what_goes_on() {
        let mut stretch = Stretch { focus: vec![7], asked: vec![Asked::default()], ..Stretch::default() };
        stretch.failed.add(5.0, 3, HALF_LIFE_TURNS);
        stretch.begin(4);
        let kept = Stretch { since: 4, focus: vec![7], asked: vec![Asked::default()], ..Stretch::default() };
        assert_eq!(stretch, kept);
    }

    #[test]
    fn turns_can_be_counted_from_another_beginning() {
        let mut stretch = Stretch { since: 5, ..Stretch::default() };
        stretch.failed.add(4.0, 10, HALF_LIFE_TURNS);
        let before = stretch.signals(20).failed;
        let moved = stretch.counted_from(20, 1_020);
        assert_eq!((moved.since, moved.failed.turn), (1_005, 1_010));
        assert!((moved.signals(1_020).failed - before).abs() < 1e-9);
    }
}
