//! Byte lists: a secret that code spells as a row of numbers.

use super::Found;

/// How far behind its name the row begins, and how long it is.
const BEGIN_BYTES_MAX: usize = 72;
const ROW_BYTES_MAX: usize = 4_096;
/// Fewer numbers are something else.
const NUMBERS_MIN: usize = 8;
/// Fewer letters are, too.
const LETTERS_MIN: usize = 4;

/// `psk[] = { 0x52, 0x75, … }`, `secret := []byte{82, 117, …}`, `password = bytes([82, …])`.
pub(super) fn after(text: &str, end: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let limit = bytes.len().min(end + BEGIN_BYTES_MAX);
    let head = &bytes[end..limit];
    let sign = head.iter().position(|byte| matches!(byte, b'=' | b':'))?;
    let opens = |at: &usize| matches!(bytes[at - 1], b'{' | b'[' | b'(');
    let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || b" \t\r\n[]{}(<>&!:=;_.*".contains(byte);
    let length = head.iter().take_while(|byte| belongs(byte)).count();
    (end + sign + 1..end + length.max(sign + 1))
        .filter(opens)
        .find_map(|at| row_at(bytes, at).or_else(|| letters_at(bytes, at)))
        .map(|(start, end)| Found { start, end, kind: "secret", is_certain: true })
}

/// How far from a telling word a row may stand, on either side.
const BESIDE_BYTES_MAX: usize = 200;
/// Fewer pairs of hex digits are something else.
const PAIRS_MIN: usize = 8;

/// `[84, 117, …]; // bytes of the key`, `AES_KEY[16] = { // production⏎ 0x37, …`: the word stands behind the row, or a
/// comment between them. There every number is the byte of a letter, or is spelt as a byte.
pub(super) fn beside(text: &str, start: usize, end: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let floor = start.saturating_sub(BESIDE_BYTES_MAX);
    let ceiling = bytes.len().min(end + BESIDE_BYTES_MAX);
    // A cheap look first: hardly a window holds so many numbers.
    let commas = memchr::memchr_iter(b',', &bytes[floor..ceiling]).take(NUMBERS_MIN - 1).count();
    if commas < NUMBERS_MIN - 1 {
        return None;
    }
    let opens = |at: &usize| matches!(bytes[*at], b'{' | b'[' | b'(');
    (floor..start)
        .rev()
        .chain(end..ceiling)
        .filter(opens)
        .find_map(|at| {
            row_at(bytes, behind_comment(bytes, at + 1)).filter(|row| is_spelt(&bytes[row.0..row.1]))
        })
        .map(|(start, end)| Found { start, end, kind: "secret", is_certain: true })
}

/// Behind a comment and the line's end.
fn behind_comment(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at.min(bytes.len())..];
    let head = rest.trim_ascii_start();
    let line = head.iter().take(BESIDE_BYTES_MAX).position(|byte| *byte == b'\n');
    match line {
        Some(length) if head.starts_with(b"//") || head.starts_with(b"#") => {
            at + rest.len() - head.len() + length
        }
        _ => at,
    }
}

/// Whether every number is spelt as a byte, or stands for a letter or a sign.
fn is_spelt(row: &[u8]) -> bool {
    let mut numbers = row.split(|byte| !byte.is_ascii_alphanumeric()).filter(|it| !it.is_empty());
    let is_hex = |number: &[u8]| number.starts_with(b"0x") || number.starts_with(b"0X");
    let is_letter = |number: &[u8]| {
        let number: Option<u8> = std::str::from_utf8(number).ok().and_then(|it| it.parse().ok());
        number.is_some_and(|number| number == 0 || (33..127).contains(&number))
    };
    numbers.all(|number| is_hex(number) || is_letter(number))
}

/// `APPKEY  1A 28 F9 DD …`, `AES key as hex, prod: a8 49 …`: pairs of hex digits behind a name, on its line.
pub(super) fn pairs_after(text: &str, end: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let line = bytes[end..].iter().take(BEGIN_BYTES_MAX).take_while(|byte| **byte != b'\n').count();
    let gap = bytes[end..].iter().take(8).take_while(|byte| b" \t:=\"".contains(byte)).count();
    let behind_colon = (end..end + line).filter(|at| bytes[*at] == b':').map(|at| at + 1 - end);
    let behind_colon = behind_colon.map(|gap| gap + usize::from(bytes.get(end + gap) == Some(&b' ')));
    std::iter::once(gap).chain(behind_colon).find_map(|gap| pairs_at(bytes, end, gap))
}

/// What stands between a key and its fingerprint.
const FINGERPRINTS: [&[u8]; 5] = [b"ingerprint", b"ingerab", b"humbprint", b"digest", b"hash"];

fn holds(bytes: &[u8], word: &[u8]) -> bool {
    memchr::memmem::find(bytes, word).is_some()
}

fn pairs_at(bytes: &[u8], end: usize, gap: usize) -> Option<Found> {
    let start = end + gap;
    let is_pair = |at: usize| {
        bytes.get(at..at + 2).is_some_and(|pair| pair.iter().all(u8::is_ascii_hexdigit))
            && bytes.get(at + 2).is_none_or(|byte| !byte.is_ascii_alphanumeric())
    };
    // With colons or hyphens between them it is a fingerprint, or the address of a card.
    if gap == 0
        || bytes.get(start + 2) != Some(&b' ')
        || FINGERPRINTS.iter().any(|it| holds(&bytes[end..start], it))
    {
        return None;
    }
    let mut last = start;
    let mut count = 0;
    while is_pair(last) {
        count += 1;
        if bytes.get(last + 2) != Some(&b' ') || !is_pair(last + 3) {
            break;
        }
        last += 3;
    }
    // Nothing was written there yet.
    let is_blank = bytes[start..last + 2].iter().all(|byte| matches!(byte, b'0' | b' '));
    (count >= PAIRS_MIN && !is_blank).then_some(Found {
        start,
        end: last + 2,
        kind: "secret",
        is_certain: true,
    })
}

/// Where a row of numbers begins and ends.
fn row_at(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let limit = bytes.len().min(at + ROW_BYTES_MAX);
    let blanks = |at: usize, more: &[u8]| {
        bytes[at.min(limit)..limit]
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace() || more.contains(byte))
            .count()
    };
    let start = at + blanks(at, b"");
    let (mut next, mut end, mut count) = (start, start, 0);
    // Steps of one size are counted, not drawn.
    let (mut last, mut step, mut is_counted) = (0, None, true);
    while let Some((length, number)) = number_at(&bytes[next.min(limit)..limit]) {
        count += 1;
        if count > 1 {
            is_counted &= step.is_none_or(|step| step == number - last);
            step = Some(number - last);
        }
        last = number;
        end = next + length;
        next = end + blanks(end, b",");
        if next == end {
            break;
        }
    }
    (count >= NUMBERS_MIN && !is_counted).then_some((start, end))
}

/// The same for letters: `{'s', '8', 'W', …}`.
fn letters_at(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let limit = bytes.len().min(at + ROW_BYTES_MAX);
    let mut next = at;
    let (mut end, mut count) = (at, 0);
    while let Some([b'\'', letter, b'\'', ..]) = bytes.get(next..limit)
        && letter.is_ascii_graphic()
    {
        end = next + 3;
        count += 1;
        let gap = bytes[end..limit].iter().take_while(|byte| matches!(byte, b',' | b' ' | b'\n'));
        next = end + gap.count();
    }
    (count >= LETTERS_MIN).then_some((at, end))
}

/// How long the number of a byte is, and the number.
fn number_at(rest: &[u8]) -> Option<(usize, i64)> {
    let is_hex = rest.len() > 2 && rest[0] == b'0' && matches!(rest[1], b'x' | b'X');
    let (skipped, radix) = if is_hex { (2, 16) } else { (0, 10) };
    let digits = rest[skipped..].iter().take(4).take_while(|byte| char::from(**byte).is_digit(radix)).count();
    let number = std::str::from_utf8(&rest[skipped..skipped + digits]).ok()?;
    let number = i64::from_str_radix(number, radix).ok()?;
    (number < 256).then_some((skipped + digits, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, word: &str, look: fn(&str, usize, usize) -> Option<Found>) -> Option<String> {
        let start = text.find(word).unwrap();
        look(text, start, start + word.len()).map(|it| text[it.start..it.end].to_owned())
    }

    #[test]
    fn a_row_is_found_before_its_name_and_behind_a_comment() {
        let row = "84, 117, 69, 55, 50, 63, 77, 104";
        let before = format!("var k = [{row}]; // bytes of the HMAC key");
        assert_eq!(found(&before, "HMAC key", beside).as_deref(), Some(row));
        let bytes = "0x37, 0x6B, 0x43, 0x58, 0x43, 0x37, 0x4D, 0xFF";
        let below = format!("AES_KEY[16] = {{ // production\n  {bytes}\n}};");
        assert_eq!(found(&below, "AES_KEY", beside).as_deref(), Some(bytes));
        for harmless in [
            "token counts: [2, 4, 8, 3, 9, 1, 7, 5]",
            "key sizes [128, 192, 256, 512, 128, 192, 256, 512]",
            "password lengths (12, 16)",
        ] {
            let word = harmless.split(' ').next().unwrap();
            assert_eq!(found(harmless, word, beside), None, "{harmless}");
        }
    }

    #[test]
    fn pairs_of_hex_digits_are_one_value() {
        let pairs = "1A 28 F9 DD 13 0A 08 9E";
        let after = |text: &str, _: usize, end: usize| pairs_after(text, end);
        let line = format!("APPKEY  {pairs}   // node 7");
        assert_eq!(found(&line, "APPKEY", after).as_deref(), Some(pairs));
        for print in [
            "server key fingerprint: 1A 28 F9 DD 13 0A 08 9E",
            "server key fingerprint = 1a:28:f9:dd:13:0a:08:9e:77",
            "host key 1a:28:f9:dd:13:0a:08:9e",
        ] {
            assert_eq!(found(print, "key", after), None, "{print}");
        }
        assert_eq!(found("key 12 ab", "key", after), None);
        assert_eq!(found("at key 10:20:30", "key", after), None);
    }
}
