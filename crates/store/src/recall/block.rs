//! A block: passages of one session, packed: heads to look through by the thousand, and their texts, compressed.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use throughline_recall::words::index_line;
use throughline_recall::{CommandOutcome, Head, Passage, PassageKind};

use super::continued;

/// Text of one block. A larger one compresses better and costs more to look into.
pub const BLOCK_BYTES: usize = 16 << 10;
/// No block is longer when it is unpacked, whatever its file says.
const UNPACKED_BYTES_MAX: usize = throughline_domain::limits::RECALL_BLOCK_BYTES_MAX;
/// The smallest form costs a third more time than the usual one; blocks are packed once and read for years.
const LEVEL: u32 = 9;
/// Bytes of a line's fingerprint: among ten million lines two share one with a chance of a fifth.
const MARK_BYTES: usize = 6;

/// A block on its way into the store.
#[derive(Debug, Clone, Default)]
pub struct NewBlock {
    /// The session's id.
    pub session: String,
    /// The project's top folder.
    pub project: String,
    /// Of each passage the words that find it.
    pub(super) index_lines: Vec<String>,
    pub(super) heads: Vec<u8>,
    pub(super) text: Vec<u8>,
    pub(super) marks: Vec<u8>,
    pub(super) times_s: (i64, i64),
    /// Bytes of the texts before they were compressed.
    pub text_bytes: u64,
}

impl NewBlock {
    /// Packs passages, with secrets masked. `lines` are fingerprints of the lines they stood in.
    #[must_use]
    pub fn pack(session: &str, project: &str, passages: &[Passage], lines: &[u64]) -> Self {
        let mut block = Self { session: session.to_owned(), project: project.to_owned(), ..Self::default() };
        let mut texts = String::new();
        let (mut turn, mut at_s) = (0_u64, 0_i64);
        for (passage, text) in passages.iter().zip(continued::masked(passages)) {
            block.index_lines.push(index_line(&text));
            block.heads.push(flags(passage));
            put_signed(&mut block.heads, passage.turn.cast_signed() - turn.cast_signed());
            put_signed(&mut block.heads, passage.at_s - at_s);
            put(&mut block.heads, text.len() as u64);
            (turn, at_s) = (passage.turn, passage.at_s);
            texts.push_str(&text);
        }
        let times = || passages.iter().map(|passage| passage.at_s).filter(|at| *at != 0);
        block.times_s = (times().min().unwrap_or(0), times().max().unwrap_or(0));
        block.text_bytes = texts.len() as u64;
        block.text = deflated(texts.as_bytes());
        block.marks = lines.iter().flat_map(|line| line.to_le_bytes().into_iter().take(MARK_BYTES)).collect();
        block
    }
}

/// A line's fingerprint as it is kept.
#[must_use]
pub fn line_mark(fingerprint: u64) -> u64 {
    fingerprint & ((1 << (MARK_BYTES * 8)) - 1)
}

/// The fingerprints that a block keeps.
pub(super) fn marks(packed: &[u8]) -> impl Iterator<Item = u64> + '_ {
    packed.chunks_exact(MARK_BYTES).map(|six| {
        let mut whole = [0; 8];
        whole[..MARK_BYTES].copy_from_slice(six);
        u64::from_le_bytes(whole)
    })
}

/// The heads of a block; as many as are sound.
pub(super) fn heads(packed: &[u8]) -> Vec<Head> {
    let mut rest = packed;
    let mut all = Vec::with_capacity(packed.len() / 5);
    let (mut turn, mut at_s) = (0_i64, 0_i64);
    while let Some((flags, behind)) = rest.split_first() {
        rest = behind;
        let (Some(turns), Some(seconds), Some(bytes)) =
            (take_signed(&mut rest), take_signed(&mut rest), take(&mut rest))
        else {
            break;
        };
        turn = turn.wrapping_add(turns);
        at_s = at_s.wrapping_add(seconds);
        let Some(kind) = PassageKind::from_number(flags & 0x0f) else { break };
        let outcome = match flags >> 4 & 0x03 {
            1 => CommandOutcome::Succeeded,
            2 => CommandOutcome::Failed,
            _ => CommandOutcome::Unknown,
        };
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        all.push(Head {
            kind,
            outcome,
            is_sidechain: flags & 0x40 != 0,
            at_s,
            turn: turn.cast_unsigned(),
            bytes,
        });
    }
    all
}

/// The texts of a block's first passages, one per head; `None` when it is damaged.
pub(super) fn texts(heads: &[Head], packed: &[u8]) -> Option<Vec<String>> {
    let bytes = heads.iter().try_fold(0_usize, |sum, head| sum.checked_add(head.bytes))?;
    if bytes > UNPACKED_BYTES_MAX {
        return None;
    }
    let mut whole = String::with_capacity(bytes);
    DeflateDecoder::new(packed).take(bytes as u64).read_to_string(&mut whole).ok()?;
    let mut rest = whole.as_str();
    let mut all = Vec::with_capacity(heads.len());
    for head in heads {
        let (text, behind) = rest.split_at_checked(head.bytes)?;
        all.push(text.to_owned());
        rest = behind;
    }
    Some(all)
}

/// A block's passages, put together again.
pub(super) fn passages(heads: &[Head], texts: Vec<String>) -> Vec<Passage> {
    let passage = |(head, text): (&Head, String)| Passage {
        kind: head.kind,
        outcome: head.outcome,
        is_sidechain: head.is_sidechain,
        at_s: head.at_s,
        turn: head.turn,
        text,
    };
    heads.iter().zip(texts).map(passage).collect()
}

fn flags(passage: &Passage) -> u8 {
    let outcome = match passage.outcome {
        CommandOutcome::Unknown => 0,
        CommandOutcome::Succeeded => 1,
        CommandOutcome::Failed => 2,
    };
    passage.kind.number() | outcome << 4 | u8::from(passage.is_sidechain) << 6
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::with_capacity(bytes.len() / 2), Compression::new(LEVEL));
    // Into memory: neither can fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

fn put(into: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        into.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    into.push((number & 0x7f) as u8);
}

fn put_signed(into: &mut Vec<u8>, number: i64) {
    put(into, (number << 1 ^ number >> 63).cast_unsigned());
}

fn take(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, behind) = rest.split_first()?;
        *rest = behind;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn take_signed(rest: &mut &[u8]) -> Option<i64> {
    take(rest).map(|number| (number >> 1).cast_signed() ^ -((number & 1).cast_signed()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn passage(kind: u8, turn: u64, at_s: i64, text: String) -> Passage {
        let kind = PassageKind::from_number(kind).unwrap();
        Passage { kind, outcome: CommandOutcome::Failed, is_sidechain: turn % 2 == 1, at_s, turn, text }
    }

    proptest! {
        #[test]
        fn what_was_packed_comes_back(rows in proptest::collection::vec((0_u8..8, 0_u64..9_999, -5_i64..2_000_000_000, "\\PC{0,60}"), 0..40)) {
            // What looks like a secret by chance is masked on the way in, and another test's matter.
            prop_assume!(rows.iter().all(|row| throughline_redact::text(&row.3) == row.3));
            let passages: Vec<Passage> =
                rows.into_iter().map(|(kind, turn, at_s, text)| passage(kind, turn, at_s, text)).collect();
            let block = NewBlock::pack("s", "/p", &passages, &[1, u64::MAX]);
            let heads = heads(&block.heads);
            let texts = texts(&heads, &block.text).unwrap();
            let back = super::passages(&heads, texts);
            prop_assert_eq!(back, passages);
            prop_assert_eq!(marks(&block.marks).collect::<Vec<_>>(), [1, line_mark(u64::MAX)]);
        }

        #[test]
        fn no_bytes_break_it(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let some = heads(&bytes);
            prop_assert!(texts(&some, &bytes).is_none_or(|texts| texts.len() == some.len()));
        }
    }
}
