//! The marks around every text of ours: by them it is known again, and never taken for somebody's words.

use std::borrow::Cow;

/// What a fragment begins with; the kind follows.
pub const OPEN: &str = "[throughline:";
/// What a fragment ends with.
pub const CLOSE: &str = "[/throughline]";
/// The longest word that names a kind of fragment.
const KIND_BYTES_MAX: usize = 32;

/// The first fragment of ours in a text: where it begins and where it ends. One that was cut short reaches to the end.
///
/// ```
/// use throughline_domain::fragment::find;
/// assert_eq!(find("a [throughline:notice]\nb\n[/throughline] c"), Some((2, 39)));
/// assert_eq!(find("the mark begins with [throughline: and a kind"), None);
/// ```
#[must_use]
pub fn find(text: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    while let Some(begin) = text[from..].find(OPEN).map(|at| from + at) {
        let kind = &text.as_bytes()[begin + OPEN.len()..];
        let letters = kind.iter().take(KIND_BYTES_MAX).take_while(|byte| byte.is_ascii_lowercase()).count();
        if letters > 0 && kind.get(letters) == Some(&b']') {
            let end = text[begin..].find(CLOSE).map_or(text.len(), |at| begin + at + CLOSE.len());
            return Some((begin, end));
        }
        from = begin + OPEN.len();
    }
    None
}

/// A text without the fragments of ours in it; a line break stands for each.
#[must_use]
pub fn without(text: Cow<'_, str>) -> Cow<'_, str> {
    let Some(mut found) = find(&text) else { return text };
    let mut kept = String::with_capacity(text.len());
    let mut rest = &*text;
    loop {
        kept.push_str(&rest[..found.0]);
        // What stood apart stays apart: two halves must not make a new mark.
        kept.push('\n');
        rest = &rest[found.1..];
        match find(rest) {
            Some(next) => found = next,
            None => break,
        }
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// Whether a command line runs this program: its output is ours, and what it records is recorded already.
///
/// ```
/// use throughline_domain::fragment::runs_us;
/// assert!(runs_us("cd app && ~/.local/bin/throughline add decision x"));
/// assert!(!runs_us("cd throughline && cargo test"));
/// ```
#[must_use]
pub fn runs_us(command: &str) -> bool {
    let parts = command.split(['\n', ';', '|', '&', '(']);
    parts.filter_map(|part| part.split_whitespace().find(|word| !word.contains('='))).any(|program| {
        let name = program.trim_matches(['"', '\'']).rsplit(['/', '\\']).next();
        matches!(name, Some("throughline" | "throughline.exe"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fragment_is_cut_and_the_rest_stays() {
        let text = "a[throughline:briefing]x[/throughline]b[throughline:notice]y[/throughline]c";
        assert_eq!(without(text.into()), "a\nb\nc");
        assert_eq!(without("a [throughline:briefing]\ncut short".into()), "a \n");
        assert!(matches!(without("nothing of ours".into()), Cow::Borrowed(_)));
    }

    #[test]
    fn a_text_about_the_marks_is_no_fragment() {
        for text in
            ["[throughline:", "[throughline:]x", "[throughline:Über]", "[throughline: x]", "[/throughline]"]
        {
            assert_eq!(without(text.into()), text);
        }
    }
}
