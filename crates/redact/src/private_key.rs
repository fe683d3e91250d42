//! Private keys: the block between its lines, also on one line in JSON, also when one of the two lines is gone.

use super::Found;

/// Longest block: an RSA key of 16,384 bits has half of it.
const BLOCK_BYTES_MAX: usize = 32 << 10;
/// Least of a block whose other line is gone; a header alone, as code and prose name it, is no key.
const PART_BYTES_MIN: usize = 16;
const LINE_BYTES_MAX: usize = 80;
/// So many lines without a piece of a key end it.
const LINES_WITHOUT_MAX: usize = 4;
/// How much code stands between a key's last piece and its last line.
const LAST_GAP_BYTES_MAX: usize = 48;
/// Rows of a key that was printed in hex.
const ROWS_MAX: usize = 160;
/// How far the numbers of one key stand apart.
const NUMBERS_BYTES_MAX: usize = 4_096;
const DASHES: &[u8] = b"-----";

/// The block around `PRIVATE KEY` in a first or a last line.
pub(super) fn block_at(text: &str, word: usize, word_end: usize, found: &mut Vec<Found>) -> Option<Found> {
    let bytes = text.as_bytes();
    if bytes[word..word_end].eq_ignore_ascii_case(b"private-lines") {
        return putty(bytes, word_end);
    }
    let floor = word.saturating_sub(LINE_BYTES_MAX);
    let dashes = memchr::memmem::rfind(&bytes[floor..word], DASHES).map(|at| floor + at)?;
    let line = &bytes[dashes + DASHES.len()..word];
    let line_end = word_end
        + bytes[word_end..]
            .iter()
            .take(16)
            .take_while(|byte| byte.is_ascii_uppercase() || **byte == b' ')
            .count();
    if line.starts_with(b"END") {
        return tail_before(bytes, dashes, line_end + dashes_at(bytes, line_end));
    }
    if !line.starts_with(b"BEGIN") || !bytes[line_end..].starts_with(DASHES) {
        return None;
    }
    let body = line_end + DASHES.len();
    let (end, amount) = body_end(bytes, body);
    let last_line = &bytes[end..];
    if !last_line.starts_with(b"-----END") {
        each_piece(bytes, end.max(body), found);
        let is_part = amount >= PART_BYTES_MIN;
        return is_part.then_some(Found { start: dashes, end, kind: "private-key", is_certain: true });
    }
    let name = last_line[DASHES.len()..]
        .iter()
        .take(LINE_BYTES_MAX)
        .position(|byte| !byte.is_ascii_uppercase() && *byte != b' ');
    let end = end + DASHES.len() + name.unwrap_or(3);
    let end = end + dashes_at(bytes, end);
    (amount >= 4).then_some(Found { start: dashes, end, kind: "private-key", is_certain: true })
}

/// Every line of a key up to its last one, whatever stands around each: quotes and signs of code, times of a log, commands.
fn each_piece(bytes: &[u8], from: usize, found: &mut Vec<Found>) {
    let limit = bytes.len().min(from + BLOCK_BYTES_MAX);
    let end = memchr::memmem::find(&bytes[from..limit], b"-----END").map(|at| from + at);
    let mut at = from;
    let mut lines = 0;
    while at < end.unwrap_or(limit) && lines < LINES_WITHOUT_MAX {
        let run = bytes[at..limit].iter().take_while(|byte| is_base64(**byte)).count();
        // The letter of a spelt line end is none of the line.
        let is_escape =
            run > 0 && at > 0 && bytes[at - 1] == b'\\' && matches!(bytes[at], b'n' | b'r' | b't');
        let start = at + usize::from(is_escape);
        let line = &bytes[start..at + run];
        let is_last = end.is_some_and(|end| end - (at + run) <= LAST_GAP_BYTES_MAX)
            && line.len() >= 4
            && line.ends_with(b"=");
        if is_of_key(line) || is_last {
            found.push(Found { start, end: at + run, kind: "private-key", is_certain: true });
            lines = 0;
        }
        at += run;
        lines += usize::from(bytes.get(at) == Some(&b'\n'));
        at += 1;
    }
}

/// The lines of a key whose first line is gone, where base64 begins as that of private keys does.
pub(super) fn body_at(text: &str, at: usize, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let is_inside = at > 0 && is_base64(bytes[at - 1]) && !bytes[..at].ends_with(b"\\n");
    let head = &bytes[at..bytes.len().min(at + 12)];
    let is_private = match head {
        // A number of one byte that is nought: no public key and no certificate has it there.
        [b'M', b'I', b'I', _, _, _, b'I', b'B', b'A', b'A' | b'D', ..] => true,
        [b'M', b'I', b'G' | b'H', _, b'A', b'g', b'E', b'A', ..] => true,
        [b'M', b'H', b'c' | b'Q', b'C', b'A', b'Q', b'E', b'E', ..] => true,
        [b'M', b'C', b'4', b'C', b'A', b'Q', b'A', b'w', ..] => true,
        [b'b', b'3', b'B', b'l', b'b', b'n', b'N', b'z', b'a', b'C', b'1', b'r', ..] => true,
        _ => false,
    };
    if is_private && !is_inside {
        let run = bytes[at..].iter().take(BLOCK_BYTES_MAX).take_while(|byte| is_base64(**byte)).count();
        let end = body_end(bytes, at).0.max(at + run);
        if run >= 2 * PART_BYTES_MIN {
            found.push(Found { start: at, end, kind: "private-key", is_certain: true });
            each_piece(bytes, end, found);
        }
    }
}

/// The secret numbers of a key in JSON or XML: `"d": "…"`, `<D>…</D>`.
pub(super) fn each_number(text: &str, at: usize, found: &mut Vec<Found>) {
    const NAMES: [&str; 9] = ["d", "p", "q", "dp", "dq", "qi", "k", "inverseq", "x5k"];
    // The object around the one field, or what follows the tag.
    let bytes = text.as_bytes();
    if bytes[at] | 32 == b'p' {
        each_row_of_hex(text, at, found);
        return;
    }
    let floor = at.saturating_sub(NUMBERS_BYTES_MAX);
    let is_tag = bytes[at] != b'"';
    let opening = memchr::memrchr(b'{', &bytes[floor..at]).map(|opening| floor + opening + 1);
    let Some(start) = opening.or(is_tag.then_some(at)) else { return };
    let limit = text.floor_char_boundary(at + NUMBERS_BYTES_MAX);
    let closing = if is_tag { None } else { memchr::memchr(b'}', &bytes[at..limit]) };
    let end = closing.map_or(limit, |closing| at + closing);
    for field in text[start..end].split(['{', '}', ',', '<']) {
        let pair = field.split_once(':').or_else(|| field.split_once('>'));
        let Some((name, value)) = pair else { continue };
        let name = name.trim_matches([' ', '"', '\\', '\n', '\'', '\t']).to_ascii_lowercase();
        let value = value.trim_matches([' ', '"', '\\', '\n', '\'', '\t', ']']);
        let is_number = value.len() >= PART_BYTES_MIN
            && value.bytes().all(|byte| is_base64(byte) || matches!(byte, b'-' | b'_'));
        if is_number && NAMES.contains(&name.as_str()) {
            let start = value.as_ptr() as usize - text.as_ptr() as usize;
            found.push(Found { start, end: start + value.len(), kind: "private-key", is_certain: false });
        }
    }
}

/// `privateExponent:` or `priv:` and, on the lines below, `5b:0e:…`: as openssl prints a key, with its primes behind.
fn each_row_of_hex(text: &str, at: usize, found: &mut Vec<Found>) {
    let limit = text.floor_char_boundary(at + BLOCK_BYTES_MAX);
    for line in text[at..limit].split('\n').skip(1).take(ROWS_MAX) {
        let row = line.trim();
        let is_row = row.len() > 2
            && row.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b':')
            && row.as_bytes()[2] == b':';
        if is_row {
            let start = row.as_ptr() as usize - text.as_ptr() as usize;
            found.push(Found { start, end: start + row.len(), kind: "private-key", is_certain: true });
        } else if !row.ends_with(':') || row.contains(' ') || row == "pub:" {
            break;
        }
    }
}

fn dashes_at(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().take(DASHES.len()).take_while(|byte| **byte == b'-').count()
}

/// Where a block's lines end, and how many bytes of them are key. Line ends may be spelt out, as in JSON.
fn body_end(bytes: &[u8], body: usize) -> (usize, usize) {
    let limit = bytes.len().min(body + BLOCK_BYTES_MAX);
    let (mut at, mut end, mut amount) = (body, body, 0);
    loop {
        at += line_end_at(&bytes[at..limit]);
        if bytes[at..limit].starts_with(DASHES) {
            return (at, amount);
        }
        let run = bytes[at..limit].iter().take_while(|byte| is_base64(**byte)).count();
        let behind = bytes.get(at + run).copied();
        // `Proc-Type: 4,ENCRYPTED`, `Comment: …`
        let header = bytes[at..limit]
            .iter()
            .take(24)
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-')
            .count();
        if header > 3 && bytes[at + header..limit].starts_with(b": ") {
            at +=
                bytes[at..limit].iter().position(|byte| matches!(byte, b'\n' | b'\\')).unwrap_or(limit - at);
            continue;
        }
        let is_line = run > 0
            && behind.is_none_or(|byte| {
                matches!(byte, b'\n' | b'\r' | b'\\' | b'"' | b'\'' | b' ' | b'-' | b'`' | b'<' | 0xE2)
            });
        let is_prose = amount > 0 && run < PART_BYTES_MIN && behind == Some(b' ');
        if !is_line || is_prose {
            return (end, amount);
        }
        at += run;
        amount += run;
        end = at;
    }
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// How many bytes are line ends and blanks.
fn line_end_at(bytes: &[u8]) -> usize {
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\n' | b'\r' | b' ' | b'\t' | b'>' | b'|' => at += 1,
            // A line that a diff takes away, an item of a list, a comment.
            b'-' | b'*' | b'#'
                if at > 0 && bytes.get(at + 1).is_some_and(|byte| is_base64(*byte) || *byte == b' ') =>
            {
                at += 1;
            }
            b'\\' if matches!(bytes.get(at + 1), Some(b'n' | b'r')) => at += 2,
            b'\\' if bytes.get(at + 1) == Some(&b'\\') => at += 1,
            b'0'..=b'9' if at > 0 => match number_at(&bytes[at..]) {
                Some(length) => at += length,
                None => break,
            },
            _ => break,
        }
    }
    at
}

/// The length of a line's number, as `cat -n`, `grep -n` and the client itself print it, if one stands here.
fn number_at(bytes: &[u8]) -> Option<usize> {
    let digits = bytes.iter().take(7).take_while(|byte| byte.is_ascii_digit()).count();
    match bytes[digits..] {
        [b'\t' | b':' | b'|', ..] => Some(digits + 1),
        [0xE2, 0x86, 0x92, ..] => Some(digits + "→".len()),
        _ => None,
    }
}

/// What is left of a block before its last line: going back, line by line, as long as they are lines of a key.
fn tail_before(bytes: &[u8], dashes: usize, end: usize) -> Option<Found> {
    let floor = dashes.saturating_sub(BLOCK_BYTES_MAX);
    let (mut start, mut at) = (dashes, dashes);
    let mut is_key = false;
    while at > floor {
        let (run, between) = line_before(&bytes[floor..at]);
        let line = &bytes[at - between - run..at - between];
        at -= between + run;
        if run > 0 && number_at(&bytes[at..]).is_some() {
            continue;
        }
        // Of a key's lines only the last may be short; a word above it belongs to somebody else.
        if run == 0 || !(start == dashes || is_of_key(line)) {
            break;
        }
        is_key |= is_of_key(line);
        start = at;
    }
    is_key.then_some(Found { start, end, kind: "private-key", is_certain: true })
}

/// Of what ends with line ends, blanks and what stands before a line: how many bytes of base64 are before them, and how
/// many they are.
fn line_before(bytes: &[u8]) -> (usize, usize) {
    let mut at = bytes.len();
    while let Some(byte) = at.checked_sub(1).map(|last| bytes[last]) {
        let is_escape = matches!(byte, b'n' | b'r') && at > 1 && bytes[at - 2] == b'\\';
        at -= match byte {
            b'\n' | b'\r' | b' ' | b'\t' | b'>' | b'|' | b'\\' | b'#' | b'*' | b'-' | b':' => 1,
            0x92 if bytes[..at].ends_with("→".as_bytes()) => "→".len(),
            _ if is_escape => 2,
            _ => break,
        };
    }
    let run = bytes[..at].iter().rev().take_while(|byte| is_base64(**byte)).count();
    // The letter of a spelt line end is none of the line.
    let is_escape =
        run > 0 && run < at && bytes[at - run - 1] == b'\\' && matches!(bytes[at - run], b'n' | b'r');
    (run - usize::from(is_escape), bytes.len() - at)
}

/// Whether base64 is a line of a key, not a word or a path.
fn is_of_key(line: &[u8]) -> bool {
    let has = |belongs: fn(&u8) -> bool| line.iter().any(belongs);
    line.len() >= PART_BYTES_MIN
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(|byte| byte.is_ascii_digit() || *byte == b'+')
}

/// PuTTY's form: a number of lines, and the lines.
fn putty(bytes: &[u8], word_end: usize) -> Option<Found> {
    let head =
        bytes[word_end..].iter().take(8).take_while(|byte| matches!(byte, b':' | b' ' | b'0'..=b'9')).count();
    let start = word_end + head + line_end_at(&bytes[word_end + head..]);
    let (end, amount) = body_end(bytes, start);
    (amount >= PART_BYTES_MIN * 2).then_some(Found { start, end, kind: "private-key", is_certain: true })
}
