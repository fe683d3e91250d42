//! A checkpoint: where the work stood at a moment, and how two such moments differ.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::state::WorkItem;
use crate::text::fingerprint;
use crate::{Timestamp, time};

/// The form that is written.
pub const CHECKPOINT_VERSION: &str = "1.0.0";
/// Most tasks that are kept.
pub const TASKS_MAX: usize = 50;
/// Most names of files that changed since the checkpoint before.
pub const CHANGED_MAX: usize = 100;

/// Where the work stood.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Checkpoint {
    /// [`CHECKPOINT_VERSION`].
    pub version: String,
    /// Its name: a time and a few digits. No text of anybody's is in it.
    pub id: String,
    /// When, as written.
    pub created_at: String,
    /// What made it: `manual`, `task`, `commit`, `branch`, `phase`, `threshold`, `precompact`, `restore`, or another word.
    #[serde(rename = "type")]
    pub kind: String,
    /// The session, where one is at hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The work item's phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// The task that just ended, or that somebody named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Somebody's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Marked: never removed to make room.
    pub kept: bool,
    /// What is being worked on.
    pub work: WorkItem,
    /// The working tree.
    pub git: TreeAt,
    /// The session's tasks.
    pub tasks: Vec<TaskAt>,
    /// Critical and high anchors, as the state file holds them.
    pub anchors: Vec<Value>,
    /// How full the context was, how far the session.
    pub metrics: Metrics,
    /// The checkpoint before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
    /// Files that changed since the checkpoint before, as git tells it (`M src/main.rs`); bounded.
    pub changed_since: Vec<String>,
    /// What the agent would have been told.
    pub briefing: String,
    /// What the moment consists of, as a fingerprint: two checkpoints with the same one say the same.
    pub content: String,
    /// Not made on this machine, or changed since: told by whoever read it, never by the file.
    #[serde(skip)]
    pub is_foreign: bool,
    /// Fields written by others.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The working tree at a checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TreeAt {
    /// The commit that was checked out.
    pub head: Option<String>,
    /// The branch.
    pub branch: Option<String>,
    /// Files that differ from the commit.
    pub files: Vec<FileAt>,
    /// The first files that were too many, too large or not readable.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// How many of them there are in all.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out_count: u64,
    /// The whole working tree in git objects, when it was kept there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// Files that a restore was about to touch, committed ones too (`A`: it adds them); whoever restores this, undoes it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub touched: Vec<String>,
    /// Why something is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A file that differs from the commit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileAt {
    /// From the repository's top.
    pub path: String,
    /// `A`, `M`, `D` or `T`.
    pub change: String,
    /// The id of its content; none for a deleted file, and where it could not be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

/// A task at a checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskAt {
    /// The client's id; empty for a row of a list.
    pub id: String,
    /// What it is about.
    pub subject: String,
    /// `pending`, `in_progress`, `completed`…
    pub status: String,
}

/// Numbers at a checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Metrics {
    /// Tokens in the context.
    pub context_tokens: Option<u64>,
    /// How much of the way to the compaction is used up, in per cent.
    pub context_percent: Option<u64>,
    /// Responses of the model.
    pub turns: Option<u64>,
    /// Tool calls.
    pub tool_executions: Option<u64>,
}

impl Checkpoint {
    /// The fingerprint of everything that makes it another one: files, tasks, anchors, work item, entries (`recorded`),
    /// and what the user last said. Not the time, not how full the context was.
    #[must_use]
    pub fn content_of(&self, recorded: &str, last_said: &str) -> String {
        let parts = serde_json::json!([
            self.git.head,
            self.git.branch,
            self.git.files,
            self.git.left_out,
            self.git.left_out_count,
            self.tasks,
            self.anchors,
            self.work,
            recorded,
            last_said,
        ]);
        format!("{:016x}", fingerprint(parts.to_string().as_bytes()))
    }

    /// Seconds since it was made; `None` when it does not say when that was.
    #[must_use]
    pub fn age_seconds(&self, now: Timestamp) -> Option<u64> {
        time::parse(&self.created_at).map(|then| time::seconds_between(then, now))
    }

    /// Whether it is older than so many hours: the work has moved on since, most likely.
    ///
    /// ```
    /// use throughline_domain::{checkpoint::Checkpoint, time};
    /// let at = |written: &str| Checkpoint { created_at: written.to_owned(), ..Checkpoint::default() };
    /// let now = time::parse("2026-01-28T15:30:00Z").unwrap();
    /// assert!(!at("2026-01-26T15:30:00Z").is_stale(now, 48));
    /// assert!(at("2026-01-26T15:29:59Z").is_stale(now, 48));
    /// ```
    #[must_use]
    pub fn is_stale(&self, now: Timestamp, hours: u64) -> bool {
        self.age_seconds(now).is_none_or(|seconds| seconds > hours.saturating_mul(3_600))
    }

    /// Tasks that are not over.
    #[must_use]
    pub fn open_tasks(&self) -> usize {
        self.tasks.iter().filter(|task| matches!(task.status.as_str(), "pending" | "in_progress")).count()
    }
}

/// A name for a checkpoint: the moment, and digits that tell two of one millisecond apart.
///
/// ```
/// use throughline_domain::{checkpoint::{is_id, new_id}, time};
/// let id = new_id(time::parse("2026-01-26T15:30:07.5Z").unwrap(), 0xfeed);
/// assert_eq!(id, "20260126-153007500-feed");
/// assert!(is_id(&id) && !is_id("../20260126-153007-feed") && !is_id("checkpoint-phase-1"));
/// ```
#[must_use]
pub fn new_id(now: Timestamp, salt: u64) -> String {
    let digits: String = time::iso(now).chars().filter(char::is_ascii_digit).take(17).collect();
    let (day, clock) = digits.split_at(digits.len().min(8));
    format!("{day}-{clock}-{:04x}", salt & 0xffff)
}

/// Whether a text is a name that [`new_id`] gives.
#[must_use]
pub fn is_id(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [day, clock, salt] = parts.as_slice() else { return false };
    let digits = |part: &str, count| part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit());
    digits(day, 8)
        && digits(clock, 9)
        && salt.len() == 4
        && salt.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Those of these checkpoints (oldest first) that have to go so that `count_max` are left: the oldest that nobody marked.
///
/// The one that was just `made` stays, whatever else is marked. It need not be the last: where a clock ran ahead there are
/// names from the future, and each new one would go at once in their stead.
#[must_use]
pub fn to_prune(all: &[(String, bool)], count_max: usize, made: Option<&str>) -> Vec<String> {
    let over = all.len().saturating_sub(count_max.max(1));
    let newest = made.or_else(|| all.last().map(|(id, _)| id.as_str()));
    let others = all.iter().filter(|(id, kept)| !kept && Some(id.as_str()) != newest);
    others.take(over).map(|(id, _)| id.clone()).collect()
}

/// How one checkpoint (or the present) differs from an earlier one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// Another commit: the old and the new one.
    pub head: Option<(Option<String>, Option<String>)>,
    /// Another branch.
    pub branch: Option<(Option<String>, Option<String>)>,
    /// Another phase.
    pub phase: Option<(Option<String>, Option<String>)>,
    /// Uncommitted files that are new, changed or no longer uncommitted: `+ path`, `~ path`, `- path`.
    pub files: Vec<String>,
    /// Tasks that are new, changed or gone.
    pub tasks: Vec<String>,
    /// Anchors that are new or gone.
    pub anchors: Vec<String>,
    /// Tokens in the context, before and after.
    pub context_tokens: Option<(Option<u64>, Option<u64>)>,
    /// Responses of the model in between, within one session.
    pub turns: Option<u64>,
}

/// What differs between an earlier checkpoint and a later one.
#[must_use]
pub fn difference(from: &Checkpoint, to: &Checkpoint) -> Difference {
    let moved = |left: &Option<String>, right: &Option<String>| {
        (left != right).then(|| (left.clone(), right.clone()))
    };
    let of_one_session = from.session.is_some() && from.session == to.session;
    let (before, after) = (&from.metrics, &to.metrics);
    Difference {
        head: moved(&from.git.head, &to.git.head),
        branch: moved(&from.git.branch, &to.git.branch),
        phase: moved(&from.phase, &to.phase),
        files: changes(
            &from.git.files,
            &to.git.files,
            |file| file.path.clone(),
            |file| format!("{} {}", file.change, file.path),
        ),
        tasks: changes(
            &from.tasks,
            &to.tasks,
            |task| format!("{}\0{}", task.id, task.subject),
            |task| format!("{} ({})", task.subject, task.status),
        ),
        anchors: changes(&from.anchors, &to.anchors, anchor_key, anchor_words),
        context_tokens: (before.context_tokens != after.context_tokens)
            .then_some((before.context_tokens, after.context_tokens)),
        turns: after.turns.zip(before.turns).filter(|_| of_one_session).map(|(a, b)| a.saturating_sub(b)),
    }
}

fn anchor_key(anchor: &Value) -> String {
    anchor.get("id").map(ToString::to_string).unwrap_or_default()
}

fn anchor_words(anchor: &Value) -> String {
    let text = |key: &str| anchor.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    format!("{}: {}", text("id"), text("content"))
}

/// `+` new, `~` changed, `-` gone; in the order of the later list, what is gone last.
fn changes<T: PartialEq>(
    from: &[T],
    to: &[T],
    key: impl Fn(&T) -> String,
    words: impl Fn(&T) -> String,
) -> Vec<String> {
    let mut lines = Vec::new();
    for item in to {
        match from.iter().find(|old| key(old) == key(item)) {
            None => lines.push(format!("+ {}", words(item))),
            Some(old) if old != item => lines.push(format!("~ {}", words(item))),
            Some(_) => {}
        }
    }
    let gone = from.iter().filter(|old| !to.iter().any(|item| key(item) == key(old)));
    lines.extend(gone.map(|old| format!("- {}", words(old))));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(list: &[(&str, bool)]) -> Vec<(String, bool)> {
        list.iter().map(|(id, kept)| ((*id).to_owned(), *kept)).collect()
    }

    #[test]
    fn the_oldest_that_nobody_marked_makes_room_and_never_more_than_needed() {
        let all = marked(&[("a", true), ("b", false), ("c", false), ("d", false)]);
        assert_eq!(to_prune(&all, 4, None), Vec::<String>::new());
        assert_eq!(to_prune(&all, 3, None), ["b"]);
        assert_eq!(to_prune(&all, 2, None), ["b", "c"]);
        assert_eq!(to_prune(&all, 0, None), ["b", "c"], "the newest stays");
        assert_eq!(
            to_prune(&marked(&[("a", true), ("b", true), ("c", false)]), 2, None),
            Vec::<String>::new()
        );
        assert_eq!(to_prune(&[], 50, None), Vec::<String>::new());
    }

    #[test]
    fn what_was_just_made_stays_though_others_are_from_the_future() {
        let all = marked(&[("2026", false), ("2031", false), ("2032", false)]);
        assert_eq!(to_prune(&all, 2, Some("2026")), ["2031"]);
        assert_eq!(to_prune(&all, 1, Some("2026")), ["2031", "2032"]);
        assert_eq!(to_prune(&all, 2, None), ["2026"]);
    }

    #[test]
    fn only_what_differs_is_told() {
        let file = |path: &str, hash: &str| FileAt {
            path: path.to_owned(),
            change: "M".to_owned(),
            hash: Some(hash.to_owned()),
        };
        let task = |subject: &str, status: &str| TaskAt {
            id: "1".to_owned(),
            subject: subject.to_owned(),
            status: status.to_owned(),
        };
        let mut from = Checkpoint { session: Some("s".to_owned()), ..Checkpoint::default() };
        from.git.files = vec![file("a", "1"), file("b", "1")];
        from.tasks = vec![task("parse", "in_progress")];
        from.metrics.turns = Some(3);
        let mut to = from.clone();
        assert_eq!(difference(&from, &to), Difference { turns: Some(0), ..Difference::default() });
        to.git.files = vec![file("b", "2"), file("c", "1")];
        to.tasks = vec![task("parse", "completed")];
        to.phase = Some("phase-2".to_owned());
        to.metrics.turns = Some(10);
        let told = difference(&from, &to);
        assert_eq!(told.files, ["~ M b", "+ M c", "- M a"]);
        assert_eq!(told.tasks, ["~ parse (completed)"]);
        assert_eq!(told.phase, Some((None, Some("phase-2".to_owned()))));
        assert_eq!((told.turns, told.head), (Some(7), None));
    }
}
