//! Search: the index for the passages that may answer, then their texts for those that do.

use std::collections::{BTreeMap, HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension};
use throughline_domain::recall::rank::{self, Answer, Judge};
use throughline_domain::recall::{PassageKind, Question};
use throughline_domain::text::fingerprint;

use super::block::{self, Head};
use super::promises::{Promise, Promises};
use super::surroundings::SessionOf;
use super::{Recall, RecallError};

/// Passages whose text is read at least.
const READ_MAX: usize = 60;
/// The same where a phrase must stand: the index knows its words, not their order.
const READ_FOR_PHRASE_MAX: usize = 1_000;
/// Words of a text by which it is known again: copies of a paragraph are shown once.
const SAME_BYTES: usize = 160;
/// What a passage of the project at hand counts more.
const AT_HAND: f64 = 1.15;

/// Passages before and after one that answer with it, and what their words count for it.
const NEIGHBOURS: u64 = 3;
const NEIGHBOUR_SHARE: f64 = 0.2;

/// Where is looked.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// Only these kinds; empty: all but mere touches of files.
    pub kinds: Vec<PassageKind>,
    /// Only projects at or below these folders; empty: all.
    pub projects: Vec<String>,
    /// Only what came since, in seconds since 1970.
    pub since_s: Option<i64>,
    /// Only the session whose id begins so, in lower case.
    pub session: Option<String>,
}

/// What counts beside the words.
#[derive(Debug, Clone, Default)]
pub struct Taste {
    /// The time, in seconds since 1970.
    pub now_s: i64,
    /// How soon the old counts less.
    pub half_life_days: u64,
    /// The project at hand counts more.
    pub project: Option<String>,
}

/// A passage that answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Its number.
    pub id: u64,
    /// What it is.
    pub head: Head,
    /// Its session.
    pub session: SessionOf,
    /// Its text.
    pub text: String,
    /// How well it answers, and where.
    pub answer: Answer,
}

/// What a search found, and what it did not look at.
#[derive(Debug)]
pub struct Searched {
    /// The passages that answer, best first; copies of a text once.
    pub found: Vec<Found>,
    /// Passages that promised less, by their numbers.
    unread: Vec<Candidate>,
}

/// A passage that may answer.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    id: i64,
    block: i64,
    head: Head,
    session: i64,
    promise: f64,
    /// The share of the question's words that stand in it or near it.
    around: f64,
}

/// A question with what its words are worth in this index.
#[derive(Debug)]
pub struct Asked<'q> {
    pub(super) question: &'q Question,
    /// Judges texts, also those that stand elsewhere.
    pub judge: Judge<'q>,
    /// In how many passages each word stands.
    pub(super) counts: Vec<u64>,
}

impl Recall {
    /// Looks up what the words of a question are worth here.
    pub fn ask<'q>(&self, question: &'q Question) -> Result<Asked<'q>, RecallError> {
        let rows = self.passages()?;
        let counts: Vec<u64> = self.read(|connection| {
            question.wanted.iter().map(|wanted| rows_with(connection, &wanted.form)).collect()
        })?;
        let judge = Judge::new(question, rows, &counts);
        Ok(Asked { question, judge, counts })
    }

    /// The forms that hold a character, and are not itself; those that stand in most passages.
    pub fn pairs_with(&self, character: &str) -> Result<Vec<String>, RecallError> {
        /// They are looked for one by one.
        const PAIRS_MAX: i64 = 60;
        self.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT term FROM vocabulary WHERE instr(term, ?1) > 0 AND term <> ?1
                     ORDER BY doc DESC, term LIMIT ?2",
                )?
                .query_map(rusqlite::params![character, PAIRS_MAX], |row| row.get(0))?
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
        let (mut found, mut unread) = self.read_best(asked, scope, taste, limit)?;
        let mut seen = HashSet::new();
        found.retain(|it| seen.insert(sameness(&it.text)));
        unread.sort_unstable_by_key(|candidate| candidate.id);
        Ok(Searched { found, unread })
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
        let unread = |id: &u64| {
            let at = searched.unread.binary_search_by_key(&id.cast_signed(), |it| it.id).ok()?;
            Some(searched.unread[at])
        };
        let mut best: Vec<Candidate> = ids.iter().filter_map(unread).collect();
        best.sort_by(|left, right| right.promise.total_cmp(&left.promise));
        best.truncate(most);
        self.judged(&asked.judge, &best, taste)
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
        if asked.question.is_empty() || limit == 0 {
            return Ok((Vec::new(), Vec::new()));
        }
        let promises = self.read(|connection| Promises::of(connection, asked))?;
        let worth_of_all = asked.judge.worth_of_all().max(f64::MIN_POSITIVE);
        let mut candidates = self.candidates(&promises, worth_of_all, scope, taste)?;
        candidates.sort_by(|left, right| right.promise.total_cmp(&left.promise).then(right.id.cmp(&left.id)));
        let read_max = if asked.question.phrases.is_empty() { READ_MAX } else { READ_FOR_PHRASE_MAX };
        let unread = candidates.split_off(candidates.len().min(read_max.max(limit * 3)));
        Ok((self.judged(&asked.judge, &candidates, taste)?, unread))
    }

    /// The candidates with what their heads tell, those out of scope left out.
    fn candidates(
        &self,
        promises: &Promises,
        worth_of_all: f64,
        scope: &Scope,
        taste: &Taste,
    ) -> Result<Vec<Candidate>, RecallError> {
        let sessions = self.sessions_in(scope, taste)?;
        let Some(first) = promises.first() else { return Ok(Vec::new()) };
        self.read(|connection| {
            let mut found = Vec::new();
            let mut statement = connection.prepare_cached(
                "SELECT id, session, heads FROM blocks WHERE id >=
                     (SELECT ifnull(max(id), 0) FROM blocks WHERE id <= ?1) ORDER BY id",
            )?;
            let mut rows = statement.query([first])?;
            while let Some(row) = rows.next()? {
                let (block, session): (i64, i64) = (row.get(0)?, row.get(1)?);
                let Some(of_session) = sessions.get(&session) else { continue };
                let packed = row.get_ref(2)?.as_blob()?;
                // Every passage takes four bytes at least: where none is promised, nothing is unpacked.
                let end = block.saturating_add(i64::try_from(packed.len() / 4).unwrap_or(i64::MAX));
                if promises.within(block, end).next().is_none() {
                    continue;
                }
                let heads = block::heads(packed);
                let end = block.saturating_add(i64::try_from(heads.len()).unwrap_or(i64::MAX));
                for Promise { id, own, around } in promises.within(block, end) {
                    let head = heads[usize::try_from(id - block).unwrap_or(0)];
                    if !is_wanted(&head, scope) {
                        continue;
                    }
                    let covered = (own + rank::AROUND_SHARE * (around - own)) / worth_of_all;
                    let promise = own
                        * covered.powf(rank::COVERAGE_POWER)
                        * rank::brevity(head.bytes)
                        * of_session
                        * weight(&head, taste);
                    let around = around / worth_of_all;
                    found.push(Candidate { id, block, head, session, promise, around });
                }
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
                let is_in_scope =
                    scope.session.as_deref().is_none_or(|wanted| session.to_lowercase().starts_with(wanted))
                        && (scope.projects.is_empty()
                            || scope.projects.iter().any(|wanted| is_below(project, wanted)))
                        && scope.since_s.is_none_or(|since| last_at_s >= since);
                if is_in_scope {
                    let is_at_hand =
                        taste.project.as_deref().is_some_and(|at_hand| is_below(project, at_hand));
                    found.insert(row.get(0)?, if is_at_hand { AT_HAND } else { 1.0 });
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
                let Some(mut answer) = judge.judge_among(&placed.text, candidate.around) else {
                    continue;
                };
                let session = match sessions.get(&candidate.session) {
                    Some(session) => session.clone(),
                    None => match self.session_numbered(candidate.session)? {
                        Some(session) => sessions.entry(candidate.session).or_insert(session).clone(),
                        None => continue,
                    },
                };
                let is_at_hand =
                    taste.project.as_deref().is_some_and(|at_hand| is_below(&session.project, at_hand));
                answer.score *= hinted(judge, &candidate.head)
                    * weight(&candidate.head, taste)
                    * if is_at_hand { AT_HAND } else { 1.0 };
                let text = std::mem::take(&mut placed.text);
                found.push(Found { id: placed.id, head: candidate.head, session, text, answer });
            }
        }
        lean_on_neighbours(&mut found);
        found.sort_by(|left, right| {
            right.answer.score.total_cmp(&left.answer.score).then(right.id.cmp(&left.id))
        });
        Ok(found)
    }

    /// The projects whose folder has this name, or ends with these parts.
    pub fn projects_named(&self, name: &str) -> Result<Vec<String>, RecallError> {
        let all: Vec<String> = self.read(|connection| {
            connection
                .prepare_cached("SELECT DISTINCT project FROM sessions ORDER BY project")?
                .query_map([], |row| row.get(0))?
                .collect()
        })?;
        let is_named = |project: &String| {
            project == name || project.strip_suffix(name).is_some_and(|rest| rest.ends_with(['/', '\\', '-']))
        };
        Ok(all.into_iter().filter(is_named).collect())
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

/// What was said just before and after answers with it: a question and its reply share the words between them.
fn lean_on_neighbours(found: &mut [Found]) {
    let scores: BTreeMap<u64, (i64, f64)> =
        found.iter().map(|it| (it.id, (it.session.number, it.answer.score))).collect();
    for it in found {
        let near = scores.range(it.id.saturating_sub(NEIGHBOURS)..=it.id + NEIGHBOURS);
        let of_others = near.filter(|(id, (session, _))| **id != it.id && *session == it.session.number);
        let best = of_others.map(|(_, (_, score))| *score).fold(0.0, f64::max);
        it.answer.score += best * NEIGHBOUR_SHARE;
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

fn is_wanted(head: &Head, scope: &Scope) -> bool {
    let is_of_kind =
        if scope.kinds.is_empty() { !head.kind.is_file_event() } else { scope.kinds.contains(&head.kind) };
    is_of_kind && scope.since_s.is_none_or(|since| head.at_s >= since)
}

fn weight(head: &Head, taste: &Taste) -> f64 {
    rank::kind_weight(head.kind, head.is_sidechain)
        * rank::recency(taste.now_s - head.at_s, taste.half_life_days)
}

fn hinted(judge: &Judge<'_>, head: &Head) -> f64 {
    if judge.hints_at(head.kind) { rank::HINTED } else { 1.0 }
}

/// Whether a project is a folder or lies below it.
fn is_below(project: &str, folder: &str) -> bool {
    project.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '\\']))
}

/// By what a text is known again: its letters and digits, as many as tell it from others.
fn sameness(text: &str) -> u64 {
    let letters: String = text.chars().filter(|c| c.is_alphanumeric()).take(SAME_BYTES).collect();
    fingerprint(letters.as_bytes())
}
