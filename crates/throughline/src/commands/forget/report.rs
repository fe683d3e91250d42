//! What is said about a forgetting: what would go, what went, and what was searched afterwards.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use throughline_domain::text::{one_line, shorten};
use throughline_domain::time;
use throughline_engine::forget::traces::{AtPlace, Proof, Traces};
use throughline_store::door::Spot;
use throughline_store::forget::Scope;

use crate::failure::Failure;
use crate::output;

/// What to do about a database that cannot be searched.
const DAMAGED_HINT: &str =
    "look into it if something is missing, then delete it and run this again; `--everything` deletes it, too";
/// Names that are listed one by one.
const LISTED_MAX: usize = 20;

fn lines(found: &Traces) -> Vec<String> {
    let mut lines = Vec::new();
    if !found.entries.is_empty() {
        let ids = shorten(&found.entries.join(", "), 200);
        lines.push(format!("working set: {} ({ids})", found.entries.len()));
    }
    for AtPlace { place, count, bytes } in &found.places {
        let size = if *bytes > 0 { format!(" ({bytes} bytes)") } else { String::new() };
        lines.push(format!("{place}: {count}{size}"));
    }
    lines
}

fn found_json(found: &Traces) -> Value {
    let places =
        found.places.iter().map(|it| json!({"place": it.place, "count": it.count, "bytes": it.bytes}));
    json!({"entries": found.entries, "places": places.collect::<Vec<_>>()})
}

fn remainders(proof: &Proof) -> Vec<String> {
    let mut all: Vec<String> = lines(&proof.left);
    all.extend(proof.holding.iter().take(LISTED_MAX).map(Spot::display));
    let free = proof.free_pages.iter().filter(|(_, pages)| *pages > 0);
    all.extend(free.map(|(name, pages)| format!("{name}: {pages} free pages")));
    all.extend((!proof.damaged.is_empty()).then(|| damaged(&proof.damaged)));
    all.extend(proof.troubles.iter().map(|trouble| one_line(trouble, 400)));
    all
}

/// Databases in which nobody can look.
fn damaged(paths: &[Spot]) -> String {
    let names: Vec<String> = paths.iter().take(LISTED_MAX).map(Spot::display).collect();
    format!("a damaged database that was set aside may hold it still: {}", names.join(", "))
}

fn shown(spots: &[Spot]) -> Vec<PathBuf> {
    spots.iter().map(Spot::shown).collect()
}

/// Nothing is left but what they may hold.
pub(super) fn all_but(paths: &[Spot]) -> Failure {
    Failure::new(format!("all else is forgotten; {}", damaged(paths))).hint(DAMAGED_HINT)
}

/// `--dry-run`.
pub(super) fn trial(
    scope: &Scope,
    found: &Traces,
    transcripts: &[PathBuf],
    as_json: bool,
) -> Result<(), Failure> {
    if as_json {
        let mut value = json!({"dryRun": true, "scope": scope_json(scope), "links": shown(&found.links)});
        merge(&mut value, found_json(found));
        value["transcripts"] = json!(transcripts);
        return output::say_json(&value);
    }
    for line in lines(found) {
        output::say(&format!("would go: {line}"))?;
    }
    if found.is_empty() {
        output::say("nothing of it is remembered")?;
    }
    name_links(found);
    name_transcripts(transcripts)
}

/// What is about to go.
pub(super) fn plan(found: &Traces) -> Result<(), Failure> {
    for line in lines(found) {
        output::say(&format!("goes: {line}"))?;
    }
    name_links(found);
    Ok(())
}

/// The question before it, with the counts.
pub(super) fn question(found: &Traces) -> String {
    format!(
        "Forget {} entries and {} other things?",
        found.entries.len(),
        found.count() - found.entries.len() as u64
    )
}

/// What was done, and what the look afterwards found.
pub(super) fn done(
    scope: &Scope,
    found: &Traces,
    proof: &Proof,
    transcripts: &[PathBuf],
    as_json: bool,
) -> Result<(), Failure> {
    let remainders = remainders(proof);
    if as_json {
        let mut value = json!({"dryRun": false, "scope": scope_json(scope), "links": shown(&found.links)});
        merge(&mut value, found_json(found));
        value["transcripts"] = json!(transcripts);
        value["atWork"] = json!(proof.at_work);
        value["proof"] = json!({
            "filesSearched": proof.files, "bytesSearched": proof.bytes, "namesSearched": proof.ids, "found": remainders,
        });
        output::say_json(&value)?;
        return if remainders.is_empty() { Ok(()) } else { Err(Failure::silent(1)) };
    }
    for session in &proof.at_work {
        output::say(&format!(
            "session {} is at work: what comes from now on is remembered",
            one_line(session, 100)
        ))?;
    }
    if proof.was_sent {
        output::say("usage that was sent to a fleet stays there: numbers, no words (docs/fleet.md)")?;
    }
    name_transcripts(transcripts)?;
    name_objects(&scope.project.root, found.count_at("checkpoints"))?;
    if !proof.damaged.is_empty() && remainders.len() == 1 {
        return Err(all_but(&proof.damaged));
    }
    if !remainders.is_empty() {
        return Err(Failure::new(format!("not everything is forgotten: {}", remainders.join("; ")))
            .hint("run it again when no session is at work; remove by hand what is not ours"));
    }
    let databases = proof.free_pages.iter().map(|(name, _)| format!("{name} without a free page"));
    let databases: Vec<String> = databases.collect();
    let names = if proof.ids == 0 { String::new() } else { format!(" for {} names", proof.ids) };
    output::say(&format!(
        "forgotten: searched every place again, and {} files ({} bytes){names}; nothing was found{}{}",
        proof.files,
        proof.bytes,
        if databases.is_empty() { "" } else { "; " },
        databases.join(", ")
    ))
}

fn scope_json(scope: &Scope) -> Value {
    json!({
        "project": scope.project.root, "key": scope.project.key, "session": scope.session,
        "before": scope.before.map(time::iso), "everything": scope.is_everything(),
    })
}

fn merge(value: &mut Value, more: Value) {
    if let (Some(map), Value::Object(more)) = (value.as_object_mut(), more) {
        map.extend(more);
    }
}

fn name_links(found: &Traces) {
    for link in found.links.iter().take(LISTED_MAX) {
        output::warn(&format!("{} is a link: what it leads to is not touched", link.display()));
    }
}

/// What checkpoints held of files is git's: nothing refers to it any more, and git removes it in its own time.
pub(super) fn name_objects(root: &Path, checkpoints: u64) -> Result<(), Failure> {
    if checkpoints == 0 || !root.join(".git").exists() {
        return Ok(());
    }
    output::say(
        "in git: files that checkpoints held are objects that nothing refers to any more; git removes them in some weeks, \
         `git gc --prune=now` at once, with all others that nothing refers to",
    )
}

/// The agent's own files: said, not touched.
fn name_transcripts(transcripts: &[PathBuf]) -> Result<(), Failure> {
    for path in transcripts.iter().take(LISTED_MAX) {
        output::say(&format!("not ours, and not touched: {}", json!(path.display().to_string())))?;
    }
    if let Some(path) = transcripts.get(LISTED_MAX) {
        let folder = path.parent().map(|folder| folder.display().to_string()).unwrap_or_default();
        output::say(&format!(
            "not ours, and not touched: {} more in {folder}",
            transcripts.len() - LISTED_MAX
        ))?;
    }
    Ok(())
}
