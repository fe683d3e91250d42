//! Hook replies: what our plugin makes of a hook's standard output.

use serde_json::json;
use throughline_domain::fragment;
use throughline_domain::text::{cut_utf16, utf16_len};

use crate::hook::{Event, HookPayload, Reply};

/// More than any text of ours. The client itself cuts nothing: a system prompt goes to the server as it is.
pub const REPLY_UNITS_MAX: usize = 40_000;
/// The kind of our notices: what a person should see, too.
const NOTICE: &str = "notice]";

/// The reply as JSON: what the plugin cannot read it passes over. Nothing where the event's text would reach nobody.
#[must_use]
pub fn encode(reply: &Reply, payload: &HookPayload) -> String {
    let Reply::Text(text) = reply else { return String::new() };
    let is_heard = matches!(
        payload.event,
        Event::SessionStart | Event::UserPromptSubmit | Event::PreCompact | Event::PostToolUse
    );
    if text.is_empty() || !is_heard {
        return String::new();
    }
    let text = if utf16_len(text) > REPLY_UNITS_MAX { cut_utf16(text, REPLY_UNITS_MAX) } else { text };
    match toast(text, payload) {
        Some(toast) => json!({ "text": text, "toast": toast }),
        None => json!({ "text": text }),
    }
    .to_string()
}

/// A line for the person in front of the terminal, where the agent is told how full its context is.
fn toast(text: &str, payload: &HookPayload) -> Option<String> {
    let is_notice = text.strip_prefix(fragment::OPEN).is_some_and(|kind| kind.starts_with(NOTICE));
    if payload.event != Event::PostToolUse || !is_notice {
        return None;
    }
    let end = payload.compacts_at_tokens.or(payload.window_tokens)?;
    let percent = payload.context_tokens?.saturating_mul(100).checked_div(end)?;
    Some(format!("Throughline: {percent} % of the way to the next compaction; the work is saved"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(event: Event, text: &str) -> serde_json::Value {
        let payload = HookPayload {
            event,
            context_tokens: Some(30_000),
            compacts_at_tokens: Some(36_000),
            ..HookPayload::default()
        };
        let reply = encode(&Reply::Text(text.to_owned()), &payload);
        if reply.is_empty() { serde_json::Value::Null } else { serde_json::from_str(&reply).unwrap() }
    }

    #[test]
    fn a_text_is_one_field_whatever_stands_in_it() {
        let text = "say \"hi\"\n`${x}`\u{2028}";
        assert_eq!(said(Event::SessionStart, text), json!({ "text": text }));
        assert_eq!(encode(&Reply::Nothing, &HookPayload::default()), "");
    }

    #[test]
    fn events_whose_text_reaches_nobody_get_none() {
        for event in [Event::PostCompact, Event::Stop, Event::SessionEnd, Event::SubagentStop, Event::Other] {
            assert_eq!(said(event, "x"), serde_json::Value::Null, "{event:?}");
        }
        assert_eq!(said(Event::PreCompact, ""), serde_json::Value::Null);
    }

    #[test]
    fn a_notice_is_shown_to_the_person_too() {
        let notice = "[throughline:notice]\nThe context holds 30,000 tokens.\n[/throughline]";
        let toast = "Throughline: 83 % of the way to the next compaction; the work is saved";
        assert_eq!(said(Event::PostToolUse, notice)["toast"], toast);
        assert_eq!(said(Event::SessionStart, notice).get("toast"), None);
        assert_eq!(said(Event::PostToolUse, "[throughline:recall]\nx\n[/throughline]").get("toast"), None);
    }

    #[test]
    fn a_text_longer_than_any_of_ours_is_cut() {
        let text = "é😀".repeat(30_000);
        let cut = said(Event::SessionStart, &text)["text"].as_str().unwrap().to_owned();
        assert!(utf16_len(&cut) <= REPLY_UNITS_MAX && text.starts_with(&cut));
    }
}
