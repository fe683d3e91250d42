//! The parts of the set: secrets, where they stand, and harmless texts.

mod first;
mod fourth;
mod held_back;
mod second;
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
pub(crate) const TUNED_ON: [Part; 4] = [first::PART, second::PART, third::PART, fourth::PART];
/// The one that was not.
pub(crate) const HELD_BACK: Part = held_back::PART;

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
