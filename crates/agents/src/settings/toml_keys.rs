//! TOML keys: one key of ours in a file of somebody's, put in and taken out by its lines; every other byte stays.
//!
//! Each edit is checked: the new text has to say what the old one said, and ours. Where that is not so, nothing is done:
//! TOML can spell a table in ways that lines cannot be taken from.

use std::collections::BTreeSet;

use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

use super::edit::{Edit, EditOutcome, split_byte_order_mark};
use super::json_splice::newline_of;
use super::problem::SettingsProblem;

/// A longer text is no configuration of a person.
const CONFIG_BYTES_MAX: usize = throughline_domain::limits::SETTINGS_BYTES_MAX;
const BY_HAND: &str = "edit the file by hand";

/// Reads a text as TOML.
pub fn parse(text: &str) -> Result<Table, SettingsProblem> {
    if text.len() > CONFIG_BYTES_MAX {
        return Err(SettingsProblem::at("", 0, "larger than 4 MiB", "is this really a configuration file?"));
    }
    toml::from_str::<Table>(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let what = format!("not valid TOML: {}", error.message());
        SettingsProblem::at(text, at, what, "correct the file by hand and run this again")
    })
}

/// The value at a path of names.
#[must_use]
pub fn value_at<'t>(table: &'t Table, path: &[&str]) -> Option<&'t Value> {
    let (last, above) = path.split_last()?;
    let holder = above.iter().try_fold(table, |table, name| table.get(*name)?.as_table())?;
    holder.get(*last)
}

/// Puts lines at the end of a text, behind a blank line. They have to bring `path` and nothing else.
pub fn append(text: &str, lines: &str, path: &[&str]) -> Result<Edit, SettingsProblem> {
    let line_end = newline_of(text);
    let lines = lines.replace('\n', line_end);
    let new = if text.is_empty() {
        format!("{lines}{line_end}")
    } else if text.ends_with('\n') {
        format!("{text}{line_end}{lines}{line_end}")
    } else {
        // No last line end, so none behind ours: by that removal knows what stood there.
        format!("{text}{line_end}{line_end}{lines}")
    };
    brings(text, new, path)
}

/// Puts lines at the top of a text, where a key belongs to no table. They have to bring `path` and nothing else.
pub fn prepend(text: &str, lines: &str, path: &[&str]) -> Result<Edit, SettingsProblem> {
    let (mark, body) = split_byte_order_mark(text);
    // Line ends inside a text of several lines are a part of it: they stay as they are.
    brings(text, format!("{mark}{lines}{}{body}", newline_of(text)), path)
}

/// Replaces the value at `path`, where it stands, by another literal.
pub fn replace(text: &str, path: &[&str], literal: &str) -> Result<Edit, SettingsProblem> {
    let Some(span) = spans_at(text, path)?.and_then(|spans| spans.value) else {
        return Err(SettingsProblem::at(text, 0, format!("{} is not there", path.join(".")), BY_HAND));
    };
    let mut new = text.to_owned();
    new.replace_range(span, literal);
    parse(&new)?;
    let outcome = if new == text { EditOutcome::Unchanged } else { EditOutcome::Rewritten };
    Ok(Edit { text: new, outcome })
}

/// Takes the lines of `path` out, with everything below it, the comment lines right above it that `is_ours` knows, and
/// the blank line that [`append`] put before it.
pub fn remove(text: &str, path: &[&str], is_ours: fn(&str) -> bool) -> Result<Edit, SettingsProblem> {
    let (mark, text) = split_byte_order_mark(text);
    let before = parse(text)?;
    let Some(spans) = spans_at(text, path)? else {
        return Ok(Edit { text: format!("{mark}{text}"), outcome: EditOutcome::Unchanged });
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let gone = with_surroundings(&lines, spans.lines, is_ours);
    let mut new: String =
        lines.iter().enumerate().filter(|(at, _)| !gone.contains(at)).map(|(_, line)| *line).collect();
    if !text.ends_with('\n') && gone.contains(&(lines.len() - 1)) {
        // The last line had no end before us either.
        let length = new.strip_suffix("\r\n").or_else(|| new.strip_suffix('\n')).map_or(new.len(), str::len);
        new.truncate(length);
    }
    let mut expected = before;
    drop_path(&mut expected, path);
    let is_right = parse(&new).is_ok_and(|mut after| {
        drop_empty(&mut after, path);
        after == expected
    });
    if !is_right {
        let what = format!("{} cannot be taken out line by line", path.join("."));
        return Err(SettingsProblem::at(text, 0, what, BY_HAND));
    }
    let outcome = if new.is_empty() { EditOutcome::NothingLeft } else { EditOutcome::Rewritten };
    Ok(Edit { text: format!("{mark}{new}"), outcome })
}

/// The lines to be cut, with what came with them.
fn with_surroundings(
    lines: &[&str],
    mut gone: BTreeSet<usize>,
    is_ours: fn(&str) -> bool,
) -> BTreeSet<usize> {
    while let Some(above) = gone.first().and_then(|first| first.checked_sub(1))
        && lines.get(above).is_some_and(|line| line.starts_with('#') && is_ours(line.trim_end()))
    {
        gone.insert(above);
    }
    let is_blank = |at: usize| lines.get(at).is_some_and(|line| line.trim().is_empty());
    let is_table = gone.first().and_then(|first| lines.get(*first)).is_some_and(|line| line.starts_with('['));
    if let Some(above) = gone.first().and_then(|first| first.checked_sub(1)).filter(|at| is_blank(*at))
        && is_table
    {
        gone.insert(above);
    }
    gone
}

fn brings(text: &str, new: String, path: &[&str]) -> Result<Edit, SettingsProblem> {
    let before = parse(text)?;
    let refused = || {
        let what = format!("{} cannot be added to it line by line", path.join("."));
        SettingsProblem::at(text, 0, what, BY_HAND)
    };
    let mut after = parse(&new).map_err(|_| refused())?;
    let is_there = value_at(&after, path).is_some();
    drop_path(&mut after, path);
    let mut before_clean = before;
    drop_empty(&mut before_clean, path);
    if !is_there || after != before_clean {
        return Err(refused());
    }
    Ok(Edit { text: new, outcome: EditOutcome::Rewritten })
}

/// Takes a path out of what was read, and the tables above it that are empty then.
fn drop_path(table: &mut Table, path: &[&str]) {
    if let Some((first, rest)) = path.split_first() {
        if rest.is_empty() {
            table.remove(*first);
        } else if let Some(Value::Table(below)) = table.get_mut(*first) {
            drop_path(below, rest);
        }
    }
    drop_empty(table, path);
}

/// A table without a line of its own is there or not: nobody can tell.
fn drop_empty(table: &mut Table, path: &[&str]) {
    if let [first, rest @ ..] = path
        && !rest.is_empty()
        && let Some(Value::Table(below)) = table.get_mut(*first)
    {
        drop_empty(below, rest);
        if below.is_empty() {
            table.remove(*first);
        }
    }
}

/// Where a path stands.
struct Spans {
    /// The literal, where it is one.
    value: Option<std::ops::Range<usize>>,
    /// The lines that it and everything below it take.
    lines: BTreeSet<usize>,
}

fn spans_at(text: &str, path: &[&str]) -> Result<Option<Spans>, SettingsProblem> {
    parse(text)?;
    let Ok(root) = DeTable::parse(text) else { return Ok(None) };
    let mut holder: &DeTable<'_> = root.get_ref();
    let Some((last, above)) = path.split_last() else { return Ok(None) };
    for name in above {
        let Some(below) = find(holder, name).and_then(|(_, value)| value.get_ref().as_table()) else {
            return Ok(None);
        };
        holder = below;
    }
    let Some((key, value)) = find(holder, last) else { return Ok(None) };
    let mut lines = BTreeSet::new();
    take_lines(text, &key, &mut lines);
    gather(text, value, &mut lines);
    let literal = (!value.get_ref().is_table()).then(|| value.span());
    Ok(Some(Spans { value: literal, lines }))
}

fn find<'t, 'i>(
    table: &'t DeTable<'i>,
    name: &str,
) -> Option<(std::ops::Range<usize>, &'t Spanned<DeValue<'i>>)> {
    table.iter().find(|(key, _)| key.get_ref().as_ref() == name).map(|(key, value)| (key.span(), value))
}

fn gather(text: &str, value: &Spanned<DeValue<'_>>, lines: &mut BTreeSet<usize>) {
    match value.get_ref() {
        DeValue::Table(table) => {
            for (key, value) in table {
                take_lines(text, &key.span(), lines);
                gather(text, value, lines);
            }
        }
        _ => take_lines(text, &value.span(), lines),
    }
}

fn take_lines(text: &str, span: &std::ops::Range<usize>, lines: &mut BTreeSet<usize>) {
    let line_of = |at: usize| text.get(..at).unwrap_or(text).bytes().filter(|byte| *byte == b'\n').count();
    lines.extend(line_of(span.start)..=line_of(span.end.saturating_sub(1).max(span.start)));
}

#[cfg(test)]
mod tests;
