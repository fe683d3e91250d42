//! Sync: what this machine has and the fleet has not, sent in batches, each one transaction.
//!
//! A machine's place in the sending is written in the same transaction as the rows, and kept here as well; the lower of
//! the two counts. Whatever is killed, cut, restored from a backup or started twice, rows are sent at least once, and
//! their key makes them stay one.

use std::collections::HashMap;
use std::thread;
use std::time::Duration;

use throughline_domain::time::Timestamp;
use throughline_domain::usage::{Boundary, RecordId, Response, Sample};

use crate::address::Address;
use crate::error::Error;
use crate::rows::{self, Written};
use crate::wire::{Connection, Row};
use crate::{literal, schema};

/// Rows of a batch: what is read, written out and sent at once. Two batches are in memory at most.
pub const BATCH_ROWS: usize = 20_000;
/// Up to here rows go as one INSERT; more make a temporary table and a COPY worth their while.
const INSERT_ROWS_MAX: usize = 300;
/// How often the same is tried before giving up; a batch that went through starts the count again.
const TRIES: u32 = 4;
const PAUSE: Duration = Duration::from_millis(200);
const DAYS_AT_ONCE: u32 = 31;
/// Refused rows that are told one by one.
const REFUSED_TOLD_MAX: usize = 20;

/// What is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Table {
    /// How full a context was: `context_usage_log`.
    Samples,
    /// Answers of the API: `context_usage_responses`.
    Responses,
    /// Compactions that transcripts tell of: `context_usage_compactions`.
    Compactions,
}

impl Table {
    /// All of them, in the order in which they are sent.
    pub const ALL: [Self; 3] = [Self::Samples, Self::Responses, Self::Compactions];

    /// The word under which the place in the sending is kept here.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Samples => "samples",
            Self::Responses => "responses",
            Self::Compactions => "compactions",
        }
    }
}

/// One record to send.
#[derive(Debug, Clone)]
pub enum Record {
    /// Of [`Table::Samples`].
    Sample(Sample),
    /// Of [`Table::Responses`].
    Response(Response),
    /// Of [`Table::Compactions`].
    Boundary(Boundary),
}

impl Record {
    /// When it happened.
    #[must_use]
    pub fn at(&self) -> Timestamp {
        match self {
            Self::Sample(sample) => sample.at,
            Self::Response(response) => response.at,
            Self::Boundary(boundary) => boundary.at,
        }
    }

    /// The session that it belongs to.
    #[must_use]
    pub fn session(&self) -> &str {
        match self {
            Self::Sample(sample) => &sample.session,
            Self::Response(response) => &response.session,
            Self::Boundary(boundary) => &boundary.session,
        }
    }

    /// What names it in every store.
    #[must_use]
    pub fn id(&self) -> RecordId {
        match self {
            Self::Sample(sample) => sample.id(),
            Self::Response(response) => response.id,
            Self::Boundary(boundary) => boundary.id,
        }
    }
}

/// How a project is named to the fleet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProjectForm {
    /// Its whole path, and the working folder.
    #[default]
    Path,
    /// The last part of its path.
    Name,
    /// A fingerprint that means something in this fleet only.
    Hash,
}

/// Who sends, and how.
#[derive(Debug, Clone)]
pub struct Sender {
    /// The machine's own random id.
    pub machine: RecordId,
    /// Its name, unless that is nobody's business.
    pub machine_name: Option<String>,
    /// The user's name, likewise.
    pub user_name: Option<String>,
    /// The agent whose usage it is, unless the session is another's.
    pub agent: String,
    /// Whose sessions they are, where that is another agent.
    pub agents: HashMap<String, String>,
    /// How projects are named.
    pub project: ProjectForm,
    /// The schema that holds the tables.
    pub schema: String,
    /// Of this program.
    pub version: String,
}

/// The records on this machine. A row's number grows; a row that changed has a new, higher one.
pub trait Source {
    /// Rows with a number above `after`, lowest first, at most `limit`.
    fn rows_after(&mut self, table: Table, after: i64, limit: usize) -> Result<Vec<(i64, Record)>, Error>;
    /// Keys that responses numbered above `after`, up to `last`, had before and have no longer.
    fn moved_between(&mut self, after: i64, last: i64) -> Result<Vec<(Timestamp, RecordId)>, Error>;
    /// The number up to which this fleet was sent everything; 0 before.
    fn sent(&mut self, fleet: &str, table: Table) -> Result<i64, Error>;
    /// Keeps that number.
    fn note_sent(&mut self, fleet: &str, table: Table, row: i64) -> Result<(), Error>;
}

/// A row that the server would not take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Of which table.
    pub table: Table,
    /// Its number here.
    pub row: i64,
    /// The server's words.
    pub why: String,
}

/// What a sync did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Synced {
    /// The fleet's id.
    pub fleet: String,
    /// Migrations that had to be applied.
    pub migrated: Vec<&'static str>,
    /// Rows sent, in the order of [`Table::ALL`].
    pub sent: [u64; 3],
    /// Rows in which something was cut, cleaned or brought into range.
    pub cleaned: u64,
    /// Rows that the server would not take, and how many there were.
    pub refused: Vec<Refused>,
    /// The number of them.
    pub refused_count: u64,
    /// Times that a lost connection or a lost race made it start again.
    pub retries: u32,
}

/// Sends everything that the fleet does not have. `progress` hears of every batch: how many rows so far.
pub fn sync(
    address: &Address,
    sender: &Sender,
    source: &mut dyn Source,
    progress: &mut dyn FnMut(u64),
) -> Result<Synced, Error> {
    let mut outcome = Synced::default();
    let mut tries = 0;
    loop {
        let before = outcome.sent;
        match attempt(address, sender, source, progress, &mut outcome) {
            Ok(()) => return Ok(outcome),
            Err(error) => {
                tries = if outcome.sent == before { tries + 1 } else { 1 };
                if !error.is_passing() || tries >= TRIES {
                    return Err(error);
                }
                outcome.retries += 1;
                pause(tries, sender);
            }
        }
    }
}

/// 0.2 s, 0.8 s, 3.2 s and up to half as much again, so that machines which fell together do not rise together.
fn pause(tries: u32, sender: &Sender) {
    let base = PAUSE * 4_u32.pow(tries.saturating_sub(1).min(3));
    let spread = u32::from(sender.machine.0[0]) * u32::from(std::process::id().to_le_bytes()[0]) % 50;
    thread::sleep(base + base * spread / 100);
}

fn attempt(
    address: &Address,
    sender: &Sender,
    source: &mut dyn Source,
    progress: &mut dyn FnMut(u64),
    outcome: &mut Synced,
) -> Result<(), Error> {
    let mut connection = Connection::open(address)?;
    let (place, migrated) = SendingPlace::find(&mut connection, sender)?;
    outcome.migrated.extend(migrated);
    outcome.fleet.clone_from(&place.fleet);
    let mut sending =
        Sending { connection, sender, place, outcome, progress, months: Vec::new(), moved: Vec::new() };
    for table in Table::ALL {
        sending.table(table, source)?;
    }
    sending.make_days()
}

/// Where the fleet says that this machine stands.
#[derive(Debug)]
struct SendingPlace {
    fleet: String,
    sent: [i64; 3],
    days_due: bool,
}

impl SendingPlace {
    /// Asks for it, and applies migrations where the question shows that some are missing.
    fn find(connection: &mut Connection, sender: &Sender) -> Result<(Self, Vec<&'static str>), Error> {
        let question = format!(
            "{} SELECT fleet.id, (SELECT max(version) FROM throughline_migrations), m.samples_sent, m.responses_sent, \
             m.compactions_sent, EXISTS (SELECT FROM throughline_days_due) \
             FROM throughline_fleet fleet LEFT JOIN throughline_machines m ON m.machine = '{}'; COMMIT",
            schema::begin(&sender.schema),
            sender.machine.as_uuid()
        );
        match connection.run(&question) {
            Ok(rows) if version(&rows) == Some(schema::newest()) => {
                return Ok((Self::read(&rows), Vec::new()));
            }
            Ok(rows) if version(&rows) > Some(schema::newest()) => {
                let theirs = version(&rows).unwrap_or_default();
                return Err(Error::Newer { theirs, ours: schema::newest() });
            }
            // No such table, or no such schema in which to look for it.
            Err(error) if !matches!(error.code(), "42P01" | "3F000" | "42703") => return Err(error),
            Ok(_) | Err(_) => {}
        }
        let migrated = schema::migrate(connection, &sender.schema)?;
        Ok((Self::read(&connection.run(&question)?), migrated))
    }

    fn read(rows: &[Row]) -> Self {
        let row = rows.first().cloned().unwrap_or(Row(Vec::new()));
        let sent = [2, 3, 4].map(|column| row.number(column).unwrap_or(0));
        Self { fleet: row.text(0).to_owned(), sent, days_due: row.text(5) == "t" }
    }
}

fn version(rows: &[Row]) -> Option<i64> {
    rows.first().and_then(|row| row.number(1))
}

struct Sending<'a> {
    connection: Connection,
    sender: &'a Sender,
    place: SendingPlace,
    outcome: &'a mut Synced,
    progress: &'a mut dyn FnMut(u64),
    /// Months (years × 12 + month) that have partitions.
    months: Vec<i64>,
    /// Keys that the batch at hand gives up.
    moved: Vec<(Timestamp, RecordId)>,
}

impl Sending<'_> {
    fn table(&mut self, table: Table, source: &mut dyn Source) -> Result<(), Error> {
        let here = source.sent(&self.place.fleet, table)?;
        // Lower here: the records were rebuilt and count anew, or this side was killed before it noted what the server
        // has. Lower there: the server came back from a backup.
        let mut after = here.min(self.place.sent[table as usize]);
        loop {
            let batch = source.rows_after(table, after, BATCH_ROWS)?;
            let Some(&(last, _)) = batch.last() else { return Ok(()) };
            self.moved =
                if table == Table::Responses { source.moved_between(after, last)? } else { Vec::new() };
            self.batch(table, &batch, last)?;
            after = last;
            source.note_sent(&self.place.fleet, table, after)?;
            self.outcome.sent[table as usize] += batch.len() as u64;
            (self.progress)(self.outcome.sent.iter().sum());
        }
    }

    /// Sends a batch. Where the server refuses the data, the batch is halved until the bad rows stand alone; those
    /// are left out and told, and everything else arrives.
    fn batch(&mut self, table: Table, batch: &[(i64, Record)], last: i64) -> Result<(), Error> {
        match self.transaction(table, batch, last) {
            Err(error) if error.is_about_data() => match batch {
                [] => Err(error),
                [(row, _)] => {
                    self.outcome.refused_count += 1;
                    if self.outcome.refused.len() < REFUSED_TOLD_MAX {
                        let why = error.to_string();
                        self.outcome.refused.push(Refused { table, row: *row, why });
                    }
                    // The place moves past it.
                    self.transaction(table, &[], last)
                }
                _ => {
                    let (first, second) = batch.split_at(batch.len() / 2);
                    let middle = first.last().map_or(last, |(row, _)| *row);
                    self.batch(table, first, middle)?;
                    self.batch(table, second, last)
                }
            },
            other => other,
        }
    }

    fn transaction(&mut self, table: Table, batch: &[(i64, Record)], last: i64) -> Result<(), Error> {
        let records = batch.iter().map(|(_, record)| record);
        let (name, columns) = (table.name(), table.columns());
        let begin = format!("{} {}", schema::begin(&self.sender.schema), self.give_up(table));
        if batch.len() <= INSERT_ROWS_MAX {
            let written = rows::for_insert(records, self.sender, &self.place.fleet);
            self.ensure_months(&written)?;
            let end = self.end(table, &written, last);
            let insert = if written.rows == 0 {
                String::new()
            } else {
                let values = String::from_utf8_lossy(&written.bytes);
                format!("INSERT INTO {name} AS known ({columns}) VALUES {values} {};", table.on_conflict())
            };
            self.connection.run(&format!("{begin} {insert} {end}"))?;
            self.outcome.cleaned += written.cleaned as u64;
            return Ok(());
        }
        let written = rows::for_copy(records, self.sender, &self.place.fleet);
        self.ensure_months(&written)?;
        let sql = format!(
            "{begin} CREATE TEMP TABLE throughline_stage ON COMMIT DROP AS SELECT {columns} FROM {name} WITH NO DATA; \
             COPY pg_temp.throughline_stage ({columns}) FROM STDIN (FORMAT binary); \
             INSERT INTO {name} AS known ({columns}) SELECT {columns} FROM pg_temp.throughline_stage {}; {}",
            table.on_conflict(),
            self.end(table, &written, last)
        );
        self.connection.run_with_copy(&sql, &written.bytes)?;
        self.outcome.cleaned += written.cleaned as u64;
        Ok(())
    }

    /// Takes away the rows of responses whose moment is another one now; they come again in this batch.
    fn give_up(&self, table: Table) -> String {
        if self.moved.is_empty() {
            return String::new();
        }
        let key = |(at, id): &(Timestamp, RecordId)| {
            format!("({}::timestamptz, '{}'::uuid)", literal::instant(*at), id.as_uuid())
        };
        let keys: Vec<String> = self.moved.iter().map(key).collect();
        // Row by row through the key; a join would look at whole months.
        format!("DELETE FROM {} WHERE (\"timestamp\", id) IN (VALUES {}); ", table.name(), keys.join(", "))
    }

    /// The end of a batch's transaction: which days have to be summed up again, and how far this machine is.
    fn end(&self, table: Table, written: &Written, last: i64) -> String {
        let mut sql = String::new();
        if !written.instants.is_empty() {
            sql.push_str(&format!(
                "INSERT INTO throughline_days_due (day) SELECT DISTINCT (i AT TIME ZONE day_zone)::date \
                 FROM unnest({}) AS i, throughline_fleet; ",
                literal::instants(&written.instants)
            ));
        }
        let column = table.sent_column();
        sql.push_str(&format!(
            "INSERT INTO throughline_machines (machine, name, user_name, version, {column}) \
             VALUES ('{}', {}, {}, {}, {last}) ON CONFLICT (machine) DO UPDATE SET name = excluded.name, \
             user_name = excluded.user_name, version = excluded.version, {column} = excluded.{column}, \
             last_sync = now(); COMMIT",
            self.sender.machine.as_uuid(),
            literal::text_or_null(self.sender.machine_name.as_deref()),
            literal::text_or_null(self.sender.user_name.as_deref()),
            literal::text(&self.sender.version),
        ));
        sql
    }

    /// Partitions for the months of these rows, in a transaction of their own: they lock what rows wait for.
    fn ensure_months(&mut self, written: &Written) -> Result<(), Error> {
        let month = |at: &Timestamp| {
            let date = at.to_zoned(jiff::tz::TimeZone::UTC).date();
            i64::from(date.year()) * 12 + i64::from(date.month())
        };
        let mut missing: Vec<(i64, Timestamp)> = written
            .instants
            .iter()
            .map(|at| (month(at), *at))
            .filter(|(month, _)| !self.months.contains(month))
            .collect();
        missing.dedup_by_key(|(month, _)| *month);
        if missing.is_empty() {
            return Ok(());
        }
        let instants: Vec<Timestamp> = missing.iter().map(|(_, at)| *at).collect();
        self.connection.run(&format!(
            "{} SELECT throughline_ensure_months({}); COMMIT",
            schema::begin(&self.sender.schema),
            literal::instants(&instants)
        ))?;
        self.months.extend(missing.into_iter().map(|(month, _)| month));
        Ok(())
    }

    /// The summaries of days that got rows, or that somebody else left undone.
    fn make_days(&mut self) -> Result<(), Error> {
        if self.outcome.sent == [0; 3] && !self.place.days_due {
            return Ok(());
        }
        loop {
            let rows = self.connection.run(&format!(
                "{} SELECT throughline_make_days({DAYS_AT_ONCE}); COMMIT",
                schema::begin(&self.sender.schema)
            ))?;
            if rows.first().and_then(|row| row.number::<i64>(0)).unwrap_or(0) == 0 {
                return Ok(());
            }
        }
    }
}
