//! Recorded entries among the results: they are searched where they are kept, in the archive.

use throughline_domain::recall::rank::{self, Answer};
use throughline_domain::{Kind, Timestamp, time};
use throughline_store::archive::{Archive, EntryRow};
use throughline_store::recall::Asked;

use super::Desk;
use super::ask::Search;
use crate::commands::ARCHIVE_WAIT;
use crate::output;
use crate::place;

/// Entries of the archive that are looked at.
const ENTRIES_MAX: u64 = 60;
/// What somebody recorded on purpose counts more than what was said.
const RECORDED: f64 = 1.35;
/// What an entry of the project at hand counts more.
const AT_HAND: f64 = 1.15;

/// A recorded entry that answers.
pub(super) struct Recorded {
    pub(super) row: EntryRow,
    /// Its words, with its reason.
    pub(super) text: String,
    pub(super) at_s: i64,
    pub(super) answer: Answer,
}

/// The entries that answer, best first. An archive that cannot be read costs a warning.
pub(super) fn search(desk: &Desk<'_>, search: &Search, asked: &Asked<'_>) -> Vec<Recorded> {
    if search.entry_kinds.as_ref().is_some_and(Vec::is_empty) || !desk.place.home.archive().exists() {
        return Vec::new();
    }
    let words: Vec<&str> = search.question.wanted.iter().map(|wanted| wanted.form.as_str()).collect();
    let keys = project_keys(desk, search);
    // One project alone is asked for by its key: others could fill the number of those that are looked at.
    let only = keys.as_deref().and_then(|keys| if let [key] = keys { Some(key.as_str()) } else { None });
    let rows = Archive::open(&desk.place.home.archive(), ARCHIVE_WAIT)
        .and_then(|archive| archive.search(&words.join(" "), only, ENTRIES_MAX));
    let rows = match rows {
        Ok(rows) => rows,
        Err(error) => {
            output::warn(&format!("recorded entries are not searched: {error}"));
            return Vec::new();
        }
    };
    let at_hand = desk.at_hand.as_deref().map(|root| desk.place.project_at(root).key);
    let mut found: Vec<Recorded> = rows
        .into_iter()
        .filter(|row| keys.as_ref().is_none_or(|keys| keys.contains(&row.project)))
        .filter(|row| is_wanted(search, row))
        .filter_map(|row| {
            let text = if row.reason.is_empty() {
                row.text.clone()
            } else {
                format!("{} (because {})", row.text, row.reason)
            };
            let mut answer = asked.judge.judge(&text)?;
            let at_s = time::parse(&row.recorded_at).map_or(0, Timestamp::as_second);
            answer.score *= RECORDED
                * rank::recency(desk.now.as_second() - at_s, desk.rules.half_life_days)
                * if Some(&row.project) == at_hand.as_ref() { AT_HAND } else { 1.0 };
            Some(Recorded { row, text, at_s, answer })
        })
        .filter(|it| search.scope.since_s.is_none_or(|since| it.at_s >= since))
        .collect();
    found.sort_by(|left, right| right.answer.score.total_cmp(&left.answer.score));
    found
}

fn is_wanted(search: &Search, row: &EntryRow) -> bool {
    let is_of_kind = search
        .entry_kinds
        .as_ref()
        .is_none_or(|kinds| Kind::from_word(&row.kind).is_some_and(|kind| kinds.contains(&kind)));
    let is_of_session = search.scope.session.as_deref().is_none_or(|wanted| {
        row.session.as_deref().is_some_and(|session| session.to_lowercase().starts_with(wanted))
    });
    is_of_kind && is_of_session
}

/// The archive knows projects by their keys.
fn project_keys(desk: &Desk<'_>, search: &Search) -> Option<Vec<String>> {
    let folders = &search.scope.projects;
    (!folders.is_empty()).then(|| {
        folders
            .iter()
            .map(|folder| desk.place.project_at(&place::real(std::path::Path::new(folder))).key)
            .collect()
    })
}
