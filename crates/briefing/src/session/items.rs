//! Items: everything that could be said about a session, each with its place, its tier and its worth.

use throughline_domain::State;
use throughline_domain::attribution::{claims_user, stands_in};
use throughline_domain::ledger::{FindingKind, Ledger};
use throughline_domain::text::one_line;

use super::Reader;
use super::asked::{self, current_request};
use super::gap::{Known, base_of};
use super::part::Part;
use super::{checks, hand_over, left, next_up, stand, told, worth};
use crate::fragment::defused;
use crate::sections;
use crate::trust::{Facts, Scope};

/// Newest finished stretches of work that are told.
const DONE_MAX: usize = 5;
/// Files named with each.
const DONE_FILES_MAX: usize = 4;
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

/// Before each sentence.
pub(super) const MARKED: &str = "- ";

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
        let handed = hand_over::items(facts, reader);
        if handed.is_empty() {
            items.extend(of_ledger(ledger, known, reader, room));
        } else {
            let known = hand_over::known_with(known, &handed);
            let mut captured = of_ledger(ledger, &known, reader, room);
            hand_over::weigh(&mut captured, facts, ledger, |newer| of_ledger(newer, &known, reader, room));
            items.extend(captured);
            items.extend(handed);
        }
        items.extend(next_up::item(state, facts, ledger, reader));
    }
    items
}

/// What the transcript alone gives.
pub(super) fn of_ledger(ledger: &Ledger, known: &Known, reader: Reader, room: Room) -> Vec<Item> {
    let mut items = Vec::new();
    asked::request(ledger, known, reader, room, &mut items);
    items.extend(
        stand::line(ledger, known, room)
            .map(|it| line(Part::Stand, 0, &it.text, it.tier(), it.worth, "where the work stands")),
    );
    tasks(ledger, known, &mut items);
    done(ledger, known, &mut items);
    asked::directives(ledger, known, room, &mut items);
    checks::failing(ledger, known, room, &mut items);
    checks::commands(ledger, known, room, &mut items);
    findings(ledger, known, &mut items);
    told::items(ledger, known, room, &mut items);
    told::earlier(ledger, known, room, &mut items);
    left::landmarks(ledger, known, &mut items);
    left::detours(ledger, known, &mut items);
    left::files(ledger, known, room, &mut items);
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

/// The best are weighed against everything else; the others may take the room that is left.
pub(super) fn weigh_best(items: &mut [Item], count_max: usize) {
    items.sort_by(|left, right| right.worth.total_cmp(&left.worth));
    for item in items.iter_mut().skip(count_max) {
        item.tier = FILL;
    }
}

/// What was recorded on purpose comes first, by the ranks it has in a briefing of its own.
fn recorded(state: &State, facts: &Facts<'_>, items: &mut Vec<Item>) {
    let mut source = None;
    for (order, (rank, text, why)) in sections::spoken_lines(state, facts).into_iter().enumerate() {
        // A line out of a file says nothing without the line that names the file.
        let is_quoted = text.starts_with("> ");
        source = if is_quoted { source } else { Some(order) };
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
            behind: source.filter(|_| is_quoted),
            why,
        });
    }
}

pub(super) fn line(part: Part, order: usize, text: &str, tier: u8, worth: f64, why: &'static str) -> Item {
    let (group, text) = (String::new(), defused(text));
    Item { part, group, order, text, tier, worth, may_be_cut: false, behind: None, why }
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
        if known.has_sentence(&segment.subject) || known.share(&segment.subject) > told::KNOWN_SHARE {
            continue;
        }
        let subject = one_line(segment.subject.trim_end_matches(['.', ':', ' ']), 100);
        // A request stands in the user's words.
        let mut text = if segment.is_request() { format!("- \"{subject}\"") } else { format!("- {subject}") };
        let files = segment.files.iter().rev().map(|path| base_of(path));
        let mut files: Vec<&str> = files.filter(|file| !subject.contains(file)).collect();
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

/// Before what the agent calls the user's word without one of his messages saying it.
pub(super) const NOT_THE_USERS: &str = "your own note, which no message of the user says: ";

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
        // What the agent decided stands among what it said.
        let is_told = finding.kind == FindingKind::Decision && !finding.by_user;
        if is_old_plan || is_directive || is_told || known.has_sentence(&finding.quote) {
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
