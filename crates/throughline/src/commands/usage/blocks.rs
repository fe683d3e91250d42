//! Blocks: the five-hour windows in which the maker limits use, the running one with its pace.

use serde_json::{Value, json};
use throughline_domain::time::iso;
use throughline_usage::plot;
use throughline_usage::report::blocks::{Block, Pace, blocks};
use throughline_usage::report::{Dimension, Query, Totals};
use throughline_usage::table::{Cell, Sheet};

use super::ask::{Ask, Form};
use super::columns::{cells, column, columns, model_names};
use super::show;
use super::source::Source;
use crate::failure::Failure;
use crate::output::{self, DIM, GOOD, styled};

const BAR_CELLS: usize = 16;
/// Blocks in a table; JSON and CSV have them all.
const ROWS_SHOWN: usize = 20;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only the block that is running now
    #[arg(long)]
    active: bool,
    /// All blocks in the table, not only the latest 20
    #[arg(long)]
    all: bool,
}

pub(super) fn run(source: &Source, ask: &Ask, args: &Args) -> Result<(), Failure> {
    let slices = source.slices(&Query { by: vec![Dimension::Slot], ..ask.query() })?;
    let mut found = blocks(&slices, &ask.prices, ask.now);
    found.retain(|block| block.is_active || !args.active);
    let mut total = Totals::default();
    for block in &found {
        total.merge(&block.totals);
    }
    match ask.form {
        Form::Json => show::json(ask, "blocks", found.iter().map(|block| row(block, ask)).collect(), &total),
        Form::Csv => output::say(&sheet(&found, &total, ask).csv()),
        Form::Table if found.is_empty() && args.active => output::say("no block is running"),
        Form::Table if found.is_empty() => show::nothing(),
        Form::Table => {
            let hidden = if args.all { 0 } else { found.len().saturating_sub(ROWS_SHOWN) };
            show::table(&sheet(&found[hidden..], &total, ask))?;
            if hidden > 0 {
                output::remark(&styled(
                    DIM,
                    &format!("{hidden} earlier ones are in the total; --all shows them"),
                ));
            }
            if let Some(block) = found.last().filter(|block| block.is_active) {
                output::say(&running(block, ask))?;
            }
            show::unknown_models(&total.cost)
        }
    }
}

/// What is to be said of the running block.
fn running(block: &Block, ask: &Ask) -> String {
    let ends = ask.local(block.end);
    let Some(pace) = block.pace(ask.now) else {
        return styled(GOOD, &format!("running until {ends}"));
    };
    let mut projected = block.totals.cost.clone();
    projected.known = pace.cost_projected;
    let per_hour = throughline_usage::report::Cost { known: pace.cost_per_hour, ..projected.clone() };
    styled(
        GOOD,
        &format!(
            "running until {ends} ({} h {} min left): {} tokens a minute, {} an hour; at this pace {} tokens, {}",
            pace.minutes_left / 60,
            pace.minutes_left % 60,
            plot::short(pace.tokens_per_minute),
            per_hour.text(),
            plot::short(pace.tokens_projected),
            projected.text(),
        ),
    )
}

fn row(block: &Block, ask: &Ask) -> Value {
    let pace = block.pace(ask.now);
    let names = json!({
        "start": iso(block.start),
        "end": iso(block.end),
        "is_active": block.is_active,
        "pace": pace.map(|pace| pace_json(&pace)),
    });
    show::row(names, &block.totals)
}

fn pace_json(pace: &Pace) -> Value {
    json!({
        "tokens_per_minute": pace.tokens_per_minute,
        "cost_usd_per_hour": pace.cost_per_hour.dollars(),
        "minutes_left": pace.minutes_left,
        "projected_tokens": pace.tokens_projected,
        "projected_cost_usd": pace.cost_projected.dollars(),
    })
}

fn sheet(found: &[Block], total: &Totals, ask: &Ask) -> Sheet {
    let mut all = vec![column("start", "block from", 0, false), column("end", "", 0, false)];
    all.extend(columns());
    all.push(column("", "cost of the block", 7, false));
    all.push(column("models", "models", 8, false));
    let most = found.iter().map(|block| block.totals.cost.known).max().unwrap_or_default().dollars();
    let rows = found.iter().map(|block| {
        let mut row = vec![Cell::Text(ask.local(block.start)), Cell::Text(ask.local(block.end))];
        row.extend(cells(&block.totals));
        row.push(Cell::Text(plot::bar(block.totals.cost.known.dollars(), most, BAR_CELLS)));
        row.push(model_names(&block.totals));
        row
    });
    let mut sum = vec![Cell::Text("total".to_owned()), Cell::Empty];
    sum.extend(cells(total));
    sum.extend([Cell::Empty, Cell::Empty]);
    Sheet { columns: all, rows: rows.collect(), total: Some(sum) }
}
