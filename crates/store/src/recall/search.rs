//! Search: the index for the passages that may answer, then their texts for those that do.

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, OptionalExtension, params};
use throughline_recall::candidate::{self, Block, Candidate, Choice};
use throughline_recall::postings::{Lookup, Postings};
use throughline_recall::rank::Judge;
use throughline_recall::weights::PAIRS_MAX;
use throughline_recall::{Asked, Found, Question, Scope, Searched, SessionOf, Taste, found, scope};

use super::{Recall, RecallError, block};

impl Recall {
    /// Looks up what the words of a question are worth here.
    pub fn ask<'q>(&self, question: &'q Question) -> Result<Asked<'q>, RecallError> {
        let rows = self.passages()?;
        let counts: Vec<u64> = self.read(|connection| {
            question.wanted.iter().map(|wanted| rows_with(connection, &wanted.form)).collect()
        })?;
        Ok(Asked::new(question, rows, counts))
    }

    /// The forms that hold a character, and are not itself; those that stand in most passages.
    pub fn pairs_with(&self, character: &str) -> Result<Vec<String>, RecallError> {
        self.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT term FROM vocabulary WHERE instr(term, ?1) > 0 AND term <> ?1
                     ORDER BY doc DESC, term LIMIT ?2",
                )?
                .query_map(params![character, PAIRS_MAX], |row| row.get(0))?
                .collect()
        })
    }

    /// The passages that answer a question, best first.
    pub fn search(
        &self,
        asked: &Asked<'_>,
        scope: &Scope,
        taste: &Taste,
        limit: usize,
    ) -> Result<Vec<Found>, RecallError> {
        let mut found = self.search_widely(asked, scope, taste, limit)?.found;
        found.truncate(limit);
        Ok(found)
    }

    /// The same with more than were wanted: what stands near a result may belong to it.
    pub fn search_widely(
        &self,
        asked: &Asked<'_>,
        scope: &Scope,
        taste: &Taste,
        limit: usize,
    ) -> Result<Searched, RecallError> {
        let (found, unread) = self.read_best(asked, scope, taste, limit)?;
        Ok(Searched::new(found, unread))
    }

    /// Reads some passages that a search did not look at, those first that promise most.
    pub fn read_some(
        &self,
        asked: &Asked<'_>,
        searched: &Searched,
        ids: &[u64],
        most: usize,
        taste: &Taste,
    ) -> Result<Vec<Found>, RecallError> {
        self.judged(&asked.judge, &searched.unread_among(ids, most), taste)
    }

    /// The same with copies of a text.
    pub fn search_all(
        &self,
        asked: &Asked<'_>,
        scope: &Scope,
        taste: &Taste,
        limit: usize,
    ) -> Result<Vec<Found>, RecallError> {
        Ok(self.read_best(asked, scope, taste, limit)?.0)
    }

    /// Judges the texts of those that promise most; gives the others too.
    fn read_best(
        &self,
        asked: &Asked<'_>,
        scope: &Scope,
        taste: &Taste,
        limit: usize,
    ) -> Result<(Vec<Found>, Vec<Candidate>), RecallError> {
        if asked.is_empty() || limit == 0 {
            return Ok((Vec::new(), Vec::new()));
        }
        let postings = self.read(|connection| Postings::of(asked, |lookup| rows(connection, lookup)))?;
        let choice = Choice::new(asked, postings, scope, taste);
        let candidates = self.candidates(&choice, &self.sessions_in(scope, taste)?)?;
        let (wanted, unread) = candidate::to_read(asked, candidates, limit);
        Ok((self.judged(&asked.judge, &wanted, taste)?, unread))
    }

    /// The candidates in the blocks of these sessions.
    fn candidates(
        &self,
        choice: &Choice<'_>,
        sessions: &HashMap<i64, f64>,
    ) -> Result<Vec<Candidate>, RecallError> {
        let Some(first) = choice.first() else { return Ok(Vec::new()) };
        self.read(|connection| {
            let mut found = Vec::new();
            let mut statement = connection.prepare_cached(
                "SELECT id, session, heads FROM blocks WHERE id >=
                     (SELECT ifnull(max(id), 0) FROM blocks WHERE id <= ?1) ORDER BY id",
            )?;
            let mut rows = statement.query([first])?;
            while let Some(row) = rows.next()? {
                let (first, session): (i64, i64) = (row.get(0)?, row.get(1)?);
                let Some(of_session) = sessions.get(&session).copied() else { continue };
                let packed = row.get_ref(2)?.as_blob()?;
                // Every passage takes four bytes at least: where none has the words, nothing is unpacked.
                if !choice.is_any_within(first, packed.len() / 4) {
                    continue;
                }
                let heads = block::heads(packed);
                found.extend(choice.among(Block { first, session, of_session, heads: &heads }));
            }
            Ok(found)
        })
    }

    /// The sessions in scope, each with what it counts.
    fn sessions_in(&self, scope: &Scope, taste: &Taste) -> Result<HashMap<i64, f64>, RecallError> {
        self.read(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT id, session, project, last_at_s FROM sessions")?;
            let mut rows = statement.query([])?;
            let mut found = HashMap::new();
            while let Some(row) = rows.next()? {
                let (session, project) = (row.get_ref(1)?.as_str()?, row.get_ref(2)?.as_str()?);
                let last_at_s: i64 = row.get(3)?;
                if scope.has_session(session, project, last_at_s) {
                    found.insert(row.get(0)?, taste.of_project(project));
                }
            }
            Ok(found)
        })
    }

    fn judged(
        &self,
        judge: &Judge<'_>,
        candidates: &[Candidate],
        taste: &Taste,
    ) -> Result<Vec<Found>, RecallError> {
        let mut by_block: BTreeMap<i64, Vec<&Candidate>> = BTreeMap::new();
        for candidate in candidates {
            by_block.entry(candidate.block).or_default().push(candidate);
        }
        let mut found = Vec::new();
        let mut sessions: HashMap<i64, SessionOf> = HashMap::new();
        for (block, wanted) in by_block {
            let last = wanted.iter().map(|candidate| candidate.id).max().unwrap_or(block);
            let mut texts = self.block_until(block, last)?;
            for candidate in wanted {
                let Some(placed) = texts.iter_mut().find(|placed| placed.id == candidate.id.cast_unsigned())
                else {
                    continue;
                };
                let Some(answer) = candidate.answer(judge, &placed.text) else { continue };
                let session = match sessions.get(&candidate.session) {
                    Some(session) => session.clone(),
                    None => match self.session_numbered(candidate.session)? {
                        Some(session) => sessions.entry(candidate.session).or_insert(session).clone(),
                        None => continue,
                    },
                };
                let text = std::mem::take(&mut placed.text);
                let it = Found { id: placed.id, head: candidate.head, session, text, answer };
                found.push(it.weighed(judge, taste));
            }
        }
        Ok(found::best_first(found))
    }

    /// The projects whose folder has this name, or ends with these parts.
    pub fn projects_named(&self, name: &str) -> Result<Vec<String>, RecallError> {
        let all: Vec<String> = self.read(|connection| {
            connection
                .prepare_cached("SELECT DISTINCT project FROM sessions ORDER BY project")?
                .query_map([], |row| row.get(0))?
                .collect()
        })?;
        Ok(all.into_iter().filter(|project| scope::is_named(project, name)).collect())
    }

    fn session_numbered(&self, number: i64) -> Result<Option<SessionOf>, RecallError> {
        self.read(|connection| {
            connection
                .prepare_cached("SELECT session, project FROM sessions WHERE id = ?1")?
                .query_row([number], |row| {
                    Ok(SessionOf { number, session: row.get(0)?, project: row.get(1)? })
                })
                .optional()
        })
    }
}

/// In how many passages a form stands.
fn rows_with(connection: &Connection, form: &str) -> rusqlite::Result<u64> {
    let count: Option<i64> = connection
        .prepare_cached("SELECT doc FROM vocabulary WHERE term = ?1")?
        .query_row([form], |row| row.get(0))
        .optional()?;
    Ok(count.unwrap_or(0).cast_unsigned())
}

/// The passages that a lookup names, the newest first.
fn rows(connection: &Connection, lookup: Lookup<'_>) -> rusqlite::Result<Vec<i64>> {
    let mut query = quoted(lookup.form);
    if !lookup.among.is_empty() {
        let among: Vec<String> = lookup.among.iter().map(|form| quoted(form)).collect();
        query = format!("{query} AND ({})", among.join(" OR "));
    }
    connection
        .prepare_cached("SELECT rowid FROM words WHERE words MATCH ?1 ORDER BY rowid DESC LIMIT ?2")?
        .query_map(params![query, i64::try_from(lookup.rows_max).unwrap_or(i64::MAX)], |row| row.get(0))?
        .collect()
}

/// A form has letters and digits only; in quotes none of them is an operator.
fn quoted(form: &str) -> String {
    format!("\"{form}\"")
}
