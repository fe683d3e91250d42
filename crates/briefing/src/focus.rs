//! Focus: the line `/compact …` for this moment, short enough to be read before it is pasted.
//!
//! A client follows what stands in that line far more often than standing instructions. It is typed in the user's name:
//! so it holds his words, the agent's tasks, names and ids, but never a word that a tool printed.

use throughline_domain::ledger::{FindingKind, Ledger, Phase};
use throughline_domain::text::{one_line, utf16_len, word_count};
use throughline_domain::{Entry, Kind, State};

use crate::fragment::defused;
use crate::sections::percent;
use crate::session;

/// Longest line, in words.
pub const FOCUS_WORDS_MAX: usize = 60;
/// Longest line, in UTF-16 units.
pub const FOCUS_UNITS_MAX: usize = 500;

const COMMAND: &str = "/compact";
/// What is kept where nothing is known of this session in particular.
const GENERIC: &str = "Keep: what was asked, in the user's words; decisions with their reasons; what is in progress and what \
                       comes next; open questions; files changed; checks that fail, with the command.";
/// How long a text of a part may be: the first that finds room counts.
const TEXT_UNITS: [usize; 4] = [140, 90, 50, 24];
/// Names and ids, most at first.
const NAME_COUNTS: [usize; 3] = [6, 4, 2];
const NAME_UNITS: usize = 60;
const COMMAND_UNITS: usize = 60;

/// The line to paste.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Focus {
    /// `/compact …`, on one line.
    pub line: String,
    /// Nothing of this session was known: the line would fit any other, too.
    pub is_generic: bool,
}

/// A part of the line, in ever shorter forms.
struct Part {
    /// Its place in the line; the parts are listed by how much they are needed.
    place: u8,
    forms: Vec<String>,
}

/// The line for this moment.
///
/// It quotes nothing: give it a state [without untrusted entries](crate::Facts::vouched).
#[must_use]
pub fn line(state: &State, ledger: Option<&Ledger>) -> Focus {
    let parts = parts(state, ledger.filter(|ledger| ledger.turn > 0 || !ledger.said.is_empty()));
    let mut chosen: Vec<Option<usize>> = vec![None; parts.len()];
    // Everybody gets the least first; what room is left then goes to whom it is needed from most.
    for (at, part) in parts.iter().enumerate() {
        chosen[at] = part.forms.len().checked_sub(1);
        if !fits(&parts, &chosen) {
            chosen[at] = None;
        }
    }
    for at in 0..parts.len() {
        let Some(least) = chosen[at] else { continue };
        for wider in 0..least {
            chosen[at] = Some(wider);
            if fits(&parts, &chosen) {
                break;
            }
            chosen[at] = Some(least);
        }
    }
    let text = joined(&parts, &chosen);
    let is_generic = text.is_empty();
    let text = if is_generic { GENERIC } else { &text };
    Focus { line: format!("{COMMAND} {text}"), is_generic }
}

fn fits(parts: &[Part], chosen: &[Option<usize>]) -> bool {
    let line = format!("{COMMAND} {}", joined(parts, chosen));
    utf16_len(&line) <= FOCUS_UNITS_MAX && word_count(&line) <= FOCUS_WORDS_MAX
}

fn joined(parts: &[Part], chosen: &[Option<usize>]) -> String {
    let mut told: Vec<(u8, &str)> = parts
        .iter()
        .zip(chosen)
        .filter_map(|(part, form)| Some((part.place, part.forms.get((*form)?)?.as_str())))
        .collect();
    told.sort_by_key(|(place, _)| *place);
    told.iter().map(|(_, text)| *text).collect::<Vec<_>>().join(" ")
}

/// What could be said, most needed first.
fn parts(state: &State, ledger: Option<&Ledger>) -> Vec<Part> {
    let sd = &state.sd;
    let mut parts = Vec::new();
    let mut add = |place: u8, forms: Vec<String>| {
        let mut forms = forms;
        forms.dedup();
        if !forms.is_empty() {
            parts.push(Part { place, forms });
        }
    };
    let task = ledger.and_then(|ledger| ledger.tasks.iter().rev().find(|task| task.status == "in_progress"));
    let task = task.map(|task| task.subject.as_str()).or(sd.item.as_deref());
    let request = ledger.and_then(session::current_request).map(|word| word.text.as_str());
    match task.map(|task| sentence("In progress:", task)).filter(|forms| !forms.is_empty()) {
        Some(forms) => add(1, forms),
        None => add(1, request.map(|text| sentence("Asked for:", text)).unwrap_or_default()),
    }
    add(2, next(state, ledger).map(|(label, text)| sentence(label, text)).unwrap_or_default());
    add(3, sd.blocking.as_deref().map(|text| sentence("Blocked by:", text)).unwrap_or_default());
    add(4, listed("Failing:", &ledger.map(failing).unwrap_or_default()));
    add(6, keep(state));
    add(0, work(state));
    add(5, listed("Files:", &ledger.map(files).unwrap_or_default()));
    parts
}

/// What comes after what is being done: a task, what somebody wrote down, what the agent said it would do.
fn next<'a>(state: &'a State, ledger: Option<&'a Ledger>) -> Option<(&'static str, &'a str)> {
    let task = ledger.and_then(|ledger| ledger.tasks.iter().find(|task| task.status == "pending"));
    let action = || state.entries(Kind::Action).first().map(|entry| entry.text.as_str());
    let noted = task.map(|task| task.subject.as_str()).or(state.sd.next.as_deref()).or_else(action);
    let plan = || {
        let ledger = ledger?;
        // A plan from before the request is done or dropped.
        let asked = session::current_request(ledger).map_or(0, |word| word.place.offset);
        let mut plans = ledger.findings.iter().filter(|it| it.kind == FindingKind::Plan);
        let said = Some(ledger.stand.said.as_str());
        let said = said.filter(|said| ledger.stand.phase == Phase::Working && !said.is_empty());
        plans.rfind(|it| it.place.offset >= asked).map(|it| it.quote.as_str()).or(said)
    };
    noted.map(|text| ("Next:", text)).or_else(|| plan().map(|text| ("Plan:", text)))
}

/// Commands whose errors nothing resolved, the newest first. What they printed is a tool's word and stays out.
#[must_use]
pub fn failing(ledger: &Ledger) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let was_run = |from: &str| ledger.commands.iter().any(|command| command.normal == from);
    for error in session::open_errors(ledger).into_iter().rev() {
        let command = plain(&error.from, COMMAND_UNITS);
        // A tool that failed on the way (an edit, a read) is no check.
        if was_run(&error.from) && !command.is_empty() && !commands.contains(&command) {
            commands.push(command);
        }
    }
    commands.truncate(2);
    commands
}

/// Files that matter: what no commit holds first, then what was used most of late.
fn files(ledger: &Ledger) -> Vec<String> {
    let mut files: Vec<_> = ledger.files.iter().filter(|file| file.edits > 0 || file.reads > 0).collect();
    files.sort_by(|left, right| {
        let rank = |file: &throughline_domain::ledger::FileUse| {
            (!file.is_uncommitted(ledger.commit_turn), file.edits == 0)
        };
        let worth = |file| session::of_file(file, ledger, &file.path);
        rank(left).cmp(&rank(right)).then(worth(right).total_cmp(&worth(left)))
    });
    // A name that had to be cut names nothing.
    let named = files.iter().map(|file| plain(&file.path, usize::MAX));
    named.filter(|name| !name.is_empty() && utf16_len(name) <= NAME_UNITS).collect()
}

/// What must not get lost, by its id: critical anchors, blocking constraints, questions that work waits for.
fn keep(state: &State) -> Vec<String> {
    let newest = |kind| state.entries(kind).iter().rev();
    let all = newest(Kind::Anchor).chain(newest(Kind::Constraint)).chain(state.open_questions());
    let kept: Vec<&Entry> = all.filter(|entry| entry.is_precious()).collect();
    let ids: Vec<String> = kept.iter().map(|entry| entry.id.to_string()).collect();
    let told: Vec<String> =
        kept.iter().map(|entry| format!("{} ({})", entry.id, plain(&entry.text, 60))).collect();
    let mut forms = Vec::new();
    if kept.len() <= NAME_COUNTS[1] {
        forms.extend((!told.is_empty()).then(|| format!("Keep word by word: {}.", told.join(", "))));
    }
    forms.extend(listed("Keep word by word:", &ids));
    forms
}

fn work(state: &State) -> Vec<String> {
    let sd = &state.sd;
    let name: Vec<&str> = [&sd.id, &sd.title].into_iter().flatten().map(String::as_str).collect();
    let facts = [sd.phase.as_deref().map(|phase| plain(phase, 24)), sd.progress.and_then(percent)];
    let facts: Vec<String> = facts.into_iter().flatten().filter(|fact| !fact.is_empty()).collect();
    if name.is_empty() {
        return Vec::new();
    }
    let facts = if facts.is_empty() { String::new() } else { format!(" ({})", facts.join(", ")) };
    let forms = sentence("Work item:", &name.join(" "));
    forms.into_iter().map(|form| format!("{}{facts}.", form.trim_end_matches('.'))).collect()
}

/// `Label: words.`, in ever shorter forms; nothing where no word is left.
fn sentence(label: &str, text: &str) -> Vec<String> {
    let forms = TEXT_UNITS.map(|units| plain(text, units));
    let says = |form: &String| form.contains(char::is_alphanumeric);
    let ended = |form: String| {
        let form = form.trim_end_matches(['.', ',', ';', ':', ' ']);
        let stop = if form.ends_with(['?', '!', '…', '。', '！', '？']) { "" } else { "." };
        format!("{label} {form}{stop}")
    };
    forms.into_iter().filter(says).map(ended).collect()
}

/// `Label: a, b, c.`, with ever fewer of them.
fn listed(label: &str, names: &[String]) -> Vec<String> {
    if names.is_empty() {
        return Vec::new();
    }
    let counts = NAME_COUNTS.into_iter().chain([1]).map(|count| count.min(names.len()));
    counts.map(|count| format!("{label} {}.", names[..count].join(", "))).collect()
}

/// A text that can stand in somebody's prompt: one line, no marks of ours, nothing that is not seen, quotes of one kind.
fn plain(text: &str, units_max: usize) -> String {
    let seen: String = text.chars().filter(|c| !is_unseen(*c)).map(unquoted).collect();
    // The client takes `@name` in a prompt for a file to read, and answers the line instead of only compacting.
    let words = seen.split(|c: char| c.is_whitespace() || c.is_control());
    let unnamed: Vec<&str> = words.map(|word| word.trim_start_matches('@')).collect();
    defused(&one_line(&unnamed.join(" "), units_max))
}

/// Characters that turn what is read around or take no room: what is pasted must be what is seen.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
        || matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// A double quote or a backtick would end the shell word or the code block that the line stands in.
fn unquoted(c: char) -> char {
    if matches!(c, '"' | '`' | '“' | '”' | '„') { '\'' } else { c }
}
