//! Restoring: what a session that starts is given, by how it starts and how long ago the last one was there.

/// How a session starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// A new one.
    Startup,
    /// An old one goes on: its history is in the context.
    Resume,
    /// The user cleared the context.
    Clear,
    /// The context was compacted.
    Compact,
}

impl Start {
    /// The start that the client's word means; an unknown word is a new session.
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        match word {
            "resume" | "fork" => Self::Resume,
            "clear" => Self::Clear,
            "compact" => Self::Compact,
            _ => Self::Startup,
        }
    }
}

/// What is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// Nothing.
    Nothing,
    /// One line: what there is, how to see it.
    OneLine,
    /// The briefing in the banner's frame.
    Banner,
    /// The briefing.
    Briefing,
    /// What changed meanwhile, and the briefing.
    ResumeAndBriefing,
    /// What changed meanwhile.
    Resume,
}

/// The ages at which the answer changes, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ages {
    /// Younger: the banner.
    pub banner: u64,
    /// Younger: the briefing alone.
    pub briefing: u64,
    /// Younger: the resume context and the briefing.
    pub resume: u64,
}

/// Decides. `crashed`: the last session ended without saying so.
#[must_use]
pub fn plan(start: Start, age_seconds: u64, crashed: bool, ages: Ages) -> Plan {
    match start {
        Start::Compact => Plan::Briefing,
        Start::Clear => Plan::OneLine,
        Start::Resume if age_seconds < ages.briefing => Plan::Nothing,
        Start::Resume => Plan::Resume,
        // A crash that nobody came back to for days is an old memory like any other.
        Start::Startup if age_seconds < ages.banner || (crashed && age_seconds < ages.resume) => Plan::Banner,
        Start::Startup if age_seconds < ages.briefing => Plan::Briefing,
        Start::Startup if age_seconds < ages.resume => Plan::ResumeAndBriefing,
        Start::Startup => Plan::OneLine,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGES: Ages = Ages { banner: 1_800, briefing: 3_600, resume: 172_800 };

    #[test]
    fn the_table_of_decision_2() {
        let rows = [
            (Start::Startup, 60, false, Plan::Banner),
            (Start::Startup, 2_000, false, Plan::Briefing),
            (Start::Startup, 2_000, true, Plan::Banner),
            (Start::Startup, 172_799, true, Plan::Banner),
            (Start::Startup, 500_000, true, Plan::OneLine),
            (Start::Startup, 3_600, false, Plan::ResumeAndBriefing),
            (Start::Startup, 172_800, false, Plan::OneLine),
            (Start::Resume, 3_599, false, Plan::Nothing),
            (Start::Resume, 3_600, true, Plan::Resume),
            (Start::Resume, 900_000, false, Plan::Resume),
            (Start::Clear, 1, false, Plan::OneLine),
            (Start::Clear, 900_000, true, Plan::OneLine),
            (Start::Compact, 1, false, Plan::Briefing),
            (Start::Compact, 900_000, false, Plan::Briefing),
        ];
        for (start, age, crashed, expected) in rows {
            assert_eq!(plan(start, age, crashed, AGES), expected, "{start:?} {age} {crashed}");
        }
    }
}
