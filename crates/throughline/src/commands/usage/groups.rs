//! Groups: a line for each model, project, agent, machine or person.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use throughline_agents::agent::Agent;
use throughline_usage::plot;
use throughline_usage::report::totals::named;
use throughline_usage::report::{Dimension, Query, Slice, Totals, grouped};
use throughline_usage::table::{Cell, Sheet};

use super::ask::{Ask, Form};
use super::columns::{cells, column, columns, model_names};
use super::show;
use super::source::Source;
use crate::failure::Failure;
use crate::output;

const BAR_CELLS: usize = 16;

pub(super) fn models(source: &Source, ask: &Ask) -> Result<(), Failure> {
    let slices = source.slices(&ask.query())?;
    let groups = grouped(&slices, &ask.prices, |slice| Some(named(&slice.model).to_owned()));
    report(ask, "models", "model", groups, &Totals::of(&slices, &ask.prices))
}

pub(super) fn projects(source: &Source, ask: &Ask) -> Result<(), Failure> {
    let slices = source.slices(&Query { by: vec![Dimension::Project], ..ask.query() })?;
    let groups = grouped(&slices, &ask.prices, |slice| slice.project.clone());
    report(ask, "projects", "project", groups, &Totals::of(&slices, &ask.prices))
}

pub(super) fn agents(source: &Source, ask: &Ask) -> Result<(), Failure> {
    let slices = source.slices(&Query { by: vec![Dimension::Agent], ..ask.query() })?;
    let groups = grouped(&slices, &ask.prices, |slice| {
        Some(Agent::of_session(slice.agent.as_deref().unwrap_or_default()).title.to_owned())
    });
    report(ask, "agents", "agent", groups, &Totals::of(&slices, &ask.prices))
}

pub(super) fn machines(source: &Source, ask: &Ask) -> Result<(), Failure> {
    of_fleet(source, ask, ("machines", "machine"), Dimension::Machine, |slice| slice.machine.clone())
}

pub(super) fn users(source: &Source, ask: &Ask) -> Result<(), Failure> {
    of_fleet(source, ask, ("users", "user"), Dimension::User, |slice| slice.user.clone())
}

/// What only a fleet tells apart. Who sent without a name is one of them, too.
fn of_fleet(
    source: &Source,
    ask: &Ask,
    (name, one): (&str, &'static str),
    by: Dimension,
    key: impl Fn(&Slice) -> Option<String>,
) -> Result<(), Failure> {
    if !source.is_fleet() {
        return Err(Failure::new(format!("`usage {name}` needs a fleet: here is one machine only"))
            .hint(format!("`throughline usage --from fleet {name}`; `throughline usage sync --help` says how to have one")));
    }
    let slices = source.slices(&Query { by: vec![by], ..ask.query() })?;
    let groups =
        grouped(&slices, &ask.prices, |slice| Some(key(slice).unwrap_or_else(|| "(no name)".to_owned())));
    report(ask, name, one, groups, &Totals::of(&slices, &ask.prices))
}

fn report(
    ask: &Ask,
    name: &str,
    one: &'static str,
    groups: BTreeMap<String, Totals>,
    total: &Totals,
) -> Result<(), Failure> {
    let mut groups: Vec<(String, Totals)> = groups.into_iter().collect();
    groups.sort_by_key(|(name, totals)| {
        (std::cmp::Reverse((totals.cost.known, totals.tokens.total())), name.clone())
    });
    match ask.form {
        Form::Json => {
            let row = |(name, totals): &(String, Totals)| {
                let Value::Object(mut row) = show::row(json!({ one: name }), totals) else {
                    return Value::Null;
                };
                if one == "model" {
                    row.remove("models");
                }
                Value::Object(row)
            };
            show::json(ask, name, groups.iter().map(row).collect(), total)
        }
        Form::Csv => output::say(&sheet(one, &groups, total).csv()),
        Form::Table if groups.is_empty() => show::nothing(),
        Form::Table => {
            show::table(&sheet(one, &groups, total))?;
            show::unknown_models(&total.cost)
        }
    }
}

/// The table of groups, with each one's share as a bar.
pub(super) fn sheet(one: &'static str, groups: &[(String, Totals)], total: &Totals) -> Sheet {
    let mut all = vec![column(one, one, 0, false)];
    all.extend(columns());
    all.push(column("", "share of the cost", 7, false));
    if one == "project" {
        all.push(column("models", "models", 8, false));
    }
    let whole = total.cost.known.dollars();
    let row = |name: Cell, totals: &Totals, bar: String| {
        let mut row = vec![name];
        row.extend(cells(totals));
        row.push(Cell::Text(bar));
        if one == "project" {
            row.push(model_names(totals));
        }
        row
    };
    let rows = groups.iter().map(|(name, totals)| {
        row(Cell::Path(name.clone()), totals, plot::bar(totals.cost.known.dollars(), whole, BAR_CELLS))
    });
    let mut total = row(Cell::Text("total".to_owned()), total, String::new());
    if one == "project" {
        total.pop();
        total.push(Cell::Empty);
    }
    Sheet { columns: all, rows: rows.collect(), total: Some(total) }
}
