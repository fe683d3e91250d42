//! Escaped texts: a row of escapes, of hex digits, of references to characters is decoded, and looked through as a text.

/// Least and most bytes that a row stands for.
const TEXT_BYTES_MIN: usize = 8;
const TEXT_BYTES_MAX: usize = 4_096;
/// Shorter ones are examples.
const PASSWORD_BYTES_MIN: usize = 6;

/// Calls `found` with every row that stands for a text: where it begins, where it ends, the text.
pub(super) fn each_row(text: &str, mut found: impl FnMut(usize, usize, &str)) {
    let bytes = text.as_bytes();
    if memchr::memchr3(b'\\', b'&', b'%', bytes).is_none() {
        return;
    }
    // Each way has a sign of its own that most texts lack.
    for (sign, read) in [
        (b"\\x".as_slice(), hex_escape as fn(&[u8]) -> Option<(u8, usize)>),
        (b"\\u00", unicode_escape),
        (b"&#", reference),
        (b"%", percent),
    ] {
        let mut at = 0;
        while let Some(start) =
            bytes.get(at..).and_then(|rest| memchr::memmem::find(rest, sign)).map(|it| at + it)
        {
            let (end, decoded) = row_at(bytes, start, read);
            if decoded.len() >= TEXT_BYTES_MIN
                && let Some(decoded) = as_text(decoded)
            {
                found(start, end, &decoded);
            }
            at = end.max(start + sign.len());
        }
    }
}

fn row_at(bytes: &[u8], start: usize, read: fn(&[u8]) -> Option<(u8, usize)>) -> (usize, Vec<u8>) {
    let (mut at, mut decoded) = (start, Vec::new());
    while decoded.len() < TEXT_BYTES_MAX
        && let Some((byte, length)) = read(&bytes[at..])
    {
        decoded.push(byte);
        at += length;
    }
    (at, decoded)
}

/// The text that hex digits stand for.
pub(super) fn hex_text(run: &[u8]) -> Option<String> {
    if !run.len().is_multiple_of(2) || !(4 * TEXT_BYTES_MIN..=2 * TEXT_BYTES_MAX).contains(&run.len()) {
        return None;
    }
    let decoded: Option<Vec<u8>> = run.chunks(2).map(two_digits).collect();
    as_text(decoded?)
}

fn as_text(bytes: Vec<u8>) -> Option<String> {
    let is_text = bytes.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t'));
    is_text.then(|| String::from_utf8(bytes).ok())?
}

fn two_digits(digits: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(*digits.first()?)? << 4 | digit(*digits.get(1)?)?).ok()
}

fn hex_escape(bytes: &[u8]) -> Option<(u8, usize)> {
    Some((two_digits(bytes.strip_prefix(b"\\x")?)?, 4))
}

fn unicode_escape(bytes: &[u8]) -> Option<(u8, usize)> {
    Some((two_digits(bytes.strip_prefix(b"\\u00")?)?, 6))
}

fn percent(bytes: &[u8]) -> Option<(u8, usize)> {
    Some((two_digits(bytes.strip_prefix(b"%")?)?, 3))
}

fn reference(bytes: &[u8]) -> Option<(u8, usize)> {
    let rest = bytes.strip_prefix(b"&#")?;
    let end = rest.iter().take(6).position(|byte| *byte == b';')?;
    let number = std::str::from_utf8(&rest[..end]).ok()?;
    let byte = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u8::from_str_radix(hex, 16).ok()?,
        None => number.parse().ok()?,
    };
    Some((byte, end + 3))
}

/// Where the password of an address stands that is spelt with escapes: `postgres%3A%2F%2Fapp%3Apassword%40db`.
pub(super) fn each_address(text: &str, mut found: impl FnMut(usize, usize)) {
    if memchr::memchr(b'%', text.as_bytes()).is_none() {
        return;
    }
    // In either case: `%3A` and `%3a`.
    for [colon, slash, at_sign] in [["%3A", "%2F", "%40"], ["%3a", "%2f", "%40"]] {
        let scheme = [colon, slash, slash].concat();
        for (at, _) in text.match_indices(&scheme) {
            let start = at + scheme.len();
            let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || b"%-_.~+".contains(byte);
            let rest = text.as_bytes()[start..].iter().take(TEXT_BYTES_MAX);
            let length = rest.take_while(|byte| belongs(byte)).count();
            let authority = text[start..start + length].split(slash).next().unwrap_or_default();
            let password = authority.rsplit_once(at_sign).and_then(|(user, _)| user.split_once(colon));
            if let Some((user, password)) = password.filter(|it| it.1.len() >= PASSWORD_BYTES_MIN) {
                let from = start + user.len() + colon.len();
                found(from, from + password.len());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_of_an_escaped_address_is_found() {
        let text =
            "url=postgres%3A%2F%2Fapp%3AbgHZKAHPkw%40db1%3A5432%2Fshop next https%3A%2F%2Fhost%3A8080%2Fpath";
        let mut all = Vec::new();
        each_address(text, |start, end| all.push(&text[start..end]));
        assert_eq!(all, ["bgHZKAHPkw"]);
        let lower = text.replace("%3A", "%3a").replace("%2F", "%2f");
        let mut all = Vec::new();
        each_address(&lower, |start, end| all.push(&lower[start..end]));
        assert_eq!(all, ["bgHZKAHPkw"]);
    }

    #[test]
    fn rows_of_escapes_are_decoded() {
        let mut all = Vec::new();
        each_row(
            r"a \x70\x61\x73\x73\x3d\x61\x62\x63 b %70%61%73%73%3D%61%62%63 &#112;&#x61;&#115;&#115;&#61;&#97;&#98;&#99; \x41",
            |start, end, text| all.push((start, end, text.to_owned())),
        );
        assert_eq!(all.len(), 3, "{all:?}");
        assert!(all.iter().all(|(_, _, text)| text == "pass=abc"));
        assert_eq!(hex_text(b"70617373776f72643d68756e74657232").as_deref(), Some("password=hunter2"));
        assert_eq!(hex_text(b"0011"), None);
    }
}
