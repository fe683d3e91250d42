//! What each segment says, in a few words.

use throughline_domain::Health;
use throughline_domain::text::thousands;
use throughline_usage::bar::{self, Bar, Pen};

use crate::clean::{clean, cut};
use crate::facts::{Compaction, Context, Facts, Limit};
use crate::look::Look;
use crate::paint::{Span, Tone};
use crate::segment::Segment;

/// Most columns of a name from outside.
const NAME_COLUMNS_MAX: usize = 32;
/// Most columns of a task's subject.
const TASK_COLUMNS_MAX: usize = 40;

/// What a segment says; nothing where nothing is known.
pub(crate) fn spans(segment: Segment, facts: &Facts<'_>, look: &Look) -> Vec<Span> {
    let ascii = look.preset.is_ascii();
    let name = |text: Option<&str>, before: &str, tone| named(text, before, NAME_COLUMNS_MAX, ascii, tone);
    match segment {
        Segment::Model => model(facts, look),
        Segment::Effort => effort(facts, ascii),
        Segment::Bar => bar(facts, look),
        Segment::Percent => percent(facts, look),
        Segment::Tokens => tokens(facts, ascii),
        Segment::Cache => cache(facts, ascii),
        Segment::Health => health(facts, look),
        Segment::Purity => purity(facts, ascii),
        Segment::Compaction => compaction(facts),
        Segment::Eta => eta(facts),
        Segment::Cost => cost(facts),
        Segment::Duration => some(facts.duration_s.map(span), Tone::Dim),
        Segment::Lines => lines(facts, ascii),
        Segment::Branch => name(facts.branch, if ascii { "" } else { "⎇ " }, Tone::Name),
        Segment::Directory => name(facts.folder, if ascii { "" } else { "📁 " }, Tone::Plain),
        Segment::Phase => name(facts.phase, "", Tone::Plain),
        Segment::Task => {
            named(facts.task, if ascii { "task: " } else { "▸ " }, TASK_COLUMNS_MAX, ascii, Tone::Plain)
        }
        Segment::Limits => limits(facts),
        Segment::Memory => memory(facts, ascii),
        Segment::Session => name(facts.session, "", Tone::Dim),
        Segment::Agent => name(facts.agent, "@", Tone::Dim),
        Segment::Worktree => name(facts.worktree, "wt:", Tone::Dim),
        Segment::Style => name(facts.style.filter(|style| *style != "default"), "", Tone::Dim),
        Segment::Vim => name(facts.vim, "", Tone::Dim),
        Segment::Version => name(facts.version, "v", Tone::Dim),
        Segment::Newline => Vec::new(),
    }
}

fn one(text: impl Into<String>, tone: Tone) -> Vec<Span> {
    vec![Span::new(text, tone)]
}

fn some(text: Option<String>, tone: Tone) -> Vec<Span> {
    text.into_iter().map(|text| Span::new(text, tone)).collect()
}

/// A name from outside, clean and short.
fn named(text: Option<&str>, before: &str, columns_max: usize, ascii: bool, tone: Tone) -> Vec<Span> {
    let shown = shown(text, columns_max, ascii);
    if shown.is_empty() { Vec::new() } else { one(format!("{before}{shown}"), tone) }
}

fn shown(text: Option<&str>, columns_max: usize, ascii: bool) -> String {
    let mut text = clean(text.unwrap_or_default());
    if ascii {
        text = text.replace(|character: char| !character.is_ascii(), "?");
    }
    cut(&text, columns_max, cut_mark(ascii))
}

/// What stands where something was cut.
pub(crate) fn cut_mark(ascii: bool) -> &'static str {
    if ascii { "~" } else { "…" }
}

fn model(facts: &Facts<'_>, look: &Look) -> Vec<Span> {
    let mut name = shown(facts.model, NAME_COLUMNS_MAX, look.preset.is_ascii());
    if name.is_empty() {
        name.push('?');
    }
    if look.preset.is_bracketed() { one(format!("[{name}]"), Tone::Plain) } else { one(name, Tone::Name) }
}

fn effort(facts: &Facts<'_>, ascii: bool) -> Vec<Span> {
    let mut spans = named(facts.effort, "", NAME_COLUMNS_MAX, ascii, Tone::Dim);
    if facts.is_fast {
        let fast = if ascii { "fast" } else { "⚡" };
        let space = if spans.is_empty() { "" } else { " " };
        spans.push(Span::new(format!("{space}{fast}"), Tone::Plain));
    }
    spans
}

fn bar(facts: &Facts<'_>, look: &Look) -> Vec<Span> {
    let cells = look.cells();
    let filled = match facts.context {
        // As near to the compaction as the window lets it come: full is where the context ends. The first cell is not
        // left empty once something is there.
        Context::Known { used, window, .. } => {
            bar::share(used, limit(facts, window), cells).max(usize::from(used > 0))
        }
        Context::Unknown => 0,
    };
    let Bar { filled, empty } =
        Bar::drawn(filled, cells, if look.preset.is_ascii() { Pen::ASCII } else { Pen::WHOLE });
    let mut spans = one(filled, Tone::of_health(facts.health));
    spans.push(Span::new(empty, Tone::Dim));
    if look.preset.is_ascii() {
        spans.insert(0, Span::new("[", Tone::Plain));
        spans.push(Span::new("]", Tone::Plain));
    }
    spans
}

fn limit(facts: &Facts<'_>, window: u64) -> u64 {
    if let Compaction::At(tokens) = facts.compaction { tokens } else { window }
}

fn percent(facts: &Facts<'_>, look: &Look) -> Vec<Span> {
    match facts.context {
        Context::Known { used, window, .. } => {
            one(format!("{}%", share(used, window)), Tone::of_health(facts.health))
        }
        Context::Unknown => one(if look.preset.is_ascii() { "-" } else { "–" }, Tone::Dim),
    }
}

fn share(part: u64, whole: u64) -> u64 {
    part.saturating_mul(100).checked_div(whole).unwrap_or(0)
}

fn tokens(facts: &Facts<'_>, ascii: bool) -> Vec<Span> {
    match facts.context {
        Context::Known { used, .. } if ascii => one(format!("{}t", thousands(used)), Tone::Plain),
        Context::Known { used, .. } => one(format!("({}t)", thousands(used)), Tone::Plain),
        Context::Unknown => Vec::new(),
    }
}

fn cache(facts: &Facts<'_>, ascii: bool) -> Vec<Span> {
    match facts.context {
        Context::Known { used, cached, .. } if share(cached, used) > 0 => {
            let before = if ascii { "cache " } else { "📦" };
            one(format!("{before}{}%", share(cached, used)), Tone::Plain)
        }
        _ => Vec::new(),
    }
}

fn health(facts: &Facts<'_>, look: &Look) -> Vec<Span> {
    let ascii = look.preset.is_ascii();
    let mut words = Vec::new();
    if facts.compacted {
        words.push(if ascii { "compacted" } else { "♻️" });
    }
    match facts.health {
        Some(health) if ascii && health != Health::Healthy => words.push(health.word()),
        Some(Health::Healthy) if look.preset.shows_healthy() => words.push("✅"),
        Some(Health::Warning) => words.push("⚠️"),
        Some(Health::Critical) => words.push("🔴"),
        Some(Health::Emergency) => words.push("🚨"),
        _ => {}
    }
    if words.is_empty() { Vec::new() } else { one(words.join(" "), Tone::of_health(facts.health)) }
}

/// `✦72`; `✦37 → /clear` once the context was purified, until the user has begun anew.
fn purity(facts: &Facts<'_>, ascii: bool) -> Vec<Span> {
    let mark = if ascii { "purity " } else { "✦" };
    let arrow = if ascii { "->" } else { "→" };
    match (facts.purified, facts.purity) {
        (Some(score), _) => one(format!("{mark}{} {arrow} /clear", score.min(100)), Tone::Bad),
        (None, Some((score, level))) => one(format!("{mark}{}", score.min(100)), Tone::of_level(level)),
        (None, None) => Vec::new(),
    }
}

fn compaction(facts: &Facts<'_>) -> Vec<Span> {
    match (facts.compaction, facts.context) {
        (Compaction::At(at), Context::Known { used, .. }) if used < at => {
            one(format!("{} to compaction", short_count(at - used)), Tone::Dim)
        }
        (Compaction::At(_), Context::Known { .. }) => one("compaction due", Tone::Bad),
        (Compaction::Never, _) => one("no auto-compaction", Tone::Dim),
        _ => Vec::new(),
    }
}

fn eta(facts: &Facts<'_>) -> Vec<Span> {
    some(facts.seconds_left.map(|seconds| format!("~{} left", span(seconds))), Tone::Dim)
}

fn cost(facts: &Facts<'_>) -> Vec<Span> {
    let Some(micros) = facts.cost_micros.filter(|micros| *micros > 0) else { return Vec::new() };
    // A tenth of a cent is worth showing where there is nothing larger.
    let text = if micros < 10_000 {
        format!("$0.{:03}", (micros + 500) / 1_000)
    } else {
        let cents = (micros + 5_000) / 10_000;
        format!("${}.{:02}", thousands(cents / 100), cents % 100)
    };
    one(text, Tone::Plain)
}

fn lines(facts: &Facts<'_>, ascii: bool) -> Vec<Span> {
    let Some((added, removed)) = facts.lines.filter(|(added, removed)| added + removed > 0) else {
        return Vec::new();
    };
    let minus = if ascii { "-" } else { "−" };
    vec![Span::new(format!("+{added}"), Tone::Good), Span::new(format!(" {minus}{removed}"), Tone::Bad)]
}

fn limits(facts: &Facts<'_>) -> Vec<Span> {
    let mut spans = Vec::new();
    for limit in &facts.limits {
        let space = if spans.is_empty() { "" } else { " " };
        spans.push(Span::new(format!("{space}{}", limit_words(limit)), limit_tone(limit.percent)));
    }
    spans
}

fn limit_words(limit: &Limit) -> String {
    let resets =
        limit.resets_in_s.filter(|seconds| *seconds > 0).map(|seconds| format!(" ({})", span(seconds)));
    format!("{} {:.0}%{}", limit.name, limit.percent.clamp(0.0, 999.0), resets.unwrap_or_default())
}

fn limit_tone(percent: f64) -> Tone {
    if percent >= 90.0 {
        Tone::Bad
    } else if percent >= 70.0 {
        Tone::Warn
    } else {
        Tone::Dim
    }
}

fn memory(facts: &Facts<'_>, ascii: bool) -> Vec<Span> {
    let Some(saved) = facts.saved else { return Vec::new() };
    let before = if ascii { "" } else { "🧠 " };
    let ago = saved.ago_s.map(|seconds| format!(" {} ago", span(seconds)));
    one(format!("{before}{} saved{}", thousands(saved.entries), ago.unwrap_or_default()), Tone::Dim)
}

/// `950`, `9.4k`, `883k`, `1.2M`.
fn short_count(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..10_000 => format!("{}.{}k", number / 1_000, number % 1_000 / 100),
        10_000..1_000_000 => format!("{}k", number / 1_000),
        _ => format!("{}.{}M", number / 1_000_000, number % 1_000_000 / 100_000),
    }
}

/// `45s`, `12m`, `1h30m`, `3d`.
fn span(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..172_800 => match (seconds / 3_600, seconds % 3_600 / 60) {
            (hours, 0) => format!("{hours}h"),
            (hours, minutes) => format!("{hours}h{minutes:02}m"),
        },
        _ => format!("{}d", seconds / 86_400),
    }
}
