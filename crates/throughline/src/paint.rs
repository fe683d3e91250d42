//! Colours: which codes in a text are ours; a terminal sees no others.

use std::io::IsTerminal;

use anstream::{AutoStream, ColorChoice};
use throughline_domain::unseen::shown;

/// What our styles and the argument parser's are made of: plain, bold, dim, underlined, and the colours of ink. None hides
/// what it paints.
const OURS: [&str; 10] = ["0", "1", "2", "4", "31", "32", "33", "34", "35", "36"];

/// Whether whoever reads this stream wants colours.
pub(crate) fn wants_colours<S: anstream::stream::RawStream + IsTerminal>(stream: &S) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}

/// The text with our colours and without anything else that a terminal obeys, or that nobody sees.
pub(crate) fn only_ours(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let (mut from, mut search) = (0, 0);
    while let Some(found) = text[search..].find("\u{1b}[") {
        let at = search + found;
        search = at + 2;
        if let Some(end) = ours_end(text, search) {
            kept.push_str(&shown(&text[from..at]));
            kept.push_str(&text[at..end]);
            (from, search) = (end, end);
        }
    }
    kept.push_str(&shown(&text[from..]));
    kept
}

/// The end of a code that begins with these parameters, if it is one of ours.
fn ours_end(text: &str, parameters: usize) -> Option<usize> {
    let rest = &text[parameters..];
    let code =
        OURS.iter().find(|code| rest.strip_prefix(**code).is_some_and(|rest| rest.starts_with('m')))?;
    Some(parameters + code.len() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{BAD, DIM, GOOD, HEAD, HINT, WARN, styled};

    #[test]
    fn our_styles_stay_and_nothing_else_does() {
        for style in [BAD, DIM, GOOD, HEAD, HINT, WARN] {
            let text = styled(style, "word");
            assert_eq!(only_ours(&text), text);
        }
        assert_eq!(
            only_ours("\u{1b}[31mred\u{1b}[0m \u{1b}[8mhidden \u{1b}[31;8mtoo \u{1b}]0;t\u{7}\u{9b}2Jx"),
            "\u{1b}[31mred\u{1b}[0m hidden too x"
        );
        assert_eq!(only_ours("\u{1b}]0;a\u{1b}[0mb\u{7}"), "0;a\u{1b}[0mb");
    }
}
