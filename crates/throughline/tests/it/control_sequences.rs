//! Control sequences: whatever a person, a file or a repository hands over, no terminal obeys what a verb prints.

use std::path::Path;

use throughline_testkit::Output;

use crate::scene::{BINARY, Scene};

/// Texts that a terminal would obey. `QQ` stands in each, so that a test sees whether a verb repeats it at all.
const HOSTILE: &[&str] = &[
    "QQ\u{9b}45mred\u{9b}2J",
    "QQ\u{1b}[45;5mred\u{1b}[2J\u{1b}[Hx",
    "QQ\u{1b}]0;title\u{7}y\u{1b}]52;c;aGk=\u{1b}\\z",
    "QQ\u{9d}0;title\u{9c}\u{90}q\u{9c}\u{9e}pm\u{9c}\u{9f}apc\u{9c}\u{98}sos\u{9c}",
    "QQ\u{1b}Pq\u{1b}\\\u{1b}_apc\u{1b}\\\u{1b}^pm\u{1b}\\\u{1b}Xsos\u{1b}\\\u{1b}c\u{1b}7\u{1b}(0",
    "QQ\u{1b}]never ends",
    "QQ\u{9b}45",
    "QQ safe\r\u{8}\u{8}\u{8}rm\u{7f}\u{7}\u{85}\u{e}",
    "QQ\u{1b}[8mhidden\u{1b}[30m\u{1b}[45;5m",
];

/// Verbs that get one as an argument: an id, a name, a path, a pattern, a word, a number.
const VERBS: &[&[&str]] = &[
    &["~"],
    &["--project", "~", "status"],
    &["add", "~", "text"],
    &["add", "evidence", "~", "--type", "~"],
    &["add", "anchor", "text", "--priority", "~"],
    &["resolve", "~", "answer"],
    &["done", "~"],
    &["lift", "~"],
    &["supersede", "~", "text"],
    &["edit", "~", "text"],
    &["rm", "~"],
    &["set", "~", "x"],
    &["set", "phase", "~"],
    &["anchor", "rm", "~"],
    &["anchor", "promote", "~"],
    &["anchor", "confirm", "~"],
    &["anchor", "add", "text", "--type", "~"],
    &["checkpoint", "show", "~"],
    &["checkpoint", "rm", "~"],
    &["checkpoint", "diff", "~"],
    &["checkpoint", "restore", "~"],
    &["note", "~"],
    &["list", "~"],
    &["list", "--kind", "~"],
    &["briefing", "--tokens", "~"],
    &["coverage", "~"],
    &["coverage", "--file", "~"],
    &["export", "--output", "/no/~/file"],
    &["export", "--format", "~"],
    &["import", "/no/~"],
    &["import", "~"],
    &["count-tokens", "/no/~"],
    &["count-tokens", "--model", "~", "/no/such"],
    &["notes", "~"],
    &["notes", "show", "~"],
    &["sessions", "show", "~"],
    &["summaries", "show", "~"],
    &["summaries", "~"],
    &["backups", "restore", "~"],
    &["backups", "rm", "~"],
    &["recall", "~"],
    &["recall", "show", "~"],
    &["recall", "file", "~"],
    &["recall", "fix", "~"],
    &["recall", "words", "--since", "~"],
    &["usage", "days", "--since", "~"],
    &["usage", "days", "--zone", "~"],
    &["usage", "--from", "~"],
    &["usage", "prices", "--update", "~"],
    &["usage", "~"],
    &["backfill", "~"],
    &["backfill", "--folder", "/no/~"],
    &["trust", "~"],
    &["forget", "~"],
    &["forget", "~", "--yes"],
    &["forget", "--session", "~"],
    &["pause", "~"],
    &["cursor", "~"],
    &["completions", "~"],
    &["doctor", "~"],
    &["work", "~"],
    &["work", "--id", "~"],
    &["health", "~"],
    &["validate", "~"],
    &["validate", "--file", "/no/~"],
    &["compact-focus", "~"],
    &["away", "~"],
    &["age", "~"],
    &["init", "~"],
    &["statusline", "--wrap-json", "~"],
    &["mcp", "~"],
];

fn with(args: &[&str], hostile: &str) -> Vec<String> {
    args.iter().map(|arg| arg.replace('~', hostile)).collect()
}

fn run(scene: &Scene, args: &[&str], hostile: &str, colours: bool) -> Output {
    let args = with(args, hostile);
    let mut command = scene.home.command(Path::new(BINARY));
    command.args(&args);
    if colours {
        command.env("CLICOLOR_FORCE", "1");
    }
    throughline_testkit::process::run(&mut command, b"", std::time::Duration::from_mins(1))
}

/// The text without the colours that are ours.
fn without_colours(text: &str) -> String {
    let mut text = text.to_owned();
    for code in ["0", "1", "2", "4", "31", "32", "33", "34", "35", "36"] {
        text = text.replace(&format!("\u{1b}[{code}m"), "");
    }
    text
}

#[track_caller]
fn assert_plain(text: &str, about: &str) {
    let odd = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t'));
    assert!(odd.is_none(), "{about}: {odd:?} in {text:?}");
}

#[test]
fn no_verb_repeats_a_control_sequence_that_it_was_given() {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    let mut repeated = 0;
    for (number, args) in VERBS.iter().enumerate() {
        for (at, hostile) in HOSTILE.iter().enumerate() {
            // All with the first, which is the shortest; a third of the others each, to stay within a minute.
            if at != 0 && (number + at) % 3 != 0 {
                continue;
            }
            for colours in [false, true] {
                let output = run(&scene, args, hostile, colours);
                let both = format!("{}{}", output.stdout, output.stderr);
                repeated += usize::from(both.contains("QQ"));
                let both = if colours { without_colours(&both) } else { both };
                assert_plain(&both, &format!("{args:?} with {hostile:?}"));
                assert!(
                    !both.contains("45m") && !both.contains("[2J"),
                    "{args:?}: half a sequence in {both:?}"
                );
            }
        }
    }
    assert!(repeated > 100, "only {repeated} answers repeat what they were given: the table has grown stale");
}

#[test]
fn what_is_recorded_keeps_no_half_of_a_sequence() {
    let scene = Scene::with_git();
    for hostile in HOSTILE {
        scene.ok(&["add", "evidence", &format!("error: {hostile} at the end"), "--type", "error"]);
        scene.ok(&["add", "decision", &format!("use {hostile}"), "--rationale", hostile]);
        scene.ok(&["note", &format!("noted {hostile}")]);
    }
    for args in [&["list"][..], &["load"], &["briefing", "--preview"], &["handoff"], &["notes"]] {
        for colours in [false, true] {
            let output = run(&scene, args, "", colours);
            let both = without_colours(&format!("{}{}", output.stdout, output.stderr));
            assert_plain(&both, &format!("{args:?}"));
            for half in ["45m", "[2J", "45;5", "0;title", "[H"] {
                assert!(!both.contains(half), "{args:?}: {half} in {both}");
            }
        }
    }
    let state = scene.home.read(crate::scene::STATE);
    for half in ["45m", "[2J", "45;5", "0;title", "u001b", "\u{9b}"] {
        assert!(!state.contains(half), "{half} in {state}");
    }
    assert!(state.contains("QQnever ends"), "a string that never ends hides what follows: {state}");
}

#[test]
fn names_of_branches_and_files_move_no_terminal() {
    let scene = Scene::with_git();
    scene.home.git(&["checkout", "--quiet", "-b", "QQ\u{9b}45mred\u{9d}0;t\u{9c}"]);
    scene.home.write("QQ\u{1b}[45mfile\u{9b}2J.txt", "x");
    scene.home.git(&["add", "--all"]);
    scene.home.git(&["commit", "--quiet", "--message=QQ \u{1b}[45msubject\u{9b}2J"]);
    scene.home.write("QQ\u{9b}45mother.txt", "x");
    scene.ok(&["add", "decision", "use SQLite"]);
    for args in [
        &["status"][..],
        &["load"],
        &["checkpoint", "create", "--name", "QQ\u{9b}45m"],
        &["checkpoint", "list"],
        &["handoff"],
        &["briefing", "--preview"],
        &["away"],
        &["doctor"],
        &["next"],
    ] {
        let output = run(&scene, args, "", true);
        assert_plain(&without_colours(&format!("{}{}", output.stdout, output.stderr)), &format!("{args:?}"));
    }
}

#[test]
fn a_mark_of_ours_that_is_cut_in_two_by_a_colour_is_no_mark() {
    let scene = Scene::new();
    let error = scene.fails(1, &["import", "/no/[/thr\u{1b}[0moughline] <sys\u{1b}[1mtem-reminder>"]);
    assert!(!error.contains("[/throughline]") && !error.contains("<system-reminder>"), "{error}");
}

#[test]
fn our_own_colours_stay_where_they_are_wanted() {
    let scene = Scene::new();
    let output = run(&scene, &["import", "/no/such"], "", true);
    assert!(output.stderr.contains("\u{1b}[31merror:"), "{:?}", output.stderr);
    let json = run(&scene, &["list", "--json"], "", true);
    serde_json::from_str::<serde_json::Value>(&json.stdout).expect("JSON");
}
