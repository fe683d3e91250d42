//! Entries to and from JSON: the state file's own form, and the other dialect's (`reasoning`, `status`, `excerpt`).

use serde_json::{Map, Value};

use crate::entry::{AnchorPriority, Detail, Entry, EntryId, EvidenceType, Kind, Priority, Resolution};

/// An entry whose id is not settled yet: it may lack one, or carry another program's.
pub(crate) struct Unnumbered {
    /// The id as written, when it is one of ours.
    pub(crate) id: Option<EntryId>,
    /// Everything else; `entry.id` is a placeholder.
    pub(crate) entry: Entry,
}

/// Reads one element of a section; gives the reason when it is not an entry of that kind.
pub(crate) fn from_json(kind: Kind, value: &Value) -> Result<Unnumbered, String> {
    let mut fields = Fields(match value {
        Value::Object(map) => map.clone(),
        Value::String(text) => Map::from_iter([(text_key(kind).to_owned(), Value::String(text.clone()))]),
        _ => return Err("not an object".to_owned()),
    });
    let written_id = match fields.0.shift_remove("id") {
        None | Some(Value::Null) => None,
        Some(Value::String(id)) => Some(id),
        Some(Value::Number(number)) => Some(number.to_string()),
        Some(_) => return Err("`id` is not a string".to_owned()),
    };
    let text = match fields.text(text_key(kind))? {
        Some(text) => text,
        None => fields.text(dialect_key(kind))?.ok_or_else(|| format!("`{}` is missing", text_key(kind)))?,
    };
    let timestamp = fields.text("timestamp")?.unwrap_or_default();
    let known_alias = fields.text("alias")?;
    let detail = detail_from(kind, &mut fields)?;
    let id = written_id.as_deref().and_then(|id| id.parse::<EntryId>().ok()).filter(|id| id.kind == kind);
    let alias = known_alias.or(if id.is_none() { written_id.filter(|id| !id.is_empty()) } else { None });
    let entry = Entry { id: EntryId { kind, number: 0 }, alias, text, timestamp, detail, extra: fields.0 };
    Ok(Unnumbered { id, entry })
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
        Detail::Anchor { priority, .. } => {
            put("priority", priority.word().into());
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

fn detail_from(kind: Kind, fields: &mut Fields) -> Result<Detail, String> {
    Ok(match kind {
        Kind::Decision => Detail::Decision {
            rationale: match fields.text("rationale")? {
                Some(rationale) => rationale,
                None => fields.text("reasoning")?.unwrap_or_default(),
            },
            reversible: fields.flag("reversible")?.unwrap_or(true),
        },
        Kind::Constraint => Detail::Constraint {
            source: fields.text("source")?.unwrap_or_default(),
            blocking: fields.flag("blocking")?.unwrap_or(false),
            category: fields.text("type")?,
        },
        Kind::Question => question_from(fields)?,
        Kind::Evidence => Detail::Evidence {
            evidence_type: fields.word("type", EvidenceType::from_word)?.unwrap_or(EvidenceType::Observation),
            source: fields.text("source")?.unwrap_or_default(),
            context: fields.text("context")?,
        },
        Kind::Highlight => Detail::Highlight,
        Kind::Action => Detail::Action,
        Kind::Directive => Detail::Directive { source: fields.text("source")?.unwrap_or_default() },
        Kind::Anchor => Detail::Anchor {
            anchor_type: fields.text("type")?.unwrap_or_else(|| "context".to_owned()),
            priority: fields.word("priority", AnchorPriority::from_word)?.unwrap_or_default(),
        },
    })
}

fn question_from(fields: &mut Fields) -> Result<Detail, String> {
    let context = fields.text("context")?.unwrap_or_default();
    let priority = fields.word("priority", Priority::from_word)?.unwrap_or_default();
    let resolved = fields.flag("resolved")?.unwrap_or(false);
    let answer = fields.text("resolution")?;
    let resolved_at = fields.text("resolvedAt")?;
    let closed = match fields.0.get("status").and_then(Value::as_str) {
        Some("resolved" | "closed" | "answered") => Some(true),
        Some("open") => Some(false),
        _ => None,
    };
    if closed.is_some() {
        fields.0.shift_remove("status");
    }
    let is_resolved = resolved || closed == Some(true) || answer.is_some() || resolved_at.is_some();
    let resolution = is_resolved.then(|| Resolution {
        text: answer.unwrap_or_default(),
        resolved_at: resolved_at.unwrap_or_default(),
    });
    Ok(Detail::Question { context, priority, resolution })
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
struct Fields(Map<String, Value>);

impl Fields {
    fn text(&mut self, key: &str) -> Result<Option<String>, String> {
        match self.0.shift_remove(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(format!("`{key}` is not a string")),
        }
    }

    fn flag(&mut self, key: &str) -> Result<Option<bool>, String> {
        match self.0.shift_remove(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(_) => Err(format!("`{key}` is not true or false")),
        }
    }

    /// A word out of a fixed list; an unknown one is kept beside it (`priorityGiven`), not lost.
    fn word<T>(&mut self, key: &str, from_word: fn(&str) -> Option<T>) -> Result<Option<T>, String> {
        let Some(word) = self.text(key)? else { return Ok(None) };
        let known = from_word(&word);
        if known.is_none() {
            self.0.insert(format!("{key}Given"), word.into());
        }
        Ok(known)
    }
}
