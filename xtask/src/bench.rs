//! Bench: builds the release binary and measures it, interleaved with an empty program, git and scripts.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Outcome;

/// Builds, then hands the remaining arguments to the measuring program: `--json`, `--rounds N`, `--save-rounds N`,
/// `--only transcripts|statusline|backfill|pauses`, `--install-rivals` (npm, into the user's cache).
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<Outcome, String> {
    if !succeeds(cargo(root).args(["build", "--release", "--package", "throughline"]))? {
        return Ok(Outcome::Bad);
    }
    let mut measure = cargo(root);
    measure.args(["run", "--quiet", "--package", "throughline-benches", "--", "--binary"]);
    measure.arg(target_folder(root)?.join("release/throughline")).args(arguments);
    Ok(if succeeds(&mut measure)? { Outcome::Good } else { Outcome::Bad })
}

fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

fn succeeds(command: &mut Command) -> Result<bool, String> {
    let status = command.status().map_err(|error| format!("could not start cargo: {error}"))?;
    Ok(status.success())
}

/// Where built programs are: this one is among them, two folders below (`<target>/<profile>/xtask`).
fn target_folder(root: &Path) -> Result<PathBuf, String> {
    let own =
        std::env::current_exe().map_err(|error| format!("could not find the target folder: {error}"))?;
    Ok(own.parent().and_then(Path::parent).unwrap_or(root).to_owned())
}
