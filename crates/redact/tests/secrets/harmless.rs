//! Words, ids and names: what harmless look-alikes are made of.

use crate::draw::{Draw, HEX};

/// A kind of harmless text: how one is made.
pub(crate) type Kind = (&'static str, fn(&mut Draw) -> String);

const WORDS: [&str; 40] = [
    "parser", "window", "ledger", "budget", "session", "render", "import", "module", "handle", "worker",
    "buffer", "stream", "client", "server", "cursor", "branch", "commit", "layout", "vector", "matrix",
    "config", "schema", "record", "update", "number", "folder", "letter", "signal", "socket", "thread",
    "kernel", "planet", "orange", "silver", "bridge", "market", "garden", "school", "travel", "winter",
];

pub(crate) fn word(draw: &mut Draw) -> &'static str {
    draw.pick(&WORDS)
}

pub(crate) fn hex(draw: &mut Draw, length: usize) -> String {
    draw.from(HEX, length)
}

pub(crate) fn camel(draw: &mut Draw) -> String {
    let second = word(draw);
    format!("{}{}{}", word(draw), second[..1].to_uppercase(), &second[1..])
}
