//! Responses request: what a client that speaks the Responses API sent to the model.

use serde_json::Value;

use crate::{request::Kind, script::SUBAGENT_MARK};

/// One request for an answer, in the order they came.
#[derive(Clone, Debug)]
pub struct ResponsesRequest {
    /// Which conversation it belongs to.
    pub kind: Kind,
    /// The body as sent.
    pub body: Value,
}

impl ResponsesRequest {
    /// Whether this text is anywhere in the instructions or the input, exactly as written.
    #[must_use]
    pub fn contains(&self, text: &str) -> bool {
        let mut texts = Vec::new();
        collect_strings(&self.body["instructions"], &mut texts);
        collect_strings(&self.body["input"], &mut texts);
        texts.iter().any(|found| found.contains(text))
    }

    /// The texts of the messages of one role (`developer`, `user`, `assistant`), oldest first.
    #[must_use]
    pub fn texts_of(&self, role: &str) -> Vec<String> {
        texts_of(&self.body, role)
    }

    /// The developer messages that hold this text: a hook's words come as one of their own.
    #[must_use]
    pub fn developer_texts_with(&self, text: &str) -> Vec<String> {
        self.texts_of("developer").into_iter().filter(|found| found.contains(text)).collect()
    }

    /// Where the first message of a role that holds this text stands among all of the input.
    #[must_use]
    pub fn place_of(&self, role: &str, text: &str) -> Option<usize> {
        items(&self.body).position(|item| item["role"] == role && message_text(item).contains(text))
    }

    /// What the tools answered, oldest first.
    #[must_use]
    pub fn outputs(&self) -> Vec<String> {
        let answers = items(&self.body)
            .filter(|item| item["type"].as_str().is_some_and(|kind| kind.ends_with("_output")));
        answers
            .map(|item| {
                let mut texts = Vec::new();
                collect_strings(&item["output"], &mut texts);
                texts.join("\n")
            })
            .collect()
    }
}

/// Tells the kinds apart by what only their requests hold.
pub(crate) fn classify(body: &Value) -> Kind {
    let asks = user_said(body).last().is_some_and(|text| text.contains("CONTEXT CHECKPOINT COMPACTION"));
    if asks || asks_for_opaque_summary(body) {
        return Kind::Compact;
    }
    let is_told = |item: &Value| item["type"] == "agent_message" && item.to_string().contains(SUBAGENT_MARK);
    let is_begun = user_said(body).iter().any(|text| text.starts_with(SUBAGENT_MARK));
    if is_begun || items(body).any(is_told) { Kind::Subagent } else { Kind::Main }
}

/// Whether a summary is asked for that only the server can read.
pub(crate) fn asks_for_opaque_summary(body: &Value) -> bool {
    items(body).any(|item| item["type"] == "compaction_trigger")
}

/// What stands under the user's name, oldest first.
pub(crate) fn user_said(body: &Value) -> Vec<String> {
    texts_of(body, "user")
}

/// How often the model has answered: every item that it wrote.
pub(crate) fn answers(body: &Value) -> usize {
    let is_answer = |item: &&Value| {
        item["role"] == "assistant" || item["type"].as_str().is_some_and(|kind| kind.ends_with("_call"))
    };
    items(body).filter(is_answer).count()
}

fn items(body: &Value) -> impl Iterator<Item = &Value> {
    body["input"].as_array().into_iter().flatten()
}

fn texts_of(body: &Value, role: &str) -> Vec<String> {
    items(body).filter(|item| item["role"] == role && item["content"].is_array()).map(message_text).collect()
}

fn message_text(item: &Value) -> String {
    let parts = item["content"].as_array().into_iter().flatten();
    parts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
}

fn collect_strings(value: &Value, strings: &mut Vec<String>) {
    match value {
        Value::String(text) => strings.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect_strings(item, strings)),
        Value::Object(fields) => fields.values().for_each(|field| collect_strings(field, strings)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_for_a_summary_is_told_from_the_others() {
        let message = |text: &str| json!({"role": "user", "content": [{"type": "input_text", "text": text}]});
        let body = |items: Value| json!({"input": items});
        assert_eq!(classify(&body(json!([message("go")]))), Kind::Main);
        let asked = message("You are performing a CONTEXT CHECKPOINT COMPACTION.");
        assert_eq!(classify(&body(json!([message("go"), asked]))), Kind::Compact);
        assert_eq!(classify(&body(json!([asked, message("go")]))), Kind::Main);
        assert_eq!(classify(&body(json!([message("go"), {"type": "compaction_trigger"}]))), Kind::Compact);
        assert_eq!(classify(&body(json!([message("SUBAGENT-MARK look")]))), Kind::Subagent);
        for odd in [json!(null), json!({"input": 1}), json!({"input": [1, {"content": [2]}]})] {
            assert_eq!(classify(&odd), Kind::Main);
        }
    }
}
