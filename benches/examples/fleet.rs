//! Measures sending to a fleet: a million rows against a bare COPY by psql, nothing new against `select 1`, and the
//! compaction analysis of ten million rows against the same question asked of the raw rows.
//!
//!     cargo build --release && cargo run --release -p throughline-benches --example fleet -- \
//!         --binary target/x86_64-unknown-linux-gnu/release/throughline [--rows N] [--analysis-rows N] [--rounds N]
//!
//! The server is private, on this machine, with its data on the disk of the temporary folder and without fsync; both
//! sides of every ratio use it, by TCP and TLS, and take turns.
#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_precision_loss,
    reason = "a measurement is there to be read, and stops where it cannot go on"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use throughline_domain::usage::{Sample, Signs};
use throughline_domain::{Health, Timestamp};
use throughline_store::usage::{Batch, UsageStore};
use throughline_testkit::postgres::PASSWORD;
use throughline_testkit::{Postgres, TempHome};

const DATABASE: &str = "fleet";
/// 2026-06-01.
const START_MS: i64 = 1_780_272_000_000;

fn main() {
    let mut binary = None;
    let (mut rows, mut analysis_rows, mut rounds) = (1_000_000_i64, 10_000_000_i64, 3_usize);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().expect("an option has a value");
        match word.as_str() {
            "--binary" => binary = Some(PathBuf::from(value).canonicalize().expect("the binary")),
            "--rows" => rows = value.parse().expect("a number"),
            "--analysis-rows" => analysis_rows = value.parse().expect("a number"),
            "--rounds" => rounds = value.parse().expect("a number"),
            other => panic!("unknown argument {other}"),
        }
    }
    let binary = binary.expect("--binary names the program to measure");
    let server = Postgres::start().expect("PostgreSQL");
    server.create_database(DATABASE);
    let mut home = TempHome::new();
    home.set_env("THROUGHLINE_FLEET_URL", server.url(DATABASE));
    let bench = Bench { binary, server, home };
    if rows > 0 {
        bench.sending(rows, rounds);
        bench.nothing_new();
    }
    if analysis_rows > 0 {
        bench.analysis(analysis_rows, rounds);
    }
}

struct Bench {
    binary: PathBuf,
    server: Postgres,
    home: TempHome,
}

impl Bench {
    /// A sync; how long it took, and the most memory it had.
    fn sync(&self) -> (Duration, u64) {
        let mut command = self.home.command(&self.binary);
        command.args(["usage", "sync", "--quiet"]).stdin(Stdio::null());
        let started = Instant::now();
        let mut child = command.spawn().expect("the binary");
        let status_file = format!("/proc/{}/status", child.id());
        let mut peak_kb = 0;
        loop {
            if let Some(status) = child.try_wait().expect("a child") {
                assert!(status.success(), "the sync failed: {status}");
                return (started.elapsed(), peak_kb);
            }
            peak_kb = peak_kb.max(peak(Path::new(&status_file)).unwrap_or(0));
            thread::sleep(Duration::from_millis(2));
        }
    }

    fn psql(&self, sql: &str) -> Duration {
        let started = Instant::now();
        let status = Command::new("psql")
            .args(["--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--set=ON_ERROR_STOP=1"])
            .args(["--host=localhost", "--username=postgres", "--dbname", DATABASE])
            .arg(format!("--port={}", self.server.port()))
            .arg("--command")
            .arg(sql)
            .env("PGPASSWORD", PASSWORD)
            .stdout(Stdio::null())
            .status()
            .expect("psql");
        assert!(status.success(), "{sql}");
        started.elapsed()
    }

    fn sending(&self, rows: i64, rounds: usize) {
        let mut store = UsageStore::open(
            &throughline_store::door::outside::at(&self.home.data().join("throughline.db")),
            Duration::from_secs(5),
        )
        .expect("a store");
        for first in (0..rows).step_by(20_000) {
            let samples = (first..rows.min(first + 20_000)).map(sample).collect();
            store.add(&Batch { samples, ..Batch::default() }).expect("rows in the store");
        }
        drop(store);
        let (first, peak_kb) = self.sync();
        println!(
            "first sync of {rows} rows, tables made on the way: {first:.1?}, {:.1} MB",
            peak_kb as f64 / 1024.0
        );
        let file = self.home.root().join("rows.txt");
        self.psql(&format!("\\copy (SELECT * FROM context_usage_log) to '{}'", file.display()));
        // The same columns, key and indexes; once in one piece, once by months as ours, and once without any index.
        self.psql(
            "CREATE TABLE whole (LIKE context_usage_log INCLUDING ALL); CREATE TABLE heap (LIKE context_usage_log); \
             CREATE TABLE months (LIKE context_usage_log INCLUDING ALL) PARTITION BY RANGE (\"timestamp\"); \
             CREATE TABLE months_1 PARTITION OF months FOR VALUES FROM ('2026-06-01Z') TO ('2026-07-01Z'); \
             CREATE TABLE months_2 PARTITION OF months DEFAULT",
        );
        let mut times: [Vec<Duration>; 4] = Default::default();
        let mut peaks = Vec::new();
        for _ in 0..rounds {
            for (index, table) in ["whole", "months", "heap"].into_iter().enumerate() {
                self.psql(&format!("TRUNCATE {table}"));
                self.psql("CHECKPOINT");
                times[index].push(self.psql(&format!("\\copy {table} from '{}'", file.display())));
            }
            self.psql("TRUNCATE context_usage_log, context_usage_daily; UPDATE throughline_machines SET samples_sent = 0");
            self.psql("CHECKPOINT");
            let (took, peak_kb) = self.sync();
            times[3].push(took);
            peaks.push(peak_kb);
        }
        let [whole, months, heap, ours] = times.map(median);
        let speed = |other: Duration| 100.0 * other.as_secs_f64() / ours.as_secs_f64();
        let per_second = rows as f64 / ours.as_secs_f64();
        println!(
            "sync of {rows} rows: {ours:.2?}, {per_second:.0} rows/s, {:.1} MB at most",
            *peaks.iter().max().expect("rounds") as f64 / 1024.0
        );
        println!(
            "bare COPY, same key and indexes:           {whole:.2?}; ours has {:.0} % of its speed (to reach: 40 %)",
            speed(whole)
        );
        println!("bare COPY, same key and indexes, by month: {months:.2?}; {:.0} %", speed(months));
        println!("bare COPY, no index at all:                {heap:.2?}; {:.0} %", speed(heap));
    }

    fn nothing_new(&self) {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..25 {
            theirs.push(self.psql("select 1"));
            ours.push(self.sync().0);
        }
        let (ours, theirs) = (median(ours), median(theirs));
        println!(
            "nothing new: {ours:.2?}; psql select 1: {theirs:.2?}; {:.2} × (to reach: 5 ×)",
            ours.as_secs_f64() / theirs.as_secs_f64()
        );
    }

    fn analysis(&self, rows: i64, rounds: usize) {
        self.sync();
        self.psql("TRUNCATE context_usage_log");
        let months: Vec<String> = (1..=12).map(|month| format!("'2025-{month:02}-15Z'")).collect();
        self.psql(&format!("SELECT throughline_ensure_months(ARRAY[{}]::timestamptz[])", months.join(",")));
        // Sessions of 500 samples, a compaction in each; one in ten does not say what was before.
        self.psql(&format!(
            "INSERT INTO context_usage_log (session_id, \"timestamp\", model_id, context_used, usage_percent, status, \
             compaction_detected, previous_percent, working_directory, project) \
             SELECT 'session-' || (i / 500) || '-' || md5((i / 500)::text), \
             timestamptz '2025-01-01Z' + i * interval '1 year' / {rows}, 'claude-opus-5', (i % 100) * 2000, i % 95, \
             CASE WHEN i % 95 >= 90 THEN 'CRITICAL' WHEN i % 95 >= 70 THEN 'WARNING' ELSE 'HEALTHY' END, \
             i % 500 = 285, CASE WHEN i % 500 = 285 AND i % 5000 <> 285 THEN 94 END, '/home/user/src/project', \
             '/home/user/src/project' FROM generate_series(0, {rows} - 1) AS i"
        ));
        self.psql("VACUUM ANALYZE context_usage_log");
        let (mut ours, mut raw) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            raw.push(self.psql(
                "SELECT count(*), avg(pre), avg(post), percentile_cont(0.5) WITHIN GROUP (ORDER BY pre) FROM ( \
                 SELECT usage_percent AS post, compaction_detected, lag(usage_percent) OVER \
                 (PARTITION BY session_id ORDER BY \"timestamp\") AS pre FROM context_usage_log) AS all_rows \
                 WHERE compaction_detected AND pre IS NOT NULL",
            ));
            ours.push(self.psql("SELECT * FROM get_compaction_analysis()"));
        }
        let (ours, raw) = (median(ours), median(raw));
        println!(
            "get_compaction_analysis() of {rows} rows: {ours:.2?}; raw rows: {raw:.2?}; {:.2} % (to reach: 1 %)",
            100.0 * ours.as_secs_f64() / raw.as_secs_f64()
        );
    }
}

fn peak(status: &Path) -> Option<u64> {
    let text = fs::read_to_string(status).ok()?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn sample(number: i64) -> Sample {
    let session = number / 400;
    let percent = u16::try_from(number % 100).expect("a percentage");
    let compaction = number % 400 == 300;
    Sample {
        at: Timestamp::from_millisecond(START_MS + number * 2_500).expect("an instant"),
        session: format!("{session:08x}-1111-4222-8333-{session:012x}"),
        model: "claude-opus-5-20260915".to_owned(),
        context_used: u64::from(percent) * 2_000,
        context_size: 200_000,
        percent,
        input: 10,
        output: number.unsigned_abs() % 999,
        cache_create: 300,
        cache_read: 90_000,
        status: Health::at(u64::from(percent), 70, 90, 95),
        compaction,
        previous_percent: compaction.then_some(93),
        signs: Signs { drop: compaction, ..Signs::default() },
        compacts_at: Some(155_000),
        cost_micros: Some(number.unsigned_abs()),
        cwd: "/home/user/src/some-project/crates/part".to_owned(),
        project: "/home/user/src/some-project".to_owned(),
    }
}
