//! Watches one long run of a program: how long it took, how much of the processors and of the memory.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::Failure;

/// Seldom enough to cost nothing beside runs of a tenth of a second and more.
const LOOK_EVERY: Duration = Duration::from_millis(1);
/// The kernel counts in hundredths of a second for programs that ask it, on every system we measure on.
const TICKS_PER_SECOND: f64 = 100.0;

/// What a run took.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Run {
    pub(crate) wall_s: f64,
    pub(crate) cpu_s: f64,
    pub(crate) peak_kib: u64,
}

/// Runs a program to its end; what it prints goes to a file that `out` names.
pub(crate) fn run(command: &mut Command, out: &std::path::Path) -> Result<Run, Failure> {
    let began = Instant::now();
    let mut child =
        command.stdin(Stdio::null()).stdout(fs::File::create(out)?).stderr(Stdio::inherit()).spawn()?;
    let folder = format!("/proc/{}", child.id());
    let mut run = Run::default();
    loop {
        // A process that ended and was not waited for has its times still, and no memory any more.
        let status = fs::read_to_string(format!("{folder}/status")).unwrap_or_default();
        let peak = field(&status, "VmHWM:").and_then(|text| text.strip_suffix("kB")?.trim().parse().ok());
        let Some(peak) = peak else { break };
        run.peak_kib = run.peak_kib.max(peak);
        std::thread::sleep(LOOK_EVERY);
    }
    run.wall_s = began.elapsed().as_secs_f64();
    if let Ok(stat) = fs::read_to_string(format!("{folder}/stat")) {
        run.cpu_s = cpu_seconds(&stat).unwrap_or(0.0);
    }
    let status = child.wait()?;
    if status.success() { Ok(run) } else { Err(format!("{command:?} ended with {status}").into()) }
}

fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}

/// Own time and the system's, of `/proc/<pid>/stat`: what follows the name in parentheses is numbers.
fn cpu_seconds(stat: &str) -> Option<f64> {
    let mut numbers = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let ticks = numbers.next()?.parse::<f64>().ok()? + numbers.next()?.parse::<f64>().ok()?;
    Some(ticks / TICKS_PER_SECOND)
}
