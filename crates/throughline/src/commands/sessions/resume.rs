//! `sessions resume`: what a session is told when somebody comes back to it, and the command that does so.

use std::path::PathBuf;

use serde_json::json;
use throughline_agents::agent::Agent;
use throughline_briefing::Cap;
use throughline_engine::ledger;
use throughline_engine::resuming::{self, Back};
use throughline_engine::sessions::{Listed, SessionStanding};
use throughline_store::session::GateMarks;

use crate::commands::App;
use crate::failure::Failure;
use crate::output;

/// Room for the context.
const TOKENS: u64 = 800;

pub(super) fn run(app: &App, session: &Listed, as_json: bool) -> Result<(), Failure> {
    let state = app.state()?;
    let look = |path: &PathBuf| {
        let (home, agent) = (&app.place.home, Agent::of_session(&session.agent));
        ledger::look(&ledger::SessionTranscript {
            home,
            session: &session.id,
            transcript: &path.to_string_lossy(),
            agent,
        })
    };
    let ledger = session.transcript.as_ref().map(look).unwrap_or_default();
    let back = Back {
        memory: &app.memory,
        config: &app.config,
        state: &state,
        untrusted: &app.memory.untrusted(),
        ledger: Some(&ledger),
        last_active: Some(session.last_active),
        session_active: Some(session.last_active),
        marks: GateMarks::read(&app.place.home.session(&session.id)),
        now: app.now,
        beside_briefing: false,
    };
    let text = resuming::text(&back, Cap::tokens(TOKENS));
    // The client takes an id of its own form only; anything else would be another argument.
    let is_plain = session.id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_there = session.transcript.is_some() && is_plain && !session.id.starts_with('-');
    let command = is_there.then(|| format!("claude --resume {}", session.id));
    if as_json {
        return output::say_json(&json!({
            "session": session.id, "live": session.standing == SessionStanding::AtWork, "command": command, "context": text,
        }));
    }
    output::say_fragment(
        text.as_deref().unwrap_or("nothing is recorded for this project, and the session has no transcript"),
    )?;
    match (session.standing, command) {
        (SessionStanding::AtWork | SessionStanding::Silent, _) => {
            output::remark("this session is open in a client: go on there; it is told this by itself");
        }
        (_, Some(command)) => output::remark(&format!("come back with: {command}")),
        (_, None) => output::remark("its transcript is gone: a new session gets the project's memory"),
    }
    Ok(())
}
