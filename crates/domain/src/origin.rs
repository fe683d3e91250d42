//! Who an entry came from.

use serde::{Deserialize, Serialize};

/// Where the words of an entry come from; the archive keeps it for each one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// A person, through a verb in a terminal.
    User,
    /// The agent, through a verb or its transcript.
    Assistant,
    /// A tool's output.
    Tool,
    /// Somebody edited the state file.
    Hand,
    /// Another program's file.
    Import,
}

impl Origin {
    /// The word the archive stores.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::Hand => "hand",
            Self::Import => "import",
        }
    }
}
