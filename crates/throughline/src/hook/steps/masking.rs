//! Masking at a gate: some of what earlier versions stored, until all of it was masked by today's rules.

use std::time::{Duration, Instant};

use throughline_store::remask::{self, Job};

use crate::hook::Run;

/// A turn's end may take so much longer, as often as it takes.
const TIME_MAX: Duration = Duration::from_millis(80);
const WAIT: Duration = Duration::from_millis(30);

/// Goes on with it. What does not go in passing is told by `doctor`.
pub(in crate::hook) fn go_on(run: &Run) {
    let place = &run.place;
    if !remask::is_due(&place.home) {
        return;
    }
    let job = Job {
        home: &place.home,
        claude_folder: place.claude_folder.as_deref(),
        user_home: place.user_home.as_deref(),
        deadline: Some(Instant::now() + TIME_MAX),
        wait: WAIT,
    };
    let _ = job.run();
}
