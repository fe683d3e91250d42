//! Transcript: writes a session's file as the client does, line by line.

use std::{
    fs::{self, File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::{
    client::{CLIENT_VERSION, MODEL_WITH_REMINDERS},
    home::TempHome,
    script::Usage,
};

/// A transcript being written. Each line is on disk when the call returns.
#[derive(Debug)]
pub struct Transcript {
    path: PathBuf,
    file: File,
    session_id: String,
    project: PathBuf,
    parent: Option<String>,
    lines: u32,
    tool_calls: u32,
    now: Timestamp,
    used_tokens: u64,
}

impl Transcript {
    /// Begins or goes on with the transcript of a session of this home's project, at the present time.
    #[must_use]
    pub fn new(home: &TempHome, session_id: &str) -> Self {
        let path = home.transcript_path(session_id);
        fs::create_dir_all(path.parent().expect("the transcripts' folder")).expect("the transcripts' folder");
        let file =
            OpenOptions::new().create(true).append(true).open(&path).expect("a transcript to append to");
        Self {
            path,
            file,
            session_id: session_id.to_owned(),
            project: home.project(),
            parent: None,
            lines: 0,
            tool_calls: 0,
            now: Timestamp::now(),
            used_tokens: 0,
        }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The next lines carry this time; each one a millisecond more than the line before.
    pub fn at(&mut self, now: Timestamp) -> &mut Self {
        self.now = now;
        self
    }

    /// The user's prompt.
    pub fn user(&mut self, text: &str) -> &mut Self {
        self.entry(json!({
            "type": "user",
            "message": {"role": "user", "content": text},
            "permissionMode": "acceptEdits",
            "promptSource": "sdk",
        }))
    }

    /// The model's words.
    pub fn assistant(&mut self, text: &str, usage: Usage) -> &mut Self {
        self.answer(&json!({"type": "text", "text": text}), "end_turn", usage)
    }

    /// A tool call with its result. The client writes one entry per block.
    pub fn tool(&mut self, name: &str, input: &Value, result: &str, usage: Usage) -> &mut Self {
        let id = self.tool_call(name, input, usage);
        self.tool_result(&id, result, false)
    }

    /// A tool call alone; gives back its id.
    pub fn tool_call(&mut self, name: &str, input: &Value, usage: Usage) -> String {
        self.tool_calls += 1;
        let id = format!("toolu_test{:06}", self.tool_calls);
        self.answer(&json!({"type": "tool_use", "id": id, "name": name, "input": input}), "tool_use", usage);
        id
    }

    /// The result of a tool call.
    pub fn tool_result(&mut self, id: &str, text: &str, failed: bool) -> &mut Self {
        let result = json!({"tool_use_id": id, "type": "tool_result", "content": text, "is_error": failed});
        let detail = if failed {
            json!(format!("Error: {text}"))
        } else {
            json!({"stdout": text, "stderr": "", "interrupted": false, "isImage": false})
        };
        let assistant = self.parent.clone();
        self.entry(json!({
            "type": "user",
            "message": {"role": "user", "content": [result]},
            "toolUseResult": detail,
            "sourceToolAssistantUUID": assistant,
        }))
    }

    /// A compaction: the boundary, then the summary as the next session part's first message.
    pub fn compaction(&mut self, trigger: &str, summary: &str) -> &mut Self {
        let before = self.parent.take();
        let after_tokens = self.used_tokens.min(2_700);
        let metadata = json!({
            "trigger": trigger,
            "preTokens": self.used_tokens,
            "postTokens": after_tokens,
            "cumulativeDroppedTokens": self.used_tokens - after_tokens,
            "durationMs": 900,
        });
        self.entry(json!({
            "logicalParentUuid": before,
            "type": "system",
            "subtype": "compact_boundary",
            "content": "Conversation compacted",
            "level": "info",
            "compactMetadata": metadata,
        }));
        self.used_tokens = after_tokens;
        let opening = "This session is being continued from a previous conversation that ran out of context.";
        let text = format!("{opening}\n\nSummary:\n{summary}\n");
        self.entry(json!({
            "type": "user",
            "message": {"role": "user", "content": text},
            "isVisibleInTranscriptOnly": true,
            "isCompactSummary": true,
        }))
    }

    /// Any line as it is, for what this builder does not know, broken lines included.
    pub fn raw(&mut self, line: &str) -> &mut Self {
        writeln!(self.file, "{line}").expect("a transcript that can be appended to");
        self
    }

    fn answer(&mut self, block: &Value, stop_reason: &str, usage: Usage) -> &mut Self {
        self.used_tokens = usage.input + usage.cache_creation + usage.cache_read + usage.output;
        self.entry(json!({
            "message": {
                "id": format!("msg_test{:06}", self.lines),
                "type": "message",
                "role": "assistant",
                "model": MODEL_WITH_REMINDERS,
                "content": [block],
                "stop_reason": stop_reason,
                "stop_sequence": null,
                "usage": usage.to_json(),
            },
            "type": "assistant",
        }))
    }

    /// Writes an entry between the fields that every entry has.
    fn entry(&mut self, fields: Value) -> &mut Self {
        self.lines += 1;
        let session =
            self.session_id.bytes().fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        let uuid = format!("{session:08x}-0000-4000-8000-{:012x}", self.lines);
        let mut line = json!({"parentUuid": self.parent, "isSidechain": false});
        let common = json!({
            "uuid": uuid,
            "timestamp": format!("{:.3}", self.now),
            "userType": "external",
            "entrypoint": "sdk-cli",
            "cwd": self.project,
            "sessionId": self.session_id,
            "version": CLIENT_VERSION,
            "gitBranch": "main",
        });
        for part in [fields, common] {
            if let (Value::Object(line), Value::Object(part)) = (&mut line, part) {
                line.extend(part);
            }
        }
        self.parent = Some(uuid);
        self.now += SignedDuration::from_millis(1);
        self.raw(&line.to_string())
    }
}
