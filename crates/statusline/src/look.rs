//! The look: which segments, how wide, in which characters and colours.

use crate::preset::Preset;
use crate::segment::Segment;

/// Most cells of a bar.
const BAR_CELLS_MAX: usize = 60;

/// Whether colours are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Colour {
    /// No codes at all.
    #[default]
    Off,
    /// The terminal's own sixteen.
    On,
}

/// How the lines look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// The base of it.
    pub preset: Preset,
    /// The segments in their order.
    pub segments: Vec<Segment>,
    /// Whether colours are used.
    pub colour: Colour,
    /// Most columns of a line; `None`: as long as it gets.
    pub columns: Option<usize>,
    /// Cells of the bar.
    pub bar_cells: usize,
}

impl Look {
    /// A preset, as wide as it gets, without colours.
    #[must_use]
    pub fn of(preset: Preset) -> Self {
        Self {
            preset,
            segments: preset.segments().to_vec(),
            colour: Colour::Off,
            columns: None,
            bar_cells: 10,
        }
    }

    /// A preset by its name (an unknown one is the default), with other segments where some are named.
    #[must_use]
    pub fn named<'a>(preset: &str, segments: impl IntoIterator<Item = &'a str>) -> Self {
        let mut look = Self::of(Preset::from_name(preset).unwrap_or_default());
        let named: Vec<Segment> = segments.into_iter().filter_map(Segment::from_name).collect();
        if !named.is_empty() {
            look.segments = named;
        }
        look
    }

    /// Whether a segment is shown.
    #[must_use]
    pub fn shows(&self, segment: Segment) -> bool {
        self.segments.contains(&segment)
    }

    pub(crate) fn cells(&self) -> usize {
        self.bar_cells.clamp(1, BAR_CELLS_MAX)
    }
}
