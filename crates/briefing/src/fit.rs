//! Fitting: which lines go into a text under a cap. The most needed first; shown in their own order.

use throughline_domain::text::{shorten, utf16_len};

/// Shortest beginning of a line that is worth showing.
const WORTHWHILE_UNITS: usize = 30;

/// How long a text may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cap {
    /// UTF-16 units.
    pub units: usize,
}

impl Cap {
    /// A cap in tokens (`ceil(units / 4)`), never above what the client lets through whole.
    ///
    /// ```
    /// use throughline_briefing::Cap;
    /// assert_eq!(Cap::tokens(1_200).units, 4_800);
    /// assert_eq!(Cap::tokens(9_999).units, 10_000);
    /// ```
    #[must_use]
    pub fn tokens(tokens: u64) -> Self {
        Self { units: usize::try_from(tokens.saturating_mul(4)).unwrap_or(usize::MAX).min(10_000) }
    }

    /// A cap without what is spent already.
    #[must_use]
    pub fn less(self, units: usize) -> Self {
        Self { units: self.units.saturating_sub(units) }
    }
}

/// A line that could be said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// 0 is needed most; lines of rank 0 are shortened rather than left out.
    pub rank: u8,
    /// The words.
    pub text: String,
    /// Why it is there, for people who ask.
    pub why: &'static str,
}

/// Lines under a heading.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Section {
    /// Shown when at least one line is; may be empty.
    pub heading: String,
    /// In the order in which they are shown.
    pub lines: Vec<Line>,
    /// Which of two lines of the same rank goes in when there is room for one.
    pub first: First,
}

/// Which end of a section is needed more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum First {
    /// What is shown first.
    #[default]
    Top,
    /// What is shown last: the newest, where the oldest is shown first.
    Bottom,
}

/// What was chosen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Chosen {
    /// The text.
    pub text: String,
    /// Each line of it that came from a [`Line`], with the reason.
    pub reasons: Vec<(String, &'static str)>,
    /// How many lines found no room.
    pub left_out: usize,
}

/// Chooses and joins: never over the cap, never in the middle of a line but for rank 0.
///
/// When the lines of rank 0 do not fit as they are, they share the room: the long ones are shortened, so that each
/// of them is said.
#[must_use]
pub fn fit(sections: &[Section], cap: Cap) -> Chosen {
    let mut order: Vec<(u8, usize, usize)> = Vec::new();
    for (section_at, section) in sections.iter().enumerate() {
        for (line_at, line) in section.lines.iter().enumerate() {
            order.push((line.rank, section_at, line_at));
        }
    }
    order.sort_by_key(|(rank, section_at, line_at)| {
        let section = &sections[*section_at];
        let place = match section.first {
            First::Top => *line_at,
            First::Bottom => section.lines.len() - line_at,
        };
        (*rank, *section_at, place)
    });
    let longest = longest_of_rank_0(sections, &order, cap);
    let mut taken: Vec<Vec<Option<String>>> =
        sections.iter().map(|section| vec![None; section.lines.len()]).collect();
    let mut has_heading: Vec<bool> = sections.iter().map(|section| section.heading.is_empty()).collect();
    let mut room = cap.units;
    let mut left_out = 0;
    for (rank, section_at, line_at) in order {
        let section = &sections[section_at];
        let heading_units = if has_heading[section_at] { 0 } else { utf16_len(&section.heading) + 1 };
        let line = &section.lines[line_at].text;
        let text = match rank {
            0 if utf16_len(line) > longest => shorten(&line.replace('\n', " "), longest),
            _ => line.clone(),
        };
        let units = utf16_len(&text) + 1 + heading_units;
        if units <= room {
            taken[section_at][line_at] = Some(text);
            has_heading[section_at] = true;
            room -= units;
        } else {
            left_out += 1;
        }
    }
    join(sections, &taken, left_out)
}

/// How long a line of rank 0 may be so that all of them fit; never below what is worth showing.
fn longest_of_rank_0(sections: &[Section], order: &[(u8, usize, usize)], cap: Cap) -> usize {
    let needed = order.iter().take_while(|(rank, _, _)| *rank == 0);
    let mut lines: Vec<usize> = Vec::new();
    let mut fixed = 0;
    let mut last_section = None;
    for (_, section_at, line_at) in needed {
        let section = &sections[*section_at];
        if last_section.replace(*section_at) != Some(*section_at) && !section.heading.is_empty() {
            fixed += utf16_len(&section.heading) + 1;
        }
        lines.push(utf16_len(&section.lines[*line_at].text));
    }
    lines.sort_unstable();
    let mut room = cap.units.saturating_sub(fixed + lines.len());
    // The short ones take what they need; what they leave is shared by the others.
    for (at, units) in lines.iter().enumerate() {
        let share = room / (lines.len() - at);
        if *units > share {
            return share.max(WORTHWHILE_UNITS);
        }
        room -= units;
    }
    usize::MAX
}

fn join(sections: &[Section], taken: &[Vec<Option<String>>], left_out: usize) -> Chosen {
    let mut chosen = Chosen { left_out, ..Chosen::default() };
    for (section, taken) in sections.iter().zip(taken) {
        if taken.iter().all(Option::is_none) {
            continue;
        }
        if !section.heading.is_empty() {
            chosen.text.push_str(&section.heading);
            chosen.text.push('\n');
        }
        for (line, text) in section.lines.iter().zip(taken) {
            let Some(text) = text else { continue };
            chosen.text.push_str(text);
            chosen.text.push('\n');
            chosen.reasons.push((text.clone(), line.why));
        }
    }
    chosen
}
