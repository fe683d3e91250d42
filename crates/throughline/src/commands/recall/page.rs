//! The page: how passages are shown: the sentence in its place, harmless to a terminal, and quoted to an agent.

use serde_json::Value;
use throughline_capture::passages::OUTPUT_MARK;
use throughline_domain::text::{one_line, printable};
use throughline_domain::{Timestamp, time};
use throughline_recall::rank::Answer;
use throughline_recall::{Head, PassageKind};
use throughline_store::archive::EntryRow;

use crate::output::{HEAD, styled};

/// Units of the text that is shown of a result.
const SNIPPET_UNITS: usize = 320;

/// The sentence around the best place of a text, on one line, its matches in bold.
pub(super) fn snippet(text: &str, answer: &Answer) -> String {
    let (from, to) = around(text, answer.place);
    let mut shown = String::new();
    if from > 0 {
        shown.push('…');
    }
    let mut at = from;
    let mut matches: Vec<(usize, usize)> =
        answer.matches.iter().copied().filter(|(start, end)| *start >= from && *end <= to).collect();
    matches.sort_unstable();
    for (start, end) in matches {
        // Parts of a name stand inside of it.
        if start < at {
            continue;
        }
        shown.push_str(&flat(&text[at..start]));
        shown.push_str(&styled(HEAD, &flat(&text[start..end])));
        at = end;
    }
    shown.push_str(&flat(&text[at..to]));
    if to < text.len() {
        shown.push('…');
    }
    shown.trim().to_owned()
}

/// The same without bold.
pub(super) fn plain_snippet(text: &str, answer: &Answer) -> String {
    throughline_domain::unseen::shown(&snippet(text, answer)).into_owned()
}

/// Text on one line that moves no terminal; blanks at its ends stay, so that pieces can be put together.
fn flat(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in printable(text).chars() {
        if character.is_whitespace() {
            if !out.ends_with(' ') {
                out.push(' ');
            }
        } else {
            out.push(character);
        }
    }
    out
}

/// The beginning and the end of what is shown: whole sentences or lines around the place, as much as fits.
fn around(text: &str, place: (usize, usize)) -> (usize, usize) {
    let boundary = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let place = (boundary(place.0), boundary(place.1.max(place.0)));
    let room = SNIPPET_UNITS.saturating_sub(place.1 - place.0);
    let earliest = boundary(place.0.saturating_sub(room / 2));
    let before = &text[earliest..place.0];
    let start = if earliest == 0 {
        0
    } else {
        let breaks = ["\n", ". ", "? ", "! ", " "];
        let found = breaks.iter().find_map(|it| before.find(it).map(|at| at + it.len()));
        earliest + found.unwrap_or(0)
    };
    let latest = boundary(start + SNIPPET_UNITS.max(place.1 - start.min(place.1)));
    let latest = boundary(latest.min(start + SNIPPET_UNITS * 2));
    let behind = &text[place.1.min(latest)..latest];
    let end = if latest == text.len() {
        latest
    } else {
        let breaks = ["\n", ". ", " "];
        let found = breaks
            .iter()
            .find_map(|it| behind.rfind(it).map(|at| at + it.len()).filter(|at| at * 2 >= behind.len()));
        place.1.min(latest) + found.unwrap_or(behind.len())
    };
    (start, end.max(start))
}

/// A text as it was said, each line behind a mark, as many lines as are wanted.
pub(super) fn quoted(text: &str, lines_max: usize) -> Vec<String> {
    let all: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let mut shown: Vec<String> =
        all.iter().take(lines_max).map(|line| format!("    {}", one_line(line, 400))).collect();
    if all.len() > lines_max {
        shown.push(format!("    … {} more lines", all.len() - lines_max));
    }
    shown
}

/// The day and the minute, in the system's time zone; nothing where nobody knows.
pub(super) fn moment(at_s: i64) -> String {
    match Timestamp::from_second(at_s) {
        Ok(at) if at_s != 0 => {
            at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
        }
        _ => "at an unknown time".to_owned(),
    }
}

/// The same for programs.
pub(super) fn iso(at_s: i64) -> Option<String> {
    Timestamp::from_second(at_s).ok().filter(|_| at_s != 0).map(time::iso)
}

/// What a passage is, in a word or two.
pub(super) fn kind_words(head: &Head) -> String {
    let who = if head.is_sidechain { "subagent's " } else { "" };
    format!("{who}{}", head.kind.word())
}

/// Whether a passage holds output of a tool.
pub(super) fn holds_output(kind: PassageKind, text: &str) -> bool {
    matches!(kind, PassageKind::Command | PassageKind::Error | PassageKind::Output)
        && text.contains(&format!("\n{OUTPUT_MARK}"))
}

/// How a recorded question was answered.
pub(super) fn answered(row: &EntryRow) -> Option<&str> {
    row.body.get("resolution").and_then(Value::as_str).filter(|answer| !answer.trim().is_empty())
}

/// A project by the last part of its folder.
pub(super) fn project_name(project: &str) -> String {
    one_line(project.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(project), 40)
}

/// The beginning of a session's id, which is enough to name it.
pub(super) fn short_session(session: &str) -> String {
    one_line(&session.chars().take(8).collect::<String>(), 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str, word: &str) -> Answer {
        let at = text.find(word).unwrap();
        let place = (at, at + word.len());
        Answer { score: 1.0, coverage: 1.0, matches: vec![place], place }
    }

    #[test]
    fn a_snippet_is_the_sentence_around_the_match() {
        let text = format!(
            "{} The retry budget is three. {}",
            "Nothing here. ".repeat(40),
            "And so on. ".repeat(40)
        );
        let shown = plain_snippet(&text, &answer(&text, "budget"));
        assert!(shown.contains("The retry budget is three."), "{shown}");
        assert!(shown.starts_with('…') && shown.ends_with('…') && shown.chars().count() < 400, "{shown}");
        assert_eq!(plain_snippet("short budget", &answer("short budget", "budget")), "short budget");
    }

    #[test]
    fn a_snippet_moves_no_terminal_and_breaks_no_character() {
        let text = format!("{}\u{1b}[31mred\u{7} größe\n\tline {}", "é".repeat(500), "ü".repeat(500));
        let shown = plain_snippet(&text, &answer(&text, "größe"));
        assert!(shown.contains("größe line") && !shown.contains(['\u{1b}', '\u{7}']), "{shown}");
        for (start, end) in [(0, 0), (1, 3), (text.len(), text.len()), (usize::MAX, usize::MAX)] {
            let (from, to) = around(&text, (start, end));
            assert!(text.get(from..to).is_some());
        }
    }
}
