//! Reading a hand-over: out of a summary, where it is a section, or out of a text that somebody wrote by hand.

use super::{HandOverLine, LineKind};
use crate::text::one_line;

/// Of a text so much is looked at.
const TEXT_BYTES_MAX: usize = 256 << 10;
/// Most facts that are read.
const LINES_MAX: usize = 200;
/// A longer fact is cut.
const LINE_UNITS_MAX: usize = 1_000;
/// A heading is short; a sentence that begins with the word is none.
const HEADING_WORDS_MAX: usize = 8;
/// The longest label before a fact.
const LABEL_CHARS_MAX: usize = 32;

/// The facts of the section "Hand-over" of a summary; none where it has no such section. Of several the last counts.
#[must_use]
pub fn in_summary(summary: &str) -> Vec<HandOverLine> {
    let summary = inner(head(summary));
    let lines: Vec<&str> = summary.lines().collect();
    let sections = lines.iter().enumerate().rev().filter(|(_, line)| is_hand_over(line));
    sections
        .map(|(at, line)| facts(section(line, &lines[at + 1..])))
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

/// The facts of a text that is a hand-over as a whole, or holds one.
#[must_use]
pub fn in_text(text: &str) -> Vec<HandOverLine> {
    let found = in_summary(text);
    if found.is_empty() { facts(&head(text).lines().collect::<Vec<_>>()) } else { found }
}

fn head(text: &str) -> &str {
    &text[..text.floor_char_boundary(TEXT_BYTES_MAX)]
}

/// Of a raw summary only what stands inside `<summary>` will be in the context.
fn inner(raw: &str) -> &str {
    raw.split_once("<summary>")
        .map_or(raw, |(_, rest)| rest.rsplit_once("</summary>").map_or(rest, |(inner, _)| inner))
}

/// A heading, as far as it is marked as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heading {
    /// So many `#`.
    Hashes(usize),
    /// `10. Title:`, indented so far.
    Numbered { number: u64, indent: usize },
    /// `**Title**`, or a short line that ends with a colon.
    Plain,
}

/// The heading that a line is, and its words; `None` when it is none.
fn heading(line: &str) -> Option<(Heading, &str)> {
    let words = line.trim();
    let indent = line.len() - line.trim_start().len();
    let hashes = words.bytes().take_while(|byte| *byte == b'#').count();
    if hashes > 0 {
        let title = words[hashes..].trim();
        return Some((Heading::Hashes(hashes), numbered(title).map_or(title, |(_, title)| title)));
    }
    if let Some((number, title)) = numbered(words) {
        return Some((Heading::Numbered { number, indent }, title));
    }
    let is_bold = words.len() > 4 && words.starts_with("**") && words.trim_end_matches(':').ends_with("**");
    (is_bold || words.ends_with(':') || words.starts_with('<')).then_some((Heading::Plain, words))
}

/// `10. Title` or `10) Title`.
fn numbered(words: &str) -> Option<(u64, &str)> {
    let digits = words.bytes().take_while(u8::is_ascii_digit).count();
    let title = words[digits..].strip_prefix(['.', ')'])?;
    Some((words[..digits].parse().ok()?, title.trim()))
}

/// Whether a line heads the section. Without any mark it must be the word alone.
fn is_hand_over(line: &str) -> bool {
    let (is_marked, title) = heading(line).map_or((false, line), |(_, title)| (true, title));
    let folded = super::folded(title);
    let rest =
        ["hand over", "handover", "hand off", "handoff"].iter().find_map(|it| folded.trim().strip_prefix(it));
    rest.is_some_and(|rest| {
        rest.is_empty()
            || is_marked && rest.starts_with(' ') && rest.split_whitespace().count() < HEADING_WORDS_MAX
    })
}

/// The lines below a heading, up to the next one of the same or a higher level.
fn section<'l, 't>(head: &str, below: &'l [&'t str]) -> &'l [&'t str] {
    let level = heading(head).map_or(Heading::Plain, |(level, _)| level);
    let ends = |line: &&str| {
        if line.trim() == "</summary>" {
            return true;
        }
        let Some((other, title)) = heading(line) else { return false };
        match (level, other) {
            (Heading::Hashes(own), Heading::Hashes(other)) => other <= own,
            (_, Heading::Hashes(_)) => LineKind::from_label(title).is_none(),
            // Facts may be numbered from one; the section after ours has the next number.
            (Heading::Numbered { number, indent }, Heading::Numbered { number: other, indent: at }) => {
                other == number + 1 && at <= indent
            }
            (Heading::Plain, Heading::Plain) => {
                !line.starts_with([' ', '\t', '-', '*'])
                    && LineKind::from_label(title.trim_end_matches(':')).is_none()
                    || line.starts_with("**") && label(title).is_none()
            }
            _ => false,
        }
    };
    let end = below.iter().position(ends).unwrap_or(below.len());
    &below[..end]
}

/// The facts in the lines of a section.
fn facts(lines: &[&str]) -> Vec<HandOverLine> {
    let mut facts: Vec<HandOverLine> = Vec::new();
    let mut current: Option<LineKind> = None;
    let mut is_code = false;
    // A line that goes on from the one before is indented, and no item of its own.
    let mut goes_on = false;
    for line in lines {
        if facts.len() >= LINES_MAX {
            break;
        }
        let words = line.trim();
        if words.starts_with("```") {
            is_code = !is_code;
            goes_on = false;
            continue;
        }
        if words.is_empty() {
            goes_on = false;
            continue;
        }
        let (is_item, words) = unbulleted(words);
        if goes_on && !is_item && !is_code && line.starts_with([' ', '\t']) && label(words).is_none() {
            if let Some(last) = facts.last_mut() {
                last.text = one_line(&format!("{} {words}", last.text), LINE_UNITS_MAX);
            }
            continue;
        }
        if let Some(kind) = sub_heading(words) {
            current = Some(kind);
            goes_on = false;
            continue;
        }
        let told = label(words);
        if !says_something(told.map_or(words, |(_, _, fact)| fact)) {
            continue;
        }
        let (kind, text) = match told {
            Some((kind, name, text)) if is_own_name(kind, name) => (kind, text.to_owned()),
            // `next:`, `asked:` say more than their kind does.
            Some((kind, name, text)) => (kind, format!("{}: {text}", name.to_lowercase())),
            None => (current.unwrap_or_else(|| LineKind::guessed(words)), words.to_owned()),
        };
        let kind = if is_code && current.is_none() { LineKind::Command } else { kind };
        facts.push(HandOverLine::new(kind, one_line(&text, LINE_UNITS_MAX)));
        goes_on = true;
    }
    facts
}

/// A line without its bullet or number, and whether it had one.
fn unbulleted(words: &str) -> (bool, &str) {
    for bullet in ["- [ ] ", "- [x] ", "- ", "* ", "• ", "– ", "+ "] {
        if let Some(rest) = words.strip_prefix(bullet) {
            return (true, rest.trim());
        }
    }
    match numbered(words) {
        Some((_, rest)) if !rest.is_empty() => (true, rest),
        _ => (false, words),
    }
}

/// The kind of a line that names one and nothing else: `**Rules:**`, `### Dead ends`, `Commands that work here:`.
fn sub_heading(words: &str) -> Option<LineKind> {
    let is_marked = words.starts_with('#') || words.starts_with("**") || words.ends_with(':');
    let title = words.trim_start_matches('#').trim();
    (is_marked && title.chars().count() <= LABEL_CHARS_MAX + 8).then(|| LineKind::from_label(title)).flatten()
}

/// The kind, its name as written and the fact, of a line `kind: fact`, `**kind**: fact` or `[kind] fact`.
fn label(words: &str) -> Option<(LineKind, &str, &str)> {
    let marked = [('[', "]"), ('|', "|")].into_iter();
    let marked = marked.filter_map(|(open, close)| words.strip_prefix(open)?.split_once(close));
    // `**rule** — fact`
    let bold = words.strip_prefix("**").and_then(|rest| rest.split_once("**"));
    let bold = bold.and_then(|(name, fact)| Some((name, fact.trim_start().strip_prefix(['—', '–', '-'])?)));
    let (name, fact) = marked.chain(bold).next().or_else(|| words.split_once(':'))?;
    // `rule (the agent's words)`: whose it is was told by us, and is found out anew.
    let name = name.split_once(" (").map_or(name, |(name, _)| name);
    let name = name.trim().trim_matches(['*', '`', '_', ' ']);
    if name.chars().count() > LABEL_CHARS_MAX {
        return None;
    }
    let kind = LineKind::from_label(name)?;
    let fact = fact.trim().trim_start_matches("**").trim_start_matches(':').trim_end_matches('|').trim();
    (!fact.is_empty()).then_some((kind, name, fact))
}

/// Whether a name says no more than the kind does.
fn is_own_name(kind: LineKind, name: &str) -> bool {
    let name = name.to_lowercase();
    let word = kind.word();
    name == word || name.strip_suffix('s') == Some(word) || kind != LineKind::Open && kind != LineKind::State
}

fn says_something(text: &str) -> bool {
    let folded = super::folded(text);
    !matches!(folded.trim(), "" | "none" | "n a" | "nothing" | "none known" | "not applicable" | "-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::utf16_len;

    fn told(lines: &[HandOverLine]) -> Vec<String> {
        lines.iter().map(|line| format!("{}: {}", line.kind.word(), line.text)).collect()
    }

    const FACTS: &str = "- rule: \"never push to main\"\n- tried: `timeout` is not there; `gtimeout 5 …` works\n\
                         - open: next: write `parser.rs`\n";
    const READ: [&str; 3] = [
        "rule: \"never push to main\"",
        "tried: `timeout` is not there; `gtimeout 5 …` works",
        "open: next: write `parser.rs`",
    ];

    #[test]
    fn the_section_is_found_however_it_is_headed() {
        for head in [
            "## Hand-over",
            "# Hand-over:",
            "#### 10. Hand-over",
            "10. Hand-over:",
            "10) **Hand-over**",
            "**Hand-over**",
            "**Hand-over:**",
            "Hand-over",
            "Hand-over:",
            "## Hand-over (facts for the next context)",
            "HANDOVER",
            "## Handoff",
        ] {
            let summary = format!(
                "<analysis>\n## Hand-over\n- rule: a draft\n</analysis>\n<summary>\n1. Primary Request:\n   fix it\n\n{head}\n{FACTS}</summary>\nmore"
            );
            assert_eq!(told(&in_summary(&summary)), READ, "{head}");
        }
        assert_eq!(in_summary("The hand-over was written.\n- rule: x"), []);
        assert_eq!(in_summary("## Handling overflow\n- rule: x"), []);
        assert_eq!(in_summary("nothing of the kind"), []);
    }

    #[test]
    fn it_ends_where_the_next_section_begins() {
        for (head, next) in [
            ("## Hand-over", "## Next"),
            ("## Hand-over", "# Next"),
            ("9. Hand-over:", "10. Optional Next Step:"),
            ("**Hand-over**", "**Files and Code Sections**"),
            ("Hand-over:", "Errors and fixes:"),
            ("## Hand-over", "</summary>"),
        ] {
            let summary = format!("{head}\n{FACTS}{next}\n- rule: of somebody else\n");
            assert_eq!(told(&in_summary(&summary)), READ, "{head} {next}");
        }
    }

    #[test]
    fn labels_and_numbers_and_wrapped_lines_are_understood() {
        let summary = "## Hand-over\n**Rules that still hold:**\n1. \"use tabs\"\n2. never push\n### Dead ends\n* npm run dev hangs\n  in the foreground: runs in the background\n**command**: `cargo test -p x`\n- **Open questions:** none\n- **State:** `make check` fails\n- [value] port 5433\n- **Choice** — SQLite, one file\n| value | 40 rows |\n- none\n\nCommands:\n```sh\nmake all\n```\n";
        assert_eq!(
            told(&in_summary(summary)),
            [
                "rule: \"use tabs\"",
                "rule: never push",
                "tried: npm run dev hangs in the foreground: runs in the background",
                "command: `cargo test -p x`",
                "state: `make check` fails",
                "value: port 5433",
                "choice: SQLite, one file",
                "value: 40 rows",
                "command: make all",
            ]
        );
    }

    #[test]
    fn a_text_without_any_form_is_read_by_its_words() {
        let text = "Never touch the public API.\nThe parser is in src/parse.rs.\nTried serde_yaml, which cannot keep comments.\n`make check` runs everything\nNext step: the writer.\n`make check` fails\nWe decided on SQLite.";
        assert_eq!(
            told(&in_text(text)),
            [
                "rule: Never touch the public API.",
                "where: The parser is in src/parse.rs.",
                "tried: Tried serde_yaml, which cannot keep comments.",
                "command: `make check` runs everything",
                "open: next step: the writer.",
                "command: `make check` fails",
                "choice: We decided on SQLite.",
            ]
        );
        assert_eq!(told(&in_text(&format!("intro\n## Hand-over\n{FACTS}"))), READ);
        assert_eq!(in_text(" \n\n"), []);
    }

    #[test]
    fn nothing_is_too_much() {
        let many = format!("## Hand-over\n{}", "- value: one\n".repeat(100_000));
        assert_eq!(in_summary(&many).len(), LINES_MAX);
        let long = format!("## Hand-over\n- value: {}\n", "ü".repeat(400_000));
        assert!(in_summary(&long)[0].text.chars().count() <= LINE_UNITS_MAX);
    }

    proptest::proptest! {
        #[test]
        fn any_text_gives_bounded_facts_that_are_read_again_as_they_are(text in "(?s)([-*# .:`0-9]{0,4}(rule|open|Hand-over|next|ü|\\PC)[: \\n-]{0,3}){0,40}") {
            let facts = in_text(&text);
            proptest::prop_assert!(facts.len() <= LINES_MAX);
            for fact in &facts {
                proptest::prop_assert!(!fact.text.is_empty() && !fact.text.contains('\n'));
                proptest::prop_assert!(utf16_len(&fact.text) <= LINE_UNITS_MAX);
            }
        }
    }
}
