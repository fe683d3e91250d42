//! `checkpoint list` and `checkpoint show`.

use serde_json::{Value, json};
use throughline_domain::checkpoint::Checkpoint;
use throughline_domain::text::one_line;

use super::{age, find, on_disk};
use crate::commands::App;
use crate::failure::Failure;
use crate::output::{self, DIM, HEAD, HINT, styled};
use crate::quoting::{self, RECORDED, UNTRUSTED_MARK};

pub(super) fn list(app: &App, as_json: bool) -> Result<(), Failure> {
    let (all, problems) = on_disk(app).all();
    if as_json {
        let rows: Vec<Value> = all.iter().rev().map(|it| row_json(app, it)).collect();
        return output::say_json(&Value::Array(rows));
    }
    let rows: Vec<String> = all.iter().rev().map(|checkpoint| row(app, checkpoint)).collect();
    quoting::say(&RECORDED, &rows)?;
    for problem in &problems {
        output::warn(&problem.to_string());
    }
    if all.is_empty() && problems.is_empty() {
        output::remark("no checkpoint yet; `throughline checkpoint create` makes one");
    }
    Ok(())
}

fn row(app: &App, checkpoint: &Checkpoint) -> String {
    let mut words = vec![age(app, checkpoint)];
    words.extend(checkpoint.phase.as_ref().map(|phase| format!("phase {}", one_line(phase, 40))));
    words.extend(commit(checkpoint));
    words.push(files(checkpoint));
    words.extend(checkpoint.kept.then(|| "marked".to_owned()));
    words.extend(checkpoint.is_foreign.then(|| "not made here".to_owned()));
    let text = checkpoint.notes.as_ref().or(checkpoint.task.as_ref());
    let text = text.map_or_else(String::new, |text| format!(" {}", one_line(text, 80)));
    let about = styled(DIM, &format!("({})", words.join(", ")));
    format!("{} {}{text} {about}", styled(HINT, &checkpoint.id), one_line(&checkpoint.kind, 20))
}

fn commit(checkpoint: &Checkpoint) -> Option<String> {
    let head = checkpoint.git.head.as_ref()?;
    let short: String = head.chars().take(7).collect();
    let branch =
        checkpoint.git.branch.as_ref().map_or_else(String::new, |it| format!(" on {}", one_line(it, 60)));
    Some(format!("{short}{branch}"))
}

fn files(checkpoint: &Checkpoint) -> String {
    match checkpoint.git.files.len() as u64 + checkpoint.git.left_out_count {
        0 if checkpoint.git.head.is_none() => "no commit".to_owned(),
        0 => "clean".to_owned(),
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    }
}

fn row_json(app: &App, checkpoint: &Checkpoint) -> Value {
    json!({
        "id": checkpoint.id, "createdAt": checkpoint.created_at, "type": checkpoint.kind,
        "phase": checkpoint.phase, "task": checkpoint.task, "notes": checkpoint.notes,
        "session": checkpoint.session, "head": checkpoint.git.head, "branch": checkpoint.git.branch,
        "files": checkpoint.git.files.len(), "filesKept": checkpoint.git.tree.is_some(),
        "openTasks": checkpoint.open_tasks(), "anchors": checkpoint.anchors.len(), "kept": checkpoint.kept, "madeHere": !checkpoint.is_foreign,
        "stale": checkpoint.is_stale(app.now, app.config.checkpoints.stale_hours),
    })
}

pub(super) fn show(app: &App, name: &str, as_json: bool) -> Result<(), Failure> {
    let on_disk = on_disk(app);
    let checkpoint = on_disk.read(&find(&on_disk, name)?)?;
    if as_json {
        let mut value = json!(checkpoint);
        value["stale"] = checkpoint.is_stale(app.now, app.config.checkpoints.stale_hours).into();
        value["madeHere"] = (!checkpoint.is_foreign).into();
        return output::say_json(&value);
    }
    let kind = one_line(&checkpoint.kind, 20);
    let mark = if checkpoint.is_foreign { UNTRUSTED_MARK } else { "" };
    let made = age(app, &checkpoint);
    let mut lines = vec![format!("{} {kind}, made {made}{mark}", styled(HEAD, &checkpoint.id))];
    for (label, text) in
        [("note", &checkpoint.notes), ("task", &checkpoint.task), ("phase", &checkpoint.phase)]
    {
        if let Some(text) = text {
            lines.push(format!("{label}: {}", one_line(text, 400)));
        }
    }
    if let Some(commit) = commit(&checkpoint) {
        lines.push(format!("commit: {commit}"));
    }
    if let Some(error) = &checkpoint.git.error {
        lines.push(format!("git: {}", one_line(error, 300)));
    }
    let kept = if checkpoint.git.tree.is_some() { "" } else { ", content not kept" };
    let paths = checkpoint.git.files.iter().map(|file| format!("{} {}", file.change, file.path));
    lines.extend(section(&format!("uncommitted files{kept}:"), paths));
    let left_out = checkpoint.git.left_out.iter().cloned();
    lines.extend(section("not taken, too large or not readable:", left_out));
    let tasks = checkpoint.tasks.iter().map(|task| format!("{} ({})", task.subject, task.status));
    lines.extend(section("tasks:", tasks));
    let words =
        |anchor: &Value, key: &str| anchor.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let anchors = checkpoint.anchors.iter();
    let anchors = anchors.map(|it| format!("{}: {}", words(it, "id"), words(it, "content")));
    lines.extend(section("anchors:", anchors));
    let since = checkpoint.previous.as_deref().unwrap_or("the one before");
    lines.extend(section(&format!("changed since {since}:"), checkpoint.changed_since.iter().cloned()));
    let metrics = &checkpoint.metrics;
    if let (Some(tokens), Some(turns)) = (metrics.context_tokens, metrics.turns) {
        let responses = if turns == 1 { "response" } else { "responses" };
        let percent = metrics
            .context_percent
            .map_or_else(String::new, |it| format!(", {it} % of the way to the compaction"));
        lines.push(format!("context: {tokens} tokens after {turns} {responses}{percent}"));
    }
    let hint = format!("`throughline checkpoint restore {}` prints its briefing", checkpoint.id);
    lines.push(styled(DIM, &hint));
    quoting::say(&RECORDED, &lines)
}

/// A heading and its lines; nothing where there are none.
pub(crate) fn section(heading: &str, lines: impl Iterator<Item = String>) -> Vec<String> {
    const LINES_MAX: usize = 60;
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() {
        return Vec::new();
    }
    let mut shown = vec![heading.to_owned()];
    shown.extend(lines.iter().take(LINES_MAX).map(|line| format!("  {}", one_line(line, 300))));
    if lines.len() > LINES_MAX {
        shown.push(format!("  and {} more (--json shows all)", lines.len() - LINES_MAX));
    }
    shown
}

/// The same, printed.
pub(super) fn say_section(heading: &str, lines: impl Iterator<Item = String>) -> Result<(), Failure> {
    section(heading, lines).iter().try_for_each(|line| output::say(line))
}
