//! Days: a line and a bar for each local day; today by model.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde_json::json;
use throughline_usage::plot;
use throughline_usage::report::{Dimension, Query, Totals, grouped};
use throughline_usage::table::{Cell, Sheet};

use super::ask::{Ask, Form};
use super::columns::{cells, column, columns, model_names};
use super::source::Source;
use super::{groups, show};
use crate::failure::Failure;
use crate::output::{self, HEAD, styled};

const BAR_CELLS: usize = 16;

/// Every day on which something was used.
pub(super) fn by_day(source: &Source, ask: &Ask) -> Result<BTreeMap<Date, Totals>, Failure> {
    let days = ask.days();
    let query = Query { cuts: days.cuts.clone(), by: vec![Dimension::Period], ..ask.query() };
    let slices = source.slices(&query)?;
    Ok(grouped(&slices, &ask.prices, |slice| days.dates.get(slice.period?).copied()))
}

pub(super) fn run(source: &Source, ask: &Ask) -> Result<(), Failure> {
    let days = by_day(source, ask)?;
    let total = sum(&days);
    match ask.form {
        Form::Json => {
            let rows =
                days.iter().map(|(date, totals)| show::row(json!({ "date": date.to_string() }), totals));
            show::json(ask, "days", rows.collect(), &total)
        }
        Form::Csv => output::say(&sheet(&days, &total).csv()),
        Form::Table if days.is_empty() => show::nothing(),
        Form::Table => {
            show::table(&sheet(&days, &total))?;
            show::unknown_models(&total.cost)
        }
    }
}

pub(super) fn today(source: &Source, ask: &Ask) -> Result<(), Failure> {
    let today = Ask { since: Some(ask.today), until: Some(ask.today), ..ask.clone() };
    if ask.form == Form::Table {
        output::say(&styled(HEAD, &format!("today, {} ({})", ask.today, ask.zone_name())))?;
    }
    groups::models(source, &today)
}

/// All days together.
pub(super) fn sum(days: &BTreeMap<Date, Totals>) -> Totals {
    let mut total = Totals::default();
    for totals in days.values() {
        total.merge(totals);
    }
    total
}

/// The table of days.
pub(super) fn sheet(days: &BTreeMap<Date, Totals>, total: &Totals) -> Sheet {
    let mut all = vec![column("date", "", 0, false), column("", "day", 0, false)];
    all.extend(columns());
    all.push(column("", "cost of the day", 7, false));
    all.push(column("models", "models", 8, false));
    let most = days.values().map(|totals| totals.cost.known).max().unwrap_or_default().dollars();
    let row = |date: String, name: String, totals: &Totals, bar: String, models: Cell| {
        let mut row = vec![Cell::Text(date), Cell::Text(name)];
        row.extend(cells(totals));
        row.extend([Cell::Text(bar), models]);
        row
    };
    let rows = days.iter().map(|(date, totals)| {
        let name = date.strftime("%Y-%m-%d %a").to_string();
        row(
            date.to_string(),
            name,
            totals,
            plot::bar(totals.cost.known.dollars(), most, BAR_CELLS),
            model_names(totals),
        )
    });
    let total = row(String::new(), "total".to_owned(), total, String::new(), Cell::Empty);
    Sheet { columns: all, rows: rows.collect(), total: Some(total) }
}
