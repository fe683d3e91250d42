//! The plugin's launcher, run for real: it finds the binary where people have it, and never breaks the agent.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "the launcher is a program: it is tested by running it")]
#![expect(clippy::unwrap_used, reason = "a test that cannot set up its place has failed")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const LAUNCHER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugin/throughline/bin/throughline");

struct Place {
    root: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self { root: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Puts a `throughline` into `folder` that says where it stands and with what it was called.
    fn put(&self, folder: &str) -> PathBuf {
        let folder = self.path(folder);
        fs::create_dir_all(&folder).unwrap();
        let binary = folder.join("throughline");
        fs::write(&binary, format!("#!/bin/sh\necho '{}' \"$@\"; cat\n", folder.display())).unwrap();
        fs::set_permissions(&binary, fs::Permissions::from_mode(0o755)).unwrap();
        binary
    }

    fn run(&self, launcher: &Path, path: &str, bin: Option<&Path>, args: &[&str]) -> Output {
        let mut command = Command::new("/bin/sh");
        command.arg(launcher).args(args).env_clear().env("HOME", self.path("home")).env("PATH", path);
        command.current_dir(self.root.path());
        if let Some(bin) = bin {
            command.env("THROUGHLINE_BIN", bin);
        }
        command.output().unwrap()
    }

    fn said(&self, path: &str, bin: Option<&Path>) -> String {
        let output = self.run(Path::new(LAUNCHER), path, bin, &["hook", "--plugin", "two words"]);
        assert!(output.status.success(), "{output:?}");
        assert!(output.stderr.is_empty(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

#[test]
fn the_binary_is_found_in_the_order_that_is_promised() {
    let place = Place::new();
    assert_eq!(place.said("/usr/bin:/bin", None), "", "nothing installed: a hook says nothing");
    let expect = |folder: &str| format!("{} hook --plugin two words\n", place.path(folder).display());
    place.put("home/.local/bin");
    assert_eq!(place.said("/usr/bin:/bin", None), expect("home/.local/bin"));
    place.put("home/.cargo/bin");
    assert_eq!(place.said("/usr/bin:/bin", None), expect("home/.cargo/bin"));
    place.put("a b *");
    let path = format!("relative::/nowhere:{}:/usr/bin:/bin", place.path("a b *").display());
    assert_eq!(place.said(&path, None), expect("a b *"));
    let named = place.put("named");
    assert_eq!(place.said(&path, Some(&named)), expect("named"));
    assert_eq!(place.said(&path, Some(Path::new("/nowhere/throughline"))), expect("a b *"));
}

#[test]
fn a_project_cannot_put_its_own_program_in_our_place() {
    let place = Place::new();
    place.put("bin");
    place.put(".");
    assert_eq!(place.said(":.:bin:/usr/bin:/bin:", None), "");
}

#[test]
fn it_never_takes_itself_or_a_copy_of_itself_for_the_binary() {
    let place = Place::new();
    fs::create_dir_all(place.path("copy/bin")).unwrap();
    fs::create_dir_all(place.path("copy/.claude-plugin")).unwrap();
    fs::write(place.path("copy/.claude-plugin/plugin.json"), "{}").unwrap();
    let copy = place.path("copy/bin/throughline");
    fs::copy(LAUNCHER, &copy).unwrap();
    let itself = Path::new(LAUNCHER).parent().unwrap().display().to_string();
    let path = format!("{itself}:{}:/usr/bin:/bin", place.path("copy/bin").display());
    assert_eq!(place.said(&path, None), "");
    assert_eq!(place.said(&path, Some(&copy)), "");
    place.put("real");
    let path = format!("{path}:{}", place.path("real").display());
    assert!(place.said(&path, None).contains("/real hook"));
}

#[test]
fn a_person_is_told_when_nothing_is_installed() {
    let place = Place::new();
    let output = place.run(Path::new(LAUNCHER), "/usr/bin:/bin", None, &["status"]);
    assert_eq!(output.status.code(), Some(127));
    assert!(output.stdout.is_empty());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error: throughline is not installed"), "{said}");
    assert!(said.contains("\nhint: "), "{said}");
}

#[test]
fn the_launcher_can_be_executed() {
    assert_eq!(fs::metadata(LAUNCHER).unwrap().permissions().mode() & 0o111, 0o111);
}
