//! Look: what a value is made of, whatever stands around it.

use std::borrow::Cow;

use super::super::value::{self, Standing, piece_end};
use super::Row;
use crate::letters::PAIRS;

/// How much of a value is looked at.
const SAMPLE_BYTES_MAX: usize = 96;
/// Endings of files' names.
const ENDINGS: [&str; 44] = [
    "rs", "py", "js", "ts", "go", "md", "txt", "json", "yaml", "yml", "toml", "sh", "html", "css", "xml",
    "csv", "java", "c", "h", "cpp", "rb", "php", "sql", "log", "pem", "key", "crt", "conf", "cfg", "ini",
    "env", "lock", "pdf", "png", "jpg", "zip", "gz", "tar", "db", "kdbx", "com", "org", "net", "io",
];

fn count(bytes: &[u8], belongs: impl Fn(u8) -> bool) -> u8 {
    capped(bytes.iter().filter(|byte| belongs(**byte)).count())
}

pub(super) fn capped(number: usize) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

/// A class of letters.
fn kind(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        0x80.. => 4,
        _ => 3,
    }
}

/// Adds all that the look of a value says.
pub(super) fn add(value: &str, row: &mut Row) {
    let sample = &value[..value.floor_char_boundary(SAMPLE_BYTES_MAX.min(value.len()))];
    let folded = folded(sample);
    let bytes = folded.as_bytes();
    let mut seen = [0_u8; 128];
    let mut wide = 0_usize;
    for byte in bytes {
        match seen.get_mut(usize::from(*byte)) {
            Some(count) => *count += 1,
            None => wide += 1,
        }
    }
    let all_of = |signs: std::ops::RangeInclusive<u8>| {
        seen[usize::from(*signs.start())..=usize::from(*signs.end())].iter().sum::<u8>()
    };
    let (digits, capitals, small) = (all_of(b'0'..=b'9'), all_of(b'A'..=b'Z'), all_of(b'a'..=b'z'));
    let each_of = |signs: &[u8]| signs.iter().map(|sign| seen[usize::from(*sign)]).sum::<u8>();
    row.add(capped(value.chars().count()));
    row.add(digits);
    row.add(capitals);
    row.add(small);
    row.add(all_of(b'!'..=b'~') - digits - capitals - small);
    row.add(capped(wide));
    let turns = |turn: fn(u8, u8) -> bool| {
        capped(bytes.windows(2).filter(|two| turn(kind(two[0]), kind(two[1]))).count())
    };
    row.add(turns(|left, right| left != right));
    row.add(turns(|left, right| left == 0 && right == 1));
    row.add(turns(|left, right| left < 2 && right == 2));
    row.add(turns(|left, right| left == 2 && right < 2));
    row.add(kind(bytes[0]));
    row.add(kind(bytes[bytes.len() - 1]));
    row.add(capped(seen.iter().filter(|count| **count > 0).count()));
    row.add(each_of(b"!#$%^&*+~?@"));
    for sign in [b'-', b'_', b'.', b'/', b'@', b'+', b',', b'\''] {
        row.add(seen[usize::from(sign)]);
    }
    row.add(each_of(b":="));
    row.add(each_of(b"()[]{}<>\\|\"`;"));
    row.add(seen[usize::from(b' ')]);
    add_letters(bytes, row);
    add_pieces(&folded, row);
    add_things(&folded, row);
    add_known(sample, row);
}

/// Letters of other alphabets as some of ours, large and small: a password looks like one in each of them.
fn folded(value: &str) -> Cow<'_, str> {
    if value.is_ascii() {
        return Cow::Borrowed(value);
    }
    let as_ours = |letter: char| match letter {
        _ if letter.is_ascii() => letter,
        _ if letter.is_uppercase() => 'E',
        _ if letter.is_lowercase() => 'e',
        _ => 'ø',
    };
    Cow::Owned(value.chars().map(as_ours).collect())
}

/// How usual the letters are beside each other.
fn add_letters(bytes: &[u8], row: &mut Row) {
    let place = |byte: u8| usize::from((byte | 32) - b'a' + 1);
    let (mut sum, mut pairs, mut worst) = (0_usize, 0_usize, 0_usize);
    let mut last = 0;
    for byte in bytes {
        let here = if byte.is_ascii_alphabetic() { place(*byte) } else { 0 };
        if here > 0 || last > 0 {
            let cost = usize::from(PAIRS[last * 27 + here]);
            sum += cost;
            pairs += 1;
            worst = worst.max(cost);
        }
        last = here;
    }
    row.add(capped(sum / pairs.max(1)));
    row.add(capped(worst));
}

/// Words, numbers and signs in it.
fn add_pieces(value: &str, row: &mut Row) {
    let (mut words, mut longest, mut shortest, mut numbers, mut odd) =
        (0_usize, 0_usize, 99_usize, 0, 0_usize);
    for part in value.split(|letter: char| !letter.is_ascii_alphanumeric()) {
        let bytes = part.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let end = piece_end(bytes, at);
            if bytes[at].is_ascii_digit() {
                numbers += 1;
            } else {
                words += 1;
                longest = longest.max(end - at);
                shortest = shortest.min(end - at);
                odd += usize::from(end - at < 3);
            }
            at = end;
        }
    }
    row.add(capped(words));
    row.add(capped(longest));
    row.add(capped(shortest));
    row.add(capped(numbers));
    row.add(capped(odd));
    let bytes = value.as_bytes();
    let inner = bytes
        .windows(3)
        .filter(|it| it[0].is_ascii_alphabetic() && it[1].is_ascii_digit() && it[2].is_ascii_alphabetic());
    row.add(capped(inner.count()));
    let tail = value.trim_end_matches(['!', '?', '.', '#', '*', '$']);
    let digits = tail.bytes().rev().take_while(u8::is_ascii_digit).count();
    row.add(capped(digits));
    let year = tail.get(tail.len() - digits..).and_then(|year| year.parse::<u16>().ok());
    row.flag(year.is_some_and(|year| (1900..2100).contains(&year)));
    let vowels = count(bytes, |byte| b"aeiouyAEIOUY".contains(&byte));
    row.add(vowels);
    // Capitals at the beginnings of words alone.
    row.flag(!bytes.windows(2).any(|two| two[0].is_ascii_uppercase() && two[1].is_ascii_uppercase()));
}

/// What else it may be.
fn add_things(value: &str, row: &mut Row) {
    let bytes = value.as_bytes();
    let all = |belongs: fn(&u8) -> bool| bytes.iter().all(belongs);
    let has = |belongs: fn(&u8) -> bool| bytes.iter().any(belongs);
    let is_hex = all(u8::is_ascii_hexdigit);
    row.flag(is_hex);
    row.flag(all(u8::is_ascii_digit));
    row.flag(all(|byte| byte.is_ascii_digit() || b".:-/,%+TZ ".contains(byte)));
    let groups: Vec<&str> = value.split('-').take(9).collect();
    let lengths: Vec<usize> = groups.iter().copied().map(str::len).collect();
    let is_dashed_hex = all(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
    row.flag(lengths == [8, 4, 4, 4, 12] && is_dashed_hex);
    row.flag(groups.len() > 1 && lengths.iter().all(|length| *length == lengths[0]));
    // `PROJ-7474`
    row.flag(
        groups.len() == 2 && groups[0].bytes().all(|byte| byte.is_ascii_uppercase()) && {
            groups[1].bytes().all(|byte| byte.is_ascii_digit())
        },
    );
    // `v1.2.3-rc1`
    let head = value.trim_start_matches(['v', 'V', '^', '~', '>', '<']);
    row.flag(head.starts_with(|letter: char| letter.is_ascii_digit()) && head.matches('.').count() > 1);
    let ending = value.rsplit('.').next().filter(|it| it.len() < value.len()).unwrap_or_default();
    row.flag(ENDINGS.contains(&ending));
    row.flag(value.contains("://"));
    row.flag(value.starts_with(['/', '~']) || value.starts_with("./") || value.starts_with("../"));
    row.flag(value.split_once('@').is_some_and(|(_, host)| host.contains('.')));
    row.flag(value.starts_with('-'));
    row.flag(value.starts_with(['$', '%']));
    row.flag(value.contains("::") || value.contains("->") || value.contains("()"));
    // Names in code: `SOME_NAME`, `some_name`, `someName`, `some-name`, `SomeName`.
    row.flag(
        all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
            && has(|byte| *byte == b'_'),
    );
    row.flag(
        all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'_')
            && has(|byte| *byte == b'_'),
    );
    row.flag(
        all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-')
            && has(|byte| *byte == b'-'),
    );
    row.flag(all(|byte| byte.is_ascii_lowercase() || *byte == b'.') && has(|byte| *byte == b'.'));
    row.flag(all(u8::is_ascii_alphabetic));
    row.flag(all(u8::is_ascii_lowercase));
    row.flag(all(u8::is_ascii_uppercase));
    row.flag(value.chars().all(|letter| letter.is_alphabetic() || letter == ' '));
    // A number and its unit: `30min`, `512MB`.
    let number = bytes.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    row.flag(number > 0 && number < bytes.len() && bytes.len() - number <= 3);
    // A word and its number: `node17`, `db-2`.
    let word = bytes.iter().take_while(|byte| byte.is_ascii_lowercase() || **byte == b'-').count();
    row.flag(word > 0 && bytes.len() - word <= 2 && bytes[word..].iter().all(u8::is_ascii_digit));
}

/// What the rules think of it.
fn add_known(value: &str, row: &mut Row) {
    // Nothing of the kind is a word, or some words.
    if value.bytes().all(|byte| byte.is_ascii_lowercase()) || value.contains(' ') {
        for _ in 0..4 {
            row.flag(false);
        }
        return;
    }
    row.flag(value::is_strong(value));
    row.flag(value::is_token(value, Standing::Plain));
    let is_plain = value::is_password(value, Standing::Plain);
    // Whatever is one anywhere is one in a setting.
    row.flag(is_plain && value::is_password(value, Standing::Loose));
    row.flag(is_plain);
}
