//! Shows sheets and sums in the form that was asked for.

use std::io::IsTerminal;

use rustix::termios::tcgetwinsize;
use serde_json::{Map, Value, json};
use throughline_usage::report::{Cost, Totals};
use throughline_usage::table::Sheet;

use super::ask::Ask;
use crate::failure::Failure;
use crate::output::{self, DIM, HEAD, WARN, styled};

/// Where nobody says how wide the output is.
const WIDTH_USUAL: usize = 120;
const WIDTH_MIN: usize = 40;

/// How many characters a line may have.
pub(super) fn width() -> usize {
    let stdout = std::io::stdout();
    let of_terminal =
        || tcgetwinsize(&stdout).ok().map(|size| usize::from(size.ws_col)).filter(|width| *width > 0);
    let of_variable = || std::env::var("COLUMNS").ok()?.parse().ok();
    let width = if stdout.is_terminal() { of_terminal().or_else(of_variable) } else { of_variable() };
    width.unwrap_or(WIDTH_USUAL).max(WIDTH_MIN)
}

/// A sheet as a table.
pub(super) fn table(sheet: &Sheet) -> Result<(), Failure> {
    let lines = sheet.lines(width());
    output::say(&styled(HEAD, &lines.head))?;
    for row in &lines.rows {
        output::say(row)?;
    }
    if let Some(total) = &lines.total {
        output::say(&styled(HEAD, total))?;
    }
    Ok(())
}

/// Says which models' prices are missing from a sum.
pub(super) fn unknown_models(cost: &Cost) -> Result<(), Failure> {
    if cost.is_complete() {
        return Ok(());
    }
    let names: Vec<&str> = cost.unknown_models.iter().map(String::as_str).collect();
    let what = if names.len() == 1 { "unknown model" } else { "unknown models" };
    let said = format!(
        "{what}: tokens counted, cost not ({}); `throughline usage prices` tells more",
        names.join(", ")
    );
    output::say(&styled(WARN, &said))
}

/// Nothing was used.
pub(super) fn nothing() -> Result<(), Failure> {
    output::say("nothing was used in that time")?;
    output::remark(&styled(DIM, "`throughline backfill` says which transcripts were found"));
    Ok(())
}

/// A report as JSON: what was asked, the rows, the sum.
pub(super) fn json(ask: &Ask, name: &str, rows: Vec<Value>, total: &Totals) -> Result<(), Failure> {
    let mut report = head(ask, name);
    report.insert(name.to_owned(), Value::Array(rows));
    report.insert("total".to_owned(), Value::Object(total.json()));
    output::say_json(&Value::Object(report))
}

/// What every report says about itself.
pub(super) fn head(ask: &Ask, name: &str) -> Map<String, Value> {
    let fields = json!({
        "report": name,
        "zone": ask.zone_name(),
        "since": ask.since.map(|date| date.to_string()),
        "until": ask.until.map(|date| date.to_string()),
        "prices_date": ask.prices.date,
    });
    if let Value::Object(fields) = fields { fields } else { Map::new() }
}

/// A row of totals with its name in front.
pub(super) fn row(names: Value, totals: &Totals) -> Value {
    let mut row = if let Value::Object(names) = names { names } else { Map::new() };
    row.extend(totals.json());
    Value::Object(row)
}
