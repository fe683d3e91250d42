//! Left: what a session left in the world and on the way: commits, servers, files with what is in them, ways that failed.

use std::collections::HashMap;

use throughline_domain::ledger::{Detour, FileUse, Landmark, LandmarkKind, Ledger};
use throughline_domain::text::one_line;

use super::gap::{Known, base_of};
use super::items::{FILL, FIRST, Item, Room, WEIGHED, line};
use super::part::Part;
use super::{checks, worth};
use crate::sections::verbatim;

/// Newest of each kind of landmark that are told.
const COMMITS_MAX: usize = 6;
const OTHERS_MAX: usize = 2;
const DETOURS_MAX: usize = 6;
const REFUSALS_MAX: usize = 4;
const MENDED_MAX: usize = 4;
const COMMAND_UNITS: usize = 160;
const WHY_UNITS: usize = 140;
/// A longer path or name is none.
const NAME_UNITS: usize = 300;
/// Of what a file holds.
const HOLDS_MAX: usize = 5;
const HOLDS_UNITS: usize = 260;
/// Files that were only looked at: the newest few.
const SEEN_MAX: usize = 6;

/// Commits, branches, pull requests, servers: newest last.
pub(super) fn landmarks(ledger: &Ledger, known: &Known, items: &mut Vec<Item>) {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (order, landmark) in ledger.landmarks.iter().enumerate().rev() {
        let word = kind_word(landmark.kind);
        let count = counts.entry(word).or_default();
        *count += 1;
        let max = if landmark.kind == LandmarkKind::Commit { COMMITS_MAX } else { OTHERS_MAX };
        let id = landmark.name.split([']', ' ']).next().unwrap_or_default();
        if *count > max || known.has_word(id) && known.share(&landmark.name) > 0.6 {
            continue;
        }
        let text = landmark_line(landmark);
        let age = *count - 1;
        items.push(line(
            Part::Landmarks,
            order,
            &text,
            FIRST,
            worth::LANDMARK * worth::of_age(age),
            "what the session left behind",
        ));
    }
}

fn kind_word(kind: LandmarkKind) -> &'static str {
    match kind {
        LandmarkKind::Commit => "committed",
        LandmarkKind::Push => "pushed",
        LandmarkKind::Branch => "switched to branch",
        LandmarkKind::PullRequest => "opened",
        LandmarkKind::Address => "served at",
        LandmarkKind::Background => "started in the background, id",
    }
}

fn landmark_line(landmark: &Landmark) -> String {
    let name = verbatim(&landmark.name.replacen("] ", " ", 1), NAME_UNITS);
    let at = verbatim(&landmark.at, COMMAND_UNITS);
    // Names and subjects are data that a repository may have chosen.
    let behind = match landmark.kind {
        LandmarkKind::Commit if !at.is_empty() => format!(" on \"{at}\""),
        LandmarkKind::Address | LandmarkKind::Background => format!(": `{at}`"),
        _ => String::new(),
    };
    format!("- {} \"{name}\"{behind}", kind_word(landmark.kind))
}

/// Ways that failed, each with the one that works; and what the user refused.
pub(super) fn detours(ledger: &Ledger, known: &Known, items: &mut Vec<Item>) {
    let tells = |detour: &&Detour| !detour.works.is_empty() || detour.is_limit;
    for (age, detour) in ledger.detours.iter().rev().filter(tells).take(DETOURS_MAX).enumerate() {
        if known.share(&format!("{} {}", detour.why, detour.works)) > 0.8 {
            continue;
        }
        let failed = verbatim(&detour.failed, COMMAND_UNITS);
        let why = one_line(detour.why.trim(), WHY_UNITS);
        let works = match detour.works.as_str() {
            "" => String::new(),
            works => format!(" Works: `{}`", verbatim(works, COMMAND_UNITS)),
        };
        let text = format!("- `{failed}` failed: \"{why}\".{works}");
        let order = usize::MAX - age;
        items.push(line(
            Part::Detours,
            order,
            &text,
            FIRST,
            worth::DETOUR * worth::of_age(age),
            "a way that did not work",
        ));
    }
    mended(ledger, known, items);
    for (age, refusal) in ledger.refusals.iter().rev().take(REFUSALS_MAX).enumerate() {
        let what = verbatim(&refusal.what, COMMAND_UNITS);
        let words = match refusal.words.as_str() {
            "" => String::new(),
            words => format!(", saying \"{}\"", one_line(words, COMMAND_UNITS)),
        };
        let text = format!("- the user refused `{what}`{words}");
        let worth = worth::REFUSAL * worth::of_age(age);
        items.push(line(
            Part::Detours,
            usize::MAX / 2 - age,
            &text,
            FIRST,
            worth,
            "what the user did not allow",
        ));
    }
}

/// Errors that were mended on the way: why something is as it is now.
fn mended(ledger: &Ledger, known: &Known, items: &mut Vec<Item>) {
    let over = ledger.errors.iter().rev().filter(|error| error.is_certain).filter_map(|error| {
        let since = match (&error.resolved_by, checks::passed_since(error, ledger)) {
            (Some(wider), _) => Some(wider.as_str()),
            (None, Some(other)) => Some(other.normal.as_str()),
            (None, None) => None,
        };
        (error.resolved_turn.is_some() || since.is_some()).then_some((error, since))
    });
    for (age, (error, since)) in over.take(MENDED_MAX).enumerate() {
        let Some(first) = error.lines.first().filter(|line| known.share(line) < 0.8) else { continue };
        let from = verbatim(&error.from, COMMAND_UNITS);
        let since = match since {
            Some(other) => format!("`{}` passed since", verbatim(other, COMMAND_UNITS)),
            None => "not since".to_owned(),
        };
        let text = format!("- `{from}` failed before, {since}: \"{}\"", one_line(first.trim(), WHY_UNITS));
        let worth = worth::MENDED * worth::of_age(age);
        items.push(line(Part::Detours, age, &text, FILL, worth, "an error that was mended"));
    }
}

/// Files: what was put into those that were changed; the others by their names.
pub(super) fn files(ledger: &Ledger, known: &Known, room: Room, items: &mut Vec<Item>) {
    let mut names: HashMap<&str, usize> = HashMap::new();
    for file in &ledger.files {
        *names.entry(base_of(&file.path)).or_default() += 1;
    }
    let mut seen: Vec<Item> = Vec::new();
    for (order, file) in ledger.files.iter().enumerate() {
        if room == Room::Ample
            && let Some(text) = holding(file, known)
        {
            let worth = worth::of_file(file, ledger, &text);
            items.push(line(Part::Where, order, &text, WEIGHED, worth, "what is in a file that was changed"));
            continue;
        }
        if known.has_file(&file.path, &names) {
            continue;
        }
        let (group, shown) = shown_file(file, &names, room);
        let worth = worth::of_file(file, ledger, &shown);
        let (part, why) = match file.edits {
            0 => (Part::Seen, "a file read or named before"),
            _ if file.is_uncommitted(ledger.commit_turn) => {
                (Part::Uncommitted, "a file edited and not committed")
            }
            _ => (Part::Edited, "a file edited before"),
        };
        let group = verbatim(&group, NAME_UNITS);
        let item = Item { group, ..line(part, order, &verbatim(&shown, NAME_UNITS), WEIGHED, worth, why) };
        if part == Part::Seen { seen.push(item) } else { items.push(item) }
    }
    seen.sort_by(|left, right| right.worth.total_cmp(&left.worth));
    for item in seen.iter_mut().skip(SEEN_MAX) {
        item.tier = FILL;
    }
    // Beside a summary nobody needs to be told what was looked at.
    items.extend(seen.into_iter().take(if known.is_empty() { SEEN_MAX * 2 } else { SEEN_MAX / 2 }));
}

/// A file with what was put into it, as far as nobody knows that yet.
fn holding(file: &FileUse, known: &Known) -> Option<String> {
    let new: Vec<&str> = file
        .holds
        .iter()
        .rev()
        .map(String::as_str)
        .filter(|it| known.share(it) < 0.7)
        .take(HOLDS_MAX)
        .collect();
    if new.is_empty() {
        return None;
    }
    let new: Vec<String> = new.into_iter().rev().map(|it| format!("`{}`", it.replace('`', "'"))).collect();
    let made = if file.created { " (new)" } else { "" };
    Some(format!("- {}{made}: {}", verbatim(&file.path, NAME_UNITS), one_line(&new.join(", "), HOLDS_UNITS)))
}

/// A file by its name under its folder; where another file has the same name, the last folder stands before it.
fn shown_file(file: &FileUse, names: &HashMap<&str, usize>, room: Room) -> (String, String) {
    let base = base_of(&file.path);
    let folder = file.path.strip_suffix(base).unwrap_or("").trim_end_matches('/');
    let is_only_one = names.get(base).is_none_or(|count| *count <= 1);
    if is_only_one && (room == Room::Tight || !folder.contains('/')) {
        return (folder.to_owned(), base.to_owned());
    }
    match folder.rsplit_once('/') {
        Some((above, last)) => (above.to_owned(), format!("{last}/{base}")),
        None => (String::new(), file.path.clone()),
    }
}
