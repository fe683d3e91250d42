//! Any bytes on a hook's stdin, or at a transcript's end: a value comes back, and nothing panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use throughline_agents::claude_code::{hook_payload, transcript_tail};

fuzz_target!(|bytes: &[u8]| {
    let _ = hook_payload::parse(bytes);
    let _ = transcript_tail::last_usage(bytes);
});
