//! The scene: a home with keys in it, a project in that home, and every hook and verb that touches files.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use throughline_testkit::{Output, TempHome, Transcript, Usage, payload};

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_throughline");
pub(crate) const SESSION: &str = "5e551011-0000-4000-8000-000000000001";

/// A token that every version of the rules masks: a file that holds it shows who was there.
pub(crate) fn token() -> String {
    ["ghp_", "q7Zr4TnYw8LkVb2McXdP9sHfGj3uAe6RtK1o"].concat()
}

pub(crate) struct Scene {
    pub(crate) home: TempHome,
}

impl Scene {
    /// A project with one commit, and files outside of it that are not ours.
    pub(crate) fn new() -> Self {
        let scene = Self { home: TempHome::new().with_git() };
        let outside = scene.outside();
        for (name, text) in [
            ("keys/id_ed25519", format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{}\n-----END OPENSSH PRIVATE KEY-----\n", token())),
            ("keys/notes.md", format!("<!-- throughline: begin -->\n{}\n<!-- throughline: end -->\n", token())),
            ("keys/notes-1.md", format!("<!-- throughline: begin -->\n{}\n<!-- throughline: end -->\n", token())),
            ("keys/context-usage.jsonl", format!("{{\"ts\":\"2026-01-01T00:00:00Z\",\"session\":\"{SESSION}\",\"x\":\"{}\"}}\n", token())),
            ("keys/compaction-log.txt", format!("2026 | COMPACTION (auto) | {}\n", token())),
            ("keys/20260126-153000123-0a1b.json", json!({"note": token()}).to_string()),
            ("file", format!("the blue heron and {}\n", token())),
            ("state.json", json!({"version": "2.0.0", "decisions": [{"id": "D1", "decision": format!("the blue heron {}", token())}]}).to_string()),
        ] {
            let path = outside.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        scene
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.home.root().join("outside")
    }

    pub(crate) fn run(&self, args: &[&str], stdin: &str) -> Output {
        self.home.run(Path::new(BINARY), args, stdin)
    }

    /// A hook ends well, whatever it meets.
    #[track_caller]
    fn hook(run: &dyn Fn(&[&str], &str) -> Output, payload: &Value) {
        let output = run(&["hook"], &payload.to_string());
        assert_eq!(output.status.code(), Some(0), "{payload}: {}", output.stderr);
    }

    /// Every hook, and every verb that reads or writes files of ours. Masking again is due.
    pub(crate) fn do_everything(&self) {
        self.do_everything_by(&|args, stdin| self.run(args, stdin));
    }

    /// The same, each process started by `run`.
    pub(crate) fn do_everything_by(&self, run: &dyn Fn(&[&str], &str) -> Output) {
        let (home, id) = (&self.home, SESSION);
        let _ = fs::remove_file(home.data().join("masked.json"));
        Self::hook(run, &payload::session_start(home, id, "startup"));
        self.work();
        Self::hook(run, &payload::user_prompt_submit(home, id, "go"));
        Self::hook(run, &payload::post_tool_batch(home, id, &[]));
        Self::hook(run, &payload::task_completed(home, id, "1", "read it"));
        let line = payload::status_line(home, id, 200_000, Some(150_000), 1_000).to_string();
        run(&["statusline"], &line);
        for verb in VERBS {
            run(verb, "");
        }
        Self::hook(run, &payload::pre_compact(home, id, "auto", Some("keep names")));
        Self::hook(run, &payload::post_compact(home, id, "auto", "a summary"));
        Self::hook(run, &payload::session_start(home, id, "compact"));
        Self::hook(run, &payload::stop(home, id, "done"));
        let _ = fs::remove_file(home.data().join("masked.json"));
        run(&["doctor", "--mask"], "");
        Self::hook(run, &payload::session_end(home, id, "other"));
        for verb in LAST_VERBS {
            run(verb, "");
        }
    }

    /// A transcript, so that there is something to tell.
    fn work(&self) {
        let mut transcript = Transcript::new(&self.home, SESSION);
        transcript.user("Read the importer. Never change the order of the columns.");
        let used = || Usage::filling(150_000);
        transcript.tool(
            "TaskCreate",
            &json!({"subject": "read it", "description": "all"}),
            "Task #1 created successfully: read it",
            used(),
        );
        let id = transcript.tool_call("Bash", &json!({"command": "cargo test"}), used());
        transcript.tool_result(&id, "Exit code 1\nerror: no such column", true);
        transcript.tool("TaskUpdate", &json!({"taskId": "1", "status": "completed"}), "ok", used());
        transcript.assistant(
            "We decided to use SQLite instead of plain files, because two processes write.",
            used(),
        );
    }

    /// Every file outside: a fingerprint of its content, its length, its permissions.
    pub(crate) fn outside_now(&self) -> BTreeMap<PathBuf, String> {
        let seen = |(path, (content, mode, is_link)): (PathBuf, (Vec<u8>, u32, bool))| {
            let hash = throughline_store::content_hash::of(&content);
            (path, format!("{hash} {} bytes, mode {mode:o}, link {is_link}", content.len()))
        };
        tree(&self.outside()).into_iter().map(seen).collect()
    }
}

/// Every path below a folder with what it holds; links are not followed.
pub(crate) fn tree(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, u32, bool)> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let meta = path.symlink_metadata().unwrap();
        if meta.is_dir() {
            all.extend(tree(&path));
        }
        let content = if meta.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        all.insert(path, (content, meta.mode(), meta.is_symlink()));
    }
    all
}

/// Verbs that read or write files of ours.
pub(crate) const VERBS: &[&[&str]] = &[
    &["add", "decision", "use SQLite"],
    &["add", "question", "which port?"],
    &["anchor", "add", "ports start at 7000"],
    &["note", "a remark"],
    &["checkpoint", "create"],
    &["checkpoint", "list"],
    &["save"],
    &["load"],
    &["list"],
    &["notes"],
    &["status"],
    &["sessions", "list"],
    &["summaries", "list"],
    &["recall", "columns"],
    &["usage", "days"],
    &["backfill"],
    &["coverage"],
    &["health"],
    &["next"],
    &["away"],
    &["handoff", "--force"],
    &["trust", "--list"],
    &["validate"],
    &["export", "--output", "../bundle"],
    &["import", "../bundle"],
    &["init", "--mcp"],
    &["doctor"],
];

/// Those that take things away.
const LAST_VERBS: &[&[&str]] = &[
    &["forget", "blue", "heron", "--yes"],
    &["forget", "--session", SESSION, "--yes"],
    &["checkpoint", "prune", "--yes"],
    &["fresh"],
    &["uninstall"],
    &["uninstall", "--shared"],
    &["forget", "--everything", "--yes"],
];
