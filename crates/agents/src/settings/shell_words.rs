//! Shell words: quotes a word for `sh`, and splits a simple command line back into its words.

/// Quotes `word` so that `sh` reads exactly it, whatever it holds.
#[must_use]
pub fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The words of one simple command. `None` when the line is more than that (a pipe, a list, a redirection, a
/// substitution, an open quote): such a line is the user's own and cannot be taken for one of ours.
#[must_use]
pub fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => {
                let into = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        inner => into.push(inner),
                    }
                }
            }
            '"' => double_quoted(&mut chars, word.get_or_insert_default())?,
            '\\' => word.get_or_insert_default().push(chars.next()?),
            ';' | '&' | '|' | '<' | '>' | '(' | ')' | '`' | '\n' | '\r' => return None,
            '#' if word.is_none() => return None,
            '$' if chars.peek() == Some(&'(') => return None,
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

fn double_quoted(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, into: &mut String) -> Option<()> {
    loop {
        match chars.next()? {
            '"' => return Some(()),
            '`' => return None,
            '$' if chars.peek() == Some(&'(') => return None,
            '\\' => match chars.next()? {
                escaped @ ('"' | '\\' | '$' | '`') => into.push(escaped),
                other => into.extend(['\\', other]),
            },
            inner => into.push(inner),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn simple_commands_are_split_as_the_shell_does() {
        let cases: [(&str, Option<&[&str]>); 12] = [
            ("throughline hook", Some(&["throughline", "hook"])),
            ("'/a b/throughline' hook", Some(&["/a b/throughline", "hook"])),
            ("\"$HOME/bin/throughline\" hook", Some(&["$HOME/bin/throughline", "hook"])),
            ("/a\\ b/throughline\thook ", Some(&["/a b/throughline", "hook"])),
            ("x --wrap='it'\\''s'", Some(&["x", "--wrap=it's"])),
            ("x ''", Some(&["x", ""])),
            ("", Some(&[])),
            ("throughline hook && rm -r x", None),
            ("throughline hook | tee log", None),
            ("throughline hook # note", None),
            ("echo $(throughline hook)", None),
            ("'open", None),
        ];
        for (line, expected) in cases {
            let words = split(line);
            assert_eq!(
                words.as_deref(),
                expected.map(|w| w.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>()).as_deref(),
                "{line:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn a_quoted_word_comes_back_whole(words in prop::collection::vec(any::<String>(), 1..4)) {
            let line = words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ");
            prop_assert_eq!(split(&line), Some(words));
        }
    }
}
