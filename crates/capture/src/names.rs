//! Names: identifiers that were searched for, changed or spoken of.

use std::collections::HashSet;

use throughline_domain::ledger::{HALF_LIFE_TURNS, Ledger, NameUse, Place};
use throughline_domain::transcript::{Tool, ToolCall};

use crate::files::Role;
use crate::head;

/// A shorter name stands for anything, a longer one is no name.
const NAME_BYTES: std::ops::RangeInclusive<usize> = 6..=60;
const EDIT_BYTES_MAX: usize = 8_000;
const NAMES_PER_TEXT_MAX: usize = 150;
/// What was searched for once is searched for again: the weight of a search is a name's largest.
const SEARCHED_WEIGHT: f64 = 2.0;

/// Names in somebody's prose.
pub(crate) fn mentioned(ledger: &mut Ledger, text: &str, role: Role, place: Place) {
    note(ledger, text, role.weight(), Searched::No, place);
}

/// Names in what a tool searches for or changes.
pub(crate) fn used_by_tool(ledger: &mut Ledger, call: &ToolCall<'_>, place: Place) {
    match call.tool {
        Tool::Search => {
            if let Some(pattern) = call.pattern.as_deref() {
                searched(ledger, pattern, place);
            }
        }
        Tool::Edit => {
            if let Some(text) = call.text.as_deref() {
                note(ledger, head(text, EDIT_BYTES_MAX), Role::Read.weight(), Searched::No, place);
            }
        }
        _ => {}
    }
}

/// Names in a search pattern.
pub(crate) fn searched(ledger: &mut Ledger, pattern: &str, place: Place) {
    note(ledger, head(pattern, 1_000), SEARCHED_WEIGHT, Searched::Yes, place);
}

#[derive(Clone, Copy, PartialEq)]
enum Searched {
    Yes,
    No,
}

fn note(ledger: &mut Ledger, text: &str, weight: f64, searched: Searched, place: Place) {
    let mut seen = HashSet::new();
    for name in identifiers(text) {
        if !seen.insert(name) {
            continue;
        }
        if seen.len() > NAMES_PER_TEXT_MAX {
            break;
        }
        let at = ledger.names.iter().rposition(|known| is_same(&known.name, name)).unwrap_or_else(|| {
            ledger.names.push(NameUse { name: name.to_owned(), ..NameUse::default() });
            ledger.names.len() - 1
        });
        let known = &mut ledger.names[at];
        known.weight.add(weight, place.turn, HALF_LIFE_TURNS);
        known.last = place;
        known.searched |= searched == Searched::Yes;
    }
}

/// Names differ at their ends more often than at their beginnings, and a look at one byte is no call.
fn is_same(known: &str, name: &str) -> bool {
    known.len() == name.len() && known.as_bytes().last() == name.as_bytes().last() && known == name
}

/// The identifiers in a text: camelCase, snake_case, CONST_CASE; a plain word is none.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        // One pass tells words, which most are, from what may be an identifier.
        while at < bytes.len() {
            let start = at;
            let (mut before, mut is_telling) = (Letter::None, false);
            while let Some(byte) = bytes.get(at) {
                let letter = LETTERS[usize::from(*byte)];
                if letter == Letter::None {
                    break;
                }
                is_telling |=
                    letter == Letter::Underscore || (letter == Letter::Upper && before == Letter::Lower);
                before = letter;
                at += 1;
            }
            let word = start..at;
            at += 1;
            if is_telling && NAME_BYTES.contains(&word.len()) && is_identifier(&bytes[word.clone()]) {
                return text.get(word);
            }
        }
        None
    })
}

/// What a byte is in a word.
#[derive(Clone, Copy, PartialEq)]
enum Letter {
    None,
    Lower,
    Upper,
    Underscore,
    Other,
}

const LETTERS: [Letter; 256] = {
    let mut letters = [Letter::None; 256];
    let mut byte = 0;
    while byte < letters.len() {
        #[expect(clippy::cast_possible_truncation, reason = "there are 256 bytes")]
        let letter = match byte as u8 {
            b'a'..=b'z' => Letter::Lower,
            b'A'..=b'Z' => Letter::Upper,
            b'_' => Letter::Underscore,
            b'0'..=b'9' | 0x80.. => Letter::Other,
            _ => Letter::None,
        };
        letters[byte] = letter;
        byte += 1;
    }
    letters
};

fn is_identifier(word: &[u8]) -> bool {
    if !word.is_ascii() || !word[0].is_ascii_alphabetic() || word[word.len() - 1] == b'_' {
        return false;
    }
    let lower = word.iter().filter(|byte| byte.is_ascii_lowercase()).count();
    let upper = word.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    if word.contains(&b'_') {
        return (lower == 0 || upper == 0) && lower + upper >= 4;
    }
    // A hump: a capital behind a small letter.
    lower >= 3 && word.windows(2).any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_told_from_words() {
        let text = "The getUserName call in parse_line fails with MAX_RETRIES and HTTPServer2, getHTTPServer, GitHub said; sha 3f5a2bc9d1e0 __x aB_cD";
        let names: Vec<&str> = identifiers(text).collect();
        assert_eq!(names, ["getUserName", "parse_line", "MAX_RETRIES", "getHTTPServer", "GitHub"]);
    }
}
