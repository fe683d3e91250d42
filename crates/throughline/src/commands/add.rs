//! `add`: records an entry.

use throughline_domain::entry::{BY_AGENT, EntryId};
use throughline_domain::{Detail, EvidenceType, Origin, Priority};
use throughline_store::memory::NewEntry;

use super::App;
use crate::failure::Failure;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  throughline add decision 'use SQLite' --rationale 'one file, no server'
  throughline add constraint 'never push to main' --blocking
  throughline add question 'keep the old names?' --priority high
  throughline add evidence 'error: linker `cc` not found'
  throughline add action 'write the migration'";

/// Record a decision, constraint, question, piece of evidence, highlight or action
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Record what was decided, and why
    Decision {
        /// What was decided
        #[arg(allow_hyphen_values = true, value_parser = super::words)]
        text: String,
        /// Why
        #[arg(long, value_name = "WHY", default_value = "", allow_hyphen_values = true)]
        rationale: String,
        /// It cannot be taken back
        #[arg(long)]
        irreversible: bool,
    },
    /// Record what must, or must not, be done
    Constraint {
        /// The constraint
        #[arg(allow_hyphen_values = true, value_parser = super::words)]
        text: String,
        /// Who set it: user, code, system, or any words; left out, whoever records it. An agent cannot name the user
        #[arg(long, value_name = "WHO", allow_hyphen_values = true)]
        source: Option<String>,
        /// Work that breaks it must not go on
        #[arg(long)]
        blocking: bool,
        /// Its nature: technical, business, timeline, or another word
        #[arg(long = "type", value_name = "KIND")]
        category: Option<String>,
    },
    /// Record a question that nobody has answered yet
    Question {
        /// The question
        #[arg(allow_hyphen_values = true, value_parser = super::words)]
        text: String,
        /// Why it matters
        #[arg(long, value_name = "WHY", default_value = "", allow_hyphen_values = true)]
        context: String,
        /// How much it matters
        #[arg(long, default_value = "medium", value_parser = ["high", "medium", "low"])]
        priority: String,
    },
    /// Record what was really seen, word by word (at most 500 characters)
    Evidence {
        /// The words
        #[arg(allow_hyphen_values = true, value_parser = super::words)]
        text: String,
        /// What it is
        #[arg(long = "type", default_value = "observation", value_parser = ["error", "command", "output", "observation"])]
        evidence_type: String,
        /// Where it was seen: a command, a file and line
        #[arg(long, value_name = "WHERE", default_value = "", allow_hyphen_values = true)]
        source: String,
        /// What was going on
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        context: Option<String>,
    },
    /// Record a point worth knowing
    Highlight {
        /// The point
        #[arg(allow_hyphen_values = true, value_parser = super::words)]
        text: String,
    },
    /// Record something still to do; `done` finishes it
    Action {
        /// What to do
        #[arg(allow_hyphen_values = true, value_parser = super::words)]
        text: String,
    },
}

pub(crate) fn run(app: &App, args: Args) -> Result<(), Failure> {
    let (text, detail) = match args.what {
        What::Decision { text, rationale, irreversible } => {
            (text, Detail::Decision { rationale, reversible: !irreversible })
        }
        What::Constraint { text, source, blocking, category } => {
            let source = source_of(app, source);
            (text, Detail::Constraint { source, blocking, category })
        }
        What::Question { text, context, priority } => {
            let priority = Priority::from_word(&priority).unwrap_or_default();
            (text, Detail::Question { context, priority, resolution: None })
        }
        What::Evidence { text, evidence_type, source, context } => {
            let evidence_type = EvidenceType::from_word(&evidence_type).unwrap_or(EvidenceType::Observation);
            (text, Detail::Evidence { evidence_type, source, context })
        }
        What::Highlight { text } => (text, Detail::Highlight),
        What::Action { text } => (text, Detail::Action),
    };
    let kind = detail.kind();
    let given_units = throughline_domain::text::utf16_len(text.trim());
    let (id, is_new) = record(app, text, detail)?;
    if kind == throughline_domain::Kind::Evidence && given_units > app.memory.limits.evidence_units_max {
        let kept = app.memory.limits.evidence_units_max;
        output::remark(&format!("the first {kept} of {given_units} characters were kept"));
    }
    output::say(&if is_new { format!("{id} recorded") } else { format!("{id} was recorded already") })
}

/// Who set a constraint. An agent may name the code or the system; whoever else it names, it is the agent that says so.
fn source_of(app: &App, given: Option<String>) -> String {
    if app.author().origin != Origin::Assistant {
        return given.unwrap_or_else(|| "user".to_owned());
    }
    let Some(given) = given.filter(|given| !given.trim().is_empty()) else { return BY_AGENT.to_owned() };
    if ["code", "system", BY_AGENT].contains(&given.as_str()) {
        return given;
    }
    if given.to_lowercase().contains("user") {
        output::remark(
            "recorded as from the agent: what the user says, the user records in a terminal of their own",
        );
        return BY_AGENT.to_owned();
    }
    format!("{BY_AGENT}: {given}")
}

/// Records an entry. Gives its id, and whether it is a new one: the same words are recorded once.
pub(super) fn record(app: &App, text: String, detail: Detail) -> Result<(EntryId, bool), Failure> {
    let kind = detail.kind();
    let changed = app.change(|draft| {
        let before = draft.state.counter(kind);
        let id = draft.add(NewEntry { text, detail })?;
        Ok((id, draft.state.counter(kind) > before))
    })?;
    Ok(changed.value)
}
