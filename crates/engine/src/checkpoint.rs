//! Making checkpoints: what the working tree, the session and the working set are at this moment, kept once.
//!
//! Under a lock of its own: git brings a copy of its index to what the working tree holds and writes a tree from it (the
//! user's index, files and branches stay as they are); a moment with the content of the last one is not kept again; a
//! reference holds the tree; then the file is written whole, which is the commit point. A kill before it leaves a
//! reference too many, which `checkpoint prune` removes.

use std::time::Duration;

use throughline_briefing::anchors::priority_of;
use throughline_briefing::briefing::{self, Occasion};
use throughline_briefing::session::{self as session_text, Known, Reader};
use throughline_briefing::{Cap, Facts};
use throughline_domain::checkpoint::{
    CHANGED_MAX, CHECKPOINT_VERSION, Checkpoint, FileAt, Metrics, TASKS_MAX, TaskAt, TreeAt, new_id, to_prune,
};
use throughline_domain::ledger::Ledger;
use throughline_domain::text::{fingerprint, one_line};
use throughline_domain::{AnchorPriority, Entry, Kind, State, Timestamp, time};
use throughline_git::{Asking, Bounds, Git, Taken};
use throughline_redact as redact;
use throughline_store::checkpoints::{Alone, CheckpointError, Checkpoints};
use throughline_store::config::Config;
use throughline_store::lock::Patience;
use throughline_store::memory::Memory;
use throughline_store::session::SessionFacts;

use crate::session_facts::percent_of_limit;

/// The moment that is kept.
pub struct CheckpointMoment<'a> {
    /// The project's memory.
    pub memory: &'a Memory,
    /// What is configured.
    pub config: &'a Config,
    /// The working set.
    pub state: &'a State,
    /// Entries of it that nobody has trusted.
    pub untrusted: &'a [String],
    /// What the session's transcript told.
    pub ledger: Option<&'a Ledger>,
    /// The session's facts.
    pub cache: Option<&'a SessionFacts>,
    /// The working tree, of which something may be known already.
    pub git: &'a Asking,
    /// Now.
    pub now: Timestamp,
    /// What makes it.
    pub kind: &'a str,
    /// What is worked on.
    pub task: Option<&'a str>,
    /// What somebody says about it.
    pub notes: Option<&'a str>,
    /// How long others are waited for.
    pub patience: Patience,
    /// Whether the content of files is kept.
    pub with_files: bool,
}

/// What came of it.
pub enum Made {
    /// It was made.
    New(Box<Checkpoint>),
    /// Nothing changed since this one.
    Same(Box<Checkpoint>),
}

/// Makes a checkpoint, unless nothing changed since the last one and nobody has something to say about it.
pub fn make(moment: &CheckpointMoment<'_>) -> Result<Made, CheckpointError> {
    make_before(moment, &[])
}

/// The same before a restore touches files: one is made in any case, and knows them.
pub fn make_before(moment: &CheckpointMoment<'_>, touched: &[String]) -> Result<Made, CheckpointError> {
    let on_disk = Checkpoints::of(&moment.memory.project, &moment.memory.home);
    let alone = on_disk.alone(moment.patience)?;
    let (mut checkpoint, taken) = observe(moment, &on_disk, &alone)?;
    checkpoint.git.touched = touched.to_vec();
    let latest = on_disk.latest();
    if let Some(latest) = &latest
        && latest.content == checkpoint.content
        && touched.is_empty()
        && moment.notes.is_none()
    {
        return Ok(Made::Same(Box::new(latest.clone())));
    }
    let tree_before = latest.as_ref().and_then(tree_of);
    if let Some((before, after)) = tree_before.zip(checkpoint.git.tree.clone())
        && before != after
        && let Some(diff) = moment.git.diff_trees(&before, &after)
    {
        let named = diff.changes.iter().take(CHANGED_MAX);
        checkpoint.changed_since = named.map(|it| format!("{} {}", it.letter, it.path)).collect();
    }
    checkpoint.previous = latest.map(|latest| latest.id);
    // A deadline of its own: what was taken with much patience is not lost for a moment's.
    let deadline = Duration::from_millis(moment.config.git.deadline_ms);
    // The tree first: a file that promises one that git may collect would be worse than a reference too many.
    if (taken.is_dirty() || !touched.is_empty())
        && let Some(tree) = checkpoint.git.tree.clone()
        && let Err(why) =
            Git::default().keep_tree(&moment.memory.project.work, &checkpoint.id, &tree, deadline)
    {
        checkpoint.git.tree = None;
        checkpoint.git.error = Some(why);
    }
    on_disk.write(&alone, &checkpoint)?;
    make_room(moment, &on_disk, &alone, &checkpoint.id)?;
    Ok(Made::New(Box::new(checkpoint)))
}

/// The moment as a checkpoint that is not written, and the working tree that it tells of.
pub fn observe(
    moment: &CheckpointMoment<'_>,
    on_disk: &Checkpoints,
    alone: &Alone,
) -> Result<(Checkpoint, Taken), CheckpointError> {
    let taken = take(moment, on_disk, alone)?;
    let state = vouched(moment);
    let needed = |entry: &&Entry| priority_of(entry) != AnchorPriority::Normal;
    let mut checkpoint = Checkpoint {
        version: CHECKPOINT_VERSION.to_owned(),
        created_at: time::iso(moment.now),
        kind: one_line(moment.kind, 40),
        session: moment.cache.map(|cache| cache.session.clone()).filter(|session| !session.is_empty()),
        phase: state.sd.phase.clone().or_else(|| state.workflow.current_phase.clone()),
        task: moment.task.map(|task| one_line(&redact::text(task), 300)),
        notes: moment.notes.map(|notes| throughline_domain::text::shorten(&redact::text(notes), 2_000)),
        work: state.sd.clone(),
        git: tree_at(&taken),
        tasks: moment.ledger.map(tasks).unwrap_or_default(),
        anchors: state.entries(Kind::Anchor).iter().filter(needed).map(Entry::to_json).collect(),
        metrics: metrics(moment),
        briefing: briefing_text(moment),
        ..Checkpoint::default()
    };
    let recorded: String = state.all_entries().map(|entry| entry.to_json().to_string()).collect();
    let said = moment.ledger.and_then(|ledger| ledger.said.last());
    let said = said.map_or_else(String::new, |word| format!("{} {}", word.place.turn, word.text));
    checkpoint.content = checkpoint.content_of(&recorded, &said);
    let salt = format!("{}{}{}", checkpoint.content, moment.now.as_nanosecond(), std::process::id());
    checkpoint.id = new_id(moment.now, fingerprint(salt.as_bytes()));
    Ok((checkpoint, taken))
}

fn take(
    moment: &CheckpointMoment<'_>,
    on_disk: &Checkpoints,
    alone: &Alone,
) -> Result<Taken, CheckpointError> {
    let rules = &moment.config.checkpoints;
    let index = throughline_git::index_file(&moment.memory.project.work);
    let scratch = on_disk.scratch(alone, index.as_deref())?;
    let bounds = Bounds {
        files_max: rules.files,
        file_bytes_max: rules.file_bytes,
        total_bytes_max: rules.total_bytes,
        with_content: moment.with_files && rules.keep_files,
    };
    Ok(moment.git.take(&scratch.index.shown(), &bounds))
}

/// The tree that git can compare with: the one that was kept, or the commit where nothing differed from it.
#[must_use]
pub fn tree_of(checkpoint: &Checkpoint) -> Option<String> {
    let git = &checkpoint.git;
    let is_clean = git.files.is_empty() && git.left_out_count == 0 && git.error.is_none();
    git.tree.clone().or_else(|| git.head.clone().filter(|_| is_clean))
}

fn tree_at(taken: &Taken) -> TreeAt {
    TreeAt {
        head: taken.head.clone(),
        branch: taken.branch.clone(),
        files: taken
            .files
            .iter()
            .map(|it| FileAt { path: it.path.clone(), change: it.letter.to_string(), hash: it.hash.clone() })
            .collect(),
        left_out: taken.left_out.clone(),
        left_out_count: taken.left_out_count,
        tree: taken.tree.clone(),
        touched: Vec::new(),
        error: taken.error.clone(),
    }
}

fn vouched(moment: &CheckpointMoment<'_>) -> State {
    Facts { untrusted: moment.untrusted, ..Facts::default() }.vouched(moment.state)
}

/// Open tasks first: where there are too many, finished ones are left out.
fn tasks(ledger: &Ledger) -> Vec<TaskAt> {
    let mut all: Vec<_> = ledger.tasks.iter().filter(|task| task.status != "deleted").collect();
    all.sort_by_key(|task| !task.is_open());
    all.truncate(TASKS_MAX);
    all.sort_by_key(|task| task.created);
    let at = |task: &&throughline_domain::ledger::Task| TaskAt {
        id: task.id.clone(),
        subject: one_line(&task.subject, 300),
        status: task.status.clone(),
    };
    all.iter().map(at).collect()
}

fn metrics(moment: &CheckpointMoment<'_>) -> Metrics {
    let context_tokens = moment.ledger.and_then(|ledger| ledger.context_tokens);
    Metrics {
        context_tokens,
        context_percent: moment.cache.zip(context_tokens).map(|(cache, used)| percent_of_limit(cache, used)),
        turns: moment.ledger.map(|ledger| ledger.turn),
        tool_executions: moment.state.workflow.tool_executions,
    }
}

fn briefing_text(moment: &CheckpointMoment<'_>) -> String {
    let facts = Facts { untrusted: moment.untrusted, ..Facts::default() };
    let cap = Cap::tokens(moment.config.briefing.tokens);
    let told = moment.ledger.filter(|ledger| ledger.turn > 0).and_then(|ledger| {
        session_text::render(moment.state, &facts, ledger, &Known::nothing(), Reader::Started, cap)
    });
    let occasion = Occasion::Started { idle_seconds: 0 };
    let chosen = told.or_else(|| briefing::render(moment.state, &facts, &occasion, cap));
    chosen.map(|chosen| chosen.text).unwrap_or_default()
}

/// Removes the oldest that nobody marked, where there are too many.
fn make_room(
    moment: &CheckpointMoment<'_>,
    on_disk: &Checkpoints,
    alone: &Alone,
    made: &str,
) -> Result<(), CheckpointError> {
    if on_disk.own_ids().len() <= moment.config.checkpoints.max {
        return Ok(());
    }
    // What cannot be read cannot be told to be unmarked: it stays until somebody removes it.
    // What came with a clone is not ours to remove.
    let all: Vec<(String, bool)> = on_disk.own().into_iter().map(|it| (it.id, it.kept)).collect();
    remove(moment.memory, on_disk, alone, &to_prune(&all, moment.config.checkpoints.max, Some(made)))
        .map(drop)
}

/// Removes checkpoints, then the references that kept their files. A reference that stays is removed by `prune`.
pub fn remove(
    memory: &Memory,
    on_disk: &Checkpoints,
    alone: &Alone,
    ids: &[String],
) -> Result<Option<String>, CheckpointError> {
    let has_reference = |git: &TreeAt| git.tree != git.head || !git.touched.is_empty();
    let kept_files = ids.iter().filter(|id| on_disk.read(id).is_ok_and(|it| has_reference(&it.git)));
    let names: Vec<String> = kept_files.cloned().collect();
    on_disk.remove(alone, ids)?;
    Ok(Git::default().forget_trees(&memory.project.root, &names).err())
}
