//! Reading a state out of a JSON object: every part for itself; what does not fit is kept, never dropped.

use std::collections::{HashMap, HashSet, VecDeque};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::entry::{Detail, Entry, EntryId, Kind, NUMBER_MAX};
use crate::entry_json::{self, Unnumbered};
use crate::json_text::{NESTING_MAX, nesting};
use crate::problem::Problem;
use crate::state::{State, Trigger};
use crate::text::fingerprint;

/// Sections that are arrays of objects, in file order.
pub(crate) const STRUCTURED: [(&str, Kind); 6] = [
    ("decisions", Kind::Decision),
    ("constraints", Kind::Constraint),
    ("openQuestions", Kind::Question),
    ("evidenceLedger", Kind::Evidence),
    ("directives", Kind::Directive),
    ("anchors", Kind::Anchor),
];

/// Sections of `summaries` that are arrays of strings.
pub(crate) const TEXTS: [(&str, Kind); 2] =
    [("contextHighlights", Kind::Highlight), ("pendingActions", Kind::Action)];

/// Largest number in a foreign id that is taken for one of ours: `D1737730800000` is somebody's clock, not a count.
const CREDIBLE_NUMBER_MAX: u64 = u32::MAX as u64;

/// Levels around a value that is kept aside: the state, `unparsed`, the list under its key.
const ASIDE_LEVELS: usize = 3;

/// Reads a state out of a parsed object.
pub(crate) fn from_map(map: Map<String, Value>) -> (State, Vec<Problem>) {
    let mut reader = Reader { map, state: State::empty(), problems: Vec::new() };
    reader.read_plain_parts();
    reader.read_entries();
    (reader.state, reader.problems)
}

/// What a bare string is known by in `labels`.
pub(crate) fn label_of(text: &str) -> String {
    format!("{:08x}", fingerprint(text.as_bytes()) >> 32)
}

struct Reader {
    map: Map<String, Value>,
    state: State,
    problems: Vec<Problem>,
}

impl Reader {
    fn read_plain_parts(&mut self) {
        match self.map.shift_remove("unparsed") {
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
        let files_counted = self.map.get("git").is_some_and(|git| git.get("changedFiles").is_some());
        self.state.git = self.take("git");
        if !files_counted {
            self.state.git.changed_files = self.state.git.status.lines().count() as u64;
        }
        self.state.sd = self.take("sd");
        self.state.workflow = self.take("workflow");
        self.state.token_metrics = self.take("tokenMetrics");
        self.state.history = self.take_array("history");
        self.state.purification = self.take("purification");
        self.read_counters();
    }

    fn read_counters(&mut self) {
        let counters: Map<String, Value> = self.take("counters");
        for (key, value) in counters {
            let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.prefix() == key) else {
                self.state.counters_extra.insert(key, value);
                continue;
            };
            match value.as_u64().filter(|number| *number <= NUMBER_MAX) {
                Some(number) => self.state.raise_counter(kind, number),
                None if value.is_null() => {}
                None => self.keep_field("counters", &key, "not a count", value),
            }
        }
    }

    fn read_entries(&mut self) {
        let mut labels = self.read_labels();
        let mut found: Vec<Unnumbered> = Vec::new();
        for (key, kind) in STRUCTURED {
            for (at, value) in self.take_array(key).into_iter().enumerate() {
                self.read_element(key, at, kind, value, &mut found);
            }
        }
        let mut summaries: Map<String, Value> = self.take("summaries");
        for (key, kind) in TEXTS {
            let (texts, problem) = strings_of(summaries.shift_remove(key));
            for text in texts {
                found.push(labelled(kind, text, &mut labels));
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

    /// The ids and times of bare strings, by kind and fingerprint, in the order in which they were written: the same
    /// text may stand there twice.
    fn read_labels(&mut self) -> Labels {
        let mut labels = Labels::new();
        let written: Map<String, Value> = self.take("labels");
        for (key, value) in written {
            let Some(id) = key.parse::<EntryId>().ok().filter(|id| self.is_credible(*id)) else {
                self.state.labels_extra.insert(key, value);
                continue;
            };
            let is_text = TEXTS.iter().any(|(_, kind)| *kind == id.kind);
            match value.as_str().and_then(|label| label.split_once(' ')).filter(|_| is_text) {
                Some((print, at)) => {
                    self.state.raise_counter(id.kind, id.number);
                    labels.entry((id.kind, print.to_owned())).or_default().push_back((id, at.to_owned()));
                }
                None => self.keep_field("labels", &key, "not a label", value),
            }
        }
        labels
    }

    fn read_element(&mut self, key: &str, at: usize, kind: Kind, value: Value, found: &mut Vec<Unnumbered>) {
        match entry_json::from_json(kind, &value) {
            Ok(entry) => {
                for what in &entry.odd {
                    self.problems.push(Problem::new(format!("{key}[{at}]"), what));
                }
                found.push(entry);
            }
            Err(what) => {
                self.problems.push(Problem::new(format!("{key}[{at}]"), what));
                self.keep_quietly(key, value);
            }
        }
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
                element => self.read_element("keyDecisions", at, Kind::Decision, element, found),
            }
        }
    }

    /// Settles the ids: those written first, then new ones for entries without, or with one that is taken.
    fn number(&mut self, mut found: Vec<Unnumbered>) {
        let mut taken = HashSet::new();
        for Unnumbered { id: settled, entry, .. } in &mut found {
            let Some(id) = *settled else { continue };
            if !self.is_credible(id) {
                *settled = None;
                entry_json::keep_foreign_id(entry, id.to_string());
            } else if !taken.insert(id) {
                *settled = None;
                self.problems.push(Problem::new(id.to_string(), "used twice; the second got a new id"));
            }
        }
        for id in taken {
            self.state.raise_counter(id.kind, id.number);
        }
        let mut rest: Waiting = Waiting::default();
        for Unnumbered { id, mut entry, .. } in found {
            let kind = entry.id.kind;
            match id {
                Some(id) => {
                    entry.id = id;
                    self.state.entries_mut(kind).push(entry);
                }
                None => rest[kind.index()].push_back((self.state.entries(kind).len(), entry)),
            }
        }
        for (kind, waiting) in Kind::ALL.into_iter().zip(rest) {
            self.number_the_rest(kind, waiting);
        }
    }

    /// New ids are given once all written ones are known; each entry keeps its place in its section.
    fn number_the_rest(&mut self, kind: Kind, mut waiting: VecDeque<(usize, Entry)>) {
        if waiting.is_empty() {
            return;
        }
        let numbers = self.state.next_numbers(kind, waiting.len());
        for ((_, entry), number) in waiting.iter_mut().zip(numbers) {
            entry.id.number = number;
        }
        let section = self.state.entries_mut(kind);
        let numbered = std::mem::take(section);
        for (at, entry) in numbered.into_iter().enumerate() {
            while waiting.front().is_some_and(|(place, _)| *place <= at) {
                section.extend(waiting.pop_front().map(|(_, entry)| entry));
            }
            section.push(entry);
        }
        section.extend(waiting.into_iter().map(|(_, entry)| entry));
    }

    /// Whether an id is one that this project can have given out.
    fn is_credible(&self, id: EntryId) -> bool {
        id.number <= CREDIBLE_NUMBER_MAX.max(self.state.counter(id.kind))
    }

    /// A part with fields: those that fit are read, the others are kept aside. `null` is the same as absent.
    fn take<T: DeserializeOwned + Default>(&mut self, key: &str) -> T {
        let value = match self.map.shift_remove(key) {
            None | Some(Value::Null) => return T::default(),
            Some(value) => value,
        };
        let error = match serde_json::from_value(value.clone()) {
            Ok(read) => return read,
            Err(error) => error,
        };
        let Value::Object(fields) = value else {
            self.keep(key, &error.to_string(), value);
            return T::default();
        };
        let mut fitting = Map::new();
        for (name, field) in fields {
            let alone = Map::from_iter([(name.clone(), field.clone())]);
            match serde_json::from_value::<T>(Value::Object(alone)) {
                Ok(_) => {
                    fitting.insert(name, field);
                }
                Err(_) if field.is_null() => {}
                Err(error) => self.keep_field(key, &name, &error.to_string(), field),
            }
        }
        serde_json::from_value(Value::Object(fitting)).unwrap_or_default()
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

    fn keep(&mut self, key: &str, what: &str, value: Value) {
        self.problems.push(Problem::new(key, what));
        self.keep_quietly(key, value);
    }

    fn keep_field(&mut self, key: &str, field: &str, what: &str, value: Value) {
        self.problems.push(Problem::new(format!("{key}.{field}"), what));
        self.keep_quietly(key, Value::Object(Map::from_iter([(field.to_owned(), value)])));
    }

    fn keep_quietly(&mut self, key: &str, value: Value) {
        let value = not_too_deep(value);
        match self.state.unparsed.entry(key.to_owned()).or_insert_with(|| json!([])) {
            Value::Array(kept) => kept.push(value),
            other => *other = json!([not_too_deep(other.take()), value]),
        }
    }
}

/// A value that stands so deep that it could not be read again from where it is kept becomes its own text.
fn not_too_deep(value: Value) -> Value {
    if nesting(&value) + ASIDE_LEVELS > NESTING_MAX { Value::String(value.to_string()) } else { value }
}

/// The strings of an array, and the whole value again when not all of it was strings.
fn strings_of(value: Option<Value>) -> (Vec<String>, Option<Value>) {
    match value {
        None | Some(Value::Null) => (Vec::new(), None),
        Some(Value::Array(elements)) => {
            let mut texts = Vec::new();
            let mut rest = Vec::new();
            for element in elements {
                match element {
                    Value::String(text) => texts.push(text),
                    other => rest.push(other),
                }
            }
            (texts, (!rest.is_empty()).then_some(Value::Array(rest)))
        }
        Some(other) => (Vec::new(), Some(other)),
    }
}

/// Entries without an id, by kind, each with how many numbered ones stand before it.
type Waiting = [VecDeque<(usize, Entry)>; Kind::ALL.len()];

/// Ids and times of bare strings, by kind and fingerprint.
type Labels = HashMap<(Kind, String), VecDeque<(EntryId, String)>>;

/// A bare string with the id and time that its label remembers.
fn labelled(kind: Kind, text: String, labels: &mut Labels) -> Unnumbered {
    let known = labels.get_mut(&(kind, label_of(&text))).and_then(VecDeque::pop_front);
    let (id, timestamp) = known.map_or((None, String::new()), |(id, at)| (Some(id), at));
    let detail = if kind == Kind::Action { Detail::Action } else { Detail::Highlight };
    let entry =
        Entry { id: EntryId { kind, number: 0 }, alias: None, text, timestamp, detail, extra: Map::new() };
    Unnumbered { id, entry, odd: Vec::new() }
}
