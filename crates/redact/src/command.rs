//! Commands: programs and statements that take a password without giving it a name.

use super::Found;
use super::reading::{self, Ends, Value};
use super::value::{self, Standing};
use super::{prose, sentence, talk};

/// How far behind a program's name its flags are looked for.
const LINE_BYTES_MAX: usize = 600;
/// Longest user and password in one word.
const WORD_BYTES_MAX: usize = 256;
/// How far before an answer the question stands.
const ASKED_BYTES_MAX: usize = 160;

/// How a program takes a password.
#[derive(Debug, Clone, Copy)]
enum Takes {
    /// `-p value`, `-pvalue`.
    Flag(&'static str),
    /// `-pvalue` alone: with a blank behind it the flag means something else.
    Glued(&'static str),
    /// `-u user:password`, with the sign that stands between the two.
    User(&'static [&'static str], char),
    /// The word behind so many others that are no flags.
    Word(usize),
    /// `echo password | program`.
    Piped,
    /// `f("user", "password")`.
    SecondArgument,
    /// A quoted text behind `by` in a statement.
    Quoted,
    /// `send "password"`, after a program asked for it.
    Sent,
    /// `-p password` of any program that was told a user before.
    AfterUser,
    /// `user:password`, right behind the flag that is the word itself.
    Here,
}

/// Programs and statements, by the words that hint at them.
const PROGRAMS: [(&str, Takes); 96] = [
    ("basicauth(", Takes::SecondArgument),
    ("basic_auth(", Takes::SecondArgument),
    ("login(", Takes::SecondArgument),
    ("authenticate(", Takes::SecondArgument),
    ("credential(", Takes::SecondArgument),
    ("credentials(", Takes::SecondArgument),
    ("auth=(", Takes::SecondArgument),
    ("auth = (", Takes::SecondArgument),
    ("auth: [", Takes::SecondArgument),
    ("auth=[", Takes::SecondArgument),
    ("identified", Takes::Quoted),
    ("send ", Takes::Sent),
    ("--user ", Takes::Here),
    (" -u ", Takes::Here),
    ("lftp", Takes::User(&["-u"], ',')),
    ("oathtool", Takes::Word(0)),
    ("sshpass", Takes::Flag("-p")),
    ("redis-cli", Takes::Flag("-a")),
    ("login", Takes::Flag("-p")),
    ("mongo", Takes::Flag("-p")),
    ("cqlsh", Takes::Flag("-p")),
    ("useradd", Takes::Flag("-p")),
    ("usermod", Takes::Flag("-p")),
    ("ldap", Takes::Flag("-w")),
    ("zip", Takes::Flag("-P")),
    ("sqlcmd", Takes::Flag("-P")),
    ("mosquitto_", Takes::Flag("-P")),
    ("ipmitool", Takes::Flag("-P")),
    ("ssh-keygen", Takes::Flag("-N")),
    ("signtool", Takes::Flag("/p")),
    ("xfreerdp", Takes::Flag("/p:")),
    ("plink", Takes::Flag("-pw")),
    ("openssl", Takes::Flag("-k")),
    ("mysql", Takes::Glued("-p")),
    ("mariadb", Takes::Glued("-p")),
    ("7z ", Takes::Glued("-p")),
    ("curl", Takes::User(&["-u", "--user", "-U", "--proxy-user"], ':')),
    ("smbclient", Takes::User(&["-U", "--user"], '%')),
    ("rclone obscure", Takes::Word(0)),
    ("rabbitmqctl add_user", Takes::Word(1)),
    ("htpasswd", Takes::Word(2)),
    ("snmp", Takes::Flag("-c")),
    ("sendemail", Takes::Flag("-xp")),
    ("cargo login", Takes::Word(0)),
    ("nuget", Takes::Flag("-k")),
    ("doctl", Takes::Flag("-t")),
    ("operator unseal", Takes::Word(0)),
    ("unlock-keychain", Takes::Flag("-p")),
    ("generic-password", Takes::Flag("-w")),
    ("net user", Takes::Word(1)),
    ("schtasks", Takes::Flag("/rp")),
    ("mkpasswd", Takes::Word(0)),
    ("wpa_passphrase ", Takes::Word(1)),
    ("convertto-securestring", Takes::Word(0)),
    ("encrypt_string", Takes::Word(0)),
    ("github-oauth.github.com", Takes::Word(0)),
    ("pypi-token.", Takes::Word(1)),
    (" -a ", Takes::Here),
    (" -p ", Takes::AfterUser),
    ("chpasswd", Takes::Piped),
    ("passwd", Takes::Piped),
    ("sudo -s", Takes::Piped),
    ("password-stdin", Takes::Piped),
    ("with-token", Takes::Piped),
    ("secret put", Takes::Piped),
    ("secret create", Takes::Piped),
    ("secrets create", Takes::Piped),
    ("secret set", Takes::Piped),
    ("secrets set", Takes::Piped),
    ("versions add", Takes::Piped),
    ("env add", Takes::Piped),
    ("cryptsetup", Takes::Piped),
    ("/run/secrets", Takes::Piped),
    ("pass insert", Takes::Piped),
    ("gpg ", Takes::Piped),
    ("snmp-server community", Takes::Word(0)),
    ("tacacs-server key", Takes::Word(0)),
    ("radius-server key", Takes::Word(0)),
    ("unprotect ", Takes::Word(0)),
    ("twilio(", Takes::SecondArgument),
    ("securestring", Takes::Flag("--value")),
    ("put-parameter", Takes::Flag("--value")),
    ("keyvault secret", Takes::Flag("--value")),
    ("secret:create", Takes::Flag("--value")),
    ("secret-string", Takes::Word(0)),
    ("bw unlock", Takes::Word(0)),
    ("authtoken ", Takes::Word(0)),
    ("config:set", Takes::Piped),
    ("env:set", Takes::Piped),
    ("variables set", Takes::Piped),
    ("variables --set", Takes::Piped),
    ("kv put", Takes::Piped),
    ("from-literal", Takes::Piped),
    ("password-command 'echo ", Takes::Word(0)),
    ("password-command \"echo ", Takes::Word(0)),
    ("password-command='echo ", Takes::Word(0)),
];

/// The words that hint at a program, for the one pass over every text.
pub(super) const WORDS: [&str; PROGRAMS.len()] = {
    let mut words = [""; PROGRAMS.len()];
    let mut at = 0;
    while at < PROGRAMS.len() {
        words[at] = PROGRAMS[at].0;
        at += 1;
    }
    words
};

/// The passwords in a command in which a telling word stands.
pub(super) fn each_at(text: &str, word: &str, at: usize, found: &mut Vec<Found>) {
    let end = at + word.len();
    if SETTING.contains(&word) {
        each_pair(text, end, found);
    }
    match secret_at(text, at, end) {
        None if word == "login" => match prose::pair_after(text, end) {
            None => {
                sentence::each_on_line(text, at, found);
                let rest = &text[end..text.floor_char_boundary(end + 200)];
                let line = rest.split('\n').next().unwrap_or_default();
                if line.contains('|') {
                    talk::each_pair_around(text, at, found);
                }
                if line.trim_end().ends_with('?') {
                    talk::each_around(text, (at, end), talk::About::Password, found);
                }
            }
            pair => found.extend(pair),
        },
        secret => found.extend(secret),
    }
}

/// The password in a command that begins with a telling word.
fn secret_at(text: &str, word: usize, word_end: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let (_, takes) = PROGRAMS.iter().find(|(name, _)| text[word..word_end].eq_ignore_ascii_case(name))?;
    if matches!(takes, Takes::SecondArgument) {
        return second_argument(text, word_end);
    }
    let ends_word = |byte: u8| !byte.is_ascii_alphanumeric() && byte != b'_';
    // `unzip`, `bunzip2`: only here a letter before is no other word.
    let begins = bytes[word..].starts_with(b"zip")
        || bytes[word] == b' '
        || word.checked_sub(1).is_none_or(|at| ends_word(bytes[at]));
    if !begins {
        return None;
    }
    let limit = bytes.len().min(word_end + LINE_BYTES_MAX);
    let line = &bytes[word_end..limit];
    let end =
        word_end + line.iter().position(|byte| matches!(byte, b'\n' | b'|' | b';')).unwrap_or(line.len());
    let value = match *takes {
        Takes::Flag(flag) => after_flag(bytes, word_end, end, flag.as_bytes())?,
        Takes::Glued(flag) => glued_flag(bytes, word_end, end, flag.as_bytes())?,
        Takes::User(flags, sign) => return user_of(text, word_end, end, flags, sign),
        // "cargo login requires a token": a word of a sentence is no argument.
        Takes::Word(number) => nth_word(bytes, word_end, end, number).filter(|value| {
            value.standing == Standing::Quoted
                || !bytes[value.start..value.end].iter().all(u8::is_ascii_lowercase)
        })?,
        Takes::Piped => piped_into(bytes, word, word_end)?,
        Takes::Here => return pair_at(text, word_end, ':').filter(|found| stands_apart(text, found)),
        Takes::AfterUser => {
            let value =
                reading::value_at(bytes, word_end, Ends::Usual).filter(|_| names_user(bytes, word))?;
            return password(text, value).filter(|found| stands_apart(text, found));
        }
        // "they send encrypted passwords"
        Takes::Sent => {
            sent(bytes, word, word_end).filter(|value| !prose::is_talk(&text[value.start..value.end]))?
        }
        Takes::SecondArgument | Takes::Quoted => {
            let by = memchr::memmem::find(&bytes[word_end..end], b" by ")
                .or_else(|| memchr::memmem::find(&bytes[word_end..end], b" BY "))?;
            // Backticks are for code that a sentence names.
            reading::value_at(bytes, word_end + by + 4, Ends::Usual)
                .filter(|value| value.standing == Standing::Quoted && bytes[value.start - 1] != b'`')?
        }
    };
    password(text, value)
}

/// Commands whose arguments are names and secret values.
const SETTING: [&str; 7] = [
    "secrets set",
    "secret set",
    "config:set",
    "env:set",
    "variables set",
    "variables --set",
    "from-literal",
];

/// The values of `NAME=value` up to the end of a command.
fn each_pair(text: &str, from: usize, found: &mut Vec<Found>) {
    let limit = text.floor_char_boundary(from + LINE_BYTES_MAX);
    let line = text[from..limit].replace("\\\n", "  ");
    let line = &line[..line.find(['\n', '|']).unwrap_or(line.len())];
    let mut at = 0;
    while let Some(sign) = line[at..].find('=').map(|sign| at + sign) {
        let name = line[..sign].rsplit([' ', '"', '\'', '=']).next().unwrap_or_default();
        let value = reading::value_at(text.as_bytes(), from + sign + 1, Ends::Usual);
        let is_flag = name.starts_with('-') && !name.ends_with("literal");
        at = sign + 1;
        if let Some(value) = value.filter(|value| !is_flag && value.end <= limit) {
            let content = &text[value.start..value.end];
            if value::has_digit_or_sign(content) && !content.contains("://") {
                found.extend(password(text, value));
            }
            at = (value.end - from).max(at).min(line.len());
            while !line.is_char_boundary(at) {
                at += 1;
            }
        }
    }
}

/// A word of a command line; flags are none.
fn nth_word(bytes: &[u8], from: usize, end: usize, number: usize) -> Option<Value> {
    let mut at = from;
    let mut left = number;
    loop {
        at += bytes.get(at..end)?.iter().take_while(|byte| **byte == b' ').count();
        let value = reading::value_at(bytes, at, Ends::Usual).filter(|value| value.end <= end)?;
        let is_flag = bytes[value.start] == b'-';
        if left == 0 && !is_flag {
            return Some(value);
        }
        left -= usize::from(!is_flag);
        at = value.end + usize::from(value.standing == Standing::Quoted);
    }
}

/// What somebody printed into a program; of `user:password` the password.
fn piped_into(bytes: &[u8], word: usize, word_end: usize) -> Option<Value> {
    let floor = word.saturating_sub(LINE_BYTES_MAX);
    let floor = memchr::memrchr(b'\n', &bytes[floor..word]).map_or(floor, |at| floor + at + 1);
    let rest = &bytes[word_end..bytes.len().min(word_end + ASKED_BYTES_MAX)];
    if let Some(here) = memchr::memmem::find(rest, b"<<< ") {
        return reading::value_at(bytes, word_end + here + 4, Ends::Usual);
    }
    let pipe = floor + memchr::memrchr(b'|', &bytes[floor..word])?;
    let line = &bytes[floor..pipe];
    let printing =
        [b"echo ".as_slice(), b"printf ", b"echo -n ", b"printf %s ", b"printf '%s' ", b"printf \"%s\" "]
            .into_iter();
    let at = printing.filter_map(|it| Some(memchr::memmem::rfind(line, it)? + it.len())).max()?;
    let mut value = reading::value_at(bytes, floor + at, Ends::Usual).filter(|value| value.end <= pipe)?;
    if bytes[word..word_end].eq_ignore_ascii_case(b"chpasswd") {
        let colon = memchr::memchr(b':', &bytes[value.start..value.end])?;
        value.start += colon + 1;
    }
    Some(value)
}

fn password(text: &str, value: Value) -> Option<Found> {
    let standing = if value.standing == Standing::Quoted { Standing::Quoted } else { Standing::Plain };
    value::is_password(&text[value.start..value.end], standing).then_some(Found {
        start: value.start,
        end: value.end,
        kind: "password",
        is_certain: false,
    })
}

/// `HTTPBasicAuth("user", "password")`.
fn second_argument(text: &str, from: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let is_quote = |byte: Option<&u8>| matches!(byte, Some(b'"' | b'\''));
    let has_prefix = matches!(bytes.get(from), Some(b'f' | b'u' | b'r'));
    if !is_quote(bytes.get(from + usize::from(has_prefix))) {
        return None;
    }
    let user = reading::value_at(bytes, from, Ends::Usual)?;
    let comma = bytes[user.end..].iter().take(4).position(|byte| *byte == b',')?;
    let at = user.end + comma + 1;
    let blanks = bytes[at..].iter().take(4).take_while(|byte| **byte == b' ').count();
    let value = reading::value_at(bytes, at + blanks, Ends::Usual)?;
    (value.standing == Standing::Quoted).then(|| password(text, value))?
}

/// `-p value`, `-pvalue`, `-p'value'`.
fn after_flag(bytes: &[u8], from: usize, end: usize, flag: &[u8]) -> Option<Value> {
    let at = flag_at(bytes, from, end, flag)?;
    let blanks = bytes[at..end].iter().take_while(|byte| **byte == b' ').count();
    reading::value_at(bytes, at + blanks, Ends::Usual)
}

/// `-pvalue` alone: with a blank behind it, the flag asks for the password.
fn glued_flag(bytes: &[u8], from: usize, end: usize, flag: &[u8]) -> Option<Value> {
    let at = flag_at(bytes, from, end, flag)?;
    (bytes.get(at) != Some(&b' ')).then(|| reading::value_at(bytes, at, Ends::Usual))?
}

/// Behind a flag that stands alone or before its value.
fn flag_at(bytes: &[u8], from: usize, end: usize, flag: &[u8]) -> Option<usize> {
    let places = memchr::memmem::find_iter(&bytes[from..end], flag).map(|at| from + at);
    places.filter(|at| bytes[at - 1] == b' ').map(|at| at + flag.len()).find(|at| *at < end)
}

/// `-u user:password`: only the password goes.
fn user_of(text: &str, from: usize, end: usize, flags: &[&str], sign: char) -> Option<Found> {
    let bytes = text.as_bytes();
    for flag in flags {
        let Some(mut at) = flag_at(bytes, from, end, flag.as_bytes()) else { continue };
        at += bytes[at..end].iter().take_while(|byte| matches!(byte, b' ' | b'=')).count();
        if let Some(found) = pair_at(text, at, sign) {
            return Some(found);
        }
    }
    None
}

/// The password of `user:password`.
fn pair_at(text: &str, at: usize, sign: char) -> Option<Found> {
    let mut value = reading::value_at(text.as_bytes(), at, Ends::Usual)?;
    if value.standing != Standing::Quoted {
        // A comma may stand between the two, or in the password.
        let word = text[value.start..]
            .split(|letter: char| letter.is_ascii_whitespace() || matches!(letter, '"' | '\'' | '`'));
        value.end = value.start + word.map(str::len).next().unwrap_or(0).min(WORD_BYTES_MAX);
        value.end = text.floor_char_boundary(value.end);
    }
    let content = &text[value.start..value.end];
    let sign = content.find(sign).filter(|sign| !content[*sign..].starts_with("://"))?;
    password(text, Value { start: value.start + sign + 1, end: value.end, standing: Standing::Quoted })
}

/// Whether a user was named before on the line.
fn names_user(bytes: &[u8], word: usize) -> bool {
    let floor = word.saturating_sub(ASKED_BYTES_MAX);
    let floor = memchr::memrchr(b'\n', &bytes[floor..word]).map_or(floor, |at| floor + at);
    let flags = [b" -u ".as_slice(), b" -U ", b" --user", b" -user", b" --login"];
    flags.iter().any(|flag| memchr::memmem::find(&bytes[floor..word], flag).is_some())
}

/// A flag `-u` means many things: what follows the colon has to be no number, name or path.
fn stands_apart(text: &str, found: &Found) -> bool {
    let secret = &text[found.start..found.end];
    let has = |belongs: fn(&u8) -> bool| secret.as_bytes().iter().any(belongs);
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    let is_odd =
        has(u8::is_ascii_uppercase) || secret.contains(['!', '#', '$', '*', '+']) || !value::is_wordy(secret);
    secret.len() >= 8 && is_mixed && is_odd && !secret.contains('/')
}

/// What is sent to a program that asked for a password in the lines before.
fn sent(bytes: &[u8], word: usize, word_end: usize) -> Option<Value> {
    let before = &bytes[word.saturating_sub(ASKED_BYTES_MAX)..word];
    let asked =
        ["assword", "assphrase"].into_iter().any(|it| memchr::memmem::find(before, it.as_bytes()).is_some());
    let at =
        word_end + bytes[word_end..].iter().take(3).take_while(|byte| matches!(byte, b'-' | b' ')).count();
    let mut value = reading::value_at(bytes, at, Ends::Usual).filter(|_| asked)?;
    for end in [b"\\r".as_slice(), b"\\n"] {
        if bytes[value.start..value.end].ends_with(end) {
            value.end -= end.len();
        }
    }
    Some(value)
}
