//! Temp home: a home, a project and a data folder of their own for one test, gone when it ends.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use tempfile::TempDir;

use crate::process::{self, Output};

/// In the environment of everything started in a [`TempHome`], naming its root.
pub const MARK: &str = "THROUGHLINE_TESTKIT_ROOT";

/// Set to keep the folders of a test for a look afterwards.
pub const KEEP: &str = "THROUGHLINE_TESTKIT_KEEP";

const RUN_DEADLINE: Duration = Duration::from_mins(1);
const PATH_MINIMAL: &str = "/usr/local/bin:/usr/bin:/bin";

/// The folders, and the environment that programs started in them see. Nothing of the machine's own environment.
#[derive(Debug)]
pub struct TempHome {
    root: PathBuf,
    env: BTreeMap<OsString, OsString>,
    // Last, so that the folders go after everything else.
    _folder: Option<TempDir>,
}

impl TempHome {
    /// Makes the folders: an empty project without git, nothing recorded.
    #[must_use]
    pub fn new() -> Self {
        let folder = TempDir::with_prefix("throughline-").expect("a temporary folder");
        // On macOS the temporary folder is behind a symbolic link, and the client reports real paths.
        let root = folder.path().canonicalize().expect("the temporary folder's real path");
        let folder = if std::env::var_os(KEEP).is_some() {
            eprintln!("kept: {}", folder.keep().display());
            None
        } else {
            Some(folder)
        };
        for name in ["home", "project", "data", "config", "tmp"] {
            fs::create_dir(root.join(name)).expect("a folder in the temporary folder");
        }
        let mut home = Self { env: BTreeMap::new(), root, _folder: folder };
        let [user, data, config, tmp] = ["home", "data", "config", "tmp"].map(|name| home.root.join(name));
        home.set_env("HOME", &user);
        home.set_env("CLAUDE_CONFIG_DIR", user.join(".claude"));
        home.set_env("THROUGHLINE_HOME", &data);
        home.set_env("XDG_CONFIG_HOME", &config);
        home.set_env("TMPDIR", &tmp);
        home.set_env("PATH", PATH_MINIMAL);
        home.set_env("LANG", "C.UTF-8");
        // A checkout around the temporary folder, or the machine's git settings, must not decide a test.
        home.set_env("GIT_CEILING_DIRECTORIES", home.root.clone());
        home.set_env("GIT_CONFIG_NOSYSTEM", "1");
        home.set_env(MARK, home.root.clone());
        home
    }

    /// The same with a git repository in the project: branch `main`, one commit, a `CLAUDE.md`.
    #[must_use]
    pub fn with_git(self) -> Self {
        self.write("CLAUDE.md", "# Test project\n\n## Compact Instructions\nKeep decisions.\n");
        self.git(&["init", "--quiet", "--initial-branch=main"]);
        self.git(&["config", "user.name", "Test"]);
        self.git(&["config", "user.email", "test@example.invalid"]);
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message=start"]);
        self
    }

    /// The same with one more variable for everything started here.
    #[must_use]
    pub fn with_env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.set_env(name, value);
        self
    }

    /// The same with `CLAUDE_PROJECT_DIR` set, as the client sets it for its hooks.
    #[must_use]
    pub fn with_project_env(self) -> Self {
        let project = self.project();
        self.with_env("CLAUDE_PROJECT_DIR", project)
    }

    /// The same with a folder in front of `PATH`.
    #[must_use]
    pub fn with_path_dir(mut self, folder: &Path) -> Self {
        self.add_path_dir(folder);
        self
    }

    /// Puts a folder in front of `PATH`.
    pub fn add_path_dir(&mut self, folder: &Path) {
        let mut path = folder.as_os_str().to_owned();
        path.push(":");
        path.push(&self.env[OsStr::new("PATH")]);
        self.set_env("PATH", path);
    }

    /// Sets a variable for everything started from now on.
    pub fn set_env(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) {
        self.env.insert(name.as_ref().to_owned(), value.as_ref().to_owned());
    }

    /// Removes a variable, for tests of a bare environment.
    pub fn remove_env(&mut self, name: impl AsRef<OsStr>) {
        self.env.remove(name.as_ref());
    }

    /// The folder that holds all the others.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The user's home.
    #[must_use]
    pub fn user(&self) -> PathBuf {
        self.root.join("home")
    }

    /// The project, where programs are started.
    #[must_use]
    pub fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// Throughline's data folder.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.root.join("data")
    }

    /// The folder of the user's settings (`XDG_CONFIG_HOME`).
    #[must_use]
    pub fn config(&self) -> PathBuf {
        self.root.join("config")
    }

    /// The client's own folder (`CLAUDE_CONFIG_DIR`).
    #[must_use]
    pub fn claude_config(&self) -> PathBuf {
        self.user().join(".claude")
    }

    /// Where the client keeps the transcript of a session in this project. The file need not exist.
    #[must_use]
    pub fn transcript_path(&self, session_id: &str) -> PathBuf {
        let project = self.project();
        let slug = project.to_str().expect("the project's path is UTF-8");
        let slug = slug.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
        self.claude_config().join("projects").join(slug).join(format!("{session_id}.jsonl"))
    }

    /// Writes a file of the project, with the folders above it.
    pub fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.project().join(path);
        fs::create_dir_all(path.parent().expect("a path in the project")).expect("the file's folder");
        fs::write(&path, text).unwrap_or_else(|error| panic!("could not write {}: {error}", path.display()));
        path
    }

    /// Writes the user's own configuration.
    pub fn configure(&self, toml: &str) {
        let folder = self.config().join("throughline");
        fs::create_dir_all(&folder).expect("a folder for the configuration");
        fs::write(folder.join("throughline.toml"), toml).expect("a configuration");
    }

    /// Reads a file of the project.
    #[must_use]
    #[track_caller]
    pub fn read(&self, path: &str) -> String {
        let path = self.project().join(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("could not read {}: {error}", path.display()))
    }

    /// Runs git in the project; it must succeed.
    #[track_caller]
    pub fn git(&self, args: &[&str]) -> String {
        let output = process::run(self.command(Path::new("git")).args(args), b"", RUN_DEADLINE);
        output.assert_success();
        output.stdout
    }

    /// A command in the project with the environment of this home and nothing else.
    #[must_use]
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(process::program_under_test(program));
        command.env_clear().envs(&self.env).current_dir(self.project());
        command
    }

    /// Runs a program to its end.
    #[track_caller]
    pub fn run(&self, program: &Path, args: &[&str], stdin: impl AsRef<[u8]>) -> Output {
        process::run(self.command(program).args(args), stdin.as_ref(), RUN_DEADLINE)
    }
}

impl Default for TempHome {
    fn default() -> Self {
        Self::new()
    }
}
