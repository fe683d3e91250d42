//! The state to and from JSON. Reading never fails as a whole on an object: what does not fit is kept under `unparsed`.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::entry::{Detail, Entry, EntryId, Kind};
use crate::entry_json::{self, Unnumbered};
use crate::problem::Problem;
use crate::state::{State, Trigger, VERSION};
use crate::text::fingerprint;

/// Largest text that is looked at: no state file of ours is near it.
pub const STATE_BYTES_MAX: usize = 4 << 20;

/// A text that is no state at all: not JSON, or JSON that is no object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// Where reading stopped, counted from 1; 0 when it is not about a place.
    pub line: usize,
    /// The same.
    pub column: usize,
    /// Why.
    pub what: String,
}

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => f.write_str(&self.what),
            line => write!(f, "line {line}, column {}: {}", self.column, self.what),
        }
    }
}

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
        let whole = |what: String| Unreadable { line: 0, column: 0, what };
        if text.len() > STATE_BYTES_MAX {
            return Err(whole(format!("{} bytes; a state file has at most {STATE_BYTES_MAX}", text.len())));
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let value: Value = serde_json::from_str(text).map_err(|error| {
            let words = error.to_string();
            let what = words.split(" at line ").next().unwrap_or(&words).to_owned();
            Unreadable { line: error.line(), column: error.column(), what }
        })?;
        match value {
            Value::Object(map) => Ok(Self::from_map(map)),
            _ => Err(whole("not a JSON object".to_owned())),
        }
    }

    /// Reads a state from a parsed object.
    #[must_use]
    pub fn from_map(map: Map<String, Value>) -> (Self, Vec<Problem>) {
        let mut reader = Reader { map, state: Self::empty(), problems: Vec::new() };
        reader.read_plain_parts();
        reader.read_entries();
        (reader.state, reader.problems)
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
        let Unnumbered { id, mut entry } = entry_json::from_json(kind, value).ok()?;
        entry.id = id?;
        Some(entry)
    }
}

/// Sections that are arrays of objects, in file order.
const STRUCTURED: [(&str, Kind); 6] = [
    ("decisions", Kind::Decision),
    ("constraints", Kind::Constraint),
    ("openQuestions", Kind::Question),
    ("evidenceLedger", Kind::Evidence),
    ("directives", Kind::Directive),
    ("anchors", Kind::Anchor),
];

/// Sections of `summaries` that are arrays of strings.
const TEXTS: [(&str, Kind); 2] = [("contextHighlights", Kind::Highlight), ("pendingActions", Kind::Action)];

/// Sections that the original schema does not have are written only when they hold something.
fn kind_is_ours(kind: Kind) -> bool {
    matches!(kind, Kind::Directive | Kind::Anchor)
}

fn label_of(text: &str) -> String {
    format!("{:08x}", fingerprint(text.as_bytes()) >> 32)
}

struct Reader {
    map: Map<String, Value>,
    state: State,
    problems: Vec<Problem>,
}

impl Reader {
    fn read_plain_parts(&mut self) {
        let unparsed = self.map.shift_remove("unparsed");
        match unparsed {
            Some(Value::Object(kept)) => self.state.unparsed = kept,
            None | Some(Value::Null) => {}
            Some(other) => self.keep("unparsed", "not an object", other),
        }
        if let Some(version) = self.take_text("version") {
            self.state.version = version;
        }
        self.state.timestamp = self.take_text("timestamp").unwrap_or_default();
        self.state.trigger =
            self.take_text("trigger").map_or(Trigger::Manual, |word| Trigger::from_word(&word));
        self.state.git = self.take("git");
        self.state.sd = self.take("sd");
        self.state.workflow = self.take("workflow");
        self.state.token_metrics = self.take("tokenMetrics");
        let counters: Map<String, Value> = self.take("counters");
        for kind in Kind::ALL {
            let written = counters.get(kind.prefix()).and_then(Value::as_u64).unwrap_or(0);
            // A counter near the end of its range is a slip of somebody's hand; ids would run out.
            self.state.raise_counter(kind, written.min(u64::from(u32::MAX)));
        }
    }

    fn read_entries(&mut self) {
        let labels: Map<String, Value> = self.take("labels");
        let mut found: Vec<Unnumbered> = Vec::new();
        for (key, kind) in STRUCTURED {
            for (at, value) in self.take_array(key).into_iter().enumerate() {
                match entry_json::from_json(kind, &value) {
                    Ok(entry) => found.push(entry),
                    Err(what) => self.keep_element(key, at, &what, value),
                }
            }
        }
        let mut summaries: Map<String, Value> = self.take("summaries");
        for (key, kind) in TEXTS {
            let (texts, problem) = strings_of(summaries.shift_remove(key));
            for text in texts {
                found.push(labelled(kind, text, &labels));
            }
            if let Some(value) = problem {
                self.keep(key, "not a list of strings", value);
            }
        }
        self.read_key_decisions(summaries.shift_remove("keyDecisions"), &mut found);
        self.state.summaries_extra = summaries;
        self.state.extra = std::mem::take(&mut self.map);
        self.number(found);
    }

    /// Lines stay lines; the other dialect's objects are decisions, and are filed as such.
    fn read_key_decisions(&mut self, value: Option<Value>, found: &mut Vec<Unnumbered>) {
        let elements = match value {
            None | Some(Value::Null) => return,
            Some(Value::Array(elements)) => elements,
            Some(other) => return self.keep("keyDecisions", "not a list", other),
        };
        for (at, element) in elements.into_iter().enumerate() {
            match element {
                Value::String(line) => self.state.key_decisions.push(line),
                element => match entry_json::from_json(Kind::Decision, &element) {
                    Ok(decision) => found.push(decision),
                    Err(what) => self.keep_element("keyDecisions", at, &what, element),
                },
            }
        }
    }

    /// Settles the ids: those written first, then new ones for entries without, or with one that is taken.
    fn number(&mut self, found: Vec<Unnumbered>) {
        let mut taken = std::collections::HashSet::new();
        let mut numbered: Vec<Unnumbered> = found
            .into_iter()
            .map(|mut unnumbered| {
                if let Some(id) = unnumbered.id {
                    self.state.raise_counter(id.kind, id.number);
                    if !taken.insert(id) {
                        unnumbered.id = None;
                        self.problems
                            .push(Problem::new(id.to_string(), "used twice; the second got a new id"));
                    }
                }
                unnumbered
            })
            .collect();
        for Unnumbered { id, entry } in &mut numbered {
            let kind = entry.id.kind;
            entry.id = id.unwrap_or_else(|| self.state.next_id(kind));
        }
        for Unnumbered { entry, .. } in numbered {
            self.state.entries_mut(entry.id.kind).push(entry);
        }
    }

    fn take<T: DeserializeOwned + Default>(&mut self, key: &str) -> T {
        match self.map.shift_remove(key) {
            None | Some(Value::Null) => T::default(),
            Some(value) => match serde_json::from_value(value.clone()) {
                Ok(read) => read,
                Err(error) => {
                    self.keep(key, &error.to_string(), value);
                    T::default()
                }
            },
        }
    }

    fn take_text(&mut self, key: &str) -> Option<String> {
        match self.map.shift_remove(key) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text),
            Some(other) => {
                self.keep(key, "not a string", other);
                None
            }
        }
    }

    fn take_array(&mut self, key: &str) -> Vec<Value> {
        match self.map.shift_remove(key) {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(elements)) => elements,
            Some(other) => {
                self.keep(key, "not a list", other);
                Vec::new()
            }
        }
    }

    fn keep_element(&mut self, key: &str, at: usize, what: &str, value: Value) {
        self.problems.push(Problem::new(format!("{key}[{at}]"), what));
        self.keep_quietly(key, value);
    }

    fn keep(&mut self, key: &str, what: &str, value: Value) {
        self.problems.push(Problem::new(key, what));
        self.keep_quietly(key, value);
    }

    fn keep_quietly(&mut self, key: &str, value: Value) {
        match self.state.unparsed.entry(key.to_owned()).or_insert_with(|| json!([])) {
            Value::Array(kept) => kept.push(value),
            other => *other = json!([other.take(), value]),
        }
    }
}

/// The strings of an array, and the whole value again when not all of it was strings.
fn strings_of(value: Option<Value>) -> (Vec<String>, Option<Value>) {
    match value {
        None | Some(Value::Null) => (Vec::new(), None),
        Some(Value::Array(elements)) => {
            let (texts, rest): (Vec<Value>, Vec<Value>) = elements.into_iter().partition(Value::is_string);
            let texts = texts.into_iter().filter_map(|text| text.as_str().map(str::to_owned)).collect();
            (texts, (!rest.is_empty()).then_some(Value::Array(rest)))
        }
        Some(other) => (Vec::new(), Some(other)),
    }
}

/// A bare string with the id and time that its label remembers.
fn labelled(kind: Kind, text: String, labels: &Map<String, Value>) -> Unnumbered {
    let label = label_of(&text);
    let known = labels.iter().find_map(|(id, value)| {
        let (fingerprint, timestamp) = value.as_str()?.split_once(' ')?;
        let id = id.parse::<EntryId>().ok().filter(|id| id.kind == kind && fingerprint == label)?;
        Some((id, timestamp.to_owned()))
    });
    let (id, timestamp) = known.map_or((None, String::new()), |(id, at)| (Some(id), at));
    let detail = if kind == Kind::Action { Detail::Action } else { Detail::Highlight };
    let entry =
        Entry { id: EntryId { kind, number: 0 }, alias: None, text, timestamp, detail, extra: Map::new() };
    Unnumbered { id, entry }
}
