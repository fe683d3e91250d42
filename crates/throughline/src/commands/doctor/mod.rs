//! `doctor`: one line a check, each trouble with its remedy. What can be mended is mended, and said.

mod agents;
mod archive;
mod backups;
mod binary;
mod checkpoints;
mod claude_code;
mod context;
mod disk;
mod distrust;
mod locks;
mod masking;
mod restored;
mod runs;
mod state;
mod surroundings;
mod usage_log;

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use anstyle::Style;
use serde_json::{Value, json};
use throughline_domain::text::one_line;

use super::App;
use crate::failure::Failure;
use crate::output::{self, BAD, DIM, GOOD, HEAD, HINT, WARN, styled};
use claude_code::{client, hooks, instructions, servers};
use context::{Context, counted};

/// Check that everything works, one line a check
///
/// Says what is wrong and what to do about it. A damaged archive is set aside and started anew, what waits is folded
/// in, what was stored before today's masking rules is masked again. Exits with 1 when something fails; warnings are no failure.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// First mask again everything that earlier versions stored, however long it takes
    #[arg(long)]
    mask: bool,
}

/// No check takes longer; one that does (a network folder that hangs) is left behind.
const CHECK_DEADLINE: Duration = Duration::from_secs(20);
/// What to do about something that hangs.
const HANGING: &str =
    "a disk or another process does not answer; try again, or set THROUGHLINE_HOME to a local disk";
/// Longest line.
const LINE_UNITS_MAX: usize = 600;

/// How a check went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Ok,
    Warn,
    Fail,
    Skip,
}

/// One line of the answer.
#[derive(Debug, Clone)]
struct Check {
    name: &'static str,
    state: State,
    what: String,
    remedy: Option<String>,
}

impl Check {
    fn ok(name: &'static str, what: impl AsRef<str>) -> Self {
        Self::new(name, State::Ok, what.as_ref(), None)
    }

    /// Nothing can be said, and that is no trouble.
    fn skip(name: &'static str, what: impl AsRef<str>) -> Self {
        Self::new(name, State::Skip, what.as_ref(), None)
    }

    fn warn(name: &'static str, what: impl AsRef<str>, remedy: impl AsRef<str>) -> Self {
        Self::new(name, State::Warn, what.as_ref(), Some(remedy.as_ref()))
    }

    fn fail(name: &'static str, what: impl AsRef<str>, remedy: impl AsRef<str>) -> Self {
        Self::new(name, State::Fail, what.as_ref(), Some(remedy.as_ref()))
    }

    fn new(name: &'static str, state: State, what: &str, remedy: Option<&str>) -> Self {
        // Paths, settings and logs come from outside: nothing in them may move the terminal's cursor.
        let line = |text: &str| one_line(text, LINE_UNITS_MAX);
        Self { name, state, what: line(what), remedy: remedy.map(line) }
    }
}

/// A check: reads the context, answers in lines.
type Look = fn(&Context) -> Vec<Check>;

/// The checks, in the order in which they run. The state comes before the archive, which is restocked from it; both
/// come before what is read out of the archive.
const CHECKS: [(&str, Look); 26] = [
    ("environment", surroundings::environment),
    ("configuration", surroundings::configuration),
    ("binary", binary::check),
    ("client", client::version),
    ("settings", hooks::files),
    ("hooks", hooks::registered),
    ("timeouts", hooks::timeouts),
    ("plugin", hooks::plugin_beside_settings),
    ("mcp", servers::check),
    ("instructions", instructions::check),
    ("agents", agents::check),
    ("disk", disk::check),
    ("usage log", usage_log::check),
    ("lock", locks::check),
    ("state", state::check),
    ("archive", archive::check),
    ("masking", masking::check),
    ("usage log", usage_log::disagreements),
    ("hook runs", runs::check),
    ("last restore", restored::check),
    ("compaction", client::compaction),
    ("transcripts", client::transcripts),
    ("git", surroundings::git),
    ("distrust", distrust::check),
    ("checkpoints", checkpoints::check),
    ("backups", backups::check),
];

pub(crate) fn run(folder: Option<&Path>, args: &Args) -> Result<(), Failure> {
    let (app, config_problems) = App::open_silently(folder)?;
    if args.mask {
        masking::run(&app.place)?;
    }
    let context = within_deadline(move || Context::gather(app, config_problems)).map_err(|_| {
        Failure::new(format!("the client's settings or the data folder give {}", unanswered())).hint(HANGING)
    })?;
    let context = Arc::new(context);
    let mut checks = Vec::new();
    for (name, look) in CHECKS {
        let found = look_within_deadline(name, look, &context);
        if !args.json {
            found.iter().try_for_each(print)?;
        }
        checks.extend(found);
    }
    let count = |state: State| checks.iter().filter(|check| check.state == state).count();
    let (ok, warnings, failures) = (count(State::Ok), count(State::Warn), count(State::Fail));
    if args.json {
        let list: Vec<Value> = checks.iter().map(to_json).collect();
        output::say_json(&json!({ "checks": list, "ok": ok, "warnings": warnings, "failures": failures }))?;
    } else {
        let closing = format!(
            "{ok} ok, {}, {}",
            counted(warnings as u64, "warning", "warnings"),
            counted(failures as u64, "failure", "failures")
        );
        output::say(&styled(HEAD, &closing))?;
    }
    if failures == 0 { Ok(()) } else { Err(Failure::silent(1)) }
}

/// Runs a check; one that hangs or panics is a line of the answer, not its end.
fn look_within_deadline(name: &'static str, look: Look, context: &Arc<Context>) -> Vec<Check> {
    let theirs = Arc::clone(context);
    match within_deadline(move || look(&theirs)) {
        Ok(found) => found,
        Err(RecvTimeoutError::Timeout) => vec![Check::fail(name, unanswered(), HANGING)],
        Err(RecvTimeoutError::Disconnected) => {
            vec![Check::fail(name, "the check itself broke", "report this with the lines above")]
        }
    }
}

/// Does something on a thread of its own, which is left behind when it hangs.
fn within_deadline<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, RecvTimeoutError> {
    let (sender, receiver) = mpsc::channel();
    // A thread that cannot be started drops the sender, and reads as one that broke.
    let _ = std::thread::Builder::new().spawn(move || {
        let _ = sender.send(work());
    });
    receiver.recv_timeout(CHECK_DEADLINE)
}

fn unanswered() -> String {
    format!("no answer within {} s", CHECK_DEADLINE.as_secs())
}

fn print(check: &Check) -> Result<(), Failure> {
    let (style, mark): (Style, &str) = match check.state {
        State::Ok => (GOOD, "✓"),
        State::Warn => (WARN, "!"),
        State::Fail => (BAD, "✗"),
        State::Skip => (DIM, "-"),
    };
    output::say(&format!("{} {:<13} {}", styled(style, mark), check.name, check.what))?;
    match &check.remedy {
        Some(remedy) => output::say(&format!("    {} {remedy}", styled(HINT, "→"))),
        None => Ok(()),
    }
}

fn to_json(check: &Check) -> Value {
    let state = match check.state {
        State::Ok => "ok",
        State::Warn => "warn",
        State::Fail => "fail",
        State::Skip => "skip",
    };
    json!({ "name": check.name, "state": state, "what": check.what, "remedy": check.remedy })
}
