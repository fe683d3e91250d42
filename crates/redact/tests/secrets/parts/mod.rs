//! The parts of the set: secrets, where they stand, and harmless texts.
//!
//! Each was written without a look at the rules, measured once, and tuned on only after that. Measured blind, the sixth
//! had a recall of 0.911 (172 shapes, 3,280 secrets) with no harmless text of 2,400 changed; the one that is held back a
//! recall of 0.808 (205 shapes, 4,134 secrets), none of 2,600 changed. Rules that came later, for other reasons, brought it
//! to 0.931. The judge's trainer reads none of it, but whoever wrote the judge's texts had looked at what it misses: it is
//! a check against steps back, no blind figure any more. Both collect what is rare; the everyday part, weighted by what stands
//! in terminals and settings, had a recall of 0.991 when it was measured for the first time (159 shapes, 5,614 secrets),
//! none of 3,350 changed. The seventh was written by somebody who knew the rules, and collects forms that nobody had thought
//! of: 0.418 of its 1,584 secrets were found at first. Whoever tunes on a part that is held back writes another one first.

mod everyday;
mod everyday_harmless;
mod everyday_talk;
mod fifth;
mod first;
mod fourth;
mod held_back;
mod held_back_harmless;
mod second;
mod seventh;
mod seventh_harmless;
mod sixth;
mod sixth_harmless;
mod third;

use crate::harmless::Kind;

/// A part of the set.
pub(crate) struct Part {
    pub(crate) own_form: &'static [(&'static str, &'static str)],
    pub(crate) named: &'static [(&'static str, &'static str, &'static str)],
    pub(crate) whole: &'static [(&'static str, &'static str, &'static str)],
    pub(crate) private_keys: &'static [(&'static str, &'static str)],
    pub(crate) unnamed_contexts: &'static [Context],
    pub(crate) named_contexts: &'static [Context],
    pub(crate) harmless: &'static [Kind],
}

/// Those that were looked at while the rules were tuned.
pub(crate) const TUNED_ON: [Part; 7] =
    [first::PART, second::PART, third::PART, fourth::PART, fifth::PART, sixth::PART, seventh::PART];
/// Two that were not: what is rare, and what is usual.
pub(crate) const HELD_BACK: Part = held_back::PART;
pub(crate) const EVERYDAY: [Part; 2] = [everyday::PART, everyday_talk::PART];

/// A way to write a value down. The name is given in the spelling of the place.
pub(crate) type Context = (&'static str, fn(name: &Name, secret: &str) -> String);

/// A name in its spellings.
pub(crate) struct Name {
    pub(crate) loud: String,
    pub(crate) snake: String,
    pub(crate) kebab: String,
    pub(crate) camel: String,
}

impl Name {
    pub(crate) fn of(snake: &str) -> Self {
        let mut camel = String::new();
        for (number, word) in snake.split('_').enumerate() {
            let (head, tail) = word.split_at(usize::from(number > 0));
            camel.push_str(&head.to_uppercase());
            camel.push_str(tail);
        }
        Self { loud: snake.to_uppercase(), snake: snake.to_owned(), kebab: snake.replace('_', "-"), camel }
    }
}
