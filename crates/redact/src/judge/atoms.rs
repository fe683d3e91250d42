//! Atoms: the smallest pieces of a line that a person would read as one value, with what stands before each.

/// What stands between two pieces, as bits.
pub(super) mod gap {
    pub(in super::super) const SPACE: u16 = 1;
    pub(in super::super) const WIDE: u16 = 1 << 1;
    pub(in super::super) const COLON: u16 = 1 << 2;
    pub(in super::super) const EQUALS: u16 = 1 << 3;
    pub(in super::super) const QUOTE: u16 = 1 << 4;
    pub(in super::super) const PAREN: u16 = 1 << 5;
    pub(in super::super) const BRACKET: u16 = 1 << 6;
    pub(in super::super) const BAR: u16 = 1 << 7;
    pub(in super::super) const COMMA: u16 = 1 << 8;
    pub(in super::super) const ARROW: u16 = 1 << 9;
    pub(in super::super) const DASH: u16 = 1 << 10;
    pub(in super::super) const SLASH: u16 = 1 << 11;
    pub(in super::super) const LINE: u16 = 1 << 12;
    pub(in super::super) const STAR: u16 = 1 << 13;
    pub(in super::super) const STOP: u16 = 1 << 14;
    pub(in super::super) const OTHER: u16 = 1 << 15;
}

/// Longest text between quotes that is one piece.
const QUOTED_BYTES_MAX: usize = 72;

/// A piece.
#[derive(Debug, Clone, Copy)]
pub(super) struct Atom {
    pub(super) start: usize,
    pub(super) end: usize,
    /// What stands between it and the piece before.
    pub(super) before: u16,
    /// Whether it is all that stands between two quotes.
    pub(super) is_quoted: bool,
    /// Which classes its word has; see `words`.
    pub(super) classes: u16,
    pub(super) has_digit: bool,
    /// Whether it is the name of a machine or a mailbox.
    pub(super) is_address: bool,
}

impl Atom {
    /// One of which nothing else is known yet.
    fn at(start: usize, end: usize, before: u16, is_quoted: bool) -> Self {
        Self { start, end, before, is_quoted, classes: 0, has_digit: false, is_address: false }
    }
}

/// Some words between quotes, which are pieces of their own, too.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quoted {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Cuts a line, which begins at `base` of the whole text. Returns what stands behind the last piece.
pub(super) fn cut(line: &str, base: usize, atoms: &mut Vec<Atom>, quoted: &mut Vec<Quoted>) -> u16 {
    let bytes = line.as_bytes();
    let mut before = gap::LINE;
    let mut quote_end = usize::MAX;
    let mut at = 0;
    while at < bytes.len() {
        if let Some((from, to)) = data_at(line, at) {
            before |= gap::QUOTE;
            atoms.push(Atom::at(base + from, base + to, before, true));
            before = 0;
            at = to;
            continue;
        }
        let (bits, length) = gap_at(line, at);
        if length > 0 {
            before |= bits;
            if bits & gap::QUOTE != 0 && quote_end == usize::MAX {
                let from = at + length;
                if let Some(to) = closing(line, at, from) {
                    if line[from..to].contains(' ') {
                        quoted.push(Quoted { start: base + from, end: base + to });
                    } else {
                        atoms.push(Atom::at(base + from, base + to, before, true));
                        before = 0;
                        at = to;
                        quote_end = to;
                        continue;
                    }
                }
            }
            if at == quote_end {
                quote_end = usize::MAX;
            }
            at += length;
            continue;
        }
        let end = token_end(line, at);
        let trimmed = at + line[at..end].trim_end_matches(['.', ',', ';', ':', '…', '*']).len();
        if trimmed > at && line[at..trimmed].bytes().any(|byte| byte.is_ascii_alphanumeric() || byte >= 0x80)
        {
            atoms.push(Atom::at(base + at, base + trimmed, before, false));
            before = if trimmed < end { trailing(&line[trimmed..end]) } else { 0 };
        } else {
            before |= punctuation(&line[at..end]);
        }
        at = end.max(at + 1);
    }
    before | gap::LINE
}

/// What stands between `<![CDATA[` and `]]>`, when it is one value.
fn data_at(line: &str, at: usize) -> Option<(usize, usize)> {
    const OPENING: &str = "<![CDATA[";
    let rest = line.get(at..)?.strip_prefix(OPENING)?;
    let length = rest.find("]]>").filter(|length| (1..=QUOTED_BYTES_MAX).contains(length))?;
    (!rest[..length].contains(' ')).then_some((at + OPENING.len(), at + OPENING.len() + length))
}

fn trailing(signs: &str) -> u16 {
    let bit = |sign: char| match sign {
        '.' | '…' => gap::STOP,
        ',' | ';' => gap::COMMA,
        ':' => gap::COLON,
        _ => gap::STAR,
    };
    signs.chars().fold(0, |bits, sign| bits | bit(sign))
}

/// A word of signs alone.
fn punctuation(signs: &str) -> u16 {
    match signs {
        "->" | "=>" | "-->" | ">" => gap::ARROW,
        "-" | "--" => gap::DASH,
        "/" => gap::SLASH,
        "#" | "$" | "%" => gap::OTHER,
        _ if signs.contains(':') => gap::COLON,
        _ if signs.contains('.') => gap::STOP,
        _ => gap::OTHER,
    }
}

/// The sign between pieces that stands at a place, and how long it is; no length when a piece begins there.
fn gap_at(line: &str, at: usize) -> (u16, usize) {
    let bytes = line.as_bytes();
    let next = bytes.get(at + 1).copied().unwrap_or(b'\n');
    match bytes[at] {
        b' ' if next == b' ' => {
            let run = bytes[at..].iter().take_while(|byte| **byte == b' ').count();
            (gap::WIDE, run)
        }
        b' ' => (gap::SPACE, 1),
        b'\t' => (gap::WIDE, 1),
        b'\r' => (0, 1),
        b'"' | b'`' => (gap::QUOTE, 1),
        b'\'' if at == 0 || !bytes[at - 1].is_ascii_alphanumeric() || !next.is_ascii_alphanumeric() => {
            (gap::QUOTE, 1)
        }
        b'\\' if matches!(next, b'"' | b'\'') => (gap::QUOTE, 2),
        b'\\' if matches!(next, b'n' | b't' | b'r') => (gap::LINE, 2),
        b'(' | b')' => (gap::PAREN, 1),
        b'[' | b']' | b'{' | b'}' | b'<' | b'>' => (gap::BRACKET, 1),
        b'|' => (gap::BAR, 1),
        b'*' => (gap::STAR, 1),
        b'=' if next == b'>' => (gap::ARROW, 2),
        b'-' if next == b'>' => (gap::ARROW, 2),
        b'=' => (gap::EQUALS, 1),
        b':' => (gap::COLON, 1),
        b',' | b';' => (gap::COMMA, 1),
        0x80.. => wide_gap(line, at),
        _ => (0, 0),
    }
}

fn wide_gap(line: &str, at: usize) -> (u16, usize) {
    let Some(sign) = line.get(at..).and_then(|rest| rest.chars().next()) else { return (0, 1) };
    let bits = match sign {
        '：' => gap::COLON,
        '，' | '、' | '；' => gap::COMMA,
        '。' | '！' | '？' => gap::STOP,
        '„' | '“' | '”' | '«' | '»' | '‘' | '’' | '「' | '」' | '『' | '』' | '‹' | '›' => {
            gap::QUOTE
        }
        '（' | '）' => gap::PAREN,
        '–' | '—' => gap::DASH,
        '→' | '⇒' | '➜' => gap::ARROW,
        '│' | '┃' | '║' => gap::BAR,
        '\u{a0}' | '\u{3000}' => gap::SPACE,
        '•' | '·' | '▸' => gap::STAR,
        _ => return (0, 0),
    };
    (bits, sign.len_utf8())
}

/// Where the text ends that a quote opens, when it is short and nothing but a value could stand there.
fn closing(line: &str, open: usize, from: usize) -> Option<usize> {
    let bytes = line.as_bytes();
    // One letter before it is a prefix or a flag: `b"…"`, `-p"…"`.
    let is_letter = |back: usize| open >= back && bytes[open - back].is_ascii_alphanumeric();
    let is_inside = is_letter(1) && is_letter(2);
    let limit = line.floor_char_boundary((from + QUOTED_BYTES_MAX).min(line.len()));
    let rest = line.get(from..limit)?;
    let sign = line[open..from].chars().last()?;
    let close = match sign {
        '"' | '\'' | '`' => sign,
        '„' => '“',
        '“' => '”',
        '«' => '»',
        '»' => '«',
        '‘' => '’',
        '「' => '」',
        '『' => '』',
        _ => return None,
    };
    let is_escaped = from - open == 2 && sign.is_ascii();
    let mut end = rest.find(close)?;
    if is_escaped && rest[..end].ends_with('\\') {
        end -= 1;
    }
    let after = line[from + end..].chars().nth(usize::from(is_escaped) + 1);
    let is_value = end > 0
        && !rest[..end].contains("\\n")
        && !is_inside
        && after.is_none_or(|letter| !letter.is_alphanumeric());
    is_value.then_some(from + end)
}

/// Letters of scripts that put no blanks between words.
pub(super) fn is_wide(letter: char) -> bool {
    matches!(letter, '\u{0E00}'..='\u{0E7F}' | '\u{3040}'..='\u{30FF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}')
}

/// Where the piece ends that begins at a place.
fn token_end(line: &str, at: usize) -> usize {
    let bytes = line.as_bytes();
    let rest = &line[at..];
    let is_wide_first = rest.chars().next().is_some_and(is_wide);
    for (offset, letter) in rest.char_indices() {
        let here = at + offset;
        let next = bytes.get(here + letter.len_utf8()).copied().unwrap_or(b'\n');
        let ends = match letter {
            _ if is_wide(letter) != is_wide_first => true,
            // `a\:b`: an escaped sign does not end a value.
            ':' | ';' | '|' | ',' if rest[..offset].ends_with('\\') && offset > 2 => false,
            ':' => {
                // A time, an address.
                let is_number =
                    rest[..offset].bytes().all(|byte| byte.is_ascii_digit() || byte == b':' || byte == b'.');
                let is_inside = is_number && next.is_ascii_digit();
                let is_address = next == b'/' && bytes.get(here + 2) == Some(&b'/');
                !is_inside && !is_address
            }
            // The end of what is encoded.
            '=' => !(matches!(next, b'=' | b' ' | b'\n' | b'"' | b'\'' | b',' | b';' | b')') && offset > 12),
            ',' | ';' => !next.is_ascii_alphanumeric(),
            '*' => !next.is_ascii_alphanumeric(),
            '-' if next == b'>' => true,
            _ => gap_at(line, here).1 > 0,
        };
        if ends && offset > 0 {
            return here;
        }
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(line: &str) -> Vec<&str> {
        let (mut atoms, mut quoted) = (Vec::new(), Vec::new());
        cut(line, 0, &mut atoms, &mut quoted);
        let all = atoms.iter().map(|it| &line[it.start..it.end]);
        all.chain(quoted.iter().map(|it| &line[it.start..it.end])).collect()
    }

    #[test]
    fn a_line_is_cut_into_what_a_person_would_read_as_one_value() {
        for (line, wanted) in [
            ("password: Hw!7treacle_Fox", &["password", "Hw!7treacle_Fox"][..]),
            ("admin:Pf1rsich-Allee", &["admin", "Pf1rsich-Allee"]),
            ("at 12:30:01 it's \"a b\" 'c-d'.", &["at", "12:30:01", "it's", "a", "b", "c-d", "a b"]),
            ("**84920617**, (see x)", &["84920617", "see", "x"]),
            ("密码是abc123，谢谢", &["密码是", "abc123", "谢谢"]),
            ("<key><![CDATA[a<b>c9]]></key>", &["key", "a<b>c9", "/key"]),
            (r"host:Spargel\:und\:Butter", &["host", r"Spargel\:und\:Butter"]),
            ("„elf Hasen“", &["elf", "Hasen", "elf Hasen"]),
            ("aproN*Shale4,5 x=y", &["aproN*Shale4,5", "x", "y"]),
        ] {
            assert_eq!(pieces(line), wanted, "{line}");
        }
    }
}
