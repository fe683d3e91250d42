//! The block for another person: what is asked for, where it stands, what was handed over, and how full the context is.

use throughline_domain::hand_over::StandingLine;
use throughline_domain::ledger::Ledger;
pub use throughline_domain::text::thousands;
use throughline_domain::text::{one_line, utf16_len};
use throughline_domain::{Detail, Entry, Health, Kind, State};

use crate::fit::{Cap, Line, Section, fit};
use crate::fragment::defused;
use crate::hand_over;
use crate::sections::{percent, verbatim};
use crate::session;

/// What every rendered text is bound by.
const TOKENS_MAX: u64 = 1_200;
const TITLE: &str = "## Hand-over";
/// Open tasks, uncommitted files and rules of the user's that are named.
const TASKS_MAX: usize = 10;
const FILES_MAX: usize = 20;
const RULES_MAX: usize = 12;
/// How a note begins that was routed to somebody.
const ROUTED: &str = "routed to ";

/// What is known of the work beside what was recorded.
#[derive(Debug, Clone, Copy, Default)]
pub struct Work<'a> {
    /// What the session's transcript told.
    pub ledger: Option<&'a Ledger>,
    /// What git says now, a line for each file.
    pub uncommitted: &'a [String],
    /// What was handed over.
    pub hand_over: &'a [StandingLine],
}

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

/// The block: within the budget of every rendered text, the context's health always whole.
///
/// It quotes nothing: give it a state [without untrusted entries](crate::Facts::vouched).
#[must_use]
pub fn render(state: &State, known: &Work<'_>, context: Option<&ContextUse>) -> String {
    let health = health_block(context);
    let cap = Cap::tokens(TOKENS_MAX).less(utf16_len(TITLE) + utf16_len(&health) + 2);
    let mut sections = vec![work(state)];
    if let Some(ledger) = known.ledger {
        sections.extend(of_session(ledger));
    }
    sections.push(titled("Uncommitted", known.uncommitted.iter().take(FILES_MAX), |file| {
        (3, verbatim(file, 160))
    }));
    let facts = known.hand_over.iter().filter(|fact| fact.holds());
    sections.push(titled("Handed over, in the agent's words", facts, |fact| {
        (if fact.line.kind.is_vital() { 1 } else { 3 }, hand_over::line(fact))
    }));
    let routed = state.entries(Kind::Highlight).iter().filter(|entry| entry.text.starts_with(ROUTED));
    sections.push(list("Routed", routed, |_| 2));
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

/// What was asked, what is not done, what fails, what the user demands.
fn of_session(ledger: &Ledger) -> Vec<Section> {
    let request = session::current_request(ledger).map(|word| format!("\"{}\"", one_line(&word.text, 300)));
    let tasks = ledger.tasks.iter().filter(|task| task.is_open()).take(TASKS_MAX);
    let failure = ledger.newest_failure().map(|error| {
        let line = error.lines.first().map_or_else(String::new, |line| format!(": {}", one_line(line, 160)));
        format!("`{}`{line}", one_line(&error.from, 160))
    });
    let rules = ledger.said.iter().flat_map(|word| &word.directives);
    let rules: Vec<&String> = rules.rev().take(RULES_MAX).collect();
    vec![
        titled("The request", request.into_iter(), |text| (0, text)),
        titled("Tasks", tasks, |task| {
            let mark = if task.status == "in_progress" { "in progress: " } else { "" };
            (1, format!("- {mark}{}", one_line(&task.subject, 200)))
        }),
        titled("Fails", failure.into_iter(), |text| (1, format!("- {text}"))),
        titled("The user's rules", rules.into_iter().rev(), |rule| {
            (2, format!("- \"{}\"", one_line(rule, 200)))
        }),
    ]
}

fn titled<T>(title: &str, items: impl Iterator<Item = T>, told: impl Fn(T) -> (u8, String)) -> Section {
    let line = |item: T| {
        let (rank, text) = told(item);
        Line { rank, text: defused(&text), why: "told by the session" }
    };
    Section { heading: format!("\n### {title}"), lines: items.map(line).collect(), ..Section::default() }
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
