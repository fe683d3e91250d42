//! Stand: whose turn it is, and what the agent last said and did: where the work has to be taken up again.

use throughline_domain::ledger::{Act, Ledger, Phase, Stand};
use throughline_domain::text::{one_line, word_count};
use throughline_domain::transcript::{Tool, ToolCall};

use crate::{markup, outcome_words};

const SENTENCE_UNITS: usize = 240;
const WHAT_UNITS: usize = 160;
/// What it is about to do is said at a text's end.
const TAIL_BYTES: usize = 2_000;

/// The user spoke: what the agent said before belongs to what was asked before.
pub(crate) fn asked(ledger: &mut Ledger) {
    ledger.stand = Stand { phase: Phase::Asked, ..Stand::default() };
}

/// The user stopped the agent; what it was at stays.
pub(crate) fn stopped(ledger: &mut Ledger) {
    ledger.stand.phase = Phase::Stopped;
    ledger.stand.is_open = false;
}

/// The user refused what the agent wanted to do: it was not done.
pub(crate) fn refused(ledger: &mut Ledger, what: &str) {
    let stand = &mut ledger.stand;
    (stand.act, stand.what, stand.is_open) = (Act::Refused, one_line(what, WHAT_UNITS), false);
}

/// The agent spoke; `outcome` is the sentence that tells what came out.
pub(crate) fn said(ledger: &mut Ledger, text: &str, outcome: Option<String>) {
    spoke(&mut ledger.stand, text, outcome);
}

/// The same, for the words of an answer that the transcript does not hold yet.
pub(crate) fn spoke(stand: &mut Stand, text: &str, outcome: Option<String>) {
    let text = text.trim();
    if text.is_empty() {
        return;
    }
    stand.phase = Phase::Told;
    if let Some((said, announces)) = intent_in(tail(text)) {
        (stand.said, stand.announces) = (said, announces);
    }
    stand.told = outcome.or_else(|| first_sentence(text)).unwrap_or_default();
}

/// The agent called a tool.
pub(crate) fn called(ledger: &mut Ledger, call: &ToolCall<'_>) {
    let path = || shown_path(&ledger.folders, call.path.as_deref().unwrap_or_default());
    let (act, what) = match call.tool {
        Tool::Edit | Tool::Write => (Act::Edited, path()),
        Tool::Read => (Act::Read, path()),
        Tool::Search => (Act::Searched, text_of(call.pattern.as_deref())),
        Tool::Shell => (Act::Ran, text_of(call.command.as_deref())),
        Tool::Agent => (Act::Delegated, text_of(call.purpose.as_deref())),
        Tool::TaskCreate | Tool::TaskUpdate | Tool::TodoWrite => {
            // Book-keeping: what was done before it is still the last deed.
            ledger.stand.phase = Phase::Working;
            return;
        }
        Tool::AskUser | Tool::Plan | Tool::Server | Tool::Other => (Act::Called, text_of(Some(&call.name))),
    };
    let stand = &mut ledger.stand;
    *stand = Stand { phase: Phase::Working, act, what, is_open: true, ..std::mem::take(stand) };
}

/// Answers of tools came.
pub(crate) fn answered(ledger: &mut Ledger) {
    ledger.stand.is_open = false;
}

fn text_of(text: Option<&str>) -> String {
    one_line(text.unwrap_or_default(), WHAT_UNITS)
}

/// A path below one of the folders the agent works in is told from there.
fn shown_path(folders: &[String], path: &str) -> String {
    let path = path.replace('\\', "/");
    let below = folders.iter().rev().find_map(|folder| path.strip_prefix(folder.as_str())?.strip_prefix('/'));
    one_line(below.unwrap_or(&path), WHAT_UNITS)
}

fn tail(text: &str) -> &str {
    let mut from = text.len().saturating_sub(TAIL_BYTES);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

/// The last sentence that announces something; else the last one of all, which is what the calls behind it are about.
/// And which of both it is.
fn intent_in(text: &str) -> Option<(String, bool)> {
    let sentences: Vec<&str> =
        markup::sentences(text).map(|sentence| sentence.text).filter(|it| says_something(it)).collect();
    let announcing = sentences.iter().rev().take(4).find(|it| outcome_words::announces(it));
    let said = announcing.or(sentences.last().filter(|it| !outcome_words::keeps_list(it)))?;
    Some((one_line(&said.replace("**", ""), SENTENCE_UNITS), announcing.is_some()))
}

/// The first sentence that is more than an interjection or an announcement.
fn first_sentence(text: &str) -> Option<String> {
    let sentences = || {
        let prose = markup::sentences(text).filter(|it| !it.is_item && !it.text.starts_with('#'));
        prose.map(|sentence| sentence.text).filter(|it| says_something(it))
    };
    let is_telling = |it: &&str| word_count(it) >= 4 && !it.ends_with(':') && !outcome_words::announces(it);
    let sentence = sentences().find(is_telling).or_else(|| sentences().next())?;
    Some(one_line(&sentence.replace("**", ""), SENTENCE_UNITS))
}

fn says_something(sentence: &str) -> bool {
    sentence.chars().filter(|c| c.is_alphabetic()).count() >= 6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spoken(text: &str) -> (String, String) {
        let mut ledger = Ledger::default();
        said(&mut ledger, text, outcome_words::in_text(text));
        (ledger.stand.said, ledger.stand.told)
    }

    #[test]
    fn what_it_will_do_is_said_at_the_end_and_what_came_out_at_the_beginning() {
        let (said, told) = spoken(
            "The handler is fixed and all 12 tests pass.\n\nNow let me **update** the docs. They are short.",
        );
        assert_eq!(said, "Now let me update the docs.");
        assert_eq!(told, "The handler is fixed and all 12 tests pass.");
        assert_eq!(spoken("Ich passe jetzt die Tests an:").0, "Ich passe jetzt die Tests an:");
        assert_eq!(spoken("OK."), (String::new(), String::new()));
    }

    #[test]
    fn each_speaker_takes_the_turn() {
        let mut ledger = Ledger { folders: vec!["/r".to_owned()], ..Ledger::default() };
        said(&mut ledger, "Now I'll edit the parser.", None);
        let call = ToolCall { tool: Tool::Edit, path: Some("/r/src/a.rs".into()), ..ToolCall::default() };
        called(&mut ledger, &call);
        let stand = &ledger.stand;
        assert_eq!((stand.phase, stand.act, stand.what.as_str()), (Phase::Working, Act::Edited, "src/a.rs"));
        assert!(stand.is_open);
        answered(&mut ledger);
        stopped(&mut ledger);
        assert_eq!((ledger.stand.phase, ledger.stand.is_open), (Phase::Stopped, false));
        assert_eq!(ledger.stand.said, "Now I'll edit the parser.");
        asked(&mut ledger);
        assert_eq!(ledger.stand, Stand { phase: Phase::Asked, ..Stand::default() });
    }
}
