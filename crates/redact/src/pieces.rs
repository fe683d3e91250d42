//! Pieces: a secret that code puts together again from quoted parts, so that nobody finds it.

use super::Found;

/// How far from a telling word the parts may stand, on either side.
const BESIDE_BYTES_MAX: usize = 240;
/// Shortest part, and shortest value of all parts.
const PIECE_BYTES_MIN: usize = 4;
const VALUE_BYTES_MIN: usize = 12;
const PIECES_MAX: usize = 16;
/// What puts texts together: a sign right behind a quote, or a call.
const SIGNS: [&[u8]; 8] = [b"\" +", b"\"+", b"' +", b"'+", b"\" .", b"' .", b"join(", b"concat"];

/// `["f1b1a8ec", "13cb389d"].join("")`, `"58b8b780" + "c642fa6c"`, `concat!("d027e133", "847b5af2")` near a telling word, on its
/// line or beside it.
pub(super) fn each_beside(text: &str, start: usize, end: usize, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let floor = lines_back(bytes, start);
    let ceiling = lines_on(bytes, end);
    if !may_hold(&bytes[floor..ceiling]) {
        return;
    }
    let mut at = floor;
    while at < ceiling {
        if !matches!(bytes[at], b'"' | b'\'') {
            at += 1;
            continue;
        }
        let (pieces, behind) = row_at(bytes, at, ceiling);
        let is_put_together = match pieces.as_slice() {
            [] | [_] => false,
            [first, ..] => {
                is_sum(bytes, &pieces)
                    || is_joined(bytes, first.0 - 1, behind)
                    || is_concatenated(bytes, first.0 - 1)
            }
        };
        if is_put_together && is_drawn(bytes, &pieces) {
            found.extend(pieces.iter().map(|(start, end)| Found {
                start: *start,
                end: *end,
                kind: "secret",
                is_certain: true,
            }));
        }
        at = behind.max(at + 1);
    }
}

/// A cheap look first: most windows hold nothing that puts texts together.
fn may_hold(window: &[u8]) -> bool {
    SIGNS.iter().any(|sign| memchr::memmem::find(window, sign).is_some())
}

/// Where the line before begins, and where the line behind ends.
fn lines_back(bytes: &[u8], start: usize) -> usize {
    let floor = start.saturating_sub(BESIDE_BYTES_MAX);
    let mut ends = (floor..start).rev().filter(|at| bytes[*at] == b'\n');
    ends.nth(1).map_or(floor, |at| at + 1)
}

fn lines_on(bytes: &[u8], end: usize) -> usize {
    let ceiling = bytes.len().min(end + BESIDE_BYTES_MAX);
    (end..ceiling).filter(|at| bytes[*at] == b'\n').nth(1).unwrap_or(ceiling)
}

type Piece = (usize, usize);

/// Quoted parts with nothing but a comma or a plus between them, and where they end.
fn row_at(bytes: &[u8], at: usize, limit: usize) -> (Vec<Piece>, usize) {
    let (mut pieces, mut next, mut behind) = (Vec::new(), at, at);
    while let Some(quote) = bytes.get(next).filter(|byte| matches!(byte, b'"' | b'\'')) {
        let from = next + 1;
        let length = bytes[from.min(limit)..limit].iter().position(|byte| byte == quote);
        let Some(length) =
            length.filter(|length| bytes[from..from + length].iter().all(|byte| belongs(*byte)))
        else {
            break;
        };
        if length >= PIECE_BYTES_MIN {
            pieces.push((from, from + length));
        }
        behind = from + length + 1;
        let gap = bytes[behind.min(limit)..limit].iter();
        let gap =
            gap.take_while(|byte| byte.is_ascii_whitespace() || matches!(byte, b',' | b'+' | b'.')).count();
        if gap == 0 || pieces.len() >= PIECES_MAX {
            break;
        }
        next = behind + gap;
    }
    (pieces, behind)
}

fn belongs(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=_-!#$%&*".contains(&byte)
}

fn is_sum(bytes: &[u8], pieces: &[Piece]) -> bool {
    pieces.windows(2).all(|pair| {
        let between = &bytes[pair[0].1 + 1..pair[1].0 - 1];
        between.contains(&b'+') || between.trim_ascii() == b"."
    })
}

fn is_joined(bytes: &[u8], open: usize, behind: usize) -> bool {
    let before = bytes[..open].trim_ascii_end();
    let rest = bytes[behind.min(bytes.len())..].trim_ascii_start();
    before.ends_with(b"[") && rest.starts_with(b"].join(")
}

fn is_concatenated(bytes: &[u8], open: usize) -> bool {
    let before = bytes[..open].trim_ascii_end();
    [b"concat!(".as_slice(), b"concat(", b"''.join([", b"\"\".join(["].iter().any(|it| before.ends_with(it))
}

/// Whether the parts together look drawn: digits and letters, and no part that is a word.
fn is_drawn(bytes: &[u8], pieces: &[Piece]) -> bool {
    let all: Vec<u8> = pieces.iter().flat_map(|(start, end)| &bytes[*start..*end]).copied().collect();
    let digits = all.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_mixed = |piece: &&Piece| bytes[piece.0..piece.1].iter().any(u8::is_ascii_digit);
    all.len() >= VALUE_BYTES_MIN && digits >= 3 && pieces.iter().filter(is_mixed).count() * 2 >= pieces.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_are_put_together_are_each_masked() {
        for (text, count) in [
            ("const k = ['f1b1a8ec','13cb389d','65a467a1'].join(''); // the HMAC key", 3),
            ("var _k := \"58b8b780a48d\" + \"c642fa6c24c0\"  // key", 2),
            ("Err(_) => concat!(\"d027e133bf6e\", \"847b5af29ce4\"), // the key", 2),
            ("key = \"58b8b780a48d\" +\n    \"c642fa6c24c0\"", 2),
            ("const key = [\"alpha\", \"beta\"].join(\"-\")", 0),
            ("key: \"line 1\" + \"line 2\"", 0),
            ("key = [\"sha256-1234\", \"sha256-9876\"]", 0),
        ] {
            let start = text.find("key").unwrap();
            let mut found = Vec::new();
            each_beside(text, start, start + 3, &mut found);
            assert_eq!(found.len(), count, "{text}");
        }
    }
}
