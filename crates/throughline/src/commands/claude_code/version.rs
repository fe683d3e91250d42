//! The version of Claude Code on this machine, and where it is.

use std::path::PathBuf;
use std::time::Duration;

use throughline_agents::claude_code::version::Version;

use crate::program::{Silence, answer, on_path};

/// How long the client may take to tell its version.
const CLIENT_DEADLINE: Duration = Duration::from_secs(3);

/// The client's version and where the client is.
pub(in crate::commands) fn client_version() -> Result<(Version, PathBuf), Silence> {
    let started_us = std::env::var_os("CLAUDE_CODE_EXECPATH").map(PathBuf::from);
    let program = on_path("claude").into_iter().next().or(started_us).ok_or(Silence::Missing)?;
    let said = answer(&program, &["--version"], CLIENT_DEADLINE)?;
    let version = Version::parse(&said).ok_or_else(|| {
        Silence::Odd(format!("`claude --version` says `{}`, which is no version", said.trim()))
    })?;
    Ok((version, program))
}
