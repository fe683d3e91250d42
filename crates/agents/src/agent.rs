//! An agent, as one value: how its hooks speak, its transcripts are read, its status line is called. A row for each.

use throughline_domain::Problem;
use throughline_domain::context::Moment;

use crate::claude_code;
use crate::hook::{HookPayload, Reply};
use crate::status_line::StatuslinePayload;
use crate::transcript::{LastUsage, Parsed};
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
    /// How its transcripts are read.
    pub transcripts: TranscriptFormat,
    /// How its status line's payload is read; `None` where it has no status line that runs a program.
    pub status_line: Option<ReadStatusLine>,
}

/// Reads a status line's payload; `None` when it is none, or says nothing that we know.
pub type ReadStatusLine = fn(&[u8]) -> Option<StatuslinePayload>;

/// Reads what a line says about use. One that speaks of it and cannot be read is a problem.
pub type ReadUsage = for<'l> fn(&'l [u8], &mut dyn FnMut(UsageLine<'l>)) -> Option<Problem>;

/// How an agent's hooks speak.
#[derive(Debug)]
pub struct HookDialect {
    /// Reads a payload. Broken off or malformed, it gives what stood before the break, and the problem.
    pub read: fn(&[u8]) -> (HookPayload, Option<Problem>),
    /// The bytes for standard output, in the form in which this event's text reaches the model; none where it would not.
    pub encode: fn(&Reply, &HookPayload) -> String,
}

/// How an agent's transcripts are read: lines, of which each tells something by itself.
#[derive(Debug)]
pub struct TranscriptFormat {
    /// Reads one line, with or without its line end.
    pub read_line: for<'l> fn(&'l [u8]) -> Parsed<'l>,
    /// The usage of the last response of the main conversation, in a transcript's end.
    pub last_usage: fn(&[u8]) -> Option<LastUsage>,
    /// What one line tells about how full the context is.
    pub moment: fn(&[u8]) -> Option<Moment>,
    /// Gives what one line says about use, which may be several things.
    pub usage: ReadUsage,
    /// The folder of a project's transcripts, below the client's own, by the project's path.
    pub project_folder: fn(&str) -> String,
}

/// Claude Code.
pub static CLAUDE_CODE: Agent = Agent {
    id: "claude-code",
    title: "Claude Code",
    hooks: HookDialect {
        read: claude_code::hook_payload::parse,
        encode: |reply, payload| claude_code::hook_reply::encode(reply, payload.event, &payload.event_name),
    },
    transcripts: TranscriptFormat {
        read_line: claude_code::transcript::parse_line,
        last_usage: claude_code::transcript_tail::last_usage,
        moment: claude_code::transcript_tail::moment,
        usage: claude_code::usage_lines::read,
        project_folder: claude_code::transcript_place::folder_name,
    },
    status_line: Some(claude_code::statusline_payload::parse),
};

/// Every agent that we know.
pub static AGENTS: [&Agent; 1] = [&CLAUDE_CODE];

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
