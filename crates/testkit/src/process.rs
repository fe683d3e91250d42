//! Process: starts a program, feeds it, and never waits for it without end.

use std::{
    fs,
    io::{Read, Write},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// Names another build of our program that the tests run in the place of their own.
///
/// Tests are built together with their own dependencies, which switch on features of shared libraries; what users get is
/// built without them.
pub const OTHER_BUILD: &str = "THROUGHLINE_TEST_BINARY";

/// The program to run in this one's place: the build that [`OTHER_BUILD`] names, where this is our own.
#[must_use]
pub fn program_under_test(program: &Path) -> PathBuf {
    let is_ours = program.ends_with("debug/throughline");
    let other = std::env::var_os(OTHER_BUILD).filter(|other| is_ours && !other.is_empty());
    other.map_or_else(|| program.to_owned(), PathBuf::from)
}

/// Whether the program under test panics when it is asked to: this build has the feature (`has_feature`), and it is this
/// build that runs. Else the test is skipped and says so.
#[must_use]
pub fn fails_on_request(program: &Path, has_feature: bool) -> bool {
    let fails = has_feature && program_under_test(program) == program;
    if !fails {
        eprintln!("skipped: the program under test was built without the feature `fault`");
    }
    fails
}

/// What a program left behind.
#[derive(Clone, Debug)]
pub struct Output {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output; what is no UTF-8 is replaced.
    pub stdout: String,
    /// Its standard error; what is no UTF-8 is replaced.
    pub stderr: String,
    /// From start to end.
    pub took: Duration,
}

impl Output {
    /// Stops the test with both outputs unless the program exited with 0.
    #[track_caller]
    pub fn assert_success(&self) -> &Self {
        let Self { status, stdout, stderr, .. } = self;
        assert!(status.success(), "the program ended with {status}\nstdout: {stdout}\nstderr: {stderr}");
        self
    }
}

/// Runs a program to its end. Past the deadline the program and all of its group are killed and the test stops.
#[track_caller]
pub fn run(command: &mut Command, stdin: &[u8], deadline: Duration) -> Output {
    let started = Instant::now();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().unwrap_or_else(|error| panic!("could not start {command:?}: {error}"));
    let mut pipe = child.stdin.take().expect("a piped stdin");
    let stdin = stdin.to_vec();
    // A program may end without reading what it is given: that is its right, not a failure.
    thread::spawn(move || pipe.write_all(&stdin));
    let stdout = read_all(child.stdout.take().expect("a piped stdout"));
    let stderr = read_all(child.stderr.take().expect("a piped stderr"));
    let Some(status) = wait(&mut child, deadline) else {
        kill_group(&mut child);
        panic!("{command:?} was still running after {deadline:?}");
    };
    let left = deadline.saturating_sub(started.elapsed()).max(Duration::from_secs(1));
    let text = |pipe: &Receiver<Vec<u8>>| {
        let bytes = pipe.recv_timeout(left).unwrap_or_else(|_| {
            panic!("{command:?} ended, but something it started keeps its output open after {deadline:?}")
        });
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Output { status, stdout: text(&stdout), stderr: text(&stderr), took: started.elapsed() }
}

/// Waits for the end of a program; `None` when it has not come by the deadline.
pub fn wait(child: &mut Child, deadline: Duration) -> Option<ExitStatus> {
    let until = Instant::now() + deadline;
    loop {
        if let Some(status) = child.try_wait().expect("a child that can be waited for") {
            return Some(status);
        }
        if Instant::now() >= until {
            return None;
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Kills a program that leads its own process group, and the group, and collects it.
pub fn kill_group(child: &mut Child) {
    if child.try_wait().is_ok_and(|status| status.is_none())
        && let Some(group) = Pid::from_raw(child.id().cast_signed())
    {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
}

/// Kills every process whose environment holds `name=value`. The client starts its hooks and tools in sessions of
/// their own, where no process group reaches them. Where there is no `/proc`, this does nothing.
pub fn kill_marked(name: &str, value: &Path) {
    let mark = format!("{name}={}", value.display()).into_bytes();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        let Ok(environment) = fs::read(entry.path().join("environ")) else { continue };
        if environment.split(|byte| *byte == 0).any(|variable| variable == mark)
            && let Some(pid) = Pid::from_raw(pid)
        {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

fn read_all(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    });
    receiver
}

/// Copies a program that is to be started. Another program writes the copy: were it written here, whatever another thread
/// starts meanwhile would hold it open for writing, and the system starts no file that somebody writes to.
///
/// # Panics
/// Where it cannot be copied.
#[track_caller]
pub fn copy_program(from: &Path, to: &Path) {
    let status = Command::new("cp").arg("--").args([from, to]).status();
    assert!(
        status.is_ok_and(|status| status.success()),
        "{} is not copied to {}",
        from.display(),
        to.display()
    );
}
