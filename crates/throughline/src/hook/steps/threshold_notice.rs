//! The notice at a threshold of the context: how full it is, and what the agent is asked to do while there is room.

use throughline_briefing::fragment::{FragmentKind, wrap};
use throughline_domain::text::thousands;
use throughline_store::session::{SessionFacts, Way};

/// The kinds, as an agent is reminded of them.
const KINDS: &str = "open (asked, promised, the next step), rule (the user's words), state (what passes and \
                     fails, with counts; what was edited and not run since), command (whole lines that work here, look-ups \
                     too), where (file, function and line of what was changed or found), found (causes, explanations), choice \
                     (what, why, instead of what), tried (what did not work or had to be done over, why, what took its \
                     place), value (ids, numbers, names, settings with their defaults)";

/// Asks the agent for a hand-over, in one call.
pub(in crate::hook) fn asking(facts: &SessionFacts, way: &Way, used_tokens: u64, percent: u64) -> String {
    let used = thousands(used_tokens);
    let where_to = match facts.compacts_at_tokens {
        Some(at) => format!("the context is compacted at {} tokens", thousands(at)),
        None => "this client will not compact by itself: ask the user to run /compact in time".to_owned(),
    };
    let call = if way.is_shell {
        format!("`{} - <<'END'` … `END`", way.call)
    } else {
        format!("the tool `{}`, argument `text`", way.call)
    };
    let text = format!(
        "The context holds {used} tokens, {percent} % of the way: {where_to}. The state was saved. As soon as \
         nothing is half done, hand over in one call, then go on: {call}. Write for one who knows nothing of this session; \
         one fact a line, `kind: fact`, exact, at most 500 words: {KINDS}."
    );
    wrap(FragmentKind::Notice, &text)
}

/// Tells how full the context is, and how to record what must not get lost.
pub(in crate::hook) fn full(facts: &SessionFacts, used_tokens: u64, percent: u64) -> String {
    let used = thousands(used_tokens);
    let where_to = match facts.compacts_at_tokens {
        Some(at) => format!("compaction comes at {} tokens", thousands(at)),
        None => "this client will not compact by itself; ask the user to run /compact in time".to_owned(),
    };
    let text = format!(
        "The context holds {used} tokens, {percent} % of the way: {where_to}. The state was saved. Record what must \
         not get lost now: `throughline add decision \"…\" --rationale \"…\"`, `throughline add action \"…\"`."
    );
    wrap(FragmentKind::Notice, &text)
}

#[cfg(test)]
mod tests {
    use throughline_domain::hand_over::FORM;

    use super::*;

    #[test]
    fn the_agent_is_reminded_of_every_kind() {
        let lacks: Vec<&str> =
            FORM.iter().map(|row| row.word).filter(|word| !KINDS.contains(&format!("{word} ("))).collect();
        assert!(lacks.is_empty(), "{lacks:?}");
    }
}
