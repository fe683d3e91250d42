//! Money: dollars as whole numbers of their million-millionth part, so that a million additions lose nothing.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// Parts of a dollar: a price of one dollar for a million tokens is a million of them for one token.
pub const PARTS_PER_DOLLAR: u128 = 1_000_000_000_000;
const PARTS_PER_MICRO: u128 = 1_000_000;

/// An amount in US dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money(pub u128);

impl Money {
    /// In millionths of a dollar, rounded to the nearest.
    #[must_use]
    pub fn micros(self) -> u128 {
        (self.0 + PARTS_PER_MICRO / 2) / PARTS_PER_MICRO
    }

    /// An amount of millionths of a dollar.
    #[must_use]
    pub fn from_micros(micros: u64) -> Self {
        Self(u128::from(micros) * PARTS_PER_MICRO)
    }

    /// In dollars, for a number in JSON and for the length of a bar: never to be added up.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "for eyes and JSON; sums are made of whole numbers")]
    pub fn dollars(self) -> f64 {
        self.micros() as f64 / 1e6
    }

    /// This amount `times` over `of`: what a rate makes of a span.
    #[must_use]
    pub fn scaled(self, times: u64, of: u64) -> Self {
        Self(self.0.saturating_mul(u128::from(times)).checked_div(u128::from(of)).unwrap_or(0))
    }
}

impl Add for Money {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Money {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::default(), Add::add)
    }
}

/// `$1,234.56`; below ten cents with as many digits as tell something.
impl fmt::Display for Money {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = match self.0 {
            0 => 2,
            amount if amount < PARTS_PER_DOLLAR / 1_000 => 6,
            amount if amount < PARTS_PER_DOLLAR / 10 => 4,
            _ => 2,
        };
        let unit = PARTS_PER_DOLLAR / 10_u128.pow(digits);
        let rounded = (self.0 + unit / 2) / unit;
        let (whole, part) = (rounded / 10_u128.pow(digits), rounded % 10_u128.pow(digits));
        let text = format!("${}.{part:0width$}", grouped(whole), width = digits as usize);
        out.pad(&text)
    }
}

/// `1,234,567`
#[must_use]
pub fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_shown_as_people_write_them() {
        let shown = |micros: u64| Money::from_micros(micros).to_string();
        assert_eq!(shown(0), "$0.00");
        assert_eq!(shown(12), "$0.000012");
        assert_eq!(shown(12_345), "$0.0123");
        assert_eq!(shown(1_234_567_890), "$1,234.57");
        assert_eq!(shown(999_999), "$1.00");
    }

    #[test]
    fn a_million_small_amounts_lose_nothing() {
        // A third of a cent has no exact float; as parts it has.
        let small = Money(3_333_333_333);
        let sum: Money = std::iter::repeat_n(small, 1_000_000).sum();
        assert_eq!(sum, Money(3_333_333_333_000_000));
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
