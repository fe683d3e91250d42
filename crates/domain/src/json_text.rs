//! A state file's text to JSON: how large and how deep it may be, and the slips of other writers that are mended.

use serde_json::Value;

use crate::problem::Problem;

/// Largest text that is looked at: no state file of ours is near it.
pub const STATE_BYTES_MAX: usize = crate::limits::STATE_BYTES_MAX;

/// Deepest nesting that is read. Below the parser's own 128: what is kept aside stands some levels deeper, and the
/// outbox wraps the whole state once more; both must be readable again.
pub(crate) const NESTING_MAX: usize = 100;

/// A text that is no state at all: not JSON, or JSON that is no object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// Where reading stopped, counted from 1; 0 when it is not about a place.
    pub line: usize,
    /// The same.
    pub column: usize,
    /// Why.
    pub what: String,
}

impl Unreadable {
    pub(crate) fn whole(what: String) -> Self {
        Self { line: 0, column: 0, what }
    }
}

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => f.write_str(&self.what),
            line => write!(f, "line {line}, column {}: {}", self.column, self.what),
        }
    }
}

/// Parses a state file's text, with or without a byte order mark.
pub(crate) fn parse(text: &str) -> Result<(Value, Vec<Problem>), Unreadable> {
    if text.len() > STATE_BYTES_MAX {
        let what = format!("{} bytes; a state file has at most {STATE_BYTES_MAX}", text.len());
        return Err(Unreadable::whole(what));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (value, problems) = match serde_json::from_str(text) {
        Ok(value) => (value, Vec::new()),
        Err(error) => match mend_half_pairs(text).map(|mended| serde_json::from_str(&mended)) {
            Some(Ok(value)) => {
                let what = "half a surrogate pair (a text cut in the middle of a character); now U+FFFD";
                (value, vec![Problem::new("file", what)])
            }
            _ => return Err(unreadable(&error)),
        },
    };
    if nesting(&value) > NESTING_MAX {
        return Err(Unreadable::whole(format!("nested more than {NESTING_MAX} levels deep")));
    }
    Ok((value, problems))
}

/// How many arrays and objects stand inside each other. Values out of the parser have at most 128.
pub(crate) fn nesting(value: &Value) -> usize {
    match value {
        Value::Array(elements) => 1 + elements.iter().map(nesting).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(nesting).max().unwrap_or(0),
        _ => 0,
    }
}

fn unreadable(error: &serde_json::Error) -> Unreadable {
    let words = error.to_string();
    let what = words.split(" at line ").next().unwrap_or(&words).to_owned();
    Unreadable { line: error.line(), column: error.column(), what }
}

/// The text with every lone `\ud800`…`\udfff` replaced by `\ufffd`; `None` when there is none.
///
/// Programs that cut by UTF-16 units leave such halves in their files. The rest of the file is sound.
fn mend_half_pairs(text: &str) -> Option<String> {
    let mut mended = String::with_capacity(text.len());
    let mut found = false;
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        mended.push_str(before);
        let length = match (unit_at(escape), escape.get(6..).and_then(unit_at)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                found = true;
                mended.push_str("\\ufffd");
                rest = &escape[6..];
                continue;
            }
            // Any other escape: the character behind the backslash begins no escape of its own.
            _ => 1 + escape[1..].chars().next().map_or(0, char::len_utf8),
        };
        mended.push_str(&escape[..length]);
        rest = &escape[length..];
    }
    mended.push_str(rest);
    found.then_some(mended)
}

/// The UTF-16 unit that a text begins with, when it begins with `\uXXXX`.
fn unit_at(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u32::from_str_radix(digits, 16).ok()
}
