//! Writing: a batch goes in as a whole or not at all; what was there before counts once.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, Row, Transaction, params};
use throughline_domain::slice::SLOT_MS;
use throughline_domain::usage::{Boundary, Response, Sample, Tokens};

use super::names::Namer;
use super::{Batch, FILES, UsageStore, ms};
use crate::archive::{ArchiveError, Commit, from_sql_int, sql_int};
use crate::known_files;

/// What a batch changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Added {
    /// New responses.
    pub responses: u64,
    /// Responses that were known, and brought more.
    pub grown: u64,
    /// New compactions.
    pub boundaries: u64,
    /// New samples.
    pub samples: u64,
}

impl Added {
    /// Adds what another batch changed.
    pub fn add(&mut self, other: Self) {
        self.responses += other.responses;
        self.grown += other.grown;
        self.boundaries += other.boundaries;
        self.samples += other.samples;
    }
}

impl UsageStore {
    /// Takes a batch: all of it, or nothing when anything fails.
    pub fn add(&mut self, batch: &Batch) -> Result<Added, ArchiveError> {
        self.archive.write(Commit::Quick, |transaction| {
            let mut names = Namer::over(transaction);
            let mut added = Added::default();
            add_responses(transaction, &mut names, &batch.responses, &mut added)?;
            for boundary in &batch.boundaries {
                added.boundaries += add_boundary(transaction, &mut names, boundary)?;
            }
            for sample in &batch.samples {
                added.samples += add_sample(transaction, &mut names, sample)?;
            }
            for (session, agent) in &batch.agents {
                let session = names.number(session)?;
                transaction
                    .prepare_cached(
                        "INSERT INTO usage_agents VALUES (?1, ?2) ON CONFLICT (session) DO NOTHING",
                    )?
                    .execute(params![session, agent])?;
            }
            known_files::note(transaction, FILES, &batch.files)?;
            Ok(added)
        })
    }
}

/// A response as its row holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stored {
    at_ms: i64,
    session: i64,
    project: i64,
    model: i64,
    tier: String,
    is_sidechain: bool,
    tokens: Tokens,
    context: u64,
}

impl Stored {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let count = |index: usize| row.get(index).map(from_sql_int);
        Ok(Self {
            at_ms: row.get(0)?,
            session: row.get(1)?,
            project: row.get(2)?,
            model: row.get(3)?,
            tier: row.get(4)?,
            is_sidechain: row.get(5)?,
            tokens: Tokens {
                input: count(6)?,
                output: count(7)?,
                cache_write_5m: count(8)?,
                cache_write_1h: count(9)?,
                cache_read: count(10)?,
                web_searches: count(11)?,
            },
            context: count(12)?,
        })
    }

    /// Both as one, by the rule of [`Response::take_in`].
    fn merged(&self, other: &Self) -> Self {
        let is_fuller = Response::fullness(&other.tokens) > Response::fullness(&self.tokens);
        let fuller = if is_fuller { other } else { self };
        Self {
            at_ms: self.at_ms.min(other.at_ms),
            session: self.session,
            project: self.project,
            is_sidechain: self.is_sidechain && other.is_sidechain,
            ..fuller.clone()
        }
    }
}

fn add_responses(
    transaction: &Transaction<'_>,
    names: &mut Namer<'_>,
    responses: &[Response],
    added: &mut Added,
) -> rusqlite::Result<()> {
    let mut slots = Slots::default();
    for response in responses {
        let new = Stored {
            at_ms: ms(response.at),
            session: names.number(&response.session)?,
            project: names.number(&response.project)?,
            model: names.number(&response.model)?,
            tier: response.tier.word(),
            is_sidechain: response.is_sidechain,
            tokens: response.tokens,
            context: response.context,
        };
        if insert(transaction, &response.id.0, &new)? {
            slots.put(&new);
            added.responses += 1;
            continue;
        }
        let Some(old) = stored(transaction, &response.id.0)? else { continue };
        let merged = old.merged(&new);
        if merged != old {
            update(transaction, &response.id.0, &merged)?;
            if merged.at_ms != old.at_ms {
                note_moved(transaction, &response.id.0, old.at_ms)?;
            }
            slots.take(&old);
            slots.put(&merged);
            added.grown += 1;
        }
    }
    slots.write(transaction)
}

/// Inserts a row; `false` when there is one of that id.
fn insert(transaction: &Transaction<'_>, id: &[u8; 16], new: &Stored) -> rusqlite::Result<bool> {
    let changed = transaction
        .prepare_cached(
            "INSERT INTO usage_responses (id, at_ms, session, project, model, tier, is_sidechain, input, output,
                 cache_write_5m, cache_write_1h, cache_read, web_searches, context)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
             ON CONFLICT (id) DO NOTHING",
        )?
        .execute(params![
            id,
            new.at_ms,
            new.session,
            new.project,
            new.model,
            new.tier,
            new.is_sidechain,
            sql_int(new.tokens.input),
            sql_int(new.tokens.output),
            sql_int(new.tokens.cache_write_5m),
            sql_int(new.tokens.cache_write_1h),
            sql_int(new.tokens.cache_read),
            sql_int(new.tokens.web_searches),
            sql_int(new.context),
        ])?;
    Ok(changed > 0)
}

fn stored(transaction: &Transaction<'_>, id: &[u8; 16]) -> rusqlite::Result<Option<Stored>> {
    transaction
        .prepare_cached(
            "SELECT at_ms, session, project, model, tier, is_sidechain, input, output, cache_write_5m,
                 cache_write_1h, cache_read, web_searches, context
             FROM usage_responses WHERE id = ?1",
        )?
        .query_row([id], Stored::from_row)
        .optional()
}

/// Changes a row, and gives it the next number: never the one it had, or a receiver would not see the change.
fn update(transaction: &Transaction<'_>, id: &[u8; 16], new: &Stored) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "UPDATE usage_responses SET row_no = (SELECT max(row_no) + 1 FROM usage_responses), at_ms = ?2,
                 model = ?3, tier = ?4, is_sidechain = ?5, input = ?6, output = ?7, cache_write_5m = ?8,
                 cache_write_1h = ?9, cache_read = ?10, web_searches = ?11, context = ?12
             WHERE id = ?1",
        )?
        .execute(params![
            id,
            new.at_ms,
            new.model,
            new.tier,
            new.is_sidechain,
            sql_int(new.tokens.input),
            sql_int(new.tokens.output),
            sql_int(new.tokens.cache_write_5m),
            sql_int(new.tokens.cache_write_1h),
            sql_int(new.tokens.cache_read),
            sql_int(new.tokens.web_searches),
            sql_int(new.context),
        ])?;
    Ok(())
}

/// Keeps the moment that a response no longer has, under the number that it has now.
fn note_moved(transaction: &Transaction<'_>, id: &[u8; 16], old_ms: i64) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO usage_moved (id, at_ms, row_no)
             SELECT id, ?2, row_no FROM usage_responses WHERE id = ?1",
        )?
        .execute(params![id, old_ms])?;
    Ok(())
}

/// What a batch changes in the sums, added up before it is written. In order: neighbours share a page.
#[derive(Default)]
struct Slots(BTreeMap<(i64, i64, i64, i64, String), Change>);

struct Change {
    responses: i64,
    sidechain: i64,
    tokens: [i64; 6],
    context_peak: i64,
    first_ms: i64,
    last_ms: i64,
}

impl Slots {
    fn put(&mut self, row: &Stored) {
        let change = self.change(row, 1);
        let context = if row.is_sidechain { 0 } else { sql_int(row.context) };
        change.context_peak = change.context_peak.max(context);
        change.first_ms = change.first_ms.min(row.at_ms);
        change.last_ms = change.last_ms.max(row.at_ms);
    }

    fn take(&mut self, row: &Stored) {
        self.change(row, -1);
    }

    fn change(&mut self, row: &Stored, sign: i64) -> &mut Change {
        let slot = row.at_ms.div_euclid(SLOT_MS);
        let key = (slot, row.session, row.project, row.model, row.tier.clone());
        let change = self.0.entry(key).or_insert(Change {
            responses: 0,
            sidechain: 0,
            tokens: [0; 6],
            context_peak: 0,
            first_ms: i64::MAX,
            last_ms: i64::MIN,
        });
        let Tokens { input, output, cache_write_5m, cache_write_1h, cache_read, web_searches } = row.tokens;
        let counts = [input, output, cache_write_5m, cache_write_1h, cache_read, web_searches];
        for (sum, count) in change.tokens.iter_mut().zip(counts) {
            *sum = sum.saturating_add(sign * sql_int(count));
        }
        change.responses += sign;
        change.sidechain += sign * i64::from(row.is_sidechain);
        change
    }

    fn write(self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        let mut statement = transaction.prepare_cached(
            "INSERT INTO usage_slots (slot, session, project, model, tier, responses, sidechain, input, output,
                 cache_write_5m, cache_write_1h, cache_read, web_searches, context_peak, first_ms, last_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
             ON CONFLICT (slot, session, project, model, tier) DO UPDATE SET
                 responses = responses + excluded.responses,
                 sidechain = sidechain + excluded.sidechain,
                 input = input + excluded.input,
                 output = output + excluded.output,
                 cache_write_5m = cache_write_5m + excluded.cache_write_5m,
                 cache_write_1h = cache_write_1h + excluded.cache_write_1h,
                 cache_read = cache_read + excluded.cache_read,
                 web_searches = web_searches + excluded.web_searches,
                 context_peak = max(context_peak, excluded.context_peak),
                 first_ms = min(first_ms, excluded.first_ms),
                 last_ms = max(last_ms, excluded.last_ms)",
        )?;
        for ((slot, session, project, model, tier), change) in self.0 {
            let [input, output, short_write, long_write, cache_read, web_searches] = change.tokens;
            statement.execute(params![
                slot,
                session,
                project,
                model,
                tier,
                change.responses,
                change.sidechain,
                input,
                output,
                short_write,
                long_write,
                cache_read,
                web_searches,
                change.context_peak,
                change.first_ms,
                change.last_ms,
            ])?;
        }
        Ok(())
    }
}

/// Inserts a compaction, or fills in what an earlier line did not know. Returns how many rows are new.
fn add_boundary(
    transaction: &Transaction<'_>,
    names: &mut Namer<'_>,
    boundary: &Boundary,
) -> rusqlite::Result<u64> {
    let changed = transaction
        .prepare_cached(
            "INSERT INTO usage_boundaries (id, at_ms, session, project, model, is_auto, tokens_before, tokens_after)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (id) DO NOTHING",
        )?
        .execute(params![
            boundary.id.0,
            ms(boundary.at),
            names.number(&boundary.session)?,
            names.number(&boundary.project)?,
            names.number(&boundary.model)?,
            boundary.is_auto,
            sql_int(boundary.tokens_before),
            boundary.tokens_after.map(sql_int),
        ])?;
    Ok(changed as u64)
}

fn add_sample(
    transaction: &Transaction<'_>,
    names: &mut Namer<'_>,
    sample: &Sample,
) -> rusqlite::Result<u64> {
    let changed = transaction
        .prepare_cached(
            "INSERT INTO usage_samples (id, at_ms, session, project, model, context_used, context_size, percent,
                 input, output, cache_create, cache_read, status, compaction, previous_percent, compacts_at,
                 cost_micros, signs, cwd)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)
             ON CONFLICT (id) DO NOTHING",
        )?
        .execute(params![
            sample.id().0,
            ms(sample.at),
            names.number(&sample.session)?,
            names.number(&sample.project)?,
            names.number(&sample.model)?,
            sql_int(sample.context_used),
            sql_int(sample.context_size),
            sample.percent,
            sql_int(sample.input),
            sql_int(sample.output),
            sql_int(sample.cache_create),
            sql_int(sample.cache_read),
            sample.status.word(),
            sample.compaction,
            sample.previous_percent,
            sample.compacts_at.map(sql_int),
            sample.cost_micros.map(sql_int),
            sample.signs.words().collect::<Vec<_>>().join(","),
            names.number(&sample.cwd)?,
        ])?;
    Ok(changed as u64)
}
