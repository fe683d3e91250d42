//! The scene: sessions as the client writes them, line by line, and the verb that finds them again.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use throughline_testkit::{Output, TempHome};

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_throughline");

/// A home with sessions in it.
pub(crate) struct Scene {
    pub(crate) home: TempHome,
    lines: u64,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let mut home = TempHome::new();
        home.set_env("TZ", "UTC");
        home.remove_env("CLAUDECODE");
        let scene = Self { home, lines: 0 };
        // The sessions have fixed dates: however late it is, they are not too old.
        scene.configure("keep_days = 0");
        scene
    }

    /// Sets the rules for the index.
    pub(crate) fn configure(&self, rules: &str) {
        let folder = self.home.config().join("throughline");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("throughline.toml"), format!("[recall]\n{rules}\n")).unwrap();
    }

    /// The file of a session of the project `/home/me/app`.
    pub(crate) fn file(&self, session: &str) -> PathBuf {
        self.home.claude_config().join(format!("projects/-home-me-app/{session}.jsonl"))
    }

    /// Appends a line as the client would; every line has an id and a minute of its own.
    pub(crate) fn line(&mut self, session: &str, line: &Value) {
        let mut whole = json!({
            "parentUuid": null, "isSidechain": false, "userType": "external", "cwd": "/home/me/app",
            "sessionId": session, "version": "2.1.39", "uuid": format!("u-{session}-{}", self.lines),
            "timestamp": format!("2026-02-{:02}T{:02}:{:02}:00.000Z", 1 + self.lines / 1_440 % 28, self.lines / 60 % 24, self.lines % 60),
        });
        self.lines += 1;
        for (key, value) in line.as_object().unwrap() {
            whole[key] = value.clone();
        }
        self.append(session, &format!("{whole}\n"));
    }

    pub(crate) fn append(&self, session: &str, text: &str) {
        let path = self.file(session);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    pub(crate) fn user(&mut self, session: &str, text: &str) {
        self.line(session, &json!({"type": "user", "message": {"role": "user", "content": text}}));
    }

    pub(crate) fn agent(&mut self, session: &str, text: &str) {
        let id = format!("msg_{session}_{}", self.lines);
        self.line(session, &json!({"type": "assistant", "message": {
            "id": id, "model": "claude-opus-4-6", "role": "assistant", "content": [{"type": "text", "text": text}],
        }}));
    }

    /// A tool is called and answers.
    pub(crate) fn tool(&mut self, session: &str, name: &str, input: &Value, answer: &str, failed: bool) {
        let id = format!("toolu_{session}_{}", self.lines);
        self.line(
            session,
            &json!({"type": "assistant", "message": {
                "id": format!("msg_{id}"), "model": "claude-opus-4-6", "role": "assistant",
                "content": [{"type": "tool_use", "id": id, "name": name, "input": input}],
            }}),
        );
        self.line(
            session,
            &json!({"type": "user", "message": {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": id, "content": answer, "is_error": failed},
            ]}}),
        );
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.home.run(Path::new(BINARY), args, "")
    }

    #[track_caller]
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        output.assert_success();
        output.stdout
    }

    #[track_caller]
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.ok(args)).unwrap()
    }

    /// The texts that a search shows, best first; what stands beside a result follows it.
    #[track_caller]
    pub(crate) fn texts(&self, words: &str) -> Vec<String> {
        let found = self.json(&["recall", "--json", words]);
        let results = found["results"].as_array().unwrap();
        let shown =
            results.iter().flat_map(|it| [it].into_iter().chain(it["also"].as_array().into_iter().flatten()));
        shown.map(|it| it["text"].as_str().unwrap().to_owned()).collect()
    }

    /// A few sessions that talk about different things.
    pub(crate) fn told() -> Self {
        let mut scene = Self::new();
        scene.user("s1", "Why does the importer drop rows with umlauts?");
        scene.agent(
            "s1",
            "The CSV reader decodes as latin1; `parseRow` in src/import/csv_reader.rs must use UTF-8.",
        );
        scene.user("s1", "Use tabs in Makefiles, never spaces.");
        scene.tool("s1", "Bash", &json!({"command": "cargo test -p import", "description": "Run the importer's tests"}),
            "Exit code 101\nerror[E0308]: mismatched types\n --> src/import/csv_reader.rs:41:9\nerror: could not compile `import`", true);
        scene.tool("s1", "Edit", &json!({"file_path": "/home/me/app/src/import/csv_reader.rs", "old_string": "a", "new_string": "b"}), "ok", false);
        scene.agent("s1", "The decoder now takes bytes, so the types agree.");
        scene.tool(
            "s1",
            "Bash",
            &json!({"command": "cargo test -p import"}),
            "test result: ok. 12 passed; 0 failed",
            false,
        );
        scene.tool(
            "s1",
            "Bash",
            &json!({"command": "git commit -qam 'import: rows with umlauts survive'"}),
            "[main 1a2b3c4] import",
            false,
        );
        scene.agent("s1", "All importer tests pass; the umlauts survive.");
        scene.user("s2", "Let us choose Postgres over Redis for the job queue.");
        scene.agent("s2", "Agreed: the queue moves to Postgres, since jobs must survive a restart.");
        scene
    }
}
