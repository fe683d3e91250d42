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

pub(crate) const STALE: &str = "said to pass, though it was not run since the last edit";
pub(crate) const AGENT: &str = "said to be the agent's words, but it never said them";
pub(crate) const TASK: &str = "said to be open, but it was done, or there is none";
pub(crate) const TWICE: &str = "nothing is in progress, and something is";
pub(crate) const LAST: &str = "the request is said to have come last, but work went on";

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
    /// Commands in backquotes that were not run since the last edit: none of them passes.
    Stale,
    /// The agent's own words, an item each.
    Told,
    /// The agent's own words, whole paragraphs and lists, announcements left out.
    Report,
    /// A file and what was put into it.
    Holds,
    /// What failed, and what worked in its place.
    Tried,
    /// Open tasks.
    Tasks,
}

/// How our texts begin a part, and what it states then.
const HEADINGS: &[(&str, Claim)] = &[
    ("The request: ", Claim::Said),
    ("The user's last request: ", Claim::Said),
    ("The user's directives:", Claim::Said),
    ("The user's rules:", Claim::Said),
    ("The user also said:", Claim::Said),
    ("Fails:", Claim::Fails),
    ("Next, not run since the last edit:", Claim::Stale),
    ("Decided or found, in your words:", Claim::Told),
    ("Asked, not answered:", Claim::Told),
    ("From your last report to the user:", Claim::Report),
    ("You said on the way, newest last:", Claim::Report),
    ("Put into files:", Claim::Holds),
    ("Tried in vain, refused:", Claim::Tried),
    ("Tasks:", Claim::Tasks),
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
    stand(text, record, &mut found);
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
        Claim::Stale => {
            judge(Claim::Ran, words, record, found);
            let passes = |(command, behind): (String, &str)| behind.starts_with(" passed").then_some(command);
            let passing = in_backquotes(words).into_iter().filter_map(passes);
            found.extend(passing.map(|words| False { rule: STALE, words }));
        }
        Claim::Told => {
            let quote = words.trim_start_matches("- ").trim_matches('"');
            if words.starts_with("- ")
                && !quote.starts_with("the user: ")
                && !quote.starts_with("your own note")
            {
                is_told(quote, record, found);
            }
        }
        Claim::Report => report(words.trim_start_matches("- "), record, found),
        Claim::Holds => {
            let path = words.trim_start_matches("- ").split([':', ' ']).next().unwrap_or_default();
            if words.starts_with("- ") && !path.contains('…') && !is_edited(path, record) {
                found.push(False { rule: EDITED, words: path.to_owned() });
            }
        }
        Claim::Tried if words.starts_with("- the user refused ") => {}
        // What failed once may pass now: only that it ran is stated.
        Claim::Tried => {
            for (command, _) in in_backquotes(words) {
                command_ran(&command, None, record, found);
            }
        }
        Claim::Tasks => {
            let task = words.trim_start_matches("- ").split_once(": ").map_or("", |(_, task)| task);
            let task = squeeze(task.split('…').next().unwrap_or_default());
            let is_open =
                |(subject, status): &(String, String)| subject.starts_with(&task) && status != "completed";
            if !task.is_empty() && !record.tasks.is_empty() && !record.tasks.iter().any(is_open) {
                found.push(False { rule: TASK, words: task });
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

/// A paragraph of the agent's, or a list under its lead; rows and cells are told side by side.
fn report(words: &str, record: &Record, found: &mut Vec<False>) {
    if !words.starts_with("your own note") && !words.contains("[masked:") {
        for sentence in words.split(['.', ';', '/', '!', '…', '`', ':', '|', '—', '"']) {
            is_told(sentence, record, found);
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

/// What is said of whose turn it is.
fn stand(text: &str, record: &Record, found: &mut Vec<False>) {
    let mut push = |rule, words: &str| found.push(False { rule, words: words.to_owned() });
    let in_progress = text.lines().find(|line| line.starts_with("- in progress: "));
    if let (Some(_), Some(task)) =
        (text.lines().find(|it| it.starts_with("In progress: nothing")), in_progress)
    {
        push(TWICE, task);
    }
    if text.contains("you have done nothing about it yet") && record.calls_since > 0 {
        push(LAST, "nothing was done yet");
    }
    for line in text.lines() {
        for start in ["you said \"", "You last said: \""] {
            if let Some((_, rest)) = line.split_once(start) {
                let quote = rest.split_once("\", then ").map_or(rest, |(quote, _)| quote);
                let quote = quote.rsplit_once('"').map_or(quote, |(quote, _)| quote);
                is_told(quote, record, found);
            }
        }
        if line.starts_with("/compact ")
            && let Some((_, rest)) = line.split_once("Failing: ")
        {
            let failing = rest.split(". Files:").next().unwrap_or(rest);
            for command in failing.trim_end_matches('.').split(", ") {
                command_ran(command, Some(End::Failed), record, found);
            }
        }
    }
}

/// Whether the agent said this.
fn is_told(quote: &str, record: &Record, found: &mut Vec<False>) {
    let flat = without_marks(&record.told);
    if quote.contains("[masked:") {
        return;
    }
    let parts = quote.split('…').map(without_marks).filter(|part| part.len() >= 8);
    if !parts.into_iter().all(|part| flat.contains(&part)) {
        found.push(False { rule: AGENT, words: quote.to_owned() });
    }
}

fn command_ran(command: &str, claim: Option<End>, record: &Record, found: &mut Vec<False>) {
    // Nobody knows again what was masked.
    if command.contains("[masked:") {
        return;
    }
    let runs: Vec<&Call> = record.calls.iter().filter(|call| is_run_of(call, command)).collect();
    if runs.is_empty() && !is_command(command, record) {
        return;
    }
    if !runs.iter().any(|call| call.end != End::Refused) {
        found.push(False { rule: RAN, words: command.to_owned() });
        return;
    }
    let same = runs.iter().filter(|call| call.end != End::Refused && is_same_check(call, command));
    let same: Vec<&Call> = same.copied().collect();
    // Of a command whose end was cut off there may be several: it is any of them.
    let lines = same.iter().map(|call| words(&call.command));
    let is_one = !command.contains('…') || lines.collect::<std::collections::BTreeSet<_>>().len() <= 1;
    let last = same.last().filter(|_| is_one).map(|call| call.end);
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

/// Whether a call ran this command: its words stand in the call's line, one behind the other.
fn is_run_of(call: &Call, command: &str) -> bool {
    let (wanted, _) = wanted(command);
    let whole = wanted.join(" ");
    let line = words(&call.command).join(" ");
    !whole.is_empty() && (call.command.contains(&whole) || line.contains(&whole))
}

/// Whether a call's line has exactly this command in it, without more words: with other settings, or for a part of the
/// tests, it is another check.
fn is_same_check(call: &Call, command: &str) -> bool {
    let (wanted, is_cut) = wanted(command);
    let parts = call.command.split(['|', ';', '\n']).flat_map(|part| part.split("&&"));
    let is_it = |part: &str| {
        let words = words(part);
        words == wanted || (is_cut && words.starts_with(&wanted))
    };
    parts.into_iter().any(is_it)
}

/// The words of a command that is said, and whether its end was cut off.
fn wanted(command: &str) -> (Vec<String>, bool) {
    let command = squeeze(&command.replace('‹', "<"));
    match command.split_once('…') {
        Some((start, _)) => {
            let mut words = words(start);
            // The last of them may be a part of a word.
            words.pop();
            (words, true)
        }
        None => (words(&command), false),
    }
}

/// Words without quotation marks, redirections, and flags that only change how much is printed.
fn words(line: &str) -> Vec<String> {
    let is_quiet = |word: &str| matches!(word, "-v" | "-q" | "--verbose" | "--quiet" | "-vv");
    let is_redirection = |word: &str| {
        let word = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
        word.starts_with('>') || word.starts_with('<')
    };
    let words = line.split([' ', '\'', '"', '\\', '(', ')']);
    let words = words.filter(|word| !word.is_empty() && !is_quiet(word) && !is_redirection(word));
    words.map(str::to_owned).collect()
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
