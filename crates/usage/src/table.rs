//! Sheets: rows for eyes (a table that fits the width) and for spreadsheets (CSV).

use serde_json::Value;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::money::grouped;
use crate::plot;
use crate::report::Cost;

/// One value of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Words.
    Text(String),
    /// Words of which the end matters most (a path), for a column that gives way.
    Path(String),
    /// A large count, shortened for eyes.
    Count(u64),
    /// A count, in full.
    Number(u64),
    /// Money, as far as it is known.
    Cost(Cost),
    /// A percentage, or none.
    Percent(Option<f64>),
    /// Several names.
    Names(Vec<String>),
    /// Nothing.
    Empty,
}

impl Cell {
    fn shown(&self) -> String {
        match self {
            Self::Text(text) | Self::Path(text) => text.clone(),
            Self::Count(count) => plot::short(*count),
            Self::Number(count) => grouped(u128::from(*count)),
            Self::Cost(cost) => cost.text(),
            Self::Percent(percent) => {
                percent.map_or_else(|| "–".to_owned(), |percent| format!("{percent:.0} %"))
            }
            Self::Names(names) => names.join(", "),
            Self::Empty => String::new(),
        }
    }

    fn csv(&self) -> String {
        match self {
            Self::Count(count) | Self::Number(count) => count.to_string(),
            Self::Cost(cost) => match cost.json() {
                Value::Null => String::new(),
                dollars => dollars.to_string(),
            },
            Self::Percent(percent) => percent.map(|percent| format!("{percent:.2}")).unwrap_or_default(),
            Self::Names(names) => names.join(";"),
            other => other.shown(),
        }
    }
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name for programs; an empty one is for eyes only.
    pub key: &'static str,
    /// Its name for eyes; an empty one is not shown.
    pub title: &'static str,
    /// Where there is no room, the column with the highest number goes first; 0 never goes.
    pub goes: u8,
    /// Words on the left, numbers on the right.
    pub is_number: bool,
}

/// Rows of cells.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sheet {
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows, each as long as the columns.
    pub rows: Vec<Vec<Cell>>,
    /// The sum below them, where there is one.
    pub total: Option<Vec<Cell>>,
}

/// A table, line by line, for eyes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    /// The names of the columns.
    pub head: String,
    /// The rows.
    pub rows: Vec<String>,
    /// The sum.
    pub total: Option<String>,
}

const GAP: &str = "  ";
/// A column that gives way keeps so many characters.
const PATH_CHARS_MIN: usize = 22;

impl Sheet {
    /// The table in so many columns of a terminal; what does not fit goes.
    #[must_use]
    pub fn lines(&self, width: usize) -> Lines {
        let mut shown: Vec<usize> =
            (0..self.columns.len()).filter(|it| !self.columns[*it].title.is_empty()).collect();
        let mut widths = self.widths();
        loop {
            let needed: usize =
                shown.iter().map(|it| widths[*it]).sum::<usize>() + GAP.len() * shown.len().saturating_sub(1);
            let Some(over) = needed.checked_sub(width).filter(|over| *over > 0) else { break };
            // A path gives way first, then columns go, the least important first.
            if let Some(path) = shown.iter().find(|it| self.gives_way(**it) && widths[**it] > PATH_CHARS_MIN)
            {
                widths[*path] = widths[*path].saturating_sub(over).max(PATH_CHARS_MIN);
                continue;
            }
            let Some(least) = shown.iter().copied().max_by_key(|it| self.columns[*it].goes) else { break };
            if self.columns[least].goes == 0 {
                break;
            }
            shown.retain(|it| *it != least);
            widths = self.widths();
        }
        let heads: Vec<Cell> =
            self.columns.iter().map(|column| Cell::Text(column.title.to_owned())).collect();
        Lines {
            head: self.line(&heads, &shown, &widths),
            rows: self.rows.iter().map(|row| self.line(row, &shown, &widths)).collect(),
            total: self.total.as_ref().map(|total| self.line(total, &shown, &widths)),
        }
    }

    fn gives_way(&self, column: usize) -> bool {
        self.rows.iter().any(|row| matches!(row[column], Cell::Path(_) | Cell::Names(_)))
    }

    fn widths(&self) -> Vec<usize> {
        let all = self.rows.iter().chain(&self.total);
        let mut widths: Vec<usize> = self.columns.iter().map(|column| column.title.width()).collect();
        for row in all {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.shown().width());
            }
        }
        widths
    }

    fn line(&self, cells: &[Cell], shown: &[usize], widths: &[usize]) -> String {
        let parts: Vec<String> = shown
            .iter()
            .map(|it| padded(&cut(&cells[*it], widths[*it]), widths[*it], self.columns[*it].is_number))
            .collect();
        parts.join(GAP).trim_end().to_owned()
    }

    /// As CSV (RFC 4180), with the columns' names for programs.
    #[must_use]
    pub fn csv(&self) -> String {
        let keyed: Vec<usize> =
            (0..self.columns.len()).filter(|it| !self.columns[*it].key.is_empty()).collect();
        let heads: Vec<String> = keyed.iter().map(|it| self.columns[*it].key.to_owned()).collect();
        let rows = self.rows.iter().map(|row| keyed.iter().map(|it| row[*it].csv()).collect());
        let lines: Vec<String> = std::iter::once(heads)
            .chain(rows)
            .map(|row: Vec<String>| row.iter().map(|field| quoted(field)).collect::<Vec<_>>().join(","))
            .collect();
        lines.join("\r\n")
    }
}

/// A cell's text in at most so many columns of a terminal: of a path the end stays, of anything else the beginning.
fn cut(cell: &Cell, width: usize) -> String {
    let text = cell.shown();
    if text.width() <= width {
        return text;
    }
    let mut left = width.saturating_sub(1);
    let mut fits = |letter: &char| {
        let room = left.checked_sub(letter.width().unwrap_or(0));
        left = room.unwrap_or(0);
        room.is_some()
    };
    if let Cell::Path(_) = cell {
        let end: Vec<char> = text.chars().rev().take_while(&mut fits).collect();
        return std::iter::once('…').chain(end.into_iter().rev()).collect();
    }
    text.chars().take_while(fits).chain(['…']).collect()
}

/// A text with blanks around it, so that it takes `width` columns of a terminal.
fn padded(text: &str, width: usize, is_number: bool) -> String {
    let blanks = " ".repeat(width.saturating_sub(text.width()));
    if is_number { format!("{blanks}{text}") } else { format!("{text}{blanks}") }
}

/// A field of a spreadsheet. What a spreadsheet would take for a formula is kept from it.
fn quoted(field: &str) -> String {
    let is_formula = field.starts_with(['=', '+', '-', '@', '\t', '\r']) && field.parse::<f64>().is_err();
    let field = if is_formula { format!("'{field}") } else { field.to_owned() };
    if field.contains([',', '"', '\n', '\r']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet() -> Sheet {
        let column = |key, title, goes, is_number| Column { key, title, goes, is_number };
        Sheet {
            columns: vec![
                column("project", "project", 0, false),
                column("tokens", "tokens", 0, true),
                column("cache", "cache", 1, true),
                column("hidden", "", 0, true),
            ],
            rows: vec![
                vec![
                    Cell::Path("/home/me/a-long-name/app".into()),
                    Cell::Count(1_500),
                    Cell::Percent(Some(93.4)),
                    Cell::Count(1),
                ],
                vec![Cell::Path("/x".into()), Cell::Count(7), Cell::Percent(None), Cell::Count(2)],
            ],
            total: Some(vec![Cell::Text("total".into()), Cell::Count(1_507), Cell::Empty, Cell::Empty]),
        }
    }

    #[test]
    fn a_table_fits_the_width_it_is_given() {
        let wide = sheet().lines(80);
        assert_eq!(wide.head, "project                   tokens  cache");
        assert_eq!(wide.rows[0], "/home/me/a-long-name/app   1.50K   93 %");
        assert_eq!(wide.rows[1], "/x                             7      –");
        assert_eq!(wide.total.as_deref(), Some("total                      1.50K"));
        let narrow = sheet().lines(37);
        assert_eq!(narrow.rows[0], "…me/me/a-long-name/app   1.50K   93 %");
        let tiny = sheet().lines(30);
        assert_eq!(tiny.rows[0], "…me/me/a-long-name/app   1.50K");
        assert!(tiny.head.ends_with("tokens"), "the least important column went: {}", tiny.head);
    }

    #[test]
    fn wide_letters_take_two_columns() {
        let mut wide = sheet();
        wide.rows[1][0] = Cell::Path("/家/日本語のとても長いフォルダの名前".into());
        let lines = wide.lines(37);
        let widths: Vec<usize> = lines.rows.iter().map(|line| line.width()).collect();
        assert!(widths.iter().all(|width| *width <= 37), "{lines:?}");
        assert!(lines.rows[1].starts_with('…') && lines.rows[1].contains("名前"), "{lines:?}");
        assert!(lines.rows[1].ends_with("      7      –"), "the columns stand below each other: {lines:?}");
    }

    #[test]
    fn csv_survives_commas_quotes_and_formulas() {
        let mut odd = sheet();
        odd.rows = vec![vec![
            Cell::Path("a,\"b\"\n".into()),
            Cell::Count(1),
            Cell::Percent(Some(1.0)),
            Cell::Count(1),
        ]];
        odd.rows.push(vec![Cell::Text("=cmd()".into()), Cell::Count(1), Cell::Empty, Cell::Count(1)]);
        let expected = "project,tokens,cache,hidden\r\n\"a,\"\"b\"\"\n\",1,1.00,1\r\n'=cmd(),1,,1";
        assert_eq!(odd.csv(), expected);
    }
}
