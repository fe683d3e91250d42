//! What was typed behind `recall`: `-word` is a word that must not stand there, not a row of options.

use std::ffi::{OsStr, OsString};

/// The arguments with every `-word` of a search behind `--`, where a parser of options leaves it alone.
pub(crate) fn with_words_apart(args: Vec<OsString>, command: &clap::Command) -> Vec<OsString> {
    let Some(recall) = command.find_subcommand("recall") else { return args };
    let takes_value = |arg: &OsStr| {
        let name = arg.to_str().and_then(|arg| arg.strip_prefix("--"));
        let all = command.get_arguments().chain(recall.get_arguments());
        let mut named = all.filter(|it| name.is_some() && it.get_long() == name);
        named.any(|it| it.get_action().takes_values())
    };
    let mut kept: Vec<OsString> = Vec::with_capacity(args.len() + 1);
    let mut apart = Vec::new();
    let mut words = 0;
    let mut rest = args.iter();
    // The first is the program's own name.
    kept.extend(rest.next().cloned());
    while let Some(arg) = rest.next() {
        let is_value = kept.len() > 1 && kept.last().is_some_and(|last| takes_value(last));
        if arg == "--" {
            apart.extend(rest.by_ref().cloned());
        } else if words > 0 && !is_value && is_without(arg) {
            apart.push(arg.clone());
        } else {
            let is_word = !is_value && !arg.to_string_lossy().starts_with('-');
            let is_other_verb = words == 0 && arg != "recall";
            let is_other_deed = words == 1 && recall.find_subcommand(arg).is_some();
            if is_word && (is_other_verb || is_other_deed) {
                return args;
            }
            words += usize::from(is_word);
            kept.push(arg.clone());
        }
    }
    if !apart.is_empty() {
        kept.push("--".into());
        kept.extend(apart);
    }
    kept
}

/// A minus before a word of two letters at least: `-h` is an option, and so is everything with two of them.
fn is_without(arg: &OsStr) -> bool {
    let behind = arg.to_str().and_then(|arg| arg.strip_prefix('-')).unwrap_or_default();
    behind.starts_with(|c: char| c.is_alphanumeric() || c == '"') && behind.chars().count() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apart(line: &str) -> String {
        let args = line.split(' ').map(OsString::from).collect();
        let apart = with_words_apart(args, &crate::cli::command());
        apart.iter().map(|arg| arg.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_that_must_not_stand_there_are_set_apart_and_options_stay_where_they_are() {
        for (typed, parsed) in [
            ("t recall finch -importer", "t recall finch -- -importer"),
            ("t recall -importer finch --json", "t recall finch --json -- -importer"),
            ("t recall finch -importer --kind error -x -h", "t recall finch --kind error -x -h -- -importer"),
            ("t --project p recall a --json -bb c", "t --project p recall a --json c -- -bb"),
            ("t recall a -bb -- -c --d", "t recall a -- -bb -c --d"),
            ("t recall a --since -30d", "t recall a --since -30d"),
            ("t recall a --kinds error", "t recall a --kinds error"),
        ] {
            assert_eq!(apart(typed), parsed, "{typed}");
        }
        for other in ["t list -all", "t recall fix error -abc", "t recall show p1 -abc", "t", "t recall"] {
            assert_eq!(apart(other), other);
        }
    }
}
