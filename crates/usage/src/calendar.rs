//! The calendar: local days as stretches of time, whatever the clocks do, and the dates that people type.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, ToSpan};
use throughline_domain::Timestamp;
use throughline_domain::span::{self, NoSpan};

/// Most days that are cut at once: forty years.
const DAYS_MAX: usize = 15_000;

/// Local days, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Days {
    /// The dates.
    pub dates: Vec<Date>,
    /// When each of them begins.
    pub cuts: Vec<Timestamp>,
    /// When the last one ends.
    pub end: Timestamp,
}

/// The days from one date to another, both included.
#[must_use]
pub fn days(first: Date, last: Date, zone: &TimeZone) -> Days {
    let dates: Vec<Date> = first.series(1.day()).take_while(|date| *date <= last).take(DAYS_MAX).collect();
    let cuts = dates.iter().map(|date| start_of(*date, zone)).collect();
    let end = dates.last().map_or(Timestamp::UNIX_EPOCH, |date| start_of(date.saturating_add(1.day()), zone));
    Days { dates, cuts, end }
}

/// When a local day begins. A midnight that the clocks leave out begins when they go on.
#[must_use]
pub fn start_of(date: Date, zone: &TimeZone) -> Timestamp {
    date.to_zoned(zone.clone()).map_or(Timestamp::MAX, |zoned| zoned.timestamp())
}

/// The local date of an instant.
#[must_use]
pub fn date_of(at: Timestamp, zone: &TimeZone) -> Date {
    zone.to_datetime(at).date()
}

/// The date that a person means: `2026-01-31`, `20260131`, `today`, `yesterday`, or `7d`, `2w`, `3mo`, `1y`: so long
/// back, today included.
pub fn parse(text: &str, today: Date) -> Result<Date, String> {
    let text = text.trim();
    match text {
        "today" => return Ok(today),
        "yesterday" => return Ok(today.saturating_sub(1.day())),
        _ => {}
    }
    match span::parse(text) {
        Ok(back) if is_in_days(back) => return Ok(today.saturating_sub(back).saturating_add(1.day())),
        Err(NoSpan::MinutesOrMonths(number)) => {
            let both = NoSpan::MinutesOrMonths(number.clone());
            return Err(format!("{both}; here days are counted: {number}mo"));
        }
        Ok(_) | Err(NoSpan::Unknown) => {}
    }
    let is_plain = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    let dashed =
        if is_plain { format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..]) } else { text.to_owned() };
    dashed.parse().map_err(|_| {
        format!("`{text}` is no date: 2026-01-31, 20260131, today, yesterday, 7d, 2w, 3mo or 1y")
    })
}

/// Whether a span is one day at least, and has no part of a day.
fn is_in_days(span: Span) -> bool {
    let days = Span::new()
        .years(span.get_years())
        .months(span.get_months())
        .weeks(span.get_weeks())
        .days(span.get_days());
    !span.is_zero() && days.fieldwise() == span
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn zone(rule: &str) -> TimeZone {
        TimeZone::posix(rule).unwrap_or_else(|error| panic!("{rule}: {error}"))
    }

    /// As Berlin's clocks go; a rule instead of a name, so that no test needs a database of time zones.
    const BERLIN: &str = "CET-1CEST,M3.5.0,M10.5.0/3";

    fn hours(days: &Days) -> Vec<i64> {
        let ends = days.cuts.iter().skip(1).chain([&days.end]);
        days.cuts.iter().zip(ends).map(|(cut, end)| (end.as_second() - cut.as_second()) / 900).collect()
    }

    #[test]
    fn a_day_has_23_hours_when_the_clocks_go_forward_and_25_when_they_go_back() {
        let spring = days(date(2026, 3, 28), date(2026, 3, 30), &zone(BERLIN));
        assert_eq!(hours(&spring), [96, 92, 96]);
        let autumn = days(date(2026, 10, 24), date(2026, 10, 26), &zone(BERLIN));
        assert_eq!(hours(&autumn), [96, 100, 96]);
        assert_eq!(spring.cuts[1].to_string(), "2026-03-28T23:00:00Z");
        assert_eq!(spring.cuts[2].to_string(), "2026-03-29T22:00:00Z");
    }

    #[test]
    fn days_of_odd_zones_begin_at_a_quarter_of_an_hour() {
        for rule in
            ["NPT-5:45", "IST-5:30", "CHAST-12:45CHADT,M9.5.0/2:45,M4.1.0/3:45", "NST3:30NDT,M3.2.0,M11.1.0"]
        {
            let year = days(date(2026, 1, 1), date(2026, 12, 31), &zone(rule));
            assert_eq!(year.dates.len(), 365, "{rule}");
            assert!(year.cuts.iter().all(|cut| cut.as_second() % 900 == 0), "{rule}");
        }
    }

    #[test]
    fn a_midnight_that_does_not_exist_begins_when_the_clocks_go_on() {
        // Clocks go forward at midnight.
        let days = days(date(2026, 4, 25), date(2026, 4, 25), &zone("EET-2EEST,M4.4.6/0,M10.5.4/24"));
        assert_eq!(days.cuts[0].to_string(), "2026-04-24T22:00:00Z");
        assert_eq!(hours(&days), [92]);
    }

    #[test]
    fn three_m_may_be_minutes_and_is_no_date() {
        let refused = parse("3m", date(2026, 11, 16));
        assert_eq!(
            refused,
            Err("`m` may be minutes or months: write 3min or 3mo; here days are counted: 3mo".to_owned())
        );
    }

    #[test]
    fn dates_are_read_as_people_type_them() {
        let today = date(2026, 11, 16);
        let read = |text: &str| parse(text, today).map(|date| date.to_string());
        assert_eq!(read("2026-01-31").as_deref(), Ok("2026-01-31"));
        assert_eq!(read("20260131").as_deref(), Ok("2026-01-31"));
        assert_eq!(read("today").as_deref(), Ok("2026-11-16"));
        assert_eq!(read("yesterday").as_deref(), Ok("2026-11-15"));
        assert_eq!(read("1d").as_deref(), Ok("2026-11-16"), "one day back is today alone");
        assert_eq!(read("7d").as_deref(), Ok("2026-11-10"));
        assert_eq!(read("2w").as_deref(), Ok("2026-11-03"));
        assert_eq!(read("1mo").as_deref(), Ok("2026-10-17"));
        assert_eq!(read("1y").as_deref(), Ok("2025-11-17"));
        for odd in [
            "",
            "d",
            "0d",
            "2h",
            "1d12h",
            "-3d",
            "2026-13-01",
            "tomorrowish",
            "7é",
            "99999999999d",
            "2026-02-30",
        ] {
            assert!(read(odd).is_err(), "{odd}");
        }
    }
}
