//! Rows: responses, samples and compactions one by one, in the order in which they came or changed.

use rusqlite::{Connection, Row};
use throughline_domain::Health;
use throughline_domain::usage::{Boundary, RecordId, Response, Sample, Signs, Tier, Tokens};

use super::names::Names;
use super::{UsageStore, at};
use crate::archive::{ArchiveError, from_sql_int};

/// What kind of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// API responses.
    Responses,
    /// Samples of how full the context was.
    Samples,
    /// Compactions.
    Boundaries,
}

impl RowKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Responses, Self::Samples, Self::Boundaries];

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Responses => "responses",
            Self::Samples => "samples",
            Self::Boundaries => "boundaries",
        }
    }

    fn table(self) -> &'static str {
        match self {
            Self::Responses => "usage_responses",
            Self::Samples => "usage_samples",
            Self::Boundaries => "usage_boundaries",
        }
    }
}

/// A row and its number. Numbers grow; a row that changed comes again under a higher one.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbered<T> {
    /// The number.
    pub row_no: i64,
    /// The row.
    pub row: T,
}

impl UsageStore {
    /// At most `limit` responses behind a row, in order.
    pub fn responses_after(
        &self,
        row_no: i64,
        limit: usize,
    ) -> Result<Vec<Numbered<Response>>, ArchiveError> {
        self.rows_after(
            "SELECT row_no, id, at_ms, session, project, model, tier, is_sidechain, input, output, cache_write_5m,
                 cache_write_1h, cache_read, web_searches, context
             FROM usage_responses WHERE row_no > ?1 ORDER BY row_no LIMIT ?2",
            (row_no, limit),
            response,
        )
    }

    /// At most `limit` samples behind a row, in order.
    pub fn samples_after(&self, row_no: i64, limit: usize) -> Result<Vec<Numbered<Sample>>, ArchiveError> {
        self.rows_after(
            "SELECT row_no, at_ms, session, project, model, context_used, context_size, percent, input, output,
                 cache_create, cache_read, status, compaction, previous_percent, compacts_at, cost_micros, cwd, signs
             FROM usage_samples WHERE row_no > ?1 ORDER BY row_no LIMIT ?2",
            (row_no, limit),
            sample,
        )
    }

    /// At most `limit` compactions behind a row, in order.
    pub fn boundaries_after(
        &self,
        row_no: i64,
        limit: usize,
    ) -> Result<Vec<Numbered<Boundary>>, ArchiveError> {
        self.rows_after(
            "SELECT row_no, id, at_ms, session, project, model, is_auto, tokens_before, tokens_after
             FROM usage_boundaries WHERE row_no > ?1 ORDER BY row_no LIMIT ?2",
            (row_no, limit),
            boundary,
        )
    }

    /// The highest number of a kind of rows; 0 when there are none.
    pub fn last_row(&self, kind: RowKind) -> Result<i64, ArchiveError> {
        let question = format!("SELECT ifnull(max(row_no), 0) FROM {}", kind.table());
        self.read(|connection| connection.prepare_cached(&question)?.query_row([], |row| row.get(0)))
    }

    fn rows_after<T>(
        &self,
        question: &str,
        (row_no, limit): (i64, usize),
        read: impl Fn(&Row<'_>, &mut Names<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<Numbered<T>>, ArchiveError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.read(|connection: &Connection| {
            let mut names = Names::over(connection);
            let mut statement = connection.prepare_cached(question)?;
            let mut rows = statement.query([row_no, limit])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.push(Numbered { row_no: row.get(0)?, row: read(row, &mut names)? });
            }
            Ok(found)
        })
    }
}

fn count(row: &Row<'_>, index: usize) -> rusqlite::Result<u64> {
    row.get(index).map(from_sql_int)
}

fn maybe_count(row: &Row<'_>, index: usize) -> rusqlite::Result<Option<u64>> {
    row.get::<_, Option<i64>>(index).map(|count| count.map(from_sql_int))
}

fn response(row: &Row<'_>, names: &mut Names<'_>) -> rusqlite::Result<Response> {
    Ok(Response {
        id: RecordId(row.get(1)?),
        at: at(row.get(2)?),
        session: names.owned(row.get(3)?)?,
        project: names.owned(row.get(4)?)?,
        model: names.owned(row.get(5)?)?,
        tier: Tier::from_word(row.get_ref(6)?.as_str()?),
        is_sidechain: row.get(7)?,
        tokens: Tokens {
            input: count(row, 8)?,
            output: count(row, 9)?,
            cache_write_5m: count(row, 10)?,
            cache_write_1h: count(row, 11)?,
            cache_read: count(row, 12)?,
            web_searches: count(row, 13)?,
        },
        context: count(row, 14)?,
    })
}

fn sample(row: &Row<'_>, names: &mut Names<'_>) -> rusqlite::Result<Sample> {
    Ok(Sample {
        at: at(row.get(1)?),
        session: names.owned(row.get(2)?)?,
        project: names.owned(row.get(3)?)?,
        model: names.owned(row.get(4)?)?,
        context_used: count(row, 5)?,
        context_size: count(row, 6)?,
        percent: row.get(7)?,
        input: count(row, 8)?,
        output: count(row, 9)?,
        cache_create: count(row, 10)?,
        cache_read: count(row, 11)?,
        status: Health::from_word(row.get_ref(12)?.as_str()?).unwrap_or(Health::Healthy),
        compaction: row.get(13)?,
        previous_percent: row.get(14)?,
        compacts_at: maybe_count(row, 15)?,
        cost_micros: maybe_count(row, 16)?,
        cwd: names.owned(row.get(17)?)?,
        signs: signs(row, 18)?,
    })
}

pub(super) fn signs(row: &Row<'_>, index: usize) -> rusqlite::Result<Signs> {
    let words: Option<String> = row.get(index)?;
    Ok(Signs::from_words(words.unwrap_or_default().split(',')))
}

fn boundary(row: &Row<'_>, names: &mut Names<'_>) -> rusqlite::Result<Boundary> {
    Ok(Boundary {
        id: RecordId(row.get(1)?),
        at: at(row.get(2)?),
        session: names.owned(row.get(3)?)?,
        project: names.owned(row.get(4)?)?,
        model: names.owned(row.get(5)?)?,
        is_auto: row.get(6)?,
        tokens_before: count(row, 7)?,
        tokens_after: maybe_count(row, 8)?,
    })
}
