//! The state to and from JSON. Reading never fails as a whole on an object: what does not fit is kept under `unparsed`.

use serde_json::{Map, Value, json};

use crate::entry::{Entry, Kind};
use crate::entry_json::{self, Unnumbered};
use crate::json_text;
pub use crate::json_text::{STATE_BYTES_MAX, Unreadable};
use crate::problem::Problem;
use crate::state::{State, VERSION};
use crate::state_read::{self, STRUCTURED, TEXTS, label_of};

/// Texts up to this size are written anew within the limit of what is read, however they are laid out.
const SURELY_WRITABLE_BYTES: usize = 16 << 10;

impl State {
    /// Reads a state file's text: version 1 or 2, either dialect, with or without a byte order mark.
    ///
    /// ```
    /// use throughline_domain::{Kind, State};
    /// let (state, problems) = State::read(r#"{"version":"1.0.0","summaries":{"pendingActions":["ship"]}}"#).unwrap();
    /// assert_eq!(state.entries(Kind::Action)[0].text, "ship");
    /// assert!(problems.is_empty());
    /// ```
    pub fn read(text: &str) -> Result<(Self, Vec<Problem>), Unreadable> {
        let (value, mut problems) = json_text::parse(text)?;
        let Value::Object(map) = value else {
            return Err(Unreadable::whole("not a JSON object".to_owned()));
        };
        let (state, more) = Self::from_map(map);
        problems.extend(more);
        if text.len() > SURELY_WRITABLE_BYTES {
            refuse_what_cannot_be_written(&state)?;
        }
        Ok((state, problems))
    }

    /// Reads a state from a parsed object.
    #[must_use]
    pub fn from_map(map: Map<String, Value>) -> (Self, Vec<Problem>) {
        state_read::from_map(map)
    }

    /// The whole state as JSON, in the schema's order.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut map = Map::new();
        let section = |kind| -> Value { self.entries(kind).iter().map(entry_json::to_json).collect() };
        let texts = |kind| -> Value { self.entries(kind).iter().map(|entry| entry.text.as_str()).collect() };
        let mut put = |key: &str, value: Value| {
            map.insert(key.to_owned(), value);
        };
        put("version", VERSION.into());
        put("timestamp", self.timestamp.as_str().into());
        put("trigger", self.trigger.word().into());
        put("git", json!(self.git));
        put("sd", json!(self.sd));
        put("workflow", json!(self.workflow));
        for (key, kind) in STRUCTURED {
            if !kind_is_ours(kind) || !self.entries(kind).is_empty() {
                put(key, section(kind));
            }
        }
        put("tokenMetrics", json!(self.token_metrics));
        let mut summaries = Map::new();
        summaries.insert("contextHighlights".to_owned(), texts(Kind::Highlight));
        summaries.insert("keyDecisions".to_owned(), json!(self.key_decisions));
        summaries.insert("pendingActions".to_owned(), texts(Kind::Action));
        for (key, value) in &self.summaries_extra {
            summaries.entry(key.clone()).or_insert_with(|| value.clone());
        }
        put("summaries", Value::Object(summaries));
        put("counters", self.counters_json());
        let labels = self.labels_json();
        if labels.as_object().is_some_and(|labels| !labels.is_empty()) {
            put("labels", labels);
        }
        if !self.history.is_empty() {
            put("history", Value::Array(self.history.clone()));
        }
        if let Some(kept) = &self.purification {
            put("purification", json!(kept));
        }
        if !self.unparsed.is_empty() {
            put("unparsed", Value::Object(self.unparsed.clone()));
        }
        for (key, value) in &self.extra {
            map.entry(key.clone()).or_insert_with(|| value.clone());
        }
        Value::Object(map)
    }

    fn counters_json(&self) -> Value {
        Kind::ALL
            .into_iter()
            .filter(|kind| self.counter(*kind) > 0)
            .map(|kind| (kind.prefix().to_owned(), Value::from(self.counter(kind))))
            .chain(self.counters_extra.clone())
            .collect::<Map<_, _>>()
            .into()
    }

    /// Ids of the entries that the schema stores as bare strings: id → fingerprint and time of the text.
    fn labels_json(&self) -> Value {
        TEXTS
            .into_iter()
            .flat_map(|(_, kind)| self.entries(kind))
            .map(|entry| {
                (entry.id.to_string(), json!(format!("{} {}", label_of(&entry.text), entry.timestamp)))
            })
            .chain(self.labels_extra.clone())
            .collect::<Map<_, _>>()
            .into()
    }
}

impl Entry {
    /// The entry in the state file's form.
    #[must_use]
    pub fn to_json(&self) -> Value {
        entry_json::to_json(self)
    }

    /// An entry out of its JSON form with its own id; `None` when it is none, or has no id.
    #[must_use]
    pub fn from_json(kind: Kind, value: &Value) -> Option<Self> {
        let Unnumbered { id, mut entry, .. } = entry_json::from_json(kind, value).ok()?;
        entry.id = id?;
        Some(entry)
    }
}

/// Sections that the original schema does not have are written only when they hold something.
fn kind_is_ours(kind: Kind) -> bool {
    matches!(kind, Kind::Directive | Kind::Anchor)
}

/// Entries can leave; what others wrote beside them can not. A file that would be too large to be read again once it
/// is written is refused while it is still as it was.
fn refuse_what_cannot_be_written(state: &State) -> Result<(), Unreadable> {
    let bytes = crate::budget::bytes_without_entries(state);
    if bytes <= STATE_BYTES_MAX {
        return Ok(());
    }
    let what = format!("its other fields take {bytes} bytes; a state file has at most {STATE_BYTES_MAX}");
    Err(Unreadable::whole(what))
}
