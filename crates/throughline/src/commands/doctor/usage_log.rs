//! The usage log: whether a status line can write it, and whether it agrees with the transcripts about compactions.

use throughline_domain::Timestamp;
use throughline_store::usage::UsageStore;
use throughline_store::usage_log;

use super::Check;
use super::context::{Context, counted};
use crate::commands::ARCHIVE_WAIT;

const NAME: &str = "usage log";
/// Older disagreements are history.
const RECENT_MS: i64 = 30 * 24 * 60 * 60 * 1_000;

pub(super) fn check(context: &Context) -> Vec<Check> {
    let project = &context.memory.project;
    if !context.config.usage.log {
        return vec![Check::skip(NAME, "switched off in the configuration")];
    }
    let path = usage_log::folder(project).join(usage_log::FILE_NAME);
    vec![match usage_log::is_writable(project) {
        Ok(()) => Check::ok(NAME, format!("a line per change in {}", path.display())),
        Err(error) => Check::warn(
            NAME,
            format!("how full the context is cannot be logged: {error}"),
            "check who owns the project's .claude folder, or set `log = false` under [usage] in throughline.toml",
        ),
    }]
}

/// Compactions of the last month that only one side tells of. Runs after the archive was looked at.
pub(super) fn disagreements(context: &Context) -> Vec<Check> {
    let path = context.place.home.archive();
    let since = Timestamp::from_millisecond(context.now.as_millisecond().saturating_sub(RECENT_MS));
    let (true, Ok(since)) = (path.exists(), since) else { return Vec::new() };
    match UsageStore::open(&path, ARCHIVE_WAIT).and_then(|store| store.disagreements_since(since)) {
        Err(error) => vec![Check::skip(NAME, format!("compactions are not compared: {error}"))],
        Ok(0) => Vec::new(),
        Ok(count) => vec![Check::warn(
            NAME,
            format!(
                "{} of the last 30 days that the status line or the transcript alone tells of",
                counted(count, "compaction", "compactions")
            ),
            "`throughline usage analyze --json` has them (seen_by), throughline.log the sessions",
        )],
    }
}
