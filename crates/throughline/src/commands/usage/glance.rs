//! At a glance: today, and the last seven days as bars.

use jiff::ToSpan;
use jiff::civil::Date;
use serde_json::{Value, json};
use throughline_usage::report::Totals;
use throughline_usage::{calendar, plot};

use super::ask::{Ask, Form};
use super::columns::model_names;
use super::source::Source;
use super::{days, show};
use crate::failure::Failure;
use crate::output::{self, DIM, HEAD, HINT, styled};

const DAYS: i32 = 7;
const BAR_CELLS: usize = 24;

pub(super) fn run(source: &Source, ask: &Ask) -> Result<(), Failure> {
    // An explicit stretch of time, or a form for programs, is the report by days.
    if ask.form == Form::Csv || ask.since.is_some() || ask.until.is_some() {
        return days::run(source, ask);
    }
    let first = ask.today.saturating_sub((DAYS - 1).days());
    let week = Ask { since: Some(first), until: Some(ask.today), ..ask.clone() };
    let by_day = days::by_day(source, &week)?;
    let today = by_day.get(&ask.today).cloned().unwrap_or_default();
    let total = days::sum(&by_day);
    if ask.form == Form::Json {
        let rows = by_day.iter().map(|(date, totals)| show::row(json!({ "date": date.to_string() }), totals));
        let mut report = show::head(&week, "glance");
        report.insert("today".to_owned(), Value::Object(today.json()));
        report.insert("days".to_owned(), Value::Array(rows.collect()));
        report.insert("total".to_owned(), Value::Object(total.json()));
        return output::say_json(&Value::Object(report));
    }
    output::say(&format!("{} {}", styled(HEAD, "today"), summary(&today)))?;
    output::say(&format!("{} {}", styled(HEAD, "last 7 days"), summary(&total)))?;
    let most = by_day.values().map(weight).fold(0.0, f64::max);
    let dates: Vec<Date> = first.series(1.day()).take_while(|date| *date <= ask.today).collect();
    for date in dates {
        let nothing = Totals::default();
        let totals = by_day.get(&date).unwrap_or(&nothing);
        let bar = plot::bar(weight(totals), most, BAR_CELLS);
        let pad = " ".repeat(BAR_CELLS.saturating_sub(bar.chars().count()));
        let name = date.strftime("%a %m-%d");
        let figures = if totals.responses == 0 {
            styled(DIM, "–")
        } else {
            format!("{:>9}  {:>7} tokens", totals.cost.text(), plot::short(totals.tokens.total()))
        };
        output::say(&format!("  {name}  {}{pad}  {figures}", styled(HINT, &bar)))?;
    }
    show::unknown_models(&total.cost)?;
    if total.responses == 0
        && let Some(last) = last_use(source, ask)?
    {
        return output::say(&last);
    }
    output::remark(&styled(DIM, "more: throughline usage days, sessions, models, projects, blocks, analyze"));
    Ok(())
}

/// When something was last used before this week; `None` when nothing ever was.
fn last_use(source: &Source, ask: &Ask) -> Result<Option<String>, Failure> {
    let last = source.slices(&ask.query())?.iter().map(|slice| slice.last).max();
    Ok(last.map(|at| {
        let date = calendar::date_of(at, &ask.zone);
        let days = date.until(ask.today).map_or(0, |span| span.get_days());
        format!("last use {date}, {days} days ago: {}", styled(HINT, "throughline usage days"))
    }))
}

/// What a day's bar shows: money, or tokens where no price is known.
fn weight(totals: &Totals) -> f64 {
    totals.cost.known.dollars()
}

fn summary(totals: &Totals) -> String {
    if totals.responses == 0 {
        return "nothing yet".to_owned();
    }
    let cache = totals.cache_percent().map(|percent| format!(", cache {percent:.0} %")).unwrap_or_default();
    let models = match model_names(totals) {
        throughline_usage::table::Cell::Names(names) if !names.is_empty() => {
            format!(" ({})", names.join(", "))
        }
        _ => String::new(),
    };
    format!(
        "{}, {} tokens in {} responses{cache}{models}",
        totals.cost.text(),
        plot::short(totals.tokens.total()),
        plot::short(totals.responses),
    )
}
