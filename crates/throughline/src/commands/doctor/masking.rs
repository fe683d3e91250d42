//! Masking: whether everything that is stored was masked by today's rules. What was not is, as far as the time goes.

use std::time::{Duration, Instant};

use throughline_engine::place::Place;
use throughline_redact::RULES_VERSION;
use throughline_store::door::Spot;
use throughline_store::remask::{self, Done, Job};

use super::Check;
use super::context::{Context, counted};
use crate::commands::ARCHIVE_WAIT;
use crate::failure::Failure;
use crate::output;

const NAME: &str = "masking";
/// A check has to answer; what is left is done by whoever asks for it.
const TIME_MAX: Duration = Duration::from_secs(5);
const KEPT_REMEDY: &str = "look into it if something is missing, then delete it";
const REMEDY: &str = "run `throughline doctor --mask` when no session is at work";

pub(super) fn check(context: &Context) -> Vec<Check> {
    let home = &context.place.home;
    if !remask::is_due(home) {
        let all = Check::ok(NAME, format!("what is stored was masked by rules v{RULES_VERSION}"));
        return with_kept(all, &remask::kept(home));
    }
    let Some(done) = job(&context.place, Some(Instant::now() + TIME_MAX)).run() else {
        return vec![Check::warn(
            NAME,
            stored_before(),
            "another process is masking it now; look again later",
        )];
    };
    if done.is_finished {
        return with_kept(Check::ok(NAME, finished(&done)), &done.kept);
    }
    let why = done.problems.iter().map(|problem| format!("; {problem}"));
    with_kept(Check::warn(NAME, stored_before() + &why.collect::<String>(), REMEDY), &done.kept)
}

/// The check, and another one for damaged databases that nobody can mask.
fn with_kept(check: Check, kept: &[Spot]) -> Vec<Check> {
    let unmasked = (!kept.is_empty()).then(|| Check::warn(NAME, kept_words(kept), KEPT_REMEDY));
    std::iter::once(check).chain(unmasked).collect()
}

fn kept_words(kept: &[Spot]) -> String {
    let names: Vec<String> = kept.iter().map(Spot::display).collect();
    format!("kept unmasked, since damaged databases cannot be masked: {}", names.join(", "))
}

/// Masks everything again, however long it takes.
pub(super) fn run(place: &Place) -> Result<(), Failure> {
    let Some(done) = job(place, None).run() else {
        return Err(Failure::new("another process is masking what is stored").hint("look again later"));
    };
    for problem in &done.problems {
        output::warn(problem);
    }
    // Somebody who asks again, after all is masked, is told again.
    let kept = remask::kept(&place.home);
    if !kept.is_empty() {
        output::warn(&format!("{}; {KEPT_REMEDY}", kept_words(&kept)));
    }
    if done.is_finished {
        output::remark(&finished(&done));
        return Ok(());
    }
    Err(Failure::new(stored_before())
        .hint("close what has the files open, or remove what is named above, then run it again"))
}

fn stored_before() -> String {
    format!("stored before masking rules v{RULES_VERSION}: some of it may hold secrets")
}

fn finished(done: &Done) -> String {
    match done.masked {
        0 => format!("what is stored was masked by rules v{RULES_VERSION}"),
        count => {
            let what = counted(count, "file or row", "files and rows");
            format!("{what} held secrets; what is stored is masked by rules v{RULES_VERSION} now")
        }
    }
}

fn job(place: &Place, deadline: Option<Instant>) -> Job<'_> {
    Job {
        home: &place.home,
        claude_folder: place.claude_folder.as_deref(),
        user_home: place.user_home.as_deref(),
        deadline,
        wait: ARCHIVE_WAIT,
    }
}
