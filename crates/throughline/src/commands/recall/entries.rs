//! Recorded entries among the results: they are searched where they are kept, in the archive.

use throughline_domain::{Timestamp, time};
use throughline_engine::place;
use throughline_recall::entries::{self, Facts, Recorded};
use throughline_recall::weights::ENTRIES_MAX;
use throughline_recall::{Asked, Search};
use throughline_store::archive::{Archive, EntryRow};

use super::Desk;
use crate::commands::ARCHIVE_WAIT;
use crate::output;

/// The entries that answer, best first. An archive that cannot be read costs a warning.
pub(super) fn search(desk: &Desk<'_>, search: &Search, asked: &Asked<'_>) -> Vec<Recorded<EntryRow>> {
    if !search.wants_entries() || !desk.place.home.archive().exists() {
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
    let taste = desk.taste();
    let found = rows
        .into_iter()
        .filter(|row| keys.as_ref().is_none_or(|keys| keys.contains(&row.project)))
        .filter_map(|row| {
            let at_s = time::parse(&row.recorded_at).map_or(0, Timestamp::as_second);
            let facts = Facts {
                kind: &row.kind,
                session: row.session.as_deref(),
                at_s,
                is_at_hand: Some(&row.project) == at_hand.as_ref(),
            };
            if !facts.is_wanted(&search.scope, search.entry_kinds.as_deref()) {
                return None;
            }
            let text = entries::told(&row.text, &row.reason);
            let answer = facts.answer(&asked.judge, &text, &taste)?;
            Some(Recorded { row, text, at_s, answer })
        })
        .collect();
    entries::best_first(found)
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
