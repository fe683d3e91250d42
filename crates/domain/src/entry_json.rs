//! Entries to and from JSON: the state file's own form, and the other dialect's (`reasoning`, `status`, `excerpt`).

use serde_json::{Map, Value};

use crate::entry::{AnchorPriority, Detail, Entry, EntryId, EvidenceType, Kind, Priority, Resolution};

/// An entry whose id is not settled yet: it may lack one, or carry another program's.
pub(crate) struct Unnumbered {
    /// The id as written, when it is one of ours.
    pub(crate) id: Option<EntryId>,
    /// Everything else; `entry.id` is a placeholder.
    pub(crate) entry: Entry,
    /// Fields that do not fit; they are kept beside (`timestampGiven`).
    pub(crate) odd: Vec<String>,
}

/// Reads one element of a section; gives the reason when it is not an entry of that kind.
pub(crate) fn from_json(kind: Kind, value: &Value) -> Result<Unnumbered, String> {
    let mut fields = Fields::of(match value {
        Value::Object(map) => map.clone(),
        Value::String(text) => Map::from_iter([(text_key(kind).to_owned(), Value::String(text.clone()))]),
        _ => return Err("not an object".to_owned()),
    });
    let text = match fields.needed_text(text_key(kind))? {
        Some(text) => text,
        None => fields
            .needed_text(dialect_key(kind))?
            .ok_or_else(|| format!("`{}` is missing", text_key(kind)))?,
    };
    let written_id = match fields.map.shift_remove("id") {
        None | Some(Value::Null) => None,
        Some(Value::String(id)) => Some(id).filter(|id| !id.is_empty()),
        Some(Value::Number(number)) => Some(number.to_string()),
        Some(other) => fields.keep_beside("id", other, "not a string"),
    };
    let timestamp = fields.text("timestamp").unwrap_or_default();
    let alias = fields.text("alias").filter(|alias| !alias.is_empty());
    let detail = detail_from(kind, &mut fields);
    let id = written_id.as_deref().and_then(|id| id.parse::<EntryId>().ok()).filter(|id| id.kind == kind);
    let Fields { map: extra, odd } = fields;
    let mut entry = Entry { id: EntryId { kind, number: 0 }, alias, text, timestamp, detail, extra };
    if let (None, Some(foreign)) = (id, written_id) {
        keep_foreign_id(&mut entry, foreign);
    }
    Ok(Unnumbered { id, entry, odd })
}

/// Remembers the id that another program gave to an entry: as its alias, or beside it when it has one.
pub(crate) fn keep_foreign_id(entry: &mut Entry, foreign: String) {
    match &entry.alias {
        None => entry.alias = Some(foreign),
        Some(alias) if *alias == foreign => {}
        Some(_) => insert_beside(&mut entry.extra, "id", foreign.into()),
    }
}

/// Writes one entry in the state file's form.
#[must_use]
pub(crate) fn to_json(entry: &Entry) -> Value {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| {
        map.insert(key.to_owned(), value);
    };
    put("id", entry.id.to_string().into());
    if let Detail::Evidence { evidence_type, .. } = &entry.detail {
        put("type", evidence_type.word().into());
    }
    if let Detail::Anchor { anchor_type, .. } = &entry.detail {
        put("type", anchor_type.as_str().into());
    }
    put(text_key(entry.id.kind), entry.text.as_str().into());
    match &entry.detail {
        Detail::Decision { rationale, reversible } => {
            put("rationale", rationale.as_str().into());
            put("timestamp", entry.timestamp.as_str().into());
            put("reversible", (*reversible).into());
        }
        Detail::Constraint { source, blocking, category } => {
            put("source", source.as_str().into());
            put("blocking", (*blocking).into());
            if let Some(category) = category {
                put("type", category.as_str().into());
            }
            put("timestamp", entry.timestamp.as_str().into());
        }
        Detail::Question { context, priority, resolution } => {
            put("context", context.as_str().into());
            put("priority", priority.word().into());
            put("timestamp", entry.timestamp.as_str().into());
            if let Some(Resolution { text, resolved_at }) = resolution {
                put("resolved", true.into());
                put("resolution", text.as_str().into());
                put("resolvedAt", resolved_at.as_str().into());
            }
        }
        Detail::Evidence { source, context, .. } => {
            put("source", source.as_str().into());
            if let Some(context) = context {
                put("context", context.as_str().into());
            }
            put("timestamp", entry.timestamp.as_str().into());
        }
        Detail::Highlight | Detail::Action => put("timestamp", entry.timestamp.as_str().into()),
        Detail::Directive { source } => {
            put("source", source.as_str().into());
            put("timestamp", entry.timestamp.as_str().into());
        }
        Detail::Anchor { priority, agent, session, .. } => {
            put("priority", priority.word().into());
            for (key, value) in [("agent", agent), ("session", session)] {
                if let Some(value) = value {
                    put(key, value.as_str().into());
                }
            }
            put("timestamp", entry.timestamp.as_str().into());
        }
    }
    if let Some(alias) = &entry.alias {
        put("alias", alias.as_str().into());
    }
    for (key, value) in &entry.extra {
        map.entry(key.clone()).or_insert_with(|| value.clone());
    }
    Value::Object(map)
}

fn detail_from(kind: Kind, fields: &mut Fields) -> Detail {
    match kind {
        Kind::Decision => Detail::Decision {
            rationale: match fields.text("rationale") {
                Some(rationale) => rationale,
                None => fields.text("reasoning").unwrap_or_default(),
            },
            reversible: fields.flag("reversible").unwrap_or(true),
        },
        Kind::Constraint => Detail::Constraint {
            source: fields.text("source").unwrap_or_default(),
            blocking: fields.flag("blocking").unwrap_or(false),
            category: fields.text("type"),
        },
        Kind::Question => question_from(fields),
        Kind::Evidence => Detail::Evidence {
            evidence_type: fields.word("type", EvidenceType::from_word).unwrap_or(EvidenceType::Observation),
            source: fields.text("source").unwrap_or_default(),
            context: fields.text("context"),
        },
        Kind::Highlight => Detail::Highlight,
        Kind::Action => Detail::Action,
        Kind::Directive => Detail::Directive { source: fields.text("source").unwrap_or_default() },
        Kind::Anchor => Detail::Anchor {
            anchor_type: fields.text("type").unwrap_or_else(|| "context".to_owned()),
            priority: fields.word("priority", AnchorPriority::from_word).unwrap_or_default(),
            agent: fields.text("agent"),
            session: fields.text("session"),
        },
    }
}

/// A question is open when it says so, whatever else it carries: somebody may have opened it again by hand.
fn question_from(fields: &mut Fields) -> Detail {
    let context = fields.text("context").unwrap_or_default();
    let priority = fields.word("priority", Priority::from_word).unwrap_or_default();
    let flag = fields.flag("resolved");
    let text = fields.text("resolution").unwrap_or_default();
    let resolved_at = fields.text("resolvedAt").unwrap_or_default();
    let status = match fields.map.get("status").and_then(Value::as_str) {
        Some("resolved" | "closed" | "answered") => Some(true),
        Some("open") => Some(false),
        _ => None,
    };
    let has_answer = !text.is_empty() || !resolved_at.is_empty();
    let is_resolved = flag.or(status).unwrap_or(has_answer);
    match fields.map.get("status").and_then(Value::as_str) {
        // The file's own form says the same.
        Some("resolved") if is_resolved => drop(fields.map.shift_remove("status")),
        Some("open") if !is_resolved => drop(fields.map.shift_remove("status")),
        _ => {}
    }
    if is_resolved {
        return Detail::Question { context, priority, resolution: Some(Resolution { text, resolved_at }) };
    }
    for (key, old) in [("resolution", text), ("resolvedAt", resolved_at)] {
        if !old.is_empty() {
            insert_beside(&mut fields.map, key, old.into());
        }
    }
    Detail::Question { context, priority, resolution: None }
}

/// The key that holds an entry's words.
pub(crate) fn text_key(kind: Kind) -> &'static str {
    match kind {
        Kind::Decision => "decision",
        Kind::Constraint => "constraint",
        Kind::Question => "question",
        Kind::Evidence | Kind::Anchor => "content",
        Kind::Highlight | Kind::Action | Kind::Directive => "text",
    }
}

fn dialect_key(kind: Kind) -> &'static str {
    match kind {
        Kind::Evidence => "excerpt",
        _ => "content",
    }
}

/// The fields of one object; what is read is taken out, so that what is left is somebody else's.
struct Fields {
    map: Map<String, Value>,
    odd: Vec<String>,
}

impl Fields {
    fn of(map: Map<String, Value>) -> Self {
        Self { map, odd: Vec::new() }
    }

    /// Without its words an object is no entry.
    fn needed_text(&mut self, key: &str) -> Result<Option<String>, String> {
        match self.map.shift_remove(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(format!("`{key}` is not a string")),
        }
    }

    fn text(&mut self, key: &str) -> Option<String> {
        match self.map.shift_remove(key) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text),
            Some(other) => self.keep_beside(key, other, "not a string"),
        }
    }

    fn flag(&mut self, key: &str) -> Option<bool> {
        match self.map.shift_remove(key) {
            None | Some(Value::Null) => None,
            Some(Value::Bool(flag)) => Some(flag),
            Some(Value::String(word)) if word.eq_ignore_ascii_case("true") => Some(true),
            Some(Value::String(word)) if word.eq_ignore_ascii_case("false") => Some(false),
            Some(other) => self.keep_beside(key, other, "not true or false"),
        }
    }

    /// A word out of a fixed list.
    fn word<T>(&mut self, key: &str, from_word: fn(&str) -> Option<T>) -> Option<T> {
        let word = self.text(key)?;
        match from_word(&word) {
            Some(known) => Some(known),
            None => self.keep_beside(key, word.into(), "not a word that is known there"),
        }
    }

    /// Keeps a value that does not fit under another name, so that the entry itself can be used.
    fn keep_beside<T>(&mut self, key: &str, value: Value, what: &str) -> Option<T> {
        insert_beside(&mut self.map, key, value);
        self.odd.push(format!("`{key}` is {what}"));
        None
    }
}

/// Inserts `<key>Given`, and never over something that is there.
fn insert_beside(map: &mut Map<String, Value>, key: &str, value: Value) {
    let mut name = format!("{key}Given");
    while map.contains_key(&name) {
        name.push_str("Given");
    }
    map.insert(name, value);
}
