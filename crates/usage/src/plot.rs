//! Plots for terminals: bars, sparklines, short numbers.

use crate::bar::{Bar, HEIGHTS, Pen};

/// A bar of at most `cells`: full at `most`. Something is never drawn as nothing.
#[must_use]
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "cells of a terminal line"
)]
pub fn bar(value: f64, most: f64, cells: usize) -> String {
    if value.is_nan() || most.is_nan() || value <= 0.0 || most <= 0.0 {
        return String::new();
    }
    let eighths = ((value / most).min(1.0) * (cells * 8) as f64).round().max(1.0) as usize;
    Bar::drawn(eighths, cells, Pen::EIGHTHS).to_string()
}

/// One character a value; a value of nothing is a blank.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "one of eight steps")]
pub fn spark(values: &[f64]) -> String {
    let most = values.iter().copied().fold(0.0_f64, f64::max);
    values
        .iter()
        .map(|value| if *value > 0.0 { HEIGHTS[((value / most * 7.0).round() as usize).min(7)] } else { ' ' })
        .collect()
}

/// `950`, `12.3K`, `319.6M`, `1.20B`: four characters of number at most.
#[must_use]
pub fn short(count: u64) -> String {
    for (unit, letter) in [(1_000_000_000_000, 'T'), (1_000_000_000, 'B'), (1_000_000, 'M'), (1_000, 'K')] {
        if count >= unit {
            let hundredths = count / (unit / 100);
            let (whole, part) = (hundredths / 100, hundredths % 100);
            return match whole {
                0..10 => format!("{whole}.{part:02}{letter}"),
                10..1_000 => format!("{whole}.{}{letter}", part / 10),
                _ => format!("{whole}{letter}"),
            };
        }
    }
    count.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_full_at_the_most_and_never_empty_for_something() {
        assert_eq!(bar(10.0, 10.0, 4), "████");
        assert_eq!(bar(5.0, 10.0, 4), "██");
        assert_eq!(bar(0.001, 10.0, 4), "▏");
        assert_eq!(bar(20.0, 10.0, 4), "████");
        for (value, most) in [(0.0, 10.0), (-1.0, 10.0), (1.0, 0.0), (f64::NAN, 1.0)] {
            assert_eq!(bar(value, most, 4), "");
        }
    }

    #[test]
    fn a_spark_has_one_character_a_value() {
        assert_eq!(spark(&[0.0, 1.0, 4.0, 8.0]), " ▂▅█");
        assert_eq!(spark(&[]), "");
        assert_eq!(spark(&[0.0, 0.0]), "  ");
    }

    #[test]
    fn numbers_are_short() {
        let shown = [0, 999, 1_000, 12_345, 319_614_947, 999_999_999, 1_200_000_000, u64::MAX].map(short);
        assert_eq!(shown, ["0", "999", "1.00K", "12.3K", "319.6M", "999.9M", "1.20B", "18446744T"]);
    }
}
