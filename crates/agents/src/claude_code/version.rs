//! Version: which release of the client answers, so that `init` writes only what that release understands.

use std::fmt;

/// A release of the client, ordered by age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// First number.
    pub major: u32,
    /// Second number.
    pub minor: u32,
    /// Third number.
    pub patch: u32,
}

impl Version {
    /// A version from its three numbers.
    #[must_use]
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }

    /// Reads what `claude --version` prints, such as `2.1.325 (Claude Code)`; a leading `v` and a pre-release
    /// suffix are accepted. Anything else is no version.
    #[must_use]
    pub fn parse(printed: &str) -> Option<Self> {
        let word = printed.split_whitespace().next()?;
        let word = word.strip_prefix('v').unwrap_or(word);
        let numbers = word.split(['-', '+']).next()?;
        let mut parts = numbers.split('.').map(|part| {
            let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| part.parse::<u32>().ok()).flatten()
        });
        let version = Self::new(parts.next()??, parts.next()??, parts.next()??);
        parts.next().is_none().then_some(version)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_version_is_read() {
        let cases = [
            ("2.1.325 (Claude Code)\n", Some(Version::new(2, 1, 325))),
            ("1.0.48", Some(Version::new(1, 0, 48))),
            ("v2.1.0-beta.1 (Claude Code)", Some(Version::new(2, 1, 0))),
            ("", None),
            ("Claude Code", None),
            ("2.1", None),
            ("2.1.3.4", None),
            ("2.+1.3", None),
            ("2.1.99999999999", None),
        ];
        for (printed, expected) in cases {
            assert_eq!(Version::parse(printed), expected, "{printed:?}");
        }
    }

    #[test]
    fn versions_compare_as_numbers() {
        assert!(Version::new(2, 1, 9) < Version::new(2, 1, 139));
        assert!(Version::new(1, 99, 0) < Version::new(2, 0, 0));
        assert_eq!(Version::new(2, 1, 139).to_string(), "2.1.139");
    }
}
