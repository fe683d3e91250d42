//! Labels: a name that stands alone on its line or in its column, and its value below or beside it.

use super::value::{self, Standing};
use super::{Found, OPENING, prose, sentence};

const LINE_BYTES_MAX: usize = 200;
/// Letters of a label before the telling word: `Initial Wi-Fi `.
const LABEL_BYTES_MAX: usize = 48;
/// Words of a phrase that is a password.
const PHRASE_WORDS_MIN: usize = 4;

/// The value of a password's label.
pub(super) fn value_of(text: &str, start: usize, end: usize) -> Option<Found> {
    let floor = text.ceil_char_boundary(start.saturating_sub(LABEL_BYTES_MAX));
    let before = text.get(floor..start)?;
    let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    let is_label = line.len() < before.len() || floor == 0;
    let is_plain = |it: char| it.is_alphanumeric() || " -*#_>•\t\"'`.)│|".contains(it);
    let is_short = line.split(' ').filter(|word| word.len() > 1).count() <= 3;
    if !is_label || !is_short || !line.chars().all(is_plain) {
        return None;
    }
    let rest = text.get(end..text.floor_char_boundary(end + LINE_BYTES_MAX))?;
    let same = rest.split('\n').next()?;
    let tail = same.trim_end_matches([' ', '\r']);
    let is_alone = tail.trim_matches(['*', ':', '_', '`', ' ', '：', '#']).is_empty();
    let value = if is_alone { below(&rest[same.len()..])? } else { beside(tail)? };
    let at = value.as_ptr() as usize - text.as_ptr() as usize;
    // Beside a user even a sentence is one, if it has a number.
    let is_login = || {
        prose::has_user_before(text, start) && value::is_pass_sentence(value) && value.split(' ').count() > 2
    };
    let is_one = if is_alone { is_below(value, tail) } else { is_beside(value) || is_login() };
    (is_one && !value.contains(OPENING)).then_some(Found {
        start: at,
        end: at + value.len(),
        kind: "password",
        is_certain: false,
    })
}

/// The next line that is not empty, or the first in a fence.
fn below(rest: &str) -> Option<&str> {
    let mut lines = rest.split('\n').skip(1).take(4).map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next()?;
    let line = if first.starts_with("```") { lines.next()? } else { first };
    // A line that the look does not reach the end of.
    let is_whole = (line.as_ptr() as usize + line.len()) < (rest.as_ptr() as usize + rest.len())
        || rest.len() < LINE_BYTES_MAX / 2;
    is_whole.then(|| line.trim_matches(['`', '*', '"', '\'', '>', ' ']))
}

/// What stands behind two blanks and more, dots, an arrow or a colon up to the line's end.
fn beside(tail: &str) -> Option<&str> {
    let value =
        tail.trim_start_matches([' ', '\t', '.', '·', '…', ':', '=', '-', '>', '→', '|', '│', '*', '：']);
    let gap = &tail[..tail.len() - value.len()];
    let is_gap = gap.contains("  ")
        || gap.contains(['\t', ':', '=', '→', '│'])
        || gap.contains("..")
        || gap.contains("->");
    let value = value.trim_end_matches(['|', '│', ' ', '*']);
    (is_gap && !value.is_empty()).then_some(value)
}

fn is_below(value: &str, label: &str) -> bool {
    if value.contains(' ') {
        return label.contains(':') && is_phrase(value);
    }
    let is_file = value
        .rsplit_once('.')
        .is_some_and(|(_, kind)| kind.len() < 5 && kind.bytes().all(|byte| byte.is_ascii_lowercase()));
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let has_upper = value.bytes().any(|byte| byte.is_ascii_uppercase());
    (6..=64).contains(&value.len())
        && !value.ends_with([':', ',', ';', '.', '{', '('])
        && !is_file
        && !sentence::is_something_else(value)
        && value::is_password(value, Standing::Plain)
        && (value::is_strong(value)
            || digits > 0
                && (has_upper || digits > 2 || !value.contains('-') && (digits > 1 || label.contains(':'))))
}

fn is_beside(value: &str) -> bool {
    if value.contains(' ') {
        return is_phrase(value);
    }
    let count = |belongs: fn(&u8) -> bool| value.as_bytes().iter().filter(|byte| belongs(byte)).count();
    let signs = count(|byte| b"!#$%^&*+~;{}()".contains(byte));
    let is_call = value.contains("()")
        || value.contains('(') && value.ends_with([')', ';', ','])
        || value.contains("::");
    let drawn = count(u8::is_ascii_digit) > 1
        && count(u8::is_ascii_uppercase) > 0
        && signs > 1
        && value.len() >= 10
        && !is_call;
    let is_named = value.split('.').all(|part| {
        part.starts_with(|it: char| it.is_ascii_uppercase()) || part.bytes().all(|it| it.is_ascii_lowercase())
    });
    // `fig.Newton.Apple`
    let is_dotted = value.matches('.').count() > 1
        && is_named
        && count(u8::is_ascii_uppercase) > 0
        && value.bytes().next().is_some_and(|it| it.is_ascii_lowercase());
    !value::is_placeholder(value) && (drawn || is_dotted && !value.contains(['(', '/', ':', ';', '[']))
}

/// Plain words up to the line's end, and none that a sentence has.
fn is_phrase(value: &str) -> bool {
    let words = value.split(' ');
    let is_talk = |word: &str| prose::is_talk(word);
    let plain = value.replace(['\'', '’'], "");
    words.clone().count() >= PHRASE_WORDS_MIN
        && !words.clone().any(is_talk)
        && sentence::is_words(&plain.split(' ').filter(|word| word.len() > 1).collect::<Vec<_>>().join(" "))
}
