//! The check: a text of ours read back against what really happened. What it cannot understand it does not judge.

use crate::record::{Call, End, Record, squeeze};

/// A statement that the transcript contradicts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct False {
    pub(crate) rule: &'static str,
    pub(crate) words: String,
}

pub(crate) const RAN: &str = "said to have run, but it was refused or never called";
pub(crate) const FAILS: &str = "said to fail, but its last run passed";
pub(crate) const PASSES: &str = "said to pass, but its last run failed";
pub(crate) const QUOTED: &str = "said to be the user's words, but no message of the user has them";
pub(crate) const EDITED: &str = "said to be edited, but nothing edited it";

/// What the lines under a heading state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Claim {
    Nothing,
    /// Commands in backquotes: they ran; `failed` and `passed` behind them count.
    Ran,
    /// Commands in backquotes: their last run failed.
    Fails,
    /// Quotations of the user.
    Said,
    /// Names of files, grouped by folder.
    Edited,
}

/// How our texts begin a part, and what it states then.
const HEADINGS: &[(&str, Claim)] = &[
    ("The request: ", Claim::Said),
    ("The user's last request: ", Claim::Said),
    ("The user's directives:", Claim::Said),
    ("The user's rules:", Claim::Said),
    ("The user also said:", Claim::Said),
    ("Fails:", Claim::Fails),
    ("Next, not run since the last edit:", Claim::Ran),
    ("Checks:", Claim::Ran),
    ("Run before:", Claim::Ran),
    ("Edited, no commit since:", Claim::Edited),
    ("Edited:", Claim::Edited),
    ("- **Fails:**", Claim::Fails),
    ("- **Current item:** \"", Claim::Said),
];

/// Lines that state something by themselves, wherever they stand.
const LINES: &[(&str, Claim)] =
    &[("Tests passed: ", Claim::Ran), ("Tests failed: ", Claim::Ran), ("Request done: ", Claim::Said)];

/// Every statement of a text that the record contradicts.
pub(crate) fn check(text: &str, record: &Record) -> Vec<False> {
    let mut found = Vec::new();
    let mut claim = Claim::Nothing;
    for line in text.lines() {
        let line = line.trim_end();
        let heading = HEADINGS.iter().find(|(heading, _)| line.starts_with(heading));
        let own = LINES.iter().find(|(words, _)| line.starts_with("### [") && line.contains(words));
        let (now, rest) = match (heading, own) {
            (Some((heading, it)), _) => {
                claim = *it;
                (claim, &line[heading.trim_end_matches([' ', '"']).len()..])
            }
            (None, Some((words, it))) => (*it, line.split_once(words).map_or("", |(_, rest)| rest)),
            // A line that is no item ends its part.
            (None, None) if !line.starts_with(['-', '>', '`', ' ']) => {
                claim = Claim::Nothing;
                (claim, line)
            }
            (None, None) => (claim, line),
        };
        let is_failed_line = own.is_some_and(|(words, _)| words.contains("failed"));
        let now = if is_failed_line { Claim::Fails } else { now };
        judge(now, rest, record, &mut found);
        if line.starts_with("- **") {
            // A row of the notes' block stands for itself.
            claim = Claim::Nothing;
        }
        deeds(line, record, &mut found);
    }
    found.sort();
    found.dedup();
    found
}

fn judge(claim: Claim, words: &str, record: &Record, found: &mut Vec<False>) {
    match claim {
        Claim::Nothing => {}
        // What a tool printed is quoted behind the command.
        Claim::Ran | Claim::Fails if words.trim_start().starts_with('>') => {}
        Claim::Ran | Claim::Fails => {
            for (command, behind) in in_backquotes(words) {
                let claim = match () {
                    () if claim == Claim::Fails || behind.starts_with(" failed") => Some(End::Failed),
                    () if behind.starts_with(" passed") => Some(End::Passed),
                    () => None,
                };
                command_ran(&command, claim, record, found);
            }
        }
        Claim::Said => {
            for quote in in_quotes(words) {
                if !is_said(&quote, record) {
                    found.push(False { rule: QUOTED, words: quote });
                }
            }
        }
        Claim::Edited => {
            for name in names(words) {
                if !is_edited(&name, record) {
                    found.push(False { rule: EDITED, words: name });
                }
            }
        }
    }
}

/// `In progress: you said "…", then edited a.rs.` and `… ran `make`.` state a deed.
fn deeds(line: &str, record: &Record, found: &mut Vec<False>) {
    let is_stand = ["In progress: ", "Last: ", "The user stopped you"].iter().any(|it| line.starts_with(it));
    if !is_stand {
        return;
    }
    for start in ["then edited ", "progress: edited ", "Last: edited ", "that edited "] {
        if let Some((_, rest)) = line.split_once(start) {
            let name = rest.trim_end_matches('.').split(" (").next().unwrap_or(rest);
            if !is_edited(name, record) {
                found.push(False { rule: EDITED, words: name.to_owned() });
            }
        }
    }
    for start in ["then ran `", "progress: ran `", "Last: ran `", "that ran `"] {
        if let Some((_, rest)) = line.split_once(start)
            && !line.contains("(no answer yet)")
            && let Some((command, _)) = rest.split_once('`')
        {
            command_ran(command, None, record, found);
        }
    }
}

fn command_ran(command: &str, claim: Option<End>, record: &Record, found: &mut Vec<False>) {
    let runs: Vec<&Call> = record.calls.iter().filter(|call| is_run_of(call, command)).collect();
    if runs.is_empty() && !is_command(command, record) {
        return;
    }
    if !runs.iter().any(|call| call.end != End::Refused) {
        found.push(False { rule: RAN, words: command.to_owned() });
        return;
    }
    let last = runs.iter().rev().map(|call| call.end).find(|end| *end != End::Refused);
    match (claim, last) {
        (Some(End::Failed), Some(End::Passed)) => {
            found.push(False { rule: FAILS, words: command.to_owned() });
        }
        (Some(End::Passed), Some(End::Failed)) => {
            found.push(False { rule: PASSES, words: command.to_owned() });
        }
        _ => {}
    }
}

/// Whether what stands in backquotes is a command at all, and not a tool's or a file's name.
fn is_command(words: &str, record: &Record) -> bool {
    let first = words.split_whitespace().next().unwrap_or_default();
    let starts_so = |call: &Call| call.command.split_whitespace().any(|word| word == first);
    !words.contains('…') && record.calls.iter().any(starts_so) && words.contains(' ')
}

/// Whether a call ran this command: all of its words stand in the call's line, in their order, one behind the other but
/// for flags that only change how much is printed.
fn is_run_of(call: &Call, command: &str) -> bool {
    if call.command.is_empty() {
        return false;
    }
    let wanted = squeeze(&command.replace('‹', "<"));
    let (wanted, is_cut) = match wanted.split_once('…') {
        Some((start, _)) => (start.trim_end().to_owned(), true),
        None => (wanted, false),
    };
    if call.command.contains(&wanted) {
        return !wanted.is_empty();
    }
    let is_quiet = |word: &str| matches!(word, "-v" | "-q" | "--verbose" | "--quiet" | "-vv");
    let plain = |text: &str| {
        let words =
            text.split([' ', '\'', '"', '\\', '(', ')']).filter(|word| !word.is_empty() && !is_quiet(word));
        words.collect::<Vec<_>>().join(" ")
    };
    let (line, wanted) = (plain(&call.command), plain(&wanted));
    line.contains(&wanted) || (is_cut && line.contains(&wanted[..wanted.len().saturating_sub(1)]))
}

/// Each text in backquotes, with what follows it.
fn in_backquotes(line: &str) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some((_, behind)) = rest.split_once('`') {
        let Some((inside, after)) = behind.split_once('`') else { break };
        found.push((inside.to_owned(), after));
        rest = after;
    }
    found
}

/// The quotation of an item: from the first quotation mark to the last.
fn in_quotes(line: &str) -> Vec<String> {
    let Some(begin) = line.find('"') else { return Vec::new() };
    let inside = &line[begin + 1..];
    let end = inside.rfind('"').unwrap_or(inside.len());
    // `"…" (answered: it's done)` quotes two people.
    let end = inside[..end].find("\" (").unwrap_or(end);
    vec![inside[..end].to_owned()]
}

/// Whether the user said this, as far as a cut or masked quotation can tell.
fn is_said(quote: &str, record: &Record) -> bool {
    const WORTH_A_LOOK: usize = 8;
    let quote = quote.replace('‹', "<").replace("(throughline", "[throughline");
    let parts = quote.split(['…', '█']).flat_map(|part| part.split("[REDACTED"));
    let parts = parts.map(squeeze).filter(|part| part.chars().count() >= WORTH_A_LOOK);
    let said = &record.said;
    parts.into_iter().all(|part| said.contains(&part) || without_marks(said).contains(&without_marks(&part)))
}

/// Marks of emphasis, quotation and lists are no words.
fn without_marks(text: &str) -> String {
    squeeze(&text.replace(|c: char| !c.is_alphanumeric(), " "))
}

/// `src: a.rs, b/c.rs; docs/: x.md` as names with their folders.
fn names(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for group in line.split("; ") {
        let (folder, list) = group.split_once("/: ").unwrap_or(("", group));
        for name in list.split(", ") {
            let name = name.trim().trim_start_matches("- ").trim_matches('`');
            let name = name.split(" (").next().unwrap_or(name).split(": ").next().unwrap_or(name);
            if name.is_empty() || name.contains('…') || name.contains(' ') {
                continue;
            }
            let folder = folder.trim();
            found.push(if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") });
        }
    }
    found
}

fn is_edited(name: &str, record: &Record) -> bool {
    let name = name.trim_start_matches("./");
    let is_it = |path: &str| {
        let path = path.replace('\\', "/");
        path == name || path.ends_with(&format!("/{name}")) || name.ends_with(&format!("/{path}"))
    };
    let base = name.rsplit('/').next().unwrap_or(name);
    let by_tool = |call: &&Call| call.edits() && is_it(&call.path);
    let mut by_tools = record.calls.iter().filter(by_tool).peekable();
    if by_tools.peek().is_some() {
        return by_tools.any(|call| !matches!(call.end, End::Refused | End::Failed));
    }
    // A command may write, too.
    let by_command = |call: &Call| call.command.contains(base) && call.end != End::Refused;
    record.calls.iter().any(by_command)
}
