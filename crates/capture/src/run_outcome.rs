//! Run outcome: whether a run succeeded, and the last lines that say how it ended.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use throughline_domain::text::shorten;

use crate::errors;

const RESULT_LINES_MAX: usize = 3;
const RESULT_UNITS_MAX: usize = 160;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunOutcome {
    Succeeded,
    Failed,
    /// It was not run to its end, or goes on.
    Unknown,
}

/// Says how a run ended. `shows_failure`: its exit code was hidden (a pipe), so its text decides.
pub(crate) fn of(text: &str, is_error: bool, hides_exit: bool) -> RunOutcome {
    let start = text.trim_start();
    if was_not_run(start) {
        return RunOutcome::Unknown;
    }
    if is_error || exit_code(start).is_some_and(|code| code != 0) {
        return RunOutcome::Failed;
    }
    if hides_exit && text.lines().any(errors::shows_failure) {
        return RunOutcome::Failed;
    }
    RunOutcome::Succeeded
}

/// The user or the client kept it from running, or it runs in the background: no word about the code.
pub(crate) fn was_not_run(start: &str) -> bool {
    const SAYS: &[&str] = &[
        "The user doesn't want to",
        "[Request interrupted",
        "Command running in background",
        "Command was aborted",
        "Request interrupted",
        "Permission to use",
        "This command requires approval",
        "Claude requested permissions",
        "Cancelled:",
        "<tool_use_error>",
        "Interrupted",
        "User rejected",
        "Command was manually backgrounded",
        "Error: The user doesn't want",
        "Permission for this action",
        "Permission denied by",
        "PreToolUse:",
        "Hook PreToolUse",
        "Error: PreToolUse",
        "context-mode:",
        "Blocked by",
    ];
    SAYS.iter().any(|says| start.starts_with(says))
}

/// The user said no, in whatever form the client tells it.
pub(crate) fn was_refused(text: &str) -> bool {
    const SAYS: &[&str] = &[
        "The user doesn't want to",
        "Error: The user doesn't want",
        "User rejected",
        "[Request interrupted",
        "Permission to use",
        "Permission for this action",
        "Permission denied by",
    ];
    let start = text.trim_start();
    let start = start.strip_prefix("<tool_use_error>").unwrap_or(start);
    SAYS.iter().any(|says| start.starts_with(says))
}

/// Whether the answer itself names an exit code other than 0.
pub(crate) fn tells_exit(text: &str) -> bool {
    exit_code(text.trim_start()).is_some_and(|code| code != 0)
}

fn exit_code(start: &str) -> Option<i64> {
    let start = start.strip_prefix("Error: ").unwrap_or(start);
    let head = start.get(..10).filter(|head| head.eq_ignore_ascii_case("exit code "))?;
    let rest = &start[head.len()..];
    rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())].parse().ok()
}

/// Text without colours and other movements of a terminal; the last state of a line that was written over.
pub(crate) fn plain(text: String) -> String {
    match throughline_domain::sequences::plain(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(plain) => plain,
    }
}

/// Words of the line in which a test runner, a compiler or a linter sums up.
static SUMS_UP: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build([
            "test result:",
            " passed",
            " pass\n",
            " tests across ",
            " failed",
            "passing",
            "failing",
            "tests:",
            "test files",
            "test suites:",
            "0 issues",
            " issues",
            " problems",
            "build succe",
            "build fail",
            "successfully",
            "finished ",
            "ran all test",
            " errors",
            " error generated",
            "no errors",
            " warnings",
            "compiled",
            "tests run:",
            " examples, ",
            " failures",
            "all checks passed",
            "done in",
            "built in",
            "ok\t",
            "ok  ",
            "fail\t",
            "would reformat",
            "unchanged",
            "coverage:",
            "assertions",
        ])
        .ok()
});

/// Whether a run's own words sum it up: then a pipe behind it hides nothing.
pub(crate) fn sums_up(text: &str) -> bool {
    SUMS_UP.as_ref().is_some_and(|words| words.is_match(text))
}

/// The last lines that mean something, in their order; of a check, the lines that sum up.
pub(crate) fn last_lines(text: &str, is_check: bool, outcome: RunOutcome) -> Vec<String> {
    let meaningful = || text.lines().rev().map(str::trim).filter(|line| is_meaningful(line)).take(200);
    let mut lines: Vec<&str> = Vec::new();
    if is_check && let Some(words) = SUMS_UP.as_ref() {
        let sums: Vec<&str> = meaningful().filter(|line| line.len() < 400 && words.is_match(*line)).collect();
        // How long it took says less than what came out.
        let counts = || sums.iter().copied().filter(|line| !takes_time(line));
        lines = counts().take(RESULT_LINES_MAX).collect();
        if lines.is_empty() {
            lines = sums.into_iter().take(1).collect();
        }
    }
    if lines.is_empty() && outcome == RunOutcome::Failed {
        return errors::telling_lines(text).iter().map(|line| shorten(line, RESULT_UNITS_MAX)).collect();
    }
    if lines.is_empty() {
        lines = meaningful().take(2).collect();
    }
    lines.dedup();
    lines.iter().rev().map(|line| shorten(line, RESULT_UNITS_MAX)).collect()
}

/// `Finished in 3.14s`, `Done in 2 s`: true of a run that failed, too.
fn takes_time(line: &str) -> bool {
    let lower = line.to_lowercase();
    ["finished in ", "done in ", "built in "].iter().any(|says| lower.contains(says))
        && !["pass", "fail", "error", "warning", "issue", "test"].iter().any(|word| lower.contains(word))
}

/// What the client adds to an answer.
const CLIENTS: &[&str] =
    &["Shell cwd was reset", "(Bash completed with no output", "(No output", "Run with --verbose"];

/// Whether a line tells anything.
pub(crate) fn is_meaningful(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
        && !line.starts_with("Exit code ")
        && line != "…"
        && line != "exit status 1"
        && !CLIENTS.iter().any(|says| line.starts_with(says))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_sums_up_is_the_result() {
        let text = "running 3 tests\ntest a ... ok\n\ntest result: ok. 3 passed; 0 failed\n\n   Doc-tests x\n\ntest result: ok. 0 passed; 0 failed\n";
        assert_eq!(
            last_lines(text, true, RunOutcome::Succeeded),
            ["test result: ok. 3 passed; 0 failed", "test result: ok. 0 passed; 0 failed"]
        );
        assert_eq!(last_lines("a\nb\n\nc\n---\n", false, RunOutcome::Succeeded), ["b", "c"]);
    }

    #[test]
    fn colours_are_no_text() {
        assert_eq!(plain("\u{1b}[31merror\u{1b}[0m: x\r\n1%\r2%".to_owned()), "error: x\n1%\n2%");
    }

    #[test]
    fn what_the_user_stopped_did_not_fail() {
        assert_eq!(
            of("The user doesn't want to proceed with this tool use.", true, false),
            RunOutcome::Unknown
        );
        assert_eq!(of("Exit code 2\nboom", false, false), RunOutcome::Failed);
        assert_eq!(of("ok", false, true), RunOutcome::Succeeded);
        assert_eq!(of("--- FAIL: TestX (0.00s)", false, true), RunOutcome::Failed);
    }
}
