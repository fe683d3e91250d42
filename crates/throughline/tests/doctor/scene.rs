//! The scene of a test: a home with a client that answers at once, and the lines that `doctor` says in it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use throughline_testkit::{Output, TempHome, payload, process};

/// The binary under test.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_throughline");
/// The session of a test.
pub(crate) const SESSION: &str = "11111111-2222-4333-8444-555555555555";

/// The binary as it is registered.
pub(crate) fn binary() -> String {
    process::program_under_test(Path::new(BINARY)).to_string_lossy().into_owned()
}

/// A home with the binary and a stand-in for the client.
pub(crate) struct Scene {
    pub(crate) home: TempHome,
}

/// What `doctor --json` said.
pub(crate) struct Report {
    pub(crate) value: Value,
    pub(crate) code: Option<i32>,
    pub(crate) took: Duration,
}

impl Scene {
    /// A project with a repository and a client, nothing registered.
    pub(crate) fn new() -> Self {
        let mut home = TempHome::new().with_git();
        fs::set_permissions(home.data(), fs::Permissions::from_mode(0o700)).expect("a private data folder");
        let bin = home.root().join("bin");
        fs::create_dir(&bin).expect("a folder for programs");
        home.add_path_dir(&bin);
        let scene = Self { home };
        scene.program("claude", "echo '2.1.325 (Claude Code)'");
        scene
    }

    /// The same with the hooks registered and one decision recorded.
    pub(crate) fn at_work() -> Self {
        let scene = Self::new();
        scene.ok(&["init"]);
        scene.ok(&["add", "decision", "keep the old parser", "--rationale", "it is measured"]);
        scene
    }

    /// Puts a shell script in front of `PATH`. Another process writes it: what a test beside this one starts meanwhile
    /// would hold a file that we write open for a moment, and the system starts no file that somebody writes to.
    pub(crate) fn program(&self, name: &str, script: &str) -> PathBuf {
        let path = self.home.root().join("bin").join(name);
        let write = "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod 755 \"$0\"";
        let written = Command::new("sh").arg("-c").arg(write).arg(&path).arg(script).status();
        assert!(written.is_ok_and(|status| status.success()), "the script {name} was not written");
        path
    }

    /// Leaves only the scene's own programs, and these, on `PATH`.
    pub(crate) fn narrow_path(&mut self, kept: &[&str]) {
        let bin = self.home.root().join("bin");
        for name in kept {
            std::os::unix::fs::symlink(on_path(name).expect(name), bin.join(name)).expect("a link");
        }
        self.home.set_env("PATH", bin);
    }

    /// Runs a verb.
    #[track_caller]
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.home.run(Path::new(BINARY), args, "")
    }

    /// Runs a verb that must succeed.
    #[track_caller]
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        output.assert_success();
        output.stdout
    }

    /// Runs `doctor --json`.
    #[track_caller]
    pub(crate) fn doctor(&self) -> Report {
        Report::of(&self.run(&["doctor", "--json"]))
    }

    /// Runs `doctor --json` as an argument of another program.
    #[track_caller]
    pub(crate) fn doctor_through(&self, program: &str, args: &[&str]) -> Report {
        let mut command: Command = self.home.command(&on_path(program).expect(program));
        command.args(args).args([BINARY, "doctor", "--json"]);
        Report::of(&process::run(&mut command, b"", Duration::from_mins(1)))
    }

    /// A session starts, as the client says it.
    #[track_caller]
    pub(crate) fn start_session(&self, source: &str, model: &str) {
        let mut start = payload::session_start(&self.home, SESSION, source);
        start["model"] = model.into();
        self.hook(&start);
    }

    /// One hook event.
    #[track_caller]
    pub(crate) fn hook(&self, payload: &Value) {
        self.home.run(Path::new(BINARY), &["hook"], payload.to_string()).assert_success();
    }

    /// The user's settings of the client.
    pub(crate) fn user_settings(&self, text: &str) {
        fs::create_dir_all(self.home.claude_config()).expect("the client's folder");
        fs::write(self.home.claude_config().join("settings.json"), text).expect("settings");
    }

    /// The settings that `init` wrote.
    pub(crate) fn local_settings(&self) -> PathBuf {
        self.home.project().join(".claude/settings.local.json")
    }

    /// Changes the settings that `init` wrote.
    pub(crate) fn edit_settings(&self, edit: impl FnOnce(&mut Value)) {
        let text = fs::read_to_string(self.local_settings()).expect("settings");
        let mut settings: Value = serde_json::from_str(&text).expect("JSON");
        edit(&mut settings);
        fs::write(self.local_settings(), settings.to_string()).expect("settings");
    }

    /// The archive.
    pub(crate) fn archive(&self) -> PathBuf {
        self.home.data().join("throughline.db")
    }

    /// The folder of the project in the data folder.
    pub(crate) fn project_data(&self) -> PathBuf {
        let folders = fs::read_dir(self.home.data().join("projects")).expect("projects");
        folders.flatten().next().expect("one project").path()
    }
}

impl Report {
    #[track_caller]
    pub(crate) fn of(output: &Output) -> Self {
        let value = serde_json::from_str(&output.stdout)
            .unwrap_or_else(|error| panic!("no JSON ({error}): {} {}", output.stdout, output.stderr));
        Self { value, code: output.status.code(), took: output.took }
    }

    /// The lines of one check.
    fn lines(&self, name: &str) -> Vec<(&str, &str, &str)> {
        let checks = self.value["checks"].as_array().expect("checks");
        let mut lines = Vec::new();
        for check in checks.iter().filter(|check| check["name"] == name) {
            let text = |key: &str| check[key].as_str().unwrap_or_default();
            lines.push((text("state"), text("what"), text("remedy")));
        }
        lines
    }

    /// Stops the test unless a check says this, in this state, with these words in its line and in its remedy.
    #[track_caller]
    pub(crate) fn says(&self, name: &str, state: &str, what: &str, remedy: &str) -> &Self {
        let found = self.lines(name).into_iter().any(|(its_state, its_what, its_remedy)| {
            its_state == state && its_what.contains(what) && its_remedy.contains(remedy)
        });
        assert!(found, "no {state} of `{name}` says `{what}` → `{remedy}`: {:#}", self.value);
        self
    }

    /// Stops the test unless everything of a check is fine.
    #[track_caller]
    pub(crate) fn is_fine(&self, name: &str) -> &Self {
        let lines = self.lines(name);
        assert!(!lines.is_empty(), "no `{name}`: {:#}", self.value);
        assert!(lines.iter().all(|(state, ..)| matches!(*state, "ok" | "skip")), "{name}: {:#}", self.value);
        self
    }

    /// Stops the test unless it ended with 0 and no failure.
    #[track_caller]
    pub(crate) fn passes(&self) -> &Self {
        assert_eq!((self.code, &self.value["failures"]), (Some(0), &0.into()), "{:#}", self.value);
        self
    }

    /// Stops the test unless it ended with 1 and some failure.
    #[track_caller]
    pub(crate) fn fails(&self) -> &Self {
        assert_eq!(self.code, Some(1), "{:#}", self.value);
        assert_ne!(self.value["failures"], 0, "{:#}", self.value);
        self
    }
}

/// Where the machine's own path has a program.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Whether a program is there; says so when a test has to be left out.
pub(crate) fn has(name: &str) -> bool {
    let found = on_path(name).is_some();
    if !found {
        eprintln!("left out: there is no {name} on this machine");
    }
    found
}
