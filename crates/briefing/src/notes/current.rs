//! Where a session stands now: the work item, the step in hand, what it waits for, what comes next, who else works.

use throughline_domain::State;
use throughline_domain::ledger::{FindingKind, Ledger, Phase, Stand, Task};
use throughline_domain::text::{one_line, word_count};

use crate::sections::percent;

const TEXT_UNITS: usize = 200;
/// Subagents that are named.
const SUBAGENTS_MAX: usize = 8;
const NOTHING: &str = "nothing";
const NOT_KNOWN: &str = "not known";

/// Where a session stands now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CurrentState {
    /// What is being worked on, with its phase.
    pub work: String,
    /// The step in hand.
    pub item: String,
    /// What it waits for.
    pub blocking: String,
    /// What comes next.
    pub next: String,
    /// The command that fails and nothing has mended; empty when none does.
    pub fails: String,
    /// Subagents at work.
    pub subagents: String,
}

impl CurrentState {
    /// What the working set and the session's transcript tell. What somebody set by hand goes before what was captured.
    #[must_use]
    pub fn of(state: &State, ledger: &Ledger, subagents: &[String]) -> Self {
        let asked = ledger.findings.iter().rfind(|finding| finding.kind == FindingKind::Question);
        let asked = asked.map(|finding| finding.quote.as_str());
        Self::after(state, ledger, &ledger.stand, asked, subagents)
    }

    /// The same, where more is known of the agent's last words than the transcript holds: where it stands, what it asks.
    #[must_use]
    pub fn after(
        state: &State,
        ledger: &Ledger,
        stand: &Stand,
        asked: Option<&str>,
        subagents: &[String],
    ) -> Self {
        let sd = &state.sd;
        let set = |text: &Option<String>| text.as_deref().map(|text| one_line(text, TEXT_UNITS));
        Self {
            work: work(state),
            item: set(&sd.item).or_else(|| in_hand(ledger, stand)).unwrap_or_else(|| NOT_KNOWN.to_owned()),
            blocking: set(&sd.blocking).or_else(|| asked.map(question)).unwrap_or_else(|| NOTHING.to_owned()),
            next: set(&sd.next)
                .or_else(|| next(state, ledger, stand))
                .unwrap_or_else(|| NOT_KNOWN.to_owned()),
            fails: fails(ledger),
            subagents: match subagents {
                [] => "none".to_owned(),
                all => {
                    all.iter().take(SUBAGENTS_MAX).map(|it| one_line(it, 60)).collect::<Vec<_>>().join(", ")
                }
            },
        }
    }

    /// The lines of the block.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut rows = vec![
            ("Work item", &self.work),
            ("Current item", &self.item),
            ("Blocking on", &self.blocking),
            ("Next", &self.next),
        ];
        if !self.fails.is_empty() {
            rows.push(("Fails", &self.fails));
        }
        rows.push(("Subagents", &self.subagents));
        rows.into_iter().map(|(label, value)| format!("- **{label}:** {value}")).collect()
    }
}

fn work(state: &State) -> String {
    let sd = &state.sd;
    let mut words = match (&sd.id, &sd.title) {
        (Some(id), Some(title)) => format!("{}: {}", one_line(id, 80), one_line(title, TEXT_UNITS)),
        (Some(only), None) | (None, Some(only)) => one_line(only, TEXT_UNITS),
        (None, None) => "none set".to_owned(),
    };
    if let Some(phase) = sd.phase.as_ref().or(state.workflow.current_phase.as_ref()) {
        words.push_str(&format!(" · phase {}", one_line(phase, 60)));
    }
    if let Some(percent) = sd.progress.and_then(percent) {
        words.push_str(&format!(" · {percent}"));
    }
    words
}

/// The task in progress that was last touched; without one, what the user asked for and nobody has finished.
fn in_hand(ledger: &Ledger, stand: &Stand) -> Option<String> {
    let at_work = ledger.tasks.iter().filter(|task| task.status == "in_progress");
    if let Some(task) = at_work.max_by_key(|task| task.changed) {
        return Some(task_words(task));
    }
    let asked = ledger.said.iter().rfind(|word| word_count(&word.text) >= 4).or(ledger.said.last())?;
    let words = one_line(&asked.text, TEXT_UNITS);
    match stand.phase {
        Phase::Told if stand.told.is_empty() => Some(format!("\"{words}\" (answered)")),
        Phase::Told => Some(format!("\"{words}\" (answered: {})", one_line(&stand.told, TEXT_UNITS))),
        Phase::Stopped => Some(format!("\"{words}\" (stopped by the user)")),
        Phase::New | Phase::Asked | Phase::Working => Some(format!("\"{words}\"")),
    }
}

fn task_words(task: &Task) -> String {
    let subject = one_line(&task.subject, TEXT_UNITS);
    if task.id.is_empty() { subject } else { format!("#{} {subject}", one_line(&task.id, 20)) }
}

/// The agent asked, and nobody has answered.
fn question(asked: &str) -> String {
    format!("an answer to: {}", one_line(asked, TEXT_UNITS))
}

/// The first task that nobody has begun, the first thing to do that was recorded, or what the agent said it would do.
fn next(state: &State, ledger: &Ledger, stand: &Stand) -> Option<String> {
    let waiting = ledger.tasks.iter().find(|task| task.status == "pending").map(task_words);
    let action = || {
        let first = state.entries(throughline_domain::Kind::Action).first()?;
        Some(format!("{}: {}", first.id, one_line(&first.text, TEXT_UNITS)))
    };
    let announced = || {
        let said = &stand.said;
        (stand.announces && !said.is_empty()).then(|| format!("\"{}\"", one_line(said, TEXT_UNITS)))
    };
    waiting.or_else(action).or_else(announced)
}

fn fails(ledger: &Ledger) -> String {
    ledger.newest_failure().map_or_else(String::new, |error| {
        let line = error.lines.first().map_or_else(String::new, |line| format!(": {}", one_line(line, 120)));
        format!("`{}`{line}", one_line(&error.from, 120))
    })
}
