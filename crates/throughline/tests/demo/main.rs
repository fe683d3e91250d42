//! The demo, as somebody runs it who has just built it: in a bare environment, with and without git, with and without colours; and the README.

#![expect(clippy::disallowed_methods, reason = "tests prepare folders and look at them afterwards")]
#![expect(clippy::expect_used, reason = "a test that cannot go on fails at once")]

mod readme;

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The demo in an environment that holds a path and the folder for temporary files, and nothing else.
fn demo(temp: &Path, path: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_throughline"));
    command.arg("demo").env_clear().env("PATH", path).env("TMPDIR", temp).current_dir(temp);
    command
}

fn run(command: &mut Command) -> (String, Output) {
    let output = command.output().expect("the demo starts");
    let text = String::from_utf8(output.stdout.clone()).expect("the demo prints text");
    (text, output)
}

#[track_caller]
fn assert_whole(text: &str, output: &Output) {
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let (_, after) = text.split_once("\n4 ").expect("the part after the compaction");
    for restored in [
        "burst 20",
        "rl:{key}",
        "Retry-After",
        "api/errors.rs",
        "Q1 [HIGH]",
        "P3: Load test with five instances",
        "src/limiter.rs:88",
        "11 of 11",
        "[CONTEXT RESTORED]",
        "all 12 entries are in the banner",
        "nothing: the temporary home is removed",
    ] {
        assert!(after.contains(restored), "`{restored}` is not in\n{text}");
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    let names = folder.read_dir().expect("the folder is there");
    names.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

/// The machine's path without every folder that has a git.
fn path_without_git() -> String {
    let folder = |name: &&str| !Path::new(name).join("git").exists();
    "/usr/local/bin:/usr/bin:/bin".split(':').filter(folder).collect::<Vec<_>>().join(":")
}

#[test]
fn it_runs_without_home_and_leaves_nothing_behind() {
    let temp = TempDir::new().unwrap();
    let began = Instant::now();
    let (text, output) = run(&mut demo(temp.path(), "/usr/local/bin:/usr/bin:/bin"));
    assert_whole(&text, &output);
    assert!(began.elapsed() < Duration::from_secs(10), "it took {:?}", began.elapsed());
    assert_eq!(names_in(temp.path()), Vec::<String>::new());
}

#[test]
fn it_runs_without_git() {
    let temp = TempDir::new().unwrap();
    let (text, output) = run(&mut demo(temp.path(), &path_without_git()));
    assert_whole(&text, &output);
    assert!(text.contains("none that works; everything else does without it"), "{text}");
    assert_eq!(names_in(temp.path()), Vec::<String>::new());
}

#[test]
fn a_checkout_around_the_temporary_folder_and_the_users_own_settings_stay_out_of_it() {
    let temp = TempDir::new().unwrap();
    let home = TempDir::new().unwrap();
    let git = Command::new("git").args(["init", "--quiet"]).current_dir(temp.path()).status();
    assert!(git.expect("git starts").success());
    let (text, output) = run(demo(temp.path(), "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", home.path())
        .env("THROUGHLINE_HOME", home.path().join("data"))
        .env("THROUGHLINE_BRIEFING_TOKENS", "1")
        .env("CLAUDE_PROJECT_DIR", home.path())
        .env("CLAUDE_CONFIG_DIR", home.path())
        .env("XDG_CONFIG_HOME", home.path())
        .env("GIT_DIR", temp.path().join(".git"))
        .env("DISABLE_COMPACT", "1"));
    assert_whole(&text, &output);
    assert_eq!(names_in(home.path()), Vec::<String>::new());
    assert_eq!(names_in(temp.path()), [".git"]);
    assert!(!temp.path().join(".git/index").exists(), "nothing was added to the other repository");
}

#[test]
fn colours_are_left_out_where_they_are_not_wanted() {
    let temp = TempDir::new().unwrap();
    let path = "/usr/local/bin:/usr/bin:/bin";
    let (bright, _) = run(demo(temp.path(), path).env("CLICOLOR_FORCE", "1"));
    assert!(bright.contains('\u{1b}'), "colours were forced");
    let (text, output) = run(demo(temp.path(), path).env("NO_COLOR", "1"));
    assert_whole(&text, &output);
    assert!(!text.contains('\u{1b}'), "NO_COLOR");
    let (text, _) = run(demo(temp.path(), path).arg("--plain").env("CLICOLOR_FORCE", "1"));
    assert!(!text.contains('\u{1b}'), "--plain");
}

#[test]
fn it_fits_a_terminal_of_100_columns() {
    let temp = TempDir::new().unwrap();
    let (text, _) = run(&mut demo(temp.path(), "/usr/local/bin:/usr/bin:/bin"));
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{} columns: {line}", line.chars().count());
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_a_clear_failure() {
    let temp = TempDir::new().unwrap();
    let (_, output) =
        run(demo(temp.path(), "/usr/bin:/bin").env("TMPDIR", temp.path().join("no such folder")));
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("could not make a temporary folder") && said.contains("TMPDIR"), "{said}");

    let unreadable = std::ffi::OsStr::from_bytes(b"no \xff text");
    std::fs::create_dir(temp.path().join(unreadable)).unwrap();
    let (_, output) = run(demo(temp.path(), "/usr/bin:/bin").env("TMPDIR", temp.path().join(unreadable)));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("is not UTF-8"), "{said}");
    assert_eq!(names_in(&temp.path().join(unreadable)), Vec::<String>::new());
}

#[test]
#[cfg(target_os = "linux")]
fn no_hook_and_no_verb_of_it_opens_a_way_to_the_network() {
    let temp = TempDir::new().unwrap();
    let trace = temp.path().join("trace");
    let mut traced = Command::new("strace");
    traced.args(["--follow-forks", "--quiet=all", "--trace=network", "--output"]).arg(&trace);
    traced.args([env!("CARGO_BIN_EXE_throughline"), "demo"]);
    traced.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("TMPDIR", temp.path());
    let (text, output) = run(&mut traced);
    assert_whole(&text, &output);
    let calls = std::fs::read_to_string(trace).unwrap();
    assert!(!calls.contains("AF_INET"), "{calls}");
}
