//! Worth: what each kind of thing is worth, in one place. Utility grows with use, falls with age and with its cost.

use throughline_domain::ledger::{CommandKind, CommandUse, FileUse, Ledger, NameUse};
use throughline_domain::text::utf16_len;

/// Turns after which a use counts half: the length of a stretch of work on one thing.
pub(super) const HALF_LIFE_TURNS: f64 = 40.0;
/// A file with changes that are not committed is likelier to be needed again.
const UNCOMMITTED: f64 = 1.5;
/// A command that failed last will be run again.
const FAILED: f64 = 1.5;
/// Commands are needed word by word more often than files, names of functions far less.
const COMMAND: f64 = 1.2;
const NAME: f64 = 0.25;
/// Finished work is looked back at, seldom needed: the newest tells where things stand, older ones tell less and less.
const DONE: f64 = 0.8;

/// What a file is worth, for the units that its name takes.
pub(super) fn of_file(file: &FileUse, ledger: &Ledger, shown: &str) -> f64 {
    let uncommitted = file.edited_turn > ledger.commit_turn;
    let use_now = file.weight.at(ledger.turn, HALF_LIFE_TURNS) * if uncommitted { UNCOMMITTED } else { 1.0 };
    use_now.ln_1p() / cost_root(shown)
}

/// What a command is worth.
pub(super) fn of_command(command: &CommandUse, ledger: &Ledger, shown: &str) -> f64 {
    let failed = command.succeeded == Some(false);
    let use_now = command.weight.at(ledger.turn, HALF_LIFE_TURNS) * if failed { FAILED } else { 1.0 };
    use_now.ln_1p() * COMMAND / cost_root(shown)
}

/// What an identifier is worth.
pub(super) fn of_name(name: &NameUse, ledger: &Ledger) -> f64 {
    let searched = if name.searched { 1.6 } else { 1.0 };
    (name.weight.at(ledger.turn, HALF_LIFE_TURNS) * searched).ln_1p() * NAME / cost_root(&name.name)
}

/// What a finished stretch of work is worth; the newest has age 0.
pub(super) fn of_done(age: usize, shown: &str) -> f64 {
    spread(DONE / f64::from(u32::try_from(age).unwrap_or(u32::MAX).saturating_add(1)), shown)
}

/// A worth over its cost.
pub(super) fn spread(worth: f64, shown: &str) -> f64 {
    worth / cost_root(shown)
}

/// Whether a command checks the work: it will be run again, word by word.
pub(super) fn is_check(command: &CommandUse) -> bool {
    matches!(command.kind, CommandKind::Test | CommandKind::Build | CommandKind::Lint)
}

/// The square root of the tokens: twice as long is not half as good.
#[expect(clippy::cast_precision_loss, reason = "texts are short")]
fn cost_root(shown: &str) -> f64 {
    (utf16_len(shown).div_ceil(4).max(1) as f64).sqrt()
}
