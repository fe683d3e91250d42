//! The verb: `usage sync` and `usage --from`, driven as people and cron drive them, killed at any instant.

use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use throughline_domain::usage::{Boundary, Response, Sample};
use throughline_store::usage::{Batch, UsageStore};
use throughline_testkit::postgres::{PASSWORD, PASSWORD_IN_URL};
use throughline_testkit::{Output, TempHome};

use crate::scene::{Database, boundary, response, sample, samples};

const BINARY: &str = env!("CARGO_BIN_EXE_throughline");

fn store(home: &TempHome) -> UsageStore {
    UsageStore::open(
        &throughline_store::door::outside::at(&home.data().join("throughline.db")),
        Duration::from_secs(5),
    )
    .expect("a store")
}

fn add(home: &TempHome, samples: Vec<Sample>, responses: Vec<Response>, boundaries: Vec<Boundary>) {
    let batch = Batch { samples, responses, boundaries, ..Batch::default() };
    store(home).add(&batch).expect("rows in the store");
}

fn home(database: &Database) -> TempHome {
    TempHome::new().with_env("THROUGHLINE_FLEET_URL", database.url()).with_env("USER", "ada")
}

#[track_caller]
fn usage(home: &TempHome, args: &[&str]) -> Output {
    home.run(Path::new(BINARY), &[&["usage"], args].concat(), "")
}

#[track_caller]
fn said(home: &TempHome, args: &[&str]) -> String {
    let output = usage(home, args);
    output.assert_success();
    assert!(!format!("{}{}", output.stdout, output.stderr).contains(PASSWORD), "{output:?}");
    output.stdout
}

#[test]
fn a_sync_says_what_it_sent_and_the_next_one_that_nothing_is_new() {
    let Some(database) = Database::new() else { return };
    let home = home(&database);
    add(&home, samples("s", 500).collect(), vec![response("s", 1, 5)], vec![boundary("s", 2)]);
    let dry = said(&home, &["sync", "--dry-run"]);
    assert!(
        dry.contains(":***@localhost") && dry.contains("500 samples, 1 responses, 1 compactions"),
        "{dry}"
    );
    assert_eq!(database.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), "0", "not a word");
    let first = said(&home, &["sync"]);
    assert!(
        first.contains("500 samples, 1 responses, 1 compactions") && first.contains("0001_usage.sql"),
        "{first}"
    );
    assert!(said(&home, &["sync"]).starts_with("nothing new for localhost:"));
    assert_eq!(said(&home, &["sync", "--quiet"]), "");
    let json: serde_json::Value = serde_json::from_str(&said(&home, &["sync", "--json"])).expect("JSON");
    assert_eq!(json["sent"]["samples"], 0);
    assert_eq!(database.sql("SELECT DISTINCT user_name, agent FROM context_usage_log"), "ada|claude-code");
    assert_eq!(database.sql("SELECT count(*) FROM throughline_machines WHERE name IS NOT NULL"), "1");
    assert!(said(&home, &["sync", "--print-sql"]).contains("CREATE TABLE IF NOT EXISTS context_usage_log"));
}

#[test]
fn killed_at_any_instant_it_loses_no_row_and_doubles_none() {
    let Some(database) = Database::new() else { return };
    let home = home(&database);
    add(
        &home,
        samples("s", 70_000).collect(),
        (0..500).map(|second| response("s", second, 1)).collect(),
        Vec::new(),
    );
    let mut killed = 0;
    for round in 0..14_u64 {
        let mut command = home.command(Path::new(BINARY));
        command
            .args(["usage", "sync", "--quiet"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("the binary");
        thread::sleep(Duration::from_millis(5 + round * round * 6));
        let _ = child.kill();
        killed += u32::from(!child.wait().expect("a child").success());
    }
    assert!(killed >= 5, "only {killed} were killed in time");
    said(&home, &["sync"]);
    let counts = "SELECT count(*), count(DISTINCT id) FROM context_usage_log UNION ALL \
                  SELECT count(*), count(DISTINCT id) FROM context_usage_responses";
    assert_eq!(database.sql(counts), "70000|70000\n500|500");
    assert_eq!(
        database.sql("SELECT sum(total_entries), sum(total_responses) FROM context_usage_daily"),
        "70000|500"
    );
}

#[test]
fn a_fleet_of_one_machine_answers_as_the_machine_does() {
    let Some(database) = Database::new() else { return };
    let mut home = home(&database);
    home.set_env("TZ", "America/New_York");
    let mut compacted = sample("s1", 9_000, 12);
    compacted.compaction = true;
    compacted.previous_percent = Some(93);
    compacted.signs.drop = true;
    let mut rows: Vec<Response> =
        (0..200).map(|number| response(&format!("s{}", number % 7), number * 1_013, 50)).collect();
    for (number, row) in rows.iter_mut().enumerate() {
        row.model = ["claude-opus-4-6", "claude-sonnet-4-6", "something-else"][number % 3].to_owned();
        row.project = format!("/home/me/{}", ["app", "lib"][number % 2]);
        row.is_sidechain = number % 5 == 0;
    }
    let all: Vec<Sample> = samples("s1", 900).chain([compacted]).chain(samples("s2", 30)).collect();
    add(&home, all, rows, vec![boundary("s1", 9_000), boundary("s2", 100)]);
    said(&home, &["sync"]);
    for report in [
        &["days", "--json", "--since", "2026-10-01"] as &[&str],
        &["days", "--csv", "--zone", "Asia/Kathmandu", "--model", "opus"],
        &["sessions", "--json"],
        &["models", "--json"],
        &["projects", "--json", "--until", "2026-11-01"],
        &["blocks", "--json"],
        &["analyze", "--json"],
    ] {
        let local = said(&home, report);
        let fleet = said(&home, &[report, &["--from", "fleet"]].concat());
        assert_eq!(local, fleet, "{report:?}");
        assert!(local.len() > 60, "{report:?}: {local}");
    }
    let named = said(&home, &["--project", "/home/me/app", "models", "--json", "--from", "fleet"]);
    assert_eq!(named, said(&home, &["--project", "/home/me/app", "models", "--json"]));
    assert!(said(&home, &["--from", "fleet", "users"]).contains("ada"));
    assert!(said(&home, &["--from", "fleet", "machines"]).contains("200"));
    let alone = usage(&home, &["users"]);
    assert!(!alone.status.success() && alone.stderr.contains("--from fleet"), "{alone:?}");
}

#[test]
fn the_address_and_the_password_come_from_where_people_keep_them_and_from_no_project() {
    let Some(database) = Database::new() else { return };
    let mut home = TempHome::new();
    add(&home, vec![sample("s", 0, 1)], Vec::new(), Vec::new());
    let none = usage(&home, &["sync"]);
    assert!(!none.status.success() && none.stderr.contains("THROUGHLINE_FLEET_URL"), "{none:?}");
    let bare = format!("postgresql://postgres@localhost:{}/{}", database.server.port(), database.name);
    let write = |path: &Path, text: &str| {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    // A project that was cloned does not say where usage goes.
    write(
        &home.project().join(".claude/throughline.toml"),
        &format!("[fleet]\nurl = \"{}\"\n", database.url()),
    );
    assert!(usage(&home, &["sync"]).stderr.contains("no fleet is configured"));
    // A file of its own for the URL; the password as psql looks for it.
    let own = home.config().join("throughline/throughline.toml");
    write(
        &own,
        "[fleet]\nurl_file = \"~/fleet-url\"\nproject = \"name\"\nsend_user = false\nmachine = \"box\"\n",
    );
    write(&home.user().join("fleet-url"), &format!("{bare}\n"));
    let asked = usage(&home, &["sync"]);
    assert!(asked.stderr.contains("none is known") && asked.stderr.contains(".pgpass"), "{asked:?}");
    let escaped = PASSWORD.replace('\\', "\\\\").replace(':', "\\:");
    write(&home.user().join(".pgpass"), &format!("localhost:*:*:postgres:{escaped}\n"));
    said(&home, &["sync"]);
    assert_eq!(
        database.sql("SELECT project, user_name IS NULL, working_directory IS NULL FROM context_usage_log"),
        "project|t|t"
    );
    assert_eq!(database.sql("SELECT name FROM throughline_machines"), "box");
    std::fs::remove_file(home.user().join(".pgpass")).expect("gone");
    home.set_env("PGPASSWORD", PASSWORD);
    said(&home, &["sync"]);
    assert!(said(&home, &["--from", &bare, "analyze", "--json"]).contains('{'));
    let told = usage(&home, &["--from", &database.url(), "days"]);
    assert!(!told.status.success() && told.stderr.contains("everybody on this machine"), "{told:?}");
    assert!(!told.stderr.contains(PASSWORD_IN_URL), "{told:?}");
}

#[test]
fn the_authorities_that_the_environment_names_are_believed_and_no_others() {
    let Some(database) = Database::new() else { return };
    let (right, wrong) = (database.server.authority(), database.server.wrong_authority());
    let url = format!("{}?sslmode=verify-full", database.url());
    let mut home = TempHome::new().with_env("THROUGHLINE_FLEET_URL", url);
    add(&home, vec![sample("s", 0, 1)], Vec::new(), Vec::new());
    for (variable, named) in
        [("SSL_CERT_FILE", right.as_path()), ("SSL_CERT_DIR", right.parent().expect("a folder"))]
    {
        home.set_env(variable, named);
        said(&home, &["sync"]);
        home.remove_env(variable);
    }
    home.set_env("SSL_CERT_FILE", &wrong);
    let refused = usage(&home, &["sync"]);
    assert!(!refused.status.success() && refused.stderr.contains("signed by nobody"), "{refused:?}");
}

#[test]
fn offline_nothing_is_lost_and_cron_is_not_bothered() {
    let home = TempHome::new().with_env("THROUGHLINE_FLEET_URL", "postgresql://u:hidden@127.0.0.1:1/d");
    add(&home, vec![sample("s", 0, 1)], Vec::new(), Vec::new());
    let loud = usage(&home, &["sync"]);
    assert_eq!(loud.status.code(), Some(75));
    assert!(
        loud.stderr.contains("could not reach 127.0.0.1:1") && loud.stderr.contains("next sync"),
        "{loud:?}"
    );
    assert!(!loud.stderr.contains("hidden"));
    let quiet = usage(&home, &["sync", "--quiet"]);
    assert_eq!((quiet.status.code(), quiet.stderr.as_str()), (Some(75), ""));
}
