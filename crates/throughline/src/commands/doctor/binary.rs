//! The binary: where this program is, its version, and whether another one of its name is in the way.

use std::path::{Path, PathBuf};
use std::time::Duration;

use throughline_engine::place;

use super::context::Context;
use super::{Check, State};
use crate::cli::VERSION;
use crate::program::{self, Silence};

const NAME: &str = "binary";
/// How long another installation may take to tell its version.
const VERSION_DEADLINE: Duration = Duration::from_secs(2);
/// Most other installations that are asked.
const OTHERS_MAX: usize = 4;

pub(super) fn check(context: &Context) -> Vec<Check> {
    let Ok(own) = std::env::current_exe() else {
        return vec![Check::warn(
            NAME,
            "the system does not tell where this program is",
            "call it by its full path",
        )];
    };
    let own = place::real(&own);
    let mut checks = vec![Check::ok(NAME, format!("{VERSION} {}", own.display()))];
    checks.extend(on_path(&own));
    checks.extend(registered(context, &own));
    checks
}

/// Other programs of our name on the path: what the user types may not be what the client calls.
fn on_path(own: &Path) -> Vec<Check> {
    let mut others: Vec<PathBuf> =
        program::on_path("throughline").iter().map(|file| place::real(file)).collect();
    others.retain(|file| file != own);
    others.sort();
    others.dedup();
    others
        .iter()
        .take(OTHERS_MAX)
        .filter_map(|other| differing(NAME, other, "is on the path as well"))
        .collect()
}

/// The programs that the settings name.
fn registered(context: &Context, own: &Path) -> Vec<Check> {
    let hooks = context.usual.settings.hooks.iter();
    let again = "`throughline init` again (with --user or --shared where the hooks stand), or `throughline uninstall`";
    called(NAME, hooks.map(|hook| hook.hook.binary.as_str()).collect(), context.root(), own, again)
}

/// What becomes of the programs that some hooks call.
pub(super) fn called(
    name: &'static str,
    mut named: Vec<&str>,
    root: &Path,
    own: &Path,
    again: &str,
) -> Vec<Check> {
    named.sort_unstable();
    named.dedup();
    let mut checks = Vec::new();
    for binary in named.into_iter().take(OTHERS_MAX) {
        match resolve(binary, root) {
            ResolvedCommand::At(file) if place::real(&file) == own => {}
            ResolvedCommand::At(file) => checks.extend(differing(name, &file, "is what the hooks call")),
            ResolvedCommand::NotExecutable(file) => checks.push(Check::fail(
                name,
                format!("the hooks call {}, which cannot be started", file.display()),
                format!("chmod +x {}, or run `throughline init` again", file.display()),
            )),
            ResolvedCommand::Missing => checks.push(Check::fail(
                name,
                format!("the hooks call {binary}, which does not exist: the client runs nothing of ours"),
                format!("run {again}"),
            )),
            ResolvedCommand::Unknown => {
                let what = format!("the hooks call {binary}; only a shell can tell where that is");
                checks.push(Check::skip(name, what));
            }
        }
    }
    checks
}

/// A line about another program of ours, when it is another version or gives no answer.
fn differing(name: &'static str, file: &Path, role: &str) -> Option<Check> {
    let remedy = "keep one version: reinstall it, or run `throughline init` again with the one you want";
    let shown = file.display();
    let what = match program::answer(file, &["--version"], VERSION_DEADLINE) {
        Ok(said) => {
            let theirs = said.trim().trim_start_matches("throughline").trim().to_owned();
            if theirs == VERSION {
                return None;
            }
            format!("{shown} {role}, and says version {theirs}; this is {VERSION}")
        }
        Err(Silence::Late(deadline)) => {
            format!("{shown} {role}, and does not tell its version within {} s", deadline.as_secs())
        }
        Err(Silence::Missing) => format!("{shown} {role}, and is gone"),
        Err(Silence::Odd(what)) => format!("{shown} {role}, and gives no version: {what}"),
    };
    Some(Check::new(name, State::Warn, &what, Some(remedy)))
}

/// What a command in the settings comes to.
enum ResolvedCommand {
    At(PathBuf),
    NotExecutable(PathBuf),
    Missing,
    Unknown,
}

/// Finds a registered command as the client would.
fn resolve(binary: &str, root: &Path) -> ResolvedCommand {
    let home = std::env::var("HOME").unwrap_or_default();
    let root = root.to_string_lossy();
    let replaced = [
        ("${HOME}", home.as_str()),
        ("$HOME", home.as_str()),
        ("${CLAUDE_PROJECT_DIR}", &root),
        ("$CLAUDE_PROJECT_DIR", &root),
    ]
    .iter()
    .fold(binary.to_owned(), |text, (name, value)| text.replace(name, value));
    if replaced.contains('$') {
        return ResolvedCommand::Unknown;
    }
    if !replaced.contains('/') {
        return program::on_path(&replaced)
            .into_iter()
            .next()
            .map_or(ResolvedCommand::Missing, ResolvedCommand::At);
    }
    // Hooks are started in the project.
    let file = Path::new(root.as_ref()).join(replaced);
    match (file.exists(), program::is_executable(&file)) {
        (_, true) => ResolvedCommand::At(file),
        (true, false) => ResolvedCommand::NotExecutable(file),
        (false, false) => ResolvedCommand::Missing,
    }
}
