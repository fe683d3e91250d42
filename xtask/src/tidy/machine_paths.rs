//! Machine paths: the repository names no place that exists on one machine only.

use super::Report;
use super::finding::Finding;
use super::tree::Tree;

/// Folders under `/` that belong to whoever works there. Spelt without slashes: this file is searched too.
const PRIVATE_ROOTS: &[&str] = &["root", "work"];
/// Folders under `/` whose children are people.
const PEOPLE: &[&str] = &["home", "Users"];
/// Names that fixtures and examples may give to a person.
const NOBODY: &[&str] = &["dev", "user", "me"];

/// Texts as people write them, for the rules of masking; the people in them are made up, and no more is excused.
const CASES: &str = "crates/redact/tests/secrets/cases/";

const REMEDY: &str = "write a relative path, or one under the home of `dev`, `user` or `me`";

pub(crate) fn check(tree: &Tree, report: &mut Report) {
    for (path, text) in tree.texts() {
        let people = if path.starts_with(CASES) { &[] } else { PEOPLE };
        for (index, line) in text.lines().enumerate() {
            if let Some(place) = machine_path(line, people) {
                let what = format!("names the machine path `{place}`");
                report.findings.push(Finding::new(path, index + 1, what, REMEDY));
            }
        }
    }
}

/// The first path under a private folder, or under that of somebody who has a name there.
fn machine_path<'l>(line: &'l str, people: &[&str]) -> Option<&'l str> {
    line.match_indices('/').find_map(|(at, _)| {
        // In the middle of a longer path, or of a web address, the folder is not at the root.
        if line[..at]
            .ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '~' | '/' | '>' | '}'))
        {
            return None;
        }
        let (folder, rest) = line[at + 1..].split_once('/')?;
        let person_end = rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.'));
        let person = &rest[..person_end.unwrap_or(rest.len())];
        let is_machine = PRIVATE_ROOTS.contains(&folder)
            || (people.contains(&folder) && !person.is_empty() && !NOBODY.contains(&person));
        is_machine.then(|| &line[at..at + 1 + folder.len() + 1 + person.len()])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(line: &str) -> Vec<String> {
        let mut report = Report::default();
        check(&Tree::of(&[("a.json", &format!("first\n{line}\n"))]), &mut report);
        report.findings.iter().map(Finding::to_string).collect()
    }

    #[test]
    fn a_case_may_name_a_person_and_no_private_folder() {
        let of = |line: String| {
            let mut report = Report::default();
            check(&Tree::of(&[(&format!("{CASES}a.jsonl"), &line)]), &mut report);
            report.findings.len()
        };
        assert_eq!(of(format!("/{}/lena/.netrc\n", "home")), 0);
        assert_eq!(of(format!("target=/{}/.netrc\n", "root")), 1);
    }

    #[test]
    fn a_path_of_one_machine_fails_and_the_report_shows_it() {
        // Put together here: spelt out, this file would be a finding.
        for (folder, rest) in
            [("root", "x"), ("work", "y"), ("home", "anna/x"), ("home", "anna"), ("Users", "anna")]
        {
            for before in ["", "cd ", "path = \"", "a:", "(", "="] {
                let found = findings(&format!("{before}/{folder}/{rest}"));
                let expected = format!("a.json:2: names the machine path `/{folder}/");
                assert!(found.len() == 1 && found[0].starts_with(&expected), "{before}: {found:?}");
            }
        }
    }

    #[test]
    fn invented_people_placeholders_and_longer_paths_pass() {
        for line in [
            "/home/dev/project",
            "/home/me",
            "/Users/user/x",
            "/home/<name>/x",
            "/home/$USER",
            "/home/dev/work/x and /var/root/x",
            "https://example.org/work/x",
            "$HOME/work/x ~/work/x ./work/x",
            "/workspace/x",
            "the /root folder",
        ] {
            assert_eq!(machine_path(line, PEOPLE), None, "{line}");
        }
    }
}
