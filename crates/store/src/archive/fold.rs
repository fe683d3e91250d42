//! Folding: batches from the outbox become rows. A batch that comes twice adds nothing the second time.

use std::iter::repeat;

use rusqlite::{OptionalExtension, Transaction, params};
use serde_json::Value;
use throughline_domain::{Entry, EntryId, Kind, Origin, time};

use super::{Archive, ArchiveError, Commit, sql_int};
use crate::outbox::{Batch, Event, Op};

/// Why an entry is not in the working set when its change never reached the state file.
pub const NOT_COMMITTED: &str = "not committed";

/// Why an entry left when the working set uses its id for other words.
const ID_TAKEN: &str = "its id was given to another entry";

/// Working sets kept per project: the newest and the 20 before it.
const WORKING_SETS_MAX: usize = 21;

/// Batches remembered per project. An outbox of the largest size that is read holds fewer.
const BATCHES_MAX: i64 = 10_000;

/// What a fold did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FoldCount {
    /// Entries that are new in the archive.
    pub added: u64,
    /// Entries with new words or a new state.
    pub changed: u64,
    /// Entries that left the working set.
    pub left: u64,
    /// Entries that came back.
    pub returned: u64,
    /// Entries whose change never reached the state file.
    pub not_committed: u64,
    /// Events that were in already.
    pub repeated: u64,
}

impl Archive {
    /// Folds batches in, oldest first, in one transaction that is on disk when this returns: the outbox may be
    /// emptied then. `committed` says of each batch whether its state really became the state file; a batch
    /// without a flag did not.
    pub fn fold_batches(
        &mut self,
        project_key: &str,
        project_root: &str,
        batches: &[Batch],
        committed: &[bool],
    ) -> Result<FoldCount, ArchiveError> {
        let Some(last) = batches.last() else { return Ok(FoldCount::default()) };
        self.write(Commit::Flushed, |transaction| {
            let fold = Fold { transaction, project: project_key };
            fold.note_project(project_root, &last.at)?;
            let mut count = FoldCount::default();
            let mut states = Vec::new();
            for (batch, is_committed) in batches.iter().zip(committed.iter().copied().chain(repeat(false))) {
                if fold.note_batch(batch, is_committed)? && is_committed {
                    states.push(batch);
                }
                for (event_no, event) in batch.events.iter().enumerate() {
                    fold.event(batch, event_no as u64, event, is_committed, &mut count)?;
                }
            }
            fold.keep_states(&states)?;
            Ok(count)
        })
    }
}

struct Fold<'a> {
    transaction: &'a Transaction<'a>,
    project: &'a str,
}

/// A row that an event is about.
struct KeptEntry {
    entry_no: i64,
    text: String,
    body: String,
    is_live: bool,
}

impl Fold<'_> {
    fn note_project(&self, root: &str, at: &str) -> rusqlite::Result<()> {
        self.transaction
            .prepare_cached(
                "INSERT INTO projects (key, root, first_fold_at, last_fold_at) VALUES (?1, ?2, ?3, ?3)
                 ON CONFLICT (key) DO UPDATE SET root = excluded.root, last_fold_at = excluded.last_fold_at",
            )?
            .execute(params![self.project, root, at])
            .map(drop)
    }

    /// Whether the batch is new here.
    fn note_batch(&self, batch: &Batch, is_committed: bool) -> rusqlite::Result<bool> {
        let rows = self
            .transaction
            .prepare_cached(
                "INSERT INTO batches (project, uid, at, committed) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO NOTHING",
            )?
            .execute(params![self.project, batch.uid, batch.at, is_committed])?;
        Ok(rows == 1)
    }

    fn event(
        &self,
        batch: &Batch,
        event_no: u64,
        event: &Event,
        is_committed: bool,
        count: &mut FoldCount,
    ) -> rusqlite::Result<()> {
        if !is_committed && event.op != Op::Add {
            return Ok(());
        }
        if self.has_event(&batch.uid, event_no)? {
            count.repeated += 1;
            return Ok(());
        }
        let words = Words::of(event);
        let found = match event.op {
            Op::Add => self.same_entry(event, &words.text)?,
            Op::Change | Op::Leave | Op::Return => self.current_entry(event)?,
        };
        let entry_no = if let Some(found) = &found {
            found.entry_no
        } else {
            if event.op == Op::Add && is_committed {
                self.retire_id(event, &batch.at)?;
            }
            self.insert(batch, event, &words)?
        };
        self.note_event(batch, event_no, event, entry_no, found.as_ref(), &words)?;
        if let Some(found) = &found {
            self.take_over_words(found, &words, &batch.at)?;
        }
        match event.op {
            Op::Add if !is_committed => {
                count.not_committed += 1;
                if found.is_none() {
                    self.leave(entry_no, &batch.at, NOT_COMMITTED)?;
                }
            }
            Op::Add if found.as_ref().is_some_and(|found| !found.is_live) => {
                count.returned += 1;
                self.bring_back(entry_no)?;
            }
            Op::Add => count.added += u64::from(found.is_none()),
            Op::Change => count.changed += 1,
            Op::Leave => {
                count.left += 1;
                self.leave(entry_no, &batch.at, event.why.as_deref().unwrap_or("no reason given"))?;
            }
            Op::Return => {
                count.returned += 1;
                self.bring_back(entry_no)?;
            }
        }
        Ok(())
    }

    fn has_event(&self, batch_uid: &str, event_no: u64) -> rusqlite::Result<bool> {
        self.transaction
            .prepare_cached("SELECT 1 FROM entry_history WHERE batch_uid = ?1 AND event_no = ?2")?
            .exists(params![batch_uid, sql_int(event_no)])
    }

    /// The row with the event's id and words: an entry that is added again is the same entry.
    fn same_entry(&self, event: &Event, text: &str) -> rusqlite::Result<Option<KeptEntry>> {
        self.transaction
            .prepare_cached(
                "SELECT entry_no, text, body, left_at IS NULL FROM entries
                 WHERE project = ?1 AND kind = ?2 AND id = ?3 AND text = ?4
                 ORDER BY left_at IS NULL DESC, entry_no DESC LIMIT 1",
            )?
            .query_row(params![self.project, event.kind, event.id, text], KeptEntry::from_row)
            .optional()
    }

    /// The row that the id means now: the one in the working set, else the last that was.
    fn current_entry(&self, event: &Event) -> rusqlite::Result<Option<KeptEntry>> {
        self.transaction
            .prepare_cached(
                "SELECT entry_no, text, body, left_at IS NULL FROM entries
                 WHERE project = ?1 AND kind = ?2 AND id = ?3
                 ORDER BY left_at IS NULL DESC, left_why IS ?4, entry_no DESC LIMIT 1",
            )?
            .query_row(params![self.project, event.kind, event.id, NOT_COMMITTED], KeptEntry::from_row)
            .optional()
    }

    /// A working set has one entry per id: whoever had it before is out.
    fn retire_id(&self, event: &Event, at: &str) -> rusqlite::Result<()> {
        self.transaction
            .prepare_cached(
                "UPDATE entries SET left_at = ?4, left_why = ?5
                 WHERE project = ?1 AND kind = ?2 AND id = ?3 AND left_at IS NULL",
            )?
            .execute(params![self.project, event.kind, event.id, at, ID_TAKEN])
            .map(drop)
    }

    fn insert(&self, batch: &Batch, event: &Event, words: &Words) -> rusqlite::Result<i64> {
        // An archive that was started anew hears of an old entry only when something happens to it.
        let recorded_at = match event.op {
            Op::Add => batch.at.clone(),
            _ => words.recorded_at.clone().unwrap_or_else(|| batch.at.clone()),
        };
        self.transaction
            .prepare_cached(
                "INSERT INTO entries
                     (project, kind, id, number, text, reason, body, origin, session, recorded_at, trusted)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            )?
            .insert(params![
                self.project,
                event.kind,
                event.id,
                sql_int(words.number),
                words.text,
                words.reason,
                words.body,
                event.origin.as_str(),
                batch.session,
                recorded_at,
                is_trusted(event.origin),
            ])
    }

    fn note_event(
        &self,
        batch: &Batch,
        event_no: u64,
        event: &Event,
        entry_no: i64,
        found: Option<&KeptEntry>,
        words: &Words,
    ) -> rusqlite::Result<()> {
        let replaced = found.filter(|found| found.body != words.body);
        self.transaction
            .prepare_cached(
                "INSERT INTO entry_history
                     (batch_uid, event_no, entry_no, op, at, origin, session, why, old_text, old_body)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?
            .execute(params![
                batch.uid,
                sql_int(event_no),
                entry_no,
                op_word(event.op),
                batch.at,
                event.origin.as_str(),
                batch.session,
                event.why,
                replaced.map(|found| &found.text),
                replaced.map(|found| &found.body),
            ])
            .map(drop)
    }

    /// Gives the row the event's words; the old ones are in the history.
    fn take_over_words(&self, found: &KeptEntry, words: &Words, at: &str) -> rusqlite::Result<()> {
        if found.body == words.body {
            return Ok(());
        }
        self.transaction
            .prepare_cached(
                "UPDATE entries SET text = ?2, reason = ?3, body = ?4, changed_at = ?5 WHERE entry_no = ?1",
            )?
            .execute(params![found.entry_no, words.text, words.reason, words.body, at])
            .map(drop)
    }

    fn leave(&self, entry_no: i64, at: &str, why: &str) -> rusqlite::Result<()> {
        self.transaction
            .prepare_cached("UPDATE entries SET left_at = ?2, left_why = ?3 WHERE entry_no = ?1")?
            .execute(params![entry_no, at, why])
            .map(drop)
    }

    fn bring_back(&self, entry_no: i64) -> rusqlite::Result<()> {
        self.transaction
            .prepare_cached("UPDATE entries SET left_at = NULL, left_why = NULL WHERE entry_no = ?1")?
            .execute([entry_no])
            .map(drop)
    }

    /// Keeps the newest working sets; of a long outbox only those that will stay are written at all.
    fn keep_states(&self, batches: &[&Batch]) -> rusqlite::Result<()> {
        for batch in &batches[batches.len().saturating_sub(WORKING_SETS_MAX)..] {
            self.transaction
                .prepare_cached(
                    "INSERT INTO working_sets (project, at, hash, state) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![self.project, batch.at, batch.hash_after, batch.state.to_string()])?;
        }
        self.transaction
            .prepare_cached(
                "DELETE FROM working_sets WHERE project = ?1 AND set_no <= (SELECT set_no FROM working_sets
                 WHERE project = ?1 ORDER BY set_no DESC LIMIT 1 OFFSET ?2)",
            )?
            .execute(params![self.project, sql_int(WORKING_SETS_MAX as u64)])?;
        self.transaction
            .prepare_cached(
                "DELETE FROM batches WHERE project = ?1 AND batch_no <= (SELECT batch_no FROM batches
                 WHERE project = ?1 ORDER BY batch_no DESC LIMIT 1 OFFSET ?2)",
            )?
            .execute(params![self.project, BATCHES_MAX])
            .map(drop)
    }
}

impl KeptEntry {
    fn from_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self { entry_no: row.get(0)?, text: row.get(1)?, body: row.get(2)?, is_live: row.get(3)? })
    }
}

/// What is searched, shown and counted of an entry's body.
struct Words {
    text: String,
    reason: String,
    body: String,
    number: u64,
    recorded_at: Option<String>,
}

impl Words {
    fn of(event: &Event) -> Self {
        let kind = Kind::from_word(&event.kind);
        let number =
            event.id.parse::<EntryId>().ok().filter(|id| Some(id.kind) == kind).map_or(0, |id| id.number);
        let body = event.body.to_string();
        if let Some(entry) = kind.and_then(|kind| Entry::from_json(kind, &event.body)) {
            let reason = entry.reason().to_owned();
            let recorded_at = time::parse(&entry.timestamp).map(time::iso);
            return Self { text: entry.text, reason, body, number, recorded_at };
        }
        // A body that is no entry is kept and found by whatever it says.
        let text = event.body.as_str().map_or_else(|| strings_in(&event.body), str::to_owned);
        Self { text, reason: String::new(), body, number, recorded_at: None }
    }
}

fn strings_in(body: &Value) -> String {
    let fields = body.as_object().into_iter().flat_map(|map| map.iter());
    let texts = fields.filter(|(key, _)| *key != "id").filter_map(|(_, value)| value.as_str());
    texts.collect::<Vec<_>>().join(" ")
}

/// What a tool printed or another program's file held is quoted, never obeyed, until a person trusts it.
fn is_trusted(origin: Origin) -> bool {
    match origin {
        Origin::User | Origin::Assistant | Origin::Hand => true,
        Origin::Tool | Origin::Import => false,
    }
}

fn op_word(op: Op) -> &'static str {
    match op {
        Op::Add => "add",
        Op::Change => "change",
        Op::Leave => "leave",
        Op::Return => "return",
    }
}
