//! Picker: which result is chosen, what a key does, and the rows that a screen of some size shows of it.

use unicode_width::UnicodeWidthChar;

/// Rows of one result in the list.
const ROWS_OF_ONE: usize = 2;

/// What a key means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
    Enter,
    Back,
    Stop,
    Digit(usize),
}

/// What is to be done after a key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AfterKey {
    Stay,
    Open(usize),
    Leave,
}

/// How a row looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    Plain,
    Chosen,
    Dim,
}

/// A row of the screen, never wider than it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) text: String,
    pub(super) look: Look,
}

/// Columns and rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub(super) columns: usize,
    pub(super) rows: usize,
}

impl Size {
    /// Rows above the line that says which keys there are.
    fn body(self) -> usize {
        self.rows.saturating_sub(1).max(1)
    }

    fn results(self) -> usize {
        (self.body() / ROWS_OF_ONE).max(1)
    }
}

/// The list, and the result that is open.
pub(super) struct Picker {
    /// Two lines of each result.
    results: Vec<[String; ROWS_OF_ONE]>,
    chosen: usize,
    /// The number that is being typed.
    typed: usize,
    open: Option<Open>,
}

struct Open {
    lines: Vec<String>,
    /// The line at which the result itself begins.
    asked_at: usize,
    from: usize,
}

impl Picker {
    pub(super) fn of(results: Vec<[String; ROWS_OF_ONE]>) -> Self {
        Self { results, chosen: 0, typed: 0, open: None }
    }

    /// Shows what a result opens: the result itself is on the screen, with a little of what stands before it.
    pub(super) fn show(&mut self, lines: Vec<String>, asked_at: usize, size: Size) {
        let mut open = Open { lines, asked_at, from: 0 };
        let before = open.wrapped(size.columns).iter().take_while(|(line, _)| *line < asked_at).count();
        open.from = before.saturating_sub(size.body() / 4);
        self.open = Some(open);
    }

    pub(super) fn press(&mut self, key: Key, size: Size) -> AfterKey {
        let typed = std::mem::take(&mut self.typed);
        if key == Key::Stop {
            return AfterKey::Leave;
        }
        if self.open.is_some() {
            self.scroll(key, size);
            return AfterKey::Stay;
        }
        let last = self.results.len().saturating_sub(1);
        self.chosen = match key {
            Key::Up => self.chosen.saturating_sub(1),
            Key::Down => (self.chosen + 1).min(last),
            Key::PageUp => self.chosen.saturating_sub(size.results()),
            Key::PageDown => (self.chosen + size.results()).min(last),
            Key::First => 0,
            Key::Last => last,
            Key::Enter => return AfterKey::Open(self.chosen),
            Key::Back | Key::Stop => return AfterKey::Leave,
            Key::Digit(digit) => {
                // 1, then 2: the twelfth, where there is one.
                let number = [typed * 10 + digit, digit].into_iter().find(|it| *it <= self.results.len());
                self.typed = number.unwrap_or(0);
                self.typed.checked_sub(1).unwrap_or(self.chosen)
            }
        };
        AfterKey::Stay
    }

    fn scroll(&mut self, key: Key, size: Size) {
        let Some(open) = &mut self.open else { return };
        let end = open.wrapped(size.columns).len().saturating_sub(size.body());
        open.from = match key {
            Key::Up => open.from.saturating_sub(1),
            Key::Down => open.from + 1,
            Key::PageUp => open.from.saturating_sub(size.body()),
            Key::PageDown => open.from + size.body(),
            Key::First => 0,
            Key::Last => end,
            Key::Enter | Key::Back | Key::Stop => {
                self.open = None;
                return;
            }
            Key::Digit(_) => open.from,
        }
        .min(end);
    }

    /// At most as many rows as the screen has; the last one says which keys there are.
    pub(super) fn rows(&self, size: Size) -> Vec<Row> {
        let (mut rows, keys) = if let Some(open) = &self.open {
            (open.rows(size), "↑↓ scroll, q back to the list, Ctrl-C leave".to_owned())
        } else {
            let place = format!("{} of {}", self.chosen + 1, self.results.len());
            (self.list(size), format!("{place}: ↑↓ or a number choose, Enter opens, q leaves"))
        };
        rows.truncate(size.body());
        if size.rows > 1 {
            rows.push(Row { text: fitted(&keys, size.columns), look: Look::Dim });
        }
        rows
    }

    fn list(&self, size: Size) -> Vec<Row> {
        let shown = size.results();
        let first = self.chosen / shown * shown;
        let page = (first..).zip(self.results.iter().skip(first).take(shown));
        page.flat_map(|(index, [about, sentence])| {
            let is_chosen = index == self.chosen;
            let mark = if is_chosen { '>' } else { ' ' };
            let head = fitted(&format!("{mark}{:>3} {about}", index + 1), size.columns);
            let text = fitted(&format!("     {}", sentence.trim_start()), size.columns);
            [
                Row { text: head, look: if is_chosen { Look::Chosen } else { Look::Plain } },
                Row { text, look: if is_chosen { Look::Plain } else { Look::Dim } },
            ]
        })
        .collect()
    }
}

impl Open {
    /// The rows, each with the number of its line.
    fn wrapped(&self, columns: usize) -> Vec<(usize, String)> {
        let lines = self.lines.iter().enumerate();
        lines
            .flat_map(|(number, line)| wrapped(line, columns).into_iter().map(move |row| (number, row)))
            .collect()
    }

    fn rows(&self, size: Size) -> Vec<Row> {
        let rows = self.wrapped(size.columns);
        // A screen that became larger shows the end, not a void behind it.
        let from = self.from.min(rows.len().saturating_sub(size.body()));
        let shown = rows.into_iter().skip(from).take(size.body());
        let look = |line: usize| if line == self.asked_at { Look::Chosen } else { Look::Plain };
        shown.map(|(line, text)| Row { text, look: look(line) }).collect()
    }
}

/// As much of a text as fits into so many columns.
fn fitted(text: &str, columns: usize) -> String {
    let whole = wrapped(text, columns);
    match &whole[..] {
        [] => String::new(),
        [only] => only.clone(),
        _ => {
            let mut cut = wrapped(text, columns.saturating_sub(1)).swap_remove(0);
            cut.push('…');
            cut
        }
    }
}

/// A text in pieces that fit into so many columns.
fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut used = 0;
    for character in text.chars() {
        let width = character.width().unwrap_or(0);
        if used + width > columns.max(2) {
            pieces.push(String::new());
            used = 0;
        }
        used += width;
        if let Some(piece) = pieces.last_mut() {
            piece.push(character);
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use proptest::prelude::*;
    use unicode_width::UnicodeWidthStr;

    const SIZE: Size = Size { columns: 40, rows: 6 };

    fn picker(count: usize) -> Picker {
        Picker::of(
            (1..=count)
                .map(|number| [format!("p{number}  user"), format!("    sentence {number} größer 日本語")])
                .collect(),
        )
    }

    fn drawn(picker: &Picker, size: Size) -> String {
        let rows = picker.rows(size);
        let lines: Vec<String> = rows.iter().map(|row| format!("{:?}|{}\n", row.look, row.text)).collect();
        lines.concat()
    }

    #[test]
    fn keys_move_open_and_leave() {
        let mut picker = picker(13);
        let mut after = |key| (picker.press(key, SIZE), picker.chosen);
        assert_eq!(after(Key::Up), (AfterKey::Stay, 0));
        assert_eq!(after(Key::Down), (AfterKey::Stay, 1));
        assert_eq!(after(Key::PageDown), (AfterKey::Stay, 3));
        assert_eq!(after(Key::Last), (AfterKey::Stay, 12));
        assert_eq!(after(Key::Down), (AfterKey::Stay, 12));
        assert_eq!(after(Key::PageUp), (AfterKey::Stay, 10));
        assert_eq!(after(Key::First), (AfterKey::Stay, 0));
        assert_eq!(after(Key::Digit(1)), (AfterKey::Stay, 0));
        assert_eq!(after(Key::Digit(2)), (AfterKey::Stay, 11), "the twelfth");
        assert_eq!(after(Key::Digit(3)), (AfterKey::Stay, 2), "there is no 123rd");
        assert_eq!(after(Key::Digit(0)), (AfterKey::Stay, 2), "nor a 30th");
        assert_eq!(after(Key::Enter), (AfterKey::Open(2), 2));
        assert_eq!(after(Key::Back), (AfterKey::Leave, 2));
        assert_eq!(after(Key::Stop), (AfterKey::Leave, 2));
    }

    #[test]
    fn what_is_open_scrolls_and_goes_back_to_the_list() {
        let mut picker = picker(3);
        let lines = || (1..=9).map(|number| format!("line {number}")).collect();
        picker.show(lines(), 6, SIZE);
        let drawn_at = drawn(&picker, SIZE);
        assert!(drawn_at.starts_with("Plain|line 5\n"), "as far down as it goes: {drawn_at}");
        assert!(drawn_at.contains("Chosen|line 7\n"), "the result itself is on the screen: {drawn_at}");
        picker.show(lines(), 0, SIZE);
        picker.press(Key::Down, SIZE);
        assert_eq!(
            drawn(&picker, SIZE).lines().take(2).collect::<Vec<_>>(),
            ["Plain|line 2", "Plain|line 3"]
        );
        picker.press(Key::PageDown, SIZE);
        assert!(drawn(&picker, SIZE).contains("line 9"), "{}", drawn(&picker, SIZE));
        let larger = Size { columns: 40, rows: 30 };
        assert!(drawn(&picker, larger).starts_with("Chosen|line 1\n"), "a larger screen shows all of it");
        assert_eq!(picker.press(Key::Back, SIZE), AfterKey::Stay);
        assert!(drawn(&picker, SIZE).contains("1 of 3"));
        picker.show(vec!["x".to_owned()], 0, SIZE);
        assert_eq!(picker.press(Key::Stop, SIZE), AfterKey::Leave, "Ctrl-C leaves from everywhere");
    }

    #[test]
    fn the_list_is_cut_to_the_screen() {
        let mut picker = picker(3);
        picker.press(Key::Down, SIZE);
        expect![[r"
            Plain|   1 p1  user
            Dim|     sentence 1 größer 日本語
            Chosen|>  2 p2  user
            Plain|     sentence 2 größer 日本語
            Dim|2 of 3: ↑↓ or a number choose, Enter op…
        "]]
        .assert_eq(&drawn(&picker, SIZE));
        expect![[r"
            Chosen|>  2 p2  user
            Plain|     sentence 2 …
            Dim|2 of 3: ↑↓ or a …
        "]]
        .assert_eq(&drawn(&picker, Size { columns: 17, rows: 3 }));
    }

    proptest! {
        #[test]
        fn no_screen_is_too_small(columns in 3usize..60, rows in 0usize..20, keys in prop::collection::vec(0usize..18, 0..12)) {
            let mut picker = picker(12);
            let all = [Key::Up, Key::Down, Key::PageUp, Key::PageDown, Key::First, Key::Last, Key::Enter, Key::Back];
            let size = Size { columns, rows };
            for key in keys {
                let key = all.get(key).copied().unwrap_or_else(|| Key::Digit(key - all.len()));
                if let AfterKey::Open(index) = picker.press(key, size) {
                    picker.show(vec![format!("opened {index} 日本語日本語"); index], index / 2, size);
                }
                let drawn = picker.rows(size);
                prop_assert!(drawn.len() <= rows.max(1));
                for row in drawn {
                    prop_assert!(row.text.width() <= columns, "{:?}", row);
                }
            }
        }
    }
}
