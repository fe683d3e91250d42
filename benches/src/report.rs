//! The report: figures beside what they ought to be, as a table or as JSON.

use serde_json::{Value, json};

use crate::contest::{Contest, Standing};
use crate::transcripts::Figures;
use crate::{backfill, pauses, statusline};

const BINARY_BYTES_MAX: u64 = 20 << 20;
const INSTRUCTIONS_MAX: u64 = 250_000;
const HOOK_KIB_MAX: u64 = 20 << 10;
const GATE_KIB_MAX: u64 = 64 << 10;

/// Everything that was measured.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) binary_bytes: u64,
    pub(crate) quick: Contest,
    pub(crate) save: Contest,
    pub(crate) instructions: Vec<(String, u64)>,
    pub(crate) peaks: Vec<(String, u64)>,
    pub(crate) transcripts: Figures,
    pub(crate) statusline: statusline::Figures,
    pub(crate) backfill: backfill::Figures,
    pub(crate) pauses: pauses::Figures,
}

impl Report {
    pub(crate) fn table(&self) -> String {
        let mut lines = vec![format!(
            "wall time, {} interleaved rounds; × is the median ratio to the empty program",
            self.quick.rounds
        )];
        lines.extend(self.quick.results.iter().map(|standing| line(standing, quick_target(&standing.name))));
        lines.push(String::new());
        lines.push(format!(
            "5,000 files, {} interleaved rounds; × is the median ratio to the five calls",
            self.save.rounds
        ));
        lines.extend(
            self.save.results.iter().map(|standing| line(standing, (standing.name == "save").then_some(0.5))),
        );
        lines.push(String::new());
        lines.push("instructions in user space (callgrind)".to_owned());
        let count = |(name, count): &(String, u64)| {
            let target =
                if name == "empty program" { String::new() } else { within(*count, INSTRUCTIONS_MAX) };
            format!("  {name:<38} {count:>12}  {target}")
        };
        lines.extend(self.instructions.iter().map(count));
        lines.push(String::new());
        lines.push("peak memory, KiB".to_owned());
        let peak =
            |(name, kib): &(String, u64)| format!("  {name:<38} {kib:>12}  {}", within(*kib, kib_max(name)));
        lines.extend(self.peaks.iter().map(peak));
        lines.push(String::new());
        for part in
            [self.transcripts.table(), self.statusline.table(), self.backfill.table(), self.pauses.table()]
        {
            lines.extend(part);
            lines.push(String::new());
        }
        lines.push(format!(
            "  {:<38} {:>12}  {}",
            "binary, bytes",
            self.binary_bytes,
            within(self.binary_bytes, BINARY_BYTES_MAX)
        ));
        lines.join("\n")
    }

    pub(crate) fn json(&self) -> String {
        let standings = |contest: &Contest| -> Vec<Value> {
            let one = |standing: &Standing| {
                json!({
                    "name": standing.name, "median_us": standing.median_us, "ratio": standing.ratio,
                    "quartiles": [standing.quartiles.0, standing.quartiles.1],
                    "ratio_max": quick_target(&standing.name),
                })
            };
            contest.results.iter().map(one).collect()
        };
        let counts = |counts: &[(String, u64)]| -> Value {
            counts
                .iter()
                .map(|(name, count)| (name.clone(), json!(count)))
                .collect::<serde_json::Map<_, _>>()
                .into()
        };
        let whole = json!({
            "binary_bytes": self.binary_bytes,
            "quick": {"rounds": self.quick.rounds, "results": standings(&self.quick)},
            "save": {"rounds": self.save.rounds, "results": standings(&self.save)},
            "instructions": counts(&self.instructions),
            "peak_kib": counts(&self.peaks),
            "transcripts": self.transcripts.json(),
            "statusline": self.statusline.json(),
            "backfill": self.backfill.json(),
            "pauses": self.pauses.json(),
        });
        format!("{whole:#}")
    }
}

/// How many times the empty program a run may take.
fn quick_target(name: &str) -> Option<f64> {
    match name {
        "PostToolUse" | "PostToolBatch" => Some(3.0),
        name if name.starts_with("SessionStart") => Some(15.0),
        _ => None,
    }
}

fn kib_max(name: &str) -> u64 {
    if name.starts_with("PostTool") || name == "empty program" { HOOK_KIB_MAX } else { GATE_KIB_MAX }
}

fn line(standing: &Standing, target: Option<f64>) -> String {
    let Standing { name, median_us, ratio, quartiles } = standing;
    let target = target.map_or_else(String::new, |most| {
        format!("  at most {most:.1} ×: {}", if *ratio <= most { "yes" } else { "NO" })
    });
    let (low, high) = quartiles;
    format!("  {name:<38} {median_us:>9.0} µs  {ratio:>7.2} ×  ({low:.2} to {high:.2}){target}")
}

fn within(figure: u64, most: u64) -> String {
    format!("at most {most}: {}", if figure <= most { "yes" } else { "NO" })
}
