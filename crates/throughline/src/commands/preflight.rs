//! `preflight`: may something long begin now? Warns, or ends with 1 or 2, when the context is too full.

use serde_json::json;
use throughline_briefing::handoff::{NextCompaction, thousands};
use throughline_domain::text::one_line;
use throughline_domain::{Health, time};
use throughline_engine::gauge::Gauge;
use throughline_engine::liveness;

use super::App;
use super::health::as_json;
use crate::failure::Failure;
use crate::output::{self, BAD, GOOD, WARN, styled};

const EXAMPLES: &str = "\
Ends with:
  0  there is room, or it is getting less (then with a warning), or nobody knows
  1  CRITICAL (from 90 % of the way to the compaction), or more than --max
  2  EMERGENCY (from 95 %)

A session that was that full before and was compacted since is warned of, and passes: what it knew then may be gone.
The percentages are those of [thresholds] in the configuration.

Examples:
  throughline preflight && ./long-job
  throughline preflight --max 50       begin only in the first half of the way
  throughline preflight --json";

/// Say whether there is room in the context to begin something long
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The session, by its id
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Most of the way to the compaction that may be used up
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    max: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is to be done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Go,
    Unknown,
    Warn,
    Stop(u8),
}

fn percent(text: &str) -> Result<u64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim().parse::<u64>().ok();
    number.filter(|percent| (1..=100).contains(percent)).ok_or_else(|| "a number from 1 to 100".to_owned())
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let gauge = Gauge::at_hand(&app.at_hand(), args.session.as_deref());
    let used = gauge.as_ref().and_then(Gauge::now).map(|fill| fill.used_tokens);
    let (Some(gauge), Some(used)) = (&gauge, used) else {
        let why = if gauge.is_some() {
            "no answer has come since the session began or was compacted"
        } else {
            "no session of this project is known"
        };
        return unknown(args, why);
    };
    let stale_seconds = u64::try_from(liveness::STALE_MS / 1_000).unwrap_or(u64::MAX);
    if let Some(age) = gauge.age_seconds(app.now).filter(|age| *age >= stale_seconds) {
        let why = format!(
            "the last answer of session {} is {} old; whoever works now is not known here",
            one_line(&gauge.session, 60),
            time::span_words(age)
        );
        return unknown(args, &why);
    }
    let verdict = judge(gauge, used, args.max);
    let mut said = vec![present_words(gauge, used)];
    said.extend(peak_words(gauge, used, args.max));
    if matches!(verdict, Verdict::Stop(_)) || gauge.health_at(used) > Health::Healthy {
        said.push(advice(gauge, used));
    }
    let code = if let Verdict::Stop(code) = verdict { code } else { 0 };
    if args.json {
        let mut value = as_json(gauge);
        value["verdict"] = json!(word(verdict));
        value["exitCode"] = json!(code);
        value["why"] = json!(said);
        output::say_json(&value)?;
    } else {
        let (style, mark) = match verdict {
            Verdict::Go => (GOOD, "✓"),
            Verdict::Warn | Verdict::Unknown => (WARN, "!"),
            Verdict::Stop(_) => (BAD, "✗"),
        };
        for (at, line) in said.iter().enumerate() {
            let mark = if at == 0 { styled(style, mark) } else { " ".to_owned() };
            output::say(&format!("{mark} {line}"))?;
        }
    }
    if code == 0 { Ok(()) } else { Err(Failure::silent(code)) }
}

fn unknown(args: &Args, why: &str) -> Result<(), Failure> {
    if args.json {
        return output::say_json(&json!({
            "verdict": word(Verdict::Unknown), "exitCode": 0, "usedTokens": null, "why": [why],
        }));
    }
    output::say(&format!("{} how full the context is, is not known: {why}", styled(WARN, "?")))
}

/// The present decides; an earlier peak only warns: the room is really there again.
fn judge(gauge: &Gauge, used: u64, max: Option<u64>) -> Verdict {
    let health = gauge.health_at(used);
    if health == Health::Emergency {
        return Verdict::Stop(2);
    }
    if health == Health::Critical || max.is_some_and(|max| gauge.percent_of_way(used) > max) {
        return Verdict::Stop(1);
    }
    let peaked = peak_words(gauge, used, max).is_some();
    if health == Health::Warning || peaked { Verdict::Warn } else { Verdict::Go }
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Go => "go",
        Verdict::Unknown => "unknown",
        Verdict::Warn => "warn",
        Verdict::Stop(_) => "stop",
    }
}

fn present_words(gauge: &Gauge, used: u64) -> String {
    let way = match gauge.next() {
        NextCompaction::At(at) => format!("of the {} where the compaction comes", thousands(at)),
        NextCompaction::Never { .. } => {
            format!(
                "of a window of {} that the client never compacts by itself",
                thousands(gauge.point.window)
            )
        }
        NextCompaction::Unknown => format!("of a window of {}", thousands(gauge.point.window)),
    };
    let (health, percent) = (gauge.health_at(used).word(), gauge.percent_of_way(used));
    format!("{health}: {} tokens in the context, {percent} % {way}", thousands(used))
}

/// An earlier peak, where it was over what may begin something.
fn peak_words(gauge: &Gauge, used: u64, max: Option<u64>) -> Option<String> {
    let peak = gauge.trail.peak_tokens;
    let over = gauge.health_at(peak) > gauge.health_at(used)
        || max.is_some_and(|max| gauge.percent_of_way(peak) > max && gauge.percent_of_way(used) <= max);
    over.then(|| {
        let since = match gauge.trail.compactions {
            0 => "what was taken back since is not in the context any more",
            _ => "what was compacted since may be missing: see `throughline briefing --preview`",
        };
        format!("its peak was {} tokens, {} %; {since}", thousands(peak), gauge.percent_of_way(peak))
    })
}

fn advice(gauge: &Gauge, used: u64) -> String {
    let record = "record what must not get lost (`throughline add …`)";
    match gauge.next() {
        NextCompaction::At(at) => format!(
            "{} tokens are left: {record}, then /compact, or begin in a new session",
            thousands(at.saturating_sub(used))
        ),
        NextCompaction::Never { remedy, .. } => {
            format!("{record}, then /compact by hand; so that it comes by itself: {remedy}")
        }
        NextCompaction::Unknown => format!("{record}, then /compact, or begin in a new session"),
    }
}
