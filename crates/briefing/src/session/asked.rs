//! Asked: the current request with the answers that belong to it, the user's rules, and what else he said.

use throughline_domain::ledger::{Ledger, UserWord};
use throughline_domain::text::{one_line, utf16_len, word_count};

use super::Reader;
use super::gap::Known;
use super::items::{FILL, FIRST, Item, MUST, Room, WEIGHED, line};
use super::part::Part;
use super::worth;
use crate::sections::verbatim;

/// A directive is recognised by its beginning; a long one is cut here.
const DIRECTIVE_UNITS: usize = 240;
const DIRECTIVE_UNITS_TIGHT: usize = 126;
/// Where every word counts, so many go in before anything is weighed.
const DIRECTIVES_FIRST_TIGHT: usize = 10;
/// The current request, whole where it is short.
const REQUEST_UNITS: usize = 600;
/// Newest directives that are told.
const DIRECTIVES_MAX: usize = 12;
/// Newest proposals for the moment ("let's …") among them.
const PASSING_MAX: usize = 4;
/// Newest lines of what the user pasted.
const PASTED_MAX: usize = 3;
const PASTED_MAX_TIGHT: usize = 2;
/// More sentences than a message can have: room for their order.
const SENTENCES_MAX: usize = 1_000;
/// Newest messages of the user that direct nothing.
const WORDS_MAX: usize = 8;
const WORD_UNITS: usize = 300;
const WORD_UNITS_TIGHT: usize = 120;
const ANSWER_UNITS: usize = 160;
/// Answers that came after the request, and how much is told of what they answered.
const ANSWERS_MAX: usize = 2;
const OFFER_UNITS: usize = 240;
const OFFER_UNITS_TIGHT: usize = 90;

/// The current request, in the user's words, and what he answered since. In a compacted context the summary may have it.
pub(super) fn request(ledger: &Ledger, known: &Known, reader: Reader, room: Room, items: &mut Vec<Item>) {
    let words = told_request(ledger, known);
    if !words.is_empty() {
        let label = if reader == Reader::Summariser { "The user's last request" } else { "The request" };
        let text = format!("{label}: \"{words}\"");
        items.push(Item {
            may_be_cut: true,
            ..line(Part::Request, 0, &text, MUST, 2.0, "the user's last request")
        });
    }
    let since = current_request(ledger).map_or(0, |word| word.place.offset);
    let answers = ledger.said.iter().filter(|word| word.place.offset > since && !word.answers.is_empty());
    let answers: Vec<&UserWord> = answers.collect();
    for (order, word) in answers.iter().rev().take(ANSWERS_MAX).rev().enumerate() {
        if known.has_sentence(&word.text) && known.has_sentence(&word.answers) {
            continue;
        }
        let offer = one_line(&word.answers, room.pick(OFFER_UNITS_TIGHT, OFFER_UNITS));
        let text =
            format!("The user then said \"{}\" to your \"{offer}\"", one_line(&word.text, ANSWER_UNITS));
        items.push(line(Part::Request, order + 1, &text, FIRST, 1.2, "what the user answered since"));
    }
}

/// The words of the current request that will be told; none where they are known.
pub(super) fn told_request(ledger: &Ledger, known: &Known) -> String {
    current_request(ledger)
        .filter(|word| !known.has_sentence(&word.text))
        .map_or_else(String::new, |word| one_line(&word.text, REQUEST_UNITS))
}

pub(crate) fn current_request(ledger: &Ledger) -> Option<&UserWord> {
    ledger
        .said
        .iter()
        .rfind(|word| is_request(word))
        .or_else(|| ledger.said.iter().rfind(|it| word_count(&it.text) >= 2))
}

/// `yes`, `go on` and the like ask for nothing by themselves; a short `yes, and …` adds to what was asked before. Two words
/// that answer no question ask for something.
pub(crate) fn is_request(word: &UserWord) -> bool {
    const ANSWERS: [&str; 16] = [
        "yes", "yeah", "yep", "no", "nope", "ok", "okay", "sure", "go", "continue", "great", "thanks", "hi",
        "hello", "perfect", "please",
    ];
    let words = word_count(&word.text);
    let first =
        word.text.split_whitespace().next().unwrap_or("").trim_matches(|c: char| !c.is_alphanumeric());
    if ANSWERS.iter().any(|answer| first.eq_ignore_ascii_case(answer)) {
        return words >= 16;
    }
    let answers_question = word.answers.trim_end().ends_with(['?', '？']);
    words >= if answers_question { 5 } else { 2 }
}

/// What the user directed, newest last; then what else he said that may matter.
pub(super) fn directives(ledger: &Ledger, known: &Known, room: Room, items: &mut Vec<Item>) {
    let request = told_request(ledger, known);
    let is_told = |sentence: &str| request.contains(&one_line(sentence, REQUEST_UNITS));
    let mut told: Vec<(Part, usize, &str)> = Vec::new();
    for (at, word) in ledger.said.iter().enumerate() {
        let directives = word.directives.iter().map(|it| (Part::Directives, it));
        for (part, sentence) in directives.chain(word.remarks.iter().map(|it| (Part::Words, it))) {
            // Said again, it counts where it was said last.
            told.retain(|(_, _, other)| other != sentence);
            told.push((part, at * SENTENCES_MAX + told.len() % SENTENCES_MAX, sentence));
        }
    }
    // What is known takes nobody's place; a sentence of the request stands in it already.
    told.retain(|(_, _, sentence)| !known.has_sentence(sentence) && !is_told(sentence));
    // What the user proposes for the moment makes room for what holds on.
    let (standing, passing): (Vec<_>, Vec<_>) = told.into_iter().rev().partition(|it| stands(it.2));
    let first = room.pick(DIRECTIVES_FIRST_TIGHT, DIRECTIVES_MAX);
    let standing = standing.into_iter().enumerate().map(|(age, it)| (age, age < DIRECTIVES_MAX, it));
    let passing = passing.into_iter().enumerate();
    let passing = passing.map(|(age, it)| (age + room.pick(first, 2), age < PASSING_MAX, it));
    for (age, is_newest, (part, order, sentence)) in standing.chain(passing) {
        let text = format!("- \"{}\"", one_line(sentence, room.pick(DIRECTIVE_UNITS_TIGHT, DIRECTIVE_UNITS)));
        let forbids = part == Part::Directives && forbids(sentence);
        let (tier, worth) = match part {
            _ if !is_newest => (FILL, worth::OLDER_WORDS * worth::of_age(age)),
            _ if forbids => (FIRST, worth::FORBIDDEN + worth::of_age(age)),
            _ if age >= first => (WEIGHED, worth::WORDS),
            Part::Words => (FIRST, worth::REMARK * worth::of_age(age)),
            _ => (FIRST, worth::of_age(age)),
        };
        items.push(line(part, order, &text, tier, worth, "the user's own words"));
    }
    pasted(ledger, known, room, items);
    words(ledger, known, room, items);
}

/// What a program said in the user's message: after his own words, before names.
fn pasted(ledger: &Ledger, known: &Known, room: Room, items: &mut Vec<Item>) {
    let newest = ledger.said.iter().rev().flat_map(|word| word.pasted.iter().rev());
    let mut told: Vec<&String> = Vec::new();
    for sentence in newest.filter(|sentence| !known.has_sentence(sentence)) {
        if !told.contains(&sentence) {
            told.push(sentence);
        }
    }
    for (age, sentence) in told.into_iter().enumerate() {
        let units = room.pick(DIRECTIVE_UNITS_TIGHT, DIRECTIVE_UNITS);
        let text = format!("> {}", verbatim(sentence, units));
        let is_newest = age < room.pick(PASTED_MAX_TIGHT, PASTED_MAX);
        let (tier, worth) =
            if is_newest { (WEIGHED, worth::WORDS) } else { (FILL, worth::OLDER_WORDS * worth::of_age(age)) };
        items.push(line(Part::Pasted, usize::MAX - age, &text, tier, worth, "a line that the user pasted"));
    }
}

/// Whether a sentence holds on: a rule, a prohibition, a preference. "Let's look at x" is over when x was looked at.
fn stands(sentence: &str) -> bool {
    const PASSING: &[&str] = &["let's", "let’s", "lets", "i want to", "we need to", "i need", "i'd like to"];
    #[rustfmt::skip]
    const STANDING: &[&str] = &[
        "never", "always", "must", "should", "don't", "don’t", "dont", "not", "only", "instead", "use", "keep", "avoid",
        "remember", "prefer", "please", "sure",
    ];
    let lower = sentence.to_lowercase();
    let is_passing = PASSING.iter().any(|start| lower.contains(start));
    let mut words = lower.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’')));
    !is_passing || words.any(|word| STANDING.contains(&word))
}

/// Whether a sentence says what must not be done: nothing else in a session shows that.
fn forbids(sentence: &str) -> bool {
    const NOT: &[&str] =
        &["never ", "don't ", "don’t ", "dont ", "do not ", "must not ", "mustn't ", "avoid "];
    let lower = sentence.to_lowercase();
    NOT.iter().any(|word| lower.contains(word))
}

/// Messages of the user of which nothing was told yet: the newest first, each by its beginning.
fn words(ledger: &Ledger, known: &Known, room: Room, items: &mut Vec<Item>) {
    let since = current_request(ledger);
    // The request and the answers to it stand at the top.
    let is_told = |word: &UserWord| since.is_some_and(|request| word.place.offset >= request.place.offset);
    let others = ledger.said.iter().enumerate().rev().filter(|(_, word)| !is_told(word));
    for (age, (order, word)) in others.enumerate() {
        let shown = one_line(&word.text, room.pick(WORD_UNITS_TIGHT, WORD_UNITS));
        let is_said = word.directives.iter().chain(&word.remarks).any(|it| shown.contains(&one_line(it, 60)));
        if is_said || known.has_sentence(&word.text) || known.share(&shown) > 0.8 || word_count(&shown) < 2 {
            continue;
        }
        let text = format!("- \"{shown}\"");
        let is_short = utf16_len(&shown) <= WORD_UNITS_TIGHT;
        let (tier, worth) = match age {
            _ if !is_short && room == Room::Tight => continue,
            age if age < WORDS_MAX => (WEIGHED, 0.5 * worth::of_age(age)),
            _ => (FILL, worth::of_age(age)),
        };
        items.push(line(Part::Words, order * SENTENCES_MAX, &text, tier, worth, "the user's own words"));
    }
}
