//! Hook table: the events we ask the client for, how long each may take, and the command line that it runs.

use serde_json::{Value, json};

use crate::settings::shell_words;

/// The name of our hooks in the client's list of hooks.
pub const HOOK_NAME: &str = "throughline";

/// One event that we register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HookRule {
    /// The event as the settings spell it.
    pub event: &'static str,
    /// After this the client ends the hook and goes on.
    pub timeout_ms: u32,
}

/// Every event that we register, in the order in which they are written.
///
/// `BeforeModel` is none of them: it carries the whole history, at every request. `PreCompress` neither: it fires before every
/// request, compresses nothing by itself, and what a hook says to it reaches nobody.
pub const HOOKS: [HookRule; 5] = [
    HookRule { event: "SessionStart", timeout_ms: 10_000 },
    HookRule { event: "BeforeAgent", timeout_ms: 10_000 },
    HookRule { event: "AfterTool", timeout_ms: 10_000 },
    HookRule { event: "AfterAgent", timeout_ms: 5_000 },
    HookRule { event: "SessionEnd", timeout_ms: 2_000 },
];

/// What stands before the call of the program, and behind it.
const BEFORE: &str = "exec 2>/dev/null; set -m; ";
const BEHIND: &str = " & trap \"kill -9 -$!\" TERM; wait $!; exit 0";

/// The command line of every hook, run by `bash -c`, so that no broken program of ours stops a turn.
///
/// The client takes what a hook prints, on either stream, for a refusal of the prompt when it ends with 2 or more: a shell that does
/// not find the program does just that. So the shell prints nothing itself, and always ends with 0. At the timeout the client ends
/// the shell alone, and then waits until nobody holds its pipes any more: so the shell takes everything that it began along.
#[must_use]
pub fn command(binary: &str, agent: &str) -> String {
    format!("{BEFORE}{} hook --agent {agent}{BEHIND}", shell_words::quote(binary))
}

/// The program that a command line of ours names; `None` when it is not ours.
#[must_use]
pub fn our_program(command: &str) -> Option<String> {
    let line = command.trim();
    let line = line.strip_prefix(BEFORE).unwrap_or(line);
    let line = line.strip_suffix(BEHIND).unwrap_or(line);
    let mut words = shell_words::split(line)?.into_iter();
    let program = words.next()?;
    let name = program.rsplit(['/', '\\']).next().unwrap_or(&program);
    let is_ours =
        matches!(name, "throughline" | "throughline.exe") && words.next().as_deref() == Some("hook");
    is_ours.then_some(program)
}

/// The group that holds our handler of an event alone.
#[must_use]
pub fn group(rule: HookRule, binary: &str, agent: &str) -> Value {
    json!({"hooks": [{
        "type": "command",
        "name": HOOK_NAME,
        "command": command(binary, agent),
        "timeout": rule.timeout_ms,
    }]})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_command_is_known_again_whatever_the_path() {
        for binary in ["/usr/bin/throughline", "/home/me/it's a b/throughline", "throughline"] {
            assert_eq!(our_program(&command(binary, "gemini")).as_deref(), Some(binary));
        }
        assert_eq!(our_program("throughline hook --agent gemini").as_deref(), Some("throughline"));
        for foreign in [
            "",
            "exec",
            "echo throughline hook",
            "throughline hooks",
            "exec 2>/dev/null; set -m; x hook",
            "throughline hook; rm x",
        ] {
            assert_eq!(our_program(foreign), None, "{foreign}");
        }
    }

    #[test]
    fn no_hook_may_take_long() {
        for rule in HOOKS {
            assert!((1_000..=15_000).contains(&rule.timeout_ms), "{}", rule.event);
        }
        let group = group(HOOKS[0], "/x/throughline", "gemini");
        assert_eq!(group["hooks"][0]["timeout"], 10_000);
    }
}
