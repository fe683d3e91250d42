//! `checkpoint diff`: what changed between two moments, or between one and now.

use std::time::Duration;

use serde_json::json;
use throughline_domain::checkpoint::{Checkpoint, Difference, difference};
use throughline_domain::text::one_line;
use throughline_engine::checkpoint::observe;
use throughline_git::{Git, TreeDiff};
use throughline_store::lock::Patience;

use super::reading::say_section;
use super::{Wanted, counted, find, on_disk, with_moment};
use crate::commands::App;
use crate::failure::Failure;
use crate::output::{self, HEAD, styled};

/// How long git may compare.
const DEADLINE: Duration = Duration::from_secs(10);

pub(super) fn run(app: &App, from: &str, to: Option<&str>, as_json: bool) -> Result<(), Failure> {
    let on_disk = on_disk(app);
    let from = on_disk.read(&find(&on_disk, from)?)?;
    let to = match to {
        Some(to) => on_disk.read(&find(&on_disk, to)?)?,
        None => present(app)?,
    };
    let told = difference(&from, &to);
    let committed = committed(app, &told);
    let blind = not_compared(&from, &to);
    if as_json {
        let names = committed.as_ref().map(names);
        return output::say_json(&json!({
            "from": from.id, "to": to.id, "difference": told, "committed": names,
            "committedCount": committed.map(|diff| diff.count), "filesCompared": blind.is_none(),
            "filesNotComparedBecause": blind,
        }));
    }
    let later = if to.id.is_empty() { "now" } else { &to.id };
    output::say(&styled(HEAD, &format!("{} → {later}", from.id)))?;
    print(&told, committed.as_ref(), blind.as_deref())
}

/// Why the files of two moments can not be compared: at one of them git did not tell.
fn not_compared(from: &Checkpoint, to: &Checkpoint) -> Option<String> {
    let moment = [from, to].into_iter().find(|it| it.git.error.is_some())?;
    let which = if moment.id.is_empty() { "now" } else { &moment.id };
    Some(one_line(&format!("git told nothing of them at {which}: {}", moment.git.error.as_ref()?), 300))
}

/// Now, as a checkpoint that nobody keeps: nothing is written, into git neither.
fn present(app: &App) -> Result<Checkpoint, Failure> {
    let wanted = Wanted { kind: "now", task: None, note: None, with_files: false };
    with_moment(app, &wanted, |moment| {
        let on_disk = on_disk(app);
        let alone = on_disk.alone(Patience::Person)?;
        let (checkpoint, _) = observe(moment, &on_disk, &alone)?;
        Ok(Checkpoint { id: String::new(), ..checkpoint })
    })
}

/// What the commits in between changed, when there are some.
fn committed(app: &App, told: &Difference) -> Option<TreeDiff> {
    let (before, after) = told.head.as_ref()?;
    Git::default().diff_trees(&app.memory.project.root, before.as_deref()?, after.as_deref()?, DEADLINE)
}

fn names(diff: &TreeDiff) -> Vec<String> {
    diff.changes.iter().map(|change| format!("{} {}", change.letter, change.path)).collect()
}

fn print(told: &Difference, committed: Option<&TreeDiff>, blind: Option<&str>) -> Result<(), Failure> {
    if let Some(why) = blind {
        output::say(&format!("files: can not be compared ({why})"))?;
    }
    if *told
        == (Difference { turns: told.turns, context_tokens: told.context_tokens, ..Difference::default() })
    {
        output::say(if blind.is_some() { "nothing else changed" } else { "nothing changed" })?;
    }
    for (label, moved) in [("commit", &told.head), ("branch", &told.branch), ("phase", &told.phase)] {
        if let Some((before, after)) = moved {
            let short = |text: &Option<String>| {
                let units = if label == "commit" { 7 } else { 80 };
                text.as_deref().map_or_else(|| "none".to_owned(), |text| text.chars().take(units).collect())
            };
            output::say(&one_line(&format!("{label}: {} → {}", short(before), short(after)), 200))?;
        }
    }
    if let Some(diff) = committed {
        say_section(
            &format!(
                "committed in between ({}):",
                counted(usize::try_from(diff.count).unwrap_or(usize::MAX), "file")
            ),
            names(diff).into_iter(),
        )?;
    }
    say_section("uncommitted files (+ new, ~ changed, - no longer):", told.files.iter().cloned())?;
    say_section("tasks:", told.tasks.iter().cloned())?;
    say_section("anchors:", told.anchors.iter().cloned())?;
    if let Some((Some(before), Some(after))) = told.context_tokens {
        output::say(&format!("context: {before} → {after} tokens"))?;
    }
    match told.turns {
        Some(1) => output::say("1 response in between"),
        Some(turns) if turns > 0 => output::say(&format!("{turns} responses in between")),
        _ => Ok(()),
    }
}
