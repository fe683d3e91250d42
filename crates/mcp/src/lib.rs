//! MCP: what is offered to a client of the Model Context Protocol, what a call may say, how an answer travels.
//!
//! The room knows the protocol alone. What a tool does is behind [`Desk`]: the binary sits there.

pub mod call;
pub mod catalogue;
mod opening;
mod server;
mod stdin;
mod stdout;

pub use server::{Desk, serve};

/// The answer to a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// What the agent reads; it pays for every word.
    pub text: String,
    /// The same for programs, where that is of use.
    pub structured: Option<serde_json::Value>,
}

impl Answer {
    /// An answer in words.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), structured: None }
    }
}

/// Why something was not done, and what to do instead. The agent reads it, and can do better.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What was tried, on what, why not.
    pub message: String,
    /// What now.
    pub hint: Option<String>,
}

impl Refusal {
    /// A refusal without a hint.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    /// As it is shown.
    #[must_use]
    pub fn shown(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{}\nhint: {hint}", self.message),
            None => self.message.clone(),
        }
    }
}
