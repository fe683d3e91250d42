//! Addresses: passwords before the host, and parameters that are secrets in an address alone.

use super::value::{self, Standing};
use super::{Found, mark};

const SCHEME_BYTES_MAX: usize = 24;
const USER_BYTES_MAX: usize = 512;
const PARAMETER_BYTES_MAX: usize = 512;
/// Shorter parts of a link that opens something are names.
const LINK_BYTES_MIN: usize = 20;
/// What examples of addresses have for a password.
const EXAMPLES: [&str; 10] =
    ["password", "passwd", "pass", "pwd", "secret", "pw", "p", "token", "password123", "mypassword"];

/// A password, or a token in a user's place, behind `://`.
pub(super) fn secret_at(text: &str, separator: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let scheme = bytes[..separator]
        .iter()
        .rev()
        .take(SCHEME_BYTES_MAX)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    if scheme.count() < 2 {
        return None;
    }
    let start = separator + 3;
    let limit = bytes.len().min(start + USER_BYTES_MAX);
    let ends = |byte: &u8| {
        byte.is_ascii_whitespace()
            || byte.is_ascii_control()
            || matches!(byte, b'"' | b'\'' | b'<' | b'>' | b'`' | b'\\')
    };
    let mut end = start + bytes[start..limit].iter().position(ends).unwrap_or(limit - start);
    // The last `@` before the path; a password may hold a slash or a question mark, a host may not.
    let authority = bytes[start..end]
        .iter()
        .position(|byte| matches!(byte, b'/' | b'?' | b'#'))
        .map_or(end, |at| start + at);
    let at_sign =
        |until: usize| bytes[start..until].iter().rposition(|byte| *byte == b'@').map(|at| start + at);
    let host = if let Some(at) = at_sign(authority) {
        at
    } else if text[start..end].starts_with("hooks.") {
        return last_part(text, start, end);
    } else {
        let at = at_sign(end)?;
        // `https://host/path/@scope` has an `@` far behind the host; a password with a slash has a colon before it.
        let head = &bytes[start..authority];
        let colon = head.iter().position(|byte| *byte == b':')?;
        let is_port = head[colon + 1..].iter().all(u8::is_ascii_digit);
        if is_port || head[..colon].contains(&b'.') {
            return None;
        }
        at
    };
    end = host;
    let Some(colon) = bytes[start..end].iter().position(|byte| *byte == b':').map(|at| start + at) else {
        let user = &text[start..end];
        return value::is_random(user).then_some(Found { start, end, kind: "url-token", is_certain: false });
    };
    if text[start..end].contains(mark::OPENING) {
        return None;
    }
    let (user, password) = (&text[start..colon], &text[colon + 1..end]);
    let is_example = EXAMPLES.iter().any(|it| password.eq_ignore_ascii_case(it))
        || (password == user && value::is_wordy(user));
    let is_variable = password.starts_with('$')
        || password.starts_with('%') && password.ends_with('%')
        || password.contains(['{', '}', '(', '[', '<'])
        || password.starts_with("**");
    if password.is_empty() || is_example || is_variable || value::is_placeholder(password) {
        return None;
    }
    Some(Found { start: colon + 1, end, kind: "url-password", is_certain: false })
}

/// `https://hooks.…/in/…`: whoever has the last part of it may post.
fn last_part(text: &str, start: usize, end: usize) -> Option<Found> {
    let part = text[start..end].trim_end_matches([')', ']', '.', ',', '/']).rsplit('/').next()?;
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    let is_drawn = part.len() >= LINK_BYTES_MIN && value::is_random(part);
    is_drawn.then_some(Found { start, end: start + part.len(), kind: "url-token", is_certain: false })
}

/// `host:5432:database:user:password`, a line of a file of passwords; `port` is where its port stands.
pub(super) fn in_password_file(text: &str, port: usize, port_end: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let limit = text.floor_char_boundary(port_end + USER_BYTES_MAX);
    let line = text[port_end..limit].split(['\n', ' ', '"', '\'']).next()?;
    let mut fields = line.splitn(3, ':');
    let (database, user, password) = (fields.next()?, fields.next()?, fields.next()?);
    let is_host = port > 0 && !bytes[port - 1].is_ascii_whitespace();
    let start = port_end + database.len() + user.len() + 2;
    (is_host && !user.is_empty() && value::is_password(password, Standing::Plain)).then_some(Found {
        start,
        end: start + password.len(),
        kind: "password",
        is_certain: false,
    })
}

/// `user:password` before `@tcp(…)`, as Go's drivers take it.
pub(super) fn before(text: &str, end: usize) -> Option<Found> {
    let floor = text.ceil_char_boundary(end.saturating_sub(USER_BYTES_MAX));
    let word = text[floor..end].rsplit([' ', '"', '\'', '`', '=', '\n']).next()?;
    let (_, password) = word.split_once(':')?;
    value::is_password(password, Standing::Plain).then_some(Found {
        start: end - password.len(),
        end,
        kind: "password",
        is_certain: false,
    })
}

/// `user/password@database`, as Oracle's programs take it.
pub(super) fn behind_slash(text: &str, from: usize) -> Option<Found> {
    let rest = &text[from..text.floor_char_boundary(from + USER_BYTES_MAX)];
    let word = rest.split([' ', '\n']).next()?;
    let (user, behind) = word.split_once('/')?;
    let is_quoted = behind.starts_with('"');
    let behind = behind.strip_prefix('"').unwrap_or(behind).split('\'').next()?;
    let end = if is_quoted { behind.find('"')? } else { behind.split('"').next()?.rfind('@')? };
    let password = &behind[..end];
    let is_name = !user.is_empty() && user.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let start = from + user.len() + 1 + usize::from(is_quoted);
    (is_name && value::is_password(password, Standing::Plain)).then_some(Found {
        start,
        end: start + password.len(),
        kind: "password",
        is_certain: false,
    })
}

/// `?sig=…`, `&key=…`: what signs or opens an address.
pub(super) fn parameter_at(text: &str, word: usize, word_end: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let mut name = word;
    while name > 0
        && word - name < 32
        && (bytes[name - 1].is_ascii_alphanumeric() || matches!(bytes[name - 1], b'-' | b'_'))
    {
        name -= 1;
    }
    if !matches!(name.checked_sub(1).map(|at| bytes[at])?, b'?' | b'&') {
        return None;
    }
    let run = bytes[word_end..].iter().take(PARAMETER_BYTES_MAX);
    let length = run
        .take_while(|byte| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'%' | b'-' | b'_' | b'.' | b'~' | b'+' | b'/' | b'=')
        })
        .count();
    let end = word_end + length;
    let content = &text[word_end..end];
    (length >= 16 && !content.contains("%20") && value::is_token(content, Standing::Plain)).then_some(Found {
        start: word_end,
        end,
        kind: "url-signature",
        is_certain: false,
    })
}

/// `[host]:587 user:password`, a line of a mail server's file of passwords.
pub(super) fn in_relay_file(text: &str, end: usize) -> Option<Found> {
    let line = text.get(end..text.floor_char_boundary(end + USER_BYTES_MAX))?.split('\n').next()?;
    let word = line.strip_prefix([' ', '\t'])?.trim();
    let (user, password) = word.split_once(':')?;
    let start = password.as_ptr() as usize - text.as_ptr() as usize;
    let is_pair = !user.is_empty() && !word.contains(' ') && value::is_password(password, Standing::Quoted);
    is_pair.then_some(Found { start, end: start + password.len(), kind: "password", is_certain: false })
}

/// `/reset?t=…`, `/invite/…`: what was drawn at random in an address that opens something.
pub(super) fn each_in_link(text: &str, end: usize, found: &mut Vec<Found>) {
    let limit = text.floor_char_boundary(end + PARAMETER_BYTES_MAX);
    let Some(rest) = text.get(end..limit) else { return };
    let belongs = |letter: char| letter.is_ascii_alphanumeric() || "-_.~/?&=%#+".contains(letter);
    let rest = &rest[..rest.find(|letter: char| !belongs(letter)).unwrap_or(rest.len())];
    for part in rest.split(['/', '?', '&', '=', '#']).filter(|part| part.len() >= LINK_BYTES_MIN) {
        let is_print = matches!(part.len(), 40 | 64) && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_file = part.contains('.') && value::is_wordy(part);
        if value::is_random(part) && !is_print && !is_file {
            let start = part.as_ptr() as usize - text.as_ptr() as usize;
            found.push(Found { start, end: start + part.len(), kind: "url-token", is_certain: false });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_webhook_has_a_token_at_its_end_and_a_user_may_be_called_like_one() {
        for (text, wanted) in [
            (
                "https://hooks.chat.example/in/T023LZJ7VKQ/zDbOjxMZAT7uX8VfMjrysoRC",
                Some("zDbOjxMZAT7uX8VfMjrysoRC"),
            ),
            ("amqp://hooks.svc:Quitten_91x@broker/vhost", Some("Quitten_91x")),
            ("https://hooks.chat.example/docs/getting-started-with-webhooks", None),
        ] {
            let at = text.find("://").unwrap();
            assert_eq!(secret_at(text, at).map(|it| &text[it.start..it.end]), wanted, "{text}");
        }
    }
}
