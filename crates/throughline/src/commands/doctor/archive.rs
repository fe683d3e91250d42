//! The archive: whole, reachable, and up to date. A damaged one is set aside and started anew from the working set.

use throughline_domain::time;
use throughline_store::archive::{self, Archive, ArchiveError, SCHEMA_VERSION};
use throughline_store::gate::{self, Folded};

use super::Check;
use super::context::{Context, counted, size_words};
use super::state::left_aside;
use crate::commands::ARCHIVE_WAIT;

const NAME: &str = "archive";
/// One fold takes a bounded part of each spool; more than this many are left to the gates.
const FOLDS_MAX: usize = 16;

pub(super) fn check(context: &Context) -> Vec<Check> {
    let path = context.place.home.archive();
    let waiting = Waiting::count(context);
    if !path.exists() && waiting.is_nothing() && !context.memory.project.state_file().exists() {
        return vec![Check::ok(NAME, "nothing is archived yet")];
    }
    let name = path.name();
    let mut checks: Vec<Check> = left_aside(NAME, context.place.home.root(), &name).into_iter().collect();
    let mut opened = open_whole(context);
    if let Err(ArchiveError::Corrupt { what, .. }) = &opened {
        match archive::set_aside(&path, &time::iso(context.now)) {
            Ok(aside) => {
                let kept = aside.map_or_else(
                    || "another process has set it aside".to_owned(),
                    |aside| format!("it was set aside as {} and a new one started", aside.display()),
                );
                checks.push(Check::warn(
                    NAME,
                    format!("was damaged ({what}): {kept}"),
                    "what left the working set earlier is only in the file that was kept; run `throughline doctor` in your other projects too",
                ));
            }
            Err(error) => {
                let what = format!("is damaged ({what}) and could not be set aside: {error}");
                checks.push(Check::fail(NAME, what, format!("move {} away by hand", path.display())));
                return checks;
            }
        }
        opened = open_whole(context);
    }
    match opened {
        Ok(archive) => checks.extend(bring_up_to_date(context, &archive, &waiting)),
        Err(error) => checks.push(refused(&error, &waiting)),
    }
    checks
}

/// Opens the archive and looks through it; damage inside is an error as well.
fn open_whole(context: &Context) -> Result<Archive, ArchiveError> {
    let path = context.place.home.archive();
    let archive = Archive::open(&path, ARCHIVE_WAIT)?;
    match archive.quick_check()?.into_iter().next() {
        Some(what) => Err(ArchiveError::Corrupt { path: path.shown(), what }),
        None => Ok(archive),
    }
}

/// Folds in what waits, restocks what is missing, and says what is in it then.
fn bring_up_to_date(context: &Context, archive: &Archive, waiting: &Waiting) -> Vec<Check> {
    let mut checks = Vec::new();
    let mut folded = String::new();
    match fold_all(context).and_then(|folded| Ok((folded, restock(context, archive)?))) {
        Ok((done, missing)) => {
            if done != Folded::default() {
                let changes = counted(done.batches as u64, "change", "changes");
                let runs = counted(done.records as u64, "hook run", "hook runs");
                folded = format!("; {changes} and {runs} waited and were folded in");
            }
            if missing > 0 {
                let what = format!(
                    "{} of the working set missing in it, and put back",
                    counted(missing as u64, "entry", "entries")
                );
                checks.push(Check::warn(NAME, what, "nothing to do: they are found again"));
            }
        }
        Err(what) => {
            let what = format!("{} wait: {what}", waiting.words());
            checks.push(Check::warn(
                NAME,
                what,
                "find who has it open (`fuser`, `lsof`), or wait; nothing is lost",
            ));
        }
    }
    let left = Waiting::count(context);
    if left.batches > 0 && checks.is_empty() {
        let what = format!("{} wait: another process is at it", left.words());
        checks.push(Check::warn(NAME, what, "nothing is lost; the next run folds them in"));
    }
    match archive.counts(&context.memory.project.key) {
        Ok(counts) => checks.push(Check::ok(
            NAME,
            format!(
                "{} of this project ({} live), {}, {}; schema {SCHEMA_VERSION}, {}{folded}",
                counted(counts.entries, "entry", "entries"),
                counts.live,
                counted(counts.receipts, "hook run", "hook runs"),
                counted(counts.compactions, "compaction", "compactions"),
                size_words(archive.size_bytes()),
            ),
        )),
        Err(error) => checks.push(refused(&error, &left)),
    }
    checks
}

fn fold_all(context: &Context) -> Result<Folded, String> {
    let ids: Vec<&str> = context.seen.iter().map(|seen| seen.session.as_str()).collect();
    let mut all = Folded::default();
    for _ in 0..FOLDS_MAX {
        let folded = gate::fold(&context.memory, &ids, ARCHIVE_WAIT).map_err(|error| error.to_string())?;
        if folded == Folded::default() {
            break;
        }
        all.batches += folded.batches;
        all.records += folded.records;
    }
    Ok(all)
}

/// How many entries the archive lacked; they are in it afterwards.
fn restock(context: &Context, archive: &Archive) -> Result<usize, String> {
    let count = context.memory.restock(&context.author, archive).map_err(|error| error.to_string())?;
    if count > 0 {
        gate::fold_changes(&context.memory, ARCHIVE_WAIT).map_err(|error| error.to_string())?;
    }
    Ok(count)
}

fn refused(error: &ArchiveError, waiting: &Waiting) -> Check {
    let what = format!("{error} ({} wait)", waiting.words());
    match error {
        ArchiveError::Locked { .. } => {
            Check::warn(NAME, what, "find who has it open (`fuser`, `lsof`), or wait; nothing is lost")
        }
        ArchiveError::Newer { .. } => Check::fail(NAME, what, "install the newer throughline again"),
        ArchiveError::Io { .. } => {
            Check::fail(NAME, what, "check who owns the data folder and its space, or set THROUGHLINE_HOME")
        }
        ArchiveError::Corrupt { .. } | ArchiveError::Other { .. } => Check::fail(
            NAME,
            what,
            "run `throughline doctor` again; if this stays, move the file away by hand",
        ),
    }
}

/// What is not in the archive yet.
struct Waiting {
    batches: usize,
    outbox_bytes: u64,
}

impl Waiting {
    fn count(context: &Context) -> Self {
        let outbox = context.memory.outbox();
        let bytes = outbox.path().bytes();
        Self { batches: outbox.read_all().map_or(0, |batches| batches.len()), outbox_bytes: bytes }
    }

    fn is_nothing(&self) -> bool {
        self.batches == 0
    }

    fn words(&self) -> String {
        let changes = counted(self.batches as u64, "change", "changes");
        format!("{changes} ({})", size_words(self.outbox_bytes))
    }
}
