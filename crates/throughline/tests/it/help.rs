//! Help, completions, man pages, and how the program behaves as one of many in a pipe.

use std::fs;

use expect_test::expect_file;
use throughline_testkit::process;

use crate::scene::{BINARY, Scene};

/// The verbs that a help text lists.
fn verbs_in(help: &str) -> Vec<String> {
    let commands = help.split("Commands:\n").nth(1).unwrap_or_default();
    let lines = commands.lines().take_while(|line| line.starts_with("  "));
    let names =
        lines.filter(|line| !line.starts_with("    ")).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn every_verb_explains_itself() {
    let scene = Scene::new();
    let top = scene.ok(&["--help"]);
    let mut all = format!("$ throughline --help\n{top}");
    for verb in verbs_in(&top) {
        let help = scene.ok(&[&verb, "--help"]);
        assert!(!help.trim().is_empty(), "{verb}");
        all.push_str(&format!("\n$ throughline {verb} --help\n{help}"));
        for inner in verbs_in(&help) {
            let help = scene.ok(&[&verb, &inner, "--help"]);
            all.push_str(&format!("\n$ throughline {verb} {inner} --help\n{help}"));
        }
    }
    assert!(all.lines().all(|line| line.chars().count() <= 100), "a line is too wide");
    expect_file!["snapshots/help.txt"].assert_eq(&all);
}

#[test]
fn an_unknown_verb_is_a_usage_error_with_a_suggestion() {
    let said = Scene::new().fails(2, &["decisoin"]);
    assert!(said.contains("unrecognized subcommand"), "{said}");
    assert!(Scene::new().fails(2, &["lift"]).contains("<ID>"));
}

#[test]
fn completions_for_the_shells_parse() {
    let scene = Scene::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = scene.ok(&["completions", shell]);
        assert!(script.contains("supersede") && script.contains("throughline"), "{shell}");
        let parser = match shell {
            "bash" => "bash",
            "zsh" => "zsh",
            "fish" => "fish",
            _ => continue,
        };
        let path = scene.home.write(&format!("completions.{shell}"), &script);
        let mut command = scene.home.command(parser.as_ref());
        command.arg("-n").arg(&path);
        // Bash is on every machine that builds this; the others are asked where they are.
        if shell != "bash"
            && scene
                .home
                .run("/bin/sh".as_ref(), &["-c", &format!("command -v {parser}")], "")
                .stdout
                .is_empty()
        {
            continue;
        }
        process::run(&mut command, b"", std::time::Duration::from_secs(20)).assert_success();
    }
    assert!(scene.fails(2, &["completions", "tcl"]).contains("possible values"));
}

#[test]
fn there_is_a_man_page_for_each_verb() {
    let scene = Scene::new();
    let top = scene.ok(&["man"]);
    assert!(top.starts_with(".ie") || top.contains(".TH throughline 1"), "{}", &top[..200]);
    let said = scene.ok(&["man", "--out", "man"]);
    let pages: Vec<_> =
        fs::read_dir(scene.home.project().join("man")).unwrap().map(|page| page.unwrap().path()).collect();
    assert!(said.starts_with(&format!("{} pages written", pages.len())), "{said}");
    for verb in verbs_in(&scene.ok(&["--help"])) {
        let page =
            fs::read_to_string(scene.home.project().join(format!("man/throughline-{verb}.1"))).unwrap();
        assert!(page.contains(".TH") && page.contains("NAME"), "{verb}");
        assert!(page.contains("throughline"), "{verb}");
    }
    for page in &pages {
        let text = fs::read_to_string(page).unwrap().replace("\\-", "-");
        for (before, _) in text.match_indices("(1)").map(|(at, _)| text.split_at(at)) {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
            let name = &before[before.trim_end_matches(is_name).len()..];
            let named = page.with_file_name(format!("{name}.1"));
            assert!(!name.starts_with("throughline") || named.exists(), "{} names {name}(1)", page.display());
        }
    }
    assert!(pages.iter().any(|page| page.ends_with("throughline-recall-show.1")), "{pages:?}");
    let mandoc = scene.home.run("/bin/sh".as_ref(), &["-c", "command -v mandoc"], "").stdout;
    if !mandoc.is_empty() {
        for page in pages {
            let page = page.to_string_lossy().into_owned();
            scene.home.run(mandoc.trim().as_ref(), &["-Tlint", "-Werror", &page], "").assert_success();
        }
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let scene = Scene::new();
    for number in 0..5 {
        scene.ok(&["add", "decision", &format!("decision number {number}")]);
    }
    for verb in ["list --all", "load --json", "export --all", "--help", "completions bash", "man", "status"] {
        let script = format!("set -o pipefail; '{BINARY}' {verb} | head -1; echo \"$?\"");
        let output = scene.home.run("/bin/bash".as_ref(), &["-c", &script], "");
        assert!(output.stdout.ends_with("0\n"), "{verb}: {} {}", output.stdout, output.stderr);
        assert_eq!(output.stderr, "", "{verb}");
    }
    let script = format!("'{BINARY}' list > /dev/full; echo \"$?\"");
    let output = scene.home.run("/bin/sh".as_ref(), &["-c", &script], "");
    assert_eq!(output.stdout, "1\n", "a full disk is no broken pipe");
    assert!(output.stderr.contains("standard output"), "{}", output.stderr);
}

#[test]
fn colours_come_only_where_they_are_wanted() {
    let mut scene = Scene::new();
    scene.ok(&["add", "decision", "use SQLite"]);
    assert!(!scene.ok(&["list"]).contains('\u{1b}'), "a pipe gets no colours");
    scene.home.set_env("CLICOLOR_FORCE", "1");
    assert!(scene.ok(&["list"]).contains('\u{1b}'));
    scene.home.remove_env("CLICOLOR_FORCE");
    scene.home.set_env("NO_COLOR", "1");
    assert!(!scene.ok(&["list"]).contains('\u{1b}'));
    assert!(!scene.run(&["resolve", "D9", "x"]).stderr.contains('\u{1b}'));
}
