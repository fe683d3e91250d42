//! Prices: the table that costs are worked out with, and another one in its place.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use throughline_domain::Timestamp;
use throughline_engine::place::Place;
use throughline_store::door::outside;
use throughline_store::files::{self, Durability};
use throughline_usage::prices::{Model, Rates, Table};
use throughline_usage::table::{Cell, Sheet};

use super::ask::Filter;
use super::columns::column;
use super::show;
use crate::failure::Failure;
use crate::given;
use crate::output::{self, DIM, styled};

/// Largest file of prices: LiteLLM's has some three million bytes.
const PRICES_BYTES_MAX: u64 = throughline_domain::limits::PRICES_BYTES_MAX;

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throughline usage prices --model opus
  curl -sL https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json \\
    | throughline usage prices --update -
  throughline usage prices --update my-prices.json   # {\"form\":1,\"date\":…,\"source\":…,\"models\":{…}}")]
pub(super) struct Args {
    /// Take prices from this file (- for standard input): a table as --json prints it, or LiteLLM's price list
    #[arg(long, value_name = "FILE")]
    update: Option<PathBuf>,
    /// Forget the prices that --update took
    #[arg(long, conflicts_with = "update")]
    reset: bool,
}

/// The table that counts: the built-in one, and what the user put in its place.
pub(super) fn table(place: &Place) -> Table {
    let mut table = Table::built_in();
    if let Some(path) = override_path(place) {
        match read_override(&path) {
            Ok(Some(own)) => {
                table.date.clone_from(&own.date);
                table.override_with(own);
            }
            Ok(None) => {}
            Err(what) => output::warn(&format!("{} is left aside: {what}", path.display())),
        }
    }
    table
}

pub(super) fn run(place: &Place, filter: &Filter, args: &Args) -> Result<(), Failure> {
    if let Some(source) = &args.update {
        return update(place, source);
    }
    if args.reset {
        return reset(place);
    }
    let built_in = Table::built_in();
    let own = override_path(place).and_then(|path| read_override(&path).ok().flatten());
    let mut table = table(place);
    if let Some(wanted) = &filter.model {
        table.models.retain(|name, _| name.contains(wanted.as_str()));
    }
    if filter.json {
        let value: Value = serde_json::from_str(&table.text()).unwrap_or_default();
        return output::say_json(&value);
    }
    let sheet = sheet(&table);
    if filter.csv {
        return output::say(&sheet.csv());
    }
    output::say("dollars for a million tokens")?;
    show::table(&sheet)?;
    output::say(&styled(DIM, &format!("built in: {}, {}", built_in.date, built_in.source)))?;
    if let (Some(own), Some(path)) = (own, override_path(place)) {
        output::say(&styled(DIM, &format!("before it: {}, {} ({})", own.date, own.source, path.display())))?;
    }
    Ok(())
}

fn update(place: &Place, source: &Path) -> Result<(), Failure> {
    let name = given::name(source);
    let bytes = given::read(source, PRICES_BYTES_MAX)?;
    let today = Timestamp::now().strftime("%Y-%m-%d").to_string();
    let own = Table::parse(&String::from_utf8_lossy(&bytes), &today).map_err(|no| {
        Failure::new(format!("could not take prices from {name}: {}", no.0))
            .hint("nothing was changed; `throughline usage prices --json` shows the form of a table")
    })?;
    let path = override_path(place).ok_or_else(super::super::no_home)?;
    let spot = outside::resolved(&path);
    if let Some(folder) = spot.parent() {
        files::create_folder(&folder)?;
    }
    files::replace(&spot, own.text().as_bytes(), Durability::Flushed)?;
    output::say(&format!("{} models' prices of {} are in {}", own.models.len(), own.date, path.display()))
}

fn reset(place: &Place) -> Result<(), Failure> {
    let Some(path) = override_path(place).filter(|path| path.exists()) else {
        return output::say("there were no prices but the built-in ones");
    };
    files::remove(&outside::at(&path))?;
    output::say(&format!("{} is removed; the built-in prices count", path.display()))
}

/// Where prices of the user's own are kept.
fn override_path(place: &Place) -> Option<PathBuf> {
    place.config_folder.as_ref().map(|folder| folder.join("prices.json"))
}

fn read_override(path: &Path) -> Result<Option<Table>, String> {
    let Some(bytes) = outside::read_limited(path, PRICES_BYTES_MAX).map_err(|error| error.to_string())?
    else {
        return Ok(None);
    };
    Table::parse(&String::from_utf8_lossy(&bytes), "unknown").map(Some).map_err(|no| no.0)
}

fn sheet(table: &Table) -> Sheet {
    let columns = vec![
        column("model", "model", 0, false),
        column("input", "input", 0, true),
        column("output", "output", 0, true),
        column("cache_write_5m", "write 5 min", 0, true),
        column("cache_write_1h", "write 1 h", 0, true),
        column("cache_read", "read", 0, true),
        column("window_tokens", "window", 1, true),
        column("extras", "extras", 2, false),
    ];
    let rows = table.models.iter().map(|(name, model)| {
        let Rates { input, output, cache_write_5m, cache_write_1h, cache_read } = model.rates;
        let mut row = vec![Cell::Text(name.clone())];
        row.extend([input, output, cache_write_5m, cache_write_1h, cache_read].map(price));
        row.push(model.window.map_or(Cell::Empty, Cell::Count));
        row.push(Cell::Text(extras(model)));
        row
    });
    Sheet { columns, rows: rows.collect(), total: None }
}

fn price(dollars: Option<f64>) -> Cell {
    dollars.map_or(Cell::Empty, |dollars| {
        Cell::Text(json!(dollars).to_string().trim_end_matches(".0").to_owned())
    })
}

/// What costs more, in words.
fn extras(model: &Model) -> String {
    let over = [("100K", model.over_100k), ("200K", model.over_200k), ("272K", model.over_272k)];
    let over = over.into_iter().filter_map(|(step, rates)| {
        let rates = rates?;
        Some(format!("over {step} {}/{}", rates.input?, rates.output?))
    });
    let times = [("fast", model.fast), ("US only", model.us)];
    let times = times.into_iter().filter_map(|(name, factor)| Some(format!("{name} ×{}", factor?)));
    let search = model.web_search.map(|dollars| format!("1,000 searches {dollars}"));
    over.chain(times).chain(search).collect::<Vec<_>>().join(", ")
}
