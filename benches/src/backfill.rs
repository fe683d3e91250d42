//! Backfill: months of transcripts read for the first time, and the report after it, beside a tool that reads them anew.
//!
//! `THROUGHLINE_BENCH_TRANSCRIPTS` names a folder of real transcripts; without it they are made up.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use throughline_testkit::TempHome;

use crate::Failure;
use crate::rivals::Rivals;
use crate::stage::Stage;
use crate::watch::{self, Run};

const BYTES: u64 = 200 << 20;
/// Each contestant once a round, in turn; the median counts.
const ROUNDS: usize = 5;
const WARM_ROUNDS: usize = 15;

/// What was measured.
#[derive(Default)]
pub(crate) struct Figures {
    bytes: u64,
    files: usize,
    cold: Pair,
    warm: Pair,
    totals: Vec<Total>,
    skipped: Vec<String>,
}

/// Tokens of one kind: ours, and theirs where they took part.
type Total = (&'static str, u64, Option<u64>);

/// The runs of both, round by round.
#[derive(Default)]
struct Pair {
    ours: Vec<Run>,
    theirs: Vec<Run>,
}

pub(crate) fn measure(stage: &Stage) -> Result<Figures, Failure> {
    let home = TempHome::new();
    let rivals = Rivals::find();
    let mut figures = Figures { skipped: rivals.missing(), ..Figures::default() };
    figures.skipped.retain(|skipped| skipped.contains("ccusage"));
    (figures.files, figures.bytes) = fill(&home)?;
    let out = home.root().join("tmp/out");
    let ours = |args: &[&str]| {
        let mut command = home.command(stage.binary());
        command.args(args);
        command
    };
    let theirs = rivals.ccusage.as_ref().map(|program| {
        let mut command = home.command(program);
        // Prices from its own table: the network is nobody's merit.
        command.args(["daily", "--offline"]).env("TZ", "UTC").env("NO_COLOR", "1");
        command
    });
    let mut theirs = theirs;
    for round in 0..=ROUNDS {
        forget(&home)?;
        let cold = watch::run(&mut ours(&["backfill"]), &out)?;
        let other = theirs.as_mut().map(|command| watch::run(command, &out)).transpose()?;
        // The first round brings the files into the memory.
        if round > 0 {
            figures.cold.ours.push(cold);
            figures.cold.theirs.extend(other);
        }
    }
    for _ in 0..WARM_ROUNDS {
        figures.warm.ours.push(watch::run(ours(&["usage", "days"]).env("TZ", "UTC"), &out)?);
        if let Some(command) = theirs.as_mut() {
            figures.warm.theirs.push(watch::run(command, &out)?);
        }
    }
    figures.totals = totals(ours(&["usage", "days", "--json"]), rivals.ccusage.as_deref(), &home, &out)?;
    Ok(figures)
}

/// What was learnt from transcripts is forgotten; nothing else is in this home.
fn forget(home: &TempHome) -> Result<(), Failure> {
    fs::remove_dir_all(home.data())?;
    Ok(fs::create_dir(home.data())?)
}

/// The tokens of both, by kind.
fn totals(
    mut ours: Command,
    ccusage: Option<&Path>,
    home: &TempHome,
    out: &Path,
) -> Result<Vec<Total>, Failure> {
    watch::run(ours.env("TZ", "UTC"), out)?;
    let own: Value = serde_json::from_slice(&fs::read(out)?)?;
    let other: Option<Value> = match ccusage {
        None => None,
        Some(program) => {
            let mut command = home.command(program);
            command.args(["daily", "--offline", "--json"]).env("TZ", "UTC");
            watch::run(&mut command, out)?;
            Some(serde_json::from_slice(&fs::read(out)?)?)
        }
    };
    // Two kinds of cache writes are one to them.
    let kinds: [(&str, &[&str], &str); 4] = [
        ("input", &["input_tokens"], "inputTokens"),
        ("output", &["output_tokens"], "outputTokens"),
        ("cache writes", &["cache_write_5m_tokens", "cache_write_1h_tokens"], "cacheCreationTokens"),
        ("cache reads", &["cache_read_tokens"], "cacheReadTokens"),
    ];
    kinds
        .into_iter()
        .map(|(kind, ours, theirs)| {
            let own: Option<u64> = ours.iter().map(|name| own["total"][*name].as_u64()).sum();
            let own = own.ok_or_else(|| format!("our report has no total of {kind}"))?;
            Ok((kind, own, other.as_ref().and_then(|other| other["totals"][theirs].as_u64())))
        })
        .collect()
}

/// Writes so many bytes of transcripts where the client keeps them; gives how many files and bytes.
fn fill(home: &TempHome) -> Result<(usize, u64), Failure> {
    let real = std::env::var_os("THROUGHLINE_BENCH_TRANSCRIPTS").map(PathBuf::from);
    let blocks = match real {
        Some(folder) => read_folder(&folder)?,
        None => vec![session(0)],
    };
    let (mut written, mut files) = (0, 0);
    while written < BYTES {
        for block in &blocks {
            let folder = home.claude_config().join(format!("projects/-home-ada-project{}", files % 12));
            fs::create_dir_all(&folder)?;
            let id = format!("{files:08x}-0000-4000-8000-000000000000");
            let mut file = BufWriter::new(File::create(folder.join(format!("{id}.jsonl")))?);
            // Another session of its own: the same messages again would be copies, which are counted once.
            let text = block
                .replace("\"msg_", &format!("\"msg_{files}x"))
                .replace("\"req_", &format!("\"req_{files}x"))
                .replace("SESSION-ID", &id);
            file.write_all(text.as_bytes())?;
            file.flush()?;
            written += text.len() as u64;
            files += 1;
            if written >= BYTES {
                break;
            }
        }
    }
    Ok((files, written))
}

fn read_folder(folder: &Path) -> Result<Vec<String>, Failure> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    paths.sort();
    let texts = paths.iter().map(|path| Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned()));
    texts.collect()
}

/// A session of about a megabyte: answers of several lines each, tools with long results, half an hour of work.
fn session(number: u64) -> String {
    let mut text = String::new();
    let mut uuid = 0_u64;
    let mut line = |at_s: u64, kind: &str, mut value: Value| {
        uuid += 1;
        let (minute, second) = (at_s / 60 % 60, at_s % 60);
        value["type"] = json!(kind);
        value["isSidechain"] = json!(false);
        value["sessionId"] = json!("SESSION-ID");
        value["uuid"] = json!(format!("{number:08x}-0000-4000-8000-{uuid:012x}"));
        value["timestamp"] = json!(format!(
            "2026-10-{:02}T{:02}:{minute:02}:{second:02}.000Z",
            1 + at_s / 86_400 % 28,
            at_s / 3_600 % 24
        ));
        value["cwd"] = json!("/home/dev/project");
        value["version"] = json!("2.1.325");
        value["gitBranch"] = json!("main");
        text.push_str(&value.to_string());
        text.push('\n');
    };
    let models = ["claude-opus-5-5", "claude-sonnet-4-5", "claude-haiku-4-5"];
    for turn in 0..140_u64 {
        let at_s = turn * 613;
        if turn % 8 == 0 {
            line(
                at_s,
                "user",
                json!({"message": {"role": "user", "content": "Now the next part, and run the tests."}}),
            );
        }
        let model = models[usize::try_from(turn % 3).unwrap_or(0)];
        let usage = json!({
            "input_tokens": 3 + turn, "output_tokens": 210 + turn * 3, "cache_creation_input_tokens": 900 + turn,
            "cache_read_input_tokens": 20_000 + turn * 800,
            "cache_creation": {"ephemeral_5m_input_tokens": 600 + turn, "ephemeral_1h_input_tokens": 300},
            "service_tier": "standard",
        });
        let said = "I'll keep the tokens borrowed, because copies cost a third of the time. ".repeat(3);
        let blocks = [
            json!({"type": "text", "text": said}),
            json!({"type": "tool_use", "id": format!("toolu_{turn}"), "name": "Read", "input": {"file_path": format!("/home/dev/project/src/file{turn}.rs")}}),
        ];
        for block in blocks {
            line(
                at_s + 1,
                "assistant",
                json!({
                    "requestId": format!("req_{turn}"),
                    "message": {"id": format!("msg_{turn}"), "type": "message", "role": "assistant", "model": model,
                                "content": [block], "stop_reason": null, "usage": usage},
                }),
            );
        }
        let source = "    1\tfn parse(text: &str) -> Option<Token> { text.split('\\t').next() }\n".repeat(80);
        line(
            at_s + 2,
            "user",
            json!({
                "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": format!("toolu_{turn}"), "content": source}]},
            }),
        );
    }
    text
}

impl Figures {
    pub(crate) fn table(&self) -> Vec<String> {
        let verdict = |is_met: bool| if is_met { "yes" } else { "NO" };
        let mut lines = vec![format!(
            "backfill of {} MB in {} files, {ROUNDS} rounds in turn; medians",
            self.bytes >> 20,
            self.files
        )];
        lines.push(run_line("backfill, cold", &self.cold.ours));
        lines.push(run_line("ccusage 20.0.24 daily --offline", &self.cold.theirs));
        lines.push(run_line("usage days, warm", &self.warm.ours));
        if let Some(ratio) = self.cold.ratio(|run| run.wall_s) {
            lines.push(format!(
                "  {:<38} {ratio:>9.2} × faster  at least 2: {}",
                "cold, wall",
                verdict(ratio >= 2.0)
            ));
        }
        if let Some(ratio) = self.cold.ratio(|run| run.cpu_s) {
            lines.push(format!("  {:<38} {ratio:>9.2} × less", "cold, processor"));
        }
        #[expect(clippy::cast_precision_loss, reason = "kibibytes")]
        if let Some(ratio) = self.cold.ratio(|run| run.peak_kib as f64) {
            lines.push(format!(
                "  {:<38} {ratio:>9.2} × less  at least 2: {}",
                "cold, memory",
                verdict(ratio >= 2.0)
            ));
        }
        if let Some(ratio) = self.warm.ratio(|run| run.wall_s) {
            lines.push(format!(
                "  {:<38} {ratio:>9.2} × faster  at least 30: {}",
                "report, warm",
                verdict(ratio >= 30.0)
            ));
        }
        for (kind, ours, theirs) in &self.totals {
            let other = theirs.map_or_else(|| "?".to_owned(), |theirs| theirs.to_string());
            let same = theirs.map_or("", |theirs| if theirs == *ours { "equal" } else { "DIFFERENT" });
            lines.push(format!("  tokens, {kind:<30} {ours:>16} {other:>16}  {same}"));
        }
        lines.extend(self.skipped.iter().map(|skipped| format!("  {skipped}")));
        lines
    }

    pub(crate) fn json(&self) -> Value {
        let pair = |pair: &Pair| json!({"ours": runs_json(&pair.ours), "theirs": runs_json(&pair.theirs)});
        json!({
            "bytes": self.bytes, "files": self.files, "cold": pair(&self.cold), "warm": pair(&self.warm),
            "totals": self.totals.iter().map(|(kind, ours, theirs)| json!({"kind": kind, "ours": ours, "theirs": theirs})).collect::<Vec<_>>(),
            "skipped": self.skipped,
        })
    }
}

impl Pair {
    /// Median over rounds of theirs over ours.
    fn ratio(&self, figure: impl Fn(&Run) -> f64) -> Option<f64> {
        let pairs = self.ours.iter().zip(&self.theirs);
        median(pairs.map(|(ours, theirs)| figure(theirs) / figure(ours).max(1e-6)).collect())
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

fn run_line(name: &str, runs: &[Run]) -> String {
    let of = |figure: fn(&Run) -> f64| median(runs.iter().map(figure).collect()).unwrap_or(0.0);
    #[expect(clippy::cast_precision_loss, reason = "kibibytes")]
    let peak_mib = of(|run| run.peak_kib as f64) / 1_024.0;
    format!(
        "  {name:<38} {:>9.1} ms  {:>9.0} ms of processor  {peak_mib:>7.1} MiB",
        of(|run| run.wall_s) * 1e3,
        of(|run| run.cpu_s) * 1e3
    )
}

fn runs_json(runs: &[Run]) -> Vec<Value> {
    let one = |run: &Run| json!({"wall_s": run.wall_s, "cpu_s": run.cpu_s, "peak_kib": run.peak_kib});
    runs.iter().map(one).collect()
}
