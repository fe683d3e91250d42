//! `recall file`: a file's story: who touched it, when and why, what went wrong in it, what was decided about it.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use throughline_domain::text::one_line;
use throughline_recall::naming::names;
use throughline_recall::weights::{
    COMMIT_BEHIND_MAX, FILE_ENTRIES_MAX, FILE_PASSAGES_MAX, REASON_BEFORE_MAX,
};
use throughline_recall::{Found, PassageKind, Question, Scope};
use throughline_store::archive::Archive;

use super::{Desk, ask, page};
use crate::commands::ARCHIVE_WAIT;
use crate::failure::Failure;
use crate::output::{self, DIM, HEAD, HINT, styled};
use crate::quoting::{self, FOUND};

/// Tell a file's story: who changed it, when, why, and what went wrong in it
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throughline recall file src/parser.rs
  throughline recall file parser.rs --project all     # any file of this name, in every project
  throughline recall file src/parser.rs --json")]
pub(super) struct Args {
    /// The file: a path, or the last parts of one
    path: String,
    /// Most sessions
    #[arg(long, value_name = "N", default_value_t = 12)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What one session had to do with the file.
#[derive(Debug, Default)]
struct Chapter {
    session: String,
    project: String,
    first_s: i64,
    edits: Vec<(u64, u64)>,
    reads: usize,
    request: Option<String>,
    commit: Option<String>,
    errors: Vec<(u64, String)>,
    said: Vec<(u64, String)>,
}

pub(super) fn run(desk: &Desk<'_>, args: &Args) -> Result<(), Failure> {
    let wanted = args.path.trim().trim_start_matches("./").replace('\\', "/");
    let name = wanted.rsplit('/').next().unwrap_or_default();
    let question = Question::of_name(name);
    if question.is_empty() {
        return Err(Failure::new("this names no file").hint("`throughline recall file src/parser.rs`"));
    }
    let mut chapters = chapters(desk, &question, &wanted)?;
    let decisions = decisions(desk, name);
    let left_out = chapters.len().saturating_sub(args.limit);
    chapters.truncate(args.limit);
    if args.json {
        let rows: Vec<Value> = chapters.iter().map(as_json).collect();
        let decided: Vec<Value> = decisions
            .iter()
            .map(|(id, kind, text)| json!({ "id": id, "kind": kind, "text": text }))
            .collect();
        return output::say_json(&json!({ "file": wanted, "sessions": rows, "recorded": decided }));
    }
    if chapters.is_empty() && decisions.is_empty() {
        output::remark(&format!("no session touched or named {}", one_line(&wanted, 200)));
        desk.remark_left();
        return Ok(());
    }
    let mut lines: Vec<String> = Vec::new();
    for (id, kind, text) in &decisions {
        lines.push(format!("{}  {kind}: {}", styled(HINT, id), one_line(text, 300)));
    }
    lines.extend(chapters.iter().flat_map(shown));
    if left_out > 0 {
        lines.push(styled(
            DIM,
            &format!("and {left_out} sessions before (`--limit {}`)", args.limit + left_out),
        ));
    }
    quoting::say(&FOUND, &lines)?;
    desk.remark_left();
    Ok(())
}

/// The sessions that had to do with the file, the newest first.
fn chapters(desk: &Desk<'_>, question: &Question, wanted: &str) -> Result<Vec<Chapter>, Failure> {
    let scope =
        Scope { kinds: PassageKind::ALL.to_vec(), projects: ask::projects(desk)?, ..Scope::default() };
    let asked = desk.store.ask(question)?;
    // Every touch is its own: the same path again is not the same passage.
    let mut found = desk.store.search_all(&asked, &scope, &desk.taste(), FILE_PASSAGES_MAX)?;
    found.retain(|it| names(&it.text, wanted));
    found.sort_by_key(|it| it.id);
    let mut by_session: BTreeMap<i64, Chapter> = BTreeMap::new();
    for it in &found {
        let chapter = by_session.entry(it.session.number).or_default();
        take(chapter, it);
    }
    for chapter in by_session.values_mut() {
        reasons(desk, chapter)?;
    }
    let mut all: Vec<Chapter> = by_session.into_values().collect();
    all.sort_by_key(|chapter| std::cmp::Reverse(chapter.first_s));
    Ok(all)
}

fn take(chapter: &mut Chapter, it: &Found) {
    if chapter.session.is_empty() {
        chapter.session.clone_from(&it.session.session);
        chapter.project.clone_from(&it.session.project);
        chapter.first_s = it.head.at_s;
    }
    match it.head.kind {
        PassageKind::Edit => chapter.edits.push((it.id, it.head.turn)),
        PassageKind::Read => chapter.reads += 1,
        PassageKind::Error => chapter.errors.push((it.id, page::plain_snippet(&it.text, &it.answer))),
        PassageKind::Command | PassageKind::Output => {}
        _ => chapter.said.push((it.id, page::plain_snippet(&it.text, &it.answer))),
    }
}

/// Why it was changed, and the commit that followed.
fn reasons(desk: &Desk<'_>, chapter: &mut Chapter) -> Result<(), Failure> {
    let (Some((first, _)), Some((last, _))) = (chapter.edits.first(), chapter.edits.last()) else {
        return Ok(());
    };
    let before = desk.store.around(*first, REASON_BEFORE_MAX, 0)?;
    let request = before.iter().rev().find(|placed| placed.head.kind == PassageKind::User);
    chapter.request = request.map(|placed| one_line(&placed.text, 240));
    let behind = desk.store.around(*last, 0, COMMIT_BEHIND_MAX)?;
    let commit = behind
        .iter()
        .find(|placed| placed.head.kind == PassageKind::Command && placed.text.contains("git commit"));
    chapter.commit = commit.map(|placed| one_line(&placed.text, 200));
    Ok(())
}

/// What was recorded about it, in every project; an archive that cannot be read costs a warning.
fn decisions(desk: &Desk<'_>, name: &str) -> Vec<(String, String, String)> {
    if !desk.place.home.archive().exists() {
        return Vec::new();
    }
    let key = desk.at_hand.as_deref().map(|root| desk.place.project_at(root).key);
    let rows = Archive::open(&desk.place.home.archive(), ARCHIVE_WAIT)
        .and_then(|archive| archive.search(name, key.as_deref(), FILE_ENTRIES_MAX));
    match rows {
        Ok(rows) => rows
            .into_iter()
            .filter(|row| names(&row.text, name) || names(&row.reason, name))
            .map(|row| (format!("{}@{}", row.id, row.project), row.kind, row.text))
            .collect(),
        Err(error) => {
            output::warn(&format!("recorded entries are not searched: {error}"));
            Vec::new()
        }
    }
}

fn shown(chapter: &Chapter) -> Vec<String> {
    let times = |count: usize, deed: &str| match count {
        0 => None,
        1 => Some(format!("{deed} once")),
        count => Some(format!("{deed} {count} times")),
    };
    let mut deeds: Vec<String> = Vec::new();
    deeds.extend(times(chapter.edits.len(), "changed").map(|changed| {
        match (chapter.edits.first(), chapter.edits.last()) {
            (Some((_, first)), Some((_, last))) if first == last => format!("{changed} (turn {first})"),
            (Some((_, first)), Some((_, last))) => format!("{changed} (turns {first}-{last})"),
            _ => changed,
        }
    }));
    deeds.extend(times(chapter.reads, "read"));
    deeds.extend(times(chapter.errors.len(), "named by an error"));
    if deeds.is_empty() {
        deeds.push("named".to_owned());
    }
    let mut lines = vec![format!(
        "{}  {}",
        styled(HEAD, &page::moment(chapter.first_s)),
        styled(
            DIM,
            &format!(
                "{} ({}): {}",
                page::project_name(&chapter.project),
                page::short_session(&chapter.session),
                deeds.join(", ")
            )
        )
    )];
    lines.extend(chapter.request.as_ref().map(|request| format!("  asked: {request}")));
    lines.extend(chapter.commit.as_ref().map(|commit| format!("  then: {commit}")));
    let told = |all: &[(u64, String)], what: &str| -> Vec<String> {
        all.iter().rev().take(2).map(|(id, text)| format!("  {what} (p{id}): {text}")).collect()
    };
    lines.extend(told(&chapter.errors, "error"));
    lines.extend(told(&chapter.said, "said"));
    lines
}

fn as_json(chapter: &Chapter) -> Value {
    let list = |all: &[(u64, String)]| -> Vec<Value> {
        all.iter().map(|(id, text)| json!({ "id": format!("p{id}"), "text": text })).collect()
    };
    json!({
        "session": chapter.session,
        "project": chapter.project,
        "at": page::iso(chapter.first_s),
        "edits": chapter.edits.iter().map(|(id, turn)| json!({ "id": format!("p{id}"), "turn": turn })).collect::<Vec<Value>>(),
        "reads": chapter.reads,
        "asked": chapter.request,
        "commit": chapter.commit,
        "errors": list(&chapter.errors),
        "said": list(&chapter.said),
    })
}
