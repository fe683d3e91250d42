//! `checkpoint`: where the work stood at a moment; made, looked at, compared, given back, removed.

mod diff;
pub(crate) mod reading;
mod restore;

use std::time::Duration;

use jiff::Span;
use serde_json::json;
use throughline_domain::checkpoint::{Checkpoint, TreeAt};
use throughline_domain::text::one_line;
use throughline_domain::{State, span, time};
use throughline_engine::checkpoint::{self as making, CheckpointMoment, Made};
use throughline_git::Git;
use throughline_store::checkpoints::Checkpoints;
use throughline_store::lock::Patience;
use throughline_store::memory::Memory;
use throughline_store::session::SessionFacts;

use super::App;
use super::briefing::session_ledger;
use crate::failure::Failure;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  throughline checkpoint create --note \"before the big rename\"
  throughline checkpoint list
  throughline checkpoint diff 20260126-153007500-feed
  throughline checkpoint restore latest
  throughline checkpoint restore feed --files

They are made by themselves too: when a task ends, after a commit, on another branch, when the phase
changes, when the context fills up and before a compaction; never twice when nothing changed. Each holds the commit, the
uncommitted files with the ids of their content, tasks, anchors, figures and the briefing of that moment.
ID is a name from the list, the beginning or the end of it, or `latest`: the last by name.";

/// Where the work stood: create, list, show, diff, restore, keep, rm, prune
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: CheckpointVerb,
}

#[derive(Debug, clap::Subcommand)]
enum CheckpointVerb {
    /// Keep this moment
    Create {
        /// Why, or what comes next
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        note: Option<String>,
        /// The task that it belongs to
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        task: Option<String>,
        /// What kind of moment it is: any word
        #[arg(long = "type", value_name = "WORD", default_value = "manual")]
        kind: String,
        /// Do not keep the content of uncommitted files, only its ids
        #[arg(long)]
        no_files: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List checkpoints, newest first
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show one checkpoint
    Show {
        /// Its name
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what changed between two checkpoints, or between one and now
    Diff {
        /// The earlier one
        from: String,
        /// The later one; left out, now
        to: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the context of a checkpoint for the agent; your files are touched only with --files
    Restore(restore::Args),
    /// Mark checkpoints: they are not removed to make room
    Keep {
        /// Their names
        #[arg(required = true)]
        ids: Vec<String>,
        /// Take the mark away
        #[arg(long)]
        off: bool,
    },
    /// Remove checkpoints, marked ones too
    Rm {
        /// Their names
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Remove what is too much or too old, but nothing that is marked
    Prune {
        /// All that are older than this: 90s, 30min, 24h, 7d, 2w, 3mo, 1y
        #[arg(long, value_name = "SPAN", value_parser = span::parse)]
        older: Option<Span>,
        /// Say what would go, and remove nothing
        #[arg(long)]
        dry_run: bool,
    },
}

pub(crate) fn run(app: &App, args: Args) -> Result<(), Failure> {
    match args.verb {
        CheckpointVerb::Create { note, task, kind, no_files, json } => {
            let wanted =
                Wanted { kind: &kind, task: task.as_deref(), note: note.as_deref(), with_files: !no_files };
            create(app, &wanted, json)
        }
        CheckpointVerb::List { json } => reading::list(app, json),
        CheckpointVerb::Show { id, json } => reading::show(app, &id, json),
        CheckpointVerb::Diff { from, to, json } => diff::run(app, &from, to.as_deref(), json),
        CheckpointVerb::Restore(args) => restore::run(app, &args),
        CheckpointVerb::Keep { ids, off } => keep(app, &ids, !off),
        CheckpointVerb::Rm { ids } => remove(app, &ids),
        CheckpointVerb::Prune { older, dry_run } => prune(app, older, dry_run),
    }
}

/// What a person wants to keep.
struct Wanted<'a> {
    kind: &'a str,
    task: Option<&'a str>,
    note: Option<&'a str>,
    with_files: bool,
}

/// The full name of the one that is meant.
fn find(on_disk: &Checkpoints, name: &str) -> Result<String, Failure> {
    if on_disk.ids().is_empty() {
        return Err(
            Failure::new("there is no checkpoint yet").hint("`throughline checkpoint create` makes one")
        );
    }
    Ok(on_disk.find(name)?)
}

/// `1 file`, `2 files`.
fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

fn on_disk(app: &App) -> Checkpoints {
    Checkpoints::of(&app.memory.project, &app.place.home)
}

/// Does something with the present moment.
fn with_moment<T>(
    app: &App,
    wanted: &Wanted<'_>,
    work: impl FnOnce(&CheckpointMoment<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let state: State = app.state()?;
    let ledger = session_ledger(app);
    let session = app.session_at_hand();
    let cache = session.and_then(|session| SessionFacts::read(&app.place.home.session(&session)));
    let deadline = Duration::from_millis(app.config.git.deadline_ms);
    work(&CheckpointMoment {
        memory: &app.memory,
        config: &app.config,
        state: &state,
        untrusted: &app.memory.untrusted(),
        ledger: ledger.as_ref(),
        cache: cache.as_ref(),
        git: &Git::default().asking(&app.memory.project.work, deadline),
        now: app.now,
        kind: wanted.kind,
        task: wanted.task,
        notes: wanted.note.map(str::trim).filter(|note| !note.is_empty()),
        patience: Patience::Person,
        with_files: wanted.with_files,
    })
}

fn make(app: &App, wanted: &Wanted<'_>) -> Result<Made, Failure> {
    throughline_engine::git_exclude::keep_out_of_git_if_new(&app.memory.project);
    with_moment(app, wanted, |moment| Ok(making::make(moment)?))
}

/// The phase changed: that is a moment. What goes wrong here must not spoil the change itself.
pub(super) fn at_new_phase(app: &App) {
    if !app.config.checkpoints.automatic || app.memory.is_paused() {
        return;
    }
    let wanted = Wanted { kind: "phase", task: None, note: None, with_files: true };
    if let Err(failure) = make(app, &wanted) {
        output::warn(&format!("no checkpoint: {}", failure.message));
    }
}

/// What a checkpoint left behind somebody who leaves.
pub(super) struct Left {
    pub(super) id: String,
    /// Files that no commit holds.
    pub(super) files: usize,
    /// Whether their content is in git objects.
    pub(super) keeps_content: bool,
    /// What git could not do.
    pub(super) problem: Option<String>,
}

/// Somebody leaves: that is a moment, also when nothing changed since the last one.
pub(super) fn at_leaving(app: &App, note: &str) -> Result<Left, Failure> {
    let wanted = Wanted { kind: "away", task: None, note: Some(note), with_files: true };
    let (Made::New(checkpoint) | Made::Same(checkpoint)) = make(app, &wanted)?;
    let git = &checkpoint.git;
    Ok(Left {
        id: checkpoint.id.clone(),
        files: git.files.len() + usize::try_from(git.left_out_count).unwrap_or(usize::MAX),
        keeps_content: git.tree.is_some() && git.left_out_count == 0,
        problem: git.error.clone(),
    })
}

/// An agent wants this moment kept. Gives it, and whether it is a new one.
pub(super) fn at_request(app: &App, note: Option<&str>) -> Result<(Box<Checkpoint>, bool), Failure> {
    let wanted = Wanted { kind: "manual", task: None, note, with_files: true };
    Ok(match make(app, &wanted)? {
        Made::New(checkpoint) => (checkpoint, true),
        Made::Same(checkpoint) => (checkpoint, false),
    })
}

fn create(app: &App, wanted: &Wanted<'_>, as_json: bool) -> Result<(), Failure> {
    let (checkpoint, is_new) = match make(app, wanted)? {
        Made::New(checkpoint) => (checkpoint, true),
        Made::Same(checkpoint) => (checkpoint, false),
    };
    if as_json {
        let mut value = json!(*checkpoint);
        value["isNew"] = is_new.into();
        return output::say_json(&value);
    }
    if !is_new {
        return output::say(&format!("nothing changed since {}; it stands", checkpoint.id));
    }
    output::say(&format!("{} made", checkpoint.id))?;
    tell_about_files(&checkpoint, wanted.with_files);
    Ok(())
}

/// What a person must know about the files: whether they can come back.
fn tell_about_files(checkpoint: &Checkpoint, wanted: bool) {
    let git = &checkpoint.git;
    if let Some(error) = &git.error {
        output::remark(&format!("the files were not kept: {}", one_line(error, 300)));
    } else if !git.files.is_empty() && git.tree.is_none() {
        let why = if wanted { " (checkpoints.keep_files is off)" } else { "" };
        output::remark(&format!(
            "the content of {} was not kept{why}",
            counted(git.files.len(), "uncommitted file")
        ));
    }
    if git.left_out_count > 0 {
        output::remark(&left_out(git));
    }
}

fn left_out(git: &TreeAt) -> String {
    let count = usize::try_from(git.left_out_count).unwrap_or(usize::MAX);
    let mut text = format!("not taken, too many, too large or not readable: {}", counted(count, "file"));
    if !git.left_out.is_empty() {
        let more = count.saturating_sub(git.left_out.len());
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        text.push_str(&format!(" ({}{more})", git.left_out.join(", ")));
    }
    text
}

fn keep(app: &App, names: &[String], kept: bool) -> Result<(), Failure> {
    let on_disk = on_disk(app);
    let alone = on_disk.alone(Patience::Person)?;
    let ids = names.iter().map(|name| find(&on_disk, name)).collect::<Result<Vec<_>, _>>()?;
    let marked = on_disk.all().0.iter().filter(|it| it.kept && !ids.contains(&it.id)).count();
    let count_max = app.config.checkpoints.max;
    if kept && marked + ids.len() >= count_max {
        return Err(Failure::new(format!("{marked} of {count_max} are marked: no more would find room"))
            .hint(
                "take a mark away with `throughline checkpoint keep <ID> --off`, or raise checkpoints.max",
            ));
    }
    for id in ids {
        let mut checkpoint = on_disk.read(&id)?;
        checkpoint.kept = kept;
        on_disk.write(&alone, &checkpoint)?;
        output::say(&format!("{id} {}", if kept { "marked" } else { "not marked any more" }))?;
    }
    Ok(())
}

fn remove(app: &App, names: &[String]) -> Result<(), Failure> {
    let on_disk = on_disk(app);
    let alone = on_disk.alone(Patience::Person)?;
    let ids = names.iter().map(|name| find(&on_disk, name)).collect::<Result<Vec<_>, _>>()?;
    let trouble = making::remove(&app.memory, &on_disk, &alone, &ids)?;
    for id in &ids {
        output::say(&format!("{id} removed"))?;
    }
    tell_trouble(trouble);
    Ok(())
}

fn tell_trouble(trouble: Option<String>) {
    if let Some(why) = trouble {
        output::warn(&format!(
            "git still holds the files ({why}); `throughline checkpoint prune` tries again"
        ));
    }
}

fn prune(app: &App, older: Option<Span>, dry_run: bool) -> Result<(), Failure> {
    let on_disk = on_disk(app);
    let alone = on_disk.alone(Patience::Person)?;
    let all = on_disk.own();
    let marks: Vec<(String, bool)> = all.iter().map(|it| (it.id.clone(), it.kept)).collect();
    let mut ids = throughline_domain::checkpoint::to_prune(&marks, app.config.checkpoints.max, None);
    let older_seconds = older.map(|older| span::seconds_until(app.now, older));
    let is_old = |it: &&Checkpoint| {
        let seconds = it.age_seconds(app.now).unwrap_or(u64::MAX);
        !it.kept && older_seconds.is_some_and(|older| seconds >= older) && !ids.contains(&it.id)
    };
    let old: Vec<String> = all.iter().filter(is_old).map(|it| it.id.clone()).collect();
    ids.extend(old);
    let stray = stray_references(&app.memory, &on_disk);
    if dry_run {
        for id in &ids {
            output::say(&format!("{id} would go"))?;
        }
        return output::say(&format!("{} checkpoints, {} references", ids.len(), stray.len()));
    }
    let trouble = making::remove(&app.memory, &on_disk, &alone, &ids)?;
    let swept = Git::default().forget_trees(&app.memory.project.root, &stray).err();
    tell_trouble(trouble.or(swept));
    output::say(&match (ids.len(), stray.len()) {
        (0, 0) => "nothing to remove".to_owned(),
        (1, 0) => "1 checkpoint removed".to_owned(),
        (count, 0) => format!("{count} checkpoints removed"),
        (count, stray) => format!("{count} checkpoints and {stray} stray references removed"),
    })
}

/// References of ours whose checkpoint is gone: a writer was killed, or somebody removed the file.
pub(super) fn stray_references(memory: &Memory, on_disk: &Checkpoints) -> Vec<String> {
    let ids = on_disk.ids();
    let kept = Git::default().kept_trees(&memory.project.root).unwrap_or_default();
    kept.into_iter().filter(|name| !ids.contains(name)).collect()
}

/// How old a checkpoint is, and whether that is too old.
fn age(app: &App, checkpoint: &Checkpoint) -> String {
    let stale = if checkpoint.is_stale(app.now, app.config.checkpoints.stale_hours) { ", stale" } else { "" };
    match checkpoint.age_seconds(app.now) {
        Some(seconds) => format!("{} ago{stale}", time::span_words(seconds)),
        None => format!("at an unknown time{stale}"),
    }
}
