//! Anchor candidates: which sentences of a session are rules or choices that should outlive it, word by word.

use throughline_domain::AnchorPriority;
use throughline_domain::ledger::{FindingKind, Ledger, TranscriptPlace};
use throughline_domain::text::{utf16_len, word_count};

use crate::decisions::contains_words;
use crate::markup;

/// A longer sentence is a paragraph: nobody wants it in every briefing.
const QUOTE_UNITS_MAX: usize = 300;
const QUOTE_WORDS_MIN: usize = 3;

/// A sentence that could become an anchor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate<'l> {
    /// The sentence, word by word.
    pub quote: &'l str,
    /// `critical` for the user's hard rule, `high` for a choice of architecture.
    pub priority: AnchorPriority,
    /// The anchor's type.
    pub anchor_type: &'static str,
    /// Whether the user said it.
    pub by_user: bool,
    /// Where.
    pub place: TranscriptPlace,
}

/// The candidates of a session, in the order in which they were said.
#[must_use]
pub fn candidates(ledger: &Ledger) -> Vec<Candidate<'_>> {
    let mut found = Vec::new();
    for word in &ledger.said {
        for quote in word.directives.iter().filter(|quote| is_hard_rule(quote)) {
            found.push(Candidate {
                quote,
                priority: AnchorPriority::Critical,
                anchor_type: "context",
                by_user: true,
                place: word.place,
            });
        }
    }
    let decisions = ledger.findings.iter().filter(|finding| finding.kind == FindingKind::Decision);
    for finding in decisions.filter(|finding| is_architectural(&finding.quote)) {
        found.push(Candidate {
            quote: &finding.quote,
            priority: AnchorPriority::High,
            anchor_type: "decision",
            by_user: finding.by_user,
            place: finding.place,
        });
    }
    // Whatever brought them here: the user's are only those that a message of his says.
    let said = || ledger.said.iter().flat_map(|word| [&word.text].into_iter().chain(&word.directives));
    for it in &mut found {
        it.by_user &= is_users(it.quote, said().map(String::as_str));
    }
    found.retain(|it| utf16_len(it.quote) <= QUOTE_UNITS_MAX && word_count(it.quote) >= QUOTE_WORDS_MIN);
    found.sort_by_key(|it| it.place);
    found
}

/// Whether a sentence is the user's: its words stand in a message of his.
#[must_use]
pub fn is_users<'t>(quote: &str, said: impl IntoIterator<Item = &'t str> + Clone) -> bool {
    let is_whole = |message: &str| message.contains(quote);
    said.clone().into_iter().any(is_whole) || throughline_domain::attribution::stands_in(quote, said)
}

/// Whether a directive holds for good: never, always, must not, not without asking. A wish for the task at hand is none.
fn is_hard_rule(sentence: &str) -> bool {
    #[rustfmt::skip]
    const SAYS: &[&str] = &[
        "must not", "mustn't", "must never", "must always", "may never", "may not", "not allowed", "is forbidden",
        "under no circumstances", "at no time", "no exceptions", "without exception", "non-negotiable",
        "hard rule", "hard requirement", "hard constraint", "don't ever", "do not ever", "should never",
        "should always", "without asking", "without my approval", "without my permission", "unless i say",
        "unless i ask", "from now on",
        // German, Spanish, French, Portuguese, Italian, Russian
        "niemals", "auf keinen fall", "unter keinen umständen", "darf nie", "dürfen nie", "darf nicht",
        "nunca", "jamás", "bajo ninguna circunstancia", "ne jamais", "en aucun cas", "em hipótese alguma",
        "non deve mai", "in nessun caso", "никогда", "ни в коем случае",
    ];
    // Written without spaces: wherever it stands.
    #[rustfmt::skip]
    const WITHIN: &[&str] = &["绝不", "绝对不", "禁止", "永远不要", "务必", "絕不", "絶対に", "必ず", "禁じ", "절대", "반드시", "금지"];
    let lower = markup::bare(sentence).to_lowercase().replace('’', "'");
    begins_for_good(&lower)
        || SAYS.iter().any(|says| contains_words(&lower, says))
        || (!lower.is_ascii() && WITHIN.iter().any(|word| lower.contains(word)))
}

/// "Never …", "and always …": a clause that begins so.
fn begins_for_good(lower: &str) -> bool {
    #[rustfmt::skip]
    const LEADS: &[&str] =
        &["please ", "and ", "but ", "so ", "also ", "then ", "ok ", "you ", "we ", "just ", "again "];
    let clauses = lower.split([',', ';', ':', '(', '—', '–']).flat_map(|part| part.split(" and "));
    clauses.flat_map(|part| part.split(" but ")).any(|clause| {
        let mut clause = clause.trim_start_matches(|c: char| !c.is_alphanumeric());
        while let Some(rest) = LEADS.iter().find_map(|lead| clause.strip_prefix(lead)) {
            clause = rest.trim_start();
        }
        let is_rule = clause.starts_with("never ") || clause.starts_with("always ");
        is_rule && !clause.starts_with("never mind")
    })
}

/// Whether a decision is about how the thing is built, and not about what was wrong with it.
fn is_architectural(sentence: &str) -> bool {
    #[rustfmt::skip]
    const CHOICES: &[&str] = &[
        "decided", "decision", "chose", "chosen", "go with", "going with", "went with", "opted", "settled on",
        "instead of", "rather than",
    ];
    #[rustfmt::skip]
    const ABOUT: &[&str] = &[
        "architecture", "schema", "database", "storage", "protocol", "api", "interface", "framework", "library",
        "dependency", "dependencies", "module", "modules", "crate", "package", "layer", "service", "services",
        "microservice", "monolith", "monorepo", "queue", "broker", "cache", "format", "backend", "frontend",
        "runtime", "async", "threads", "transaction", "transactions", "primary key", "primary keys", "migration",
        "migrations", "plugin", "plugins", "event sourcing", "state machine", "sqlite", "postgres", "postgresql",
        "mysql", "redis", "kafka", "grpc", "graphql", "websocket", "websockets", "jwt", "oauth",
    ];
    #[rustfmt::skip]
    const CAUSES: &[&str] = &[
        "root cause", "the fix", "the bug", "the issue", "the problem", "failed because", "fails because",
        "caused by", "the error", "the failure",
    ];
    let lower = markup::bare(sentence).to_lowercase().replace('’', "'");
    CHOICES.iter().any(|it| contains_words(&lower, it))
        && ABOUT.iter().any(|it| contains_words(&lower, it))
        && !CAUSES.iter().any(|it| lower.contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hard_rule_holds_for_good_and_a_wish_does_not() {
        for rule in [
            "Never change the order of the columns.",
            "ok, and always run the tests before you commit",
            "You must not touch the public API.",
            "Don't push without asking me.",
            "Do not ever force-push to main.",
            "Migrations should never be edited once merged.",
            "Bitte niemals direkt auf main pushen.",
            "绝不要修改公共接口",
        ] {
            assert!(is_hard_rule(rule), "{rule}");
        }
        for wish in [
            "use a HashSet instead of a Vec for the seen rows",
            "Never mind, keep the old name.",
            "please fix the parser, it never finishes",
            "The importer must skip empty rows",
            "don't commit yet",
            "Can you use tabs?",
        ] {
            assert!(!is_hard_rule(wish), "{wish}");
        }
    }

    #[test]
    fn a_choice_of_architecture_is_told_from_a_cause_and_from_a_detail() {
        for choice in [
            "We decided to use PostgreSQL as the storage, because two processes write.",
            "I'll use a queue instead of polling because the API limits us.",
            "Decision: one crate per agent, the schema stays in the domain.",
        ] {
            assert!(is_architectural(choice), "{choice}");
        }
        for other in [
            "The root cause is a schema that was decided before.",
            "I went with the shorter name because it reads well.",
            "The database is full.",
        ] {
            assert!(!is_architectural(other), "{other}");
        }
    }
}
