//! `recall show`: what stands around a passage, in its session.

use serde_json::{Value, json};
use throughline_domain::text::one_line;
use throughline_recall::{CommandOutcome, Placed, SessionOf};
use throughline_store::archive::{Archive, EntryRow, Filter};

use super::{Desk, page};
use crate::commands::ARCHIVE_WAIT;
use crate::failure::Failure;
use crate::output::{self, DIM, HEAD, HINT, styled};
use crate::quoting::{self, FOUND};

/// Lines of a passage that are shown: of the one that was asked for, and of those around it.
const LINES_MAX: usize = 200;
const NEAR_LINES_MAX: usize = 4;
const AROUND_MAX: usize = 200;
/// Stands behind the passage that was asked for.
const ASKED: &str = "  ← this one";

/// Show a passage and what stands around it
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throughline recall show p1204                 # six passages before it, six after
  throughline recall show p1204 --around 30
  throughline recall show D3@app-1f2e3d4c5b6a7988   # a recorded entry, as a search names it")]
pub(super) struct Args {
    /// The id of a result
    id: String,
    /// So many passages before and after
    #[arg(long, value_name = "N", default_value_t = 6)]
    around: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(desk: &Desk<'_>, args: &Args) -> Result<(), Failure> {
    open(desk, &args.id, args.around.min(AROUND_MAX), args.json)
}

/// Shows a result by its id.
pub(super) fn open(desk: &Desk<'_>, id: &str, around: usize, as_json: bool) -> Result<(), Failure> {
    if !as_json {
        return quoting::say(&FOUND, &lines(desk, id, around)?.lines);
    }
    output::say_json(&match number_of(id) {
        Some(number) => passage_json(desk, number, around)?,
        None => entry_json(id, &entry(desk, id)?),
    })
}

/// What is shown of a result and around it.
pub(super) struct Opened {
    pub(super) lines: Vec<String>,
    /// The line at which the result itself begins.
    pub(super) asked_at: usize,
}

pub(super) fn lines(desk: &Desk<'_>, id: &str, around: usize) -> Result<Opened, Failure> {
    match number_of(id) {
        Some(number) => passage_lines(desk, number, around),
        None => Ok(Opened { lines: entry_lines(&entry(desk, id)?), asked_at: 0 }),
    }
}

/// The number of a passage; an entry has none.
fn number_of(id: &str) -> Option<u64> {
    id.strip_prefix(['p', 'P']).unwrap_or(id).parse().ok()
}

fn unknown(id: &str) -> Failure {
    Failure::new(format!("there is no result `{}`", one_line(id, 60)))
        .hint("`throughline recall <words>` lists results with their ids, such as p1204")
}

/// A passage with its neighbours, in the session it stands in.
fn passage(desk: &Desk<'_>, number: u64, around: usize) -> Result<(SessionOf, Vec<Placed>), Failure> {
    let session = desk.store.session_of(number)?.ok_or_else(|| unknown(&format!("p{number}")))?;
    Ok((session, desk.store.around(number, around, around)?))
}

fn passage_json(desk: &Desk<'_>, number: u64, around: usize) -> Result<Value, Failure> {
    let (session, near) = passage(desk, number, around)?;
    let rows: Vec<Value> = near
        .iter()
        .map(|placed| {
            json!({
                "id": format!("p{}", placed.id),
                "kind": placed.head.kind.word(),
                "turn": placed.head.turn,
                "at": page::iso(placed.head.at_s),
                "subagent": placed.head.is_sidechain,
                "holds_tool_output": page::holds_output(placed.head.kind, &placed.text),
                "text": placed.text,
            })
        })
        .collect();
    Ok(json!({
        "id": format!("p{number}"),
        "session": session.session,
        "project": session.project,
        "passages": rows,
    }))
}

fn passage_lines(desk: &Desk<'_>, number: u64, around: usize) -> Result<Opened, Failure> {
    let (session, near) = passage(desk, number, around)?;
    let mut lines = vec![format!(
        "{}, session {}",
        styled(HEAD, &one_line(&session.project, 200)),
        one_line(&session.session, 60)
    )];
    let mut asked_at = 0;
    for placed in &near {
        if placed.id == number {
            asked_at = lines.len();
        }
        let lines_max = if placed.id == number { LINES_MAX } else { NEAR_LINES_MAX };
        lines.extend(shown(placed, placed.id == number, lines_max));
    }
    Ok(Opened { lines, asked_at })
}

/// What stands around a passage, without itself.
pub(super) fn context(desk: &Desk<'_>, number: u64, around: usize) -> Result<Vec<String>, Failure> {
    let near = desk.store.around(number, around.min(AROUND_MAX), around.min(AROUND_MAX))?;
    let others = near.iter().filter(|placed| placed.id != number);
    Ok(others
        .flat_map(|placed| shown(placed, false, NEAR_LINES_MAX))
        .map(|line| format!("    {line}"))
        .collect())
}

fn shown(placed: &Placed, is_asked: bool, lines_max: usize) -> Vec<String> {
    let head = &placed.head;
    let ended = match head.outcome {
        CommandOutcome::Failed => ", failed",
        CommandOutcome::Succeeded => ", succeeded",
        CommandOutcome::Unknown => "",
    };
    let about = format!("{}{ended}, {}, turn {}", page::kind_words(head), page::moment(head.at_s), head.turn);
    let style = if is_asked { HEAD } else { DIM };
    let mark = if is_asked { ASKED } else { "" };
    let id = styled(HINT, &format!("p{}", placed.id));
    let mut lines = vec![format!("{id}  {}", styled(style, &format!("{about}{mark}")))];
    lines.extend(page::quoted(&placed.text, lines_max));
    lines
}

fn entry(desk: &Desk<'_>, id: &str) -> Result<EntryRow, Failure> {
    let (name, key) = if let Some((name, key)) = id.split_once('@') {
        (name, key.to_owned())
    } else {
        let root = desk.at_hand.as_deref().ok_or_else(|| unknown(id))?;
        (id, desk.place.project_at(root).key)
    };
    if !desk.place.home.archive().exists() {
        return Err(unknown(id));
    }
    let archive = Archive::open(&desk.place.home.archive(), ARCHIVE_WAIT)?;
    let all = archive.entries(&key, Filter { kind: None, live_only: false, limit: 100_000 })?;
    all.into_iter().find(|row| row.id == name).ok_or_else(|| unknown(id))
}

fn entry_json(id: &str, row: &EntryRow) -> Value {
    json!({
        "id": id, "kind": row.kind, "project": row.project, "session": row.session, "at": row.recorded_at,
        "trusted": row.trusted, "left": row.left_why, "entry": row.body,
    })
}

fn entry_lines(row: &EntryRow) -> Vec<String> {
    let untrusted = if row.trusted { "" } else { ", not trusted: came from elsewhere" };
    let mut lines = vec![
        format!(
            "{}  {}",
            styled(HINT, &row.id),
            styled(DIM, &format!("{}, {}, by {}{untrusted}", row.kind, row.recorded_at, row.origin))
        ),
        format!("    {}", one_line(&row.text, 4_000)),
    ];
    lines.extend((!row.reason.is_empty()).then(|| format!("    because: {}", one_line(&row.reason, 4_000))));
    lines.extend(page::answered(row).map(|answer| format!("    answered: {}", one_line(answer, 4_000))));
    lines.extend(row.left_why.as_ref().map(|why| format!("    no longer in force: {}", one_line(why, 400))));
    lines.extend(row.session.as_ref().map(|session| {
        format!(
            "    session {}: `throughline recall … --session {}`",
            one_line(session, 60),
            page::short_session(session)
        )
    }));
    lines
}
