//! Counts that do not depend on how busy the machine is: instructions in user space, and the peak of the memory.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::Failure;
use crate::contest::Contestant;
use crate::stage::{Stage, found};

/// A short life is looked at many times: the peak is the highest that was seen in any of them.
const PEAK_RUNS: usize = 20;

/// Instructions of the usual runs and of the empty program, by callgrind; nothing where there is no valgrind.
pub(crate) fn instructions(stage: &Stage) -> Result<Vec<(String, u64)>, Failure> {
    let mut counts = Vec::new();
    for contestant in [stage.empty(), stage.post_tool_use(), stage.post_tool_batch()] {
        if let Some(count) = instructions_of(stage, &contestant)? {
            counts.push((contestant.name, count));
        }
    }
    Ok(counts)
}

/// Instructions of one run; `None` where there is no valgrind.
pub(crate) fn instructions_of(stage: &Stage, contestant: &Contestant) -> Result<Option<u64>, Failure> {
    let Some(valgrind) = found("valgrind") else { return Ok(None) };
    let out = format!("--callgrind-out-file={}", stage.scratch("callgrind.out").display());
    let plain = &contestant.commands[0];
    let mut command = Command::new(&valgrind);
    command.args(["--tool=callgrind", &out]).arg(plain.get_program()).args(plain.get_args());
    command.env_clear().envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if let Some(folder) = plain.get_current_dir() {
        command.current_dir(folder);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        let _ = stdin.write_all(contestant.stdin.as_bytes());
    }
    let output = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let collected = said.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    Ok(Some(collected.ok_or_else(|| format!("callgrind counted nothing: {said}"))?))
}

/// Peak memory in KiB of the usual runs and of the gates; nothing where there is no `/proc`.
pub(crate) fn peaks(stage: &Stage) -> Result<Vec<(String, u64)>, Failure> {
    let mut contestants = vec![stage.empty(), stage.post_tool_use(), stage.post_tool_batch()];
    contestants.extend(stage.gates());
    let mut peaks = Vec::new();
    for mut contestant in contestants {
        let mut peak_kib = 0;
        for _ in 0..PEAK_RUNS {
            peak_kib = peak_kib.max(peak_of(&mut contestant)?);
        }
        if peak_kib > 0 {
            peaks.push((contestant.name, peak_kib));
        }
    }
    Ok(peaks)
}

/// Looks at the process again and again until it is gone. Its own peak only grows, so that the last look counts; the
/// system's account after the end would mix in the memory of whoever started it.
pub(crate) fn peak_of(contestant: &mut Contestant) -> Result<u64, Failure> {
    let mut child =
        contestant.commands[0].stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let status = format!("/proc/{}/status", child.id());
    if let Some(mut stdin) = child.stdin.take() {
        let _ = stdin.write_all(contestant.stdin.as_bytes());
    }
    let mut peak_kib = 0;
    while let Some(seen) = fs::read_to_string(&status).ok().as_deref().and_then(peak_in) {
        peak_kib = seen.max(peak_kib);
    }
    child.wait()?;
    Ok(peak_kib)
}

/// `VmHWM: 2048 kB`; a process that has ended has no such line.
fn peak_in(status: &str) -> Option<u64> {
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB")?.trim().parse().ok())
}
