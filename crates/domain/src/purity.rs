//! Purity: how clean a context still is, on one scale from 100 to 0, by what the transcript shows.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::stretch::Stretch;
use crate::time;
use crate::{State, Timestamp};

/// A purification context that nobody asked for in this time is too old to be true.
pub const KEPT_HOURS: u64 = 48;
/// The whole scale.
const BEST: u64 = 100;

/// What a score means. The only place that says so: whoever acts on purity asks this.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Nothing to say.
    #[default]
    Clean,
    /// Shown to the user.
    Warning,
    /// The context is purified.
    Purify,
    /// The same, and at once.
    Emergency,
}

impl Level {
    /// All of them, best first.
    pub const ALL: [Self; 4] = [Self::Clean, Self::Warning, Self::Purify, Self::Emergency];

    /// The word that people and scripts see.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Warning => "warning",
            Self::Purify => "purify",
            Self::Emergency => "emergency",
        }
    }

    /// Whether a context at this level is purified.
    #[must_use]
    pub fn purifies(self) -> bool {
        self >= Self::Purify
    }
}

/// A kind of noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Signal {
    /// Calls that failed, more than usual.
    Failed,
    /// The same command failed again, with nothing changed or in the same way.
    FailedAgain,
    /// The same command gave the same answer again, or the same edit was made again.
    Repeated,
    /// A file was read again that had not changed.
    Reread,
    /// Work was thrown away, or the user stopped it.
    Abandoned,
    /// Output in the context that is no longer true.
    Stale,
    /// Calls that have nothing to do with what was asked.
    Drift,
}

impl Signal {
    /// All of them, in the order in which they are told where they cost the same.
    pub const ALL: [Self; 7] = [
        Self::FailedAgain,
        Self::Failed,
        Self::Abandoned,
        Self::Reread,
        Self::Repeated,
        Self::Stale,
        Self::Drift,
    ];

    /// The word for scripts.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::FailedAgain => "failed_again",
            Self::Repeated => "repeated",
            Self::Reread => "reread",
            Self::Abandoned => "abandoned",
            Self::Stale => "stale",
            Self::Drift => "drift",
        }
    }
}

/// How much noise there is: counts in which older noise counts less, and two shares from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Signals {
    /// Calls of tools.
    pub calls: f64,
    /// Those that failed.
    pub failed: f64,
    /// The same failure again.
    pub failed_again: f64,
    /// The same answer again.
    pub repeated: f64,
    /// The same part of a file again.
    pub rereads: f64,
    /// Work thrown away or stopped.
    pub abandoned: f64,
    /// How much of the tool output is no longer true.
    pub stale: f64,
    /// How many of the newest calls have nothing to do with the request.
    pub drift: f64,
}

/// What noise costs, and where the levels begin; each number is a key of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Scale {
    /// From this score down the user is warned.
    pub warn: u64,
    /// From here down the context is purified.
    pub purify: u64,
    /// From here down it is an emergency.
    pub emergency: u64,
    /// Per cent of the calls that fail in any work, and cost nothing.
    pub usual_failures: u64,
    /// Points for each call that failed beyond them.
    pub failed: u64,
    /// For each that failed again.
    pub failed_again: u64,
    /// For each repetition.
    pub repeated: u64,
    /// For each file read again.
    pub reread: u64,
    /// For each piece of work given up.
    pub abandoned: u64,
    /// For a context of nothing but stale output.
    pub stale: u64,
    /// For calls that all have nothing to do with the request.
    pub drift: u64,
    /// Most points that one signal costs.
    pub most: u64,
}

impl Default for Scale {
    fn default() -> Self {
        Self {
            warn: 60,
            purify: 40,
            emergency: 20,
            usual_failures: 10,
            failed: 4,
            failed_again: 10,
            repeated: 3,
            reread: 3,
            abandoned: 10,
            stale: 20,
            drift: 20,
            most: 40,
        }
    }
}

/// One reason for a score.
#[derive(Debug, Clone, PartialEq)]
pub struct Cause {
    /// Of which kind.
    pub signal: Signal,
    /// How much of it: a count, or a share in per cent.
    pub amount: u64,
    /// The points that it cost.
    pub points: u64,
}

impl Cause {
    /// `3 failed calls`, `62 % stale output`.
    #[must_use]
    pub fn words(&self) -> String {
        let count = self.amount;
        let counted = |one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
        match self.signal {
            Signal::Failed => counted("failed call", "failed calls"),
            Signal::FailedAgain => counted("failure repeated", "failures repeated"),
            Signal::Repeated => counted("repeated call", "repeated calls"),
            Signal::Reread => counted("re-read", "re-reads"),
            Signal::Abandoned => counted("piece of work given up", "pieces of work given up"),
            Signal::Stale => format!("{count} % stale output"),
            Signal::Drift => format!("{count} % of the calls off the task"),
        }
    }
}

/// A score, what it means and why it is what it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Purity {
    /// From 100 to 0.
    pub score: u64,
    /// What it means.
    pub level: Level,
    /// What cost points, the most expensive first; with the score they add up to 100, or to more at a score of 0.
    pub causes: Vec<Cause>,
}

impl Purity {
    /// `3 failed calls −12, 4 re-reads −12`; empty for a perfect score.
    #[must_use]
    pub fn why(&self) -> String {
        let causes: Vec<String> =
            self.causes.iter().map(|cause| format!("{} −{}", cause.words(), cause.points)).collect();
        causes.join(", ")
    }
}

impl Scale {
    /// The level of a score; a threshold belongs to the worse side.
    #[must_use]
    pub fn level(&self, score: u64) -> Level {
        if score <= self.emergency {
            Level::Emergency
        } else if score <= self.purify {
            Level::Purify
        } else if score <= self.warn {
            Level::Warning
        } else {
            Level::Clean
        }
    }

    /// The score of these signals.
    #[must_use]
    pub fn rate(&self, signals: &Signals) -> Purity {
        let mut causes: Vec<Cause> =
            Signal::ALL.into_iter().filter_map(|signal| self.cause(signal, signals)).collect();
        // Stable: of equals the first in the list stays first.
        causes.sort_by_key(|cause| std::cmp::Reverse(cause.points));
        let lost = causes.iter().fold(0_u64, |sum, cause| sum.saturating_add(cause.points));
        let score = BEST.saturating_sub(lost);
        Purity { score, level: self.level(score), causes }
    }

    /// The score of a stretch of work at a turn.
    #[must_use]
    pub fn rate_stretch(&self, stretch: &Stretch, turn: u64) -> Purity {
        self.rate(&stretch.signals(turn))
    }

    fn cause(&self, signal: Signal, signals: &Signals) -> Option<Cause> {
        let usual = whole(self.usual_failures.min(BEST)) / 100.0 * sane(signals.calls);
        let (amount, each, shown) = match signal {
            Signal::Failed => ((sane(signals.failed) - usual).max(0.0), self.failed, sane(signals.failed)),
            Signal::FailedAgain => counted(signals.failed_again, self.failed_again),
            Signal::Repeated => counted(signals.repeated, self.repeated),
            Signal::Reread => counted(signals.rereads, self.reread),
            Signal::Abandoned => counted(signals.abandoned, self.abandoned),
            Signal::Stale => share(signals.stale, self.stale),
            Signal::Drift => share(signals.drift, self.drift),
        };
        let points = rounded((amount * whole(each)).min(whole(self.most)));
        let amount = rounded(shown).max(1);
        (points > 0).then_some(Cause { signal, amount, points })
    }
}

fn counted(count: f64, each: u64) -> (f64, u64, f64) {
    let count = sane(count);
    (count, each, count)
}

fn share(share: f64, whole: u64) -> (f64, u64, f64) {
    let share = sane(share).min(1.0);
    (share, whole, share * 100.0)
}

/// A number from a file may be anything; noise is finite and not negative.
fn sane(number: f64) -> f64 {
    if number.is_finite() { number.clamp(0.0, 1e9) } else { 0.0 }
}

#[expect(clippy::cast_precision_loss, reason = "points and per cent are small; a huge one stays huge")]
fn whole(number: u64) -> f64 {
    number as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "finite and not negative; a cast saturates"
)]
fn rounded(number: f64) -> u64 {
    number.round() as u64
}

/// What is kept of a context that was purified, until the next start gives it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Purification {
    /// When, as written.
    pub at: String,
    /// The session whose context it was.
    pub session: String,
    /// The turn after which the stretch began: one stretch is purified once.
    pub since: u64,
    /// The score.
    pub score: u64,
    /// Why, in words.
    pub causes: Vec<String>,
    /// What is true now.
    pub text: String,
    /// Fields written by others.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Purification {
    /// Whether it is young enough to be given.
    #[must_use]
    pub fn is_fresh(&self, now: Timestamp) -> bool {
        time::parse(&self.at).is_some_and(|at| time::seconds_between(at, now) < KEPT_HOURS * 3_600)
    }
}

impl State {
    /// The purification context that waits for the next start, unless it is too old.
    #[must_use]
    pub fn waiting_purification(&self, now: Timestamp) -> Option<&Purification> {
        self.purification.as_ref().filter(|kept| kept.is_fresh(now) && !kept.text.trim().is_empty())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rate(signals: Signals) -> Purity {
        Scale::default().rate(&signals)
    }

    #[test]
    fn a_threshold_belongs_to_the_worse_side_and_two_levels_purify() {
        let scale = Scale::default();
        let words = [100, 61, 60, 41, 40, 21, 20, 0].map(|score| scale.level(score).word());
        assert_eq!(
            words,
            ["clean", "clean", "warning", "warning", "purify", "purify", "emergency", "emergency"]
        );
        assert_eq!(Level::ALL.map(Level::purifies), [false, false, true, true]);
    }

    #[test]
    fn each_kind_of_noise_costs_what_the_scale_says_and_the_causes_add_up() {
        let clean = rate(Signals { calls: 100.0, failed: 10.0, ..Signals::default() });
        assert_eq!((clean.score, clean.level, clean.why()), (100, Level::Clean, String::new()));
        let purity = rate(Signals {
            calls: 20.0,
            failed: 5.0,
            failed_again: 2.0,
            rereads: 1.0,
            stale: 0.5,
            ..Signals::default()
        });
        assert_eq!(
            purity.why(),
            "2 failures repeated −20, 5 failed calls −12, 50 % stale output −10, 1 re-read −3"
        );
        assert_eq!((purity.score, purity.level), (55, Level::Warning));
    }

    #[test]
    fn no_signal_alone_costs_more_than_its_share() {
        let purity = rate(Signals { failed_again: 1_000.0, ..Signals::default() });
        assert_eq!((purity.score, purity.level), (60, Level::Warning));
        let both = rate(Signals { failed_again: 1_000.0, failed: 1_000.0, ..Signals::default() });
        assert_eq!((both.score, both.level), (20, Level::Emergency));
    }

    #[test]
    fn a_purification_is_given_for_two_days() {
        let at = time::parse("2026-01-26T15:30:00Z").unwrap();
        let kept = Purification { at: time::iso(at), text: "x".into(), ..Purification::default() };
        let state = State { purification: Some(kept), ..State::empty() };
        let later = |hours: i64| Timestamp::from_second(at.as_second() + hours * 3_600).unwrap();
        assert!(state.waiting_purification(later(47)).is_some());
        assert!(state.waiting_purification(later(48)).is_none());
        assert!(State::empty().waiting_purification(at).is_none());
    }

    #[test]
    fn what_is_kept_survives_the_state_file_and_counts_there() {
        let kept = Purification {
            at: "2026-01-26T15:30:00.000Z".into(),
            session: "s1".into(),
            since: 7,
            score: 37,
            causes: vec!["3 failed calls −12".into()],
            text: "Asked: x\n".repeat(100),
            extra: Map::from_iter([("theirs".to_owned(), Value::from(1))]),
        };
        let state = State { purification: Some(kept.clone()), ..State::empty() };
        let (read, problems) = State::read(&state.to_json().to_string()).unwrap();
        assert_eq!((read.purification.as_ref(), problems.len()), (Some(&kept), 0));
        let room = crate::budget::file_bytes(&state) - crate::budget::file_bytes(&State::empty());
        assert!(room > kept.text.len(), "{room}");
        let (odd, problems) = State::read(r#"{"purification": "words"}"#).unwrap();
        assert_eq!((odd.purification, problems.len()), (None, 1));
        assert_eq!(odd.unparsed["purification"][0], "words", "kept aside");
    }

    proptest! {
        #[test]
        fn any_signals_and_any_scale_give_a_score_between_0_and_100(
            numbers in prop::array::uniform8(any::<f64>()),
            costs in prop::array::uniform12(any::<u64>()),
        ) {
            let [calls, failed, failed_again, repeated, rereads, abandoned, stale, drift] = numbers;
            let signals = Signals { calls, failed, failed_again, repeated, rereads, abandoned, stale, drift };
            let [warn, purify, emergency, usual_failures, a, b, c, d, e, f, g, most] = costs;
            let scale = Scale {
                warn, purify, emergency, usual_failures, failed: a, failed_again: b, repeated: c, reread: d,
                abandoned: e, stale: f, drift: g, most,
            };
            let purity = scale.rate(&signals);
            prop_assert!(purity.score <= 100);
            prop_assert_eq!(purity.level, scale.level(purity.score));
            let cost = Scale::default().rate(&signals);
            let lost: u64 = cost.causes.iter().map(|cause| cause.points).sum();
            prop_assert_eq!(cost.score, 100_u64.saturating_sub(lost));
        }

        #[test]
        fn more_noise_never_makes_a_context_cleaner(
            numbers in prop::array::uniform8(0.0..50.0_f64), at in 1_usize..8, more in 0.0..20.0_f64,
        ) {
            let signals = |numbers: [f64; 8]| {
                let [calls, failed, failed_again, repeated, rereads, abandoned, stale, drift] = numbers;
                Signals { calls, failed, failed_again, repeated, rereads, abandoned, stale: stale / 50.0, drift: drift / 50.0 }
            };
            let mut worse = numbers;
            worse[at] += more;
            prop_assert!(rate(signals(worse)).score <= rate(signals(numbers)).score);
        }
    }
}
