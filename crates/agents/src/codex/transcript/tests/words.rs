//! Whose words are told as whose.

use serde_json::json;

use super::{Rollout, event, item, message, old};

#[test]
fn the_users_words_are_known_by_what_the_client_notes_beside_them() {
    let mixed = item(json!({
        "type": "message", "id": "m", "role": "user",
        "content": [{"type": "input_text", "text": "# AGENTS.md instructions for /home/me/app\n\nBe brief."},
                    {"type": "input_text", "text": "Add a test."}, {"type": "input_image", "image_url": "data:"}],
        "internal_chat_message_metadata_passthrough": {"content_item_metadata": [
            {"provenance": {"type": "agents_md"}}, {"provenance": {"type": "user"}}, {"provenance": {"type": "user"}}]},
    }));
    let told = Rollout::of(&[
        message(
            "user",
            "<environment_context>\n  <cwd>/home/me/app</cwd>\n</environment_context>",
            "harness",
        ),
        message("user", "<environment_context> is what I want to talk about", "user"),
        mixed,
    ]);
    assert_eq!(told, ["user: <environment_context> is what I want to talk about", "user: Add a test."]);
}

#[test]
fn on_older_clients_they_are_known_by_how_they_begin() {
    let told = Rollout::of(&[
        old(message("user", "<environment_context>\n</environment_context>", "")),
        old(message("user", "<user_instructions>\nBe brief.\n</user_instructions>", "")),
        old(message("user", "# AGENTS.md instructions for /home/me/app\n", "")),
        old(message("user", "<turn_aborted>\nThe user interrupted.\n</turn_aborted>", "")),
        old(message("user", "Another language model started to solve this problem and so on", "")),
        old(message("user", "Add a test.", "")),
    ]);
    assert_eq!(told, ["user: Add a test."]);
}

#[test]
fn our_own_words_are_never_told_again() {
    let ours = "[throughline:briefing]\nGoal: ship.\n[/throughline]";
    let told = Rollout::of(&[
        message("developer", ours, "harness"),
        message("user", &format!("{ours} Go on."), "user"),
        message("user", ours, "user"),
        message("assistant", &format!("As told: {ours}"), "x"),
    ]);
    assert_eq!(told, ["user: Go on.", "said: As told:"]);
}

#[test]
fn what_the_client_says_twice_is_told_once() {
    let told = Rollout::of(&[
        message("user", "Go.", "user"),
        event(
            json!({"type": "item_completed", "item": {"type": "UserMessage", "content": [{"type": "text", "text": "Go."}]}}),
        ),
        event(
            json!({"type": "item_completed", "item": {"type": "AgentMessage", "content": [{"type": "Text", "text": "Gone."}]}}),
        ),
        message("assistant", "Gone.", "x"),
        event(json!({"type": "user_message", "message": "Go."})),
        event(json!({"type": "agent_message", "message": "Gone."})),
        event(json!({"type": "task_complete", "last_agent_message": "Gone."})),
    ]);
    assert_eq!(told, ["user: Go.", "said: Gone."]);
}

#[test]
fn an_interruption_is_the_users_where_the_client_says_so() {
    let told = Rollout::of(&[
        event(json!({"type": "turn_aborted", "reason": "replaced"})),
        event(json!({"type": "turn_aborted", "reason": "interrupted"})),
    ]);
    assert_eq!(told, ["interrupted"]);
}
