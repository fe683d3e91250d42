//! Forgetting words, for a person: what holds them is shown and asked about, and where they are left is told.

use serde_json::json;
use throughline_engine::forget::words::{Forgetting, Occurrences};
use throughline_store::door::Spot;

use super::{Args, is_confirmed, report};
use crate::commands::App;
use crate::failure::Failure;
use crate::output;

pub(super) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let at_hand = app.at_hand();
    let work = Forgetting::of(&at_hand, &args.words)?;
    let found = work.found(&app.state()?)?;
    tell(&found, args.dry_run)?;
    if args.dry_run {
        return Ok(());
    }
    if !found.is_empty() && !args.yes && !is_confirmed("Forget it?")? {
        return Err(Failure::new("nothing was forgotten").hint("add --yes to forget without being asked"));
    }
    let mut left = work.run(output::warn)?;
    // The agent's own files: said, not touched.
    for path in work.transcripts() {
        output::say(&format!("not ours, and not touched: {}", json!(path)))?;
    }
    report::name_objects(&app.memory.project.root, found.checkpoints.len() as u64)?;
    if left.holding.is_empty() && !left.damaged.is_empty() {
        return Err(report::all_but(&left.damaged));
    }
    if left.holding.is_empty() {
        return output::say(
            "forgotten: the words are found nowhere any more, in the data folder or in our files here",
        );
    }
    let others = work.other_projects()?;
    left.holding.extend(left.damaged);
    let names: Vec<String> = left.holding.iter().map(Spot::display).collect();
    let failure = Failure::new(format!("the words are still in {}", names.join(", ")));
    Err(if others.is_empty() {
        failure.hint("run it again when no session is at work; remove by hand what is not ours")
    } else {
        failure.hint(format!("other projects hold them too; run it there: {}", others.join(", ")))
    })
}

fn tell(found: &Occurrences, is_trial: bool) -> Result<(), Failure> {
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
