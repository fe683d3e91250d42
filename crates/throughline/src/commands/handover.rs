//! `handover`: the hand-over that stands now; with `-`, takes one from standard input.

use std::path::Path;

use serde_json::json;
use throughline_briefing::fragment::{FragmentKind, defused, wrap};
use throughline_briefing::hand_over::{minute, page, whose};
use throughline_briefing::notes::{NotesEntry, When};
use throughline_domain::Origin;
use throughline_domain::hand_over::{
    HandOver, HandOverLine, Standing, StandingLine, TOKENS_MAX, Writer, in_text,
};
use throughline_domain::text::printable;
use throughline_engine::hand_over;
use throughline_engine::liveness::{self, Fate};
use throughline_store::lock::Patience;
use throughline_store::session::SessionFacts;
use throughline_store::spool::{NOTE_ONLY, Spool, SpoolRecord};

use super::App;
use super::briefing::ledger_of;
use crate::failure::Failure;
use crate::{given, output, quoting};

/// Longest text that is taken.
const TEXT_BYTES_MAX: u64 = throughline_domain::limits::HANDED_BYTES_MAX;

const EXAMPLES: &str = "\
Examples:
  throughline handover                 what was handed over, and what of it still holds
  throughline handover --json
  throughline handover - <<'END'
  rule: never push to main
  tried: npm run dev hangs in the foreground; `npm run dev &` works
  state: `cargo test` passes, 214 tests; `cargo clippy` was not run since
  open: next: the writer's error messages
  END

One fact a line, as `kind: fact`; the kinds are rule, tried, state, command, where, value, choice, open. At most 1,000 tokens
are kept. The agent is asked for one when a compaction comes near ([hand_over] in the configuration), and every compaction's
summary for another. What lasts stays alive over later compactions; what later events contradict is said to be over.";

/// Print the hand-over that stands now, or take one from standard input
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// `-`: take a hand-over from standard input
    #[arg(value_name = "-", value_parser = ["-"])]
    from: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    if args.from.is_some() {
        let bytes = given::read(Path::new("-"), TEXT_BYTES_MAX).map_err(|failure| {
            failure.hint("a hand-over has at most 1,000 tokens; put the detail into a file and name it")
        })?;
        let (said, handed) = take(app, &String::from_utf8_lossy(&bytes))?;
        if args.json {
            return output::say_json(&json!({
                "kept": handed.lines.len(), "leftOut": handed.left_out, "tokens": handed.tokens(),
            }));
        }
        return output::say(&said);
    }
    let stands = standing(app);
    if args.json {
        return output::say_json(&as_json(&stands));
    }
    if stands.is_empty() {
        return output::say(
            "nothing was handed over yet: `throughline handover -` takes one from standard input",
        );
    }
    let text = page(&stands);
    if quoting::is_for_agent() {
        return output::say_fragment(&wrap(FragmentKind::Notice, &text));
    }
    output::say(text.trim_end())
}

/// Takes a hand-over from whoever asks; says in one line what was kept of it.
pub(crate) fn take(app: &App, text: &str) -> Result<(String, HandOver), Failure> {
    let lines = in_text(&printable(text));
    if lines.is_empty() {
        return Err(Failure::new("the hand-over is empty")
            .hint("one fact a line, such as `rule: never push to main`; nothing was kept"));
    }
    let Some(session) = app.session_at_hand() else {
        return Err(Failure::new("no session was seen in this project yet")
            .hint("`throughline init` registers the hooks that note sessions; nothing was kept"));
    };
    let ledger = ledger_of(app, &session).unwrap_or_default();
    let by = if app.author().origin == Origin::Assistant { Writer::Agent } else { Writer::Person };
    let handed = HandOver::new(app.now.as_millisecond(), by, ledger.turn, lines);
    if handed.lines.is_empty() {
        return Err(Failure::new(format!(
            "no fact is short enough: at most {TOKENS_MAX} tokens are kept in all"
        ))
        .hint("one fact a line; nothing was kept"));
    }
    let folder = app.place.home.session(&session);
    let work = SessionFacts::read(&folder).map(|facts| facts.work_root.unwrap_or(facts.project_root));
    let giver = hand_over::Giver { folder: &folder, work: work.as_deref() };
    let is_new = hand_over::take(giver, handed.clone(), &ledger, Patience::Person)
        .map_err(|error| Failure::new(format!("could not keep the hand-over: {error}")))?;
    if !is_new {
        return Ok(("this was handed over already: nothing is new".to_owned(), handed));
    }
    archive(app, &session, &handed);
    note(app, &session, &handed);
    let mut said =
        format!("handed over: {} kept, about {} tokens", counted(handed.lines.len()), handed.tokens());
    if handed.left_out > 0 {
        said.push_str(&format!(
            "; {} left out, as at most {TOKENS_MAX} tokens are kept",
            counted(handed.left_out)
        ));
    }
    Ok((said, handed))
}

fn counted(facts: usize) -> String {
    if facts == 1 { "1 fact".to_owned() } else { format!("{facts} facts") }
}

/// Into the session's spool, and with it into the archive: what leaves the file for want of room is still there.
fn archive(app: &App, session: &str, handed: &HandOver) {
    let appended = Spool::open(&app.place.home.session(session)).and_then(|mut spool| {
        let before = spool.last().cloned();
        let record = SpoolRecord {
            at: app.now.as_millisecond(),
            ev: "HandOver".to_owned(),
            us: 0,
            out: NOTE_ONLY.to_owned(),
            said: 0,
            via: "s".to_owned(),
            claim: String::new(),
            turn: before.as_ref().map_or(0, |record| record.turn),
            tools: before.map_or(0, |record| record.tools),
            note: serde_json::to_value(handed).ok().map(|handed| json!({ "handOver": handed })),
            ran: Vec::new(),
            length: 0,
        };
        spool.append(&record)
    });
    if let Err(error) = appended {
        output::warn(&format!("kept, but not for the archive: {error}"));
    }
}

/// The session's notes show it.
fn note(app: &App, session: &str, handed: &HandOver) {
    if !app.config.notes.enabled {
        return;
    }
    let lines = handed.lines.iter().map(HandOverLine::told).collect();
    let entry = NotesEntry { at: When::Now, title: format!("Handed over {}", whose(handed.by)), lines };
    if let Err(failure) = super::notes::add(app, session, Some(entry)) {
        output::warn(&format!("not on the session's page: {}", failure.message));
    }
}

/// What stands: of the session at hand, else of the one that it goes on from, else of the last one that is over.
pub(crate) fn standing(app: &App) -> Vec<StandingLine> {
    let Some(session) = app.session_at_hand() else { return Vec::new() };
    let home = &app.place.home;
    let found = hand_over::of_line(home, &session).or_else(|| {
        let seen = liveness::sessions(home, &app.memory.project, app.now);
        let mut over = seen.iter().filter(|seen| seen.fate != Fate::Alive && seen.session != session);
        over.find_map(|seen| hand_over::of_line(home, &seen.session))
    });
    let Some((whose, all)) = found else { return Vec::new() };
    let ledger = ledger_of(app, &whose).unwrap_or_default();
    hand_over::standing(&all, &app.memory.project.work, &ledger)
}

fn as_json(stands: &[StandingLine]) -> serde_json::Value {
    let line = |fact: &StandingLine| {
        let over = match fact.standing {
            Standing::Holds => None,
            Standing::Over(why) => Some(why),
        };
        json!({
            "kind": fact.line.kind.word(), "text": defused(&fact.line.text), "at": fact.at, "by": fact.by,
            "isLast": fact.is_last, "isUsers": fact.line.is_users, "over": over,
        })
    };
    json!({
        "at": stands.iter().find(|fact| fact.is_last).map(|fact| minute(fact.at)),
        "lines": stands.iter().map(line).collect::<Vec<_>>(),
    })
}
