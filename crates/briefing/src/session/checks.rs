//! Checks: what fails, how each check of the work ended last, and which commands were run.

use std::collections::HashMap;

use throughline_domain::command_line::behind_cd;
use throughline_domain::ledger::{CommandUse, ErrorSeen, Ledger};
use throughline_domain::text::one_line;

use super::gap::{Known, base_of};
use super::items::{FILL, FIRST, Item, MUST, Room, WEIGHED, line, weigh_best};
use super::part::Part;
use super::{stand, worth};
use crate::sections::verbatim;

/// Newest errors that are told.
const ERRORS_MAX: usize = 5;
/// Newest errors that are told before anything is weighed, where there is room.
const FAILING_FIRST: usize = 3;
/// After so many responses an error of a command that checks nothing is forgotten.
const ONCE_TURNS_MAX: u64 = 60;
/// Lines of an error, and how long those behind its first may be.
const ERROR_LINES_MAX: usize = 3;
const ERROR_MORE_UNITS: usize = 160;
/// Of the command that an error came from.
const FROM_UNITS: usize = 200;
const FROM_UNITS_TIGHT: usize = 50;
/// Most commands side by side while anything else wants the room: a longer list is a heap, not a hand-over.
const COMMANDS_MAX: usize = 16;
/// Most commands of the same program and verb.
const ALIKE_MAX: usize = 3;
/// A longer command is a script; its beginning says which.
const COMMAND_UNITS: usize = 400;
/// Newest commands that check the work and are told before anything is weighed.
const CHECKS_MAX: usize = 5;
const FILE_UNITS: usize = 80;
/// Of what a check said at its end.
const VERDICT_UNITS: usize = 110;

/// Errors that nothing resolved: old ones first, the one that the work stands at last.
pub(crate) fn open_errors(ledger: &Ledger) -> Vec<&ErrorSeen> {
    let is_open = |error: &&ErrorSeen| error.resolved_turn.is_none() && passed_since(error, ledger).is_none();
    let says_something =
        |error: &&ErrorSeen| error.lines.first().is_some_and(|line| !one_line(line, 2).is_empty());
    let mut open: Vec<&ErrorSeen> = ledger.errors.iter().filter(is_open).filter(says_something).collect();
    // The newest that is certain goes first, whatever else looks like a failure after it.
    if let Some(certain) = open.iter().rposition(|error| error.is_certain) {
        let certain = open.remove(certain);
        open.push(certain);
    }
    let newest = open.pop();
    let (fresh, mut open): (Vec<_>, Vec<_>) = open.into_iter().partition(|error| is_fresh(error, ledger));
    // Of an old one that may have been none nothing is told.
    open.retain(|error| error.is_certain);
    open.extend(fresh);
    open.extend(newest);
    open
}

/// The check of the same kind, by another tool, that passed after an error: what it runs is not known, so nobody says that
/// the error is still there.
pub(super) fn passed_since<'l>(error: &ErrorSeen, ledger: &'l Ledger) -> Option<&'l CommandUse> {
    let from =
        ledger.commands.iter().rfind(|command| command.normal == error.from && worth::is_check(command))?;
    let tool = |normal: &str| normal.split(' ').next().unwrap_or_default().to_owned();
    let is_other = |command: &&CommandUse| {
        command.kind == from.kind
            && command.succeeded == Some(true)
            && command.last.turn > error.place.turn
            && tool(&command.normal) != tool(&from.normal)
    };
    ledger.commands.iter().rfind(is_other)
}

/// What failed once on the way is soon of no use; a check will be run again.
fn is_fresh(error: &ErrorSeen, ledger: &Ledger) -> bool {
    let is_check = |command: &CommandUse| command.normal == error.from && worth::is_check(command);
    error.place.turn + ONCE_TURNS_MAX >= ledger.turn || ledger.commands.iter().any(is_check)
}

pub(super) fn failing(ledger: &Ledger, known: &Known, room: Room, items: &mut Vec<Item>) {
    let open = open_errors(ledger);
    for (age, error) in open.iter().rev().take(ERRORS_MAX).enumerate() {
        let Some(first) = error.lines.first() else { continue };
        if known.has_sentence(first) {
            continue;
        }
        let mut text = format!("`{}`", one_line(&error.from, room.pick(FROM_UNITS_TIGHT, FROM_UNITS)));
        if error.place.turn + ONCE_TURNS_MAX < ledger.turn {
            text.push_str(&format!(" ({} responses ago)", ledger.turn - error.place.turn));
        } else if room == Room::Ample && stand::was_edited_after(error.place.turn, ledger) {
            text.push_str(" (edited since, not run again)");
        }
        text.push_str(&format!("\n> {}", verbatim(first.trim(), room.pick(120, 240))));
        // The newest is what the work stands at; the two before it may be the same trouble under another command.
        let (tier, worth) = match age {
            0 => (MUST, 1.7),
            _ if !is_fresh(error, ledger) => (FILL, worth::OLDER_WORDS * worth::of_age(age)),
            1 => (FIRST, room.pick(0.45, 0.8)),
            2 => (room.pick(WEIGHED, FIRST), room.pick(0.1, 0.8)),
            _ => (WEIGHED, 0.1),
        };
        let order = (open.len() - age) * ERROR_LINES_MAX;
        items.push(line(Part::Failing, order, &text, tier, worth, "an error that nothing resolved"));
        if room == Room::Ample {
            items.extend(behind_error(error, order, age));
        }
    }
}

/// A test's name is no reason: where there is room, the lines behind it are told.
fn behind_error(error: &ErrorSeen, order: usize, age: usize) -> impl Iterator<Item = Item> {
    let behind = error.lines.iter().enumerate().take(ERROR_LINES_MAX).skip(1);
    behind.map(move |(at, behind)| {
        let text = format!("> {}", verbatim(behind.trim(), ERROR_MORE_UNITS));
        let tier = if age == 0 && at == 1 { WEIGHED } else { FILL };
        let worth = worth::REASON * worth::of_age(age + at - 1);
        let why = "what was said behind an error";
        Item { behind: Some(order), ..line(Part::Failing, order + at, &text, tier, worth, why) }
    })
}

/// Commands that are told word by word with their errors: to say of them again that they failed would tell nothing.
fn failing_commands<'l>(ledger: &'l Ledger, known: &Known, room: Room) -> Vec<&'l str> {
    let is_told = |error: &&&ErrorSeen| error.lines.first().is_some_and(|first| !known.has_sentence(first));
    let is_whole = |from: &&str| one_line(from, room.pick(FROM_UNITS_TIGHT, FROM_UNITS)) == **from;
    let open = open_errors(ledger);
    let newest = open.iter().rev().take(room.pick(1, FAILING_FIRST)).enumerate();
    let newest = newest.filter(|(age, error)| *age == 0 || is_fresh(error, ledger)).map(|(_, error)| error);
    newest.filter(is_told).map(|error| error.from.as_str()).filter(is_whole).collect()
}

pub(super) fn commands(ledger: &Ledger, known: &Known, room: Room, items: &mut Vec<Item>) {
    let mut newest: Vec<&CommandUse> = ledger.commands.iter().collect();
    newest.sort_by_key(|command| std::cmp::Reverse(command.last));
    let failing = failing_commands(ledger, known, room);
    let mut checks = 0;
    let mut others = Vec::new();
    let mut families: HashMap<String, usize> = HashMap::new();
    for (order, command) in newest.into_iter().enumerate() {
        // How a run ended that nobody saw, and that is not the newest, tells nothing.
        let is_check = worth::is_check(command)
            && checks < CHECKS_MAX
            && (checks == 0 || command.succeeded.is_some() || !command.result.is_empty());
        if is_check {
            checks += 1;
        }
        if failing.contains(&command.normal.as_str()) {
            continue;
        }
        let shown = format!("`{}`", verbatim(&command.normal, COMMAND_UNITS));
        if is_check {
            let outcome = outcome(command, room);
            let is_its = |error: &&ErrorSeen| error.from == command.normal && error.resolved_turn.is_none();
            let knows_failure =
                |error: &ErrorSeen| error.lines.first().is_some_and(|it| known.has_sentence(it));
            if known.has_command(&command.normal)
                && ledger.errors.iter().rfind(is_its).is_some_and(knows_failure)
            {
                continue;
            }
            // A summary that names a check seldom says how it ended.
            if known.has_command(&command.normal) && (room == Room::Tight || known.share(&outcome) > 0.75) {
                continue;
            }
            let text = format!("{shown}{outcome}{}", since(command, ledger, room));
            items.push(line(Part::Checks, order, &text, FIRST, 0.9, "a command that checks the work"));
        } else if !known.has_command(&command.normal) {
            // The newest of many that are alike show how it is done.
            let alike = families.entry(family(&command.normal)).or_default();
            *alike += 1;
            if *alike > ALIKE_MAX {
                continue;
            }
            let worth = worth::of_command(command, ledger, &shown);
            others.push(line(Part::Commands, order, &shown, WEIGHED, worth, "a command run before"));
        }
    }
    weigh_best(&mut others, COMMANDS_MAX);
    items.extend(others);
}

/// What commands of one kind have in common: the program and what it is asked for.
fn family(normal: &str) -> String {
    behind_cd(normal).split_whitespace().take(2).collect::<Vec<_>>().join(" ")
}

/// Which files were edited after a check: what it said then says nothing about them.
fn since(command: &CommandUse, ledger: &Ledger, room: Room) -> String {
    let is_newer = |turn: Option<u64>| turn.is_some_and(|edited| edited > command.last.turn);
    let edited = ledger.files.iter().filter(|file| is_newer(file.edited_turn));
    let edited: Vec<String> = edited.map(|file| verbatim(base_of(&file.path), FILE_UNITS)).collect();
    match edited.as_slice() {
        [] => String::new(),
        _ if room == Room::Tight => "; edited since".to_owned(),
        [one] => format!("; not run since {one} was edited"),
        [one, two] => format!("; not run since {one} and {two} were edited"),
        [one, two, rest @ ..] => format!("; not run since {one}, {two} and {} more were edited", rest.len()),
    }
}

fn outcome(command: &CommandUse, room: Room) -> String {
    let verdict = || {
        let says = command.result.iter().filter(|line| says_verdict(line)).map(String::as_str);
        one_line(&says.collect::<Vec<_>>().join("; "), VERDICT_UNITS)
    };
    match (command.succeeded, room) {
        (Some(true), Room::Tight) => " passed".to_owned(),
        (Some(false), Room::Tight) => " failed".to_owned(),
        (None, Room::Tight) => String::new(),
        (succeeded, Room::Ample) => {
            let word = match succeeded {
                Some(true) => " passed",
                Some(false) => " failed",
                None if command.result.is_empty() => return " (no result seen)".to_owned(),
                None => " printed",
            };
            match verdict() {
                told if told.is_empty() => word.to_owned(),
                told => format!("{word}: \"{}\"", told.replace('"', "'")),
            }
        }
    }
}

/// Whether a line says how a run ended: it has a number or a word of praise.
fn says_verdict(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    line.contains(|c: char| c.is_ascii_digit())
        || ["ok", "pass", "success", "clean", "no ", "done", "finished", "checked", "built", "complete"]
            .iter()
            .any(|it| lower.contains(it))
}
