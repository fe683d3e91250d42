//! The scenes: sessions as data. A line is a step (`user …`, `bash … => …`, `pass 120`) or an expectation (`briefing says …`,
//! `notes hides …`, `agent silent`). Each is a test by its own name.

mod checks;
mod compactions;
mod descent;
mod git;
mod refusals;
mod requests;
mod times;

use crate::play::Play;

/// Scenes that the code does not pass yet. One that turns green must leave this list: the test says so.
pub(crate) const PENDING: &[&str] = &[];

/// Rules of the check that scenes of other things break, too, until those above are green. They go with the last of them.
pub(crate) const PENDING_RULES: &[&str] = &[];

#[test]
fn what_is_pending_goes_together() {
    assert_eq!(PENDING.is_empty(), PENDING_RULES.is_empty(), "no rule is left out once every scene is green");
}

/// Plays a scene; one that is pending must still fail.
#[track_caller]
pub(crate) fn play(name: &str, script: &str) {
    let wrong = Play::new().run(script);
    if PENDING.contains(&name) {
        assert!(!wrong.is_empty(), "{name} is green: take it off the list of pending scenes");
        return;
    }
    assert!(wrong.is_empty(), "{name}:\n{}", wrong.join("\n"));
}

/// Makes a test of each scene.
macro_rules! scenes {
    ($($name:ident: $script:literal;)*) => {
        $(
            #[test]
            fn $name() {
                $crate::scenes::play(stringify!($name), $script);
            }
        )*
    };
}
pub(crate) use scenes;
