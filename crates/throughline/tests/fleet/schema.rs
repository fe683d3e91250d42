//! The schema: made once by whoever comes first, again without harm, over what others left, and never from the future.

use std::thread;

use throughline_fleet::{Error, schema};

use crate::scene::{Database, Memory, sample, samples};

/// The tables of a database as people had them before, with two rows in one second in two sessions.
const BEFORE: &str = "
    CREATE TABLE context_usage_log (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(), session_id text NOT NULL, timestamp timestamptz NOT NULL,
        model_id text, context_used integer NOT NULL, context_size integer DEFAULT 200000,
        usage_percent smallint NOT NULL, input_tokens integer DEFAULT 0, output_tokens integer DEFAULT 0,
        cache_creation_tokens integer DEFAULT 0, cache_read_tokens integer DEFAULT 0, status text,
        compaction_detected boolean DEFAULT false, working_directory text, created_at timestamptz DEFAULT now(),
        CONSTRAINT unique_session_timestamp UNIQUE (session_id, timestamp));
    CREATE TABLE context_usage_daily (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), date date NOT NULL UNIQUE,
        total_sessions integer DEFAULT 0);
    CREATE FUNCTION get_compaction_analysis() RETURNS TABLE (total_compactions bigint) LANGUAGE sql AS 'SELECT 1::bigint';
    CREATE VIEW v_context_usage_recent AS SELECT session_id, max(usage_percent) AS peak_usage FROM context_usage_log
        GROUP BY session_id;
    INSERT INTO context_usage_log (session_id, timestamp, context_used, usage_percent, status, compaction_detected)
    VALUES ('old', '2025-12-26 10:00:00Z', 180000, 90, 'CRITICAL', false),
           ('old', '2025-12-26 10:00:01Z', 30000, 15, 'HEALTHY', true),
           ('other', '2025-12-26 10:00:01Z', 2000, 1, 'HEALTHY', false);
    INSERT INTO context_usage_daily (date, total_sessions) VALUES ('2025-12-26', 99);";

#[test]
fn tables_of_another_make_are_kept_and_their_rows_come_in() {
    let Some(database) = Database::new() else { return };
    database.sql(BEFORE);
    database.sync(1, &mut Memory::of([sample("new", 0, 42)]));
    assert_eq!(database.sql("SELECT count(*) FROM context_usage_log_before_throughline"), "3");
    assert_eq!(database.sql("SELECT total_sessions FROM context_usage_daily_before_throughline"), "99");
    assert_eq!(
        database.sql("SELECT session_id, count(*) FROM context_usage_log GROUP BY 1 ORDER BY 1"),
        "new|1\nold|2\nother|1"
    );
    assert_eq!(
        database.sql("SELECT date, total_sessions FROM context_usage_daily ORDER BY 1"),
        "2025-12-26|2\n2026-10-31|1"
    );
    assert_eq!(
        database.sql("SELECT total_compactions, avg_pre_compaction_percent FROM get_compaction_analysis()"),
        "1|90.00"
    );
    assert_eq!(
        database.sql("SELECT tableoid::regclass FROM context_usage_log WHERE session_id = 'other'"),
        "context_usage_log_2025_12"
    );
}

#[test]
fn the_printed_schema_can_be_applied_by_hand_twice_and_is_what_the_program_expects() {
    let Some(database) = Database::new() else { return };
    let printed = schema::print("public");
    database.sql(&printed);
    database.sync(1, &mut Memory::of([sample("s", 0, 42)]));
    database.sql(&printed);
    let outcome = database.sync(1, &mut Memory { sent: [1, 0, 0], ..Memory::of(samples("t", 3)) });
    assert_eq!((outcome.migrated.len(), outcome.sent[0]), (0, 2));
    assert_eq!(
        database.sql("SELECT count(*), max(version), max(name) FROM throughline_migrations"),
        "2|2|0002_compactions_complete.sql"
    );
    assert_eq!(database.sql("SELECT count(*) FROM context_usage_log"), "3");
}

#[test]
fn sixteen_machines_that_come_first_make_one_schema_and_lose_nothing() {
    let Some(database) = Database::new() else { return };
    let database = &database;
    let made: usize = thread::scope(|scope| {
        let machines: Vec<_> = (0..16_u8)
            .map(|machine| {
                scope.spawn(move || {
                    // Everybody has some rows of their own, and some that all have.
                    let own = format!("session {machine}");
                    let mut source = Memory::of(samples(&own, 400).chain(samples("shared", 400)));
                    database.sync(machine, &mut source).migrated.len()
                })
            })
            .collect();
        machines.into_iter().map(|machine| machine.join().expect("a machine")).sum()
    });
    assert_eq!(made, schema::MIGRATIONS.len(), "one of them made the schema");
    assert_eq!(database.sql("SELECT count(*), count(DISTINCT id) FROM context_usage_log"), "6800|6800");
    assert_eq!(
        database.sql("SELECT count(*), min(samples_sent), max(samples_sent) FROM throughline_machines"),
        "16|800|800"
    );
    // Whoever came last summed up everybody's rows.
    assert_eq!(database.sql("SELECT sum(total_entries), count(*) FROM context_usage_daily"), "6800|1");
}

#[test]
fn a_newer_schema_and_an_edited_one_are_left_alone() {
    let Some(database) = Database::new() else { return };
    database.sync(1, &mut Memory::of([sample("s", 0, 42)]));
    database.sql("INSERT INTO throughline_migrations VALUES (99, '0099_future.sql', 'x', now())");
    let mut source = Memory::of([sample("t", 0, 42)]);
    let error = database.try_sync(2, &mut source).expect_err("a schema of the future");
    assert!(matches!(error, Error::Newer { theirs: 99, ours: 2 }), "{error}");
    assert!(error.remedy().is_some_and(|remedy| remedy.contains("newer version")));
    database.sql(
        "DELETE FROM throughline_migrations; INSERT INTO throughline_migrations VALUES (0, 'x', 'y', now())",
    );
    assert!(matches!(database.try_sync(2, &mut source), Err(Error::Altered { .. })));
    assert_eq!(database.sql("SELECT count(*) FROM context_usage_log"), "1");
}

#[test]
fn another_schema_than_public_holds_everything_where_it_is_asked_to() {
    let Some(database) = Database::new() else { return };
    database.sql("CREATE SCHEMA usage; CREATE TABLE public.context_usage_log (mine integer)");
    let sender = throughline_fleet::sync::Sender { schema: "usage".to_owned(), ..crate::scene::sender(1) };
    let mut source = Memory::of(samples("s", 1_000));
    throughline_fleet::sync::sync(&database.address(), &sender, &mut source, &mut |_| ()).expect("a sync");
    assert_eq!(database.sql("SELECT count(*) FROM usage.context_usage_log"), "1000");
    assert_eq!(database.sql("SELECT total_entries FROM usage.context_usage_daily"), "1000");
    assert_eq!(database.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), "1");
}
