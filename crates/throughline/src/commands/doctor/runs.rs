//! The hooks as they really run: the last run of each, those that never ended, what failed of late.

use std::path::PathBuf;
use std::time::SystemTime;

use throughline_agents::agent::USUAL;
use throughline_domain::{Timestamp, time};
use throughline_store::archive::{Archive, Receipt};
use throughline_store::door::outside;
use throughline_store::log;

use super::Check;
use super::context::{Context, counted};
use crate::commands::ARCHIVE_WAIT;

const NAME: &str = "hook runs";
/// A run that has not ended after this long never will.
const DEAD_RUN_MS: i64 = 60_000;
/// Failures older than this are history.
const RECENT_MS: i64 = 24 * 60 * 60 * 1_000;
/// A transcript this much newer than the last run means that the hooks did not run.
const UNSEEN_MS: i64 = 10 * 60 * 1_000;
/// Most failures that are shown.
const SHOWN_MAX: usize = 3;
/// Most transcripts that are looked at.
const TRANSCRIPTS_MAX: usize = 10_000;

pub(super) fn check(context: &Context) -> Vec<Check> {
    let mut checks = Vec::new();
    match receipts(context) {
        Err(what) => checks.push(Check::skip(NAME, format!("not known: {what}"))),
        Ok((last, failed)) => {
            checks.push(last_runs(context, &last));
            checks.extend(unfinished(context, &last, &failed));
        }
    }
    checks.extend(failures(context));
    checks
}

/// The last run of each event, and the runs that failed or never ended.
pub(super) fn receipts(context: &Context) -> Result<(Vec<Receipt>, Vec<Receipt>), String> {
    let path = context.place.home.archive();
    if !path.exists() {
        return Ok((Vec::new(), Vec::new()));
    }
    let key = &context.memory.project.key;
    Archive::open(&path, ARCHIVE_WAIT)
        .and_then(|archive| Ok((archive.last_receipts(key)?, archive.failures(key, 50)?)))
        .map_err(|error| error.to_string())
}

fn last_runs(context: &Context, last: &[Receipt]) -> Check {
    let remedy = "start a new session of the client here (it reads its settings at the start); if this stays, run `claude --debug` and look for hook errors";
    let worked = newest_transcript_ms(context);
    let Some(newest) = last.iter().map(|receipt| receipt.at_ms).max() else {
        let registered = registered_ms(context);
        return match (worked, registered) {
            (Some(worked), Some(registered)) if worked > registered.saturating_add(UNSEEN_MS) => Check::warn(
                NAME,
                format!(
                    "registered, but none has ever run, although the client worked here {}",
                    context.ago(worked)
                ),
                remedy,
            ),
            _ => Check::skip(NAME, "none has run here yet; start the client in this project"),
        };
    };
    if let Some(worked) = worked.filter(|worked| *worked > newest.saturating_add(UNSEEN_MS)) {
        let what = format!(
            "the last was {}, although the client worked here {}",
            context.ago(newest),
            context.ago(worked)
        );
        return Check::warn(NAME, what, remedy);
    }
    let runs: Vec<String> = last
        .iter()
        .map(|receipt| {
            let outcome = match receipt.outcome.as_str() {
                "ok" => "",
                "claim" => " (not finished)",
                _ => " (failed)",
            };
            format!("{} {}{outcome}", receipt.event, context.ago(receipt.at_ms))
        })
        .collect();
    Check::ok(NAME, runs.join(", "))
}

fn unfinished(context: &Context, last: &[Receipt], failed: &[Receipt]) -> Option<Check> {
    let now_ms = context.now.as_millisecond();
    let mut dead: Vec<&Receipt> = last
        .iter()
        .chain(failed)
        .filter(|receipt| receipt.outcome == "claim")
        .filter(|receipt| (DEAD_RUN_MS..RECENT_MS).contains(&now_ms.saturating_sub(receipt.at_ms)))
        .collect();
    dead.sort_by_key(|receipt| std::cmp::Reverse(receipt.at_ms));
    dead.dedup();
    if dead.is_empty() {
        return None;
    }
    let shown: Vec<String> = dead
        .iter()
        .take(SHOWN_MAX)
        .map(|receipt| format!("{} {}", receipt.event, context.ago(receipt.at_ms)))
        .collect();
    let what = format!("{} began in the last 24 h and never finished: {}", dead.len(), shown.join(", "));
    Some(Check::warn(
        NAME,
        what,
        "the client killed them (timeout, or it ended); what they had to save waits for the next gate",
    ))
}

/// What the log has of the last day, whichever project it was.
fn failures(context: &Context) -> Option<Check> {
    let now_ms = context.now.as_millisecond();
    let mut recent = log::recent(&context.place.home, 200);
    recent.retain(|failure| {
        time::parse(&failure.at).is_some_and(|at| now_ms.saturating_sub(at.as_millisecond()) < RECENT_MS)
    });
    if recent.is_empty() {
        return None;
    }
    let shown: Vec<String> = recent
        .iter()
        .take(SHOWN_MAX)
        .map(|failure| {
            let at_ms = time::parse(&failure.at).unwrap_or(context.now).as_millisecond();
            let what = throughline_domain::text::one_line(&failure.what, 160);
            format!("{}, {}: {what}", context.ago(at_ms), failure.during)
        })
        .collect();
    let what = format!(
        "{} in the last 24 h; {}",
        counted(recent.len() as u64, "failure", "failures"),
        shown.join("; ")
    );
    Some(Check::warn(
        "failures",
        what,
        format!("the agent was not disturbed; all of them are in {}", context.place.home.log().display()),
    ))
}

/// When the client last wrote a transcript of this project.
fn newest_transcript_ms(context: &Context) -> Option<i64> {
    let folder = context.place.claude_folder.as_ref()?;
    let name = USUAL.transcripts.project_folder?;
    let folder = folder.join("projects").join(name(&context.root().to_string_lossy()));
    let entries = outside::list(folder).ok()?.flatten().take(TRANSCRIPTS_MAX);
    let transcripts = entries.filter(|entry| entry.path().extension().is_some_and(|end| end == "jsonl"));
    transcripts.filter_map(|entry| to_ms(entry.metadata().ok()?.modified().ok()?)).max()
}

/// When a settings file with our hooks was last written.
fn registered_ms(context: &Context) -> Option<i64> {
    let ours = |path: &PathBuf| {
        context
            .usual
            .settings
            .hooks
            .iter()
            .any(|hook| context.usual.file_of(hook.scope) == path.display().to_string())
    };
    let files = context.usual.files.iter().map(|file| &file.path).filter(|path| ours(path));
    files.filter_map(|path| to_ms(outside::metadata(path).ok()?.modified().ok()?)).min()
}

fn to_ms(at: SystemTime) -> Option<i64> {
    Timestamp::try_from(at).ok().map(Timestamp::as_millisecond)
}
