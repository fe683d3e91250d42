//! Words: what the user said, and the sentences of it that direct the work.

use throughline_domain::ledger::{FindingKind, Ledger, Phase, TranscriptPlace, UserWord};
use throughline_domain::text::{cut_utf16, one_line, utf16_len};

use crate::directives::{Bearing, bearing, demands, quotes};
use crate::markup;

/// What is longer is a paste or a document: kept by its head.
const WHOLE_UNITS_MAX: usize = 1_600;
const HEAD_UNITS_MAX: usize = 600;
const DIRECTIVE_UNITS: std::ops::RangeInclusive<usize> = 6..=400;
const WIDE_UNITS_MIN: usize = 4;
const AGAIN_UNITS_MIN: usize = 40;
const DIRECTIVES_PER_MESSAGE_MAX: usize = 24;
/// Shorter words answer more often than they ask.
const SHORT_UNITS: usize = 120;
const OFFERED_UNITS: usize = 300;
/// How far a long message is looked through for rules, and how long one of these may be.
const LONG_BYTES_MAX: usize = 48 << 10;
const LONG_RULE_UNITS: std::ops::RangeInclusive<usize> = 16..=240;

/// Takes a message; says whether the user really said something.
pub(crate) fn heard(ledger: &mut Ledger, text: &str, place: TranscriptPlace) -> bool {
    let text = text.trim();
    if text.is_empty() || is_clients_own(text) {
        return false;
    }
    let units = utf16_len(crate::head(text, 4 << 20));
    let kept = if units <= WHOLE_UNITS_MAX { text } else { cut_utf16(text, HEAD_UNITS_MAX) };
    let is_whole = units <= WHOLE_UNITS_MAX;
    // Of a paste the sentences are not the user's own; what he says before it is: its first paragraph.
    let own = if is_whole { kept } else { kept.split("\n\n").next().unwrap_or_default() };
    // Sent again after an interruption, it is the same request; a short "yes" is another yes.
    if units > AGAIN_UNITS_MIN {
        ledger.said.retain(|word| word.units != units || word.text != kept);
    }
    let [mut directives, remarks, pasted] = directives(own);
    if !is_whole {
        rules_in(text, &mut directives);
    }
    ledger.said.push(UserWord {
        text: kept.to_owned(),
        units,
        place,
        directives,
        remarks,
        pasted,
        is_queued: false,
        answers: if units <= SHORT_UNITS { offered(ledger) } else { String::new() },
    });
    true
}

/// What the agent asked or offered last, in its words.
fn offered(ledger: &Ledger) -> String {
    let asked = ledger.findings.iter().rfind(|it| it.kind == FindingKind::Question && it.passes == 0);
    let said = Some(&ledger.stand).filter(|stand| stand.phase == Phase::Told);
    let told = || said.map(|stand| if stand.said.is_empty() { &stand.told } else { &stand.said });
    asked.map(|it| &it.quote).or_else(told).map_or_else(String::new, |words| one_line(words, OFFERED_UNITS))
}

/// The newest words came while the agent was busy: the client may say them again as a message of their own.
pub(crate) fn mark_queued(ledger: &mut Ledger) {
    if let Some(word) = ledger.said.last_mut() {
        word.is_queued = true;
    }
}

/// Whether these words were queued before: then they stand where they were handed over, and count once.
pub(crate) fn was_queued(ledger: &mut Ledger, text: &str, place: TranscriptPlace) -> bool {
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
pub(crate) fn heard_command(ledger: &mut Ledger, name: &str, args: &str, place: TranscriptPlace) {
    #[rustfmt::skip]
    const OF_THE_CLIENT: &[&str] = &[
        "rename", "clear", "model", "resume", "login", "logout", "config", "cost", "context", "exit", "quit", "effort",
        "add-dir", "plugin", "mcp", "theme", "status", "usage", "export", "memory", "permissions", "fast", "color",
    ];
    let args = args.trim();
    if args.is_empty() || OF_THE_CLIENT.contains(&name.trim_start_matches('/')) {
        return;
    }
    let name = crate::head(name, 60);
    let text = format!("{name} {}", cut_utf16(args, HEAD_UNITS_MAX));
    let [directives, remarks, pasted] = if name.ends_with("compact") {
        [vec![cut_utf16(args, *DIRECTIVE_UNITS.end()).to_owned()], Vec::new(), Vec::new()]
    } else {
        directives(&text)
    };
    // The same command again is the same request.
    ledger.said.retain(|word| word.text != text);
    ledger.said.push(UserWord {
        text,
        units: utf16_len(args),
        place,
        directives,
        remarks,
        pasted,
        is_queued: false,
        answers: String::new(),
    });
}

/// Texts that the client puts into the user's mouth.
pub(crate) fn is_clients_own(text: &str) -> bool {
    const STARTS: &[&str] = &[
        "[Request interrupted",
        "Caveat: ",
        "This session is being continued",
        "API Error",
        "[SYSTEM NOTIFICATION",
        "Operation stopped by hook",
    ];
    if STARTS.iter().any(|start| text.starts_with(start)) {
        return true;
    }
    // `<task-notification>`, `<bash-stdout>`…: a mark of the client, unlike `<div>` in the middle of a sentence.
    text.strip_prefix('<').and_then(|rest| rest.split_once('>')).is_some_and(|(mark, _)| {
        mark.contains('-') && mark.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    })
}

/// A long message may be a document of rules: what it forbids and demands in so many words counts, wherever it stands.
fn rules_in(text: &str, directives: &mut Vec<String>) {
    let text = crate::head(text, LONG_BYTES_MAX);
    // A rule of a document stands on a line of its own; in the middle of a paragraph it is somebody's prose.
    let stands_alone = |sentence: &str| {
        let at = sentence.as_ptr() as usize - text.as_ptr() as usize;
        let (before, behind) =
            (text[..at].trim_end_matches([' ', '\t']), text[at + sentence.len()..].trim_start_matches(' '));
        (before.is_empty() || before.ends_with('\n'))
            && (behind.is_empty() || behind.starts_with(['\n', '\r']))
    };
    for sentence in markup::sentences(text).map(|sentence| sentence.text).filter(|it| stands_alone(it)) {
        if directives.len() >= DIRECTIVES_PER_MESSAGE_MAX {
            break;
        }
        let is_rule = LONG_RULE_UNITS.contains(&utf16_len(sentence))
            && demands(sentence)
            && bearing(sentence) == Bearing::Directs;
        if is_rule && !directives.iter().any(|known| known == sentence) {
            directives.push(sentence.to_owned());
        }
    }
}

/// The sentences that direct, those that may bear on the work, and such that were pasted.
fn directives(text: &str) -> [Vec<String>; 3] {
    let [mut directives, mut remarks, mut pasted] = [const { Vec::new() }; 3];
    for sentence in markup::sentences(text).map(|sentence| sentence.text) {
        // Two words of a script without spaces are four characters.
        let units_min = if sentence.is_ascii() { *DIRECTIVE_UNITS.start() } else { WIDE_UNITS_MIN };
        let units = utf16_len(sentence);
        if units < units_min || units > *DIRECTIVE_UNITS.end() || is_clients_own(sentence) {
            continue;
        }
        let list = match bearing(sentence) {
            Bearing::Directs => &mut directives,
            Bearing::Remarks => &mut remarks,
            Bearing::Pasted => &mut pasted,
            Bearing::Nothing => continue,
        };
        if list.len() < DIRECTIVES_PER_MESSAGE_MAX {
            list.push(sentence.to_owned());
        }
    }
    let quoted = markup::quoted(text).filter(|it| DIRECTIVE_UNITS.contains(&utf16_len(it)) && quotes(it));
    pasted.extend(quoted.take(DIRECTIVES_PER_MESSAGE_MAX.saturating_sub(pasted.len())).map(str::to_owned));
    [directives, remarks, pasted]
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expected: &Expect) {
        expected.assert_eq(&directives(text)[0].join("\n"));
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
            assert!(!heard(&mut ledger, text, TranscriptPlace::default()), "{text}");
        }
        assert!(ledger.said.is_empty());
        assert!(heard(&mut ledger, "<div> must not be nested here", TranscriptPlace::default()));
    }

    #[test]
    fn what_the_user_quotes_is_pasted_and_no_directive() {
        let mut ledger = Ledger::default();
        let text = "Keep it, but make sure of this:\n> You must not close the stream twice.\n```\nlet x = not_used;\n```";
        assert!(heard(&mut ledger, text, TranscriptPlace::default()));
        let said = &ledger.said[0];
        assert_eq!(said.remarks, ["Keep it, but make sure of this:"]);
        assert_eq!(said.pasted, ["You must not close the stream twice."]);
        assert!(said.directives.is_empty());
    }

    #[test]
    fn a_long_paste_is_kept_by_its_head() {
        let mut ledger = Ledger::default();
        let paste = format!("Please fix this log.\n\n{}", "you must not read me. ".repeat(200));
        assert!(heard(&mut ledger, &paste, TranscriptPlace::default()));
        let said = &ledger.said[0];
        assert_eq!((utf16_len(&said.text), said.units), (HEAD_UNITS_MAX, paste.trim().len()));
        assert_eq!(said.directives, ["Please fix this log."]);
    }

    #[test]
    fn a_long_document_of_rules_is_known_by_its_rules() {
        let mut ledger = Ledger::default();
        let filler = "The parser reads a line and gives a tree of it.\n".repeat(60);
        let text = format!(
            "Our conventions follow.\n\n{filler}\n- Never push to main.\n- Always run the linter before a commit.\n"
        );
        assert!(heard(&mut ledger, &text, TranscriptPlace::default()));
        assert_eq!(
            ledger.said[0].directives,
            ["- Never push to main.", "- Always run the linter before a commit."]
        );
    }

    #[test]
    fn a_short_answer_is_kept_with_what_it_answers() {
        let mut ledger = Ledger::default();
        crate::findings::from_agent(
            &mut ledger,
            "Two ways. Shall I take the agent ids?",
            TranscriptPlace::default(),
        );
        assert!(heard(&mut ledger, "yes, please do", TranscriptPlace::default()));
        assert_eq!(ledger.said[0].answers, "Two ways. Shall I take the agent ids?");
    }
}
