//! Ending: how a git process ended, and how that is said in words.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use crate::names::subject_text;

/// How one git process ended.
#[derive(Debug)]
pub(crate) enum Ending {
    NotStarted(io::Error),
    /// The repository is one that git is not asked about.
    NotAsked(String),
    TimedOut,
    Exited(i32),
    Killed(i32),
}

impl Ending {
    pub(crate) fn from_status(status: ExitStatus) -> Self {
        match status.code() {
            Some(code) => Self::Exited(code),
            None => Self::Killed(signal(status)),
        }
    }

    /// The likely ending of a process whose exit code is lost.
    pub(crate) fn from_complaint(stderr: &[u8]) -> Self {
        let failed = String::from_utf8_lossy(stderr).lines().any(|line| line.starts_with("fatal:"));
        Self::Exited(if failed { 128 } else { 0 })
    }
}

/// How one question to git went.
#[derive(Debug)]
pub(crate) struct GitOutcome {
    /// The subcommand.
    pub(crate) name: &'static str,
    pub(crate) ending: Ending,
    /// The first bytes of what git complained about.
    pub(crate) stderr: Vec<u8>,
}

impl GitOutcome {
    pub(crate) fn succeeded(&self) -> bool {
        matches!(self.ending, Ending::Exited(0))
    }

    pub(crate) fn exited(&self) -> bool {
        matches!(self.ending, Ending::Exited(_))
    }

    pub(crate) fn timed_out(&self) -> bool {
        matches!(self.ending, Ending::TimedOut)
    }

    /// Whether git says that the branch has no commit yet, which is no fault.
    pub(crate) fn found_no_commit(&self) -> bool {
        matches!(self.ending, Ending::Exited(128))
            && String::from_utf8_lossy(&self.stderr).contains("does not have any commits yet")
    }

    /// The line of git's complaint that names the reason.
    fn complaint(&self) -> Option<String> {
        let stderr = String::from_utf8_lossy(&self.stderr);
        let mut lines = stderr.lines().map(str::trim).filter(|line| !line.is_empty());
        let fatal = lines.clone().find(|line| line.starts_with("fatal:"));
        let error = lines.clone().find(|line| line.starts_with("error:"));
        let line = fatal.or(error).or_else(|| lines.next())?;
        let reason = line.trim_start_matches("fatal:").trim_start_matches("error:").trim();
        Some(subject_text(reason.as_bytes()))
    }
}

/// Why some of these questions have no answer, each reason once; `None` when all were answered.
pub(crate) fn in_words(outcomes: &[&GitOutcome], deadline: Duration) -> Option<String> {
    let mut reasons: Vec<(String, String)> = Vec::new();
    let everything_timed_out = outcomes.iter().all(|outcome| outcome.timed_out());
    for outcome in outcomes.iter().filter(|outcome| !outcome.succeeded()) {
        let who = format!("git {}", outcome.name);
        let (who, what) = match &outcome.ending {
            Ending::NotStarted(error) if error.kind() == io::ErrorKind::NotFound => {
                ("git".to_owned(), "was not found: install it or add it to PATH".to_owned())
            }
            Ending::NotStarted(error) => ("git".to_owned(), format!("could not be started: {error}")),
            Ending::NotAsked(why) => ("git".to_owned(), format!("was not asked: {why}")),
            Ending::TimedOut => {
                let who = if everything_timed_out { "git".to_owned() } else { who };
                (who, format!("did not answer within {} ms", deadline.as_millis()))
            }
            Ending::Killed(signal) => (who, format!("was killed by signal {signal}")),
            Ending::Exited(code) => {
                let unexplained = || format!("exit code {code}, no message");
                (who, format!("failed: {}", outcome.complaint().unwrap_or_else(unexplained)))
            }
        };
        if !reasons.iter().any(|(_, known)| *known == what) {
            reasons.push((who, what));
        }
    }
    let sentences: Vec<String> = reasons.into_iter().map(|(who, what)| format!("{who} {what}")).collect();
    (!sentences.is_empty()).then(|| sentences.join("; "))
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt as _;
    status.signal().unwrap_or_default()
}

#[cfg(not(unix))]
fn signal(_status: ExitStatus) -> i32 {
    0
}
