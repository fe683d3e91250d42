//! Disagreements between the status line and the transcripts about a compaction: each is a line of the log, once.

use throughline_domain::{Timestamp, time};
use throughline_store::archive::ArchiveError;
use throughline_store::log;
use throughline_store::usage::{Disagreement, UsageStore};

use crate::place::Place;

/// Lines of one intake; a history of years may bring many at once.
const LINES_MAX: usize = 20;
const DURING: &str = "usage";

/// Looks for new ones and logs them.
pub(super) fn log(place: &Place, store: &mut UsageStore) -> Result<(), ArchiveError> {
    let new = store.note_disagreements()?;
    let now = Timestamp::now();
    // The newest are those that somebody can still look into.
    let hidden = new.len().saturating_sub(LINES_MAX);
    if hidden > 0 {
        let what = format!(
            "{hidden} older compactions are told of by the status line or the transcript alone; `throughline usage analyze --json` has them (seen_by)"
        );
        log::failure(&place.home, now, DURING, &what);
    }
    for it in &new[hidden..] {
        log::failure(&place.home, now, DURING, &sentence(it));
    }
    Ok(())
}

fn sentence(it: &Disagreement) -> String {
    let (at, session) = (time::iso(it.at), &it.session);
    if it.is_sampled {
        format!("session {session}: the status line saw a compaction at {at}, the transcript tells of none")
    } else {
        format!("session {session}: the transcript tells of a compaction at {at}, the status line saw none")
    }
}
