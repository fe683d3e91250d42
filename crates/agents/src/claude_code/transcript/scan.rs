//! Scan: walks the JSON of one line in place. Values are passed over until somebody asks; nothing is copied or built.
//!
//! A transcript is mostly text that nobody will look at. A full parse of it costs more than everything else together,
//! and refuses a whole line for one odd escape. This walk finds where values begin and end, however deep they nest;
//! what is taken from them is decoded properly.

use std::borrow::Cow;

use memchr::memchr;
use throughline_domain::transcript::unescape;

/// So many words of eight bytes are looked at one by one before a search for a string's end pays.
const SHORT_WORDS: usize = 8;

/// One JSON value, as it stands in the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Raw<'a>(pub(crate) &'a [u8]);

impl<'a> Raw<'a> {
    /// The inside of a string, as written.
    pub(crate) fn inside(self) -> Option<&'a [u8]> {
        self.0.strip_prefix(b"\"")?.strip_suffix(b"\"")
    }

    /// A string's text. Bytes that are no UTF-8 become replacement characters.
    pub(crate) fn text(self) -> Option<Cow<'a, str>> {
        let inside = self.inside()?;
        Some(match std::str::from_utf8(inside) {
            Ok(raw) => unescape(raw),
            Err(_) => Cow::Owned(unescape(&String::from_utf8_lossy(inside)).into_owned()),
        })
    }

    /// A string without any escape: ids, times, names of models.
    pub(crate) fn plain(self) -> Option<&'a str> {
        let inside = self.inside().filter(|inside| memchr(b'\\', inside).is_none())?;
        std::str::from_utf8(inside).ok()
    }

    /// A string's text, or a number as it is written: some clients count their tasks, some name them.
    pub(crate) fn id(self) -> Option<Cow<'a, str>> {
        if self.0.first().is_some_and(u8::is_ascii_digit) {
            return std::str::from_utf8(self.0).ok().map(Cow::Borrowed);
        }
        self.text()
    }

    /// A number that counts something.
    pub(crate) fn count(self) -> Option<u64> {
        std::str::from_utf8(self.0).ok()?.parse().ok()
    }

    pub(crate) fn is_true(self) -> bool {
        self.0 == b"true"
    }

    pub(crate) fn is_object(self) -> bool {
        self.0.first() == Some(&b'{')
    }

    /// The members of an object; none when this is something else.
    pub(crate) fn members(self) -> Members<'a> {
        let mut walk = Walk::over(self.0);
        let level = walk.enter_object();
        Members(walk, level)
    }

    /// The elements of an array; none when this is something else.
    pub(crate) fn elements(self) -> Elements<'a> {
        let mut walk = Walk::over(self.0);
        let level = walk.enter_array();
        Elements(walk, level)
    }

    /// The member of an object; the last one where a key comes twice.
    pub(crate) fn member(self, name: &[u8]) -> Option<Raw<'a>> {
        self.members().filter(|(key, _)| *key == name).last().map(|(_, value)| value)
    }
}

/// `"key": value` pairs, in the order of the line. Stops where the text is no JSON any more.
pub(crate) struct Members<'a>(Walk<'a>, Option<Level>);

impl<'a> Iterator for Members<'a> {
    type Item = (&'a [u8], Raw<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let key = self.0.key(self.1.as_mut()?)?;
        Some((key, self.0.value()?))
    }
}

/// The values of an array. Stops where the text is no JSON any more.
pub(crate) struct Elements<'a>(Walk<'a>, Option<Level>);

impl<'a> Iterator for Elements<'a> {
    type Item = Raw<'a>;

    fn next(&mut self) -> Option<Raw<'a>> {
        self.0.step(self.1.as_mut()?)?;
        self.0.value()
    }
}

/// A place in a text. Whoever steps into a container takes what it holds in passing: no text is walked over twice.
pub(crate) struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// An object or an array that the walk has stepped into.
pub(crate) struct Level {
    start: usize,
    close: u8,
    is_first: bool,
    is_closed: bool,
}

impl<'a> Walk<'a> {
    pub(crate) fn over(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Steps into the object that stands here; `None` when it is something else.
    pub(crate) fn enter_object(&mut self) -> Option<Level> {
        self.enter(b'{', b'}')
    }

    /// Steps into the array that stands here; `None` when it is something else.
    pub(crate) fn enter_array(&mut self) -> Option<Level> {
        self.enter(b'[', b']')
    }

    fn enter(&mut self, open: u8, close: u8) -> Option<Level> {
        let start = self.blank_from();
        if self.bytes.get(start) != Some(&open) {
            return None;
        }
        self.at = start + 1;
        Some(Level { start, close, is_first: true, is_closed: false })
    }

    /// The next key of an object; its value is the next thing to take. `None` at the end.
    pub(crate) fn key(&mut self, level: &mut Level) -> Option<&'a [u8]> {
        self.step(level)?;
        let key = self.value()?.inside()?;
        self.at = self.blank_from();
        if self.bytes.get(self.at) != Some(&b':') {
            return None;
        }
        self.at += 1;
        Some(key)
    }

    /// Steps out of a container, wherever the walk stopped in it. `None` when it has no end.
    pub(crate) fn leave(&mut self, level: &Level) -> Option<()> {
        if !level.is_closed {
            self.at = container_end(self.bytes, level.start)?;
        }
        Some(())
    }

    /// Whether a container was walked to its closing brace, and nothing but blanks follows.
    pub(crate) fn ended_well(&self, level: &Level) -> bool {
        level.is_closed && self.blank_from() == self.bytes.len()
    }

    /// The first byte from here that is no blank.
    fn blank_from(&self) -> usize {
        let mut at = self.at;
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.bytes.get(at) {
            at += 1;
        }
        at
    }

    /// Moves to the next member or element; `None` at the end.
    pub(crate) fn step(&mut self, level: &mut Level) -> Option<()> {
        if level.is_closed {
            return None;
        }
        self.at = self.blank_from();
        let is_first = std::mem::take(&mut level.is_first);
        match *self.bytes.get(self.at)? {
            byte if byte == level.close => {
                level.is_closed = true;
                self.at += 1;
                None
            }
            b',' if !is_first => {
                self.at += 1;
                Some(())
            }
            _ if is_first => Some(()),
            _ => None,
        }
    }

    /// The value that stands here.
    pub(crate) fn value(&mut self) -> Option<Raw<'a>> {
        let start = self.blank_from();
        let end = match self.bytes.get(start)? {
            b'"' => string_end(self.bytes, start)?,
            b'{' | b'[' => container_end(self.bytes, start)?,
            _ => {
                let rest = &self.bytes[start..];
                let length = rest.iter().position(|byte| is_scalar_end(*byte))?;
                if length == 0 {
                    return None;
                }
                start + length
            }
        };
        self.at = end;
        Some(Raw(&self.bytes[start..end]))
    }
}

fn is_scalar_end(byte: u8) -> bool {
    matches!(byte, b',' | b']' | b'}' | b':' | b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'[' | b'{')
}

/// Where the string that begins at `start` ends (behind its quote).
///
/// Most are keys and ids, and end at once: they are looked at eight bytes at a time. In a long text quotes are rarer than
/// escapes: looks for a quote, and then at the backslashes before it.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut from = start + 1;
    for _ in 0..SHORT_WORDS {
        let Some(word) = bytes.get(from..).and_then(<[u8]>::first_chunk) else { break };
        let word = u64::from_le_bytes(*word);
        let found = first_of(word, b'"') | first_of(word, b'\\');
        if found == 0 {
            from += 8;
            continue;
        }
        from += found.trailing_zeros() as usize / 8;
        if bytes[from] == b'"' {
            return Some(from + 1);
        }
        // An escape: the next byte means nothing.
        from += 2;
    }
    loop {
        let quote = from + memchr(b'"', bytes.get(from..)?)?;
        let backslashes = bytes[from..quote].iter().rev().take_while(|byte| **byte == b'\\').count();
        if backslashes % 2 == 0 {
            return Some(quote + 1);
        }
        from = quote + 1;
    }
}

/// The highest bit of the first byte in a word that is `wanted`; bits of later bytes may be set as well.
fn first_of(word: u64, wanted: u8) -> u64 {
    let differs = word ^ u64::from_le_bytes([wanted; 8]);
    differs.wrapping_sub(0x0101_0101_0101_0101) & !differs & 0x8080_8080_8080_8080
}

/// Where the array or object that begins at `start` ends. Counts instead of recursing: depth costs nothing.
fn container_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = start;
    loop {
        match bytes.get(at)? {
            b'"' => {
                at = string_end(bytes, at)?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,12}".prop_map(Value::from),
            "[\\\\\"{}\\[\\],:]{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(5, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map("[a-z\"\\\\]{0,3}", inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    /// The same value, put together from what the walk finds.
    fn rebuilt(raw: Raw<'_>) -> Value {
        match raw.0.first() {
            Some(b'{') => {
                let mut walk = Walk::over(raw.0);
                let mut level = walk.enter_object().unwrap();
                let mut object = serde_json::Map::new();
                while let Some(key) = walk.key(&mut level) {
                    let key = unescape(std::str::from_utf8(key).unwrap()).into_owned();
                    object.insert(key, rebuilt(walk.value().unwrap()));
                }
                assert!(walk.ended_well(&level));
                Value::Object(object)
            }
            Some(b'[') => Value::Array(raw.elements().map(rebuilt).collect()),
            Some(b'"') => Value::String(raw.text().unwrap().into_owned()),
            _ => serde_json::from_slice(raw.0).unwrap(),
        }
    }

    proptest! {
        #[test]
        fn the_walk_finds_what_a_full_parser_finds(value in any_json(), pretty: bool) {
            let object = serde_json::json!({ "it": value });
            let text = if pretty { serde_json::to_string_pretty(&object) } else { serde_json::to_string(&object) };
            let text = text.unwrap();
            // A NUL is the one character that is deliberately read as another.
            prop_assume!(!text.contains("\\u0000"));
            prop_assert_eq!(rebuilt(Raw(text.as_bytes())), object);
        }

        #[test]
        fn no_bytes_make_it_panic_or_loop(bytes in prop::collection::vec(prop::sample::select(&b"{}[]\",:\\ a1\xff"[..]), 0..64)) {
            for (_, value) in Raw(&bytes).members() {
                let _ = (value.text(), value.plain(), value.id(), value.count(), value.members().count(), value.elements().count());
            }
        }
    }

    #[test]
    fn a_million_brackets_are_no_deeper_than_one() {
        let deep = format!("{{\"a\":{}{},\"b\":1}}", "[".repeat(1_000_000), "]".repeat(1_000_000));
        assert_eq!(Raw(deep.as_bytes()).member(b"b").and_then(Raw::count), Some(1));
        let open = format!("{{\"a\":{}", "[".repeat(1_000_000));
        let mut walk = Walk::over(open.as_bytes());
        let mut level = walk.enter_object().unwrap();
        assert_eq!(walk.key(&mut level), Some(&b"a"[..]));
        assert!(walk.value().is_none() && !walk.ended_well(&level));
    }
}
