//! Git as it is now: what git knows is asked when it is said, not taken from an old save or from what a transcript tells.

use std::path::Path;
use std::time::Duration;

use throughline_domain::git_state::GitState;
use throughline_domain::ledger::Ledger;
use throughline_domain::{State, Timestamp, time};

/// A save so young counts, if the same commit is checked out.
const YOUNG_SECONDS: u64 = 60;

/// The working tree as it is now, in the place of what was saved.
pub fn refresh(state: &mut State, root: &Path, deadline_ms: u64, now: Timestamp) {
    let saved = time::parse(&state.timestamp).map(|saved| time::seconds_between(saved, now));
    let is_young = saved.is_some_and(|age| age < YOUNG_SECONDS);
    if is_young && state.git.head.is_some() && state.git.head == throughline_git::head_from_files(root) {
        return;
    }
    state.git = throughline_git::capture(root, Duration::from_millis(deadline_ms));
}

/// What is said to be without a commit must be so in the working tree: others commit, too. In memory alone.
pub fn settle(ledger: &mut Ledger, git: &GitState) {
    let dirty: Vec<&str> = git.status.lines().filter_map(path_in).collect();
    let is_dirty = |path: &str| dirty.iter().any(|it| covers(it, path));
    let commit_turn = ledger.commit_turn;
    for file in ledger.files.iter_mut().filter(|file| file.is_uncommitted(commit_turn)) {
        file.is_committed = git.error.is_some() || !is_dirty(&file.path);
    }
}

/// Whether a session's ledger says of any file that no commit has it.
#[must_use]
pub fn says_uncommitted(ledger: &Ledger) -> bool {
    ledger.files.iter().any(|file| file.is_uncommitted(ledger.commit_turn))
}

/// The path in a line of `git status --porcelain`: of a renamed file the new one.
fn path_in(line: &str) -> Option<&str> {
    let path = line.get(3..)?;
    let path = path.rsplit(" -> ").next().unwrap_or(path);
    Some(path.trim_matches('"'))
}

/// Whether a dirty path, from the repository's top, is this file or a folder of new files around it. A project may be a
/// folder of its repository.
fn covers(dirty: &str, path: &str) -> bool {
    match dirty.strip_suffix('/') {
        Some(folder) => {
            path.starts_with(dirty) || folder.ends_with(path) || path.contains(&format!("/{dirty}"))
        }
        None => dirty == path || dirty.strip_suffix(path).is_some_and(|above| above.ends_with('/')),
    }
}

#[cfg(test)]
mod tests {
    use throughline_domain::ledger::FileUse;

    use super::*;

    #[test]
    fn only_what_git_calls_changed_is_said_to_be_without_a_commit() {
        let edited = |path: &str| FileUse {
            path: path.to_owned(),
            edits: 1,
            edited_turn: Some(3),
            ..FileUse::default()
        };
        let paths = ["src/a.rs", "src/b.rs", "new/deep/c.rs", "d.rs"];
        let mut ledger = Ledger { files: paths.map(edited).to_vec(), ..Ledger::default() };
        let status = " M src/a.rs\n?? new/\nR  old.rs -> sub/d.rs".to_owned();
        settle(&mut ledger, &GitState { status, changed_files: 3, ..GitState::default() });
        let left: Vec<&str> =
            ledger.files.iter().filter(|it| it.is_uncommitted(None)).map(|it| it.path.as_str()).collect();
        assert_eq!(left, ["src/a.rs", "new/deep/c.rs", "d.rs"]);
        settle(&mut ledger, &GitState { error: Some("no answer".to_owned()), ..GitState::default() });
        assert!(!says_uncommitted(&ledger), "what nobody knows is not said");
    }
}
