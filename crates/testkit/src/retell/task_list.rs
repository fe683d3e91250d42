//! The task list, for clients that write it whole each time: Claude Code names one task after the other.

use super::{Call, Ending};

/// A task and how far it is: `pending`, `in_progress` or `completed`.
pub(super) type Task = (String, String);

/// The tasks so far.
#[derive(Debug, Clone, Default)]
pub(super) struct TaskList(Vec<(String, Task)>);

impl TaskList {
    /// Takes a call that is about tasks; gives the list after it. `None` for any other call, and one that changed nothing.
    pub(super) fn after(&mut self, call: &Call) -> Option<Vec<Task>> {
        if call.answer.as_ref().is_some_and(|answer| answer.ending != Ending::Well) {
            return None;
        }
        match call.name.as_str() {
            "TodoWrite" => {
                let rows = call.input["todos"].as_array().into_iter().flatten();
                let text = |row: &serde_json::Value, name: &str| row[name].as_str().map(str::to_owned);
                let task = |(number, row): (usize, &serde_json::Value)| {
                    let status = text(row, "status").unwrap_or_else(|| "pending".to_owned());
                    Some((format!("list {number}"), (text(row, "content")?, status)))
                };
                self.0 = rows.enumerate().filter_map(task).collect();
            }
            "TaskCreate" => {
                let subject = call.text("subject")?.to_owned();
                let answer = call.answer.as_ref().map_or("", |answer| answer.text.as_str());
                let id = answer.strip_prefix("Task #").and_then(|rest| rest.split(' ').next());
                let id = id.map_or_else(|| (self.0.len() + 1).to_string(), str::to_owned);
                self.0.push((id, (subject, "pending".to_owned())));
            }
            "TaskUpdate" => {
                let id = call.input["taskId"].as_str()?;
                let at = self.0.iter().position(|(known, _)| known == id)?;
                match call.text("status") {
                    Some("deleted") => drop(self.0.remove(at)),
                    Some(status) => status.clone_into(&mut self.0[at].1.1),
                    None => return None,
                }
            }
            _ => return None,
        }
        Some(self.0.iter().map(|(_, task)| task.clone()).collect())
    }
}
