//! Bars for terminals: a share of a whole as cells of one line.

use std::fmt;

/// The eight heights of a line of values: `▁▂▃▅█`.
pub const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// What cells look like, from an empty one to a full one; those in between are begun.
#[derive(Debug, Clone, Copy)]
pub struct Pen(&'static [&'static str]);

impl Pen {
    /// `███░░`
    pub const WHOLE: Self = Self(&["░", "█"]);
    /// `██▌░░`
    pub const HALVES: Self = Self(&["░", "▌", "█"]);
    /// `██▍`, and nothing behind it.
    pub const EIGHTHS: Self = Self(&["", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"]);
    /// `###--`
    pub const ASCII: Self = Self(&["-", "#"]);
    /// `███··`
    pub const DOTS: Self = Self(&["·", "█"]);
    /// `▒▒▒··`
    pub const SHADE: Self = Self(&["·", "▒"]);

    /// In how many steps a cell is filled.
    #[must_use]
    pub fn steps(self) -> usize {
        self.0.len().saturating_sub(1)
    }
}

/// A bar, in two parts that may be coloured differently.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bar {
    /// The cells that are full, and one that is begun.
    pub filled: String,
    /// The others.
    pub empty: String,
}

impl Bar {
    /// A bar of so many cells for a share; full only when the part is all of the whole.
    #[must_use]
    pub fn of(part: u64, whole: u64, cells: usize, pen: Pen) -> Self {
        Self::drawn(share(part, whole, cells * pen.steps()), cells, pen)
    }

    /// A bar of so many cells, so many steps of which are done.
    #[must_use]
    pub fn drawn(steps: usize, cells: usize, pen: Pen) -> Self {
        let mut bar = Self::default();
        for cell in 0..cells {
            let step = steps.saturating_sub(cell * pen.steps()).min(pen.steps());
            let side = if step > 0 { &mut bar.filled } else { &mut bar.empty };
            side.push_str(pen.0.get(step).copied().unwrap_or_default());
        }
        bar
    }
}

impl fmt::Display for Bar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.filled, self.empty)
    }
}

/// So many of `all` as the part is of the whole; the last one only when nothing is missing.
#[must_use]
pub fn share(part: u64, whole: u64, all: usize) -> usize {
    let share = u128::from(part) * all as u128 / u128::from(whole.max(1));
    usize::try_from(share).unwrap_or(all).min(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_has_its_width_whatever_the_share_and_is_full_only_at_the_whole() {
        let drawn = |part, whole, pen| Bar::of(part, whole, 10, pen).to_string();
        for (part, whole, pen, expected) in [
            (50, 100, Pen::WHOLE, "█████░░░░░"),
            (59, 100, Pen::WHOLE, "█████░░░░░"),
            (0, 100, Pen::ASCII, "----------"),
            (99, 100, Pen::ASCII, "#########-"),
            (50, 100, Pen::HALVES, "█████░░░░░"),
            (99, 100, Pen::HALVES, "█████████▌"),
            (u64::MAX, 100, Pen::HALVES, "██████████"),
            (u64::MAX, u64::MAX, Pen::SHADE, "▒▒▒▒▒▒▒▒▒▒"),
            (5, 0, Pen::HALVES, "██████████"),
            (0, 0, Pen::DOTS, "··········"),
            (29, 100, Pen::EIGHTHS, "██▉"),
        ] {
            assert_eq!(drawn(part, whole, pen), expected, "{part} of {whole}");
        }
        assert_eq!(Bar::of(1, 1, 0, Pen::WHOLE), Bar::default());
    }
}
