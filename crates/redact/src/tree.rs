//! Trees: a name that says secret judges all that stands under it, and a field that holds a name judges the field beside it.

use super::joint;
use super::named;
use super::names::{self, Says};
use super::reading::{self, Ends};
use super::value::{self, Standing};
use super::{Found, OPENING};

/// How far a block is followed, and in how many lines.
const BLOCK_BYTES_MAX: usize = 4_096;
const LINES_MAX: usize = 100;
/// How far apart the two fields of a pair stand.
const PAIR_BYTES_MAX: usize = 240;
/// Ends of keys that hold a name, and of those that hold its value.
const NAMING: [&str; 20] = [
    "name",
    "key",
    "variable",
    "parameter",
    "field",
    "setting",
    "option",
    "property",
    "attribute",
    "label",
    "type",
    "typ",
    "kind",
    "title",
    "id",
    "env",
    "var",
    "nombre",
    "nom",
    "bezeichnung",
];
const HOLDING: [&str; 12] = [
    "value",
    "val",
    "wert",
    "valor",
    "valeur",
    "secret",
    "plaintext",
    "content",
    "data",
    "result",
    "default",
    "secretstring",
];

/// The values around and under a name.
pub(super) fn each_of(text: &str, start: usize, end: usize, said: Says, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    if let Some(key) = key_before(bytes, start) {
        each_beside(text, key, end, said, found);
    }
    // `node_modules/path-key` is no key.
    if matches!(said, Says::Password | Says::Token) && !bytes[..start].ends_with(b"/") {
        each_under(text, start, end, said, found);
    }
}

/// Where the key begins that holds a name: `"Key": "rdp-password"`, `- name: PASSWORD`, `key="DbPassword"`.
fn key_before(bytes: &[u8], start: usize) -> Option<usize> {
    let back = |mut at: usize, belongs: &dyn Fn(u8) -> bool, max: usize| {
        let floor = at.saturating_sub(max);
        while at > floor && belongs(bytes[at - 1]) {
            at -= 1;
        }
        at
    };
    let name = back(start, &|byte| byte.is_ascii_alphanumeric() || b"/._-:".contains(&byte), 80);
    let mut at = back(name, &|byte| b"\"'\\ \t\n>-".contains(&byte), 40);
    if bytes[name..start].contains(&b':') && at == name {
        at = name;
    }
    let sign = at.checked_sub(1).filter(|at| matches!(bytes[*at], b':' | b'='))?;
    let key_end = back(sign, &|byte| b"\"'\\ ".contains(&byte), 6);
    let key = back(key_end, &|byte| byte.is_ascii_alphanumeric() || byte == b'_', 32);
    is_key(&bytes[key..key_end], &NAMING).then_some(key)
}

fn is_key(key: &[u8], wanted: &[&str]) -> bool {
    let lower = key.to_ascii_lowercase();
    wanted.iter().any(|it| lower.ends_with(it.as_bytes()))
}

/// The value in a field of the same object.
fn each_beside(text: &str, key: usize, end: usize, said: Says, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let limit = text.floor_char_boundary(end + PAIR_BYTES_MAX);
    let behind = &bytes[end..limit];
    // The next element begins.
    let ends = [b"}".as_slice(), b"\n- ", b"\n  - ", b"\n    - ", b"/>", b"\n\n", b"***", b"\\}"];
    let length = ends.iter().filter_map(|it| memchr::memmem::find(behind, it)).min().unwrap_or(behind.len());
    let floor = text.ceil_char_boundary(key.saturating_sub(PAIR_BYTES_MAX));
    let before = &bytes[floor..key];
    let begins = [b"{".as_slice(), b"\n- ", b"\n  - ", b"<", b"\n\n", b"}"];
    let opening =
        begins.iter().filter_map(|it| memchr::memmem::rfind(before, it).map(|at| at + it.len())).max();
    for (from, to) in [(end, end + length), (floor + opening.unwrap_or(before.len()), key)] {
        let Some(value) = held_between(text, from, to) else { continue };
        let content = &text[value.0..value.1];
        if let Some(kind) = is_secret(said, content) {
            found.push(Found { start: value.0, end: value.1, kind, is_certain: false });
            return;
        }
    }
}

/// The value of the first key between two places that holds one.
fn held_between(text: &str, from: usize, to: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(sign) = bytes.get(at..to)?.iter().position(|byte| matches!(byte, b':' | b'=')) {
        let sign = at + sign;
        at = sign + 1;
        let key_end =
            sign - bytes[..sign].iter().rev().take(6).take_while(|byte| b"\"'\\ ".contains(byte)).count();
        let length = bytes[..key_end]
            .iter()
            .rev()
            .take(32)
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_');
        let key = key_end - length.count();
        if key < from || !is_key(&bytes[key..key_end], &HOLDING) {
            continue;
        }
        let place = joint::on_next_line(bytes, ":", joint::skip_blanks(bytes, sign + 1));
        if matches!(bytes.get(place), Some(b'|' | b'>')) {
            let from = line_end(bytes, place) + 1;
            let line = text.get(from..line_end(bytes, from.min(bytes.len())))?;
            let value = line.trim();
            let start = value.as_ptr() as usize - text.as_ptr() as usize;
            return Some((start, start + value.len()));
        }
        let value = reading::value_at(bytes, place, Ends::Usual)?;
        // A phrase has blanks in it.
        let is_plain = value.standing != Standing::Quoted;
        let line = line_end(bytes, value.start);
        let end = if is_plain
            && bytes[value.end..line].first() == Some(&b' ')
            && !bytes[value.start..line].contains(&b':')
        {
            text[value.start..line].trim_end().len() + value.start
        } else {
            value.end
        };
        return text.get(value.start..end).map(|_| (value.start, end));
    }
    None
}

/// `"keyName": "key1", … "value": "…"`: a list of keys.
pub(super) fn key_of_list(text: &str, end: usize) -> Option<Found> {
    let limit = text.floor_char_boundary(end + PAIR_BYTES_MAX);
    let rest = &text.as_bytes()[end..limit];
    let length = memchr::memchr(b'}', rest).unwrap_or(rest.len());
    let (start, to) = held_between(text, end, end + length)?;
    value::is_unnamed_key(&text[start..to], Standing::Quoted).then_some(Found {
        start,
        end: to,
        kind: "key",
        is_certain: false,
    })
}

/// The result of a generator in the block that its name opens.
pub(super) fn generated(text: &str, end: usize) -> Option<Found> {
    let limit = text.floor_char_boundary(end + 2 * PAIR_BYTES_MAX);
    let block = &text.as_bytes()[end..limit];
    let length = memchr::memchr(b'}', block).unwrap_or(block.len());
    let result = memchr::memmem::find(&block[..length], b"result")?;
    let (start, to) = held_between(text, end + result, end + length)?;
    is_secret(Says::Password, &text[start..to]).map(|kind| Found { start, end: to, kind, is_certain: false })
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..bytes.len().min(at + BLOCK_BYTES_MAX)];
    at + memchr::memchr(b'\n', rest).unwrap_or(rest.len())
}

fn is_secret(said: Says, content: &str) -> Option<&'static str> {
    if content.contains(OPENING) {
        return None;
    }
    named::is_secret(said, content).or_else(|| match said {
        Says::Password => super::sentence::is_words(content).then_some("password"),
        Says::Token | Says::Key => value::is_strong_or_mixed(content).then_some("secret"),
        Says::Pass | Says::Phrase => None,
    })
}

/// Everything in the block that a name opens.
fn each_under(text: &str, start: usize, end: usize, said: Says, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let closed = bytes[end..].iter().take(3).take_while(|byte| b"\"'\\".contains(byte)).count();
    let at = joint::skip_blanks(bytes, end + closed);
    let rest = &bytes[at.min(bytes.len())..];
    if rest.starts_with(b"]")
        && rest.get(1).is_none_or(|byte| matches!(byte, b'\n' | b'\r'))
        && is_section(bytes, start)
    {
        each_line(text, at + 2, None, said, found);
        return;
    }
    let sign =
        ["=>", ":=", ":", "="].into_iter().find(|it| rest.starts_with(it.as_bytes())).map_or(0, str::len);
    if sign == 0 {
        return;
    }
    let opening = joint::skip_blanks(bytes, at + sign);
    match bytes.get(opening) {
        Some(b'{' | b'[') => each_in_brackets(text, opening, said, found),
        Some(b'\n' | b'\r') if rest.starts_with(b":") => {
            let line = bytes[..start].iter().rev().take(200).take_while(|byte| **byte != b'\n').count();
            let indent = bytes[start - line..start].iter().take_while(|byte| **byte == b' ').count();
            // Only a key at its line's beginning opens a block.
            if indent + usize::from(closed > 0) >= line || bytes[start - line..start].ends_with(b"- ") {
                each_line(text, line_end(bytes, opening) + 1, Some(indent), said, found);
            }
        }
        _ => {}
    }
}

/// `[passwords]`, at a line's beginning.
fn is_section(bytes: &[u8], start: usize) -> bool {
    let line = bytes[..start].iter().rev().take(64).take_while(|byte| **byte != b'\n').count();
    bytes[start - line..start].starts_with(b"[")
}

/// The lines of a block: `- value`, `key: value`, `key = value`; deeper than `indent`, or up to the next section.
fn each_line(text: &str, from: usize, indent: Option<usize>, said: Says, found: &mut Vec<Found>) {
    let limit = text.floor_char_boundary(from + BLOCK_BYTES_MAX);
    let Some(block) = text.get(from..limit) else { return };
    for line in block.lines().take(LINES_MAX) {
        let depth = line.len() - line.trim_start_matches(' ').len();
        let content = line.trim();
        let is_item = content.starts_with("- ");
        let is_inside = indent.is_none_or(|indent| depth > indent || (depth == indent && is_item));
        if content.is_empty() || !is_inside || (indent.is_none() && content.starts_with('[')) {
            return;
        }
        let content = content.strip_prefix("- ").unwrap_or(content);
        let pair = content
            .split_once(": ")
            .or_else(|| content.split_once(" = "))
            .or_else(|| content.split_once('='));
        let (key, value) = pair.map_or(("", content), |(key, value)| (key.trim(), value.trim()));
        if names::is_beside(key) || value.is_empty() {
            continue;
        }
        let value = value.split(" #").next().unwrap_or(value).trim();
        let value = value.strip_prefix(['"', '\'']).map_or(value, |it| it.trim_end_matches(['"', '\'', ',']));
        let at = value.as_ptr() as usize - text.as_ptr() as usize;
        let kind = is_secret(said, value).filter(|_| value::has_digit_or_sign(value));
        found.extend(kind.map(|kind| Found { start: at, end: at + value.len(), kind, is_certain: false }));
    }
}

/// The quoted values between brackets.
fn each_in_brackets(text: &str, opening: usize, said: Says, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let limit = text.floor_char_boundary(opening + BLOCK_BYTES_MAX);
    let (mut at, mut depth) = (opening, 0_usize);
    let mut key = "";
    while at < limit {
        match bytes[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return;
                }
            }
            b',' => key = "",
            b'"' | b'\'' => {
                let quote = bytes[at];
                let is_escaped = bytes[at - 1] == b'\\';
                let Some(end) = string_end(&bytes[..limit], at + 1, quote, is_escaped) else { return };
                let content = &text[at + 1..end];
                let behind = end + usize::from(is_escaped) + 1;
                let next = bytes.get(joint::skip_blanks(bytes, behind));
                if next == Some(&b':') || next == Some(&b'=') {
                    key = content;
                } else {
                    let kind = (!names::is_beside(key)).then(|| is_secret(said, content)).flatten();
                    let kind = kind.filter(|_| value::has_digit_or_sign(content));
                    found.extend(kind.map(|kind| Found { start: at + 1, end, kind, is_certain: false }));
                }
                at = behind - 1;
            }
            _ => {}
        }
        at += 1;
    }
}

fn string_end(bytes: &[u8], from: usize, quote: u8, is_escaped: bool) -> Option<usize> {
    let mut at = from;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if is_escaped && bytes.get(at + 1) == Some(&quote) => return Some(at),
            b'\\' => at += 1,
            b'\n' => return None,
            byte if byte == quote => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}
