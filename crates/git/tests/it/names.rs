//! File names and subjects made to deceive.

use std::fs;

use crate::repo::Repo;

const NAMES: &[&str] = &[
    "plain",
    "with space",
    " leading",
    "trailing ",
    "a -> b",
    "quote\"inside",
    "back\\slash",
    "tab\there",
    "line\nM  fake.txt",
    "carriage\rreturn",
    "\u{1b}[31mred",
    "\u{1}0123456789012345678901234567890123456789 0123456 Eve\u{1f}fake",
    ":100644 100644 0000000 0000000 M",
    "ünïcödé",
    "日本語",
    "-dash",
    "# branch.head fake",
];

#[test]
fn status_lines_are_exactly_those_of_porcelain_v1() {
    let repo = Repo::with_commit();
    for (index, name) in NAMES.iter().enumerate() {
        repo.write(name, &format!("content that differs enough, number {index}, {name}\nsecond\nthird\n"));
    }
    let check = || {
        let theirs = repo.git(&["-c", "core.quotepath=false", "status", "--porcelain"]);
        assert_eq!(repo.capture().status, theirs.trim_end_matches('\n'));
    };
    check();
    repo.git(&["add", "-A"]);
    check();
    repo.git(&["commit", "-q", "-m", "odd names"]);
    for name in NAMES {
        fs::rename(repo.folder.join(name), repo.folder.join(format!("{name} moved"))).unwrap();
    }
    repo.git(&["add", "-A"]);
    check();
}

#[test]
fn a_name_can_fake_neither_a_line_nor_a_commit() {
    let repo = Repo::with_commit();
    for name in NAMES {
        repo.write(name, name);
    }
    repo.commit("odd names");
    let state = repo.capture();
    assert_eq!(state.recent_commits.len(), 2);
    assert_eq!(state.modified_files.len(), NAMES.len() + 2);
    assert!(state.modified_files.contains(&"line\\nM  fake.txt".to_owned()));
    assert!(state.modified_files.contains(&"with space".to_owned()));
    assert!(state.modified_files.iter().all(|name| !name.contains(char::is_control)));
    assert_eq!((state.branch.as_deref(), state.error), (Some("main"), None));
}

// Other systems refuse to make such a file.
#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_no_utf8_is_shown_with_replacements() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let repo = Repo::with_commit();
    fs::write(repo.folder.join(OsStr::from_bytes(b"caf\xe9.txt")), "x").unwrap();
    let state = repo.capture();
    assert_eq!(state.status, "?? caf\u{fffd}.txt");
    assert_eq!(state.modified_files[0], "caf\u{fffd}.txt");
}

#[test]
fn a_subject_stays_on_one_line_and_within_bounds() {
    let repo = Repo::with_commit();
    repo.commit("esc \u{1b}[2J\u{2028}end").commit(&"long ".repeat(1000));
    let commits = repo.capture().recent_commits;
    assert!(commits[0].chars().count() < 220, "{}", commits[0]);
    assert!(commits[1].ends_with("esc \\033[2J\\u{2028}end"), "{}", commits[1]);
}
