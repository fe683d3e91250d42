//! Words: what the user said, and the sentences of it that direct the work.

use throughline_domain::ledger::{Ledger, Place, UserWord};
use throughline_domain::text::{cut_utf16, utf16_len};

use crate::markup;

/// What is longer is a paste or a document: kept by its head.
const WHOLE_UNITS_MAX: usize = 1_600;
const HEAD_UNITS_MAX: usize = 600;
const DIRECTIVE_UNITS: std::ops::RangeInclusive<usize> = 6..=400;
const AGAIN_UNITS_MIN: usize = 40;
const DIRECTIVES_PER_MESSAGE_MAX: usize = 24;

/// Takes a message; says whether the user really said something.
pub(crate) fn heard(ledger: &mut Ledger, text: &str, place: Place) -> bool {
    let text = text.trim();
    if text.is_empty() || is_clients_own(text) {
        return false;
    }
    let units = utf16_len(crate::head(text, 4 << 20));
    let kept = if units <= WHOLE_UNITS_MAX { text } else { cut_utf16(text, HEAD_UNITS_MAX) };
    // The sentences of a paste are not the user's own; what he says before it is: its first paragraph.
    let own = if units <= WHOLE_UNITS_MAX { kept } else { kept.split("\n\n").next().unwrap_or_default() };
    // Sent again after an interruption, it is the same request; a short "yes" is another yes.
    if units > AGAIN_UNITS_MIN {
        ledger.said.retain(|word| word.units != units || word.text != kept);
    }
    ledger.said.push(UserWord {
        text: kept.to_owned(),
        units,
        place,
        directives: directives(own),
        is_queued: false,
    });
    true
}

/// The newest words came while the agent was busy: the client may say them again as a message of their own.
pub(crate) fn mark_queued(ledger: &mut Ledger) {
    if let Some(word) = ledger.said.last_mut() {
        word.is_queued = true;
    }
}

/// Whether these words were queued before: then they stand where they were handed over, and count once.
pub(crate) fn was_queued(ledger: &mut Ledger, text: &str, place: Place) -> bool {
    let text = text.trim();
    let is_same = |word: &UserWord| word.is_queued && !word.text.is_empty() && text.starts_with(&word.text);
    let Some(at) = ledger.said.iter().position(|word| is_same(word) && word.units == utf16_len(text)) else {
        return false;
    };
    let word = ledger.said.remove(at);
    ledger.said.push(UserWord { is_queued: false, place, ..word });
    true
}

/// Takes what stood behind a slash command. What a compaction shall keep is a directive by itself.
pub(crate) fn heard_command(ledger: &mut Ledger, name: &str, args: &str, place: Place) {
    let args = args.trim();
    if args.is_empty() {
        return;
    }
    let name = crate::head(name, 60);
    let text = format!("{name} {}", cut_utf16(args, HEAD_UNITS_MAX));
    let directives = if name.ends_with("compact") {
        vec![cut_utf16(args, *DIRECTIVE_UNITS.end()).to_owned()]
    } else {
        directives(&text)
    };
    ledger.said.push(UserWord { text, units: utf16_len(args), place, directives, is_queued: false });
}

/// Texts that the client puts into the user's mouth.
fn is_clients_own(text: &str) -> bool {
    const STARTS: &[&str] = &[
        "[Request interrupted",
        "Caveat: ",
        "This session is being continued",
        "API Error",
        "[SYSTEM NOTIFICATION",
    ];
    if STARTS.iter().any(|start| text.starts_with(start)) {
        return true;
    }
    // `<task-notification>`, `<bash-stdout>`…: a mark of the client, unlike `<div>` in the middle of a sentence.
    text.strip_prefix('<').and_then(|rest| rest.split_once('>')).is_some_and(|(mark, _)| {
        mark.contains('-') && mark.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    })
}

/// The sentences that direct: commands, prohibitions, preferences, corrections. No questions.
fn directives(text: &str) -> Vec<String> {
    markup::sentences(text)
        .map(|sentence| sentence.text)
        .filter(|sentence| {
            DIRECTIVE_UNITS.contains(&utf16_len(sentence)) && directs(sentence) && !is_clients_own(sentence)
        })
        .take(DIRECTIVES_PER_MESSAGE_MAX)
        .map(str::to_owned)
        .collect()
}

/// Words that make a sentence a directive wherever they stand in it.
#[rustfmt::skip]
const DIRECT: &[&str] = &[
    "never", "always", "must", "should", "shouldn't", "please", "instead", "only", "not", "don't", "dont",
    "use", "keep", "avoid", "remember", "prefer", "ensure", "mustn't", "stop", "leave", "rather", "needs",
    "don’t", "shouldn’t", "pls", "let's", "let’s", "lets", "rename", "ignore", "skip", "want",
];

fn directs(sentence: &str) -> bool {
    let ends = sentence.trim_end_matches(['"', '\'', ')', '*', '_', ' ']);
    if ends.ends_with('?') || ends.ends_with("?!") {
        return false;
    }
    let mut words = 0;
    let mut found = false;
    let lower = sentence.to_lowercase();
    for word in lower
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’')))
        .filter(|word| !word.is_empty())
    {
        words += 1;
        found |= DIRECT.contains(&word);
    }
    let corrects = ["no,", "no.", "nope", "actually,", "wrong"].iter().any(|start| lower.starts_with(start));
    words >= 2
        && (found
            || corrects
            || lower.contains("make sure")
            || lower.contains("do not")
            || lower.contains("need to"))
        && !is_approval(&lower)
}

/// "Yes please", "please go ahead": kept as words, no rule to follow later.
fn is_approval(lower: &str) -> bool {
    #[rustfmt::skip]
    const FILLERS: &[&str] = &[
        "yes", "yeah", "yep", "ok", "okay", "sure", "please", "do", "it", "that", "this", "go", "ahead",
        "proceed", "continue", "sounds", "good", "let's", "lets", "let’s", "pls", "apply", "now", "for",
        "both", "all", "thanks", "thank", "you", "great", "cool", "perfect", "fix", "commit", "and", "push",
    ];
    lower
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’')))
        .filter(|word| !word.is_empty())
        .all(|word| FILLERS.contains(&word))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expected: &Expect) {
        expected.assert_eq(&directives(text).join("\n"));
    }

    #[test]
    fn directives_are_whole_sentences_in_the_users_words() {
        check(
            "The parser is slow. Never call unwrap() in `lib.rs`, e.g. for paths. Can you make it fast?\n- use memchr instead of regex\n- no questions",
            &expect![[r"
                Never call unwrap() in `lib.rs`, e.g. for paths.
                - use memchr instead of regex"]],
        );
        check("No, the other branch. It is a map.", &expect!["No, the other branch."]);
    }

    #[test]
    fn an_approval_is_no_directive() {
        for text in ["yes please", "ok, please do that", "go ahead", "yes", "sounds good, let's do it"] {
            check(text, &expect![""]);
        }
        check("yes, but keep the old name", &expect!["yes, but keep the old name"]);
    }

    #[test]
    fn the_clients_texts_are_nobodys_words() {
        let mut ledger = Ledger::default();
        for text in [
            "[Request interrupted by user]",
            "<task-notification>never do it</task-notification>",
            "<bash-stdout>use x</bash-stdout>",
            "  ",
        ] {
            assert!(!heard(&mut ledger, text, Place::default()), "{text}");
        }
        assert!(ledger.said.is_empty());
        assert!(heard(&mut ledger, "<div> must not be nested here", Place::default()));
    }

    #[test]
    fn a_long_paste_is_kept_by_its_head() {
        let mut ledger = Ledger::default();
        let paste = format!("Please fix this log.\n\n{}", "you must not read me. ".repeat(200));
        assert!(heard(&mut ledger, &paste, Place::default()));
        let said = &ledger.said[0];
        assert_eq!((utf16_len(&said.text), said.units), (HEAD_UNITS_MAX, paste.trim().len()));
        assert_eq!(said.directives, ["Please fix this log."]);
    }
}
