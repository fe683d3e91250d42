//! Weights: every number by which recall chooses, scores and orders.
//!
//! What a word is has its numbers in `words` and `inflection`: the index on disk is made with them, and must be made
//! again when they change. These here can change with any version.

use crate::passage::PassageKind;

// The question.

/// Most words of a question that are looked at.
pub const WANTED_MAX: usize = 24;
/// Most of a question that is read: what is longer is a paste.
pub const QUESTION_BYTES_MAX: usize = 4 << 10;
/// What a part of a name counts beside the name.
pub const PART_WEIGHT: f64 = 0.5;
/// What another word for the same counts.
pub const SYNONYM_WEIGHT: f64 = 0.45;
/// Pairs of characters that are looked for in place of one that stands alone: each of them by itself.
pub const PAIRS_MAX: i64 = 60;

// How well a text answers.

/// How soon more of the same word counts no more, and how much a long text must say to count as much as a short one.
pub const SATURATION: f64 = 1.2;
/// See [`SATURATION`]: which share of it grows with the length.
pub const LENGTH_SHARE: f64 = 1.0;
/// See [`SATURATION`]: words of a text of usual length.
pub const LENGTH_WORDS: f64 = 60.0;
/// Words of one place: about two sentences.
pub const PLACE_WORDS: usize = 40;
/// What words that stand together count beside words that stand anywhere.
pub const PLACE_WEIGHT: f64 = 0.9;
/// How much less is worth what lacks some of the words.
pub const COVERAGE_POWER: f64 = 0.5;
/// What a word counts that shares its form with the one that was asked for and is spelled differently: forms are coarse
/// ("author" and "authorised" have one), and what was typed is what is meant.
pub const OTHERWISE_SPELLED: f64 = 0.7;
/// What words count that stand near a text and not in it.
pub const AROUND_SHARE: f64 = 0.5;
/// One rare word must not outweigh three that are less rare.
pub const RARITY_POWER: f64 = 0.8;

// What counts beside the words.

/// What a passage of the kind that a question speaks of counts more.
pub const HINTED: f64 = 1.3;
/// What a passage or an entry of the project at hand counts more.
pub const AT_HAND: f64 = 1.15;
/// What somebody recorded on purpose counts more than what was said.
pub const RECORDED: f64 = 1.35;
/// What a subagent's passage counts beside the agent's own.
pub const SIDECHAIN: f64 = 0.85;
/// Of a text of such a length half of the promise is left.
pub const LONG_BYTES: f64 = 2_000.0;
/// What an old passage still counts.
pub const OLD: f64 = 0.75;
/// Passages before and after one that answer with it…
pub const NEIGHBOURS: u64 = 3;
/// …and what their words count for it.
pub const NEIGHBOUR_SHARE: f64 = 0.2;

/// What a passage counts by its kind: what the user said and what failed is looked for more than what ran by the way.
#[must_use]
pub fn of_kind(kind: PassageKind) -> f64 {
    match kind {
        PassageKind::User => 1.12,
        PassageKind::Assistant => 1.0,
        PassageKind::Error => 0.95,
        PassageKind::Summary => 0.8,
        PassageKind::Task => 0.9,
        PassageKind::Command => 0.8,
        PassageKind::Output => 0.75,
        PassageKind::Edit | PassageKind::Read => 0.4,
    }
}

// Which passages the index brings, and which of them are read.

/// A word in more passages than this chooses none: it counts where rarer ones stand.
pub const COMMON_ROWS: u64 = 3_000;
/// A word for the same that stands in more passages than this says nothing.
pub const SYNONYM_ROWS: usize = 200;
/// Passages that one word may bring, the newest.
pub const ROWS_MAX: usize = 6_000;
/// Passages before and after one whose words say what is talked about.
pub const CONTEXT: i64 = 8;
/// Passages whose text is read at least.
pub const READ_MAX: usize = 60;
/// The same where a phrase must stand: the index knows its words, not their order.
pub const READ_FOR_PHRASE_MAX: usize = 1_000;
/// Passages that are read for each result that is wanted.
pub const READ_PER_RESULT: usize = 3;
/// Letters and digits of a text by which it is known again: copies of a paragraph are shown once.
pub const SAME_LETTERS: usize = 160;

// What is shown together.

/// Most results.
pub const RESULTS_MAX: usize = 200;
/// Passages between a question and its conclusion.
pub const EXCHANGE_MAX: usize = 40;
/// Passages before and after a result that belong to its place: those that answer too are shown with it.
pub const PLACE_PASSAGES: usize = 12;
/// Most of them that are read for it.
pub const PLACE_READ_MAX: usize = 16;
/// How many of them are shown…
pub const ALSO_MAX: usize = 4;
/// …and what they must score beside the result.
pub const ALSO_SHARE: f64 = 0.1;
/// Entries of the archive that are looked at.
pub const ENTRIES_MAX: u64 = 60;

// An error that came before.

/// Words of an error that are compared.
pub const ERROR_FORMS_MAX: usize = 200;
/// What counts of two errors' likeness that the words of the one that is asked for stand in the other…
pub const WANTED_SHARE: f64 = 0.8;
/// …and that the other has no more than these.
pub const SEEN_SHARE: f64 = 0.2;
/// With such a share of its words it is the same error.
pub const SAME_ERROR_SHARE: f64 = 0.9;
/// What is less alike is another error.
pub const LIKENESS_MIN: f64 = 0.55;
/// Errors are as alike as others within one of so many steps.
pub const LIKENESS_STEPS: f64 = 5.0;
/// Errors that are compared.
pub const COMPARED_MAX: usize = 60;
/// Passages behind an error that are looked through for its end.
pub const CURE_BEHIND_MAX: usize = 250;
/// Passages behind the success among which the agent's words about it are looked for.
pub const CONCLUSION_BEHIND_MAX: usize = 12;
/// Lines of a paste that are compared…
pub const PASTED_LINES_MAX: usize = 40;
/// …and the rarest words of each that say how much it tells.
pub const TELLING_WORDS: usize = 3;

// A file's story.

/// Passages that may name the file.
pub const FILE_PASSAGES_MAX: usize = 400;
/// Passages before an edit among which its reason is looked for…
pub const REASON_BEFORE_MAX: usize = 80;
/// …and behind it its commit.
pub const COMMIT_BEHIND_MAX: usize = 160;
/// Recorded entries that may name the file.
pub const FILE_ENTRIES_MAX: u64 = 40;
