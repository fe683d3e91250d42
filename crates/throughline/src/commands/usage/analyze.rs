//! Analyze: when compactions came, and what they left, from the samples and from the transcripts.

use std::collections::HashMap;

use serde_json::Value;
use throughline_domain::gauge::SampledCompaction;
use throughline_domain::usage::Boundary;
use throughline_engine::window::window_of;
use throughline_usage::plot;
use throughline_usage::report::analyze::{Analysis, Compaction, SeenBy, Spread, analyze};
use throughline_usage::table::{Cell, Sheet};

use super::ask::{Ask, Form};
use super::columns::{column, short_model};
use super::show;
use super::source::Source;
use crate::failure::Failure;
use crate::output::{self, DIM, HEAD, HINT, styled};

const BAR_CELLS: usize = 30;
/// Compactions in the table; JSON and CSV have them all.
const ROWS_SHOWN: usize = 20;
const TREND_MAX: usize = 60;
/// Fewer are no trend.
const TREND_MIN: usize = 3;
/// The same compaction, as the status line and the transcript tell it: the boundary may reach the file late.
const LATER_MS_MAX: i64 = 15 * 60_000;
/// The status line only speaks with the next response, and a person may go home after a compaction.
const EARLIER_MS_MAX: i64 = 24 * 60 * 60_000;

pub(super) fn run(source: &Source, ask: &Ask) -> Result<(), Failure> {
    let query = ask.query();
    let all = matched(source.sampled_compactions(&query)?, source.boundaries(&query)?);
    let analysis = analyze(&all);
    match ask.form {
        Form::Json => {
            let mut report = show::head(ask, "analyze");
            if let Value::Object(fields) = analysis.json(&all) {
                report.extend(fields);
            }
            output::say_json(&Value::Object(report))
        }
        Form::Csv => output::say(&sheet(&all, ask).csv()),
        Form::Table if all.is_empty() => output::say("no compaction in that time"),
        Form::Table => {
            figures(&analysis)?;
            distribution(&analysis)?;
            trend(&all)?;
            output::say("")?;
            let hidden = all.len().saturating_sub(ROWS_SHOWN);
            show::table(&sheet(&all[hidden..], ask))?;
            if hidden > 0 {
                output::remark(&styled(
                    DIM,
                    &format!("{hidden} earlier ones are in the figures; --json has them all"),
                ));
            }
            Ok(())
        }
    }
}

/// The samples' compactions and the transcripts' together, each once, oldest first.
fn matched(sampled: Vec<SampledCompaction>, boundaries: Vec<Boundary>) -> Vec<Compaction> {
    let mut boundaries: Vec<Option<Boundary>> = boundaries.into_iter().map(Some).collect();
    let mut all: Vec<Compaction> = sampled
        .into_iter()
        .map(|sample| {
            let later = |it: &Boundary| it.at.as_millisecond() - sample.at.as_millisecond();
            let is_near = |it: &Boundary| (-EARLIER_MS_MAX..=LATER_MS_MAX).contains(&later(it));
            let near = boundaries
                .iter_mut()
                .filter(|it| it.as_ref().is_some_and(|it| it.session == sample.session && is_near(it)))
                .min_by_key(|it| it.as_ref().map_or(i64::MAX, |it| later(it).abs()));
            let boundary = near.and_then(Option::take);
            Compaction {
                at: sample.at,
                session: sample.session,
                project: sample.project,
                model: sample.model,
                before_percent: sample.before_percent.map(f64::from),
                after_percent: Some(f64::from(sample.after_percent)),
                before_tokens: boundary.as_ref().map(|it| it.tokens_before).or(sample.before_tokens),
                after_tokens: boundary.as_ref().and_then(|it| it.tokens_after).or(Some(sample.after_tokens)),
                is_auto: boundary.as_ref().map(|it| it.is_auto),
                seen_by: if boundary.is_some() { SeenBy::Both } else { SeenBy::Samples },
            }
        })
        .collect();
    let rest: Vec<Boundary> = boundaries.into_iter().flatten().collect();
    let mut most: HashMap<&str, u64> = HashMap::new();
    for it in &rest {
        let seen = most.entry(&it.session).or_default();
        *seen = (*seen).max(it.tokens_before);
    }
    all.extend(rest.iter().map(|it| of_transcript(it, most.get(it.session.as_str()).copied().unwrap_or(0))));
    all.sort_by(|left, right| (left.at, &left.session).cmp(&(right.at, &right.session)));
    all
}

/// A compaction that only a transcript tells of: percentages are of the window that the model usually has, or of the
/// larger one where the session ever had more in it.
fn of_transcript(it: &Boundary, most_tokens: u64) -> Compaction {
    let window = window_of(&it.model, most_tokens);
    #[expect(clippy::cast_precision_loss, reason = "a percentage for eyes")]
    let percent = |tokens: u64| 100.0 * tokens as f64 / window as f64;
    Compaction {
        at: it.at,
        session: it.session.clone(),
        project: it.project.clone(),
        model: it.model.clone(),
        before_percent: (it.tokens_before > 0).then(|| percent(it.tokens_before)),
        after_percent: it.tokens_after.map(percent),
        before_tokens: (it.tokens_before > 0).then_some(it.tokens_before),
        after_tokens: it.tokens_after,
        is_auto: Some(it.is_auto),
        seen_by: SeenBy::Transcript,
    }
}

fn figures(analysis: &Analysis) -> Result<(), Failure> {
    let number = |value: f64| format!("{value:.2}");
    let Analysis { count, auto, manual, .. } = analysis;
    // Not every transcript tells how much was left: a figure over some of them says so.
    let known = |of: usize| if of < *count { format!("; known of {of} of {count}") } else { String::new() };
    let spread = |spread: Option<Spread>| {
        spread.map_or_else(
            || "not known".to_owned(),
            |it| {
                format!(
                    "{} % on average ({} to {}, median {}){}",
                    number(it.average),
                    number(it.min),
                    number(it.max),
                    number(it.median),
                    known(it.count)
                )
            },
        )
    };
    output::say(&format!("{} {count} ({auto} automatic, {manual} by hand)", styled(HEAD, "compactions")))?;
    output::say(&format!("  context before  {}", spread(analysis.before)))?;
    output::say(&format!("  context after   {}", spread(analysis.after)))?;
    let ratio = analysis
        .ratio
        .map_or_else(|| "not known".to_owned(), |(ratio, of)| format!("{ratio:.2} : 1{}", known(of)));
    output::say(&format!("  before : after  {ratio}"))
}

fn distribution(analysis: &Analysis) -> Result<(), Failure> {
    let most = analysis.distribution.iter().map(|(_, count)| *count).max().unwrap_or(0);
    if most == 0 {
        return Ok(());
    }
    output::say(&format!("\n{}", styled(HEAD, "how full the context was when it was compacted")))?;
    for (low, count) in &analysis.distribution {
        #[expect(clippy::cast_precision_loss, reason = "compactions are few")]
        let bar = plot::bar(*count as f64, most as f64, BAR_CELLS);
        output::say(format!("  {low:>3}–{:<3} %  {:<4}{}", low + 5, count, styled(HINT, &bar)).trim_end())?;
    }
    Ok(())
}

fn trend(all: &[Compaction]) -> Result<(), Failure> {
    let befores: Vec<f64> = all.iter().filter_map(|it| it.before_percent).collect();
    if befores.len() < TREND_MIN {
        return Ok(());
    }
    let newest = &befores[befores.len().saturating_sub(TREND_MAX)..];
    output::say(&format!("\n{}  {}", styled(HEAD, "trend"), styled(HINT, &plot::spark(newest))))
}

fn sheet(all: &[Compaction], ask: &Ask) -> Sheet {
    let columns = vec![
        column("at", "when", 0, false),
        column("session", "", 0, false),
        column("", "session", 0, false),
        column("project", "project", 3, false),
        column("model", "", 0, false),
        column("", "model", 2, false),
        column("before_percent", "before", 0, true),
        column("after_percent", "after", 0, true),
        column("before_tokens", "tokens before", 1, true),
        column("after_tokens", "after", 1, true),
        column("trigger", "trigger", 1, false),
        column("seen_by", "seen by", 4, false),
    ];
    let count = |tokens: Option<u64>| tokens.map_or(Cell::Empty, Cell::Count);
    let rows = all.iter().map(|it| {
        let trigger = match it.is_auto {
            Some(true) => "auto",
            Some(false) => "manual",
            None => "",
        };
        vec![
            Cell::Text(ask.local(it.at)),
            Cell::Text(it.session.clone()),
            Cell::Text(it.session.chars().take(8).collect()),
            Cell::Path(it.project.clone()),
            Cell::Text(it.model.clone()),
            Cell::Text(short_model(&it.model)),
            Cell::Percent(it.before_percent),
            Cell::Percent(it.after_percent),
            count(it.before_tokens),
            count(it.after_tokens),
            Cell::Text(trigger.to_owned()),
            Cell::Text(it.seen_by.word().to_owned()),
        ]
    });
    Sheet { columns, rows: rows.collect(), total: None }
}
