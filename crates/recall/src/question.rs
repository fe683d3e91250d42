//! A question: what somebody typed, to the words that are looked for. Nothing of it is ever syntax of a database.

use crate::passage::PassageKind;
use crate::synonyms;
use crate::weights::{PART_WEIGHT, QUESTION_BYTES_MAX, SYNONYM_WEIGHT, WANTED_MAX};
use crate::words::{self, is_stop_word};

/// A question, understood.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Question {
    /// Words, the more of them the better.
    pub wanted: Vec<Wanted>,
    /// Texts in quotes: they must stand so, word for word (see [`words::in_phrase`]).
    pub phrases: Vec<Vec<String>>,
    /// Words that must not stand there, in the same form.
    pub excluded: Vec<Vec<String>>,
    /// The kind of passage that it speaks of.
    pub hint: Option<PassageKind>,
}

/// A word that is looked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// The form it has in the index.
    pub form: String,
    /// How it was typed, plural and case aside; empty where only the form counts.
    pub spelling: String,
    /// How much it counts beside the others.
    pub weight: f64,
    /// Forms that stand for the same, and what they count beside it.
    pub others: Vec<(String, f64)>,
}

impl Question {
    /// Reads what was typed: words, `"a phrase"`, `-without`.
    #[must_use]
    pub fn read(typed: &str) -> Self {
        let typed = head(typed);
        let mut question = Self::default();
        let mut free = String::new();
        let mut rest = typed;
        while let Some(first) = rest.chars().next() {
            let is_minus = first == '-' && (rest[1..].starts_with('"') || !is_option(&rest[1..]));
            // A minus inside of a word is a part of it.
            let is_without = is_minus && free.chars().next_back().is_none_or(char::is_whitespace);
            let body = if is_without { &rest[1..] } else { rest };
            let (piece, behind, is_quoted) = match quoted(body) {
                Some((inside, behind)) => (inside, behind, true),
                None if is_without => {
                    let end = body.find(char::is_whitespace).unwrap_or(body.len());
                    (&body[..end], &body[end..], false)
                }
                None => {
                    free.push(first);
                    rest = &rest[first.len_utf8()..];
                    continue;
                }
            };
            let words = phrase(piece);
            if is_without {
                // Nobody means to exclude whatever has an "and" in it.
                let is_meant = is_quoted || words.iter().any(|word| !is_stop_word(word));
                question.excluded.extend((is_meant && !words.is_empty()).then_some(words));
            } else if is_quoted {
                question.phrases.extend((!words.is_empty()).then_some(words));
                free.push(' ');
                free.push_str(piece);
            }
            free.push(' ');
            rest = behind;
        }
        question.want(&free);
        question.hint = hint(typed);
        question
    }

    /// A question for words that are in the form of the index already.
    #[must_use]
    pub fn of_forms(forms: &[&str]) -> Self {
        let wanted = forms.iter().take(WANTED_MAX).map(|form| Wanted {
            form: (*form).to_owned(),
            spelling: String::new(),
            weight: 1.0,
            others: Vec::new(),
        });
        Self { wanted: wanted.collect(), ..Self::default() }
    }

    /// A question for a name, word by word: nothing stands for anything else.
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        let forms: Vec<String> = words::words(head(name))
            .into_iter()
            .filter(|word| !word.is_part && !is_stop_word(&word.form))
            .map(|word| word.form)
            .collect();
        Self::of_forms(&forms.iter().map(String::as_str).collect::<Vec<&str>>())
    }

    /// Whether there is nothing to look for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    /// Whether all of its words stand everywhere: an index that does not keep them finds nothing by them.
    #[must_use]
    pub fn is_of_stop_words(&self) -> bool {
        !self.is_empty() && self.wanted.iter().all(|wanted| is_stop_word(&wanted.form))
    }

    /// Lets a single character of a script without spaces be found where it stands beside others: `pairs` knows these.
    pub fn widen<E>(&mut self, mut pairs: impl FnMut(&str) -> Result<Vec<String>, E>) -> Result<(), E> {
        for wanted in self.wanted.iter_mut().filter(|wanted| words::is_lone(&wanted.form)) {
            wanted.others.extend(pairs(&wanted.form)?.into_iter().map(|pair| (pair, 1.0)));
            wanted.spelling.clear();
        }
        Ok(())
    }

    fn want(&mut self, text: &str) {
        let all = words::words(text);
        let is_asking = |word: &words::Word| {
            let typed = text[word.at..word.end].to_lowercase();
            is_stop_word(&word.form) || is_asking_word(&typed)
        };
        let has_more = all.iter().any(|word| !is_asking(word));
        for word in all.iter().filter(|word| !has_more || !is_asking(word)) {
            if self.wanted.len() >= WANTED_MAX {
                break;
            }
            if self.wanted.iter().any(|known| known.form == word.form) {
                continue;
            }
            let others = if word.is_name { Vec::new() } else { synonyms::of(&word.form) };
            self.wanted.push(Wanted {
                form: word.form.clone(),
                spelling: words::spelling(&text[word.at..word.end]),
                weight: if word.is_part { PART_WEIGHT } else { 1.0 },
                others: others.into_iter().map(|other| (other, SYNONYM_WEIGHT)).collect(),
            });
        }
    }
}

/// Whether what follows a minus is no word that must not stand there, but an option of a command: "why not `git add -f`".
fn is_option(behind: &str) -> bool {
    let letters = behind.chars().take_while(|c| c.is_alphanumeric()).count();
    letters < 2
}

/// "The user wanted", "it failed with": whose words, or what, is remembered.
fn hint(typed: &str) -> Option<PassageKind> {
    const USER: &[&str] = &["user", "asked", "wanted", "wants", "requested", "told"];
    const ERROR: &[&str] =
        &["error", "failed", "fails", "failing", "failure", "rejected", "complains", "complained", "crashed"];
    let lower = typed.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    words.find_map(|word| match word {
        word if USER.contains(&word) => Some(PassageKind::User),
        word if ERROR.contains(&word) => Some(PassageKind::Error),
        _ => None,
    })
}

fn head(text: &str) -> &str {
    let mut end = text.len().min(QUESTION_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// What stands in the quotes that open here, and what follows them.
fn quoted(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix('"')?.split_once('"')
}

/// The words of a text in their order, without parts of names.
fn phrase(text: &str) -> Vec<String> {
    let all = words::words(text);
    all.iter()
        .filter(|word| !word.is_part)
        .take(WANTED_MAX)
        .map(|word| words::in_phrase(word, text))
        .collect()
}

/// Words that ask, in the languages that many people ask in.
fn is_asking_word(word: &str) -> bool {
    #[rustfmt::skip]
    const ASKING: &[&str] = &[
        // English.
        "about", "after", "again", "all", "also", "am", "any", "anything", "asked", "became", "because", "become", "been", "before", "being", "can", "could",
        "did", "do", "does", "doing", "done", "during", "despite", "each", "ever", "every", "exactly", "had", "he", "her", "here",
        "him", "his", "how", "into", "kind", "last", "may", "might", "much", "must", "our", "out", "over", "please",
        "said", "say", "she", "should", "some", "something", "still", "such", "than", "their", "these", "thing", "those", "time",
        "things", "too", "until", "up", "us", "want", "wanted", "wants", "were", "what", "when", "where", "which", "while", "who", "whom", "whose", "why",
        "would", "yet",
        // German.
        "aber", "als", "auch", "auf", "aus", "bei", "bis", "da", "dann", "das", "dass", "dem", "den", "der", "des",
        "die", "ein", "eine", "einem", "einen", "einer", "er", "es", "für", "haben", "hat", "hatte", "hatten", "ich",
        "ihr", "im", "ist", "kann", "man", "mit", "nach", "nicht", "oder", "sich", "sie", "sind", "und", "uns",
        "unser", "vom", "von", "vor", "war", "waren", "warum", "wann", "was", "welche", "welcher", "welches", "wenn",
        "wer", "werden", "wie", "wir", "wird", "wo", "wurde", "wurden", "zu", "zum", "zur", "über",
        // French and Spanish.
        "ce", "cette", "comment", "dans", "de", "des", "du", "elle", "en", "est", "et", "il", "je", "la", "le", "les",
        "nous", "où", "par", "pas", "pour", "pourquoi", "quand", "que", "quel", "quelle", "qui", "quoi", "sur", "un",
        "une", "como", "con", "cuando", "cuál", "dónde", "el", "esta", "este", "fue", "los", "las", "para", "por",
        "qué", "se", "una", "y",
    ];
    ASKING.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms_of(typed: &str) -> String {
        let forms: Vec<String> = Question::read(typed).wanted.into_iter().map(|wanted| wanted.form).collect();
        forms.join(" ")
    }

    #[test]
    fn what_asks_is_not_looked_for() {
        assert_eq!(forms_of("Why did we choose the Redis cache?"), "choos redis cach");
        assert_eq!(forms_of("Warum wurde der Parser nicht gelöscht?"), "pars geloscht");
        assert_eq!(forms_of("what when"), "what when", "nothing else is left");
        assert_eq!(forms_of("the"), "the");
    }

    #[test]
    fn phrases_and_what_is_excluded_are_told_apart() {
        let question = Question::read("\"no such file\" build -docker -\"two words\" well-known -");
        assert_eq!(question.phrases, [["no", "such", "fil"]]);
        assert_eq!(question.excluded, [vec!["dock".to_owned()], vec!["two".to_owned(), "word".to_owned()]]);
        let wanted: Vec<&str> = question.wanted.iter().map(|it| it.form.as_str()).collect();
        assert_eq!(wanted, ["fil", "build", "well", "known"]);
    }

    #[test]
    fn an_option_of_a_command_is_not_excluded() {
        assert_eq!(Question::read("why does tar reject -C and --strip").excluded, Vec::<Vec<String>>::new());
        assert_eq!(Question::read("tar -gzip").excluded, [["gzip"]]);
    }

    #[test]
    fn words_that_stand_everywhere_are_excluded_in_quotes_alone() {
        assert_eq!(Question::read("tar -not").excluded, Vec::<Vec<String>>::new());
        assert_eq!(Question::read("tar -\"is not\"").excluded, [["is", "not"]]);
    }

    #[test]
    fn a_question_of_words_that_stand_everywhere_is_known() {
        assert!(Question::read("\"is not in\"").is_of_stop_words());
        assert!(!Question::read("\"is not in the index\"").is_of_stop_words());
        assert!(!Question::read("").is_of_stop_words());
    }

    #[test]
    fn nothing_that_was_typed_breaks_it() {
        for typed in [
            "",
            "\"",
            "-",
            "--",
            "-\"",
            "NEAR(a b)",
            "a* ^b {c} :d",
            "\"\" -\"\"",
            "'; DROP TABLE x",
            "\u{0}\u{feff}é",
        ] {
            let question = Question::read(typed);
            assert!(question.wanted.iter().all(|it| it.form.chars().all(char::is_alphanumeric)), "{typed}");
        }
    }
}
