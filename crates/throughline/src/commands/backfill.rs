//! `backfill`: reads the transcripts that the agent already wrote, so that the history exists from the first minute.

use serde_json::json;
use throughline_agents::agent::AGENTS;
use throughline_engine::client_folders;
use throughline_engine::intake::recall::Intake as Indexed;
use throughline_engine::intake::usage::Intake;
use throughline_engine::intake::{self, Limits, Stores};
use throughline_engine::place::Place;
use throughline_store::recall::RecallError;

use super::recall;
use super::usage::open_store;
use crate::failure::Failure;
use crate::output::{self, DIM, styled};
use crate::progress::Progress;

/// Read the transcripts the agent already wrote: into the store of usage and the index of recall
///
/// Reads every transcript in the client's configuration folders (CLAUDE_CONFIG_DIR, which may list several, separated
/// by commas; else ~/.config/claude and ~/.claude), subagents' files included. Each response of the API is counted
/// once, however many lines, resumed sessions and forks repeat it. Only what is new since the last time is read, so it
/// can run as often as one likes; `throughline usage` and `throughline recall` do the same before they answer. The
/// transcripts themselves are never changed. The store of usage holds no word of them; the index of recall holds what
/// was said, run and broken, with secrets masked, and keeps it when the client deletes the transcript
/// (`[recall]` in throughline.toml).
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throughline backfill                 # then: throughline usage days, throughline recall <words>
  throughline backfill --json          # what was read and what was passed over, for scripts
  CLAUDE_CONFIG_DIR=~/.claude,/mnt/old/.claude throughline backfill")]
pub(crate) struct Args {
    /// What was read, as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(place: &Place, args: &Args) -> Result<(), Failure> {
    let has_client = AGENTS.into_iter().any(|agent| !client_folders::of(place, agent).is_empty());
    if !has_client && !args.json {
        let known: Vec<&str> = AGENTS.iter().map(|agent| agent.title).collect();
        let known = known.join(", ");
        return Err(Failure::new(format!("there are no transcripts: no folder of {known} is here"))
            .hint("CLAUDE_CONFIG_DIR names the client's configuration folder, where it is not ~/.claude"));
    }
    let (done, indexed) = read(place);
    let indexed = indexed.unwrap_or_else(|error| {
        output::warn(&format!("recall was not brought up to date: {error}"));
        None
    });
    let done = match done {
        Ok(done) => done,
        Err(failure) => {
            // What recall has it has, whatever became of usage.
            if let Some(indexed) = indexed.filter(|_| !args.json) {
                output::say(&summary_indexed(&indexed))?;
            }
            return Err(failure);
        }
    };
    if args.json {
        return output::say_json(&as_json(&done, indexed.as_ref()));
    }
    for (path, what) in &done.problems {
        output::remark(&format!("passed over {}: {what}", path.display()));
    }
    let untold = done.problems_count - done.problems.len() as u64;
    if untold > 0 {
        output::remark(&format!("and {untold} more that were passed over"));
    }
    output::say(&summary(&done))?;
    if let Some(indexed) = &indexed {
        output::say(&summary_indexed(indexed))?;
    }
    if done.added.responses > 0 {
        output::remark(&styled(DIM, "`throughline usage days` shows them by day"));
    }
    Ok(())
}

/// Reads each transcript once, for both stores. What fails for one of them is read for the other all the same.
fn read(place: &Place) -> (Result<Intake, Failure>, Result<Option<Indexed>, RecallError>) {
    let (mut usage, mut recall) = (open_store(place), recall::Opened::to_write(place));
    let stores = Stores {
        usage: usage.as_mut().ok(),
        recall: recall.as_mut().ok().and_then(Option::as_mut).map(recall::Opened::index),
    };
    let done = intake::catch_up(place, stores, Limits::default(), &mut Progress::on_terminal());
    let counted = usage.and_then(|_| Ok(done.usage.transpose()?.unwrap_or_default()));
    (counted, recall.and_then(|_| done.recall.transpose()))
}

fn summary(done: &Intake) -> String {
    let mb = done.bytes / 1_000_000;
    let read = match done.files_read {
        0 => format!("{} transcripts, nothing new", done.files),
        read => format!("{read} of {} transcripts read ({mb} MB, {} ms)", done.files, done.ms),
    };
    let added = &done.added;
    let grown = if added.grown > 0 { format!(", {} brought up to date", added.grown) } else { String::new() };
    format!(
        "{read}: {} new responses{grown}, {} new compactions, {} new samples",
        added.responses, added.boundaries, added.samples
    )
}

fn summary_indexed(done: &Indexed) -> String {
    let mb = done.bytes / 1_000_000;
    let removed = match done.sessions_removed {
        0 => String::new(),
        removed => format!(", {removed} old sessions made room"),
    };
    match done.files_read {
        0 => format!("recall: nothing new{removed}"),
        read => format!(
            "recall: {read} transcripts read ({mb} MB, {} ms), {} new passages{removed}",
            done.ms, done.added.passages
        ),
    }
}

fn as_json(done: &Intake, indexed: Option<&Indexed>) -> serde_json::Value {
    let problems: Vec<_> = done
        .problems
        .iter()
        .map(|(path, what)| json!({ "path": path.to_string_lossy(), "what": what }))
        .collect();
    json!({
        "files": done.files,
        "files_read": done.files_read,
        "bytes": done.bytes,
        "lines": done.lines,
        "responses_new": done.added.responses,
        "responses_grown": done.added.grown,
        "compactions_new": done.added.boundaries,
        "samples_new": done.added.samples,
        "passed_over": done.problems_count,
        "problems": problems,
        "recall": indexed.map(|indexed| json!({
            "files_read": indexed.files_read,
            "bytes": indexed.bytes,
            "passages_new": indexed.added.passages,
            "text_bytes_new": indexed.added.text_bytes,
            "sessions_removed": indexed.sessions_removed,
            "passed_over": indexed.problems_count,
            "ms": u64::try_from(indexed.ms).unwrap_or(u64::MAX),
        })),
        "ms": u64::try_from(done.ms).unwrap_or(u64::MAX),
    })
}
