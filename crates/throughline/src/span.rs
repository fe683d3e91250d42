//! Spans of time as people write them: `90s`, `30m`, `24h`, `7d`.

/// Seconds of a span; for an argument parser.
pub(crate) fn seconds(text: &str) -> Result<u64, String> {
    let wrong = || "a number and s, m, h or d, such as 30m, 24h or 7d".to_owned();
    let digits = text.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let unit = match unit.trim() {
        "s" => 1,
        "m" | "min" => 60,
        "h" => 3_600,
        "d" => 86_400,
        "w" => 604_800,
        _ => return Err(wrong()),
    };
    number.checked_mul(unit).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn a_span_is_a_number_with_its_unit() {
        let known = ["90s", "30m", "24h", "7d", "1w", "0h"].map(seconds);
        assert_eq!(known, [90, 1_800, 86_400, 604_800, 604_800, 0].map(Ok));
        for wrong in ["", "7", "d", "7 parsecs", "-1h", "99999999999999999999d", "18446744073709551615d"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
