//! The demo's stage: a temporary home, a project in it, a stand-in for the client, and our own binary as it would be called.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use throughline_store::door::{Spot, outside};
use throughline_store::files::{self, Durability};
use throughline_store::paths::Home;
use throughline_store::project_files;

use crate::failure::Failure;

/// Where the client compacts in this session: a small window, so that the figures are easy to follow.
const CLIENT_SETTINGS: &str = include_str!("settings.json");

/// A git that takes longer than this is as good as none.
const GIT_DEADLINE: Duration = Duration::from_secs(2);

/// Everything the recorded session happens in. The folders go when it is dropped.
pub(super) struct Stage {
    binary: PathBuf,
    pub(super) project: PathBuf,
    pub(super) transcripts: PathBuf,
    pub(super) home: Home,
    /// The session that is going on.
    pub(super) session: String,
    root: PathBuf,
    pub(super) has_git: bool,
    client: Option<Child>,
    folder: TempDir,
}

/// What a run of our binary came to.
pub(super) struct Ran {
    pub(super) stdout: String,
    pub(super) took: Duration,
}

impl Stage {
    /// Makes the folders and starts the client's stand-in.
    pub(super) fn set_up() -> Result<Self, Failure> {
        let binary = std::env::current_exe()
            .map_err(|error| Failure::new(format!("could not tell where this program is: {error}")))?;
        let folder = TempDir::with_prefix("throughline-demo-").map_err(|error| {
            Failure::new(format!("could not make a temporary folder: {error}"))
                .hint("set TMPDIR to a folder that you can write")
        })?;
        // On macOS the temporary folder is behind a symbolic link, and the client reports real paths.
        let root = throughline_engine::place::real(folder.path());
        if root.to_str().is_none() {
            return Err(Failure::new(format!("the temporary folder {} is not UTF-8", root.display()))
                .hint("set TMPDIR to a folder with a plain name"));
        }
        let mut stage = Self {
            binary,
            project: root.join("checkout"),
            transcripts: root.join("home/.claude/projects/checkout"),
            home: Home::at(root.join("data")),
            session: String::new(),
            has_git: false,
            client: None,
            root,
            folder,
        };
        for path in [&stage.project, &stage.transcripts, &stage.root.join("tmp")] {
            files::create_folder(&Spot::root(path))?;
        }
        project_files::keep(&Spot::root(&stage.root).join("home/.claude/settings.json"), CLIENT_SETTINGS)?;
        stage.has_git = stage.git(&["init", "--quiet", "--initial-branch=main"]);
        stage.start_client()?;
        Ok(stage)
    }

    /// Writes a file of the project.
    pub(super) fn write(&self, path: &str, text: &str) -> Result<(), Failure> {
        let path = Spot::root(&self.project).join(path);
        if let Some(folder) = path.parent() {
            files::create_folder(&folder)?;
        }
        Ok(files::replace(&path, text.as_bytes(), Durability::Quick)?)
    }

    /// Commits what is there; without git nothing happens.
    pub(super) fn commit(&self, message: &str) {
        if self.has_git {
            self.git(&["add", "--all"]);
            self.git(&["commit", "--quiet", "--message", message]);
        }
    }

    /// Adds a line to the session's transcript, as the client does.
    pub(super) fn append_transcript(&self, line: &str) -> Result<(), Failure> {
        let path = self.transcript();
        let mut file = files::open_append(&outside::at(&path))?;
        files::append_line(&mut file, line.as_bytes(), true)
            .map_err(|error| Failure::new(format!("could not append to {}: {error}", path.display())))
    }

    /// The transcript of the session that is compacted.
    pub(super) fn transcript(&self) -> PathBuf {
        self.transcripts.join("session.jsonl")
    }

    /// Calls the hook as the client does: payload on standard input, reply on standard output.
    pub(super) fn hook(&self, payload: &str) -> Result<Ran, Failure> {
        self.run(&["hook".to_owned()], payload)
    }

    /// Runs a verb as the agent does through its shell.
    pub(super) fn verb(&self, argv: &[String]) -> Result<Ran, Failure> {
        self.run(argv, "")
    }

    fn run(&self, argv: &[String], stdin: &str) -> Result<Ran, Failure> {
        let what = format!("`throughline {}`", argv.first().map_or("", String::as_str));
        let failed = |error: std::io::Error| Failure::new(format!("could not run {what}: {error}"));
        let began = Instant::now();
        let mut child = self.command(&self.binary).args(argv).spawn().map_err(failed)?;
        if let Some(mut pipe) = child.stdin.take() {
            pipe.write_all(stdin.as_bytes()).map_err(failed)?;
        }
        let Output { status, stdout, stderr } = child.wait_with_output().map_err(failed)?;
        let took = began.elapsed();
        if !status.success() || !stderr.is_empty() {
            let said = String::from_utf8_lossy(&stderr);
            return Err(Failure::new(format!("{what} ended with {status} and said: {}", said.trim())));
        }
        Ok(Ran { stdout: String::from_utf8_lossy(&stdout).into_owned(), took })
    }

    /// A program in the project, with an environment of its own: nothing of the user's but the path.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        let folder = |name: &str| self.root.join(name).into_os_string();
        let mut env: Vec<(&str, OsString)> = vec![
            ("HOME", folder("home")),
            ("TMPDIR", folder("tmp")),
            ("THROUGHLINE_HOME", folder("data")),
            ("CLAUDE_PROJECT_DIR", self.project.clone().into_os_string()),
            ("CLAUDECODE", "1".into()),
            ("CLAUDE_CODE_SESSION_ID", self.session.clone().into()),
            ("LC_ALL", "C".into()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("GIT_CEILING_DIRECTORIES", self.root.clone().into_os_string()),
            ("GIT_AUTHOR_NAME", "Demo".into()),
            ("GIT_AUTHOR_EMAIL", "demo@example.invalid".into()),
            ("GIT_COMMITTER_NAME", "Demo".into()),
            ("GIT_COMMITTER_EMAIL", "demo@example.invalid".into()),
        ];
        env.extend(std::env::var_os("PATH").map(|path| ("PATH", path)));
        env.extend(self.client.as_ref().map(|client| ("CLAUDE_PID", client.id().to_string().into())));
        command.env_clear().envs(env).current_dir(&self.project);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Sets the scene with git; the room that asks git about a project changes nothing, so this is done here.
    fn git(&self, args: &[&str]) -> bool {
        let mut command = self.command(Path::new("git"));
        command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let Ok(mut git) = command.spawn() else { return false };
        let began = Instant::now();
        while began.elapsed() < GIT_DEADLINE {
            match git.try_wait() {
                Ok(Some(status)) => return status.success(),
                Ok(None) => std::thread::sleep(Duration::from_millis(2)),
                Err(_) => return false,
            }
        }
        let _ = git.kill().and_then(|()| git.wait());
        false
    }

    /// Starts a process that stands for the client: it does nothing until its standard input closes.
    pub(super) fn start_client(&mut self) -> Result<(), Failure> {
        let child = self
            .command(&self.binary)
            .args(["demo", "--stand-in"])
            .stdout(Stdio::null())
            .spawn()
            .map_err(|error| Failure::new(format!("could not start the client's stand-in: {error}")))?;
        self.client = Some(child);
        Ok(())
    }

    /// Kills the client's stand-in, without a word to the hooks.
    pub(super) fn kill_client(&mut self) -> Result<(), Failure> {
        let Some(mut client) = self.client.take() else { return Ok(()) };
        // Waited for: until then the process is a name without a life, and would still be counted as running.
        client
            .kill()
            .and_then(|()| client.wait())
            .map(|_| ())
            .map_err(|error| Failure::new(format!("could not kill the client's stand-in: {error}")))
    }

    /// Takes everything down; says whether anything is left.
    pub(super) fn tear_down(mut self) -> Result<(), Failure> {
        self.kill_client()?;
        let Self { root, folder, .. } = self;
        folder
            .close()
            .map_err(|error| Failure::new(format!("could not remove {}: {error}", root.display())))?;
        if root.exists() {
            return Err(Failure::new(format!("{} is still there", root.display())));
        }
        Ok(())
    }
}
