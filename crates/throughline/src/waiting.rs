//! What waits for a person's word: other versions of the project's files, as the agent and people are told of them.

use throughline_domain::WorkItem;
use throughline_domain::text::one_line;
use throughline_store::config::{Config, WaitingConfig};
use throughline_store::memory::{Difference, Memory, Waiting};

use crate::quoting;

/// Most lines that an agent is quoted.
const QUOTED_MAX: usize = 12;
/// Longest value of a key that is shown.
const VALUE_UNITS: usize = 200;

/// What the agent is quoted of versions that nobody has taken over: name and words.
pub(crate) fn quotations(memory: &Memory) -> Vec<(String, String)> {
    let waiting = memory.waiting().unwrap_or_default();
    let mut lines = Vec::new();
    for difference in waiting.iter().map(|it| &it.difference) {
        let work = difference.work.iter().map(|(_, work)| ("work item".to_owned(), work_words(work)));
        lines.extend(work.filter(|(_, words)| !words.is_empty()));
        let changed = difference.changed.iter().map(|(_, theirs)| theirs);
        lines.extend(
            difference
                .added
                .iter()
                .chain(changed)
                .map(|entry| (format!("{} {}", entry.id, entry.id.kind.word()), entry.text.clone())),
        );
        let plain = difference.lines.iter().flat_map(|(_, lines)| lines);
        lines.extend(plain.map(|line| ("decision".to_owned(), line.clone())));
    }
    lines.truncate(QUOTED_MAX);
    lines
}

/// A line about versions that wait, for each.
pub(crate) fn notices(memory: &Memory) -> Vec<String> {
    let waiting = memory.waiting().unwrap_or_default();
    let where_ = |it: &Waiting| match it.aside.as_ref().and_then(|path| path.file_name()) {
        Some(name) => format!("kept as {}", name.to_string_lossy()),
        None => "in the file".to_owned(),
    };
    waiting
        .iter()
        .map(|it| {
            format!("another version of the state file waits ({}): {}", where_(it), counts(&it.difference))
        })
        .collect()
}

/// A line about the project's configuration, where nobody has allowed it.
pub(crate) fn config_notice(config: &Config) -> Option<String> {
    let waiting = config.waiting.as_ref()?;
    Some(format!(
        ".claude/throughline.toml is not trusted: {}; only the look of the status line counts",
        match &waiting.unreadable {
            Some(why) => why.clone(),
            None => counted(waiting.keys.len(), "key waits", "keys wait"),
        }
    ))
}

/// How a person goes on; an agent is not told, it is not for it to decide.
pub(crate) fn way_out() -> &'static str {
    if quoting::is_for_agent() {
        "the user decides"
    } else {
        "`throughline trust` shows it and takes it over"
    }
}

/// What a version would change, in numbers.
pub(crate) fn counts(difference: &Difference) -> String {
    let mut words = vec![
        format!("{} added", difference.added.len()),
        format!("{} removed", difference.removed.len()),
        format!("{} changed", difference.changed.len()),
    ];
    words.extend(difference.work.as_ref().map(|_| "another work item".to_owned()));
    words.join(", ")
}

/// What a version would change, line by line.
pub(crate) fn lines(difference: &Difference) -> Vec<String> {
    let shown = |text: &str| one_line(text, VALUE_UNITS);
    let mut lines = Vec::new();
    lines.extend(difference.added.iter().map(|it| format!("+ {} {}", it.id, shown(&it.text))));
    lines.extend(difference.removed.iter().map(|it| format!("- {} {}", it.id, shown(&it.text))));
    lines.extend(difference.changed.iter().map(|(ours, theirs)| {
        if ours.text == theirs.text {
            format!("~ {} {} (what goes with it)", ours.id, shown(&ours.text))
        } else {
            format!("~ {} {} → {}", ours.id, shown(&ours.text), shown(&theirs.text))
        }
    }));
    lines.extend(difference.work.iter().map(|(ours, theirs)| {
        format!("~ sd {} → {}", or_none(&shown(&work_words(ours))), or_none(&shown(&work_words(theirs))))
    }));
    lines.extend(difference.lines.iter().map(|(ours, theirs)| {
        let joined = |lines: &[String]| or_none(&shown(&lines.join(" · ")));
        format!("~ keyDecisions {} → {}", joined(ours), joined(theirs))
    }));
    lines.extend(
        difference
            .rest
            .iter()
            .map(|_| "~ rest (the workflow, the history, or fields of other programs)".to_owned()),
    );
    lines
}

/// What a configuration would change, line by line.
pub(crate) fn config_lines(waiting: &WaitingConfig) -> Vec<String> {
    if let Some(why) = &waiting.unreadable {
        return vec![format!("it cannot be shown key by key: {why}")];
    }
    let value = |text: &str| one_line(text, VALUE_UNITS);
    let lines = waiting.keys.iter().map(|change| {
        let old = change.old.as_deref().map_or_else(|| "no such key".to_owned(), value);
        format!("{}: {old} → {}", one_line(&change.key, 80), value(&change.new))
    });
    lines.collect()
}

/// The words of a work item.
pub(crate) fn work_words(sd: &WorkItem) -> String {
    let parts = [&sd.id, &sd.title, &sd.phase, &sd.item, &sd.blocking, &sd.next];
    parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" · ")
}

fn or_none(text: &str) -> String {
    if text.is_empty() { "(none)".to_owned() } else { text.to_owned() }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}
