//! Slices: the sums by quarters of an hour, grouped as a report asks.

use std::collections::HashMap;
use std::rc::Rc;

use rusqlite::{Connection, Row};
use throughline_domain::slice::{Dimension, Query, SLOT_MS, Slice};
use throughline_domain::usage::{Tier, Tokens, USUAL_AGENT};

use super::names::Names;
use super::{UsageStore, at, ms};
use crate::archive::{ArchiveError, from_sql_int};

/// What slices are kept apart by. What is not asked for is the same for all.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    period: Option<usize>,
    slot: Option<i64>,
    session: Option<i64>,
    project: Option<i64>,
    agent: Option<Rc<str>>,
    model: i64,
    tier: Tier,
}

impl UsageStore {
    /// What the responses took together, grouped as asked; in the order of their first responses.
    ///
    /// `machine` and `user` are never known here: this store is one machine's.
    pub fn slices(&self, query: &Query) -> Result<Vec<Slice>, ArchiveError> {
        let since = query.since.map_or(i64::MIN, |since| ms(since).div_euclid(SLOT_MS));
        // An end inside of a quarter takes the whole quarter, as a beginning does.
        let until = query.until.map_or(i64::MAX, |until| (ms(until) + SLOT_MS - 1).div_euclid(SLOT_MS));
        self.read(|connection| {
            let mut wanted = Wanted { query, names: Names::over(connection), known: HashMap::new() };
            let mut groups: HashMap<Key, Slice> = HashMap::new();
            let is_asked = query.agent.is_some() || query.is_by(Dimension::Agent);
            let agents = if is_asked { Some(Agents::read(connection)?) } else { None };
            let mut statement = connection.prepare_cached(
                "SELECT slot, session, project, model, tier, responses, sidechain, input, output, cache_write_5m,
                     cache_write_1h, cache_read, web_searches, context_peak, first_ms, last_ms
                 FROM usage_slots WHERE slot >= ?1 AND slot < ?2 AND responses > 0",
            )?;
            let mut rows = statement.query([since, until])?;
            while let Some(row) = rows.next()? {
                let (slot, session, project, model) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
                let agent = agents.as_ref().map(|agents| agents.of(session));
                let is_its = agent.as_deref().is_none_or(|agent| query.wants_agent(agent));
                if !(is_its && wanted.session(session)? && wanted.project(project)? && wanted.model(model)?) {
                    continue;
                }
                let key = Key {
                    period: query.is_by(Dimension::Period).then(|| query.period_of(at(slot * SLOT_MS))).flatten(),
                    slot: query.is_by(Dimension::Slot).then_some(slot),
                    session: query.is_by(Dimension::Session).then_some(session),
                    project: query.is_by(Dimension::Project).then_some(project),
                    agent: agent.filter(|_| query.is_by(Dimension::Agent)),
                    model,
                    tier: Tier::from_word(row.get_ref(4)?.as_str()?),
                };
                let counts = counts(row, key.tier)?;
                match groups.get_mut(&key) {
                    Some(group) => group.add(&counts),
                    None => drop(groups.insert(key, counts)),
                }
            }
            let mut slices = Vec::with_capacity(groups.len());
            for (key, mut slice) in groups {
                slice.period = key.period;
                slice.slot = key.slot.map(|slot| at(slot * SLOT_MS));
                slice.session = key.session.map(|it| wanted.names.owned(it)).transpose()?;
                slice.project = key.project.map(|it| wanted.names.owned(it)).transpose()?;
                slice.agent = key.agent.as_deref().map(str::to_owned);
                slice.model = wanted.names.owned(key.model)?;
                slices.push(slice);
            }
            slices.sort_by(|left, right| {
                (left.first, &left.model, left.tier, &left.session, &left.project)
                    .cmp(&(right.first, &right.model, right.tier, &right.session, &right.project))
            });
            Ok(slices)
        })
    }

    /// Whose sessions they are, where that is not the usual agent.
    pub fn agents(&self) -> Result<HashMap<String, String>, ArchiveError> {
        self.read(|connection| {
            connection
                .prepare_cached("SELECT name, agent FROM usage_agents JOIN usage_names ON name_no = session")?
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })
    }

    /// The same for the sessions of one project.
    pub(super) fn agents_in(&self, project: &str) -> Result<Vec<(String, String)>, ArchiveError> {
        self.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT name, agent FROM usage_agents JOIN usage_names ON name_no = session
                     WHERE session IN (SELECT session FROM usage_slots
                         WHERE project = (SELECT name_no FROM usage_names WHERE name = ?1)) ORDER BY name",
                )?
                .query_map([project], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })
    }

    /// Every project's folder that responses came from.
    pub fn projects(&self) -> Result<Vec<String>, ArchiveError> {
        self.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT name FROM usage_names WHERE name_no IN (SELECT project FROM usage_slots) ORDER BY name",
                )?
                .query_map([], |row| row.get(0))?
                .collect()
        })
    }
}

/// Whose sessions are whose, as far as they are not the usual agent's.
struct Agents {
    usual: Rc<str>,
    of_session: HashMap<i64, Rc<str>>,
}

impl Agents {
    fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let mut statement = connection.prepare_cached("SELECT session, agent FROM usage_agents")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, Rc::from(row.get_ref(1)?.as_str()?))))?;
        Ok(Self { usual: Rc::from(USUAL_AGENT), of_session: rows.collect::<rusqlite::Result<_>>()? })
    }

    fn of(&self, session: i64) -> Rc<str> {
        self.of_session.get(&session).unwrap_or(&self.usual).clone()
    }
}

/// Which names a question wants; each is looked up and judged once.
struct Wanted<'q, 'c> {
    query: &'q Query,
    names: Names<'c>,
    known: HashMap<(u8, i64), bool>,
}

impl Wanted<'_, '_> {
    fn session(&mut self, number: i64) -> rusqlite::Result<bool> {
        self.judge(0, number, self.query.session.is_some(), Query::wants_session)
    }

    fn project(&mut self, number: i64) -> rusqlite::Result<bool> {
        self.judge(1, number, self.query.project.is_some(), Query::wants_project)
    }

    fn model(&mut self, number: i64) -> rusqlite::Result<bool> {
        self.judge(2, number, self.query.model.is_some(), Query::wants_model)
    }

    fn judge(
        &mut self,
        kind: u8,
        number: i64,
        is_asked: bool,
        wants: impl Fn(&Query, &str) -> bool,
    ) -> rusqlite::Result<bool> {
        if !is_asked {
            return Ok(true);
        }
        if let Some(known) = self.known.get(&(kind, number)) {
            return Ok(*known);
        }
        let is_wanted = wants(self.query, self.names.name(number)?);
        self.known.insert((kind, number), is_wanted);
        Ok(is_wanted)
    }
}

/// The counts of a row of sums.
fn counts(row: &Row<'_>, tier: Tier) -> rusqlite::Result<Slice> {
    let count = |index: usize| row.get(index).map(from_sql_int);
    Ok(Slice {
        period: None,
        slot: None,
        session: None,
        project: None,
        agent: None,
        machine: None,
        user: None,
        model: String::new(),
        tier,
        responses: count(5)?,
        sidechain_responses: count(6)?,
        tokens: Tokens {
            input: count(7)?,
            output: count(8)?,
            cache_write_5m: count(9)?,
            cache_write_1h: count(10)?,
            cache_read: count(11)?,
            web_searches: count(12)?,
        },
        context_peak: count(13)?,
        first: at(row.get(14)?),
        last: at(row.get(15)?),
    })
}
