//! Any text, masked: nothing panics, no character is split, masked once is masked for good, and no secret that was named is left.
#![no_main]

use libfuzzer_sys::fuzz_target;
use throughline_redact as redact;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let once = redact::text(&text);
    assert_eq!(redact::text(&once), once, "masked once is masked for good");
    assert!(once.len() <= text.len() * 12 + 64);
    for secret in redact::secrets(&text) {
        // Behind the user of an address any length is a password.
        assert!(secret.len() >= 4 || text.contains("://"), "{secret}");
    }
    let mut value = serde_json::json!({ "name": text, "value": text, "list": [text] });
    redact::json(&mut value);
    let masked = value.clone();
    redact::json(&mut value);
    assert_eq!(value, masked);
});
