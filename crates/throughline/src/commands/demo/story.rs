//! The recorded session of the demo: a list of steps, each one thing that happened, in the client's order.

use std::path::Path;

use serde_json::Value;

use crate::failure::Failure;

/// Payloads, transcript lines and commands of an invented session, with `@…@` where a folder's path belongs.
const RECORDED: &str = include_str!("session.jsonl");

/// One thing that happened.
#[derive(Debug)]
pub(super) enum Step {
    /// A part of the demo begins.
    Scene(String),
    /// Details that the next hour of work depends on.
    Facts(Vec<String>),
    /// Somebody says something; only for the reader.
    Show { who: String, text: String },
    /// A file of the project is written.
    File { path: String, text: String },
    /// The files so far are committed.
    Commit(String),
    /// The client writes a line to the session's transcript.
    Transcript(String),
    /// The client calls our hook.
    Hook { event: String, session: String, payload: String },
    /// The agent runs our binary as a command.
    Agent(Vec<String>),
    /// What the client's summariser wrote.
    Summary(String),
    /// The client dies.
    Kill,
}

/// The steps, with the folders of this run filled in.
pub(super) fn steps(project: &Path, transcripts: &Path, transcript: &Path) -> Result<Vec<Step>, Failure> {
    let places = [
        ("@PROJECT@", project.display().to_string()),
        ("@TRANSCRIPTS@", transcripts.display().to_string()),
        ("@TRANSCRIPT@", transcript.display().to_string()),
    ];
    RECORDED
        .lines()
        .enumerate()
        .map(|(index, line)| {
            step(line, &places)
                .ok_or_else(|| Failure::new(format!("line {} of the recorded session is no step", index + 1)))
        })
        .collect()
}

fn step(line: &str, places: &[(&str, String)]) -> Option<Step> {
    let mut value: Value = serde_json::from_str(line).ok()?;
    fill_in(&mut value, places);
    let (name, value) = value.as_object()?.iter().next()?;
    Some(match name.as_str() {
        "scene" => Step::Scene(value.as_str()?.to_owned()),
        "facts" => Step::Facts(texts(value)?),
        "show" => {
            let [who, text] = pair(value)?;
            Step::Show { who, text }
        }
        "file" => {
            let [path, text] = pair(value)?;
            Step::File { path, text }
        }
        "commit" => Step::Commit(value.as_str()?.to_owned()),
        "transcript" => Step::Transcript(value.to_string()),
        "hook" => {
            let payload = value.to_string();
            let (parsed, _) = (throughline_agents::agent::USUAL.hooks.read)(payload.as_bytes());
            Step::Hook { event: parsed.event_name, session: parsed.session_id, payload }
        }
        "agent" => Step::Agent(texts(value)?),
        "summary" => Step::Summary(value.as_str()?.to_owned()),
        "kill" => Step::Kill,
        _ => return None,
    })
}

/// Paths go into parsed texts, not into the line: one with a quotation mark in it must not break the JSON.
fn fill_in(value: &mut Value, places: &[(&str, String)]) {
    match value {
        Value::String(text) => {
            for (mark, path) in places {
                if text.contains(mark) {
                    *text = text.replace(mark, path);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill_in(item, places)),
        Value::Object(fields) => fields.values_mut().for_each(|field| fill_in(field, places)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|text| Some(text.as_str()?.to_owned())).collect()
}

fn pair(value: &Value) -> Option<[String; 2]> {
    texts(value)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recorded_line_is_a_step_and_no_mark_stays() {
        let steps = steps(Path::new("/a \"quoted\" folder"), Path::new("/t"), Path::new("/t/a")).unwrap();
        for step in &steps {
            assert!(!format!("{step:?}").contains('@'), "{step:?}");
        }
        let events: Vec<&str> = steps
            .iter()
            .filter_map(|step| match step {
                Step::Hook { event, .. } => Some(event.as_str()),
                _ => None,
            })
            .collect();
        let compaction = ["UserPromptSubmit", "PreCompact", "SubagentStop", "SessionStart", "PostCompact"];
        assert!(events.windows(5).any(|window| window == compaction), "the client's order: {events:?}");
        assert_eq!(events.first(), Some(&"SessionStart"));
    }
}
