//! Room table: reads the Markdown table of ARCHITECTURE.md that says which room may use which.

/// The page that holds the table.
pub(crate) const PAGE: &str = "ARCHITECTURE.md";

/// One row: a room and the names of what it may use, rooms and foreign crates alike.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) line: usize,
    pub(crate) room: String,
    pub(crate) may_use: Vec<String>,
}

/// Rows of the first table whose header begins `| room | may use |`. `None` when there is no such table.
pub(crate) fn parse(page: &str) -> Option<Vec<Row>> {
    let mut lines = page.lines().enumerate().map(|(index, line)| (index + 1, cells(line)));
    lines.find(|(_, cells)| {
        matches!(cells.as_deref(), Some([room, may_use, ..])
            if room.eq_ignore_ascii_case("room") && may_use.eq_ignore_ascii_case("may use"))
    })?;
    let rows = lines
        .map_while(|(line, cells)| Some((line, cells?)))
        .filter(|(_, cells)| !cells.iter().all(|cell| cell.chars().all(|c| matches!(c, '-' | ':'))))
        .filter_map(|(line, cells)| {
            let [room, may_use, ..] = cells.as_slice() else { return None };
            Some(Row { line, room: plain(room), may_use: names(may_use) })
        })
        .collect();
    Some(rows)
}

fn cells(line: &str) -> Option<Vec<String>> {
    let inner = line.trim().strip_prefix('|')?;
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    Some(inner.split('|').map(|cell| cell.trim().to_owned()).collect())
}

/// `domain, `rusqlite` (bundled)` → domain, rusqlite. A dash stands for nothing; `std` is everybody's.
fn names(cell: &str) -> Vec<String> {
    without_parentheses(cell)
        .split(',')
        .map(plain)
        .filter(|name| !matches!(name.as_str(), "" | "-" | "–" | "—" | "std" | "nothing"))
        .collect()
}

fn without_parentheses(cell: &str) -> String {
    let mut depth = 0_usize;
    cell.chars()
        .filter(|character| {
            match character {
                '(' => depth += 1,
                ')' => {
                    depth = depth.saturating_sub(1);
                    return false;
                }
                _ => {}
            }
            depth == 0
        })
        .collect()
}

fn plain(name: &str) -> String {
    name.trim_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '*')).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_with_their_lines_and_decoration_is_dropped() {
        let page = "# Map\n\n| room | may use | must not |\n|---|:--|---|\n| `domain` | – | know files |\n\
                    | **store** | domain, `rusqlite` (bundled, WAL) | |\n\n| other | table |\n";
        let rows = parse(page).unwrap();
        assert_eq!(
            rows,
            [
                Row { line: 5, room: "domain".into(), may_use: vec![] },
                Row { line: 6, room: "store".into(), may_use: vec!["domain".into(), "rusqlite".into()] },
            ]
        );
    }

    #[test]
    fn a_page_without_the_table_says_so() {
        assert_eq!(parse("# Map\n\n| what | where |\n|---|---|\n"), None);
    }
}
