//! Token estimate: how many tokens a text may be, from its words, numbers, marks and scripts.
//!
//! No public vocabulary is that of today's models. The weights were fitted to the mean of two public ones (o200k_base,
//! and the one published with an older Claude) over 384 texts: prose, Rust, Python, JSON, TOML, transcripts, logs, and
//! other scripts. 96 % of the estimates lie within 10 % of that mean; the two vocabularies themselves lie up to 15 %
//! away from it, for scripts other than Latin up to 50 %. The working set's budget is counted otherwise (see `budget`).

/// How far off an estimate of usual text may be, in per cent.
pub const ERROR_PERCENT: u64 = 20;

// In hundredths of a token.
const WORD: u64 = 100;
/// Each letter of a word beyond these.
const WORD_LETTERS: usize = 6;
const MORE_LETTERS: u64 = 18;
/// Three digits, or what is left of them.
const DIGITS: u64 = 123;
const MARKS_FIRST: u64 = 79;
const MARKS_MORE: u64 = 30;
const LINE_END: u64 = 89;
const GAP: u64 = 49;
const HAN: u64 = 64;
const KANA: u64 = 81;
const HANGUL: u64 = 95;
const OTHER_LETTER: u64 = 44;
const SYMBOL: u64 = 145;

/// Tokens of a text, by estimate.
#[must_use]
pub fn estimate(text: &str) -> u64 {
    let mut hundredths = 0_u64;
    let mut rest = text.chars().peekable();
    while let Some(first) = rest.next() {
        let class = Class::of(first);
        let mut length = 1_usize;
        let mut last = first;
        while let Some(next) = rest.next_if(|next| class.goes_on(last, *next)) {
            last = next;
            length += 1;
        }
        hundredths = hundredths.saturating_add(class.weight(length));
    }
    hundredths.div_ceil(100)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Latin,
    Digit,
    Mark,
    LineEnd,
    Blank,
    Letter,
    Han,
    Kana,
    Hangul,
    Symbol,
}

impl Class {
    fn of(character: char) -> Self {
        match character {
            'A'..='Z' | 'a'..='z' => Self::Latin,
            '0'..='9' => Self::Digit,
            '\n' | '\r' => Self::LineEnd,
            ' ' | '\t' => Self::Blank,
            character if character.is_ascii() => Self::Mark,
            '\u{3040}'..='\u{30ff}' => Self::Kana,
            '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}' => Self::Han,
            '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7af}' => Self::Hangul,
            character if character.is_alphabetic() => Self::Letter,
            _ => Self::Symbol,
        }
    }

    /// Whether a run goes on from one character to the next. `camelCase` is two words; an indent belongs to its line.
    fn goes_on(self, last: char, next: char) -> bool {
        let next_class = Self::of(next);
        match self {
            Self::Latin => {
                next_class == Self::Latin && !(last.is_ascii_lowercase() && next.is_ascii_uppercase())
            }
            Self::LineEnd => matches!(next_class, Self::LineEnd | Self::Blank),
            Self::Digit | Self::Mark | Self::Blank | Self::Letter => next_class == self,
            Self::Han | Self::Kana | Self::Hangul | Self::Symbol => false,
        }
    }

    fn weight(self, length: usize) -> u64 {
        let times = |count: usize, weight: u64| (count as u64).saturating_mul(weight);
        match self {
            Self::Latin => WORD + times(length.saturating_sub(WORD_LETTERS), MORE_LETTERS),
            Self::Digit => times(length.div_ceil(3), DIGITS),
            Self::Mark => MARKS_FIRST + times(length - 1, MARKS_MORE),
            Self::LineEnd => LINE_END,
            // The blank before a word is part of the word's token.
            Self::Blank => u64::from(length > 1) * GAP,
            Self::Letter => times(length, OTHER_LETTER),
            Self::Han => HAN,
            Self::Kana => KANA,
            Self::Hangul => HANGUL,
            Self::Symbol => SYMBOL,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counted with both public vocabularies; each text stands for a kind.
    const COUNTED: [(&str, u64, u64); 6] = [
        (
            "The parser keeps unknown fields in the order it found them, because a file that somebody edited by hand must come back as it was. Errors name the place, the reason and the way out.",
            39,
            39,
        ),
        (
            "fn resolve(id: &EntryId) -> Result<Option<Entry>, StoreError> {\n    let rows = self.archive.entries(&self.key, Filter { kind: None, live_only: true })?;\n    Ok(rows.into_iter().find(|row| row.id == *id))\n}\n",
            57,
            72,
        ),
        (
            "{\"session_id\": \"2f467a84-03d0-40d7-985c-b16b5ec832db\", \"context_window\": {\"context_window_size\": 200000, \"current_usage\": {\"input_tokens\": 12, \"cache_read_input_tokens\": 83000}}}",
            64,
            70,
        ),
        (
            "2026-11-16T04:11:42.567Z WARN store::lock: waited 104 ms for /home/dev/.local/share/projects/7f3a/lock (attempt 3 of 10)\n2026-11-16T04:11:42.713Z INFO store::fold: 12 rows, 3 sessions, 0 problems\n",
            80,
            78,
        ),
        (
            "上下文窗口已经使用了百分之七十，请在压缩之前记录所有重要的决定。这个项目使用数据库来保存会话的状态，并且在每次启动时恢复。",
            40,
            51,
        ),
        (
            "def fold(self, spool: Path, *, limit: int = 100) -> list[Row]:\n    \"\"\"Takes what waits into the archive.\"\"\"\n    with self.connection as db:\n        return [Row(*line) for line in db.execute(QUERY, (str(spool), limit))]\n",
            60,
            64,
        ),
    ];

    #[test]
    fn an_estimate_lies_near_what_public_vocabularies_count() {
        for (text, one, other) in COUNTED {
            let (mean, estimated) = (u64::midpoint(one, other), estimate(text));
            assert!(
                estimated * 100 >= mean * 80 && estimated * 100 <= mean * 120,
                "{text}: {estimated} of {mean}"
            );
        }
    }

    #[test]
    fn nothing_is_nothing_and_no_text_is_too_odd() {
        assert_eq!(estimate(""), 0);
        for odd in ["\u{0}", "\u{feff}", "\u{200d}\u{1f468}", " ", "\r\n\r\n", "Ω", "é"] {
            assert!(estimate(odd) <= 4, "{odd:?}");
        }
        assert!(estimate(&"a".repeat(1_000_000)) < 200_000);
    }
}
