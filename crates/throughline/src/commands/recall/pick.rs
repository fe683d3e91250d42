//! Pick: on a terminal, which result to open. Never in a pipe.

use std::io::{IsTerminal, Write};

use super::results::Hit;
use super::{Desk, page, show};
use crate::failure::Failure;

/// Passages before and after the one that is opened.
const AROUND: usize = 6;
/// Longest answer that is read.
const ANSWER_BYTES_MAX: usize = 64;

/// Whether somebody is there to be asked.
pub(super) fn is_wanted(no_pick: bool) -> bool {
    !no_pick
        && !page::is_for_agent()
        && std::io::stdin().is_terminal()
        && std::io::stdout().is_terminal()
        && std::io::stderr().is_terminal()
}

/// Asks until a blank line, and opens what was named.
pub(super) fn open(desk: &Desk<'_>, hits: &[Hit]) -> Result<(), Failure> {
    loop {
        let _ = write!(anstream::stderr().lock(), "open which (1-{}, Enter to leave)? ", hits.len());
        let mut answer = String::new();
        match std::io::stdin().read_line(&mut answer) {
            Ok(bytes) if bytes > 0 && bytes <= ANSWER_BYTES_MAX => {}
            _ => return Ok(()),
        }
        match chosen(&answer, hits.len()) {
            Choice::Leave => return Ok(()),
            Choice::Open(index) => show::open(desk, &hits[index].id(), AROUND, false)?,
            Choice::Unclear => {}
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Choice {
    Leave,
    Open(usize),
    Unclear,
}

fn chosen(answer: &str, count: usize) -> Choice {
    match answer.trim() {
        "" | "q" | "quit" => Choice::Leave,
        number => match number.parse::<usize>() {
            Ok(number) if (1..=count).contains(&number) => Choice::Open(number - 1),
            _ => Choice::Unclear,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_opens_leaves_or_is_asked_again() {
        assert_eq!(chosen("2\n", 3), Choice::Open(1));
        assert_eq!([chosen("\n", 3), chosen("q", 3)], [Choice::Leave, Choice::Leave]);
        assert_eq!(
            [chosen("0", 3), chosen("4", 3), chosen("x", 3)],
            [Choice::Unclear, Choice::Unclear, Choice::Unclear]
        );
    }
}
