//! Which agents are meant: those that were named, or those that are on this machine.

use throughline_agents::agent::USUAL;
use throughline_agents::setup::{SETUPS, Setup};
use throughline_engine::place::Place;

use super::places::client_folder;
use super::table;
use crate::commands::App;
use crate::failure::Failure;
use crate::output;
use crate::program;

/// One word of `--agent`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Choice {
    /// `all`.
    All,
    /// A name.
    One(&'static Setup),
}

/// Reads one word of `--agent`.
pub(crate) fn parse(word: &str) -> Result<Choice, String> {
    let word = word.trim().to_ascii_lowercase();
    if word == "all" {
        return Ok(Choice::All);
    }
    Setup::named(&word).map(Choice::One).ok_or_else(|| {
        let names: Vec<&str> = SETUPS.iter().map(|setup| setup.id).collect();
        format!("one or more of {} (with commas between them), or all", names.join(", "))
    })
}

/// The agents that `init` sets up: the usual one where none was named.
pub(in crate::commands) fn to_set_up(app: &App, choices: &[Choice]) -> Result<Vec<&'static Setup>, Failure> {
    let mut chosen = named(choices, |setup| sign(&app.place, setup).is_some());
    if chosen.is_empty() && !choices.is_empty() {
        let programs: Vec<&str> = SETUPS.iter().map(|setup| setup.program).collect();
        return Err(Failure::new("no agent was found on this machine").hint(format!(
            "none of {} is on the path; name the ones you want: --agent codex",
            programs.join(", ")
        )));
    }
    for setup in &chosen {
        let is_named = choices.iter().any(|choice| matches!(choice, Choice::One(one) if one.id == setup.id));
        if is_named && setup.files.is_some() && sign(&app.place, setup).is_none() {
            output::remark(&format!(
                "`{}` was not found on the path; {} is set up all the same",
                setup.program, setup.title
            ));
        }
    }
    if chosen.is_empty() {
        chosen.extend(Setup::of(USUAL));
    }
    Ok(chosen)
}

/// The agents that `uninstall` leaves: the usual one where none was named.
pub(in crate::commands) fn to_leave(app: &App, choices: &[Choice]) -> Vec<&'static Setup> {
    let mut chosen = named(choices, |setup| setup.files.is_none() || table::is_set_up(app, setup));
    if chosen.is_empty() {
        chosen.extend(Setup::of(USUAL));
    }
    chosen
}

/// In the order of the table, each once.
fn named(choices: &[Choice], is_in_all: impl Fn(&'static Setup) -> bool) -> Vec<&'static Setup> {
    let is_meant = |setup: &&'static Setup| {
        choices.iter().any(|choice| match choice {
            Choice::All => is_in_all(setup),
            Choice::One(one) => one.id == setup.id,
        })
    };
    SETUPS.into_iter().filter(is_meant).collect()
}

/// By what an agent is known to be on this machine.
pub(in crate::commands) fn sign(place: &Place, setup: &Setup) -> Option<String> {
    if let Some(program) = program::on_path(setup.program).into_iter().next() {
        return Some(program.display().to_string());
    }
    client_folder(place, setup).filter(|folder| folder.is_dir()).map(|folder| folder.display().to_string())
}

/// After a plain `init`: which other agents are here, and what it takes to add them.
pub(in crate::commands) fn tell_others(app: &App) -> Result<(), Failure> {
    let others = SETUPS.into_iter().filter(|setup| setup.files.is_some() && !table::is_set_up(app, setup));
    let found: Vec<(&Setup, String)> =
        others.filter_map(|setup| Some((setup, sign(&app.place, setup)?))).collect();
    if found.is_empty() {
        return Ok(());
    }
    let titles: Vec<String> = found.iter().map(|(setup, sign)| format!("{} ({sign})", setup.title)).collect();
    let ids: Vec<&str> = found.iter().map(|(setup, _)| setup.id).collect();
    output::say(&format!(
        "also on this machine: {}; they share this memory after `throughline init --agent {}`",
        titles.join(", "),
        ids.join(",")
    ))
}
