//! Moving: a project's rows out as records of a bundle, and in again where they are new.

use std::collections::HashMap;

use rusqlite::types::{ToSqlOutput, Value as Sql, ValueRef};
use rusqlite::{OptionalExtension, ToSql, Transaction, params, params_from_iter};
use serde_json::{Map, Value, json};
use throughline_domain::text::printable;
use throughline_domain::time;
use throughline_redact as redact;

use super::{Archive, ArchiveError, Commit};
use crate::paths::Project;

/// Longest text of a column.
const TEXT_BYTES_MAX: usize = 2 << 20;
/// Longest name, id or word.
const WORD_BYTES_MAX: usize = 200;
/// Nobody has recorded more entries of a kind.
const ORDINAL_MAX: i64 = 10_000_000;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// A word, an id.
    Word,
    /// Somebody's words.
    Text,
    /// An object of JSON.
    Json,
    /// A moment.
    Time,
    Number,
    /// The number of an id: new ones are counted on from it.
    Ordinal,
}

/// A table as it travels. Its name in a record is its name here.
struct Table {
    name: &'static str,
    columns: &'static [(&'static str, Sort, bool)],
    /// Which rows are a project's.
    whose: &'static str,
}

/// Batches first, entries before what happened to them.
const TABLES: [Table; 7] = [
    Table {
        name: "batches",
        columns: &[("uid", Sort::Word, false), ("at", Sort::Time, false), ("committed", Sort::Number, false)],
        whose: "project = ?1 ORDER BY batch_no",
    },
    Table {
        name: "entries",
        columns: &[
            ("entry_no", Sort::Number, false),
            ("kind", Sort::Word, false),
            ("id", Sort::Word, false),
            ("number", Sort::Ordinal, false),
            ("text", Sort::Text, false),
            ("reason", Sort::Text, false),
            ("body", Sort::Json, false),
            ("origin", Sort::Word, false),
            ("session", Sort::Word, true),
            ("recorded_at", Sort::Time, false),
            ("changed_at", Sort::Time, true),
            ("left_at", Sort::Time, true),
            ("left_why", Sort::Text, true),
            ("trusted", Sort::Number, false),
        ],
        whose: "project = ?1 ORDER BY entry_no",
    },
    Table {
        name: "entry_history",
        columns: &[
            ("entry_no", Sort::Number, false),
            ("batch_uid", Sort::Word, false),
            ("event_no", Sort::Number, false),
            ("op", Sort::Word, false),
            ("at", Sort::Time, false),
            ("origin", Sort::Word, false),
            ("session", Sort::Word, true),
            ("why", Sort::Text, true),
            ("old_text", Sort::Text, true),
            ("old_body", Sort::Json, true),
        ],
        whose: "entry_no IN (SELECT entry_no FROM entries WHERE project = ?1) ORDER BY entry_no, at",
    },
    // Without the transcript's path: it means nothing elsewhere, and a path out of a file is not followed.
    Table {
        name: "sessions",
        columns: &[
            ("id", Sort::Word, false),
            ("agent", Sort::Word, false),
            ("source", Sort::Word, true),
            ("started_at", Sort::Time, false),
            ("last_seen_at", Sort::Time, false),
            ("ended_at", Sort::Time, true),
            ("end_reason", Sort::Text, true),
        ],
        whose: "project = ?1 ORDER BY started_at, id",
    },
    Table {
        name: "receipts",
        columns: &[
            ("session", Sort::Word, false),
            ("event", Sort::Word, false),
            ("at_ms", Sort::Number, false),
            ("duration_us", Sort::Number, false),
            ("outcome", Sort::Text, false),
            ("said_bytes", Sort::Number, false),
            ("via", Sort::Word, false),
            ("claim", Sort::Word, false),
        ],
        whose: "project = ?1 ORDER BY receipt_no",
    },
    Table {
        name: "notes",
        columns: &[
            ("session", Sort::Word, false),
            ("event", Sort::Word, false),
            ("at_ms", Sort::Number, false),
            ("claim", Sort::Word, false),
            ("note", Sort::Json, false),
        ],
        whose: "project = ?1 ORDER BY note_no",
    },
    Table {
        name: "compactions",
        columns: &[
            ("session", Sort::Word, false),
            ("at", Sort::Time, false),
            ("trigger_word", Sort::Word, true),
            ("focus", Sort::Text, true),
            ("summary", Sort::Text, true),
        ],
        whose: "project = ?1 ORDER BY compaction_no",
    },
];

/// A row that was read from a record, and fits.
#[derive(Debug)]
pub struct NewRow {
    table: usize,
    values: Vec<Sql>,
}

/// Rows of a project that are being taken in.
#[derive(Debug, Default)]
pub struct Taking {
    /// Numbers of entries: there and here.
    entries: HashMap<i64, i64>,
    /// Entries in the working set there: their ids, and their words.
    live: HashMap<String, String>,
    /// Rows that are new.
    pub new: u64,
    /// Rows that were here.
    pub known: u64,
    /// Entries whose id means something else here: they come in with the working set, under another one.
    pub conflicts: Vec<String>,
}

impl Taking {
    fn note_live<'v>(&mut self, value: &impl Fn(&str) -> &'v Sql) {
        if is_live(value("left_at")) {
            self.live.insert(text_of(value("id")), text_of(value("text")));
        }
    }

    /// Whether the row of an entry that is in the working set came under its id.
    #[must_use]
    pub fn holds(&self, id: &str, text: &str) -> bool {
        self.live.get(id).is_some_and(|known| known == text)
    }
}

impl Archive {
    /// Gives every row of a project as a record.
    pub fn each_row(
        &self,
        project: &str,
        mut give: impl FnMut(Value) -> std::io::Result<()>,
    ) -> Result<std::io::Result<()>, ArchiveError> {
        self.read(|connection| {
            for table in &TABLES {
                let columns: Vec<&str> = table.columns.iter().map(|(name, ..)| *name).collect();
                let sql = format!("SELECT {} FROM {} WHERE {}", columns.join(", "), table.name, table.whose);
                let mut statement = connection.prepare(&sql)?;
                let mut rows = statement.query([project])?;
                while let Some(row) = rows.next()? {
                    let mut record = Map::new();
                    record.insert("table".to_owned(), json!(table.name));
                    for (at, (column, sort, _)) in table.columns.iter().enumerate() {
                        let value = match row.get_ref(at)? {
                            ValueRef::Integer(number) => json!(number),
                            ValueRef::Text(text) => sort.shown(&String::from_utf8_lossy(text)),
                            _ => Value::Null,
                        };
                        record.insert((*column).to_owned(), value);
                    }
                    if let Err(error) = give(Value::Object(record)) {
                        return Ok(Err(error));
                    }
                }
            }
            Ok(Ok(()))
        })
    }

    /// Takes rows in that are not here, each as its own project's. All of them or none.
    pub fn take_rows(
        &mut self,
        project: &Project,
        now: &str,
        rows: &[NewRow],
        taking: &mut Taking,
    ) -> Result<(), ArchiveError> {
        let root = project.root.to_string_lossy();
        self.write(Commit::Flushed, |transaction| {
            transaction
                .prepare_cached(
                    "INSERT INTO projects (key, root, first_fold_at, last_fold_at) VALUES (?1, ?2, ?3, ?3)
                     ON CONFLICT (key) DO NOTHING",
                )?
                .execute(params![project.key, root, now])?;
            rows.iter().try_for_each(|row| take(transaction, &project.key, row, taking))
        })
    }
}

/// Reads a record as a row: only what fits, masked, under limits.
pub fn row_of(record: &Value) -> Result<NewRow, String> {
    let name = record["table"].as_str().unwrap_or_default();
    let table = TABLES.iter().position(|table| table.name == name).ok_or("it names no table")?;
    let mut values = Vec::new();
    for (column, sort, may_lack) in TABLES[table].columns {
        let value = record.get(column).unwrap_or(&Value::Null);
        if value.is_null() && *may_lack {
            values.push(Sql::Null);
            continue;
        }
        values.push(sort.read(value).ok_or_else(|| format!("`{column}` does not fit"))?);
    }
    Ok(NewRow { table, values })
}

impl Sort {
    /// A column's text as it travels: masked by today's rules, which may know more than those it was stored under.
    fn shown(self, text: &str) -> Value {
        match self {
            Self::Text => json!(redact::text(text)),
            Self::Json => match serde_json::from_str::<Value>(text) {
                Ok(mut value) => {
                    redact::json(&mut value);
                    json!(value.to_string())
                }
                Err(_) => Value::Null,
            },
            _ => json!(text),
        }
    }

    fn read(self, value: &Value) -> Option<Sql> {
        match self {
            Self::Number => return value.as_i64().map(Sql::Integer),
            Self::Ordinal => {
                return value.as_i64().filter(|it| (0..=ORDINAL_MAX).contains(it)).map(Sql::Integer);
            }
            _ => {}
        }
        let text = value.as_str()?;
        match self {
            Self::Word => (text.len() <= WORD_BYTES_MAX && !text.contains(char::is_control))
                .then(|| Sql::Text(redact::text(text).into_owned())),
            Self::Time => {
                (text.len() <= 40 && time::parse(text).is_some()).then(|| Sql::Text(text.to_owned()))
            }
            Self::Text => {
                (text.len() <= TEXT_BYTES_MAX).then(|| Sql::Text(redact::text(&printable(text)).into_owned()))
            }
            Self::Json => {
                if text.len() > TEXT_BYTES_MAX {
                    return None;
                }
                let mut value: Value = serde_json::from_str(text).ok()?;
                make_printable(&mut value);
                redact::json(&mut value);
                Some(Sql::Text(value.to_string()))
            }
            Self::Number | Self::Ordinal => None,
        }
    }
}

/// No text of a file moves a cursor or hides words.
fn make_printable(value: &mut Value) {
    match value {
        Value::String(text) => *text = printable(text),
        Value::Array(items) => items.iter_mut().for_each(make_printable),
        Value::Object(map) => map.values_mut().for_each(make_printable),
        _ => {}
    }
}

/// What makes a row the same as another.
fn identity(table: &str) -> &'static [&'static str] {
    match table {
        "entries" => &["kind", "id", "text", "recorded_at"],
        "receipts" => &["session", "event", "at_ms", "claim", "outcome"],
        "notes" => &["session", "event", "at_ms", "claim", "note"],
        // A key of their own says it.
        _ => &[],
    }
}

fn take(
    transaction: &Transaction<'_>,
    project: &str,
    row: &NewRow,
    taking: &mut Taking,
) -> rusqlite::Result<()> {
    let table = &TABLES[row.table];
    let value = |column: &str| {
        let at = table.columns.iter().position(|(name, ..)| *name == column);
        at.and_then(|at| row.values.get(at)).unwrap_or(&Sql::Null)
    };
    let there = match value("entry_no") {
        Sql::Integer(number) => Some(*number),
        _ => None,
    };
    let mut columns: Vec<&str> = Vec::new();
    let mut values: Vec<&dyn ToSql> = Vec::new();
    let mapped;
    if table.name == "entry_history" {
        // What happened to an entry that was not taken is nothing here.
        let Some(here) = there.and_then(|number| taking.entries.get(&number)) else { return Ok(()) };
        mapped = *here;
        columns.push("entry_no");
        values.push(&mapped);
    } else {
        columns.push("project");
        values.push(&project);
    }
    for ((name, ..), value) in
        table.columns.iter().zip(&row.values).filter(|((name, ..), _)| *name != "entry_no")
    {
        columns.push(name);
        values.push(value);
    }
    if let Some(known) = same(transaction, table.name, project, &value)? {
        taking.known += 1;
        if let Some(there) = there.filter(|_| table.name == "entries") {
            taking.entries.insert(there, known);
            taking.note_live(&value);
        }
        return Ok(());
    }
    if table.name == "entries" && is_live(value("left_at")) {
        let mut other = transaction.prepare_cached(
            "SELECT 1 FROM entries WHERE project = ?1 AND kind = ?2 AND id = ?3 AND left_at IS NULL",
        )?;
        if other.exists(params![project, Text(value("kind")), Text(value("id"))])? {
            taking.conflicts.push(text_of(value("id")));
            return Ok(());
        }
    }
    let places: Vec<String> = (1..=columns.len()).map(|number| format!("?{number}")).collect();
    let sql = format!(
        "INSERT INTO {} ({}) VALUES ({}) ON CONFLICT DO NOTHING",
        table.name,
        columns.join(", "),
        places.join(", ")
    );
    let inserted = transaction.prepare_cached(&sql)?.execute(params_from_iter(values))?;
    if inserted == 0 {
        taking.known += 1;
    } else {
        taking.new += 1;
        if let Some(there) = there.filter(|_| table.name == "entries") {
            taking.entries.insert(there, transaction.last_insert_rowid());
            taking.note_live(&value);
        }
    }
    Ok(())
}

fn same<'v>(
    transaction: &Transaction<'_>,
    table: &str,
    project: &str,
    value: &impl Fn(&str) -> &'v Sql,
) -> rusqlite::Result<Option<i64>> {
    let identity = identity(table);
    if identity.is_empty() {
        return Ok(None);
    }
    let conditions: Vec<String> =
        identity.iter().zip(2..).map(|(column, number)| format!("{column} IS ?{number}")).collect();
    let sql =
        format!("SELECT rowid FROM {table} WHERE project = ?1 AND {} LIMIT 1", conditions.join(" AND "));
    let mut values: Vec<Sql> = vec![Sql::Text(project.to_owned())];
    values.extend(identity.iter().map(|column| value(column).clone()));
    transaction.prepare_cached(&sql)?.query_row(params_from_iter(values), |row| row.get(0)).optional()
}

fn is_live(left_at: &Sql) -> bool {
    *left_at == Sql::Null
}

fn text_of(value: &Sql) -> String {
    if let Sql::Text(text) = value { text.clone() } else { String::new() }
}

/// A value as a parameter.
struct Text<'v>(&'v Sql);

impl ToSql for Text<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(self.0.into()))
    }
}
