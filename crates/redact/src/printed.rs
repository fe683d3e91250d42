//! Printed: what a command or an expression shows whose words say that it shows a secret, on the lines below it.

use super::value::{self, Standing};
use super::{Found, OPENING};

/// How far the beginning of a line is looked for.
const LINE_BYTES_MAX: usize = 400;
/// Longest line of an answer.
const ANSWER_BYTES_MAX: usize = 2_048;
/// Lines of a dump.
const DUMP_LINES_MAX: usize = 64;
/// What stands before a command that somebody typed.
const PROMPTS: [&str; 9] = ["$ ", "# ", "% ", "> ", ">>> ", "❯ ", "➜ ", "PS ", "sh-"];
/// What a command does that shows one.
const SHOWING: [&str; 9] = [
    " get ",
    " show ",
    "--fields",
    " access ",
    " read ",
    " -w",
    "output ",
    "reveal",
    "find-generic-password",
];
/// What a command does that only names a secret: nothing of it is printed.
const SILENT: [&str; 27] = [
    "ublic",
    "pubkey",
    ".pub",
    "authorized_keys",
    "known_hosts",
    "/proc/",
    "getent",
    "etc/passwd",
    "-----",
    " create",
    " delete",
    " remove",
    " set ",
    " put ",
    " rm ",
    " grep",
    " list",
    " ls",
    " test",
    " build",
    " rotate",
    "generate-name",
    " add ",
    " apply",
    " edit",
    "git ",
    "cargo ",
];

/// The values below the line in which a name stands.
pub(super) fn each_below(text: &str, start: usize, end: usize, found: &mut Vec<Found>) {
    let floor = text.ceil_char_boundary(start.saturating_sub(LINE_BYTES_MAX));
    let limit = text.floor_char_boundary(end + LINE_BYTES_MAX);
    let Some(length) = text[end..limit].find('\n') else { return };
    let from = text[floor..start].rfind('\n').map_or(floor, |at| floor + at + 1);
    let command = &text[from..end + length];
    let typed = command.trim_start();
    // A quotation begins as a prompt does: one word behind it is no command.
    let is_quoted = typed.strip_prefix("> ").is_some_and(|rest| !rest.contains(' '));
    let is_typed = !is_quoted && PROMPTS.iter().any(|it| typed.starts_with(it))
        || typed.contains(":~$ ")
        || typed.contains(":\\> ");
    let is_first = from == 0
        && typed.starts_with(|it: char| it.is_ascii_lowercase())
        && SHOWING.iter().any(|it| command.contains(it));
    if !(is_typed || is_first) || SILENT.iter().any(|it| command.contains(it)) && !command.contains("rivate")
    {
        return;
    }
    let answer_limit = text.floor_char_boundary(end + length + 1 + ANSWER_BYTES_MAX);
    let answer = &text[end + length + 1..answer_limit];
    let line = answer.split('\n').next().unwrap_or_default().trim_end_matches('\r');
    if line.contains(OPENING) {
        return;
    }
    if is_dump(line) {
        for line in answer.split('\n').take(DUMP_LINES_MAX).take_while(|line| is_dump(line)) {
            let content = line[9..].trim();
            let at = content.as_ptr() as usize - text.as_ptr() as usize;
            let dumped = Found { start: at, end: at + content.len(), kind: "secret", is_certain: true };
            found.extend((content.len() >= 4).then_some(dumped));
        }
        return;
    }
    let words: Vec<&str> = line.split([' ', '\t']).filter(|word| !word.is_empty()).collect();
    for word in words.iter().take(8) {
        let word = word.trim_matches(',');
        let quoted = word.strip_prefix('b').filter(|rest| rest.starts_with(['"', '\''])).unwrap_or(word);
        let content = quoted.trim_matches(['"', '\'']);
        let is_alone = words.len() == 1;
        // What a prompt answers without one is a sentence, more often than not.
        let is_secret = if is_alone {
            is_value(content, is_typed)
        } else {
            is_typed && value::is_random(content) && !is_id(content)
        };
        if is_secret {
            let at = content.as_ptr() as usize - text.as_ptr() as usize;
            found.push(Found { start: at, end: at + content.len(), kind: "secret", is_certain: false });
        }
    }
}

/// `00000000: 4a75 6e69 …`
fn is_dump(line: &str) -> bool {
    let bytes = line.as_bytes();
    bytes.len() > 10
        && bytes[..8].iter().all(u8::is_ascii_hexdigit)
        && matches!(bytes[8], b':' | b' ')
        && line.is_char_boundary(9)
}

/// The number of a request, of a session, of a thing: in a sentence it says which.
fn is_id(content: &str) -> bool {
    let groups = content.trim_matches(['(', ')', '.', ':']).split('-');
    groups.clone().count() == 5
        && groups.clone().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn is_value(content: &str, is_typed: bool) -> bool {
    let is_hex = content.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    if is_hex {
        return is_typed && content.len() >= 24 && !matches!(content.len(), 40 | 64);
    }
    if content.matches(':').count() > 2 || content.starts_with("ssh-") || content.starts_with("AAAA") {
        return false;
    }
    let is_name = content.contains(['/', '\\']) && !content.contains("\\x") && !value::is_random(content);
    !is_name
        && value::has_digit_or_sign(content)
        && (value::is_strong_or_mixed(content)
            || value::is_token(content, Standing::Plain)
            || content.contains("\\x")
            || is_typed && value::is_password(content, Standing::Plain) && !value::is_wordy(content))
}
