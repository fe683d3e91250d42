//! Transitions: which phase and which work item followed which, when, and who said so.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::budget::{Left, Limits, STAMPS_BYTES, file_bytes};
use crate::origin::Origin;
use crate::state::{State, WorkItem};
use crate::text::fingerprint;

/// Most transitions in the state file; older ones leave.
pub const HISTORY_MAX: usize = 20;
/// Most bytes of them all: twenty long phases would fill the file alone. The newest stays whatever it takes.
const HISTORY_BYTES_MAX: usize = 3 << 10;
/// A newest one that is larger than a transition of ours can be is another program's, and leaves as well.
const ONE_BYTES_MAX: usize = 8 << 10;
/// Where the file is full, the history makes room before any entry does; so many stay.
const FULL_FILE_KEEPS: usize = 3;

/// A change of the work item's phase or id.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Transition {
    /// When, as written.
    pub timestamp: String,
    /// The phase before.
    pub from: Option<String>,
    /// The phase after.
    pub to: Option<String>,
    /// The work item after.
    pub id: Option<String>,
    /// The work item before, where that was another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_id: Option<String>,
    /// Whose word it was: an origin's.
    pub by: String,
}

impl Transition {
    /// What lies between two work items; `None` where phase and id are the same.
    #[must_use]
    pub fn between(before: &WorkItem, after: &WorkItem, at: &str, by: Origin) -> Option<Self> {
        if before.phase == after.phase && before.id == after.id {
            return None;
        }
        Some(Self {
            timestamp: at.to_owned(),
            from: before.phase.clone(),
            to: after.phase.clone(),
            id: after.id.clone(),
            from_id: before.id.clone().filter(|_| before.id != after.id),
            by: by.as_str().to_owned(),
        })
    }

    /// A transition out of a history; `None` for another program's line, which has other fields.
    #[must_use]
    pub fn from_json(value: &Value) -> Option<Self> {
        let is_ours = value.get("by").is_some() && (value.get("to").is_some() || value.get("id").is_some());
        if is_ours { serde_json::from_value(value.clone()).ok() } else { None }
    }
}

/// The name under which a transition that left is kept: the same one twice is one.
#[must_use]
pub fn name_of(transition: &Value) -> String {
    format!("T-{:016x}", fingerprint(transition.to_string().as_bytes()))
}

impl State {
    /// Notes that the work item is not what it was.
    pub fn note_transition(&mut self, before: &WorkItem, at: &str, by: Origin) {
        if let Some(transition) = Transition::between(before, &self.sd, at, by) {
            self.history.push(json!(transition));
        }
    }
}

/// Brings the history within its bounds. Returns what had to leave, oldest first.
pub fn trim_history(state: &mut State, limits: &Limits) -> Vec<(Value, Left)> {
    let stay = newest_within_bounds(&state.history);
    let over = state.history.len() - stay;
    let mut left: Vec<(Value, Left)> =
        state.history.drain(..over).map(|it| (it, Left::SectionFull)).collect();
    if state.history.len() > FULL_FILE_KEEPS && file_bytes(state) + STAMPS_BYTES > limits.file_bytes_max {
        let over = state.history.len() - FULL_FILE_KEEPS;
        left.extend(state.history.drain(..over).map(|it| (it, Left::FileFull)));
    }
    left
}

/// How many of the newest may stay.
fn newest_within_bounds(history: &[Value]) -> usize {
    let mut bytes = 0;
    let fits = |(age, transition): &(usize, &Value)| {
        let own = transition.to_string().len();
        bytes += own;
        if *age == 0 { own <= ONE_BYTES_MAX } else { bytes <= HISTORY_BYTES_MAX }
    };
    history.iter().rev().take(HISTORY_MAX).enumerate().take_while(fits).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-03-02T10:00:00.000Z";

    fn item(id: Option<&str>, phase: Option<&str>) -> WorkItem {
        WorkItem { id: id.map(str::to_owned), phase: phase.map(str::to_owned), ..WorkItem::default() }
    }

    #[test]
    fn a_change_of_phase_or_id_is_one_and_nothing_else_is() {
        let rows = [
            (item(None, None), item(None, None), None),
            (item(Some("A"), Some("PLAN")), item(Some("A"), Some("PLAN")), None),
            (item(Some("A"), Some("PLAN")), item(Some("A"), Some("EXEC")), Some((Some("EXEC"), None))),
            (item(Some("A"), Some("PLAN")), item(Some("B"), Some("PLAN")), Some((Some("PLAN"), Some("A")))),
            (item(Some("A"), Some("PLAN")), item(None, None), Some((None, Some("A")))),
        ];
        for (before, after, expected) in rows {
            let told = Transition::between(&before, &after, NOW, Origin::User);
            let told = told.as_ref().map(|it| (it.to.as_deref(), it.from_id.as_deref()));
            assert_eq!(told, expected, "{before:?} {after:?}");
        }
        let retitled = WorkItem { title: Some("x".to_owned()), progress: Some(0.5), ..item(None, None) };
        assert_eq!(Transition::between(&item(None, None), &retitled, NOW, Origin::User), None);
    }

    #[test]
    fn a_phase_of_any_letters_is_read_back_as_it_was() {
        for phase in ["phase-1", "../x", "two words", "фаза 漢字", "🚀👨‍👩‍👧", &"界".repeat(500)]
        {
            let mut state = State { sd: item(None, Some(phase)), ..State::empty() };
            state.note_transition(&WorkItem::default(), NOW, Origin::Hand);
            let (read, problems) = State::read(&state.to_json().to_string()).unwrap();
            assert_eq!((read.sd.phase.as_deref(), problems.len()), (Some(phase), 0));
            let transition = Transition::from_json(&read.history[0]).unwrap();
            assert_eq!((transition.to.as_deref(), transition.by.as_str()), (Some(phase), "hand"));
        }
    }

    #[test]
    fn twenty_stay_long_ones_fewer_and_the_newest_always() {
        let mut state = State::empty();
        for number in 0..30 {
            let before = state.sd.clone();
            state.sd.phase = Some(format!("phase-{number}"));
            state.note_transition(&before, NOW, Origin::User);
        }
        let left = trim_history(&mut state, &Limits::default());
        assert_eq!((left.len(), state.history.len()), (10, HISTORY_MAX));
        assert_eq!(left[0].0["to"], "phase-0", "the oldest leaves first");
        assert_eq!(state.history[19]["to"], "phase-29");
        let before = state.sd.clone();
        state.sd.phase = Some("界".repeat(500));
        state.note_transition(&before, NOW, Origin::User);
        trim_history(&mut state, &Limits::default());
        assert!(state.history.len() < HISTORY_MAX, "{}", state.history.len());
        assert_eq!(state.history.last().unwrap()["from"], "phase-29");
        state.history.push(json!({"action": "x".repeat(ONE_BYTES_MAX)}));
        trim_history(&mut state, &Limits::default());
        assert!(state.history.is_empty(), "what stands before it is older still");
    }

    #[test]
    fn a_full_file_keeps_the_last_three() {
        let mut state = State::empty();
        state.history = (0..12).map(|number| json!({"to": number.to_string(), "by": "user"})).collect();
        let full = Limits { file_bytes_max: 1_000, ..Limits::default() };
        let left = trim_history(&mut state, &full);
        assert_eq!((left.len(), left[0].1, state.history.len()), (9, Left::FileFull, FULL_FILE_KEEPS));
    }

    #[test]
    fn another_programs_line_is_no_transition() {
        let line = json!({"timestamp": NOW, "action": "init", "agent": "meta", "result": "pass"});
        assert_eq!(Transition::from_json(&line), None);
        assert_eq!(Transition::from_json(&json!("a word")), None);
    }
}
