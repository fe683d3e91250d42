//! A session's hand-over: taken in from whoever wrote it, told with whether it still holds.

use std::collections::BTreeSet;
use std::path::Path;

use throughline_domain::Timestamp;
use throughline_domain::hand_over::{
    FILES_MAX, HandOver, HandOvers, StandingLine, Writer, in_summary, paths_in,
};
use throughline_domain::ledger::Ledger;
use throughline_store::door::Spot;
use throughline_store::hand_over_file::{self, HandOverError};
use throughline_store::lock::Patience;
use throughline_store::paths::Home;
use throughline_store::session::SessionCache;

/// Sessions that a line of descent is followed back.
const DESCENT_MAX: usize = 8;

/// Takes in the section of a summary, if it has one; says whether it is new.
pub(crate) fn take_summary(
    home: &Home,
    session: &str,
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
    take(home, session, handed, ledger, Patience::Hook)
}

/// Takes one in, with what of it is the user's own words.
pub(crate) fn take(
    home: &Home,
    session: &str,
    mut handed: HandOver,
    ledger: &Ledger,
    patience: Patience,
) -> Result<bool, HandOverError> {
    let said: Vec<&str> = ledger.said.iter().map(|word| word.text.as_str()).collect();
    handed.attribute(&said);
    hand_over_file::take(&home.session(session), handed, patience)
}

/// What a session handed over, each fact with whether it holds: files are looked for in the working tree.
pub(crate) fn standing(all: &HandOvers, work: &Path, ledger: &Ledger) -> Vec<StandingLine> {
    let last = all.last.iter().flat_map(|last| &last.lines).map(|line| &line.text);
    let texts = last.chain(all.carried.iter().map(|line| &line.text));
    let named: BTreeSet<&str> = texts.flat_map(|text| paths_in(text)).take(FILES_MAX).collect();
    let root = Spot::root(work);
    let is_gone =
        |path: &&str| root.join(path).meta().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
    let gone = named.into_iter().filter(is_gone).map(str::to_owned).collect();
    all.standing(ledger, &gone)
}

/// The session whose hand-over counts for a session: its own, else that of the one it goes on from.
pub(crate) fn of_line(home: &Home, session: &str) -> Option<(String, HandOvers)> {
    let mut session = session.to_owned();
    for _ in 0..DESCENT_MAX {
        let folder = home.session(&session);
        let all = hand_over_file::read(&folder);
        if !all.is_empty() {
            return Some((session, all));
        }
        session = SessionCache::read(&folder)?.parent.filter(|parent| !parent.is_empty())?;
    }
    None
}
