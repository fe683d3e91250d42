//! `health`: how full the context is, how clean, how fast it fills, and when the compaction comes.

mod trend;

use serde_json::{Value, json};
use throughline_briefing::handoff::{NextCompaction, health_block, next_words, thousands};
use throughline_domain::Health;
use throughline_domain::purity::Purification;
use throughline_domain::text::one_line;
use throughline_domain::{Timestamp, time};
use throughline_engine::gauge::Gauge;
use throughline_engine::liveness;
use throughline_usage::bar::{Bar, Pen};
use throughline_usage::trail::spark;

use super::App;
use crate::failure::Failure;
use crate::output::{self, BAD, DIM, GOOD, HEAD, WARN, styled};

const BAR_CELLS: usize = 40;
const OUTLINE_CELLS: usize = 40;
/// A bar in a list of sessions.
const LIST_CELLS: usize = 20;
const EXAMPLES: &str = "\
Examples:
  throughline health                   the session at hand: the one that calls, else the one last active
  throughline health --session 1f2e…   another one, by its id
  throughline health --all             every session that is at work now, in all projects
  throughline health --json            for scripts
  throughline health --trend           purity from the session's beginning: the score, and what it was lost for
  throughline health --trend --session old.jsonl   of any transcript, also from before the installation

Tokens are what the server reported, never an estimate. The status is taken of the way to the compaction that will
really come; where the client will not compact by itself, of the window, and the way out is named.

Purity goes from 100 to 0. It is lost for failures beyond the usual, the same failure or answer again, files read again,
work given up, stale output and drift; older noise counts less. [purity] in throughline.toml has the points.";

/// Show how full and how clean the context is, how fast it fills, and when the compaction comes
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The session, by its id or the path of its transcript (.jsonl)
    #[arg(long, value_name = "ID", conflicts_with = "all")]
    session: Option<String>,
    /// How purity went from the session's beginning, and why
    #[arg(long, conflicts_with = "all")]
    trend: bool,
    /// All sessions that are at work, in all projects
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    if args.all {
        let gauges = live(app);
        return if args.json {
            output::say_json(&gauges.iter().map(as_json).collect())
        } else {
            list(&gauges)
        };
    }
    // A session of this project may be named by the beginning of its id; anything else as it is.
    let whole = args.session.as_deref().and_then(|name| super::sessions::named(app, name).ok());
    let gauge = Gauge::at_hand(&app.at_hand(), whole.as_deref().or(args.session.as_deref()));
    if let (true, Some(gauge)) = (args.trend, &gauge) {
        let trend = trend::read(gauge.source(), app.config.purity.scale.clone(), app.config.gate.turns)?;
        return if args.json {
            output::say_json(&trend.as_json(&gauge.session))
        } else {
            trend.print(&one_line(&gauge.session, 60))
        };
    }
    if let (None, Some(session)) = (&gauge, &args.session) {
        return Err(Failure::new(format!("there is no session `{}`", one_line(session, 80)))
            .hint("`throughline status` names the sessions of this project, `throughline health --all` those at work"));
    }
    match (gauge, args.json) {
        (Some(gauge), true) => {
            let mut value = as_json(&gauge);
            value["purified"] = purified(app, &gauge).map_or(Value::Null, |kept| {
                json!({ "at": kept.at, "score": kept.score, "causes": kept.causes, "context": kept.text })
            });
            output::say_json(&value)
        }
        (Some(gauge), false) => print(app, &gauge),
        (None, true) => output::say_json(&json!({ "usedTokens": null, "status": null })),
        (None, false) => output::say(health_block(None).trim_end()),
    }
}

/// The gauges of all sessions at work, the last active first.
fn live(app: &App) -> Vec<Gauge> {
    let home = &app.place.home;
    let seen = liveness::at_work(home, |root| app.place.project_at(root), app.now);
    seen.iter().filter_map(|seen| Gauge::of(&app.place, &seen.session)).collect()
}

fn print(app: &App, gauge: &Gauge) -> Result<(), Failure> {
    let Some(context) = gauge.context_use() else {
        output::say("## Context Health")?;
        let why = if gauge.is_told || gauge.trail.peak_tokens > 0 {
            "unknown until the next answer (the context was just compacted or cleared)"
        } else {
            "unknown until the first answer"
        };
        output::say(&format!("**Current Usage**: {why}"))?;
        output::say(&format!("**Next Compaction**: {}", next_words(0, gauge.next())))?;
        say_purity(app, gauge)?;
        return output::say(&styled(DIM, &identity(gauge)));
    };
    output::say(health_block(Some(&context)).trim_end())?;
    say_purity(app, gauge)?;
    let (used, limit) = (context.used_tokens, gauge.point.limit_tokens());
    let way = match gauge.next() {
        NextCompaction::At(_) => "of the way to the compaction",
        NextCompaction::Never { .. } | NextCompaction::Unknown => "of the window",
    };
    output::say(&format!(
        "\n  {}  {} % {way}",
        styled(style_of(context.health), &bar(used, limit, BAR_CELLS)),
        gauge.percent_of_way(used)
    ))?;
    let peak = gauge.trail.peak_tokens;
    let peak_words = format!("peak {} tokens, {} %", thousands(peak), gauge.percent_of_way(peak));
    let outline = spark(&gauge.trail.outline(OUTLINE_CELLS), limit);
    let gap = " ".repeat(OUTLINE_CELLS.saturating_sub(outline.chars().count()));
    output::say(&format!("  {outline}{gap}  {peak_words}"))?;
    output::say(&format!("  {}", pace_words(gauge, app.now)))?;
    let at = gauge.now().and_then(|fill| fill.at);
    let ago = at.map_or_else(String::new, |at| {
        format!(", {} ago", time::span_words(time::seconds_between(at, app.now)))
    });
    output::say(&styled(DIM, &format!("{}{ago}", identity(gauge))))
}

/// How clean the context is, why, and what to do about it.
fn say_purity(app: &App, gauge: &Gauge) -> Result<(), Failure> {
    if let Some(purity) = &gauge.purity {
        let score = styled(trend::style_of(purity.level), &purity.score.to_string());
        let why = if purity.causes.is_empty() { String::new() } else { format!(" ({})", purity.why()) };
        output::say(&format!("**Purity**: {score} of 100{why}"))?;
    }
    let Some(kept) = purified(app, gauge) else { return Ok(()) };
    let ago = time::parse(&kept.at).map_or_else(String::new, |at| {
        format!(" {} ago", time::span_words(time::seconds_between(at, app.now)))
    });
    output::say(&format!(
        "**Purified**: at {} of 100{ago}; type `/clear` (or `/compact`): what is true now is kept and given then",
        kept.score
    ))
}

/// What is kept of this session's context, while no start has had it.
fn purified(app: &App, gauge: &Gauge) -> Option<Purification> {
    let is_here = gauge.project == app.memory.project.root;
    let state = is_here.then(|| app.memory.peek().ok().flatten()).flatten()?;
    state.waiting_purification(app.now).filter(|kept| kept.session == gauge.session).cloned()
}

fn pace_words(gauge: &Gauge, now: Timestamp) -> String {
    let Some((pace, seconds)) = gauge.trail.pace() else { return "pace not known yet".to_owned() };
    // Nobody knows when a session that stands still goes on.
    let left = gauge.minutes_left().filter(|_| gauge.is_at_work(now));
    let left = left.map_or_else(String::new, |minutes| format!(": compaction in about {minutes} minutes"));
    format!("{} tokens a minute over the last {} of work{left}", thousands(pace), time::span_words(seconds))
}

fn identity(gauge: &Gauge) -> String {
    let model = gauge.model.as_deref().map_or_else(|| "model not known".to_owned(), |it| one_line(it, 60));
    let session = one_line(&gauge.session, 60);
    match (gauge.is_told, gauge.unread_bytes) {
        (true, _) => format!("  session {session}, {model}; as its status line was told"),
        (false, 0) => format!("  session {session}, {model}; as its transcript tells"),
        (false, _) => format!("  session {session}, {model}; as the newest part of its transcript tells"),
    }
}

fn bar(used_tokens: u64, limit_tokens: u64, cells: usize) -> String {
    Bar::of(used_tokens, limit_tokens, cells, Pen::HALVES).to_string()
}

fn list(gauges: &[Gauge]) -> Result<(), Failure> {
    if gauges.is_empty() {
        return output::say("no session is at work");
    }
    for gauge in gauges {
        let id: String = gauge.session.chars().take(8).collect();
        let project = gauge.project.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = format!("{:<8}  {:<20}", one_line(&id, 8), one_line(&project, 20));
        let line = match gauge.context_use() {
            None => format!("{}  not known yet", styled(DIM, &bar(0, 1, LIST_CELLS))),
            Some(context) => {
                let used = context.used_tokens;
                format!(
                    "{}  {:>3} %  {:>9} tokens  {:<9}  compaction {}",
                    styled(style_of(context.health), &bar(used, gauge.point.limit_tokens(), LIST_CELLS)),
                    gauge.percent_of_way(used),
                    thousands(used),
                    context.health.word(),
                    short_next(used, gauge.next()),
                )
            }
        };
        output::say(&format!("{}  {line}", styled(HEAD, &name)))?;
    }
    Ok(())
}

fn short_next(used: u64, next: NextCompaction) -> String {
    match next {
        NextCompaction::Never { .. } => "never by itself".to_owned(),
        NextCompaction::At(_) | NextCompaction::Unknown => next_words(used, next),
    }
}

fn style_of(health: Health) -> anstyle::Style {
    match health {
        Health::Healthy => GOOD,
        Health::Warning => WARN,
        Health::Critical | Health::Emergency => BAD,
    }
}

/// Everything that is known about one session's context.
pub(super) fn as_json(gauge: &Gauge) -> Value {
    let context = gauge.context_use();
    let used = context.map(|context| context.used_tokens);
    let (compacts_at, never) = match gauge.next() {
        NextCompaction::At(at) => (Some(at), None),
        NextCompaction::Never { reason, remedy } => {
            (None, Some(json!({ "reason": reason, "remedy": remedy })))
        }
        NextCompaction::Unknown => (None, None),
    };
    let peak = gauge.trail.peak_tokens;
    json!({
        "session": gauge.session,
        "project": gauge.project,
        "model": gauge.model,
        "at": gauge.now().and_then(|fill| fill.at).map(time::iso),
        "usedTokens": used,
        "windowTokens": gauge.window_tokens,
        "percent": context.map(|context| context.window_percent()),
        "percentOfWay": used.map(|used| gauge.percent_of_way(used)),
        "status": context.map(|context| context.health.word()),
        "cacheReadTokens": context.map(|context| context.cache_read_tokens),
        "cachePercent": context.map(|context| context.cache_percent()),
        "compactions": gauge.trail.compactions,
        "compactsAtTokens": compacts_at,
        "tokensLeft": compacts_at.zip(used).map(|(at, used)| at.saturating_sub(used)),
        "neverCompacts": never,
        "peakTokens": peak,
        "peakPercentOfWay": gauge.percent_of_way(peak),
        "tokensPerMinute": gauge.trail.tokens_per_minute(),
        "minutesLeft": gauge.minutes_left(),
        "purity": gauge.purity.as_ref().map(trend::as_json),
    })
}
