//! Capture: transcript lines into the ledger: what matters, in its own words. Pure.
#![cfg_attr(
    test,
    expect(
        clippy::needless_raw_string_hashes,
        reason = "snapshots are written with hashes by their own tool"
    )
)]

pub mod anchors;
mod blocks;
mod bounds;
mod commands;
mod contents;
mod decisions;
mod detours;
mod directives;
mod errors;
mod files;
mod findings;
mod focus;
mod kinds;
mod landmarks;
pub mod late;
mod markup;
mod names;
pub mod need;
mod noise;
mod outcome_words;
pub mod passages;
mod paths;
mod recent;
mod run_outcome;
mod segments;
mod shell;
mod stand;
pub mod summaries;
mod tasks;
mod tellings;
mod turns;
mod words;

pub use recent::recent_part;
use throughline_domain::ledger::{LEDGER_VERSION, Ledger, PendingCall, Refusal, Stand, TranscriptPlace};
use throughline_domain::text::{cut_utf16, fingerprint, one_line};
use throughline_domain::transcript::{Block, Line, Tool, ToolAnswer, ToolCall, What};

use files::Role;

/// A command line is remembered until its answer comes; what is longer is no line that anybody types again.
const PENDING_COMMAND_UNITS_MAX: usize = 1_000;
/// What is long enough to be a paste is looked through at its beginning only.
const TEXT_BYTES_MAX: usize = 20_000;
/// A refusal is known by how it begins.
const REFUSAL_BYTES: usize = 200;
const REFUSED_UNITS: usize = 200;
const REFUSALS_MAX: usize = 12;
/// Command lines that are known to have been answered: as many as a hook may be ahead of the transcript, and more.
const ANSWERED_MAX: usize = 24;

/// Takes one line of the transcript into the ledger. `offset` is the byte at which the line begins.
///
/// The same lines give the same ledger, however they are spread over calls and processes: nothing is remembered
/// outside the ledger. A line that was copied (same id) counts once.
pub fn absorb(ledger: &mut Ledger, line: &Line<'_>, offset: u64) {
    ledger.version = LEDGER_VERSION;
    if turns::is_copy(ledger, line.uuid) {
        return;
    }
    if let Some(cwd) = line.cwd.as_deref() {
        paths::note_folder(ledger, cwd);
    }
    let cwd = line.cwd.as_deref();
    let counts = bounds::counts(ledger);
    if line.is_sidechain {
        absorb_sidechain(ledger, line, cwd, offset);
        return;
    }
    match &line.what {
        What::Interrupted => {
            turns::end_response(ledger);
            stopped(ledger);
        }
        What::UserSaid(text) => {
            turns::end_response(ledger);
            tellings::reported(ledger);
            let place = here(ledger, offset);
            if words::was_queued(ledger, text, place) || user_said(ledger, text, place) {
                findings::heard(ledger, text);
                stand::asked(ledger);
            }
        }
        What::Queued(text) => {
            let place = here(ledger, offset);
            if user_said(ledger, text, place) {
                words::mark_queued(ledger);
            }
        }
        What::Command { name, args } => {
            turns::end_response(ledger);
            let place = here(ledger, offset);
            words::heard_command(ledger, name, args, place);
            if !args.trim().is_empty() && !name.ends_with("compact") {
                stand::asked(ledger);
            }
            spoken(ledger, args, Role::User, place);
        }
        What::Responded { message_id, model, context_tokens, blocks } => {
            // What the client says in the model's place (an error of the server) has a bracketed name for a model.
            if model.is_some_and(|name| name.starts_with('<')) {
                return;
            }
            if turns::begin_response(ledger, *message_id) {
                findings::answered(ledger);
            }
            if context_tokens.is_some_and(|tokens| tokens > 0) {
                ledger.context_tokens = *context_tokens;
            }
            let place = here(ledger, offset);
            for block in blocks {
                match block {
                    Block::Said(text) => agent_said(ledger, text, place),
                    Block::Called(call) => called(ledger, call, cwd, place),
                }
            }
        }
        What::ToolsAnswered(answers) => tools_answered(ledger, answers, offset),
        What::Compacted { trigger, tokens_before, tokens_after } => {
            turns::compacted(ledger, *trigger, (*tokens_before, *tokens_after), line.timestamp, offset);
        }
        What::Summary(text) => {
            let place = here(ledger, offset);
            tellings::summarised(ledger, text, place);
        }
    }
    keep_within_bounds(ledger, &line.what, counts);
}

/// Answers of tools came, the user's refusals and interruptions among them.
fn tools_answered(ledger: &mut Ledger, answers: &[ToolAnswer<'_>], offset: u64) {
    turns::end_anonymous_response(ledger);
    stand::answered(ledger);
    for answer in answers {
        answered(ledger, answer, offset);
    }
    if answers.iter().any(|answer| answer.is_interrupted) {
        stopped(ledger);
    }
}

/// Where the work stands once the agent has said this, and what it asks: a client tells a hook the end of an answer before
/// it writes it to the transcript.
#[must_use]
pub fn after_words(ledger: &Ledger, text: &str) -> (Stand, Option<String>) {
    let mut stand = ledger.stand.clone();
    let text = head(text, TEXT_BYTES_MAX);
    stand::spoke(&mut stand, text, outcome_words::in_text(text));
    (stand, findings::last_question(text).map(str::to_owned))
}

fn keep_within_bounds(ledger: &mut Ledger, what: &What<'_>, before: bounds::Counts) {
    if may_change_tasks(what) {
        bounds::keep_tasks(ledger);
    }
    bounds::keep(ledger, before);
}

fn may_change_tasks(what: &What<'_>) -> bool {
    let is_about_tasks = |block: &Block<'_>| matches!(block, Block::Called(call) if matches!(call.tool, Tool::TaskCreate | Tool::TaskUpdate | Tool::TodoWrite));
    match what {
        What::Responded { blocks, .. } => blocks.iter().any(is_about_tasks),
        _ => false,
    }
}

fn here(ledger: &Ledger, offset: u64) -> TranscriptPlace {
    TranscriptPlace { turn: ledger.turn, offset }
}

/// The beginning of a text, as far as it is looked through.
fn head(text: &str, bytes_max: usize) -> &str {
    let mut end = bytes_max.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The user stopped the agent: what it was at is given up.
fn stopped(ledger: &mut Ledger) {
    stand::stopped(ledger);
    noise::stopped(ledger);
}

/// Words of the user, with what they name and settle; says whether there were any.
fn user_said(ledger: &mut Ledger, text: &str, place: TranscriptPlace) -> bool {
    // What a subagent reports in the user's place names files; its words are nobody's directives.
    if text.trim_start().starts_with("<task-notification>") {
        files::mentioned(ledger, head(text, TEXT_BYTES_MAX), Role::Agent, None, place);
        return false;
    }
    let is_said = words::heard(ledger, text, place);
    if is_said {
        spoken(ledger, text, Role::User, place);
        findings::from_user(ledger, text, place);
        segments::requested(ledger, text);
        noise::heard(ledger, text);
    }
    is_said
}

/// Words of the agent, with what they name, settle and announce.
fn agent_said(ledger: &mut Ledger, text: &str, place: TranscriptPlace) {
    spoken(ledger, text, Role::Agent, place);
    findings::from_agent(ledger, text, place);
    tellings::said(ledger, text, place);
    let outcome = outcome_words::in_text(text);
    if let Some(outcome) = &outcome {
        segments::told(ledger, outcome);
    }
    stand::said(ledger, text, outcome);
}

/// Files and names in somebody's prose.
fn spoken(ledger: &mut Ledger, text: &str, role: Role, place: TranscriptPlace) {
    let text = head(text, TEXT_BYTES_MAX);
    files::mentioned(ledger, text, role, None, place);
    segments::mentioned(ledger, text);
}

/// A subagent's conversation is not the main one: its turns, words and commands are not ours. What it changed in the
/// project stays changed, so edits count.
fn absorb_sidechain(ledger: &mut Ledger, line: &Line<'_>, cwd: Option<&str>, offset: u64) {
    let What::Responded { blocks, .. } = &line.what else { return };
    let place = here(ledger, offset);
    let counts = bounds::counts(ledger);
    for block in blocks {
        if let Block::Called(call) = block
            && matches!(call.tool, Tool::Edit | Tool::Write)
        {
            files::used_by_tool(ledger, call, cwd, place);
            noise::changed_by_another(ledger, call);
        }
    }
    bounds::keep(ledger, counts);
}

fn called(ledger: &mut Ledger, call: &ToolCall<'_>, cwd: Option<&str>, place: TranscriptPlace) {
    if call.tool != Tool::AskUser {
        // It asked, and went on by itself: nobody was meant to answer.
        findings::answered(ledger);
    }
    stand::called(ledger, call);
    noise::called(ledger, call);
    let mut pending =
        PendingCall { id: bounded(&call.id), name: bounded(&call.name), place, ..PendingCall::default() };
    match call.tool {
        Tool::Shell => {
            let Some(command) = call.command.as_deref() else { return };
            let former = commands::known(ledger, command);
            if let Some(commands) = commands::ran(ledger, command, cwd, place) {
                noise::ran(ledger, &call.id, command, &commands);
            }
            pending.commands = former;
            pending.command = Some(cut_utf16(command, PENDING_COMMAND_UNITS_MAX).to_owned());
        }
        Tool::Edit | Tool::Write => {
            pending.file = files::used_by_tool(ledger, call, cwd, place);
        }
        Tool::Read | Tool::Search => {
            files::used_by_tool(ledger, call, cwd, place);
            return;
        }
        Tool::TaskCreate => match tasks::create(ledger, call, place) {
            Some(subject) => pending.subject = Some(subject),
            None => return,
        },
        Tool::TaskUpdate => {
            noise::task_changes(ledger, call);
            tasks::update(ledger, call, place);
            return segments::follow_tasks(ledger);
        }
        Tool::TodoWrite => {
            noise::list_written(ledger, call);
            pending.former = Some(tasks::replace_list(ledger, &call.todos, place));
            segments::follow_tasks(ledger);
        }
        Tool::AskUser => {
            findings::asked(ledger, call, place);
            pending.asks = true;
        }
        Tool::Plan => return findings::planned(ledger, call, place),
        // Noted, so that its answer is known for what it is.
        Tool::Server => {}
        Tool::Agent | Tool::Other => return,
    }
    ledger.pending.push(pending);
}

fn answered(ledger: &mut Ledger, answer: &ToolAnswer<'_>, offset: u64) {
    let at = ledger.pending.iter().rposition(|call| call.id == answer.call_id);
    let call = at.map(|at| ledger.pending.remove(at));
    let asks = call.as_ref().is_some_and(|call| call.asks);
    let is_of_server = call.as_ref().is_some_and(is_of_server);
    // A server's failure can be spelt like a refusal, and its result like answers to questions.
    let words = answer.answers.as_deref().filter(|_| asks);
    let words = words.or_else(|| answer.user_said.as_deref().filter(|_| !is_of_server));
    if let Some(words) = words {
        let place = here(ledger, offset);
        user_said(ledger, words, place);
    }
    let Some(call) = call.filter(|_| !is_of_server) else {
        return noise::answered(ledger, answer, None, None);
    };
    if call.command.is_some() {
        ledger.answered.push(fingerprint(call.id.as_bytes()));
        let over = ledger.answered.len().saturating_sub(ANSWERED_MAX);
        ledger.answered.drain(..over);
    }
    if answer.is_error && run_outcome::was_refused(&answer.text.head(REFUSAL_BYTES)) {
        refused(ledger, &call, answer);
        return noise::answered(ledger, answer, None, call.command.as_deref());
    }
    if let Some(file) = call.file {
        if answer.is_error {
            files::put_back(ledger, file);
        }
        noise::answered(ledger, answer, None, None);
    } else if let Some(command) = &call.command {
        let outcome =
            commands::answered(ledger, command, answer, TranscriptPlace { turn: call.place.turn, offset });
        noise::answered(ledger, answer, Some(outcome), Some(command));
    } else if let Some(subject) = &call.subject {
        tasks::created(ledger, &call.id, subject, answer);
    } else if let Some(former) = call.former {
        if answer.is_error {
            tasks::put_back(ledger, former);
            segments::follow_tasks(ledger);
        }
        noise::answered(ledger, answer, None, None);
    } else if call.asks {
        findings::answered(ledger);
    }
}

/// The user did not want it: it was not run, and nothing was changed.
fn refused(ledger: &mut Ledger, call: &PendingCall, answer: &ToolAnswer<'_>) {
    let what = match (&call.command, &call.file) {
        (Some(command), _) => one_line(command, REFUSED_UNITS),
        (None, Some(file)) => format!("{} {}", call.name, file.path),
        (None, None) => call.name.clone(),
    };
    if let Some(command) = &call.command {
        commands::not_run(ledger, command, &call.commands);
    }
    if let Some(file) = &call.file {
        files::put_back(ledger, file.clone());
    }
    if let Some(former) = &call.former {
        tasks::put_back(ledger, former.clone());
        segments::follow_tasks(ledger);
    }
    stand::refused(ledger, &what);
    if call.asks {
        // A question that was waved away is no deed that was forbidden.
        return;
    }
    let words = answer.user_said.as_deref().map_or_else(String::new, |words| one_line(words, REFUSED_UNITS));
    ledger.refusals.retain(|known| known.what != what);
    ledger.refusals.push(Refusal { what, words, place: call.place });
    if ledger.refusals.len() > REFUSALS_MAX {
        ledger.refusals.remove(0);
    }
}

/// Of the calls that wait for an answer, only those of servers have nothing else to be known by.
fn is_of_server(call: &PendingCall) -> bool {
    call.command.is_none()
        && call.subject.is_none()
        && call.former.is_none()
        && call.file.is_none()
        && !call.asks
}

/// An id or a tool's name, which are short; what is not is told by its fingerprint.
fn bounded(id: &str) -> String {
    if id.len() <= 100 { id.to_owned() } else { format!("{:016x}", fingerprint(id.as_bytes())) }
}

#[cfg(test)]
mod tests;
