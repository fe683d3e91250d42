//! Client lab: the real Claude Code client in a temp home, with the mock as its only network.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    home::{self, TempHome},
    live::LiveClient,
    mock_api::MockApi,
    process::{self, Output},
    script::Script,
};

/// Names the client's binary; otherwise the cache that `scripts/test` fills is looked at.
pub const CLIENT_VARIABLE: &str = "THROUGHLINE_TEST_CLAUDE";

/// The version that the tests are written against.
pub const CLIENT_VERSION: &str = "2.1.325";

/// Hook texts reach this model in `<system-reminder>` parts of role "user" messages.
pub const MODEL_WITH_REMINDERS: &str = "claude-sonnet-4-5";

/// Hook texts reach this model as bare paragraphs of role "system" messages.
pub const MODEL_WITH_SYSTEM_MESSAGES: &str = "claude-opus-5-5";

const COMMAND_DEADLINE: Duration = Duration::from_mins(1);

/// The client's binary. Without one the test is skipped and says so; in CI (`CI=true`) that is a failure.
#[must_use]
pub fn find() -> Option<PathBuf> {
    let candidate = std::env::var_os(CLIENT_VARIABLE).map(PathBuf::from).or_else(cached_client);
    let found = candidate.clone().filter(|path| path.is_file());
    if found.is_none() {
        let tried = candidate.map_or_else(|| "no cache folder".to_owned(), |path| path.display().to_string());
        let reason = format!("no Claude Code client ({tried}); set {CLIENT_VARIABLE} or run scripts/test");
        assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "{reason}");
        eprintln!("skipped: {reason}");
    }
    found
}

/// Where `scripts/test` installs the client.
fn cached_client() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")))?;
    let platform = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("macos", "aarch64") => "darwin-arm64",
        ("macos", _) => "darwin-x64",
        (_, "aarch64") => "linux-arm64",
        _ => "linux-x64",
    };
    let package =
        format!("throughline-test/claude-{CLIENT_VERSION}/node_modules/@anthropic-ai/claude-code-{platform}");
    Some(cache.join(package).join("claude"))
}

/// One experiment with the client.
#[derive(Debug)]
pub struct ClientLab {
    binary: PathBuf,
    model: String,
    mock: MockApi,
    home: TempHome,
}

impl ClientLab {
    /// A git project, an empty home, and the script on a loopback port; `None` when there is no client (see
    /// [`find`]).
    #[must_use]
    pub fn new(script: Script) -> Option<Self> {
        let binary = find()?;
        let mut home = TempHome::new().with_git();
        let mock = MockApi::start(script.in_project(&home.project()));
        // As most users have it: the client's own folder is found from HOME.
        home.remove_env("CLAUDE_CONFIG_DIR");
        home.set_env("ANTHROPIC_BASE_URL", mock.url());
        home.set_env("ANTHROPIC_API_KEY", "sk-ant-not-a-key");
        // The client refuses to skip permissions as root outside of a sandbox; the mock gives it harmless orders only.
        home.set_env("IS_SANDBOX", "1");
        home.set_env("TERM", "xterm-256color");
        home.set_env("SHELL", "/bin/bash");
        let silent = ["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER"];
        for name in silent.into_iter().chain(["DISABLE_ERROR_REPORTING"]) {
            home.set_env(name, "1");
        }
        Some(Self { binary, model: MODEL_WITH_REMINDERS.to_owned(), mock, home })
    }

    /// The same on another model.
    #[must_use]
    pub fn with_model(mut self, model: &str) -> Self {
        model.clone_into(&mut self.model);
        self
    }

    /// The same with one more variable for the client and its hooks.
    #[must_use]
    pub fn with_env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.home.set_env(name, value);
        self
    }

    /// The same with a folder in front of `PATH`.
    #[must_use]
    pub fn with_path_dir(mut self, folder: &Path) -> Self {
        self.home.add_path_dir(folder);
        self
    }

    /// The same with a window so small that a usage of 117,000 tokens makes the client compact by itself.
    #[must_use]
    pub fn with_small_window(self) -> Self {
        self.with_env("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "150000")
    }

    /// The same with these settings in the project's `.claude/settings.json`.
    #[must_use]
    pub fn with_settings(self, settings: &Value) -> Self {
        self.home.write(".claude/settings.json", &format!("{settings:#}\n"));
        self
    }

    /// The same with a shell command as the hook of each of these events.
    #[must_use]
    pub fn with_hooks(self, hooks: &[(&str, &str)]) -> Self {
        let groups = hooks.iter().map(|(event, command)| {
            (
                (*event).to_owned(),
                json!([{"hooks": [{"type": "command", "command": command, "timeout": 20}]}]),
            )
        });
        let groups: serde_json::Map<String, Value> = groups.collect();
        self.with_settings(&json!({"hooks": groups}))
    }

    /// What the client talks to.
    #[must_use]
    pub fn mock(&self) -> &MockApi {
        &self.mock
    }

    /// The folders, and a way to run other programs in them.
    #[must_use]
    pub fn home(&self) -> &TempHome {
        &self.home
    }

    /// Plays another script from its beginning.
    pub fn set_script(&self, script: Script) {
        self.mock.set_script(script.in_project(&self.home.project()));
    }

    /// Runs one command of the client to its end, as `["plugin", "validate", "."]`.
    #[track_caller]
    pub fn claude(&self, args: &[&str]) -> Output {
        process::run(self.command().args(args), b"", COMMAND_DEADLINE)
    }

    /// Starts a client that takes prompt after prompt; `args` as `["--continue"]` or `["--resume", id]`.
    #[must_use]
    #[track_caller]
    pub fn live(&self, args: &[&str]) -> LiveClient {
        let mut command = self.command();
        command.args(["-p", "--model", &self.model, "--dangerously-skip-permissions", "--verbose"]);
        command.args([
            "--input-format",
            "stream-json",
            "--output-format",
            "stream-json",
            "--include-hook-events",
        ]);
        LiveClient::start(command.args(args), &self.home.root().join("client.stderr"))
    }

    /// The transcripts the client has written for this project.
    #[must_use]
    pub fn transcripts(&self) -> Vec<PathBuf> {
        let folder = self.home.transcript_path("any");
        let files =
            fs::read_dir(folder.parent().expect("the transcripts' folder")).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = files.map(|file| file.path()).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
        files.sort();
        files
    }

    fn command(&self) -> Command {
        self.home.command(&self.binary)
    }
}

impl Drop for ClientLab {
    fn drop(&mut self) {
        process::kill_marked(home::MARK, self.home.root());
    }
}
