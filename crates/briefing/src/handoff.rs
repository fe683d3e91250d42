//! The hand-over block: the work item, what is open, and how full the context is.

pub use throughline_domain::text::thousands;
use throughline_domain::text::{one_line, utf16_len};
use throughline_domain::{Detail, Entry, Health, Kind, State};

use crate::fit::{Cap, Line, Section, fit};
use crate::fragment::defused;
use crate::sections::percent;

/// What every rendered text is bound by (Decision 3).
const TOKENS_MAX: u64 = 1_200;
const TITLE: &str = "## Hand-over";

/// How full the context of the session at hand is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextUse {
    /// Tokens in the context, as the server reported.
    pub used_tokens: u64,
    /// The window.
    pub window_tokens: u64,
    /// How full, in words.
    pub health: Health,
    /// Of the tokens, read from the cache.
    pub cache_read_tokens: u64,
    /// Compactions of this session.
    pub compactions: u64,
    /// The compaction that will really come.
    pub next: NextCompaction,
}

/// When the client will compact by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextCompaction {
    /// At this many tokens.
    At(u64),
    /// Never.
    Never {
        /// Why.
        reason: &'static str,
        /// What to do about it.
        remedy: &'static str,
    },
    /// The model is not known to us.
    Unknown,
}

impl ContextUse {
    /// What was read from the cache, in per cent of the tokens in the context.
    #[must_use]
    pub fn cache_percent(&self) -> u64 {
        share(self.cache_read_tokens, self.used_tokens)
    }

    /// How full the window is, in per cent.
    #[must_use]
    pub fn window_percent(&self) -> u64 {
        share(self.used_tokens, self.window_tokens)
    }
}

fn share(part: u64, whole: u64) -> u64 {
    u64::try_from(u128::from(part) * 100 / u128::from(whole.max(1))).unwrap_or(u64::MAX)
}

/// The block (Decision 11): within the budget of every rendered text, the context's health always whole.
///
/// It quotes nothing: give it a state [without untrusted entries](crate::Facts::vouched).
#[must_use]
pub fn render(state: &State, context: Option<&ContextUse>) -> String {
    let health = health_block(context);
    let cap = Cap::tokens(TOKENS_MAX).less(utf16_len(TITLE) + utf16_len(&health) + 2);
    let mut sections = vec![work(state)];
    let blocking = |entry: &Entry| u8::from(!entry.is_precious());
    sections.push(list("Constraints", state.entries(Kind::Constraint).iter(), blocking));
    sections.push(list("Decisions", state.entries(Kind::Decision).iter(), |_| 3));
    sections.push(list("Actions", state.entries(Kind::Action).iter(), |_| 2));
    sections.push(list("Open questions", state.open_questions().into_iter(), |_| 2));
    format!("{TITLE}\n{}\n{health}", fit(&sections, cap).text)
}

fn work(state: &State) -> Section {
    let sd = &state.sd;
    let name = [&sd.id, &sd.title].into_iter().flatten().map(|part| one_line(part, 200)).collect::<Vec<_>>();
    let facts = [
        ("Work item", (!name.is_empty()).then(|| name.join(" "))),
        ("Phase", sd.phase.as_ref().map(|phase| one_line(phase, 60))),
        ("Progress", sd.progress.and_then(percent)),
        ("Next", sd.next.as_ref().map(|next| one_line(next, 200))),
        ("Branch", state.git.branch.as_ref().map(|branch| one_line(branch, 120))),
    ];
    let line = |(label, value): (&str, Option<String>)| {
        value.map(|value| Line {
            rank: 0,
            text: defused(&format!("**{label}**: {value}")),
            why: "the work item",
        })
    };
    Section {
        heading: String::new(),
        lines: facts.into_iter().filter_map(line).collect(),
        ..Section::default()
    }
}

fn list<'a>(title: &str, entries: impl Iterator<Item = &'a Entry>, rank: impl Fn(&Entry) -> u8) -> Section {
    let line =
        |entry: &'a Entry| Line { rank: rank(entry), text: defused(&in_one_line(entry)), why: "recorded" };
    Section { heading: format!("\n### {title}"), lines: entries.map(line).collect(), ..Section::default() }
}

/// An entry with what must not get lost beside its text: why it was decided, that it blocks.
fn in_one_line(entry: &Entry) -> String {
    let (id, text) = (&entry.id, one_line(&entry.text, 200));
    match &entry.detail {
        Detail::Decision { rationale, .. } if !rationale.trim().is_empty() => {
            format!("- {id}: {text} ({})", one_line(rationale, 120))
        }
        Detail::Constraint { blocking: true, .. } => format!("- {id} [BLOCKING]: {text}"),
        _ => format!("- {id}: {text}"),
    }
}

/// The part about the context, as hand-overs carry it.
#[must_use]
pub fn health_block(context: Option<&ContextUse>) -> String {
    let Some(context) = context else {
        return "## Context Health\n**Current Usage**: unknown (no session of this project reported any yet)\n"
            .to_owned();
    };
    format!(
        "## Context Health\n**Current Usage**: {} tokens ({}% of {} budget)\n**Status**: {}\n\
         **Cache Efficiency**: {}% (cache reads / tokens in the context)\n\
         **Compactions This Session**: {}\n**Next Compaction**: {}\n",
        thousands(context.used_tokens),
        context.window_percent(),
        budget_words(context.window_tokens),
        context.health.word(),
        context.cache_percent(),
        context.compactions,
        next_words(context.used_tokens, context.next)
    )
}

/// `200K`, `1M`.
fn budget_words(tokens: u64) -> String {
    if tokens > 0 && tokens.is_multiple_of(1_000_000) {
        format!("{}M", tokens / 1_000_000)
    } else {
        format!("{}K", tokens / 1_000)
    }
}

/// How far the next compaction is.
#[must_use]
pub fn next_words(used_tokens: u64, next: NextCompaction) -> String {
    match next {
        NextCompaction::At(at) if used_tokens >= at => {
            format!("due, the {} tokens where it comes are reached", thousands(at))
        }
        NextCompaction::At(at) => {
            format!("in {} tokens, at {}", thousands(at - used_tokens), thousands(at))
        }
        NextCompaction::Never { reason, remedy } => format!("never by itself: {reason}; {remedy}"),
        NextCompaction::Unknown => "not known for this model".to_owned(),
    }
}
