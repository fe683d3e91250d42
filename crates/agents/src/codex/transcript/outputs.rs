//! Outputs: what tools gave back. Their texts stay escaped, in place: most of them are never looked at.

use std::borrow::Cow;

use memchr::memmem;
use throughline_domain::transcript::{Tool, ToolAnswer, ToolCall, What, unescape};

use super::Told;
use super::answer::{Ending, answer};
use super::calls::called;
use super::ending;
use super::open::Open;
use super::record::Record;
use crate::claude_code::transcript::scan::Raw;
use crate::transcript::Carried;

/// Most pieces of one answer.
const PIECES_MAX: usize = 1_024;
/// Of answers to questions, and of lists of changed files.
const LIST_BYTES_MAX: usize = 16 << 10;
const ROWS_MAX: usize = 64;

/// What the client writes about a patch that was applied.
const PATCHED: &str = "Success. Updated the following files:";

/// What an answer tells.
pub(super) fn read<'a>(record: &Record<'a>, carried: &mut Carried) -> Vec<Told<'a>> {
    let (mut call_id, mut output, mut uuid) = (None, None, None);
    for (key, value) in record.payload.members() {
        match key {
            b"call_id" => call_id = value.text().filter(|id| !id.is_empty()),
            b"output" => output = Some(value),
            b"id" => uuid = value.plain(),
            _ => {}
        }
    }
    let (Some(call_id), Some(output)) = (call_id, output) else { return Vec::new() };
    // The response that called it is over.
    carried.told = 0;
    let pieces = escaped_texts(output);
    if Open::script(carried) == call_id {
        return script_ended(call_id, &pieces, carried);
    }
    let (ending, body) = ending::of(&pieces);
    if ending == Ending::Running {
        // How it ends, the client tells later.
        Open::change(carried, |open| open.runs_on(&call_id));
        return Vec::new();
    }
    let mut told = Vec::new();
    if !record.is_numbered && ending == Ending::Well {
        told.extend(patched(&call_id, &body));
    }
    let given = ToolAnswer { answers: answers(&pieces), ..answer(call_id, ending, body) };
    told.push(Told { uuid, ..Told::of(What::ToolsAnswered(vec![given])) });
    told
}

/// A script ended. What it ran was told by itself; a refusal, and its own failure, are still to tell.
fn script_ended<'a>(id: Cow<'a, str>, pieces: &[&'a str], carried: &mut Carried) -> Vec<Told<'a>> {
    let is_waited_for = Open::change(carried, Open::end_script);
    let (ending, body) = ending::of(pieces);
    if is_waited_for {
        let is_refused = pieces.iter().any(|piece| ending::is_refusal(piece));
        let ending = match ending {
            _ if is_refused => Ending::Refused,
            Ending::Aborted => Ending::Aborted,
            _ => Ending::NotRun,
        };
        return vec![Told::of(What::ToolsAnswered(vec![answer(id, ending, body)]))];
    }
    if ending != Ending::Failed {
        return Vec::new();
    }
    let call = ToolCall { id: id.clone(), name: Cow::Borrowed("exec"), ..ToolCall::default() };
    let failed = answer(id, ending, body);
    vec![Told::of(called(call)), Told::of(What::ToolsAnswered(vec![failed]))]
}

/// The texts of an output, as the line spells them: one, or those of a list of parts.
pub(super) fn escaped_texts(output: Raw<'_>) -> Vec<&str> {
    let mut pieces = Vec::new();
    let parts = output.elements().filter_map(|part| part.member(b"text")).take(PIECES_MAX);
    for inside in [output].into_iter().chain(parts).filter_map(Raw::inside) {
        // Bytes that are no UTF-8 cost only themselves.
        pieces.extend(inside.utf8_chunks().map(|chunk| chunk.valid()).take(PIECES_MAX));
    }
    pieces
}

/// The files of a patch, by what the client wrote when it was applied: older ones tell it nowhere else.
fn patched<'a>(call_id: &str, body: &[&'a str]) -> Vec<Told<'a>> {
    let Some(list) = body.first().and_then(|text| text.strip_prefix(PATCHED)) else { return Vec::new() };
    let list = unescape(&list[..list.floor_char_boundary(LIST_BYTES_MAX)]).into_owned();
    let mut told = Vec::new();
    for (number, (sign, path)) in
        list.lines().filter_map(|line| line.split_once(' ')).take(ROWS_MAX).enumerate()
    {
        let tool = match sign {
            "A" => Tool::Write,
            "M" | "D" => Tool::Edit,
            _ => continue,
        };
        let id: Cow<'a, str> = Cow::Owned(format!("{call_id}/{number}"));
        let path = Some(Cow::Owned(path.trim().to_owned()));
        let name = Cow::Borrowed("apply_patch");
        told.push(Told::of(called(ToolCall { id: id.clone(), tool, name, path, ..ToolCall::default() })));
        told.push(Told::of(What::ToolsAnswered(vec![answer(id, Ending::Well, Vec::new())])));
    }
    told
}

/// What the user answered to questions, a line each.
fn answers<'a>(pieces: &[&'a str]) -> Option<Cow<'a, str>> {
    let is_list = |text: &&&str| text.starts_with("{\\\"answers\\\":") && text.len() <= LIST_BYTES_MAX;
    let text = unescape(pieces.first().filter(is_list)?);
    let mut lines = Vec::new();
    for (_, given) in Raw(text.as_bytes()).member(b"answers")?.members().take(ROWS_MAX) {
        let words = given.member(b"answers").into_iter().flat_map(Raw::elements).chain([given]);
        lines.extend(words.filter_map(Raw::text).map(Cow::into_owned).take(ROWS_MAX));
    }
    let all = lines.join("\n");
    (!all.trim().is_empty()).then_some(Cow::Owned(all))
}

/// Whether a text holds a word, at the price of a search.
pub(super) fn holds(text: &str, word: &str) -> bool {
    memmem::find(text.as_bytes(), word.as_bytes()).is_some()
}
