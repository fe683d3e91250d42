//! Unseen characters: what a reader does not see must not reach one who reads bytes.

use std::borrow::Cow;

use crate::sequences::plain;

/// Whether a character shows nothing, or changes how others are shown: directions, joiners, fillers, tags, selectors.
///
/// The three that belong to emoji are not among them; [`shown`] keeps those where they do.
///
/// ```
/// use throughline_domain::unseen::is_unseen;
/// assert!(['\u{200b}', '\u{202e}', '\u{e0041}', '\u{feff}'].into_iter().all(is_unseen));
/// assert!(!['a', 'ש', '界', ' ', '\u{301}'].into_iter().any(is_unseen));
/// ```
#[must_use]
pub fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0d}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// The text without what nobody sees, and without what a terminal obeys ([`plain`]). A joiner between two emoji and a selector behind one stay; letters of every
/// script stay, and so do the marks that are drawn on them.
///
/// ```
/// use throughline_domain::unseen::shown;
/// assert_eq!(shown("pay\u{200b}load \u{202e}\u{1b}[31mtxt"), "payload txt");
/// assert_eq!(shown("👩\u{200d}💻 ❤\u{fe0f} שלום 界 cafe\u{301}"), "👩\u{200d}💻 ❤\u{fe0f} שלום 界 cafe\u{301}");
/// assert_eq!(shown("a\u{fe0f}\u{fe0f}b\u{200d}c"), "abc");
/// ```
#[must_use]
pub fn shown(text: &str) -> Cow<'_, str> {
    let text = plain(text);
    // Every one of them is beyond ASCII.
    let is_odd = |c: char| !c.is_ascii() && (is_unseen(c) || is_of_emoji(c));
    if text.is_ascii() || !text.chars().any(is_odd) {
        return text;
    }
    let mut kept = String::with_capacity(text.len());
    let mut last = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let stays = match c {
            '\u{fe0e}' | '\u{fe0f}' => is_pictograph(last) || matches!(last, '0'..='9' | '#' | '*'),
            '\u{200d}' => {
                (is_pictograph(last) || last == '\u{fe0f}')
                    && rest.peek().is_some_and(|next| is_pictograph(*next))
            }
            c => !is_unseen(c),
        };
        if stays {
            kept.push(c);
            last = c;
        }
    }
    Cow::Owned(kept)
}

fn is_of_emoji(c: char) -> bool {
    matches!(c, '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')
}

fn is_pictograph(c: char) -> bool {
    matches!(c, '\u{203c}'..='\u{3299}' | '\u{1f000}'..='\u{1faff}')
}
