//! Reading: the questions of the reports, grouped on the server, for all machines or some.

use throughline_domain::gauge::{SampledCompaction, SessionGauge};
use throughline_domain::slice::{Dimension, Query, SLOT_MS, Slice};
use throughline_domain::time::Timestamp;
use throughline_domain::usage::{Boundary, RecordId, Signs, Tier, Tokens};

use crate::address::Address;
use crate::error::Error;
use crate::wire::{Connection, Row};
use crate::{literal, schema};

/// A fleet, open for questions.
pub struct Fleet {
    connection: Connection,
    schema: String,
}

impl Fleet {
    /// Connects.
    pub fn open(address: &Address, schema: &str) -> Result<Self, Error> {
        Ok(Self { connection: Connection::open(address)?, schema: schema.to_owned() })
    }

    /// What the responses took together, grouped as asked; in the order of their first responses.
    pub fn slices(&mut self, query: &Query) -> Result<Vec<Slice>, Error> {
        let keys = keys(query);
        let from = if query.is_by(Dimension::Machine) {
            "context_usage_responses r LEFT JOIN throughline_machines m USING (machine)"
        } else {
            "context_usage_responses r"
        };
        // By whole quarters of an hour, as the store of one machine keeps them.
        let floor = |at: Timestamp| at.as_millisecond().div_euclid(SLOT_MS);
        let since = query.since.map(|at| slot_start(floor(at)));
        let until = query.until.map(|at| slot_start(-(-at.as_millisecond()).div_euclid(SLOT_MS)));
        let sql = format!(
            "SELECT {}, coalesce(r.model_id, ''), r.tier, count(*), count(*) FILTER (WHERE r.is_sidechain), \
             sum(r.input_tokens), sum(r.output_tokens), sum(r.cache_creation_5m_tokens), \
             sum(r.cache_creation_1h_tokens), sum(r.cache_read_tokens), sum(r.web_searches), \
             coalesce(max(r.context_tokens) FILTER (WHERE NOT r.is_sidechain), 0), {}, {} \
             FROM {from} WHERE {} GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9 ORDER BY min(r.\"timestamp\"), 8, 9, 3, 4",
            keys.join(", "),
            millis("min(r.\"timestamp\")"),
            millis("max(r.\"timestamp\")"),
            conditions(query, since, until)
        );
        let mut slices = Vec::new();
        self.ask(&sql, |row| slices.push(slice(&row)))?;
        Ok(slices)
    }

    /// How full sessions were.
    pub fn gauges(&mut self, query: &Query) -> Result<Vec<SessionGauge>, Error> {
        let last = |column: &str| format!("(array_agg({column} ORDER BY r.\"timestamp\" DESC))[1]");
        let sql = format!(
            "SELECT r.session_id, coalesce({}, ''), max(r.usage_percent), avg(r.usage_percent)::float8, {}, {}, \
             count(*), count(*) FILTER (WHERE r.compaction_detected), max(r.cost_micros), {} \
             FROM context_usage_log r WHERE {} GROUP BY r.session_id ORDER BY max(r.\"timestamp\")",
            last("r.project"),
            last("r.usage_percent"),
            last("r.context_size"),
            millis("max(r.\"timestamp\")"),
            conditions(query, query.since, query.until)
        );
        let mut gauges = Vec::new();
        self.ask(&sql, |row| {
            gauges.push(SessionGauge {
                session: row.text(0).to_owned(),
                project: row.text(1).to_owned(),
                peak_percent: row.number(2).unwrap_or_default(),
                average_percent: row.number(3).unwrap_or_default(),
                last_percent: row.number(4).unwrap_or_default(),
                context_size: row.number(5).unwrap_or_default(),
                samples: row.number(6).unwrap_or_default(),
                compactions: row.number(7).unwrap_or_default(),
                cost_micros: row.number(8),
                last: instant(&row, 9),
            });
        })?;
        Ok(gauges)
    }

    /// The compactions that samples show, oldest first; "before" is the sample before this one in its session.
    pub fn sampled_compactions(&mut self, query: &Query) -> Result<Vec<SampledCompaction>, Error> {
        let sql = format!(
            "SELECT r.session_id, coalesce(r.project, ''), coalesce(r.model_id, ''), {}, \
             coalesce(before.usage_percent, r.previous_percent), r.usage_percent, before.context_used, r.context_used, \
             r.signs FROM context_usage_log r LEFT JOIN LATERAL (SELECT b.usage_percent, b.context_used \
             FROM context_usage_log b WHERE b.session_id = r.session_id AND b.\"timestamp\" < r.\"timestamp\" \
             ORDER BY b.\"timestamp\" DESC LIMIT 1) before ON true \
             WHERE r.compaction_detected AND {} ORDER BY r.\"timestamp\", r.session_id",
            millis("r.\"timestamp\""),
            conditions(query, query.since, query.until)
        );
        let mut found = Vec::new();
        self.ask(&sql, |row| {
            found.push(SampledCompaction {
                session: row.text(0).to_owned(),
                project: row.text(1).to_owned(),
                model: row.text(2).to_owned(),
                at: instant(&row, 3),
                before_percent: row.number(4),
                after_percent: row.number(5).unwrap_or_default(),
                before_tokens: row.number(6),
                after_tokens: row.number(7).unwrap_or_default(),
                signs: Signs::from_words(row.text(8).split(',')),
            });
        })?;
        Ok(found)
    }

    /// Compactions as transcripts tell them, oldest first.
    pub fn boundaries(&mut self, query: &Query) -> Result<Vec<Boundary>, Error> {
        let sql = format!(
            "SELECT replace(r.id::text, '-', ''), {}, r.session_id, coalesce(r.project, ''), coalesce(r.model_id, ''), \
             r.is_auto, r.tokens_before, r.tokens_after FROM context_usage_compactions r \
             WHERE {} ORDER BY r.\"timestamp\", r.session_id",
            millis("r.\"timestamp\""),
            conditions(query, query.since, query.until)
        );
        let mut boundaries = Vec::new();
        self.ask(&sql, |row| {
            let id = u128::from_str_radix(row.text(0), 16).unwrap_or_default();
            boundaries.push(Boundary {
                id: RecordId(id.to_be_bytes()),
                at: instant(&row, 1),
                session: row.text(2).to_owned(),
                project: row.text(3).to_owned(),
                model: row.text(4).to_owned(),
                is_auto: row.text(5) == "t",
                tokens_before: row.number(6).unwrap_or_default(),
                tokens_after: row.number(7),
            });
        })?;
        Ok(boundaries)
    }

    fn ask(&mut self, sql: &str, each: impl FnMut(Row)) -> Result<(), Error> {
        let begin = schema::begin(&self.schema);
        self.connection.run_each(&format!("{begin} SET TRANSACTION READ ONLY; {sql}; COMMIT"), each)
    }
}

/// The seven columns that slices are kept apart by: period, slot, session, project, machine, user, agent. NULL where not asked.
fn keys(query: &Query) -> [String; 7] {
    let column = |dimension: Dimension, sql: String| {
        if query.is_by(dimension) { sql } else { "NULL".to_owned() }
    };
    [
        column(
            Dimension::Period,
            // An instant before the first cut belongs to no period, and is number 0 here.
            format!("width_bucket(r.\"timestamp\", {})", literal::instants(&query.cuts)),
        ),
        column(
            Dimension::Slot,
            format!("floor(extract(epoch FROM r.\"timestamp\") * 1000 / {SLOT_MS})::bigint"),
        ),
        column(Dimension::Session, "r.session_id".to_owned()),
        column(Dimension::Project, "coalesce(r.project, '')".to_owned()),
        column(Dimension::Machine, "coalesce(m.name, r.machine::text)".to_owned()),
        column(Dimension::User, "r.user_name".to_owned()),
        column(Dimension::Agent, "coalesce(r.agent, '')".to_owned()),
    ]
}

/// What a row has to fulfil. `r` is the row.
fn conditions(query: &Query, since: Option<Timestamp>, until: Option<Timestamp>) -> String {
    let mut all = vec!["true".to_owned()];
    if let Some(since) = since {
        all.push(format!("r.\"timestamp\" >= {}", literal::instant(since)));
    }
    if let Some(until) = until {
        all.push(format!("r.\"timestamp\" < {}", literal::instant(until)));
    }
    if let Some(model) = &query.model {
        all.push(format!("position({} IN r.model_id) > 0", literal::text(model)));
    }
    if let Some(agent) = &query.agent {
        all.push(format!("r.agent = {}", literal::text(agent)));
    }
    if let Some(session) = &query.session {
        all.push(format!("starts_with(r.session_id, {})", literal::text(session)));
    }
    if let Some(project) = &query.project {
        let wanted = if project.len() > 1 { project.trim_end_matches('/') } else { project };
        let below = if wanted.ends_with('/') { wanted.to_owned() } else { format!("{wanted}/") };
        let name = format!("/{wanted}");
        all.push(format!(
            "(r.project = {} OR starts_with(r.project, {}) OR right(r.project, {}) = {})",
            literal::text(wanted),
            literal::text(&below),
            name.chars().count(),
            literal::text(&name)
        ));
    }
    all.join(" AND ")
}

fn slot_start(slot: i64) -> Timestamp {
    Timestamp::from_millisecond(slot * SLOT_MS).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// An instant as whole milliseconds, whatever zone and style the session has.
fn millis(sql: &str) -> String {
    format!("round(extract(epoch FROM {sql}) * 1000)::bigint")
}

fn instant(row: &Row, column: usize) -> Timestamp {
    row.number(column).and_then(|ms| Timestamp::from_millisecond(ms).ok()).unwrap_or(Timestamp::UNIX_EPOCH)
}

fn slice(row: &Row) -> Slice {
    let word = |column: usize| row.0.get(column).cloned().flatten();
    let count = |column: usize| row.number(column).unwrap_or_default();
    Slice {
        period: row.number::<usize>(0).and_then(|bucket| bucket.checked_sub(1)),
        slot: row.number(1).map(slot_start),
        session: word(2),
        project: word(3),
        machine: word(4),
        user: word(5),
        agent: word(6),
        model: row.text(7).to_owned(),
        tier: Tier::from_word(row.text(8)),
        responses: count(9),
        sidechain_responses: count(10),
        tokens: Tokens {
            input: count(11),
            output: count(12),
            cache_write_5m: count(13),
            cache_write_1h: count(14),
            cache_read: count(15),
            web_searches: count(16),
        },
        context_peak: count(17),
        first: instant(row, 18),
        last: instant(row, 19),
    }
}
