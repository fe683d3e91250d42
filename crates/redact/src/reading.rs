//! Reading: where a value begins and ends, between quotes of all kinds and without.

use super::Found;
use super::joint::{CDATA, Joint};
use super::named::{NAME_BYTES_MAX, is_name};
use super::value::Standing;

/// Longest value between quotes, and without.
pub(super) const QUOTED_BYTES_MAX: usize = 4_096;
pub(super) const PLAIN_BYTES_MAX: usize = 512;

/// A value and how it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) standing: Standing,
}

impl Value {
    pub(super) fn found(self, kind: &'static str) -> Found {
        Found { start: self.start, end: self.end, kind, is_certain: false }
    }
}

/// The value that begins at a place: up to its closing quote, or up to where a plain one has to end.
pub(super) fn value_at(bytes: &[u8], at: usize, joint: impl Into<Ends>) -> Option<Value> {
    let mut at = at;
    // `b"…"`, `r'…'`, `@"…"`
    if matches!(bytes.get(at)?, b'b' | b'r' | b'f' | b'u' | b'@' | b'L' | b'N')
        && matches!(bytes.get(at + 1), Some(b'"' | b'\''))
    {
        at += 1;
    }
    // `$'…'` of a shell.
    if bytes[at..].starts_with(b"$'") {
        at += 1;
    }
    let is_escaped = bytes.get(at) == Some(&b'\\') && matches!(bytes.get(at + 1), Some(b'"' | b'\''));
    if let Some(value) = deeply_quoted(bytes, at).or_else(|| rarely_quoted(bytes, at)) {
        return Some(value);
    }
    let quote_at = at + usize::from(is_escaped);
    if let Some(quote @ (b'"' | b'\'' | b'`')) = bytes.get(quote_at).copied() {
        // Of three quotes in a row the last one opens.
        let is_triple = bytes[quote_at..].starts_with(&[quote; 3]);
        let start = quote_at + 1 + 2 * usize::from(is_triple);
        // `"\"…\""`: quotes for a program that takes them off.
        let is_nested = !is_escaped && !is_triple && bytes[start..].starts_with(&[b'\\', quote]);
        let start = start + 2 * usize::from(is_nested);
        let end = quoted_end(bytes, start, quote, is_escaped || is_nested)?;
        let start = behind_scheme(bytes, start, end);
        if let Some(tail) = with_tail(bytes, quote_at, end).filter(|_| end > start) {
            return Some(Value { start, end: tail, standing: Standing::Plain });
        }
        return (end > start).then_some(Value { start, end, standing: Standing::Quoted });
    }
    let start = behind_scheme(bytes, at, bytes.len().min(at + PLAIN_BYTES_MAX));
    let end = plain_end(bytes, start, joint.into());
    (end > start).then_some(Value { start, end, standing: Standing::Loose })
}

/// `\\\"…\\\"`: quotes of JSON in JSON in JSON.
fn deeply_quoted(bytes: &[u8], at: usize) -> Option<Value> {
    let depth = bytes.get(at..)?.iter().take(16).take_while(|byte| **byte == b'\\').count();
    let sign =
        bytes.get(at..at + depth + 1).filter(|sign| depth > 1 && matches!(sign[depth], b'"' | b'\''))?;
    let start = at + sign.len();
    let limit = bytes.len().min(start + QUOTED_BYTES_MAX);
    let end = start + memchr::memmem::find(&bytes[start..limit], sign)?;
    (end > start).then_some(Value { start, end, standing: Standing::Quoted })
}

/// What ends a value without quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// A blank, a quote, an angle bracket; a list or statement goes on behind `,` `;` `&` `)`.
    Usual,
}

impl From<Joint> for Ends {
    fn from(_: Joint) -> Self {
        Self::Usual
    }
}

fn quoted_end(bytes: &[u8], start: usize, quote: u8, is_escaped: bool) -> Option<usize> {
    let mut at = start;
    let limit = bytes.len().min(start + QUOTED_BYTES_MAX);
    while at < limit {
        match bytes[at] {
            b'\n' => return None,
            b'\\' if is_escaped && bytes.get(at + 1) == Some(&quote) => return Some(at),
            b'\\' => at += 1,
            // `'it''s'`: of SQL and YAML.
            byte if byte == quote && is_doubled(bytes, at) => at += 1,
            byte if byte == quote => return Some(at),
            _ => {}
        }
        at += 1;
    }
    // A text that was cut in the middle of a value.
    (limit == bytes.len()).then_some(limit)
}

/// Whether a quote between two letters is followed by another one.
fn is_doubled(bytes: &[u8], at: usize) -> bool {
    let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    bytes[at] == b'\''
        && bytes.get(at + 1) == Some(&b'\'')
        && at > 0
        && is_letter(bytes.get(at - 1))
        && is_letter(bytes.get(at + 2))
}

/// Where a value ends that goes on behind its closing quote, as shells and settings have it: `"a b"-c`.
fn with_tail(bytes: &[u8], quote_at: usize, end: usize) -> Option<usize> {
    let is_setting = quote_at > 0 && bytes[quote_at - 1] == b'=';
    let tail = bytes.get(end + 1..)?.iter().take(PLAIN_BYTES_MAX);
    let length = tail.take_while(|byte| byte.is_ascii_alphanumeric() || b"-_!#%+~".contains(byte)).count();
    let stops = bytes.get(end + 1 + length).is_none_or(u8::is_ascii_whitespace);
    (is_setting && length > 2 && stops).then_some(end + 1 + length)
}

/// `%q(…)`, `q{…}`, `R"(…)"`, `{…}` of a connection string: quotes that only some languages have.
fn rarely_quoted(bytes: &[u8], at: usize) -> Option<Value> {
    let rest = bytes.get(at..)?;
    // `${NAME:-…}`: what holds where nothing else is set.
    if rest.starts_with(b"${") {
        let close = rest.iter().take(PLAIN_BYTES_MAX).position(|byte| matches!(byte, b'}' | b'\n' | b' '))?;
        let default = memchr::memmem::find(&rest[..close], b":-")? + 2;
        let is_value = default < close && rest[close] == b'}' && !rest[default..close].contains(&b'$');
        return is_value.then_some(Value { start: at + default, end: at + close, standing: Standing::Loose });
    }
    let (skip, close): (usize, &[u8]) = match rest {
        [b'%', b'q' | b'Q', b'(', ..] | [b'q', b'(', ..] => (if rest[0] == b'%' { 3 } else { 2 }, b")"),
        [b'%', b'q' | b'Q', b'{', ..] | [b'q', b'{', ..] => (if rest[0] == b'%' { 3 } else { 2 }, b"}"),
        [b'%', b'q' | b'Q', b'[', ..] => (3, b"]"),
        [b'R', b'"', b'(', ..] => (3, b")\""),
        [b'r', b'#', b'"', ..] => (3, b"\"#"),
        [b'{', second, ..]
            if second.is_ascii_graphic()
                && at > 0
                && bytes[at - 1] == b'='
                && !b"{}$%#\"'".contains(second) =>
        {
            (1, b"};")
        }
        _ => return None,
    };
    let start = at + skip;
    let limit = bytes.len().min(start + PLAIN_BYTES_MAX);
    let end = start + memchr::memmem::find(&bytes[start..limit], close)?;
    let is_line = !bytes[start..end].contains(&b'\n');
    (end > start && is_line).then_some(Value { start, end, standing: Standing::Quoted })
}

/// `"Bearer …"` under a name is a value with a word before it.
fn behind_scheme(bytes: &[u8], start: usize, end: usize) -> usize {
    for scheme in ["bearer ", "basic ", "token ", "apikey "] {
        let head = bytes.get(start..(start + scheme.len()).min(end));
        if head.is_some_and(|head| head.eq_ignore_ascii_case(scheme.as_bytes())) {
            return start + scheme.len();
        }
    }
    start
}

fn plain_end(bytes: &[u8], start: usize, _ends: Ends) -> usize {
    let limit = bytes.len().min(start + PLAIN_BYTES_MAX);
    let is_spelt = [b"%3D".as_slice(), b"%3d", b"%253D"].iter().any(|it| bytes[..start].ends_with(it));
    let is_data = bytes[..start].ends_with(CDATA);
    let mut end = start;
    while end < limit {
        match bytes[end] {
            byte if byte.is_ascii_whitespace() || byte.is_ascii_control() => break,
            b']' if is_data && bytes[end..].starts_with(b"]]>") => break,
            byte if is_data && !byte.is_ascii_whitespace() => end += 1,
            b'"' | b'\'' | b'`' | b'<' | b'>' => break,
            // `[…]`
            b']' if start > 0 && bytes[start - 1] == b'[' => break,
            // The next parameter of an address in an address.
            b'%' if (bytes[end..].starts_with(b"%26") || bytes[end..].starts_with(b"%2526")) && is_spelt => {
                break;
            }
            // An escape inside of JSON: a line end or a quote.
            b'\\' if matches!(bytes.get(end + 1), Some(b'n' | b'r' | b't' | b'"' | b'\'')) => break,
            // The next parameter or field begins.
            byte @ (b'&' | b';' | b',') if end > start && is_next_field(byte, &bytes[end + 1..limit]) => {
                break;
            }
            _ => end += 1,
        }
    }
    while end > start
        && matches!(bytes[end - 1], b',' | b';' | b'.' | b')' | b'}' | b']' | b'|' | b':' | b'&')
    {
        end -= 1;
    }
    while end > start && !is_boundary(bytes, end) {
        end -= 1;
    }
    end
}

fn is_boundary(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_none_or(|byte| byte & 0b1100_0000 != 0b1000_0000)
}

/// Whether `name=` or `name:` follows, or nothing that could belong to a value.
fn is_next_field(sign: u8, rest: &[u8]) -> bool {
    // Names of a connection string have blanks in them, names of an address have none.
    let belongs =
        |byte: &u8| is_name(*byte) || matches!(byte, b'"' | b'\'' | b'%') || (*byte == b' ' && sign != b'&');
    let name = rest.iter().take(NAME_BYTES_MAX).take_while(|byte| belongs(byte)).count();
    let begins = rest.get(name).is_some_and(|byte| *byte == b'=' || (sign == b',' && *byte == b':'));
    name == 0 || begins || rest.first() == Some(&b' ')
}
