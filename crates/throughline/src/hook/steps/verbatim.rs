//! What is still there word by word: a summary that was made long before its compaction leaves everything since in place.

use std::time::SystemTime;

use throughline_domain::time;
use throughline_domain::transcript::{Block, Line, What};
use throughline_engine::ledger::{self, SessionTranscript};
use throughline_engine::source::LineReader;
use throughline_store::session::CompactionMark;
use throughline_store::transcript_file::Cursor;

/// Of what came after a summary so much is looked at: its newest part.
const BYTES_MAX: u64 = throughline_domain::limits::VERBATIM_BYTES_MAX;
/// Of an answer, at each end.
const ANSWER_BYTES_MAX: usize = 32 << 10;
/// A response that was on its way when the summary was asked for carries a time up to this much later.
const SLACK_MS: i64 = 1_000;

/// The words that were said, called and answered since the summary was made; `None` where it was made for this very
/// moment: then nothing but the last message may be there.
pub(in crate::hook) fn since(source: &SessionTranscript<'_>, mark: &CompactionMark) -> Option<String> {
    let bytes = source.source().bytes()?;
    let behind = bytes.checked_sub(mark.summary_bytes).filter(|behind| *behind > 0)?;
    // A summary of an earlier question was not used at once in any case.
    let asked_at = if mark.has_own_summary() { mark.at.saturating_add(SLACK_MS) } else { 0 };
    let mut words = String::new();
    let mut went_on = false;
    // At its first sight of a file the reader begins so far before its end.
    let bytes_max = behind.min(BYTES_MAX);
    let cursor = if bytes_max < bytes { Cursor::default() } else { Cursor::at_start() };
    let mut reader = LineReader::afresh(source.agent);
    let each_line = |_: u64, bytes: &[u8]| {
        ledger::each(&mut reader, bytes, |line| {
            if line.is_sidechain {
                return;
            }
            let at = line.timestamp.and_then(time::parse).map(throughline_domain::Timestamp::as_millisecond);
            let is_response = matches!(line.what, What::Responded { .. });
            went_on |= is_response && at.is_some_and(|at| at > asked_at);
            take(line, &mut words);
        });
    };
    source.source().read_on(&cursor, bytes_max, SystemTime::UNIX_EPOCH, each_line).ok()?;
    went_on.then_some(words)
}

fn take(line: &Line<'_>, words: &mut String) {
    let mut push = |text: &str| {
        words.push_str(text);
        words.push('\n');
    };
    match &line.what {
        What::UserSaid(text) | What::Queued(text) => push(text),
        What::Command { args, .. } => push(args),
        What::Responded { blocks, .. } => {
            for block in blocks {
                match block {
                    Block::Said(text) => push(text),
                    Block::Called(call) => {
                        let said = [&call.command, &call.path, &call.pattern, &call.purpose];
                        said.into_iter().flatten().for_each(|text| push(text));
                        call.todos.iter().for_each(|(subject, _)| push(subject));
                    }
                }
            }
        }
        What::ToolsAnswered(answers) => {
            for answer in answers {
                push(&answer.text.head_and_tail(ANSWER_BYTES_MAX));
            }
        }
        What::Interrupted | What::Compacted { .. } | What::Summary(_) => {}
    }
}
