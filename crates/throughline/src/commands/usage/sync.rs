//! `usage sync`: what this machine used goes to the fleet's database.

use std::io::{IsTerminal, Write};

use serde_json::{Value, json};
use throughline_domain::Timestamp;
use throughline_domain::usage::RecordId;
use throughline_engine::place::Place;
use throughline_fleet::sync::{Record, Sender, Source, Synced, Table, sync};
use throughline_fleet::{Error, schema};
use throughline_store::archive::ArchiveError;
use throughline_store::usage::{RowKind, UsageStore};

use super::ask::Filter;
use super::fleet;
use crate::failure::Failure;
use crate::output;

const EXAMPLES: &str = "\
The database is PostgreSQL 15 or later (Supabase too, directly or through its pooler). Its address is
THROUGHLINE_FLEET_URL, or `url` or `url_file` under [fleet] in your throughline.toml; the password may
also be in PGPASSWORD or ~/.pgpass. The tables are made on the first sync.

What is sent: how full contexts were, tokens of responses, compactions; with session, model, project and
who. Never a prompt, an answer or a file. [fleet] project = \"name\" or \"hash\" sends less of paths,
send_user and send_machine = false leave the names out.

Exit code 75: the server could not be reached; nothing is lost, and the next sync sends it.

Examples:
  throughline usage sync
  throughline usage sync --dry-run            what would be sent, without a word to the server
  throughline usage sync --print-sql | psql … the tables, made by a DBA
  */10 * * * *  throughline usage sync --quiet      (crontab)";

/// Send usage to the fleet's PostgreSQL
///
/// Sends what the fleet does not have yet, in batches; each row arrives once, however often a sync is
/// interrupted or repeated.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Only say what would be sent
    #[arg(long, conflicts_with = "print_sql")]
    dry_run: bool,
    /// Print the SQL that makes the tables, for somebody who applies it by hand
    #[arg(long)]
    print_sql: bool,
    /// Say nothing unless something is wrong; being offline is not
    #[arg(long, short)]
    quiet: bool,
}

pub(crate) fn run(place: &Place, filter: &Filter, args: &Args) -> Result<(), Failure> {
    let config = fleet::config(place);
    if args.print_sql {
        return output::say(&schema::print(&config.schema));
    }
    let address = match &filter.from {
        Some(to) => fleet::named(place, &config, to)?,
        None => fleet::address(place, &config)?,
    };
    let mut records = Records { store: super::up_to_date(place, filter)?, now: Timestamp::now() };
    let sender = Sender { agents: records.store.agents()?, ..fleet::sender(place, &config)? };
    if args.dry_run {
        return dry_run(filter, &records, &address.to_string());
    }
    let shows_progress = !args.quiet && !filter.json && std::io::stderr().is_terminal();
    let outcome = sync(&address, &sender, &mut records, &mut |rows| {
        if shows_progress {
            let _ = write!(std::io::stderr(), "\rsent {rows} rows");
        }
    });
    if shows_progress {
        let _ = write!(std::io::stderr(), "\r\x1b[2K");
    }
    match outcome {
        Ok(outcome) => tell(filter, args, &outcome, &address.server()),
        Err(error) if args.quiet && error.is_offline() => Err(Failure::silent(fleet::OFFLINE)),
        Err(error) => Err(error.into()),
    }
}

/// Counts what is there and was never sent anywhere.
fn dry_run(filter: &Filter, records: &Records, address: &str) -> Result<(), Failure> {
    let mut waiting = [0; 3];
    for table in Table::ALL {
        let kind = kind(table);
        waiting[table as usize] = records.store.last_row(kind)? - records.store.last_sent(kind)?;
    }
    let [samples, responses, compactions] = waiting;
    if filter.json {
        return output::say_json(&json!({
            "to": address,
            "waiting": { "samples": samples, "responses": responses, "compactions": compactions },
        }));
    }
    output::say(&format!(
        "would send to {address}, at most: {samples} samples, {responses} responses, {compactions} compactions"
    ))
}

fn tell(filter: &Filter, args: &Args, outcome: &Synced, server: &str) -> Result<(), Failure> {
    if filter.json {
        output::say_json(&as_json(outcome, server))?;
    } else if !args.quiet {
        output::say(&words(outcome, server))?;
    }
    for refused in &outcome.refused {
        output::warn(&format!(
            "{} row {} was refused and is left out: {}",
            refused.table.word(),
            refused.row,
            refused.why
        ));
    }
    let untold = outcome.refused_count.saturating_sub(outcome.refused.len() as u64);
    if untold > 0 {
        output::warn(&format!("{untold} more rows were refused"));
    }
    Ok(())
}

fn words(outcome: &Synced, server: &str) -> String {
    let [samples, responses, compactions] = outcome.sent;
    let mut text = if outcome.sent == [0; 3] {
        format!("nothing new for {server}")
    } else {
        format!("sent to {server}: {samples} samples, {responses} responses, {compactions} compactions")
    };
    if !outcome.migrated.is_empty() {
        text.push_str(&format!("\nmade the tables: {}", outcome.migrated.join(", ")));
    }
    if outcome.cleaned > 0 {
        text.push_str(&format!(
            "\n{} rows had something in them that no server takes; it was cut",
            outcome.cleaned
        ));
    }
    if outcome.retries > 0 {
        text.push_str(&format!("\nstarted again {} time(s) after a lost connection", outcome.retries));
    }
    text
}

fn as_json(outcome: &Synced, server: &str) -> Value {
    let [samples, responses, compactions] = outcome.sent;
    json!({
        "server": server,
        "fleet": outcome.fleet,
        "sent": { "samples": samples, "responses": responses, "compactions": compactions },
        "migrated": outcome.migrated,
        "cleaned": outcome.cleaned,
        "refused": outcome.refused_count,
        "retries": outcome.retries,
    })
}

/// The store's rows, as the fleet takes them.
struct Records {
    store: UsageStore,
    now: Timestamp,
}

fn kind(table: Table) -> RowKind {
    match table {
        Table::Samples => RowKind::Samples,
        Table::Responses => RowKind::Responses,
        Table::Compactions => RowKind::Boundaries,
    }
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` gives it away")]
fn local(error: ArchiveError) -> Error {
    Error::Source(error.to_string())
}

impl Source for Records {
    fn rows_after(&mut self, table: Table, after: i64, limit: usize) -> Result<Vec<(i64, Record)>, Error> {
        Ok(match table {
            Table::Samples => {
                let rows = self.store.samples_after(after, limit).map_err(local)?;
                rows.into_iter().map(|it| (it.row_no, Record::Sample(it.row))).collect()
            }
            Table::Responses => {
                let rows = self.store.responses_after(after, limit).map_err(local)?;
                rows.into_iter().map(|it| (it.row_no, Record::Response(it.row))).collect()
            }
            Table::Compactions => {
                let rows = self.store.boundaries_after(after, limit).map_err(local)?;
                rows.into_iter().map(|it| (it.row_no, Record::Boundary(it.row))).collect()
            }
        })
    }

    fn moved_between(&mut self, after: i64, last: i64) -> Result<Vec<(Timestamp, RecordId)>, Error> {
        self.store.moved_between(after, last).map_err(local)
    }

    fn sent(&mut self, fleet: &str, table: Table) -> Result<i64, Error> {
        self.store.sent(fleet, kind(table)).map_err(local)
    }

    fn note_sent(&mut self, fleet: &str, table: Table, row: i64) -> Result<(), Error> {
        self.store.note_sent(fleet, kind(table), row, self.now).map_err(local)
    }
}
