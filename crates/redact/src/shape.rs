//! Shapes: what a secret looks like, as a flat pattern that is read while it is matched. Nothing is compiled.
//!
//! A pattern is a row of bytes and `[classes]`, each with a `{count}` or `{min,max}` behind it. There are no groups and
//! no choices: a rule with two ways to match is two rows.

/// A secret that is known by its own form.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// What it is called in a mark.
    pub(super) kind: &'static str,
    /// Least entropy, in tenths of a bit a byte.
    pub(super) entropy_tenths: u32,
    /// What stands in every one of them, in small letters.
    pub(super) keyword: &'static str,
    /// How many bytes of it stand before the keyword.
    pub(super) back: usize,
    /// Whether it has to begin where a word does.
    pub(super) at_word: bool,
    /// The whole of it.
    pub(super) pattern: &'static str,
}

/// A secret that is known by a vendor's name before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vendor {
    /// What it is called in a mark.
    pub(super) kind: &'static str,
    /// Least entropy, in tenths of a bit a byte.
    pub(super) entropy_tenths: u32,
    /// The name, in small letters.
    pub(super) name: &'static str,
    /// The value.
    pub(super) pattern: &'static str,
}

/// How far a pattern goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// It matches up to here.
    Whole(usize),
    /// The text ends in the middle of it.
    Cut,
    /// It does not match.
    No,
}

/// Steps that one match may take: more than any pattern needs whose runs are told apart by what follows them.
const STEPS_MAX: u32 = 500;

/// One part of a pattern: which bytes, how often.
struct Item {
    bytes: u128,
    min: usize,
    max: usize,
}

/// Matches a pattern at a place of a text.
pub(super) fn reach(pattern: &str, text: &[u8], at: usize) -> Reach {
    go_on(pattern.as_bytes(), text, at, &mut STEPS_MAX.clone())
}

fn go_on(pattern: &[u8], text: &[u8], at: usize, steps: &mut u32) -> Reach {
    let Some((item, rest)) = next_item(pattern) else { return Reach::Whole(at) };
    if *steps == 0 {
        return Reach::No;
    }
    *steps -= 1;
    let run = text[at.min(text.len())..].iter().take(item.max);
    let count = run.take_while(|byte| holds(item.bytes, **byte)).count();
    let ends_here = at + count >= text.len();
    if count < item.min {
        return if ends_here { Reach::Cut } else { Reach::No };
    }
    let mut best = Reach::No;
    // The longest run first; what follows may need some of it back.
    for taken in (item.min..=count).rev() {
        match go_on(rest, text, at + taken, steps) {
            Reach::No => {}
            Reach::Cut => best = Reach::Cut,
            whole @ Reach::Whole(_) => return whole,
        }
        if *steps == 0 {
            break;
        }
    }
    best
}

fn holds(bytes: u128, byte: u8) -> bool {
    byte.is_ascii() && bytes >> byte & 1 == 1
}

fn next_item(pattern: &[u8]) -> Option<(Item, &[u8])> {
    let (bytes, rest) = match pattern.first()? {
        b'[' => class(&pattern[1..]),
        b'\\' => (1 << (pattern.get(1)? & 127), &pattern[2..]),
        byte => (1 << (byte & 127), &pattern[1..]),
    };
    let Some(counts) = rest.strip_prefix(b"{") else { return Some((Item { bytes, min: 1, max: 1 }, rest)) };
    let (min, rest) = number(counts);
    let (max, rest) = if let Some(max) = rest.strip_prefix(b",") { number(max) } else { (min, rest) };
    Some((Item { bytes, min, max }, rest.strip_prefix(b"}").unwrap_or(rest)))
}

/// The bytes of a class, and what stands behind its end.
fn class(mut pattern: &[u8]) -> (u128, &[u8]) {
    let mut bytes = 0;
    while let Some((first, rest)) = class_byte(pattern) {
        pattern = rest;
        let mut last = first;
        if let Some((end, rest)) = pattern.strip_prefix(b"-").and_then(class_byte) {
            last = end;
            pattern = rest;
        }
        for byte in first..=last {
            bytes |= 1 << (byte & 127);
        }
    }
    (bytes, pattern.strip_prefix(b"]").unwrap_or(pattern))
}

fn class_byte(pattern: &[u8]) -> Option<(u8, &[u8])> {
    match pattern {
        [b']', ..] | [] => None,
        [b'\\', byte, rest @ ..] => Some((*byte, rest)),
        [byte, rest @ ..] => Some((*byte, rest)),
    }
}

fn number(text: &[u8]) -> (usize, &[u8]) {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let value = text[..digits].iter().fold(0, |value, digit| value * 10 + usize::from(digit - b'0'));
    (value, &text[digits..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_as_it_reads() {
        let whole = |pattern, text: &str| match reach(pattern, text.as_bytes(), 0) {
            Reach::Whole(end) => Some(text[..end].to_owned()),
            Reach::Cut | Reach::No => None,
        };
        assert_eq!(whole("ab[0-9]{2}", "ab12").as_deref(), Some("ab12"));
        assert_eq!(whole("ab[0-9]{2}", "ab1x"), None);
        assert_eq!(whole(r"a\-[b\-]{1,3}c", "a-b-bc!").as_deref(), Some("a-b-bc"));
        assert_eq!(whole("[a-z]{1,9}b", "aaab").as_deref(), Some("aaab"), "a run gives back");
        assert_eq!(whole("x{0,2}y", "y").as_deref(), Some("y"));
        assert_eq!(whole(r"[\[\]]{2}", "[]").as_deref(), Some("[]"));
        assert_eq!(whole("é", "é"), None, "patterns are ASCII");
    }

    #[test]
    fn a_text_that_ends_too_early_is_told_from_another_one() {
        assert_eq!(reach("ab[0-9]{4}", b"ab12", 0), Reach::Cut);
        assert_eq!(reach("ab[0-9]{4}", b"ab1x", 0), Reach::No);
        assert_eq!(reach("ab[0-9]{4}", b"", 0), Reach::Cut);
        assert_eq!(reach("ab", b"ab", 9), Reach::Cut, "a place behind the end");
    }

    #[test]
    fn a_pattern_whose_runs_overlap_gives_up() {
        let text = [b'a'; 4_000];
        assert_eq!(reach("[a]{0,4096}[a]{0,4096}[a]{0,4096}b", &text, 0), Reach::Cut);
    }
}
