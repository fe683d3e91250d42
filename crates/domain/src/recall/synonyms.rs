//! Synonyms: words of the trade that people use for one another when they ask for what they wrote months ago.

use super::inflection::stem;

/// Rows of words that stand for one another, by their forms.
#[rustfmt::skip]
const ROWS: &[&[&str]] = &[
    &["remove", "delete", "drop", "erase", "discard"],
    &["fix", "repair", "solve", "resolve", "mend"],
    &["error", "failure", "fail", "broken", "crash", "problem", "bug", "issue"],
    &["ticket", "issue", "bug"],
    &["end", "exit", "quit", "finish", "terminate", "stop"],
    &["stale", "outdated", "old", "obsolete"],
    &["truncate", "shorten", "abbreviate", "cut", "short"],
    &["different", "differ", "mismatch", "inconsistent", "difference"],
    &["same", "identical", "equal", "match"],
    &["list", "array", "slice", "sequence"],
    &["empty", "blank", "null", "nil", "none"],
    &["background", "daemon", "detached", "async"],
    &["log", "logging", "debug", "trace"],
    &["reject", "refuse", "deny", "decline"],
    &["wait", "delay", "sleep", "pause"],
    &["identifier", "id"],
    &["single", "one", "specific", "individual"],
    &["complete", "full", "whole", "entire"],
    &["automatic", "auto", "automatically"],
    &["leftover", "remaining", "orphan", "unused", "dead"],
    &["confusing", "messy", "unclear", "confusion"],
    &["early", "premature", "soon"],
    &["create", "add", "make", "introduce", "new"],
    &["rename", "name", "call"],
    &["config", "configuration", "setting", "settings", "option", "preference"],
    &["test", "tests", "spec", "testing"],
    &["directory", "folder", "dir"],
    &["repository", "repo"],
    &["documentation", "docs", "doc", "readme"],
    &["database", "db", "sqlite", "postgres"],
    &["function", "method", "func", "helper", "routine"],
    &["argument", "parameter", "arg", "param", "flag", "option"],
    &["change", "modify", "edit", "alter", "update", "adjust"],
    &["slow", "performance", "latency", "fast", "speed", "quick"],
    &["start", "begin", "launch", "run"],
    &["stop", "halt", "abort", "cancel", "kill"],
    &["show", "display", "print", "render", "output"],
    &["check", "verify", "validate", "validation", "ensure"],
    &["duplicate", "duplication", "repeat", "twice", "copy"],
    &["choose", "decide", "decision", "pick", "prefer", "select"],
    &["reason", "because", "why", "cause"],
    &["version", "release"],
    &["dependency", "package", "library", "crate", "module"],
    &["authentication", "auth", "login", "credential"],
    &["environment", "env"],
    &["variable", "var"],
    &["image", "picture"],
    &["merge", "combine", "join", "unify"],
    &["move", "relocate", "migrate", "extract"],
    &["split", "divide", "separate"],
    &["skip", "ignore", "omit", "exclude"],
    &["missing", "absent", "lacking", "lack"],
    &["wrong", "incorrect", "bad", "mistake"],
    &["limit", "cap", "maximum", "max", "threshold"],
    &["large", "big", "huge", "long"],
    &["replace", "substitute", "swap", "switch"],
    &["permission", "allow", "access"],
    &["command", "cmd", "cli"],
    &["message", "msg", "text"],
    &["default", "fallback"],
    &["branch", "fork"],
    &["review", "comment", "feedback"],
    &["simplify", "simple", "refactor", "clean", "cleanup"],
    &["timeout", "deadline"],
    &["session", "conversation"],
    &["write", "save", "store", "persist"],
    &["read", "load", "parse"],
    &["find", "detect", "discover", "search", "locate"],
    &["prevent", "avoid", "block", "stop"],
    &["fetch", "download", "pull"],
    &["push", "upload", "publish"],
    &["prompt", "ask", "question"],
    &["workflow", "pipeline", "ci", "action"],
    &["parallel", "concurrent", "concurrency", "race"],
    &["number", "count", "amount", "total"],
    &["language", "locale", "translation"],
    &["client", "frontend", "ui"],
    &["server", "backend", "api"],
    &["warning", "warn", "lint"],
    &["temporary", "temp", "tmp"],
    &["link", "url", "reference"],
    &["convert", "transform", "translate"],
    &["hidden", "hide", "invisible"],
    &["secret", "token", "password", "key"],
];

/// The forms that stand for the same as this one, without itself.
pub(super) fn of(form: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for row in ROWS.iter().filter(|row| row.iter().any(|word| stem(word) == form)) {
        for other in row.iter().map(|word| stem(word)) {
            if other != form && !found.iter().any(|known| known == other) {
                found.push(other.to_owned());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_found_under_any_inflection() {
        assert!(of(stem("removed")).contains(&stem("deletion").to_owned()));
        assert!(of("nothing-such").is_empty());
    }
}
