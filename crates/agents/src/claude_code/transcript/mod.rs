//! The transcript: one line of it to what it says. Lines that mean nothing to us cost next to nothing.

mod answers;
mod entry;
mod message;
mod response;
pub(crate) mod scan;
#[cfg(test)]
mod tests;
pub(crate) mod tool_input;
pub(crate) mod user_words;

pub(crate) use entry::unless_blank;

use throughline_domain::Problem;
use throughline_domain::transcript::Line;

use crate::transcript::{Carried, Parsed};

/// Reads one line and gives what it tells: each stands by itself.
pub fn read_line<'l>(line: &'l [u8], _: &'l mut Carried, take: &mut dyn FnMut(Line<'l>)) -> Option<Problem> {
    match parse_line(line) {
        Parsed::Line(line) => take(line),
        Parsed::Nothing => {}
        Parsed::Problem(problem) => return Some(problem),
    }
    None
}

/// Reads one line, with or without its line end.
#[must_use]
pub fn parse_line(line: &[u8]) -> Parsed<'_> {
    // A power cut can leave a run of NULs where the file had grown; the line behind it is sound.
    let is_filling = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
    let start = line.iter().position(|byte| !is_filling(byte)).unwrap_or(line.len());
    let line = &line[start..];
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if line.is_empty() {
        return Parsed::Nothing;
    }
    match entry::read(line) {
        Ok(Some(line)) => Parsed::Line(line),
        Ok(None) => Parsed::Nothing,
        Err(what) => Parsed::Problem(Problem::new("transcript line", what)),
    }
}
