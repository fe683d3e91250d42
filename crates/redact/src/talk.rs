//! Talk: a value that is said in the sentences and lines around the word that says password, not right behind it.

use super::names::Says;
use super::sentence::{self, is_something_else, trimmed};
use super::value::{self, Standing};
use super::{Found, OPENING, names};

/// How far is looked on either side.
const BEFORE_BYTES: usize = 160;
const BEHIND_BYTES: usize = 280;
const WORDS_MAX: usize = 64;
/// Least of what is drawn at random, in a talk about keys.
const DRAWN_BYTES_MIN: usize = 20;

/// Words right before a value that say: here it is.
const SAYING: [&str; 46] = [
    "nu",
    "nyt",
    "teraz",
    "ahora",
    "agora",
    "jetzt",
    "sekarang",
    "maintenant",
    "is",
    "it's",
    "it’s",
    "was",
    "use",
    "try",
    "type",
    "enter",
    "paste",
    "i.e.",
    "namely",
    "then",
    "now",
    "called",
    "becomes",
    "ist",
    "war",
    "lautet",
    "nämlich",
    "est",
    "c'est",
    "c’est",
    "es",
    "era",
    "é",
    "è",
    "e",
    "jest",
    "är",
    "jadi",
    "menjadi",
    "adalah",
    "это",
    "first",
    "second",
    "third",
    "also",
    "says",
];
/// What says it in a language that has its own word for a password, and something else in English.
const SAYING_ABROAD: [&str; 5] = ["on", "er", "na", "je", "to"];
/// What makes a value something else than a secret: only its name or its print is told.
const PRINTS: [&str; 22] = [
    "hash",
    "hashes",
    "hashed",
    "digest",
    "checksum",
    "fingerprint",
    "sha",
    "sha1",
    "sha256",
    "md5",
    "commit",
    "id",
    "uuid",
    "request",
    "version",
    "branch",
    "ticket",
    "revision",
    "etag",
    "public",
    "image",
    "bcrypt",
];

/// What is talked about where one of these follows: not the password itself.
const TOPICS: [&str; 16] = [
    "manager",
    "managers",
    "policy",
    "policies",
    "reset",
    "hash",
    "hashes",
    "hint",
    "field",
    "strength",
    "check",
    "generator",
    "rules",
    "type",
    "types",
    "flow",
];

/// What is talked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// A password, in English.
    Password,
    /// A password or a key, by a word of another language.
    Abroad,
    /// A token, a secret, a key.
    Token,
}

/// Values in the paragraph around a name.
pub(super) fn each_around(text: &str, (start, end): (usize, usize), about: About, found: &mut Vec<Found>) {
    let next =
        text[end..text.floor_char_boundary(end + 24)].trim_start().split([' ', ',', '.', '?', '\n']).next();
    if next.is_some_and(|word| TOPICS.contains(&word)) {
        return;
    }
    let Some((from, to)) = paragraph(text, start, end) else { return };
    let around = &text[from..to];
    // Cheap looks first. Code says much about passwords, and no values of them.
    let has_digit = around.bytes().any(|byte| byte.is_ascii_digit());
    if !(has_digit || around.contains('-')) || around.contains(OPENING) {
        return;
    }
    let mut line_from = from;
    let mut is_answer = false;
    for line in around.split_inclusive('\n') {
        let is_here = line_from <= start && start < line_from + line.len();
        if is_talk(line) || is_answer {
            let answer = is_answer || is_here && text[end..].starts_with('?');
            each_said(
                text,
                line,
                Place { about, is_answer: answer, is_put_in: false, is_here, name: (start, end) },
                found,
            );
        }
        let said = line.trim_end();
        is_answer = said.ends_with('?') && line_from + line.len() > start || is_answer && said.is_empty();
        line_from += line.len();
    }
}

/// The same where the name says several: `the unseal keys`, `all passwords`.
pub(super) fn each_of_many(text: &str, (start, end): (usize, usize), said: Says, found: &mut Vec<Found>) {
    if names::says(&text[start..end]).is_some() || !matches!(said, Says::Password | Says::Token) {
        return;
    }
    let about = if said == Says::Token { About::Token } else { About::Password };
    if said == Says::Password {
        sentence::each_after(text, end, said, false, found);
    }
    each_around(text, (start, end), about, found);
    each_pair_around(text, start, found);
}

/// How a line stands to the name.
#[derive(Debug, Clone, Copy)]
struct Place {
    about: About,
    /// Whether a question is answered here.
    is_answer: bool,
    /// Whether commas stand on either side.
    is_put_in: bool,
    /// Whether the name stands on the line.
    is_here: bool,
    name: (usize, usize),
}

/// The paragraph around a name, and the next one where a question ends it.
fn paragraph(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let floor = text.ceil_char_boundary(start.saturating_sub(BEFORE_BYTES));
    let limit = text.floor_char_boundary(end + BEHIND_BYTES);
    let from = text.get(floor..start)?.rfind("\n\n").map_or(floor, |at| floor + at + 2);
    let rest = text.get(end..limit)?;
    let mut length = rest.find("\n\n").unwrap_or(rest.len());
    if rest[..length].trim_end().ends_with('?') {
        let next = rest[length..].trim_start();
        let skipped = rest.len() - next.len();
        length = skipped + next.find('\n').unwrap_or(next.len());
    }
    // A word that was cut in two is none.
    let from = if from == floor && floor > 0 {
        floor + text[floor..start].find([' ', '\n']).unwrap_or(0)
    } else {
        from
    };
    Some((from, end + length))
}

/// Whether a line is of a talk: words and blanks, no code.
fn is_talk(line: &str) -> bool {
    let line = line.trim();
    let begins = line.starts_with(|it: char| it.is_alphanumeric() || "-*>\"'“„(•[<".contains(it));
    let is_code = ["{", "}", "==", " = ", "=\"", "();", "->", "=>", "://", "fn ", "def ", "</", "$("]
        .iter()
        .any(|it| line.contains(it))
        || line.ends_with([';', '{', '(', ','])
        || line.starts_with("- name")
        || line.starts_with("--");
    begins && !is_code && !line.contains("  ") && line.split(' ').count() > 3
}

fn each_said(text: &str, line: &str, place: Place, found: &mut Vec<Found>) {
    let (mut before, mut further) = ("", "");
    let mut is_first = true;
    let mut is_print = false;
    for raw in line.split([' ', '\n', '\t']).filter(|word| !word.is_empty()).take(WORDS_MAX) {
        let inner = raw.trim_start_matches(['"', '\'', '`', '*', '(', '“', '„', '«', '_', '<']);
        let word = trimmed(inner).trim_end_matches(['!', '?', '_', '…']);
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        let is_marked = inner.len() < raw.len();
        let word_before = before.trim_end_matches([',', '.']).to_lowercase();
        let is_said = SAYING.contains(&word_before.as_str())
            || before.ends_with(':')
            || before == "i.e."
            || place.about == About::Abroad && SAYING_ABROAD.contains(&word_before.as_str())
            || place.is_answer && (is_first || before.ends_with(['?', ',', '-', '–']))
            || place.is_here && at >= place.name.1 && before.ends_with('?')
            || place.is_here && is_first && raw.ends_with(',') && at < place.name.0;
        let lower = word.to_lowercase();
        let is_named = sentence::is_noun(before) || sentence::is_noun(further);
        // `my dog and the year, rexie2014, everywhere`
        let is_put_in = raw.ends_with(',') && (before.ends_with(',') || is_first);
        let place = Place { is_put_in, ..place };
        if !is_print && !is_named && !word.is_empty() && is_value(word, place, is_said, is_marked) {
            let kind = if place.about == About::Token { "token" } else { "password" };
            found.push(Found { start: at, end: at + word.len(), kind, is_certain: false });
        }
        is_print = PRINTS.contains(&lower.as_str()) || is_print && !raw.ends_with(['.', ',', ';', '?']);
        if !matches!(lower.as_str(), ">" | "-" | "*") {
            is_first = false;
        }
        (further, before) = (before, raw);
    }
}

/// Whether a word of a talk about secrets is one.
fn is_value(word: &str, place: Place, is_said: bool, is_marked: bool) -> bool {
    let bytes = word.as_bytes();
    let count = |belongs: fn(&u8) -> bool| bytes.iter().filter(|byte| belongs(byte)).count();
    let (digits, letters) = (count(u8::is_ascii_digit), count(u8::is_ascii_alphabetic));
    let has_both = count(u8::is_ascii_uppercase) > 0 && count(u8::is_ascii_lowercase) > 0;
    if value::is_placeholder(word) || word.len() > 200 || names::says(word).is_some() {
        return false;
    }
    let is_hex = bytes.iter().all(u8::is_ascii_hexdigit);
    if is_hex {
        return is_said && digits > 2 && letters > 2 && word.len() >= 16 && !matches!(word.len(), 40 | 64)
            || is_said && is_spelt(word);
    }
    // Drawn at random: nothing else looks so, whatever stands before it.
    let is_base64 = bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=-_".contains(byte));
    let is_drawn = word.len() >= DRAWN_BYTES_MIN
        && is_base64
        && digits > usize::from(word.len() < 40) * 2
        && !word.trim_end_matches('=').contains('=')
        && !bytes.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-')
        && !value::is_path(word)
        && value::is_token(word, Standing::Loose)
        && ((has_both || digits > 4) && value::is_salad(word) || is_said);
    if is_drawn && (is_said || is_marked || place.about != About::Password) {
        return true;
    }
    if place.about == About::Token || is_something_else(word) || !(is_said || place.is_put_in) {
        return false;
    }
    let is_file = word
        .rsplit_once('.')
        .is_some_and(|(_, kind)| kind.len() < 5 && kind.bytes().all(|it| it.is_ascii_lowercase()));
    let is_mixed =
        !is_file && digits > 0 && letters > 2 && word.len() >= 8 && value::is_password(word, Standing::Loose);
    let parts = word.split('-').count();
    let is_bent = bytes
        .windows(3)
        .any(|it| it[0].is_ascii_lowercase() && it[1].is_ascii_digit() && it[2].is_ascii_lowercase());
    let tail = bytes.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    if !is_said || place.is_put_in && is_mixed && tail > 2 {
        return is_mixed && tail > 2 && place.is_here;
    }
    is_mixed
        && (place.is_answer
            || parts > 3 && (tail > 1 || place.about == About::Abroad)
            || (is_bent && word.len() >= 10)
            || has_both && !word.contains('.') && (parts < 3 || tail > 1))
        || is_mixed && place.about == About::Abroad && tail > 1
        || value::is_strong(word)
        || place.is_answer
            && word.len() >= 8
            && has_both
            && word.contains(['!', '#', '$', '%', '^', '&', '*', '+', '~'])
        || place.is_answer && sentence::is_joined(word, 4)
}

/// Hexadecimal numbers of letters that can be read.
fn is_spelt(word: &str) -> bool {
    let is_even = word.len().is_multiple_of(2) && word.len() >= 12;
    is_even
        && word.as_bytes().chunks(2).all(|pair| {
            std::str::from_utf8(pair)
                .ok()
                .and_then(|pair| u8::from_str_radix(pair, 16).ok())
                .is_some_and(|byte| (b' '..0x7F).contains(&byte))
        })
}

/// `admin / …` on a line about getting in, or in a cell of a table: the second of the two.
pub(super) fn each_pair(text: &str, line: &str, found: &mut Vec<Found>) {
    for (at, _) in line.match_indices(" / ").take(8) {
        let user = line[..at].rsplit([' ', '|', '>']).next().unwrap_or_default();
        let rest = line[at + 3..].trim_start();
        let secret = rest.split([' ', '|', '\t', '\n']).next().unwrap_or_default();
        let secret = secret.trim_matches(['"', '\'', '`', '*', ',', '.', '(', ')']);
        let is_user = !user.is_empty()
            && user
                .trim_matches(['`', '*', '"', '\''])
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_-.@\\".contains(&byte));
        let digits = secret.bytes().filter(u8::is_ascii_digit).count();
        let is_given = value::is_strong_or_mixed(secret)
            || digits > 1
                && secret.len() >= 8
                && value::is_password(secret, Standing::Loose)
                && secret.bytes().any(|it| it.is_ascii_alphabetic());
        if is_user && is_given && !is_something_else(secret) {
            let start = secret.as_ptr() as usize - text.as_ptr() as usize;
            found.push(Found { start, end: start + secret.len(), kind: "password", is_certain: false });
        }
    }
}

/// The pairs on the line around a place; where it is one of a table's, on those around it as well.
pub(super) fn each_pair_around(text: &str, at: usize, found: &mut Vec<Found>) {
    let floor = text.ceil_char_boundary(at.saturating_sub(2 * BEHIND_BYTES));
    let limit = text.floor_char_boundary(at + 2 * BEHIND_BYTES);
    let Some(around) = text.get(floor..limit).filter(|around| around.contains(" / ")) else { return };
    let from = around[..at - floor].rfind('\n').map_or(0, |end| end + 1);
    let to = around[at - floor..].find('\n').map_or(around.len(), |end| at - floor + end);
    each_pair(text, &around[from..to], found);
    around
        .split('\n')
        .filter(|line| line.matches('|').count() > 1)
        .for_each(|line| each_pair(text, line, found));
}

/// `… (password)`: the value before the name in brackets.
pub(super) fn before_brackets(text: &str, start: usize, end: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let floor = text.ceil_char_boundary(start.saturating_sub(BEFORE_BYTES));
    let open = floor + text.get(floor..start)?.rfind(['(', '\n'])?;
    let is_closed = bytes.get(end) == Some(&b')');
    if bytes[open] != b'(' || !is_closed || start - open > 24 || text[open..start].contains(')') {
        return None;
    }
    let before = text[floor..open].trim_end_matches(' ');
    let word = before.rsplit([' ', '\n', '>', '\t']).next()?.trim_matches(['`', '*', '"', '\'']);
    let is_value = value::is_strong_or_mixed(word)
        || word.len() >= 8 && value::is_password(word, Standing::Plain) && value::has_digit_or_sign(word);
    let plain = word.replace("\\|", "");
    let at = word.as_ptr() as usize - text.as_ptr() as usize;
    (is_value && !is_something_else(&plain) && !value::is_wordy(&plain)
        || value::is_strong(word)
        || is_value && word.contains('|'))
    .then_some(Found { start: at, end: at + word.len(), kind: "password", is_certain: false })
}
