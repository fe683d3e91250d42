//! Compact Instructions: where the section stands in the compaction's request, beside what PreCompact says.
//!
//! Whether a model obeys cannot be seen here: the mock answers whatever it was told to answer.

use throughline_agents::claude_code::compact_instructions::SECTION;
use throughline_testkit::{
    ClientLab, Kind, Request, TurnResult,
    client::{MODEL_WITH_REMINDERS, MODEL_WITH_SYSTEM_MESSAGES},
    request::ADDITIONAL_INSTRUCTIONS,
};

use crate::compaction::{automatic, by_hand};
use crate::scene::Scene;

/// The indices of the messages that hold a text.
fn messages_with(request: &Request, text: &str) -> Vec<usize> {
    let encoded = serde_json::to_string(text).unwrap();
    let encoded = encoded.trim_matches('"');
    let messages = request.body["messages"].as_array().unwrap().iter().enumerate();
    messages.filter(|(_, message)| message.to_string().contains(encoded)).map(|(at, _)| at).collect()
}

fn check(model: &str, play: fn(&Scene, &[&str]) -> Vec<TurnResult>, change: fn(ClientLab) -> ClientLab) {
    let Some(scene) = Scene::new() else { return };
    // The project's own section would be the one that counts.
    scene.lab.home().write("CLAUDE.md", "# Test project\n");
    scene.init();
    let scene = scene.with(|lab| change(lab.with_model(model)));
    let turns = play(&scene, &[]);
    assert_eq!(turns.iter().map(TurnResult::compactions).sum::<usize>(), 1);

    let compact = &scene.lab.mock().requests_of(Kind::Compact)[0];
    let last = compact.body["messages"].as_array().unwrap().len() - 1;
    assert_eq!(
        messages_with(compact, SECTION),
        [0],
        "once, with the rest of CLAUDE.md, before the conversation"
    );
    assert!(
        !compact.contains("throughline: begin"),
        "the marks are comments: the model does not pay for them"
    );
    let said = compact.hook_texts_of(ADDITIONAL_INSTRUCTIONS);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].text.contains("[throughline:preserve]"), "{said:?}");
    let prompt = messages_with(compact, ADDITIONAL_INSTRUCTIONS);
    assert!(prompt.iter().all(|at| *at + 1 >= last), "live state comes last: {prompt:?} of {last}");

    let next = scene.lab.mock().main_after_compaction(1).unwrap();
    assert_eq!(messages_with(&next, SECTION).len(), 1, "it is there for the next compaction, too");
}

#[test]
fn an_automatic_compaction_is_given_the_section_and_the_live_state() {
    check(MODEL_WITH_REMINDERS, automatic, ClientLab::with_small_window);
    check(MODEL_WITH_SYSTEM_MESSAGES, automatic, ClientLab::with_small_window);
}

#[test]
fn a_compaction_by_hand_is_given_the_section_and_the_live_state() {
    check(MODEL_WITH_REMINDERS, by_hand, |lab| lab);
}
