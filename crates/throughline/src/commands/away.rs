//! `away`: what a person should do before leaving: everything saved, what needs a look named, the focus line to paste.

use std::time::Duration;

use serde_json::json;
use throughline_briefing::focus;
use throughline_briefing::hand_over::minute;
use throughline_briefing::handoff::NextCompaction;
use throughline_briefing::notes::NotesEntry;
use throughline_domain::hand_over::StandingLine;
use throughline_domain::ledger::{FindingKind, Ledger, Phase};
use throughline_domain::text::one_line;
use throughline_domain::{Health, State, Trigger};
use throughline_engine::gauge::Gauge;
use throughline_engine::liveness::{self, Fate};
use throughline_redact as redact;
use throughline_store::spool;

use super::briefing::session_ledger;
use super::checkpoint::{self, Left};
use super::{App, compact_focus, handover, notes};
use crate::failure::Failure;
use crate::output::{self, GOOD, HEAD, WARN, styled};

const EXAMPLES: &str = "\
Examples:
  throughline away                     save everything and say what needs a look first
  throughline away --for \"the night\"   the checkpoint says so, too
  throughline away --json              for scripts

Saves the state, makes a checkpoint, brings the session's notes up to date, and names what goes wrong while nobody looks: files that are not
committed, checks that fail, a compaction that is near or will never come, subagents at work, a question
that waits for your answer. The last line is for pasting, if you compact before you leave. Ends with 1 when
something could not be saved; warnings are no failure.";

/// A compaction that is nearer than this is worth a word.
const NEAR_MINUTES: u64 = 60;
const QUOTE_UNITS: usize = 160;
/// So many responses later a hand-over is still a new one.
const HANDED_TURNS: u64 = 10;

/// Save everything before you leave, and see what needs a look first
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// What for, or how long: lunch, the night
    #[arg(long = "for", value_name = "TEXT", value_parser = super::words)]
    what_for: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What was kept of this moment.
struct Kept {
    checkpoint: Option<Left>,
    entries: usize,
    /// What could not be saved, and why.
    not_saved: Vec<String>,
}

/// Something to look at before leaving.
struct Warning {
    kind: &'static str,
    text: String,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let reason = args
        .what_for
        .as_deref()
        .map(|text| one_line(&redact::text(text), 200))
        .filter(|text| !text.is_empty());
    let note = reason.map_or_else(|| "away".to_owned(), |reason| format!("away for {reason}"));
    let ledger = session_ledger(app);
    let mut kept = save_and_checkpoint(app, &note);
    if let Err(failure) = take_note(app, &note) {
        kept.not_saved.push(format!("the session's notes: {}", failure.message));
    }
    let state = app.state().unwrap_or_else(|_| State::empty());
    let handed = handover::standing(app).into_iter().find(|fact| fact.is_last);
    let warnings = warnings(app, &kept, ledger.as_ref(), handed.as_ref());
    let focus = compact_focus::of(app, &state, ledger.as_ref());
    let open_tasks =
        ledger.as_ref().map_or(0, |ledger| ledger.tasks.iter().filter(|it| it.is_open()).count());
    if args.json {
        output::say_json(&json!({
            "checkpoint": kept.checkpoint.as_ref().map(|left| &left.id),
            "note": note,
            "uncommittedFiles": kept.checkpoint.as_ref().map(|left| left.files),
            "openTasks": open_tasks,
            "warnings": warnings.iter().map(|it| json!({ "kind": it.kind, "text": it.text })).collect::<Vec<_>>(),
            "notSaved": kept.not_saved,
            "handedOver": handed.as_ref().map(|fact| minute(fact.at)),
            "focus": focus.line,
        }))?;
    } else {
        print(&kept, open_tasks, &warnings, &focus.line)?;
    }
    if kept.not_saved.is_empty() { Ok(()) } else { Err(Failure::silent(1)) }
}

fn print(kept: &Kept, open_tasks: usize, warnings: &[Warning], focus: &str) -> Result<(), Failure> {
    if let Some(left) = &kept.checkpoint {
        output::say(&format!(
            "{} saved: {}; checkpoint {} ({}, {})",
            styled(GOOD, "✓"),
            counted(kept.entries, "entry", "entries"),
            left.id,
            counted(left.files, "uncommitted file", "uncommitted files"),
            counted(open_tasks, "open task", "open tasks"),
        ))?;
    }
    for problem in &kept.not_saved {
        output::warn(&format!("not saved: {problem}"));
    }
    if !warnings.is_empty() {
        output::say(&styled(HEAD, "Before you leave:"))?;
    }
    for warning in warnings {
        output::say(&format!("{} {}", styled(WARN, "!"), warning.text))?;
    }
    output::say(&styled(HEAD, "If you compact now, paste this:"))?;
    output::say(focus)
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Saves the state with the working tree as it is, then makes a checkpoint. Each is tried whatever became of the other.
fn save_and_checkpoint(app: &App, note: &str) -> Kept {
    let mut kept = Kept { checkpoint: None, entries: 0, not_saved: Vec::new() };
    let deadline = Duration::from_millis(app.config.git.deadline_ms);
    let git = throughline_git::capture(&app.memory.project.work, deadline);
    let saved = app.change(|draft| {
        draft.save(Trigger::Checkpoint, git);
        Ok(())
    });
    match saved {
        Ok(changed) => kept.entries = changed.state.all_entries().count(),
        Err(failure) => kept.not_saved.push(format!("the state: {}", failure.message)),
    }
    match checkpoint::at_leaving(app, note) {
        Ok(left) => kept.checkpoint = Some(left),
        Err(failure) => kept.not_saved.push(format!("a checkpoint: {}", failure.message)),
    }
    kept
}

/// The session's notes say that somebody left, and where it stood then.
fn take_note(app: &App, note: &str) -> Result<(), Failure> {
    let Some(session) = app.session_at_hand() else { return Ok(()) };
    let title = format!("The user is {note}");
    notes::add(app, &session, Some(NotesEntry { title, ..NotesEntry::default() })).map(drop)
}

fn warnings(app: &App, kept: &Kept, ledger: Option<&Ledger>, handed: Option<&StandingLine>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let mut warn = |kind, text: String| warnings.push(Warning { kind, text });
    if let Some(left) = &kept.checkpoint {
        if left.files > 0 {
            let files = counted(left.files, "file is", "files are");
            let kept = if left.keeps_content {
                "the checkpoint keeps the content"
            } else {
                "the content is not kept"
            };
            warn("uncommitted", format!("{files} not committed; {kept}"));
        }
        if let Some(problem) = &left.problem {
            warn("git", format!("git: {}", one_line(problem, 300)));
        }
    }
    for command in ledger.map(focus::failing).unwrap_or_default() {
        warn("failing", format!("`{command}` failed last"));
    }
    if let Some(question) = ledger.and_then(unanswered) {
        warn("question", format!("the agent waits for your answer: {question}"));
    }
    // What the agent knows and nobody wrote down is what a compaction takes away while nobody looks.
    let is_new =
        handed.is_some_and(|fact| ledger.is_none_or(|ledger| ledger.turn <= fact.turn + HANDED_TURNS));
    if ledger.is_some_and(|ledger| ledger.turn > 0) && !is_new {
        let since = handed.map_or_else(
            || "nothing was handed over yet".to_owned(),
            |fact| format!("the last hand-over is of {}", minute(fact.at)),
        );
        warn(
            "handover",
            format!("{since}; ask the agent for one: \"hand over with `throughline handover -`\""),
        );
    }
    for (kind, text) in of_session(app) {
        warn(kind, text);
    }
    warnings
}

/// What the agent asked and nobody answered.
fn unanswered(ledger: &Ledger) -> Option<String> {
    let quoted = |quote: &str| format!("\"{}\"", one_line(quote, QUOTE_UNITS));
    let said = ledger.said.last().map_or(0, |word| word.place.offset);
    let asked =
        ledger.findings.iter().rev().find(|it| it.kind == FindingKind::Question && it.place.offset > said);
    if ledger.pending.iter().any(|call| call.asks) {
        return Some(asked.map_or_else(|| "it opened a question".to_owned(), |asked| quoted(&asked.quote)));
    }
    asked.filter(|_| ledger.stand.phase == Phase::Told).map(|asked| quoted(&asked.quote))
}

/// What the session at hand will do while nobody looks; nothing where none is at work.
fn of_session(app: &App) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let Some(session) = app.session_at_hand() else { return found };
    let seen = liveness::sessions(&app.place.home, &app.memory.project, app.now);
    if !seen.iter().any(|seen| seen.session == session && seen.fate == Fate::Alive) {
        return found;
    }
    let running = spool::subagents_at_work(&app.place.home.session(&session)).len();
    if running > 0 {
        let are = if running == 1 { "1 subagent is".to_owned() } else { format!("{running} subagents are") };
        found.push(("subagents", format!("{are} at work")));
    }
    let Some(gauge) = Gauge::of(&app.place, &session) else { return found };
    match (gauge.next(), gauge.minutes_left()) {
        (NextCompaction::Never { reason, remedy }, _) => {
            found.push(("never", format!("the client will never compact by itself: {reason}; {remedy}")));
        }
        (_, Some(minutes)) if minutes <= NEAR_MINUTES => {
            let when = match minutes {
                0 => "within a minute".to_owned(),
                1 => "in about a minute".to_owned(),
                _ => format!("in about {minutes} minutes"),
            };
            found.push(("compaction", format!("a compaction is expected {when}")));
        }
        _ => {
            let used = gauge.now().map(|fill| fill.used_tokens);
            if let Some(used) = used.filter(|used| gauge.health_at(*used) >= Health::Warning) {
                let percent = gauge.percent_of_way(used);
                found
                    .push(("compaction", format!("the context is {percent} % of the way to its compaction")));
            }
        }
    }
    found
}
