//! The status line: what is known becomes lines of segments that fit the terminal. Pure.

mod burn;
mod clean;
mod facts;
mod fit;
mod look;
mod paint;
mod preset;
mod segment;
mod words;

pub use burn::seconds_to;
pub use clean::{clean, width};
pub use facts::{Compaction, Context, Facts, Limit, Saved};
pub use look::{Colour, Look};
pub use preset::Preset;
pub use segment::Segment;

/// What is shown when nothing is known.
pub const NO_DATA: &str = "[throughline] no data";

/// The lines, none wider than the look allows. A line on which nothing is known is left out; one always stands.
#[must_use]
pub fn render(facts: &Facts<'_>, look: &Look) -> Vec<String> {
    let mut lines: Vec<String> = look
        .segments
        .split(|segment| *segment == Segment::Newline)
        .map(|line| fit::line(facts, line, look))
        .filter(|line| !line.is_empty())
        .collect();
    if lines.is_empty() {
        lines.push(fit::line(facts, &[Segment::Model, Segment::Percent], look));
    }
    lines
}
