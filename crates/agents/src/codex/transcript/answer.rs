//! Answer: how a call ended, with the words by which every agent's answers are known.

use std::borrow::Cow;

use throughline_domain::fragment;
use throughline_domain::transcript::{Escaped, ToolAnswer};

use super::outputs::holds;

/// Most pieces of one answer.
const PIECES_MAX: usize = 1_024;

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Well,
    Failed,
    /// It goes on in the background.
    Running,
    /// The user said no.
    Refused,
    /// The user stopped it.
    Aborted,
    /// The client could not.
    NotRun,
    /// The client would not.
    NotAllowed,
}

impl Ending {
    /// What the answer begins with, where the client says it in other words.
    fn sign(self) -> Option<&'static str> {
        match self {
            Self::Refused => Some("User rejected this call"),
            Self::Aborted => Some("Command was aborted by the user"),
            Self::NotRun => Some("<tool_use_error>"),
            Self::NotAllowed => Some("Blocked by the client"),
            Self::Well | Self::Failed | Self::Running => None,
        }
    }
}

/// An answer; what we put into its text is left out.
pub(super) fn answer<'a>(call_id: Cow<'a, str>, ending: Ending, body: Vec<&'a str>) -> ToolAnswer<'a> {
    let mut text = Escaped::default();
    text.pieces.extend(ending.sign());
    for piece in body {
        push(piece, &mut text);
    }
    let is_error = !matches!(ending, Ending::Well | Ending::Aborted);
    ToolAnswer { call_id, text, is_error, ..ToolAnswer::default() }
}

fn push<'a>(mut rest: &'a str, text: &mut Escaped<'a>) {
    while holds(rest, fragment::OPEN)
        && let Some((begin, end)) = fragment::find(rest)
    {
        push_piece(&rest[..begin], text);
        rest = &rest[end..];
    }
    push_piece(rest, text);
}

fn push_piece<'a>(piece: &'a str, text: &mut Escaped<'a>) {
    if !piece.trim_start_matches("\\n").is_empty() && text.pieces.len() < PIECES_MAX {
        text.pieces.push(piece);
    }
}
