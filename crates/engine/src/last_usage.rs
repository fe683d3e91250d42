//! The context's size as the last response reported it, read from the transcript's end.

use std::path::Path;

use throughline_agents::agent::Agent;
use throughline_agents::transcript::LastUsage;
use throughline_store::door::outside;
use throughline_store::files;

/// How much of the transcript's end is read: the last response is nearly always in it.
const TAIL_BYTES: u64 = 32 << 10;

/// The last response's usage; `None` where the end of the transcript tells of none.
#[must_use]
pub fn of(agent: &Agent, transcript: &str) -> Option<LastUsage> {
    let mut file = outside::open(Path::new(transcript)).ok()?;
    let (tail, _) = files::read_tail(&mut file, TAIL_BYTES).ok()?;
    (agent.transcripts.last_usage)(&tail)
}
