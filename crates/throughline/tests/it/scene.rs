//! The scene of a test: a home, the binary in it, and the means to let time pass or look behind the curtain.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use throughline_store::archive::{Archive, CompactionRow, EntryRow, Filter};
use throughline_store::paths::{Home, Project};
use throughline_testkit::{Output, TempHome};

/// The binary under test.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_throughline");
/// Where the state file stands in a project.
pub(crate) const STATE: &str = ".claude/unified-session-state.json";

/// A home with the binary in it.
pub(crate) struct Scene {
    pub(crate) home: TempHome,
}

impl Scene {
    /// A project without git.
    pub(crate) fn new() -> Self {
        Self { home: TempHome::new() }
    }

    /// A project with a repository of one commit.
    pub(crate) fn with_git() -> Self {
        Self { home: TempHome::new().with_git() }
    }

    /// Runs a verb.
    #[track_caller]
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.home.run(Path::new(BINARY), args, "")
    }

    /// Runs a verb that must succeed; gives what it printed.
    #[track_caller]
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        output.assert_success();
        output.stdout
    }

    /// Runs a read verb that prints JSON.
    #[track_caller]
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let text = self.ok(args);
        serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{args:?} printed no JSON ({error}): {text}"))
    }

    /// The same for a verb that an agent runs.
    #[track_caller]
    pub(crate) fn as_agent(&self, args: &[&str]) -> String {
        let mut command = self.home.command(Path::new(BINARY));
        let output = command.args(args).env("CLAUDECODE", "1").output().expect("the binary");
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).expect("text")
    }

    /// Runs a verb that must fail with this code; gives what it said.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {} {}", output.stdout, output.stderr);
        output.stderr
    }

    /// Sends a payload to the hook, which must end well; gives its reply.
    #[track_caller]
    pub(crate) fn hook(&self, payload: &Value) -> String {
        self.hook_run(payload.to_string()).stdout
    }

    /// Sends bytes to the hook, which must exit with 0 and say nothing beside its reply.
    #[track_caller]
    pub(crate) fn hook_run(&self, payload: impl AsRef<[u8]>) -> Output {
        let output = self.home.run(Path::new(BINARY), &["hook"], payload);
        output.assert_success();
        assert_eq!(output.stderr, "", "a hook says nothing on standard error");
        output
    }

    /// The state file as JSON.
    #[track_caller]
    pub(crate) fn state(&self) -> Value {
        serde_json::from_str(&self.home.read(STATE)).expect("a state file of JSON")
    }

    /// The state file's path.
    pub(crate) fn state_path(&self) -> PathBuf {
        self.home.project().join(STATE)
    }

    /// Edits the state file as a person would: outside the program.
    #[track_caller]
    pub(crate) fn edit_by_hand(&self, edit: impl FnOnce(&mut Value)) {
        let mut state = self.state();
        edit(&mut state);
        let text = serde_json::to_string_pretty(&state).expect("JSON");
        self.home.write(STATE, &text);
    }

    /// Edits the state file as a person would, and takes the edit over.
    #[track_caller]
    pub(crate) fn edit_and_trust(&self, edit: impl FnOnce(&mut Value)) {
        self.edit_by_hand(edit);
        self.ok(&["trust", "--yes"]);
    }

    /// Writes the project's configuration, and a person allows it.
    #[track_caller]
    pub(crate) fn configure_project(&self, toml: &str) {
        self.home.write(".claude/throughline.toml", toml);
        let home = Home::at(self.home.data());
        let root = fs::canonicalize(self.home.project()).expect("the project's folder");
        let project = Project::at(&root, None, &home);
        let hash = throughline_store::content_hash::of(toml.as_bytes());
        throughline_store::config::allowed::allow(&home, &project, &hash).expect("a word for it");
    }

    /// Changes the state file and what is remembered of it: as if we had written it so.
    #[track_caller]
    pub(crate) fn edit_ours(&self, edit: impl FnOnce(&mut Value)) {
        let mut state = self.state();
        edit(&mut state);
        let bytes = serde_json::to_vec_pretty(&state).expect("JSON");
        fs::write(self.state_path(), &bytes).expect("the state file");
        fs::write(self.project_data().join("last-state.json"), &bytes).expect("the copy");
    }

    /// The folder of the only project in the data folder.
    #[track_caller]
    pub(crate) fn project_data(&self) -> PathBuf {
        let mut folders: Vec<PathBuf> = fs::read_dir(self.home.data().join("projects"))
            .expect("a folder of projects")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        assert_eq!(folders.len(), 1, "{folders:?}");
        folders.remove(0)
    }

    /// The key of the only project.
    pub(crate) fn project_key(&self) -> String {
        self.project_data().file_name().expect("a name").to_string_lossy().into_owned()
    }

    /// A session's folder in the data folder.
    pub(crate) fn session_data(&self, session: &str) -> PathBuf {
        self.home.data().join("sessions").join(session)
    }

    /// The archive, opened behind the program's back.
    #[track_caller]
    pub(crate) fn archive(&self) -> Archive {
        Archive::open(
            &throughline_store::door::outside::at(&self.home.data().join("throughline.db")),
            Duration::from_secs(5),
        )
        .expect("an archive")
    }

    /// Everything that the archive has about the only project, newest first.
    #[track_caller]
    pub(crate) fn archived(&self) -> Vec<EntryRow> {
        let filter = Filter { kind: None, live_only: false, limit: 10_000 };
        self.archive().entries(&self.project_key(), filter).expect("entries")
    }

    /// One archived entry.
    #[track_caller]
    pub(crate) fn archived_entry(&self, id: &str) -> EntryRow {
        let rows = self.archived();
        let found = rows.iter().find(|row| row.id == id);
        found.unwrap_or_else(|| panic!("{id} is not in the archive: {rows:?}")).clone()
    }

    /// The archived compactions of the only project.
    #[track_caller]
    pub(crate) fn compactions(&self) -> Vec<CompactionRow> {
        self.archive().compactions(&self.project_key(), 100).expect("compactions")
    }

    /// The log of failures.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.home.data().join("throughline.log")).unwrap_or_default()
    }

    /// Lets time pass: everything that was recorded, everywhere, is so many minutes older afterwards.
    pub(crate) fn minutes_pass(&self, minutes: i64) {
        let by_ms = minutes * 60_000;
        for file in files_under(&self.home.data()) {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if matches!(name.as_str(), "sessions.jsonl" | "spool.jsonl" | "session.json" | "compaction.json")
            {
                let text = fs::read_to_string(&file).expect("a file of ours");
                fs::write(&file, made_older(&text, by_ms)).expect("a file of ours");
            }
        }
        if let Ok(text) = fs::read_to_string(self.state_path()) {
            let mut state: Value = serde_json::from_str(&text).expect("a state");
            let at: jiff::Timestamp =
                state["timestamp"].as_str().expect("a time").parse().expect("an ISO time");
            let older = at - jiff::SignedDuration::from_millis(by_ms);
            state["timestamp"] = format!("{older:.3}").into();
            let bytes = serde_json::to_vec_pretty(&state).expect("JSON");
            // Both, so that it is no edit by hand.
            fs::write(self.state_path(), &bytes).expect("the state file");
            fs::write(self.project_data().join("last-state.json"), &bytes).expect("the copy");
        }
        let then = std::time::SystemTime::now() - Duration::from_millis(by_ms.unsigned_abs());
        let notes = ["compaction-snapshot.md", "session-state.md"];
        let notes = notes.map(|name| self.home.project().join(".claude").join(name)).into_iter();
        for path in notes.chain(files_under(&self.home.claude_config().join("projects"))) {
            if let Ok(file) = fs::File::options().append(true).open(path) {
                file.set_modified(then).expect("a file time");
            }
        }
    }
}

/// Shifts `at` and `started_at` of JSON lines into the past.
fn made_older(lines: &str, by_ms: i64) -> String {
    let mut older = String::new();
    for line in lines.lines() {
        let mut value: Value = serde_json::from_str(line).expect("a line of JSON");
        for key in ["at", "started_at", "happened_at"] {
            if let Some(at) = value.get(key).and_then(Value::as_i64).filter(|at| *at > 0) {
                value[key] = (at - by_ms).into();
            }
        }
        older.push_str(&value.to_string());
        older.push('\n');
    }
    older
}

/// Every file below a folder, sorted.
pub(crate) fn files_under(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let kind = entry.file_type().expect("a file type");
        if kind.is_dir() {
            found.extend(files_under(&entry.path()));
        } else {
            found.push(entry.path());
        }
    }
    found.sort();
    found
}

/// A process that sleeps for as long as the test needs it: a client that is alive.
pub(crate) struct Sleeper(Child);

impl Sleeper {
    pub(crate) fn start() -> Self {
        Self(Command::new("sleep").arg("120").stdin(Stdio::null()).spawn().expect("a sleeping process"))
    }

    pub(crate) fn pid(&self) -> String {
        self.0.id().to_string()
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A response after which the context holds so many tokens, as the status line counts them.
pub(crate) fn holding(tokens: u64) -> throughline_testkit::Usage {
    throughline_testkit::Usage { input: 1_000, cache_creation: 0, cache_read: tokens - 1_000, output: 20 }
}

/// UTF-16 units of a text.
pub(crate) fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Tokens by the product's own estimate.
pub(crate) fn tokens(text: &str) -> usize {
    units(text).div_ceil(4)
}

/// A program for the front of `PATH`. Another process writes it: what a test beside this one starts meanwhile would hold a
/// file that we write open for a moment, and the system starts no file that somebody writes to.
pub(crate) fn program(folder: &Path, name: &str, script: &str) {
    fs::create_dir_all(folder).expect("a folder for programs");
    let write = "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod 755 \"$0\"";
    let written = Command::new("sh").arg("-c").arg(write).arg(folder.join(name)).arg(script).status();
    assert!(written.is_ok_and(|status| status.success()), "the program {name} was not written");
}
