//! Blocks: the five-hour windows in which the maker limits use, as the responses show them.
//!
//! A block begins with the full hour (UTC) of its first response and lasts five hours. The first response after that,
//! or after five hours of silence, begins the next one.

use throughline_domain::Timestamp;
use throughline_domain::slice::Slice;

use super::totals::Totals;
use crate::money::Money;
use crate::prices::Table;

/// How long a block lasts.
pub const BLOCK_MS: i64 = 5 * HOUR_MS;
const HOUR_MS: i64 = 3_600_000;
const MINUTE_MS: i64 = 60_000;

/// One block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// When it began.
    pub start: Timestamp,
    /// When it ends.
    pub end: Timestamp,
    /// What was used in it.
    pub totals: Totals,
    /// Whether it is still running.
    pub is_active: bool,
}

/// How fast a block uses up tokens and money, and what it comes to at that speed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Tokens a minute, between the first response and the last.
    pub tokens_per_minute: u64,
    /// Money an hour.
    pub cost_per_hour: Money,
    /// Minutes until the block ends.
    pub minutes_left: u64,
    /// Tokens at its end, at that speed.
    pub tokens_projected: u64,
    /// Money at its end, at that speed.
    pub cost_projected: Money,
}

/// The blocks that these slices (by quarters of an hour) make, oldest first.
#[must_use]
pub fn blocks(slices: &[Slice], prices: &Table, now: Timestamp) -> Vec<Block> {
    let mut sorted: Vec<&Slice> = slices.iter().collect();
    sorted.sort_by_key(|slice| slice.first);
    let mut blocks: Vec<Block> = Vec::new();
    for slice in sorted {
        let first = slice.first.as_millisecond();
        let goes_on = blocks.last().is_some_and(|block| {
            let silence = block.totals.last.map_or(0, |last| first - last.as_millisecond());
            first < block.end.as_millisecond() && silence <= BLOCK_MS
        });
        if !goes_on {
            let start = at(first.div_euclid(HOUR_MS) * HOUR_MS);
            let end = at(start.as_millisecond() + BLOCK_MS);
            blocks.push(Block { start, end, totals: Totals::default(), is_active: false });
        }
        if let Some(block) = blocks.last_mut() {
            block.totals.add(slice, prices);
        }
    }
    if let Some(last) = blocks.last_mut() {
        let silence = last.totals.last.map_or(0, |last| now.as_millisecond() - last.as_millisecond());
        last.is_active = now < last.end && silence < BLOCK_MS;
    }
    blocks
}

impl Block {
    /// How fast it goes; `None` when it is over, or one minute is all there is to judge by.
    #[must_use]
    pub fn pace(&self, now: Timestamp) -> Option<Pace> {
        let (first, last) = (self.totals.first?, self.totals.last?);
        let minutes =
            u64::try_from((last.as_millisecond() - first.as_millisecond()) / MINUTE_MS).unwrap_or(0);
        if !self.is_active || minutes == 0 {
            return None;
        }
        let left = (self.end.as_millisecond() - now.as_millisecond()) / MINUTE_MS;
        let minutes_left = u64::try_from(left).unwrap_or(0);
        let tokens = self.totals.tokens.total();
        let cost = self.totals.cost.known;
        Some(Pace {
            tokens_per_minute: tokens / minutes,
            cost_per_hour: cost.scaled(60, minutes),
            minutes_left,
            tokens_projected: tokens.saturating_add(tokens.saturating_mul(minutes_left) / minutes),
            cost_projected: cost + cost.scaled(minutes_left, minutes),
        })
    }
}

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millisecond(ms).unwrap_or(Timestamp::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use throughline_domain::usage::{Tier, Tokens};

    use super::*;

    fn slice(first: &str, last: &str, output: u64) -> Slice {
        Slice {
            period: None,
            slot: None,
            session: None,
            project: None,
            agent: None,
            machine: None,
            user: None,
            model: "claude-opus-4-6".to_owned(),
            tier: Tier::default(),
            responses: 1,
            sidechain_responses: 0,
            tokens: Tokens { output, ..Tokens::default() },
            context_peak: 0,
            first: first.parse().unwrap(),
            last: last.parse().unwrap(),
        }
    }

    fn starts(slices: &[Slice], now: &str) -> Vec<(String, u64, bool)> {
        let blocks = blocks(slices, &Table::built_in(), now.parse().unwrap());
        blocks.iter().map(|it| (it.start.to_string(), it.totals.tokens.output, it.is_active)).collect()
    }

    #[test]
    fn a_block_begins_with_the_full_hour_and_ends_after_five() {
        let slices = [
            slice("2026-01-01T10:40:00Z", "2026-01-01T10:44:00Z", 1),
            slice("2026-01-01T14:50:00Z", "2026-01-01T14:59:59Z", 2),
            slice("2026-01-01T15:00:00Z", "2026-01-01T15:01:00Z", 4),
        ];
        let found = starts(&slices, "2026-01-01T16:00:00Z");
        let expected =
            [("2026-01-01T10:00:00Z".to_owned(), 3, false), ("2026-01-01T15:00:00Z".to_owned(), 4, true)];
        assert_eq!(found, expected);
    }

    #[test]
    fn after_its_five_hours_no_block_is_active() {
        let slices = [slice("2026-01-01T10:40:00Z", "2026-01-01T10:44:00Z", 1)];
        assert!(starts(&slices, "2026-01-01T14:59:00Z")[0].2);
        assert!(!starts(&slices, "2026-01-01T15:00:00Z")[0].2);
        assert_eq!(starts(&[], "2026-01-01T15:00:00Z"), []);
    }

    #[test]
    fn the_pace_goes_on_until_the_end() {
        let slices = [
            slice("2026-01-01T10:00:00Z", "2026-01-01T10:10:00Z", 400_000),
            slice("2026-01-01T11:00:00Z", "2026-01-01T11:40:00Z", 600_000),
        ];
        let now: Timestamp = "2026-01-01T11:40:00Z".parse().unwrap();
        let blocks = blocks(&slices, &Table::built_in(), now);
        let pace = blocks[0].pace(now).unwrap();
        // A million tokens (25 dollars) in 100 minutes, 200 more to go.
        assert_eq!(
            (pace.tokens_per_minute, pace.minutes_left, pace.tokens_projected),
            (10_000, 200, 3_000_000)
        );
        assert_eq!((pace.cost_per_hour.micros(), pace.cost_projected.micros()), (15_000_000, 75_000_000));
    }
}
