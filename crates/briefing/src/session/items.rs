//! Items: everything that could be said about a session, each with its place, its tier and its worth.

use std::collections::HashMap;

use throughline_domain::State;
use throughline_domain::attribution::{claims_user, stands_in};
use throughline_domain::ledger::{CommandUse, ErrorSeen, FileUse, FindingKind, Ledger, UserWord};
use throughline_domain::text::{one_line, word_count};

use super::Reader;
use super::gap::{Known, base_of};
use super::part::Part;
use super::{next_up, stand, worth};
use crate::fragment::defused;
use crate::sections::{self, verbatim};
use crate::trust::{Facts, Scope};

/// A directive is recognised by its beginning; a long one is cut here.
const DIRECTIVE_UNITS: usize = 200;
const DIRECTIVE_UNITS_TIGHT: usize = 126;
/// Where every word counts, so many go in before anything is weighed.
const DIRECTIVES_FIRST_TIGHT: usize = 10;
/// The current request, whole where it is short.
const REQUEST_UNITS: usize = 400;
/// Newest directives that are told.
const DIRECTIVES_MAX: usize = 12;
/// Newest proposals for the moment ("let's …") among them.
const PASSING_MAX: usize = 4;
/// Newest lines of what the user pasted.
const PASTED_MAX: usize = 5;
const PASTED_MAX_TIGHT: usize = 2;
/// More sentences than a message can have: room for their order.
const SENTENCES_MAX: usize = 1_000;
/// Newest finished stretches of work that are told.
const DONE_MAX: usize = 5;
/// Files named with each.
const DONE_FILES_MAX: usize = 4;
/// Newest errors that are told.
const ERRORS_MAX: usize = 5;
/// Newest errors that are told before anything is weighed, where there is room.
const FAILING_FIRST: usize = 3;
/// After so many responses an error of a command that checks nothing is forgotten.
const ONCE_TURNS_MAX: u64 = 60;
/// Lines of an error, and how long those behind its first may be.
const ERROR_LINES_MAX: usize = 3;
const ERROR_MORE_UNITS: usize = 160;
/// Of the command that an error came from.
const FROM_UNITS: usize = 200;
const FROM_UNITS_TIGHT: usize = 50;
/// Most names side by side while anything else wants the room: a longer list is a heap, not a hand-over.
const COMMANDS_MAX: usize = 24;
/// A longer command is a script; its beginning says which.
const COMMAND_UNITS: usize = 400;
/// A longer path or name is none.
const NAME_UNITS: usize = 300;
/// Beside a summary the names that matter are few; alone, a text has to carry them all.
const NAMES_MAX: usize = 40;
const NAMES_MAX_ALONE: usize = 60;
/// Newest short words of the user that are no directives.
const WORDS_MAX: usize = 4;
const WORD_UNITS: usize = 80;
/// Newest commands that check the work and are told before anything is weighed.
const CHECKS_MAX: usize = 5;

/// One thing that could be said.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) part: Part,
    /// The folder that names share.
    pub(super) group: String,
    /// Its place within the part.
    pub(super) order: usize,
    pub(super) text: String,
    /// 0 goes in before anything else; items of the last tier are weighed against each other.
    pub(super) tier: u8,
    pub(super) worth: f64,
    /// Better short than not at all.
    pub(super) may_be_cut: bool,
    /// Means nothing without the one of its part that has this order.
    pub(super) behind: Option<usize>,
    pub(super) why: &'static str,
}

/// The tiers: what always fits, what a stranger asks first, what is weighed, what takes the room that is left then.
pub(super) const MUST: u8 = 0;
pub(super) const FIRST: u8 = 1;
pub(super) const WEIGHED: u8 = 2;
pub(super) const FILL: u8 = 3;

/// All items of a session.
pub(super) fn of(
    state: &State,
    facts: &Facts<'_>,
    ledger: &Ledger,
    known: &Known,
    reader: Reader,
    room: Room,
) -> Vec<Item> {
    let mut items = Vec::new();
    recorded(state, facts, &mut items);
    if facts.scope == Scope::Whole {
        items.extend(of_ledger(ledger, known, reader, room));
        items.extend(next_up::item(state, facts, ledger, reader));
    }
    items
}

/// What the transcript alone gives.
pub(super) fn of_ledger(ledger: &Ledger, known: &Known, reader: Reader, room: Room) -> Vec<Item> {
    let mut items = Vec::new();
    request(ledger, known, reader, &mut items);
    items.extend(
        stand::line(ledger, known, room)
            .map(|it| line(Part::Stand, 0, &it.text, it.tier(), it.worth, "where the work stands")),
    );
    tasks(ledger, known, &mut items);
    done(ledger, known, &mut items);
    directives(ledger, known, room, &mut items);
    failing(ledger, known, room, &mut items);
    commands(ledger, known, room, &mut items);
    findings(ledger, known, &mut items);
    files(ledger, known, room, &mut items);
    names(ledger, known, &mut items);
    // A summariser has room for more than a summary should hold; tomorrow's session needs less.
    let fills = matches!(reader, Reader::Compacted | Reader::Restored | Reader::Asked);
    // What consists of marks and blanks alone says nothing.
    items.retain(|item| (fills || item.tier < FILL) && item.text.contains(|c: char| c.is_alphanumeric()));
    items
}

/// How much room there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// Every word counts: files by their last part alone, outcomes in a word, sentences by their beginning.
    Tight,
    /// Nobody has to guess which file is meant.
    Ample,
}

impl Room {
    pub(super) fn pick<T>(self, tight: T, ample: T) -> T {
        if self == Self::Tight { tight } else { ample }
    }
}

/// What was recorded on purpose comes first, by the ranks it has in a briefing of its own.
fn recorded(state: &State, facts: &Facts<'_>, items: &mut Vec<Item>) {
    for (order, (rank, text, why)) in sections::spoken_lines(state, facts).into_iter().enumerate() {
        let (tier, worth) = match rank {
            0 => (MUST, 1.95),
            1 => (FIRST, 1.0),
            2 => (FIRST, 0.5),
            3 => (WEIGHED, 1.2),
            4 => (WEIGHED, 0.5),
            5 => (WEIGHED, 0.2),
            _ => (WEIGHED, 0.03),
        };
        let may_be_cut = tier == MUST;
        items.push(Item {
            part: Part::Recorded,
            group: String::new(),
            order,
            text,
            tier,
            worth,
            may_be_cut,
            behind: None,
            why,
        });
    }
}

pub(super) fn line(part: Part, order: usize, text: &str, tier: u8, worth: f64, why: &'static str) -> Item {
    let (group, text) = (String::new(), defused(text));
    Item { part, group, order, text, tier, worth, may_be_cut: false, behind: None, why }
}

/// The current request, in the user's words. In a compacted context the summary may have it.
fn request(ledger: &Ledger, known: &Known, reader: Reader, items: &mut Vec<Item>) {
    let words = told_request(ledger, known);
    if words.is_empty() {
        return;
    }
    let label = if reader == Reader::Summariser { "The user's last request" } else { "The request" };
    let text = format!("{label}: \"{words}\"");
    items.push(Item {
        may_be_cut: true,
        ..line(Part::Request, 0, &text, MUST, 2.0, "the user's last request")
    });
}

/// The words of the current request that will be told; none where they are known.
fn told_request(ledger: &Ledger, known: &Known) -> String {
    current_request(ledger)
        .filter(|word| !known.has_sentence(&word.text))
        .map_or_else(String::new, |word| one_line(&word.text, REQUEST_UNITS))
}

pub(crate) fn current_request(ledger: &Ledger) -> Option<&UserWord> {
    let asks = |word: &&UserWord| is_request(&word.text);
    ledger.said.iter().rfind(asks).or_else(|| ledger.said.iter().rfind(|word| word_count(&word.text) >= 4))
}

/// `yes`, `go on` and the like ask for nothing by themselves; a short `yes, and …` adds to what was asked before.
fn is_request(text: &str) -> bool {
    const ANSWERS: [&str; 12] =
        ["yes", "yeah", "yep", "no", "nope", "ok", "okay", "sure", "go", "continue", "great", "thanks"];
    let words = word_count(text);
    let first = text.split_whitespace().next().unwrap_or("").trim_matches(|c: char| !c.is_alphanumeric());
    let is_answer = ANSWERS.iter().any(|answer| first.eq_ignore_ascii_case(answer));
    words >= if is_answer { 16 } else { 4 }
}

fn tasks(ledger: &Ledger, known: &Known, items: &mut Vec<Item>) {
    let open: Vec<_> = ledger.tasks.iter().filter(|task| task.is_open()).collect();
    let next = open.iter().position(|task| task.status != "in_progress");
    for (order, task) in open.iter().enumerate() {
        if known.has_sentence(&task.subject) && task.status != "in_progress" {
            continue;
        }
        let mark = match task.status.as_str() {
            "in_progress" => "in progress: ",
            _ if next == Some(order) => "next: ",
            _ => "open: ",
        };
        let text = format!("- {mark}{}", one_line(&task.subject, 300));
        let worth = if task.status == "in_progress" { 1.9 } else { 1.8 };
        items.push(Item {
            may_be_cut: true,
            ..line(Part::Tasks, order, &text, MUST, worth, "a task that is not done")
        });
    }
}

/// Finished work, newest first: what it was about, where, and what came of it.
fn done(ledger: &Ledger, known: &Known, items: &mut Vec<Item>) {
    let finished = ledger.finished_segments();
    for (age, segment) in finished.iter().rev().take(DONE_MAX).enumerate() {
        if known.has_sentence(&segment.subject) {
            continue;
        }
        let subject = one_line(segment.subject.trim_end_matches(['.', ':', ' ']), 100);
        // A request stands in the user's words.
        let mut text = if segment.is_request() { format!("- \"{subject}\"") } else { format!("- {subject}") };
        let mut files: Vec<&str> = segment.files.iter().rev().map(|path| base_of(path)).collect();
        files.dedup();
        files.truncate(DONE_FILES_MAX);
        if !files.is_empty() {
            text.push_str(&format!(" ({})", one_line(&files.join(", "), 100)));
        }
        if let Some(outcome) = segment.outcomes.last() {
            text.push_str(&format!(": {}", one_line(outcome, 100)));
        }
        items.push(line(
            Part::Done,
            age,
            &text,
            WEIGHED,
            worth::of_done(age, &text),
            "work that is finished",
        ));
    }
}

/// What the user directed, newest last; then what else he said that may matter.
fn directives(ledger: &Ledger, known: &Known, room: Room, items: &mut Vec<Item>) {
    let request = told_request(ledger, known);
    let is_told = |sentence: &str| request.contains(&one_line(sentence, REQUEST_UNITS));
    let mut told: Vec<(Part, usize, &str)> = Vec::new();
    for (at, word) in ledger.said.iter().enumerate() {
        let directives = word.directives.iter().map(|it| (Part::Directives, it));
        for (part, sentence) in directives.chain(word.remarks.iter().map(|it| (Part::Words, it))) {
            // Said again, it counts where it was said last.
            told.retain(|(_, _, other)| other != sentence);
            told.push((part, at * SENTENCES_MAX + told.len() % SENTENCES_MAX, sentence));
        }
    }
    // What is known takes nobody's place; a sentence of the request stands in it already.
    told.retain(|(_, _, sentence)| !known.has_sentence(sentence) && !is_told(sentence));
    // What the user proposes for the moment makes room for what holds on.
    let (standing, passing): (Vec<_>, Vec<_>) = told.into_iter().rev().partition(|it| stands(it.2));
    let first = room.pick(DIRECTIVES_FIRST_TIGHT, DIRECTIVES_MAX);
    let standing = standing.into_iter().enumerate().map(|(age, it)| (age, age < DIRECTIVES_MAX, it));
    let passing = passing.into_iter().enumerate();
    let passing = passing.map(|(age, it)| (age + room.pick(first, 2), age < PASSING_MAX, it));
    for (age, is_newest, (part, order, sentence)) in standing.chain(passing) {
        let text = format!("- \"{}\"", one_line(sentence, room.pick(DIRECTIVE_UNITS_TIGHT, DIRECTIVE_UNITS)));
        let forbids = part == Part::Directives && forbids(sentence);
        let (tier, worth) = match part {
            _ if !is_newest => (FILL, worth::OLDER_WORDS * worth::of_age(age)),
            _ if forbids => (FIRST, worth::FORBIDDEN + worth::of_age(age)),
            _ if age >= first => (WEIGHED, worth::WORDS),
            Part::Words => (FIRST, worth::REMARK * worth::of_age(age)),
            _ => (FIRST, worth::of_age(age)),
        };
        items.push(line(part, order, &text, tier, worth, "the user's own words"));
    }
    pasted(ledger, known, room, items);
    words(ledger, known, &request, items);
}

/// What a program said in the user's message: after his own words, before names.
fn pasted(ledger: &Ledger, known: &Known, room: Room, items: &mut Vec<Item>) {
    let newest = ledger.said.iter().rev().flat_map(|word| word.pasted.iter().rev());
    let mut told: Vec<&String> = Vec::new();
    for sentence in newest.filter(|sentence| !known.has_sentence(sentence)) {
        if !told.contains(&sentence) {
            told.push(sentence);
        }
    }
    for (age, sentence) in told.into_iter().enumerate() {
        let units = room.pick(DIRECTIVE_UNITS_TIGHT, DIRECTIVE_UNITS);
        let text = format!("> {}", verbatim(sentence, units));
        let is_newest = age < room.pick(PASTED_MAX_TIGHT, PASTED_MAX);
        let (tier, worth) =
            if is_newest { (WEIGHED, worth::WORDS) } else { (FILL, worth::OLDER_WORDS * worth::of_age(age)) };
        items.push(line(Part::Pasted, usize::MAX - age, &text, tier, worth, "a line that the user pasted"));
    }
}

/// Whether a sentence holds on: a rule, a prohibition, a preference. "Let's look at x" is over when x was looked at.
fn stands(sentence: &str) -> bool {
    const PASSING: &[&str] = &["let's", "let’s", "lets", "i want to", "we need to", "i need", "i'd like to"];
    #[rustfmt::skip]
    const STANDING: &[&str] = &[
        "never", "always", "must", "should", "don't", "don’t", "dont", "not", "only", "instead", "use", "keep", "avoid",
        "remember", "prefer", "please", "sure",
    ];
    let lower = sentence.to_lowercase();
    let is_passing = PASSING.iter().any(|start| lower.contains(start));
    let mut words = lower.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’')));
    !is_passing || words.any(|word| STANDING.contains(&word))
}

/// Whether a sentence says what must not be done: nothing else in a session shows that.
fn forbids(sentence: &str) -> bool {
    const NOT: &[&str] =
        &["never ", "don't ", "don’t ", "dont ", "do not ", "must not ", "mustn't ", "avoid "];
    let lower = sentence.to_lowercase();
    NOT.iter().any(|word| lower.contains(word))
}

/// Short answers of the user (`yes, please do`): they say what was agreed to, and cost next to nothing.
fn words(ledger: &Ledger, known: &Known, request: &str, items: &mut Vec<Item>) {
    let is_short = |text: &str| throughline_domain::text::utf16_len(text) <= WORD_UNITS;
    let short = ledger.said.iter().enumerate().rev();
    let says_more =
        |word: &UserWord| word.directives.is_empty() && word.remarks.is_empty() && word.pasted.is_empty();
    let short = short.filter(|(_, word)| says_more(word) && is_short(&word.text));
    for (age, (order, word)) in short.enumerate() {
        let shown = one_line(&word.text, WORD_UNITS);
        if !known.has_sentence(&word.text) && word_count(&shown) >= 2 && shown != request {
            let text = format!("- \"{shown}\"");
            let order = order * SENTENCES_MAX;
            let (tier, worth) = if age < WORDS_MAX { (WEIGHED, 0.3) } else { (FILL, worth::of_age(age)) };
            items.push(line(Part::Words, order, &text, tier, worth, "the user's own words"));
        }
    }
}

/// Errors that nothing resolved: old ones first, the one that the work stands at last.
pub(crate) fn open_errors(ledger: &Ledger) -> Vec<&ErrorSeen> {
    // Where only a wider run has passed since, the error's own command was never seen to: it may still fail.
    let is_open = |error: &&ErrorSeen| error.resolved_turn.is_none() || error.resolved_by.is_some();
    let says_something =
        |error: &&ErrorSeen| error.lines.first().is_some_and(|line| !one_line(line, 2).is_empty());
    let mut open: Vec<&ErrorSeen> = ledger.errors.iter().filter(is_open).filter(says_something).collect();
    // The newest that is certain goes first, whatever else looks like a failure after it.
    if let Some(certain) = open.iter().rposition(|error| error.is_certain) {
        let certain = open.remove(certain);
        open.push(certain);
    }
    let newest = open.pop();
    let (fresh, mut open): (Vec<_>, Vec<_>) = open.into_iter().partition(|error| is_fresh(error, ledger));
    // Of an old one that may have been none nothing is told.
    open.retain(|error| error.is_certain);
    open.extend(fresh);
    open.extend(newest);
    open
}

/// What failed once on the way is soon of no use; a check will be run again.
fn is_fresh(error: &ErrorSeen, ledger: &Ledger) -> bool {
    let is_check = |command: &CommandUse| command.normal == error.from && worth::is_check(command);
    error.place.turn + ONCE_TURNS_MAX >= ledger.turn || ledger.commands.iter().any(is_check)
}

fn failing(ledger: &Ledger, known: &Known, room: Room, items: &mut Vec<Item>) {
    let open = open_errors(ledger);
    for (age, error) in open.iter().rev().take(ERRORS_MAX).enumerate() {
        let Some(first) = error.lines.first() else { continue };
        if known.has_sentence(first) {
            continue;
        }
        let mut text = format!("`{}`", one_line(&error.from, room.pick(FROM_UNITS_TIGHT, FROM_UNITS)));
        if error.place.turn + ONCE_TURNS_MAX < ledger.turn {
            text.push_str(&format!(" ({} responses ago)", ledger.turn - error.place.turn));
        } else if room == Room::Ample && stand::was_edited_after(error.place.turn, ledger) {
            text.push_str(" (edited since)");
        }
        text.push_str(&format!("\n> {}", verbatim(first.trim(), room.pick(120, 240))));
        // The newest is what the work stands at; the two before it may be the same trouble under another command.
        let (tier, worth) = match age {
            0 => (MUST, 1.7),
            _ if !is_fresh(error, ledger) => (FILL, worth::OLDER_WORDS * worth::of_age(age)),
            1 => (FIRST, room.pick(0.45, 0.8)),
            2 => (room.pick(WEIGHED, FIRST), room.pick(0.1, 0.8)),
            _ => (WEIGHED, 0.1),
        };
        let order = (open.len() - age) * ERROR_LINES_MAX;
        items.push(line(Part::Failing, order, &text, tier, worth, "an error that nothing resolved"));
        if room == Room::Ample {
            items.extend(behind_error(error, order, age));
        }
    }
}

/// A test's name is no reason: where there is room, the lines behind it are told.
fn behind_error(error: &ErrorSeen, order: usize, age: usize) -> impl Iterator<Item = Item> {
    let behind = error.lines.iter().enumerate().take(ERROR_LINES_MAX).skip(1);
    behind.map(move |(at, behind)| {
        let text = format!("> {}", verbatim(behind.trim(), ERROR_MORE_UNITS));
        let tier = if age == 0 && at == 1 { WEIGHED } else { FILL };
        let worth = worth::REASON * worth::of_age(age + at - 1);
        let why = "what was said behind an error";
        Item { behind: Some(order), ..line(Part::Failing, order + at, &text, tier, worth, why) }
    })
}

/// Commands that are told word by word with their errors: to say of them again that they failed would tell nothing.
fn failing_commands<'l>(ledger: &'l Ledger, known: &Known, room: Room) -> Vec<&'l str> {
    let is_told = |error: &&&ErrorSeen| error.lines.first().is_some_and(|first| !known.has_sentence(first));
    let is_whole = |from: &&str| one_line(from, room.pick(FROM_UNITS_TIGHT, FROM_UNITS)) == **from;
    let open = open_errors(ledger);
    let newest = open.iter().rev().take(room.pick(1, FAILING_FIRST)).enumerate();
    let newest = newest.filter(|(age, error)| *age == 0 || is_fresh(error, ledger)).map(|(_, error)| error);
    newest.filter(is_told).map(|error| error.from.as_str()).filter(is_whole).collect()
}

fn commands(ledger: &Ledger, known: &Known, room: Room, items: &mut Vec<Item>) {
    let mut newest: Vec<&CommandUse> = ledger.commands.iter().collect();
    newest.sort_by_key(|command| std::cmp::Reverse(command.last));
    let failing = failing_commands(ledger, known, room);
    let mut checks = 0;
    let mut others = Vec::new();
    for (order, command) in newest.into_iter().enumerate() {
        let is_check = worth::is_check(command) && checks < CHECKS_MAX;
        if is_check {
            checks += 1;
        }
        if known.has_command(&command.normal) || failing.contains(&command.normal.as_str()) {
            continue;
        }
        let shown = format!("`{}`", verbatim(&command.normal, COMMAND_UNITS));
        if is_check {
            let text = format!("{shown}{}", outcome(command, room));
            let part = if stand::is_stale(command, ledger) { Part::Unchecked } else { Part::Checks };
            items.push(line(part, order, &text, FIRST, 0.9, "a command that checks the work"));
        } else {
            let worth = worth::of_command(command, ledger, &shown);
            others.push(line(Part::Commands, order, &shown, WEIGHED, worth, "a command run before"));
        }
    }
    weigh_best(&mut others, COMMANDS_MAX);
    items.extend(others);
}

/// The best are weighed against everything else; the others may take the room that is left.
fn weigh_best(items: &mut [Item], count_max: usize) {
    items.sort_by(|left, right| right.worth.total_cmp(&left.worth));
    for item in items.iter_mut().skip(count_max) {
        item.tier = FILL;
    }
}

fn outcome(command: &CommandUse, room: Room) -> String {
    let word = match command.succeeded {
        Some(true) => " passed",
        Some(false) => " failed",
        None => {
            return command
                .result
                .last()
                .filter(|_| room == Room::Ample)
                .map_or_else(String::new, |last| format!(" printed: {}", one_line(last, 60)));
        }
    };
    match command.result.last() {
        Some(last) if says_verdict(last) && command.succeeded == Some(true) && room == Room::Ample => {
            format!("{word}: {}", one_line(last, 60))
        }
        _ => word.to_owned(),
    }
}

/// Whether a line says how a run ended: it has a number or a word of praise.
fn says_verdict(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    line.contains(|c: char| c.is_ascii_digit())
        || ["ok", "pass", "success", "clean", "no ", "done", "finished", "checked", "built", "complete"]
            .iter()
            .any(|it| lower.contains(it))
}

/// Before what the agent calls the user's word without one of his messages saying it.
const NOT_THE_USERS: &str = "your own note, which no message of the user says: ";

fn findings(ledger: &Ledger, known: &Known, items: &mut Vec<Item>) {
    // A plan from before the current request is done or dropped, and of several the last counts.
    let asked = current_request(ledger).map(|word| word.place.offset).unwrap_or_default();
    let newest_plan = ledger.findings.iter().rposition(|it| it.kind == FindingKind::Plan);
    for (order, finding) in ledger.findings.iter().enumerate() {
        let is_old_plan =
            finding.kind == FindingKind::Plan && (newest_plan != Some(order) || finding.place.offset < asked);
        // What the user settled stands among his directives.
        let is_directive =
            finding.by_user && ledger.said.iter().any(|word| word.directives.contains(&finding.quote));
        if is_old_plan || is_directive || known.has_sentence(&finding.quote) {
            continue;
        }
        let age = ledger.findings.len() - order;
        let fade = 1.0 / f64::from(u32::try_from(age).unwrap_or(u32::MAX));
        let (part, worth, why) = match finding.kind {
            FindingKind::Decision => (Part::Decisions, 1.1 + fade, "a decision, in its own words"),
            FindingKind::Question => (Part::Questions, 1.6 + fade, "a question that nobody answered"),
            FindingKind::Plan => (Part::Plan, 0.9 + fade, "the plan as it was stated"),
        };
        let said = || ledger.said.iter().map(|word| word.text.as_str());
        let who = match finding.by_user {
            true => "the user: ",
            // What the agent calls the user's word, and the user never said, is a note of its own.
            false if claims_user(&finding.quote) && !stands_in(&finding.quote, said()) => NOT_THE_USERS,
            false => "",
        };
        let text = format!("- {who}{}", one_line(&finding.quote, 260));
        items.push(line(part, order, &text, WEIGHED, worth::spread(worth, &text), why));
    }
}

fn files(ledger: &Ledger, known: &Known, room: Room, items: &mut Vec<Item>) {
    let mut names: HashMap<&str, usize> = HashMap::new();
    for file in &ledger.files {
        *names.entry(base_of(&file.path)).or_default() += 1;
    }
    for (order, file) in ledger.files.iter().enumerate() {
        if known.has_file(&file.path, &names) {
            continue;
        }
        let (group, shown) = shown_file(file, &names, room);
        let worth = worth::of_file(file, ledger, &shown);
        let (part, why) = match file.edits {
            0 => (Part::Seen, "a file read or named before"),
            _ if file.is_uncommitted(ledger.commit_turn) => {
                (Part::Uncommitted, "a file edited and not committed")
            }
            _ => (Part::Edited, "a file edited before"),
        };
        let group = verbatim(&group, NAME_UNITS);
        items.push(Item { group, ..line(part, order, &verbatim(&shown, NAME_UNITS), WEIGHED, worth, why) });
    }
}

/// A file by its name under its folder; where another file has the same name, the last folder stands before it.
fn shown_file(file: &FileUse, names: &HashMap<&str, usize>, room: Room) -> (String, String) {
    let base = base_of(&file.path);
    let folder = file.path.strip_suffix(base).unwrap_or("").trim_end_matches('/');
    let is_only_one = names.get(base).is_none_or(|count| *count <= 1);
    if is_only_one && (room == Room::Tight || !folder.contains('/')) {
        return (folder.to_owned(), base.to_owned());
    }
    match folder.rsplit_once('/') {
        Some((above, last)) => (above.to_owned(), format!("{last}/{base}")),
        None => (String::new(), file.path.clone()),
    }
}

fn names(ledger: &Ledger, known: &Known, items: &mut Vec<Item>) {
    let mut all = Vec::new();
    for (order, name) in ledger.names.iter().enumerate() {
        if known.has_word(&name.name) {
            continue;
        }
        let worth = worth::of_name(name, ledger);
        let shown = verbatim(&name.name, NAME_UNITS);
        all.push(line(Part::Names, order, &shown, WEIGHED, worth, "a name searched for or spoken of"));
    }
    weigh_best(&mut all, if known.is_empty() { NAMES_MAX_ALONE } else { NAMES_MAX });
    items.extend(all);
}
