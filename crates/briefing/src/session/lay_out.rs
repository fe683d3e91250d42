//! Layout: chosen items as text. Sentences on lines of their own, names side by side, grouped by folder.

use super::items::Item;
use super::part::Part;

/// Joins items that are sorted by part and group.
pub(super) fn join(chosen: &[Item]) -> String {
    let mut text = String::new();
    let mut part: Option<Part> = None;
    let mut group: Option<&str> = None;
    for item in chosen {
        if part != Some(item.part) {
            end_line(&mut text);
            text.push_str(item.part.heading());
            if !item.part.is_inline() && !item.part.heading().is_empty() {
                text.push('\n');
            }
            part = Some(item.part);
            group = None;
        }
        if item.part.is_inline() {
            inline(&mut text, item, group);
            group = Some(item.group.as_str());
        } else {
            // Of what stands line by line, only what was handed over has groups: each by whose words it is.
            if !item.group.is_empty() && group != Some(item.group.as_str()) {
                text.push_str(&item.group);
                text.push('\n');
                group = Some(item.group.as_str());
            }
            text.push_str(&item.text);
            text.push('\n');
        }
    }
    end_line(&mut text);
    text
}

fn inline(text: &mut String, item: &Item, group: Option<&str>) {
    let is_new_group = group != Some(item.group.as_str());
    match group {
        None => text.push(' '),
        Some(_) if is_new_group => text.push_str("; "),
        Some(_) => text.push_str(item.part.separator()),
    }
    if is_new_group && !item.group.is_empty() {
        text.push_str(&item.group);
        text.push_str("/: ");
    }
    text.push_str(&item.text);
}

fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}
