//! The schema: migrations that the program carries, applied once each, whoever comes first.

use crate::error::Error;
use crate::literal;
use crate::wire::{Connection, Row};

/// First half of the key of the lock under which migrations run; the second half says for what.
const LOCK: &str = "7307129, 1";
const SERVER_VERSION_MIN: i64 = 150_000;

/// One step of the schema.
#[derive(Debug)]
pub struct Migration {
    /// 1, 2, 3 …
    pub version: i64,
    /// The file's name.
    pub name: &'static str,
    /// Its text.
    pub sql: &'static str,
}

/// All of them, oldest first.
pub const MIGRATIONS: [Migration; 2] = [
    Migration { version: 1, name: "0001_usage.sql", sql: include_str!("../migrations/0001_usage.sql") },
    Migration {
        version: 2,
        name: "0002_compactions_complete.sql",
        sql: include_str!("../migrations/0002_compactions_complete.sql"),
    },
];

impl Migration {
    /// FNV-1a of the text, as the signatures beside the files have it.
    #[must_use]
    pub fn checksum(&self) -> String {
        let hash = self.sql.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        format!("{hash:016x}")
    }

    fn record(&self) -> String {
        format!(
            "INSERT INTO throughline_migrations (version, name, checksum) VALUES ({}, {}, {}) ON CONFLICT DO NOTHING;",
            self.version,
            literal::text(self.name),
            literal::text(&self.checksum())
        )
    }
}

/// The newest version that this program knows.
#[must_use]
pub fn newest() -> i64 {
    MIGRATIONS.last().map_or(0, |migration| migration.version)
}

/// The whole schema as SQL, for somebody who applies it by hand. It can run again.
#[must_use]
pub fn print(schema: &str) -> String {
    let mut text = format!(
        "-- Throughline's tables for the usage of many machines. Apply as the role that shall own them, for instance\n\
         --   psql --set=ON_ERROR_STOP=1 --file=this-file \"$URL\"\n\
         -- Roles throughline_writer (machines send) and throughline_reader (reports) are given their rights where\n\
         -- they exist:\n\
         --   CREATE ROLE throughline_writer NOLOGIN; CREATE ROLE throughline_reader NOLOGIN;\n\n{}\n{MIGRATIONS_TABLE}\n",
        begin(schema)
    );
    for migration in &MIGRATIONS {
        text.push_str(&format!("\n-- {}\n{}\n{}\n", migration.name, migration.sql, migration.record()));
    }
    text.push_str("COMMIT;\n");
    text
}

const MIGRATIONS_TABLE: &str = "CREATE TABLE IF NOT EXISTS throughline_migrations (version integer PRIMARY KEY, \
     name text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());";

/// The beginning of every transaction: nothing of the session's own settings counts.
pub(crate) fn begin(schema: &str) -> String {
    format!(
        "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL search_path = {}, pg_temp; \
         SET LOCAL client_min_messages = warning;",
        literal::name(schema)
    )
}

/// Applies what is missing and returns the names of it. Many at once apply each step once.
pub(crate) fn migrate(connection: &mut Connection, schema: &str) -> Result<Vec<&'static str>, Error> {
    check_engine(connection)?;
    let applied = connection.run_and_stay(&format!(
        "{} SELECT NULL FROM (SELECT pg_advisory_xact_lock({LOCK})) AS locked; {MIGRATIONS_TABLE} \
         SELECT version, name, checksum FROM throughline_migrations ORDER BY version;",
        begin(schema)
    ))?;
    let version = applied.iter().filter_map(|row| row.number(0)).max().unwrap_or(0);
    if let Err(error) = check(version, applied.iter().filter(|row| row.number::<i64>(0).is_some())) {
        connection.run("ROLLBACK")?;
        return Err(error);
    }
    let mut done = Vec::new();
    for migration in MIGRATIONS.iter().filter(|migration| migration.version > version) {
        connection.run_and_stay(&format!("{}\n{}", migration.sql, migration.record()))?;
        done.push(migration.name);
    }
    connection.run("COMMIT")?;
    Ok(done)
}

/// Whether the steps that were applied are ours.
fn check<'a>(version: i64, applied: impl Iterator<Item = &'a Row>) -> Result<(), Error> {
    if version > newest() {
        return Err(Error::Newer { theirs: version, ours: newest() });
    }
    for row in applied {
        let ours = MIGRATIONS.iter().find(|migration| Some(migration.version) == row.number(0));
        if ours.is_none_or(|ours| ours.checksum() != row.text(2)) {
            return Err(Error::Altered { name: row.text(1).to_owned() });
        }
    }
    Ok(())
}

/// Engines that speak the protocol without being able to hold the schema are named, before anything is made.
fn check_engine(connection: &mut Connection) -> Result<(), Error> {
    let rows = connection.run("SELECT version(), current_setting('server_version_num')")?;
    let Some(row) = rows.first() else { return Ok(()) };
    let engine = row.text(0).split(',').next().unwrap_or_default().to_owned();
    let lacks = if engine.contains("CockroachDB") {
        "it has no partitions by time that are made on the way, and no advisory locks"
    } else if engine.contains("Redshift") || engine.contains("Materialize") || engine.contains("QuestDB") {
        "it has no INSERT … ON CONFLICT"
    } else if row.number::<i64>(1).is_some_and(|version| version < SERVER_VERSION_MIN) {
        "PostgreSQL 15 or later is needed (views with the rights of who asks)"
    } else {
        return Ok(());
    };
    Err(Error::Engine { engine, why: lacks.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_no_gap_and_checksums_are_the_signed_ones() {
        let signed = include_str!("../migrations/CHECKSUMS");
        let expected: Vec<String> = MIGRATIONS
            .iter()
            .map(|migration| format!("{} {}", migration.name, migration.checksum()))
            .collect();
        assert_eq!(signed.lines().collect::<Vec<_>>(), expected);
        assert!(MIGRATIONS.iter().zip(1..).all(|(migration, version)| migration.version == version));
    }

    #[test]
    fn a_newer_schema_and_an_edited_step_are_refused() {
        let row = |version: &str, checksum: &str| {
            Row(vec![Some(version.to_owned()), Some("x.sql".to_owned()), Some(checksum.to_owned())])
        };
        let ours = row("1", &MIGRATIONS[0].checksum());
        assert!(check(1, [ours.clone()].iter()).is_ok());
        assert!(matches!(check(newest() + 1, [].iter()), Err(Error::Newer { .. })));
        assert!(matches!(check(1, [row("1", "0")].iter()), Err(Error::Altered { .. })));
    }
}
