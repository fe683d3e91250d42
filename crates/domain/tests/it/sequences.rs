//! Control sequences: whatever the bytes, none is left, nothing plain is lost, and once is enough.

use proptest::prelude::*;
use throughline_domain::sequences::plain;
use throughline_domain::text::printable;
use throughline_domain::unseen::shown;

/// Pieces that sequences are made of, whole and broken, between plain words.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "\u{1b}",
            "\u{1b}[",
            "\u{9b}",
            "\u{1b}]",
            "\u{9d}",
            "\u{1b}P",
            "\u{90}",
            "\u{1b}_",
            "\u{9f}",
            "\u{1b}^",
            "\u{9e}",
            "\u{1b}X",
            "\u{98}",
            "\u{1b}\\",
            "\u{9c}",
            "\u{7}",
            "\u{18}",
            "31",
            ";",
            "m",
            "J",
            "8;;http://x",
            "\r",
            "\r\n",
            "\n",
            "\t",
            "\u{8}",
            "\u{7f}",
            "\u{85}",
            "\u{0}",
            "\u{b}",
            "é",
            "界",
            "\u{c2}",
            "\u{a0}",
            "\u{200b}",
            "\u{2028}",
            "(B",
            "$(B",
            "word",
            "[31m",
        ])
        .prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn nothing_that_a_terminal_obeys_is_left_and_once_is_enough(text in soup()) {
        for clean in [plain(&text).into_owned(), shown(&text).into_owned(), printable(&text)] {
            let odd = clean.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t'));
            prop_assert!(odd.is_none(), "{odd:?} in {clean:?} of {text:?}");
            prop_assert_eq!(plain(&clean), clean.as_str());
        }
        let once = shown(&text).into_owned();
        prop_assert_eq!(shown(&once), once.as_str());
    }

    #[test]
    fn plain_text_is_not_copied_let_alone_changed(text in "[\\PC\n\t]{0,200}") {
        prop_assert!(matches!(plain(&text), std::borrow::Cow::Borrowed(same) if same == text));
    }
}

#[test]
fn whole_sequences_go_and_what_stands_between_them_stays() {
    for (dirty, left) in [
        ("\u{1b}[31mred\u{1b}[0m", "red"),
        ("\u{9b}31mred\u{9b}0m", "red"),
        ("\u{1b}[?25l\u{1b}[38;2;1;2;3mx\u{1b}[ qy\u{1b}[!pz", "xyz"),
        ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{7}", "link"),
        ("\u{9d}0;title\u{9c}a\u{1b}P1$q\u{1b}\\b\u{1b}_x\u{9c}c\u{1b}^y\u{1b}\\d\u{1b}Xz\u{1b}\\e", "abcde"),
        ("\u{1b}]0;broken off\u{18}a\u{1b}]0;by another\u{1b}[31mb", "ab"),
        ("\u{1b}ca\u{1b}7b\u{1b}(0c\u{1b}$(Bd\u{1b}#8e", "abcde"),
        ("a\u{1b}", "a"),
        ("a\u{1b}[31", "a"),
        ("a\u{1b}[31é", "aé"),
        ("\u{1b}]no end\nnext line\u{7}", "no end\nnext line"),
        ("\u{9d}no end", "no end"),
        ("1%\r2%\r\n3%\u{b}4%\u{85}5%", "1%\n2%\n3%\n4%\n5%"),
        ("se\u{8}\u{8}cret\u{7f}\u{0}", "secret"),
        ("£ \u{a0}\u{ad}", "£ \u{a0}\u{ad}"),
    ] {
        assert_eq!(plain(dirty), left, "{dirty:?}");
    }
    let long = format!("\u{1b}]0;{}\u{7}end", "x".repeat(5_000));
    assert!(plain(&long).starts_with("0;xxx") && plain(&long).ends_with("end"), "a page is no title");
    let many = format!("\u{1b}[{}mend", "1;".repeat(100));
    assert!(plain(&many).starts_with("1;1;"), "nor are so many parameters a colour");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the time that it takes is what is tested")]
fn a_megabyte_of_beginnings_takes_no_longer_than_a_megabyte() {
    for beginning in ["\u{1b}]", "\u{9d}", "\u{1b}[", "\u{9b}1;", "\u{1b}P\u{1b}", "\u{1b}]x"] {
        let text = beginning.repeat((1 << 20) / beginning.len());
        let started = std::time::Instant::now();
        let _ = plain(&text);
        assert!(started.elapsed() < std::time::Duration::from_secs(1), "{beginning:?}");
    }
}
