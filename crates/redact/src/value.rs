//! Values: whether what stands behind a telling name is a secret, or a placeholder, a word, a piece of code.

use super::foreign;
pub(super) use super::placeholder::{holds_placeholder, is_placeholder};

/// Values that stand where a secret would, in code, in schemas and in everybody's first set-up.
const COMMON: [&str; 62] = [
    "password",
    "passwd",
    "pass",
    "passphrase",
    "secret",
    "token",
    "string",
    "str",
    "text",
    "number",
    "integer",
    "int",
    "bool",
    "boolean",
    "null",
    "none",
    "nil",
    "undefined",
    "true",
    "false",
    "required",
    "optional",
    "object",
    "any",
    "char",
    "varchar",
    "hidden",
    "input",
    "admin",
    "administrator",
    "root",
    "postgres",
    "postgresql",
    "mysql",
    "mariadb",
    "redis",
    "mongo",
    "guest",
    "user",
    "username",
    "test",
    "testing",
    "demo",
    "default",
    "empty",
    "unknown",
    "invalid",
    "missing",
    "value",
    "foo",
    "bar",
    "baz",
    "foobar",
    "fake",
    "mock",
    "sample",
    "localhost",
    "enabled",
    "disabled",
    "letters",
    "basic",
    "bearer",
];

/// Names with digits in them that are no secrets.
const TRADE_WORDS: [&str; 38] = [
    "1password",
    "sha1",
    "sha224",
    "sha256",
    "sha384",
    "sha512",
    "md5",
    "base64",
    "base32",
    "base58",
    "utf8",
    "utf-8",
    "utf16",
    "oauth2",
    "oauth1",
    "argon2",
    "ed25519",
    "x25519",
    "secp256",
    "rs256",
    "rs512",
    "hs256",
    "hs512",
    "es256",
    "p256",
    "http2",
    "ipv4",
    "ipv6",
    "aes128",
    "aes256",
    "aes-",
    "rsa2048",
    "rsa4096",
    "pbkdf2",
    "bcrypt",
    "cram-md5",
    "scram-sha",
    "digest-md5",
];

/// Words of sentences about passwords.
const TALK: [&str; 22] = [
    "must",
    "should",
    "least",
    "character",
    "characters",
    "enter",
    "your",
    "the",
    "is",
    "not",
    "invalid",
    "required",
    "please",
    "of",
    "for",
    "a",
    "at",
    "be",
    "to",
    "than",
    "and",
    "or",
];

/// How a value stands in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// Between quotes.
    Quoted,
    /// As it is in an environment, on a command line, in an address: no code could stand there.
    Plain,
    /// Anywhere else: it may be code or prose.
    Loose,
}

/// Whether the value of a password's name is one.
pub(super) fn is_password(value: &str, standing: Standing) -> bool {
    let least = if standing == Standing::Loose { 6 } else { 4 };
    if value.len() < least || value.contains(' ') || is_placeholder(value) || is_common(value) {
        return false;
    }
    let bytes = value.as_bytes();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = value.chars().filter(|letter| letter.is_alphabetic()).count();
    let marks = bytes.iter().filter(|byte| b"!@#$%^&*+?~|/\\;:,=".contains(byte)).count();
    let is_call = value.contains(['(', '[', '{', '<', '>', '`', '"', '\'']) || names_a_secret(value);
    if standing != Standing::Quoted && is_code(value) && (digits == 0 || is_call || is_setting(value)) {
        return false;
    }
    if is_path(value) || is_trade_word(value) || is_version(value) {
        return false;
    }
    if letters == 0 {
        return digits >= 6 || (digits >= 2 && marks > 0);
    }
    if digits > 0 {
        return standing != Standing::Loose || !(is_numbered_name(value) || is_identifier(value));
    }
    if marks > 0 && (standing != Standing::Loose || !is_wordy(value)) {
        return true;
    }
    // Letters alone: whoever writes code names things so.
    is_letter_salad(value, 12)
        || standing != Standing::Loose
            && value.len() >= 8
            && !names_a_secret(value)
            && !value.contains(['_', '.'])
}

/// `user_name_2`: words in one kind of letters, joined, and a short number. `Clover_Anchor_71` is none.
fn is_identifier(value: &str) -> bool {
    let has = |belongs: fn(&u8) -> bool| value.as_bytes().iter().any(belongs);
    let is_one_kind = !(has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase));
    let is_joined = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let number = value.bytes().rev().take_while(u8::is_ascii_digit).count();
    value.trim_end_matches('_').contains('_')
        && value.bytes().all(is_joined)
        && is_one_kind
        && number < 3
        && is_wordy(value)
}

/// Whether a value has what a rule about passwords asks for: letters, a digit, and a sign that no name has.
pub(super) fn is_strong(value: &str) -> bool {
    let bytes = value.as_bytes();
    let count = |belongs: fn(&u8) -> bool| bytes.iter().filter(|byte| belongs(byte)).count();
    let digits = count(u8::is_ascii_digit);
    let signs = count(|byte| b"!#$%^&*+?~".contains(byte));
    // Most values have none of the two, and the rest costs more.
    if digits == 0 || signs == 0 || !(7..=64).contains(&value.len()) {
        return false;
    }
    let letters = value.chars().filter(|letter| letter.is_alphabetic()).count();
    // `$name1`, `&name1`, `*name1`: code. `issue#12`: a number of something.
    let begins = bytes.first().is_some_and(|byte| !b"$&*!%+?~#^".contains(byte)) || signs > 1;
    let is_number =
        value.rsplit_once('#').is_some_and(|(_, tail)| tail.bytes().all(|byte| byte.is_ascii_digit()));
    let is_plain =
        !value.contains(['/', '\\', '(', ')', '[', ']', '{', '}', '<', '>', '=', ':', '`', '"', ' ', '|']);
    // A sign at the end is often that of a sentence.
    let is_inner = bytes[..bytes.len().saturating_sub(1)].iter().any(|byte| b"!#$%^&*+~".contains(byte));
    let is_mixed = || count(u8::is_ascii_uppercase) > 0 || signs > 1 || !is_wordy(value);
    letters >= 3
        && begins
        && is_plain
        && !is_number
        && (is_inner || is_mixed())
        && !is_placeholder(value)
        && !is_version(value)
}

/// Digits between letters of both kinds, more than once: words that somebody bent.
fn is_leet(value: &str) -> bool {
    let bytes = value.as_bytes();
    let has = |belongs: fn(&u8) -> bool| bytes.iter().any(belongs);
    let inner = bytes
        .windows(3)
        .filter(|it| it[0].is_ascii_alphabetic() && it[1].is_ascii_digit() && it[2].is_ascii_alphabetic());
    let is_plain = bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte));
    value.len() >= 12
        && is_plain
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && inner.count() > 1
        && !is_placeholder(value)
        && !is_trade_word(value)
}

/// Signs of all kinds in such number that no code has them.
fn is_drawn_with_signs(value: &str) -> bool {
    let count = |belongs: fn(&u8) -> bool| value.as_bytes().iter().filter(|byte| belongs(byte)).count();
    value.len() >= 16
        && !value.contains(' ')
        && count(u8::is_ascii_digit) > 1
        && count(u8::is_ascii_uppercase) > 1
        && count(u8::is_ascii_lowercase) > 1
        && count(u8::is_ascii_punctuation) > 3
        && entropy_tenths(value) >= 40
        && !is_wordy(value)
        && !is_placeholder(value)
}

/// Letters alone are a word of a list.
pub(super) fn has_digit_or_sign(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit() || b"!#$%^&*+?~".contains(&byte))
}

/// The same, or digits between letters in a word that nobody would use for a name.
pub(super) fn is_strong_or_mixed(value: &str) -> bool {
    let has = |belongs: fn(&u8) -> bool| value.as_bytes().iter().any(belongs);
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    is_strong(value) || (is_mixed && value.len() >= 8 && is_password(value, Standing::Loose))
}

/// Whether the value of a token's or key's name is one.
pub(super) fn is_token(value: &str, standing: Standing) -> bool {
    let bytes = value.as_bytes();
    let has_digit = bytes.iter().any(u8::is_ascii_digit);
    let has_letter = bytes.iter().any(u8::is_ascii_alphabetic);
    // Without a digit it has to be long, and no words that somebody joined.
    let is_mixed = has_digit
        || (bytes.len() >= 20 && standing != Standing::Loose)
        || is_letter_salad(value, if standing == Standing::Loose { 20 } else { 12 });
    let least = if bytes.len() < 16 { 25 } else { 30 };
    if standing != Standing::Loose && (is_strong(value) || is_leet(value)) {
        return true;
    }
    if standing == Standing::Quoted && is_drawn_with_signs(value) {
        return true;
    }
    if bytes.len() < 8 || !has_letter || !is_mixed || entropy_tenths(value) < least {
        return false;
    }
    if value.contains(char::is_whitespace) || is_common(value) || is_placeholder(value) {
        return false;
    }
    let is_drawn =
        standing != Standing::Loose && !is_wordy(value) && !value.contains(['(', '[', '{', '<', '"']);
    if (is_code(value) && !is_drawn) || is_path(value) || is_trade_word(value) || is_wordy(value) {
        return false;
    }
    // `test-m2m-secret`, `x25519_private_key`: whoever names a secret does not give it away.
    !(names_a_secret(value) && (standing == Standing::Loose || value.len() < 32))
}

/// A phrase of plain words between quotes, under a name that asks for one.
pub(super) fn is_phrase_sentence(value: &str) -> bool {
    let words = value.split(' ');
    let is_plain = |word: &str| {
        (2..=14).contains(&word.len()) && word.chars().all(|it| it.is_alphabetic() && it.is_lowercase())
    };
    (3..=8).contains(&words.clone().count()) && words.clone().all(is_plain) && !words.clone().any(is_talk)
}

/// A password of some words between quotes. A sentence about passwords stands there, too.
pub(super) fn is_pass_sentence(value: &str) -> bool {
    let mut words = value.split(' ');
    value.len() <= 60
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && (2..=6).contains(&words.clone().count())
        && !words.any(is_talk)
        && !is_placeholder(value)
        && !is_code(value)
}

fn is_talk(word: &str) -> bool {
    TALK.iter().any(|it| word.eq_ignore_ascii_case(it))
}

/// Behind the bare word `pass`: drawn at random, and no commit.
pub(super) fn is_drawn_pass(value: &str) -> bool {
    let is_hex = value.bytes().all(|byte| byte.is_ascii_hexdigit());
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    value.len() >= 12
        && digits >= 3
        && !(is_hex && matches!(value.len(), 40 | 64))
        && is_token(value, Standing::Loose)
}

/// Letters alone, small ones and capitals in such disorder that nobody wrote them as words.
fn is_letter_salad(value: &str, least: usize) -> bool {
    value.len() >= least && value.bytes().all(|byte| byte.is_ascii_alphabetic()) && is_salad(value)
}

/// Whether runs of one kind (digits, capitals, a capital and small letters) are short on the average.
pub(super) fn is_salad(value: &str) -> bool {
    let bytes = value.as_bytes();
    let (mut pieces, mut at) = (0, 0);
    while at < bytes.len() {
        at = piece_end(bytes, at);
        pieces += 1;
    }
    pieces * 3 >= bytes.len()
}

/// Whether a value in the middle of a sentence can be nothing but a secret.
pub(super) fn stands_out(value: &str, is_chosen: bool) -> bool {
    let has = |belongs: fn(&u8) -> bool| value.as_bytes().iter().any(belongs);
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    let has_mark = value.contains(['!', '#', '$', '%', '^', '&', '*', '+', '?', '@']);
    let is_plain = !value.contains(['/', '.', ':', '=', '(', '[', '{', '<', '`', '\\', ',', ';']);
    let is_hex = value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    if is_hex || !is_mixed || !is_plain || is_placeholder(value) || is_trade_word(value) {
        return false;
    }
    let is_drawn = value.len() >= 20 && is_random(value) && has(u8::is_ascii_uppercase);
    let is_strong =
        value.len() >= 8 && (has_mark || has(u8::is_ascii_uppercase)) && !value.contains(['-', '_']);
    is_drawn || (is_chosen && is_strong && is_password(value, Standing::Loose))
}

/// Whether a value looks drawn at random even where its name says little.
pub(super) fn is_random(value: &str) -> bool {
    value.len() >= 16 && value.bytes().any(|byte| byte.is_ascii_digit()) && is_token(value, Standing::Plain)
}

/// Whether the value of a key that may be any key opens something: hashes and ids are keys of maps.
pub(super) fn is_unnamed_key(value: &str, standing: Standing) -> bool {
    let is_id = value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    value.len() >= 20
        && !is_id
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && is_token(value, standing)
}

fn is_common(value: &str) -> bool {
    // "Password:" asks for one.
    let value = value.trim_end_matches([':', '?', '*']);
    COMMON.iter().any(|word| value.eq_ignore_ascii_case(word))
        || !value.bytes().any(|byte| byte.is_ascii_digit()) && foreign::is_word(value)
}

fn is_trade_word(value: &str) -> bool {
    let is_one = |word: &&str| value.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word));
    value.len() <= 24 && TRADE_WORDS.iter().any(is_one)
}

/// A call, an index, a path of names, an operator: what stands in code without quotes.
fn is_code(value: &str) -> bool {
    let has_signs = value.contains(['(', '[', '{', '<', '>', '`', '"', '\'']);
    let is_name = |part: &str| {
        let begins = part.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        let number = part.bytes().rev().take_while(u8::is_ascii_digit).count();
        begins
            && number < 2
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && is_wordy(part)
    };
    let is_member = value.contains('.') && value.split('.').all(is_name);
    has_signs || value.contains("::") || value.contains("->") || is_member
}

/// `config.v2.name`: what settings and requests are called in code.
fn is_setting(value: &str) -> bool {
    let first = value.split(['.', ':', '-']).next().unwrap_or_default();
    [
        "self", "this", "config", "cfg", "conf", "env", "process", "os", "args", "opts", "options",
        "settings", "req", "request", "params", "props", "state", "ctx", "data", "user", "values",
    ]
    .contains(&first)
}

/// `^7.1.2`, `>=2.0`: which versions of a package will do.
fn is_version(value: &str) -> bool {
    let number = value.trim_start_matches(['^', '~', '>', '<', '=']);
    number.len() < value.len()
        && number.contains('.')
        && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

pub(super) fn is_path(value: &str) -> bool {
    // Of an address that is no login only what was drawn at random is a secret.
    let is_page = value.starts_with("http://") || value.starts_with("https://");
    if is_page && !value.contains('@') && !value.split(['/', '?', '=', '&', '#']).any(is_random) {
        return true;
    }
    let begins = ["/", "./", "../", "~/", "C:\\", "http://", "https://", "file:", "arn:", "data:"];
    // `database/creds/web-proxy`: where a store keeps one.
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || matches!(byte, b'/' | b'-' | b'_');
    if value.matches('/').count() > 1 && value.bytes().all(is_plain) {
        return true;
    }
    let many_parts = value.split('/').filter(|part| part.len() > 1 && is_wordy(part)).count();
    (begins.iter().any(|it| value.starts_with(it)) && (value.len() < 20 || many_parts >= 2))
        || many_parts >= 3
}

/// `password2`, `pass_1`, `secret_v2`: a name that was counted on.
fn is_numbered_name(value: &str) -> bool {
    let stem = value.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '_');
    names_a_secret(stem) && stem.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
}

fn names_a_secret(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    ["passw", "secret", "token", "credential", "pwd", "passphrase", "apikey", "api_key", "_key", "privatekey"]
        .iter()
        .any(|it| lower.contains(it))
}

/// Whether a value is made of words: names, labels, versions, regions. Four fifths of what is random is not.
pub(super) fn is_wordy(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_hexdigit).count();
    if digits >= 16 && value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-') {
        return false;
    }
    let (mut odd, mut all, mut pieces) = (0, 0, 0);
    for part in value.split(|letter: char| !letter.is_ascii_alphanumeric()) {
        let bytes = part.as_bytes();
        let (mut at, mut inner_numbers) = (0, 0);
        while at < bytes.len() {
            let end = piece_end(bytes, at);
            let is_number = bytes[at].is_ascii_digit();
            let is_inner = at > 0 && end < bytes.len();
            inner_numbers += usize::from(is_number && is_inner);
            // A version, a year, a count.
            let is_short_number = is_number && end - at <= 4 && !is_inner;
            all += end - at;
            pieces += 1;
            odd += if is_short_number || is_word(&bytes[at..end]) { 0 } else { end - at };
            at = end;
        }
        // `i18n` and `m2m` have one.
        if inner_numbers > 1 {
            return false;
        }
    }
    odd * 5 <= all && pieces * 7 <= all * 3
}

/// Where a run of digits, of capitals, or of a capital and small letters ends.
pub(super) fn piece_end(bytes: &[u8], at: usize) -> usize {
    let run = |from: usize, belongs: fn(&u8) -> bool| {
        from + bytes[from..].iter().take_while(|byte| belongs(byte)).count()
    };
    if bytes[at].is_ascii_digit() {
        return run(at, u8::is_ascii_digit);
    }
    let capitals = run(at, u8::is_ascii_uppercase);
    match capitals - at {
        // Any other sign is a piece of its own.
        0 => run(at, u8::is_ascii_lowercase).max(at + 1),
        1 => run(capitals, u8::is_ascii_lowercase),
        // `APIKey`: the last capital begins the next word.
        _ if bytes.get(capitals).is_some_and(u8::is_ascii_lowercase) => capitals - 1,
        _ => capitals,
    }
}

/// Whether letters can be said: vowels among them, and never many consonants in a row.
fn is_word(piece: &[u8]) -> bool {
    if !piece[0].is_ascii_alphabetic() {
        return false;
    }
    let is_vowel = |byte: &u8| b"aeiouyAEIOUY".contains(byte);
    let vowels = piece.iter().filter(|byte| is_vowel(byte)).count();
    let mut row = 0;
    let mut longest = 0;
    for byte in piece {
        row = if is_vowel(byte) { 0 } else { row + 1 };
        longest = longest.max(row);
    }
    let rare = piece.iter().filter(|byte| b"jqxzJQXZ".contains(byte)).count();
    match piece.len() {
        // `v`, `id`, `us`, `db` stand in every name; in what is random they are no rarer.
        1 => false,
        2 => vowels > 0 && rare == 0,
        length => vowels > 0 && longest <= 4 && vowels * 6 >= length && rare * 6 < length,
    }
}

/// Shannon's entropy of the bytes, in tenths of a bit a byte.
pub(super) fn entropy_tenths(value: &str) -> u32 {
    let mut counts = [0_u32; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let length = f64::from(u32::try_from(value.len()).unwrap_or(u32::MAX).max(1));
    let bits: f64 = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / length;
            -share * share.log2()
        })
        .sum();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 80")]
    {
        (bits * 10.0) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_from_what_was_drawn_at_random() {
        for wordy in ["eu-central-1", "my-token-1", "tokenizer", "getUserToken", "release-2024"] {
            assert!(is_wordy(wordy), "{wordy}");
        }
        for random in
            ["k3Jf9sLqP2xW", "9f86d081884c7d65", "qwJxTzRbNmKpLsVd", "abc123def456", "Zm9vYmFyMTIzNDU2"]
        {
            assert!(!is_wordy(random), "{random}");
        }
    }

    #[test]
    fn placeholders_are_no_values() {
        for value in [
            "$TOKEN",
            "${TOKEN}",
            "<your-token>",
            "xxxxxxxx",
            "changeme",
            "{{ token }}",
            "%TOKEN%",
            "***",
            "[masked:x]",
            "AKIAIOSFODNN7EXAMPLE",
        ] {
            assert!(is_placeholder(value), "{value}");
        }
        for value in ["hunter2", "$3cret9x", "correct-horse-9"] {
            assert!(!is_placeholder(value), "{value}");
        }
    }

    #[test]
    fn entropy_is_counted_in_tenths_of_a_bit() {
        assert_eq!(
            (entropy_tenths("aaaa"), entropy_tenths("abab"), entropy_tenths("0123456789abcdef")),
            (0, 10, 40)
        );
        assert_eq!(entropy_tenths(""), 0);
    }
}
