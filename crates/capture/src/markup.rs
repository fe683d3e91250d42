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
        .filter(|(is_own, line)| !is_own && !line.starts_with('|') && fence(line).is_none())
        .flat_map(|(_, line)| split(line.trim_start_matches(QUOTES).trim_start()))
        .filter(|sentence| !sentence.contains(['{', '}', ';', '=', '│', '<']))
}

/// What a quotation of a message, of a table or of a terminal begins with.
const QUOTES: [char; 9] = ['|', '>', '│', '┌', '├', '└', '⎿', '●', '❯'];

/// The lines of a text, with whether they are its author's own.
fn lines(text: &str) -> impl Iterator<Item = (bool, &str)> {
    // The mark that opened the block we are in.
    let mut open: Option<&str> = None;
    text.lines().map(str::trim).map(move |line| {
        let mark = fence(line);
        match (open, mark) {
            (None, Some(mark)) => open = Some(mark),
            // A block ends with a mark of its own kind, as long at least, alone on its line: another may stand inside.
            (Some(opened), Some(mark)) if mark.starts_with(opened) && mark == line => open = None,
            _ => {}
        }
        let is_own = open.is_none() && mark.is_none() && !line.starts_with(QUOTES) && !is_logged(line);
        (is_own, line)
    })
}

/// The mark with which a line opens or closes a block of code.
pub(crate) fn fence(line: &str) -> Option<&str> {
    let first = line.chars().next().filter(|first| matches!(first, '`' | '~'))?;
    let mark = &line[..line.len() - line.trim_start_matches(first).len()];
    // Behind backticks that open a block there is no other: `` ```a``` `` is code within a line.
    let is_inline = first == '`' && line[mark.len()..].contains('`');
    (mark.len() >= 3 && !is_inline).then_some(mark)
}

/// A line of a log that was pasted: it begins with a moment, such as `2026-11-16T10:00:00Z`, `[10:00:00]` or
/// `Nov 16 10:00:00`. All of its sentences are a program's.
fn is_logged(line: &str) -> bool {
    let mut words =
        line.split_whitespace().take(4).map(|word| word.trim_matches(['[', ']', '(', ')', ',', '|']));
    let is_month = |word: &str| {
        let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
        months.contains(&word.to_lowercase().as_str())
    };
    match words.next() {
        Some(first) if is_month(first) => words.take(2).any(is_clock),
        Some(first) if is_date(first) => {
            is_clock(first.get(11..).unwrap_or_default()) || words.next().is_some_and(is_clock)
        }
        Some(first) => is_clock(first),
        None => false,
    }
}

/// `2026-11-16`, `2026/11/16`, with or without what stands behind it.
fn is_date(word: &str) -> bool {
    let form: String = word.chars().take(10).map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    matches!(form.as_str(), "0000-00-00" | "0000/00/00" | "0000.00.00")
}

/// `10:00:00`, with or without what stands behind it: to the second, as people do not write it.
fn is_clock(word: &str) -> bool {
    let form: String = word.chars().take(8).map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    form == "00:00:00"
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
pub(crate) fn split(line: &str) -> impl Iterator<Item = &str> {
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
    fn a_fence_ends_with_its_own_kind_only() {
        let text = "Look:\n````\n```\nnot mine\n```\nnor this\n````\nMine.\n~~~ log\n```\nno\n~~~ x\nno\n~~~\n```a``` is mine too.";
        let found: Vec<&str> = sentences(text).map(|it| it.text).collect();
        assert_eq!(found, ["Look:", "Mine.", "```a``` is mine too."]);
        assert_eq!(sentences("Mine.\n```\nnever closed").count(), 1);
    }

    #[test]
    fn all_sentences_of_a_logged_line_are_a_programs() {
        for line in [
            "2026-11-16T10:00:00.123Z app WARN a. Never ask.",
            "2026-11-16 10:00:00,123 [main] a. Never ask.",
            "[2026/11/16 10:00:00] a. Never ask.",
            "[10:00:00] a. Never ask.",
            "10:00:00.123 a. Never ask.",
            "Nov 16 10:00:00 host app[7]: a. Never ask.",
        ] {
            assert_eq!(sentences(line).count(), 0, "{line}");
            assert!(quoted(line).any(|sentence| sentence == "Never ask."), "{line}");
        }
        for line in ["2026-11-16 is the day. Never ask.", "At 10:00 we meet.", "May we go?", "10:30 it is."] {
            assert!(sentences(line).count() > 0, "{line}");
        }
    }

    #[test]
    fn sentences_without_spaces_between_them_are_cut_as_well() {
        let found: Vec<&str> = sentences("不要提交。先运行测试！然后呢？好").map(|it| it.text).collect();
        assert_eq!(found, ["不要提交。", "先运行测试！", "然后呢？", "好"]);
    }
}
