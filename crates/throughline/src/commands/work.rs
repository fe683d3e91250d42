//! `work`: what is being worked on, and which phases it went through.

use serde_json::{Value, json};
use throughline_domain::text::one_line;
use throughline_domain::time;
use throughline_domain::transition::Transition;
use throughline_domain::{State, WorkItem};
use throughline_store::memory::WORK_ITEM;

use super::App;
use crate::failure::Failure;
use crate::output::{self, DIM, HEAD, HINT, styled};
use crate::quoting::UNTRUSTED_MARK;

const EXAMPLES: &str = "\
Examples:
  throughline work
  throughline work --json
  throughline set work --id SD-1 --title \"Docs\" --phase EXEC --progress 0.75    # sets it

The last twenty changes of phase or id are shown, whoever made them: you, the agent, an editor.
Older ones are in the archive (`throughline list --all`).";

/// Show what is being worked on, and the phases it went through
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let state = app.state()?;
    let is_trusted = !app.memory.untrusted().iter().any(|name| name == WORK_ITEM);
    if args.json {
        let mut value = json!(state.sd);
        value["trusted"] = is_trusted.into();
        value["history"] = Value::Array(state.history);
        return output::say_json(&value);
    }
    if state.sd.is_empty() && state.history.is_empty() {
        output::remark("no work item is set; `throughline set work --help` shows how");
        return Ok(());
    }
    print_item(&state.sd, is_trusted)?;
    print_history(app, &state)
}

fn print_item(sd: &WorkItem, is_trusted: bool) -> Result<(), Failure> {
    let name: Vec<String> = [&sd.id, &sd.title].into_iter().flatten().map(|it| one_line(it, 500)).collect();
    let name = if name.is_empty() { "no name".to_owned() } else { name.join(": ") };
    let mark = if is_trusted { "" } else { UNTRUSTED_MARK };
    output::say(&format!("{}{}", styled(HEAD, &name), styled(DIM, mark)))?;
    let progress = sd.progress.map(|progress| format!("{:.0} %", progress.clamp(0.0, 1.0) * 100.0));
    let facts = [
        ("phase", sd.phase.as_deref()),
        ("progress", progress.as_deref()),
        ("in hand", sd.item.as_deref()),
        ("waits for", sd.blocking.as_deref()),
        ("next", sd.next.as_deref()),
    ];
    for (label, text) in facts {
        if let Some(text) = text {
            output::say(&format!("  {label}: {}", one_line(text, 500)))?;
        }
    }
    Ok(())
}

fn print_history(app: &App, state: &State) -> Result<(), Failure> {
    if state.history.is_empty() {
        return Ok(());
    }
    output::say(&styled(HEAD, "history, newest first"))?;
    for line in state.history.iter().rev() {
        output::say(&format!("  {}", history_line(app, line)))?;
    }
    Ok(())
}

fn history_line(app: &App, line: &Value) -> String {
    let Some(transition) = Transition::from_json(line) else { return foreign_line(app, line) };
    let phase = |phase: &Option<String>| phase.as_ref().map_or("none".to_owned(), |it| one_line(it, 500));
    let mut what = if transition.from == transition.to {
        format!("phase {}", phase(&transition.to))
    } else {
        format!("{} → {}", phase(&transition.from), phase(&transition.to))
    };
    let id = |id: &Option<String>| id.as_ref().map_or("none".to_owned(), |it| one_line(it, 120));
    if transition.from_id.is_some() {
        what.push_str(&format!(", {} → {}", id(&transition.from_id), id(&transition.id)));
    } else if transition.id.is_some() {
        what.push_str(&format!(", {}", id(&transition.id)));
    }
    let about = format!("({}, by {})", age(app, &transition.timestamp), by_whom(&transition.by));
    format!("{} {}", styled(HINT, &what), styled(DIM, &about))
}

/// A line of another program's history, by whatever it says.
fn foreign_line(app: &App, line: &Value) -> String {
    let fields = line.as_object().into_iter().flatten();
    let texts: Vec<String> = fields
        .filter(|(key, _)| *key != "timestamp")
        .filter_map(|(_, value)| value.as_str().map(|text| one_line(text, 120)))
        .collect();
    let at = line.get("timestamp").and_then(Value::as_str).unwrap_or_default();
    let words = if texts.is_empty() { one_line(&line.to_string(), 300) } else { texts.join(", ") };
    format!("{words} {}", styled(DIM, &format!("({})", age(app, at))))
}

fn age(app: &App, at: &str) -> String {
    match time::parse(at) {
        Some(then) => format!("{} ago", time::span_words(time::seconds_between(then, app.now))),
        None => "at an unknown time".to_owned(),
    }
}

fn by_whom(origin: &str) -> String {
    match origin {
        "user" => "you".to_owned(),
        "assistant" => "the agent".to_owned(),
        "hand" => "an edit of the file".to_owned(),
        "import" => "an edit that came with the repository".to_owned(),
        other => one_line(other, 40),
    }
}
