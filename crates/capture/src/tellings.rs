//! Tellings: what the agent said that somebody who goes on wants to know, word by word, the plain announcements left out.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use throughline_domain::ledger::{Ledger, Phase, Telling, TranscriptPlace};
use throughline_domain::overlap;
use throughline_domain::text::shorten;

use crate::{blocks, head};

const TEXT_BYTES_MAX: usize = 20_000;
/// A longer block is cut; a shorter one says nothing.
const TELLING_UNITS_MAX: usize = 680;
const LETTERS_MIN: usize = 16;
/// Of one text, so many at most.
const PER_TEXT_MAX: usize = 40;
const TELLINGS_MAX: usize = 200;
const BYTES_MAX: usize = 22 << 10;
/// The newest stay, whatever they weigh.
const NEWEST: usize = 30;
/// Of a summary so much is looked at, and of all of them so much is kept.
const SUMMARY_BYTES_MAX: usize = 64 << 10;
const SUMMARISED_BYTES_MAX: usize = 16 << 10;
/// What a later summary says in this share it repeats.
const REPEATED_SHARE: f64 = 0.7;

/// The agent said something.
pub(crate) fn said(ledger: &mut Ledger, text: &str, place: TranscriptPlace) {
    for block in blocks::of(head(text, TEXT_BYTES_MAX)).into_iter().take(PER_TEXT_MAX) {
        let Some(weight) = weight(&block) else { continue };
        let text = shorten(block.trim(), TELLING_UNITS_MAX);
        // Said again, it is newer, not more.
        if let Some(at) = ledger.tellings.iter().rposition(|known| known.text == text) {
            ledger.tellings.remove(at);
        }
        ledger.tellings.push(Telling { text, place, weight, is_report: false });
    }
    keep(ledger);
}

/// The user speaks now: what the agent said last was a report to him.
pub(crate) fn reported(ledger: &mut Ledger) {
    if ledger.stand.phase != Phase::Told {
        return;
    }
    let Some(place) = ledger.tellings.last().map(|last| last.place) else { return };
    for telling in ledger.tellings.iter_mut().rev().take_while(|telling| telling.place == place) {
        telling.is_report = true;
    }
}

/// A summary took the conversation's place. What an earlier one said and this one does not is kept: it is in nobody's context
/// any more, and nothing says that it no longer holds.
pub(crate) fn summarised(ledger: &mut Ledger, text: &str, place: TranscriptPlace) {
    let text = head(text, SUMMARY_BYTES_MAX);
    let lower = text.to_lowercase();
    let all = &mut ledger.summarised;
    all.retain(|known| overlap::share(&known.text, &lower) < REPEATED_SHARE);
    for block in blocks::of(&lasting(text)) {
        let Some(weight) = weight(&block).filter(|weight| *weight > 1) else { continue };
        let text = shorten(block.trim(), TELLING_UNITS_MAX);
        all.push(Telling { text, place, weight, is_report: false });
    }
    let mut bytes: usize = all.iter().map(|it| it.text.len()).sum();
    while bytes > SUMMARISED_BYTES_MAX {
        let Some(at) = (0..all.len()).min_by_key(|at| (all[*at].weight, *at)) else { return };
        bytes -= all.remove(at).text.len();
    }
}

/// A summary without what was true at its moment alone, and without what is kept elsewhere: the user's messages, which stand in
/// the transcript, and the hand-over.
fn lasting(text: &str) -> String {
    const PASSING: &[&str] = &[
        "all user messages",
        "pending task",
        "current work",
        "optional next",
        "next step",
        "hand-over",
        "current state",
    ];
    let mut lasts = true;
    let mut kept = String::new();
    for line in text.lines() {
        let bare = line.trim().trim_matches(|c: char| !c.is_alphabetic()).to_lowercase();
        let is_heading = line.starts_with('#')
            || line.starts_with("**")
            || line.starts_with(|c: char| c.is_ascii_digit())
                && line.trim_end().trim_end_matches('*').ends_with(':');
        if is_heading {
            lasts = !PASSING.iter().any(|start| bare.starts_with(start));
        }
        if lasts {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// How much a block tells; nothing where it is hardly a word.
fn weight(text: &str) -> Option<u8> {
    if text.chars().filter(|c| c.is_alphanumeric()).count() < LETTERS_MIN {
        return None;
    }
    let tells = TELLS.as_ref().is_some_and(|words| words.is_match(text));
    Some(1 + u8::from(tells) + u8::from(is_precise(text)))
}

/// Whether a text names something that can be looked up: code, a path, a number, an id.
fn is_precise(text: &str) -> bool {
    text.contains('`')
        || text.bytes().any(|byte| byte.is_ascii_digit() || byte == b'_')
        || text.split_whitespace().any(|word| {
            let word = word.trim_end_matches(['.', ',', ':', ';', '!', '?', ')']);
            word.is_ascii() && word.len() > 3 && word[1..].contains(['.', '/', '('])
        })
}

/// Words with which a cause, a choice, a limit or a result is told.
static TELLS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build([
            "because",
            "instead",
            "rather than",
            "root cause",
            "decid",
            "chose",
            "option",
            "so that",
            "n't ",
            "n’t ",
            " not ",
            "no longer",
            "cannot",
            "never",
            "fail",
            "pass",
            "fixed",
            "the fix",
            "problem",
            "issue",
            "bug",
            "wrong",
            "found",
            "means",
            "only ",
            "must",
            "should",
            "already",
            "missing",
            "left",
            "remain",
            "still",
            "without",
            "unless",
            "but ",
            "however",
            "turns out",
            "actually",
            "verified",
            "confirmed",
            "error",
            "reason",
            "trade",
            "cost",
            "default",
            "weil",
            "nicht",
            "statt",
            "porque",
            "parce que",
            "因为",
            "没有",
            "потому",
            "ため",
        ])
        .ok()
});

/// Old ones that tell little go first.
fn keep(ledger: &mut Ledger) {
    let all = &mut ledger.tellings;
    let mut bytes: usize = all.iter().map(|telling| telling.text.len()).sum();
    while all.len() > TELLINGS_MAX || bytes > BYTES_MAX {
        let old = all.len().saturating_sub(NEWEST).max(1);
        let rank = |at: &usize| (all[*at].weight + u8::from(all[*at].is_report), *at);
        let Some(at) = (0..old).min_by_key(rank) else { return };
        bytes -= all.remove(at).text.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<(u8, String)> {
        let mut ledger = Ledger::default();
        said(&mut ledger, text, TranscriptPlace::default());
        ledger.tellings.into_iter().map(|it| (it.weight, it.text)).collect()
    }

    #[test]
    fn causes_and_results_weigh_more_than_remarks() {
        let told = told(
            "The lookup fails because `ref` is read before the lock.\n\nThat is a pity for everybody here.\n\nOK.",
        );
        let told: Vec<(u8, &str)> = told.iter().map(|(weight, text)| (*weight, text.as_str())).collect();
        let expected = [
            (3, "The lookup fails because `ref` is read before the lock."),
            (1, "That is a pity for everybody here."),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn what_was_said_last_before_the_user_speaks_is_a_report() {
        let mut ledger = Ledger::default();
        said(&mut ledger, "The old way was slow because of locks.", TranscriptPlace { turn: 1, offset: 1 });
        said(&mut ledger, "It is done: 12 tests pass.", TranscriptPlace { turn: 2, offset: 9 });
        ledger.stand.phase = Phase::Told;
        reported(&mut ledger);
        assert_eq!(ledger.tellings.iter().map(|it| it.is_report).collect::<Vec<_>>(), [false, true]);
    }

    #[test]
    fn what_a_later_summary_leaves_out_is_kept_and_what_it_repeats_is_not() {
        let mut ledger = Ledger::default();
        let first = "1. Primary Request:\n   Move `clean` below `session`, for fewer commands on the first level.\n\n\
                     2. Key Concepts:\n   - The limit is 50 rows, because `scan` is slow.\n\n8. Current Work:\n   Writing `a_test.go` now.";
        summarised(&mut ledger, first, TranscriptPlace { turn: 1, offset: 1 });
        assert_eq!(ledger.summarised.len(), 2, "{:?}", ledger.summarised);
        summarised(
            &mut ledger,
            "The limit is 50 rows because `scan` is slow.",
            TranscriptPlace { turn: 9, offset: 9 },
        );
        let kept: Vec<&str> = ledger.summarised.iter().map(|it| it.text.as_str()).collect();
        assert!(kept.iter().any(|it| it.contains("first level")), "{kept:?}");
        assert!(!kept.iter().any(|it| it.contains("Key Concepts")), "{kept:?}");
    }

    #[test]
    fn however_much_is_said_the_newest_and_the_most_telling_stay() {
        let mut ledger = Ledger::default();
        said(&mut ledger, "We never delete, because `rm` is not there.", TranscriptPlace::default());
        for at in 0..2_000 {
            said(
                &mut ledger,
                &format!("Something was seen at place {at} of the house."),
                TranscriptPlace { turn: at, offset: at },
            );
        }
        assert!(ledger.tellings.len() <= TELLINGS_MAX);
        assert_eq!(ledger.tellings[0].text, "We never delete, because `rm` is not there.");
        assert!(ledger.tellings.last().is_some_and(|it| it.text.contains("1999")));
    }
}
