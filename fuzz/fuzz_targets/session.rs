//! Any bytes as a transcript: read, captured, written to a ledger file, read back and said under a cap.
#![no_main]

#[path = "../../crates/throughline/tests/it/whole_way.rs"]
mod whole_way;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| whole_way::go(bytes));
