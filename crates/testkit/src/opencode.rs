//! OpenCode lab: the real OpenCode in a temp home, with a mock of a model's server as its only network.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    chat_api::ChatApi,
    home::{self, TempHome},
    process::{self, Output},
    script::Script,
};

/// Names the client's binary; otherwise the cache that `scripts/test` fills is looked at.
pub const OPENCODE_VARIABLE: &str = "THROUGHLINE_TEST_OPENCODE";

/// The version that the tests are written against.
pub const OPENCODE_VERSION: &str = "1.18.33";

/// The model that the mock plays.
pub const MODEL: &str = "mock-model";

/// What the model reads at most, and what it writes: the client compacts at the difference.
const WINDOW_TOKENS: u64 = 40_000;
const OUTPUT_TOKENS: u64 = 4_000;

/// The client takes some seconds to start, more on a busy machine.
const RUN_DEADLINE: Duration = Duration::from_mins(3);

/// The client's binary. Without one the test is skipped and says so; in CI (`CI=true`) that is a failure.
#[must_use]
pub fn find() -> Option<PathBuf> {
    let candidate = std::env::var_os(OPENCODE_VARIABLE).map(PathBuf::from).or_else(cached_client);
    let found = candidate.clone().filter(|path| path.is_file());
    if found.is_none() {
        let tried = candidate.map_or_else(|| "no cache folder".to_owned(), |path| path.display().to_string());
        let reason = format!("no OpenCode ({tried}); set {OPENCODE_VARIABLE} or run scripts/test");
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
    let package = format!("throughline-test/opencode-{OPENCODE_VERSION}/node_modules/opencode-{platform}");
    Some(cache.join(package).join("bin/opencode"))
}

/// One experiment with the client.
#[derive(Debug)]
pub struct OpenCodeLab {
    binary: PathBuf,
    mock: ChatApi,
    home: TempHome,
    more: Value,
}

impl OpenCodeLab {
    /// A git project, an empty home, and the script on a loopback port; `None` when there is no client (see
    /// [`find`]).
    #[must_use]
    pub fn new(script: Script) -> Option<Self> {
        let binary = find()?;
        let mut home = TempHome::new().with_git();
        let mock = ChatApi::start(script.in_project(&home.project()));
        home.set_env("TERM", "dumb");
        home.set_env("SHELL", "/bin/bash");
        for name in ["AUTOUPDATE", "MODELS_FETCH", "DEFAULT_PLUGINS", "LSP_DOWNLOAD"] {
            home.set_env(format!("OPENCODE_DISABLE_{name}"), "1");
        }
        // Whatever else it would reach for is refused at once.
        home.set_env("HTTPS_PROXY", "http://127.0.0.1:9");
        home.set_env("NO_PROXY", "127.0.0.1,localhost");
        let lab = Self { binary, mock, home, more: json!({}) };
        for folder in [lab.home.project().join(".opencode"), lab.config_folder()] {
            stand_in_for_library(&folder);
        }
        lab.write_config();
        // What the lab itself puts into the project is none of its changes.
        lab.home.git(&["add", "--all"]);
        lab.home.git(&["commit", "--quiet", "--message=opencode"]);
        Some(lab)
    }

    /// The same with more in the project's `opencode.json`.
    #[must_use]
    pub fn with_config(mut self, more: Value) -> Self {
        self.more = more;
        self.write_config();
        self
    }

    /// The same with one more variable for the client and what it starts.
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

    /// The same with a plugin of this name and text in the project.
    #[must_use]
    pub fn with_plugin(self, name: &str, text: &str) -> Self {
        self.home.write(&format!(".opencode/plugin/{name}"), text);
        self
    }

    /// What the client talks to.
    #[must_use]
    pub fn mock(&self) -> &ChatApi {
        &self.mock
    }

    /// The folders, and a way to run other programs in them.
    #[must_use]
    pub fn home(&self) -> &TempHome {
        &self.home
    }

    /// The user's folder of the client's configuration.
    #[must_use]
    pub fn config_folder(&self) -> PathBuf {
        self.home.config().join("opencode")
    }

    /// The client's database.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.home.user().join(".local/share/opencode/opencode.db")
    }

    /// Plays another script from its beginning.
    pub fn set_script(&self, script: Script) {
        self.mock.set_script(script.in_project(&self.home.project()));
    }

    /// One prompt in a new session, to its end.
    #[track_caller]
    pub fn run(&self, prompt: &str) -> Output {
        self.opencode(&["run", prompt])
    }

    /// One prompt more in the session that was used last.
    #[track_caller]
    pub fn run_on(&self, prompt: &str) -> Output {
        self.opencode(&["run", "--continue", prompt])
    }

    /// Runs one command of the client to its end.
    #[track_caller]
    pub fn opencode(&self, args: &[&str]) -> Output {
        process::run(self.command().args(args), b"", RUN_DEADLINE)
    }

    /// Starts a prompt that nobody waits for: something happens to the client meanwhile.
    #[must_use]
    #[track_caller]
    pub fn start(&self, args: &[&str]) -> Child {
        let mut command = self.command();
        command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn().expect("a client that starts")
    }

    fn command(&self) -> Command {
        self.home.command(&self.binary)
    }

    fn write_config(&self) {
        let model = json!({
            "name": "Mock", "tool_call": true, "limit": {"context": WINDOW_TOKENS, "output": OUTPUT_TOKENS},
        });
        let mut config = json!({
            "$schema": "https://opencode.ai/config.json",
            "autoupdate": false,
            "share": "disabled",
            "model": format!("mock/{MODEL}"),
            "small_model": format!("mock/{MODEL}"),
            "enabled_providers": ["mock"],
            "provider": {"mock": {
                "npm": "@ai-sdk/openai-compatible",
                "name": "Mock",
                "options": {"baseURL": self.mock.url(), "apiKey": "not-a-key"},
                "models": {MODEL: model},
            }},
            "permission": "allow",
        });
        for (key, value) in self.more.as_object().into_iter().flatten() {
            config[key] = value.clone();
        }
        self.home.write("opencode.json", &format!("{config:#}\n"));
    }
}

impl Drop for OpenCodeLab {
    fn drop(&mut self) {
        process::kill_marked(home::MARK, self.home.root());
    }
}

/// Wherever it finds plugins the client first installs the library that they may import, from the network. It takes the
/// folder's word that this is done, and our plugin imports nothing.
fn stand_in_for_library(folder: &Path) {
    let lock = json!({"packages": {"": {"dependencies": {"@opencode-ai/plugin": OPENCODE_VERSION}}}});
    fs::create_dir_all(folder.join("node_modules")).expect("a folder for the client's library");
    fs::write(folder.join("package-lock.json"), format!("{lock}\n")).expect("the library's lock file");
    fs::write(folder.join(".gitignore"), "node_modules\npackage-lock.json\npackage.json\n.gitignore\n")
        .expect("what the client keeps out of git");
}
