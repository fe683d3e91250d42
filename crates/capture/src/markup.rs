//! Markup: prose cut into its sentences, without code, tables and quotations.

/// A piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sentence<'a> {
    /// As written, with a list's mark before it.
    pub text: &'a str,
    /// Whether it begins a line with a list's mark or a number.
    pub is_item: bool,
}

/// The sentences of a text. What stands in code fences, tables and quotations is somebody else's.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = Sentence<'_>> {
    lines(text)
        .filter(|(is_own, _)| *is_own)
        .flat_map(|(_, line)| {
            let is_item = item_mark(line) > 0;
            split(line).enumerate().map(move |(at, text)| Sentence { text, is_item: is_item && at == 0 })
        })
        .filter(|sentence| !sentence.text.is_empty())
}

/// The sentences that stand in fences and quotations, where these hold prose.
pub(crate) fn quoted(text: &str) -> impl Iterator<Item = &str> {
    lines(text)
        .filter(|(is_own, line)| !is_own && !line.starts_with('|') && !is_fence(line))
        .flat_map(|(_, line)| split(line.trim_start_matches(QUOTES).trim_start()))
        .filter(|sentence| !sentence.contains(['{', '}', ';', '=', '│', '<']))
}

/// What a quotation of a message, of a table or of a terminal begins with.
const QUOTES: [char; 9] = ['|', '>', '│', '┌', '├', '└', '⎿', '●', '❯'];

/// The lines of a text, with whether they are its author's own.
fn lines(text: &str) -> impl Iterator<Item = (bool, &str)> {
    let mut in_code = false;
    text.lines().map(str::trim).map(move |line| {
        let is_fence = is_fence(line);
        in_code ^= is_fence;
        (!in_code && !is_fence && !line.starts_with(QUOTES), line)
    })
}

fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

/// The length of a list's mark: `- `, `* `, `• `, `1. `, `2) `.
pub(crate) fn item_mark(line: &str) -> usize {
    for mark in ["- ", "* ", "• ", "+ ", "→ ", "– "] {
        if line.starts_with(mark) {
            return mark.len();
        }
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    match line.as_bytes().get(digits..digits + 2) {
        Some(b". " | b") ") if (1..=3).contains(&digits) => digits + 2,
        _ => 0,
    }
}

/// A sentence without the marks of lists, headings and emphasis at its beginning.
pub(crate) fn bare(sentence: &str) -> &str {
    let sentence = sentence.trim_start_matches('#').trim_start();
    sentence[item_mark(sentence)..].trim_start_matches(['*', '_', ' ', '✅', '🎯'])
}

/// One line at its full stops, exclamation and question marks.
fn split(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = sentence_end(rest);
        let (sentence, behind) = rest.split_at(end);
        rest = behind.trim_start();
        Some(sentence.trim())
    })
}

fn sentence_end(text: &str) -> usize {
    const SHORT: &[&str] = &["e.g", "i.e", "vs", "etc", "cf", "approx", "resp", "incl"];
    let bytes = text.as_bytes();
    let mark = item_mark(text);
    let mut in_code = false;
    for (at, byte) in bytes.iter().enumerate() {
        // A file's name between backticks has dots of its own.
        in_code ^= *byte == b'`';
        // The full stops of Chinese and Japanese need no space behind them.
        if !in_code && matches!(byte, 0xe3 | 0xef) && text[at..].starts_with(['。', '！', '？']) {
            return at + 3;
        }
        if in_code || !matches!(byte, b'.' | b'!' | b'?') || at + 1 < mark {
            continue;
        }
        // Closing marks belong to the sentence.
        let close = bytes[at + 1..]
            .iter()
            .take_while(|byte| matches!(byte, b'"' | b'\'' | b')' | b'*' | b'_' | b'.' | b'!' | b'?'))
            .count();
        let end = at + 1 + close;
        // "(is it?) and so on": the sentence goes on behind the bracket.
        let goes_on = || text[end..].trim_start().chars().next().is_some_and(|next| !next.is_uppercase());
        if bytes[at + 1..end].contains(&b')') && goes_on() {
            continue;
        }
        let word = text[..at].rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
        if bytes.get(end).is_none_or(u8::is_ascii_whitespace) && !(*byte == b'.' && SHORT.contains(&word)) {
            return end;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_cut_at_its_full_stops_and_code_is_left_out() {
        let text = "Use `a.b. c` here, e.g. for x. Then (maybe.) stop!\n```\nnot. this\n```\n1. First. Second\n> quoted\n| a | b |";
        let found: Vec<&str> = sentences(text).map(|it| it.text).collect();
        assert_eq!(found, ["Use `a.b. c` here, e.g. for x.", "Then (maybe.) stop!", "1. First.", "Second"]);
    }

    #[test]
    fn what_is_quoted_is_told_apart_where_it_is_prose() {
        let text = "Look:\n> 2. Never do that. It fails\n```\nif (x) { return; }\nYou must not stop here.\n```\n| do not | read |\nmine";
        let found: Vec<&str> = quoted(text).collect();
        assert_eq!(found, ["2. Never do that.", "It fails", "You must not stop here."]);
    }

    #[test]
    fn sentences_without_spaces_between_them_are_cut_as_well() {
        let found: Vec<&str> = sentences("不要提交。先运行测试！然后呢？好").map(|it| it.text).collect();
        assert_eq!(found, ["不要提交。", "先运行测试！", "然后呢？", "好"]);
    }
}
