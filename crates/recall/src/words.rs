//! Words: a text to the words that find it: identifiers and their parts, paths, error codes, numbers, pairs of characters.

use std::collections::HashSet;

use crate::inflection::stem;

/// A longer run of letters and digits is no word that anybody types: a key, a picture, a digest.
const WORD_BYTES_MAX: usize = 64;
/// From so many hexadecimal digits on it is a digest, known by its beginning as git shows it.
const DIGEST_DIGITS_MIN: usize = 10;
const DIGEST_DIGITS: usize = 7;

/// A word as it stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Lower case, without accents, its inflection folded: as the index knows it.
    pub form: String,
    /// Where it begins in the text.
    pub at: usize,
    /// Where it ends.
    pub end: usize,
    /// A part of a longer name (`line` of `parseLine`), not one that stands by itself.
    pub is_part: bool,
    /// A name of code: of several parts, or letters with digits.
    pub is_name: bool,
}

/// The different forms of a text, as an index takes them: one line, words separated by a space.
///
/// ```
/// use throughline_recall::words::index_line;
/// assert_eq!(index_line("The parseLine of src/io_error.rs"), "parselin pars lin src ioer io error rs");
/// ```
#[must_use]
pub fn index_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut seen: HashSet<u64> = HashSet::new();
    each(text, |word| {
        if !is_stop_word(&word.form)
            && seen.insert(throughline_domain::text::fingerprint(word.form.as_bytes()))
        {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&word.form);
        }
    });
    line
}

/// The words of a text, in its order; a name is followed by its parts.
#[must_use]
pub fn words(text: &str) -> Vec<Word> {
    let mut all = Vec::new();
    each(text, |word| all.push(word));
    all
}

/// A word as it was spelled, its plural and its case aside: finer than its form.
#[must_use]
pub fn spelling(word: &str) -> String {
    let mut letters: String = word.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect();
    let is_plural = letters.len() > 3
        && letters.ends_with('s')
        && !["ss", "us", "is"].iter().any(|ending| letters.ends_with(ending));
    if is_plural {
        letters.pop();
        if letters.ends_with("ie") && letters.len() > 3 {
            letters.truncate(letters.len() - 2);
            letters.push('y');
        }
    }
    letters
}

/// A word of a phrase: its form; of those that stand in nearly every text, and share their forms with others (`not` is
/// the form of "note" too), what was written.
#[must_use]
pub fn in_phrase(word: &Word, text: &str) -> String {
    if is_stop_word(&word.form) { text[word.at..word.end].to_lowercase() } else { word.form.clone() }
}

/// Words that stand in nearly every text: they find nothing, and are not kept.
#[must_use]
pub fn is_stop_word(form: &str) -> bool {
    #[rustfmt::skip]
    const STOP_WORDS: &[&str] = &[
        "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "from", "has", "hav", "i", "if", "in", "is",
        "it", "its", "let", "me", "my", "no", "not", "now", "of", "on", "or", "so", "that", "the", "them", "then",
        "ther", "they", "this", "to", "was", "we", "will", "with", "you", "your",
    ];
    STOP_WORDS.binary_search(&form).is_ok()
}

fn each(text: &str, mut give: impl FnMut(Word)) {
    let mut run_start = None;
    // `é` is two bytes, one letter: the walk is by characters.
    for (at, character) in text.char_indices().chain([(text.len(), ' ')]) {
        let is_inside = character.is_alphanumeric() || (character == '_' && run_start.is_some());
        match run_start {
            None if is_inside => run_start = Some(at),
            Some(start) if !is_inside => {
                run(&text[start..at], start, &mut give);
                run_start = None;
            }
            _ => {}
        }
    }
}

/// A run of letters, digits and underscores.
fn run(run: &str, at: usize, give: &mut impl FnMut(Word)) {
    let run = run.trim_end_matches('_');
    if run.is_empty() || (run.len() > WORD_BYTES_MAX && run.is_ascii()) {
        return;
    }
    if run.is_ascii() {
        return ascii_run(run, at, give);
    }
    // Scripts without spaces stand beside others without one.
    let mut rest = run;
    let mut from = at;
    while let Some(first) = rest.chars().next() {
        let is_wide = is_without_spaces(first);
        let length = rest.find(|c: char| is_without_spaces(c) != is_wide).unwrap_or(rest.len());
        let (piece, behind) = rest.split_at(length);
        if is_wide {
            pairs(piece, from, give);
        } else if piece.bytes().all(|byte| byte == b'_') {
            // Between two characters of such a script.
        } else if piece.is_ascii() {
            ascii_run(piece, from, give);
        } else if piece.len() <= WORD_BYTES_MAX {
            let form = folded(piece);
            give(Word { form, at: from, end: from + piece.len(), is_part: false, is_name: false });
        }
        from += length;
        rest = behind;
    }
}

fn ascii_run(run: &str, at: usize, give: &mut impl FnMut(Word)) {
    let run_end = at + run.len();
    if is_digest(run) {
        let form = run[..DIGEST_DIGITS].to_ascii_lowercase();
        return give(Word { form, at, end: run_end, is_part: false, is_name: true });
    }
    let parts = parts(run);
    let has_digit = run.bytes().any(|byte| byte.is_ascii_digit());
    let has_letter = run.bytes().any(|byte| byte.is_ascii_alphabetic());
    if let [(_, part)] = parts[..] {
        let lower = part.to_ascii_lowercase();
        let form = stem(&lower).to_owned();
        return give(Word { form, at, end: run_end, is_part: false, is_name: has_digit && has_letter });
    }
    let whole: String =
        run.chars().filter(|c| *c != '_').map(|character| character.to_ascii_lowercase()).collect();
    let form = stem(&whole).to_owned();
    give(Word { form, at, end: run_end, is_part: false, is_name: true });
    for (from, part) in parts.into_iter().filter(|(_, part)| part.len() > 1) {
        let lower = part.to_ascii_lowercase();
        let form = stem(&lower).to_owned();
        give(Word { form, at: at + from, end: at + from + part.len(), is_part: true, is_name: false });
    }
}

/// The parts of a name in snake or camel case, each with its place: `HTTPServer_v2` has `HTTP`, `Server`, `v2`.
fn parts(run: &str) -> Vec<(usize, &str)> {
    let bytes = run.as_bytes();
    let mut parts = Vec::new();
    let mut start = 0;
    for at in 0..bytes.len() {
        let is_cut = bytes[at] == b'_'
            || (at > start
                && bytes[at].is_ascii_uppercase()
                && (bytes[at - 1].is_ascii_lowercase()
                    || (bytes[at - 1].is_ascii_uppercase()
                        && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase))));
        if is_cut {
            if at > start {
                parts.push((start, &run[start..at]));
            }
            start = at + usize::from(bytes[at] == b'_');
        }
    }
    if start < bytes.len() {
        parts.push((start, &run[start..]));
    }
    parts
}

fn is_digest(run: &str) -> bool {
    run.len() >= DIGEST_DIGITS_MIN
        && run.bytes().all(|byte| byte.is_ascii_hexdigit())
        && run.bytes().any(|byte| byte.is_ascii_digit())
        && run.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Chinese, Japanese and Korean are written without spaces, or in words that take endings: pairs of characters find them.
fn pairs(run: &str, at: usize, give: &mut impl FnMut(Word)) {
    let places: Vec<usize> = run.char_indices().map(|(place, _)| place).chain([run.len()]).collect();
    if let [first, end] = places[..] {
        let form = run[first..end].to_owned();
        return give(Word { form, at: at + first, end: at + end, is_part: false, is_name: false });
    }
    for three in places.windows(3) {
        let form = run[three[0]..three[2]].to_owned();
        give(Word { form, at: at + three[0], end: at + three[2], is_part: false, is_name: false });
    }
}

/// Whether a form is one character of a script without spaces: a text holds it in pairs with its neighbours.
#[must_use]
pub fn is_lone(form: &str) -> bool {
    let mut characters = form.chars();
    characters.next().is_some_and(is_without_spaces) && characters.next().is_none()
}

fn is_without_spaces(c: char) -> bool {
    matches!(c,
        '\u{0e00}'..='\u{0eff}' | '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{30ff}'
        | '\u{3130}'..='\u{318f}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}

/// Lower case, and without the accents of Latin letters.
fn folded(word: &str) -> String {
    let mut form = String::with_capacity(word.len());
    for character in word.chars().flat_map(char::to_lowercase) {
        match base_letter(character) {
            Some(base) => form.push_str(base),
            // What is left of `İ`: an accent without a letter.
            None if matches!(character, '\u{300}'..='\u{36f}') => {}
            None => form.push(character),
        }
    }
    if form.is_ascii() { stem(&form).to_owned() } else { form }
}

fn base_letter(letter: char) -> Option<&'static str> {
    Some(match letter {
        'à'..='å' | 'ā' | 'ă' | 'ą' => "a",
        'æ' => "ae",
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => "c",
        'ď' | 'đ' | 'ð' => "d",
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => "e",
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => "g",
        'ĥ' | 'ħ' => "h",
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' => "i",
        'ĵ' => "j",
        'ķ' => "k",
        'ĺ' | 'ļ' | 'ľ' | 'ł' => "l",
        'ñ' | 'ń' | 'ņ' | 'ň' => "n",
        'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' => "o",
        'œ' => "oe",
        'ŕ' | 'ŗ' | 'ř' => "r",
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => "s",
        'ß' => "ss",
        'ţ' | 'ť' | 'ț' => "t",
        'þ' => "th",
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' => "u",
        'ŵ' => "w",
        'ý' | 'ÿ' | 'ŷ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_paths_codes_and_scripts_are_found_by_their_parts() {
        for (text, line) in [
            ("parse_line parseLine ParseLine", "parselin pars lin"),
            ("HTTPServer2 v2", "httpserver2 http server2 v2"),
            ("error[E0425] TS2345 ORA-00942", "error e0425 ts2345 ora 00942"),
            ("crates/store/src/mod.rs:12", "crat stor src mod rs 12"),
            ("a64bf3c91d0e2f commit 3a12c3e0f9d84c7b8a6e5d4c3b2a190817263544", "a64bf3c commit 3a12c3e"),
            ("不要修改 API接口", "不要 要修 修改 api 接口"),
            ("Größe café naïve ŁÓDŹ", "gross caf naiv lodz"),
            ("__init__ _x x_", "init x"),
            ("--no-verify", "verif"),
        ] {
            assert_eq!(index_line(text), line, "{text}");
        }
    }

    #[test]
    fn what_nobody_types_is_left_out() {
        assert_eq!(index_line(&"A1b2".repeat(40)), "");
        assert_eq!(index_line("it is the of and"), "");
    }

    #[test]
    fn a_line_between_characters_of_another_script_is_no_word() {
        assert_eq!(index_line("\u{0e84}_\u{0edc}"), "\u{0e84} \u{0edc}");
        assert_eq!(index_line("_\u{0e84}__x"), "\u{0e84} x");
    }

    #[test]
    fn the_stop_words_are_sorted_and_as_the_index_spells_them() {
        for form in ["hav", "ther", "your", "a"] {
            assert!(is_stop_word(form), "{form}");
        }
        assert_eq!(index_line("have there they this with was"), "");
    }

    proptest::proptest! {
        /// Whatever stands in a text: places are places in it, and an index line holds nothing but its forms.
        #[test]
        fn any_text_gives_words_that_stand_in_it(text in "\\PC{0,80}") {
            for word in words(&text) {
                proptest::prop_assert!(text.get(word.at..word.end).is_some_and(|it| !it.is_empty()));
                proptest::prop_assert!(!word.form.is_empty() && !word.form.contains(' '));
            }
            let line = index_line(&text);
            proptest::prop_assert!(line.split(' ').all(|form| !is_stop_word(form)));
        }

        /// A word is found by itself, in whatever case it is asked for.
        #[test]
        fn a_name_is_found_in_another_case(parts in proptest::collection::vec("[a-z]{3,8}", 2..4)) {
            let camel: String = parts.iter().map(|part| part[..1].to_uppercase() + &part[1..]).collect();
            proptest::prop_assert_eq!(&words(&parts.join("_"))[0].form, &words(&camel)[0].form);
        }
    }
}
