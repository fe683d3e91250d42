//! Landmarks: what a session left in the world, as tools reported it: commits, branches, pull requests, servers.

use throughline_domain::ledger::{Landmark, LandmarkKind, Ledger, TranscriptPlace};
use throughline_domain::text::one_line;

use crate::kinds;
use crate::shell::Simple;

const NAME_UNITS: usize = 140;
const AT_UNITS: usize = 120;
const LANDMARKS_MAX: usize = 40;
/// Lines of an answer that are looked at.
const LINES_MAX: usize = 200;
/// The client's word for a program that goes on by itself.
const BACKGROUND: &str = "running in background with ID: ";

/// Whether an answer to these commands may tell of a landmark: most are not looked at.
pub(crate) fn may_tell(commands: &[Simple]) -> bool {
    commands.iter().any(|command| {
        let words = kinds::behind_wrappers(&command.words);
        let has = |word: &str| words.iter().skip(1).any(|it| it == word);
        match words.first().map(String::as_str) {
            Some("git") => ["commit", "push", "checkout", "switch"].iter().any(|it| has(it)),
            Some("gh" | "glab") => has("create"),
            _ => false,
        }
    })
}

/// Takes what a command that was run reported.
pub(crate) fn heard(ledger: &mut Ledger, text: &str, place: TranscriptPlace) {
    for told in text.lines().take(LINES_MAX).map(str::trim) {
        if let Some((branch, name)) = commit(told) {
            push(ledger, LandmarkKind::Commit, name, branch, place);
        } else if let Some(branch) = pushed(told) {
            push(ledger, LandmarkKind::Push, branch, "", place);
        } else if let Some(branch) = switched(told) {
            push(ledger, LandmarkKind::Branch, branch, "", place);
        } else if is_request(told) {
            push(ledger, LandmarkKind::PullRequest, told, "", place);
        }
    }
}

/// Takes what any command said about itself: an address that it serves, an id under which it goes on.
pub(crate) fn started(ledger: &mut Ledger, line: &str, text: &str, place: TranscriptPlace) {
    if let Some((_, behind)) = text.split_once(BACKGROUND) {
        let id = behind.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        if !id.is_empty() {
            push(ledger, LandmarkKind::Background, id, line, place);
        }
    }
    for told in text.lines().take(LINES_MAX) {
        if let Some(address) = served(told) {
            push(ledger, LandmarkKind::Address, address, line, place);
        }
    }
}

fn push(ledger: &mut Ledger, kind: LandmarkKind, name: &str, at: &str, place: TranscriptPlace) {
    let (name, at) = (one_line(name, NAME_UNITS), one_line(at, AT_UNITS));
    ledger.landmarks.retain(|known| known.kind != kind || known.name != name);
    ledger.landmarks.push(Landmark { kind, name, at, place });
    if ledger.landmarks.len() > LANDMARKS_MAX {
        ledger.landmarks.remove(0);
    }
}

/// `[main 1a2b3c4] subject`, `[main (root-commit) 1a2b3c4] subject`.
fn commit(line: &str) -> Option<(&str, &str)> {
    let inner = line.strip_prefix('[')?;
    let (head, _) = inner.split_once("] ")?;
    let hash = head.rsplit(' ').next()?;
    let is_hash = (7..=40).contains(&hash.len()) && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    let branch = head.split(' ').next().filter(|branch| *branch != hash)?;
    let at = line.len() - inner.len() + head.len() - hash.len();
    is_hash.then(|| (branch, &line[at..]))
}

/// ` * [new branch]  x -> x`, `1a2b3c4..5d6e7f8  main -> main`.
fn pushed(line: &str) -> Option<&str> {
    let (before, branch) = line.split_once(" -> ")?;
    let is_update = before.split_whitespace().next().is_some_and(|range| {
        let hashes = range.trim_start_matches('+').split_once("..");
        hashes.is_some_and(|(old, new)| {
            [old, new.trim_start_matches('.')]
                .iter()
                .all(|it| it.len() >= 7 && it.bytes().all(|byte| byte.is_ascii_hexdigit()))
        })
    });
    let is_new = before.starts_with("* [new branch]");
    let branch = branch.split_whitespace().next()?;
    (is_update || is_new).then_some(branch)
}

fn switched(line: &str) -> Option<&str> {
    let rest = line
        .strip_prefix("Switched to a new branch '")
        .or_else(|| line.strip_prefix("Switched to branch '"))?;
    rest.split('\'').next().filter(|branch| !branch.is_empty())
}

/// The address of a pull request, alone on its line.
fn is_request(line: &str) -> bool {
    line.starts_with("https://")
        && !line.contains(char::is_whitespace)
        && ["/pull/", "/merge_requests/"].iter().any(|part| {
            line.split_once(part)
                .is_some_and(|(_, id)| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()))
        })
}

/// The local address in a line that says that something listens there.
fn served(line: &str) -> Option<&str> {
    const SAYS: &[&str] =
        &["listening", "running at", "running on", "serving", "local:", "ready on", "started"];
    let at = line.find("http://localhost:").or_else(|| line.find("http://127.0.0.1:"))?;
    let lower = line.to_ascii_lowercase();
    SAYS.iter().any(|says| lower.contains(says)).then(|| {
        let rest = &line[at..];
        let end = rest
            .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ')' | ','))
            .unwrap_or(rest.len());
        rest[..end].trim_end_matches('.')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_and_its_hosts_report_is_known_by_its_form() {
        assert_eq!(commit("[fix/x e8ec608b] fix: two words"), Some(("fix/x", "e8ec608b] fix: two words")));
        assert_eq!(commit("[main (root-commit) 1a2b3c4] one"), Some(("main", "1a2b3c4] one")));
        assert_eq!(commit("[INFO] started in 3 s"), None);
        assert_eq!(pushed("1a2b3c4..5d6e7f8  main -> main"), Some("main"));
        assert_eq!(pushed("* [new branch]      fix/x -> fix/x"), Some("fix/x"));
        assert_eq!(pushed("a -> b"), None);
        assert_eq!(switched("Switched to a new branch 'fix/x'"), Some("fix/x"));
        assert!(
            is_request("https://example.com/o/r/pull/12")
                && !is_request("https://example.com/o/r/pull/12/files")
        );
        assert_eq!(served("  ➜  Local:   http://localhost:5173/"), Some("http://localhost:5173/"));
        assert_eq!(served("fetching http://localhost:5173/ failed"), None);
    }

    #[test]
    fn what_goes_on_by_itself_is_known_by_its_id() {
        let mut ledger = Ledger::default();
        let told = "Command running in background with ID: a27555. Output is written to a file.";
        started(&mut ledger, "npm run dev", told, TranscriptPlace::default());
        let found = &ledger.landmarks[0];
        assert_eq!(
            (found.kind, found.name.as_str(), found.at.as_str()),
            (LandmarkKind::Background, "a27555", "npm run dev")
        );
    }
}
