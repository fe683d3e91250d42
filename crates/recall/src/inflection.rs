//! Inflection: one form for the forms of an English word, so that "deleted" finds "deletion".
//!
//! Both what is stored and what is asked go through it: that a form is no word does no harm, that two words share one
//! costs a place or two in the ranking, which looks at the words themselves.

use crate::words::is_stop_word;

/// The shortest word that is folded, and the shortest rest that a longer ending may leave.
const WORD_BYTES_MIN: usize = 4;
const REST_BYTES_MIN: usize = 4;

/// The form that stands for a word. Takes lower-case ASCII letters; anything else stays as it is.
pub(crate) fn stem(word: &str) -> &str {
    let form = cut(word);
    // "note", "theme" and "letter" are looked for; `not`, `them` and `let` are not kept.
    if form.len() == word.len() || !is_stop_word(form) || matches!(form, "hav" | "ther") {
        return form;
    }
    if word.as_bytes()[form.len()] == b'e' { &word[..=form.len()] } else { plural(word) }
}

fn cut(word: &str) -> &str {
    if word.len() < WORD_BYTES_MIN || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word;
    }
    let mut rest = plural(word);
    rest = tense(rest);
    for ending in ["ization", "isation", "ation", "ition"] {
        rest = without(rest, ending, REST_BYTES_MIN).unwrap_or(rest);
    }
    // "compression", "deletion": what stands before belongs to the word.
    if rest.ends_with("sion") || rest.ends_with("tion") {
        rest = without(rest, "ion", REST_BYTES_MIN).unwrap_or(rest);
    }
    for ending in [
        "ment", "ness", "able", "ible", "ency", "ancy", "ence", "ance", "ent", "ant", "ize", "ise", "er",
        "or", "ly",
    ] {
        if let Some(shorter) = without(rest, ending, REST_BYTES_MIN) {
            rest = shorter;
            break;
        }
    }
    let rest = undoubled(rest);
    match rest.strip_suffix('e') {
        Some(shorter) if shorter.len() >= 3 => shorter,
        _ => match rest.strip_suffix('y') {
            // "dependency" and "dependencies", whose end `plural` took.
            Some(shorter) if shorter.len() >= 4 => shorter,
            _ => rest,
        },
    }
}

fn plural(word: &str) -> &str {
    // "dependencies": what `ies` leaves must meet what "dependency" leaves.
    for ending in ["encies", "ancies"] {
        if let Some(rest) = without(word, ending, REST_BYTES_MIN) {
            return rest;
        }
    }
    if let Some(rest) = without(word, "ies", 3) {
        return rest;
    }
    for ending in ["sses", "shes", "ches", "xes"] {
        if word.ends_with(ending) {
            return &word[..word.len() - 2];
        }
    }
    let is_plural = word.ends_with('s') && !["ss", "us", "is"].iter().any(|ending| word.ends_with(ending));
    if is_plural { &word[..word.len() - 1] } else { word }
}

fn tense(word: &str) -> &str {
    if let Some(rest) = without(word, "ied", 3) {
        return rest;
    }
    for ending in ["ing", "ed"] {
        if let Some(rest) = without(word, ending, 3).filter(|rest| has_vowel(rest)) {
            return undoubled(rest);
        }
    }
    word
}

/// The word without an ending, if enough is left of it.
fn without<'w>(word: &'w str, ending: &str, rest_bytes_min: usize) -> Option<&'w str> {
    word.strip_suffix(ending).filter(|rest| rest.len() >= rest_bytes_min)
}

/// "stopp" as "stop"; "call" and "pass" stay.
fn undoubled(word: &str) -> &str {
    match word.as_bytes() {
        [.., before, last] if before == last && !matches!(last, b'l' | b's' | b'z' | b'e' | b'o') => {
            &word[..word.len() - 1]
        }
        _ => word,
    }
}

fn has_vowel(word: &str) -> bool {
    word.bytes().any(|byte| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_share_one() {
        for forms in [
            &["delete", "deleted", "deletes", "deleting", "deletion"][..],
            &["configure", "configured", "configuration", "configurations"],
            &["cache", "cached", "caching", "caches"],
            &["parse", "parser", "parsers", "parsing", "parsed"],
            &["stop", "stopped", "stopping", "stops"],
            &["deploy", "deployed", "deployment", "deployments"],
            &["dependency", "dependencies", "dependent", "depend", "depends"],
            &["presence", "present"],
            &["compress", "compression", "compressed", "compresses"],
            &["retry", "retries", "retried", "retrying"],
        ] {
            for form in forms {
                assert_eq!(stem(form), stem(forms[0]), "{form}");
            }
        }
    }

    #[test]
    fn no_word_becomes_one_that_is_not_kept() {
        for forms in [&["note", "notes", "noted"][..], &["theme", "themes"], &["letter", "letters"]] {
            for form in forms {
                assert_eq!((stem(form), is_stop_word(stem(form))), (forms[0], false), "{form}");
            }
        }
        for word in ["have", "there", "this", "will", "then"] {
            assert!(is_stop_word(stem(word)), "{word}");
        }
    }

    #[test]
    fn short_words_and_what_is_no_english_stay() {
        for word in ["test", "user", "uses", "bus", "e0425", "größe", "this", "class", "x"] {
            let kept = stem(word);
            assert!(kept == word || word == "uses", "{word}: {kept}");
        }
    }
}
