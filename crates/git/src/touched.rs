//! Touched: a path as a line of a checkpoint, with what happens to it. Any bytes go in, the same come out.

/// `A src/new.rs`; a path that is no text is written as a slash (no path begins with one), then its bytes in digits.
pub(crate) fn encode(letter: char, raw: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(raw) {
        return format!("{letter} {text}");
    }
    let mut line = format!("{letter} /");
    for byte in raw {
        line.push_str(&format!("{byte:02x}"));
    }
    line
}

/// The path and the letter; `None` for a line that [`encode`] does not write.
pub(crate) fn decode(line: &str) -> Option<(Vec<u8>, char)> {
    let (letter, path) = line.split_once(' ')?;
    let letter = letter.chars().next()?;
    let Some(digits) = path.strip_prefix('/') else { return Some((path.as_bytes().to_vec(), letter)) };
    let pairs = digits.as_bytes().chunks(2).map(|pair| {
        let text = std::str::from_utf8(pair).ok().filter(|text| text.len() == 2)?;
        u8::from_str_radix(text, 16).ok()
    });
    Some((pairs.collect::<Option<Vec<u8>>>()?, letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_comes_back_as_it_was() {
        let paths: [&[u8]; 5] = [b"a", b"a b/c\nd", "\u{fc}ml".as_bytes(), b"\xff\xfe/x", b"0x/ff"];
        for path in paths {
            let line = encode('A', path);
            assert_eq!(decode(&line), Some((path.to_vec(), 'A')), "{line}");
        }
        for line in ["", "A", "A /f", "A /zz", " x"] {
            assert_eq!(decode(line), None, "{line}");
        }
    }
}
