//! One session, told by each agent's client: after its compaction the same briefing, whoever told it.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use throughline_testkit::retell::{Session, codex, gemini, opencode};
use throughline_testkit::{Transcript, Usage, payload};

use crate::scene::{BINARY, Scene};

const SESSION: &str = "0a1b2c3d-0000-4000-8000-000000000001";
/// As long as any other, so that it takes as much of a briefing's room.
const OPENCODE_SESSION: &str = "ses_0a1b2c3d000040008000000000000001";
const MODEL: &str = "claude-sonnet-4-5";
const SUMMARY: &str =
    "1. Primary request: the cursor is to be kept in one file.\n2. The parser keeps its place now.";
const USED: Usage = Usage { input: 1_000, cache_creation: 0, cache_read: 89_000, output: 20 };
/// What the client tells of a call that the user refused.
const REFUSED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\nnever push from here";

/// What a client's format makes of a line of Claude Code's briefing: why, the line, and what stands in its place.
type Forced = (&'static str, &'static str, &'static str);

/// Codex and Gemini: what the user says with a refusal is a prompt of its own.
const NO_WORDS: Forced = ("a refusal has no words", ", saying \"never push from here\"", "");

/// Claude Code writes this above the summary; the others write other words, which are theirs and left out.
const NO_HEADING: Forced = ("what the client writes above a summary", "> Summary: 1.", "> 1.");

/// A tool is called by the name that its client has for it.
const fn named(there: &'static str, here: &'static str) -> Forced {
    ("the name of a tool", there, here)
}

/// What the agent was told: before the compaction, after it, and after it where its summary could not be read.
#[derive(Debug, PartialEq, Eq)]
struct Heard {
    before: String,
    after: String,
    after_unread: String,
}

/// A client at work, in a home of its own.
struct Client {
    deeds: Deeds,
    scene: Scene,
    agent: &'static str,
    session: &'static str,
    /// The file that its client writes.
    file: PathBuf,
    /// When its session began: long enough ago that no client still writes at it.
    began: Timestamp,
}

impl Client {
    fn new(agent: &'static str, deeds: Deeds) -> Self {
        let scene = Scene::new();
        let user = scene.home.user();
        let (session, file) = match agent {
            "claude-code" => (SESSION, scene.home.transcript_path(SESSION)),
            "codex" => {
                let name = format!("rollout-2026-11-18T07-00-00-{SESSION}.jsonl");
                (SESSION, user.join(".codex/sessions/2026/11/18").join(name))
            }
            "gemini" => {
                (SESSION, user.join(".gemini/tmp/project/chats/session-2026-11-18T07-00-0a1b2c3d.jsonl"))
            }
            _ => (OPENCODE_SESSION, user.join(".local/share/opencode/opencode.db")),
        };
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let began = Timestamp::now() - SignedDuration::from_hours(30);
        Self { deeds, scene, agent, session, file, began }
    }

    /// What it says to a hook, and what it hears.
    #[track_caller]
    fn hook(&self, event: &str, more: &Value) -> String {
        let transcript =
            if self.agent == "opencode" { self.file.join(self.session) } else { self.file.clone() };
        let mut payload = json!({
            "session_id": self.session, "transcript_path": transcript, "cwd": self.scene.home.project(),
            "hook_event_name": event, "model": MODEL,
        });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.say(&payload)
    }

    #[track_caller]
    fn say(&self, payload: &Value) -> String {
        let args = ["hook", "--agent", self.agent];
        let output = self.scene.home.run(Path::new(BINARY), &args, payload.to_string());
        output.assert_success();
        assert_eq!(output.stderr, "");
        let said: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|_| json!(output.stdout));
        let context = &said["hookSpecificOutput"]["additionalContext"];
        let text = said.as_str().or_else(|| said["text"].as_str()).or_else(|| context.as_str());
        text.unwrap_or_default().replace(self.session, "SESSION")
    }

    /// The session up to its compaction, or with it, in this client's words.
    fn tell(&self, is_compacted: Option<&str>) {
        let source = Scene::new();
        let mut work = Work::begin(&source, self.began);
        (self.deeds)(&mut work);
        if let Some(summary) = is_compacted {
            work.transcript.compaction("auto", summary);
        }
        let lines = fs::read_to_string(work.transcript.path()).unwrap();
        // It works in this client's project.
        let (from, to) = (source.home.root().to_str().unwrap(), self.scene.home.root().to_str().unwrap());
        let lines = lines.replace(from, to);
        let session = Session::read(&lines).named(self.session);
        match self.agent {
            "claude-code" => fs::write(&self.file, lines).unwrap(),
            "codex" => self.goes_on(&codex::retell(&session)),
            "gemini" => self.goes_on(&gemini::retell(&session)),
            _ => opencode::write(&session, &self.file),
        }
    }

    fn goes_on(&self, text: &str) {
        let before = fs::read_to_string(&self.file).unwrap_or_default();
        assert!(text.starts_with(&before), "a session that goes on keeps its beginning");
        fs::write(&self.file, text).unwrap();
    }

    /// The hooks of a compaction, as this client calls them; what was heard before and after it.
    fn compaction(&self, summary: &str) -> (String, String) {
        let start = |source: &str| json!({"source": source});
        let trigger = json!({"trigger": "auto"});
        match self.agent {
            "claude-code" => {
                self.hook("SessionStart", &start("startup"));
                self.tell(None);
                let before = self.hook("PreCompact", &trigger);
                if !summary.is_empty() {
                    let words = format!("<summary>\n{summary}\n</summary>");
                    self.say(&payload::subagent_stop(&self.scene.home, self.session, "", &words));
                }
                (before, self.hook("SessionStart", &start("compact")))
            }
            // What it hears reaches the model after a compaction alone.
            "codex" => {
                self.hook("SessionStart", &start("startup"));
                self.tell(None);
                let before = self.hook("PreCompact", &trigger);
                self.tell(Some(summary));
                self.hook("PostCompact", &trigger);
                (before, self.hook("SessionStart", &start("compact")))
            }
            // It says nothing of a compression: the next tool's hook finds it in the file.
            "gemini" => {
                let tool =
                    json!({"tool_name": "read_file", "tool_input": {}, "tool_response": {"llmContent": "x"}});
                self.hook("SessionStart", &start("startup"));
                self.tell(None);
                let before = self.hook("AfterAgent", &json!({"prompt": "x", "prompt_response": "x"}));
                self.tell(Some(summary));
                (before, self.hook("AfterTool", &tool))
            }
            _ => {
                self.hook("SessionStart", &start("startup"));
                self.tell(None);
                let before = self.hook("PreCompact", &trigger);
                self.tell(Some(summary));
                self.hook("PostCompact", &json!({"trigger": "auto", "compact_summary": summary}));
                (before, self.hook("SessionStart", &start("compact")))
            }
        }
    }
}

/// A session being written by Claude Code.
struct Work {
    transcript: Transcript,
    project: PathBuf,
}

/// What is done in a session.
type Deeds = fn(&mut Work);

impl Work {
    fn begin(source: &Scene, began: Timestamp) -> Self {
        let mut transcript = Transcript::new(&source.home, SESSION);
        transcript.at(began);
        Self { transcript, project: source.home.project() }
    }

    fn path(&self, name: &str) -> String {
        self.project.join(name).to_string_lossy().into_owned()
    }

    fn user(&mut self, text: &str) -> &mut Self {
        self.transcript.user(text);
        self
    }

    fn says(&mut self, text: &str) -> &mut Self {
        self.transcript.assistant(text, USED);
        self
    }

    fn calls(&mut self, tool: &str, input: &Value, answer: &str) -> &mut Self {
        self.transcript.tool(tool, input, answer, USED);
        self
    }

    /// A call that failed, or that was not made.
    fn fails(&mut self, tool: &str, input: &Value, answer: &str) -> &mut Self {
        let id = self.transcript.tool_call(tool, input, USED);
        self.transcript.tool_result(&id, answer, true);
        self
    }

    fn runs(&mut self, command: &str, answer: &str) -> &mut Self {
        self.calls("Bash", &json!({"command": command, "description": "Run it"}), answer)
    }

    fn fails_to_run(&mut self, command: &str, answer: &str) -> &mut Self {
        self.fails("Bash", &json!({"command": command, "description": "Run it"}), answer)
    }

    fn edits(&mut self, file: &str, old: &str, new: &str) -> &mut Self {
        let input = json!({"file_path": self.path(file), "old_string": old, "new_string": new});
        self.calls("Edit", &input, "The file has been updated.")
    }

    fn lists(&mut self, tasks: &[(&str, &str)]) -> &mut Self {
        let row = |(content, status): &(&str, &str)| json!({"content": content, "status": status, "activeForm": content});
        let rows: Vec<Value> = tasks.iter().map(row).collect();
        self.calls("TodoWrite", &json!({"todos": rows}), "Todos have been modified successfully.")
    }
}

/// Files, checks that failed and passed, a choice, a refusal, a list of tasks.
fn parser(work: &mut Work) {
    let (parser, source, page) = (work.path("src/parser.rs"), work.path("src"), work.path("docs/cursor.md"));
    work.user("Keep the parser's cursor in one file. Never use unwrap in the parser, and always run `cargo test -p parser` before you commit.")
        .says("I'll look at the parser first.")
        .lists(&[("Keep the cursor", "in_progress"), ("Document the cursor", "pending")])
        .calls("Read", &json!({"file_path": parser}), "     1→pub struct Parser;\n     2→\n     3→impl Parser {}")
        .calls("Grep", &json!({"pattern": "fn next_cursor", "path": source, "output_mode": "content", "-n": true}), "src/parser.rs:41:fn next_cursor(&self) -> u64 {")
        .edits("src/parser.rs", "fn next_cursor(&self) -> u64 {", "pub fn cursor_after(&self, line: &Line) -> Cursor {")
        .calls("Write", &json!({"file_path": page, "content": "# How the cursor is kept\n\nOne file.\n"}), "File created successfully.")
        .fails_to_run("cargo test -p parser", "Exit code 101\nrunning 3 tests\ntest keeps_place ... FAILED\nerror[E0308]: mismatched types\n  --> src/parser.rs:41:5\ntest result: FAILED. 2 passed; 1 failed")
        .says("The root cause is that a cursor counts bytes, not lines. I decided to keep the byte offset because lines can be rewritten.")
        .edits("src/parser.rs", "    line.number()", "    line.offset()")
        .runs("cargo test -p parser", "running 3 tests\ntest result: ok. 3 passed; 0 failed")
        .fails_to_run("git push origin main", REFUSED)
        .lists(&[("Keep the cursor", "completed"), ("Document the cursor", "in_progress")])
        .user("Good. Please say in the document why bytes are counted.")
        .says("All three tests pass. Now I'll write down why bytes are counted.")
        .fails_to_run("make docs", "Exit code 2\nmake: *** No rule to make target 'docs'.  Stop.");
}

/// A session that was compacted before: tasks one by one, a subagent, a server, a file that nobody may write, a stop.
fn login(work: &mut Work) {
    let (flow, secrets) = (work.path("src/login.rs"), work.path("secrets.toml"));
    let task = |id: &str, status: &str| json!({"taskId": id, "status": status});
    work.user("Please build the login flow, with PKCE. Don't add a dependency for it.")
        .calls("TaskCreate", &json!({"subject": "Build the flow", "description": "all of it"}), "Task #1 created successfully: Build the flow")
        .calls("TaskCreate", &json!({"subject": "Test the flow", "description": "all of it"}), "Task #2 created successfully: Test the flow")
        .calls("TaskUpdate", &task("1", "in_progress"), "Updated task #1 status")
        .calls("Task", &json!({"description": "Find the callers", "prompt": "Who calls login()?", "subagent_type": "Explore"}), "It is called by src/main.rs alone.")
        .calls("Write", &json!({"file_path": flow, "content": "pub fn begin_login(state: &State) -> Url {\n}\n"}), "File created successfully.");
    work.transcript.compaction("auto", "1. Primary request: a login flow with PKCE.\n2. Key concept: the verifier is kept in the session, never in a cookie.");
    work.calls("TaskUpdate", &task("1", "completed"), "Updated task #1 status")
        .calls("TaskUpdate", &task("2", "in_progress"), "Updated task #2 status")
        .calls("Glob", &json!({"pattern": "**/*login*.rs"}), "src/login.rs")
        .calls("mcp__tracker__find_issue", &json!({"query": "login"}), "ISSUE-7: log in by phone")
        .fails("Write", &json!({"file_path": secrets, "content": "key = 1"}), REFUSED)
        .fails("Edit", &json!({"file_path": flow, "old_string": "nothing", "new_string": "something"}), "<tool_use_error>String to replace not found in file.</tool_use_error>")
        .runs("cargo clippy -p login", "warning: unused import\nwarning: `login` generated 1 warning")
        .fails_to_run("cargo test -p login", "Exit code 101\nerror[E0425]: cannot find value `verifier` in this scope\nerror: could not compile `login`")
        .says("The test needs the verifier. Next I'll hand it over in the session.")
        .user("[Request interrupted by user]")
        .user("Wait. Use a newtype for the verifier, never a bare string.")
        .says("I'll add the newtype now.")
        .edits("src/login.rs", "pub fn begin_login(state: &State) -> Url {", "pub struct Verifier(String);\n\npub fn begin_login(state: &State) -> Url {");
}

fn heard(agent: &'static str, deeds: Deeds) -> Heard {
    let [known, unread] = [SUMMARY, ""].map(|summary| {
        let client = Client::new(agent, deeds);
        let heard = client.compaction(summary);
        let log = client.scene.log();
        assert_eq!(log, "", "{agent}");
        heard
    });
    Heard { before: known.0, after: known.1, after_unread: unread.1 }
}

/// Whether a client's texts are Claude Code's, but for what its format forces.
#[track_caller]
fn agree(claude: &str, client: &str, forced: &[Forced]) {
    let mut expected = claude.to_owned();
    for (why, there, here) in forced {
        assert!(expected.contains(there), "{why}: Claude Code says no `{there}`: {expected}");
        expected = expected.replace(there, here);
    }
    assert_eq!(client, expected, "{forced:?}");
}

/// Compares what each client's agent is told with what Claude Code's is told.
#[track_caller]
fn tell_alike(deeds: Deeds, needed: &[&str], forced: [&[Forced]; 3]) {
    let claude = heard("claude-code", deeds);
    for words in needed {
        assert!(claude.after.contains(words), "{words}: {}", claude.after);
    }
    for (agent, forced) in ["codex", "gemini", "opencode"].into_iter().zip(forced) {
        let client = heard(agent, deeds);
        agree(&claude.after, &client.after, forced);
        agree(&claude.after_unread, &client.after_unread, forced);
        // Only one of them lets a hook speak before a compaction.
        let before = if agent == "opencode" { claude.before.as_str() } else { "" };
        agree(before, &client.before, if before.is_empty() { &[] } else { forced });
    }
}

#[test]
fn the_same_session_gives_the_same_briefing_whichever_client_told_it() {
    let needed =
        ["cargo test -p parser", "make docs", "src/parser.rs", "Document the cursor", "git push origin main"];
    tell_alike(parser, &needed, [&[NO_WORDS], &[NO_WORDS], &[]]);
}

#[test]
fn one_that_was_compacted_before_does_too() {
    let needed =
        ["Test the flow", "Use a newtype", "cargo test -p login", "the verifier is kept in the session"];
    let [codex, gemini, opencode] = ["refused `apply_patch", "refused `write_file", "refused `write"]
        .map(|here| named("refused `Write", here));
    tell_alike(
        login,
        &needed,
        [&[NO_WORDS, NO_HEADING, codex], &[NO_WORDS, NO_HEADING, gemini], &[NO_HEADING, opencode]],
    );
}
