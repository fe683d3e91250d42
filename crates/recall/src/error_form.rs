//! The form of an error: what stays the same when it comes again at another line, in another folder, with another address.

use std::collections::BTreeSet;

use crate::weights::{ERROR_FORMS_MAX, SAME_ERROR_SHARE, SEEN_SHARE, WANTED_SHARE};
use crate::words;

/// The words of an error that make it this error: no numbers, addresses, digests, and of paths the last name.
#[must_use]
pub fn forms(text: &str) -> BTreeSet<String> {
    let mut kept = BTreeSet::new();
    for piece in text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | ')' | ',')) {
        // Of a path its file; of `src/a.rs:12:5` without the place in it.
        let piece = piece.trim_matches(|c: char| !c.is_alphanumeric());
        let name = piece.rsplit(['/', '\\']).next().unwrap_or(piece);
        for word in words::words(name).into_iter().filter(|word| !word.is_part) {
            let is_number = word.form.bytes().all(|byte| byte.is_ascii_digit() || byte == b'x');
            let is_address = word.form.starts_with("0x");
            if !is_number && !is_address && !words::is_stop_word(&word.form) && kept.len() < ERROR_FORMS_MAX {
                kept.insert(word.form);
            }
        }
    }
    kept
}

/// How alike two errors are: 1 for the same, 0 for nothing in common. `wanted` may be a part of the other.
pub(crate) fn likeness(wanted: &BTreeSet<String>, seen: &BTreeSet<String>) -> f64 {
    if wanted.is_empty() || seen.is_empty() {
        return 0.0;
    }
    // Most of what is asked must stand there; that there is more beside it costs little.
    WANTED_SHARE * share(wanted, seen) + SEEN_SHARE * share(seen, wanted)
}

/// Which share of one error's words the other has.
fn share(wanted: &BTreeSet<String>, seen: &BTreeSet<String>) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "some words")]
    let share = wanted.intersection(seen).count() as f64 / wanted.len().max(1) as f64;
    share
}

/// Whether nearly every word of an error stands in the other: it is that error, whatever else was printed with it.
pub(crate) fn is_same(wanted: &BTreeSet<String>, seen: &BTreeSet<String>) -> bool {
    share(wanted, seen) >= SAME_ERROR_SHARE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_the_same_wherever_it_happens() {
        let one =
            forms("error[E0425]: cannot find value `total` in this scope --> /home/me/src/main.rs:12:5");
        let two = forms("error[E0425]: cannot find value `total` in this scope --> src/main.rs:99:1");
        assert_eq!(one, two);
        assert!((likeness(&one, &two) - 1.0).abs() < 1e-9);
        let other = forms("error[E0308]: mismatched types --> src/lib.rs:1:1");
        assert!(likeness(&one, &other) < 0.4);
        assert!(likeness(&one, &BTreeSet::new()).abs() < 1e-9);
        let printed =
            forms("Compiling app\nerror[E0425]: cannot find value `total` in this scope\n--> a/main.rs:1:1");
        assert!(is_same(&one, &printed) && !is_same(&printed, &one) && !is_same(&one, &other));
    }
}
