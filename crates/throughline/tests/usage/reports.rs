//! Reports: local days, filters, forms, widths.

use serde_json::Value;

use crate::history::{History, Said};

/// Two responses on either side of midnight in Berlin, and one of another project.
fn history() -> History {
    let mut history = History::new();
    history.said("s1.jsonl", &Said::new(1, "s1", "2026-02-03T22:59:59.999Z"));
    history.said("s1.jsonl", &Said::new(2, "s1", "2026-02-03T23:00:00.000Z"));
    let other = Said::new(3, "s2", "2026-02-05T10:00:00.000Z");
    let mut line = other.line(other.tokens[1], "u");
    line["cwd"] = "/home/me/other".into();
    line["message"]["model"] = "claude-haiku-4-5-20251001".into();
    history.append("../-home-me-other/s2.jsonl", format!("{line}\n"));
    history.count(&other.id, other.tokens);
    history
}

fn days(report: &Value) -> Vec<(String, u64)> {
    let rows = report["days"].as_array().unwrap();
    rows.iter()
        .map(|row| (row["date"].as_str().unwrap().to_owned(), row["responses"].as_u64().unwrap()))
        .collect()
}

#[test]
fn days_are_local_days() {
    let mut history = history();
    let named = |date: &str, responses: u64| (date.to_owned(), responses);
    let utc = history.json(&["usage", "days", "--json", "--zone", "UTC"]);
    assert_eq!(days(&utc), [named("2026-02-03", 2), named("2026-02-05", 1)]);
    // A rule in place of a name, as TZ may hold it: no database of time zones is needed.
    history.home.set_env("TZ", "CET-1CEST,M3.5.0,M10.5.0/3");
    let berlin = history.json(&["usage", "days", "--json"]);
    assert_eq!(days(&berlin), [named("2026-02-03", 1), named("2026-02-04", 1), named("2026-02-05", 1)]);
    assert_eq!(utc["total"]["total_tokens"], berlin["total"]["total_tokens"]);
    let one = history.json(&["usage", "days", "--json", "--since", "2026-02-04", "--until", "20260204"]);
    assert_eq!(days(&one), [named("2026-02-04", 1)]);
}

#[test]
fn a_zone_that_does_not_exist_and_a_day_that_is_none_are_explained() {
    let history = history();
    let output = history.run(&["usage", "days", "--zone", "Mars/Olympus"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.contains("no time zone `Mars/Olympus`"), "{}", output.stderr);
    let output = history.run(&["usage", "days", "--since", "soon"]);
    assert!(output.stderr.contains("`soon` is no date"), "{}", output.stderr);
    let output = history.run(&["usage", "days", "--since", "3m"]);
    assert!(output.stderr.contains("write 3min or 3mo"), "{}", output.stderr);
    let output = history.run(&["usage", "--since", "2026-02-02", "--until", "2026-02-01"]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn projects_and_models_are_told_apart_and_can_be_asked_for() {
    let history = history();
    let projects = history.json(&["usage", "projects", "--json"]);
    let mut names: Vec<&str> =
        projects["projects"].as_array().unwrap().iter().map(|it| it["project"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["/home/me/app", "/home/me/other"]);
    let responses = |args: &[&str]| history.json(args)["total"]["responses"].as_u64().unwrap();
    assert_eq!(responses(&["usage", "days", "--json", "--project", "other"]), 1);
    assert_eq!(responses(&["--project", "/home/me", "usage", "days", "--json"]), 3);
    assert_eq!(responses(&["usage", "days", "--json", "--model", "opus"]), 2);
}

#[test]
fn tables_fit_the_terminal_and_have_no_colours_where_none_are_wanted() {
    let mut history = history();
    for columns in ["200", "100", "70", "40"] {
        history.home.set_env("COLUMNS", columns);
        for report in ["days", "sessions", "models", "projects", "blocks"] {
            let table = history.ok(&["usage", report]);
            let widest = table.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(columns == "40" || widest <= columns.parse().unwrap(), "{report} at {columns}:\n{table}");
            assert!(!table.contains('\u{1b}'), "{table}");
        }
    }
}

#[test]
fn every_report_speaks_csv_and_json() {
    let history = history();
    for report in ["today", "days", "sessions", "models", "projects", "blocks", "analyze"] {
        history.json(&["usage", report, "--json"]);
        let csv = history.ok(&["usage", report, "--csv"]);
        let fields: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
        assert!(fields.iter().all(|count| *count == fields[0]), "{report}: {csv}");
    }
    let csv = history.ok(&["usage", "days", "--csv"]);
    assert!(csv.lines().nth(1).unwrap().starts_with("2026-02-03,2,"), "{csv}");
    let glance = history.json(&["usage", "--json"]);
    assert!(glance["today"]["responses"].is_u64());
}

#[test]
fn blocks_last_five_hours_from_the_full_hour() {
    let history = history();
    let report = history.json(&["usage", "blocks", "--json"]);
    let blocks: Vec<(&str, u64)> = report["blocks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["start"].as_str().unwrap(), it["responses"].as_u64().unwrap()))
        .collect();
    assert_eq!(blocks, [("2026-02-03T22:00:00.000Z", 2), ("2026-02-05T10:00:00.000Z", 1)]);
}

#[test]
fn at_a_glance_a_week_without_use_names_the_last_one() {
    let history = history();
    let said = history.ok(&["usage"]);
    let line = said.lines().last().unwrap();
    assert!(line.starts_with("last use 2026-02-05, "), "{said}");
    assert!(line.ends_with(" days ago: throughline usage days"), "{said}");
    let nothing = History::new().ok(&["usage"]);
    assert!(!nothing.contains("last use"), "{nothing}");
}
