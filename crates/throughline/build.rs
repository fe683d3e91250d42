//! Puts the commit into the version, where git can tell it.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=../../.git/HEAD");
    println!("cargo:rerun-if-changed=../../.git/logs/HEAD");
    let version = env!("CARGO_PKG_VERSION");
    let output = Command::new("git").args(["rev-parse", "--short=9", "HEAD"]).output();
    let commit = output.ok().filter(|output| output.status.success());
    if let Some(commit) = commit.and_then(|output| String::from_utf8(output.stdout).ok()) {
        println!("cargo:rustc-env=THROUGHLINE_COMMIT={version} ({})", commit.trim());
    }
}
