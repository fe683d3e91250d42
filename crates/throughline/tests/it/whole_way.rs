//! The whole way of a transcript's bytes, from its lines to the words that the agent is given, and what must hold there.
//!
//! The fuzz target `session` includes this file.

use throughline_agents::claude_code::transcript::parse_line;
use throughline_agents::transcript::Parsed;
use throughline_briefing::session::{self, Known, Reader};
use throughline_briefing::{Cap, Facts, fragment, preservation};
use throughline_capture::{absorb, summaries};
use throughline_domain::State;
use throughline_domain::ledger::Ledger;
use throughline_domain::text::utf16_len;
use throughline_store::ledger_file::{LedgerFile, Track};

/// Reads any bytes as a transcript, keeps what they tell as a file does, and says it under a cap.
pub(crate) fn go(bytes: &[u8]) {
    let mut ledger = Ledger::default();
    let mut kept = LedgerFile::default();
    let mut offset = 0;
    for line in bytes.split(|byte| *byte == b'\n') {
        if let Parsed::Line(parsed) = parse_line(line) {
            absorb(&mut ledger, &parsed, offset);
            // A gate comes in between, wherever it pleases.
            if line.len() % 3 == 0 {
                (ledger, kept) = written_and_read(ledger, kept);
            }
        }
        offset += line.len() as u64 + 1;
    }
    let (ledger, _) = written_and_read(ledger, kept);
    let _ = summaries::cold(&ledger, 0);
    say(&ledger, &String::from_utf8_lossy(bytes), 200 + bytes.len() * 7 % 9_800);
}

/// What a ledger is after it was in a file: the same, apart from secrets, which leave it once.
fn written_and_read(ledger: Ledger, before: LedgerFile) -> (Ledger, LedgerFile) {
    let mut file = LedgerFile { main: Track { ledger, ..Track::default() }, ..LedgerFile::default() };
    let written = file.encode(before).expect("a ledger is plain data");
    assert!(written.len() < 400_000, "{} bytes", written.len());
    let read = LedgerFile::decode(&written).expect("what we wrote is ours");
    assert!(read == file, "reading what was written changes it");
    let again = read.clone().encode(LedgerFile::default()).expect("a ledger is plain data");
    assert!(again == written, "what is masked is masked for good");
    (read.main.ledger.clone(), read)
}

fn say(ledger: &Ledger, summary: &str, units: usize) {
    let (state, facts, cap) = (State::default(), Facts::default(), Cap { units });
    let mut texts = vec![preservation::render(&state, &facts, Some(summary), summary, ledger, cap)];
    for known in [Known::nothing(), Known::summary(summary)] {
        for reader in
            [Reader::Compacted, Reader::Restored, Reader::Started, Reader::Asked, Reader::Summariser]
        {
            let said = session::render(&state, &facts, ledger, &known, reader, cap);
            texts.push(said.map(|chosen| chosen.text));
        }
    }
    for text in texts.into_iter().flatten() {
        assert!(utf16_len(&text) <= units, "over the cap of {units}: {text}");
        assert!(fragment::is_ours(&text), "without our marks: {text}");
        assert_eq!(text.matches("[/throughline]").count(), 1, "a forged mark: {text}");
    }
}
