//! Checkpoints: whether every file can be read, and whether git holds what they promise and nothing else.

use throughline_git::Git;
use throughline_store::checkpoints::Checkpoints;

use super::Check;
use super::context::{Context, counted};
use crate::commands::checkpoint::stray_references;

const NAME: &str = "checkpoints";

pub(super) fn check(context: &Context) -> Vec<Check> {
    let on_disk = Checkpoints::of(&context.memory.project, &context.place.home);
    let (all, problems) = on_disk.all();
    if let Some(problem) = problems.first() {
        let what = format!("{} can not be read: {problem}", counted(problems.len() as u64, "file", "files"));
        return vec![Check::warn(NAME, what, "remove the file if you need nothing of it; the others work")];
    }
    let root = &context.memory.project.root;
    let stray = stray_references(&context.memory, &on_disk);
    if !stray.is_empty() {
        let what = format!(
            "git holds {} without a checkpoint",
            counted(stray.len() as u64, "reference", "references")
        );
        return vec![Check::warn(NAME, what, "run throughline checkpoint prune")];
    }
    let kept = Git::default().kept_trees(root).unwrap_or_default();
    let lost = all.iter().filter(|it| {
        let promises = it.git.tree.is_some() && it.git.tree != it.git.head;
        promises && !kept.contains(&it.id)
    });
    let lost = lost.count() as u64;
    if lost > 0 {
        let what = format!("git no longer holds the files of {}", counted(lost, "checkpoint", "checkpoints"));
        return vec![Check::warn(
            NAME,
            what,
            "their briefings are still there; remove them when you need neither",
        )];
    }
    let Some(newest) = all.last() else {
        return vec![Check::skip(
            NAME,
            "none yet; the first comes with a task's end, a commit or a compaction",
        )];
    };
    let seconds = newest.age_seconds(context.now).unwrap_or(0);
    let age = throughline_domain::time::span_words(seconds);
    vec![Check::ok(
        NAME,
        format!("{} of {} at most, the newest {age} old", all.len(), context.config.checkpoints.max),
    )]
}
