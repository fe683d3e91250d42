//! What a transcript tells, whatever agent wrote it: one entry per line, borrowed from the line it stands in.

use std::borrow::Cow;

pub use crate::escaped::{Escaped, Mask, unescape};

/// One line of a transcript that means something to us.
#[derive(Debug, Clone, PartialEq)]
pub struct Line<'a> {
    /// The line's own id, where it has one: a copied line has the same.
    pub uuid: Option<&'a str>,
    /// The session that wrote it, where it says so.
    pub session: Option<&'a str>,
    /// When, as written.
    pub timestamp: Option<&'a str>,
    /// The folder the agent worked in.
    pub cwd: Option<Cow<'a, str>>,
    /// Part of a subagent's conversation, not of the main one.
    pub is_sidechain: bool,
    /// What it says.
    pub what: What<'a>,
}

/// What a line says.
#[derive(Debug, Clone, PartialEq)]
pub enum What<'a> {
    /// The user typed this (also while the agent was busy).
    UserSaid(Cow<'a, str>),
    /// The user typed this while the agent was busy. The same words may come again as [`What::UserSaid`], when the
    /// client hands them over as a message of their own; older clients never repeat them.
    Queued(Cow<'a, str>),
    /// The user stopped the agent.
    Interrupted,
    /// A part of one response of the model; several lines may share a message id.
    Responded {
        /// The response's id.
        message_id: Option<&'a str>,
        /// The model's name.
        model: Option<&'a str>,
        /// Tokens in the context, as the server reported.
        context_tokens: Option<u64>,
        /// What it consists of.
        blocks: Vec<Block<'a>>,
    },
    /// Answers of tools.
    ToolsAnswered(Vec<ToolAnswer<'a>>),
    /// A slash command and its arguments.
    Command {
        /// `/compact`
        name: Cow<'a, str>,
        /// What stood behind it.
        args: Cow<'a, str>,
    },
    /// The context was compacted here.
    Compacted {
        /// `auto` or `manual`.
        trigger: Option<&'a str>,
        /// Tokens before.
        tokens_before: Option<u64>,
        /// Tokens after.
        tokens_after: Option<u64>,
    },
    /// The summary that took the conversation's place.
    Summary(Cow<'a, str>),
}

/// A part of a response.
#[derive(Debug, Clone, PartialEq)]
pub enum Block<'a> {
    /// The model said this.
    Said(Cow<'a, str>),
    /// The model called a tool.
    Called(Box<ToolCall<'a>>),
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolCall<'a> {
    /// The call's id.
    pub id: Cow<'a, str>,
    /// What the tool does.
    pub tool: Tool,
    /// The tool's name.
    pub name: Cow<'a, str>,
    /// The file it reads or changes, or the folder it searches.
    pub path: Option<Cow<'a, str>>,
    /// The command line it runs.
    pub command: Option<Cow<'a, str>>,
    /// What it searches for.
    pub pattern: Option<Cow<'a, str>>,
    /// The text it replaces, or the beginning of what it writes.
    pub text: Option<Cow<'a, str>>,
    /// The beginning of what it writes in the place of `text`.
    pub written: Option<Cow<'a, str>>,
    /// What it is for, in the agent's words (a description, a prompt, a task's subject).
    pub purpose: Option<Cow<'a, str>>,
    /// The task it speaks of.
    pub task_id: Option<Cow<'a, str>>,
    /// The state it puts that task into.
    pub status: Option<Cow<'a, str>>,
    /// A whole list of tasks (subject, status).
    pub todos: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}

/// What a tool does, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tool {
    /// Runs a command line.
    Shell,
    /// Reads a file.
    Read,
    /// Changes a file.
    Edit,
    /// Writes a file.
    Write,
    /// Searches files by content or name.
    Search,
    /// Creates a task.
    TaskCreate,
    /// Changes a task.
    TaskUpdate,
    /// Replaces the list of tasks.
    TodoWrite,
    /// Starts a subagent.
    Agent,
    /// Asks the user.
    AskUser,
    /// Shows a plan.
    Plan,
    /// One of a server that somebody else wrote: whatever it answers, failures included, is its own text.
    Server,
    /// Anything else.
    #[default]
    Other,
}

/// A tool's answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolAnswer<'a> {
    /// The call it answers.
    pub call_id: Cow<'a, str>,
    /// The text, still as the line spells it: most of it is never looked at.
    pub text: Escaped<'a>,
    /// The agent's client says that it failed.
    pub is_error: bool,
    /// The id that a new task got.
    pub task_id: Option<Cow<'a, str>>,
    /// What the user said with it: why a call was refused, words beside the answer.
    pub user_said: Option<Cow<'a, str>>,
    /// The user stopped the agent with it.
    pub is_interrupted: bool,
    /// What the questions were answered, if the call was one that asks the user: any tool can answer in this form.
    pub answers: Option<Cow<'a, str>>,
}
