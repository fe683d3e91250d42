//! Process: starts git processes side by side, streams what they write, and leaves none behind.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::Git;
use crate::ending::{Ending, GitOutcome};
use crate::output::{Head, Output};
use crate::own_dir::OwnDir;

/// As much of git's complaints as is kept.
const STDERR_BYTES_MAX: usize = 4 << 10;
/// One read from a pipe; pipes hold this much.
const PIECE_BYTES: usize = 64 << 10;
/// Pieces that may wait to be parsed: a git that writes faster than we read has to wait, not our memory.
const PIECES_WAITING_MAX: usize = 8;
/// How long a pipe may stay silent after git itself has gone. Something that git started still holds it then.
const SILENCE_AFTER_EXIT: Duration = Duration::from_millis(200);
/// How long a killed git gets to vanish. One that hangs in the kernel is left for the system to collect.
const REAP_WAIT: Duration = Duration::from_millis(500);

/// Settings that would change the form of what git writes, or start further programs.
const CONFIG_ARGS: &[&str] = &[
    "--no-optional-locks",
    "-c",
    "core.quotepath=false",
    "-c",
    "color.ui=false",
    "-c",
    "log.showSignature=false",
    "-c",
    "diff.relative=false",
    // A difference would be told, and new times written into the index.
    "-c",
    "diff.autoRefreshIndex=false",
    // No configuration of the repository is read (see `own_dir.rs`); these are for the user's own.
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "diff.external=",
];
const ENV_SET: &[(&str, &str)] = &[
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_PAGER", "cat"),
    ("LC_ALL", "C"),
    // A partial clone would fetch what it lacks. The second line is for a git that does not know the first.
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
];
/// Set when we run inside a hook of git's, or by whoever started us; they would point every answer at another
/// repository, or bring settings along.
const ENV_REMOVED: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_SHALLOW_FILE",
    "GIT_GRAFT_FILE",
    "GIT_REPLACE_REF_BASE",
    "GIT_ATTR_SOURCE",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_QUARANTINE_PATH",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_EXTERNAL_DIFF",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_TRACE",
];

/// One question to git: its arguments, and who takes the answer.
pub(crate) struct Job<'a> {
    /// The subcommand, for messages.
    pub(crate) name: &'static str,
    /// Everything after git's own options.
    pub(crate) args: Vec<OsString>,
    /// Takes standard output while it comes.
    pub(crate) output: &'a mut dyn Output,
    deferred: bool,
    /// What it reads on standard input.
    input: Vec<u8>,
    /// Another index than the repository's own.
    index: Option<PathBuf>,
}

impl<'a> Job<'a> {
    pub(crate) fn new(name: &'static str, args: &[&str], output: &'a mut dyn Output) -> Self {
        Self {
            name,
            args: args.iter().map(OsString::from).collect(),
            output,
            deferred: false,
            input: Vec::new(),
            index: None,
        }
    }

    /// Starts this job only when another one has ended, however it ended.
    pub(crate) fn deferred(mut self) -> Self {
        self.deferred = true;
        self
    }

    /// Lets git read these bytes.
    pub(crate) fn input(mut self, bytes: Vec<u8>) -> Self {
        self.input = bytes;
        self
    }

    /// Lets git work on this index.
    pub(crate) fn index(mut self, index: &Path) -> Self {
        self.index = Some(index.to_owned());
        self
    }

    pub(crate) fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    pub(crate) fn args(mut self, args: &[&str]) -> Self {
        self.args.extend(args.iter().map(OsString::from));
        self
    }
}

/// The moment a deadline that starts now will be over.
pub(crate) fn end_of(deadline: Duration) -> Instant {
    // Clocks can not hold every duration; nobody waits this long for git.
    Instant::now() + deadline.min(Duration::from_hours(1))
}

/// Runs the jobs side by side and says how each ended, in their order. Returns at `deadline` at the latest, but for the
/// moment a killed process needs to go.
pub(crate) fn run_all(git: &Git, folder: &Path, deadline: Instant, jobs: &mut [Job<'_>]) -> Vec<GitOutcome> {
    match OwnDir::around(git, folder, deadline) {
        Ok(own) => run_in(git, &own, folder, deadline, jobs),
        Err(why) => jobs
            .iter()
            .map(|job| GitOutcome {
                name: job.name,
                ending: Ending::NotAsked(why.to_string()),
                stderr: Vec::new(),
            })
            .collect(),
    }
}

/// The same in a repository that was opened already; `folder` is in its working tree.
pub(crate) fn run_in(
    git: &Git,
    own: &OwnDir,
    folder: &Path,
    deadline: Instant,
    jobs: &mut [Job<'_>],
) -> Vec<GitOutcome> {
    run(git, folder, &own.env(), deadline, jobs)
}

/// For a question that concerns no repository.
pub(crate) fn run_nowhere(git: &Git, deadline: Instant, jobs: &mut [Job<'_>]) -> Vec<GitOutcome> {
    run(git, Path::new("/"), &[("GIT_DIR", PathBuf::from("/dev/null"))], deadline, jobs)
}

fn run(
    git: &Git,
    folder: &Path,
    env: &[(&'static str, PathBuf)],
    deadline: Instant,
    jobs: &mut [Job<'_>],
) -> Vec<GitOutcome> {
    let (sender, pieces) = sync_channel(PIECES_WAITING_MAX);
    let mut runs: Vec<Run> = jobs.iter().map(|_| Run::new()).collect();
    // Where the deadline is over already, nothing is started.
    while let Some(left) = deadline.checked_duration_since(Instant::now()) {
        for (index, job) in jobs.iter().enumerate() {
            if runs[index].is_waiting() && (!job.deferred || runs.iter().any(|run| run.ending.is_some())) {
                runs[index].note_start(start(git, folder, env, (job, index), &sender));
            }
        }
        if runs.iter().all(|run| run.ending.is_some()) {
            break;
        }
        if let Ok(piece) = pieces.recv_timeout(left.min(pause(&runs))) {
            take(&piece, jobs, &mut runs);
        }
        runs.iter_mut().for_each(Run::check_exit);
    }
    // Readers that wait for room in the channel end when it is gone.
    drop(pieces);
    jobs.iter().zip(runs).map(|(job, run)| run.finish(job.name)).collect()
}

enum Pipe {
    Stdout,
    Stderr,
}

struct Piece {
    job: usize,
    pipe: Pipe,
    /// Empty when the pipe was closed.
    bytes: Vec<u8>,
}

/// The folders in which programs are looked for, without those that depend on where we stand: a project may hold a `git`.
#[expect(clippy::disallowed_methods, reason = "what is looked up for a program is left out, not read")]
fn absolute_folders(git: &Git) -> OsString {
    let named = git.env.iter().rev().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
    let path = named.or_else(|| std::env::var_os("PATH")).unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
    std::env::join_paths(folders).unwrap_or_default()
}

fn start(
    git: &Git,
    folder: &Path,
    env: &[(&'static str, PathBuf)],
    (job, index): (&Job<'_>, usize),
    sender: &SyncSender<Piece>,
) -> io::Result<Child> {
    let mut command = Command::new(&git.program);
    command.env("PATH", absolute_folders(git));
    command.args(CONFIG_ARGS).arg("-C").arg(folder).args(&job.args);
    command.envs(git.env.iter().filter(|(name, _)| name != "PATH").map(|(name, value)| (name, value)));
    command.envs(ENV_SET.iter().copied());
    for name in ENV_REMOVED {
        command.env_remove(name);
    }
    command.envs(env.iter().map(|(name, value)| (name, value)));
    if let Some(index) = &job.index {
        command.env("GIT_INDEX_FILE", index);
    }
    command.stdin(if job.input.is_empty() { Stdio::null() } else { Stdio::piped() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    own_group(&mut command);
    let mut child = command.spawn()?;
    let fed = child.stdin.take().map_or(Ok(()), |pipe| write_in_background(pipe, job.input.clone()));
    let readers = fed.and_then(|()| {
        child
            .stdout
            .take()
            .map_or(Ok(()), |pipe| read_in_background(pipe, index, || Pipe::Stdout, sender))
            .and_then(|()| {
                let stderr = child.stderr.take();
                stderr.map_or(Ok(()), |pipe| read_in_background(pipe, index, || Pipe::Stderr, sender))
            })
    });
    if let Err(error) = readers {
        kill_and_reap(&mut child);
        return Err(error);
    }
    Ok(child)
}

/// A git that does not read is killed at the deadline; the write then fails, and its thread ends.
fn write_in_background(mut pipe: impl Write + Send + 'static, bytes: Vec<u8>) -> io::Result<()> {
    let write_all = move || drop(pipe.write_all(&bytes));
    thread::Builder::new().stack_size(128 << 10).spawn(write_all).map(drop)
}

fn read_in_background(
    mut source: impl Read + Send + 'static,
    job: usize,
    pipe: fn() -> Pipe,
    sender: &SyncSender<Piece>,
) -> io::Result<()> {
    let sender = sender.clone();
    let read_to_end = move || {
        let mut buffer = vec![0; PIECE_BYTES];
        loop {
            let length = match source.read(&mut buffer) {
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => 0,
            };
            let piece = Piece { job, pipe: pipe(), bytes: buffer[..length].to_vec() };
            if sender.send(piece).is_err() || length == 0 {
                return;
            }
        }
    };
    thread::Builder::new().stack_size(128 << 10).spawn(read_to_end).map(drop)
}

/// One job's process and how far it is.
struct Run {
    child: Option<Child>,
    ending: Option<Ending>,
    open_pipes: u8,
    last_sign: Instant,
    stderr: Head,
}

impl Run {
    fn new() -> Self {
        let stderr = Head::new(STDERR_BYTES_MAX);
        Self { child: None, ending: None, open_pipes: 2, last_sign: Instant::now(), stderr }
    }

    fn is_waiting(&self) -> bool {
        self.child.is_none() && self.ending.is_none()
    }

    fn is_exiting(&self) -> bool {
        self.child.is_some() && self.open_pipes == 0
    }

    fn note_start(&mut self, started: io::Result<Child>) {
        self.last_sign = Instant::now();
        match started {
            Ok(child) => self.child = Some(child),
            Err(error) => self.ending = Some(Ending::NotStarted(error)),
        }
    }

    /// Notes the exit once everything was read, or once nothing more is to be expected.
    fn check_exit(&mut self) {
        let Some(child) = self.child.as_mut() else { return };
        let read_enough = self.open_pipes == 0 || self.last_sign.elapsed() >= SILENCE_AFTER_EXIT;
        if !read_enough {
            return;
        }
        self.ending = match child.try_wait() {
            Ok(None) => return,
            Ok(Some(status)) => Some(Ending::from_status(status)),
            // Whoever started us may have told the system to forget children at once; then nobody knows the code.
            Err(_) => Some(Ending::from_complaint(&self.stderr.bytes)),
        };
        self.child = None;
    }

    fn finish(mut self, name: &'static str) -> GitOutcome {
        let ending = self.ending.take().unwrap_or(Ending::TimedOut);
        let stderr = std::mem::take(&mut self.stderr.bytes);
        GitOutcome { name, ending, stderr }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if let Some(child) = self.child.as_mut() {
            kill_and_reap(child);
        }
    }
}

/// How long to wait for a piece. A process is gone a moment after it closed its pipes; nothing tells us when, so we
/// look often then.
fn pause(runs: &[Run]) -> Duration {
    if runs.iter().any(Run::is_exiting) { Duration::from_micros(50) } else { Duration::from_millis(20) }
}

fn take(piece: &Piece, jobs: &mut [Job<'_>], runs: &mut [Run]) {
    let (Some(job), Some(run)) = (jobs.get_mut(piece.job), runs.get_mut(piece.job)) else { return };
    run.last_sign = Instant::now();
    match piece.pipe {
        _ if piece.bytes.is_empty() => run.open_pipes = run.open_pipes.saturating_sub(1),
        Pipe::Stdout => job.output.feed(&piece.bytes),
        Pipe::Stderr => run.stderr.feed(&piece.bytes),
    }
}

#[cfg(unix)]
fn own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    command.process_group(0);
}

#[cfg(not(unix))]
fn own_group(_command: &mut Command) {}

#[cfg(unix)]
fn kill_group(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    // The child was not waited for, so its id still names its group and nobody else's.
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_group(child: &mut Child) {
    let _ = child.kill();
}

fn kill_and_reap(child: &mut Child) {
    kill_group(child);
    let killed = Instant::now();
    while matches!(child.try_wait(), Ok(None)) && killed.elapsed() < REAP_WAIT {
        thread::sleep(Duration::from_micros(500));
    }
}
