//! Trail: how full one context was from answer to answer: now, at its fullest, and how fast it fills.

use std::collections::VecDeque;

use throughline_domain::context::{Fill, Moment};

use crate::bar::HEIGHTS;

/// How far back the pace is measured.
const PACE_MS: i64 = 10 * 60 * 1_000;
/// Over less than a minute a pace per minute is made up.
const PACE_MS_MIN: i64 = 60 * 1_000;
/// Most answers that the pace looks at.
const RECENT_MAX: usize = 512;
/// Most points that are kept for the picture; over it every second one goes.
const POINTS_MAX: usize = 1_024;

/// What the moments told, in their order.
#[derive(Debug, Clone, Default)]
pub struct Trail {
    /// The last answer; `None` before the first one and right after a compaction.
    pub last: Option<Fill>,
    /// The fullest that the context has been.
    pub peak_tokens: u64,
    /// Compactions so far.
    pub compactions: u64,
    /// Answers since the last compaction, the newest at the end: time and tokens.
    recent: VecDeque<(i64, u64)>,
    points: Points,
}

impl Trail {
    /// Takes the next moment.
    pub fn push(&mut self, moment: Moment) {
        match moment {
            Moment::Compacted => {
                self.compactions += 1;
                self.last = None;
                self.recent.clear();
            }
            Moment::Responded(fill) => {
                self.peak_tokens = self.peak_tokens.max(fill.used_tokens);
                self.points.push(fill.used_tokens);
                if let Some(at) = fill.at {
                    if self.recent.len() == RECENT_MAX {
                        self.recent.pop_front();
                    }
                    self.recent.push_back((at.as_millisecond(), fill.used_tokens));
                }
                self.last = Some(fill);
            }
        }
    }

    /// Tokens a minute over the last ten minutes of work; `None` when less than a minute is known or nothing grew.
    #[must_use]
    pub fn tokens_per_minute(&self) -> Option<u64> {
        self.pace().map(|(tokens, _)| tokens)
    }

    /// The same, and over how many seconds it was measured.
    #[must_use]
    pub fn pace(&self) -> Option<(u64, u64)> {
        let (now_ms, used) = *self.recent.back()?;
        let (from_ms, from) =
            *self.recent.iter().find(|(at_ms, _)| now_ms.saturating_sub(*at_ms) <= PACE_MS)?;
        let span_ms = now_ms.saturating_sub(from_ms);
        if span_ms < PACE_MS_MIN {
            return None;
        }
        let grown = u128::from(used.checked_sub(from)?);
        let pace = grown * 60_000 / u128::from(span_ms.unsigned_abs());
        let pace = u64::try_from(pace).ok().filter(|pace| *pace > 0)?;
        Some((pace, span_ms.unsigned_abs() / 1_000))
    }

    /// The context's size over time in at most `cells` values, each the highest of its stretch.
    #[must_use]
    pub fn outline(&self, cells: usize) -> Vec<u64> {
        let points = &self.points.values;
        let stretch = points.len().div_ceil(cells.max(1)).max(1);
        points.chunks(stretch).filter_map(|part| part.iter().copied().max()).collect()
    }
}

/// Points of a picture: evenly spread, however many came.
#[derive(Debug, Clone, Default)]
struct Points {
    values: Vec<u64>,
    /// Answers that one point stands for, as a power of two.
    halvings: u32,
    waiting: u64,
    highest: u64,
}

impl Points {
    fn push(&mut self, value: u64) {
        self.highest = self.highest.max(value);
        self.waiting += 1;
        if self.waiting < 1 << self.halvings.min(62) {
            return;
        }
        self.values.push(self.highest);
        (self.waiting, self.highest) = (0, 0);
        if self.values.len() >= POINTS_MAX {
            self.values = self.values.chunks(2).filter_map(|pair| pair.iter().copied().max()).collect();
            self.halvings += 1;
        }
    }
}

/// Minutes until the context holds `at_tokens`, at this pace.
#[must_use]
pub fn minutes_until(at_tokens: u64, used_tokens: u64, tokens_per_minute: u64) -> Option<u64> {
    (tokens_per_minute > 0).then(|| at_tokens.saturating_sub(used_tokens) / tokens_per_minute)
}

/// `▁▂▃▅█`: each value of `most`, in eight steps; what is over it is at the top.
#[must_use]
pub fn spark(values: &[u64], most: u64) -> String {
    let step = |value: &u64| {
        let at = u128::from(*value) * HEIGHTS.len() as u128 / u128::from(most.max(1));
        HEIGHTS[usize::try_from(at).unwrap_or(usize::MAX).min(HEIGHTS.len() - 1)]
    };
    values.iter().map(step).collect()
}

#[cfg(test)]
mod tests {
    use throughline_domain::Timestamp;

    use super::*;

    fn trail(answers: &[(i64, u64)]) -> Trail {
        let mut trail = Trail::default();
        for (second, used_tokens) in answers {
            let at = Timestamp::from_second(1_700_000_000 + second).ok();
            trail.push(Moment::Responded(Fill { at, used_tokens: *used_tokens, ..Fill::default() }));
        }
        trail
    }

    #[test]
    fn after_a_compaction_the_present_and_the_pace_are_unknown_and_the_peak_stays() {
        let mut trail = trail(&[(0, 10_000), (60, 90_000)]);
        assert_eq!(trail.tokens_per_minute(), Some(80_000));
        trail.push(Moment::Compacted);
        assert_eq!((trail.last.clone(), trail.peak_tokens, trail.compactions), (None, 90_000, 1));
        assert_eq!(trail.tokens_per_minute(), None);
    }

    #[test]
    fn the_pace_is_of_the_last_ten_minutes() {
        let trail = trail(&[(0, 1_000), (10_000, 50_000), (10_060, 51_000), (10_120, 52_000)]);
        assert_eq!(trail.pace(), Some((1_000, 120)), "and it says over how long");
        assert_eq!(minutes_until(62_000, 52_000, 1_000), Some(10));
        assert_eq!(minutes_until(50_000, 52_000, 1_000), Some(0));
    }

    #[test]
    fn what_shrank_stood_still_or_lasted_seconds_has_no_pace_per_minute() {
        for answers in [&[(0, 9), (60, 5)][..], &[(0, 5), (60, 5)], &[(0, 5), (59, 900)], &[(60, 1)], &[]] {
            assert_eq!(trail(answers).tokens_per_minute(), None, "{answers:?}");
        }
    }

    #[test]
    fn an_outline_keeps_the_peaks_of_a_long_life() {
        let mut answers: Vec<(i64, u64)> = (0..100_000).map(|second| (second, 100)).collect();
        answers[70_001].1 = 5_000;
        let outline = trail(&answers).outline(40);
        assert!(outline.len() <= 40, "{}", outline.len());
        assert_eq!(outline.iter().filter(|value| **value == 5_000).count(), 1);
        assert_eq!(trail(&[(0, 1), (1, 2)]).outline(40), [1, 2]);
    }

    #[test]
    fn a_spark_stays_within_its_steps() {
        assert_eq!(spark(&[0, 50, 100, 900], 100), "▁▅██");
    }
}
