//! Joint: how a name and its value stand together, in all the usual ways.

use super::named::NAME_BYTES_MAX;
use super::{prose, rare_joint, value};

/// Widest gap between a name, its operator and its value: columns are aligned.
const GAP_BYTES_MAX: usize = 40;
/// How far a block of settings is looked into.
const BLOCK_BYTES_MAX: usize = 200;
/// Longest tag around a value.
const TAG_BYTES_MAX: usize = 120;
/// What a text between tags begins with that needs no escapes.
/// Fewer dots end a sentence, or leave something out.
const LEADER_DOTS_MIN: usize = 4;
pub(super) const CDATA: &[u8] = b"<![CDATA[";
/// Longest value that stands on a line of its own.
const LINE_BYTES_MAX: usize = 512;

/// How a name and its value are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    /// `NAME=value`, nothing between.
    Tight,
    /// `name = value`, `name: value`.
    Loose,
    /// `--name value`, `<name>value</name>`.
    Flag,
    /// `set name value`, `login user password value`: a sentence may have the same words.
    Words,
    /// `<string name="password">…`: the thing may be a label.
    Element,
    /// `the password is …`.
    Prose,
    /// `f("name", "…")`, `password("…")`, `PASSWORD '…'`: only quotes tell.
    QuotesOnly,
}

impl Joint {
    /// Whether no code could stand where the value stands.
    pub(super) fn is_flag(self) -> bool {
        matches!(self, Self::Flag | Self::Words)
    }
}

/// How the name is joined to what follows, and where that begins.
pub(super) fn after(bytes: &[u8], start: usize, end: usize) -> Option<(Joint, usize)> {
    let mut at = end;
    let mut closed = false;
    while at < bytes.len() && at < end + 10 && matches!(bytes[at], b'"' | b'\'' | b'`' | b']' | b'\\') {
        // A backslash belongs here only before a quote.
        if bytes[at] == b'\\' && !matches!(bytes.get(at + 1), Some(b'"' | b'\'' | b'\\')) {
            break;
        }
        closed = true;
        at += 1;
    }
    at = behind_number(bytes, behind_colour(bytes, at));
    let name_end = at;
    at = skip_blanks(bytes, at);
    let has_gap = at > name_end;
    let rest = &bytes[at.min(bytes.len())..];
    let operators = [
        "===", "==", "=3D", "!=", ":=", "=>", "?=", "+=", "||=", "??=", "=", ":", "->", "→", "：", "%253D",
        "%3D", "%3d", "| ", "│ ",
    ];
    let operator = operators.into_iter().find(|it| rest.starts_with(it.as_bytes()));
    if let Some(at) = behind_dots(bytes, at) {
        return Some((Joint::Loose, at));
    }
    if let Some(operator) = operator {
        let behind = behind_colour(bytes, at + operator.len());
        let is_spelt = || operator == "=" && is_spelt_letter(&bytes[behind.min(bytes.len())..]);
        if operator == ":" && bytes.get(behind) == Some(&b':') || is_spelt() {
            return None;
        }
        if operator == ":" && is_argument(bytes, start, end, behind) {
            return Some((Joint::Flag, behind));
        }
        let is_tight = operator == "=" && !has_gap && !closed && bytes.get(behind) != Some(&b' ');
        let joint = if is_tight { Joint::Tight } else { Joint::Loose };
        let value = on_next_line(bytes, operator, skip_blanks(bytes, behind));
        return rare_joint::behind_operator(bytes, operator, value).or(Some((joint, value)));
    }
    if is_tag(bytes, start) {
        return in_tag(bytes, at, has_gap);
    }
    // `/path/db_password<tab>…`, as tools print them.
    let begins = start == 0 || bytes[start - 1] == b'\n';
    if bytes.get(name_end) == Some(&b'\t') && !closed && (begins || holds(&bytes[start..end], b"_")) {
        return Some((Joint::Loose, at));
    }
    // A column of names beside one of values.
    let is_loud = |name: &[u8]| name.contains(&b'_') && !name.iter().any(u8::is_ascii_lowercase);
    if (at > name_end + 1 || bytes.get(name_end) == Some(&b'\t')) && has_gap && is_loud(&bytes[start..end]) {
        return Some((Joint::Loose, at));
    }
    // `{"name": "TOKEN", "value": "…"}`, and the same in two lines
    if let Some(at) = value_field(bytes, at) {
        return Some((Joint::Loose, at));
    }
    // A field of a form, and a variable of Terraform's: the value stands some lines below.
    if closed && let Some(at) = below(bytes, name_end) {
        return Some((Joint::Loose, at));
    }
    // `"name", "value"`, `key="name" value="value"`
    let is_path = start > 0 && bytes[start - 1] == b'/';
    if closed && !is_path && rest.first() == Some(&b',') {
        if names_fields(bytes, start, skip_blanks(bytes, at + 1) + 1) {
            return None;
        }
        return Some((Joint::QuotesOnly, skip_blanks(bytes, at + 1)));
    }
    if closed && rest.starts_with(b"value=") {
        return Some((Joint::QuotesOnly, at + 6));
    }
    if rest.first() == Some(&b'(') && !has_gap && !is_getter(&bytes[start..end]) {
        return Some((Joint::QuotesOnly, at + 1));
    }
    let words = if has_gap && !closed { of_words(bytes, start, end, at) } else { None };
    words.or_else(|| rare_joint::after(bytes, start, end, name_end))
}

/// Whether a name is that of an element: `<password`.
fn is_tag(bytes: &[u8], start: usize) -> bool {
    let tag = behind_namespace(bytes, start);
    tag > 0 && bytes[tag - 1] == b'<' && !bytes[..tag - 1].ends_with(b"=")
}

/// `<password>…</password>`, `<password type="plain">…`
fn in_tag(bytes: &[u8], at: usize, has_gap: bool) -> Option<(Joint, usize)> {
    let rest = &bytes[at.min(bytes.len())..];
    let tag = rest.iter().take(TAG_BYTES_MAX).position(|byte| matches!(byte, b'>' | b'<' | b'\n'));
    tag.filter(|end| rest[*end] == b'>' && (*end == 0 || (has_gap && rest[end - 1] != b'/')))
        .map(|end| at + end + 1)
        .map(|at| (Joint::Flag, at + if bytes[at..].starts_with(CDATA) { CDATA.len() } else { 0 }))
}

/// `password........value`: where a row of dots leads to.
fn behind_dots(bytes: &[u8], at: usize) -> Option<usize> {
    let dots = bytes.get(at..)?.iter().take(40).take_while(|byte| **byte == b'.').count();
    (dots >= LEADER_DOTS_MIN).then(|| skip_blanks(bytes, at + dots))
}

/// `ge=C3=A4ndert`: whether the rest of a letter follows, as mails spell it.
fn is_spelt_letter(rest: &[u8]) -> bool {
    let is_high = |byte: &u8| matches!(byte, b'8'..=b'9' | b'A'..=b'F');
    matches!(rest, [first, low, b'=', second, ..]
        if is_high(first) && low.is_ascii_hexdigit() && is_high(second))
}

/// Where the name of an element begins that has a prefix: `<wsse:Password>`.
fn behind_namespace(bytes: &[u8], start: usize) -> usize {
    if !bytes[..start].ends_with(b":") {
        return start;
    }
    let prefix =
        bytes[..start - 1].iter().rev().take(16).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    start - 1 - prefix
}

/// Behind what sets a terminal's colour.
fn behind_colour(bytes: &[u8], at: usize) -> usize {
    let Some(rest) = bytes.get(at..).and_then(|rest| rest.strip_prefix(b"\x1b[")) else { return at };
    let length = rest.iter().take(16).take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
    at + if rest.get(length) == Some(&b'm') { length + 3 } else { 0 }
}

/// `get_password("service", "user")`: says which one, not what it is.
fn is_getter(name: &[u8]) -> bool {
    let name = name.rsplit(|byte| *byte == b'.').next().unwrap_or(name);
    let begins =
        |word: &str| name.get(..word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word.as_bytes()));
    ["get", "find", "fetch", "lookup", "read", "load", "delete", "has"].into_iter().any(begins)
}

/// `-passin pass:…` of openssl's programs, `/pass:…` of Windows'.
fn is_argument(bytes: &[u8], start: usize, end: usize, behind: usize) -> bool {
    let is_openssl =
        bytes[start..end] == *b"pass" && holds(&bytes[start.saturating_sub(10)..start], b"-pass");
    let is_windows = bytes[..start].ends_with(b" /") && bytes.get(behind).is_some_and(u8::is_ascii_graphic);
    is_openssl || is_windows
}

/// How the name is joined to a word behind it, with nothing but blanks between.
fn of_words(bytes: &[u8], start: usize, end: usize, at: usize) -> Option<(Joint, usize)> {
    let rest = &bytes[at.min(bytes.len())..];
    if rest.starts_with(b"is ") || rest.starts_with(b"was ") {
        return Some((Joint::Prose, skip_blanks(bytes, at + rest.iter().position(|byte| *byte == b' ')?)));
    }
    let before = &bytes[start.saturating_sub(NAME_BYTES_MAX)..start];
    // `set name value`, also where the name has an address before it.
    let word = before.iter().rposition(|byte| *byte == b' ').map_or(0, |at| at + 1);
    let setting = [b"set ".as_slice(), b"setx ", b"setenv ", b" -x ", b" -gx ", b" -Ux ", b"ENV "];
    let is_set = setting.iter().any(|it| before[..word].ends_with(it)) || holds(before, b"git config ");
    let settings = [b"requirepass".as_slice(), b"masterauth", b"bindpw", b"rootpw"];
    let is_setting = settings.contains(&&bytes[start..end]);
    let is_flag = before.ends_with(b"-") || is_setting;
    // `machine host login name password …`
    let is_netrc = holds(before, b"login ") || holds(before, b"user ");
    for flag in [b"--body ".as_slice(), b"-b"].into_iter().filter(|_| is_set) {
        if rest.starts_with(flag) {
            return Some((Joint::Flag, skip_blanks(bytes, at + flag.len())));
        }
    }
    // `secret 0 …`, `password 7 …`: of a router.
    if matches!(rest, [b'0' | b'5' | b'7' | b'8' | b'9', b' ', ..]) {
        return Some((Joint::Flag, at + 2));
    }
    // ` password …`, alone on its line.
    let line = before.iter().rposition(|byte| *byte == b'\n').map_or(before, |at| &before[at + 1..]);
    if line.iter().all(|byte| *byte == b' ') && end - start > 4 && at == end + 1 && before.len() < start {
        let word = word_at(bytes, at);
        let is_alone = bytes.get(at + word.len()).is_none_or(|byte| matches!(byte, b'\n' | b'\r'));
        let is_name = bytes[start..end].contains(&b'_');
        if is_alone && word.iter().any(u8::is_ascii_digit) && (!line.is_empty() || is_name) {
            return Some((Joint::Words, at));
        }
    }
    if !(is_flag || is_set || prose::is_login(before)) && prose::is_plain_word(word_at(bytes, at)) {
        return None;
    }
    if (is_flag || is_set || is_netrc) && rest.first().is_some_and(|byte| *byte != b'-') {
        return Some((if is_flag { Joint::Flag } else { Joint::Words }, at));
    }
    // `ALTER ROLE app WITH PASSWORD '…'`
    let is_statement =
        matches!(rest.first(), Some(b'\'' | b'"')) && (end - start > 4 || before.ends_with(b":"));
    is_statement.then_some((Joint::QuotesOnly, at))
}

/// `name: |` and `name:` with the value on a line of its own, as YAML has it.
pub(super) fn on_next_line(bytes: &[u8], operator: &str, at: usize) -> usize {
    let rest = &bytes[at.min(bytes.len())..];
    let sign =
        ["|-", ">-", "|", ">", ""].into_iter().find(|it| rest.starts_with(it.as_bytes())).unwrap_or("");
    let line = &rest[sign.len()..];
    let end = usize::from(line.starts_with(b"\r")) + 1;
    if operator != ":" || line.get(end - 1) != Some(&b'\n') {
        return at;
    }
    let indent = line[end..].iter().take(GAP_BYTES_MAX).take_while(|byte| **byte == b' ').count();
    let value = at + sign.len() + end + indent;
    let word = bytes[value..].iter().take(LINE_BYTES_MAX).take_while(|byte| byte.is_ascii_graphic()).count();
    // Alone on its line, and no name of another value.
    let is_alone = bytes.get(value + word).is_none_or(|byte| matches!(byte, b'\n' | b'\r'));
    let is_name = bytes[value..value + word].contains(&b':') || bytes.get(value) == Some(&b'-');
    if indent > 0 && word > 0 && is_alone && !is_name { value } else { at }
}

/// `name="password"` and an empty line, `variable "password" {` and a default.
fn below(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let empty_line = [b"\r\n\r\n".as_slice(), b"\n\n"].into_iter().find(|it| rest.starts_with(it));
    if let Some(line) = empty_line {
        return Some(at + line.len());
    }
    let block = rest.strip_prefix(b" {").map(|block| &block[..block.len().min(BLOCK_BYTES_MAX)])?;
    let block = &block[..block.iter().position(|byte| *byte == b'}').unwrap_or(block.len())];
    let default = memchr::memmem::find(block, b"default")?;
    let equals = block[default..].iter().take(GAP_BYTES_MAX).position(|byte| *byte == b'=')?;
    Some(skip_blanks(bytes, at + 2 + default + equals + 1))
}

/// `Unseal Key 1:`: of several the number belongs to the name.
fn behind_number(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    // `Password (initial):`
    if rest.starts_with(b" (")
        && let Some(close) =
            rest.iter().take(GAP_BYTES_MAX).position(|byte| matches!(byte, b')' | b'\n' | b'='))
        && rest[close] == b')'
        && rest.get(close + 1) == Some(&b':')
    {
        return at + close + 1;
    }
    let digits = rest.iter().skip(1).take(2).take_while(|byte| byte.is_ascii_digit()).count();
    let is_number = rest.first() == Some(&b' ') && digits > 0 && rest.get(1 + digits) == Some(&b':');
    at + if is_number { 1 + digits } else { 0 }
}

/// Behind `value:` in the field after the one that holds a name.
fn value_field(bytes: &[u8], at: usize) -> Option<usize> {
    let is_gap = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b'"' | b'\'' | b'\\');
    let gap = bytes[at.min(bytes.len())..].iter().take(GAP_BYTES_MAX).take_while(|byte| is_gap(byte));
    let gap = gap.count();
    let rest = &bytes[at + gap..];
    if gap == 0 || !rest.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"value")) {
        return None;
    }
    let quotes = rest[5..].iter().take(2).take_while(|byte| matches!(byte, b'"' | b'\'' | b'\\')).count();
    let behind = at + gap + 5 + quotes;
    let behind = skip_blanks(bytes, behind);
    (bytes.get(behind) == Some(&b':')).then(|| skip_blanks(bytes, behind + 1))
}

/// `["user", "password", "rememberMe"]`: a list of names that goes on with a name.
fn names_fields(bytes: &[u8], start: usize, value: usize) -> bool {
    let belongs = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_\"', ".contains(byte);
    let before = bytes[..start].iter().rev();
    let is_quote = |byte: Option<&u8>| matches!(byte, Some(b'"' | b'\''));
    let has_opening = before.clone().take(NAME_BYTES_MAX).find(|byte| !belongs(byte)) == Some(&b'[');
    let word = std::str::from_utf8(word_at(bytes, value)).unwrap_or_default();
    // In the middle of a long one: quotes and commas on either side.
    let mut signs = before.clone().filter(|byte| **byte != b' ');
    let is_middle = is_quote(signs.next())
        && signs.next() == Some(&b',')
        && is_quote(signs.next())
        && bytes.get(value + word.len() + 1) == Some(&b',');
    let is_name = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_');
    is_quote(before.clone().next())
        && (has_opening || is_middle)
        && word.bytes().all(is_name)
        && value::is_wordy(word)
}

/// The letters and hyphens at a place, with what stands behind them if that is no end of a word.
fn word_at(bytes: &[u8], at: usize) -> &[u8] {
    let rest = &bytes[at.min(bytes.len())..];
    let belongs = |byte: &u8| !byte.is_ascii_whitespace() && !b"\"'`,.;:)]".contains(byte);
    &rest[..rest.iter().take(NAME_BYTES_MAX).take_while(|byte| belongs(byte)).count()]
}

fn holds(bytes: &[u8], word: &[u8]) -> bool {
    memchr::memmem::find(bytes, word).is_some()
}

pub(super) fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    let blanks = bytes.iter().skip(at).take(GAP_BYTES_MAX).take_while(|byte| matches!(byte, b' ' | b'\t'));
    at + blanks.count()
}
