//! Recall for an agent that asks through the MCP server: the verb's search and its words, between our marks.

use throughline_engine::place::Place;
use throughline_store::paths::Project;

use super::{Desk, ask, results, show};
use crate::failure::Failure;
use crate::quoting::{self, FOUND};

/// Passages before and after the one that is opened.
const AROUND: usize = 6;

/// What answers, best first: passages of sessions and recorded entries in one list.
pub(crate) fn found(
    place: &Place,
    project: &Project,
    words: &str,
    all_projects: bool,
    limit: usize,
) -> Result<String, Failure> {
    let named = (!all_projects).then(|| project.root.clone());
    let desk = Desk::at(place, Some(project.root.clone()), named)?;
    let mut search = ask::of(&desk, words.to_owned(), limit)?;
    if !all_projects && project.work != project.root {
        // A linked worktree that shares its root's memory: its sessions were held elsewhere.
        search.scope.projects.push(project.work.to_string_lossy().into_owned());
    }
    let hits = results::hits(&desk, &search)?;
    let Some(first) = hits.first() else {
        let elsewhere = if all_projects { "" } else { "; all_projects looks in the others too" };
        if let Some(why) = ask::too_common(&search) {
            return Ok(format!("nothing was found; {why}"));
        }
        let lack = desk.lacks().map_or_else(String::new, |lack| format!("\n{lack}"));
        return Ok(format!("nothing was found{elsewhere}{lack}"));
    };
    let mut lines =
        vec![format!("recall with an id opens what stands around it, such as {}", results::id(first))];
    lines.extend(hits.iter().flat_map(results::shown));
    lines.extend(desk.lacks());
    Ok(quoting::fenced(&FOUND, &lines))
}

/// A result by its id, with what stands around it.
pub(crate) fn opened(place: &Place, project: &Project, id: &str) -> Result<String, Failure> {
    let desk = Desk::at(place, Some(project.root.clone()), None)?;
    Ok(quoting::fenced(&FOUND, &show::lines(&desk, id, AROUND)?.lines))
}
