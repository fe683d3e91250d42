//! Samples asked together: how full each session was, and what each compaction took. Never sums.

use rusqlite::params;
use throughline_domain::gauge::{SampledCompaction, SessionGauge};
use throughline_domain::slice::Query;
use throughline_domain::time::Timestamp;

use super::names::Names;
use super::{UsageStore, at, ms, rows};
use crate::archive::{ArchiveError, from_sql_int};

impl UsageStore {
    /// How full sessions were.
    pub fn gauges(&self, query: &Query) -> Result<Vec<SessionGauge>, ArchiveError> {
        let (since, until) = bounds(query);
        self.read(|connection| {
            let mut names = Names::over(connection);
            let mut statement = connection.prepare_cached(
                "SELECT session, project, max(percent), avg(percent), count(*), total(compaction),
                     max(cost_micros), model FROM usage_samples
                 WHERE at_ms >= ?1 AND at_ms < ?2 GROUP BY session",
            )?;
            // Bare columns beside the one max() are of the row that has it: the engine promises that.
            let mut last = connection.prepare_cached(
                "SELECT percent, context_size, max(at_ms) FROM usage_samples
                 WHERE session = ?1 AND at_ms >= ?2 AND at_ms < ?3",
            )?;
            let mut rows = statement.query([since, until])?;
            let mut gauges = Vec::new();
            while let Some(row) = rows.next()? {
                let session: i64 = row.get(0)?;
                let gauge = SessionGauge {
                    session: names.owned(session)?,
                    project: names.owned(row.get(1)?)?,
                    peak_percent: row.get(2)?,
                    average_percent: row.get(3)?,
                    last_percent: 0,
                    context_size: 0,
                    samples: row.get(4).map(from_sql_int)?,
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "a count of rows"
                    )]
                    compactions: row.get::<_, f64>(5)? as u64,
                    cost_micros: row.get::<_, Option<i64>>(6)?.map(from_sql_int),
                    last: Timestamp::UNIX_EPOCH,
                };
                let is_wanted = query.wants_session(&gauge.session)
                    && query.wants_project(&gauge.project)
                    && query.wants_model(names.name(row.get(7)?)?);
                if !is_wanted {
                    continue;
                }
                let (last_percent, context_size, last) = last
                    .query_row(params![session, since, until], |row| {
                        Ok((row.get(0)?, row.get(1).map(from_sql_int)?, row.get(2).map(at)?))
                    })?;
                gauges.push(SessionGauge { last_percent, context_size, last, ..gauge });
            }
            Ok(gauges)
        })
    }

    /// The compactions that samples show, oldest first. "Before" is the sample before this one in its session,
    /// whatever that sample was.
    pub fn sampled_compactions(&self, query: &Query) -> Result<Vec<SampledCompaction>, ArchiveError> {
        let (since, until) = bounds(query);
        self.read(|connection| {
            let mut names = Names::over(connection);
            // The sample before is looked for among all of them, before the compactions are picked out.
            let mut statement = connection.prepare_cached(
                "SELECT session, project, model, at_ms, percent, context_used, previous_percent,
                     before_percent, before_used, signs
                 FROM (SELECT *, lag(percent) OVER before AS before_percent, lag(context_used) OVER before AS before_used
                       FROM usage_samples
                       WINDOW before AS (PARTITION BY session ORDER BY at_ms, row_no))
                 WHERE compaction AND at_ms >= ?1 AND at_ms < ?2 ORDER BY at_ms, session",
            )?;
            let mut answers = statement.query([since, until])?;
            let mut found = Vec::new();
            while let Some(row) = answers.next()? {
                let told: Option<u16> = row.get(6)?;
                let seen: Option<u16> = row.get(7)?;
                let compaction = SampledCompaction {
                    session: names.owned(row.get(0)?)?,
                    project: names.owned(row.get(1)?)?,
                    model: names.owned(row.get(2)?)?,
                    at: at(row.get(3)?),
                    before_percent: seen.or(told),
                    after_percent: row.get(4)?,
                    before_tokens: row.get::<_, Option<i64>>(8)?.map(from_sql_int),
                    after_tokens: row.get(5).map(from_sql_int)?,
                    signs: rows::signs(row, 9)?,
                };
                let is_wanted = query.wants_session(&compaction.session)
                    && query.wants_project(&compaction.project)
                    && query.wants_model(&compaction.model);
                if is_wanted {
                    found.push(compaction);
                }
            }
            Ok(found)
        })
    }
}

fn bounds(query: &Query) -> (i64, i64) {
    (query.since.map_or(i64::MIN, ms), query.until.map_or(i64::MAX, ms))
}
