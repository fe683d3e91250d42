//! Other programs, asked for one answer under a deadline; and where the path finds them.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use throughline_store::door::outside;

use rustix::process::{Pid, Signal, kill_process_group};
use throughline_agents::claude_code::version::Version;

/// Longest answer that is read.
const ANSWER_BYTES_MAX: u64 = throughline_domain::limits::PROGRAM_ANSWER_BYTES_MAX;
/// How long the client may take to tell its version.
const CLIENT_DEADLINE: Duration = Duration::from_secs(3);
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

/// The client's version and where the client is.
pub(crate) fn client_version() -> Result<(Version, PathBuf), Silence> {
    let started_us = std::env::var_os("CLAUDE_CODE_EXECPATH").map(PathBuf::from);
    let program = on_path("claude").into_iter().next().or(started_us).ok_or(Silence::Missing)?;
    let said = answer(&program, &["--version"], CLIENT_DEADLINE)?;
    let version = Version::parse(&said).ok_or_else(|| {
        Silence::Odd(format!("`claude --version` says `{}`, which is no version", said.trim()))
    })?;
    Ok((version, program))
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
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Silence::Missing,
            _ => Silence::Odd(format!("could not start {}: {error}", program.display())),
        })?;
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
