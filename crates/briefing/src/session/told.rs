//! Told: what the agent said itself: its last report to the user, and what it found on the way.

use throughline_domain::attribution::{claims_user, stands_in};
use throughline_domain::ledger::{Ledger, Telling};
use throughline_domain::text::{one_line, utf16_len};

use super::gap::Known;
use super::items::{FILL, FIRST, Item, MARKED, NOT_THE_USERS, Room, WEIGHED, line};
use super::part::Part;
use super::worth;
use crate::sections::verbatim;

/// A shorter text is a remark on the way, no report.
const REPORT_UNITS_MIN: usize = 300;
const TELLING_UNITS: usize = 680;
const TELLING_UNITS_TIGHT: usize = 140;
/// What a summary says in this share is not said again.
pub(super) const KNOWN_SHARE: f64 = 0.75;
/// Code that it lacks counts as this much of it.
const CODE_SHARE: f64 = 0.5;

/// What the agent said, newest last; of what the agent will know anyway nothing.
pub(super) fn items(ledger: &Ledger, known: &Known, room: Room, items: &mut Vec<Item>) {
    let all = &ledger.tellings;
    let report = last_report(all);
    for (order, telling) in all.iter().enumerate() {
        // A command or a line of code that nobody else tells is worth telling, whatever stands around it.
        let share = known.share(&telling.text);
        let share = if names_unknown_code(&telling.text, known) { share.min(CODE_SHARE) } else { share };
        if share > KNOWN_SHARE {
            continue;
        }
        let is_of_report = report.is_some_and(|(from, to)| (from..to).contains(&order));
        let text = text_of(ledger, telling, room);
        let turns = ledger.turn.saturating_sub(telling.place.turn);
        let worth = worth::of_telling(telling, turns, share, &text);
        let (part, why) = if is_of_report {
            (Part::Report, "your last report to the user")
        } else {
            (Part::Told, "what you said on the way")
        };
        let tier = match part {
            // Beside a summary it is weighed with the rest.
            Part::Report if known.is_empty() && room == Room::Ample => FIRST,
            _ if telling.weight > 1 || is_of_report => WEIGHED,
            _ => FILL,
        };
        items.push(line(part, order, &text, tier, worth, why));
    }
}

/// What earlier summaries said and the agent will not know any more, the oldest first: that was lost for longest.
pub(super) fn earlier(ledger: &Ledger, known: &Known, room: Room, items: &mut Vec<Item>) {
    for (order, telling) in ledger.summarised.iter().enumerate() {
        let share = known.share(&telling.text);
        if share > KNOWN_SHARE {
            continue;
        }
        // A summary may hold anybody's words.
        let units = room.pick(TELLING_UNITS_TIGHT, TELLING_UNITS);
        let text = format!("> {}", verbatim(&telling.text.replace("**", ""), units));
        let worth = worth::of_summarised(telling, share, &text);
        items.push(line(Part::Earlier, order, &text, WEIGHED, worth, "said by an earlier summary"));
    }
}

/// Whether a text holds code of some words that the known text does not have.
fn names_unknown_code(text: &str, known: &Known) -> bool {
    let code = text.split('`').skip(1).step_by(2);
    !known.is_empty()
        && code.into_iter().any(|code| code.split_whitespace().count() >= 3 && !known.has_command(code))
}

/// The newest text that is long enough to be a report: from which telling to which.
fn last_report(all: &[Telling]) -> Option<(usize, usize)> {
    let mut to = all.len();
    while let Some(last) = to.checked_sub(1).and_then(|at| all.get(at)) {
        let from = all[..to].iter().rposition(|it| it.place != last.place).map_or(0, |at| at + 1);
        let units: usize = all[from..to].iter().map(|it| utf16_len(&it.text)).sum();
        if units >= REPORT_UNITS_MIN {
            return Some((from, to));
        }
        to = from;
    }
    None
}

fn text_of(ledger: &Ledger, telling: &Telling, room: Room) -> String {
    let words = one_line(&telling.text.replace("**", ""), room.pick(TELLING_UNITS_TIGHT, TELLING_UNITS));
    let words = words.trim_start_matches(['-', '*', '•', '+', ' ']);
    let said = || ledger.said.iter().map(|word| word.text.as_str());
    let who =
        if claims_user(&telling.text) && !stands_in(&telling.text, said()) { NOT_THE_USERS } else { "" };
    format!("{MARKED}{who}{words}")
}
