//! The README says what is so: its configuration, its commands.

use std::collections::BTreeSet;

use std::process::Command;

use tempfile::NamedTempFile;
use throughline_store::config::{Allowed, Config};

const README: &str = include_str!("../../../../README.md");

fn block(language: &str) -> &'static str {
    let (_, rest) = README.split_once(&format!("```{language}\n")).expect("a code block in that language");
    rest.split_once("```").expect("the block's end").0
}

fn help() -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_throughline")).arg("--help").output().expect("help");
    String::from_utf8(output.stdout).expect("help is text")
}

/// The verbs that help lists, without the one that only the agent calls.
fn verbs() -> BTreeSet<String> {
    let help = help();
    let (_, rest) = help.split_once("Commands:\n").expect("the list of verbs");
    let (list, _) = rest.split_once("\n\n").expect("its end");
    let named = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let verbs = named.filter_map(|line| line.split_whitespace().next()).map(str::to_owned);
    verbs.filter(|verb| !matches!(verb.as_str(), "help" | "hook")).collect()
}

#[test]
fn the_configuration_it_shows_is_the_default_and_complete() {
    let file = NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut file.as_file(), block("toml").as_bytes()).unwrap();
    let (config, problems) = Config::load(
        Some(file.path()),
        &throughline_store::door::Spot::root("/nonexistent"),
        &Allowed::default(),
    );
    assert_eq!(problems, []);
    assert_eq!(config, Config::default());
    let sections = serde_json::to_value(Config::default()).unwrap();
    for (section, keys) in sections.as_object().unwrap() {
        for key in keys.as_object().unwrap().keys() {
            assert!(block("toml").contains(&format!("\n{key} = ")), "{section}.{key} is missing");
        }
    }
}

#[test]
fn every_verb_has_its_place_and_every_command_it_shows_exists() {
    let verbs = verbs();
    for verb in &verbs {
        let shown =
            [format!("throughline {verb}"), format!("`{verb} "), format!("`{verb}`"), format!("-- {verb}")];
        assert!(shown.iter().any(|form| README.contains(form.as_str())), "`{verb}` is not in the README");
    }
    let words = README.split("`throughline ").skip(1);
    for word in words.filter_map(|rest| rest.split([' ', '`']).next()) {
        assert!(verbs.contains(word) || word == "<command>", "`throughline {word}` does not exist");
    }
}

#[test]
fn the_commands_that_record_and_withdraw_work_as_it_shows_them() {
    let home = tempfile::tempdir().unwrap();
    let shown = [
        r#"add decision "Use SQLite" --rationale "one file""#,
        r#"add constraint "x" --source user --blocking"#,
        r#"add question "x" --priority high"#,
        r#"add evidence "x" --type error --source "npm test""#,
        r#"add highlight "x""#,
        r#"add action "x""#,
        r#"set work --id SD-1 --title "Docs" --phase EXEC --progress 0.75"#,
        r#"resolve Q1 "port 8080""#,
        "done P1",
        "lift C1",
        r#"supersede D1 "Use PostgreSQL""#,
        r#"edit D2 "…""#,
        "rm H1",
        "list decisions",
        "list --all",
        "briefing --preview",
        "completions bash",
    ];
    for line in shown {
        // What stands between quotation marks is one word.
        let pieces = line.split('"').enumerate();
        let words: Vec<&str> = pieces
            .flat_map(
                |(at, piece)| if at % 2 == 1 { vec![piece] } else { piece.split_whitespace().collect() },
            )
            .collect();
        let mut command = Command::new(env!("CARGO_BIN_EXE_throughline"));
        command.args(&words).env_clear().env("HOME", home.path()).env("PATH", "/usr/bin:/bin");
        let output = command.current_dir(home.path()).output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
