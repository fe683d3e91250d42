//! Codex lab: the real Codex CLI in a temp home, with a mock of the Responses API as its only network.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    codex_server::CodexServer,
    home::{self, TempHome},
    process::{self, Output},
    responses_api::ResponsesApi,
    script::Script,
};

/// Names the client's binary; otherwise the cache that `scripts/test` fills is looked at.
pub const CODEX_VARIABLE: &str = "THROUGHLINE_TEST_CODEX";

/// The version that the tests are written against.
pub const CODEX_VERSION: &str = "0.166.0";

/// A model that calls tools one by one.
pub const MODEL_WITH_TOOLS: &str = "gpt-5.5";

/// A model that calls tools from a script of its own (`exec`), as all newer ones do.
pub const MODEL_WITH_SCRIPTS: &str = "gpt-6.1-sol";

const COMMAND_DEADLINE: Duration = Duration::from_mins(1);

/// The client's binary. Without one the test is skipped and says so; in CI (`CI=true`) that is a failure.
#[must_use]
pub fn find() -> Option<PathBuf> {
    let candidate = std::env::var_os(CODEX_VARIABLE).map(PathBuf::from).or_else(cached_client);
    let found = candidate.clone().filter(|path| path.is_file());
    if found.is_none() {
        let tried = candidate.map_or_else(|| "no cache folder".to_owned(), |path| path.display().to_string());
        let reason = format!("no Codex CLI ({tried}); set {CODEX_VARIABLE} or run scripts/test");
        assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "{reason}");
        eprintln!("skipped: {reason}");
    }
    found
}

/// Where `scripts/test` installs the client.
fn cached_client() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")))?;
    let (platform, target) = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("macos", "aarch64") => ("darwin-arm64", "aarch64-apple-darwin"),
        ("macos", _) => ("darwin-x64", "x86_64-apple-darwin"),
        (_, "aarch64") => ("linux-arm64", "aarch64-unknown-linux-musl"),
        _ => ("linux-x64", "x86_64-unknown-linux-musl"),
    };
    let package = format!("throughline-test/codex-{CODEX_VERSION}/node_modules/@openai/codex-{platform}");
    Some(cache.join(package).join("vendor").join(target).join("bin/codex"))
}

/// One experiment with the client.
#[derive(Debug)]
pub struct CodexLab {
    binary: PathBuf,
    mock: ResponsesApi,
    home: TempHome,
    settings: Settings,
}

/// What the client's `config.toml` says.
#[derive(Debug)]
struct Settings {
    model: String,
    /// As the client calls the server: its own one summarises in a form that only the server can read.
    provider: String,
    compacts_at: u64,
    more: String,
}

impl CodexLab {
    /// A git project, an empty home, and the script on a loopback port; `None` when there is no client (see
    /// [`find`]).
    #[must_use]
    pub fn new(script: Script) -> Option<Self> {
        let binary = find()?;
        let mut home = TempHome::new().with_git();
        let mock = ResponsesApi::start(script.in_project(&home.project()));
        home.set_env("CODEX_TEST_KEY", "no-key");
        home.set_env("TERM", "dumb");
        home.set_env("SHELL", "/bin/bash");
        // Whatever else it would reach for is refused at once.
        home.set_env("HTTPS_PROXY", "http://127.0.0.1:9");
        home.set_env("NO_PROXY", "127.0.0.1");
        let settings = Settings {
            model: MODEL_WITH_TOOLS.to_owned(),
            provider: "Mock".to_owned(),
            compacts_at: 200_000,
            more: String::new(),
        };
        let lab = Self { binary, mock, home, settings };
        fs::create_dir_all(lab.codex_home()).expect("the client's folder");
        lab.write_settings();
        Some(lab)
    }

    /// The same on another model.
    #[must_use]
    pub fn with_model(mut self, model: &str) -> Self {
        model.clone_into(&mut self.settings.model);
        self.write_settings();
        self
    }

    /// The same with a limit so small that this many tokens make the client compact by itself.
    #[must_use]
    pub fn compacting_at(mut self, tokens: u64) -> Self {
        self.settings.compacts_at = tokens;
        self.write_settings();
        self
    }

    /// The same with a server that the client takes for its own: summaries are opaque then.
    #[must_use]
    pub fn with_opaque_summaries(mut self) -> Self {
        "OpenAI".clone_into(&mut self.settings.provider);
        self.write_settings();
        self
    }

    /// The same with more lines at the top of `config.toml`.
    #[must_use]
    pub fn with_config(mut self, toml: &str) -> Self {
        toml.clone_into(&mut self.settings.more);
        self.write_settings();
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
        self.with_hooks_json(&json!({"hooks": groups}))
    }

    /// The same with this as the user's `hooks.json`.
    #[must_use]
    pub fn with_hooks_json(self, hooks: &Value) -> Self {
        fs::write(self.codex_home().join("hooks.json"), format!("{hooks:#}\n")).expect("the client's hooks");
        self
    }

    /// What the client talks to.
    #[must_use]
    pub fn mock(&self) -> &ResponsesApi {
        &self.mock
    }

    /// The folders, and a way to run other programs in them.
    #[must_use]
    pub fn home(&self) -> &TempHome {
        &self.home
    }

    /// The client's own folder.
    #[must_use]
    pub fn codex_home(&self) -> PathBuf {
        self.home.user().join(".codex")
    }

    /// Plays another script from its beginning.
    pub fn set_script(&self, script: Script) {
        self.mock.set_script(script.in_project(&self.home.project()));
    }

    /// Runs one command of the client to its end, as `["features", "list"]`.
    #[track_caller]
    pub fn codex(&self, args: &[&str]) -> Output {
        process::run(self.command().args(args), b"", COMMAND_DEADLINE)
    }

    /// One prompt in a new session, to its end; hooks run as if somebody had approved them.
    #[track_caller]
    pub fn exec(&self, prompt: &str) -> CodexRun {
        self.run_exec(&[], prompt)
    }

    /// One prompt more in the session that was used last.
    #[track_caller]
    pub fn exec_resume(&self, prompt: &str) -> CodexRun {
        self.run_exec(&["resume", "--last"], prompt)
    }

    /// One prompt in a copy of a session.
    #[track_caller]
    pub fn exec_fork(&self, thread: &str, prompt: &str) -> CodexRun {
        self.run_exec(&["fork", thread], prompt)
    }

    /// The same as [`Self::exec`] without the word that hooks are approved: they run as far as the user trusts them.
    #[track_caller]
    pub fn exec_as_trusted(&self, prompt: &str) -> CodexRun {
        let args = ["exec", "--json", "--dangerously-bypass-approvals-and-sandbox", prompt];
        CodexRun::of(self.codex(&args))
    }

    #[track_caller]
    fn run_exec(&self, verb: &[&str], prompt: &str) -> CodexRun {
        let before = [
            "exec",
            "--dangerously-bypass-hook-trust",
            "--dangerously-bypass-approvals-and-sandbox",
            "--json",
        ];
        CodexRun::of(self.codex(&[&before, verb, &[prompt]].concat()))
    }

    /// Starts a client that is spoken to by messages, as editors do.
    #[must_use]
    #[track_caller]
    pub fn server(&self) -> CodexServer {
        CodexServer::start(self.command().arg("app-server"), &self.home.root().join("server.stderr"))
    }

    /// Approves the hooks as they stand now, as a user does in the client.
    #[track_caller]
    pub fn trust_hooks(&self) {
        let mut server = self.server();
        let project = self.home.project();
        let listed = server.call("hooks/list", &json!({"cwds": [project]}));
        server.close();
        let hooks = listed["data"][0]["hooks"].as_array().expect("a list of hooks").clone();
        let mut config = self.config_text();
        for hook in hooks {
            let (key, hash) = (&hook["key"], &hook["currentHash"]);
            config.push_str(&format!("\n[hooks.state.{key}]\ntrusted_hash = {hash}\n"));
        }
        fs::write(self.codex_home().join("config.toml"), config).expect("the client's configuration");
    }

    /// The transcripts that the client has written, oldest first.
    #[must_use]
    pub fn rollouts(&self) -> Vec<PathBuf> {
        let mut folders = vec![self.codex_home().join("sessions")];
        let mut files = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "jsonl") {
                    files.push(path);
                }
            }
        }
        files.sort();
        files
    }

    fn command(&self) -> Command {
        self.home.command(&self.binary)
    }

    fn write_settings(&self) {
        fs::write(self.codex_home().join("config.toml"), self.config_text())
            .expect("the client's configuration");
    }

    fn config_text(&self) -> String {
        let Settings { model, provider, compacts_at, more } = &self.settings;
        let url = self.mock.url();
        format!(
            "model = \"{model}\"\nmodel_provider = \"mock\"\nmodel_auto_compact_token_limit = {compacts_at}\n\
             check_for_update_on_startup = false\n{more}\n\n[analytics]\nenabled = false\n\n\
             [model_providers.mock]\nname = \"{provider}\"\nbase_url = \"{url}\"\nwire_api = \"responses\"\n\
             env_key = \"CODEX_TEST_KEY\"\nrequest_max_retries = 0\nstream_max_retries = 0\n"
        )
    }
}

impl Drop for CodexLab {
    fn drop(&mut self) {
        process::kill_marked(home::MARK, self.home.root());
    }
}

/// One run of `codex exec`.
#[derive(Clone, Debug)]
pub struct CodexRun {
    /// How it ended.
    pub output: Output,
    /// What it reported, line by line.
    pub events: Vec<Value>,
}

impl CodexRun {
    fn of(output: Output) -> Self {
        let events = output.stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Self { output, events }
    }

    /// Stops the test unless the turn was carried out.
    #[track_caller]
    pub fn assert_done(&self) -> &Self {
        self.output.assert_success();
        let is_done = self.events.iter().any(|event| event["type"] == "turn.completed");
        assert!(is_done, "no turn was completed: {}", self.output.stdout);
        self
    }

    /// The session, to go on with later.
    #[must_use]
    pub fn thread_id(&self) -> &str {
        let started = self.events.iter().find(|event| event["type"] == "thread.started");
        started.and_then(|event| event["thread_id"].as_str()).unwrap_or_default()
    }

    /// The model's last words.
    #[must_use]
    pub fn text(&self) -> &str {
        let words = self.events.iter().rev().map(|event| &event["item"]);
        words
            .filter(|item| item["type"] == "agent_message")
            .find_map(|item| item["text"].as_str())
            .unwrap_or_default()
    }
}
