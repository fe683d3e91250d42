//! Blocks: an agent's text cut where a reader would cut it: a paragraph, a list with the line that leads to it, a table.

use throughline_domain::text::utf16_len;

use crate::{markup, outcome_words};

/// A longer block is cut in two, between its rows or sentences.
const BLOCK_UNITS_MAX: usize = 460;
/// Of a block of code its first lines: more is a file, not a remark.
const CODE_LINES_MAX: usize = 5;
/// A heading or a lead that is longer is a sentence of its own.
const LEAD_UNITS_MAX: usize = 200;
/// An edge of something drawn is at least that long.
const FRAME_CHARS_MIN: usize = 8;
/// Fewer words without a name or a number in them say nothing: "I see.", "You're right."
const WORDS_MIN: usize = 6;

/// The blocks of a text, in order, each in one line.
pub(crate) fn of(text: &str) -> Vec<String> {
    let mut cutter = Cutter::default();
    let mut fence: Option<&str> = None;
    for line in text.lines().map(str::trim) {
        let mark = markup::fence(line);
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(opened), Some(mark)) if mark.starts_with(opened) && mark == line => {
                fence = None;
                cutter.is_picture = false;
            }
            (Some(_), _) => cutter.row(Kind::Code, line),
            (None, None) if line.is_empty() => cutter.gap(),
            (None, None) if line.starts_with('#') => cutter.heading(line.trim_start_matches('#').trim()),
            (None, None) if !line.contains(char::is_alphanumeric) => {}
            (None, None) if line.starts_with('|') => cutter.row(Kind::Table, line),
            // `2. Key concepts:` heads what follows.
            (None, None) if line.starts_with(|c: char| c.is_ascii_digit()) && is_head(line) => {
                cutter.heading(&line[markup::item_mark(line)..]);
            }
            (None, None) if markup::item_mark(line) > 0 => cutter.row(Kind::List, line),
            (None, None) => cutter.prose(line),
        }
    }
    cutter.end();
    cutter.done
}

/// Whether a numbered line is only the head of what follows.
fn is_head(line: &str) -> bool {
    markup::item_mark(line) > 0 && line.trim_end_matches(['*', '_', ' ']).ends_with(':')
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Prose,
    List,
    Table,
    Code,
}

#[derive(Default)]
struct Cutter {
    done: Vec<String>,
    /// What the rows to come are about.
    lead: String,
    kind: Option<Kind>,
    rows: Vec<String>,
    units: usize,
    /// What is fenced is drawn: a window, a table with a frame.
    is_picture: bool,
}

impl Cutter {
    /// A line of prose: its sentences that say something. One that ends with a colon leads to what follows.
    fn prose(&mut self, line: &str) {
        if self.kind != Some(Kind::Prose) {
            self.end();
        }
        for sentence in markup::split(line) {
            let bare = sentence.trim_end_matches(['*', '_', ' ']);
            if bare.ends_with(':') && utf16_len(bare) <= LEAD_UNITS_MAX {
                self.end();
                if !outcome_words::announces(sentence) {
                    sentence.clone_into(&mut self.lead);
                }
            } else if says_something(sentence) {
                self.push(Kind::Prose, sentence.to_owned());
            }
        }
    }

    fn heading(&mut self, line: &str) {
        self.end();
        self.lead = if utf16_len(line) <= LEAD_UNITS_MAX {
            format!("{}:", line.trim_end_matches(':'))
        } else {
            String::new()
        };
    }

    fn row(&mut self, kind: Kind, line: &str) {
        if kind == Kind::Code && is_frame(line) {
            self.is_picture = true;
        }
        let row = match kind {
            Kind::Code if self.is_picture => return,
            Kind::Code if self.kind == Some(kind) && self.rows.len() >= CODE_LINES_MAX => return,
            Kind::Code if line.is_empty() => return,
            Kind::Code => format!("`{line}`"),
            Kind::Table => {
                line.split('|').map(str::trim).filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" | ")
            }
            _ => line.trim_start_matches(['-', '*', '•', '+', '→', '–', ' ']).to_owned(),
        };
        self.push(kind, row);
    }

    fn push(&mut self, kind: Kind, row: String) {
        let units = utf16_len(&row) + 2;
        if self.kind.is_some_and(|it| it != kind) || (self.units > 0 && self.units + units > BLOCK_UNITS_MAX)
        {
            self.close();
        }
        self.kind = Some(kind);
        self.units += units;
        self.rows.push(row);
    }

    /// An empty line ends a paragraph; a lead waits for what it leads to, and rows may stand apart.
    fn gap(&mut self) {
        if self.kind == Some(Kind::Prose) {
            self.end();
        }
    }

    /// The rows so far are a block; what follows may be more of the same.
    fn close(&mut self) {
        let Some(kind) = self.kind.take() else { return };
        let joint = match kind {
            Kind::Prose => " ",
            Kind::List | Kind::Code => "; ",
            Kind::Table => " / ",
        };
        let rows = std::mem::take(&mut self.rows).join(joint);
        self.units = 0;
        let lead = self.lead.as_str();
        self.done.push(if lead.is_empty() { rows } else { format!("{lead} {rows}") });
    }

    fn end(&mut self) {
        self.close();
        self.lead.clear();
    }
}

/// Whether a line is the upper or lower edge of something drawn.
fn is_frame(line: &str) -> bool {
    let is_edge = |c: char| matches!(c, '\u{2500}'..='\u{259f}' | '-' | '=' | '+');
    line.chars().filter(|c| is_edge(*c)).count() >= FRAME_CHARS_MIN
        && line.starts_with(|c: char| matches!(c, '\u{250c}'..='\u{257f}' | '+'))
        && !line.contains(char::is_alphanumeric)
}

/// Whether a sentence tells anything: not what the agent is about to do, not a question, not a word of agreement.
fn says_something(sentence: &str) -> bool {
    let lower = markup::bare(sentence).to_lowercase();
    let is_step =
        lower.strip_prefix("step ").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if is_step
        || outcome_words::announces(sentence)
        || outcome_words::keeps_list(sentence)
        || outcome_words::offers(sentence)
        || sentence.trim_end_matches(['*', '_', ' ']).ends_with(['?', '？'])
    {
        return false;
    }
    throughline_domain::text::word_count(sentence) >= WORDS_MIN
        || sentence.contains(|c: char| c.is_ascii_digit() || matches!(c, '`' | '_' | '/'))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_list_keeps_what_leads_to_it_and_fillers_go() {
        let text = "Great. Step 3: Create the 4 handlers. Now mark task 2 complete. I see the problem.\n\nThe lookup fails because `ref` is read too early. Now let me fix it. \
                    Shall I?\n\nLeft to do:\n\n- write the test\n- 2 docs\n\n## Counts\n\n| name | count |\n|---|---|\n| web | 33 |\n\n\
                    It is a constant:\n```go\nconst Max = 50\n```\nDone.";
        expect![[r"
            The lookup fails because `ref` is read too early.
            Left to do: write the test; 2 docs
            Counts: name | count / web | 33
            It is a constant: `const Max = 50`"]]
        .assert_eq(&of(text).join("\n"));
    }

    #[test]
    fn what_is_drawn_is_left_out() {
        let text = "It will look so:\n```\n┌──────────────┐\n│ Sessions  ?  │\n└──────────────┘\n```\nThe folder:\n```\n├── a.go  # data\n```\n\
                    This is a great exploration. Happy to add more if you want it; just say so. Rows are sorted by `date`.";
        expect![[r"
            The folder: `├── a.go  # data`
            Rows are sorted by `date`."]]
        .assert_eq(&of(text).join("\n"));
    }

    #[test]
    fn a_long_list_is_cut_between_rows_under_the_same_lead() {
        let text = format!("Causes:\n{}", format!("- {}\n", "word ".repeat(40)).repeat(6));
        let blocks = of(&text);
        assert!(
            blocks.len() >= 3 && blocks.iter().all(|it| it.starts_with("Causes: word") && it.len() < 520),
            "{blocks:?}"
        );
    }
}
