//! A subagent's compaction: its hooks carry the main session's id and transcript, and nothing of it is the main session's.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use throughline_agents::agent::Agent;
use throughline_agents::hook::{Event, HookPayload};
use throughline_briefing::session::{self as briefing_session, Known, Reader};
use throughline_briefing::{Cap, Facts};
use throughline_capture::absorb;
use throughline_domain::State;
use throughline_domain::ledger::Ledger;
use throughline_domain::transcript::Line;
use throughline_engine::ledger;
use throughline_engine::source::{LineReader, Source};
use throughline_store::spool::Spool;
use throughline_store::transcript_file::Cursor;

use crate::hook::Outcome;
use crate::hook::Run;

/// Room for what a subagent is given back: its task is small.
const SUBAGENT_TOKENS: u64 = 400;
/// An id that is none of the client's is no part of a path.
const ID_BYTES_MAX: usize = 80;

/// Whether an event is of a subagent's own compaction.
pub(in crate::hook) fn compacts(payload: &HookPayload) -> bool {
    payload.agent_id.is_some()
        && matches!(payload.event, Event::PreCompact | Event::SessionStart | Event::PostCompact)
}

/// The subagent is given back its own task, from its own transcript, or nothing. Log, counts and mark stay the main
/// session's.
pub(in crate::hook) fn run(run: &Run) -> Outcome {
    let note = Some(serde_json::json!({ "agent": run.payload.agent_id, "compacts": true }));
    let text = (run.payload.event == Event::SessionStart).then(|| told(run)).flatten();
    Outcome { note, ..Outcome::saying(text) }
}

/// Whether the summary that is being made now is a subagent's, as far as the last records tell.
pub(in crate::hook) fn is_compacting(spool: &Spool) -> bool {
    let asked = spool.last_records().find(|record| record.ev == "PreCompact" && record.out != "claim");
    asked.is_some_and(|record| record.note.is_some_and(|note| note.get("compacts").is_some()))
}

fn told(run: &Run) -> Option<String> {
    if run.facts().is_some_and(|facts| facts.paused) {
        return None;
    }
    let ledger = ledger_of(run.agent, &own_transcript(run)?)?;
    let (state, facts) = (State::empty(), Facts::default());
    let cap = Cap::tokens(SUBAGENT_TOKENS);
    let chosen =
        briefing_session::render(&state, &facts, &ledger, &Known::nothing(), Reader::Compacted, cap)?;
    Some(chosen.text)
}

/// `<transcripts>/<session>/subagents/agent-<id>.jsonl`.
fn own_transcript(run: &Run) -> Option<PathBuf> {
    let id = run.payload.agent_id.as_deref()?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if id.is_empty() || id.len() > ID_BYTES_MAX || !id.chars().all(is_plain) {
        return None;
    }
    let folder = Path::new(&run.payload.transcript_path).with_extension("");
    folder.is_absolute().then(|| folder.join("subagents").join(format!("agent-{id}.jsonl")))
}

/// What a subagent's transcript tells, as if it were a conversation of its own: it is.
fn ledger_of(agent: &'static Agent, path: &Path) -> Option<Ledger> {
    let mut ledger = Ledger::default();
    let mut reader = LineReader::afresh(agent);
    let each_line = |offset: u64, bytes: &[u8]| {
        ledger::each(&mut reader, bytes, |line| {
            absorb(&mut ledger, &Line { is_sidechain: false, ..line.clone() }, offset);
        });
    };
    let source = Source::of(agent, path);
    source.read_on(&Cursor::default(), ledger::SLICE_BYTES, SystemTime::UNIX_EPOCH, each_line).ok()?;
    (ledger.turn > 0).then_some(ledger)
}
