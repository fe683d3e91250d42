//! `cargo xtask <verb>`: the chores of the repository, written in Rust so that they need no other tool.

mod advisories;
mod bench;
mod dependencies;
mod picture;
mod rules;
mod tidy;
mod torture;
mod version_range;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// One chore. A new verb is a row in [`VERBS`]; the help text is made from the same row.
struct Verb {
    name: &'static str,
    about: &'static str,
    run: fn(root: &Path, arguments: &[String]) -> Result<Outcome, String>,
}

/// What the shell is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Good,
    Bad,
}

const VERBS: &[Verb] = &[
    Verb {
        name: "advisories",
        about: "write xtask/advisories.toml from a copy of the RustSec database: <folder>",
        run: advisories::run,
    },
    Verb {
        name: "bench",
        about: "build the release binary and measure it against an empty program, git and scripts; --json, --rounds N",
        run: bench::run,
    },
    Verb {
        name: "dependencies",
        about: "compare what the lock file brings in with deny.toml: licences, bans, sources; and with xtask/advisories.toml",
        run: dependencies::run,
    },
    Verb {
        name: "picture",
        about: "draw the README's picture from what the demo prints; --check only compares",
        run: picture::run,
    },
    Verb {
        name: "rules",
        about: "write the store's masking rules from gitleaks' configuration: <gitleaks.toml> <version>",
        run: rules::run,
    },
    Verb {
        name: "tidy",
        about: "check the rules that no compiler knows; --bless-migrations signs new migrations",
        run: tidy::run,
    },
    Verb {
        name: "torture",
        about: "kill writers at random instants and let 64 write at once; --trials N (10000), --seed S, --release",
        run: torture::run,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(Outcome::Good) => ExitCode::SUCCESS,
        Ok(Outcome::Bad) => ExitCode::FAILURE,
        Err(reason) => {
            say_err(&format!("error: {reason}"));
            ExitCode::from(2)
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<Outcome, String> {
    let Some((name, rest)) = arguments.split_first() else {
        say(&help());
        return Ok(Outcome::Bad);
    };
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        say(&help());
        return Ok(Outcome::Good);
    }
    let verb = VERBS
        .iter()
        .find(|verb| verb.name == name)
        .ok_or_else(|| format!("no verb is called `{name}`; `cargo xtask help` lists them"))?;
    (verb.run)(&repository_root(), rest)
}

fn help() -> String {
    let mut text = String::from("usage: cargo xtask <verb>\n");
    for verb in VERBS {
        text.push_str("\n  ");
        text.push_str(verb.name);
        text.push_str(": ");
        text.push_str(verb.about);
    }
    text
}

/// The folder above this crate. Cargo names it at run time; the compiled-in path serves a binary that is started by hand.
fn repository_root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent().map_or(here.clone(), Path::to_path_buf)
}

/// A reader that closed the pipe early has seen enough: that is no error.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn say_err(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_names_every_verb() {
        for verb in VERBS {
            assert!(help().contains(verb.name));
        }
    }

    #[test]
    fn an_unknown_verb_is_an_error_that_names_the_way_out() {
        let reason = dispatch(&["polish".to_owned()]).unwrap_err();
        assert!(reason.contains("polish") && reason.contains("cargo xtask help"), "{reason}");
    }
}
