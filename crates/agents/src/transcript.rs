//! Transcripts: what a line of any agent's comes to.

use serde::{Deserialize, Serialize};
use throughline_domain::transcript::Line;
use throughline_domain::{Problem, Timestamp};

/// What earlier lines of a transcript said that later ones rest on. Kept with the cursor between two readings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Carried {
    /// The session whose transcript it is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// The folder that it works in.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub cwd: String,
    /// The model that answers.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// The message told last, and how much of it: some clients write a message again when more of it is known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// How much of that message was told.
    #[serde(skip_serializing_if = "is_zero")]
    pub told: u64,
    /// The last summary that took a conversation's place, by its id or its mark.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// Whether it is a subagent's conversation.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_sidechain: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Carried {
    /// As text, for whoever keeps it; empty where there is nothing to carry.
    #[must_use]
    pub fn text(&self) -> String {
        if *self == Self::default() { String::new() } else { serde_json::to_string(self).unwrap_or_default() }
    }

    /// What such a text says; nothing where it is damaged.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        if text.is_empty() { Self::default() } else { serde_json::from_str(text).unwrap_or_default() }
    }
}

/// What a line turned out to be.
#[derive(Debug, Clone, PartialEq)]
pub enum Parsed<'a> {
    /// It says something.
    Line(Line<'a>),
    /// It is sound, and means nothing to us.
    Nothing,
    /// It could not be understood; only this line is lost.
    Problem(Problem),
}

/// What the server reported with one response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastUsage {
    /// Tokens in the context: input, cache writes and cache reads.
    pub context_tokens: u64,
    /// The model that answered.
    pub model: Option<String>,
    /// When it answered, where the line says so.
    pub at: Option<Timestamp>,
    /// The model's window, where the client writes it down.
    pub window: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_carried_survives_being_written_down() {
        let carried = Carried { model: "m".to_owned(), told: 3, ..Carried::default() };
        assert_eq!(Carried::from_text(&carried.text()), carried);
        assert_eq!(
            (Carried::default().text(), Carried::from_text("nonsense")),
            (String::new(), Carried::default())
        );
    }
}
