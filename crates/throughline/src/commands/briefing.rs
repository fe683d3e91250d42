//! `briefing`: what the agent would be told now, and why each line.

use throughline_briefing::briefing::{self, Occasion};
use throughline_briefing::{Cap, Facts};
use throughline_domain::budget::estimate_tokens;
use throughline_domain::text::utf16_len;

use super::App;
use crate::failure::Failure;
use crate::output::{self, DIM, styled};

/// Show what the agent would be told after a compaction
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Say why each line is there, and what found no room
    #[arg(long)]
    preview: bool,
    /// Another budget than the configured one, in tokens
    #[arg(long, value_name = "N")]
    tokens: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let state = app.state()?;
    let untrusted = app.memory.untrusted();
    let facts = Facts { untrusted: &untrusted, ..Facts::default() };
    let cap = Cap::tokens(args.tokens.unwrap_or(app.config.briefing.tokens));
    let chosen = briefing::render(&state, &facts, &Occasion::Compacted, cap).unwrap_or_default();
    let tokens = estimate_tokens(&chosen.text);
    if args.json {
        let lines: Vec<_> = chosen
            .reasons
            .iter()
            .map(|(text, why)| serde_json::json!({ "text": text, "why": why }))
            .collect();
        return output::say_json(&serde_json::json!({
            "text": chosen.text, "tokens": tokens, "units": utf16_len(&chosen.text),
            "lines": lines, "leftOut": chosen.left_out,
        }));
    }
    if chosen.text.is_empty() {
        return output::say("nothing would be said: nothing is recorded in this project yet");
    }
    if !args.preview {
        return output::say(&chosen.text);
    }
    for line in chosen.text.lines() {
        let why = chosen.reasons.iter().find(|(text, _)| text.lines().next() == Some(line));
        output::say(&match why {
            Some((_, why)) => format!("{line}  {}", styled(DIM, &format!("← {why}"))),
            None => line.to_owned(),
        })?;
    }
    output::remark(&format!(
        "about {tokens} of {} tokens; {} lines found no room",
        cap.units / 4,
        chosen.left_out
    ));
    Ok(())
}
