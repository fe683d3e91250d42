//! The stage: projects as people have them, the empty program, and everybody who takes part.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use throughline_testkit::{TempHome, Transcript, Usage, payload};

use crate::Failure;
use crate::contest::Contestant;

const SESSION: &str = "11112222-3333-4444-5555-666677778888";
/// What people's scripts need; a missing one does not take part.
const SCRIPTS: &[(&str, &str, &str)] =
    &[("bash + jq", "bash", "note.sh"), ("python3", "python3", "note.py"), ("node", "node", "note.js")];
/// Like the release profile and the flags in `.cargo/config.toml`.
const EMPTY_FLAGS: &[&str] = &[
    "-Copt-level=3",
    "-Clto=fat",
    "-Ccodegen-units=1",
    "-Cpanic=abort",
    "-Cstrip=symbols",
    "-Ctarget-feature=+crt-static",
    "-Crelocation-model=static",
];

const FIVE_CALLS: &[&[&str]] = &[
    &["branch", "--show-current"],
    &["status", "--porcelain"],
    &["log", "-5", "--oneline"],
    &["diff", "--cached", "--stat"],
    &["diff", "--name-only", "HEAD~5"],
];
const FILES: usize = 5_000;
const DIRTY: usize = 200;

pub(crate) struct Stage {
    /// A project without git, with a full working set and a session in it.
    home: TempHome,
    binary: PathBuf,
    empty: PathBuf,
}

/// The usual run has no gate in it; those are measured by themselves.
pub(crate) const USUAL: &str = "[gate]\nturns = 1000000000\n";

impl Stage {
    pub(crate) fn build(binary: &Path) -> Result<Self, Failure> {
        let home = TempHome::new().with_project_env();
        home.configure(USUAL);
        let empty = build_empty(home.root())?;
        let stage = Self { home, binary: binary.to_owned(), empty };
        stage.fill()?;
        Ok(stage)
    }

    /// Records a working set, writes a transcript, and lets a session begin.
    fn fill(&self) -> Result<(), Failure> {
        for number in 0..10 {
            for kind in ["decision", "constraint", "question", "evidence", "highlight", "action"] {
                let text =
                    format!("{kind} {number}: the parser keeps unknown fields in the order it found them");
                self.home.run(&self.binary, &["add", kind, &text], "").assert_success();
            }
        }
        let mut transcript = Transcript::new(&self.home, SESSION);
        for number in 0..200 {
            let input = json!({"command": format!("cargo test --package part{number}")});
            transcript.tool(
                "Bash",
                &input,
                &"test result: ok. 12 passed\n".repeat(8),
                Usage::filling(20_000),
            );
        }
        let started = self.home.run(&self.binary, &["hook"], self.start("startup").to_string());
        started.assert_success();
        if started.stdout.is_empty() {
            return Err("SessionStart restored nothing, so that there is nothing to measure".into());
        }
        Ok(())
    }

    fn start(&self, source: &str) -> Value {
        payload::session_start(&self.home, SESSION, source)
    }

    /// A usual tool call; with its answer about 3 KB.
    fn tool_use(&self) -> Value {
        let input = json!({"command": "cargo test --workspace", "description": "Run the tests"});
        let response = json!({"stdout": "test result: ok. 12 passed; 0 failed\n".repeat(70), "stderr": ""});
        payload::post_tool_use(&self.home, SESSION, "Bash", &input, &response)
    }

    fn tool_batch(&self) -> Value {
        let call = |tool: &'static str| {
            (tool, json!({"file_path": "src/lib.rs"}), json!("fn parse(text: &str) {}\n".repeat(40)))
        };
        payload::post_tool_batch(&self.home, SESSION, &[call("Read"), call("Grep"), call("Read")])
    }

    /// The home that everything happens in.
    pub(crate) fn home(&self) -> &TempHome {
        &self.home
    }

    pub(crate) fn hook(&self, name: &str, payload: &Value) -> Contestant {
        self.contestant(name, &self.binary, &["hook"], payload.to_string())
    }

    fn contestant(&self, name: &str, program: &Path, args: &[&str], stdin: String) -> Contestant {
        let mut command = self.home.command(program);
        command.args(args);
        Contestant::new(name, vec![command], stdin)
    }

    /// The program that is measured.
    pub(crate) fn binary(&self) -> &Path {
        &self.binary
    }

    pub(crate) fn empty(&self) -> Contestant {
        self.contestant("empty program", &self.empty, &[], self.tool_use().to_string())
    }

    pub(crate) fn post_tool_use(&self) -> Contestant {
        self.hook("PostToolUse", &self.tool_use())
    }

    pub(crate) fn post_tool_batch(&self) -> Contestant {
        self.hook("PostToolBatch", &self.tool_batch())
    }

    /// The gates, in the order of a session.
    pub(crate) fn gates(&self) -> Vec<Contestant> {
        let home = &self.home;
        vec![
            self.hook("SessionStart with a restore, no git", &self.start("startup")),
            self.hook("PreCompact, no git", &payload::pre_compact(home, SESSION, "auto", None)),
            self.hook("PostCompact", &payload::post_compact(home, SESSION, "auto", "A summary.")),
            self.hook("Stop", &payload::stop(home, SESSION, "done")),
            self.hook("SessionEnd, no git", &payload::session_end(home, SESSION, "other")),
        ]
    }

    /// Everybody who is quick enough for hundreds of rounds. The empty program comes first.
    pub(crate) fn quick(&self) -> Vec<Contestant> {
        let home = &self.home;
        let input = json!({"command": "false"});
        let mut all = vec![
            self.empty(),
            self.post_tool_use(),
            self.post_tool_batch(),
            self.hook(
                "PostToolUseFailure",
                &payload::post_tool_use_failure(home, SESSION, "Bash", &input, "failed"),
            ),
            self.hook("UserPromptSubmit", &payload::user_prompt_submit(home, SESSION, "go on")),
            self.hook("TaskCreated", &payload::task_created(home, SESSION, "1", "mend the parser")),
            self.hook("TaskCompleted", &payload::task_completed(home, SESSION, "1", "mend the parser")),
            self.hook("SubagentStart", &payload::subagent_start(home, SESSION, "explorer")),
            self.hook("SubagentStop", &payload::subagent_stop(home, SESSION, "explorer", "done")),
        ];
        all.extend(self.gates());
        all.push(self.contestant("load", &self.binary, &["load"], String::new()));
        all.push(self.contestant(
            "add decision",
            &self.binary,
            &["add", "decision", "the same words again"],
            String::new(),
        ));
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
        let folder = self.home.root().join("tmp").to_string_lossy().into_owned();
        for (name, program, script) in SCRIPTS {
            let Some(program) = found(program) else { continue };
            let script = scripts.join(script).to_string_lossy().into_owned();
            all.push(self.contestant(name, &program, &[&script, &folder], self.tool_use().to_string()));
        }
        all
    }

    /// The five calls and the save, in a repository of their own.
    pub(crate) fn save(&self) -> Result<Vec<Contestant>, Failure> {
        let root = self.home.project().join("repository");
        repository(&root)?;
        let at = |program: &Path, args: &[&str]| {
            let mut command = self.home.command(program);
            command.args(args).current_dir(&root).env("CLAUDE_PROJECT_DIR", &root);
            command
        };
        let git = found("git").ok_or("git is missing")?;
        let five = FIVE_CALLS.iter().map(|args| at(&git, args)).collect();
        Ok(vec![
            Contestant::new("five git calls", five, String::new()),
            Contestant::new("save", vec![at(&self.binary, &["save"])], String::new()),
        ])
    }

    pub(crate) fn scratch(&self, name: &str) -> PathBuf {
        self.home.root().join("tmp").join(name)
    }
}

/// The real program behind a name: what a version manager puts in front of it is not ours to measure.
pub(crate) fn found(program: &str) -> Option<PathBuf> {
    ["/usr/bin", "/usr/local/bin", "/bin", "/opt/homebrew/bin"]
        .iter()
        .map(|folder| Path::new(folder).join(program))
        .find(|path| path.is_file())
}

fn build_empty(folder: &Path) -> Result<PathBuf, Failure> {
    let (source, program) = (folder.join("empty.rs"), folder.join("empty"));
    fs::write(&source, "fn main() {}\n")?;
    let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(EMPTY_FLAGS).arg("-o").arg(&program).arg(&source);
    if command.status()?.success() { Ok(program) } else { Err("the empty program could not be built".into()) }
}

fn repository(root: &Path) -> Result<(), Failure> {
    let path = |number: usize| root.join(format!("src/part{}/file{number}.txt", number % 50));
    fs::create_dir_all(root)?;
    git(root, &["init", "-q", "-b", "main"])?;
    for number in 0..FILES {
        if let Some(folder) = path(number).parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path(number), format!("file {number}\nsecond line\n"))?;
    }
    git(root, &["add", "-A"])?;
    git(root, &["commit", "-q", "-m", "first"])?;
    for commit in 0..6 {
        fs::write(path(commit), format!("commit {commit}\n"))?;
        git(root, &["commit", "-q", "-a", "-m", "next"])?;
    }
    for number in 0..DIRTY {
        fs::write(path(number + 100), "dirty\n")?;
    }
    // Entries as young as the index would be compared by content in every run.
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    git(root, &["status"])
}

fn git(root: &Path, args: &[&str]) -> Result<(), Failure> {
    let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgSign=false"];
    let status =
        Command::new("git").current_dir(root).args(identity).args(args).stdout(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("git {args:?} failed").into()) }
}
