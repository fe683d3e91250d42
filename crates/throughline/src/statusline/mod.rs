//! `throughline statusline`: lines about the context. Never blocks, never fails, reads no state and no database.
//!
//! payload ─► rules (compiled once) ─► change test ─► usage log; and what is known ─► lines.

mod demo;
mod facts;
mod rules;
mod track;
mod wrap;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use throughline_agents::claude_code::compaction_point::{At, CompactionPoint, effective_point};
use throughline_agents::claude_code::statusline_payload::{self, Context, StatuslinePayload};
use throughline_domain::usage_memory::UsageMemory;
use throughline_domain::{Health, Timestamp};
use throughline_engine::place::Place;
use throughline_redact as redact;
use throughline_statusline::{Look, NO_DATA, render};
use throughline_store::door::Spot;
use throughline_store::statusline_rules::StatuslineRules;
use throughline_store::usage_file;

use crate::input;
use crate::leave::leave;

pub(crate) use rules::look_problems;

/// The session of a payload that names none.
const UNNAMED: &str = "unknown";

pub(crate) fn run(args: impl Iterator<Item = OsString>) -> ExitCode {
    survive_panics();
    let args: Vec<String> = args.map(|arg| arg.to_string_lossy().into_owned()).collect();
    if args.iter().any(|arg| arg == "--demo") {
        // For people, unlike the lines: colours go where nobody would see them. CLICOLOR_FORCE keeps them there.
        if std::env::var_os("FORCE_COLOR").is_some_and(|value| !value.is_empty() && value != "0") {
            say(&demo::screen());
        } else {
            let _ = crate::output::say(&demo::screen());
        }
        return ExitCode::SUCCESS;
    }
    let bytes = input::read();
    let mut lines = Vec::new();
    if let Some(command) = args.iter().find_map(|arg| wrap::command_in(arg)) {
        lines.extend(wrap::run(&command, &bytes));
    }
    lines.extend(own_lines(&bytes).into_iter().map(|line| redact::text(&line).into_owned()));
    say(&lines.join("\n"));
    ExitCode::SUCCESS
}

fn say(text: &str) {
    let mut stdout = std::io::stdout().lock();
    // A client that hung up does not want to hear it.
    let _ = stdout.write_all(format!("{text}\n").as_bytes()).and_then(|()| stdout.flush());
}

/// One call, with everything that was settled for it.
struct Call {
    payload: StatuslinePayload,
    now: Timestamp,
    /// Where the session's files are; `None` without a data folder.
    session: Option<(Place, Spot)>,
    rules: StatuslineRules,
    point: CompactionPoint,
}

impl Call {
    /// Tokens at which the client compacts, if it does and we know.
    fn compacts_at(&self) -> Option<u64> {
        if let At::Compacts(tokens) = self.point.at { Some(tokens) } else { None }
    }

    /// How near the compaction is (the end of the window, where none will come).
    fn health(&self) -> Option<Health> {
        let Context::Known(size) = self.payload.context else { return None };
        let percent = size.used().saturating_mul(100) / self.point.limit_tokens().max(1);
        let [warning, critical, emergency] = self.rules.thresholds;
        Some(Health::at(percent, warning, critical, emergency))
    }
}

fn own_lines(bytes: &[u8]) -> Vec<String> {
    let Some(mut payload) = statusline_payload::parse(bytes) else { return vec![NO_DATA.to_owned()] };
    if payload.session_id.is_empty() {
        // A payload by hand, as people try a status line out: logged like any other.
        UNNAMED.clone_into(&mut payload.session_id);
    }
    let now = Timestamp::now();
    let place = crate::surroundings::place();
    let rules = rules::settle(place.as_ref(), &payload, now);
    let point = effective_point(&rules::inputs(&rules.compaction, &payload));
    let session = place.map(|place| {
        let folder = place.home.session(&payload.session_id);
        (place, folder)
    });
    let call = Call { payload, now, session, rules, point };
    let memory = match &call.session {
        Some((place, folder)) => track::keep(&call, place, folder, usage_file::read(folder)),
        None => UsageMemory::default(),
    };
    let look: Look = rules::look(&call.rules.look);
    let around = facts::Around::look(&call, &look);
    render(&facts::gather(&call, &memory, &around), &look)
}

/// With `panic = "abort"` nothing catches a panic: a harmless line is better than none.
fn survive_panics() {
    std::panic::set_hook(Box::new(|_| {
        say(NO_DATA);
        leave();
    }));
}
