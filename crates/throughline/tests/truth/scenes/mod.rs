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
pub(crate) const PENDING: &[&str] = &[
    "a_refused_command_is_not_told_as_run",
    "a_refused_command_after_a_crash_is_not_told_as_run",
    "a_refused_edit_is_not_told_as_an_edit",
    "a_refused_edit_alone_leaves_nothing_edited",
    "being_stopped_is_said",
    "a_stop_in_the_middle_of_a_call_is_said",
    "the_same_suite_with_other_flags_passes_and_is_not_told_as_failing",
    "a_request_without_blanks_is_the_request",
    "a_short_request_is_the_request",
    "nothing_and_something_are_not_in_progress_at_once",
    "what_passed_before_the_last_edit_is_not_told_as_the_state_of_now",
    "the_only_short_prompt_is_not_what_the_user_also_said",
];

/// Rules of the check that scenes of other things break, too, until those above are green. They go with the last of them.
pub(crate) const PENDING_RULES: &[&str] = &[crate::check::TWICE, crate::check::STALE];

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
