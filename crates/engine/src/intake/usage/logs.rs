//! The usage logs of the projects that are known: samples of how full the context was.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::SystemTime;

use throughline_store::archive::ArchiveError;
use throughline_store::door::Spot;
use throughline_store::usage::{Batch, UsageStore};
use throughline_store::usage_log;
use throughline_store::usage_log::read::{changed, read as read_log};

use super::{Intake, Seen};
use crate::place::Place;

/// Most projects whose logs are looked for.
const PROJECTS_MAX: usize = 10_000;

/// Reads what is new in the logs of every project that responses came from, and of the one at hand.
pub(super) fn read(
    place: &Place,
    seen: &Seen<'_>,
    store: &mut UsageStore,
    intake: &mut Intake,
) -> Result<(), ArchiveError> {
    let at_hand = (place.around.current_folder)().and_then(|folder| place.project_around(&folder));
    let mut roots: BTreeSet<PathBuf> = store.projects()?.into_iter().map(PathBuf::from).collect();
    roots.extend(at_hand);
    let now = SystemTime::now();
    for root in roots.iter().filter(|root| root.is_absolute()).take(PROJECTS_MAX) {
        let folder = usage_log::folder(&place.project_at(root));
        for log in changed(&folder, seen.known) {
            let mut stopped = None;
            let done = read_log(&log, now, |piece| {
                intake.bytes += piece.bytes;
                let mut samples = piece.samples;
                samples.retain(|it| !seen.forgotten.covers(&it.session, &it.project, it.at.as_millisecond()));
                let batch = Batch { samples, files: piece.file.into_iter().collect(), ..Batch::default() };
                match store.add(&batch) {
                    Ok(added) => intake.added.add(added),
                    Err(error) => stopped = Some(error),
                }
                lost(intake, &log.path, piece.lines_lost);
                stopped.is_none()
            });
            if let Some(error) = stopped {
                return Err(error);
            }
            if let Err(error) = done {
                intake.problem(log.path.shown(), error.source.to_string());
            }
        }
    }
    Ok(())
}

fn lost(intake: &mut Intake, path: &Spot, lines: u64) {
    if lines > 0 {
        let what = if lines == 1 {
            "a line that holds no sample".to_owned()
        } else {
            format!("{lines} lines that hold no sample")
        };
        intake.problem(path.shown(), what);
    }
}
