//! `count-tokens`: how many tokens texts are: by estimate, or by the API when it is asked for.

use std::path::{Path, PathBuf};

use serde_json::json;
use throughline_briefing::handoff::{NextCompaction, thousands};
use throughline_domain::text::one_line;
use throughline_domain::token_estimate::{ERROR_PERCENT, estimate};
use throughline_engine::gauge::Gauge;

use super::App;
use crate::failure::Failure;
use crate::given;
use crate::messages_api::Api;
use crate::output::{self, DIM, WARN, styled};

/// Largest text; the API takes no larger request either.
const TEXT_BYTES_MAX: u64 = throughline_domain::limits::COUNTED_BYTES_MAX;
const FILES_MAX: usize = 1_000;
/// Asked for when nobody knows the model.
const MODEL_DEFAULT: &str = "claude-sonnet-4-5";
const EXAMPLES: &str = "\
Examples:
  throughline count-tokens src/*.rs            what reading these files would take
  git diff | throughline count-tokens          a text on standard input (also as -)
  throughline count-tokens --online notes.md   exactly, by the API; the text is sent to it

Without --online nothing leaves this machine, whatever keys are set: the count is an estimate, usually within 20 %
(scripts other than Latin: 50 %). --online takes ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, and ANTHROPIC_BASE_URL.";

/// Count the tokens of files or of a text, and say what share of the context they would take
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files; `-` or none at all: standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Ask the API (the text is sent there)
    #[arg(long)]
    online: bool,
    /// The model to count for [default: the last session's]
    #[arg(long, value_name = "MODEL", requires = "online")]
    model: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

struct Counted {
    name: String,
    bytes: usize,
    tokens: u64,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let gauge = Gauge::at_hand(&app.at_hand(), None);
    let model = args.online.then(|| model(args, gauge.as_ref()));
    let api = args.online.then(Api::from_env).transpose()?;
    if let Some(api) = api.as_ref().filter(|api| api.is_in_the_open()) {
        output::warn(&format!("key and text travel to {} unencrypted", one_line(&api.host(), 80)));
    }
    let stdin = [PathBuf::from("-")];
    let files = if args.files.is_empty() { &stdin[..] } else { &args.files };
    if files.len() > FILES_MAX {
        return Err(Failure::new(format!("{} files are too many at once", files.len()))
            .hint(format!("give it at most {FILES_MAX}")));
    }
    let mut counted = Vec::new();
    for path in files {
        let text = read(path)?;
        let tokens = match (&api, &model) {
            (Some(api), Some(model)) => api.count_tokens(model, &text)?,
            _ => estimate(&text),
        };
        counted.push(Counted { name: path.display().to_string(), bytes: text.len(), tokens });
    }
    let total = counted.iter().fold(0_u64, |sum, it| sum.saturating_add(it.tokens));
    if args.json {
        return say_json(&counted, total, model.as_deref(), gauge.as_ref());
    }
    print(&counted, total, model.as_deref(), gauge.as_ref())
}

fn model(args: &Args, gauge: Option<&Gauge>) -> String {
    let set = || std::env::var("ANTHROPIC_MODEL").ok().filter(|model| !model.is_empty());
    let seen = || gauge.and_then(|gauge| gauge.model.clone());
    // `[1m]` is the client's own way to ask for a larger window.
    let model = args.model.clone().or_else(seen).or_else(set).unwrap_or_else(|| MODEL_DEFAULT.to_owned());
    model.trim_end_matches("[1m]").to_owned()
}

fn read(path: &Path) -> Result<String, Failure> {
    let name = given::name(path);
    let bytes = given::read(path, TEXT_BYTES_MAX)?;
    if bytes.contains(&0) {
        return Err(
            Failure::new(format!("{name} is no text")).hint("tokens of images and archives cannot be told")
        );
    }
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// What the tokens mean for the session at hand.
struct Room {
    window_tokens: u64,
    percent: u64,
    left_tokens: Option<u64>,
    fits: Option<bool>,
}

fn room(total: u64, gauge: &Gauge) -> Room {
    let used = gauge.now().map(|fill| fill.used_tokens);
    let left_tokens = used.map(|used| gauge.point.limit_tokens().saturating_sub(used));
    Room {
        window_tokens: gauge.window_tokens,
        percent: total.saturating_mul(100) / gauge.window_tokens.max(1),
        left_tokens,
        fits: left_tokens.map(|left| total < left),
    }
}

fn print(counted: &[Counted], total: u64, model: Option<&str>, gauge: Option<&Gauge>) -> Result<(), Failure> {
    for it in counted.iter().filter(|_| counted.len() > 1) {
        output::say(&format!("{:>12}  {}", thousands(it.tokens), one_line(&it.name, 200)))?;
    }
    let how = model.map_or_else(
        || format!("by estimate, ± {ERROR_PERCENT} %; --online asks the API"),
        |model| format!("as the API counts them for {}", one_line(model, 80)),
    );
    output::say(&format!("{:>12}  tokens {}", thousands(total), styled(DIM, &format!("({how})"))))?;
    let Some(gauge) = gauge else { return Ok(()) };
    let room = room(total, gauge);
    let share = format!("{} % of the window of {}", room.percent, thousands(room.window_tokens));
    let left = match (room.left_tokens, gauge.next()) {
        (None, _) => String::new(),
        (Some(left), NextCompaction::At(_)) => {
            format!("; {} are left before the compaction", thousands(left))
        }
        (Some(left), _) => format!("; {} are left in it", thousands(left)),
    };
    let verdict = match room.fits {
        Some(false) => styled(WARN, ": it does not fit"),
        _ => String::new(),
    };
    output::say(&format!("{:>14}{share}{left}{verdict}", ""))
}

fn say_json(
    counted: &[Counted],
    total: u64,
    model: Option<&str>,
    gauge: Option<&Gauge>,
) -> Result<(), Failure> {
    let files = counted.iter().map(|it| json!({ "file": it.name, "bytes": it.bytes, "tokens": it.tokens }));
    let room = gauge.map(|gauge| room(total, gauge));
    output::say_json(&json!({
        "tokens": total,
        "exact": model.is_some(),
        "errorPercent": if model.is_some() { 0 } else { ERROR_PERCENT },
        "model": model,
        "files": files.collect::<Vec<_>>(),
        "windowTokens": room.as_ref().map(|room| room.window_tokens),
        "percentOfWindow": room.as_ref().map(|room| room.percent),
        "tokensLeft": room.as_ref().and_then(|room| room.left_tokens),
        "fits": room.as_ref().and_then(|room| room.fits),
    }))
}
