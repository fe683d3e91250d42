//! The demo's screen: headings, quotations and a gauge, calm on a terminal of 100 columns.

use anstyle::{AnsiColor, Style};
use throughline_domain::text::thousands;
use throughline_usage::bar::{Bar, Pen};

use crate::failure::Failure;
use crate::output::{self, BAD, DIM, GOOD, HEAD, HINT, WARN, styled};

/// Text is broken at this many columns.
const COLUMNS: usize = 98;
/// Text behind a bar, where a line that goes on is indented.
const QUOTE_COLUMNS: usize = COLUMNS - 6;
/// Cells of the gauge.
const GAUGE_CELLS: usize = 40;
/// What the agent's memory says: set apart from what the demo says about it.
const VOICE: Style = AnsiColor::Magenta.on_default();

/// An empty line.
pub(super) fn gap() -> Result<(), Failure> {
    output::say("")
}

/// The title of the whole.
pub(super) fn title(text: &str, about: &str) -> Result<(), Failure> {
    output::say(&format!("{}  {}", styled(HEAD, text), styled(DIM, about)))
}

/// A part begins.
pub(super) fn heading(number: u8, text: &str) -> Result<(), Failure> {
    gap()?;
    output::say(&format!("{} {}", styled(HINT.bold(), &format!("{number}")), styled(HEAD, text)))
}

/// The demo's own words.
pub(super) fn remark(text: &str) -> Result<(), Failure> {
    lines(text, ("  ", "  "), COLUMNS - 2, |line| styled(DIM, line))
}

/// What a person or the agent says.
pub(super) fn speech(who: &str, text: &str) -> Result<(), Failure> {
    let who = format!("  {} ", styled(HINT, &format!("{who:<5}")));
    lines(text, (&who, "        "), COLUMNS - 8, str::to_owned)
}

/// A command that the agent runs, and its answer.
pub(super) fn command(argv: &[String], answer: &str) -> Result<(), Failure> {
    // The text says what it is about; the options are in the recording.
    let words: Vec<String> = argv.iter().take(3).map(|word| shell_word(word)).collect();
    let more = if argv.len() > 3 { " …" } else { "" };
    let line = format!("throughline {}{more}", words.join(" "));
    let line = throughline_domain::text::shorten(&line, COLUMNS - 12 - answer.chars().count());
    output::say(&format!("  {} {line}  {}", styled(HINT, "agent"), styled(GOOD, answer)))
}

fn shell_word(word: &str) -> String {
    if word.contains([' ', '{']) { format!("\"{word}\"") } else { word.to_owned() }
}

/// How full the context is, up to where compaction comes.
pub(super) fn gauge(used_tokens: u64, limit_tokens: u64) -> Result<(), Failure> {
    let limit = limit_tokens.max(1);
    let percent = used_tokens.saturating_mul(100) / limit;
    let style = match percent {
        0..70 => GOOD,
        70..90 => WARN,
        _ => BAD,
    };
    let bar = Bar::of(used_tokens, limit_tokens, GAUGE_CELLS, Pen::WHOLE).to_string();
    output::say(&format!(
        "  {} {:>6} of {} tokens, {percent} %",
        styled(style, &bar),
        thousands(used_tokens),
        thousands(limit_tokens)
    ))
}

/// Somebody else's text, whole, behind a bar.
pub(super) fn quote(text: &str, loud: &[String]) -> Result<(), Failure> {
    let bar = format!("  {} ", styled(VOICE, "│"));
    for line in text.lines() {
        lines(line, (&bar, &format!("{bar}  ")), QUOTE_COLUMNS, |part| emphasise(part, loud))?;
    }
    Ok(())
}

/// Somebody else's text, the first lines of it.
pub(super) fn quote_shortened(text: &str, lines_max: usize) -> Result<(), Failure> {
    let all: Vec<&str> = text.lines().collect();
    let shown = all.iter().take(lines_max).map(|line| throughline_domain::text::shorten(line, QUOTE_COLUMNS));
    quote(&shown.collect::<Vec<_>>().join("\n"), &[])?;
    match all.len().saturating_sub(lines_max) {
        0 => Ok(()),
        left => {
            output::say(&format!("  {} {}", styled(VOICE, "│"), styled(DIM, &format!("… {left} more lines"))))
        }
    }
}

/// A claim that was checked and holds.
pub(super) fn held(text: &str) -> Result<(), Failure> {
    lines(text, (&format!("  {} ", styled(GOOD, "✓")), "    "), COLUMNS - 4, str::to_owned)
}

/// A figure with its name.
pub(super) fn figure(name: &str, value: &str) -> Result<(), Failure> {
    output::say(&format!("  {name:<34} {value}"))
}

/// Broken text with a margin for the first line and one for the others.
fn lines(
    text: &str,
    margins: (&str, &str),
    columns: usize,
    style: impl Fn(&str) -> String,
) -> Result<(), Failure> {
    for (index, line) in wrap(text, columns).into_iter().enumerate() {
        let margin = if index == 0 { margins.0 } else { margins.1 };
        output::say_screen(format!("{margin}{}", style(&line)).trim_end())?;
    }
    Ok(())
}

/// Breaks between words; a word that is too long for a line stays whole. A leading indent is kept.
fn wrap(text: &str, columns: usize) -> Vec<String> {
    let indent: String = text.chars().take_while(|c| *c == ' ').collect();
    let mut done = Vec::new();
    let mut line = indent;
    for word in text.split_whitespace() {
        let is_empty = line.trim().is_empty();
        if !is_empty && line.chars().count() + 1 + word.chars().count() > columns {
            done.push(std::mem::take(&mut line));
        } else if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
    }
    done.push(line);
    done
}

/// The details that the demo counts stand out.
fn emphasise(text: &str, loud: &[String]) -> String {
    let mut shown = text.to_owned();
    for fact in loud {
        shown = shown.replace(fact.as_str(), &styled(GOOD, fact));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_between_words_and_nothing_is_lost() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("  indented words", 10), ["  indented", "words"]);
        assert_eq!(wrap("unbreakable-word x", 5), ["unbreakable-word", "x"]);
        assert_eq!(wrap("", 5), [""]);
    }
}
