//! What a transcript tells, whatever agent wrote it: one entry per line, borrowed from the line it stands in.

use std::borrow::Cow;

/// One line of a transcript that means something to us.
#[derive(Debug, Clone, PartialEq)]
pub struct Line<'a> {
    /// The line's own id, where it has one: a copied line has the same.
    pub uuid: Option<&'a str>,
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
}

/// Text as JSON strings spell it (without the quotes): several pieces, decoded only when somebody wants to read them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Escaped<'a> {
    /// The pieces, each the inside of a JSON string.
    pub pieces: Vec<&'a str>,
}

impl Escaped<'_> {
    /// Bytes as written.
    #[must_use]
    pub fn raw_bytes(&self) -> usize {
        self.pieces.iter().map(|piece| piece.len()).sum()
    }

    /// The first `bytes_max` bytes and the last `bytes_max`, decoded; a mark stands for what is left out.
    #[must_use]
    pub fn head_and_tail(&self, bytes_max: usize) -> String {
        let mut whole = String::new();
        for piece in &self.pieces {
            if !whole.is_empty() {
                whole.push('\n');
            }
            if piece.len() <= bytes_max * 2 {
                unescape_into(piece, &mut whole);
            } else {
                unescape_into(safe_head(piece, bytes_max), &mut whole);
                whole.push_str("\n…\n");
                unescape_into(safe_tail(piece, bytes_max), &mut whole);
            }
            if whole.len() > bytes_max * 4 {
                break;
            }
        }
        whole
    }
}

/// The beginning of an escaped text, not cut inside a character or an escape.
fn safe_head(piece: &str, bytes: usize) -> &str {
    &piece[..boundaries_around(piece, bytes.min(piece.len())).0]
}

/// The end of an escaped text, not cut inside a character or an escape; from a whole line, where one begins in it.
fn safe_tail(piece: &str, bytes: usize) -> &str {
    let tail = &piece[boundaries_around(piece, piece.len().saturating_sub(bytes)).1..];
    match tail.find("\\n") {
        Some(at) if !tail[..at].ends_with('\\') => &tail[at + 2..],
        _ => tail,
    }
}

/// The nearest places at or before, and at or after, `at` that are not inside a character or an escape.
fn boundaries_around(piece: &str, at: usize) -> (usize, usize) {
    let bytes = piece.as_bytes();
    // An escape has at most twelve bytes (a surrogate pair): where none of the twelve before is a backslash, none is open.
    let mut place = at;
    while place > 0 {
        let window = place.saturating_sub(12);
        match bytes[window..place].iter().position(|byte| *byte == b'\\') {
            Some(found) => place = window + found,
            None if piece.is_char_boundary(place) => break,
            None => place -= 1,
        }
    }
    let mut before = place;
    while place < at {
        before = place;
        place += match (bytes[place], bytes.get(place + 1)) {
            (b'\\', Some(b'u')) if is_high_surrogate(&bytes[place..]) => 12,
            (b'\\', Some(b'u')) => 6,
            (b'\\', _) => 2,
            _ => piece[place..].chars().next().map_or(1, char::len_utf8),
        };
    }
    let after = place.min(bytes.len());
    let after = (after..=bytes.len()).find(|it| piece.is_char_boundary(*it)).unwrap_or(bytes.len());
    (if place == at { at } else { before }, after)
}

fn is_high_surrogate(bytes: &[u8]) -> bool {
    matches!(bytes, [b'\\', b'u', b'd' | b'D', b'8'..=b'9' | b'a'..=b'b' | b'A'..=b'B', ..])
}

/// Decodes JSON escapes; what is no valid escape is taken as it stands.
fn unescape_into(piece: &str, out: &mut String) {
    let quoted = format!("\"{piece}\"");
    match serde_json::from_str::<String>(&quoted) {
        Ok(text) => out.push_str(&text),
        Err(_) => out.push_str(&piece.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_decoded_at_both_ends_only() {
        let middle = "x".repeat(100_000);
        let raw = format!("first\\nsecond {middle} last but one\\nlast \\\"word\\\" \\ud83d\\ude00");
        let text = Escaped { pieces: vec![&raw] }.head_and_tail(64);
        assert!(text.starts_with("first\nsecond"), "{text}");
        assert!(text.ends_with("last \"word\" 😀"), "{text}");
        assert!(text.len() < 400);
    }

    #[test]
    fn a_cut_never_lands_inside_an_escape() {
        for bytes in 1..90 {
            let raw = "a\\u00e9\\\\bé\\n\\ud83d\\ude00c".repeat(40);
            let text = Escaped { pieces: vec![&raw] }.head_and_tail(bytes);
            assert!(!text.contains("\\u") && !text.contains('\u{fffd}'), "{bytes}: {text}");
        }
    }
}
