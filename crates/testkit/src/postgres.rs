//! Postgres: a private PostgreSQL server for the tests of one program, gone when the program ends, however it ends.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Mutex,
    time::{Duration, Instant},
};

use tempfile::TempDir;

use crate::process;

/// The password of the superuser `postgres`, which TCP connections have to give.
pub const PASSWORD: &str = "a pass/word: %41 'quoted'";
/// The same as a URL writes it.
pub const PASSWORD_IN_URL: &str = "a%20pass%2Fword%3A%20%2541%20%27quoted%27";

const START_DEADLINE: Duration = Duration::from_mins(1);
const QUERY_DEADLINE: Duration = Duration::from_mins(5);

/// Keeps a program no longer than its own standard input is open: the pipe to it closes when the test's process ends,
/// also when that was killed. Then nobody else takes the folder away.
const GUARD: &str = r#"
folder=$1
shift
"$@" & pid=$!
echo "$pid"
read -r word
kill -INT "$pid" 2>/dev/null
wait "$pid"
[ -n "$word" ] || rm -rf "$folder"
"#;

/// A running server.
#[derive(Debug)]
pub struct Postgres {
    bin: PathBuf,
    folder: TempDir,
    port: u16,
    running: Mutex<Option<Guarded>>,
}

#[derive(Debug)]
struct Guarded {
    guard: Child,
    pid: u32,
}

impl Guarded {
    fn start(command: &[&str], folder: &Path) -> Self {
        let mut guard = Command::new("sh");
        guard.args(["-c", GUARD, "guard"]).arg(folder).args(as_somebody(command)).current_dir("/");
        // Its own group: an interrupt at the terminal ends the test first, and the test's end ends this.
        std::os::unix::process::CommandExt::process_group(&mut guard, 0);
        let mut guard = guard
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("sh to guard the server");
        let mut line = String::new();
        BufReader::new(guard.stdout.take().expect("a piped stdout"))
            .read_line(&mut line)
            .expect("the server's pid");
        Self { pid: line.trim().parse().expect("a pid"), guard }
    }

    fn stop(mut self) {
        if let Some(mut stdin) = self.guard.stdin.take() {
            let _ = stdin.write_all(b"stop\n");
        }
        let _ = process::wait(&mut self.guard, START_DEADLINE);
    }

    fn kill(self) {
        let _ = Command::new("kill").args(["-9", &self.pid.to_string()]).status();
        self.stop();
    }
}

impl Postgres {
    /// Starts one: SCRAM over TCP, no password over the local socket, TLS with a certificate for `localhost`.
    /// Without PostgreSQL the test is skipped and says so; in CI (`CI=true`) that is a failure.
    pub fn start() -> Option<Self> {
        let bin = match program_folder() {
            Ok(bin) => bin,
            Err(reason) => {
                assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "{reason}");
                eprintln!("skipped: {reason}");
                return None;
            }
        };
        let folder = TempDir::with_prefix("tl-pg-").expect("a temporary folder");
        // The server does not run as root, so the folder cannot be root's either.
        if rustix::process::geteuid().is_root() {
            run(Command::new("chown").arg(somebody()).arg(folder.path()));
        }
        let server = Self { bin, port: free_port(), folder, running: Mutex::new(None) };
        server.make_cluster();
        server.restart();
        Some(server)
    }

    /// Host, port and user by URL, over TCP; `database` may carry `?options`.
    pub fn url(&self, database: &str) -> String {
        self.url_as("postgres", PASSWORD_IN_URL, database)
    }

    /// The same for another role.
    pub fn url_as(&self, user: &str, password: &str, database: &str) -> String {
        format!("postgresql://{user}:{password}@localhost:{}/{database}", self.port)
    }

    /// By the local socket, where no password is asked for.
    pub fn socket_url(&self, database: &str) -> String {
        format!("postgresql://postgres@/{database}?host={}&port={}", self.folder.path().display(), self.port)
    }

    /// The TCP port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Where the socket, the cluster and the certificates are.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The certificate authority that signed the server's certificate.
    pub fn authority(&self) -> PathBuf {
        self.folder.path().join("ca.crt")
    }

    /// An authority that signed nothing.
    pub fn wrong_authority(&self) -> PathBuf {
        self.folder.path().join("other.crt")
    }

    /// Makes an empty database.
    #[track_caller]
    pub fn create_database(&self, name: &str) {
        self.sql("postgres", &format!("CREATE DATABASE {name}"));
    }

    /// Runs SQL by psql as the superuser: columns by `|`, rows by line.
    #[track_caller]
    pub fn sql(&self, database: &str, sql: &str) -> String {
        match self.try_sql(database, sql) {
            Ok(answer) => answer,
            Err(error) => panic!("psql: {error}\n{sql}"),
        }
    }

    /// The same, with the refusal as a value.
    pub fn try_sql(&self, database: &str, sql: &str) -> Result<String, String> {
        let mut command = self.psql(database);
        command.args(["--set=ON_ERROR_STOP=1", "--no-align", "--tuples-only", "--quiet", "--file=-"]);
        let output = process::run(&mut command, sql.as_bytes(), QUERY_DEADLINE);
        if output.status.success() { Ok(output.stdout.trim_end().to_owned()) } else { Err(output.stderr) }
    }

    /// psql, logged in by the local socket as the superuser.
    pub fn psql(&self, database: &str) -> Command {
        let mut command = Command::new(self.bin.join("psql"));
        command.args(["--no-psqlrc", "--username=postgres", "--dbname", database]);
        command.arg("--host").arg(self.folder.path()).arg("--port").arg(self.port.to_string());
        command.env("PGOPTIONS", "-c client_min_messages=warning");
        command
    }

    /// Stops it: everybody is sent away, work in hand is rolled back.
    pub fn stop(&self) {
        if let Some(running) = self.running.lock().expect("nobody panics here").take() {
            running.stop();
        }
    }

    /// Kills it, all of it, at once. The next start recovers.
    pub fn kill(&self) {
        if let Some(running) = self.running.lock().expect("nobody panics here").take() {
            running.kill();
        }
    }

    /// Starts it, again if need be, and waits until it answers.
    pub fn restart(&self) {
        self.stop();
        let data = self.folder.path().join("data");
        let until = Instant::now() + START_DEADLINE;
        loop {
            let running =
                Guarded::start(&[path(&self.bin.join("postgres")), "-D", path(&data)], self.folder.path());
            while Instant::now() < until {
                if self.try_sql("postgres", "SELECT 1").is_ok() {
                    *self.running.lock().expect("nobody panics here") = Some(running);
                    return;
                }
                // Children of a killed server may still hold the cluster: then this one ends at once.
                if !Path::new(&format!("/proc/{}", running.pid)).exists() && Path::new("/proc/self").exists()
                {
                    break;
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            running.stop();
            let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(Instant::now() < until, "the server does not answer: {log}");
        }
    }

    fn make_cluster(&self) {
        let folder = self.folder.path();
        let password = folder.join("password");
        fs::write(&password, PASSWORD).expect("the password's file");
        let data = folder.join("data");
        let initdb = self.bin.join("initdb");
        let initdb = [
            path(&initdb),
            "--no-sync",
            "--username=postgres",
            "--auth-local=trust",
            "--auth-host=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C",
            "--pwfile",
            path(&password),
            "-D",
            path(&data),
        ];
        run(command(&as_somebody(&initdb)).current_dir(folder));
        make_certificates(folder);
        let settings = format!(
            "listen_addresses = '127.0.0.1'\nport = {}\nunix_socket_directories = '{}'\nmax_connections = 80\n\
             fsync = off\nfull_page_writes = off\nshared_buffers = 256MB\nmax_wal_size = 4GB\n\
             maintenance_work_mem = 256MB\nssl = on\nssl_cert_file = '{1}/server.crt'\n\
             ssl_key_file = '{1}/server.key'\ntimezone = 'Pacific/Auckland'\nlog_statement = none\n\
             logging_collector = off\nlog_destination = 'stderr'\n",
            self.port,
            folder.display()
        );
        let mut file =
            fs::File::options().append(true).open(data.join("postgresql.conf")).expect("the settings");
        file.write_all(settings.as_bytes()).expect("the settings written");
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A pooler in transaction mode in front of a server, with fewer connections to it than its clients have.
#[derive(Debug)]
pub struct Pooler {
    port: u16,
    _folder: TempDir,
    running: Option<Guarded>,
}

impl Pooler {
    /// Starts one. Without pgbouncer the test is skipped and says so; in CI that is a failure.
    pub fn start(server: &Postgres, connections: usize) -> Option<Self> {
        let program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"]
            .into_iter()
            .find(|program| Path::new(program).exists());
        let Some(program) = program else {
            let reason = "pgbouncer is not installed; scripts/test installs it";
            assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "{reason}");
            eprintln!("skipped: {reason}");
            return None;
        };
        let folder = TempDir::with_prefix("tl-pool-").expect("a temporary folder");
        let port = free_port();
        let quoted = PASSWORD.replace('"', "\"\"");
        let settings = format!(
            "[databases]\n* = host={} port={}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n\
             unix_socket_dir =\nauth_type = scram-sha-256\nauth_file = {}/users\npool_mode = transaction\n\
             max_client_conn = 200\ndefault_pool_size = {connections}\n",
            server.folder().display(),
            server.port(),
            folder.path().display()
        );
        fs::write(folder.path().join("settings.ini"), settings).expect("the pooler's settings");
        fs::write(folder.path().join("users"), format!("\"postgres\" \"{quoted}\"\n")).expect("its users");
        if rustix::process::geteuid().is_root() {
            run(Command::new("chown").arg("-R").arg(somebody()).arg(folder.path()));
        }
        let settings = folder.path().join("settings.ini");
        let running = Guarded::start(&[program, "--quiet", path(&settings)], folder.path());
        let until = Instant::now() + START_DEADLINE;
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            assert!(Instant::now() < until, "the pooler does not answer");
            std::thread::sleep(Duration::from_millis(10));
        }
        Some(Self { port, _folder: folder, running: Some(running) })
    }

    /// A database of the server, by way of the pooler.
    pub fn url(&self, database: &str) -> String {
        format!("postgresql://postgres:{PASSWORD_IN_URL}@localhost:{}/{database}", self.port)
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop();
        }
    }
}

/// Where the server's programs are: Debian keeps them out of `PATH`, one folder a version.
fn program_folder() -> Result<PathBuf, String> {
    let mut candidates: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .map(|version| version.path().join("bin"))
        .collect();
    candidates.sort();
    candidates.reverse();
    if let Ok(output) = Command::new("pg_config").arg("--bindir").output() {
        candidates.push(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    }
    candidates
        .into_iter()
        .find(|bin| ["initdb", "postgres", "psql"].iter().all(|program| bin.join(program).exists()))
        .ok_or_else(|| "PostgreSQL's server is not installed; scripts/test installs it".to_owned())
}

/// An unprivileged user for programs that refuse to run as root.
fn somebody() -> &'static str {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    if users.lines().any(|line| line.starts_with("postgres:")) { "postgres" } else { "nobody" }
}

/// The command as somebody who is not root.
fn as_somebody(command: &[&str]) -> Vec<String> {
    let user = somebody();
    let mut words: Vec<String> = Vec::new();
    if rustix::process::geteuid().is_root() {
        words.extend(
            ["setpriv", &format!("--reuid={user}"), "--regid=nogroup", "--clear-groups"].map(str::to_owned),
        );
    }
    words.extend(command.iter().map(|&word| word.to_owned()));
    words
}

fn command(words: &[String]) -> Command {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}

#[track_caller]
fn run(command: &mut Command) {
    process::run(command, b"", START_DEADLINE).assert_success();
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a temporary path is UTF-8")
}

/// A port that was free a moment ago.
fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free loopback port");
    listener.local_addr().expect("the port").port()
}

/// An authority, a certificate of it for `localhost`, and an authority that has nothing to do with it.
fn make_certificates(folder: &Path) {
    let openssl = |args: &[&str]| run(Command::new("openssl").args(args).current_dir(folder));
    for authority in ["ca", "other"] {
        let (key, certificate) = (format!("{authority}.key"), format!("{authority}.crt"));
        openssl(&[
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
            "-subj",
            &format!("/CN=test authority {authority}"),
            "-keyout",
            &key,
            "-out",
            &certificate,
        ]);
    }
    openssl(&[
        "req",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-subj",
        "/CN=localhost",
        "-keyout",
        "server.key",
        "-out",
        "server.csr",
    ]);
    fs::write(folder.join("server.ext"), "subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n")
        .expect("a file");
    openssl(&[
        "x509",
        "-req",
        "-in",
        "server.csr",
        "-CA",
        "ca.crt",
        "-CAkey",
        "ca.key",
        "-CAcreateserial",
        "-days",
        "2",
        "-extfile",
        "server.ext",
        "-out",
        "server.crt",
    ]);
    if rustix::process::geteuid().is_root() {
        run(Command::new("chown").arg(somebody()).args(["server.key", "server.crt"]).current_dir(folder));
    }
    run(Command::new("chmod").args(["600", "server.key"]).current_dir(folder));
}
