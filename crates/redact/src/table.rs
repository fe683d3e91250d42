//! Tables: a column's name judges the values under it, and the name at a row's beginning those beside it.
//!
//! Read are CSV with commas, semicolons and tabs, rows between bars (Markdown, psql, mysql, boxes), columns that are
//! aligned by blanks, tables of HTML, and the rows of SQL's `INSERT` and `COPY`.

use super::names::{self, Says};
use super::{Found, named, sentence, value};

/// Longest name of a column, on either side of its telling word.
const HEAD_BYTES_MAX: usize = 32;
/// How far a table is followed, and how much of one line.
const TABLE_BYTES_MAX: usize = 32 << 10;
const LINE_BYTES_MAX: usize = 4_096;
const ROWS_MAX: usize = 200;
/// Columns of who and where, beside which a password may be any word.
const WHO: [&str; 32] = [
    "user",
    "users",
    "username",
    "login",
    "email",
    "e-mail",
    "mail",
    "account",
    "host",
    "hostname",
    "server",
    "ssid",
    "system",
    "service",
    "benutzer",
    "benutzername",
    "konto",
    "dienst",
    "anmeldung",
    "usuario",
    "usuário",
    "utilisateur",
    "identifiant",
    "utente",
    "логин",
    "gebruiker",
    "użytkownik",
    "kullanıcı",
    "role",
    "site",
    "url",
    "device",
];

/// What stands between columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Between {
    /// `,` and `;` of CSV, a tab.
    Sign(u8),
    /// `|` and the bars of boxes.
    Bar,
    /// Two blanks and more.
    Blanks,
}

/// How much of a text may still be looked at: a name on every line must not cost the square.
#[derive(Debug)]
pub(super) struct Budget(usize);

impl Budget {
    pub(super) fn of(text: &str) -> Self {
        Self(text.len() * 2 + TABLE_BYTES_MAX)
    }

    pub(super) fn spend(&mut self, bytes: usize) -> bool {
        let is_left = self.0 >= bytes;
        self.0 = self.0.saturating_sub(bytes);
        is_left
    }
}

/// The values under or beside a name, if it is the head of a column or of a row. `said` is what a name says that is no
/// ASCII.
pub(super) fn each_of(
    text: &str,
    (start, end): (usize, usize),
    said: Option<Says>,
    budget: &mut Budget,
    found: &mut Vec<Found>,
) {
    let bytes = text.as_bytes();
    let Some((cell, between)) = head_at(bytes, start, end) else {
        if bytes[..start].ends_with(b">") || bytes[end..].starts_with(b"</t") {
            each_of_html(text, (start, end), said, budget, found);
        }
        return;
    };
    let Some(head) = text.get(cell.0..cell.1) else { return };
    let Some(said) = head_says(head, said) else { return };
    let line_start =
        cell.0 - bytes[..cell.0].iter().rev().take(LINE_BYTES_MAX).take_while(|byte| **byte != b'\n').count();
    let line = line_at(text, line_start);
    let Some(before) = text.get(line_start..cell.0) else { return };
    let column = cells(before, between).len() - 1;
    let is_statement = between == Between::Sign(b',') && before.contains('(');
    let heads = cells(line, between);
    if !is_statement && !are_heads(line, &heads, between) {
        return;
    }
    let has_who = heads.iter().any(|(from, to)| is_who(&line[*from..*to]));
    if between == Between::Bar && column <= 1 && !has_who {
        let rest = cells(line, between).into_iter().skip(column + 1);
        rest.for_each(|(from, to)| {
            found.extend(judged(text, (line_start + from, line_start + to), said, has_who, between));
        });
    }
    if is_statement {
        each_of_statement(text, line_start + before.rfind('(').unwrap_or(0) + 1, cell.0, said, budget, found);
        return;
    }
    let offset = before.chars().count();
    let mut at = line_start + line.len() + 1;
    for row in 0..ROWS_MAX {
        if at >= bytes.len() || at - line_start > TABLE_BYTES_MAX {
            return;
        }
        let row_line = line_at(text, at);
        if !budget.spend(row_line.len() + 1) {
            return;
        }
        let row_cells = cells(row_line, between);
        let is_row = match between {
            Between::Sign(_) => row_cells.len() == heads.len(),
            Between::Bar | Between::Blanks => row_cells.len() > 1,
        };
        let cell = if between == Between::Blanks {
            aligned(row_line, offset)
                .or_else(|| aligned_right(row_line, offset + head.trim().chars().count()))
        } else {
            row_cells.get(column).copied()
        };
        let is_rule =
            !row_line.is_empty() && row_line.chars().all(|letter| "-+|=: \t─━┼├┤┌┐└┘╞╪╡│═".contains(letter));
        match cell {
            _ if is_rule => {}
            // In lines of prose blanks stand, too.
            Some((from, to)) if between == Between::Blanks && row_line[from..to].trim().contains(' ') => {}
            Some((from, to)) if is_row => {
                found.extend(judged(text, (at + from, at + to), said, has_who, between));
            }
            _ if row > 0 || row_line.is_empty() => return,
            _ => {}
        }
        at += row_line.len() + 1;
    }
}

/// Whether a line names columns: two and more, each a name. Lines of code have signs, and begin with blanks.
fn are_heads(line: &str, heads: &[(usize, usize)], between: Between) -> bool {
    if between == Between::Bar {
        // `a || b` is code, `||a||b||` a row of Jira's.
        return heads.len() > 1 && (line.starts_with("||") || !line.contains("||"));
    }
    let is_name = |(from, to): &(usize, usize)| {
        let head = line[*from..*to].trim();
        !head.is_empty()
            && !head.contains(['{', '}', '<', '>', '=', ';', '$', ':', ','])
            && head.len() <= 2 * HEAD_BYTES_MAX
    };
    // Columns that are aligned to the right begin with blanks.
    let is_indented =
        between == Between::Blanks && heads.len() > 3 && line[heads[0].0..heads[0].1].trim().is_empty();
    heads.len() > 1 && heads.iter().skip(usize::from(is_indented)).all(is_name)
}

fn is_who(head: &str) -> bool {
    let head = head.trim_matches([' ', '"', '\'', '`', '*', '\t']).to_lowercase();
    let last = head.rsplit([' ', '_']).next().unwrap_or(&head);
    WHO.contains(&last) || WHO.contains(&head.as_str())
}

/// `KeyName  Value` and the lines below: the keys of an account.
pub(super) fn each_key_below(text: &str, end: usize, found: &mut Vec<Found>) {
    let limit = text.floor_char_boundary(end + LINE_BYTES_MAX / 4);
    let Some(rest) = text.get(end..limit) else { return };
    for line in rest.split('\n').skip(1).take(8) {
        let word = line.trim_end().rsplit(' ').next().unwrap_or_default();
        if word.len() >= 40 && value::is_unnamed_key(word, value::Standing::Plain) {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            found.push(Found { start, end: start + word.len(), kind: "key", is_certain: false });
        }
    }
}

/// The line that begins at a place, without its end.
fn line_at(text: &str, at: usize) -> &str {
    let rest = text.get(at..).unwrap_or_default();
    let length = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
    let length = rest.floor_char_boundary(length.min(LINE_BYTES_MAX));
    rest[..length].trim_end_matches('\r')
}

/// What the head of a column says: `DB password`, `Password (initial)`.
fn head_says(head: &str, said: Option<Says>) -> Option<Says> {
    let head = head.split(['(', '[']).next().unwrap_or(head);
    let head = head.trim_matches([' ', '"', '\'', '`', '*', '_', '\t', ':', '\u{feff}']);
    // A path: what a diff counts.
    if head.contains(['/', '\\']) {
        return None;
    }
    said.or_else(|| names::says(&head.replace(' ', "_")))
        .or_else(|| names::says_of_many(&head.replace(' ', "_")))
        .map(|said| match said {
            // A column of passes is one of passwords only with a user beside it, which the values show.
            Says::Pass => Says::Password,
            other => other,
        })
}

/// The cell around a name, if it is one: what separates it from the next is told by its neighbours.
fn head_at(bytes: &[u8], start: usize, end: usize) -> Option<((usize, usize), Between)> {
    let is_text =
        |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80 || b" _-.\"'`*()/#".contains(byte);
    let bar = |bytes: &[u8]| {
        bytes.starts_with(b"|") || ["│", "┃", "║"].iter().any(|it| bytes.starts_with(it.as_bytes()))
    };
    let mut from = start;
    let floor = start.saturating_sub(HEAD_BYTES_MAX);
    while from > floor
        && is_text(&bytes[from - 1])
        && !bytes[..from].ends_with(b"  ")
        && !bar(&bytes[from - 1..])
    {
        from -= 1;
        if bar(&bytes[from..]) {
            from += bytes[from..].iter().skip(1).take_while(|byte| **byte & 0xC0 == 0x80).count() + 1;
            break;
        }
    }
    if from > 0 && bytes[from - 1] == 0xE2 && bar(&bytes[from - 1..]) {
        from += 2;
    }
    let mut to = end;
    let ceiling = bytes.len().min(end + HEAD_BYTES_MAX);
    while to < ceiling && is_text(&bytes[to]) && !bytes[to..].starts_with(b"  ") && !bar(&bytes[to..]) {
        to += 1;
    }
    let behind = &bytes[to..];
    let before = &bytes[..from];
    let is_bar_before =
        before.ends_with(b"|") || ["│", "┃", "║"].iter().any(|it| before.ends_with(it.as_bytes()));
    let blanks = behind.iter().take(80).take_while(|byte| **byte == b' ').count();
    let is_bar_behind = bar(&behind[blanks..]);
    if is_bar_behind || is_bar_before || before.trim_ascii_end().ends_with(b"|") {
        // `a|b` is a choice, in patterns and in prose.
        let is_apart = before.ends_with(b" ")
            || bytes[from..to].starts_with(b" ")
            || bytes[from..to].ends_with(b" ")
            || blanks > 0;
        let is_row = line_of(bytes, from).starts_with(b"|");
        return (is_apart || is_row).then_some(((from, to), Between::Bar));
    }
    let next = behind.first().copied();
    let last = before.last().copied();
    let is_line_end = |byte: Option<u8>| matches!(byte, None | Some(b'\n' | b'\r'));
    for sign in [b'\t', b',', b';'] {
        let is_one = |byte: Option<u8>| byte == Some(sign);
        let is_last = is_one(last) && (is_line_end(next) || (sign == b',' && next == Some(b')')));
        let is_first = is_one(next) && is_line_end(last);
        let is_inner = is_one(next) && is_one(last) || (is_one(next) && last == Some(b'('));
        if is_last || is_first || is_inner {
            return Some(((from, to), Between::Sign(sign)));
        }
    }
    let is_apart = before.ends_with(b"  ") || is_line_end(last);
    let ends = is_line_end(next) || behind.starts_with(b"  ");
    let has_others =
        before.ends_with(b"  ") || (behind.starts_with(b"  ") && !is_line_end(behind.get(blanks).copied()));
    (is_apart && ends && has_others).then_some(((from, to), Between::Blanks))
}

/// The line around a place, up to it.
fn line_of(bytes: &[u8], at: usize) -> &[u8] {
    let floor = at.saturating_sub(LINE_BYTES_MAX);
    let start = memchr::memrchr(b'\n', &bytes[floor..at]).map_or(floor, |end| floor + end + 1);
    &bytes[start..at]
}

/// Where the cells of a line begin and end.
fn cells(line: &str, between: Between) -> Vec<(usize, usize)> {
    let bytes = line.as_bytes();
    let mut all = Vec::new();
    let (mut start, mut at) = (0, 0);
    let mut is_quoted = false;
    while at < bytes.len() {
        let width = match between {
            Between::Sign(sign) => {
                if bytes[at] == b'"'
                    && sign != b'\t'
                    && (is_quoted || at == start || bytes[start..at] == *b" ")
                {
                    is_quoted = !is_quoted || bytes.get(at + 1) == Some(&b'"');
                    at += usize::from(is_quoted && at > start && bytes.get(at + 1) == Some(&b'"'));
                }
                usize::from(bytes[at.min(bytes.len() - 1)] == sign && !is_quoted)
            }
            // Jira's heads have two.
            Between::Bar if line.starts_with("||") && bytes[at..].starts_with(b"||") => 2,
            Between::Bar if bytes[at] == b'|' && (at == 0 || bytes[at - 1] != b'\\') => 1,
            Between::Bar if ["│", "┃", "║"].iter().any(|it| bytes[at..].starts_with(it.as_bytes())) => {
                3
            }
            Between::Bar => 0,
            Between::Blanks => {
                let run = bytes[at..].iter().take_while(|byte| **byte == b' ').count();
                if run > 1 && at > 0 { run } else { 0 }
            }
        };
        if width > 0 {
            all.push((start, at));
            start = at + width;
        }
        at += width.max(1);
    }
    all.push((start.min(bytes.len()), bytes.len()));
    all
}

/// The cell of an aligned line in the column that begins so many characters behind the line's beginning.
fn aligned(line: &str, offset: usize) -> Option<(usize, usize)> {
    let column = line.char_indices().nth(offset).map(|(at, _)| at)?;
    cells(line, Between::Blanks)
        .into_iter()
        .find(|(from, to)| *from <= column && column < *to || column.abs_diff(*from) <= 1)
}

/// The cell that ends where the head of its column does.
fn aligned_right(line: &str, offset: usize) -> Option<(usize, usize)> {
    let column = line.char_indices().nth(offset).map_or(line.len(), |(at, _)| at);
    cells(line, Between::Blanks).into_iter().find(|(from, to)| from < to && *to == column)
}

/// The value of a cell.
fn judged(
    text: &str,
    (from, to): (usize, usize),
    said: Says,
    has_who: bool,
    between: Between,
) -> Option<Found> {
    let cell = text.get(from..to)?;
    let value = cell.trim();
    let value = value.trim_matches(['`', '*', '\t']);
    let is_quoted = value.starts_with(['"', '\'']);
    let value = match value.strip_prefix(['"', '\'']) {
        Some(inner) => inner.strip_suffix(['"', '\'']).unwrap_or(inner),
        None => value,
    };
    let is_plain = value.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-' || byte == b' ');
    // Cells of talk.
    if value.contains("**") || value.contains(' ') && between == Between::Bar && !has_who {
        return None;
    }
    if said == Says::Password && (is_plain && !has_who || is_other(value)) {
        return None;
    }
    let is_phrase = said == Says::Token && has_who && is_quoted && value::is_pass_sentence(value);
    let kind = named::is_secret(said, value)
        .or_else(|| is_phrase.then_some("secret"))
        .or_else(|| (said == Says::Token && has_who && value::is_strong_or_mixed(value)).then_some("secret"))
        .or_else(|| {
            (said == Says::Password && is_cell_password(value, has_who, between)).then_some("password")
        })
        .or_else(|| (said == Says::Password && has_who && sentence::is_words(value)).then_some("password"))?;
    let start = value.as_ptr() as usize - text.as_ptr() as usize;
    Some(Found { start, end: start + value.len(), kind, is_certain: false })
}

/// The value of a field whose name stands in a list elsewhere.
pub(super) fn judged_field(text: &str, place: (usize, usize), said: Says) -> Option<Found> {
    judged(text, place, said, true, Between::Sign(b','))
}

/// A date, a number, a type, a name of a secret, a whole sentence: what stands under a password's name in a list of them.
fn is_other(value: &str) -> bool {
    let is_type = value.ends_with(')')
        && value.split_once('(').is_some_and(|(head, _)| head.bytes().all(|it| it.is_ascii_alphabetic()));
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit() || b"-:. /T".contains(&byte));
    let is_name = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && names::says(value).is_some();
    is_type || is_number && value.len() != 6 && value.len() != 4 || is_name
}

/// Passwords with blanks, commas and quotes in them: nothing else stands in their column.
fn is_cell_password(value: &str, has_who: bool, between: Between) -> bool {
    has_who
        && (matches!(between, Between::Sign(_)) || !value.contains(' '))
        && (6..=64).contains(&value.len())
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !value.contains('/')
        && value.split(' ').count() <= 6
        && !value::is_placeholder(value)
}

/// `<th>Password</th>` and the cells below.
fn each_of_html(
    text: &str,
    (start, end): (usize, usize),
    said: Option<Says>,
    budget: &mut Budget,
    found: &mut Vec<Found>,
) {
    let floor = text.ceil_char_boundary(start.saturating_sub(LINE_BYTES_MAX));
    let before = &text[floor..start];
    let head_start = before.rfind('>').map_or(floor, |at| floor + at + 1);
    let head_end = text[end..].find('<').map_or(end, |at| end + at.min(HEAD_BYTES_MAX));
    let Some(head) = text.get(head_start..head_end).filter(|head| head.len() <= 2 * HEAD_BYTES_MAX) else {
        return;
    };
    let Some(row) = before.rfind("<tr").filter(|_| budget.spend(before.len())) else { return };
    let column = before[row..].matches("<th").count() + before[row..].matches("<td").count();
    let Some(said) = head_says(head, said).filter(|_| column > 0) else { return };
    let limit = text.floor_char_boundary(head_end + TABLE_BYTES_MAX);
    let Some(rest) = text.get(head_end..limit) else { return };
    let rest = &rest[..rest.find("</table").unwrap_or(rest.len())];
    if !budget.spend(rest.len()) {
        return;
    }
    for row in rest.split("<tr").skip(1).take(ROWS_MAX) {
        let Some(cell) = row.split("<td").nth(column).and_then(|cell| cell.split_once('>')) else { continue };
        let cell = cell.1.trim_start();
        // `<td><code>…`
        let cell =
            if cell.starts_with('<') { cell.split_once('>').map_or(cell, |(_, inner)| inner) } else { cell };
        let value = &cell[..cell.find('<').unwrap_or(cell.len())];
        let from = value.as_ptr() as usize - text.as_ptr() as usize;
        found.extend(judged(text, (from, from + value.len()), said, true, Between::Sign(b',')));
    }
}

/// `INSERT INTO t (a, password) VALUES ('…', '…'), (…)`, `COPY t (a, password) FROM stdin` and its lines.
fn each_of_statement(
    text: &str,
    list: usize,
    cell: usize,
    said: Says,
    budget: &mut Budget,
    found: &mut Vec<Found>,
) {
    let Some(before) = text.get(list..cell) else { return };
    let column = before.matches(',').count();
    let limit = text.floor_char_boundary(cell + TABLE_BYTES_MAX);
    let Some((_, rest)) = text[cell..limit].split_once(')') else { return };
    if !budget.spend(rest.len()) {
        return;
    }
    let rest_at = rest.as_ptr() as usize - text.as_ptr() as usize;
    let head = rest.trim_start();
    if head.get(..10).is_some_and(|head| head.eq_ignore_ascii_case("FROM stdin")) {
        for line in rest.lines().skip(1).take(ROWS_MAX).take_while(|line| *line != "\\.") {
            let Some(value) = line.split('\t').nth(column) else { return };
            let from = value.as_ptr() as usize - text.as_ptr() as usize;
            found.extend(judged(text, (from, from + value.len()), said, true, Between::Sign(b',')));
        }
        return;
    }
    if !head.get(..6).is_some_and(|head| head.eq_ignore_ascii_case("VALUES")) {
        return;
    }
    for (from, to) in tuples(rest, column) {
        found.extend(judged(text, (rest_at + from, rest_at + to), said, true, Between::Sign(b',')));
    }
}

/// The elements at one place of every tuple up to the end of a statement.
fn tuples(rest: &str, column: usize) -> Vec<(usize, usize)> {
    let bytes = rest.as_bytes();
    let mut all = Vec::new();
    let (mut depth, mut number, mut start) = (0_usize, 0, 0);
    let mut quote = None;
    for (at, byte) in bytes.iter().enumerate() {
        match (quote, byte) {
            (Some(it), byte) if it == *byte => quote = None,
            (Some(_), _) => {}
            (None, b'\'' | b'"') => quote = Some(*byte),
            (None, b'(') => {
                depth += 1;
                if depth == 1 {
                    (number, start) = (0, at + 1);
                }
            }
            (None, b',' | b')') if depth == 1 => {
                if number == column {
                    all.push((start, at));
                }
                number += 1;
                start = at + 1;
                depth -= usize::from(*byte == b')');
            }
            (None, b')') => depth = depth.saturating_sub(1),
            (None, b';') if depth == 0 => break,
            _ => {}
        }
    }
    all.truncate(ROWS_MAX);
    all
}
