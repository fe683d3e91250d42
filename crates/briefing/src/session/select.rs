//! Selection: which items fit. Those that must be said first, in their order; the rest by worth.

use std::collections::{HashMap, HashSet};

use throughline_domain::text::{shorten, utf16_len};

use super::items::{FILL, FIRST, Item, MUST, WEIGHED};
use super::part::Part;

/// From here on each part has its share.
const SHARED_UNITS_MIN: usize = 1_600;
/// Shortest rest of an item that is worth saying.
const WORTHWHILE_UNITS: usize = 40;

/// Chooses items that together take at most `room` units, headings and separators included.
pub(super) fn choose(items: &[Item], room: usize) -> Vec<Item> {
    let items = within_quotas(items, room);
    let mut order: Vec<&Item> = items.iter().filter(|item| !item.text.trim().is_empty()).collect();
    order.sort_by(|left, right| left.tier.cmp(&right.tier).then_with(|| right.worth.total_cmp(&left.worth)));
    let share = share(&order, room);
    let mut left = room;
    let mut opened: HashSet<(Part, &str)> = HashSet::new();
    let mut chosen: Vec<Item> = Vec::new();
    for item in order {
        let is_there = |before: usize| chosen.iter().any(|it| (it.part, it.order) == (item.part, before));
        if item.behind.is_some_and(|before| !is_there(before)) {
            continue;
        }
        let opening = opening_units(item, &opened);
        let whole = utf16_len(&item.text);
        let beside = item.part.separator_units() + opening;
        let allowed = if is_shared(item) { share } else { usize::MAX };
        if whole <= allowed && whole + beside <= left {
            left -= whole + beside;
            open(item, &mut opened);
            chosen.push(item.clone());
        } else if item.may_be_cut && left >= beside + WORTHWHILE_UNITS {
            let text = shorten(&item.text, allowed.min(left - beside));
            left -= utf16_len(&text) + item.part.separator_units() + opening;
            open(item, &mut opened);
            chosen.push(Item { text, ..item.clone() });
        }
    }
    chosen.sort_by(|left, right| {
        (left.part, &left.group, left.order).cmp(&(right.part, &right.group, right.order))
    });
    chosen
}

/// What goes beyond a part's share of the room waits until every other part had its own.
fn within_quotas(items: &[Item], room: usize) -> Vec<Item> {
    let mut items = items.to_vec();
    // Shares of a small room have room for nothing.
    if room < SHARED_UNITS_MIN {
        return items;
    }
    items.sort_by(|left, right| left.tier.cmp(&right.tier).then_with(|| right.worth.total_cmp(&left.worth)));
    let mut taken: HashMap<Part, usize> = HashMap::new();
    for item in items.iter_mut().filter(|item| item.tier > MUST) {
        let taken = taken.entry(item.part).or_default();
        *taken += utf16_len(&item.text) + item.part.separator_units();
        if *taken > room * item.part.quota() / 100 {
            item.tier = FILL;
        } else if item.tier == WEIGHED {
            item.tier = FIRST;
        }
    }
    items
}

/// Whether an item must be said and may be said in short.
fn is_shared(item: &Item) -> bool {
    item.tier == MUST && item.may_be_cut
}

/// The longest that each item may be which must be said, so that all of them fit: long ones give way to short ones.
fn share(order: &[&Item], room: usize) -> usize {
    let must: Vec<&Item> = order.iter().copied().filter(|item| item.tier == MUST).collect();
    let mut opened: HashSet<(Part, &str)> = HashSet::new();
    let mut beside = 0;
    let mut lengths = Vec::new();
    for item in must {
        beside += item.part.separator_units() + opening_units(item, &opened);
        open(item, &mut opened);
        if is_shared(item) {
            lengths.push(utf16_len(&item.text));
        } else {
            beside += utf16_len(&item.text);
        }
    }
    lengths.sort_unstable();
    let mut left = room.saturating_sub(beside);
    for (at, length) in lengths.iter().enumerate() {
        let each = left / (lengths.len() - at);
        if *length > each {
            return each.max(WORTHWHILE_UNITS);
        }
        left -= length;
    }
    usize::MAX
}

/// What an item costs beside its text: its part's heading and its group's label, when they are not there yet.
fn opening_units(item: &Item, opened: &HashSet<(Part, &str)>) -> usize {
    let heading =
        if opened.iter().any(|(part, _)| *part == item.part) { 0 } else { item.part.heading_units() };
    let is_new_group = !item.group.is_empty() && !opened.contains(&(item.part, item.group.as_str()));
    heading + if is_new_group { utf16_len(&item.group) + Part::GROUP_UNITS } else { 0 }
}

fn open<'a>(item: &'a Item, opened: &mut HashSet<(Part, &'a str)>) {
    opened.insert((item.part, item.group.as_str()));
}
