//! `next`: what is next, the exact command for it, whether to clear first, what else could be done.

use std::time::Duration;

use throughline_briefing::Facts;
use throughline_briefing::continuation::{self, Advice, Continuation, Fill, Role, Session, WorkStanding};
use throughline_engine::gauge::Gauge;
use throughline_engine::liveness::{self, Fate};

use super::App;
use super::briefing::{ledger_of, ledger_of_work};
use crate::failure::Failure;
use crate::output::{self, DIM, GOOD, HEAD, HINT, WARN, styled};

const EXAMPLES: &str = "\
Examples:
  throughline next
  throughline next --json | jq -r .command
  throughline next --session 0f0e0d0c-0b0a-4908-8706-050403020100

What is told is the first of these that holds: something has to be settled first, a check fails,
a task or a request is in progress, tasks are open, the work item is complete, all tasks are done,
the work item names what is next (`throughline set work --next`), actions are recorded, the agent
stated a plan, a phase has no tasks. In the agent, `/throughline` shows it.";

/// Show what is next: the task, the command to paste, whether to clear first
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Another session than the one at hand
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let named = args.session.as_deref().map(|name| super::sessions::named(app, name)).transpose()?;
    let next = decide(app, named.as_deref())?;
    if args.json { output::say_json(&continuation::as_json(&next)) } else { print(&next) }
}

pub(super) fn decide(app: &App, named: Option<&str>) -> Result<Continuation, Failure> {
    let state = app.state()?;
    let untrusted = app.memory.untrusted();
    let state = Facts { untrusted: &untrusted, ..Facts::default() }.vouched(&state);
    let session = named.map(str::to_owned).or_else(|| app.session_at_hand());
    let ledger = match (named, session.as_deref()) {
        (Some(named), _) => ledger_of(app, named),
        (None, session) => session.and_then(|session| ledger_of_work(app, session)),
    };
    let ledger = ledger.unwrap_or_default();
    let fill = session.as_deref().and_then(|session| fill(app, session));
    let purified = state.waiting_purification(app.now);
    let purified = purified.filter(|kept| Some(&kept.session) == session.as_ref());
    Ok(continuation::decide(&WorkStanding {
        state: &state,
        ledger: &ledger,
        session: session.as_deref().map(|id| Session { id, is_live: is_live(app, id) }),
        fill,
        purified: purified.map(|kept| kept.score),
        is_dirty: is_dirty(app),
    }))
}

fn fill(app: &App, session: &str) -> Option<Fill> {
    let gauge = Gauge::of(&app.place, session)?;
    let percent = gauge.percent_of_way(gauge.now()?.used_tokens);
    Some(Fill { percent, warning: app.config.thresholds.warning })
}

/// Whoever calls us is at work; of another session its client's process tells.
fn is_live(app: &App, session: &str) -> bool {
    let seen = || liveness::sessions(&app.place.home, &app.memory.project, app.now);
    app.author().session.as_deref() == Some(session)
        || seen().iter().any(|seen| seen.session == session && seen.fate == Fate::Alive)
}

/// Whether git sees changes; `None` where there is no repository, or no answer in time.
fn is_dirty(app: &App) -> Option<bool> {
    let deadline = Duration::from_millis(app.config.git.deadline_ms);
    let git = throughline_git::capture(&app.memory.project.work, deadline);
    git.error.is_none().then_some(git.changed_files > 0)
}

fn print(next: &Continuation) -> Result<(), Failure> {
    for piece in continuation::pieces(next) {
        let style = match piece.role {
            Role::Heading => HEAD,
            Role::Name => GOOD,
            Role::Command => HINT,
            Role::Note if next.clear.advice != Advice::None && piece.text.contains(" first: ") => WARN,
            Role::Rule | Role::Note => DIM,
            Role::Also | Role::Gap => {
                output::say(&piece.text)?;
                continue;
            }
        };
        output::say(&styled(style, &piece.text))?;
    }
    Ok(())
}
