//! Tasks: created, changed and finished, by the client's ids or by a list's rows.

use std::borrow::Cow;

use throughline_domain::ledger::{Ledger, Task, TranscriptPlace};
use throughline_domain::text::shorten;
use throughline_domain::transcript::{ToolAnswer, ToolCall};

use crate::bounded;

const SUBJECT_UNITS_MAX: usize = 300;
const ROWS_MAX: usize = 200;

/// A task is being created: it is known by the call until the answer tells its id. Gives its subject.
pub(crate) fn create(ledger: &mut Ledger, call: &ToolCall<'_>, place: TranscriptPlace) -> Option<String> {
    let subject = subject_of(call.purpose.as_deref()?)?;
    ledger.tasks.push(Task {
        id: bounded(&call.id),
        subject: subject.clone(),
        status: "pending".to_owned(),
        created: place,
        changed: place,
    });
    Some(subject)
}

/// The answer tells the new task's id; a refusal, that there is none.
pub(crate) fn created(ledger: &mut Ledger, call_id: &str, subject: &str, answer: &ToolAnswer<'_>) {
    let Some(at) = ledger.tasks.iter().rposition(|task| task.id == call_id && task.subject == subject) else {
        return;
    };
    if answer.is_error {
        ledger.tasks.remove(at);
        return;
    }
    let told = answer.task_id.as_deref().map(bounded).filter(|id| !id.is_empty());
    if let Some(id) = told.or_else(|| id_in_text(&answer.text.head_and_tail(300))) {
        // An id that is used again belongs to the newer task.
        ledger.tasks[at].id.clone_from(&id);
        let mut index = 0;
        ledger.tasks.retain(|task| {
            index += 1;
            index - 1 == at || task.id != id
        });
    }
}

/// `Task #12 created successfully: …`
fn id_in_text(text: &str) -> Option<String> {
    let at = text.find("ask #")?;
    let digits: String = text[at + 5..].chars().take_while(char::is_ascii_digit).take(20).collect();
    (!digits.is_empty()).then_some(digits)
}

/// A task's state or subject changes.
pub(crate) fn update(ledger: &mut Ledger, call: &ToolCall<'_>, place: TranscriptPlace) {
    let Some(id) =
        call.task_id.as_deref().map(|id| bounded(id.trim_start_matches('#'))).filter(|id| !id.is_empty())
    else {
        return;
    };
    let subject = call.purpose.as_deref().and_then(subject_of);
    let at = ledger.tasks.iter().rposition(|task| task.id == id).or_else(|| {
        // Created before we looked: known from now on, if we learn what it is about.
        ledger.tasks.push(Task {
            id,
            subject: subject.clone()?,
            status: "pending".to_owned(),
            created: place,
            ..Task::default()
        });
        Some(ledger.tasks.len() - 1)
    });
    let Some(task) = at.and_then(|at| ledger.tasks.get_mut(at)) else { return };
    if let Some(status) = call.status.as_deref() {
        task.status = bounded(status);
        task.changed = place;
    }
    if let Some(subject) = subject {
        task.subject = subject;
    }
}

/// A whole list takes the place of the former one, which is given back; a row is the same while its subject is.
pub(crate) fn replace_list(
    ledger: &mut Ledger,
    rows: &[(Cow<'_, str>, Cow<'_, str>)],
    place: TranscriptPlace,
) -> Vec<Task> {
    let former: Vec<Task> = ledger.tasks.extract_if(.., |task| task.id.is_empty()).collect();
    for (subject, status) in rows.iter().take(ROWS_MAX) {
        let Some(subject) = subject_of(subject) else { continue };
        let status = bounded(status);
        let task = match former.iter().find(|task| task.subject == subject) {
            Some(known) if known.status == status => known.clone(),
            Some(known) => Task { status, changed: place, ..known.clone() },
            None => Task { id: String::new(), subject, status, created: place, changed: place },
        };
        ledger.tasks.push(task);
    }
    former
}

/// The list that was refused goes, and the one before it is back.
pub(crate) fn put_back(ledger: &mut Ledger, former: Vec<Task>) {
    ledger.tasks.retain(|task| !task.id.is_empty());
    ledger.tasks.extend(former);
}

fn subject_of(text: &str) -> Option<String> {
    let subject = shorten(text.trim(), SUBJECT_UNITS_MAX);
    (!subject.is_empty()).then_some(subject)
}
