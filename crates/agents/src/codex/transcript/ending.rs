//! Ending: how a call ended, by what the client wrote above its answer or in its place.

use super::answer::Ending;
use super::outputs::holds;

/// How a call ended stands at the beginning of its answer.
const HEADER_BYTES_MAX: usize = 400;
/// Most lines of an answer in the older form.
const LINES_MAX: usize = 1_024;

/// How a call ended, and what is left of its answer without what the client wrote about that.
pub(super) fn of<'a>(pieces: &[&'a str]) -> (Ending, Vec<&'a str>) {
    let Some((first, rest)) = pieces.split_first() else { return (Ending::Well, Vec::new()) };
    if let Some(inner) = first.strip_prefix("{\\\"output\\\":\\\"") {
        return wrapped(inner);
    }
    let mut ending = None;
    let mut body = *first;
    // A patch that a command held has two of them.
    for _ in 0..2 {
        let Some(header) = header(body) else { break };
        ending = told_by(header).or(ending);
        body = &body[header.len()..];
    }
    let words = &body[..body.floor_char_boundary(HEADER_BYTES_MAX)];
    let ending = ending.unwrap_or_else(|| told_in(words, body.len() == first.len()));
    let mut left = vec![body];
    left.extend(rest);
    (ending, left)
}

/// Whether a text says that the user refused a call.
pub(super) fn is_refusal(text: &str) -> bool {
    holds(text, "rejected by user")
}

/// What the client writes above an answer, up to its `Output:`; above that of a call that was stopped, its time alone.
fn header(text: &str) -> Option<&str> {
    const OUTPUT: &str = "Output:\\n";
    let begins = ["Chunk ID: ", "Wall time: ", "Wall time ", "Exit code: ", "Script "];
    if !begins.iter().any(|begin| text.starts_with(begin)) {
        return None;
    }
    let head = &text[..text.floor_char_boundary(HEADER_BYTES_MAX)];
    let end = head.find(OUTPUT).map(|at| at + OUTPUT.len()).or_else(|| head.find("aborted by user"))?;
    Some(&text[..end])
}

fn told_by(header: &str) -> Option<Ending> {
    if holds(header, "Process running with session ID") {
        return Some(Ending::Running);
    }
    if header.starts_with("Script failed") {
        return Some(Ending::Failed);
    }
    let code =
        ["Process exited with code ", "Exit code: "].iter().find_map(|says| header.split_once(says))?.1;
    let is_zero =
        code.strip_prefix('0').is_some_and(|rest| !rest.starts_with(|it: char| it.is_ascii_digit()));
    Some(if is_zero { Ending::Well } else { Ending::Failed })
}

/// How a call ended whose answer has no code above it: `is_bare` where nothing at all stands there.
fn told_in(words: &str, is_bare: bool) -> Ending {
    const NOT_RUN: [&str; 4] = [
        "unsupported call",
        "unsupported custom tool call",
        "failed to parse function arguments",
        "unknown tool",
    ];
    const FAILED: [&str; 4] = [
        "exec_command failed",
        "apply_patch verification failed",
        "execution error",
        "unable to process image",
    ];
    let begins = |with: &[&str]| with.iter().any(|word| words.starts_with(word));
    match () {
        () if words.starts_with("aborted by user") => Ending::Aborted,
        () if !is_bare => Ending::Well,
        () if is_refusal(words) => Ending::Refused,
        () if begins(&["aborted"]) => Ending::Aborted,
        () if holds(words, "Rejected(") => Ending::NotAllowed,
        () if begins(&NOT_RUN) => Ending::NotRun,
        () if begins(&FAILED) => Ending::Failed,
        () => Ending::Well,
    }
}

/// An answer inside of an object that is itself a text, as older clients write it: its line ends are escaped twice.
fn wrapped(inner: &str) -> (Ending, Vec<&str>) {
    const ENDS: &str = "\\\",\\\"metadata\\\":";
    let (text, noted) = inner.rsplit_once(ENDS).unwrap_or((inner, ""));
    let code = noted.split_once("\\\"exit_code\\\":").map(|(_, rest)| rest.trim_start());
    let is_failure = code.is_some_and(|code| !code.starts_with('0'));
    let lines = text.split("\\\\n").take(LINES_MAX).collect();
    (if is_failure { Ending::Failed } else { Ending::Well }, lines)
}
