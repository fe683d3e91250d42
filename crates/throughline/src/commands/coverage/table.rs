//! The figures as a table, for people: one row a compaction, under it what was lost and what came back.

use throughline_domain::need::{NeedKind, Needed, Share};
use throughline_domain::text::one_line;
use throughline_domain::time;
use throughline_engine::coverage::{Compaction, Coverage, Holder, Judged, Settings};
use throughline_redact as redact;

use crate::failure::Failure;
use crate::output::{self, BAD, DIM, GOOD, HEAD, styled};

/// Things that are named under a row.
const NAMED_MAX: usize = 5;
const NAME_UNITS_MAX: usize = 40;

/// All sessions; in a long list those without a compaction are only counted.
pub(super) fn show(coverages: &[Coverage], settings: &Settings) -> Result<(), Failure> {
    let mut uncompacted = 0;
    for coverage in coverages {
        if coverage.compactions.is_empty() && coverages.len() > 1 {
            uncompacted += 1;
            continue;
        }
        session(coverage)?;
    }
    if uncompacted > 0 {
        let sessions = if uncompacted == 1 { "session was" } else { "sessions were" };
        output::say(&styled(DIM, &format!("{uncompacted} {sessions} never compacted")))?;
    }
    if coverages.iter().any(|coverage| !coverage.compactions.is_empty()) {
        output::say(&styled(
            DIM,
            &format!(
                "needed: files, commands and searched names, known before and used in the {} turns after\n\
                 summary: how much of that the client's summary holds; both: summary and our briefing together\n\
                 briefing: what our {} tokens hold, leaving out what the summary says: 0% where it says all\n\
                 blind: our briefing alone, made without knowing the summary\n\
                 re-read: reads of files that it had read or changed before, of all its reads",
                settings.turns, settings.tokens
            ),
        ))?;
    }
    Ok(())
}

fn session(coverage: &Coverage) -> Result<(), Failure> {
    output::say(&styled(HEAD, &format!("session {}", one_line(&coverage.session(), 80))))?;
    if coverage.compactions.is_empty() {
        return output::say("  never compacted");
    }
    output::say(&styled(
        DIM,
        "   #  when              trigger        tokens     needed  summary  briefing  both  blind  re-read",
    ))?;
    for (at, compaction) in coverage.compactions.iter().enumerate() {
        output::say(&row(at + 1, compaction))?;
        for line in below(compaction) {
            output::say(&format!("      {line}"))?;
        }
    }
    output::say("")
}

fn row(number: usize, it: &Compaction) -> String {
    let seen = &it.stretch.compaction;
    let after = seen.tokens_after.or(it.stretch.context_after);
    let tokens = format!("{} → {}", thousands(seen.tokens_before), thousands(after));
    let trigger = if seen.trigger.is_empty() { "-" } else { &seen.trigger };
    format!(
        "{number:>4}  {:<16}  {:<8}  {tokens:>13}  {:>7}  {:>7}  {:>8}  {:>4}  {:>5}  {:>7}",
        when(&seen.timestamp),
        one_line(trigger, 8),
        it.judged.len(),
        percent(it.share(Holder::Summary)),
        percent(it.share(Holder::Briefing)),
        percent(it.share(Holder::Both)),
        percent(it.share(Holder::Blind)),
        format!("{}/{}", it.stretch.rereads, it.stretch.reads),
    )
}

/// What was lost and came back, what did not, what was to be kept word by word.
fn below(it: &Compaction) -> Vec<String> {
    let mut lines = Vec::new();
    let (brought, missed): (Vec<&Judged>, Vec<&Judged>) = it.lost().partition(|it| it.by_briefing);
    if !brought.is_empty() {
        lines.push(format!("{} {}", styled(GOOD, "lost, brought back:"), names(&brought)));
    }
    if !missed.is_empty() {
        lines.push(format!("{} {}", styled(BAD, "lost, not brought:"), names(&missed)));
    }
    let (summary, both) = (&it.kept_by_summary, &it.kept_by_both);
    let kept: Vec<String> = [
        ("checks", summary.checks, both.checks),
        ("open error", summary.errors, both.errors),
        ("directives", summary.directives, both.directives),
        ("open tasks", summary.tasks, both.tasks),
    ]
    .into_iter()
    .filter(|(_, _, both)| both.of > 0)
    .map(|(what, summary, both)| format!("{what} {} → {} of {}", summary.held, both.held, both.of))
    .collect();
    if !kept.is_empty() {
        lines.push(styled(DIM, &format!("word by word: {}", kept.join(" · "))));
    }
    lines
}

fn names(all: &[&Judged]) -> String {
    let shown = all.iter().take(NAMED_MAX);
    let shown: Vec<String> = shown.map(|it| name(&it.needed)).collect();
    let more = all.len().saturating_sub(NAMED_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// A file by the end of its path, anything else by its beginning.
fn name(it: &Needed) -> String {
    let text = redact::text(&it.text);
    let surplus = text.chars().count().saturating_sub(NAME_UNITS_MAX);
    if it.kind == NeedKind::File && surplus > 0 {
        let end: String = text.chars().skip(surplus + 1).collect();
        return format!("…{}", one_line(&end, NAME_UNITS_MAX));
    }
    one_line(&text, NAME_UNITS_MAX)
}

/// The minute, in UTC as the transcript has it.
pub(super) fn when(timestamp: &str) -> String {
    time::parse(timestamp).map_or_else(
        || "-".to_owned(),
        |at| time::iso(at).chars().take(16).collect::<String>().replace('T', " "),
    )
}

/// `61 %`; a dash where there is nothing to hold.
pub(super) fn percent(share: Share) -> String {
    share.ratio().map_or_else(|| "-".to_owned(), |ratio| format!("{:.0}%", ratio * 100.0))
}

fn thousands(tokens: Option<u64>) -> String {
    match tokens {
        None => "?".to_owned(),
        Some(tokens) if tokens < 1_000 => tokens.to_string(),
        Some(tokens) => format!("{}k", (tokens + 500) / 1_000),
    }
}
