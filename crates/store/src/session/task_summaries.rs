//! Task summaries: one small file per finished task in the client's data folder, in the form that other tools know.

use std::path::Path;
use std::time::SystemTime;

use md5::{Digest, Md5};
use serde::Serialize;
use throughline_domain::summary::TaskSummary;
use throughline_redact as redact;

use crate::door::Spot;
use crate::files::{self, AtPath, Durability, FileError};
use crate::paths::safe_name;

/// Largest summary that is read: ours are some kilobytes.
const SUMMARY_BYTES_MAX: u64 = throughline_domain::limits::SUMMARY_BYTES_MAX;
/// Most names looked at in the folder.
const NAMES_MAX: usize = 20_000;
/// Largest list of a session's summaries.
const INDEX_BYTES_MAX: u64 = throughline_domain::limits::SUMMARY_INDEX_BYTES_MAX;
/// Digits of a file's name; other tools cut it to the second length.
const DIGITS: usize = 32;
const SHORT_DIGITS: usize = 12;

/// The summaries in a client's configuration folder.
#[derive(Debug, Clone)]
pub struct TaskSummaries {
    summaries: Spot,
    checks: Spot,
}

/// A summary on disk.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptSummary {
    /// The file's name without its ending.
    pub id: String,
    /// When it was written.
    pub modified: SystemTime,
    /// What it says.
    pub summary: TaskSummary,
}

impl TaskSummaries {
    /// The summaries of a client; nothing is created yet.
    #[must_use]
    pub fn of(claude_folder: &Path) -> Self {
        let data = Spot::root(claude_folder).join("data");
        Self { summaries: data.join("compressed_context"), checks: data.join("context_queue") }
    }

    /// The summary of a task, if there is one that can be read.
    #[must_use]
    pub fn read(&self, session_id: &str, task_id: &str) -> Option<TaskSummary> {
        let id = file_id(session_id, task_id);
        let belongs = |it: &TaskSummary| it.session_id == session_id && it.task_id == task_id;
        [DIGITS, SHORT_DIGITS].into_iter().find_map(|digits| self.read_file(&id[..digits]).filter(belongs))
    }

    /// Keeps summaries of one session that are not kept yet, redacted; a file that was cut short is written again.
    /// Of more than `count_max` the oldest go. `session_folder` is where the list of them is kept.
    pub fn keep(
        &self,
        session_folder: &Spot,
        new: &[TaskSummary],
        count_max: usize,
    ) -> Result<usize, FileError> {
        let new = &new[new.len().saturating_sub(count_max)..];
        let mut kept = kept_ids(session_folder);
        let (known, mut written) = (kept.clone(), 0);
        for summary in new {
            if self.read(&summary.session_id, &summary.task_id).is_none() {
                let id = file_id(&summary.session_id, &summary.task_id);
                write_json(&self.file(&id), summary)?;
                written += 1;
            }
            if !kept.contains(&summary.task_id) {
                kept.push(summary.task_id.clone());
            }
        }
        if let Some(session_id) = new.first().map(|summary| summary.session_id.as_str()) {
            for task_id in kept.drain(..kept.len().saturating_sub(count_max)) {
                let _ = self.file(&file_id(session_id, &task_id)).unlink();
            }
        }
        if kept != known {
            write_json(&index_file(session_folder), &kept)?;
        }
        Ok(written)
    }

    /// Every summary that can be read, newest first.
    #[must_use]
    pub fn all(&self) -> Vec<KeptSummary> {
        let mut all: Vec<KeptSummary> = self.ids().into_iter().filter_map(|id| self.kept(id)).collect();
        all.sort_by(|left, right| right.modified.cmp(&left.modified).then_with(|| left.id.cmp(&right.id)));
        all
    }

    fn kept(&self, id: String) -> Option<KeptSummary> {
        let summary = self.read_file(&id)?;
        let modified = self.file(&id).meta().ok()?.modified();
        Some(KeptSummary { id, modified, summary })
    }

    /// Removes the summaries of a session, or all, broken ones included; says how many. Other files are left alone.
    pub fn clear(&self, session_id: Option<&str>) -> Result<usize, FileError> {
        let mut removed = 0;
        for id in self.ids() {
            let concerns = session_id
                .is_none_or(|session| self.read_file(&id).is_some_and(|it| it.session_id == session));
            if concerns {
                files::remove(&self.file(&id))?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    /// Keeps a summary that was made elsewhere, where there is none of its task; says whether it is new.
    pub fn adopt(&self, summary: &TaskSummary) -> Result<bool, FileError> {
        if self.read(&summary.session_id, &summary.task_id).is_some() {
            return Ok(false);
        }
        write_json(&self.file(&file_id(&summary.session_id, &summary.task_id)), summary).map(|()| true)
    }

    /// Removes summaries by the names of their files.
    pub fn remove(&self, ids: &[String]) -> Result<(), FileError> {
        ids.iter().try_for_each(|id| files::remove(&self.file(&safe_name(id))))
    }

    /// Notes for other tools at which turn a session was last looked at.
    pub fn note_check(&self, session_id: &str, turn: u64) -> Result<(), FileError> {
        write_json(&self.check_file(session_id), &serde_json::json!({ "last_check_turn": turn }))
    }

    /// Forgets that a session was looked at.
    pub fn forget_check(&self, session_id: &str) {
        // For other tools only; what is not there is forgotten.
        let _ = self.check_file(session_id).unlink();
    }

    fn check_file(&self, session_id: &str) -> Spot {
        self.checks.join(format!("{}_state.json", safe_name(session_id)))
    }

    fn file(&self, id: &str) -> Spot {
        self.summaries.join(format!("{id}.json"))
    }

    fn read_file(&self, id: &str) -> Option<TaskSummary> {
        let bytes = files::read_limited(&self.file(id), SUMMARY_BYTES_MAX).ok()??;
        let summary: TaskSummary = serde_json::from_slice(&bytes).ok()?;
        (!summary.subject.is_empty()).then_some(summary)
    }

    /// The names that are a hash, as summaries have it.
    fn ids(&self) -> Vec<String> {
        let names = self.summaries.list(NAMES_MAX).into_iter().filter_map(|it| it.name.into_string().ok());
        let is_hash = |id: &str| {
            matches!(id.len(), DIGITS | SHORT_DIGITS)
                && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        names
            .filter_map(|name| name.strip_suffix(".json").filter(|id| is_hash(id)).map(str::to_owned))
            .collect()
    }
}

/// The tasks of a session that have a summary, oldest first.
#[must_use]
pub fn kept_ids(session_folder: &Spot) -> Vec<String> {
    let bytes = files::read_limited(&index_file(session_folder), INDEX_BYTES_MAX).ok().flatten();
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

fn index_file(session_folder: &Spot) -> Spot {
    session_folder.join("summarised.json")
}

/// `md5(session_id:task_id)` in hexadecimal digits.
fn file_id(session_id: &str, task_id: &str) -> String {
    let hash = Md5::digest(format!("{session_id}:{task_id}"));
    format!("{:032x}", u128::from_be_bytes(hash.into()))
}

fn write_json(path: &Spot, value: &impl Serialize) -> Result<(), FileError> {
    let mut value = serde_json::to_value(value).map_err(std::io::Error::other).at("encode", path)?;
    redact::json(&mut value);
    let mut bytes = serde_json::to_vec_pretty(&value).map_err(std::io::Error::other).at("encode", path)?;
    bytes.push(b'\n');
    if let Some(folder) = path.parent() {
        files::create_folder(&folder)?;
    }
    files::replace(path, &bytes, Durability::Quick)
}
