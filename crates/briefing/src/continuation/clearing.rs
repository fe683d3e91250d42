//! Clearing: whether the context should be emptied before going on, and why.

use super::{Fill, Session, Variant, WorkStanding};

/// From here on a fresh start is worth more than what the context still holds, if nothing is in hand.
const HALF_PERCENT: u64 = 50;

/// What to do with the context first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advice {
    /// Nothing.
    None,
    /// `/clear`.
    Clear,
    /// `/compact` with a focus.
    Compact,
}

impl Advice {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Clear => "clear",
            Self::Compact => "compact",
        }
    }
}

/// Whether to clear first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clear {
    /// What to do.
    pub advice: Advice,
    /// Why, in one line.
    pub why: String,
}

/// Decides: at a boundary half of the way is enough, in the middle of work only what fills up is compacted.
pub(super) fn advise(variant: Variant, standing: &WorkStanding<'_>) -> Clear {
    let none = |why: &str| Clear { advice: Advice::None, why: why.to_owned() };
    match standing.session {
        None => return none("a new session starts empty, and is told what is kept"),
        Some(Session { is_live: false, .. }) => {
            return none(
                "the session is over; `claude` alone starts an empty one, which is told what is kept",
            );
        }
        Some(_) => {}
    }
    if let Some(score) = standing.purified {
        return Clear {
            advice: Advice::Clear,
            why: format!(
                "the context has gone bad (purity {score} of 100); what is true in it is kept, and the next start gets it"
            ),
        };
    }
    let Some(Fill { percent, warning }) = standing.fill else {
        return none("how full the context is, the next answer will tell");
    };
    let used = format!("{percent} % of the way to the compaction is used");
    let is_dirty = standing.is_dirty == Some(true);
    let in_hand = match (variant.is_in_the_middle(), is_dirty) {
        (true, _) => Some("work is in hand"),
        (false, true) => Some("the working tree holds what no commit has"),
        (false, false) => None,
    };
    match in_hand {
        Some(in_hand) if percent >= warning => Clear {
            advice: Advice::Compact,
            why: format!("{used}, and {in_hand}; `throughline compact-focus` prints the line to paste"),
        },
        Some(in_hand) => none(&format!("{in_hand}, and there is room ({used})")),
        None if percent > HALF_PERCENT => Clear {
            advice: Advice::Clear,
            why: format!(
                "{used}, and nothing is in hand; what is recorded is kept, and `throughline next` says this again"
            ),
        },
        None => none(&format!("there is room ({used})")),
    }
}
