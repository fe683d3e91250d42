//! The figures as a picture: a bar a compaction, the trend over all of them, and the means.

use throughline_domain::need::Share;
use throughline_domain::text::one_line;
use throughline_engine::coverage::{Compaction, Coverage, Holder};
use throughline_usage::bar::{self, Bar, HEIGHTS, Pen};

use super::table::{percent, when};
use crate::failure::Failure;
use crate::output::{self, DIM, GOOD, HEAD, HINT, styled};

const BAR_CELLS: usize = 40;
/// Bars of the newest compactions; the trend has room for more.
const BARS_MAX: usize = 30;
const TREND_MAX: usize = 80;
/// Fewer are no trend.
const TREND_MIN: usize = 3;

/// What the holders hold on average, over the compactions after which something was needed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Means {
    pub(super) compactions: usize,
    pub(super) summary: Option<f64>,
    pub(super) briefing: Option<f64>,
    pub(super) both: Option<f64>,
    pub(super) blind: Option<f64>,
}

/// The means over all sessions.
pub(super) fn means(coverages: &[Coverage]) -> Means {
    let rated = rated(coverages);
    let mean = |holder: Holder| {
        let ratios: Vec<f64> = rated.iter().filter_map(|(_, it)| it.share(holder).ratio()).collect();
        #[expect(clippy::cast_precision_loss, reason = "compactions are few")]
        let count = ratios.len() as f64;
        (!ratios.is_empty()).then(|| ratios.iter().sum::<f64>() / count)
    };
    Means {
        compactions: rated.len(),
        summary: mean(Holder::Summary),
        briefing: mean(Holder::Briefing),
        both: mean(Holder::Both),
        blind: mean(Holder::Blind),
    }
}

/// Compactions after which something was needed, oldest first, each with its session.
fn rated(coverages: &[Coverage]) -> Vec<(&Coverage, &Compaction)> {
    let all = coverages.iter().flat_map(|coverage| coverage.compactions.iter().map(move |it| (coverage, it)));
    let mut rated: Vec<_> = all.filter(|(_, it)| !it.judged.is_empty()).collect();
    rated.sort_by(|left, right| {
        left.1.stretch.compaction.timestamp.cmp(&right.1.stretch.compaction.timestamp)
    });
    rated
}

/// Bars, trend, means; nothing where nothing was needed.
pub(super) fn show(coverages: &[Coverage]) -> Result<(), Failure> {
    let rated = rated(coverages);
    if rated.is_empty() {
        return Ok(());
    }
    let legend = format!("{} summary alone  {} with the briefing", styled(HINT, "█"), styled(GOOD, "▒"));
    output::say(&format!("\n{}  {legend}", styled(HEAD, "what was needed, and at hand")))?;
    for (coverage, it) in rated.iter().skip(rated.len().saturating_sub(BARS_MAX)) {
        let (summary, both) = (it.share(Holder::Summary), it.share(Holder::Both));
        output::say(&format!(
            "  {:<8}  {:<16}  {}  {:>4} → {:>4}",
            one_line(&coverage.session().chars().take(8).collect::<String>(), 8),
            when(&it.stretch.compaction.timestamp),
            bar(summary, both),
            percent(summary),
            percent(both),
        ))?;
    }
    if rated.len() >= TREND_MIN {
        let trend = |holder: Holder| -> String {
            let newest = rated.iter().skip(rated.len().saturating_sub(TREND_MAX));
            newest.map(|(_, it)| spark(it.share(holder))).collect()
        };
        output::say(&format!("  trend     summary alone     {}", styled(HINT, &trend(Holder::Summary))))?;
        output::say(&format!("            with the briefing {}", styled(GOOD, &trend(Holder::Both))))?;
    }
    let Means { compactions, summary, briefing, both, blind } = means(coverages);
    let number = |mean: Option<f64>| mean.map_or_else(|| "-".to_owned(), |mean| format!("{mean:.3}"));
    let of = if compactions == 1 { "1 compaction".to_owned() } else { format!("{compactions} compactions") };
    output::say(&format!(
        "mean of {of}: summary {}, briefing {}, both {}; blind {}",
        number(summary),
        number(briefing),
        styled(HEAD, &number(both)),
        number(blind),
    ))?;
    let reads: usize = rated.iter().map(|(_, it)| it.stretch.reads).sum();
    let again: usize = rated.iter().map(|(_, it)| it.stretch.rereads).sum();
    output::say(&styled(
        DIM,
        &format!("{again} of {reads} reads were of files it had read or changed before"),
    ))
}

/// `████████▒▒▒▒▒···`: what the summary held, what the briefing added, what was missing.
fn bar(summary: Share, both: Share) -> String {
    let held = cells(summary, BAR_CELLS);
    let with_both = Bar::drawn(cells(both, BAR_CELLS).max(held), BAR_CELLS, Pen::SHADE);
    let added: String = with_both.filled.chars().skip(held).collect();
    format!(
        "{}{}{}",
        styled(HINT, &Bar::drawn(held, BAR_CELLS, Pen::DOTS).filled),
        styled(GOOD, &added),
        styled(DIM, &with_both.empty)
    )
}

fn cells(share: Share, all: usize) -> usize {
    bar::share(share.held as u64, share.of as u64, all)
}

fn spark(share: Share) -> char {
    if share.of == 0 { ' ' } else { HEIGHTS[cells(share, HEIGHTS.len() - 1)] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_full_only_when_nothing_is_missing() {
        let share = |held, of| Share { held, of };
        let plain = |summary, both| anstream::adapter::strip_str(&bar(summary, both)).to_string();
        assert_eq!(plain(share(1, 2), share(2, 2)), format!("{}{}", "█".repeat(20), "▒".repeat(20)));
        assert_eq!(plain(share(0, 100), share(99, 100)), format!("{}·", "▒".repeat(39)));
        assert_eq!(plain(share(0, 0), share(0, 0)), "·".repeat(40));
        assert_eq!(spark(share(99, 100)), '▇');
        assert_eq!(spark(share(0, 5)), '▁');
    }
}
