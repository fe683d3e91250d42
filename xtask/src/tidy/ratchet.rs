//! Ratchet: the list of what is longer than its limit. It may only shrink, and an entry nobody needs is an error.

use std::collections::BTreeSet;

use super::Report;
use super::finding::Finding;
use super::tree::Tree;

/// Lines of `<lines> <path>` for a file and `<lines> <path> <function>` for a function; `#` opens a comment.
pub(crate) const LIST: &str = "xtask/ratchet.txt";

/// The length of one file or function.
#[derive(Debug, Clone)]
pub(crate) struct Measure {
    pub(crate) path: String,
    pub(crate) line: usize,
    /// The function; `None` for a whole file.
    pub(crate) name: Option<String>,
    pub(crate) lines: usize,
    pub(crate) limit: usize,
}

#[derive(Debug)]
struct Entry {
    line: usize,
    lines_max: usize,
    path: String,
    name: Option<String>,
}

/// The excused lengths.
#[derive(Debug, Default)]
pub(crate) struct Ratchet {
    entries: Vec<Entry>,
}

impl Ratchet {
    /// Reads the list and reports what it gained since its last version.
    pub(crate) fn read(tree: &Tree, report: &mut Report) -> Self {
        let Some(text) = tree.text(LIST) else { return Self::default() };
        let now = Self::parse(text, &mut report.findings);
        if let Some(before) = &tree.ratchet_before {
            now.compare(&Self::parse(before, &mut Vec::new()), &mut report.findings);
        }
        now
    }

    fn parse(text: &str, findings: &mut Vec<Finding>) -> Self {
        let mut entries = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line_number = index + 1;
            let content = line.split('#').next().unwrap_or_default();
            let words: Vec<&str> = content.split_whitespace().collect();
            let (lines, path, name) = match words.as_slice() {
                [] => continue,
                [lines, path] => (lines, path, None),
                [lines, path, name] => (lines, path, Some((*name).to_owned())),
                _ => (&"", &"", None),
            };
            match lines.parse() {
                Ok(lines_max) => {
                    entries.push(Entry { line: line_number, lines_max, path: (*path).to_owned(), name });
                }
                Err(_) => findings.push(Finding::new(
                    LIST,
                    line_number,
                    "not an entry",
                    "write `<lines> <path>` or `<lines> <path> <function>`",
                )),
            }
        }
        Self { entries }
    }

    fn compare(&self, before: &Self, findings: &mut Vec<Finding>) {
        for entry in &self.entries {
            let earlier = before.entries.iter().find(|old| old.path == entry.path && old.name == entry.name);
            if earlier.is_none_or(|old| entry.lines_max > old.lines_max) {
                let remedy = "split what is too long: this list may only shrink";
                findings.push(Finding::new(LIST, entry.line, "the list has grown", remedy));
            }
        }
    }

    /// Judges every measure, then every entry.
    pub(crate) fn judge(&self, measures: &[Measure], findings: &mut Vec<Finding>) {
        let mut used = BTreeSet::new();
        for measure in measures.iter().filter(|measure| measure.lines > measure.limit) {
            let entry =
                self.entries.iter().find(|entry| entry.path == measure.path && entry.name == measure.name);
            let allowed = entry.map_or(measure.limit, |entry| entry.lines_max);
            if measure.lines > allowed {
                findings.push(too_long(measure, allowed));
            }
            if let Some(entry) = entry {
                used.insert(entry.line);
                if measure.lines < allowed {
                    let what = format!("the entry allows {allowed} lines where {} are left", measure.lines);
                    findings.push(Finding::new(LIST, entry.line, what, "lower the number"));
                }
            }
        }
        for entry in self.entries.iter().filter(|entry| !used.contains(&entry.line)) {
            let what = format!("nothing in {} needs this entry any more", entry.path);
            findings.push(Finding::new(LIST, entry.line, what, "delete the line"));
        }
    }
}

fn too_long(measure: &Measure, allowed: usize) -> Finding {
    let (subject, remedy) = match &measure.name {
        Some(name) => (format!("`{name}`"), "give its steps names and make them functions"),
        None => ("the file".to_owned(), "look for the seam and make two files with one reason each"),
    };
    let what = format!("{subject} has {} lines of code, limit {allowed}", measure.lines);
    Finding::new(&measure.path, measure.line, what, remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long_function(lines: usize) -> Measure {
        Measure { path: "a.rs".into(), line: 3, name: Some("long".into()), lines, limit: 70 }
    }

    fn judged(list: &str, measure: Measure) -> Vec<String> {
        let mut findings = Vec::new();
        Ratchet::parse(list, &mut findings).judge(&[measure], &mut findings);
        findings.iter().map(Finding::to_string).collect()
    }

    #[test]
    fn an_entry_excuses_no_further_growth() {
        assert_eq!(
            judged("80 a.rs long # since the first release\n", long_function(80)),
            Vec::<String>::new()
        );
        assert!(judged("80 a.rs long\n", long_function(81))[0].contains("81 lines of code, limit 80"));
    }

    #[test]
    fn an_entry_that_is_too_generous_or_not_needed_is_an_error() {
        assert!(judged("80 a.rs long\n", long_function(75))[0].contains("lower the number"));
        assert!(judged("80 a.rs long\n", long_function(70))[0].contains("delete the line"));
    }

    #[test]
    fn a_line_that_is_no_entry_is_an_error() {
        assert!(judged("a.rs long\n", long_function(1))[0].contains("not an entry"));
    }

    #[test]
    fn the_list_may_shrink_and_never_grow() {
        let grown = |before: &str, now: &str| {
            let mut tree = Tree::of(&[(LIST, now)]);
            tree.ratchet_before = Some(before.to_owned());
            let mut report = Report::default();
            Ratchet::read(&tree, &mut report);
            report.findings.len()
        };
        assert_eq!(grown("80 a.rs long\n700 b.rs\n", "80 a.rs long\n"), 0);
        assert_eq!(grown("80 a.rs long\n", "79 a.rs long\n"), 0);
        assert_eq!(grown("80 a.rs long\n", "81 a.rs long\n"), 1);
        assert_eq!(grown("# empty\n", "80 a.rs long\n"), 1);
    }
}
