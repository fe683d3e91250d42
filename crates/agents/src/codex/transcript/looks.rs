//! Looks: a command that only reads a file or searches files, taken for what it is. The client has no other tools for that.

use std::borrow::Cow;

use throughline_domain::transcript::{Tool, ToolCall};

use crate::settings::shell_words;

/// A longer line does more than look.
const LINE_BYTES_MAX: usize = 2 << 10;
/// Options of searching programs that a value follows.
const VALUED: [&str; 14] = [
    "-g",
    "--glob",
    "--iglob",
    "-t",
    "--type",
    "-T",
    "-A",
    "-B",
    "-C",
    "-m",
    "-M",
    "--max-count",
    "--include",
    "--exclude",
];

/// What a command looks at.
#[derive(Debug, PartialEq, Eq)]
enum Look {
    Read { path: String },
    Search { pattern: Option<String>, path: Option<String> },
}

/// Makes a call of a shell one of a reader, where its command does nothing else than to look. A search stays a command where it
/// looks elsewhere than in this folder, or where somebody took pains with it: by a pattern's name nobody would find it again.
pub(super) fn recognize(call: &mut ToolCall<'_>, folder: &str) {
    let line =
        call.command.as_deref().filter(|line| call.tool == Tool::Shell && line.len() <= LINE_BYTES_MAX);
    match line.and_then(look) {
        Some(Look::Read { path }) => {
            (call.tool, call.path) = (Tool::Read, Some(Cow::Owned(path)));
        }
        Some(Look::Search { pattern, path }) if path.as_deref().is_none_or(|path| is_here(path, folder)) => {
            call.tool = Tool::Search;
            (call.pattern, call.path) = (pattern.map(Cow::Owned), path.map(Cow::Owned));
        }
        _ => {}
    }
}

fn is_here(path: &str, folder: &str) -> bool {
    let is_below = || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    !path.starts_with(['/', '~']) || (!folder.is_empty() && is_below())
}

/// What a line looks at: one program, and behind it nothing but what shows less of its output.
fn look(line: &str) -> Option<Look> {
    let (first, behind) = stages(line.trim());
    let words = shell_words::split(first)?;
    for stage in behind.split(" | ").skip(1) {
        let words = shell_words::split(stage)?;
        let (program, rest) = words.split_first()?;
        let is_cut = match program.as_str() {
            "head" | "tail" | "nl" | "wc" | "sort" | "uniq" => operands(rest).is_empty(),
            "sed" => is_range_of_lines(rest) && rest.len() == 2,
            _ => false,
        };
        if !is_cut {
            return None;
        }
    }
    let (program, rest) = words.split_first()?;
    let is_piped = !behind.is_empty();
    match program.as_str() {
        "cat" | "nl" | "head" | "tail" | "bat" => {
            let is_endless = rest.iter().any(|word| matches!(word.as_str(), "-f" | "-F" | "--follow"));
            one_file(&operands(rest)).filter(|_| !is_endless)
        }
        "sed" if is_range_of_lines(rest) => one_file(&operands(&rest[2..])),
        _ if is_piped => None,
        "rg" | "grep" | "egrep" => search(rest),
        "git" if rest.first().is_some_and(|word| word == "grep") => search(&rest[1..]),
        _ => None,
    }
}

/// The program that a line begins with, and what stands behind it from its first pipe on.
fn stages(line: &str) -> (&str, &str) {
    let mut quote = None;
    for (at, byte) in line.bytes().enumerate() {
        match (quote, byte) {
            (None, b'|') if line[..at].ends_with(' ') => return line.split_at(at - 1),
            (None, b'\'' | b'"') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    (line, "")
}

/// `-n 1,20p`: lines are printed, and nothing is changed.
fn is_range_of_lines(words: &[String]) -> bool {
    let [option, script, ..] = words else { return false };
    let lines = script.strip_suffix('p').unwrap_or_default();
    option == "-n" && !lines.is_empty() && lines.bytes().all(|it| it.is_ascii_digit() || b",$".contains(&it))
}

/// The words that are neither options nor numbers behind them.
fn operands(words: &[String]) -> Vec<&str> {
    let is_number = |word: &str| word.bytes().all(|it| it.is_ascii_digit());
    words.iter().map(String::as_str).filter(|word| !word.starts_with('-') && !is_number(word)).collect()
}

fn one_file(paths: &[&str]) -> Option<Look> {
    match *paths {
        [path] if !path.contains(['*', '?', '[', '$', '{']) => Some(Look::Read { path: path.to_owned() }),
        _ => None,
    }
}

fn search(words: &[String]) -> Option<Look> {
    let (mut pattern, mut glob, mut paths) = (None, None, Vec::new());
    let lists_files = words.iter().any(|word| word == "--files");
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-e" | "--regexp" => pattern = Some(words.next()?.clone()),
            "--replace" | "-r" if lists_files => return None,
            valued if VALUED.contains(&valued) => {
                let value = words.next()?;
                if matches!(valued, "-g" | "--glob" | "--iglob") {
                    glob = glob.or_else(|| Some(value.clone()));
                }
            }
            option if option.starts_with('-') && option.len() > 1 => {}
            _ if pattern.is_none() && !lists_files => pattern = Some(word.clone()),
            path => paths.push(path.to_owned()),
        }
    }
    let pattern = if lists_files { glob } else { Some(pattern?) };
    Some(Look::Search { pattern, path: paths.into_iter().next() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str) -> Look {
        Look::Read { path: path.to_owned() }
    }

    fn searched(pattern: Option<&str>, path: Option<&str>) -> Look {
        Look::Search { pattern: pattern.map(str::to_owned), path: path.map(str::to_owned) }
    }

    #[test]
    fn a_command_that_prints_a_file_reads_it() {
        for line in [
            "cat src/a.rs",
            "sed -n '1,200p' src/a.rs",
            "sed -n 5p src/a.rs",
            "nl -ba src/a.rs | sed -n '10,20p'",
            "head -n 40 src/a.rs",
            "tail -20 'src/a.rs'",
            "cat src/a.rs | head -50",
        ] {
            assert_eq!(look(line), Some(read("src/a.rs")), "{line}");
        }
    }

    #[test]
    fn a_command_that_searches_tells_for_what_and_where() {
        assert_eq!(
            look("rg -n -C 3 'fn (main|run)' src"),
            Some(searched(Some("fn (main|run)"), Some("src")))
        );
        assert_eq!(look("rg -l Cursor"), Some(searched(Some("Cursor"), None)));
        assert_eq!(look("rg -g '*.rs' -e -x src lib"), Some(searched(Some("-x"), Some("src"))));
        assert_eq!(look("grep -rn \"a | b\" src"), Some(searched(Some("a | b"), Some("src"))));
        assert_eq!(look("git grep -n Cursor"), Some(searched(Some("Cursor"), None)));
        assert_eq!(look("rg --files -g '*.rs' src"), Some(searched(Some("*.rs"), Some("src"))));
        assert_eq!(look("rg --files"), Some(searched(None, None)));
    }

    #[test]
    fn a_search_elsewhere_or_one_that_somebody_took_pains_with_stays_a_command() {
        let tool = |line: &str| {
            let mut call = ToolCall { tool: Tool::Shell, command: Some(line.into()), ..ToolCall::default() };
            recognize(&mut call, "/home/me/app");
            call.tool
        };
        assert_eq!(tool("cat src/a.rs"), Tool::Read);
        assert_eq!(tool("cat /home/me/app/src/a.rs"), Tool::Read);
        assert_eq!(tool("rg -n x /home/me/app"), Tool::Search);
        assert_eq!(tool("cat ~/.config/app.toml"), Tool::Read);
        assert_eq!(tool("rg -n x /home/me/app2"), Tool::Shell);
        assert_eq!(tool("grep -i boom ~/app.log"), Tool::Shell);
        assert_eq!(tool("grep -i boom log/app.log | head -30"), Tool::Shell);
    }

    #[test]
    fn what_does_more_than_look_stays_a_command() {
        for line in [
            "",
            "cat",
            "cat a.rs b.rs",
            "cat *.rs",
            "cat a.rs > b.rs",
            "cat a.rs && cargo test",
            "cat <<EOF > a.rs\nx\nEOF",
            "cat a.rs | sh",
            "cat a.rs | tee b.rs",
            "cat $FILE",
            "sed -i 's/a/b/' a.rs",
            "sed -n '/x/w out' a.rs",
            "sed 's/a/b/' a.rs",
            "tail -f app.log",
            "rg",
            "rg foo $(git ls-files)",
            "git log",
            "cargo test | tail -5",
        ] {
            assert_eq!(look(line), None, "{line}");
        }
    }
}
