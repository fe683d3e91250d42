//! Other programs, asked for one answer under a deadline; and where the path finds them.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use throughline_store::door::outside;

use rustix::process::{Pid, Signal, kill_process_group};

/// Longest answer that is read.
const ANSWER_BYTES_MAX: u64 = throughline_domain::limits::PROGRAM_ANSWER_BYTES_MAX;
/// Most folders of `PATH` that are looked at.
const PATH_FOLDERS_MAX: usize = 256;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Silence {
    /// There is no such program.
    Missing,
    /// It did not answer in time, and was killed.
    Late(Duration),
    /// It could not be started, failed, or answered something else.
    Odd(String),
}

/// Speaks to a program by lines until one of its own is the answer. It is ended then, and at the deadline.
pub(crate) fn converse<T>(
    program: &Path,
    args: &[&str],
    folder: &Path,
    said: &str,
    deadline: Duration,
    read: impl Fn(&[u8]) -> Option<T>,
) -> Result<T, Silence> {
    let began = Instant::now();
    let mut child = Command::new(program)
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(|error| unstarted(program, &error))?;
    // Held until the end: a program that is spoken to by lines ends when nobody speaks any more.
    let mut stdin = child.stdin.take();
    let (sender, receiver) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut lines = BufReader::new(stdout.take(ANSWER_BYTES_MAX));
            let mut line = Vec::new();
            while lines.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
                if sender.send(std::mem::take(&mut line)).is_err() {
                    return;
                }
            }
        });
    }
    // A few short lines fit into the pipe, whether or not anybody reads them. Who does not listen gives no answer either.
    let _ = stdin.as_mut().map(|stdin| stdin.write_all(said.as_bytes()));
    let answer = loop {
        match receiver.recv_timeout(deadline.saturating_sub(began.elapsed())) {
            Ok(line) => {
                if let Some(answer) = read(&line) {
                    break Ok(answer);
                }
            }
            Err(mpsc::RecvTimeoutError::Timeout) => break Err(Silence::Late(deadline)),
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                break Err(Silence::Odd(format!("{} ended without an answer", program.display())));
            }
        }
    };
    drop(stdin);
    kill(&mut child);
    answer
}

fn unstarted(program: &Path, error: &std::io::Error) -> Silence {
    match error.kind() {
        std::io::ErrorKind::NotFound => Silence::Missing,
        _ => Silence::Odd(format!("could not start {}: {error}", program.display())),
    }
}

/// What a program prints before the deadline. Past it the program and everything it started is killed.
pub(crate) fn answer(program: &Path, args: &[&str], deadline: Duration) -> Result<String, Silence> {
    let began = Instant::now();
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(|error| unstarted(program, &error))?;
    let (sender, receiver) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = stdout.take(ANSWER_BYTES_MAX).read_to_end(&mut bytes);
            let _ = sender.send(bytes);
        });
    }
    let Ok(bytes) = receiver.recv_timeout(deadline) else {
        kill(&mut child);
        return Err(Silence::Late(deadline));
    };
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if began.elapsed() < deadline => std::thread::sleep(Duration::from_millis(2)),
            _ => {
                kill(&mut child);
                return Err(Silence::Late(deadline));
            }
        }
    };
    if status.success() {
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    } else {
        Err(Silence::Odd(format!("{} ended with {status}", program.display())))
    }
}

fn kill(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Every program of this name that `PATH` offers, in its order.
pub(crate) fn on_path(name: &str) -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .take(PATH_FOLDERS_MAX)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .filter(|file| is_executable(file))
        .collect()
}

/// Whether a file can be started.
pub(crate) fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    outside::metadata(file).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
