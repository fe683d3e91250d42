//! A scene played: its lines become transcripts, payloads and commits, as the client and other people make them.

use std::collections::BTreeMap;
use std::fs;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use throughline_testkit::{TempHome, Transcript, Usage, payload};

use crate::check::{self, False};
use crate::record::Record;
use crate::scene::Scene;

/// What the client writes in the place of an answer that the user refused.
const REFUSAL: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.";
const USAGE: Usage = Usage { input: 500, cache_creation: 500, cache_read: 20_000, output: 40 };

/// A scene on its way.
pub(crate) struct Play {
    scene: Scene,
    session: String,
    transcripts: BTreeMap<String, Transcript>,
    /// The last text of each kind that the agent or a person was given.
    texts: BTreeMap<String, String>,
    /// Calls of the response that is going on, for the event behind it.
    batch: Vec<Value>,
    last_words: String,
    calls: u32,
}

impl Play {
    pub(crate) fn new() -> Self {
        let scene = Scene { home: TempHome::new().with_git() };
        Self {
            scene,
            session: "s1".to_owned(),
            transcripts: BTreeMap::new(),
            texts: BTreeMap::new(),
            batch: Vec::new(),
            last_words: String::new(),
            calls: 0,
        }
    }

    /// Plays a script; gives what it finds wrong: statements that should (not) be there, and false ones.
    pub(crate) fn run(mut self, script: &str) -> Vec<String> {
        let mut wrong = Vec::new();
        for line in script.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            let rest = rest.replace("\\n", "\n");
            match expectation(word, &rest) {
                Some(expectation) => wrong.extend(self.compare(&expectation)),
                None => self.step(word, &rest),
            }
        }
        wrong.extend(self.check_all().iter().map(|it| format!("false: {}: {}", it.rule, it.words)));
        if !wrong.is_empty() {
            for (name, text) in &self.texts {
                wrong.push(format!("--- {name}\n{text}"));
            }
        }
        wrong
    }

    /// Everything that was said in this scene, read back against its transcripts.
    fn check_all(&mut self) -> Vec<False> {
        for name in ["notes", "block", "briefing"] {
            let text = self.text(name);
            self.texts.insert(name.to_owned(), text);
        }
        let files = crate::scene::files_under(&self.scene.home.claude_config().join("projects"));
        let transcripts: Vec<String> =
            files.iter().map(|it| fs::read_to_string(it).unwrap_or_default()).collect();
        let record = Record::read(transcripts.iter().map(String::as_str));
        let checked = ["notes", "block", "briefing"].iter().filter_map(|name| self.texts.get(*name));
        let found = checked.flat_map(|text| check::check(text, &record));
        found.filter(|it| !crate::scenes::PENDING_RULES.contains(&it.rule)).collect()
    }

    fn transcript(&mut self) -> &mut Transcript {
        let home = &self.scene.home;
        let session = self.session.clone();
        let transcript =
            self.transcripts.entry(session.clone()).or_insert_with(|| Transcript::new(home, &session));
        transcript.at(Timestamp::now());
        transcript
    }

    fn hook(&self, payload: &Value) -> String {
        said(&self.scene.hook(payload))
    }

    fn step(&mut self, word: &str, rest: &str) {
        let home = &self.scene.home;
        let session = self.session.clone();
        match word {
            "start" => {
                let (session, source) = rest.split_once(' ').unwrap_or((rest, "startup"));
                session.clone_into(&mut self.session);
                let text = self.hook(&payload::session_start(&self.scene.home, session, source));
                self.texts.insert("briefing".to_owned(), text);
            }
            "user" => {
                let text = self.hook(&payload::user_prompt_submit(home, &session, rest));
                self.texts.insert("prompt".to_owned(), text);
                self.transcript().user(rest);
            }
            "say" => {
                rest.clone_into(&mut self.last_words);
                self.transcript().assistant(rest, USAGE);
            }
            "stop" => {
                self.end_batch();
                if !rest.is_empty() {
                    rest.clone_into(&mut self.last_words);
                    self.transcript().assistant(rest, USAGE);
                }
                self.hook(&payload::stop(&self.scene.home, &session, &self.last_words));
            }
            "bash" | "fails" | "late-ok" | "late-fails" | "pending" | "refused" => self.command(word, rest),
            "edit" | "write" | "refused-edit" | "read" => self.file(word, rest),
            "tasks" => self.tasks(rest),
            "interrupt" => {
                self.transcript().user("[Request interrupted by user]");
            }
            "commit" => {
                self.scene.home.git(&["add", "--all"]);
                self.scene.home.git(&["commit", "--quiet", "--allow-empty", &format!("--message={rest}")]);
                self.command(
                    "bash",
                    &format!(
                        "git commit -am '{rest}' => [main abc1234] {rest}\n 1 file changed, 1 insertion(+)"
                    ),
                );
            }
            "elsewhere" => {
                self.scene.home.git(&["add", "--all"]);
                self.scene.home.git(&["commit", "--quiet", "--allow-empty", &format!("--message={rest}")]);
            }
            "on-disk" => {
                let (path, text) = rest.split_once(" => ").unwrap_or((rest, "changed\n"));
                self.scene.home.write(path, text);
            }
            "pass" => self.pass(rest.parse().expect("minutes")),
            "end" => {
                self.hook(&payload::session_end(
                    home,
                    &session,
                    if rest.is_empty() { "other" } else { rest },
                ));
            }
            "run" => {
                let args: Vec<&str> = rest.split(' ').collect();
                self.scene.ok(&args);
            }
            "decide" => {
                self.scene.ok(&["add", "decision", rest]);
            }
            "constrain" => {
                self.scene.ok(&["add", "constraint", rest]);
            }
            _ => self.around_compaction(word, rest),
        }
    }

    fn around_compaction(&mut self, word: &str, rest: &str) {
        let home = &self.scene.home;
        let session = self.session.clone();
        match word {
            "precompact" | "precompact-manual" => {
                self.end_batch();
                let trigger = if word == "precompact" { "auto" } else { "manual" };
                let text = self.hook(&payload::pre_compact(&self.scene.home, &session, trigger, None));
                self.texts.insert("block".to_owned(), text);
            }
            "summary" => {
                let words = format!("<summary>\n{rest}\n</summary>");
                self.hook(&payload::subagent_stop(home, &session, "", &words));
            }
            "compacted" => {
                let text = self.hook(&payload::session_start(home, &session, "compact"));
                self.texts.insert("briefing".to_owned(), text);
            }
            "postcompact" => {
                self.hook(&payload::post_compact(home, &session, "auto", rest));
                let summary = rest.to_owned();
                self.transcript().compaction("auto", &summary);
            }
            "compact" => {
                for (step, words) in
                    [("precompact", ""), ("summary", rest), ("compacted", ""), ("postcompact", rest)]
                {
                    self.around_compaction(step, words);
                }
            }
            "agent-start" | "agent-stop" => {
                let (kind, id) = rest.split_once(' ').expect("a type and an id");
                let mut told = if word == "agent-start" {
                    payload::subagent_start(home, &session, kind)
                } else {
                    payload::subagent_stop(home, &session, kind, "done")
                };
                told["agent_id"] = json!(id);
                self.hook(&told);
            }
            "agent-says" => self.agent_transcript(rest),
            "agent-compact" => {
                let (id, summary) = rest.split_once(' ').unwrap_or((rest, "what it did"));
                let told = |mut it: Value| {
                    (it["agent_id"], it["agent_type"]) = (json!(id), json!("Explore"));
                    it
                };
                let before = self.hook(&told(payload::pre_compact(home, &session, "auto", None)));
                self.hook(&payload::subagent_stop(
                    home,
                    &session,
                    "",
                    &format!("<summary>{summary}</summary>"),
                ));
                let text = self.hook(&told(payload::session_start(home, &session, "compact")));
                self.hook(&told(payload::post_compact(home, &session, "auto", summary)));
                self.texts.insert("agent-block".to_owned(), before);
                self.texts.insert("agent".to_owned(), text);
            }
            other => panic!("a scene has no step `{other}`"),
        }
    }

    /// `id prompt => words`: a subagent's own transcript.
    fn agent_transcript(&self, rest: &str) {
        let (id, rest) = rest.split_once(' ').expect("an id");
        let (prompt, words) = rest.split_once(" => ").unwrap_or((rest, "On it."));
        let path = self.scene.home.transcript_path(&self.session).with_extension("");
        let path = path.join(format!("subagents/agent-{id}.jsonl"));
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let line = |kind: &str, message: Value| {
            json!({"type": kind, "isSidechain": true, "agentId": id, "sessionId": self.session, "uuid": format!("{id}-{kind}"),
                   "timestamp": Timestamp::now().to_string(), "cwd": self.scene.home.project(), "message": message})
        };
        let asked = line("user", json!({"role": "user", "content": prompt}));
        let said = line(
            "assistant",
            json!({"id": "msg_a", "role": "assistant", "model": "claude-sonnet-4-5",
            "content": [{"type": "text", "text": words}], "usage": {"input_tokens": 500, "output_tokens": 40}}),
        );
        fs::write(path, format!("{asked}\n{said}\n")).expect("a subagent's transcript");
    }

    /// `command => what it printed`.
    fn command(&mut self, word: &str, rest: &str) {
        let (command, printed) = rest.split_once(" => ").unwrap_or((rest, ""));
        let input = json!({ "command": command });
        let id = self.call("Bash", &input);
        let failed = matches!(word, "fails" | "late-fails");
        let text = match word {
            "refused" => REFUSAL.to_owned(),
            _ if failed => format!("Exit code 1\n{printed}"),
            _ => printed.to_owned(),
        };
        if matches!(word, "bash" | "fails" | "refused") {
            self.transcript().tool_result(&id, &text, failed || word == "refused");
        }
        if word != "pending" {
            self.note_call("Bash", &input, &id, &text);
            self.end_batch();
        }
    }

    fn file(&mut self, word: &str, path: &str) {
        let full = self.scene.home.project().join(path);
        let refused = word == "refused-edit";
        let (tool, input) = match word {
            "read" => ("Read", json!({ "file_path": full })),
            "write" => ("Write", json!({ "file_path": full, "content": "new\n" })),
            _ => ("Edit", json!({ "file_path": full, "old_string": "a", "new_string": "b" })),
        };
        if matches!(word, "edit" | "write") {
            let before = fs::read_to_string(&full).unwrap_or_default();
            self.scene.home.write(path, &format!("{before}one more line\n"));
        }
        let id = self.call(tool, &input);
        let text = if refused { REFUSAL } else { "The file was updated." };
        self.transcript().tool_result(&id, text, refused);
        self.note_call(tool, &input, &id, text);
        self.end_batch();
    }

    /// `Step one=in_progress; Step two=pending`.
    fn tasks(&mut self, rest: &str) {
        let todos: Vec<Value> = rest
            .split("; ")
            .filter_map(|task| task.split_once('='))
            .map(|(subject, status)| json!({"content": subject, "status": status, "activeForm": subject}))
            .collect();
        let input = json!({ "todos": todos });
        let id = self.call("TodoWrite", &input);
        self.transcript().tool_result(&id, "Todos have been modified successfully.", false);
    }

    fn call(&mut self, tool: &str, input: &Value) -> String {
        self.calls += 1;
        self.transcript().tool_call(tool, input, USAGE)
    }

    fn note_call(&mut self, tool: &str, input: &Value, id: &str, text: &str) {
        self.batch
            .push(json!({"tool_name": tool, "tool_input": input, "tool_use_id": id, "tool_response": text}));
    }

    /// All calls of the response are done: the client says so.
    fn end_batch(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        let mut told = payload::post_tool_batch(&self.scene.home, &self.session, &[]);
        told["tool_calls"] = Value::Array(std::mem::take(&mut self.batch));
        self.hook(&told);
    }

    /// Lets time pass, in the transcripts, too.
    fn pass(&self, minutes: i64) {
        self.scene.minutes_pass(minutes);
        for path in crate::scene::files_under(&self.scene.home.claude_config().join("projects")) {
            let text = fs::read_to_string(&path).expect("a transcript");
            let older: String = text.lines().map(|line| format!("{}\n", made_older(line, minutes))).collect();
            fs::write(&path, older).expect("a transcript");
            let then =
                std::time::SystemTime::now() - std::time::Duration::from_secs(minutes.unsigned_abs() * 60);
            let file = fs::File::options().append(true).open(&path).expect("a transcript");
            file.set_modified(then).expect("a file time");
        }
    }

    /// A text by its name; what nobody has printed yet is printed now.
    fn text(&self, name: &str) -> String {
        let printed = |args: &[&str]| {
            let output = self.scene.run(args);
            format!("{}{}", output.stdout, output.stderr)
        };
        match name {
            "briefing" | "block" | "agent" | "agent-block" | "prompt" => {
                self.texts.get(name).cloned().unwrap_or_default()
            }
            "notes" => {
                let path = format!(".claude/sessions/{}/notes.md", self.session);
                fs::read_to_string(self.scene.home.project().join(path)).unwrap_or_default()
            }
            "log" => {
                let path = format!(".claude/sessions/{}/compaction-log.txt", self.session);
                fs::read_to_string(self.scene.home.project().join(path)).unwrap_or_default()
            }
            "snapshot" => {
                fs::read_to_string(self.scene.home.project().join(".claude/compaction-snapshot.md"))
                    .unwrap_or_default()
            }
            "compactions-count" => {
                // It takes what the hooks noted into the archive first.
                printed(&["status"]);
                self.scene.compactions().len().to_string()
            }
            "notes-minute-of-test" => self.minutes_since_test(),
            "focus" => printed(&["compact-focus"]),
            "asked" => printed(&["briefing"]),
            "handoff" => printed(&["handoff", "--force"]),
            "checkpoints" => printed(&["checkpoint", "list"]),
            "demo" => printed(&["demo", "--plain"]),
            verb => printed(&[verb]),
        }
    }

    /// How many minutes ago, to the ten, the notes say that tests ran.
    fn minutes_since_test(&self) -> String {
        let notes = self.text("notes");
        let entry = notes.lines().find(|line| line.starts_with("### [") && line.contains("Tests "));
        let at = entry.and_then(|line| line.get(5..21)).unwrap_or_default().replace(' ', "T");
        let at: Timestamp = format!("{at}:00Z").parse().expect("a time in the notes");
        let minutes = Timestamp::now().duration_since(at).as_mins();
        ((minutes + 5) / 10 * 10).to_string()
    }

    fn compare(&self, expectation: &Expectation) -> Option<String> {
        let text = self.text(expectation.of);
        let holds = text.contains(&expectation.words);
        let is_empty = text.trim().is_empty();
        match expectation.is {
            Is::Said if !holds => {
                Some(format!("{} should say: {}\n{text}", expectation.of, expectation.words))
            }
            Is::NotSaid if holds => {
                Some(format!("{} must not say: {}\n{text}", expectation.of, expectation.words))
            }
            Is::Empty if !is_empty => Some(format!("{} should be empty:\n{text}", expectation.of)),
            _ => None,
        }
    }
}

enum Is {
    Said,
    NotSaid,
    Empty,
}

struct Expectation<'s> {
    of: &'s str,
    is: Is,
    words: String,
}

/// `briefing says …`, `notes hides …`, `agent silent`.
fn expectation<'s>(of: &'s str, rest: &str) -> Option<Expectation<'s>> {
    let (verb, words) = rest.split_once(' ').unwrap_or((rest, ""));
    let is = match verb {
        "says" => Is::Said,
        "hides" => Is::NotSaid,
        "silent" => Is::Empty,
        _ => return None,
    };
    let is_text = !matches!(of, "user" | "say" | "stop" | "bash");
    is_text.then(|| Expectation { of, is, words: words.to_owned() })
}

/// The text of a reply, whatever form it has.
fn said(reply: &str) -> String {
    let value: Value = serde_json::from_str(reply).unwrap_or_default();
    let text = value["hookSpecificOutput"]["additionalContext"].as_str();
    text.map_or_else(|| reply.to_owned(), str::to_owned)
}

fn made_older(line: &str, minutes: i64) -> String {
    let Ok(mut entry) = serde_json::from_str::<Value>(line) else { return line.to_owned() };
    if let Some(at) = entry["timestamp"].as_str().and_then(|at| at.parse::<Timestamp>().ok()) {
        entry["timestamp"] = json!(format!("{:.3}", at - SignedDuration::from_mins(minutes)));
    }
    entry.to_string()
}
