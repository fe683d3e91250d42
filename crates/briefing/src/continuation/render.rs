//! Rendering: the block for people, its JSON, and the line for a briefing.

use serde_json::{Value, json};

use super::clearing::Advice;
use super::{Alternative, Continuation, Variant};

/// No block is longer, whatever it tells of.
pub const UNITS_MAX: usize = 5_000;

const RULE: &str = "---";

/// What a piece of the block is, for those who paint it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The line above and below.
    Rule,
    /// A heading.
    Heading,
    /// What is next.
    Name,
    /// What to paste.
    Command,
    /// Small print.
    Note,
    /// What else could be done.
    Also,
    /// A blank line.
    Gap,
}

/// A line of the block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub role: Role,
    /// The text.
    pub text: String,
}

/// The block, line by line.
#[must_use]
pub fn pieces(next: &Continuation) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut push = |role: Role, text: String| pieces.push(Piece { role, text });
    push(Role::Rule, RULE.to_owned());
    if let Some(done) = &next.done {
        push(Role::Heading, format!("## Done: {done}"));
        push(Role::Gap, String::new());
    }
    push(Role::Heading, format!("## {}", heading(next.variant)));
    push(Role::Gap, String::new());
    push(Role::Name, format!("**{}** — {}", name(next), next.why));
    if let Some(command) = &next.command {
        push(Role::Gap, String::new());
        push(Role::Command, code(command.text()));
    }
    push(Role::Gap, String::new());
    push(Role::Note, clear_note(next));
    if let Some(after) = &next.after {
        push(Role::Note, format!("After this: {after}."));
    }
    if !next.alternatives.is_empty() {
        push(Role::Gap, String::new());
        let several = if next.variant == Variant::Options { "Choose one:" } else { "Also available:" };
        push(Role::Note, several.to_owned());
        for Alternative { what, command } in &next.alternatives {
            push(Role::Also, format!("- {what}: {}", code(command.text())));
        }
    }
    // Right below a text, a rule would make a heading of it.
    push(Role::Gap, String::new());
    push(Role::Rule, RULE.to_owned());
    pieces
}

/// The block as it stands in a pipe.
#[must_use]
pub fn plain(next: &Continuation) -> String {
    let lines: Vec<String> = pieces(next).into_iter().map(|piece| piece.text).collect();
    lines.join("\n")
}

/// The same for programs.
#[must_use]
pub fn as_json(next: &Continuation) -> Value {
    let alternative = |it: &Alternative| json!({ "what": it.what, "command": it.command.text() });
    json!({
        "variant": next.variant.word(),
        "done": next.done,
        "id": next.id,
        "title": next.title,
        "why": next.why,
        "command": next.command.as_ref().map(super::Command::text),
        "clearFirst": { "advice": next.clear.advice.word(), "why": next.clear.why },
        "after": next.after,
        "alternatives": next.alternatives.iter().map(alternative).collect::<Vec<Value>>(),
    })
}

fn heading(variant: Variant) -> &'static str {
    match variant {
        Variant::Blocked => "Next up: settle this first",
        Variant::FailingTests => "Next up: a check fails",
        Variant::Options => "Next up: several things",
        Variant::Nothing => "Next up: unknown",
        _ => "Next up",
    }
}

fn name(next: &Continuation) -> String {
    match &next.id {
        Some(id) => format!("{id}: {}", next.title),
        None => next.title.clone(),
    }
}

fn clear_note(next: &Continuation) -> String {
    let why = &next.clear.why;
    match next.clear.advice {
        Advice::None => format!("No `/clear` needed: {why}."),
        Advice::Clear => format!("`/clear` first: {why}."),
        Advice::Compact => format!("`/compact` first: {why}."),
    }
}

/// Inline code; what holds a backtick itself stands between two.
fn code(text: &str) -> String {
    if !text.contains('`') {
        return format!("`{text}`");
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    format!("{fence} {text} {fence}")
}
