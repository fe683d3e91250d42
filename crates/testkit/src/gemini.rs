//! Gemini lab: the real Gemini CLI, headless, in a temp home, with the mock as its only network.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    gemini_api::GeminiApi,
    home::{self, TempHome},
    process::{self, Output},
    script::Script,
};

/// Names the client's program; otherwise the cache that `scripts/test` fills is looked at.
pub const GEMINI_VARIABLE: &str = "THROUGHLINE_TEST_GEMINI";

/// The version that the tests are written against.
pub const GEMINI_VERSION: &str = "0.61.0";

/// The model that the tests name: known to the client, so that it asks nobody which one to take.
pub const GEMINI_MODEL: &str = "gemini-2.5-flash";

/// The client is started anew for each prompt, and takes a few seconds for that alone.
const RUN_DEADLINE: Duration = Duration::from_mins(2);

/// The client's program. Without one the test is skipped and says so; in CI (`CI=true`) that is a failure.
#[must_use]
pub fn find() -> Option<PathBuf> {
    let candidate = std::env::var_os(GEMINI_VARIABLE).map(PathBuf::from).or_else(cached_client);
    let found = candidate.clone().filter(|path| path.is_file());
    if found.is_none() {
        let tried = candidate.map_or_else(|| "no cache folder".to_owned(), |path| path.display().to_string());
        let reason = format!("no Gemini CLI ({tried}); set {GEMINI_VARIABLE} or run scripts/test");
        assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "{reason}");
        eprintln!("skipped: {reason}");
    }
    found
}

/// Where `scripts/test` installs the client.
fn cached_client() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")))?;
    Some(cache.join(format!("throughline-test/gemini-{GEMINI_VERSION}/node_modules/.bin/gemini")))
}

/// One experiment with the client.
#[derive(Debug)]
pub struct GeminiLab {
    program: PathBuf,
    api: GeminiApi,
    home: TempHome,
    settings: Value,
}

impl GeminiLab {
    /// A git project, an empty home, and the script on a loopback port; `None` when there is no client (see [`find`]).
    #[must_use]
    pub fn new(script: Script) -> Option<Self> {
        let program = find()?;
        let mut home = TempHome::new().with_git();
        let api = GeminiApi::start(script.in_project(&home.project()));
        home.remove_env("CLAUDE_CONFIG_DIR");
        home.set_env("GEMINI_API_KEY", "not-a-key");
        home.set_env("GOOGLE_GEMINI_BASE_URL", api.url());
        home.set_env("GEMINI_CLI_TRUST_WORKSPACE", "true");
        // It is the same process then, which can be waited for and killed.
        home.set_env("GEMINI_CLI_NO_RELAUNCH", "true");
        home.set_env("TERM", "dumb");
        home.set_env("SHELL", "/bin/bash");
        let settings = json!({
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
            "privacy": {"usageStatisticsEnabled": false},
            "telemetry": {"enabled": false},
            "model": {"name": GEMINI_MODEL},
        });
        let lab = Self { program, api, home, settings };
        lab.write_settings();
        Some(lab)
    }

    /// The same with one more variable for the client and its hooks.
    #[must_use]
    pub fn with_env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.home.set_env(name, value);
        self
    }

    /// The same where nobody vouches for the project's folder.
    #[must_use]
    pub fn without_trust(mut self) -> Self {
        self.home.remove_env("GEMINI_CLI_TRUST_WORKSPACE");
        self
    }

    /// The same with a folder in front of `PATH`.
    #[must_use]
    pub fn with_path_dir(mut self, folder: &Path) -> Self {
        self.home.add_path_dir(folder);
        self
    }

    /// The same with a threshold so low that 21,000 reported tokens make the client compress before its next request.
    #[must_use]
    pub fn with_low_threshold(mut self) -> Self {
        self.settings["model"]["compressionThreshold"] = json!(0.02);
        self.write_settings();
        self
    }

    /// The same with one more key of the user's settings.
    #[must_use]
    pub fn with_setting(mut self, key: &str, value: Value) -> Self {
        self.settings[key] = value;
        self.write_settings();
        self
    }

    /// The same with a shell command as the hook of each of these events, in the user's settings.
    #[must_use]
    pub fn with_hooks(self, hooks: &[(&str, &str)], timeout_ms: u64) -> Self {
        let groups = hooks.iter().map(|(event, command)| {
            let handler = json!({"type": "command", "command": command, "timeout": timeout_ms});
            ((*event).to_owned(), json!([{"hooks": [handler]}]))
        });
        let groups: serde_json::Map<String, Value> = groups.collect();
        self.with_setting("hooks", Value::Object(groups))
    }

    fn write_settings(&self) {
        let folder = self.gemini_folder();
        fs::create_dir_all(&folder).expect("the client's folder");
        fs::write(folder.join("settings.json"), format!("{:#}\n", self.settings))
            .expect("the client's settings");
    }

    /// What the client talks to.
    #[must_use]
    pub fn api(&self) -> &GeminiApi {
        &self.api
    }

    /// The folders, and a way to run other programs in them.
    #[must_use]
    pub fn home(&self) -> &TempHome {
        &self.home
    }

    /// The client's own folder.
    #[must_use]
    pub fn gemini_folder(&self) -> PathBuf {
        self.home.user().join(".gemini")
    }

    /// Plays another script from its beginning.
    pub fn set_script(&self, script: Script) {
        self.api.set_script(script.in_project(&self.home.project()));
    }

    /// Runs one command of the client to its end.
    #[track_caller]
    pub fn gemini(&self, args: &[&str]) -> Output {
        process::run(self.home.command(&self.program).args(args), b"", RUN_DEADLINE)
    }

    /// One prompt in a session of its own, to the end of its turn.
    #[track_caller]
    pub fn ask(&self, prompt: &str) -> Output {
        self.ask_with(prompt, &[])
    }

    /// One prompt that goes on with the last session.
    #[track_caller]
    pub fn resume(&self, prompt: &str) -> Output {
        self.ask_with(prompt, &["--resume", "latest"])
    }

    /// One prompt, with further arguments; every tool is allowed.
    #[track_caller]
    pub fn ask_with(&self, prompt: &str, args: &[&str]) -> Output {
        let mut all = vec!["--approval-mode", "yolo", "--output-format", "json"];
        all.extend(args);
        all.extend(["--prompt", prompt]);
        self.gemini(&all)
    }

    /// The sessions that the client has written, oldest first; not those of subagents.
    #[must_use]
    pub fn sessions(&self) -> Vec<PathBuf> {
        let projects = fs::read_dir(self.gemini_folder().join("tmp")).into_iter().flatten().flatten();
        let chats = projects.filter_map(|project| fs::read_dir(project.path().join("chats")).ok());
        let mut files: Vec<PathBuf> = chats.flatten().flatten().map(|file| file.path()).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
        files.sort();
        files
    }
}

impl Drop for GeminiLab {
    fn drop(&mut self) {
        process::kill_marked(home::MARK, self.home.root());
    }
}
