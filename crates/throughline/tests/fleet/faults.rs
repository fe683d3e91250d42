//! Faults: cut, stopped, refused, raced. No row is lost and none is doubled; what went wrong is said.

use std::thread;
use std::time::{Duration, Instant};

use throughline_fleet::sync::sync;
use throughline_fleet::{Address, Error};
use throughline_testkit::{CutProxy, Pooler, Postgres};

use crate::scene::{Database, Memory, response, sample, samples, sender};

const COUNTS: &str = "SELECT count(*), count(DISTINCT id) FROM context_usage_log";

#[test]
fn a_connection_that_is_cut_anywhere_loses_no_row_and_doubles_none() {
    let Some(database) = Database::new() else { return };
    let proxy = CutProxy::start(database.server.port());
    let url = database.url().replace(&database.server.port().to_string(), &proxy.port().to_string());
    // In the clear, so that the bytes counted are the rows sent.
    let address = Address::parse(&format!("{url}?sslmode=disable")).expect("an address");
    let mut sent = 0;
    for (round, bytes) in
        [10, 90, 700, 5_000, 60_000, 300_000, 1_000_000, 3_000_000, 8_000_000].into_iter().enumerate()
    {
        let session = format!("round {round}");
        let mut source = Memory::of(samples(&session, 45_000));
        proxy.cut_after(bytes);
        let outcome =
            sync(&address, &sender(u8::try_from(round).expect("few rounds")), &mut source, &mut |_| ());
        let outcome = outcome.expect("it starts again after a cut");
        assert_eq!(source.sent, [45_000, 0, 0]);
        assert_eq!(u64::from(outcome.retries), proxy.cuts() - round as u64, "one retry for the cut");
        sent += 45_000;
        assert_eq!(database.sql(COUNTS), format!("{sent}|{sent}"), "after a cut at {bytes} bytes");
    }
    assert_eq!(proxy.cuts(), 9, "every round was cut");
}

#[test]
fn a_server_that_goes_away_is_waited_for_a_little_and_then_everything_is_kept() {
    let Some(server) = Postgres::start() else { return };
    server.create_database("fleet");
    let address = Address::parse(&server.url("fleet")).expect("an address");
    let mut source = Memory::of(samples("s", 60_000));
    // Killed in the middle, and back a moment later.
    let mut killed = false;
    thread::scope(|scope| {
        let outcome = sync(&address, &sender(1), &mut source, &mut |rows| {
            if rows >= 20_000 && !killed {
                killed = true;
                server.kill();
                scope.spawn(|| server.restart());
            }
        });
        assert!(outcome.expect("it comes back").retries >= 1);
    });
    assert_eq!(server.sql("fleet", COUNTS), "60000|60000");
    // Gone for good.
    server.stop();
    let mut more = Memory { sent: source.sent, ..Memory::of(samples("s", 60_005)) };
    let started = Instant::now();
    let error = sync(&address, &sender(1), &mut more, &mut |_| ()).expect_err("nobody there");
    assert!(error.is_offline() && started.elapsed() < Duration::from_secs(20), "{error}");
    assert_eq!(more.sent, [60_000, 0, 0]);
    server.restart();
    assert_eq!(sync(&address, &sender(1), &mut more, &mut |_| ()).expect("back").sent, [5, 0, 0]);
    assert_eq!(server.sql("fleet", COUNTS), "60005|60005");
}

#[test]
fn many_machines_share_a_pooler_that_has_fewer_connections_than_they_are() {
    let Some(database) = Database::new() else { return };
    let Some(pooler) = Pooler::start(database.server, 3) else { return };
    let address = Address::parse(&pooler.url(&database.name)).expect("an address");
    thread::scope(|scope| {
        for machine in 0..16_u8 {
            let address = &address;
            scope.spawn(move || {
                let own = format!("session {machine}");
                let mut source = Memory::of(samples(&own, 1_500).chain(samples("shared", 500)))
                    .with_responses((0..20).map(|second| response(&own, second, 1)));
                for _ in 0..3 {
                    sync(address, &sender(machine), &mut source, &mut |_| ())
                        .expect("a sync by way of the pooler");
                    source.rows[0].extend(
                        samples(&own, 1_600).skip(1_500).map(throughline_fleet::sync::Record::Sample),
                    );
                }
            });
        }
    });
    assert_eq!(database.sql(COUNTS), format!("{0}|{0}", 16 * 1_600 + 500));
    assert_eq!(database.sql("SELECT count(*), sum(output_tokens) FROM context_usage_responses"), "320|320");
    let left = "SELECT count(*) FROM pg_class WHERE relname = 'throughline_stage' UNION ALL \
                SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database \
                WHERE locktype = 'advisory' AND datname = current_database()";
    assert_eq!(database.sql(left), "0\n0", "nothing is left in the pooler's sessions");
}

#[test]
fn a_refusal_names_what_to_do_and_never_the_password() {
    let Some(database) = Database::new() else { return };
    let mut source = Memory::of([sample("s", 0, 1)]);
    let mut refused = |url: &str| {
        let address = Address::parse(url).expect("an address");
        sync(&address, &sender(1), &mut source, &mut |_| ()).expect_err("a refusal")
    };
    let wrong = refused(&database.server.url_as("postgres", "wr0ng-pass", &database.name));
    assert_eq!(wrong.code(), "28P01");
    assert!(wrong.remedy().is_some_and(|remedy| remedy.contains("PGPASSWORD")));
    assert!(!format!("{wrong} {wrong:?}").contains("wr0ng-pass"));
    let none =
        refused(&format!("postgresql://postgres@localhost:{}/{}", database.server.port(), database.name));
    assert!(none.to_string().contains("none is known"), "{none}");
    assert_eq!(refused(&database.server.url("no_such_database")).code(), "3D000");

    let name = format!("reader_of_{}", database.name);
    database.sql(&format!("CREATE ROLE {name} LOGIN PASSWORD 'only-look'"));
    let reader = refused(&database.server.url_as(&name, "only-look", &database.name));
    assert_eq!(reader.code(), "42501", "{reader}");
    assert!(reader.remedy().is_some_and(|remedy| remedy.contains("--print-sql")));
    database.sync(2, &mut Memory::of([sample("t", 0, 1)]));
    database.sql(&format!("GRANT SELECT ON ALL TABLES IN SCHEMA public TO {name}"));
    let mut source = Memory::of([sample("s", 0, 1)]);
    let address =
        Address::parse(&database.server.url_as(&name, "only-look", &database.name)).expect("an address");
    let reader = sync(&address, &sender(1), &mut source, &mut |_| ()).expect_err("a role that only reads");
    assert!(reader.code() == "42501" && source.sent == [0; 3], "{reader}");
    assert_eq!(database.sql("SELECT count(*) FROM context_usage_log"), "1");
    // A whole database that only reads: a replica.
    database.sql(&format!("ALTER DATABASE {} SET default_transaction_read_only = on", database.name));
    let replica = database.try_sync(1, &mut source).expect_err("a replica");
    assert!(replica.code() == "25006" && replica.remedy().is_some(), "{replica}");
}

#[test]
fn what_answers_without_being_postgresql_is_told_apart() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("the port").port();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            use std::io::Write;
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let address = Address::parse(&format!("postgresql://u:p@127.0.0.1:{port}/d")).expect("an address");
    let error = sync(&address, &sender(1), &mut Memory::default(), &mut |_| ()).expect_err("a web server");
    assert!(matches!(error, Error::Protocol { .. }), "{error}");
}
