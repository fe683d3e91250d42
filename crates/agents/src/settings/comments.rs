//! Comments: where they stand in a JSON text, and the same text without them, each byte in its place.

use std::ops::Range;

use super::json_spans::is_blank;

/// What a client takes for JSON in a file of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grammar {
    /// JSON, and nothing else.
    Strict,
    /// With `//` and `/* */` comments.
    Comments,
    /// With comments, and with a comma behind the last child.
    CommentsAndCommas,
}

/// The text with a blank for every byte that JSON does not know. Line ends stay: so does every line and column.
#[must_use]
pub(crate) fn blanked(text: &str, grammar: Grammar) -> String {
    let mut bytes = text.as_bytes().to_vec();
    if grammar == Grammar::Strict {
        return text.to_owned();
    }
    for span in spans(text) {
        for byte in bytes.get_mut(span).unwrap_or_default() {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    if grammar == Grammar::CommentsAndCommas {
        blank_last_commas(&mut bytes);
    }
    // Blanks took the place of whole comments, which begin and end between two letters.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

fn blank_last_commas(bytes: &mut [u8]) {
    let mut comma: Option<usize> = None;
    let mut at = 0;
    while let Some(byte) = bytes.get(at).copied() {
        match byte {
            b'"' => {
                comma = None;
                at = string_end(bytes, at);
                continue;
            }
            b',' => comma = Some(at),
            b'}' | b']' => {
                if let Some(byte) = comma.take().and_then(|comma| bytes.get_mut(comma)) {
                    *byte = b' ';
                }
            }
            byte if is_blank(byte) => {}
            _ => comma = None,
        }
        at += 1;
    }
}

/// Where comments stand, with their marks, without the line end behind them.
#[must_use]
pub(crate) fn spans(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or_default();
        if *byte == b'"' {
            at = string_end(bytes, at);
        } else if rest.starts_with(b"//") {
            let end = rest.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length);
            found.push(at..end);
            at = end;
        } else if rest.starts_with(b"/*") {
            let close = rest.get(2..).unwrap_or_default().windows(2).position(|pair| pair == b"*/");
            let end = close.map_or(bytes.len(), |length| at + 2 + length + 2);
            found.push(at..end);
            at = end;
        } else {
            at += 1;
        }
    }
    found
}

/// Behind the string that begins at `start`.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            // A string ends on its line; one that does not is no JSON, and whoever parses says so.
            b'\n' => return at,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_keeps_its_place() {
        let text = "// ä\n{\"a\": \"// no /* no\", /* x\ny */ \"b\": [1, 2,], // end\r\n}\n";
        let clean = blanked(text, Grammar::CommentsAndCommas);
        assert_eq!(clean.len(), text.len());
        assert_eq!(clean.matches('\n').count(), text.matches('\n').count());
        let value: serde_json::Value = serde_json::from_str(&clean).unwrap();
        assert_eq!(value, serde_json::json!({"a": "// no /* no", "b": [1, 2]}));
    }

    #[test]
    fn what_a_grammar_lacks_stays_to_be_refused() {
        assert_eq!(blanked("{} // c", Grammar::Strict), "{} // c");
        assert_eq!(blanked("[1,] // c", Grammar::Comments), "[1,]     ");
        for odd in ["\"", "/", "/*", "\"\\", "\"a\n// b", "/* é", ",]"] {
            assert_eq!(blanked(odd, Grammar::CommentsAndCommas).len(), odd.len());
        }
    }
}
