//! An agent, as one value: how its hooks speak, its transcripts are read, its status line is called. A row for each.

use throughline_domain::Problem;
use throughline_domain::context::Moment;
use throughline_domain::transcript::Line;

use crate::claude_code;
use crate::codex;
use crate::compaction_point::CompactionPoint;
use crate::gemini;
use crate::hook::{HookPayload, Reply};
use crate::opencode;
use crate::status_line::StatuslinePayload;
use crate::transcript::{Carried, LastUsage};
use crate::usage_line::UsageLine;

/// A coding agent. Chosen once, where its client comes in, and handed on: nothing else asks which one it is.
#[derive(Debug)]
pub struct Agent {
    /// Its name in what is stored.
    pub id: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// How its hooks speak.
    pub hooks: HookDialect,
    /// Where its client keeps its things: what a variable names, else all that follow and are there.
    pub folders: &'static [ClientFolder],
    /// How its transcripts are read.
    pub transcripts: TranscriptFormat,
    /// Where its contexts end.
    pub compaction: CompactionRule,
    /// The variable of a hook's environment that names the client's process, where there is one.
    pub process_variable: Option<&'static str>,
    /// How its status line's payload is read; `None` where it has no status line that runs a program.
    pub status_line: Option<ReadStatusLine>,
}

/// Reads a status line's payload; `None` when it is none, or says nothing that we know.
pub type ReadStatusLine = fn(&[u8]) -> Option<StatuslinePayload>;

/// Reads one line, with or without its line end, and gives what it tells, which may be several things.
pub type ReadLine = for<'l> fn(&'l [u8], &'l mut Carried, &mut dyn FnMut(Line<'l>)) -> Option<Problem>;

/// Reads what a line says about use. One that speaks of it and cannot be read is a problem.
pub type ReadUsage = for<'l> fn(&'l [u8], &'l mut Carried, &mut dyn FnMut(UsageLine<'l>)) -> Option<Problem>;

/// Gives what names the last compaction in a stretch of a transcript: the same wherever the client repeats it.
pub type NameCompaction = for<'s> fn(&'s [u8]) -> Option<&'s str>;

/// A folder of a client.
#[derive(Debug, Clone, Copy)]
pub enum ClientFolder {
    /// The folders that a variable of the environment lists, and this one below each of them; itself where that is empty.
    Named(&'static str, &'static str),
    /// Below the user's folder for configuration.
    Config(&'static str),
    /// Below the user's home folder.
    Home(&'static str),
}

/// How it is known where an agent's context ends.
#[derive(Debug, Clone, Copy)]
pub enum CompactionRule {
    /// By settings that the user may change at any time, which are read.
    Settings,
    /// By the model, and by what its client tells of the window.
    Told(fn(&ToldContext<'_>) -> CompactionPoint),
}

/// What a client tells about the context's end.
#[derive(Debug, Clone, Copy, Default)]
pub struct ToldContext<'t> {
    /// The model.
    pub model: Option<&'t str>,
    /// Its window, in tokens.
    pub window: Option<u64>,
    /// Where it will compact, in tokens.
    pub compacts_at: Option<u64>,
}

/// How an agent's hooks speak.
#[derive(Debug)]
pub struct HookDialect {
    /// Reads a payload. Broken off or malformed, it gives what stood before the break, and the problem.
    pub read: fn(&[u8]) -> (HookPayload, Option<Problem>),
    /// The bytes for standard output, in the form in which this event's text reaches the model; none where it would not.
    pub encode: fn(&Reply, &HookPayload) -> String,
    /// Whether its hooks bring the summary of a compaction; else it is looked up in the transcript.
    pub brings_summary: bool,
    /// What becomes of what a start is told.
    pub start_text: StartText,
}

/// What becomes of what a session's start is told, when the session is resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartText {
    /// It stays in the context.
    Stays,
    /// It is lost, and is told again.
    IsLost,
    /// It is lost, and the prompt beside it: a start waits for the prompt there, and speaks behind it, where it stays.
    Waits,
}

/// How an agent's transcripts are read: lines, one after the other.
#[derive(Debug)]
pub struct TranscriptFormat {
    /// Reads one line.
    pub read_line: ReadLine,
    /// The usage of the last response of the main conversation, in a transcript's end.
    pub last_usage: fn(&[u8]) -> Option<LastUsage>,
    /// What one line tells about how full the context is.
    pub moment: fn(&[u8]) -> Option<Moment>,
    /// Gives what one line says about use, which may be several things.
    pub usage: ReadUsage,
    /// What names the last compaction in a stretch of a transcript, which may begin and end anywhere, for clients that have no hook
    /// for it.
    pub compaction_in: Option<NameCompaction>,
    /// Where they are kept.
    pub kept: Kept,
    /// The session of a transcript, by its name without the ending.
    pub session_of: fn(&str) -> &str,
    /// The folder of a project's transcripts, by the project's path; `None` where they are not kept by projects.
    pub project_folder: Option<fn(&str) -> String>,
}

/// Where an agent keeps its transcripts.
#[derive(Debug, Clone, Copy)]
pub enum Kept {
    /// As files of lines, somewhere below this folder in the client's own.
    Files {
        /// The folder.
        below: &'static str,
        /// Whether a file of this name is one.
        is_one: fn(&str) -> bool,
    },
    /// As rows of a database in the client's folder.
    Rows(&'static RowFormat),
}

/// Transcripts in a database: what is asked of it.
#[derive(Debug)]
pub struct RowFormat {
    /// The database's file.
    pub database: &'static str,
    /// `SELECT id, folder, last position, last change in ms` of every session.
    pub sessions: &'static str,
    /// `SELECT position, line` of session `?1` behind position `?2`, in order.
    pub lines: &'static str,
}

/// Claude Code.
pub static CLAUDE_CODE: Agent = Agent {
    id: "claude-code",
    title: "Claude Code",
    hooks: HookDialect {
        read: claude_code::hook_payload::parse,
        encode: |reply, payload| claude_code::hook_reply::encode(reply, payload.event, &payload.event_name),
        brings_summary: true,
        start_text: StartText::Stays,
    },
    folders: &[
        ClientFolder::Named("CLAUDE_CONFIG_DIR", ""),
        ClientFolder::Config("claude"),
        ClientFolder::Home(".claude"),
    ],
    transcripts: TranscriptFormat {
        read_line: claude_code::transcript::read_line,
        last_usage: claude_code::transcript_tail::last_usage,
        moment: claude_code::transcript_tail::moment,
        usage: |line, _, take| claude_code::usage_lines::read(line, take),
        compaction_in: None,
        kept: Kept::Files { below: "projects", is_one: |name| name.as_bytes().ends_with(b".jsonl") },
        session_of: |stem| stem,
        project_folder: Some(claude_code::transcript_place::folder_name),
    },
    compaction: CompactionRule::Settings,
    process_variable: Some("CLAUDE_PID"),
    status_line: Some(claude_code::statusline_payload::parse),
};

/// Codex CLI.
pub static CODEX: Agent = Agent {
    id: "codex",
    title: "Codex CLI",
    hooks: HookDialect {
        read: codex::hook_payload::parse,
        encode: |reply, payload| codex::hook_reply::encode(reply, payload.event, &payload.event_name),
        brings_summary: false,
        start_text: StartText::Stays,
    },
    folders: &[ClientFolder::Named("CODEX_HOME", ""), ClientFolder::Home(".codex")],
    transcripts: TranscriptFormat {
        read_line: codex::transcript::read_line,
        last_usage: codex::transcript_tail::last_usage,
        moment: codex::transcript_tail::moment,
        usage: codex::usage_lines::read,
        compaction_in: None,
        kept: Kept::Files {
            below: codex::transcript_place::FOLDER,
            is_one: codex::transcript_place::is_rollout,
        },
        session_of: codex::transcript_place::session_of,
        project_folder: None,
    },
    compaction: CompactionRule::Told(codex::compaction_point::of),
    process_variable: None,
    status_line: None,
};

/// Gemini CLI.
pub static GEMINI: Agent = Agent {
    id: "gemini",
    title: "Gemini CLI",
    hooks: HookDialect {
        read: gemini::hook_payload::parse,
        encode: gemini::hook_reply::encode,
        brings_summary: false,
        start_text: StartText::Waits,
    },
    folders: &[ClientFolder::Named("GEMINI_CLI_HOME", ".gemini"), ClientFolder::Home(".gemini")],
    transcripts: TranscriptFormat {
        read_line: gemini::transcript::read_line,
        last_usage: gemini::transcript_tail::last_usage,
        moment: gemini::transcript_tail::moment,
        usage: gemini::usage_lines::read,
        compaction_in: Some(gemini::transcript_tail::compression),
        kept: Kept::Files { below: "tmp", is_one: gemini::transcript_place::is_session },
        session_of: gemini::transcript_place::session_of,
        // By a name that only the client knows: the session's lines name the folder.
        project_folder: None,
    },
    compaction: CompactionRule::Told(gemini::compaction_point::told),
    process_variable: None,
    status_line: None,
};

/// OpenCode.
pub static OPENCODE: Agent = Agent {
    id: "opencode",
    title: "OpenCode",
    hooks: HookDialect {
        read: opencode::hook_payload::parse,
        encode: opencode::hook_reply::encode,
        brings_summary: true,
        // What our plugin adds to a request is in no message: a new process knows nothing of it.
        start_text: StartText::IsLost,
    },
    folders: &[ClientFolder::Named("XDG_DATA_HOME", "opencode"), ClientFolder::Home(".local/share/opencode")],
    transcripts: TranscriptFormat {
        read_line: opencode::transcript::read_line,
        last_usage: opencode::usage::last_usage,
        moment: opencode::usage::moment,
        usage: opencode::usage::read,
        kept: Kept::Rows(&RowFormat {
            database: opencode::rows::DATABASE,
            sessions: opencode::rows::SESSIONS,
            lines: opencode::rows::LINES,
        }),
        compaction_in: None,
        session_of: |stem| stem,
        project_folder: None,
    },
    compaction: CompactionRule::Told(opencode::compaction_point::point),
    process_variable: None,
    status_line: None,
};

/// Every agent that we know.
pub static AGENTS: [&Agent; 4] = [&CLAUDE_CODE, &CODEX, &GEMINI, &OPENCODE];

/// The agent where nothing names one: hooks and sessions of earlier versions name none.
pub static USUAL: &Agent = &CLAUDE_CODE;

impl Agent {
    /// The agent of this name in what is stored.
    #[must_use]
    pub fn named(id: &str) -> Option<&'static Self> {
        AGENTS.into_iter().find(|agent| agent.id == id)
    }

    /// The agent of a stored session.
    #[must_use]
    pub fn of_session(id: &str) -> &'static Self {
        Self::named(id).unwrap_or(USUAL)
    }
}

impl PartialEq for Agent {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Agent {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_agent_has_a_name_of_its_own_and_is_found_by_it() {
        for agent in AGENTS {
            assert_eq!(Agent::named(agent.id), Some(agent));
            assert!(agent.id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{}", agent.id);
        }
        assert_eq!(Agent::named("nobody"), None);
        assert_eq!(Agent::of_session(""), USUAL);
    }
}
