//! The section put in, brought up to date and taken out: every byte of the user's comes back.

use expect_test::expect;
use proptest::prelude::*;
use throughline_domain::budget::estimate_tokens;

use super::*;

/// What an older version of ours would have left.
fn older() -> String {
    let body = "## Compact Instructions\n\nKeep everything.";
    format!("{}\n{body}\n{}", COMPACT_INSTRUCTIONS.begin_mark(body), COMPACT_INSTRUCTIONS.end)
}

#[test]
fn the_section_is_short_and_has_what_it_is_for() {
    assert!(estimate_tokens(SECTION) <= 200, "{}", estimate_tokens(SECTION));
    assert!(SECTION.starts_with("## Compact Instructions\n\n"));
    for word in [
        "session",
        "work item",
        "done",
        "in progress",
        "decisions still pending",
        "subagents",
        "key files",
        "on disk",
    ] {
        assert!(SECTION.contains(word), "{word}");
    }
    // Text with our mark in it is never captured: here it would hide the rest of the file.
    assert!(!SECTION.contains(throughline_domain::fragment::OPEN));
    expect![[r"
        # Mine

        <!-- throughline: begin 597e2d99086f71e2 -->
        ## Compact Instructions

        When compacting, keep word by word, with ids, names, paths, commands and numbers:
        - the session's name, the work item: id, title, phase
        - what the user asked for and what he forbade
        - what is done, what is in progress, the next step
        - decisions with reasons, decisions still pending, open questions
        - subagents: what each was asked, what it brought
        - key files; the commands that check the work, with their last result

        Spend no room on what is on disk anyway (file contents, diffs, long output): name the path or the command. What stands between throughline's marks is the live state: keep what it says.
        <!-- throughline: end -->
    "]].assert_eq(&install("# Mine\n").text);
}

#[test]
fn what_stands_there_is_told_apart() {
    let ours = install("").text;
    let cases = [
        ("", SectionStanding::Absent),
        ("# Mine\n", SectionStanding::Absent),
        ("# Compact instructions are good\n", SectionStanding::Absent),
        ("```\n## Compact Instructions\n```\n", SectionStanding::Absent),
        (ours.as_str(), SectionStanding::UpToDate),
        ("a\n\n### compact instructions ##\nmine\n", SectionStanding::Foreign { line: 3 }),
        ("\u{feff}# Compact Instructions\r\nmine\r\n", SectionStanding::Foreign { line: 1 }),
        ("a\n\n##Compact Instructions\nmine\n", SectionStanding::Foreign { line: 3 }),
        ("a\n\nCompact Instructions\n====\nmine\n", SectionStanding::Foreign { line: 3 }),
        ("Compact instructions\r\n---\r\nmine\r\n", SectionStanding::Foreign { line: 1 }),
        ("compact instructions\n\n---\n", SectionStanding::Absent),
        ("```\nCompact Instructions\n===\n```\n", SectionStanding::Absent),
        (
            "a\n<!-- throughline: begin -->\nb\n",
            SectionStanding::Damaged { line: 2, what: "the begin mark has no end mark" },
        ),
        (
            "<!-- throughline: end -->\na\n<!-- throughline: begin -->\n",
            SectionStanding::Damaged { line: 1, what: "the end mark has no begin mark" },
        ),
        (
            "<!-- throughline: begin x -->\na\n<!-- throughline: begin -->\nb\n<!-- throughline: end -->\n",
            SectionStanding::Damaged { line: 1, what: "the begin mark is followed by another one" },
        ),
        ("<!-- throughline: begin -->\nmine\n<!-- throughline: end -->\n", SectionStanding::Edited),
    ];
    for (text, expected) in cases {
        assert_eq!(standing(text), expected, "{text:?}");
    }
    assert_eq!(standing(&older()), SectionStanding::Outdated);
    assert_eq!(standing(&older().replace("everything", "nothing")), SectionStanding::Edited);
    assert_eq!(standing(&ours.replace('\n', "\r\n")), SectionStanding::UpToDate, "git changes line ends");
    let both = format!("{ours}\n## Compact Instructions\nmine\n");
    assert_eq!(
        (standing(&both), foreign_line(&both)),
        (SectionStanding::UpToDate, Some(ours.lines().count() + 2))
    );
    assert_eq!(foreign_line(&ours), None);
}

#[test]
fn a_section_of_ours_is_brought_up_to_date_where_it_stands() {
    let ours = COMPACT_INSTRUCTIONS.written("\n");
    for standing in [
        older(),
        older().replace("everything", "what I say"),
        "<!-- throughline: begin -->\n\n<!-- throughline: end -->".to_owned(),
    ] {
        for (before, after) in [("# Mine\n\n", "\n\n## More\n"), ("", ""), ("x", "\n")] {
            let before = if before == "x" { "x\n" } else { before };
            let edit = install(&format!("{before}{standing}{after}"));
            assert_eq!(edit.text, format!("{before}{ours}{after}"));
            assert_ne!(edit.before, SectionStanding::UpToDate);
        }
    }
    // Where somebody took our blank line away, no line end of his goes with the section.
    assert_eq!(uninstall(&format!("a\n{ours}\nb\n")).text, "a\nb\n");
    assert_eq!(uninstall(&format!("a\n{ours}")).text, "a\n");
    let merged = format!("a\n\n{ours}\n\nb\n\n{}\nc\n", older());
    assert_eq!(install(&merged).text, format!("a\n\n{ours}\n\nb\nc\n"));
    assert_eq!(uninstall(&merged).text, "a\n\nb\nc\n");
}

#[test]
fn what_is_not_ours_or_cannot_be_told_stays_as_it_is() {
    for text in [
        "## Compact Instructions\nmine\n",
        "<!-- throughline: begin -->\nmine\n",
        "<!-- throughline: end -->\nmine\n<!-- throughline: begin -->\n",
        "<!-- throughline: begin -->\n<!-- throughline: begin -->\nmine\n<!-- throughline: end -->\n",
        "<!-- throughline: begin -->\nours\n<!-- throughline: end --> mine\n",
    ] {
        assert_eq!((install(text).text, uninstall(text).text), (text.to_owned(), text.to_owned()));
    }
}

#[test]
fn line_ends_are_those_of_the_file() {
    let installed = install("# Mine\r\nrule\r\n").text;
    assert!(!installed.replace("\r\n", "").contains('\n'), "{installed:?}");
    assert_eq!(uninstall(&installed).text, "# Mine\r\nrule\r\n");
    assert!(!install("no end").text.ends_with('\n'));
}

/// Lines of people, of programs and of ours, in any order, with any line end.
fn any_text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => "[ -~]{0,12}",
        1 => any::<String>(),
        1 => Just("## Compact Instructions".to_owned()),
        1 => Just("```".to_owned()),
        1 => Just("<!-- throughline: begin -->".to_owned()),
        1 => Just(COMPACT_INSTRUCTIONS.end.to_owned()),
        1 => Just(COMPACT_INSTRUCTIONS.written("\n")),
        1 => Just(COMPACT_INSTRUCTIONS.written("\r\n")),
        1 => Just(older()),
    ];
    let end = prop_oneof![4 => Just("\n"), 2 => Just("\r\n"), 1 => Just(""), 1 => Just("\r")];
    (any::<bool>(), prop::collection::vec((line, end), 0..8)).prop_map(|(mark, lines)| {
        let body: String = lines.into_iter().flat_map(|(line, end)| [line, end.to_owned()]).collect();
        if mark { format!("\u{feff}{body}") } else { body }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn taking_out_what_was_put_in_gives_every_byte_back(text in any_text()) {
        let without = uninstall(&text).text;
        let installed = install(&text).text;
        prop_assert_eq!(&uninstall(&installed).text, &without);
        if standing(&text) == SectionStanding::Absent {
            prop_assert_eq!(&without, &text);
            prop_assert_eq!(standing(&installed), SectionStanding::UpToDate);
        }
    }

    #[test]
    fn putting_it_in_twice_is_putting_it_in_once(text in any_text()) {
        let once = install(&text).text;
        prop_assert_eq!(&install(&once).text, &once);
    }
}
