//! The tally: how long writers live, how many kills hit, and what the killed had reached.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use super::writer::{Kind, Shot};

/// Where a kill is aimed before a writer of that kind has been seen to end by itself.
const LIFE_UNKNOWN: Duration = Duration::from_millis(25);
/// Kills are aimed a little past the usual end too, so that the last instants are hit as often as the others.
const PAST_THE_END: f64 = 1.15;

/// What a killed writer of an entry had done.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reached {
    Nothing,
    Outbox,
    State,
}

#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) trials: u64,
    pub(crate) temps_left: u64,
    /// Life of each kind, by the number of writers at once: a running mean of those that ended by themselves.
    lives: BTreeMap<(Kind, usize), Duration>,
    /// Kills aimed at each tenth of a life, and of those the ones that hit.
    tenths: [(u64, u64); 10],
    hits: BTreeMap<Kind, (u64, u64)>,
    reached: [u64; 3],
}

impl Tally {
    /// How long a writer of this kind usually lives.
    pub(crate) fn life_of(&self, kind: Kind, at_once: usize) -> Duration {
        self.lives.get(&(kind, at_once)).copied().unwrap_or(LIFE_UNKNOWN).mul_f64(PAST_THE_END)
    }

    pub(crate) fn count(&mut self, shot: &Shot) {
        self.trials += 1;
        let hit = u64::from(shot.hit);
        let tenth = (0_u8..9).filter(|tenth| shot.part * 10.0 >= f64::from(tenth + 1)).count();
        self.tenths[tenth].0 += 1;
        self.tenths[tenth].1 += hit;
        let of_kind = self.hits.entry(shot.writer.kind).or_default();
        *of_kind = (of_kind.0 + 1, of_kind.1 + hit);
        // One that ended by itself tells how long a life is; one that was killed, only that it is longer.
        let life = self.lives.entry((shot.writer.kind, shot.at_once)).or_insert(shot.took);
        let seen = if shot.hit { shot.took.max(*life) } else { shot.took };
        *life = (*life * 9 + seen) / 10;
        if shot.hit && shot.part > 0.9 {
            *life = life.mul_f64(1.05);
        }
    }

    pub(crate) fn reached(&mut self, reached: Reached) {
        self.reached[reached as usize] += 1;
    }

    pub(crate) fn killed(&self) -> u64 {
        self.hits.values().map(|(_, hit)| hit).sum()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{} trials, {} kills hit a living writer", self.trials, self.killed())?;
        for (kind, (aimed, hit)) in &self.hits {
            writeln!(out, "  {kind:?}: {hit} of {aimed}")?;
        }
        write!(out, "by tenths of the usual life (hit/aimed):")?;
        for (aimed, hit) in self.tenths {
            write!(out, " {hit}/{aimed}")?;
        }
        let [nothing, outbox, state] = self.reached;
        writeln!(
            out,
            "\nkilled with an entry: {nothing} before the outbox, {outbox} between outbox and state file, \
             {state} after the state file"
        )?;
        write!(
            out,
            "temp files that killed writers left (seen at each look, gone at the end): {}",
            self.temps_left
        )
    }
}
