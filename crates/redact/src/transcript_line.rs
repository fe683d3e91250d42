//! A line of a transcript, masked before anything is captured from it.

use std::borrow::Cow;

use throughline_domain::transcript::{Block, Line, Mask, What};

/// What is captured out of a line (names, quotes, decisions, passages, single lines of an output) stands alone afterwards,
/// and a secret is often known only by what stands around it: so lines are masked before. Commands have to be known again,
/// at a later gate, by the words that were written. Answers of tools are long, and most are never read: as much of them is
/// masked as somebody reads.
pub fn line(line: &mut Line<'_>) {
    match &mut line.what {
        What::UserSaid(text) | What::Queued(text) | What::Summary(text) => mask(text),
        What::Command { args, .. } => mask(args),
        What::Responded { blocks, .. } => blocks.iter_mut().for_each(mask_block),
        What::ToolsAnswered(answers) => {
            for answer in answers {
                answer.text.mask = Some(Mask(super::session_text));
                [&mut answer.user_said, &mut answer.answers].into_iter().flatten().for_each(mask);
            }
        }
        What::Interrupted | What::Compacted { .. } => {}
    }
}

fn mask_block(block: &mut Block<'_>) {
    match block {
        Block::Said(text) => mask(text),
        Block::Called(call) => {
            let texts = [
                &mut call.path,
                &mut call.command,
                &mut call.pattern,
                &mut call.text,
                &mut call.written,
                &mut call.purpose,
            ];
            texts.into_iter().flatten().for_each(mask);
            call.todos.iter_mut().for_each(|(subject, _)| mask(subject));
        }
    }
}

fn mask(text: &mut Cow<'_, str>) {
    if let Cow::Owned(masked) = super::session_text(text) {
        *text = Cow::Owned(masked);
    }
}
