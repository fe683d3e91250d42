//! Sessions: what each used, and how full its context was at its fullest.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};
use throughline_domain::gauge::SessionGauge;
use throughline_engine::window::window_of;
use throughline_usage::plot;
use throughline_usage::report::{Dimension, Query, Slice, Totals, grouped};
use throughline_usage::table::{Cell, Sheet};

use super::ask::{Ask, Form};
use super::columns::{cells, column, columns, model_names};
use super::show;
use super::source::Source;
use crate::failure::Failure;
use crate::output::{self, DIM, styled};

const BAR_CELLS: usize = 10;
/// Sessions in a table; JSON and CSV have them all.
const ROWS_SHOWN: usize = 40;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only sessions whose context was at least so many percent full
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u16).range(0..=100))]
    above: Option<u16>,
    /// All sessions in the table, not only the latest 40
    #[arg(long)]
    all: bool,
}

/// One session.
struct Session {
    id: String,
    project: String,
    totals: Totals,
    gauge: Option<SessionGauge>,
    /// The fullest, in percent of the window.
    peak_percent: Option<f64>,
}

pub(super) fn run(source: &Source, ask: &Ask, args: &Args) -> Result<(), Failure> {
    let query = Query { by: vec![Dimension::Session, Dimension::Project], ..ask.query() };
    let slices = source.slices(&query)?;
    let mut sessions = sessions(&slices, source.gauges(&query)?, ask);
    if let Some(above) = args.above {
        sessions.retain(|session| session.peak_percent.is_some_and(|peak| peak >= f64::from(above)));
    }
    let mut total = Totals::default();
    for session in &sessions {
        total.merge(&session.totals);
    }
    match ask.form {
        Form::Json => show::json(ask, "sessions", sessions.iter().map(row).collect(), &total),
        Form::Csv => output::say(&sheet(&sessions, &total, ask).csv()),
        Form::Table if sessions.is_empty() && args.above.is_some() => {
            output::say("no session's context was that full")
        }
        Form::Table if sessions.is_empty() => show::nothing(),
        Form::Table => {
            let hidden = if args.all { 0 } else { sessions.len().saturating_sub(ROWS_SHOWN) };
            show::table(&sheet(&sessions[hidden..], &total, ask))?;
            if hidden > 0 {
                output::remark(&styled(
                    DIM,
                    &format!("{hidden} earlier ones are in the total; --all shows them"),
                ));
            }
            show::unknown_models(&total.cost)
        }
    }
}

/// Sessions in the order of their last responses. One that moved between projects belongs to where it used most.
fn sessions(slices: &[Slice], gauges: Vec<SessionGauge>, ask: &Ask) -> Vec<Session> {
    let mut gauges: HashMap<String, SessionGauge> =
        gauges.into_iter().map(|gauge| (gauge.session.clone(), gauge)).collect();
    let mut projects: HashMap<&str, BTreeMap<&str, u64>> = HashMap::new();
    for slice in slices {
        if let (Some(session), Some(project)) = (&slice.session, &slice.project) {
            *projects.entry(session).or_default().entry(project).or_default() += slice.tokens.total();
        }
    }
    let by_session = grouped(slices, &ask.prices, |slice| slice.session.clone());
    let mut sessions: Vec<Session> = by_session
        .into_iter()
        .map(|(id, totals)| {
            let most = projects.get(id.as_str()).and_then(|it| it.iter().max_by_key(|(_, tokens)| **tokens));
            let project = most.map(|(project, _)| (*project).to_owned()).unwrap_or_default();
            let gauge = gauges.remove(&id);
            let peak_percent =
                gauge.as_ref().map(|gauge| f64::from(gauge.peak_percent)).or_else(|| peak_of(&totals));
            Session { id, project, totals, gauge, peak_percent }
        })
        .collect();
    // Sessions that the log knows and no transcript: they have a fullness, and no tokens.
    sessions.extend(gauges.into_values().map(|gauge| Session {
        id: gauge.session.clone(),
        project: gauge.project.clone(),
        totals: Totals { last: Some(gauge.last), ..Totals::default() },
        peak_percent: Some(f64::from(gauge.peak_percent)),
        gauge: Some(gauge),
    }));
    sessions.sort_by(|left, right| (left.totals.last, &left.id).cmp(&(right.totals.last, &right.id)));
    sessions
}

/// How full the context was at its fullest, where only responses tell: of the window that its model usually has.
#[expect(clippy::cast_precision_loss, reason = "a percentage for eyes")]
fn peak_of(totals: &Totals) -> Option<f64> {
    let (model, _) = totals.models_by_weight().into_iter().next()?;
    let window = window_of(model, totals.context_peak);
    (totals.context_peak > 0).then(|| 100.0 * totals.context_peak as f64 / window as f64)
}

fn row(session: &Session) -> Value {
    let gauge = session.gauge.as_ref();
    let names = json!({
        "session": session.id,
        "project": session.project,
        "peak_percent": session.peak_percent.map(|peak| (peak * 100.0).round() / 100.0),
        "peak_percent_from": if gauge.is_some() { "samples" } else { "responses" },
        "average_percent": gauge.map(|gauge| (gauge.average_percent * 100.0).round() / 100.0),
        "peak_context_tokens": session.totals.context_peak,
        "compactions_sampled": gauge.map(|gauge| gauge.compactions),
        "client_cost_usd": gauge.and_then(|gauge| gauge.cost_micros).map(|micros| throughline_usage::money::Money::from_micros(micros).dollars()),
    });
    show::row(names, &session.totals)
}

fn sheet(sessions: &[Session], total: &Totals, ask: &Ask) -> Sheet {
    let mut all = vec![
        column("last_at", "last", 0, false),
        column("session", "", 0, false),
        column("", "session", 0, false),
        column("project", "project", 0, false),
    ];
    all.extend(columns());
    all.extend([column("peak_percent", "peak", 0, true), column("", "", 0, false)]);
    all.push(column("", "fullest", 7, false));
    all.push(column("models", "models", 8, false));
    let rows = sessions.iter().map(|session| {
        let last = session.totals.last.map(|at| ask.local(at)).unwrap_or_default();
        let short: String = session.id.chars().take(8).collect();
        let mut row = vec![
            Cell::Text(last),
            Cell::Text(session.id.clone()),
            Cell::Text(short),
            Cell::Path(session.project.clone()),
        ];
        row.extend(cells(&session.totals));
        let bar = plot::bar(session.peak_percent.unwrap_or(0.0), 100.0, BAR_CELLS);
        row.extend([Cell::Percent(session.peak_percent), Cell::Empty, Cell::Text(bar)]);
        row.push(model_names(&session.totals));
        row
    });
    let mut sum = vec![Cell::Text("total".to_owned()), Cell::Empty, Cell::Empty, Cell::Empty];
    sum.extend(cells(total));
    sum.extend([Cell::Empty, Cell::Empty, Cell::Empty, Cell::Empty]);
    Sheet { columns: all, rows: rows.collect(), total: Some(sum) }
}
