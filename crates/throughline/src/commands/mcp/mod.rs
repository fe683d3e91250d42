//! `mcp`: the tools of a Model Context Protocol server, for one client, over standard input and output.

mod pages;
mod tools;

use std::path::PathBuf;

use throughline_briefing::fragment::defused;
use throughline_domain::text::printable;
use throughline_engine::liveness::{self, Fate};
use throughline_mcp::call::Call;
use throughline_mcp::catalogue::{Page, Ready};
use throughline_mcp::{Answer, Desk, Refusal};
use throughline_redact as redact;
use throughline_store::session::SessionFacts;

use super::App;
use crate::cli::VERSION;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  claude mcp add --scope local throughline -- throughline mcp   for you alone, in this project
  echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}' | throughline mcp

Tools: record_decision, record_constraint, ask_question, resolve_question, add_evidence, anchor,
checkpoint, hand_over, recall, context_health, load_state, next. Resources: throughline://state and
throughline://notes. Prompts: compaction, handover. What comes through it is the agent's word: it is
recorded as such, never as yours. The client asks before it calls a tool; rules such as
mcp__throughline__recall in its `permissions.allow` spare you that.";

/// Serve the memory to an agent as MCP tools (called by the agent: requests on stdin, answers on stdout)
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {}

pub(crate) fn run(folder: Option<PathBuf>, _: &Args) -> Result<(), Failure> {
    throughline_mcp::serve(Memory { folder }, VERSION).map_err(|refusal| Failure::new(refusal.message))
}

/// Answers out of the memory of a project. It is opened for each call: whoever else works here is never kept waiting.
struct Memory {
    folder: Option<PathBuf>,
}

impl Memory {
    /// The project as it is now, with the agent as the one who speaks.
    fn open(&self) -> Result<App, Refusal> {
        let (mut app, _) = App::open_silently(self.folder.as_deref()).map_err(refusal)?;
        app.caller.is_agent = true;
        app.caller.session = session_now(&app);
        Ok(app)
    }
}

impl Desk for Memory {
    fn call(&self, call: Call) -> Result<Answer, Refusal> {
        let mut answer = tools::answer(&self.open()?, call).map_err(refusal)?;
        answer.text = masked(&answer.text);
        answer.structured.iter_mut().for_each(redact::json);
        Ok(answer)
    }

    fn page(&self, page: Page) -> Result<String, Refusal> {
        pages::read(&self.open()?, page).map(|text| masked(&text)).map_err(refusal)
    }

    fn prompt(&self, prompt: Ready, focus: Option<&str>) -> Result<String, Refusal> {
        pages::prompt(&self.open()?, prompt, focus).map(|text| masked(&text)).map_err(refusal)
    }
}

/// A failure as an agent is told it: what it quotes of a call or a file ends nothing, hides nothing, gives no secret away.
fn refusal(failure: Failure) -> Refusal {
    let clean = |text: String| defused(&printable(&masked(&text)));
    Refusal { message: clean(failure.message), hint: failure.hint.map(clean) }
}

fn masked(text: &str) -> String {
    redact::text(text).into_owned()
}

/// The session that our client is in now. The environment names the one in which we were started; after a `/clear` the
/// same client, known by its process, goes on in another.
fn session_now(app: &App) -> Option<String> {
    let started_in = app.caller.session.clone()?;
    let client = |session: &str| {
        let cache = SessionFacts::read(&app.place.home.session(session))?;
        Some((cache.client_pid?, cache.client_pid_started))
    };
    let Some(ours) = client(&started_in) else { return Some(started_in) };
    let seen = liveness::sessions(&app.place.home, &app.memory.project, app.now);
    let goes_on = seen.into_iter().find(|it| it.fate == Fate::Alive && client(&it.session) == Some(ours));
    Some(goes_on.map_or(started_in, |it| it.session))
}
