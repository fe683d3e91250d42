//! Which drop is a compaction: a session's sample is compared with the one before, and with what the hooks know.
//!
//! Three signs tell of a compaction: the context became much smaller, the client reported zeros after a known size, and
//! its compaction hooks ran. A sample of another session is never compared; the caller keeps one memory per session.

use throughline_domain::usage::Signs;
use throughline_domain::usage_memory::Gap;

/// A smaller loss is a conversation wound back a little, or a response that was counted differently.
pub const DROP_TOKENS_MIN: u64 = 10_000;
/// A drop loses at least one part in so many.
const DROP_PART: u64 = 3;

/// The sample before, of the same session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Before<'a> {
    /// Tokens in the context.
    pub used: u64,
    /// The model's id. Models count differently: a switch makes for a drop that is none.
    pub model: &'a str,
    /// What the client said between then and now.
    pub gap: Gap,
}

/// What the hooks know of the time between two samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hooks {
    /// They did not run: nobody can tell.
    Absent,
    /// They ran, and none told of a compaction.
    Silent,
    /// A compaction began.
    Begun,
    /// A compaction was done.
    Done,
}

/// Whether a compaction lies between two samples, and what told so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it does.
    pub compaction: bool,
    /// What told. A sign without a compaction was outvoted.
    pub signs: Signs,
}

/// Judges a sample. The hooks are asked only where their word can matter.
#[must_use]
pub fn judge(before: &Before<'_>, used: u64, model: &str, hooks: impl FnOnce() -> Hooks) -> Verdict {
    let reset = before.gap == Gap::Zeros;
    if used >= before.used && !reset {
        return Verdict::default();
    }
    let lost = before.used.saturating_sub(used);
    let is_large = lost >= DROP_TOKENS_MIN && lost.saturating_mul(DROP_PART) >= before.used;
    let drop = is_large && before.model == model && before.gap != Gap::Null;
    let hooks = hooks();
    // A compaction that began may have been cancelled; with a drop behind it, it was not.
    let hook = hooks == Hooks::Done || (hooks == Hooks::Begun && (drop || reset));
    // Hooks that ran and saw nothing outvote a drop: the conversation was wound back.
    let compaction = reset || hook || (drop && hooks != Hooks::Silent);
    Verdict { compaction, signs: Signs { drop, reset, hook } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn before(used: u64) -> Before<'static> {
        Before { used, model: "opus", gap: Gap::None }
    }

    fn told(before: &Before<'_>, used: u64, model: &str, hooks: Hooks) -> String {
        let verdict = judge(before, used, model, || hooks);
        let words: Vec<&str> = verdict.signs.words().collect();
        format!("{} [{}]", verdict.compaction, words.join(" "))
    }

    #[test]
    fn a_large_drop_of_one_model_is_a_compaction() {
        for (used, expected) in [
            (23_000, "true [drop]"),
            (120_000, "true [drop]"),
            (120_001, "false []"),
            (179_999, "false []"),
            (180_000, "false []"),
            (190_000, "false []"),
        ] {
            assert_eq!(told(&before(180_000), used, "opus", Hooks::Absent), expected, "{used}");
        }
        assert_eq!(told(&before(12_000), 3_000, "opus", Hooks::Absent), "false []", "a third, yet a little");
        assert_eq!(told(&before(180_000), 23_000, "haiku", Hooks::Absent), "false []", "another model");
        let cleared = Before { gap: Gap::Null, ..before(180_000) };
        assert_eq!(told(&cleared, 23_000, "opus", Hooks::Absent), "false []", "cleared");
    }

    #[test]
    fn zeros_after_a_known_size_are_a_compaction_whatever_comes_next() {
        let reset = Before { gap: Gap::Zeros, ..before(20_000) };
        assert_eq!(told(&reset, 15_000, "opus", Hooks::Absent), "true [reset]");
        assert_eq!(told(&reset, 25_000, "haiku", Hooks::Silent), "true [reset]");
        let large = Before { gap: Gap::Zeros, ..before(180_000) };
        assert_eq!(told(&large, 15_000, "opus", Hooks::Done), "true [drop reset hook]");
    }

    #[test]
    fn hooks_confirm_a_small_drop_and_outvote_a_large_one() {
        assert_eq!(told(&before(20_000), 19_000, "opus", Hooks::Done), "true [hook]");
        assert_eq!(told(&before(20_000), 19_000, "opus", Hooks::Begun), "false []", "cancelled");
        assert_eq!(told(&before(180_000), 19_000, "opus", Hooks::Begun), "true [drop hook]");
        assert_eq!(told(&before(180_000), 19_000, "opus", Hooks::Silent), "false [drop]", "wound back");
        assert_eq!(told(&before(180_000), 181_000, "opus", Hooks::Done), "false []", "not yet");
    }

    #[test]
    fn hooks_are_not_asked_while_the_context_grows() {
        let asked = std::cell::Cell::new(false);
        let hooks = || {
            asked.set(true);
            Hooks::Absent
        };
        assert_eq!(judge(&before(10), 11, "opus", hooks), Verdict::default());
        assert!(!asked.get());
    }
}
