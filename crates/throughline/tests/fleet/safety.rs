//! Safety: whose certificate is believed, and who may read and write which rows.

use throughline_fleet::sync::sync;
use throughline_fleet::{Address, Connection, Error};

use crate::scene::{Database, Memory, sample, samples, sender};

#[test]
fn a_certificate_is_looked_at_as_closely_as_the_address_asks() {
    let Some(database) = Database::new() else { return };
    let (right, wrong) = (database.server.authority(), database.server.wrong_authority());
    let open = |host: &str, options: &str| {
        let url = database.url().replace("localhost", host);
        Connection::open(&Address::parse(&format!("{url}?{options}")).expect("an address"))
            .and_then(|mut open| open.run("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"))
            .map(|rows| rows[0].text(0).to_owned())
    };
    let (right, wrong) = (right.display(), wrong.display());
    assert_eq!(open("localhost", &format!("sslrootcert={right}")).expect("verify-full"), "t");
    assert_eq!(open("localhost", "sslmode=require").expect("require"), "t");
    assert_eq!(open("localhost", "sslmode=prefer").expect("prefer"), "t");
    assert_eq!(open("localhost", "sslmode=disable").expect("disable"), "f");
    assert_eq!(open("127.0.0.1", &format!("sslmode=verify-ca&sslrootcert={right}")).expect("verify-ca"), "t");
    for (host, options, why) in [
        ("localhost", format!("sslrootcert={wrong}"), "signed by nobody"),
        ("localhost", format!("sslmode=require&sslrootcert={wrong}"), "signed by nobody"),
        ("localhost", "sslmode=verify-full".to_owned(), "signed by nobody"),
        ("127.0.0.1", format!("sslmode=verify-full&sslrootcert={right}"), "another host"),
        (
            "localhost",
            "sslmode=verify-full&sslrootcert=/no/such/file".to_owned(),
            "could not read /no/such/file",
        ),
        ("localhost", "sslmode=verify-full&sslrootcert=/etc/passwd".to_owned(), "no certificate"),
    ] {
        let error = open(host, &options).expect_err("a refusal");
        assert!(matches!(&error, Error::Tls { why: said, .. } if said.contains(why)), "{options}: {error}");
        assert!(error.remedy().is_some_and(|remedy| remedy.contains("sslrootcert")));
    }
}

#[test]
fn a_server_without_tls_is_refused_where_safety_was_asked_for() {
    let Some(database) = Database::new() else { return };
    let Some(pooler) = throughline_testkit::Pooler::start(database.server, 1) else { return };
    let open = |options: &str| {
        let url = format!("{}?{options}", pooler.url(&database.name));
        Connection::open(&Address::parse(&url).expect("an address")).map(drop)
    };
    assert!(matches!(open("sslmode=require"), Err(Error::Tls { .. })));
    open("sslmode=prefer").expect("in the clear, as asked");
}

#[test]
fn the_local_socket_needs_no_password() {
    let Some(database) = Database::new() else { return };
    let address = Address::parse(&database.server.socket_url(&database.name)).expect("an address");
    sync(&address, &sender(1), &mut Memory::of(samples("s", 400)), &mut |_| ()).expect("a sync");
    assert_eq!(database.sql("SELECT count(*) FROM context_usage_log"), "400");
}

/// Asks as another role, as a project's web interface does.
fn as_role(database: &Database, role: &str, sql: &str) -> Result<String, String> {
    database.server.try_sql(&database.name, &format!("SET ROLE {role}; {sql}"))
}

#[test]
fn roles_of_a_hosted_project_may_what_their_names_promise() {
    let Some(database) = Database::new() else { return };
    // Roles belong to the whole server; here as there they get everything in `public` by default.
    database.sql(
        "DO $$ BEGIN
             CREATE ROLE anon NOLOGIN; CREATE ROLE authenticated NOLOGIN; CREATE ROLE service_role NOLOGIN;
         END $$;
         GRANT USAGE ON SCHEMA public TO anon, authenticated, service_role;
         ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON TABLES TO anon, authenticated, service_role;
         ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON FUNCTIONS TO anon, authenticated, service_role;",
    );
    database.sync(1, &mut Memory::of([sample("s", 0, 42)]));
    let ask = |role: &str, sql: &str| as_role(&database, role, sql);
    for table in
        ["context_usage_log", "context_usage_responses", "context_usage_compactions", "context_usage_daily"]
    {
        assert!(ask("authenticated", &format!("SELECT count(*) FROM {table}")).is_ok(), "{table}");
        assert!(ask("anon", &format!("SELECT count(*) FROM {table}")).is_err(), "{table}");
        assert!(ask("authenticated", &format!("DELETE FROM {table}")).is_err(), "{table}");
    }
    assert_eq!(ask("authenticated", "SELECT count(*) FROM context_usage_log").as_deref(), Ok("1"));
    assert_eq!(
        ask("authenticated", "SELECT total_entries FROM get_context_usage_summary(100000)").as_deref(),
        Ok("1")
    );
    assert!(ask("authenticated", "SELECT * FROM v_context_usage_recent").is_ok());
    assert!(ask("anon", "SELECT * FROM v_context_usage_recent").is_err());
    assert!(ask("anon", "SELECT * FROM get_compaction_analysis()").is_err());
    // Partitions and bookkeeping are tables in the same schema, and as reachable from outside.
    for hidden in [
        "context_usage_log_2026_10",
        "context_usage_log_rest",
        "throughline_machines",
        "throughline_days_due",
    ] {
        for role in ["anon", "authenticated"] {
            assert!(ask(role, &format!("SELECT * FROM {hidden}")).is_err(), "{role} {hidden}");
        }
    }
    for call in [
        "throughline_make_days(1)",
        "throughline_ensure_months(NULL)",
        "aggregate_context_usage_daily()",
        "throughline_apply_policies()",
    ] {
        for role in ["anon", "authenticated"] {
            assert!(ask(role, &format!("SELECT {call}")).is_err(), "{role} {call}");
        }
    }
    // A role that may send, of a machine that owns nothing.
    let name = format!("dev_of_{}", database.name);
    database.sql(&format!(
        "CREATE ROLE throughline_writer NOLOGIN; SELECT throughline_apply_policies(); SELECT throughline_apply_policies(); \
         CREATE ROLE {name} LOGIN PASSWORD 'dev' IN ROLE throughline_writer; ",
    ));
    let address = Address::parse(&database.server.url_as(&name, "dev", &database.name)).expect("an address");
    let mut later = samples("w", 1_000).collect::<Vec<_>>();
    later.extend(later.clone().into_iter().map(|mut sample| {
        sample.at -= std::time::Duration::from_hours(20 * 24);
        sample
    }));
    let outcome =
        sync(&address, &sender(2), &mut Memory::of(later), &mut |_| ()).expect("a sync of a writer");
    assert_eq!(outcome.sent, [2_000, 0, 0]);
    assert_eq!(ask("service_role", "SELECT count(*) FROM context_usage_log").as_deref(), Ok("2001"));
    assert_eq!(database.sql("SELECT sum(total_entries) FROM context_usage_daily"), "2001");
    assert!(ask(&name, "DELETE FROM context_usage_log").is_err());
    assert!(
        ask("authenticated", "SELECT * FROM context_usage_log_2026_10").is_err(),
        "new partitions are closed too"
    );
}
