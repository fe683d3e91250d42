//! `recall fix`: an error that came before, and what was done between it and the success of the same command.

use serde_json::{Value, json};
use throughline_capture::passages::{command_of, makes_good};
use throughline_domain::text::one_line;
use throughline_recall::cases::{self, Alike, CaseRank};
use throughline_recall::error_form;
use throughline_recall::weights::{COMPARED_MAX, CONCLUSION_BEHIND_MAX, CURE_BEHIND_MAX, PASTED_LINES_MAX};
use throughline_recall::{CommandOutcome, Found, PassageKind, Placed, Question, Scope};

use super::{Desk, ask, page};
use crate::failure::Failure;
use crate::output::{self, DIM, GOOD, HINT, WARN, styled};
use crate::quoting::{self, FOUND};

/// Of what was done between: most files, commands and sentences that are told.
const EDITS_MAX: usize = 8;
const COMMANDS_MAX: usize = 6;
const SENTENCE_UNITS: usize = 400;

/// Find how an error was solved before
///
/// Numbers, addresses and folders are not compared. What is told is what was done between the error and the success of
/// the same command; that it was the cure is for you to judge.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throughline recall fix \"error[E0425]: cannot find value `total` in this scope\"
  cargo test 2>&1 | throughline recall fix -        # the error from a pipe
  throughline recall fix \"ECONNREFUSED 127.0.0.1:5432\" --project .")]
pub(super) struct Args {
    /// The error's words; `-` reads them from standard input
    #[arg(required = true, value_name = "ERROR")]
    error: Vec<String>,
    /// Most answers
    #[arg(long, value_name = "N", default_value_t = 4)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// An error of the past, and how it ended.
struct Case {
    found: Found,
    alike: Alike,
    cure: Option<Cure>,
}

/// What was done until the same command succeeded.
#[derive(Debug, Default)]
struct Cure {
    edits: Vec<String>,
    commands: Vec<String>,
    /// What the agent said of it last before the success, and first after it.
    said: Vec<String>,
    success: u64,
    turn: u64,
}

pub(super) fn run(desk: &Desk<'_>, args: &Args) -> Result<(), Failure> {
    let typed = typed(&args.error)?;
    let cases = cases(desk, &typed, args.limit)?;
    if args.json {
        let rows: Vec<Value> = cases.iter().map(as_json).collect();
        return output::say_json(&json!({ "error": one_line(&typed, 1_000), "cases": rows }));
    }
    if cases.is_empty() {
        output::remark(
            "no failed command or tool said this before; `throughline recall <words of it>` searches what was said",
        );
        desk.remark_left();
        return Ok(());
    }
    quoting::say(&FOUND, &cases.iter().flat_map(shown).collect::<Vec<String>>())?;
    desk.remark_left();
    Ok(())
}

fn typed(words: &[String]) -> Result<String, Failure> {
    /// Of a pasted log.
    const BYTES_MAX: u64 = throughline_domain::limits::PASTED_BYTES_MAX;
    if words != ["-"] {
        return Ok(words.join(" "));
    }
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut std::io::Read::take(std::io::stdin(), BYTES_MAX), &mut bytes)
        .map_err(|error| Failure::new(format!("could not read standard input: {error}")))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    // Of a whole log the lines that tell.
    Ok(throughline_capture::passages::telling(&text).join("\n"))
}

fn cases(desk: &Desk<'_>, typed: &str, limit: usize) -> Result<Vec<Case>, Failure> {
    let wanted = error_form::forms(&telling_line(desk, typed)?);
    let all = error_form::forms(typed);
    let question = cases::question(&wanted, &all);
    if question.is_empty() {
        return Err(Failure::new("there is no word in this error to look for")
            .hint("give the line that names it, such as \"error[E0425]: cannot find value\""));
    }
    let scope = Scope { kinds: vec![PassageKind::Error], projects: ask::projects(desk)?, ..Scope::default() };
    let asked = desk.store.ask(&question)?;
    let mut cases = Vec::new();
    for found in desk.store.search(&asked, &scope, &desk.taste(), COMPARED_MAX)? {
        if let Some(alike) = Alike::of(&wanted, &error_form::forms(&found.text)) {
            let cure = cure(desk, &found)?;
            cases.push(Case { found, alike, cure });
        }
    }
    let rank = |case: &Case| CaseRank {
        alike: case.alike,
        is_solved: case.cure.is_some(),
        at_s: case.found.head.at_s,
    };
    Ok(cases::best_first(cases, rank, limit))
}

/// The line that says which error it is. What stands below every failed build (`FAIL`, `could not compile`) consists of
/// words that many errors share.
fn telling_line(desk: &Desk<'_>, typed: &str) -> Result<String, Failure> {
    let mut best = (0.0, typed);
    for line in typed.lines().take(PASTED_LINES_MAX) {
        let forms = error_form::forms(line);
        let question = Question::of_forms(&forms.iter().map(String::as_str).collect::<Vec<&str>>());
        let worth = cases::telling(&question, &desk.store.ask(&question)?.judge);
        if worth > best.0 {
            best = (worth, line);
        }
    }
    Ok(best.1.to_owned())
}

fn cure(desk: &Desk<'_>, found: &Found) -> Result<Option<Cure>, Failure> {
    let failed = command_of(&found.text);
    let behind = desk.store.around(found.id, 0, CURE_BEHIND_MAX)?;
    let behind = behind.get(1..).unwrap_or_default();
    let is_success = |placed: &Placed| {
        placed.head.outcome == CommandOutcome::Succeeded && makes_good(command_of(&placed.text), failed)
    };
    let Some(at) = behind.iter().position(is_success) else { return Ok(None) };
    let mut cure = Cure { success: behind[at].id, turn: behind[at].head.turn, ..Cure::default() };
    for placed in &behind[..at] {
        let text = &placed.text;
        match placed.head.kind {
            PassageKind::Edit if !cure.edits.contains(text) => cure.edits.push(text.clone()),
            PassageKind::Command => cure.commands.push(one_line(command_of(text), 160)),
            _ => {}
        }
    }
    let said = |placed: &&Placed| placed.head.kind == PassageKind::Assistant && !placed.head.is_sidechain;
    let before = behind[..at].iter().rev().find(said);
    let after = behind[at + 1..].iter().take(CONCLUSION_BEHIND_MAX).find(said);
    cure.said.extend(before.into_iter().chain(after).map(|placed| one_line(&placed.text, SENTENCE_UNITS)));
    Ok(Some(cure))
}

fn shown(case: &Case) -> Vec<String> {
    let found = &case.found;
    let ended =
        if case.cure.is_some() { styled(GOOD, "solved") } else { styled(WARN, "no success seen after it") };
    let about = format!(
        "{}, turn {}, {} ({})",
        page::moment(found.head.at_s),
        found.head.turn,
        page::project_name(&found.session.project),
        page::short_session(&found.session.session),
    );
    let mut lines =
        vec![format!("{}  {ended}, {}", styled(HINT, &format!("p{}", found.id)), styled(DIM, &about))];
    lines.extend(page::quoted(&found.text, 5));
    let Some(cure) = &case.cure else { return lines };
    let list = |what: &str, all: &[String], most: usize| {
        let told: Vec<String> = all.iter().rev().take(most).rev().map(|it| one_line(it, 200)).collect();
        let left = all.len().saturating_sub(most);
        let more = if left > 0 { format!(" (and {left} before)") } else { String::new() };
        (!told.is_empty()).then(|| format!("  {what}: {}{more}", told.join("; ")))
    };
    lines.extend(list("changed", &cure.edits, EDITS_MAX));
    lines.extend(list("ran", &cure.commands, COMMANDS_MAX));
    lines.extend(cure.said.iter().map(|said| format!("  said: {said}")));
    lines.push(styled(DIM, &format!("  succeeded in turn {} (p{})", cure.turn, cure.success)));
    lines
}

fn as_json(case: &Case) -> Value {
    let found = &case.found;
    json!({
        "id": format!("p{}", found.id),
        "session": found.session.session,
        "project": found.session.project,
        "turn": found.head.turn,
        "at": page::iso(found.head.at_s),
        "likeness": (case.alike.likeness * 100.0).round() / 100.0,
        "command": command_of(&found.text),
        "text": found.text,
        "solved": case.cure.as_ref().map(|cure| json!({
            "id": format!("p{}", cure.success),
            "turn": cure.turn,
            "changed": cure.edits,
            "ran": cure.commands,
            "said": cure.said,
        })),
    })
}
