//! The hand-over as text: for whoever goes on, for the summariser, for a page that people read.

use throughline_domain::Timestamp;
use throughline_domain::hand_over::{FORM, Standing, StandingLine, Writer};
use throughline_domain::text::{one_line, utf16_len};

use crate::fragment::defused;

/// Longest fact that is told.
const LINE_UNITS: usize = 1_000;

/// A fact on a line of its own.
#[must_use]
pub fn line(fact: &StandingLine) -> String {
    let over = match fact.standing {
        Standing::Holds => String::new(),
        Standing::Over(why) => format!(" (over: {why})"),
    };
    defused(&format!("- {}{over}", one_line(&fact.line.told(), LINE_UNITS)))
}

/// When it was written, to the minute.
#[must_use]
pub fn minute(at: i64) -> String {
    let at = Timestamp::from_millisecond(at).map(|at| at.to_string()).unwrap_or_default();
    format!("{} UTC", at.chars().take(16).collect::<String>().replace('T', " "))
}

/// Whose words they are.
#[must_use]
pub fn whose(by: Writer) -> &'static str {
    match by {
        Writer::Summariser => "in the compaction's summary",
        Writer::Agent => "by the agent",
        Writer::Person => "by a person",
    }
}

/// The page that people and agents ask for: by kind, the last hand-over first; what is over is said to be.
#[must_use]
pub fn page(facts: &[StandingLine]) -> String {
    let mut page = String::new();
    if let Some(first) = facts.iter().find(|fact| fact.is_last) {
        page.push_str(&format!("Handed over {}, {}:\n", minute(first.at), whose(first.by)));
    }
    lines_of(facts, true, &mut page);
    if facts.iter().any(|fact| !fact.is_last) {
        page.push_str("Earlier, and not taken back since:\n");
    }
    lines_of(facts, false, &mut page);
    page
}

fn lines_of(facts: &[StandingLine], are_last: bool, page: &mut String) {
    for row in FORM {
        for fact in facts.iter().filter(|fact| fact.is_last == are_last && fact.line.kind == row.kind) {
            page.push_str(&line(fact));
            page.push('\n');
        }
    }
}

/// What a summariser is to keep of it, within so many units: what holds. First what lasts of earlier ones, which nothing
/// else in its sight may say any more, then the last one. Empty when there is nothing.
#[must_use]
pub(crate) fn for_summariser(facts: &[StandingLine], units_max: usize) -> String {
    const HEAD: &str = "Known from earlier hand-overs; keep in the section what still holds:\n";
    let mut told = String::new();
    let mut left = units_max.saturating_sub(utf16_len(HEAD));
    for (is_last, is_lasting) in [(false, true), (true, true), (true, false)] {
        let is_meant = |fact: &&StandingLine| {
            fact.holds() && fact.is_last == is_last && fact.line.kind.is_lasting() == is_lasting
        };
        for row in FORM {
            for fact in facts.iter().filter(is_meant).filter(|fact| fact.line.kind == row.kind) {
                let line = line(fact);
                let Some(rest) = left.checked_sub(utf16_len(&line) + 1) else { continue };
                left = rest;
                told.push_str(&line);
                told.push('\n');
            }
        }
    }
    if told.is_empty() { told } else { format!("{HEAD}{told}") }
}
