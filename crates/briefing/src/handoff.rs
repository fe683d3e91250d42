//! The hand-over block: the work item, what is open, and how full the context is.

use throughline_domain::text::one_line;
use throughline_domain::{Kind, State};

/// How full the context is, by the words of the thresholds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Health {
    /// Below the warning.
    Healthy,
    /// From 70 %.
    Warning,
    /// From 90 %.
    Critical,
    /// From 95 %.
    Emergency,
}

impl Health {
    /// The seed's word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Healthy => "HEALTHY",
            Self::Warning => "WARNING",
            Self::Critical => "CRITICAL",
            Self::Emergency => "EMERGENCY",
        }
    }

    /// The health at a percentage of the compaction point.
    #[must_use]
    pub fn at(percent: u64, warning: u64, critical: u64, emergency: u64) -> Self {
        if percent >= emergency {
            Self::Emergency
        } else if percent >= critical {
            Self::Critical
        } else if percent >= warning {
            Self::Warning
        } else {
            Self::Healthy
        }
    }
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
    /// Compactions of this session.
    pub compactions: u64,
}

/// The block (Decision 11).
#[must_use]
pub fn render(state: &State, context: Option<&ContextUse>) -> String {
    let mut text = String::from("## Hand-over\n");
    let mut line = |label: &str, value: Option<String>| {
        if let Some(value) = value {
            text.push_str(&format!("**{label}**: {value}\n"));
        }
    };
    let sd = &state.sd;
    let name = [&sd.id, &sd.title].into_iter().flatten().map(|part| one_line(part, 200)).collect::<Vec<_>>();
    line("Work item", (!name.is_empty()).then(|| name.join(" ")));
    line("Phase", sd.phase.as_ref().map(|phase| one_line(phase, 60)));
    line("Progress", sd.progress.filter(|it| it.is_finite()).map(|it| format!("{:.0} %", it * 100.0)));
    line("Next", sd.next.as_ref().map(|next| one_line(next, 200)));
    line("Branch", state.git.branch.as_ref().map(|branch| one_line(branch, 120)));
    for kind in [Kind::Constraint, Kind::Decision, Kind::Action] {
        list(&mut text, kind.plural(), state.entries(kind).iter());
    }
    list(&mut text, "open questions", state.open_questions().into_iter());
    text.push_str("\n## Context Health\n");
    match context {
        None => text.push_str("**Current Usage**: unknown (no session of this project reported any yet)\n"),
        Some(context) => {
            let percent = context.used_tokens * 100 / context.window_tokens.max(1);
            text.push_str(&format!(
                "**Current Usage**: {} tokens ({percent}% of {}K window)\n**Status**: {}\n**Compactions This Session**: {}\n",
                thousands(context.used_tokens),
                context.window_tokens / 1_000,
                context.health.word(),
                context.compactions
            ));
        }
    }
    text
}

fn list<'a>(text: &mut String, title: &str, entries: impl Iterator<Item = &'a throughline_domain::Entry>) {
    let mut lines =
        entries.map(|entry| format!("- {}: {}\n", entry.id, one_line(&entry.text, 200))).peekable();
    if lines.peek().is_some() {
        let mut capital = title.chars();
        let title: String =
            capital.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(capital).collect();
        text.push_str(&format!("\n### {title}\n"));
        text.extend(lines);
    }
}

/// `84000` as `84,000`.
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}
