//! Forgetting words: they go out of everything that is remembered about a project, and it is proven.

use std::path::Path;

use serde_json::{Value, json};
use throughline_domain::State;
use throughline_engine::checkpoint as making;
use throughline_store::archive::Archive;
use throughline_store::checkpoints::Checkpoints;
use throughline_store::door::Spot;
use throughline_store::forget::{self, Needle, Places};
use throughline_store::gate;
use throughline_store::lock::Patience;
use throughline_store::recall::Recall;

use super::{Args, ROUNDS_MAX, is_confirmed, report};
use crate::commands::{ARCHIVE_WAIT, App};
use crate::failure::Failure;
use crate::output;

/// Most sessions that are looked at.
const FOLDERS_MAX: usize = 100_000;

/// What holds the words.
#[derive(Debug, Default)]
struct Found {
    entries: Vec<String>,
    rows: usize,
    files: Vec<Spot>,
    checkpoints: Vec<String>,
    backups: Vec<String>,
    /// Passages of the index of recall that go with those that hold the words.
    passages: u64,
}

impl Found {
    fn is_empty(&self) -> bool {
        self.entries.is_empty()
            && self.rows == 0
            && self.files.is_empty()
            && self.checkpoints.is_empty()
            && self.backups.is_empty()
            && self.passages == 0
    }
}

pub(super) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let needle = Needle::new(&args.words)?;
    let places = Places::of(&app.place.home, &app.memory.project, app.place.claude_folder.as_deref());
    let found = look(app, &needle, &places)?;
    tell(&found, args.dry_run)?;
    if args.dry_run {
        return Ok(());
    }
    if !found.is_empty() && !args.yes && !is_confirmed("Forget it?")? {
        return Err(Failure::new("nothing was forgotten").hint("add --yes to forget without being asked"));
    }
    let damaged = places.damaged();
    let mut holding = Vec::new();
    for _ in 0..ROUNDS_MAX {
        forget_everywhere(app, &needle, &places)?;
        holding = places.still_holding(&needle);
        holding.retain(|path| !damaged.contains(path));
        if forget_passages(app, &needle, true)? > 0 {
            holding.push(app.place.home.recall());
        }
        if holding.is_empty() {
            break;
        }
    }
    name_transcripts(app, &needle)?;
    report::name_objects(&app.memory.project.root, found.checkpoints.len() as u64)?;
    if holding.is_empty() && !damaged.is_empty() {
        return Err(report::all_but(&damaged));
    }
    if holding.is_empty() {
        return output::say(
            "forgotten: the words are found nowhere any more, in the data folder or in our files here",
        );
    }
    let others = open_archive(app)?.others_holding(&app.memory.project.key, &|text| needle.is_in(text))?;
    holding.extend(damaged);
    let names: Vec<String> = holding.iter().map(Spot::display).collect();
    let failure = Failure::new(format!("the words are still in {}", names.join(", ")));
    Err(if others.is_empty() {
        failure.hint("run it again when no session is at work; remove by hand what is not ours")
    } else {
        failure.hint(format!("other projects hold them too; run it there: {}", others.join(", ")))
    })
}

fn open_archive(app: &App) -> Result<Archive, Failure> {
    Ok(Archive::open(&app.place.home.archive(), ARCHIVE_WAIT)?)
}

fn look(app: &App, needle: &Needle, places: &Places) -> Result<Found, Failure> {
    let state = app.state()?;
    let rows = open_archive(app)?.forget(&app.memory.project.key, &|text| needle.is_in(text), true)?;
    let checkpoints = checkpoints_holding(app, needle);
    let of_checkpoint =
        |path: &Spot| checkpoints.iter().any(|id| path.name().strip_suffix(".json") == Some(id));
    let mut files = places.mask(needle, true)?;
    files.retain(|path| !of_checkpoint(path));
    Ok(Found {
        entries: entries_holding(&state, needle),
        rows: rows.entries + rows.others,
        files,
        checkpoints,
        backups: places.remove_backups(needle, true)?,
        passages: forget_passages(app, needle, true)?,
    })
}

fn entries_holding(state: &State, needle: &Needle) -> Vec<String> {
    let json = state.to_json();
    let rows = |section: &Value| section.as_array().cloned().unwrap_or_default();
    let sections = json.as_object().into_iter().flat_map(|map| map.values()).flat_map(rows);
    let held: Vec<String> = sections
        .filter(|row| needle.is_in(&row.to_string()))
        .filter_map(|row| Some(row.get("id")?.as_str()?.to_owned()))
        .collect();
    let by_text =
        state.all_entries().filter(|entry| needle.is_in(&entry.text)).map(|entry| entry.id.to_string());
    let mut all: Vec<String> =
        held.into_iter().filter(|id| state.find(id).is_some()).chain(by_text).collect();
    all.sort();
    all.dedup();
    all
}

fn checkpoints_holding(app: &App, needle: &Needle) -> Vec<String> {
    Checkpoints::of(&app.memory.project, &app.place.home).holding(needle)
}

/// One round. Each step can be done again: a run that was killed between two of them is completed by the next.
fn forget_everywhere(app: &App, needle: &Needle, places: &Places) -> Result<(), Failure> {
    app.memory.update(&app.author(), |draft| {
        for id in entries_holding(&draft.state, needle) {
            draft.withdraw(&id, "forgotten")?;
        }
        let text = draft.state.to_json().to_string();
        if needle.is_in(&text)
            && let Ok(masked) = String::from_utf8(needle.masked(text.as_bytes()))
            && let Ok((state, _)) = State::read(&masked)
        {
            draft.state = state;
        }
        Ok(())
    })?;
    let sessions = places.sessions();
    let sessions: Vec<&str> = sessions.iter().map(String::as_str).collect();
    // What waits would bring the words back into the archive.
    gate::fold(&app.memory, &sessions, ARCHIVE_WAIT).map_err(|error| Failure::new(error.to_string()))?;
    let ids = checkpoints_holding(app, needle);
    if !ids.is_empty() {
        let on_disk = Checkpoints::of(&app.memory.project, &app.place.home);
        let alone = on_disk.alone(Patience::Person)?;
        if let Some(trouble) = making::remove(&app.memory, &on_disk, &alone, &ids)? {
            output::warn(&trouble);
        }
    }
    places.remove_backups(needle, false)?;
    places.mask(needle, false)?;
    open_archive(app)?.forget(&app.memory.project.key, &|text| needle.is_in(text), false)?;
    forget_passages(app, needle, false)?;
    Ok(())
}

/// Out of the index of recall, of whatever project: its texts are compressed, and no look at its bytes would find the words.
fn forget_passages(app: &App, needle: &Needle, is_trial: bool) -> Result<u64, Failure> {
    let path = app.place.home.recall();
    if !path.exists() {
        return Ok(0);
    }
    let writing = Recall::writing(&path, Patience::Person)?;
    let mut index = Recall::open(&path, ARCHIVE_WAIT)?;
    Ok(index.forget(&writing, &|text| needle.is_in(text), is_trial)?)
}

fn tell(found: &Found, is_trial: bool) -> Result<(), Failure> {
    let verb = if is_trial { "would go" } else { "goes" };
    for id in &found.entries {
        output::say(&format!("entry {id} {verb}"))?;
    }
    if found.rows > 0 {
        output::say(&format!("archive: {} rows", found.rows))?;
    }
    for path in &found.files {
        output::say(&format!("text in {}", throughline_domain::text::one_line(&path.display(), 400)))?;
    }
    if found.passages > 0 {
        output::say(&format!(
            "index of recall: {} passages, those beside the words included",
            found.passages
        ))?;
    }
    for id in &found.checkpoints {
        output::say(&format!("checkpoint {id} {verb}"))?;
    }
    for session in &found.backups {
        output::say(&format!(
            "backups of session {} {verb}",
            throughline_domain::text::one_line(session, 100)
        ))?;
    }
    if found.is_empty() { output::say("nothing that is remembered here holds the words") } else { Ok(()) }
}

/// The agent's own files that hold the words: said, not touched.
fn name_transcripts(app: &App, needle: &Needle) -> Result<(), Failure> {
    let folders = app.place.home.root().join("sessions").children(FOLDERS_MAX);
    let caches = folders.iter().filter_map(throughline_store::session::SessionCache::read);
    let of_project = caches.filter(|cache| cache.project_root == app.memory.project.root);
    for cache in of_project {
        if !cache.transcript.is_empty() && forget::holds(Path::new(&cache.transcript), needle) {
            output::say(&format!("not ours, and not touched: {}", json!(cache.transcript)))?;
        }
    }
    Ok(())
}
