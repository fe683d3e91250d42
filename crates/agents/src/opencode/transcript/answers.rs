//! Answers: what tools gave back. Their texts stay escaped, in place: most of them are never looked at.

use std::borrow::Cow;

use throughline_domain::transcript::{Escaped, Tool, ToolAnswer, ToolCall};

use super::message::Part;
use super::{tool_input, user_words};
use crate::claude_code::transcript::scan::Raw;

/// Most pieces of one answer: what stands behind so many texts that are not the tool's is not looked at. Most questions.
const PIECES_MAX: usize = 1_024;
const QUESTIONS_MAX: usize = 16;

/// How a call that did not run is told, whatever its client says: the beginnings are those that everything above knows.
const REFUSED: &str = "User rejected this call";
const FORBIDDEN: &str = "Permission denied by a rule of the user";
const STOPPED: &str = "Interrupted";

/// The answers to a part's calls; none while it runs.
pub(super) fn of<'l>(part: &Part<'l>, calls: &[ToolCall<'l>]) -> Vec<ToolAnswer<'l>> {
    let Some(state) = part.state else { return Vec::new() };
    let mut read = State::default();
    for (key, value) in state.members() {
        match key {
            b"status" => read.status = value.inside().unwrap_or_default(),
            b"output" => read.output = value.inside(),
            b"error" => read.error = value.inside(),
            b"metadata" => read.metadata = Some(value),
            b"input" => read.input = Some(value),
            _ => {}
        }
    }
    let Some((first, others)) = calls.split_first() else { return Vec::new() };
    let Some(answer) = read.answer(first) else { return Vec::new() };
    // A patch changes several files, in one call: what holds for one holds for all.
    let others = others.iter().map(|call| ToolAnswer {
        call_id: call.id.clone(),
        text: answer.text.clone(),
        is_error: answer.is_error,
        ..ToolAnswer::default()
    });
    let others: Vec<_> = others.collect();
    std::iter::once(answer).chain(others).collect()
}

#[derive(Default)]
struct State<'l> {
    status: &'l [u8],
    output: Option<&'l [u8]>,
    error: Option<&'l [u8]>,
    metadata: Option<Raw<'l>>,
    input: Option<Raw<'l>>,
}

impl<'l> State<'l> {
    fn answer(&self, call: &ToolCall<'l>) -> Option<ToolAnswer<'l>> {
        let mut answer = ToolAnswer { call_id: call.id.clone(), ..ToolAnswer::default() };
        match self.status {
            b"completed" => {
                self.completed(call, &mut answer);
                push(self.output.unwrap_or_default(), &mut answer.text);
            }
            b"error" => {
                answer.is_error = true;
                let error = text(self.error.unwrap_or_default());
                answer.text.pieces.extend(not_run(error));
                answer.user_said = user_words::behind(error, "with the following feedback: ");
                push(self.error.unwrap_or_default(), &mut answer.text);
            }
            _ => return None,
        }
        Some(answer)
    }

    /// A command's exit code is told beside its output; one without a code was ended before its time.
    fn completed(&self, call: &ToolCall<'l>, answer: &mut ToolAnswer<'l>) {
        let metadata = self.metadata;
        if call.tool == Tool::Shell {
            let exit = metadata.and_then(|metadata| metadata.member(b"exit"));
            answer.is_error = exit.is_some_and(|exit| exit.0 != b"0");
            let was_stopped = text(self.output.unwrap_or_default()).contains("User aborted the command");
            answer.text.pieces.extend((answer.is_error && was_stopped).then_some(STOPPED));
        }
        if call.tool == Tool::AskUser {
            answer.answers = self.answers(metadata);
        }
    }

    /// Questions with the user's answers, a line each.
    fn answers(&self, metadata: Option<Raw<'l>>) -> Option<Cow<'l, str>> {
        let answers = metadata.and_then(|metadata| metadata.member(b"answers"))?;
        let questions = self.input.and_then(|input| input.member(b"questions"));
        let questions = questions.into_iter().flat_map(Raw::elements).map(tool_input::question);
        let lines = questions.zip(answers.elements()).take(QUESTIONS_MAX).filter_map(|(question, answer)| {
            let chosen: Vec<_> = answer.elements().take(QUESTIONS_MAX).filter_map(Raw::text).collect();
            (!chosen.is_empty()).then(|| format!("{} {}", question.unwrap_or_default(), chosen.join(", ")))
        });
        let lines = lines.collect::<Vec<_>>().join("\n");
        (!lines.is_empty()).then_some(Cow::Owned(lines))
    }
}

/// Why a call was not run, if it was not.
fn not_run(error: &str) -> Option<&'static str> {
    const SAYS: [(&str, &str); 5] = [
        ("The user rejected permission", REFUSED),
        ("The user dismissed", REFUSED),
        ("The user has specified a rule", FORBIDDEN),
        ("Tool execution aborted", STOPPED),
        ("[Tool execution was interrupted]", STOPPED),
    ];
    let error = error.strip_prefix("Error: ").unwrap_or(error);
    SAYS.into_iter().find(|(begin, _)| error.starts_with(begin)).map(|(_, told)| told)
}

/// The beginning that is UTF-8.
fn text(inside: &[u8]) -> &str {
    inside.utf8_chunks().next().map_or("", |chunk| chunk.valid())
}

/// Adds a text without what the client and we put into it. Bytes that are no UTF-8 separate two pieces.
fn push<'l>(inside: &'l [u8], text: &mut Escaped<'l>) {
    let mut passed = 0;
    for chunk in inside.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some((begin, end)) = user_words::find_inserted(rest) {
            push_piece(&rest[..begin], text);
            rest = &rest[end..];
            passed += 1;
            if passed >= PIECES_MAX {
                return;
            }
        }
        push_piece(rest, text);
    }
}

fn push_piece<'l>(piece: &'l str, text: &mut Escaped<'l>) {
    if !piece.trim_start_matches("\\n").is_empty() && text.pieces.len() < PIECES_MAX {
        text.pieces.push(piece);
    }
}
