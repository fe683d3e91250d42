//! `list`: entries of the working set, or everything the archive remembers.

use serde_json::{Value, json};
use throughline_domain::text::one_line;
use throughline_domain::{Detail, Entry, Kind};
use throughline_store::archive::{Archive, EntryRow, Filter};

use super::{ARCHIVE_WAIT, App};
use crate::failure::Failure;
use crate::output::{self, DIM, HEAD, HINT, styled};
use crate::quoting::{self, RECORDED, UNTRUSTED_MARK};

/// List entries
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// decisions, constraints, questions, evidence, highlights, actions, directives or anchors; all when left out
    kind: Option<String>,
    /// The archive too: everything ever recorded in this project
    #[arg(long)]
    all: bool,
    /// Most entries of the archive
    #[arg(long, value_name = "N", default_value_t = 200)]
    limit: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let kind = match &args.kind {
        None => None,
        Some(word) => Some(Kind::from_word(word).ok_or_else(|| {
            let known: Vec<&str> = Kind::ALL.into_iter().map(Kind::plural).collect();
            Failure::new(format!("there is no kind `{word}`")).hint(format!("one of {}", known.join(", ")))
        })?),
    };
    if args.all { archived(app, args, kind) } else { working_set(app, args, kind) }
}

fn working_set(app: &App, args: &Args, only: Option<Kind>) -> Result<(), Failure> {
    let state = app.state()?;
    let untrusted = app.memory.untrusted();
    let kinds: Vec<Kind> =
        Kind::ALL.into_iter().filter(|kind| only.is_none_or(|only| only == *kind)).collect();
    if args.json {
        let entries: Vec<Value> = kinds
            .iter()
            .flat_map(|kind| state.entries(*kind))
            .map(|entry| {
                let mut value = with_kind(entry.id.kind.word(), entry.to_json());
                value["trusted"] = (!untrusted.contains(&entry.id.to_string())).into();
                value
            })
            .collect();
        return output::say_json(&json!(entries));
    }
    let is_for_agent = quoting::is_for_agent();
    let mut lines = Vec::new();
    for kind in kinds {
        let entries = state.entries(kind);
        if entries.is_empty() {
            continue;
        }
        lines.push(styled(HEAD, kind.plural()));
        for entry in entries {
            let is_untrusted = untrusted.contains(&entry.id.to_string());
            let mark = if is_untrusted { UNTRUSTED_MARK } else { "" };
            let is_quoted = is_for_agent && (is_untrusted || kind == Kind::Evidence);
            let before = if is_quoted { "> " } else { "  " };
            lines.push(format!("{before}{}{}", line(entry), styled(DIM, mark)));
        }
    }
    if lines.is_empty() {
        let has_others = state.all_entries().next().is_some();
        output::remark(&match only.filter(|_| has_others) {
            None => "nothing is recorded here yet; `throughline add --help` shows how".to_owned(),
            Some(kind) => format!(
                "no {} are recorded here; `throughline list` shows the rest, `throughline list {0} --all` the archive",
                kind.plural()
            ),
        });
    }
    quoting::say(&RECORDED, &lines)
}

/// One entry on one line, whole: nothing is cut that a person asked to see.
fn line(entry: &Entry) -> String {
    let id = styled(HINT, &entry.id.to_string());
    let text = one_line(&entry.text, usize::MAX / 8);
    let detail = match &entry.detail {
        Detail::Decision { rationale, reversible } => {
            let mark = if *reversible { "" } else { " [irreversible]" };
            let because =
                if rationale.is_empty() { String::new() } else { format!(" (because {rationale})") };
            format!("{because}{mark}")
        }
        Detail::Constraint { source, blocking, category } => {
            let mut words: Vec<String> = Vec::new();
            words.extend(blocking.then(|| "blocking".to_owned()));
            words.extend(category.clone());
            words.extend((!source.is_empty()).then(|| format!("from {source}")));
            if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) }
        }
        Detail::Question { priority, context, resolution } => match resolution {
            Some(resolution) => format!(" [resolved: {}]", resolution.text),
            None if context.is_empty() => format!(" [{}]", priority.word()),
            None => format!(" [{}] ({context})", priority.word()),
        },
        Detail::Evidence { evidence_type, source, .. } if source.is_empty() => {
            format!(" ({})", evidence_type.word())
        }
        Detail::Evidence { evidence_type, source, .. } => {
            format!(" ({} from {source})", evidence_type.word())
        }
        Detail::Directive { source } => format!(" ({source})"),
        Detail::Anchor { priority, anchor_type, agent, .. } => {
            let agent = agent.as_ref().map_or_else(String::new, |agent| format!(" for {agent}"));
            format!(" ({} {anchor_type}{agent})", priority.word())
        }
        Detail::Highlight | Detail::Action => String::new(),
    };
    let detail = one_line(&detail, usize::MAX / 8);
    let gap = if detail.is_empty() { "" } else { " " };
    format!("{id} {text}{gap}{}", styled(DIM, &detail))
}

fn archived(app: &App, args: &Args, kind: Option<Kind>) -> Result<(), Failure> {
    app.state()?;
    app.fold();
    let archive = Archive::open(&app.place.home.archive(), ARCHIVE_WAIT)?;
    let filter = Filter { kind, live_only: false, limit: args.limit };
    let rows = archive.entries(&app.memory.project.key, filter)?;
    if args.json {
        return output::say_json(&rows.into_iter().map(row_json).collect());
    }
    let is_for_agent = quoting::is_for_agent();
    let mut lines = Vec::new();
    for row in &rows {
        let left = match (&row.left_at, &row.left_why) {
            (Some(_), Some(why)) => format!(" ({why})"),
            (Some(_), None) => " (archived)".to_owned(),
            _ => String::new(),
        };
        let answer = row.body.get("resolution").and_then(Value::as_str);
        let left =
            answer.map_or(left.clone(), |answer| format!(" [resolved: {}]{left}", one_line(answer, 200)));
        let day: String = row.recorded_at.chars().take(10).collect();
        let id = styled(HINT, &row.id);
        let is_quoted = is_for_agent && (!row.trusted || row.kind == Kind::Evidence.word());
        let before = if is_quoted { "> " } else { "" };
        let text = one_line(&row.text, usize::MAX / 8);
        let mark = if row.trusted { "" } else { UNTRUSTED_MARK };
        lines.push(format!("{before}{day} {id} {text}{}{}", styled(DIM, mark), styled(DIM, &left)));
    }
    quoting::say(&RECORDED, &lines)?;
    if rows.is_empty() && args.limit > 0 {
        output::remark("nothing was ever recorded here; `throughline add --help` shows how");
    } else if rows.len() as u64 == args.limit {
        output::remark(&format!("the newest {} are shown; --limit shows more", args.limit));
    }
    Ok(())
}

/// An archived entry as JSON.
pub(super) fn row_json(row: EntryRow) -> Value {
    let mut value = with_kind(&row.kind, row.body);
    if let Some(map) = value.as_object_mut() {
        map.insert("origin".to_owned(), row.origin.into());
        map.insert("session".to_owned(), json!(row.session));
        map.insert("recordedAt".to_owned(), row.recorded_at.into());
        map.insert("leftAt".to_owned(), json!(row.left_at));
        map.insert("leftWhy".to_owned(), json!(row.left_why));
        map.insert("trusted".to_owned(), row.trusted.into());
    }
    value
}

fn with_kind(kind: &str, body: Value) -> Value {
    let mut map = serde_json::Map::new();
    map.insert("kind".to_owned(), kind.into());
    if let Value::Object(body) = body {
        map.extend(body);
    }
    Value::Object(map)
}
