//! Sentences: a secret some words behind the one that says what it is, in whatever language.

use super::names::Says;
use super::phrase_words::{LINKS, NOUNS, STOP};
use super::value::{self, Standing};
use super::{Found, OPENING};

/// How far a sentence is followed, and in how many words.
const REACH_BYTES: usize = 200;
const WORDS_MAX: usize = 20;
/// Longest ending of a name that is bent: `Lösenordet`, `şifreniz`.
const ENDING_BYTES_MAX: usize = 24;
/// Words of a phrase that is a password: with a link before them, and without.
const PHRASE_WORDS_MIN: usize = 3;
const PHRASE_WORDS_MAX: usize = 10;

/// Whether a word says that the next one is the name of something.
pub(super) fn is_noun(word: &str) -> bool {
    let word = word.trim_end_matches([',', ':', '.']);
    NOUNS.iter().any(|it| word.eq_ignore_ascii_case(it))
}

/// Secrets behind a name. `end` is where the name ends; `is_foreign` says that no code has its words.
pub(super) fn each_after(text: &str, end: usize, said: Says, is_foreign: bool, found: &mut Vec<Found>) {
    let limit = text.floor_char_boundary(end + REACH_BYTES);
    let Some(rest) = text.get(end..limit) else { return };
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    let line = line.split("\\n").next().unwrap_or(line);
    let ending = if is_foreign { ending_of(line) } else { possessive(line) };
    // Inside of what is encoded.
    if line[ending..].starts_with(['+', '/']) {
        return;
    }
    let mut words = Words { text: line, at: ending };
    let mut is_linked = false;
    let mut has_found = false;
    let mut is_named = false;
    for number in 0..WORDS_MAX {
        let Some(word) = words.next() else { return };
        let (candidate, is_quoted) = opened(line, &word);
        let is_quoted = is_quoted && !is_named;
        // `the file is …`
        let is_of_noun = is_named;
        is_named = is_noun(word.text);
        let place = Place { is_linked: is_linked || word.is_behind_colon, is_quoted, is_foreign, number };
        if let Some(length) = secret_length(candidate, said, place) {
            let start = candidate.as_ptr() as usize - text.as_ptr() as usize;
            let kind = if said == Says::Password { "password" } else { "token" };
            found.push(Found { start, end: start + length, kind, is_certain: false });
            has_found = true;
            words.at = words.at.max(start + length - end);
        }
        let plain = word.text.trim_end_matches([',', ')']).to_lowercase();
        let is_leader = word.text.len() > 1 && word.text.bytes().all(|byte| byte == b'.');
        is_linked = LINKS.contains(&plain.as_str()) && !is_of_noun
            || word.text.ends_with([':', '：', '='])
            || is_leader
            || is_particle(word.text);
        // The sentence ends, or it is none. A second value is told by the words between the two.
        if is_leader {
            continue;
        }
        if word.text.ends_with(['.', ';', '{', '}', '。', '!', '?']) || (has_found && number > WORDS_MAX / 2)
        {
            return;
        }
    }
}

/// Where a word stands.
#[derive(Debug, Clone, Copy)]
struct Place {
    is_linked: bool,
    is_quoted: bool,
    is_foreign: bool,
    number: usize,
}

/// A word of a sentence.
#[derive(Debug)]
struct Word<'t> {
    text: &'t str,
    start: usize,
    /// Whether a wide colon stood before it.
    is_behind_colon: bool,
}

/// The words of a line. Scripts without blanks are left where Latin letters begin.
struct Words<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Iterator for Words<'t> {
    type Item = Word<'t>;

    fn next(&mut self) -> Option<Word<'t>> {
        let rest = self.text.get(self.at..)?;
        let is_between =
            |letter: char| letter.is_whitespace() || "，。：；、「」『』（）！？“”„«»|".contains(letter);
        let start = self.at + rest.find(|letter: char| !is_between(letter))?;
        let is_behind_colon =
            self.text[self.at..start].contains('：') || self.text[..start].trim_end().ends_with(':');
        let word = &self.text[start..];
        let is_wide_first = word.chars().next().is_some_and(is_wide);
        let length = word
            .find(|letter: char| is_between(letter) || is_wide(letter) != is_wide_first)
            .unwrap_or(word.len());
        self.at = start + length;
        Some(Word { text: &word[..length], start, is_behind_colon })
    }
}

/// Letters of scripts that put no blanks between words.
fn is_wide(letter: char) -> bool {
    matches!(letter, '\u{0E00}'..='\u{0E7F}' | '\u{3040}'..='\u{30FF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}')
}

/// How much of a line is the rest of a bent name.
fn ending_of(line: &str) -> usize {
    let is_ending =
        |letter: char| letter.is_alphabetic() && !is_wide(letter) || "'’\u{94d}\u{9cd}".contains(letter);
    let length = line.find(|letter: char| !is_ending(letter)).unwrap_or(line.len());
    if length <= ENDING_BYTES_MAX { length } else { 0 }
}

/// `my password's …`
fn possessive(line: &str) -> usize {
    if line.starts_with("'s ") || line.starts_with("’s ") { line.find(' ').unwrap_or(0) } else { 0 }
}

/// What stands between a name and its value in scripts without blanks.
fn is_particle(word: &str) -> bool {
    word.chars().next().is_some_and(is_wide)
        && ["は", "는", "은", "이", "가", "是", "为", "為", "คือ"].iter().any(|it| word.ends_with(it))
}

/// What may be a value at a word: without its quotes, or all that stands between them.
fn opened<'t>(line: &'t str, word: &Word<'t>) -> (&'t str, bool) {
    let inner = word.text.trim_start_matches(['*', '(', '_']);
    // `<b>…</b>`
    let inner =
        if inner.starts_with('<') { inner.split_once('>').map_or(inner, |(_, inner)| inner) } else { inner };
    let inner = &inner[..inner.find("</").unwrap_or(inner.len())];
    let start = inner.as_ptr() as usize - line.as_ptr() as usize;
    for (open, close) in [('"', '"'), ('\'', '\''), ('`', '`'), ('‘', '’')] {
        if inner.starts_with(open) {
            let from = start + open.len_utf8();
            let rest = &line[from..];
            return (&rest[..rest.find(close).unwrap_or(rest.len())], true);
        }
    }
    // Letters without blanks between them may stand in the value, too.
    for (open, close) in [('「', '」'), ('『', '』'), ('“', '”')] {
        if line[..word.start].ends_with(open)
            && let Some(end) = line[word.start..].find(close)
        {
            return (&line[word.start..word.start + end], true);
        }
    }
    let is_quoted = line[..word.start].ends_with(['„', '«', '（']) || word.text.starts_with('(');
    (trimmed(inner), is_quoted)
}

pub(super) fn trimmed(word: &str) -> &str {
    word.trim_end_matches(['"', '\'', '`', ')', ',', '.', ';', ':', '*', '»', '”', '“', '>'])
}

/// How long the secret is that begins here, if one does.
fn secret_length(candidate: &str, said: Says, place: Place) -> Option<usize> {
    if candidate.contains(OPENING) || candidate.is_empty() {
        return None;
    }
    let is_one = match said {
        Says::Password | Says::Pass => is_password_here(candidate, said, place),
        Says::Token => is_token_here(candidate, place),
        // A key of which nothing says what for: only what was drawn at random opens something.
        Says::Key => {
            let is_plain = candidate.bytes().all(|byte| byte.is_ascii_alphanumeric());
            let has = |belongs: fn(&u8) -> bool| candidate.as_bytes().iter().any(belongs);
            let is_mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
            place.is_linked
                && is_plain
                && is_mixed
                && candidate.len() >= 16
                && value::is_salad(candidate)
                && is_token_here(candidate, place)
        }
        Says::Phrase => false,
    };
    is_one.then_some(candidate.len())
}

fn is_password_here(word: &str, said: Says, place: Place) -> bool {
    let has = |belongs: fn(char) -> bool| word.chars().any(belongs);
    let is_mixed = has(char::is_alphabetic) && has(|letter| letter.is_ascii_digit());
    if place.is_quoted && word.contains(' ') {
        return said == Says::Password
            && place.is_linked
            && !word.contains(" -")
            && (value::is_pass_sentence(word) || is_words(word));
    }
    if is_something_else(word) || word.chars().count() < 6 {
        return false;
    }
    if value::is_strong(word) {
        return said == Says::Password || place.is_linked;
    }
    if said == Says::Pass {
        return place.number > 0
            && place.is_linked
            && value::stands_out(word, true)
            && !value::is_wordy(word);
    }
    let is_named = |standing| value::is_password(word, standing) && (is_mixed || has_sign(word));
    let is_direct = place.is_linked || place.is_quoted;
    let digits = word.bytes().rev().take_while(u8::is_ascii_digit).count();
    // `password otterpond77`: a word and a number, right behind the name.
    let is_next = place.number == 0 && (2..=6).contains(&digits) && word.len() >= 8;
    // `the password is toner-low-again`
    if said == Says::Password && place.is_linked && place.number < 2 && is_joined(word, PHRASE_WORDS_MIN) {
        return true;
    }
    if place.is_foreign && place.is_linked && is_mixed && word.len() >= 8 && is_named(Standing::Plain) {
        return true;
    }
    (is_next && is_mixed && is_named(Standing::Loose) && !word.contains(['-', '_', '.']))
        || (is_direct && is_mixed && is_named(Standing::Loose))
        || (is_direct && has_sign(word) && has(char::is_alphabetic) && is_named(Standing::Plain))
        || (place.is_foreign
            && is_mixed
            && has(char::is_uppercase)
            && has(char::is_lowercase)
            && is_named(Standing::Loose))
}

/// A sign that stands in no word of a sentence.
fn has_sign(word: &str) -> bool {
    word.trim_end_matches(['!', '?']).contains(['!', '#', '$', '%', '^', '&', '*', '+', '~'])
}

fn is_token_here(word: &str, place: Place) -> bool {
    let is_next = place.number == 0 || (place.number == 1 && place.is_foreign);
    let is_direct = place.is_linked || place.is_quoted || is_next;
    if word.contains(' ') || !is_direct {
        return false;
    }
    let is_hex = word.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    // `5521-8830-1947-6602`, the key of a network.
    let is_groups = word.matches('-').count() > 2 && word.split('-').all(|group| group.len() == 4);
    if is_hex && is_groups && (place.is_linked || place.is_quoted) {
        return true;
    }
    if is_hex {
        return place.is_foreign && word.len() >= 24 && value::is_token(word, Standing::Loose);
    }
    value::stands_out(word, false)
        || (place.is_foreign && (value::is_token(word, Standing::Loose) || value::is_strong(word)))
        || (word.len() >= 16 && value::is_token(word, Standing::Loose) && value::is_salad(word))
}

/// Some plain words, and none that a sentence has.
pub(super) fn is_words(words: &str) -> bool {
    let all: Vec<&str> = words.split(' ').collect();
    let is_plain = |word: &&str| {
        (2..=14).contains(&word.chars().count())
            && word.chars().all(|letter| letter.is_alphabetic() && letter.is_lowercase())
    };
    (PHRASE_WORDS_MIN..=PHRASE_WORDS_MAX).contains(&all.len())
        && all.iter().all(is_plain)
        && !all.iter().any(|word| STOP.contains(word))
}

/// Plain words joined by hyphens, so many at least, and none that a sentence has.
pub(super) fn is_joined(word: &str, least: usize) -> bool {
    let is_plain =
        |part: &str| (3..=12).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_lowercase());
    let parts = word.split('-');
    parts.clone().count() >= least && parts.clone().all(|part| is_plain(part) && !STOP.contains(&part))
}

/// A path, an address, a version, a date, a ticket, a hash, code.
pub(super) fn is_something_else(word: &str) -> bool {
    let bytes = word.as_bytes();
    let is_hex = word.len() >= 7 && bytes.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
    let is_number = bytes.iter().all(|byte| byte.is_ascii_digit() || b"-.:/,%T+Z".contains(byte));
    let is_ticket = word.split_once(['-', '#']).is_some_and(|(head, tail)| {
        head.bytes().all(|byte| byte.is_ascii_uppercase()) && tail.bytes().all(|byte| byte.is_ascii_digit())
    });
    let is_version =
        word.trim_start_matches(['v', 'V']).bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let is_code = word.contains(['(', '{', '[', '<', '=', '\\', '`', '|'])
        || word.contains("::")
        || word.contains("->");
    let is_path = word.contains('/') && word.split('/').filter(|part| value::is_wordy(part)).count() > 1;
    let is_mail = word.contains('@') && word.rsplit('@').next().is_some_and(|host| host.contains('.'));
    is_hex || is_number || is_ticket || is_version || is_code || is_path || is_mail || word.contains("://")
}

/// The phrase behind a word that says one: `passphrase grüner elefant tanzt nachts`.
pub(super) fn phrase_after(text: &str, end: usize) -> Option<Found> {
    let limit = text.floor_char_boundary(end + REACH_BYTES);
    let rest = text.get(end..limit)?;
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    let mut at = 0;
    let mut is_linked = false;
    // Up to some words before the link.
    for _ in 0..WORDS_MAX / 2 {
        let tail = line[at..].trim_start_matches([' ', '"', '“', '\'']);
        let start = line.len() - tail.len();
        let ends = |letter: char| ",.;:()\"”'—–\\|".contains(letter);
        let phrase = tail[..tail.find(ends).unwrap_or(tail.len())].trim_end();
        let least = if is_linked || at == 0 { PHRASE_WORDS_MIN } else { usize::MAX };
        let count = phrase.split(' ').count();
        if count >= least + usize::from(at == 0 && !is_linked) && is_words(phrase) {
            return Some(Found {
                start: end + start,
                end: end + start + phrase.len(),
                kind: "password",
                is_certain: false,
            });
        }
        let word = tail.split(' ').next().filter(|word| !word.is_empty())?;
        is_linked = LINKS.contains(&word) || word.ends_with(':');
        if word.ends_with(['.', ';', '?', '!']) {
            return None;
        }
        at = start + word.len();
    }
    None
}

/// What can be nothing but a password in a line about logging in.
pub(super) fn each_on_line(text: &str, at: usize, found: &mut Vec<Found>) {
    let floor = text.ceil_char_boundary(at.saturating_sub(REACH_BYTES));
    let limit = text.floor_char_boundary(at + REACH_BYTES);
    let Some(around) = text.get(floor..limit) else { return };
    let from = around[..at - floor].rfind('\n').map_or(0, |end| end + 1);
    let to = around[at - floor..].find('\n').map_or(around.len(), |end| at - floor + end);
    each_strong(text, &around[from..to], found);
}

fn each_strong(text: &str, line: &str, found: &mut Vec<Found>) {
    // Cheap looks first: most lines have none.
    if !line.bytes().any(|byte| byte.is_ascii_digit()) || line.contains(OPENING) {
        return;
    }
    let mut is_linked = false;
    for word in (Words { text: line, at: 0 }).take(3 * WORDS_MAX) {
        let (candidate, is_quoted) = opened(line, &word);
        // `from … to …`
        let is_change = line.contains("from ") && line.contains(" to ");
        let is_mixed = (is_linked || is_quoted)
            && value::is_strong_or_mixed(candidate)
            && (is_change || !value::is_wordy(candidate));
        if (value::is_strong(candidate) || is_mixed) && !is_something_else(candidate) {
            let start = candidate.as_ptr() as usize - text.as_ptr() as usize;
            found.push(Found { start, end: start + candidate.len(), kind: "password", is_certain: false });
        }
        is_linked = matches!(word.text, "from" | "to" | "use" | "paste" | "type" | "enter" | "with" | "mean");
    }
}

/// Values alone on one of the lines around: what somebody answers who was asked for a password.
pub(super) fn each_alone(text: &str, start: usize, end: usize, found: &mut Vec<Found>) {
    let limit = text.floor_char_boundary(end + 2 * REACH_BYTES);
    let floor = text.ceil_char_boundary(start.saturating_sub(REACH_BYTES));
    let (Some(rest), Some(before)) = (text.get(end..limit), text.get(floor..start)) else { return };
    let asked = rest.split('\n').next().unwrap_or_default();
    let is_asked = asked.trim_end().ends_with('?');
    for line in before.rsplit('\n').skip(1).take(3) {
        found.extend(alone_on(text, line, false));
    }
    for (number, line) in rest.split('\n').skip(1).take(6).enumerate() {
        found.extend(alone_on(text, line, is_asked && number == 0));
    }
}

/// `[14:03] raj: …`, `14:03 <Murat> …`, `- …`
fn alone_on(text: &str, line: &str, is_asked: bool) -> Option<Found> {
    let line = line.trim_end();
    let said = line.rsplit([' ', '\t']).next().unwrap_or(line);
    let before = line[..line.len() - said.len()].trim();
    let is_alone = before.is_empty() || before.ends_with([':', '>', '-', '–', '?']);
    let is_plain = said.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_numbered = said.bytes().rev().take_while(u8::is_ascii_digit).count() > 1;
    let is_one = is_answer(said)
        || (is_asked && is_plain && is_numbered && said.bytes().any(|it| it.is_ascii_lowercase()));
    (is_alone && said.len() >= 7 && is_one && !is_something_else(said)).then(|| {
        let start = said.as_ptr() as usize - text.as_ptr() as usize;
        Found { start, end: start + said.len(), kind: "password", is_certain: false }
    })
}

/// A strong one, or words with a digit among their letters, as nobody writes them.
fn is_answer(word: &str) -> bool {
    let bytes = word.as_bytes();
    let is_bent = bytes
        .windows(3)
        .any(|it| it[0].is_ascii_alphabetic() && it[1].is_ascii_digit() && it[2].is_ascii_lowercase());
    let is_plain = bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte));
    let has_both = bytes.iter().any(u8::is_ascii_uppercase) && bytes.iter().any(u8::is_ascii_lowercase);
    value::is_strong(word) || (is_bent && is_plain && has_both && value::is_password(word, Standing::Loose))
}

/// `it opens with seven words: …`: the phrase, where the line says what it opens.
pub(super) fn words_after(text: &str, at: usize, end: usize) -> Option<Found> {
    let floor = text.ceil_char_boundary(at.saturating_sub(REACH_BYTES));
    let before = text[floor..at].rsplit('\n').next()?.to_ascii_lowercase();
    let opens = ["open", "unlock", "vault", "decrypt", "safe", "login", "log in", "pass", "secret"];
    let rest = text.get(end..text.floor_char_boundary(end + REACH_BYTES))?;
    let phrase =
        rest[..rest.find([',', '.', ';', '(', '—', '–', '\n', '"']).unwrap_or(rest.len())].trim_end();
    let is_phrase = phrase.split(' ').count() > PHRASE_WORDS_MIN && is_words(phrase);
    (is_phrase && opens.iter().any(|it| before.contains(it))).then_some(Found {
        start: end,
        end: end + phrase.len(),
        kind: "password",
        is_certain: false,
    })
}
