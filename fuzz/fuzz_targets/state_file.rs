//! Any text as a state file: read, cut, written, read again, and said under a cap.
#![no_main]

use libfuzzer_sys::fuzz_target;
use throughline_briefing::briefing::{self, Occasion};
use throughline_briefing::{Cap, Facts, banner, fragment, handoff, preservation};
use throughline_domain::budget::{Limits, truncate_for_budget};
use throughline_domain::state::VERSION;
use throughline_domain::text::utf16_len;
use throughline_domain::{State, validate};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = validate::problems_in(text);
    let Ok((mut state, _)) = State::read(text) else { return };
    state.version = VERSION.to_owned();
    assert_eq!(again(&state), state, "reading what was written changes it");

    truncate_for_budget(&mut state, &Limits::default(), "2026-03-01T10:00:00.000Z");
    assert_eq!(again(&state), state, "reading what was cut changes it");

    // Any cap will do; the length of the text makes it vary.
    let cap = Cap { units: 50 + bytes.len() * 7 % 9_950 };
    let facts = Facts::default();
    let texts = [
        briefing::render(&state, &facts, &Occasion::Compacted, cap).map(|chosen| chosen.text),
        banner::render(&state, &facts, cap).map(|chosen| chosen.text),
        preservation::render(&state, &facts, Some(text), text, &throughline_domain::ledger::Ledger::default(), cap),
    ];
    for text in texts.into_iter().flatten() {
        assert!(utf16_len(&text) <= cap.units, "over the cap");
        assert!(fragment::is_ours(&text));
        assert_eq!(text.matches("[/throughline]").count(), 1, "a forged mark");
    }
    assert!(utf16_len(&handoff::render(&state, &handoff::Work::default(), None)) <= 4_800);
    let _ = banner::summary(&state);
});

fn again(state: &State) -> State {
    match State::read(&state.to_json().to_string()) {
        Ok((state, _)) => state,
        Err(why) => panic!("what we wrote cannot be read: {why}"),
    }
}
