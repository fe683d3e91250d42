//! The tools: each does what the verb of the same purpose does, and answers in as few words.

use serde_json::{Map, Value, json};
use throughline_briefing::Cap;
use throughline_briefing::continuation;
use throughline_briefing::fragment::{FragmentKind, wrap};
use throughline_briefing::handoff::health_block;
use throughline_briefing::session::Reader;
use throughline_domain::entry::BY_AGENT;
use throughline_domain::text::{one_line, utf16_len};
use throughline_domain::{AnchorPriority, Detail, EvidenceType, Priority};
use throughline_engine::gauge::Gauge;
use throughline_mcp::Answer;
use throughline_mcp::call::Call;

use crate::commands::{App, add, anchor, briefing, checkpoint, handover, health, next, recall};
use crate::failure::Failure;

/// What of `health --json` an agent can use. The client shows it the structured answer in place of the words.
const FIGURES: [&str; 12] = [
    "session",
    "model",
    "usedTokens",
    "windowTokens",
    "percentOfWay",
    "status",
    "compactions",
    "compactsAtTokens",
    "tokensLeft",
    "neverCompacts",
    "minutesLeft",
    "purity",
];

pub(super) fn answer(app: &App, call: Call) -> Result<Answer, Failure> {
    match call {
        Call::RecordDecision { text, rationale, irreversible } => {
            record(app, text, Detail::Decision { rationale, reversible: !irreversible })
        }
        Call::RecordConstraint { text, blocking } => {
            record(app, text, Detail::Constraint { source: BY_AGENT.to_owned(), blocking, category: None })
        }
        Call::AskQuestion { text, context, priority } => {
            let priority = Priority::from_word(&priority).unwrap_or_default();
            record(app, text, Detail::Question { context, priority, resolution: None })
        }
        Call::ResolveQuestion { id, answer } => {
            let changed = app.change(|draft| draft.resolve_question(&id, &answer))?;
            let id = changed.value.to_string();
            Ok(Answer { text: format!("{id} resolved"), structured: Some(json!({ "id": id })) })
        }
        Call::AddEvidence { text, evidence_type, source } => {
            let evidence_type = EvidenceType::from_word(&evidence_type).unwrap_or(EvidenceType::Observation);
            evidence(app, text, Detail::Evidence { evidence_type, source, context: None })
        }
        Call::Anchor { text, anchor_type, priority } => {
            let priority = AnchorPriority::from_word(&priority).unwrap_or_default();
            let detail = Detail::Anchor { anchor_type, priority, agent: None, session: app.author().session };
            let (id, is_new) = anchor::put(app, text, detail)?;
            Ok(recorded(&id, is_new))
        }
        Call::HandOver { text } => handover::take(app, &text).map(|(said, _)| Answer::text(said)),
        Call::Checkpoint { note } => keep(app, note.as_deref()),
        Call::Recall { words, all_projects, limit } => {
            // What was recorded a moment ago is found.
            app.state()?;
            app.fold();
            let project = &app.memory.project;
            recall::found(&app.place, project, &words, all_projects, limit).map(Answer::text)
        }
        Call::OpenRecalled { id } => recall::opened(&app.place, &app.memory.project, &id).map(Answer::text),
        Call::ContextHealth => Ok(health(app)),
        Call::LoadState => load(app),
        Call::Next => {
            let text = continuation::plain(&next::decide(app, None)?);
            Ok(Answer::text(wrap(FragmentKind::Notice, &text)))
        }
    }
}

fn recorded(id: &str, is_new: bool) -> Answer {
    let text = if is_new { format!("{id} recorded") } else { format!("{id} was recorded already") };
    Answer { text, structured: Some(json!({ "id": id, "isNew": is_new })) }
}

fn record(app: &App, text: String, detail: Detail) -> Result<Answer, Failure> {
    let (id, is_new) = add::record(app, text, detail)?;
    Ok(recorded(&id.to_string(), is_new))
}

/// As `record`, and says when words were left out.
fn evidence(app: &App, text: String, detail: Detail) -> Result<Answer, Failure> {
    let (given, kept) = (utf16_len(text.trim()), app.memory.limits.evidence_units_max);
    let mut answer = record(app, text, detail)?;
    if given > kept {
        answer.text.push_str(&format!("; the first {kept} of {given} characters were kept"));
        answer.structured = answer.structured.map(|mut value| {
            value["keptCharacters"] = kept.into();
            value
        });
    }
    Ok(answer)
}

fn keep(app: &App, note: Option<&str>) -> Result<Answer, Failure> {
    let (made, is_new) = checkpoint::at_request(app, note)?;
    let id = &made.id;
    let mut text =
        if is_new { format!("{id} made") } else { format!("nothing changed since {id}; it stands") };
    if let Some(error) = &made.git.error {
        text.push_str(&format!("; the files were not kept: {}", one_line(error, 200)));
    } else if made.git.left_out_count > 0 {
        text.push_str(&format!("; {} files were not kept", made.git.left_out_count));
    }
    Ok(Answer::text(text))
}

fn health(app: &App) -> Answer {
    let gauge = Gauge::at_hand(&app.at_hand(), None);
    let context = gauge.as_ref().and_then(Gauge::context_use);
    let mut text = health_block(context.as_ref()).trim_end().to_owned();
    if let Some(purity) = gauge.as_ref().and_then(|gauge| gauge.purity.as_ref()) {
        text.push_str(&format!("\n**Purity**: {} of 100", purity.score));
    }
    let figures = gauge.as_ref().map(health::as_json).unwrap_or_default();
    let told = |name: &&str| !figures[*name].is_null();
    let structured: Map<String, Value> =
        FIGURES.into_iter().filter(told).map(|name| (name.to_owned(), figures[name].clone())).collect();
    Answer { text, structured: gauge.is_some().then(|| structured.into()) }
}

fn load(app: &App) -> Result<Answer, Failure> {
    let state = app.state()?;
    // Asked for at any time: nobody says that a compaction was.
    let cap = Cap::tokens(app.config.briefing.tokens);
    let chosen = briefing::compose(app, &state, Reader::Asked, cap);
    if chosen.text.is_empty() {
        return Ok(Answer::text("nothing is recorded in this project yet"));
    }
    Ok(Answer::text(chosen.text))
}
