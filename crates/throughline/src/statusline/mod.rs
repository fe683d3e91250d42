//! `throughline statusline`: lines about the context. Never blocks, never fails, reads no state and no database.
//!
//! payload ─► rules (compiled once) ─► change test ─► usage log; and what is known ─► lines.

mod demo;
mod wrap;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use throughline_agents::agent::USUAL;
use throughline_domain::Timestamp;
use throughline_engine::statusline::{Call, facts, rules};
use throughline_redact as redact;
use throughline_statusline::{NO_DATA, render};

use crate::input;
use crate::leave::leave;
use crate::surroundings;

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

fn own_lines(bytes: &[u8]) -> Vec<String> {
    let Some(payload) = USUAL.status_line.and_then(|read| read(bytes)) else {
        return vec![NO_DATA.to_owned()];
    };
    let call = Call::settle(payload, surroundings::place(), Timestamp::now());
    let memory = call.keep();
    let look = rules::look(&call.rules.look, &surroundings::AROUND);
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
