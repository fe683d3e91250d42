//! Named values: `password=…`, `"token": "…"`, `--api-key …`, and all the other ways to give a secret its name.

use super::Found;
use super::joint::{self, Joint, skip_blanks};
use super::names::{self, Says};
use super::reading::{Ends, PLAIN_BYTES_MAX, QUOTED_BYTES_MAX, Value, value_at};
use super::talk::{self, About};
use super::value::{self, Standing};
use super::{byte_list, label, pieces, prose, sentence};

/// Longest name, on either side of its telling word.
pub(super) const NAME_BYTES_MAX: usize = 64;
/// Pieces of a value that was taken apart, and how much code stands between two.
const PIECES_MAX: usize = 8;
const PIECE_BYTES_MIN: usize = 4;
const GAP_BYTES_MAX: usize = 40;

/// A secret behind the name in which a telling word stands, and where the name begins and ends.
pub(super) fn secret_at(
    text: &str,
    word: usize,
    word_end: usize,
    others: &mut Vec<Found>,
) -> (Option<Found>, (usize, usize)) {
    let bytes = text.as_bytes();
    let (start, end) = name_around(bytes, word, word_end);
    let start = with_word_before(text, start, end);
    // Only then: most names are followed by no value at all.
    let is_part = is_part_of_path(bytes, start, end);
    let is_typed = matches!(bytes.get(end..end + 3), Some([b' ', b'0' | b'5' | b'7' | b'8' | b'9', b' ']));
    let said = || match names::says(&text[start..end]) {
        _ if is_part => None,
        // `secret 0 …`, `key 7 …`: of a router.
        _ if is_typed => Some(Says::Password),
        said => said,
    };
    let found = joint::after(bytes, start, end)
        .and_then(|(joint, at)| judged(text, said()?, joint, start, at, others))
        .or_else(|| prose::secret_after(text, end, said))
        .or_else(|| prose::secret_before(text, start, said));
    if found.is_none()
        && matches!(bytes.get(end), Some(b'[' | b' ' | b':' | b'='))
        && (matches!(said(), Some(Says::Password | Says::Token | Says::Key))
            || text[start..end].eq_ignore_ascii_case("key"))
    {
        others.extend(byte_list::after(text, end));
    }
    if found.is_none() && matches!(said(), Some(Says::Password | Says::Token | Says::Key)) {
        others.extend(byte_list::beside(text, start, end));
        others.extend(byte_list::pairs_after(text, end));
        pieces::each_beside(text, start, end, others);
    }
    if found.is_none() && text[start..end].eq_ignore_ascii_case("key") {
        sentence::each_after(text, end, Says::Key, false, others);
    }
    if found.is_none()
        && matches!(
            bytes.get(end),
            None | Some(
                b' ' | b':' | b'\'' | b'(' | b')' | b'*' | b',' | b'-' | b'?' | b'.' | b'\n' | 0x80..
            )
        )
        && let Some(said) = said()
    {
        // `--- PASS: TestOne`
        if said != Says::Pass || bytes.get(end) == Some(&b' ') {
            sentence::each_after(text, end, said, false, others);
        }
        if said == Says::Password {
            others.extend(sentence::phrase_after(text, end).filter(|_| is_phrase_name(&text[start..end])));
            others.extend(label::value_of(text, start, end));
            sentence::each_alone(text, start, end, others);
        }
        if matches!(said, Says::Password | Says::Token) {
            let about = if said == Says::Password { About::Password } else { About::Token };
            sentence::each_on_line(text, start, others);
            talk::each_around(text, (start, end), about, others);
            talk::each_pair_around(text, start, others);
            others.extend(talk::before_brackets(text, start, end));
        }
    }
    (found, (start, end))
}

/// What a name says of what stands under or beside it, where something may.
pub(super) fn says_at(text: &str, start: usize, end: usize) -> Option<Says> {
    let bytes = text.as_bytes();
    let next = bytes.get(end)?;
    (matches!(next, b'"' | b'\'' | b'\\' | b':' | b'=' | b' ' | b']' | b'\n' | b',')
        && !is_part_of_path(bytes, start, end))
    .then(|| names::says_of_many(&text[start..end]))?
}

/// `checksum/secret: …` is a hash, and between two colons a word is a part of an address.
fn is_part_of_path(bytes: &[u8], start: usize, end: usize) -> bool {
    let before = &bytes[..start];
    before.ends_with(b"checksum/")
        || before.ends_with(b":")
            && bytes.get(end) == Some(&b':')
            && start > 1
            && bytes[start - 2].is_ascii_alphanumeric()
}

/// A password of several words is called so.
fn is_phrase_name(name: &str) -> bool {
    let ends = |word: &str| {
        name.get(name.len().saturating_sub(word.len())..).is_some_and(|end| end.eq_ignore_ascii_case(word))
    };
    ends("phrase") || ends("psk")
}

/// `User: …` on the line above, and nothing behind the password: it may be a word.
fn is_below_user(text: &str, start: usize, value: &Value) -> bool {
    let bytes = text.as_bytes();
    let floor = text.ceil_char_boundary(start.saturating_sub(NAME_BYTES_MAX * 2));
    let mut lines = text[floor..start].rsplit('\n').skip(1);
    let is_user = |line: &str| {
        let lower = line.to_ascii_lowercase();
        let name = lower.split([':', '=']).next().unwrap_or_default();
        name.len() < lower.len() && ["user", "login", "email", "account"].iter().any(|it| name.contains(it))
    };
    let ends = bytes.get(value.end).is_none_or(|byte| matches!(byte, b'\n' | b'\r'));
    ends && lines.next().is_some_and(is_user)
}

/// `velvet-anchor-rocket-lemon`
fn is_joined_phrase(content: &str) -> bool {
    let words = content.split(['-', '.', '_']);
    let is_word =
        |word: &str| (3..=12).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase());
    words.clone().count() > 3 && words.clone().all(is_word) && !value::is_placeholder(content)
}

fn name_end(name: &str) -> usize {
    let bytes = name.as_bytes();
    bytes.iter().take(NAME_BYTES_MAX).take_while(|byte| is_name(**byte)).count()
}

/// Secrets behind a word of another language.
pub(super) fn foreign_at(text: &str, word: usize, word_end: usize, said: Says, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    // `jetonAcces`, `sifre_db`
    let rest = bytes[word_end..].iter().take(NAME_BYTES_MAX);
    let end = word_end + rest.take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    // A key may be public, a password only the place that it opens; Spanish has one word for both.
    let may_be_public = said != Says::Password || text[word..word_end].eq_ignore_ascii_case("clave");
    if names_another(&bytes[word_end..]) || may_be_public && is_public_around(text, word, word_end) {
        return;
    }
    // No code has these words: what has a digit is no name.
    let joined = joint::after(bytes, word, end).map(|(joint, at)| {
        let rest = &bytes[at.min(bytes.len())..];
        let length = rest.iter().take(PLAIN_BYTES_MAX).take_while(|byte| !byte.is_ascii_whitespace()).count();
        let has_digit = rest[..length].iter().any(u8::is_ascii_digit);
        let is_setting = bytes[..at].trim_ascii_end().ends_with(b"=");
        let is_whole = is_setting && rest.get(length).is_none_or(|byte| *byte == b'\n');
        (if joint == Joint::Loose && (has_digit || is_whole) { Joint::Flag } else { joint }, at)
    });
    if let Some(secret) = joined.and_then(|(joint, at)| judged(text, said, joint, word, at, found)) {
        found.push(secret);
        return;
    }
    sentence::each_after(text, end, said, true, found);
    talk::each_around(text, (word, end), About::Abroad, found);
    found.extend(talk::before_brackets(text, word, end));
    if said == Says::Password {
        found.extend(label::value_of(text, word, end));
        sentence::each_on_line(text, word, found);
        sentence::each_alone(text, word, end, found);
    }
}

/// What makes another thing of a foreign word before it: `Passwort-Status`, `Schlüsselfingerabdruck`.
const OTHER_THINGS: [&str; 22] = [
    "status",
    "hinweis",
    "richtlinie",
    "länge",
    "laenge",
    "feld",
    "abfrage",
    "regel",
    "manager",
    "fingerab",
    "wechsel",
    "ablauf",
    "typ",
    "datei",
    "pfad",
    "reset",
    "generator",
    "wort",
    "bund",
    "brett",
    "dienst",
    "stärke",
];

/// Beginnings of words that say that everybody may have it, near a foreign word for a key.
const FOR_ALL: [&str; 14] = [
    "public",
    "públic",
    "pubblic",
    "publiq",
    "ffentlich",
    "убличн",
    "ткрыт",
    "tpečat",
    "тпечат",
    "公開",
    "公钥",
    "공개",
    "mpreinte",
    "ingerab",
];
/// How far such a word may stand from it.
const FOR_ALL_BYTES: usize = 28;

fn is_public_around(text: &str, start: usize, end: usize) -> bool {
    let floor = text.floor_char_boundary(start.saturating_sub(FOR_ALL_BYTES));
    let ceiling = text.ceil_char_boundary((end + FOR_ALL_BYTES / 2).min(text.len()));
    let line = |part: &str| part.contains('\n');
    let (before, behind) = (&text[floor..start], &text[end..ceiling]);
    let before = if line(before) { before.rsplit('\n').next().unwrap_or_default() } else { before };
    let behind = behind.split([':', '=', '\n']).next().unwrap_or_default();
    FOR_ALL.iter().any(|it| before.contains(it) || behind.contains(it))
}

/// Whether the rest of a word, which may be written apart, says that it is about something else.
fn names_another(rest: &[u8]) -> bool {
    let rest = rest.strip_prefix(b"-").or_else(|| rest.strip_prefix(b"_")).unwrap_or(rest);
    OTHER_THINGS
        .iter()
        .any(|it| rest.get(..it.len()).is_some_and(|head| head.eq_ignore_ascii_case(it.as_bytes())))
}

/// Where a name begins that ends so: `proxypw`, `ldappw`.
pub(super) fn short_name(bytes: &[u8], at: usize) -> Option<usize> {
    let letters = bytes[..at].iter().rev().take(16).take_while(|byte| byte.is_ascii_lowercase()).count();
    let is_whole = at == letters || !bytes[at - letters - 1].is_ascii_alphanumeric();
    ((2..=12).contains(&letters) && is_whole).then_some(at - letters)
}

/// `API key`, `secret key`: in a sentence the two words of a name stand apart.
fn with_word_before(text: &str, start: usize, end: usize) -> usize {
    let bytes = text.as_bytes();
    let name = &text[start..end];
    let is_key = name.eq_ignore_ascii_case("key") || name.eq_ignore_ascii_case("keys");
    if !is_key || start == 0 || bytes[start - 1] != b' ' {
        return start;
    }
    let word = bytes[..start - 1].iter().rev().take(16).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let before = start - 1 - word;
    let is_name = word > 2 && !names::LINKS.iter().any(|it| text[before..start - 1].eq_ignore_ascii_case(it));
    if is_name { before } else { start }
}

/// A structured value under its key, as JSON has it.
pub(super) fn is_secret_under(name: &str, text: &str) -> Option<&'static str> {
    let said = names::says(name)?;
    is_secret(said, text).map(|kind| if said == Says::Token { kind_of(name) } else { kind })
}

/// The same where only what the name says is known.
pub(super) fn is_secret(said: Says, text: &str) -> Option<&'static str> {
    match said {
        Says::Password | Says::Pass => (value::is_password(text, Standing::Quoted)
            || value::is_pass_sentence(text))
        .then_some("password"),
        Says::Token => value::is_token(text, Standing::Quoted).then_some("secret"),
        Says::Key => value::is_unnamed_key(text, Standing::Quoted).then_some("key"),
        Says::Phrase => is_phrase(text).then_some("seed-phrase"),
    }
}

/// `"…" + "…"`: a value that somebody took apart; its further pieces go to `others`.
fn in_pieces(text: &str, first: &Value, said: Says, others: &mut Vec<Found>) -> Option<Found> {
    let bytes = text.as_bytes();
    let mut pieces = vec![(first.start, first.end)];
    let mut whole = text[first.start..first.end].to_owned();
    while pieces.len() < PIECES_MAX {
        let from = pieces.last()?.1 + 1;
        let rest = bytes.get(from..)?;
        let gap =
            rest.iter().take(GAP_BYTES_MAX).take_while(|byte| b" \t\n\r+.&,\\<>".contains(byte)).count();
        let is_list = rest[..gap].contains(&b',');
        let is_call =
            bytes[..first.start].ends_with(b"concat!(\"") || bytes[..first.start].ends_with(b"join(\"");
        if gap == 0
            || (is_list && !is_call && !is_joined_list(bytes, first.start))
            || !matches!(rest.get(gap), Some(b'"' | b'\''))
        {
            break;
        }
        let Some(piece) = value_at(bytes, from + gap, Ends::Usual) else { break };
        whole.push_str(&text[piece.start..piece.end]);
        pieces.push((piece.start, piece.end));
    }
    if pieces.len() == 1 || whole.contains(super::OPENING) {
        return None;
    }
    let kind = is_secret(said, &whole).filter(|_| !whole.contains(' '))?;
    // Nobody takes apart what is none: the judge, which sees one piece at a time, is not asked.
    let as_found = |(start, end): (usize, usize)| Found { start, end, kind, is_certain: true };
    // What is shorter gives nothing away.
    let is_long = |(start, end): &(usize, usize)| end - start >= PIECE_BYTES_MIN;
    others.extend(pieces[1..].iter().copied().filter(is_long).map(as_found));
    pieces.first().copied().filter(is_long).map(as_found)
}

/// `["…", "…"].join("-")`: all of a list is one value.
fn is_joined_list(bytes: &[u8], first: usize) -> bool {
    let rest = bytes[first..].iter().take(QUOTED_BYTES_MAX.min(GAP_BYTES_MAX * PIECES_MAX));
    let close = rest.clone().position(|byte| matches!(byte, b']' | b'\n' | b'}'));
    first > 1
        && bytes[first - 2] == b'['
        && close.is_some_and(|close| bytes[first + close..].starts_with(b"].join("))
}

fn judged(
    text: &str,
    said: Says,
    joint: Joint,
    start: usize,
    at: usize,
    others: &mut Vec<Found>,
) -> Option<Found> {
    let bytes = text.as_bytes();
    let name = &text[start..];
    let mut value = value_at(bytes, below_opening(bytes, at), joint)?;
    // `token: string = "…"`: the type stands where a value would.
    if let Some(behind) = behind_type(text, &value) {
        value = behind;
    }
    if let Some(end) = element_end(bytes, &value, joint) {
        value.end = end;
    }
    let is_quoted = value.standing == Standing::Quoted && bytes[value.start - 1] != b'`';
    if joint == Joint::QuotesOnly && !is_quoted {
        return None;
    }
    // `"password", "minLength": 12`: the name of the next field.
    if joint == Joint::QuotesOnly && bytes.get(value.end + 1) == Some(&b':') {
        return None;
    }
    // A type with parameters, a call.
    if value.standing == Standing::Loose
        && bytes.get(value.end) == Some(&b'<')
        && !(joint.is_flag() || joint == Joint::Element)
    {
        return None;
    }
    if value.standing == Standing::Loose && joint == Joint::Tight && is_plain_place(bytes, start, value.end) {
        value.standing = Standing::Plain;
    }
    if joint.is_flag() && value.standing == Standing::Loose {
        value.standing = Standing::Plain;
    }
    let content = &text[value.start..value.end];
    let is_talk = match joint {
        Joint::Words => prose::is_talk(content) || prose::goes_on(content, &bytes[value.end..]),
        Joint::Flag => prose::is_talk(content),
        Joint::QuotesOnly => prose::is_talk(content) || prose::is_talked_about(content, &bytes[value.end..]),
        Joint::Tight | Joint::Loose | Joint::Element | Joint::Prose => false,
    };
    if is_talk {
        return None;
    }
    if is_quoted && let Some(found) = in_pieces(text, &value, said, others) {
        return Some(found);
    }
    if said == Says::Phrase {
        return is_phrase(content).then(|| value.found("seed-phrase"));
    }
    let is_secret = match said {
        Says::Pass => is_pass_here(text, joint, start, &value),
        Says::Password => is_password_here(text, joint, start, &value),
        Says::Token => value::is_token(content, value.standing),
        Says::Key | Says::Phrase => value::is_unnamed_key(content, value.standing),
    };
    if !is_secret || (joint == Joint::Prose && !tells_in_prose(content)) {
        return password_of_user(content, said, name).map(|at| Found {
            start: value.start + at,
            end: value.end,
            kind: "password",
            is_certain: false,
        });
    }
    let kind = if matches!(said, Says::Token | Says::Key) {
        kind_of(&name[..name.floor_char_boundary(NAME_BYTES_MAX * 2)])
    } else {
        "password"
    };
    Some(value.found(kind))
}

/// `= <<-EOT` and `= (`: the value stands on the next line.
fn below_opening(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let opening = match rest {
        [b'<', b'<', b'-' | b'~' | b'"' | b'\'' | b'A'..=b'Z', ..] => {
            rest.iter().take(NAME_BYTES_MAX).position(|byte| *byte == b'\n')
        }
        [b'(', b'\n', ..] => Some(1),
        _ => None,
    };
    let Some(line) = opening.map(|length| at + length + 1) else { return at };
    let value = skip_blanks(bytes, line);
    let is_quoted = matches!(bytes.get(value), Some(b'"' | b'\''));
    if value < bytes.len() && (rest[0] == b'<' || is_quoted) { value } else { at }
}

/// Where the text of an element ends, blanks and all: `<password>…</password>`.
fn element_end(bytes: &[u8], value: &Value, joint: Joint) -> Option<usize> {
    let is_text = matches!(joint, Joint::Element | Joint::Flag)
        && value.standing == Standing::Loose
        && value.start > 0
        && bytes[value.start - 1] == b'>';
    let rest = bytes[value.start..].iter().take(NAME_BYTES_MAX);
    let length = rest.take_while(|byte| !matches!(byte, b'<' | b'\n')).count();
    let end = value.start + length;
    (is_text && end > value.end && bytes[end..].starts_with(b"</")).then_some(end)
}

/// Whether the value behind a password's name is one.
fn is_password_here(text: &str, joint: Joint, start: usize, value: &Value) -> bool {
    let content = &text[value.start..value.end];
    let name = &text[start..];
    let is_quoted = value.standing == Standing::Quoted;
    let is_phrase_name = || is_phrase_name(&name[..name_end(name)]);
    if content.contains(' ') {
        let is_value = matches!(joint, Joint::Tight | Joint::Element) || joint.is_flag() || is_quoted;
        return is_value && value::is_pass_sentence(content)
            || is_quoted && is_phrase_name() && value::is_phrase_sentence(content);
    }
    if is_joined_phrase(content) && is_phrase_name() {
        return joint != Joint::QuotesOnly;
    }
    let is_below = joint == Joint::Loose && is_below_user(text, start, value) && !prose::is_talk(content);
    value::is_password(content, value.standing) || is_below && value::is_password(content, Standing::Plain)
}

/// Whether the value behind the bare word `pass` is a password: test runners say it, too.
fn is_pass_here(text: &str, joint: Joint, start: usize, value: &Value) -> bool {
    let content = &text[value.start..value.end];
    let before = &text.as_bytes()[..start];
    let is_loose = value.standing == Standing::Loose;
    match joint {
        // Of a login, beside its user.
        // `--- PASS: TestOne`
        Joint::Loose if is_loose && text[start..].starts_with("PASS") => value::is_drawn_pass(content),
        Joint::Loose if is_loose && (prose::has_user_before(text, start) || before.ends_with(b"/")) => {
            value::is_password(content, Standing::Loose) && value::has_digit_or_sign(content)
        }
        Joint::Loose if is_loose => value::is_drawn_pass(content),
        // `pass=12`: of a test runner.
        Joint::Tight if is_loose => {
            value::is_password(content, Standing::Loose) && !value::is_wordy(content)
                || value::is_strong(content)
        }
        // `:pass "…"`
        Joint::QuotesOnly => before.ends_with(b":") && value::is_password(content, value.standing),
        _ if is_loose && !joint.is_flag() => false,
        _ => value::is_password(content, value.standing),
    }
}

/// `credentials: user:password`: where the password begins.
fn password_of_user(content: &str, said: Says, name: &str) -> Option<usize> {
    let is_pair =
        said == Says::Token && kind_of(&name[..name.floor_char_boundary(NAME_BYTES_MAX)]) == "credential";
    let (user, password) = content.split_once(':').filter(|_| is_pair)?;
    let is_user = user.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
        && user.bytes().all(|byte| is_name(byte) || byte == b'@');
    let is_password = !password.starts_with("//")
        && !password.starts_with(':')
        && value::is_password(password, Standing::Loose);
    (is_user && is_password).then_some(user.len() + 1)
}

/// What a mark calls the value of a name.
fn kind_of(name: &str) -> &'static str {
    let head = name.as_bytes();
    let end = head.iter().position(|byte| !is_name(*byte)).unwrap_or(head.len());
    let lower = name.get(..end).unwrap_or_default().to_ascii_lowercase();
    match () {
        () if lower.ends_with("key") => "key",
        () if lower.contains("secret") => "secret",
        () if lower.contains("token") => "token",
        () => "credential",
    }
}

pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// The whole name around a telling word.
pub(super) fn name_around(bytes: &[u8], word: usize, word_end: usize) -> (usize, usize) {
    let floor = word.saturating_sub(NAME_BYTES_MAX);
    let mut start = word;
    while start > floor && is_name(bytes[start - 1]) {
        start -= 1;
    }
    // In JSON a line end before a name is spelt with a letter.
    if start > 0 && bytes[start - 1] == b'\\' && start < word && matches!(bytes[start], b'n' | b't' | b'r') {
        start += 1;
    }
    // `%3Ftoken%3D…`: what is spelt so ends before the name.
    if start > 0
        && bytes[start - 1] == b'%'
        && start + 2 <= word
        && bytes[start..start + 2].iter().all(u8::is_ascii_hexdigit)
    {
        start += 2;
    }
    // The dashes of a flag are none of its name.
    while start < word && matches!(bytes[start], b'-' | b'.') {
        start += 1;
    }
    let ceiling = bytes.len().min(word_end + NAME_BYTES_MAX);
    let mut end = word_end;
    while end < ceiling && is_name(bytes[end]) {
        end += 1;
    }
    while end > word_end && matches!(bytes[end - 1], b'.' | b'-') {
        end -= 1;
    }
    (start, end)
}

/// The value behind a type: `: string = "…"`.
fn behind_type(text: &str, value: &Value) -> Option<Value> {
    let bytes = text.as_bytes();
    let word = text[value.start..value.end].trim_end_matches("|null");
    let is_type = matches!(
        word,
        "string" | "str" | "String" | "&str" | "&'static" | "Optional[str]" | "str|None" | "char*"
    );
    if !is_type || value.standing == Standing::Quoted {
        return None;
    }
    let at = skip_blanks(bytes, value.end);
    (bytes.get(at) == Some(&b'=')).then(|| value_at(bytes, skip_blanks(bytes, at + 1), Ends::Usual))?
}

/// Whether the name stands where no code would: in capitals, in a query, behind a flag, at a line's beginning in a file of
/// settings.
fn is_plain_place(bytes: &[u8], start: usize, end: usize) -> bool {
    let name = &bytes[start..end.min(start + NAME_BYTES_MAX)];
    let name = &name[..name.iter().position(|byte| *byte == b'=').unwrap_or(name.len())];
    let is_loud =
        name.iter().all(|byte| !byte.is_ascii_lowercase()) && name.iter().any(u8::is_ascii_uppercase);
    let before = start.checked_sub(1).map(|at| bytes[at]);
    let is_parameter = matches!(before, Some(b'?' | b'&' | b';' | b'-'));
    let is_environment =
        start >= 2 && bytes[..start].ends_with(b"-e ") || bytes[..start].ends_with(b"export ");
    is_loud || is_parameter || is_environment || is_property(bytes, start, end)
}

/// `spring.mail.password=some-words`: a line of a file of settings. No code has the hyphens.
fn is_property(bytes: &[u8], start: usize, end: usize) -> bool {
    let begins = start == 0 || bytes[start - 1] == b'\n';
    let ends = bytes.get(end).is_none_or(|byte| matches!(byte, b'\n' | b'\r'));
    let line = &bytes[start..end];
    let Some(equals) = line.iter().position(|byte| *byte == b'=') else { return false };
    begins && ends && line[..equals].contains(&b'.') && line[equals + 1..].contains(&b'-')
}

/// In prose nearly everything follows `is`: only what has digits between letters, or marks, is a secret there.
fn tells_in_prose(content: &str) -> bool {
    let bytes = content.as_bytes();
    let digits = bytes.iter().any(u8::is_ascii_digit);
    digits && bytes.iter().any(u8::is_ascii_alphabetic) && !content.contains('-')
}

/// Twelve words and more, and none that a sentence has.
fn is_phrase(content: &str) -> bool {
    let words: Vec<&str> = content.split_whitespace().collect();
    let is_plain =
        |word: &&str| (3..=8).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase());
    matches!(words.len(), 12 | 15 | 18 | 21 | 24) && words.iter().all(is_plain) && !words.contains(&"the")
}
