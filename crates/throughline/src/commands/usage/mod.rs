//! `usage`: what was used and what it cost, by day, session, model, project and five-hour block.

mod analyze;
mod ask;
mod blocks;
mod columns;
mod days;
mod fleet;
mod glance;
mod groups;

mod prices;
mod sessions;
mod show;
mod source;
mod sync;

use std::path::Path;
use std::time::Duration;

use throughline_engine::place::Place;
use throughline_store::usage::UsageStore;

use crate::failure::Failure;
use crate::output;
use ask::{Ask, Filter};
use source::Source;

/// How long a report waits for somebody who writes.
const STORE_WAIT: Duration = Duration::from_secs(10);

/// Show what was used and what it cost, from the agent's own transcripts
///
/// Without a report: today and the last seven days at a glance. Every report first reads what the agent wrote since the
/// last one (`--no-update` leaves that out). Each response of the API is counted once, subagents' included. Days are
/// local days. A model without a known price is shown as unknown, and a sum that lacks it as a lower bound (≥).
///
/// cache: of everything that was read (from the cache, into it, or past it), the percentage that came from the cache.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throughline usage                                  # today, and the last seven days
  throughline usage days --since 30d                 # a line and a bar for each day
  throughline usage days --zone Europe/Berlin --csv  # for a spreadsheet
  throughline usage sessions --above 80              # sessions whose context was 80 % full or more
  throughline usage models --since 2026-01-01 --json
  throughline usage --project my-app blocks          # five-hour blocks of one project
  throughline usage --from fleet users --since 7d    # the whole fleet, by person
  throughline usage analyze                          # when compactions came, and what they left")]
pub(crate) struct Args {
    #[command(flatten)]
    filter: Filter,
    #[command(subcommand)]
    report: Option<Report>,
}

#[derive(Debug, clap::Subcommand)]
enum Report {
    /// Today, by model
    Today,
    /// A line for each day
    Days,
    /// A line for each session, the latest last, with how full its context was
    Sessions(sessions::Args),
    /// A line for each model
    Models,
    /// A line for each project
    Projects,
    /// A line for each agent: Claude Code, Codex CLI, …
    Agents,
    /// A line for each machine of a fleet (with --from)
    Machines,
    /// A line for each person of a fleet (with --from)
    Users,
    /// Five-hour blocks, in which the maker limits use; the running one with its pace
    Blocks(blocks::Args),
    /// When compactions came and what they left: average, range, ratio, distribution, trend
    Analyze,
    /// The table of prices, its date and its source; or another one in its place
    Prices(prices::Args),
    Sync(sync::Args),
}

pub(crate) fn run(place: &Place, project: Option<&Path>, args: &Args) -> Result<(), Failure> {
    if let Some(Report::Prices(prices_args)) = &args.report {
        return prices::run(place, &args.filter, prices_args);
    }
    if let Some(Report::Sync(sync_args)) = &args.report {
        return sync::run(place, &args.filter, sync_args);
    }
    let ask = Ask::new(place, project, &args.filter)?;
    let source = match &args.filter.from {
        Some(from) => Source::fleet(place, from)?,
        None => Source::Local(up_to_date(place, &args.filter)?),
    };
    match &args.report {
        None => glance::run(&source, &ask),
        Some(Report::Today) => days::today(&source, &ask),
        Some(Report::Days) => days::run(&source, &ask),
        Some(Report::Sessions(args)) => sessions::run(&source, &ask, args),
        Some(Report::Models) => groups::models(&source, &ask),
        Some(Report::Projects) => groups::projects(&source, &ask),
        Some(Report::Agents) => groups::agents(&source, &ask),
        Some(Report::Machines) => groups::machines(&source, &ask),
        Some(Report::Users) => groups::users(&source, &ask),
        Some(Report::Blocks(args)) => blocks::run(&source, &ask, args),
        Some(Report::Analyze) => analyze::run(&source, &ask),
        Some(Report::Prices(_) | Report::Sync(_)) => Ok(()),
    }
}

/// This machine's store, with what the agent wrote since the last time unless nobody wants that.
fn up_to_date(place: &Place, filter: &Filter) -> Result<UsageStore, Failure> {
    let mut store = open_store(place)?;
    if !filter.no_update {
        catch_up(place, &mut store);
    }
    Ok(store)
}

/// Opens the store of usage.
pub(crate) fn open_store(place: &Place) -> Result<UsageStore, Failure> {
    Ok(UsageStore::open(&place.home.archive(), STORE_WAIT)?)
}

/// Reads what is new. What cannot be read now is read next time; a report of what is there is better than none.
pub(crate) fn catch_up(place: &Place, store: &mut UsageStore) {
    match throughline_engine::intake::usage::catch_up(
        place,
        store,
        &mut crate::progress::Progress::on_terminal(),
    ) {
        Ok(done) => {
            if let Some((path, what)) = done.problems.first() {
                let more = match done.problems_count {
                    1 => String::new(),
                    count => format!(" (and {} more)", count - 1),
                };
                let hint = "`throughline backfill` lists what is passed over";
                output::warn(&format!("{}: {what}{more}; {hint}", path.display()));
            }
        }
        Err(error) => output::warn(&format!("what is new is not in this report: {error}")),
    }
}
