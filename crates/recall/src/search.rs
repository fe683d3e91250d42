//! Search: what is looked for, where, and how much of it is wanted.

use throughline_domain::Kind;

use crate::passage::PassageKind;
use crate::question::Question;
use crate::scope::Scope;
use crate::weights::RESULTS_MAX;

/// A search, understood.
#[derive(Debug)]
pub struct Search {
    /// What was typed.
    pub typed: String,
    /// The same, understood.
    pub question: Question,
    /// Where is looked.
    pub scope: Scope,
    /// Kinds of recorded entries that are wanted; `None`: all of them, empty: none.
    pub entry_kinds: Option<Vec<Kind>>,
    /// Most results.
    pub limit: usize,
}

impl Search {
    /// A search for passages and entries of every kind and age, in some projects; in all of them without any.
    #[must_use]
    pub fn new(typed: String, question: Question, projects: Vec<String>, limit: usize) -> Self {
        let scope = Scope { projects, ..Scope::default() };
        Self { typed, question, scope, entry_kinds: None, limit: limit.clamp(1, RESULTS_MAX) }
    }

    /// Looks for passages and entries of these kinds alone; without a word for all of them. Gives the first word that
    /// names no kind.
    pub fn only<'w>(&mut self, words: &'w [String]) -> Result<(), &'w str> {
        if words.is_empty() {
            return Ok(());
        }
        let (mut passages, mut entries) = (Vec::new(), Vec::new());
        for word in words {
            if let Some(kind) = PassageKind::from_word(word) {
                passages.push(kind);
            } else if let Some(kind) = Kind::from_word(word) {
                entries.push(kind);
            } else {
                return Err(word);
            }
        }
        (self.scope.kinds, self.entry_kinds) = (passages, Some(entries));
        Ok(())
    }

    /// Whether passages of sessions are wanted, and not recorded entries alone.
    #[must_use]
    pub fn wants_passages(&self) -> bool {
        !self.scope.kinds.is_empty() || self.entry_kinds.as_ref().is_none_or(Vec::is_empty)
    }

    /// Whether recorded entries are wanted, and not passages alone.
    #[must_use]
    pub fn wants_entries(&self) -> bool {
        self.entry_kinds.as_ref().is_none_or(|kinds| !kinds.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_say_whether_passages_entries_or_both_are_wanted() {
        for (words, passages, entries) in [
            ("", true, true),
            ("user", true, false),
            ("decision", false, true),
            ("error decision", true, true),
        ] {
            let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
            let mut search = Search::new(String::new(), Question::default(), Vec::new(), 0);
            assert_eq!(search.only(&words), Ok(()));
            assert_eq!((search.wants_passages(), search.wants_entries()), (passages, entries), "{words:?}");
        }
        let mut search = Search::new(String::new(), Question::default(), Vec::new(), usize::MAX);
        assert_eq!(search.only(&["user".to_owned(), "nonsense".to_owned()]), Err("nonsense"));
        assert_eq!(search.limit, RESULTS_MAX);
    }
}
