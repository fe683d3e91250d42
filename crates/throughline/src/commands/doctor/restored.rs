//! The last restore: what the last session was given, or why it was given nothing.

use throughline_domain::{State, Timestamp, time};
use throughline_store::archive::Receipt;
use throughline_store::session::SessionFacts;

use super::Check;
use super::context::Context;
use super::runs;

const NAME: &str = "last restore";

pub(super) fn check(context: &Context) -> Vec<Check> {
    let (last, _) = match runs::receipts(context) {
        Ok(receipts) => receipts,
        Err(what) => return vec![Check::skip(NAME, format!("not known: {what}"))],
    };
    let Some(start) = last.iter().find(|receipt| receipt.event == "SessionStart") else {
        return vec![Check::skip(NAME, "no session has started here yet")];
    };
    let when = context.ago(start.at_ms);
    if start.said_bytes > 0 {
        let what = format!("{} bytes were given back, {when}", start.said_bytes);
        if matches!(start.outcome.as_str(), "ok" | "claim") {
            return vec![Check::ok(NAME, what)];
        }
        return vec![Check::warn(
            NAME,
            format!("{what}, but: {}", start.outcome),
            "the lines above say what is wrong",
        )];
    }
    vec![why_nothing(context, start, &when)]
}

fn why_nothing(context: &Context, start: &Receipt, when: &str) -> Check {
    let cache = SessionFacts::read(&context.place.home.session(&start.session)).unwrap_or_default();
    let state = context.memory.peek().ok().flatten().unwrap_or_else(State::empty);
    let said = |why: &str| format!("nothing was given back {when}: {why}");
    match start.outcome.as_str() {
        "ok" => {}
        "claim" => return Check::warn(NAME, said("the hook never finished"), "see `hook runs` above"),
        failed => {
            return Check::warn(
                NAME,
                said(failed),
                "see `failures` above; `throughline load` shows what there is",
            );
        }
    }
    if cache.paused {
        return Check::warn(
            NAME,
            said("Throughline is paused for this project"),
            "run `throughline unpause`",
        );
    }
    if matches!(cache.source.as_str(), "resume" | "fork") {
        return Check::ok(
            NAME,
            said("a session that is resumed within the hour has its history in the context"),
        );
    }
    if state.is_blank() {
        return Check::ok(NAME, said("nothing is recorded yet"));
    }
    if is_younger(&state, start.at_ms) {
        return Check::ok(NAME, said("what is recorded now was recorded later"));
    }
    Check::warn(
        NAME,
        said("no reason is known"),
        "`throughline briefing --preview` shows what a session would be told now",
    )
}

/// Whether everything in the state was recorded after that moment.
fn is_younger(state: &State, at_ms: i64) -> bool {
    let after = |text: &str| time::parse(text).is_some_and(|at: Timestamp| at.as_millisecond() > at_ms);
    match state.all_entries().next() {
        None => after(&state.timestamp),
        Some(_) => state.all_entries().all(|entry| after(&entry.timestamp)),
    }
}
