//! Prices: unknown ones are said to be unknown, newer ones can be put in place and taken away again.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::history::{History, Said};

fn two_models() -> History {
    let mut history = History::new();
    let mut known = Said::new(1, "s1", "2026-02-03T10:00:00.000Z");
    known.tokens = [0, 1_000_000, 0, 0, 0];
    history.said("s1.jsonl", &known);
    let mut unknown = Said::new(2, "s1", "2026-02-03T10:01:00.000Z");
    unknown.model = "claude-next-9".into();
    unknown.tokens = [0, 1_000_000, 0, 0, 0];
    history.said("s1.jsonl", &unknown);
    history
}

#[test]
fn an_unknown_model_is_unknown_in_tables_json_csv_and_sums() {
    let history = two_models();
    let table = history.ok(&["usage", "models"]);
    assert!(table.contains("unknown") && table.contains("≥ $25.00"), "{table}");
    assert!(table.contains("unknown model: tokens counted, cost not (claude-next-9)"), "{table}");
    let report = history.json(&["usage", "models", "--json"]);
    let of = |name: &str| {
        report["models"].as_array().unwrap().iter().find(|it| it["model"] == name).unwrap().clone()
    };
    assert_eq!(of("claude-next-9")["cost_usd"], Value::Null);
    assert_eq!(of("claude-opus-4-6")["cost_usd"], json!(25.0));
    assert_eq!(report["total"]["cost_is_complete"], false);
    let csv = history.ok(&["usage", "models", "--csv"]);
    let line = csv.lines().find(|line| line.starts_with("claude-next-9")).unwrap();
    assert!(line.ends_with(",,claude-next-9"), "no cost, and why: {line}");
}

#[test]
fn newer_prices_come_before_the_built_in_ones_until_they_are_reset() {
    let history = two_models();
    let file = history.home.root().join("prices.json");
    let own = json!({"form": 1, "date": "2027-01-01", "source": "mine", "models": {"claude-next-9": {"input": 1, "output": 4}}});
    fs::write(&file, own.to_string()).unwrap();
    history.ok(&["usage", "prices", "--update", file.to_str().unwrap()]);
    let report = history.json(&["usage", "models", "--json"]);
    assert_eq!(
        (report["total"]["cost_usd"].clone(), report["prices_date"].clone()),
        (json!(29.0), json!("2027-01-01"))
    );
    let shown = history.ok(&["usage", "prices", "--model", "next"]);
    assert!(
        shown.contains("claude-next-9") && shown.contains("mine") && shown.contains("LiteLLM"),
        "{shown}"
    );
    // What --json prints can be given back.
    let text = history.ok(&["usage", "prices", "--json"]);
    let binary = Path::new(env!("CARGO_BIN_EXE_throughline"));
    history.home.run(binary, &["usage", "prices", "--update", "-"], &text).assert_success();
    history.ok(&["usage", "prices", "--reset"]);
    assert_eq!(history.json(&["usage", "models", "--json"])["total"]["cost_usd"], json!(25.0));
}

#[test]
fn what_is_no_table_changes_nothing() {
    let history = two_models();
    let file = history.home.root().join("prices.json");
    fs::write(&file, "{\"form\":1,\"date\":\"\",\"source\":\"\",\"models\":{\"m\":{\"input\":-4}}}").unwrap();
    let output = history.run(&["usage", "prices", "--update", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.contains("-4 is no price (m)"), "{}", output.stderr);
    // One that was broken by hand is left aside, with a word.
    fs::create_dir_all(history.home.config().join("throughline")).unwrap();
    fs::write(history.home.config().join("throughline/prices.json"), "{").unwrap();
    let output = history.run(&["usage", "models", "--json"]);
    output.assert_success();
    assert!(output.stderr.contains("is left aside"), "{}", output.stderr);
}
