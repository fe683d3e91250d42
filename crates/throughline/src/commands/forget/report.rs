//! What is said about a forgetting: what would go, what went, and what was searched afterwards.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use throughline_domain::text::{one_line, shorten};
use throughline_domain::time;
use throughline_store::door::Spot;
use throughline_store::forget::Scope;

use crate::failure::Failure;
use crate::output;

/// What to do about a database that cannot be searched.
const DAMAGED_HINT: &str =
    "look into it if something is missing, then delete it and run this again; `--everything` deletes it, too";
/// Names that are listed one by one.
const LISTED_MAX: usize = 20;

/// What there is of a scope, by place.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Entries of the working set.
    pub(super) entries: Vec<String>,
    places: Vec<AtPlace>,
    /// Links in the place of our files.
    pub(super) links: Vec<Spot>,
}

#[derive(Debug)]
struct AtPlace {
    place: &'static str,
    count: u64,
    bytes: u64,
}

impl Found {
    /// So many entries of the working set, to begin with.
    pub(super) fn of(entries: Vec<String>) -> Self {
        Self { entries, ..Self::default() }
    }

    /// Adds to a place.
    pub(super) fn put(&mut self, place: &'static str, count: u64, bytes: u64) {
        if count == 0 {
            return;
        }
        match self.places.iter_mut().find(|it| it.place == place) {
            Some(known) => (known.count, known.bytes) = (known.count + count, known.bytes + bytes),
            None => self.places.push(AtPlace { place, count, bytes }),
        }
    }

    /// How many of a place.
    fn count_at(&self, place: &str) -> u64 {
        self.places.iter().filter(|it| it.place == place).map(|it| it.count).sum()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.places.is_empty()
    }

    fn count(&self) -> u64 {
        self.entries.len() as u64 + self.places.iter().map(|it| it.count).sum::<u64>()
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.entries.is_empty() {
            let ids = shorten(&self.entries.join(", "), 200);
            lines.push(format!("working set: {} ({ids})", self.entries.len()));
        }
        for AtPlace { place, count, bytes } in &self.places {
            let size = if *bytes > 0 { format!(" ({bytes} bytes)") } else { String::new() };
            lines.push(format!("{place}: {count}{size}"));
        }
        lines
    }

    fn as_json(&self) -> Value {
        let places =
            self.places.iter().map(|it| json!({"place": it.place, "count": it.count, "bytes": it.bytes}));
        json!({"entries": self.entries, "places": places.collect::<Vec<_>>()})
    }
}

/// What was looked at afterwards.
#[derive(Debug, Default)]
pub(super) struct Proof {
    /// What is still there.
    pub(super) left: Found,
    /// Names that were looked for in every byte.
    pub(super) ids: usize,
    pub(super) files: usize,
    pub(super) bytes: u64,
    pub(super) holding: Vec<Spot>,
    /// Pages of the databases that belong to nothing.
    pub(super) free_pages: Vec<(&'static str, u64)>,
    /// Sessions that go on, afresh.
    pub(super) at_work: Vec<String>,
    /// What could not be done.
    pub(super) troubles: Vec<String>,
    /// Databases in which nobody can look.
    pub(super) damaged: Vec<Spot>,
    /// Whether usage was sent to a fleet.
    pub(super) was_sent: bool,
}

impl Proof {
    pub(super) fn is_clean(&self) -> bool {
        self.remainders().is_empty()
    }

    fn remainders(&self) -> Vec<String> {
        let mut all: Vec<String> = self.left.lines();
        all.extend(self.holding.iter().take(LISTED_MAX).map(Spot::display));
        let free = self.free_pages.iter().filter(|(_, pages)| *pages > 0);
        all.extend(free.map(|(name, pages)| format!("{name}: {pages} free pages")));
        all.extend((!self.damaged.is_empty()).then(|| damaged(&self.damaged)));
        all.extend(self.troubles.iter().map(|trouble| one_line(trouble, 400)));
        all
    }
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
    found: &Found,
    transcripts: &[PathBuf],
    as_json: bool,
) -> Result<(), Failure> {
    if as_json {
        let mut value = json!({"dryRun": true, "scope": scope_json(scope), "links": shown(&found.links)});
        merge(&mut value, found.as_json());
        value["transcripts"] = json!(transcripts);
        return output::say_json(&value);
    }
    for line in found.lines() {
        output::say(&format!("would go: {line}"))?;
    }
    if found.is_empty() {
        output::say("nothing of it is remembered")?;
    }
    name_links(found);
    name_transcripts(transcripts)
}

/// What is about to go.
pub(super) fn plan(found: &Found) -> Result<(), Failure> {
    for line in found.lines() {
        output::say(&format!("goes: {line}"))?;
    }
    name_links(found);
    Ok(())
}

/// The question before it, with the counts.
pub(super) fn question(found: &Found) -> String {
    format!(
        "Forget {} entries and {} other things?",
        found.entries.len(),
        found.count() - found.entries.len() as u64
    )
}

/// What was done, and what the look afterwards found.
pub(super) fn done(
    scope: &Scope,
    found: &Found,
    proof: &Proof,
    transcripts: &[PathBuf],
    as_json: bool,
) -> Result<(), Failure> {
    let remainders = proof.remainders();
    if as_json {
        let mut value = json!({"dryRun": false, "scope": scope_json(scope), "links": shown(&found.links)});
        merge(&mut value, found.as_json());
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

fn name_links(found: &Found) {
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
