//! Byte lists: a secret that code spells as a row of numbers.

use super::Found;

/// How far behind its name the row begins, and how long it is.
const BEGIN_BYTES_MAX: usize = 72;
const ROW_BYTES_MAX: usize = 4_096;
/// Fewer numbers are something else.
const NUMBERS_MIN: usize = 8;

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
        .find_map(|at| row_at(bytes, at))
        .map(|(start, end)| Found { start, end, kind: "secret", is_certain: false })
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
    while let Some(length) = number_at(&bytes[next.min(limit)..limit]) {
        count += 1;
        end = next + length;
        next = end + blanks(end, b",");
        if next == end {
            break;
        }
    }
    (count >= NUMBERS_MIN).then_some((start, end))
}

/// How long the number of a byte is.
fn number_at(rest: &[u8]) -> Option<usize> {
    if rest.len() > 2 && rest[0] == b'0' && matches!(rest[1], b'x' | b'X') {
        let digits = rest[2..].iter().take(3).take_while(|byte| byte.is_ascii_hexdigit()).count();
        return (1..=2).contains(&digits).then_some(2 + digits);
    }
    let digits = rest.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    let number: usize = rest[..digits].iter().fold(0, |sum, digit| sum * 10 + usize::from(digit - b'0'));
    ((1..=3).contains(&digits) && number < 256).then_some(digits)
}
