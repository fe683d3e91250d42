//! Version ranges as advisories write them: `>= 1.2.3, < 2`, `^1.2`, `*`; and whether a version is in one.

/// A version's numbers; before the release of the same numbers stands one with a tag (`1.0.0-rc.1`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    numbers: [u64; 3],
    is_release: bool,
}

/// Whether a version is in a range. One that cannot be read is in none: what is not understood counts as affected.
pub(crate) fn is_in(version: &str, range: &str) -> bool {
    let Some((version, _)) = read(version) else { return false };
    range.split(',').all(|part| is_in_part(version, part.trim()))
}

fn is_in_part(version: Version, part: &str) -> bool {
    if part == "*" {
        return true;
    }
    let at = part.find(|c: char| c.is_ascii_digit()).unwrap_or(part.len());
    let (sign, bound) = part.split_at(at);
    let Some((bound, given)) = read(bound) else { return false };
    match sign.trim() {
        ">=" => version >= bound,
        ">" => version > bound,
        "<" => version < bound,
        "<=" => version <= bound,
        "=" => version == bound,
        // As cargo reads it: up to the next number that may break something.
        "^" | "" => version >= bound && version.numbers < next(bound, first_nonzero(bound, given)),
        "~" => version >= bound && version.numbers < next(bound, given.saturating_sub(1).min(1)),
        _ => false,
    }
}

fn first_nonzero(bound: Version, given: usize) -> usize {
    bound.numbers.iter().position(|number| *number != 0).unwrap_or(2).min(given.saturating_sub(1))
}

/// The numbers after which another series begins: the one at `place` raised, zeros behind it.
fn next(bound: Version, place: usize) -> [u64; 3] {
    let mut numbers = [0; 3];
    numbers[..=place].copy_from_slice(&bound.numbers[..=place]);
    numbers[place] += 1;
    numbers
}

/// A version, and how many of its numbers were given.
fn read(text: &str) -> Option<(Version, usize)> {
    let text = text.trim().split('+').next()?;
    let (numbers, tag) = text.split_once('-').map_or((text, ""), |(numbers, tag)| (numbers, tag));
    let mut read = [0; 3];
    let mut given = 0;
    for part in numbers.split('.') {
        *read.get_mut(given)? = part.parse().ok()?;
        given += 1;
    }
    Some((Version { numbers: read, is_release: tag.is_empty() }, given))
}

#[cfg(test)]
mod tests {
    use super::is_in;

    #[test]
    fn ranges_hold_what_cargo_says_they_hold() {
        for (version, range) in [
            ("1.2.3", ">= 1.2.3"),
            ("1.2.3", ">=1.2, <2"),
            ("1.9.0", "^1.2"),
            ("0.3.5", "^0.3.4"),
            ("0.3.5", "^ 0.3.4"),
            ("1.2.9", "~1.2.3"),
            ("1.9.0", "~1"),
            ("0.9.9", "< 1.0.0-rc.1"),
            ("1.0.0", "> 1.0.0-alpha.3"),
            ("1.0.0+build", "= 1.0.0"),
            ("7.7.7", "*"),
        ] {
            assert!(is_in(version, range), "{version} in {range}");
        }
        for (version, range) in [
            ("1.2.2", ">= 1.2.3"),
            ("2.0.0", ">=1.2, <2"),
            ("2.0.0", "^1.2"),
            ("0.4.0", "^0.3.4"),
            ("0.0.4", "^0.0.3"),
            ("1.3.0", "~1.2.3"),
            ("1.0.0-rc.1", ">= 1.0.0"),
            ("1.0.0", "no range"),
            ("none", ">= 0.0.0"),
        ] {
            assert!(!is_in(version, range), "{version} not in {range}");
        }
    }
}
