//! Recall: how much of what was needed, and of what should be kept word by word, a text holds.

use std::collections::{BTreeMap, HashMap};

use throughline_domain::ledger::{CommandUse, Ledger};
use throughline_domain::need::{NeedKind, Needed, Share};

use super::gap::Known;
use super::worth;

/// The newest commands that check the work, and the newest directives, that are asked for.
const CHECKS_MAX: usize = 5;
const DIRECTIVES_MAX: usize = 10;

/// For each needed thing, whether the text holds it. `namesakes`: the files known before, counted by their last part.
#[must_use]
pub fn holds(known: &Known, needed: &[Needed], namesakes: &BTreeMap<String, usize>) -> Vec<bool> {
    let names: HashMap<&str, usize> = namesakes.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    let is_held = |it: &Needed| match it.kind {
        NeedKind::File => known.has_file(&it.text, &names),
        NeedKind::Command => known.has_command(&it.text),
        NeedKind::Name => known.has_word(&it.text),
    };
    needed.iter().map(is_held).collect()
}

/// What of a session a text holds word by word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kept {
    /// The last commands that check the work.
    pub checks: Share,
    /// The newest error that nothing resolved.
    pub errors: Share,
    /// The user's last directives.
    pub directives: Share,
    /// Open tasks.
    pub tasks: Share,
}

impl Kept {
    /// What either of two texts holds.
    #[must_use]
    pub fn of(ledger: &Ledger, texts: &[&Known]) -> Self {
        let says = |sentence: &str| texts.iter().any(|text| text.has_sentence(sentence));
        let mut checks: Vec<&CommandUse> = ledger.commands.iter().filter(|it| worth::is_check(it)).collect();
        checks.sort_by_key(|command| std::cmp::Reverse(command.last));
        let is_run = |command: &&CommandUse| texts.iter().any(|text| text.has_command(&command.normal));
        let open = ledger.errors.iter().rev().filter(|error| error.resolved_turn.is_none());
        let newest = open.filter_map(|error| error.lines.first()).take(1);
        let directives = ledger.said.iter().rev().flat_map(|word| word.directives.iter().rev());
        let tasks = ledger.tasks.iter().filter(|task| task.is_open());
        Self {
            checks: Share::count(checks.iter().take(CHECKS_MAX).map(is_run)),
            errors: Share::count(newest.map(|line| says(line))),
            directives: Share::count(directives.take(DIRECTIVES_MAX).map(|sentence| says(sentence))),
            tasks: Share::count(tasks.map(|task| says(&task.subject))),
        }
    }
}

#[cfg(test)]
mod tests {
    use throughline_domain::ledger::{CommandKind, ErrorSeen, Task, TranscriptPlace, UserWord};
    use throughline_domain::need::NeedUse;

    use super::*;

    fn needed(kind: NeedKind, text: &str) -> Needed {
        Needed { kind, text: text.to_owned(), used: NeedUse::Named, turn: 1 }
    }

    #[test]
    fn each_kind_is_looked_for_in_its_own_way() {
        let known = Known::summary("We changed a.rs, ran `cargo  test -p x`\nand looked at parse_line.");
        let all = [
            needed(NeedKind::File, "src/a.rs"),
            needed(NeedKind::File, "src/b.rs"),
            needed(NeedKind::Command, "cargo test -p x"),
            needed(NeedKind::Command, "cargo test -p y"),
            needed(NeedKind::Name, "parse_line"),
            needed(NeedKind::Name, "parse_lines"),
        ];
        let namesakes = BTreeMap::from([("a.rs".to_owned(), 1), ("b.rs".to_owned(), 1)]);
        assert_eq!(holds(&known, &all, &namesakes), [true, false, true, false, true, false]);
        let two = BTreeMap::from([("a.rs".to_owned(), 2)]);
        assert!(!holds(&known, &all, &two)[0], "another file has the same name");
    }

    #[test]
    fn what_is_kept_word_by_word_is_counted_over_all_texts() {
        let command = |normal: &str, offset| CommandUse {
            normal: normal.to_owned(),
            kind: CommandKind::Test,
            last: TranscriptPlace { turn: 1, offset },
            ..CommandUse::default()
        };
        let ledger = Ledger {
            commands: vec![command("make test", 1), command("make check", 2)],
            errors: vec![ErrorSeen {
                lines: vec!["error: no such table".to_owned()],
                ..ErrorSeen::default()
            }],
            said: vec![UserWord {
                directives: vec!["Never push.".to_owned(), "Use tabs.".to_owned()],
                ..UserWord::default()
            }],
            tasks: vec![Task {
                subject: "write docs".to_owned(),
                status: "pending".to_owned(),
                ..Task::default()
            }],
            ..Ledger::default()
        };
        let summary = Known::summary("never push. make check");
        let briefing = Known::summary("write docs; error: no such table");
        let share = |held, of| Share { held, of };
        let alone =
            Kept { checks: share(1, 2), errors: share(0, 1), directives: share(1, 2), tasks: share(0, 1) };
        assert_eq!(Kept::of(&ledger, &[&summary]), alone);
        let both = Kept { errors: share(1, 1), tasks: share(1, 1), ..alone };
        assert_eq!(Kept::of(&ledger, &[&summary, &briefing]), both);
    }
}
