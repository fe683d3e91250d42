//! Health: how near the context is to its end, by the words of the thresholds.

/// How near the context is to the point at which it will be compacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Health {
    /// Below the warning.
    Healthy,
    /// From 70 %.
    Warning,
    /// From 90 %.
    Critical,
    /// From 95 %.
    Emergency,
}

impl Health {
    /// All of them, best first.
    pub const ALL: [Self; 4] = [Self::Healthy, Self::Warning, Self::Critical, Self::Emergency];

    /// The word that logs, tables and people use.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Healthy => "HEALTHY",
            Self::Warning => "WARNING",
            Self::Critical => "CRITICAL",
            Self::Emergency => "EMERGENCY",
        }
    }

    /// The health that a word names, however it is cased.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|health| health.word().eq_ignore_ascii_case(word))
    }

    /// The health at a percentage of the compaction point.
    #[must_use]
    pub fn at(percent: u64, warning: u64, critical: u64, emergency: u64) -> Self {
        if percent >= emergency {
            Self::Emergency
        } else if percent >= critical {
            Self::Critical
        } else if percent >= warning {
            Self::Warning
        } else {
            Self::Healthy
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_belongs_to_the_worse_side() {
        let words = [69, 70, 89, 90, 94, 95].map(|percent| Health::at(percent, 70, 90, 95).word());
        assert_eq!(words, ["HEALTHY", "WARNING", "WARNING", "CRITICAL", "CRITICAL", "EMERGENCY"]);
    }

    #[test]
    fn every_word_is_read_back() {
        for health in Health::ALL {
            assert_eq!(Health::from_word(&health.word().to_lowercase()), Some(health));
        }
        assert_eq!(Health::from_word("fine"), None);
    }
}
