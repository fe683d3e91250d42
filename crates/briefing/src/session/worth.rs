//! Worth: what each kind of thing is worth, in one place. Utility grows with use, falls with age and with its cost.
//!
//! A part takes its share of the room first (`part.rs`), so these weigh things of one part against each other, and
//! against all others only where room is left.

use throughline_domain::ledger::{CommandKind, CommandUse, FileUse, HALF_LIFE_TURNS, Ledger, Telling};
use throughline_domain::text::utf16_len;

/// What the agent said: by what it tells, and how long ago.
const TELLING: [f64; 4] = [0.2, 0.6, 1.2, 1.8];
const TELLING_HALF_LIFE_TURNS: f64 = 30.0;
/// What was left in the world, ways that failed, what was refused: few, and never found again.
pub(super) const LANDMARK: f64 = 1.5;
pub(super) const DETOUR: f64 = 1.6;
pub(super) const REFUSAL: f64 = 1.7;
pub(super) const MENDED: f64 = 2.0;
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

/// What something is worth that the agent said so many turns ago; `share`: how much of it is known already.
#[expect(clippy::cast_precision_loss, reason = "turns are few")]
pub(super) fn of_telling(telling: &Telling, turns: u64, share: f64, shown: &str) -> f64 {
    let weight = TELLING[usize::from(telling.weight.min(3))] * if telling.is_report { 1.3 } else { 1.0 };
    spread(weight * 0.5_f64.powf(turns as f64 / TELLING_HALF_LIFE_TURNS) * (1.0 - share), shown)
}

/// What something is worth that an earlier summary said: nothing makes it older.
pub(super) fn of_summarised(telling: &Telling, share: f64, shown: &str) -> f64 {
    spread(TELLING[usize::from(telling.weight.min(3))] * (1.0 - share), shown)
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
