//! Hook trust: whether the client will run our hooks. It is asked by messages, a line of JSON each way (`codex app-server`).
//!
//! A hook that nobody approved is skipped without a word. The approval is the user's alone: nothing here gives one.

use serde::Deserialize;

/// The arguments that start a client which is spoken to by messages.
pub const SERVER_ARGS: [&str; 1] = ["app-server"];

/// The number of the question, by which its answer is known.
const QUESTION: u64 = 2;

/// What is written to the client's standard input: who asks, and which hooks it knows for a folder. It goes on until its
/// input is closed, so that is done when the answer has come, or at the deadline.
#[must_use]
pub fn questions(folder: &str, our_version: &str) -> String {
    let known = serde_json::json!({"clientInfo": {"name": "throughline", "version": our_version}});
    let lines = [
        serde_json::json!({"id": 1, "method": "initialize", "params": known}),
        serde_json::json!({"method": "initialized"}),
        serde_json::json!({"id": QUESTION, "method": "hooks/list", "params": {"cwds": [folder]}}),
    ];
    lines.map(|line| line.to_string() + "\n").concat()
}

/// What the client answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookList {
    /// The hooks it knows for the folder, whoever wrote them.
    pub hooks: Vec<KnownHook>,
    /// What it could not read, and where.
    pub errors: Vec<String>,
    /// What it says beside that.
    pub warnings: Vec<String>,
}

/// A hook, as the client sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownHook {
    /// `sessionStart`, `postToolUse`…
    pub event: String,
    /// Its command line; empty for one that runs no program.
    pub command: String,
    /// The file that it stands in.
    pub file: String,
    /// Whether it is switched on.
    pub is_enabled: bool,
    /// Whether it was approved.
    pub trust: Trust,
    /// How much of its text is handed over, in tokens; `None` where nothing is said.
    pub context_limit: Option<u64>,
}

impl KnownHook {
    /// Whether the client will run it.
    #[must_use]
    pub fn runs(&self) -> bool {
        self.is_enabled && matches!(self.trust, Trust::Trusted | Trust::Managed)
    }
}

/// Whether a hook was approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// By the user, as it stands.
    Trusted,
    /// By whoever manages the machine.
    Managed,
    /// It was, and was changed since.
    Modified,
    /// By nobody.
    Untrusted,
    /// In a way that we do not know.
    Unknown,
}

/// Reads one line of the client's; `None` where it is not the answer. An answer that refuses the question is an error.
#[must_use]
pub fn read_answer(line: &[u8]) -> Option<Result<HookList, String>> {
    let message: Message = serde_json::from_slice(line).ok()?;
    if message.id != Some(QUESTION) || message.method.is_some() {
        return None;
    }
    if let Some(error) = message.error {
        return Some(Err(error.message.unwrap_or_default()));
    }
    let mut list = HookList::default();
    for entry in message.result?.data {
        list.hooks.extend(entry.hooks.into_iter().map(Hook::known));
        list.errors
            .extend(entry.errors.into_iter().map(|error| format!("{}: {}", error.path, error.message)));
        list.warnings.extend(entry.warnings);
    }
    Some(Ok(list))
}

#[derive(Deserialize)]
struct Message {
    id: Option<u64>,
    method: Option<String>,
    result: Option<Answer>,
    error: Option<Refusal>,
}

#[derive(Deserialize)]
struct Refusal {
    message: Option<String>,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    data: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    hooks: Vec<Hook>,
    #[serde(default)]
    errors: Vec<FileError>,
    #[serde(default)]
    warnings: Vec<String>,
}

#[derive(Deserialize)]
struct FileError {
    #[serde(default)]
    path: String,
    #[serde(default)]
    message: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Hook {
    event_name: String,
    command: Option<String>,
    source_path: String,
    enabled: bool,
    trust_status: String,
    additional_context_limit: Option<u64>,
}

impl Hook {
    fn known(self) -> KnownHook {
        let trust = match self.trust_status.as_str() {
            "trusted" => Trust::Trusted,
            "managed" => Trust::Managed,
            "modified" => Trust::Modified,
            "untrusted" => Trust::Untrusted,
            _ => Trust::Unknown,
        };
        KnownHook {
            event: self.event_name,
            command: self.command.unwrap_or_default(),
            file: self.source_path,
            is_enabled: self.enabled,
            trust,
            context_limit: self.additional_context_limit,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_questions_are_a_line_each() {
        let asked = questions("/home/me/my \"app\"", "1.2.3");
        let lines: Vec<serde_json::Value> =
            asked.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let methods: Vec<&str> = lines.iter().map(|line| line["method"].as_str().unwrap()).collect();
        assert_eq!(methods, ["initialize", "initialized", "hooks/list"]);
        assert_eq!(lines[2]["params"]["cwds"], json!(["/home/me/my \"app\""]));
    }

    #[test]
    fn the_answer_is_found_among_other_lines_and_tells_what_runs() {
        let hook = |event: &str, trust: &str, enabled: bool| {
            json!({"key": "k", "eventName": event, "handlerType": "command", "command": "throughline hook --agent codex",
                   "sourcePath": "/home/me/.codex/hooks.json", "enabled": enabled, "trustStatus": trust,
                   "additionalContextLimit": 7500, "currentHash": "sha256:0"})
        };
        let hooks = [
            hook("sessionStart", "trusted", true),
            hook("stop", "untrusted", true),
            hook("preCompact", "modified", true),
            hook("postToolUse", "trusted", false),
            hook("postCompact", "something new", true),
        ];
        let answer = json!({"id": 2, "result": {"data": [{"cwd": "/home/me/app", "hooks": hooks, "warnings": ["clamped"],
                            "errors": [{"path": "/home/me/app/.codex/hooks.json", "message": "no JSON"}]}]}});
        for other in [json!({"id": 1, "result": {}}), json!({"method": "warning", "params": {}}), json!([2])]
        {
            assert_eq!(read_answer(other.to_string().as_bytes()), None);
        }
        let list = read_answer(answer.to_string().as_bytes()).unwrap().unwrap();
        let runs: Vec<(&str, bool)> =
            list.hooks.iter().map(|hook| (hook.event.as_str(), hook.runs())).collect();
        let expected = [
            ("sessionStart", true),
            ("stop", false),
            ("preCompact", false),
            ("postToolUse", false),
            ("postCompact", false),
        ];
        assert_eq!(runs, expected);
        assert_eq!(list.hooks[0].context_limit, Some(7_500));
        assert_eq!(list.errors, ["/home/me/app/.codex/hooks.json: no JSON"]);
        assert_eq!(list.warnings, ["clamped"]);
    }

    #[test]
    fn a_client_that_does_not_know_the_question_says_so() {
        let refused = br#"{"id":2,"error":{"code":-32601,"message":"unknown method"}}"#;
        assert_eq!(read_answer(refused), Some(Err("unknown method".to_owned())));
        for odd in [&b""[..], b"{", b"null", b"{\"id\":\"2\"}", b"{\"id\":2,\"result\":7}"] {
            assert_eq!(read_answer(odd), None);
        }
    }
}
