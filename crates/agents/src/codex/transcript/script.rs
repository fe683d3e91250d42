//! Script: a command that the user will be asked about, as it stands in the model's own script.

use throughline_domain::text::fingerprint;

/// What a script says where it asks for more than the sandbox allows.
const ESCALATES: &str = "require_escalated";
/// A longer command was written for once.
const COMMAND_BYTES_MAX: usize = 4 << 10;

/// The command of a script that asks to leave the sandbox; `None` where it has several, or puts one together.
pub(super) fn escalated_command(script: &str) -> Option<String> {
    if !script.contains(ESCALATES) {
        return None;
    }
    let mut commands = script.match_indices("cmd").filter_map(|(at, _)| argument(script, at));
    let command = literal(commands.next()?)?;
    commands.next().is_none().then_some(command)
}

/// By what a command is known again.
pub(super) fn print_of(command: &str) -> u64 {
    fingerprint(command.trim().as_bytes())
}

/// What stands behind `cmd:`, where `cmd` begins at this place and is no part of another word.
fn argument(script: &str, at: usize) -> Option<&str> {
    let before = script[..at].chars().next_back();
    if before.is_some_and(|before| before.is_alphanumeric() || "_$.".contains(before)) {
        return None;
    }
    let rest = script[at + "cmd".len()..].trim_start_matches(['"', '\'']).trim_start();
    rest.strip_prefix(':').map(str::trim_start)
}

/// A text that is written out.
fn literal(written: &str) -> Option<String> {
    let mut letters = written.chars();
    let quote = letters.next().filter(|first| matches!(first, '"' | '\'' | '`'))?;
    let mut text = String::new();
    while text.len() <= COMMAND_BYTES_MAX {
        match letters.next()? {
            end if end == quote => return Some(text),
            // Something is put in here that the script alone does not tell.
            '$' if quote == '`' && letters.as_str().starts_with('{') => return None,
            '\\' => match letters.next()? {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                // Rare, and not worth a wrong command.
                'u' | 'x' => return None,
                other => text.push(other),
            },
            letter => text.push(letter),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_command_that_asks_is_found() {
        let asks = |args: &str| {
            let more = "sandbox_permissions: \"require_escalated\"";
            escalated_command(&format!("const r = await tools.exec_command({{{args}, {more}}});"))
        };
        assert_eq!(asks("cmd: \"rm -rf \\\"a b\\\"\"").as_deref(), Some("rm -rf \"a b\""));
        assert_eq!(asks("\"cmd\":'git push'").as_deref(), Some("git push"));
        assert_eq!(asks("cmd: `a\\nb`").as_deref(), Some("a\nb"));
    }

    #[test]
    fn what_is_put_together_or_asks_for_nothing_is_left_alone() {
        for script in [
            "",
            "tools.exec_command({cmd: \"ls\"})",
            "({cmd: `rm ${file}`, sandbox_permissions: \"require_escalated\"})",
            "({cmd: line, sandbox_permissions: \"require_escalated\"})",
            "({cmd: \"a\"}); ({cmd: \"b\", sandbox_permissions: \"require_escalated\"})",
            "({cmd: \"a\"}); ({cmd: b, sandbox_permissions: \"require_escalated\"})",
            "({cmd: \"a, sandbox_permissions: require_escalated",
            "require_escalated cmd",
        ] {
            assert_eq!(escalated_command(script), None, "{script}");
        }
    }
}
