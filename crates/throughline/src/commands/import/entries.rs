//! Importing a working set: entries out of another state file, an export of one, or an iDumb state.

use throughline_domain::State;
use throughline_engine::bundle::adopt::{adopt, left_out};
use throughline_store::archive::Taking;

use crate::commands::App;
use crate::failure::Failure;
use crate::output;

/// Adds the entries of a state, as text.
pub(super) fn run(app: &App, name: &str, bytes: Vec<u8>, is_trial: bool) -> Result<(), Failure> {
    let text = String::from_utf8(bytes).map_err(|_| Failure::new(format!("{name} is not UTF-8 text")))?;
    let (incoming, problems) = State::read(&text).map_err(|unreadable| {
        Failure::new(format!("could not read {name}: {unreadable}"))
            .hint("import takes a state file, the output of `throughline export`, or iDumb's state.json")
    })?;
    let seen = incoming.all_entries().count();
    if is_trial {
        return output::say(&format!(
            "would be taken from {name}: {seen} entries, those that are here already once"
        ));
    }
    let new = take(app, &incoming, &[], &Taking::default())?;
    for problem in &problems {
        output::warn(&format!("{problem}; nothing was dropped"));
    }
    output::say(&format!("{new} of {seen} entries imported from {name}"))
}

/// Adopts the entries of a state; those that are named in `quoted` were never trusted, and are quoted here too. Gives how many
/// are new.
pub(super) fn take(app: &App, incoming: &State, quoted: &[String], rows: &Taking) -> Result<usize, Failure> {
    let before = app.state()?.all_entries().count();
    let by = app.author().origin;
    let changed = app.change(|draft| {
        adopt(draft, incoming, quoted, rows, by);
        Ok(())
    })?;
    let left_out = left_out(incoming, by);
    if left_out > 0 {
        output::warn(&format!(
            "{left_out} directives were left out: they are the user's words, and an agent imports"
        ));
    }
    let now = changed.state.all_entries().count() + changed.evicted.len();
    Ok(now.saturating_sub(before))
}
