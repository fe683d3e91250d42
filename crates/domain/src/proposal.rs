//! Proposed anchors: sentences that wait until a person confirms them, with a verb or by saying them again.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::entry::AnchorPriority;
use crate::text::fingerprint;

/// Most proposals that wait: more would be a second inbox.
pub const WAITING_MAX: usize = 10;
/// Fingerprints of sentences that are not proposed again; the oldest are forgotten first.
const SETTLED_MAX: usize = 1_000;
/// The letters before a proposal's number.
const PREFIX: &str = "PA";

/// A sentence that could become an anchor.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Proposal {
    /// Its number; never used twice in a project.
    pub number: u64,
    /// The sentence, word by word.
    pub quote: String,
    /// The type that the anchor would have.
    #[serde(rename = "type")]
    pub anchor_type: String,
    /// The priority that the anchor would have, as a word.
    pub priority: String,
    /// Whether the user said it (else the agent did).
    pub by_user: bool,
    /// Where it was said: the session and the place in its transcript.
    pub said_at: String,
    /// The session.
    pub session: String,
    /// When it was proposed.
    pub timestamp: String,
    /// Fields written by others.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Proposal {
    /// Its name: `PA3`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{PREFIX}{}", self.number)
    }

    /// The priority that the anchor would have.
    #[must_use]
    pub fn anchor_priority(&self) -> AnchorPriority {
        AnchorPriority::from_word(&self.priority).unwrap_or_default()
    }
}

/// Whether a name has the form of a proposal's.
///
/// ```
/// use throughline_domain::proposal::is_name;
/// assert!(is_name("PA3") && is_name("pa12"));
/// assert!(!is_name("A3") && !is_name("PA"));
/// ```
#[must_use]
pub fn is_name(name: &str) -> bool {
    number_of(name).is_some()
}

fn number_of(name: &str) -> Option<u64> {
    let (prefix, digits) = name.split_at_checked(PREFIX.len())?;
    if !prefix.eq_ignore_ascii_case(PREFIX) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

/// What became of a sentence that was offered.
#[derive(Debug, Clone, PartialEq)]
pub enum Offered {
    /// It waits now.
    Waits,
    /// The user said what was said before: it is an anchor, and no proposal any more.
    Confirmed(Box<Proposal>),
    /// Nothing new: it waits already, was settled before, or there is no room for it.
    Nothing,
}

/// The proposals of a project.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Proposals {
    /// The highest number given out.
    pub counter: u64,
    /// Those that wait, oldest first.
    pub waiting: Vec<Proposal>,
    /// Fingerprints of sentences that were confirmed, rejected or crowded out.
    settled: Vec<u64>,
    /// Fields written by others.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Proposals {
    /// Offers a sentence (`number` is given here). Said again by the user, at another place, it is confirmed. An agent that
    /// repeats itself confirms nothing: its words may come from a file, and a file can make it say them twice.
    ///
    /// ```
    /// use throughline_domain::proposal::{Offered, Proposal, Proposals};
    /// let mut proposals = Proposals::default();
    /// let said = |place: &str| Proposal {
    ///     quote: "Never push to main.".to_owned(), priority: "critical".to_owned(), said_at: place.to_owned(),
    ///     by_user: true, ..Proposal::default()
    /// };
    /// assert_eq!(proposals.offer(said("s1:10")), Offered::Waits);
    /// assert_eq!(proposals.offer(said("s1:10")), Offered::Nothing);
    /// assert_eq!(proposals.offer(Proposal { by_user: false, ..said("s2:40") }), Offered::Nothing);
    /// assert!(matches!(proposals.offer(said("s2:90")), Offered::Confirmed(_)));
    /// assert_eq!(proposals.offer(said("s3:10")), Offered::Nothing);
    /// ```
    pub fn offer(&mut self, proposal: Proposal) -> Offered {
        let sentence = label(&proposal.quote);
        if let Some(at) = self.waiting.iter().position(|waiting| label(&waiting.quote) == sentence) {
            if self.waiting[at].said_at == proposal.said_at || !proposal.by_user {
                return Offered::Nothing;
            }
            self.settle(sentence);
            return Offered::Confirmed(Box::new(Proposal { by_user: true, ..self.waiting.remove(at) }));
        }
        if self.settled.contains(&sentence) || !self.make_room(proposal.anchor_priority()) {
            return Offered::Nothing;
        }
        self.counter += 1;
        self.waiting.push(Proposal { number: self.counter, ..proposal });
        Offered::Waits
    }

    /// Puts a confirmed proposal back: it could not be recorded.
    pub fn wait_on(&mut self, proposal: Proposal) {
        let sentence = label(&proposal.quote);
        self.settled.retain(|settled| *settled != sentence);
        self.waiting.push(proposal);
    }

    /// Takes a proposal out by its name; the sentence is not proposed again.
    pub fn take(&mut self, name: &str) -> Option<Proposal> {
        let number = number_of(name)?;
        let at = self.waiting.iter().position(|waiting| waiting.number == number)?;
        let taken = self.waiting.remove(at);
        self.settle(label(&taken.quote));
        Some(taken)
    }

    /// Settles a sentence that somebody recorded or withdrew by other means.
    pub fn settle_quote(&mut self, quote: &str) {
        let sentence = label(quote);
        self.waiting.retain(|waiting| label(&waiting.quote) != sentence);
        self.settle(sentence);
    }

    fn settle(&mut self, sentence: u64) {
        if !self.settled.contains(&sentence) {
            self.settled.push(sentence);
            let over = self.settled.len().saturating_sub(SETTLED_MAX);
            self.settled.drain(..over);
        }
    }

    /// Whether there is room: where all places are taken, the oldest that matters no more than the new one goes.
    fn make_room(&mut self, priority: AnchorPriority) -> bool {
        if self.waiting.len() < WAITING_MAX {
            return true;
        }
        // Of priorities the greater one matters less.
        let least = self.waiting.iter().map(Proposal::anchor_priority).max();
        let Some(least) = least.filter(|least| *least >= priority) else { return false };
        if let Some(at) = self.waiting.iter().position(|waiting| waiting.anchor_priority() == least) {
            let gone = self.waiting.remove(at);
            self.settle(label(&gone.quote));
        }
        true
    }
}

/// Whether two sentences are the same but for case, marks and blanks.
///
/// ```
/// use throughline_domain::proposal::says_the_same;
/// assert!(says_the_same("Never push to main.", "never push  to main"));
/// assert!(!says_the_same("Never push to main.", "Always push to main."));
/// ```
#[must_use]
pub fn says_the_same(left: &str, right: &str) -> bool {
    label(left) == label(right)
}

/// The same number for sentences that say the same. Compared with every one that waits: so in one pass.
fn label(quote: &str) -> u64 {
    let lower = if quote.is_ascii() { None } else { Some(quote.to_lowercase()) };
    let mut words = String::with_capacity(quote.len());
    let mut is_open = false;
    for c in lower.as_deref().unwrap_or(quote).chars() {
        let belongs = if c.is_ascii() { c.is_ascii_alphanumeric() } else { c.is_alphanumeric() };
        if belongs && !is_open && !words.is_empty() {
            words.push(' ');
        }
        if belongs {
            words.push(c.to_ascii_lowercase());
        }
        is_open = belongs;
    }
    fingerprint(words.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposal(quote: &str, priority: &str, said_at: &str) -> Proposal {
        Proposal {
            quote: quote.to_owned(),
            priority: priority.to_owned(),
            said_at: said_at.to_owned(),
            ..Proposal::default()
        }
    }

    #[test]
    fn a_rejected_sentence_does_not_come_back() {
        let mut proposals = Proposals::default();
        proposals.offer(proposal("Never push to main.", "critical", "s1:1"));
        assert_eq!(proposals.take("pa1").map(|it| it.quote).as_deref(), Some("Never push to main."));
        assert_eq!(proposals.offer(proposal("never push to MAIN!", "critical", "s2:7")), Offered::Nothing);
        assert_eq!(proposals.take("PA1"), None);
        assert_eq!(proposals.take("A1"), None);
    }

    #[test]
    fn only_the_user_confirms_by_saying_it_again() {
        let by_agent = |place: &str| proposal("We chose SQLite as the storage.", "high", place);
        let mut proposals = Proposals::default();
        assert_eq!(proposals.offer(by_agent("s1:1")), Offered::Waits);
        for place in ["s1:2", "s2:1", "s3:1"] {
            assert_eq!(proposals.offer(by_agent(place)), Offered::Nothing, "{place}");
        }
        assert_eq!((proposals.waiting.len(), proposals.waiting[0].said_at.as_str()), (1, "s1:1"));
        let Offered::Confirmed(anchor) = proposals.offer(Proposal { by_user: true, ..by_agent("s4:1") })
        else {
            panic!("the user said it");
        };
        assert!(anchor.by_user, "it is the user's word now");
    }

    #[test]
    fn ten_wait_at_most_and_what_matters_more_stays() {
        let mut proposals = Proposals::default();
        for number in 0..9 {
            proposals.offer(proposal(&format!("rule {number}"), "critical", "s1:1"));
        }
        proposals.offer(proposal("the choice", "high", "s1:1"));
        assert_eq!(proposals.offer(proposal("rule 9", "critical", "s1:1")), Offered::Waits);
        assert_eq!(proposals.waiting.len(), WAITING_MAX);
        assert!(proposals.waiting.iter().all(|it| it.priority == "critical"));
        assert_eq!(proposals.offer(proposal("another choice", "high", "s1:2")), Offered::Nothing);
        assert_eq!(proposals.offer(proposal("rule 10", "critical", "s1:1")), Offered::Waits);
        assert_eq!(proposals.waiting[0].quote, "rule 1");
        assert_eq!(proposals.offer(proposal("rule 0", "critical", "s1:1")), Offered::Nothing, "no churn");
    }

    #[test]
    fn what_is_settled_is_bounded_and_survives_its_file() {
        let mut proposals = Proposals::default();
        for number in 0..3_000 {
            proposals.settle_quote(&format!("sentence {number}"));
        }
        assert_eq!(proposals.settled.len(), SETTLED_MAX);
        let text = serde_json::to_string(&proposals).unwrap_or_default();
        assert_eq!(serde_json::from_str::<Proposals>(&text).ok(), Some(proposals));
    }
}
