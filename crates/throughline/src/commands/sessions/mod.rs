//! `sessions`: who worked here, when, and where each one stood.

mod resume;
mod show;

use serde_json::{Value, json};
use throughline_domain::text::one_line;
use throughline_domain::time;
use throughline_engine::sessions::{self, Listed, SessionStanding};

use super::App;
use crate::failure::Failure;
use crate::output::{self, DIM, GOOD, HINT, WARN, styled};
use crate::quoting::{self, RECORDED};

const EXAMPLES: &str = "\
Examples:
  throughline sessions list             the sessions of this project, the last active first
  throughline sessions show 1f2e        one of them: request, tasks, checkpoints, what it goes on from
  throughline sessions resume 1f2e      what it is told when you come back to it, and the command that does so

A session is at work while its client runs and something came from it within a day; one that is open but silent for
longer is not at work, and not over. Sessions from before the installation are listed by their transcripts.";

/// Sessions of this project: list, show, come back
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: SessionsVerb,
}

#[derive(Debug, clap::Subcommand)]
enum SessionsVerb {
    /// List the sessions of this project, the last active first
    List {
        /// Only those that are at work
        #[arg(long)]
        live: bool,
        /// Most of them
        #[arg(long, value_name = "COUNT", default_value_t = 20)]
        limit: usize,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show where one session stood
    Show {
        /// Its id, or the beginning of it; without one the session at hand
        session: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print what a session is told when you come back to it, and the command that does so
    Resume {
        /// Its id, or the beginning of it; without one the session at hand
        session: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    match &args.verb {
        SessionsVerb::List { live, limit, json } => list(app, *live, *limit, *json),
        SessionsVerb::Show { session, json } => show::run(app, &chosen(app, session.as_deref())?, *json),
        SessionsVerb::Resume { session, json } => resume::run(app, &chosen(app, session.as_deref())?, *json),
    }
}

fn list(app: &App, live: bool, limit: usize, as_json: bool) -> Result<(), Failure> {
    let mut all = sessions::of_project(&app.place, &app.memory.project, app.now);
    if live {
        all.retain(|session| session.standing == SessionStanding::AtWork);
    }
    let left_out = all.len().saturating_sub(limit);
    all.truncate(limit);
    if as_json {
        return output::say_json(&all.iter().map(|session| row_json(app, session)).collect());
    }
    if all.is_empty() {
        output::remark(if live {
            "no session is at work in this project"
        } else {
            "no session was seen in this project yet; `throughline init`, then start the agent"
        });
        return Ok(());
    }
    let rows: Vec<String> = all.iter().map(|session| row(app, session)).collect();
    quoting::say(&RECORDED, &rows)?;
    if left_out > 0 {
        output::remark(&format!("and {left_out} more (`--limit {}`)", limit + left_out));
    }
    Ok(())
}

/// The whole id of a session of this project, by its id or the beginning of it.
pub(crate) fn named(app: &App, name: &str) -> Result<String, Failure> {
    chosen(app, Some(name)).map(|session| session.id)
}

/// The session that is meant: by its id, by the beginning of it, or the one at hand.
fn chosen(app: &App, name: Option<&str>) -> Result<Listed, Failure> {
    let mut all = sessions::of_project(&app.place, &app.memory.project, app.now);
    let Some(name) = name else {
        let at_hand = app.session_at_hand();
        let found = all.iter().position(|session| Some(&session.id) == at_hand.as_ref()).unwrap_or(0);
        if all.is_empty() {
            return Err(Failure::new("no session was seen in this project yet")
                .hint("`throughline init`, then start the agent"));
        }
        return Ok(all.swap_remove(found));
    };
    let shown = one_line(name, 80);
    if let Some(exact) = all.iter().position(|session| session.id == name) {
        return Ok(all.swap_remove(exact));
    }
    let lower = name.to_lowercase();
    all.retain(|session| !name.is_empty() && session.id.to_lowercase().starts_with(&lower));
    match all.len() {
        0 => Err(Failure::new(format!("there is no session `{shown}` in this project"))
            .hint("`throughline sessions list` shows them")),
        1 => Ok(all.swap_remove(0)),
        count => {
            let ids: Vec<&str> = all.iter().map(|session| session.id.as_str()).collect();
            Err(Failure::new(format!("{count} sessions begin with `{shown}`"))
                .hint(format!("name more of it: {}", one_line(&ids.join(", "), 400))))
        }
    }
}

fn words(standing: SessionStanding) -> &'static str {
    match standing {
        SessionStanding::AtWork => "at work",
        SessionStanding::Silent => "open but silent",
        SessionStanding::Ended => "ended",
        SessionStanding::Crashed => "ended without saying so",
        SessionStanding::Written => "known by its transcript",
    }
}

fn row(app: &App, session: &Listed) -> String {
    let id: String = session.id.chars().take(8).collect();
    let style = match session.standing {
        SessionStanding::AtWork => GOOD,
        SessionStanding::Crashed => WARN,
        SessionStanding::Silent | SessionStanding::Ended | SessionStanding::Written => DIM,
    };
    let mut about = vec![styled(style, words(session.standing))];
    about.push(format!("{} ago", ago(app, session)));
    about.extend(session.phase.as_ref().map(|phase| format!("phase {}", one_line(phase, 40))));
    about.extend(session.parent.as_ref().map(|parent| {
        let parent: String = parent.chars().take(8).collect();
        format!("goes on from {parent}")
    }));
    let title = session.title.as_ref().map_or_else(String::new, |title| format!("  {}", one_line(title, 70)));
    format!("{}  {}{title}", styled(HINT, &one_line(&id, 8)), about.join(", "))
}

fn ago(app: &App, session: &Listed) -> String {
    time::span_words(time::seconds_between(session.last_active, app.now))
}

fn row_json(app: &App, session: &Listed) -> Value {
    json!({
        "session": session.id,
        "agent": session.agent,
        "standing": words(session.standing),
        "live": session.standing == SessionStanding::AtWork,
        "stale": session.is_stale(app.now),
        "startedAt": session.started.map(time::iso),
        "lastActive": time::iso(session.last_active),
        "source": session.source,
        "endReason": session.end_reason,
        "goesOnFrom": session.parent,
        "phase": session.phase,
        "request": session.title,
        "transcript": session.transcript,
        "notes": session.notes,
    })
}
