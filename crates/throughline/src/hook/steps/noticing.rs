//! Noticing a compaction: clients without a hook for it write it into the transcript, and the next hook finds it there.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use throughline_store::door::outside;
use throughline_store::spool::Spool;

use crate::hook::Run;

/// Of what was written since the last hook so much is looked at: its newest part.
const STRETCH_BYTES_MAX: u64 = throughline_domain::limits::NOTICED_BYTES_MAX;

/// How long the transcript is now, for whoever has to know what is new in it; 0 where nobody does.
pub(in crate::hook) fn length(run: &Run) -> u64 {
    if run.agent.transcripts.compaction_in.is_none() {
        return 0;
    }
    outside::metadata(&run.payload.transcript_path).map_or(0, |meta| meta.len())
}

/// Whether the context was compacted since the last hook, and nobody was told yet. Costs what was written meanwhile.
pub(in crate::hook) fn compacted(run: &Run, spool: Option<&Spool>) -> bool {
    let Some(compaction_in) = run.agent.transcripts.compaction_in else { return false };
    // A session that we have not seen before was not compacted while we looked away.
    let Some(before) =
        spool.and_then(|spool| spool.last_records().map(|record| record.length).find(|it| *it > 0))
    else {
        return false;
    };
    let Some(stretch) = written_since(Path::new(&run.payload.transcript_path), before) else { return false };
    let Some(found) = compaction_in(&stretch) else { return false };
    if run.progress().compaction_noticed == found {
        return false;
    }
    // Without a memory of it, it would be told at every turn.
    run.change_progress(|progress| found.clone_into(&mut progress.compaction_noticed))
}

fn written_since(path: &Path, before: u64) -> Option<Vec<u8>> {
    let mut file = outside::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    if length == before {
        return None;
    }
    // One that became shorter was written anew.
    let from = if length < before { 0 } else { before };
    let from = from.max(length.saturating_sub(STRETCH_BYTES_MAX));
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut stretch = Vec::new();
    file.take(STRETCH_BYTES_MAX).read_to_end(&mut stretch).ok()?;
    Some(stretch)
}
