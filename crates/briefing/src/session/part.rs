//! Parts: what a session's text consists of, in order, and how each part reads.

use super::items::Item;

/// Most items of what a summariser is told: open tasks, changed files, commands that check the work,
/// decisions, errors.
const CAPS: [(&[Part], usize); 5] = [
    (&[Part::Tasks], 10),
    (&[Part::Uncommitted, Part::Edited, Part::Where], 20),
    (&[Part::Checks], 5),
    (&[Part::Decisions], 15),
    (&[Part::Failing], 8),
];

/// Leaves out what whoever sums up has before their eyes anyway, and what is over a cap, what is worth least first.
pub(super) fn keep_to_caps(items: &mut Vec<Item>) {
    items.retain(|item| item.part.is_certain());
    for (parts, count_max) in CAPS {
        let mut worths: Vec<f64> =
            items.iter().filter(|it| parts.contains(&it.part)).map(|it| it.worth).collect();
        if worths.len() <= count_max {
            continue;
        }
        worths.sort_by(|left, right| right.total_cmp(left));
        let least = worths[count_max - 1];
        let mut left = count_max;
        items.retain(|item| {
            let stays = !parts.contains(&item.part) || item.worth >= least && left > 0;
            left -= usize::from(stays && parts.contains(&item.part));
            stays
        });
    }
}

/// The parts of the text, in the order in which a colleague would hand them over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Part {
    Request,
    Stand,
    Tasks,
    HandOver,
    Questions,
    Plan,
    Report,
    Directives,
    Recorded,
    Failing,
    Checks,
    Detours,
    Told,
    Earlier,
    Decisions,
    Done,
    Landmarks,
    Where,
    Uncommitted,
    Edited,
    Commands,
    Seen,
    Words,
    Pasted,
}

impl Part {
    /// Units of `; ` before and `/: ` after a group's label.
    pub(super) const GROUP_UNITS: usize = 5;

    pub(super) fn heading(self) -> &'static str {
        match self {
            // What was handed over is headed by whose words they are.
            Self::Request | Self::Stand | Self::Recorded | Self::HandOver => "",
            Self::Tasks => "Tasks:",
            Self::Done => "Done:",
            Self::Directives => "The user's directives:",
            Self::Words => "The user also said:",
            Self::Pasted => "The user pasted:",
            Self::Failing => "Fails:",
            Self::Checks => "Checks:",
            Self::Commands => "Run before:",
            Self::Plan => "Next, from your plan:",
            Self::Decisions => "Settled by the user:",
            Self::Report => "From your last report to the user:",
            Self::Told => "You said on the way, newest last:",
            Self::Earlier => "From earlier summaries of this session:",
            Self::Detours => "Tried in vain, refused:",
            Self::Landmarks => "Left behind:",
            Self::Where => "Put into files:",
            Self::Questions => "Asked, not answered:",
            Self::Uncommitted => "Edited, no commit since:",
            Self::Edited => "Edited:",
            Self::Seen => "Read or named:",
        }
    }

    pub(super) fn heading_units(self) -> usize {
        self.heading().len() + 1
    }

    /// The share of the room that it may take before everything else had its turn, in hundredths.
    pub(super) fn quota(self) -> usize {
        match self {
            // What was handed over has a share of its own (`hand_over.rs`).
            Self::Request | Self::Stand | Self::Tasks | Self::Recorded | Self::HandOver => 100,
            Self::Report => 24,
            Self::Told => 20,
            Self::Earlier => 22,
            Self::Directives => 18,
            Self::Failing => 12,
            Self::Commands => 12,
            Self::Where | Self::Checks => 9,
            Self::Detours => 8,
            Self::Landmarks | Self::Questions | Self::Plan => 7,
            Self::Words => 10,
            Self::Decisions | Self::Uncommitted => 5,
            Self::Done | Self::Pasted | Self::Edited | Self::Seen => 4,
        }
    }

    /// Whether it holds what we know for certain and summaries lose; somebody's words on the way are none of that.
    fn is_certain(self) -> bool {
        !matches!(self, Self::Report | Self::Told | Self::Seen | Self::Words | Self::Pasted)
    }

    /// Whether what it holds is worth less once somebody who saw it handed the work over.
    pub(super) fn fades(self) -> bool {
        !matches!(
            self,
            Self::Request
                | Self::Stand
                | Self::Tasks
                | Self::HandOver
                | Self::Questions
                | Self::Directives
                | Self::Recorded
                | Self::Failing
        )
    }

    /// Whether it holds what nobody can look up again.
    pub(super) fn is_lost_for_good(self) -> bool {
        matches!(
            self,
            Self::Request
                | Self::Tasks
                | Self::Questions
                | Self::Directives
                | Self::Failing
                | Self::Checks
                | Self::Decisions
                | Self::Detours
                | Self::Landmarks
        )
    }

    /// Whether its items stand side by side.
    pub(super) fn is_inline(self) -> bool {
        matches!(self, Self::Commands | Self::Uncommitted | Self::Edited | Self::Seen)
    }

    pub(super) fn separator(self) -> &'static str {
        if self == Self::Commands { " · " } else { ", " }
    }

    pub(super) fn separator_units(self) -> usize {
        if self.is_inline() { 3 } else { 1 }
    }
}
