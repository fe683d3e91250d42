//! Analysis of compactions: how full the context was before and after, what that makes on average, and where it tends.

use serde_json::{Value, json};
use throughline_domain::Timestamp;
use throughline_domain::time::iso;

/// Width of a step of the distribution, in percent.
const STEP_PERCENT: u16 = 5;

/// One compaction.
#[derive(Debug, Clone, PartialEq)]
pub struct Compaction {
    /// When.
    pub at: Timestamp,
    /// The session.
    pub session: String,
    /// The project.
    pub project: String,
    /// The model.
    pub model: String,
    /// Percent of the window in the sample before this one.
    pub before_percent: Option<f64>,
    /// Percent of the window in the sample after it.
    pub after_percent: Option<f64>,
    /// Tokens before.
    pub before_tokens: Option<u64>,
    /// Tokens after.
    pub after_tokens: Option<u64>,
    /// Whether the client decided it; `None` where nobody said.
    pub is_auto: Option<bool>,
    /// What tells of it.
    pub seen_by: SeenBy,
}

/// What tells of a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeenBy {
    /// The samples of the status line and the transcript.
    Both,
    /// The samples alone.
    Samples,
    /// The transcript alone.
    Transcript,
}

impl SeenBy {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::Samples => "samples",
            Self::Transcript => "transcript",
        }
    }
}

/// What compactions have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// How many.
    pub count: usize,
    /// How many of them the client decided, and the user; the rest nobody said of.
    pub auto: usize,
    /// Likewise.
    pub manual: usize,
    /// How full the context was when it happened, in percent of the window.
    pub before: Option<Spread>,
    /// How full it was afterwards.
    pub after: Option<Spread>,
    /// How many times smaller it became: the averages divided, and over how many compactions.
    pub ratio: Option<(f64, usize)>,
    /// How many compactions happened at how many percent: the lower end of each step, and the count.
    pub distribution: Vec<(u16, usize)>,
}

/// Average, smallest, median and largest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Of how many compactions it is known.
    pub count: usize,
    /// The average.
    pub average: f64,
    /// The smallest.
    pub min: f64,
    /// The one in the middle.
    pub median: f64,
    /// The largest.
    pub max: f64,
}

impl Spread {
    fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        let (min, max) = (*values.first()?, *values.last()?);
        #[expect(clippy::cast_precision_loss, reason = "compactions are few")]
        let average = values.iter().sum::<f64>() / values.len() as f64;
        let middle = values.len() / 2;
        let median = if values.len() % 2 == 1 {
            values[middle]
        } else {
            f64::midpoint(values[middle - 1], values[middle])
        };
        Some(Self { count: values.len(), average, min, median, max })
    }

    fn json(self) -> Value {
        let Self { count, average, min, median, max } = self;
        json!({ "count": count, "average": hundredths(average), "min": hundredths(min), "median": hundredths(median), "max": hundredths(max) })
    }
}

/// What these compactions have in common.
#[must_use]
pub fn analyze(compactions: &[Compaction]) -> Analysis {
    // The ratio compares averages over the same compactions.
    let whole = || compactions.iter().filter_map(|it| Some((it.before_percent?, it.after_percent?)));
    let both = Spread::of(whole().map(|(before, _)| before)).zip(Spread::of(whole().map(|(_, after)| after)));
    Analysis {
        count: compactions.len(),
        auto: compactions.iter().filter(|it| it.is_auto == Some(true)).count(),
        manual: compactions.iter().filter(|it| it.is_auto == Some(false)).count(),
        before: Spread::of(compactions.iter().filter_map(|it| it.before_percent)),
        after: Spread::of(compactions.iter().filter_map(|it| it.after_percent)),
        ratio: both
            .filter(|(_, after)| after.average > 0.0)
            .map(|(before, after)| (before.average / after.average, after.count)),
        distribution: distribution(compactions),
    }
}

fn distribution(compactions: &[Compaction]) -> Vec<(u16, usize)> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a percentage; a cast saturates"
    )]
    let step = |percent: f64| percent as u16 / STEP_PERCENT * STEP_PERCENT;
    let steps: Vec<u16> = compactions.iter().filter_map(|it| it.before_percent).map(step).collect();
    let (Some(min), Some(max)) = (steps.iter().min(), steps.iter().max()) else { return Vec::new() };
    (*min..=*max)
        .step_by(usize::from(STEP_PERCENT))
        .map(|low| (low, steps.iter().filter(|step| **step == low).count()))
        .collect()
}

impl Analysis {
    /// As JSON, with every compaction.
    #[must_use]
    pub fn json(&self, compactions: &[Compaction]) -> Value {
        let rows: Vec<Value> = compactions.iter().map(Compaction::json).collect();
        let steps: Vec<Value> = self
            .distribution
            .iter()
            .map(|(low, count)| json!({ "from_percent": low, "to_percent": low + STEP_PERCENT, "count": count }))
            .collect();
        json!({
            "count": self.count,
            "auto": self.auto,
            "manual": self.manual,
            "before_percent": self.before.map(Spread::json),
            "after_percent": self.after.map(Spread::json),
            "ratio": self.ratio.map(|(ratio, _)| hundredths(ratio)),
            "ratio_count": self.ratio.map(|(_, count)| count),
            "distribution": steps,
            "compactions": rows,
        })
    }
}

impl Compaction {
    fn json(&self) -> Value {
        json!({
            "at": iso(self.at),
            "session": self.session,
            "project": self.project,
            "model": self.model,
            "before_percent": self.before_percent.map(hundredths),
            "after_percent": self.after_percent.map(hundredths),
            "before_tokens": self.before_tokens,
            "after_tokens": self.after_tokens,
            "auto": self.is_auto,
            "seen_by": self.seen_by.word(),
        })
    }
}

/// With two digits behind the point.
fn hundredths(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compaction(before: Option<f64>, after: Option<f64>) -> Compaction {
        Compaction {
            at: Timestamp::UNIX_EPOCH,
            session: "s".to_owned(),
            project: "/p".to_owned(),
            model: "m".to_owned(),
            before_percent: before,
            after_percent: after,
            before_tokens: None,
            after_tokens: None,
            is_auto: Some(true),
            seen_by: SeenBy::Samples,
        }
    }

    #[test]
    fn three_compactions_from_93_95_and_91_to_12_33_on_average_shrink_7_54_times() {
        let events = [(93.0, 12.0), (95.0, 13.0), (91.0, 12.0)];
        let events = events.map(|(before, after)| compaction(Some(before), Some(after)));
        let analysis = analyze(&events);
        assert_eq!(analysis.count, 3);
        let before = analysis.before.unwrap();
        assert_eq!(format!("{:.2} {:.0} {:.0}", before.average, before.min, before.max), "93.00 91 95");
        assert_eq!(format!("{:.2}", analysis.after.unwrap().average), "12.33");
        // Not 100 divided by what was left, as an older tool printed it.
        assert_eq!(format!("{:.2}", analysis.ratio.unwrap().0), "7.54");
        assert_eq!(analysis.distribution, [(90, 2), (95, 1)]);
    }

    #[test]
    fn what_is_not_known_is_left_out_of_the_averages_and_not_taken_for_zero() {
        let events =
            [compaction(Some(80.0), None), compaction(Some(60.0), Some(20.0)), compaction(None, Some(30.0))];
        let analysis = analyze(&events);
        assert_eq!(analysis.before.map(|it| it.average), Some(70.0));
        assert_eq!(analysis.after.map(|it| it.average), Some(25.0));
        assert_eq!(analysis.ratio, Some((3.0, 1)), "of the one that is known on both sides");
        let none = analyze(&[]);
        assert_eq!((none.count, none.before, none.ratio, none.distribution), (0, None, None, Vec::new()));
    }
}
