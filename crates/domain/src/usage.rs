//! Usage: what a response of the model cost in tokens, and how full the context was at a moment.
//!
//! A [`Response`] is additive: sums of responses are what was used and paid. A [`Sample`] is a snapshot: a maximum, an
//! average or a trend of samples means something, a sum never does.

use md5::{Digest, Md5};

use crate::health::Health;
use crate::time::{Timestamp, iso};

/// The agent whose sessions carry no agent's name: they were the first.
pub const USUAL_AGENT: &str = "claude-code";

/// Names one record in every store it reaches: the same facts give the same id, so sending twice stores once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId(pub [u8; 16]);

impl RecordId {
    /// The id of what these parts name. The parts are kept apart: `["ab", "c"]` is not `["a", "bc"]`.
    #[must_use]
    pub fn of(parts: &[&str]) -> Self {
        let mut hash = Md5::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        Self(hash.finalize().into())
    }

    /// As a UUID is written.
    #[must_use]
    pub fn as_uuid(&self) -> String {
        let hex = format!("{:032x}", u128::from_be_bytes(self.0));
        format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
    }
}

/// Tokens, by how they are billed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Read by the model, not from the cache.
    pub input: u64,
    /// Written by the model.
    pub output: u64,
    /// Written into the cache for five minutes.
    pub cache_write_5m: u64,
    /// Written into the cache for an hour.
    pub cache_write_1h: u64,
    /// Read from the cache.
    pub cache_read: u64,
    /// Searches of the web that the server ran; billed by the piece.
    pub web_searches: u64,
}

impl Tokens {
    /// What stood in the context: everything that was read.
    #[must_use]
    pub fn context(&self) -> u64 {
        self.input
            .saturating_add(self.cache_write_5m)
            .saturating_add(self.cache_write_1h)
            .saturating_add(self.cache_read)
    }

    /// All tokens, read and written.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.context().saturating_add(self.output)
    }

    /// Adds another count to this one.
    pub fn add(&mut self, other: &Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_write_5m = self.cache_write_5m.saturating_add(other.cache_write_5m);
        self.cache_write_1h = self.cache_write_1h.saturating_add(other.cache_write_1h);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.web_searches = self.web_searches.saturating_add(other.web_searches);
    }
}

/// What decides which of a model's price lists counts, as far as a response tells: facts, not prices.
///
/// Additive counts are kept apart by it, so that a price table of a later day can still be applied to them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tier {
    /// How much was read at once.
    pub band: Band,
    /// The fast mode.
    pub is_fast: bool,
    /// Served in the region that costs extra.
    pub is_us_only: bool,
}

/// How much a request read at once, by the steps at which some models' prices change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Band {
    /// Up to 100,000 tokens.
    #[default]
    Usual,
    /// More than that.
    Over100K,
    /// More than 200,000.
    Over200K,
    /// More than 272,000.
    Over272K,
}

impl Band {
    /// All of them, smallest first.
    pub const ALL: [Self; 4] = [Self::Usual, Self::Over100K, Self::Over200K, Self::Over272K];

    /// The band of a request that read so many tokens.
    #[must_use]
    pub fn of(context_tokens: u64) -> Self {
        match context_tokens {
            0..=100_000 => Self::Usual,
            100_001..=200_000 => Self::Over100K,
            200_001..=272_000 => Self::Over200K,
            _ => Self::Over272K,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Usual => "standard",
            Self::Over100K => "over100k",
            Self::Over200K => "over200k",
            Self::Over272K => "over272k",
        }
    }
}

impl Tier {
    /// The word that stores use: `standard`, `over200k`, `standard+fast+us`.
    #[must_use]
    pub fn word(self) -> String {
        let mut word = self.band.word().to_owned();
        if self.is_fast {
            word.push_str("+fast");
        }
        if self.is_us_only {
            word.push_str("+us");
        }
        word
    }

    /// The tier that a word names; what is unknown in it is passed over.
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        let mut tier = Self::default();
        for part in word.split('+') {
            match part {
                "fast" => tier.is_fast = true,
                "us" => tier.is_us_only = true,
                part => {
                    let band = Band::ALL.into_iter().find(|band| band.word() == part);
                    tier.band = band.unwrap_or(tier.band);
                }
            }
        }
        tier
    }
}

/// One answer of the API, counted once: it may span several lines of a transcript and be copied into others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// Of the message and the request.
    pub id: RecordId,
    /// When it came.
    pub at: Timestamp,
    /// The session that asked first.
    pub session: String,
    /// The project's folder, as the transcript names it.
    pub project: String,
    /// The model's id, as the API spells it.
    pub model: String,
    /// What its price depends on.
    pub tier: Tier,
    /// Whether a subagent asked.
    pub is_sidechain: bool,
    /// What it took.
    pub tokens: Tokens,
    /// How much it read at once: less than `tokens.context()` where the server went several rounds in one response.
    pub context: u64,
}

impl Response {
    /// How much of a response a line of it knew: the last one of a stream knows most. Of two copies the larger counts.
    #[must_use]
    pub fn fullness(tokens: &Tokens) -> (u64, u64) {
        (tokens.output, tokens.total())
    }

    /// Takes in another line or copy of the same response: the fuller counts, the earlier moment, and the session and
    /// project that were there first. The order in which copies come changes no number.
    pub fn take_in(&mut self, other: &Self) {
        if Self::fullness(&other.tokens) > Self::fullness(&self.tokens) {
            self.model.clone_from(&other.model);
            (self.tier, self.tokens, self.context) = (other.tier, other.tokens, other.context);
        }
        self.at = self.at.min(other.at);
        self.is_sidechain &= other.is_sidechain;
    }
}

/// What told of a compaction. They agree, or the line of the log shows that they did not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Signs {
    /// The context became much smaller.
    pub drop: bool,
    /// The client reported zeros after a known size.
    pub reset: bool,
    /// The client's compaction hooks ran.
    pub hook: bool,
}

impl Signs {
    /// The words that the log uses, of the signs that are there.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        let all = [(self.drop, "drop"), (self.reset, "reset"), (self.hook, "hook")];
        all.into_iter().filter_map(|(is_there, word)| is_there.then_some(word))
    }

    /// The signs that words name; unknown words are left out.
    #[must_use]
    pub fn from_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        let mut signs = Self::default();
        for word in words {
            match word {
                "drop" => signs.drop = true,
                "reset" => signs.reset = true,
                "hook" => signs.hook = true,
                _ => {}
            }
        }
        signs
    }

    /// Whether anything told.
    #[must_use]
    pub fn any(self) -> bool {
        self != Self::default()
    }
}

/// How full the context was, as the status line was told: one line of the usage log.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// When.
    pub at: Timestamp,
    /// The session.
    pub session: String,
    /// The model's id.
    pub model: String,
    /// Tokens in the context.
    pub context_used: u64,
    /// The model's window.
    pub context_size: u64,
    /// `context_used` of `context_size`, in whole percent, rounded down.
    pub percent: u16,
    /// Read, not from the cache.
    pub input: u64,
    /// Written.
    pub output: u64,
    /// Written into the cache.
    pub cache_create: u64,
    /// Read from the cache.
    pub cache_read: u64,
    /// How near the compaction is.
    pub status: Health,
    /// Whether a compaction happened between the sample before and this one.
    pub compaction: bool,
    /// `percent` of the sample before, where `compaction` holds.
    pub previous_percent: Option<u16>,
    /// What told of a compaction. A sign without `compaction` was outvoted: a conversation that was wound back.
    pub signs: Signs,
    /// Tokens at which the client will compact; `None` where it never will, or nobody knows.
    pub compacts_at: Option<u64>,
    /// What the client says the session has cost so far, in millionths of a dollar.
    pub cost_micros: Option<u64>,
    /// The working folder.
    pub cwd: String,
    /// The project's root.
    pub project: String,
}

impl Sample {
    /// The sample's id: its session, moment and numbers. Two samples in one millisecond are two, unless all is equal.
    #[must_use]
    pub fn id(&self) -> RecordId {
        let numbers = format!(
            "{} {} {} {} {} {} {}",
            self.context_used,
            self.context_size,
            self.input,
            self.output,
            self.cache_create,
            self.cache_read,
            u8::from(self.compaction)
        );
        RecordId::of(&[&self.session, &iso(self.at), &self.model, &numbers])
    }
}

/// A compaction as the transcript's boundary tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boundary {
    /// Of the boundary's own id, or of its session and moment.
    pub id: RecordId,
    /// When.
    pub at: Timestamp,
    /// The session.
    pub session: String,
    /// The project's folder, as the transcript names it.
    pub project: String,
    /// The model that answered last before it.
    pub model: String,
    /// Whether the client decided it, and not the user.
    pub is_auto: bool,
    /// Tokens before.
    pub tokens_before: u64,
    /// Tokens after; `None` where the client did not say.
    pub tokens_after: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_an_id_do_not_run_into_each_other() {
        assert_ne!(RecordId::of(&["ab", "c"]), RecordId::of(&["a", "bc"]));
        assert_eq!(RecordId::of(&["ab", "c"]), RecordId::of(&["ab", "c"]));
        assert_eq!(RecordId([0x1f; 16]).as_uuid(), "1f1f1f1f-1f1f-1f1f-1f1f-1f1f1f1f1f1f");
    }

    #[test]
    fn every_tier_is_read_back_from_its_word() {
        for band in Band::ALL {
            for (is_fast, is_us_only) in [(false, false), (true, false), (false, true), (true, true)] {
                let tier = Tier { band, is_fast, is_us_only };
                assert_eq!(Tier::from_word(&tier.word()), tier);
            }
        }
        assert_eq!(Tier::from_word("something new"), Tier::default());
    }

    #[test]
    fn a_step_belongs_to_the_band_below_it() {
        let bands = [0, 100_000, 100_001, 200_000, 200_001, 272_000, 272_001].map(Band::of);
        let [a, b, c, d] = Band::ALL;
        assert_eq!(bands, [a, a, b, b, c, c, d]);
    }

    #[test]
    fn the_context_is_what_was_read_and_the_total_adds_what_was_written() {
        let mut tokens = Tokens {
            input: 1,
            output: 2,
            cache_write_5m: 4,
            cache_write_1h: 8,
            cache_read: 16,
            web_searches: 1,
        };
        assert_eq!((tokens.context(), tokens.total()), (29, 31));
        tokens.add(&tokens.clone());
        assert_eq!((tokens.context(), tokens.web_searches), (58, 2));
    }
}
