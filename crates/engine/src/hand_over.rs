//! A session's hand-over: taken in from whoever wrote it, told with whether it still holds.

use std::borrow::Cow;
use std::path::Path;

use throughline_domain::Timestamp;
use throughline_domain::hand_over::{HandOver, HandOvers, StandingLine, Writer, in_summary};
use throughline_domain::ledger::Ledger;
use throughline_redact as redact;
use throughline_store::door::Spot;
use throughline_store::hand_over_file::{self, HandOverError};
use throughline_store::lock::Patience;
use throughline_store::paths::Home;
use throughline_store::session::SessionProgress;

/// Sessions that a line of descent is followed back.
const DESCENT_MAX: usize = 8;

/// Whose hand-over it is: a session's folder in the data folder, and the working tree that its facts name files of.
#[derive(Debug, Clone, Copy)]
pub struct Giver<'g> {
    /// Its folder.
    pub folder: &'g Spot,
    /// Its working tree, where that is known.
    pub work: Option<&'g Path>,
}

/// Takes in the section of a summary, if it has one; says whether it is new.
pub fn take_summary(
    giver: Giver<'_>,
    summary: &str,
    turn: u64,
    ledger: &Ledger,
    now: Timestamp,
) -> Result<bool, HandOverError> {
    let lines = in_summary(summary);
    if lines.is_empty() {
        return Ok(false);
    }
    let handed = HandOver::new(now.as_millisecond(), Writer::Summariser, turn, lines);
    take(giver, handed, ledger, Patience::Hook)
}

/// Takes one in, with what of it is the user's own words.
pub fn take(
    giver: Giver<'_>,
    mut handed: HandOver,
    ledger: &Ledger,
    patience: Patience,
) -> Result<bool, HandOverError> {
    let said: Vec<&str> = ledger.said.iter().map(|word| word.text.as_str()).collect();
    handed.attribute(&said);
    if let Some(work) = giver.work {
        let root = Spot::root(work);
        // A name that is masked is kept nowhere.
        let is_there =
            |path: &str| root.join(path).is_file() && matches!(redact::text(path), Cow::Borrowed(_));
        handed.look_for_files(is_there);
    }
    hand_over_file::take(giver.folder, handed, patience)
}

/// What a session handed over, each fact with whether it holds: files are looked for in the working tree.
pub fn standing(all: &HandOvers, work: &Path, ledger: &Ledger) -> Vec<StandingLine> {
    let root = Spot::root(work);
    let is_gone =
        |path: &&str| root.join(path).meta().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
    let gone = all.files().filter(is_gone).map(str::to_owned).collect();
    all.standing(ledger, &gone)
}

/// The session whose hand-over counts for a session: its own, else that of the one it goes on from.
#[must_use]
pub fn of_line(home: &Home, session: &str) -> Option<(String, HandOvers)> {
    let mut session = session.to_owned();
    for _ in 0..DESCENT_MAX {
        let folder = home.session(&session);
        let all = hand_over_file::read(&folder);
        if !all.is_empty() {
            return Some((session, all));
        }
        SessionProgress::read(&folder).known_parent()?.clone_into(&mut session);
    }
    None
}
