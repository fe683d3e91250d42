//! The hand-over's part of a session's text: what somebody who saw everything wrote down, before what was captured.

use std::collections::HashSet;

use throughline_domain::hand_over::{LineKind, StandingLine};
use throughline_domain::ledger::Ledger;
use throughline_domain::text::utf16_len;

use super::Reader;
use super::gap::Known;
use super::items::{FILL, FIRST, Item, WEIGHED, line};
use super::part::Part;
use crate::hand_over;
use crate::trust::Facts;

/// Of the room, so many of twenty parts: what happened since has a claim to the rest, where much did.
const SHARE: usize = 15;
const SHARE_FRESH: usize = 18;
const SHARE_EARLIER: usize = 10;
/// So many responses later next to nothing happened since.
const FRESH_TURNS: u64 = 5;
/// Each fact of a kind is worth that much less than the one before it.
const RANK: f64 = 0.25;
/// What was captured after it tells what it cannot have.
const NEWER: f64 = 1.5;

/// Its facts that hold, each with what it is worth.
pub(super) fn items(facts: &Facts<'_>, reader: Reader) -> Vec<Item> {
    let told = facts.hand_over.iter().enumerate().filter(|(_, fact)| fact.holds());
    let item = |(order, fact): (usize, &StandingLine)| {
        let text = hand_over::line(fact);
        let worth = worth(fact) - behind(fact, order, facts.hand_over);
        let why = if fact.is_last { "handed over" } else { "handed over before, and holds" };
        Item { group: heading(fact, reader), ..line(Part::HandOver, order, &text, FIRST, worth, why) }
    };
    told.map(item).collect()
}

/// Whose words they are, and when they were written.
fn heading(fact: &StandingLine, reader: Reader) -> String {
    match (fact.is_last, reader) {
        (true, Reader::Compacted) => {
            format!("Handed over {}, before the compaction, in your own words:", hand_over::minute(fact.at))
        }
        (true, _) => format!("Handed over {}, {}:", hand_over::minute(fact.at), hand_over::whose(fact.by)),
        (false, _) => "Handed over earlier, not taken back since:".to_owned(),
    }
}

/// How far a fact of an earlier hand-over stands behind others of its kind: of each kind some are told before many of one.
/// What was ruled, chosen and tried in vain lasts, so its oldest come first; places, values and commands change.
fn behind(fact: &StandingLine, at: usize, all: &[StandingLine]) -> f64 {
    if fact.is_last {
        return 0.0;
    }
    let is_peer = |other: &StandingLine| !other.is_last && other.holds() && other.line.kind == fact.line.kind;
    let (older, newer) = all.split_at(at);
    let is_oldest_first =
        matches!(fact.line.kind, LineKind::Rule | LineKind::Choice | LineKind::Found | LineKind::Tried);
    let before = if is_oldest_first { older } else { &newer[1..] };
    let rank = before.iter().filter(|other| is_peer(other)).count();
    RANK * f64::from(u32::try_from(rank).unwrap_or(u32::MAX))
}

fn worth(fact: &StandingLine) -> f64 {
    let of_kind = match fact.line.kind {
        LineKind::Open => 1.9,
        LineKind::Rule => 1.85,
        LineKind::State => 1.8,
        LineKind::Tried => 1.7,
        LineKind::Command => 1.6,
        LineKind::Choice => 1.5,
        LineKind::Found => 1.5,
        LineKind::Value => 1.45,
        LineKind::Where => 1.4,
    };
    if fact.is_last { of_kind } else { of_kind - 0.5 }
}

/// What is known with it: what it says is not said again.
pub(super) fn known_with(known: &Known, handed: &[Item]) -> Known {
    let words: Vec<&str> = handed.iter().map(|item| item.text.as_str()).collect();
    known.clone().and(&words.join("\n"))
}

/// What was captured before the hand-over and is not in it mattered less to whoever saw everything; what came after it, it
/// cannot have.
pub(super) fn weigh(
    items: &mut [Item],
    facts: &Facts<'_>,
    ledger: &Ledger,
    again: impl Fn(&Ledger) -> Vec<Item>,
) {
    let Some(turn) = facts.hand_over.iter().filter(|fact| fact.is_last).map(|fact| fact.turn).max() else {
        return;
    };
    let newer: HashSet<(Part, String)> =
        again(&since(ledger, turn)).into_iter().map(|item| (item.part, item.text)).collect();
    for item in items.iter_mut().filter(|item| item.part.fades()) {
        if newer.contains(&(item.part, item.text.clone())) {
            item.worth *= NEWER;
        } else if item.tier == WEIGHED {
            item.tier = FILL;
        }
    }
}

/// What a ledger got after a response.
fn since(ledger: &Ledger, turn: u64) -> Ledger {
    let mut newer = ledger.clone();
    newer.files.retain(|it| it.last.turn > turn);
    newer.commands.retain(|it| it.last.turn > turn);
    newer.said.retain(|it| it.place.turn > turn);
    newer.errors.retain(|it| it.place.turn > turn);
    newer.findings.retain(|it| it.place.turn > turn);
    newer.tellings.retain(|it| it.place.turn > turn);
    newer.landmarks.retain(|it| it.place.turn > turn);
    newer.detours.retain(|it| it.place.turn > turn);
    newer.refusals.retain(|it| it.place.turn > turn);
    newer.segments.retain(|it| it.end.is_none_or(|end| end > turn));
    newer
}

/// Keeps it within its share of the room: the rest of it takes what is left over.
pub(super) fn within_share(items: &mut [Item], facts: &Facts<'_>, ledger: &Ledger, room: usize) {
    let is_fresh = facts.hand_over.iter().any(|fact| fact.is_last && fact.turn + FRESH_TURNS >= ledger.turn);
    let has_last = facts.hand_over.iter().any(|fact| fact.is_last);
    let share = match (is_fresh, has_last) {
        (true, _) => SHARE_FRESH,
        (false, true) => SHARE,
        // What lasts of earlier ones leaves room for what else was lost.
        (false, false) => SHARE_EARLIER,
    };
    let mut handed: Vec<&mut Item> = items.iter_mut().filter(|item| item.part == Part::HandOver).collect();
    handed.sort_by(|left, right| right.worth.total_cmp(&left.worth));
    let mut left = room / 20 * share;
    for item in handed {
        match left.checked_sub(utf16_len(&item.text) + 1) {
            Some(rest) => left = rest,
            None => item.tier = FILL,
        }
    }
}
