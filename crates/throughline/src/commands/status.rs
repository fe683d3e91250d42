//! `status`: what is remembered for this project, at a glance.

use std::time::Duration;

use serde_json::{Value, json};
use throughline_briefing::handoff::thousands;
use throughline_domain::{Kind, State, Timestamp, time};
use throughline_engine::gauge::Gauge;
use throughline_engine::liveness::{self, Fate, Seen};
use throughline_store::archive::{Archive, Receipt};
use throughline_store::gate;

use super::{ARCHIVE_WAIT, App};
use crate::failure::Failure;
use crate::output::{self, BAD, DIM, GOOD, HEAD, WARN, styled};
use crate::waiting;

/// Show what is remembered for this project, at a glance
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Show it again every two seconds, with how full the context is, until Ctrl-C: for agents without a status line
    #[arg(long, conflicts_with = "json")]
    watch: bool,
}

/// How often a status that is watched is shown.
const WATCH_EVERY: Duration = Duration::from_secs(2);

/// Shows it once, or again and again; each time everything is looked at afresh.
pub(crate) fn show(open: impl Fn() -> Result<App, Failure>, args: &Args) -> Result<(), Failure> {
    if !args.watch {
        return run(&open()?, args);
    }
    loop {
        let app = open()?;
        output::clear_screen();
        run(&app, args)?;
        output::say(&fullness(&app))?;
        std::thread::sleep(WATCH_EVERY);
    }
}

/// How full the context of the session at hand is.
fn fullness(app: &App) -> String {
    let Some(gauge) = Gauge::at_hand(&app.at_hand(), None) else {
        return "  context: no session has told anything yet".to_owned();
    };
    let Some(fill) = gauge.now() else { return "  context: no answer yet".to_owned() };
    let (used, window) = (thousands(fill.used_tokens), thousands(gauge.window_tokens));
    let percent = gauge.percent_of_way(fill.used_tokens);
    format!(
        "  context: {used} of {window} tokens, {percent} % of the way to the compaction ({})",
        gauge.agent.title
    )
}

fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let state = app.state()?;
    let seen = liveness::sessions(&app.place.home, &app.memory.project, app.now);
    let receipts = last_receipts(app, &seen);
    let archived = Archive::open(&app.place.home.archive(), ARCHIVE_WAIT)
        .and_then(|archive| archive.counts(&app.memory.project.key))
        .ok();
    if args.json {
        return output::say_json(&json!({
            "project": app.memory.project.root,
            "paused": app.memory.is_paused(),
            "savedAt": state.timestamp,
            "trigger": state.trigger.word(),
            "entries": entry_counts(&state).into_iter().map(|(kind, count)| (kind.plural().to_owned(), json!(count))).collect::<serde_json::Map<_, _>>(),
            "openQuestions": state.open_questions().len(),
            "untrusted": app.memory.untrusted(),
            "waiting": waiting::notices(&app.memory),
            "config": waiting::config_notice(&app.config),
            "proposedAnchors": proposed_anchors(app),
            "estimatedTokens": state.token_metrics.estimated_tokens,
            "budgetStatus": state.token_metrics.budget_status,
            "archived": archived.map(|counts| counts.entries),
            "sessions": seen.iter().map(session_json).collect::<Vec<Value>>(),
            "receipts": receipts.iter().map(receipt_json).collect::<Vec<Value>>(),
        }));
    }
    print(app, &state, &seen, &receipts, archived.map(|counts| counts.entries))
}

fn print(
    app: &App,
    state: &State,
    seen: &[Seen],
    receipts: &[Receipt],
    archived: Option<u64>,
) -> Result<(), Failure> {
    let head = styled(HEAD, &app.memory.project.root.display().to_string());
    let paused = if app.memory.is_paused() { styled(WARN, "  paused") } else { String::new() };
    output::say(&format!("{head}{paused}"))?;
    match time::parse(&state.timestamp) {
        None => output::say("  nothing is recorded yet")?,
        Some(saved) => {
            let ago = time::span_words(time::seconds_between(saved, app.now));
            output::say(&format!("  saved {ago} ago ({})", state.trigger.word()))?;
        }
    }
    if let Some(name) = state.sd.id.as_ref().or(state.sd.title.as_ref()) {
        let phase = state.sd.phase.as_ref().map_or_else(String::new, |phase| format!(", phase {phase}"));
        output::say(&format!("  working on {name}{phase}"))?;
    }
    let counts: Vec<String> = entry_counts(state)
        .into_iter()
        .map(|(kind, count)| format!("{count} {}", if count == 1 { kind.word() } else { kind.plural() }))
        .collect();
    if !counts.is_empty() {
        output::say(&format!("  {}", counts.join(", ")))?;
    }
    let metrics = &state.token_metrics;
    let archive =
        archived.map_or_else(|| "archive not readable".to_owned(), |count| format!("{count} in the archive"));
    output::say(&format!(
        "  about {} tokens, {}; {archive}",
        metrics.estimated_tokens,
        if metrics.budget_status.is_empty() { "healthy" } else { &metrics.budget_status }
    ))?;
    let untrusted = app.memory.untrusted().len();
    if untrusted > 0 {
        output::say(&styled(
            WARN,
            &format!("  {untrusted} entries not trusted yet (`throughline trust --list`)"),
        ))?;
    }
    for notice in waiting::notices(&app.memory).into_iter().chain(waiting::config_notice(&app.config)) {
        output::say(&styled(WARN, &format!("  {notice} ({})", waiting::way_out())))?;
    }
    let proposed = proposed_anchors(app);
    if proposed > 0 {
        let what = if proposed == 1 { "anchor" } else { "anchors" };
        output::say(&format!("  {proposed} {what} proposed (`throughline anchor list --proposed`)"))?;
    }
    for session in seen.iter().take(3) {
        let at = Timestamp::from_millisecond(session.last_active_ms).unwrap_or(app.now);
        let ago = time::span_words(time::seconds_between(at, app.now));
        let id: String = session.session.chars().take(8).collect();
        output::say(&format!("  session {id} {}, last active {ago} ago", fate_word(session.fate)))?;
    }
    print_receipts(receipts)
}

fn proposed_anchors(app: &App) -> usize {
    throughline_store::anchor_proposals::read(&app.memory.folder()).waiting.len()
}

fn print_receipts(receipts: &[Receipt]) -> Result<(), Failure> {
    if receipts.is_empty() {
        return output::say(&styled(
            DIM,
            "  no hook has run here yet (`throughline init`, then start the agent)",
        ));
    }
    output::say(&styled(HEAD, "  last run of each hook"))?;
    for receipt in receipts {
        let (style, outcome) = match receipt.outcome.as_str() {
            "ok" | "yield" | "claim" => (GOOD, receipt.outcome.as_str()),
            other => (BAD, other),
        };
        let at = at(receipt);
        output::say(&format!(
            "    {:<20} {at}  {:>7.1} ms  {:>5} bytes said  {}",
            receipt.event,
            ms(receipt),
            receipt.said_bytes,
            styled(style, outcome)
        ))?;
    }
    Ok(())
}

/// The last run of each hook; what waits in the spools is folded in first.
pub(crate) fn last_receipts(app: &App, seen: &[Seen]) -> Vec<Receipt> {
    let ids: Vec<&str> = seen.iter().map(|seen| seen.session.as_str()).collect();
    let _ = gate::fold(&app.memory, &ids, ARCHIVE_WAIT);
    Archive::open(&app.place.home.archive(), ARCHIVE_WAIT)
        .and_then(|archive| archive.last_receipts(&app.memory.project.key))
        .unwrap_or_default()
}

fn entry_counts(state: &State) -> Vec<(Kind, usize)> {
    Kind::ALL
        .into_iter()
        .map(|kind| match kind {
            Kind::Question => (kind, state.open_questions().len()),
            kind => (kind, state.entries(kind).len()),
        })
        .filter(|(_, count)| *count > 0)
        .collect()
}

fn fate_word(fate: Fate) -> &'static str {
    match fate {
        Fate::Alive => "is at work",
        Fate::Stale => "is open but silent",
        Fate::Ended => "ended",
        Fate::Crashed => "ended without saying so",
    }
}

fn session_json(seen: &Seen) -> Value {
    let at = Timestamp::from_millisecond(seen.last_active_ms).map(time::iso).unwrap_or_default();
    json!({ "session": seen.session, "lastActive": at, "fate": fate_word(seen.fate) })
}

fn receipt_json(receipt: &Receipt) -> Value {
    json!({
        "event": receipt.event, "at": at(receipt), "ms": ms(receipt), "outcome": receipt.outcome,
        "bytesSaid": receipt.said_bytes, "session": receipt.session,
    })
}

fn at(receipt: &Receipt) -> String {
    Timestamp::from_millisecond(receipt.at_ms).map(time::iso).unwrap_or_default()
}

/// Milliseconds, for people.
#[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
fn ms(receipt: &Receipt) -> f64 {
    receipt.duration_us as f64 / 1_000.0
}
