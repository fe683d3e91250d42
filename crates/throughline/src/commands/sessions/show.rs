//! `sessions show`: where one session stood.

use std::path::PathBuf;

use serde_json::{Value, json};
use throughline_agents::agent::Agent;
use throughline_domain::ledger::Ledger;
use throughline_domain::text::one_line;
use throughline_domain::time;
use throughline_engine::ledger;
use throughline_engine::sessions::Listed;
use throughline_store::checkpoints::Checkpoints;

use super::{ago, row_json, words};
use crate::commands::App;
use crate::commands::checkpoint::reading::section;
use crate::failure::Failure;
use crate::output::{self, DIM, HEAD, styled};
use crate::quoting::{self, RECORDED};

pub(super) fn run(app: &App, session: &Listed, as_json: bool) -> Result<(), Failure> {
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
    let checkpoints = checkpoints(app, session);
    if as_json {
        let mut value = row_json(app, session);
        value["turns"] = ledger.turn.into();
        value["compactions"] = ledger.compactions.len().into();
        value["tasks"] = ledger
            .tasks
            .iter()
            .map(|it| json!({"id": it.id, "subject": it.subject, "status": it.status}))
            .collect();
        value["fails"] =
            ledger.newest_failure().map_or(Value::Null, |it| json!({"command": it.from, "lines": it.lines}));
        value["uncommitted"] = uncommitted(&ledger).into();
        value["checkpoints"] = checkpoints.into();
        return output::say_json(&value);
    }
    let mut lines = vec![format!(
        "{} {}, last active {} ago",
        styled(HEAD, &one_line(&session.id, 80)),
        words(session.standing),
        ago(app, session)
    )];
    let rows = [
        ("began", session.started.map(|at| format!("{}{}", time::iso(at), how(session)))),
        ("goes on from", session.parent.clone()),
        ("phase", session.phase.clone()),
        ("request", ledger.said.last().map(|word| word.text.clone()).or_else(|| session.title.clone())),
        (
            "fails",
            ledger
                .newest_failure()
                .map(|it| format!("`{}`: {}", it.from, it.lines.first().map_or("", String::as_str))),
        ),
        ("transcript", session.transcript.as_ref().map(|path| path.display().to_string())),
        ("notes", session.notes.as_ref().map(|path| path.display().to_string())),
    ];
    for (label, text) in rows {
        if let Some(text) = text {
            lines.push(format!("{label}: {}", one_line(&text, 400)));
        }
    }
    if ledger.turn > 0 {
        let compactions = match ledger.compactions.len() {
            0 => String::new(),
            1 => ", 1 compaction".to_owned(),
            count => format!(", {count} compactions"),
        };
        lines.push(format!("responses: {}{compactions}", ledger.turn));
    }
    let tasks = ledger.tasks.iter().filter(|task| task.status != "deleted");
    lines.extend(section("tasks:", tasks.map(|task| format!("{} ({})", task.subject, task.status))));
    lines.extend(section("edited, no commit since:", uncommitted(&ledger).into_iter()));
    lines.extend(section("checkpoints:", checkpoints.into_iter()));
    let hint = format!("`throughline sessions resume {}` shows how to come back", one_line(&session.id, 80));
    lines.push(styled(DIM, &hint));
    quoting::say(&RECORDED, &lines)
}

fn how(session: &Listed) -> String {
    session.source.as_ref().map_or_else(String::new, |source| format!(" ({})", one_line(source, 20)))
}

fn uncommitted(ledger: &Ledger) -> Vec<String> {
    let files = ledger.files.iter().filter(|file| file.is_uncommitted(ledger.commit_turn));
    files.map(|file| file.path.clone()).collect()
}

fn checkpoints(app: &App, session: &Listed) -> Vec<String> {
    let (all, _) = Checkpoints::of(&app.memory.project, &app.place.home).all();
    let own = all.into_iter().rev().filter(|it| it.session.as_deref() == Some(session.id.as_str()));
    own.map(|it| format!("{} {}", it.id, one_line(&it.kind, 20))).collect()
}
