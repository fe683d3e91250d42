//! Fields: a list of names that says in which order the values of the lines around it stand.
//!
//! `# host, user, password` above lines of CSV, `select id,login,password` above or below what it printed,
//! `hostname:port:database:username:password` above a file of passwords.

use super::Found;
use super::names::{self, Says};
use super::table::{self, Budget};

/// Longest name, and longest list.
const NAME_BYTES_MAX: usize = 40;
const LIST_BYTES_MAX: usize = 240;
const LINE_BYTES_MAX: usize = 600;
const LINES_MAX: usize = 60;
/// Fewer names are a sentence.
const NAMES_MIN: usize = 3;

/// The values at the place of a name in the lines above and below.
pub(super) fn each_of(
    text: &str,
    (start, end): (usize, usize),
    said: Option<Says>,
    budget: &mut Budget,
    found: &mut Vec<Found>,
) {
    let bytes = text.as_bytes();
    let Some(sign) = sign_around(bytes, start, end) else { return };
    let floor = text.ceil_char_boundary(start.saturating_sub(LIST_BYTES_MAX));
    let limit = text.floor_char_boundary(end + LIST_BYTES_MAX);
    let (Some(before), Some(behind)) = (text.get(floor..start), text.get(end..limit)) else { return };
    let line_from = before.rfind('\n').map_or(floor, |at| floor + at + 1);
    let line_to = end + behind.find('\n').unwrap_or(behind.len());
    let Some(said) = said.or_else(|| names::says(&text[start..end])) else { return };
    let said = if said == Says::Pass { Says::Password } else { said };
    let left: Vec<&str> = text[line_from..start].rsplit(sign).collect();
    let right: Vec<&str> = text[end..line_to].split(sign).collect();
    // The list may begin behind a word: `fields: a, b`, `select a, b from t`.
    let mut column = 0;
    for name in &left[1..] {
        column += usize::from(is_name(name) || starts_list(name));
        if !is_name(name) {
            break;
        }
    }
    let inner = right.iter().skip(1).take_while(|name| is_name(name)).count();
    let ends_list = right
        .get(inner + 1)
        .is_some_and(|name| name.trim_start().starts_with(|it: char| it.is_ascii_alphabetic()));
    let count = column + 1 + inner + usize::from(ends_list);
    let is_own_line =
        column + 1 == left.len() && left.last().is_some_and(|name| is_name(name) || column == 0);
    // A head of a table is read as one.
    let is_query = text[line_from..start].to_ascii_lowercase().contains("select ");
    if count < NAMES_MIN - usize::from(is_query)
        || !left[0].trim().is_empty()
        || !right[0].trim().is_empty() && inner > 0
        || is_own_line && sign != ':'
    {
        return;
    }
    let list = Fields { column, count, said };
    let mut at = line_to + 1;
    for _ in 0..LINES_MAX {
        let Some(line) = line_at(text, at).filter(|line| budget.spend(line.len() + 1)) else { break };
        found.extend(list.value_on(text, at, line));
        at += line.len() + 1;
    }
    let mut to = line_from.saturating_sub(1);
    for _ in 0..LINES_MAX / 4 {
        let floor = text.ceil_char_boundary(to.saturating_sub(LINE_BYTES_MAX));
        let Some(line) = text.get(floor..to).filter(|line| to > 0 && budget.spend(line.len() + 1)) else {
            break;
        };
        let from = line.rfind('\n').map_or(floor, |at| floor + at + 1);
        found.extend(list.value_on(text, from, &text[from..to]));
        to = from.saturating_sub(1);
    }
}

struct Fields {
    column: usize,
    count: usize,
    said: Says,
}

impl Fields {
    fn value_on(&self, text: &str, at: usize, line: &str) -> Option<Found> {
        for sign in ['|', '\t', ';', ',', ':'] {
            let fields: Vec<&str> = line.split(sign).collect();
            if fields.len() != self.count {
                continue;
            }
            let value = fields[self.column].trim();
            // Words of a sentence that has as many commas.
            if value.contains(' ') {
                return None;
            }
            let from = at + (value.as_ptr() as usize - line.as_ptr() as usize);
            return table::judged_field(text, (from, from + value.len()), self.said);
        }
        None
    }
}

/// What separates a name from its neighbours, if it stands in a list.
fn sign_around(bytes: &[u8], start: usize, end: usize) -> Option<char> {
    let before = bytes[start.saturating_sub(NAME_BYTES_MAX)..start].trim_ascii_end().last().copied();
    let behind = bytes[end..bytes.len().min(end + 4)].trim_ascii_start().first().copied();
    let sign = before.filter(|byte| b",:|;".contains(byte)).or(behind.filter(|byte| b",|;".contains(byte)))?;
    let is_close = |byte: Option<u8>| byte.is_none_or(|byte| byte == sign || !b",:|;=".contains(&byte));
    (is_close(behind) && (before == Some(sign) || behind == Some(sign))).then_some(char::from(sign))
}

/// One name of a list.
fn is_name(name: &str) -> bool {
    let name = name.trim();
    (1..=NAME_BYTES_MAX).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/'))
        && name.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// The first name of a list, behind other words.
fn starts_list(name: &str) -> bool {
    name.rsplit([' ', '"', '\'', '(', '#']).next().is_some_and(is_name)
}

fn line_at(text: &str, at: usize) -> Option<&str> {
    let rest = text.get(at..text.floor_char_boundary(at.saturating_add(LINE_BYTES_MAX)))?;
    (!rest.is_empty()).then(|| rest.split('\n').next().unwrap_or_default())
}
