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
