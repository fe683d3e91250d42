//! The burn rate: how soon the context reaches a size, at the pace of the last responses.

/// Fewer points say nothing about a pace.
const POINTS_MIN: usize = 3;
/// A pause is the user's, not the work's: it counts as at most this.
const PAUSE_MS_MAX: i64 = 120_000;
/// A shorter stretch of work says nothing.
const ACTIVE_MS_MIN: i64 = 20_000;
/// A forecast beyond this is no use to anybody.
const SECONDS_MAX: u64 = 24 * 3_600;

/// Seconds of work until `target_tokens`, from points of (ms since 1970, tokens), oldest first; `None` when the points
/// tell no pace, or none that leads there.
#[must_use]
pub fn seconds_to(target_tokens: u64, points: &[(i64, u64)]) -> Option<u64> {
    if points.len() < POINTS_MIN {
        return None;
    }
    let (_, first) = points.first()?;
    let (_, last) = points.last()?;
    let burnt = last.checked_sub(*first).filter(|burnt| *burnt > 0)?;
    let left = target_tokens.checked_sub(*last).filter(|left| *left > 0)?;
    let active_ms: i64 = points.windows(2).map(|pair| (pair[1].0 - pair[0].0).clamp(0, PAUSE_MS_MAX)).sum();
    let active_ms = u64::try_from(active_ms).ok().filter(|_| active_ms >= ACTIVE_MS_MIN)?;
    let seconds = u128::from(left) * u128::from(active_ms) / u128::from(burnt) / 1_000;
    u64::try_from(seconds).ok().filter(|seconds| *seconds <= SECONDS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_of_the_work_tells_when_it_ends() {
        let points = [(0, 10_000), (30_000, 20_000), (60_000, 30_000)];
        assert_eq!(seconds_to(90_000, &points), Some(180));
        let with_lunch = [(0, 10_000), (30_000, 20_000), (5_000_000, 30_000)];
        assert_eq!(seconds_to(90_000, &with_lunch), Some(450), "a pause counts two minutes");
    }

    #[test]
    fn without_a_pace_nothing_is_foretold() {
        for points in [
            &[][..],
            &[(0, 1), (60_000, 2)],
            &[(0, 5), (30_000, 5), (60_000, 5)],
            &[(0, 9), (30_000, 8), (60_000, 7)],
            &[(0, 1), (10, 2_000), (20, 3_000)],
            &[(0, 1), (60_000, 2), (120_000, 3)],
            &[(0, 1), (60_000, 50_000), (120_000, 90_000)],
            &[(90_000, 1), (60_000, 2), (0, 3)],
        ] {
            assert_eq!(seconds_to(90_000, points), None, "{points:?}");
        }
    }
}
