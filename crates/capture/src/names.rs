//! Names: identifiers in what was searched for, changed or spoken of; for measuring what was needed again.

use throughline_domain::transcript::{Block, Line, Tool, ToolCall, What};

use crate::{head, shell};

/// A shorter name stands for anything, a longer one is no name.
const NAME_BYTES: std::ops::RangeInclusive<usize> = 6..=60;
const TEXT_BYTES_MAX: usize = 8_000;
const NAMES_PER_TEXT_MAX: usize = 150;
const SEARCHES: &[&str] = &["grep", "rg", "egrep", "ag", "ack", "Select-String", "findstr"];

/// The names that a call searches for.
pub(crate) fn searched<'a>(call: &'a ToolCall<'_>) -> Vec<&'a str> {
    match call.tool {
        Tool::Search => call.pattern.as_deref().map_or_else(Vec::new, in_text),
        Tool::Shell => call.command.as_deref().map_or_else(Vec::new, in_search),
        _ => Vec::new(),
    }
}

/// The names that a line of a transcript speaks of, searches for or changes.
pub(crate) fn of_line<'a>(line: &'a Line<'a>) -> Vec<&'a str> {
    match &line.what {
        What::UserSaid(text) | What::Queued(text) | What::Command { args: text, .. } => in_text(text),
        What::Responded { blocks, .. } => blocks
            .iter()
            .flat_map(|block| match block {
                Block::Said(text) => in_text(text),
                Block::Called(call) if call.tool == Tool::Edit => {
                    call.text.as_deref().map_or_else(Vec::new, in_text)
                }
                Block::Called(call) => searched(call),
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// What the searches of a command line look for.
fn in_search(line: &str) -> Vec<&str> {
    let commands = shell::commands(line);
    let patterns = commands.iter().filter(|command| SEARCHES.contains(&command.words[0].as_str()));
    let patterns: Vec<&String> = patterns
        .filter_map(|command| command.words[1..].iter().find(|word| !word.starts_with('-')))
        .collect();
    in_text(line).into_iter().filter(|name| patterns.iter().any(|pattern| pattern.contains(*name))).collect()
}

fn in_text(text: &str) -> Vec<&str> {
    identifiers(head(text, TEXT_BYTES_MAX)).take(NAMES_PER_TEXT_MAX).collect()
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
