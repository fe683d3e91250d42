//! `recall` over MCP: what the archive finds, a line each, quoted.

use serde_json::Value;
use throughline_briefing::fragment::{FragmentKind, defused, wrap};
use throughline_domain::text::one_line;
use throughline_mcp::Answer;
use throughline_store::archive::{Archive, EntryRow};

use crate::commands::{ARCHIVE_WAIT, App};
use crate::failure::Failure;

/// Longest text of one result, in UTF-16 units: whoever wants more asks for fewer.
const TEXT_UNITS_MAX: usize = 400;
/// Longest reason of one result.
const REASON_UNITS_MAX: usize = 160;

pub(super) fn answer(app: &App, words: &str, all_projects: bool, limit: u64) -> Result<Answer, Failure> {
    let found = search(app, words, all_projects, limit)?;
    if found.is_empty() {
        let elsewhere = if all_projects { "" } else { "; all_projects looks in the others too" };
        return Ok(Answer::text(format!("nothing was found{elsewhere}")));
    }
    let lines: Vec<String> = found.iter().map(line).collect();
    Ok(Answer::text(wrap(FragmentKind::Recall, &lines.join("\n"))))
}

/// What the archive finds, best first. What was recorded a moment ago is in it.
fn search(app: &App, words: &str, all_projects: bool, limit: u64) -> Result<Vec<EntryRow>, Failure> {
    app.state()?;
    app.fold();
    let project = (!all_projects).then_some(app.memory.project.key.as_str());
    Ok(Archive::open(&app.place.home.archive(), ARCHIVE_WAIT)?.search(words, project, limit)?)
}

/// One result: what it was, when, whose word it is, and whether it still holds.
fn line(row: &EntryRow) -> String {
    let day: String = row.recorded_at.chars().take(10).collect();
    let mut line = format!("{} {} ({day}, {})", row.id, row.kind, row.origin);
    if !row.trusted {
        line.push_str(" [from a clone, not trusted]");
    }
    if row.left_at.is_some() {
        let why = row.left_why.as_deref().unwrap_or("archived");
        line.push_str(&format!(" [no longer: {}]", one_line(why, 60)));
    }
    line.push_str(&format!(": {}", one_line(&row.text, TEXT_UNITS_MAX)));
    if !row.reason.trim().is_empty() {
        line.push_str(&format!(" — {}", one_line(&row.reason, REASON_UNITS_MAX)));
    }
    if let Some(answer) = row.body.get("resolution").and_then(Value::as_str) {
        line.push_str(&format!(" — resolved: {}", one_line(answer, REASON_UNITS_MAX)));
    }
    defused(&line)
}
