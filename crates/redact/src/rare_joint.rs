//! Rare joint: ways in which a value follows its name that few languages and tools have.

use super::OPENING;
use super::joint::{Joint, skip_blanks};

/// How far a value may stand behind its name where other arguments or a question stand between.
const REACH_BYTES: usize = 120;
/// Longest value that stands on a line of its own.
const ALONE_BYTES_MAX: usize = 512;
/// Longest beginning of a line that is no sentence yet.
const NOTE_BYTES_MAX: usize = 32;
/// Longest name that is one where a secret would be.
const LABEL_BYTES_MAX: usize = 20;

/// What holds a value in code.
const WRAPPERS: [&str; 19] = [
    "Some(",
    "String::from(",
    "Secret::new(",
    "SecretString::from(",
    "SecretString::new(",
    "Optional.of(",
    "Buffer.from(",
    "b64decode(",
    "base64.b64decode(",
    "bytes.fromhex(",
    "bytearray.fromhex(",
    "unhexlify(",
    "binascii.unhexlify(",
    "hex.DecodeString(",
    "atob(",
    "unquote(",
    "urllib.parse.unquote(",
    "concat!(",
    "SecretStr(",
];

/// Where the value begins behind an operator, if something stands between.
pub(super) fn behind_operator(bytes: &[u8], operator: &str, at: usize) -> Option<(Joint, usize)> {
    let rest = bytes.get(at..)?;
    match rest.first()? {
        // `**password:** …`
        b'*' if rest.starts_with(b"**") => Some((Joint::Loose, skip_blanks(bytes, at + 2))),
        // A password that is shown, below what says so.
        b'\n' | b'\r' if operator == ":" => {
            alone(bytes, below_blank_lines(bytes, at)?).filter(|at| !is_label(&bytes[*at..])).map(loosely)
        }
        // `map[Api-Key:[…]]`
        b'[' if rest.get(1).is_some_and(u8::is_ascii_alphanumeric)
            && operator == ":"
            && !rest.starts_with(OPENING.as_bytes()) =>
        {
            Some((Joint::Flag, at + 1))
        }
        // `["password"]=>` and `string(9) "…"`
        b'\n' if operator == "=>" => {
            let type_at = at + 1 + leading(&rest[1..], b' ');
            let digits_at = type_at + behind(bytes, type_at, b"string(")?;
            let close = digits_at + leading_digits(&bytes[digits_at..]);
            Some((Joint::QuotesOnly, close + behind(bytes, close, b") ")?))
        }
        first if first.is_ascii_alphabetic() => {
            let wrapper = WRAPPERS.iter().find(|it| rest.starts_with(it.as_bytes()))?;
            Some((Joint::QuotesOnly, at + wrapper.len()))
        }
        _ => None,
    }
}

/// How a name is joined to what follows where no usual way is found. `name_end` is behind the quotes that close it.
pub(super) fn after(bytes: &[u8], start: usize, end: usize, name_end: usize) -> Option<(Joint, usize)> {
    let is_closed = name_end > end;
    let at = skip_blanks(bytes, name_end);
    let rest = bytes.get(at..)?;
    let is_first = |before: &[u8]| bytes[..start].ends_with(before);
    // What stands before the quote that opens the name.
    let opened = &bytes[..start.saturating_sub(usize::from(is_closed))];
    match rest.first()? {
        // `ENV["X"] || "…"`, `cfg.x ?? "…"`
        b'|' if rest.starts_with(b"||") => Some((Joint::QuotesOnly, skip_blanks(bytes, at + 2))),
        b'?' if rest.starts_with(b"??") => Some((Joint::QuotesOnly, skip_blanks(bytes, at + 2))),
        // `get("X") or "…"`, `fetch("X") { "…" }`
        b')' if is_closed => behind_call(bytes, skip_blanks(bytes, at + 1)),
        // `<key>x</key><string>…`
        b'<' if is_first(b"<key>") => {
            let at = skip_space(bytes, at + behind(bytes, at, b"</key>")?);
            let tag =
                [b"<string>".as_slice(), b"<value>"].into_iter().find(|it| bytes[at..].starts_with(it))?;
            Some((Joint::Element, at + tag.len()))
        }
        // `<string name="x">…`, `<property name="x"><value>…`
        b'>' if is_closed && [b"name=".as_slice(), b"key="].iter().any(|it| opened.ends_with(it)) => {
            let at = skip_space(bytes, at + 1);
            let tag =
                [b"<value>".as_slice(), b"<![CDATA["].into_iter().find(|it| bytes[at..].starts_with(it));
            Some((Joint::Element, at + tag.map_or(0, <[u8]>::len)))
        }
        // `name="x" android:value="…"`
        byte if is_closed && byte.is_ascii_lowercase() => {
            let space = rest.iter().take(16).take_while(|byte| byte.is_ascii_lowercase()).count();
            Some((Joint::QuotesOnly, at + space + behind(bytes, at + space, b":value=")?))
        }
        // `(setenv "X" "…")`, `set "Smtp:Password" "…"`
        b'"' if is_closed && at > name_end => {
            let name = bytes[..start].iter().rev().take(NOTE_BYTES_MAX).position(|byte| *byte == b'"')?;
            let before = &bytes[..start - name - 1];
            (before.ends_with(b"set ") || before.ends_with(b"setenv ")).then_some((Joint::QuotesOnly, at))
        }
        // `s:8:"password";s:9:"…"`
        b';' if is_closed => {
            let digits_at = at + behind(bytes, at, b";s:")?;
            let colon = digits_at + leading_digits(&bytes[digits_at..]);
            Some((Joint::QuotesOnly, colon + behind(bytes, colon, b":")?))
        }
        // `(password . "…")`
        b'.' if !is_closed => Some((Joint::QuotesOnly, at + behind(bytes, at, b". ")?)),
        // `{password, "…"}`, `{password, <<"…">>}`
        b',' if is_first(b"{") => in_pair(bytes, skip_blanks(bytes, at + 1)),
        // `char password[] = "…"`
        b'[' if !is_closed => {
            let size = rest[1..]
                .iter()
                .take(NOTE_BYTES_MAX)
                .take_while(|it| it.is_ascii_alphanumeric() || **it == b'_');
            let at = at + 1 + size.count();
            let at = skip_blanks(bytes, at + behind(bytes, at, b"]")?);
            Some((Joint::QuotesOnly, skip_blanks(bytes, at + behind(bytes, at, b"=")?)))
        }
        // `$ENV{X} = '…'`
        b'}' if opened.ends_with(b"{") => {
            let at = skip_blanks(bytes, at + 1);
            Some((Joint::QuotesOnly, skip_blanks(bytes, at + behind(bytes, at, b"=")?)))
        }
        // `**password**: …`
        b'*' => {
            let at = at + behind(bytes, at, b"**")?;
            Some((Joint::Loose, skip_blanks(bytes, at + behind(bytes, at, b":")?)))
        }
        b'\n' | b'\r' => printed(bytes, start, at),
        _ if rest.starts_with("— ".as_bytes()) => noted(bytes, start, at + "— ".len()),
        _ if at > name_end && !is_closed => further_on(bytes, start, at),
        _ => None,
    }
}

/// What stands behind `get("X")`: another value, or `.send_keys("…")`.
fn behind_call(bytes: &[u8], at: usize) -> Option<(Joint, usize)> {
    if bytes.get(at) == Some(&b'.') {
        let belongs = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let call = at + 1 + bytes[at + 1..].iter().take(NOTE_BYTES_MAX).take_while(belongs).count();
        return Some((Joint::QuotesOnly, call + behind(bytes, call, b"(")?));
    }
    let sign = [b"or ".as_slice(), b"||", b"??", b"{ "].into_iter().find(|it| bytes[at..].starts_with(it))?;
    Some((Joint::QuotesOnly, skip_blanks(bytes, at + sign.len())))
}

/// `$ printenv X`, `$ echo "$X"`, and the value on the next line.
fn printed(bytes: &[u8], start: usize, line_end: usize) -> Option<(Joint, usize)> {
    let floor = start.saturating_sub(NOTE_BYTES_MAX);
    let before = &bytes[floor..start];
    let line = &before[memchr::memrchr(b'\n', before).map_or(0, |at| at + 1)..];
    let value = alone(bytes, line_end + 1 + usize::from(bytes[line_end] == b'\r'))?;
    if line.ends_with(b"printenv ") {
        return Some((Joint::Flag, value));
    }
    let variable = line.strip_suffix(b"{").unwrap_or(line).strip_suffix(b"$")?;
    let command = variable.strip_suffix(b"\"").unwrap_or(variable).strip_suffix(b"echo ")?;
    // A script prints, too, and goes on with another command.
    let is_typed =
        [b"$ ".as_slice(), b"# ", b"% ", b"> ", "❯ ".as_bytes()].iter().any(|it| command.ends_with(it));
    is_typed.then_some((Joint::Loose, value))
}

/// `password — …`, a line of notes.
fn noted(bytes: &[u8], start: usize, at: usize) -> Option<(Joint, usize)> {
    let before = &bytes[start.saturating_sub(NOTE_BYTES_MAX)..start];
    let is_note = start < NOTE_BYTES_MAX || before.contains(&b'\n');
    alone(bytes, at).filter(|_| is_note).map(loosely)
}

/// Other words stand between: `--name x --value …`, `/v x /t REG_SZ /d …`, `Dim x As String = …`, `Password for 'x': …`.
fn further_on(bytes: &[u8], start: usize, at: usize) -> Option<(Joint, usize)> {
    let line = &bytes[at..bytes.len().min(at + REACH_BYTES)];
    let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
    let find = |word: &[u8]| memchr::memmem::find(line, word).map(|found| at + found + word.len());
    let floor = start.saturating_sub(NOTE_BYTES_MAX);
    let word = memchr::memrchr(b' ', &bytes[floor..start]).map_or(start, |found| floor + found + 1);
    let before = &bytes[..word];
    match line.first()? {
        b'-' if before.ends_with(b"--name ") || before.ends_with(b"-n ") => {
            Some((Joint::Flag, find(b"--value ")?))
        }
        b'/' if before.ends_with(b"/v ") => Some((Joint::Flag, find(b"/d ")?)),
        b'A' => Some((Joint::QuotesOnly, at + behind(bytes, at, b"As String = ")?)),
        b'f' if line.starts_with(b"for '") => Some((Joint::Flag, find(b"': ")?)),
        // `USER me` and `PASS …`, as they are sent to a server.
        _ if bytes[start..at].starts_with(b"PASS ") => {
            let line_start = memchr::memrchr(b'\n', &bytes[floor..start])? + floor;
            let before = &bytes[..line_start];
            let user = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
            let is_at_start = line_start + 1 == start;
            let is_login = memchr::memmem::find(&before[user..], b"USER ").is_some();
            alone(bytes, at).filter(|_| is_at_start && is_login).map(|at| (Joint::Flag, at))
        }
        _ => None,
    }
}

/// The value of a pair that ends behind it: `{password, "…", …}` is an object of JavaScript.
fn in_pair(bytes: &[u8], at: usize) -> Option<(Joint, usize)> {
    let is_binary = bytes[at..].starts_with(b"<<");
    let quote = at + 2 * usize::from(is_binary);
    let rest = bytes.get(quote..)?.strip_prefix(b"\"")?;
    let end = memchr::memchr(b'"', &rest[..rest.len().min(REACH_BYTES)])?;
    let closing: &[u8] = if is_binary { b"\">>}" } else { b"\"}" };
    rest[end..].starts_with(closing).then_some((Joint::QuotesOnly, quote))
}

/// Behind a blank line, or the beginning of a fence.
fn below_blank_lines(bytes: &[u8], at: usize) -> Option<usize> {
    let value = skip_space(bytes, at);
    let lines = memchr::memchr_iter(b'\n', &bytes[at..value]).count();
    if bytes[value..].starts_with(b"```") {
        let language =
            bytes[value + 3..].iter().take(NOTE_BYTES_MAX).take_while(|byte| byte.is_ascii_alphanumeric());
        let line_end = value + 3 + language.count();
        return (bytes.get(line_end) == Some(&b'\n')).then_some(line_end + 1);
    }
    (lines > 1).then_some(value)
}

/// A word alone on its line, and no name of another value.
fn alone(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let word = rest.iter().take(ALONE_BYTES_MAX).take_while(|byte| byte.is_ascii_graphic()).count();
    let ends = rest.get(word).is_none_or(|byte| matches!(byte, b'\n' | b'\r'));
    let word_at = &rest[..word];
    // `src/token.rs`, `token.rs:12`, the end of a sentence.
    let kind = memchr::memrchr(b'.', word_at).map_or(word_at, |dot| &word_at[dot + 1..]);
    let is_file = kind.len() < word.min(5) && kind.iter().all(u8::is_ascii_lowercase);
    let is_place = is_file || word_at.contains(&b':') || word_at.ends_with(b",");
    (word > 0 && ends && !is_place).then_some(at)
}

/// `worker-token-v2`: words joined by hyphens.
fn is_label(rest: &[u8]) -> bool {
    let word = rest.iter().take(ALONE_BYTES_MAX).take_while(|byte| byte.is_ascii_graphic());
    let count = |belongs: fn(&u8) -> bool| word.clone().filter(|byte| belongs(byte)).count();
    let (all, joined) = (word.clone().count(), count(|byte| matches!(byte, b'-' | b'_')));
    all < LABEL_BYTES_MAX && joined > 0 && count(u8::is_ascii_uppercase) == 0
}

fn loosely(at: usize) -> (Joint, usize) {
    (Joint::Loose, at)
}

/// How long a word is that stands at a place.
fn behind(bytes: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    bytes.get(at..)?.starts_with(word).then_some(word.len())
}

fn leading(bytes: &[u8], wanted: u8) -> usize {
    bytes.iter().take(NOTE_BYTES_MAX).take_while(|byte| **byte == wanted).count()
}

fn leading_digits(bytes: &[u8]) -> usize {
    bytes.iter().take(NOTE_BYTES_MAX).take_while(|byte| byte.is_ascii_digit()).count()
}

fn skip_space(bytes: &[u8], at: usize) -> usize {
    let space = bytes.iter().skip(at).take(NOTE_BYTES_MAX).take_while(|byte| byte.is_ascii_whitespace());
    at + space.count()
}
