//! Hints: the one pass over every text that is stored. What holds none of these words holds no secret that we know.
//!
//! All words are found at once by three bytes of each, the rarest in prose and code: a table that stands ready in the
//! binary, so that a process which lives for milliseconds builds nothing.

use super::hint_words::OWN;
use super::names::Says;
use super::shape::{Shape, Vendor};
use super::{command, foreign, gitleaks, own_shapes};

/// What a word hints at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// Rows of the public shapes: the first, how many.
    Shapes(usize, usize),
    /// Rows of our own shapes.
    OwnShapes(usize, usize),
    /// Rows of the public vendors.
    Vendors(usize, usize),
    /// Rows of our own vendors.
    OwnVendors(usize, usize),
    /// A name that says secret.
    Name,
    /// `pw`, and the sign behind it.
    ShortName,
    /// A word of another language, and what it says.
    Foreign(Says),
    /// A list of codes follows.
    Codes,
    /// The words of a wallet follow.
    SeedPhrase,
    /// Some words follow that may be a password.
    Words,
    /// The seed of a second factor follows.
    OtpSeed,
    /// A sentence about logging in.
    LoginTalk,
    /// `p: …`, below `u: …`.
    UserPass,
    /// A mail server asks for a password, in base64.
    SmtpLogin,
    /// A line of a mail server's file of passwords.
    Relay,
    /// A number that opens something.
    Pin,
    /// The name of one of some keys.
    KeyOfList,
    /// A password that a program made.
    Generated,
    /// A line of a file of passwords.
    PasswordFile,
    /// The first line of a key, encoded.
    EncodedKey,
    /// `user:password` stands before.
    UserBefore,
    /// `user/password@database` follows.
    UserSlash,
    /// An address, maybe with a password in it.
    Address,
    /// A parameter of an address that is a secret there alone.
    Parameter,
    /// A header that authorizes.
    Authorization,
    /// The word before a token.
    Bearer,
    /// Cookies.
    Cookie,
    /// A private key's first or last line.
    PrivateKey,
    /// The first bytes of a private key's first line.
    KeyBody,
    /// The numbers of a key follow.
    KeyNumbers,
    /// A signed token.
    Jwt,
    /// The word for a second factor.
    Otp,
    /// A flag that takes cookies.
    CookieFlag,
    /// An address that opens something once.
    Link,
    /// A word near which secrets stand, and other things more often: for the judge alone.
    Soft,
    /// A program or a statement that takes a password without naming it.
    Command,
}

/// A word, in small letters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hint {
    pub(super) text: &'static str,
    pub(super) what: What,
}

pub(super) const fn hint(text: &'static str, what: What) -> Hint {
    Hint { text, what }
}

const fn same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    let mut at = 0;
    while at < left.len() {
        if left[at] != right[at] {
            return false;
        }
        at += 1;
    }
    true
}

const fn keywords_of(shapes: &[Shape]) -> usize {
    let (mut count, mut at) = (0, 0);
    while at < shapes.len() {
        if at == 0 || !same(shapes[at].keyword, shapes[at - 1].keyword) {
            count += 1;
        }
        at += 1;
    }
    count
}

const fn names_of(vendors: &[Vendor]) -> usize {
    let (mut count, mut at) = (0, 0);
    while at < vendors.len() {
        if at == 0 || !same(vendors[at].name, vendors[at - 1].name) {
            count += 1;
        }
        at += 1;
    }
    count
}

const COUNT: usize = OWN.len()
    + foreign::WORDS.len()
    + command::WORDS.len()
    + keywords_of(&gitleaks::SHAPES)
    + keywords_of(&own_shapes::SHAPES)
    + names_of(&gitleaks::VENDORS)
    + names_of(&own_shapes::VENDORS);

/// Every word.
pub(super) static HINTS: [Hint; COUNT] = all();

#[expect(clippy::large_stack_arrays, reason = "worked out when the program is built")]
const fn all() -> [Hint; COUNT] {
    let mut hints = [OWN[0]; COUNT];
    let mut next = 0;
    while next < OWN.len() {
        hints[next] = OWN[next];
        next += 1;
    }
    let mut word = 0;
    while word < foreign::WORDS.len() {
        hints[next] = hint(foreign::WORDS[word].0, What::Foreign(foreign::WORDS[word].1));
        next += 1;
        word += 1;
    }
    let mut word = 0;
    while word < command::WORDS.len() {
        hints[next] = hint(command::WORDS[word], What::Command);
        next += 1;
        word += 1;
    }
    let sources: [&[Shape]; 2] = [&gitleaks::SHAPES, &own_shapes::SHAPES];
    let mut source = 0;
    while source < 2 {
        let shapes = sources[source];
        let mut at = 0;
        while at < shapes.len() {
            let mut rows = 1;
            while at + rows < shapes.len() && same(shapes[at].keyword, shapes[at + rows].keyword) {
                rows += 1;
            }
            let what = if source == 0 { What::Shapes(at, rows) } else { What::OwnShapes(at, rows) };
            hints[next] = hint(shapes[at].keyword, what);
            next += 1;
            at += rows;
        }
        source += 1;
    }
    let sources: [&[Vendor]; 2] = [&gitleaks::VENDORS, &own_shapes::VENDORS];
    let mut source = 0;
    while source < 2 {
        let vendors = sources[source];
        let mut at = 0;
        while at < vendors.len() {
            let mut rows = 1;
            while at + rows < vendors.len() && same(vendors[at].name, vendors[at + rows].name) {
                rows += 1;
            }
            let what = if source == 0 { What::Vendors(at, rows) } else { What::OwnVendors(at, rows) };
            hints[next] = hint(vendors[at].name, what);
            next += 1;
            at += rows;
        }
        source += 1;
    }
    hints
}

/// Buckets of the table: each holds the hints whose three bytes fall into it.
const BUCKETS: usize = 1 << 11;
const NONE: u16 = u16::MAX;

struct Table {
    /// A bit for every 16-bit hash of three bytes.
    filter: [u64; 1 << 10],
    /// The first hint of every bucket.
    heads: [u16; BUCKETS],
    /// The next hint in a hint's bucket.
    next: [u16; COUNT],
    /// Which three bytes of a hint are looked for.
    telling: [u8; COUNT],
}

static TABLE: Table = table();

const fn table() -> Table {
    let mut table =
        Table { filter: [0; 1 << 10], heads: [NONE; BUCKETS], next: [NONE; COUNT], telling: [0; COUNT] };
    let hints = all();
    let mut at = 0;
    while at < COUNT {
        let bytes = hints[at].text.as_bytes();
        let telling = rarest(bytes);
        let hash = hash(gram(bytes[telling], bytes[telling + 1], bytes[telling + 2]));
        table.filter[hash >> 6] |= 1 << (hash & 63);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "there are some hundred hints, of some dozen bytes"
        )]
        {
            table.telling[at] = telling as u8;
            table.next[at] = table.heads[hash % BUCKETS];
            table.heads[hash % BUCKETS] = at as u16;
        }
        at += 1;
    }
    table
}

/// Where the three bytes begin that are rarest in prose and code.
const fn rarest(bytes: &[u8]) -> usize {
    let (mut best, mut best_worth, mut at) = (0, 0, 0);
    while at + 3 <= bytes.len() {
        let worth = rarity(bytes[at]) + rarity(bytes[at + 1]) + rarity(bytes[at + 2]);
        if worth > best_worth {
            (best, best_worth) = (at, worth);
        }
        at += 1;
    }
    best
}

const fn rarity(byte: u8) -> u32 {
    match byte {
        b'j' | b'q' | b'x' | b'z' | b'$' | b'~' => 6,
        b'0'..=b'9' | b'_' | b'+' | b'=' | b'<' => 5,
        b'k' | b'v' | b'w' | b':' | b'/' | b'-' => 4,
        b'b' | b'f' | b'g' | b'h' | b'p' | b'y' | b'.' => 3,
        b'c' | b'd' | b'l' | b'm' | b'u' => 2,
        _ => 1,
    }
}

/// Three bytes in one number, capitals as small letters. (Other bytes fall together, too; each hit is compared.)
const fn gram(first: u8, second: u8, third: u8) -> u32 {
    ((first | 32) as u32) << 16 | ((second | 32) as u32) << 8 | (third | 32) as u32
}

const fn hash(gram: u32) -> usize {
    (gram.wrapping_mul(0x9E37_79B1) >> 16) as usize
}

/// Calls `found` with every hint in a text and where it begins.
pub(super) fn each(text: &[u8], mut found: impl FnMut(&'static Hint, usize)) {
    let mut gram = 0;
    for (at, byte) in text.iter().enumerate() {
        gram = (gram << 8 | u32::from(byte | 32)) & 0x00FF_FFFF;
        let hash = hash(gram);
        if TABLE.filter[hash >> 6] >> (hash & 63) & 1 == 0 {
            continue;
        }
        let mut hint = TABLE.heads[hash % BUCKETS];
        while hint != NONE {
            let number = usize::from(hint);
            let wanted = &HINTS[number];
            if let Some(start) = (at + 1).checked_sub(3 + usize::from(TABLE.telling[number]))
                && let Some(standing) = text.get(start..start + wanted.text.len())
                && standing.eq_ignore_ascii_case(wanted.text.as_bytes())
            {
                found(wanted, start);
            }
            hint = TABLE.next[number];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hint_is_found_wherever_it_stands() {
        for hint in &HINTS {
            let word = hint.text;
            for text in
                [word.to_owned(), word.to_ascii_uppercase(), format!("é{word}"), format!("--wkc{word}zé")]
            {
                let mut places = Vec::new();
                each(text.as_bytes(), |found, at| places.extend((found.text == word).then_some(at)));
                let at = text.to_ascii_lowercase().find(word).unwrap();
                assert!(places.contains(&at), "{word} in {text}: {places:?}");
            }
        }
    }

    #[test]
    fn words_that_only_resemble_hints_are_none() {
        for text in
            ["", "the walk back to work is a quick one", "ssk", "x-y_z/w", "étoke", "to", "ke\u{1F511}y"]
        {
            each(text.as_bytes(), |hint, at| panic!("{} at {at} of {text}", hint.text));
        }
    }

    #[test]
    fn rows_with_one_keyword_stand_together() {
        let mut words: Vec<(&str, bool)> = Vec::new();
        for hint in &HINTS {
            let is_own = matches!(hint.what, What::OwnShapes(..) | What::OwnVendors(..));
            if !matches!(hint.what, What::Shapes(..) | What::OwnShapes(..)) {
                continue;
            }
            assert!(!words.contains(&(hint.text, is_own)), "{} is in two places", hint.text);
            words.push((hint.text, is_own));
        }
    }
}
