//! Pages: the state and the notes as resources; the prompts that prepare a compaction or a hand-over.

use serde_json::{Map, Value};
use throughline_briefing::Facts;
use throughline_briefing::fragment::{FragmentKind, defused, wrap};
use throughline_domain::State;
use throughline_domain::fragment::{CLOSE, OPEN};
use throughline_domain::text::{cut_utf16, printable};
use throughline_mcp::catalogue::{Page, Ready};
use throughline_store::notes_file::NotesFile;

use crate::commands::{App, briefing, compact_focus, handoff, save};
use crate::failure::Failure;

/// How much of the notes is given, in UTF-16 units: 3,000 tokens.
const NOTES_UNITS_MAX: usize = 12_000;

pub(super) fn read(app: &App, page: Page) -> Result<String, Failure> {
    match page {
        Page::State => Ok(state_page(&vouched(app, &app.state()?))),
        Page::Notes => notes_page(app),
    }
}

/// What somebody here stands for: what came with a clone is not passed on as ours.
fn vouched(app: &App, state: &State) -> State {
    let untrusted = app.memory.untrusted();
    Facts { untrusted: &untrusted, ..Facts::default() }.vouched(state)
}

/// The state as JSON whose first and last fields are our marks: attached to a prompt, it is nobody's words.
fn state_page(state: &State) -> String {
    let mut page = Map::new();
    page.insert("_begin".to_owned(), format!("{OPEN}state]").into());
    if let Value::Object(fields) = harmless(&state.to_json()) {
        page.extend(fields);
    }
    page.insert("_end".to_owned(), CLOSE.into());
    serde_json::to_string_pretty(&page).unwrap_or_default()
}

/// The same value with texts and names that end nothing, hide nothing and move no cursor.
fn harmless(value: &Value) -> Value {
    let clean = |text: &str| defused(&printable(text));
    match value {
        Value::String(text) => clean(text).into(),
        Value::Array(items) => items.iter().map(harmless).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (clean(name), harmless(value))).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

fn notes_page(app: &App) -> Result<String, Failure> {
    let text = app
        .session_at_hand()
        .and_then(|session| NotesFile::of(&app.memory.project, &app.place.home, &session).read());
    let text = text.ok_or_else(|| {
        Failure::new("there are no notes of this session yet")
            .hint("they begin with the first finished task, commit, test run or decision")
    })?;
    let text = printable(&text);
    Ok(wrap(FragmentKind::Notice, &defused(cut_utf16(text.trim(), NOTES_UNITS_MAX))))
}

pub(super) fn prompt(app: &App, prompt: Ready, focus: Option<&str>) -> Result<String, Failure> {
    match prompt {
        Ready::Compaction => compaction(app, focus),
        Ready::Handover => handover(app),
    }
}

fn compaction(app: &App, focus: Option<&str>) -> Result<String, Failure> {
    let (state, _) = save::save(app, "manual", &[], &[])?;
    let ledger = briefing::session_ledger(app);
    let line = defused(&compact_focus::of(app, &state, ledger.as_ref()).line);
    let first = focus.map_or_else(String::new, |focus| {
        format!(" The user asked for this focus, which then comes first in it: {}", defused(focus))
    });
    Ok(format!(
        "The user is about to compact this conversation. The working tree was saved just now; you cannot start the \
         compaction yourself.\n\n\
         1. Record what is settled here and not yet written down, if anything: record_decision, record_constraint, \
         ask_question. load_state shows what is there.\n\
         2. Call hand_over with what somebody who knows nothing of this session needs: one fact a line, `kind: fact`, at most \
         500 words.\n\
         3. Answer with one line that says what was recorded, and below it, alone in a code block, the line given \
         here. Mend in it only what you know to be wrong, and keep it on one line of at most 60 words.{first}\n\n{}",
        wrap(FragmentKind::Preserve, &line)
    ))
}

fn handover(app: &App) -> Result<String, Failure> {
    let (block, _, _) = handoff::block(app, false)?;
    Ok(format!(
        "Hand this work over to somebody who knows nothing of it. First record what is settled here and not yet \
         written down (record_decision, record_constraint, ask_question), and call hand_over with what you alone know. Then answer with the block below, and add to \
         it only what the next one needs to begin: what is half done, where, and what you would do first.\n\n{}",
        wrap(FragmentKind::Notice, &defused(&block))
    ))
}
