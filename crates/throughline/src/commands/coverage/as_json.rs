//! The figures as JSON, for programs.

use serde_json::{Value, json};
use throughline_briefing::session::Kept;
use throughline_domain::need::{NeedKind, Share};
use throughline_engine::coverage::{Compaction, Coverage, Holder, Judged, Settings};
use throughline_redact as redact;

use super::plot::{Means, means};

/// The whole report.
pub(super) fn report(coverages: &[Coverage], settings: &Settings) -> Value {
    let Means { compactions, summary, briefing, both, blind } = means(coverages);
    json!({
        "tokens": settings.tokens,
        "turns": settings.turns,
        "sessions": coverages.iter().map(session).collect::<Vec<_>>(),
        "mean": {
            "compactions": compactions, "summary": summary, "briefing": briefing, "both": both, "blind": blind,
        },
    })
}

fn session(coverage: &Coverage) -> Value {
    json!({
        "session": coverage.session(),
        "transcript": coverage.transcript.to_string_lossy(),
        "problems": coverage.problems,
        "compactions": coverage.compactions.iter().map(compaction).collect::<Vec<_>>(),
    })
}

fn compaction(it: &Compaction) -> Value {
    let stretch = &it.stretch;
    let word = |text: &str| if text.is_empty() { Value::Null } else { text.into() };
    json!({
        "at": word(&stretch.compaction.timestamp),
        "offset": stretch.compaction.place.offset,
        "trigger": word(&stretch.compaction.trigger),
        "tokensBefore": stretch.compaction.tokens_before,
        "tokensAfter": stretch.compaction.tokens_after,
        "contextAfter": stretch.context_after,
        "turnsAfter": stretch.turns,
        "summaryTokens": it.summary_tokens,
        "briefingTokens": it.briefing_tokens,
        "need": {
            "count": it.judged.len(),
            "files": it.needed_of(NeedKind::File),
            "commands": it.needed_of(NeedKind::Command),
            "names": it.needed_of(NeedKind::Name),
        },
        "recall": {
            "summary": it.share(Holder::Summary).ratio(),
            "briefing": it.share(Holder::Briefing).ratio(),
            "both": it.share(Holder::Both).ratio(),
            "blind": it.share(Holder::Blind).ratio(),
        },
        "lost": it.lost().count(),
        "brought": it.lost().filter(|it| it.by_briefing).count(),
        "kept": kept(&it.kept_by_summary, &it.kept_by_both),
        "needed": it.judged.iter().map(judged).collect::<Vec<_>>(),
        "reads": { "calls": stretch.reads, "again": stretch.rereads, "files": stretch.reread_files },
    })
}

fn kept(summary: &Kept, both: &Kept) -> Value {
    let row =
        |summary: Share, both: Share| json!({ "of": both.of, "summary": summary.held, "both": both.held });
    json!({
        "checks": row(summary.checks, both.checks),
        "errors": row(summary.errors, both.errors),
        "directives": row(summary.directives, both.directives),
        "tasks": row(summary.tasks, both.tasks),
    })
}

fn judged(it: &Judged) -> Value {
    json!({
        "kind": it.needed.kind.word(),
        "text": redact::text(&it.needed.text),
        "used": it.needed.used.word(),
        "turn": it.needed.turn,
        "summary": it.by_summary,
        "briefing": it.by_briefing,
        "blind": it.by_blind,
    })
}
