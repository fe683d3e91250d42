//! The published figures of masking: recall and precision on a set of our own, in a part to tune on and one held back.
//!
//! `cargo test -p throughline-redact --test secrets -- --nocapture` prints the tables.
//! With `SHOW=1` it also prints every secret that was missed and every harmless text that was changed.
#![expect(clippy::print_stdout, reason = "the figures are there to be read")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "builders of the set, which tests alone use"
)]
#![expect(clippy::disallowed_methods, reason = "a person who runs this asks for more by a variable")]

mod any_text;
mod cases;
mod draw;
mod harmless;
mod parts;
mod sets;

use std::collections::BTreeMap;

use draw::Draw;
use parts::{EVERYDAY, HELD_BACK, Name, Part, TUNED_ON};
use throughline_redact as redact;

/// Values drawn for each shape in each context.
const DRAWS: u64 = 2;
const HARMLESS_EACH: u64 = 50;
/// Both figures have to reach this where the rules were tuned.
const LEAST: f64 = 0.98;
/// What was found of the part that is held back when it was measured for the first time; less would be a step back.
const BLIND_RECALL: f64 = 0.80;
#[derive(Default)]
struct Tally {
    shapes: usize,
    secrets: usize,
    masked: usize,
    harmless: usize,
    changed: usize,
    by_kind: BTreeMap<String, (usize, usize)>,
}

impl Tally {
    fn secret(&mut self, kind: &str, text: &str, secret: &str) {
        let clean = redact::text(text);
        let is_masked = !cases::leaves(&clean, secret);
        assert_eq!(redact::text(&clean), clean, "masked once is masked for good");
        self.secrets += 1;
        self.masked += usize::from(is_masked);
        let count = self.by_kind.entry(kind.to_owned()).or_default();
        *count = (count.0 + usize::from(is_masked), count.1 + 1);
        if !is_masked && std::env::var_os("SHOW").is_some() {
            println!("MISSED {kind}: {text}\n    -> {clean}");
        }
    }

    fn harmless(&mut self, kind: &str, text: &str) {
        let clean = redact::text(text);
        let is_changed = clean != text;
        self.harmless += 1;
        self.changed += usize::from(is_changed);
        let count = self.by_kind.entry(format!("harmless: {kind}")).or_default();
        *count = (count.0 + usize::from(!is_changed), count.1 + 1);
        if is_changed && std::env::var_os("SHOW").is_some() {
            println!("CHANGED {kind}: {text}\n    -> {clean}");
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "some thousands")]
    fn figures(&self) -> (f64, f64) {
        let recall = self.masked as f64 / self.secrets as f64;
        (recall, self.masked as f64 / (self.masked + self.changed) as f64)
    }

    fn print(&self, part: &str) {
        let (recall, precision) = self.figures();
        println!(
            "{part}: {} shapes, {} secrets, recall {recall:.4}; {} harmless, {} changed, precision {precision:.4}",
            self.shapes, self.secrets, self.harmless, self.changed
        );
        for (kind, (good, all)) in &self.by_kind {
            println!("  {kind:<44} {good:>4} of {all:>4}{}", if good < all { "  <" } else { "" });
        }
    }
}

impl Tally {
    fn add(&mut self, part: &Part) {
        self.shapes += part.own_form.len() + part.named.len() + part.whole.len() + part.private_keys.len();
        self.add_secrets(part, part);
        self.add_in_place(part);
        for (kind, make) in part.harmless {
            for number in 0..HARMLESS_EACH {
                self.harmless(kind, &make(&mut Draw::seeded(kind, number)));
            }
        }
    }

    /// The secrets of one part in the contexts of another, or of the same.
    fn add_secrets(&mut self, part: &Part, contexts: &Part) {
        for number in 0..DRAWS {
            for (kind, template) in part.own_form {
                for (place, context) in contexts.unnamed_contexts {
                    let secret = Draw::seeded(&format!("{kind}{place}"), number).fill(template);
                    self.secret(kind, &context(&Name::of("thing"), &secret), &secret);
                }
            }
            for (kind, name, template) in part.named {
                for (place, context) in contexts.named_contexts {
                    let secret = Draw::seeded(&format!("{kind}{place}"), number).fill(template);
                    self.secret(&format!("named: {kind}"), &context(&Name::of(name), &secret), &secret);
                }
            }
        }
    }

    fn add_in_place(&mut self, part: &Part) {
        for number in 0..DRAWS {
            for (kind, text, template) in part.whole {
                for wrap in ["@", "$ @\nok", "- @"] {
                    let secret = Draw::seeded(&format!("{kind}{wrap}"), number).fill(template);
                    let text = wrap.replacen('@', &text.replacen('@', &secret, 1), 1);
                    self.secret(&format!("in place: {kind}"), &text, &secret);
                }
            }
            for (kind, text) in part.private_keys {
                let lines = Draw::seeded(kind, number).fill("{b64}\n{b64}\n{b64}\n{b36}==");
                let text =
                    text.replace('¦', "").replace('@', &lines).replace('#', &lines.replace('\n', "\\n"));
                for line in lines.lines() {
                    self.secret(&format!("private key: {kind}"), &text, line);
                }
            }
        }
    }
}

fn assert_good(tally: &Tally, part: &str) {
    tally.print(part);
    let (recall, precision) = tally.figures();
    assert!(recall >= LEAST && precision >= LEAST, "{part}: recall {recall:.4}, precision {precision:.4}");
}

#[test]
fn recall_and_precision_on_the_part_to_tune_on() {
    let mut all = Tally::default();
    for part in &TUNED_ON {
        all.add(part);
    }
    assert!(all.shapes >= 200 && all.harmless >= 2_000);
    assert_good(&all, "to tune on");
}

/// Every part's secrets where those of another part stand: combinations that nobody wrote down.
#[test]
fn recall_where_the_secrets_of_one_part_stand_as_those_of_another() {
    let mut all = Tally::default();
    for (number, part) in TUNED_ON.iter().enumerate() {
        for (other_number, other) in TUNED_ON.iter().enumerate() {
            if number != other_number {
                all.add_secrets(part, other);
            }
        }
    }
    let (recall, _) = all.figures();
    println!("crossed: {} secrets, recall {recall:.4}", all.secrets);
    assert!(recall >= LEAST, "{recall:.4}");
}

/// Held back, too: what stands in terminals and settings every day.
#[test]
fn recall_and_precision_on_everyday_secrets_that_were_held_back() {
    let mut all = Tally::default();
    for part in &EVERYDAY {
        all.add(part);
    }
    assert_good(&all, "everyday, held back");
}

#[test]
fn recall_and_precision_on_the_part_that_was_held_back() {
    let mut all = Tally::default();
    all.add(&HELD_BACK);
    all.print("held back");
    let (recall, precision) = all.figures();
    assert!(recall >= BLIND_RECALL && precision >= LEAST, "recall {recall:.4}, precision {precision:.4}");
}
