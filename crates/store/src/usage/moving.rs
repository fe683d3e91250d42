//! Moving: a project's usage out as records of a bundle, and records back to rows.

use serde_json::{Value, json};
use throughline_domain::usage::{Boundary, RecordId, Response, Sample, Signs, Tier, Tokens};
use throughline_domain::{Health, Timestamp};

use super::{Batch, UsageStore};
use crate::archive::ArchiveError;

/// Rows that are read at once.
const ROWS: usize = 5_000;
/// In the place of the project's own folder, wherever that is.
const HERE: &str = ".";
const NAME_BYTES_MAX: usize = 4_096;

impl UsageStore {
    /// Gives every row of a project as a record.
    pub fn each_row(
        &self,
        root: &str,
        mut give: impl FnMut(Value) -> std::io::Result<()>,
    ) -> Result<std::io::Result<()>, ArchiveError> {
        macro_rules! give_all {
            ($rows_after:ident, $record:ident) => {{
                let mut after = 0;
                loop {
                    let rows = self.$rows_after(after, ROWS)?;
                    let Some(last) = rows.last() else { break };
                    after = last.row_no;
                    for row in rows.iter().filter(|it| it.row.project == root) {
                        if let Err(error) = give($record(&row.row, root)) {
                            return Ok(Err(error));
                        }
                    }
                }
            }};
        }
        give_all!(responses_after, response_record);
        give_all!(boundaries_after, boundary_record);
        give_all!(samples_after, sample_record);
        for (session, agent) in self.agents_in(root)? {
            if let Err(error) = give(json!({ "row": "agent", "session": session, "agent": agent })) {
                return Ok(Err(error));
            }
        }
        Ok(Ok(()))
    }
}

fn hex(id: RecordId) -> String {
    format!("{:032x}", u128::from_be_bytes(id.0))
}

fn response_record(it: &Response, _root: &str) -> Value {
    let Tokens { input, output, cache_write_5m, cache_write_1h, cache_read, web_searches } = it.tokens;
    json!({
        "row": "response", "id": hex(it.id), "at": it.at.as_millisecond(), "session": it.session, "model": it.model,
        "tier": it.tier.word(), "sidechain": it.is_sidechain, "context": it.context,
        "tokens": [input, output, cache_write_5m, cache_write_1h, cache_read, web_searches],
    })
}

fn boundary_record(it: &Boundary, _root: &str) -> Value {
    json!({
        "row": "boundary", "id": hex(it.id), "at": it.at.as_millisecond(), "session": it.session, "model": it.model,
        "auto": it.is_auto, "before": it.tokens_before, "after": it.tokens_after,
    })
}

fn sample_record(it: &Sample, root: &str) -> Value {
    let cwd = it.cwd.strip_prefix(root).map_or_else(|| it.cwd.clone(), |below| format!("{HERE}{below}"));
    json!({
        "row": "sample", "at": it.at.as_millisecond(), "session": it.session, "model": it.model,
        "context": [it.context_used, it.context_size, u64::from(it.percent)],
        "tokens": [it.input, it.output, it.cache_create, it.cache_read],
        "status": it.status.word(), "compaction": it.compaction, "previous": it.previous_percent,
        "signs": it.signs.words().collect::<Vec<_>>(), "compactsAt": it.compacts_at, "cost": it.cost_micros, "cwd": cwd,
    })
}

/// Adds a record to a batch, as a row of the project at `root`.
pub fn take_record(record: &Value, root: &str, batch: &mut Batch) -> Result<(), String> {
    let fitting = match record["row"].as_str() {
        Some("response") => response(record, root).map(|row| batch.responses.push(row)),
        Some("boundary") => boundary(record, root).map(|row| batch.boundaries.push(row)),
        Some("sample") => sample(record, root).map(|row| batch.samples.push(row)),
        Some("agent") => name(record, "session").zip(name(record, "agent")).map(|whose| {
            batch.agents.insert(whose);
        }),
        _ => None,
    };
    fitting.ok_or_else(|| "it is no row of usage".to_owned())
}

fn name(record: &Value, key: &str) -> Option<String> {
    record[key].as_str().filter(|name| name.len() <= NAME_BYTES_MAX).map(str::to_owned)
}

fn at(record: &Value) -> Option<Timestamp> {
    Timestamp::from_millisecond(record["at"].as_i64()?).ok()
}

fn id(record: &Value) -> Option<RecordId> {
    let text = record["id"].as_str().filter(|text| text.len() == 32)?;
    u128::from_str_radix(text, 16).ok().map(|number| RecordId(number.to_be_bytes()))
}

/// A count of tokens; nobody's are more than a column holds a million times.
fn count(value: &Value) -> Option<u64> {
    value.as_u64().filter(|count| *count <= 1 << 42)
}

/// A count that may lack; `Err` when it is none.
fn maybe_count(value: &Value) -> Result<Option<u64>, ()> {
    if value.is_null() { Ok(None) } else { count(value).map(Some).ok_or(()) }
}

fn response(record: &Value, root: &str) -> Option<Response> {
    let tokens = &record["tokens"];
    Some(Response {
        id: id(record)?,
        at: at(record)?,
        session: name(record, "session")?,
        project: root.to_owned(),
        model: name(record, "model")?,
        tier: Tier::from_word(record["tier"].as_str().filter(|word| word.len() <= 200)?),
        is_sidechain: record["sidechain"].as_bool()?,
        tokens: Tokens {
            input: count(&tokens[0])?,
            output: count(&tokens[1])?,
            cache_write_5m: count(&tokens[2])?,
            cache_write_1h: count(&tokens[3])?,
            cache_read: count(&tokens[4])?,
            web_searches: count(&tokens[5])?,
        },
        context: count(&record["context"])?,
    })
}

fn boundary(record: &Value, root: &str) -> Option<Boundary> {
    Some(Boundary {
        id: id(record)?,
        at: at(record)?,
        session: name(record, "session")?,
        project: root.to_owned(),
        model: name(record, "model")?,
        is_auto: record["auto"].as_bool()?,
        tokens_before: count(&record["before"])?,
        tokens_after: maybe_count(&record["after"]).ok()?,
    })
}

fn sample(record: &Value, root: &str) -> Option<Sample> {
    let (context, tokens) = (&record["context"], &record["tokens"]);
    let percent = |value: &Value| value.as_u64().and_then(|percent| u16::try_from(percent).ok());
    let cwd = name(record, "cwd")?;
    let cwd = cwd.strip_prefix(HERE).map_or_else(|| cwd.clone(), |below| format!("{root}{below}"));
    let words: Vec<&str> = record["signs"].as_array()?.iter().filter_map(Value::as_str).collect();
    Some(Sample {
        at: at(record)?,
        session: name(record, "session")?,
        model: name(record, "model")?,
        context_used: count(&context[0])?,
        context_size: count(&context[1])?,
        percent: percent(&context[2])?,
        input: count(&tokens[0])?,
        output: count(&tokens[1])?,
        cache_create: count(&tokens[2])?,
        cache_read: count(&tokens[3])?,
        status: Health::from_word(record["status"].as_str()?)?,
        compaction: record["compaction"].as_bool()?,
        previous_percent: if record["previous"].is_null() {
            None
        } else {
            Some(percent(&record["previous"])?)
        },
        signs: Signs::from_words(words),
        compacts_at: maybe_count(&record["compactsAt"]).ok()?,
        cost_micros: maybe_count(&record["cost"]).ok()?,
        cwd,
        project: root.to_owned(),
    })
}
