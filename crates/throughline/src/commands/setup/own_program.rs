//! This program as others call it: by its name in what a team shares, by its path in what is one person's.

use std::path::Path;

use throughline_agents::settings::shell_words;

use crate::failure::Failure;

/// The program as a file names it that a team shares: such a file cannot name a place on one machine.
pub(in crate::commands) const SHARED_COMMAND: &str = "throughline";

/// How the client is to call us. A file that a team shares cannot name a place on one machine.
pub(in crate::commands) fn own_path(shared: bool) -> Result<String, Failure> {
    if shared {
        return Ok(SHARED_COMMAND.to_owned());
    }
    let path = std::env::current_exe()
        .map_err(|error| Failure::new(format!("could not tell where this program is: {error}")))?;
    path.into_os_string()
        .into_string()
        .map_err(|path| Failure::new(format!("the path {} is not UTF-8", path.to_string_lossy())))
}

/// Whether the client can start a command: a path that is there, or a name on the path.
pub(in crate::commands) fn can_start(command: &str) -> bool {
    if command.contains('/') { Path::new(command).is_file() } else { is_on_path(command) }
}

/// How a shell calls us: by our name where it is on the path, else by the path of this program.
pub(crate) fn own_command() -> Option<String> {
    if is_on_path(SHARED_COMMAND) {
        return Some(SHARED_COMMAND.to_owned());
    }
    own_path(false).ok().map(|path| shell_words::quote(&path))
}

pub(in crate::commands) fn is_on_path(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}
