//! The binary: looks at the first word before anything heavy exists, and hands over.

mod cli;
mod commands;
mod editor;
mod failure;
mod given;
mod hook;
mod input;
mod leave;
mod messages_api;
mod output;
mod paint;
mod program;
mod progress;
mod quoting;
mod repairs;
mod statusline;
mod surroundings;
mod waiting;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os().collect::<Vec<_>>().into_iter().skip(1);
    match args.next() {
        // The hot path: no argument parser, no runtime, no database unless a gate opens one.
        Some(word) if word == "hook" && !wants_help(args.clone()) => hook::run(args),
        Some(word) if word == "statusline" && !wants_help(args.clone()) => statusline::run(args),
        // Old clients ignore `args` and call the bare binary: it must not print its help into the context.
        None if !rustix::termios::isatty(std::io::stdin()) => ExitCode::SUCCESS,
        _ => cli::run(),
    }
}

fn wants_help(mut args: impl Iterator<Item = std::ffi::OsString>) -> bool {
    args.any(|arg| arg == "--help" || arg == "-h")
}
