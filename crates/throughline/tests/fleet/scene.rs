//! The scene: one server for all tests, a database for each, and records in memory.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use throughline_domain::Health;
use throughline_domain::time::Timestamp;
use throughline_domain::usage::{Boundary, RecordId, Response, Sample, Signs, Tier, Tokens};
use throughline_fleet::sync::{ProjectForm, Record, Sender, Source, Synced, Table, sync};
use throughline_fleet::{Address, Error};
use throughline_testkit::Postgres;

static SERVER: LazyLock<Option<Postgres>> = LazyLock::new(Postgres::start);
static DATABASES: AtomicU32 = AtomicU32::new(0);

/// A database of its own on the shared server.
pub(crate) struct Database {
    pub(crate) server: &'static Postgres,
    pub(crate) name: String,
}

impl Database {
    /// `None` where there is no PostgreSQL.
    pub(crate) fn new() -> Option<Self> {
        let server = SERVER.as_ref()?;
        let name = format!("fleet_{}", DATABASES.fetch_add(1, Ordering::Relaxed));
        server.create_database(&name);
        Some(Self { server, name })
    }

    pub(crate) fn url(&self) -> String {
        self.server.url(&self.name)
    }

    pub(crate) fn address(&self) -> Address {
        Address::parse(&self.url()).expect("the server's own address")
    }

    #[track_caller]
    pub(crate) fn sql(&self, sql: &str) -> String {
        self.server.sql(&self.name, sql)
    }

    #[track_caller]
    pub(crate) fn sync(&self, machine: u8, source: &mut Memory) -> Synced {
        self.try_sync(machine, source).expect("a sync")
    }

    pub(crate) fn try_sync(&self, machine: u8, source: &mut Memory) -> Result<Synced, Error> {
        sync(&self.address(), &sender(machine), source, &mut |_| ())
    }
}

/// Who sends in these tests.
pub(crate) fn sender(machine: u8) -> Sender {
    Sender {
        machine: RecordId([machine; 16]),
        machine_name: Some(format!("machine {machine}")),
        user_name: Some("it's me".to_owned()),
        agent: "claude-code".to_owned(),
        agents: std::collections::HashMap::new(),
        project: ProjectForm::Path,
        schema: "public".to_owned(),
        version: "0.0.0-test".to_owned(),
    }
}

/// Records, and how far they were sent.
#[derive(Default, Clone)]
pub(crate) struct Memory {
    pub(crate) rows: [Vec<Record>; 3],
    pub(crate) sent: [i64; 3],
    pub(crate) moved: Vec<(i64, Timestamp, RecordId)>,
}

impl Memory {
    pub(crate) fn of(samples: impl IntoIterator<Item = Sample>) -> Self {
        let mut memory = Self::default();
        memory.rows[0].extend(samples.into_iter().map(Record::Sample));
        memory
    }

    pub(crate) fn with_responses(mut self, responses: impl IntoIterator<Item = Response>) -> Self {
        self.rows[1].extend(responses.into_iter().map(Record::Response));
        self
    }

    pub(crate) fn with_boundaries(mut self, boundaries: impl IntoIterator<Item = Boundary>) -> Self {
        self.rows[2].extend(boundaries.into_iter().map(Record::Boundary));
        self
    }
}

impl Source for Memory {
    fn rows_after(&mut self, table: Table, after: i64, limit: usize) -> Result<Vec<(i64, Record)>, Error> {
        let after = usize::try_from(after).expect("a row's number");
        let rows = self.rows[table as usize].iter().enumerate().skip(after).take(limit);
        Ok(rows
            .map(|(index, record)| (i64::try_from(index).expect("a row's number") + 1, record.clone()))
            .collect())
    }

    fn moved_between(&mut self, after: i64, last: i64) -> Result<Vec<(Timestamp, RecordId)>, Error> {
        let moved = self.moved.iter().filter(|(row, ..)| (after + 1..=last).contains(row));
        Ok(moved.map(|(_, at, id)| (*at, *id)).collect())
    }

    fn sent(&mut self, _fleet: &str, table: Table) -> Result<i64, Error> {
        Ok(self.sent[table as usize])
    }

    fn note_sent(&mut self, _fleet: &str, table: Table, row: i64) -> Result<(), Error> {
        self.sent[table as usize] = row;
        Ok(())
    }
}

pub(crate) fn at(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

/// A sample of a session, so many seconds after a fixed moment.
pub(crate) fn sample(session: &str, second: i64, percent: u16) -> Sample {
    Sample {
        at: Timestamp::from_second(at("2026-10-31T22:00:00Z").as_second() + second).expect("an instant"),
        session: session.to_owned(),
        model: "claude-opus-5".to_owned(),
        context_used: u64::from(percent) * 2_000,
        context_size: 200_000,
        percent,
        input: 10,
        output: 20,
        cache_create: 300,
        cache_read: 900,
        status: Health::at(u64::from(percent), 70, 90, 95),
        compaction: false,
        previous_percent: None,
        signs: Signs::default(),
        compacts_at: Some(155_000),
        cost_micros: Some(1_250_000),
        cwd: "/home/me/a \"quoted\" \\ folder".to_owned(),
        project: "/home/me/project".to_owned(),
    }
}

/// So many samples of one session.
pub(crate) fn samples(session: &str, count: i64) -> impl Iterator<Item = Sample> {
    (0..count)
        .map(move |second| sample(session, second * 7, u16::try_from(second % 100).expect("a percentage")))
}

pub(crate) fn response(session: &str, second: i64, output: u64) -> Response {
    let at = Timestamp::from_second(at("2026-10-31T22:00:00Z").as_second() + second).expect("an instant");
    Response {
        id: RecordId::of(&[session, &second.to_string()]),
        at,
        session: session.to_owned(),
        project: "/home/me/project".to_owned(),
        model: "claude-opus-5".to_owned(),
        tier: Tier::default(),
        is_sidechain: false,
        tokens: Tokens {
            input: 100,
            output,
            cache_write_5m: 1_000,
            cache_write_1h: 500,
            cache_read: 4_500,
            web_searches: 1,
        },
        context: 6_100,
    }
}

pub(crate) fn boundary(session: &str, second: i64) -> Boundary {
    Boundary {
        id: RecordId::of(&["boundary", session, &second.to_string()]),
        at: Timestamp::from_second(at("2026-10-31T22:00:00Z").as_second() + second).expect("an instant"),
        session: session.to_owned(),
        project: "/home/me/project".to_owned(),
        model: "claude-opus-5".to_owned(),
        is_auto: true,
        tokens_before: 160_000,
        tokens_after: Some(20_000),
    }
}
