//! Continued secrets: the rest of a long one in the passages beside the one in which its mark stands.
//!
//! Texts are masked before they are cut into passages. Earlier versions cut them first, and of a private key or a long
//! token only the passage was masked in which it could be known. The passages of a text stand in one block, one behind
//! the other: what goes on behind a mark that ends a passage, in letters that nobody writes, belongs to what was masked.

use std::borrow::Cow;

use throughline_recall::Passage;
use throughline_redact as redact;

use super::printed;

/// What stands before each line of an output, below the command that printed it.
const LINE_MARK: &str = "> ";
const KEY: &str = "private-key";
/// Least of a line of a key, and of a token that ends in the middle of a line.
const LINE_BYTES_MIN: usize = 16;
const RUN_BYTES_MIN: usize = 32;

/// The texts of a block's passages without secrets; borrowed where there were none.
pub(super) fn masked(passages: &[Passage]) -> Vec<Cow<'_, str>> {
    let mut texts: Vec<Cow<'_, str>> =
        passages.iter().map(|passage| printed::masked(passage.kind, redact::text(&passage.text))).collect();
    let is_one_text = |at: &usize| {
        let (before, behind) = (&passages[at - 1], &passages[*at]);
        (before.kind, before.turn, before.at_s, before.is_sidechain)
            == (behind.kind, behind.turn, behind.at_s, behind.is_sidechain)
    };
    for at in (1..texts.len()).filter(is_one_text) {
        let clean = redact::mark_at_end(&texts[at - 1]).and_then(|kind| without_head(&texts[at], kind));
        if let Some(clean) = clean {
            texts[at] = Cow::Owned(clean);
        }
    }
    for at in (1..texts.len()).rev().filter(is_one_text) {
        let is_rest = redact::mark_at_start(told(&texts[at])) == Some(KEY);
        if let Some(clean) = is_rest.then(|| without_tail(&texts[at - 1])).flatten() {
            texts[at - 1] = Cow::Owned(clean);
        }
    }
    texts
}

/// What a passage tells, without the command that printed it.
fn told(text: &str) -> &str {
    text.find("\n> ").map_or(text, |at| &text[at + 1 + LINE_MARK.len()..])
}

/// Without what a secret goes on with at its beginning.
fn without_head(text: &str, kind: &str) -> Option<String> {
    let told = told(text);
    let above = &text[..text.len() - told.len()];
    let lines: Vec<&str> = told.split('\n').collect();
    let mut rest = lines.iter().take_while(|line| is_drawn(bare(line), LINE_BYTES_MIN)).count();
    // The last line of a key is short.
    if let [last, end, ..] = lines[rest..]
        && kind == KEY
        && bare(end).starts_with("-----END")
        && bare(last).chars().all(is_letter)
    {
        rest += 1;
    }
    let behind = if rest > 0 {
        lines[rest..].iter().map(|line| ["\n", line].concat()).collect()
    } else {
        // A token that was cut in the middle ends where its letters do.
        let run = told.find(|letter| !is_letter(letter)).unwrap_or(told.len());
        is_drawn(&told[..run], RUN_BYTES_MIN).then(|| told[run..].to_owned())?
    };
    let secret = &told[..told.len() - behind.len()];
    Some([above, &redact::mark(kind, secret), &behind].concat())
}

/// Without the lines of a key at its end.
fn without_tail(text: &str) -> Option<String> {
    let told = told(text);
    let lines: Vec<&str> = told.split('\n').collect();
    let rest = lines.iter().rev().take_while(|line| is_drawn(bare(line), LINE_BYTES_MIN)).count();
    let first = *lines.get(lines.len() - rest)?;
    let start = first.as_ptr() as usize - text.as_ptr() as usize + (first.len() - bare(first).len());
    Some([&text[..start], &redact::mark(KEY, &text[start..])].concat())
}

fn bare(line: &str) -> &str {
    line.strip_prefix(LINE_MARK).unwrap_or(line).trim()
}

/// A letter of base64, of either kind, and the point between two parts of a token.
fn is_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '+' | '/' | '=' | '-' | '_' | '.')
}

/// Whether a text was drawn at random, or is base64: it is long, and has capitals, small letters and digits.
fn is_drawn(text: &str, bytes_min: usize) -> bool {
    let has = |belongs: fn(&u8) -> bool| text.bytes().any(|byte| belongs(&byte));
    text.len() >= bytes_min
        && text.chars().all(is_letter)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use throughline_recall::{CommandOutcome, PassageKind};

    use super::*;

    fn passages(texts: &[&str]) -> Vec<Passage> {
        let passage = |text: &&str| Passage {
            kind: PassageKind::Output,
            outcome: CommandOutcome::Unknown,
            is_sidechain: false,
            at_s: 1,
            turn: 1,
            text: (*text).to_owned(),
        };
        texts.iter().map(passage).collect()
    }

    const ONE: &str = "hQIEpAIBAAKCAQEAq7Zr4TnYw8LkVb2McXdP9sHfGj3uAe6RtK1oQ5iW0zXvBn2M";
    const TWO: &str = "dP9sHfGj3uAe6RtK1oQ5iW0zXvBn2MIIEpAIBAAKCAQEAq7Zr4TnYw8LkVb2McX+";
    const END: &str = concat!("-----END RSA PRIVATE", " KEY-----");

    #[test]
    fn a_key_goes_on_behind_its_mark_until_its_lines_end() {
        let told = |lines: &[&str]| format!("cat key\n> {}", lines.join("\n> "));
        let given = [
            told(&["[masked:private-key:12ab]"]),
            told(&[ONE, TWO]),
            told(&[TWO, "q7Q=", END, "done at last"]),
            told(&[ONE]),
        ];
        let given = passages(&given.each_ref().map(String::as_str));
        let texts = masked(&given);
        assert_eq!(texts[1], "cat key\n> [masked:private-key]");
        assert_eq!(texts[2], "cat key\n> [masked:private-key]\n> done at last");
        assert_eq!(texts[3], given[3].text, "nothing before it says that it is a key");
    }

    #[test]
    fn a_key_of_which_only_the_end_was_kept_is_masked_backwards() {
        let (one, two) = (format!("noise 9\n{ONE}\n{TWO}"), format!("{TWO}\n{ONE}\nq7Q=\n{END}\nrest"));
        let given = passages(&["first", &one, &two]);
        assert_eq!(masked(&given), ["first", "noise 9\n[masked:private-key]", "[masked:private-key]\nrest"]);
    }

    #[test]
    fn a_token_goes_on_to_where_its_letters_end() {
        let rest = format!("{ONE}.{TWO} and then");
        assert_eq!(masked(&passages(&["use [masked:jwt:12ab]", &rest]))[1], "[masked:jwt] and then");
        let mut other = passages(&["use [masked:jwt:12ab]", &rest]);
        other[1].turn = 2;
        assert_eq!(masked(&other)[1], rest, "another text");
        for harmless in [
            "src/commands/recall/reading_of_transcripts.rs",
            "Then 3 files",
            "the_second_long_identifier_in_here",
        ] {
            assert_eq!(masked(&passages(&["use [masked:jwt:12ab]", harmless]))[1], harmless);
        }
    }
}
