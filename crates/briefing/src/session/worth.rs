//! Worth: what each kind of thing is worth, in one place. Utility grows with use, falls with age and with its cost.
//!
//! Measured when the weights were chosen, one of them changed at a time, on 16 compactions of 13 real sessions and on 24 of
//! 18 others (share of what the agent then used that the summary and a briefing of 300 tokens
//! hold together; share that a briefing of 800 tokens holds alone):
//!
//! | | 300, with the summary | 800, alone | the others, 300 | the others, 800 |
//! |---|---|---|---|---|
//! | as it is | .956 | .943 | .884 | .902 |
//! | names weigh 0.25 | .915 | .943 | .888 | .896 |
//! | names weigh 0.18 | .922 | .943 | .888 | .896 |
//! | names weigh 0.25, what is at hand counts no more than the rest | .915 | .943 | .888 | .871 |
//! | names weigh 0.25, length does not count (power 0) | .947 | .943 | .888 | .896 |
//! | names weigh 0.25, length counts more (power 0.25) | .915 | .943 | .884 | .902 |
//!
//! What is captured was mended after that: as it is now, .915, .943, .905 and .912. With the words of the user that are
//! weighed at .25 instead of .7 the first is .924, but his directives fall from .787 to .728 (the others, 300).
//!
//! Uncommitted files, commands that failed last, commands over files, and names that were searched for were weighed
//! more at first; without any of that nothing changed, and it went.

use throughline_domain::ledger::{CommandKind, CommandUse, FileUse, HALF_LIFE_TURNS, Ledger, NameUse};
use throughline_domain::text::utf16_len;

/// Names of functions are needed far less often than files and commands.
const NAME: f64 = 0.35;
/// Finished work is looked back at, seldom needed: the newest tells where things stand, older ones tell less and less.
const DONE: f64 = 0.8;
/// A command run once that fetches an address or carries its own program.
const PASSING: f64 = 0.4;
/// A check that is not among the newest: it will be run again, too.
const CHECKING: f64 = 1.6;
/// What was used in the last few responses is at hand, and counts up to twice as much.
const AT_HAND_TURNS: f64 = 5.0;
/// Older words of the user, where room is left: before names.
pub(super) const OLDER_WORDS: f64 = 8.0;
/// What the user forbids goes before all that he directs but the newest; what he remarks goes behind.
pub(super) const FORBIDDEN: f64 = 0.3;
pub(super) const REMARK: f64 = 0.95;
/// The line behind the newest error's first.
pub(super) const REASON: f64 = 2.0;
/// A sentence of the user, or a line that he pasted, among what is weighed: before most names, behind files and commands.
pub(super) const WORDS: f64 = 0.7;
/// How much length counts against a thing: twice as long is not half as good.
const COST_POWER: f64 = 0.15;

/// What a file is worth, for the units that its name takes.
pub(crate) fn of_file(file: &FileUse, ledger: &Ledger, shown: &str) -> f64 {
    spread(file.weight.at(ledger.turn, HALF_LIFE_TURNS).ln_1p() * near(file.last.turn, ledger), shown)
}

/// What a command is worth.
pub(super) fn of_command(command: &CommandUse, ledger: &Ledger, shown: &str) -> f64 {
    // What was fetched or computed once is seldom run again.
    let is_passing =
        command.count <= 1 && (shown.contains("://") || shown.contains(" -c ") || shown.contains(" -e "));
    let uses = command.weight.at(ledger.turn, HALF_LIFE_TURNS).ln_1p() * near(command.last.turn, ledger);
    let factor = if is_passing {
        PASSING
    } else if is_check(command) {
        CHECKING
    } else {
        1.0
    };
    spread(uses * factor, shown)
}

/// What an identifier is worth.
pub(super) fn of_name(name: &NameUse, ledger: &Ledger) -> f64 {
    spread(
        name.weight.at(ledger.turn, HALF_LIFE_TURNS).ln_1p() * NAME * near(name.last.turn, ledger),
        &name.name,
    )
}

/// What a finished stretch of work is worth; the newest has age 0.
pub(super) fn of_done(age: usize, shown: &str) -> f64 {
    spread(DONE / f64::from(u32::try_from(age).unwrap_or(u32::MAX).saturating_add(1)), shown)
}

/// What words are worth by their age: the newest has 0.
pub(super) fn of_age(age: usize) -> f64 {
    1.0 / f64::from(u32::try_from(age).unwrap_or(u32::MAX).saturating_add(2))
}

/// 2 for what was used just now, 1 for what was used long ago.
#[expect(clippy::cast_precision_loss, reason = "turns are few")]
fn near(turn: u64, ledger: &Ledger) -> f64 {
    1.0 + 0.5_f64.powf(ledger.turn.saturating_sub(turn) as f64 / AT_HAND_TURNS)
}

/// A worth over its cost in tokens.
#[expect(clippy::cast_precision_loss, reason = "texts are short")]
pub(super) fn spread(worth: f64, shown: &str) -> f64 {
    worth / (utf16_len(shown).div_ceil(4).max(1) as f64).powf(COST_POWER)
}

/// Whether a command checks the work: it will be run again, word by word.
pub(super) fn is_check(command: &CommandUse) -> bool {
    matches!(command.kind, CommandKind::Test | CommandKind::Build | CommandKind::Lint)
}
