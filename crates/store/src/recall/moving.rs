//! Moving: a project's passages out as records of a bundle, and in again where they are new.

use std::collections::HashSet;

use rusqlite::params;
use serde_json::{Value, json};
use throughline_recall::{CommandOutcome, Passage, PassageKind};

use super::block::{self, NewBlock};
use super::continued;
use super::{Batch, Recall, RecallError, Writing};

/// In the place of the project's own folder, wherever that is.
const HERE: &str = ".";
/// Most passages of one record.
const PASSAGES_MAX: usize = 50_000;
/// Longest id, longest path.
const NAME_BYTES_MAX: usize = 4_096;

impl Recall {
    /// Gives the passages of a project, a record for each block, masked by today's rules.
    pub fn each_block(
        &self,
        root: &str,
        mut give: impl FnMut(Value) -> std::io::Result<()>,
    ) -> Result<std::io::Result<()>, RecallError> {
        self.read(|connection| {
            let mut statement = connection.prepare(
                "SELECT blocks.heads, texts.text, ifnull(lines.marks, x''), sessions.session FROM blocks
                 JOIN sessions ON sessions.id = blocks.session JOIN texts ON texts.id = blocks.id
                 LEFT JOIN lines ON lines.id = blocks.id WHERE sessions.project = ?1 ORDER BY blocks.id",
            )?;
            let mut rows = statement.query([root])?;
            while let Some(row) = rows.next()? {
                let heads = block::heads(row.get_ref(0)?.as_blob()?);
                let Some(texts) = block::texts(&heads, row.get_ref(1)?.as_blob()?) else { continue };
                let passages = block::passages(&heads, texts);
                let row_of = |(it, text): (&Passage, _)| {
                    let outcome = outcome_number(it.outcome);
                    json!([it.kind.number(), outcome, it.is_sidechain, it.at_s, it.turn, text])
                };
                let passages: Vec<Value> =
                    passages.iter().zip(continued::masked(&passages)).map(row_of).collect();
                let marks: Vec<u64> = block::marks(row.get_ref(2)?.as_blob()?).collect();
                let session: String = row.get(3)?;
                let record =
                    json!({"session": session, "project": HERE, "passages": passages, "marks": marks});
                if let Err(error) = give(record) {
                    return Ok(Err(error));
                }
            }
            Ok(Ok(()))
        })
    }

    /// Takes in blocks that are not here; gives how many passages are new.
    pub fn take_blocks(
        &mut self,
        writing: &Writing,
        blocks: Vec<MovedBlock>,
        known: &mut KnownBlocks,
    ) -> Result<u64, RecallError> {
        let mut batch = Batch::default();
        for moved in blocks {
            let is_known = if moved.marks.is_empty() {
                known.sessions.contains(&moved.block.session)
            } else {
                moved.marks.iter().all(|mark| known.marks.contains(mark))
            };
            if !is_known {
                known.marks.extend(&moved.marks);
                batch.blocks.push(moved.block);
            }
        }
        if batch.blocks.is_empty() {
            return Ok(0);
        }
        Ok(self.add(writing, &batch)?.passages)
    }

    /// What is here before anything is taken in.
    pub fn known_blocks(&self) -> Result<KnownBlocks, RecallError> {
        let marks = self.known_lines()?;
        let sessions = self.read(|connection| {
            connection
                .prepare("SELECT session FROM sessions")?
                .query_map(params![], |row| row.get(0))?
                .collect()
        })?;
        Ok(KnownBlocks { marks, sessions })
    }
}

/// What the index has: fingerprints of lines, and sessions.
#[derive(Debug, Default)]
pub struct KnownBlocks {
    marks: HashSet<u64>,
    sessions: HashSet<String>,
}

/// A block that was read from a record.
#[derive(Debug)]
pub struct MovedBlock {
    block: NewBlock,
    marks: Vec<u64>,
}

/// Whether a record is a block; gives how many passages it has.
pub fn check_block(record: &Value) -> Result<usize, String> {
    parts_of(record).map(|(_, passages, _)| passages.len())
}

/// Reads a record as a block of the project at `root`; texts are masked as those of a transcript are.
pub fn block_of(record: &Value, root: &str) -> Result<MovedBlock, String> {
    let (session, passages, marks) = parts_of(record)?;
    Ok(MovedBlock { block: NewBlock::pack(session, root, &passages, &marks), marks })
}

/// The session, the passages, the fingerprints of their lines.
fn parts_of(record: &Value) -> Result<(&str, Vec<Passage>, Vec<u64>), String> {
    let session = record["session"].as_str().filter(|id| !id.is_empty() && id.len() <= NAME_BYTES_MAX);
    let session = session.ok_or("it names no session")?;
    if record["project"] != HERE {
        return Err("it belongs to another project".to_owned());
    }
    let rows = record["passages"].as_array().filter(|rows| rows.len() <= PASSAGES_MAX);
    let rows = rows.ok_or("it holds no passages, or too many")?;
    let passages: Option<Vec<Passage>> = rows.iter().map(passage).collect();
    let passages = passages.filter(|all| !all.is_empty()).ok_or("a passage does not fit")?;
    let marks: Option<Vec<u64>> =
        record["marks"].as_array().map(|marks| marks.iter().map(Value::as_u64).collect()).unwrap_or_default();
    let marks: Vec<u64> = marks.ok_or("its marks are none")?.into_iter().map(block::line_mark).collect();
    Ok((session, passages, marks))
}

fn passage(row: &Value) -> Option<Passage> {
    let outcome = match row[1].as_u64()? {
        0 => CommandOutcome::Unknown,
        1 => CommandOutcome::Succeeded,
        2 => CommandOutcome::Failed,
        _ => return None,
    };
    Some(Passage {
        kind: PassageKind::from_number(u8::try_from(row[0].as_u64()?).ok()?)?,
        outcome,
        is_sidechain: row[2].as_bool()?,
        at_s: row[3].as_i64()?,
        turn: row[4].as_u64()?,
        text: row[5].as_str()?.to_owned(),
    })
}

fn outcome_number(outcome: CommandOutcome) -> u8 {
    match outcome {
        CommandOutcome::Unknown => 0,
        CommandOutcome::Succeeded => 1,
        CommandOutcome::Failed => 2,
    }
}
