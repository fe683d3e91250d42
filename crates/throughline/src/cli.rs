//! The command line: verbs, help, exit codes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser};

use crate::commands::{self, App};
use crate::failure::Failure;
use crate::output;

const VARIABLES: &str = "\
Environment:
  THROUGHLINE_HOME             where data is kept (default: the platform's data folder)
  THROUGHLINE_BRIEFING_TOKENS  budget of what the agent is told (default: 1200)
  THROUGHLINE_FLEET_URL        the PostgreSQL that `usage sync` sends to and `usage --from fleet` asks
  CLAUDE_PROJECT_DIR           the project, instead of the current folder's
  CLAUDE_CONFIG_DIR            the client's configuration folder (default: ~/.claude)
  NO_COLOR                     no colours

Start with `throughline init` in a project, then `throughline status`.";

/// Keep a coding agent's work alive through compaction, crashes, /clear and idle days
#[derive(Debug, Parser)]
#[command(name = "throughline", version = VERSION, after_help = VARIABLES, propagate_version = true, max_term_width = 100)]
pub(crate) struct Cli {
    /// The project's top folder, instead of the current one's
    #[arg(long, global = true, value_name = "DIR")]
    project: Option<PathBuf>,
    #[command(subcommand)]
    verb: Verb,
}

/// What `config --project` means without a folder.
const PROJECT_AT_HAND: &str = "the project at hand";

/// The version, with the commit where it is known.
pub(crate) const VERSION: &str = match option_env!("THROUGHLINE_COMMIT") {
    Some(commit) => commit,
    None => env!("CARGO_PKG_VERSION"),
};

#[derive(Debug, clap::Subcommand)]
enum Verb {
    // Life cycle.
    Init(commands::init::Args),
    Uninstall(commands::uninstall::Args),
    Doctor(commands::doctor::Args),
    Status(commands::status::Args),
    Demo(commands::demo::Args),
    // Recording.
    Add(commands::add::Args),
    Resolve(commands::resolve::Args),
    Done(commands::withdraw::DoneArgs),
    Lift(commands::withdraw::LiftArgs),
    Supersede(commands::supersede::Args),
    Edit(commands::edit::Args),
    Rm(commands::withdraw::RmArgs),
    Set(commands::set::Args),
    Anchor(commands::anchor::Args),
    Checkpoint(commands::checkpoint::Args),
    Note(commands::note::Args),
    Save(commands::save::Args),
    // Before a compaction, before leaving.
    CompactFocus(commands::compact_focus::Args),
    Away(commands::away::Args),
    // Reading.
    List(commands::list::Args),
    Next(commands::next::Args),
    Work(commands::work::Args),
    Load(commands::load::Args),
    Briefing(commands::briefing::Args),
    Coverage(commands::coverage::Args),
    Age(commands::age::Args),
    Validate(commands::validate::Args),
    Export(commands::export::Args),
    Import(commands::import::Args),
    Handoff(commands::handoff::Args),
    Handover(commands::handover::Args),
    Health(commands::health::Args),
    Preflight(commands::preflight::Args),
    CountTokens(commands::count_tokens::Args),
    Notes(commands::notes::Args),
    Sessions(commands::sessions::Args),
    Summaries(commands::summaries::Args),
    Backups(commands::backups::Args),
    Recall(commands::recall::Args),
    Usage(commands::usage::Args),
    Backfill(commands::backfill::Args),
    // Care.
    Trust(commands::trust::Args),
    Untrust(commands::trust::UntrustArgs),
    Config(commands::config::Args),
    Fresh(commands::fresh::Args),
    Forget(commands::forget::Args),
    Pause(commands::pause::PauseArgs),
    Unpause(commands::pause::UnpauseArgs),
    Cursor(commands::cursor::Args),
    Completions(commands::man::CompletionsArgs),
    Man(commands::man::ManArgs),
    Mcp(commands::mcp::Args),
    /// Print one line about the context (called by the agent: payload on stdin)
    ///
    /// Shows how full the context is and how far the compaction, and keeps a line per change in the project's
    /// `.claude/logs/context-usage.jsonl`. `[statusline]` and `[usage]` in throughline.toml decide what is shown and logged.
    #[command(after_help = "Examples:
  throughline statusline --demo              # every preset, state and segment, with sample data
  throughline statusline --wrap='ccline'     # another status line above ours
  echo '{\"session_id\":\"s\",\"model\":{\"display_name\":\"Opus\"}}' | throughline statusline")]
    Statusline {
        /// Show every preset, state and segment with sample data
        #[arg(long)]
        demo: bool,
        /// A status line that was there before ours: shown above it
        #[arg(long, value_name = "COMMAND")]
        wrap: Option<String>,
        /// The same, as a JSON string
        #[arg(long, value_name = "JSON")]
        wrap_json: Option<String>,
    },
    /// Answer one hook event of the agent (called by the agent: payload on stdin, reply on stdout)
    Hook {
        /// Called by the plugin, not by the settings
        #[arg(long)]
        plugin: bool,
    },
}

/// Parses, runs, and turns the outcome into an exit code.
pub(crate) fn run() -> ExitCode {
    let mut args: Vec<OsString> = std::env::args_os().collect();
    let mut command = command();
    if args.iter().any(|arg| arg == "recall") {
        args = commands::recall::with_words_apart(args, &command);
    }
    let parsed = command.try_get_matches_from_mut(args);
    let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => {
            if error.use_stderr() {
                // It repeats what was typed.
                output::remark(error.render().ansi().to_string().trim_end());
            } else {
                let _ = error.print();
            }
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    match dispatch(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output::show_failure(&failure);
            ExitCode::from(failure.code)
        }
    }
}

fn dispatch(cli: Cli) -> Result<(), Failure> {
    let folder = cli.project;
    let app = || App::open(folder.as_deref());
    let place = || crate::surroundings::place().ok_or_else(commands::no_home);
    match cli.verb {
        Verb::Init(args) => commands::init::run(&app()?, &args),
        Verb::Uninstall(args) => commands::uninstall::run(&app()?, &args),
        Verb::Doctor(args) => commands::doctor::run(folder.as_deref(), &args),
        Verb::Status(args) => commands::status::show(app, &args),
        Verb::Demo(args) => commands::demo::run(&args),
        Verb::Add(args) => commands::add::run(&app()?, args),
        Verb::Resolve(args) => commands::resolve::run(&app()?, &args),
        Verb::Done(args) => commands::withdraw::done(&app()?, &args),
        Verb::Lift(args) => commands::withdraw::lift(&app()?, &args),
        Verb::Supersede(args) => commands::supersede::run(&app()?, &args),
        Verb::Edit(args) => commands::edit::run(&app()?, &args),
        Verb::Rm(args) => commands::withdraw::rm(&app()?, &args),
        Verb::Set(args) => commands::set::run(&app()?, args),
        Verb::Anchor(args) => commands::anchor::run(&app()?, args),
        Verb::Checkpoint(args) => commands::checkpoint::run(&app()?, args),
        Verb::Note(args) => commands::note::run(&app()?, &args),
        Verb::Save(args) => commands::save::run(&app()?, &args),
        Verb::Away(args) => commands::away::run(&app()?, &args),
        Verb::CompactFocus(args) => commands::compact_focus::run(&app()?, &args),
        Verb::List(args) => commands::list::run(&app()?, &args),
        Verb::Next(args) => commands::next::run(&app()?, &args),
        Verb::Work(args) => commands::work::run(&app()?, &args),
        Verb::Load(args) => commands::load::run(&app()?, &args),
        Verb::Briefing(args) => commands::briefing::run(&app()?, &args),
        Verb::Coverage(args) => commands::coverage::run(&app()?, &args),
        Verb::Age(args) => commands::age::run(&app()?, &args),
        Verb::Validate(args) => commands::validate::run(&app()?, &args),
        Verb::Export(args) => commands::export::run(&app()?, &args),
        Verb::Import(args) => commands::import::run(&app()?, &args),
        Verb::Handoff(args) => commands::handoff::run(&app()?, &args),
        Verb::Handover(args) => commands::handover::run(&app()?, &args),
        Verb::Health(args) => commands::health::run(&app()?, &args),
        Verb::Preflight(args) => commands::preflight::run(&app()?, &args),
        Verb::CountTokens(args) => commands::count_tokens::run(&app()?, &args),
        Verb::Notes(args) => commands::notes::run(&app()?, &args),
        Verb::Sessions(args) => commands::sessions::run(&app()?, &args),
        Verb::Summaries(args) => commands::summaries::run(&app()?, &args),
        Verb::Backups(args) => commands::backups::run(&place()?, &args),
        Verb::Recall(args) => commands::recall::run(&place()?, folder.as_deref(), &args),
        Verb::Usage(args) => commands::usage::run(&place()?, folder.as_deref(), &args),
        Verb::Backfill(args) => commands::backfill::run(&place()?, &args),
        Verb::Trust(args) => commands::trust::run(&app()?, &args),
        Verb::Untrust(args) => commands::trust::untrust(&app()?, &args),
        Verb::Config(args) => {
            let named = folder.as_deref().filter(|folder| *folder != Path::new(PROJECT_AT_HAND));
            commands::config::run(&App::open(named)?, &args, folder.is_some())
        }
        Verb::Forget(args) => commands::forget::run(folder.as_deref(), &args),
        Verb::Fresh(args) => commands::fresh::run(&app()?, &args),
        Verb::Pause(args) => commands::pause::pause(&app()?, &args),
        Verb::Unpause(args) => commands::pause::unpause(&app()?, &args),
        Verb::Cursor(args) => commands::cursor::run(&app()?, &args),
        Verb::Completions(args) => commands::man::completions(&args),
        Verb::Man(args) => commands::man::man(&args),
        Verb::Mcp(args) => commands::mcp::run(folder, &args),
        // `main` has taken every call whose first word is one of these: an option stood before it.
        Verb::Hook { .. } | Verb::Statusline { .. } => Err(Failure::new("this verb must come first")
            .hint("call `throughline hook` or `throughline statusline`, then options")),
    }
}

/// The command as clap knows it, for parsing, completions and man pages.
pub(crate) fn command() -> clap::Command {
    let everywhere = |name: &str, help: &'static str, command: clap::Command| {
        let project = clap::Arg::new("project").long("project").global(true).value_name("DIR").help(help);
        command.mut_subcommand(name, |verb| verb.arg(project.value_parser(clap::value_parser!(PathBuf))))
    };
    let named = "Only this project, by its folder or the last part of its name; without it all projects";
    let here =
        "Only this project: a folder, `.` for the one at hand, the last part of its name; without it, all";
    let own = "The project's own file: of this folder, or of the project at hand";
    let config = clap::Arg::new("project").long("project").global(true).value_name("DIR").help(own);
    let config = config
        .num_args(0..=1)
        .default_missing_value(PROJECT_AT_HAND)
        .value_parser(clap::value_parser!(PathBuf));
    let command = Cli::command().mut_subcommand("config", |verb| verb.arg(config));
    flowing(everywhere("usage", named, everywhere("recall", here, command)))
}

/// The same with examples and prose that were broken into lines once, by whoever knows how wide the terminal is.
fn flowing(command: clap::Command) -> clap::Command {
    let command = match command.get_after_help().map(|help| joined(&help.to_string())) {
        Some(help) => command.after_help(help),
        None => command,
    };
    command.mut_subcommands(flowing)
}

/// A text with each paragraph on one line; a line that is indented stands by itself.
fn joined(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut is_open = false;
    for line in text.lines() {
        let is_prose = !line.is_empty() && !line.starts_with(' ') && !line.ends_with(':');
        if !joined.is_empty() {
            joined.push(if is_open && is_prose { ' ' } else { '\n' });
        }
        joined.push_str(line);
        is_open = is_prose;
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn paragraphs_flow_and_examples_stand() {
        let text = "Examples:\n  one  first\n  two\n\nA sentence that\ngoes on.\nAnd on.\n\nLast.";
        let told = "Examples:\n  one  first\n  two\n\nA sentence that goes on. And on.\n\nLast.";
        assert_eq!(joined(text), told);
    }
}
