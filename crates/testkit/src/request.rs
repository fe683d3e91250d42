//! Request: what the client sent to the model, and which of it came from hooks.

use serde_json::Value;

/// Which conversation a request belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The conversation with the user.
    Main,
    /// The client asks for a compaction's summary.
    Compact,
    /// A subagent works.
    Subagent,
    /// Something small on the side, as a title.
    Side,
}

/// One request for an answer, in the order they came.
#[derive(Clone, Debug)]
pub struct Request {
    /// Which conversation it belongs to.
    pub kind: Kind,
    /// The body as sent.
    pub body: Value,
}

/// A text in a request that came from a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookText {
    /// How the client introduces it, as `SessionStart:compact hook success`, or one of the labels of this module.
    pub label: String,
    /// What the hook said.
    pub text: String,
}

/// The label of what `PreCompact` hooks added to the compaction prompt.
pub const ADDITIONAL_INSTRUCTIONS: &str = "Additional Instructions";

/// The label of what a compaction by hand reported about its hooks.
pub const COMPACT_OUTPUT: &str = "local-command-stdout";

impl Request {
    /// Whether this text is anywhere in the messages or the system prompt, exactly as written.
    #[must_use]
    pub fn contains(&self, text: &str) -> bool {
        self.texts().iter().any(|found| found.contains(text))
    }

    /// Every text of the request: system prompt, messages, tool inputs and results.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        let mut texts = Vec::new();
        collect_strings(&self.body["system"], &mut texts);
        collect_strings(&self.body["messages"], &mut texts);
        texts
    }

    /// Every text that came from a hook. Where a role "system" message carries it, nothing marks its end: it then
    /// runs up to the next hook's text or the end of the message. See [`Request::hook_texts_among`].
    #[must_use]
    pub fn hook_texts(&self) -> Vec<HookText> {
        self.hook_texts_among(&[])
    }

    /// The same, cut exactly where one of the things that the hooks are known to have `said` ends.
    #[must_use]
    pub fn hook_texts_among(&self, said: &[String]) -> Vec<HookText> {
        let mut found = Vec::new();
        for message in messages(&self.body) {
            for text in texts_of(message) {
                if message["role"] == "system" {
                    found.extend(labelled_paragraphs(text, said));
                }
                found.extend(reminders(text).into_iter().filter_map(|(_, inner)| labelled(inner)));
                found.extend(compact_output(text));
                if self.kind == Kind::Compact {
                    found.extend(additional_instructions(text));
                }
            }
        }
        found
    }

    /// The hook texts whose label starts so, as `SessionStart:compact`.
    #[must_use]
    pub fn hook_texts_of(&self, label_start: &str) -> Vec<HookText> {
        self.hook_texts().into_iter().filter(|found| found.label.starts_with(label_start)).collect()
    }
}

/// Tells the kinds apart by what only their requests hold.
pub(crate) fn classify(body: &Value) -> Kind {
    let all: Vec<&Value> = messages(body).collect();
    let ending = all[all.len().saturating_sub(3)..].iter().copied();
    // The compaction prompt is the last thing said, but a message of role "system" may follow it.
    if ending.flat_map(texts_of).any(is_compaction_prompt) {
        return Kind::Compact;
    }
    let opening = all.first().copied().into_iter().flat_map(texts_of);
    if opening.map(without_reminders).any(|text| text.contains(crate::script::SUBAGENT_MARK)) {
        return Kind::Subagent;
    }
    match body["tools"].as_array() {
        Some(tools) if !tools.is_empty() => Kind::Main,
        _ => Kind::Side,
    }
}

pub(crate) fn messages(body: &Value) -> impl Iterator<Item = &Value> {
    body["messages"].as_array().into_iter().flatten()
}

/// What the user typed, oldest first: the text of role "user" without what the client or hooks put beside it.
pub(crate) fn user_said(body: &Value) -> Vec<String> {
    let typed = messages(body).filter(|message| message["role"] == "user");
    typed
        .flat_map(|message| match &message["content"] {
            Value::String(text) => vec![without_reminders(text)],
            content => {
                blocks(content).filter_map(|block| block["text"].as_str()).map(without_reminders).collect()
            }
        })
        .collect()
}

fn is_compaction_prompt(text: &str) -> bool {
    ["TEXT ONLY", "create a detailed summary of", "<summary>"].iter().all(|part| text.contains(part))
}

fn blocks(content: &Value) -> impl Iterator<Item = &Value> {
    content.as_array().into_iter().flatten()
}

/// The texts of a message: its blocks' and those inside its tool results.
fn texts_of(message: &Value) -> Vec<&str> {
    let content = &message["content"];
    let mut texts: Vec<&str> = content.as_str().into_iter().collect();
    for block in blocks(content) {
        texts.extend(block["text"].as_str());
        texts.extend(block["content"].as_str());
        texts.extend(blocks(&block["content"]).filter_map(|inner| inner["text"].as_str()));
    }
    texts
}

fn collect_strings(value: &Value, strings: &mut Vec<String>) {
    match value {
        Value::String(text) => strings.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect_strings(item, strings)),
        Value::Object(fields) => fields.values().for_each(|field| collect_strings(field, strings)),
        _ => {}
    }
}

/// The `<system-reminder>` parts of a text: the whole part and what is inside, trimmed.
fn reminders(text: &str) -> Vec<(&str, &str)> {
    between(text, "<system-reminder>", "</system-reminder>")
}

fn between<'a>(text: &'a str, open: &str, close: &str) -> Vec<(&'a str, &'a str)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(open) {
        let inner_start = start + open.len();
        let Some(inner_bytes) = rest[inner_start..].find(close) else { break };
        let end = inner_start + inner_bytes + close.len();
        found.push((&rest[start..end], rest[inner_start..inner_start + inner_bytes].trim()));
        rest = &rest[end..];
    }
    found
}

fn without_reminders(text: &str) -> String {
    reminders(text).iter().fold(text.to_owned(), |text, (whole, _)| text.replacen(whole, "", 1))
}

/// `SessionStart:compact hook success: said` split at the colon that ends the label; `None` when it has no such label.
fn labelled(text: &str) -> Option<HookText> {
    let (name, _) = text.split_once(" hook ")?;
    let (event, matched) = name.split_once(':').unwrap_or((name, "any"));
    let is_word = |word: &str| !word.is_empty() && !word.contains(|letter: char| letter.is_whitespace());
    if !event.starts_with(|letter: char| letter.is_ascii_uppercase()) || !is_word(event) || !is_word(matched)
    {
        return None;
    }
    let outcome = &text[name.len() + " hook ".len()..];
    let known = ["success", "additional context", "blocking error", "stopped", "feedback"];
    if !known.iter().any(|word| outcome.starts_with(word)) {
        return None;
    }
    let (outcome, said) = outcome.split_once(':')?;
    (!outcome.contains('\n'))
        .then(|| HookText { label: format!("{name} hook {outcome}"), text: said.trim().to_owned() })
}

/// The paragraphs of a role "system" message that start with a hook's label.
fn labelled_paragraphs(text: &str, said: &[String]) -> Vec<HookText> {
    let paragraphs = std::iter::once(0).chain(text.match_indices("\n\n").map(|(at, gap)| at + gap.len()));
    let starts: Vec<usize> = paragraphs.filter(|&at| labelled(&text[at..]).is_some()).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let mut found: Vec<HookText> =
        starts.iter().zip(ends).filter_map(|(&start, end)| labelled(&text[start..end])).collect();
    for hook_text in &mut found {
        let whole = said.iter().map(|known| known.trim()).filter(|known| hook_text.text.starts_with(known));
        if let Some(whole) = whole.filter(|known| !known.is_empty()).max_by_key(|known| known.len()) {
            hook_text.text = whole.to_owned();
        }
    }
    found
}

/// The first heading and the last reminder bound it, so a hook may say these words itself.
fn additional_instructions(prompt: &str) -> Option<HookText> {
    if !is_compaction_prompt(prompt) {
        return None;
    }
    let (_, rest) = prompt.split_once("\nAdditional Instructions:\n")?;
    let said = rest.rsplit_once("\n\nREMINDER:").map_or(rest, |(said, _)| said);
    Some(HookText { label: ADDITIONAL_INSTRUCTIONS.to_owned(), text: said.trim().to_owned() })
}

fn compact_output(text: &str) -> Vec<HookText> {
    let printed = between(text, "<local-command-stdout>", "</local-command-stdout>").into_iter();
    let printed = printed.filter(|(_, inner)| inner.contains("Compact ["));
    printed.map(|(_, inner)| HookText { label: COMPACT_OUTPUT.to_owned(), text: inner.to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn main_request(messages: &Value) -> Request {
        Request { kind: Kind::Main, body: json!({"messages": messages, "tools": [{"name": "Bash"}]}) }
    }

    fn hook_text(label: &str, text: &str) -> HookText {
        HookText { label: label.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn a_reminder_with_a_hooks_label_is_a_hook_text_and_others_are_not() {
        let text = "<system-reminder>\nToday is Monday: rain.\n</system-reminder>\n\n\
                    <system-reminder>\nSessionStart:compact hook success: one\n\ntwo: three\n</system-reminder>";
        let request = main_request(&json!([{"role": "user", "content": [{"type": "text", "text": text}]}]));
        assert_eq!(
            request.hook_texts(),
            [hook_text("SessionStart:compact hook success", "one\n\ntwo: three")]
        );
    }

    #[test]
    fn a_bare_paragraph_of_a_system_message_is_cut_where_the_hooks_words_end() {
        let text = "SessionStart:startup hook success: one\n\ntwo\n\n# Environment\n\n\
                    UserPromptSubmit hook additional context: three";
        let request = main_request(&json!([{"role": "system", "content": text}]));
        let labels = ["SessionStart:startup hook success", "UserPromptSubmit hook additional context"];
        assert_eq!(
            request.hook_texts(),
            [hook_text(labels[0], "one\n\ntwo\n\n# Environment"), hook_text(labels[1], "three")]
        );
        let said = ["one".to_owned(), "one\n\ntwo\n".to_owned()];
        assert_eq!(request.hook_texts_among(&said)[0], hook_text(labels[0], "one\n\ntwo"));
    }

    #[test]
    fn a_prompt_that_a_hook_repeats_is_not_taken_for_the_users() {
        let text =
            "<system-reminder>\nSessionStart:startup hook success: SUBAGENT-MARK\n</system-reminder>go";
        let request = main_request(&json!([{"role": "user", "content": text}]));
        assert_eq!(user_said(&request.body), ["go"]);
        assert_eq!(classify(&request.body), Kind::Main);
    }

    #[test]
    fn bodies_of_any_shape_are_classified_without_a_panic() {
        for body in
            [json!(null), json!([]), json!({"messages": 1}), json!({"messages": [1, {"content": [2]}]})]
        {
            assert_eq!(classify(&body), Kind::Side);
            assert!(!Request { kind: Kind::Side, body }.contains("x"));
        }
    }
}
