//! Status line payloads: what the client tells about the context, the model and the window.

use serde::Deserialize;

/// What one call of the status line says, as far as we use it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatuslinePayload {
    /// The session.
    pub session_id: String,
    /// The model's name for people.
    pub model_name: Option<String>,
    /// The window, in tokens.
    pub window_tokens: Option<u64>,
    /// Tokens in the context; `None` before the first response and right after a compaction (then all is zero).
    pub used_tokens: Option<u64>,
    /// Of those, read from the cache.
    pub cache_read_tokens: u64,
}

/// Reads a payload; `None` when it is none.
#[must_use]
pub fn parse(bytes: &[u8]) -> Option<StatuslinePayload> {
    let raw: Raw = serde_json::from_slice(bytes).ok()?;
    let context = raw.context_window.unwrap_or_default();
    let usage = context.current_usage.unwrap_or_default();
    let used = usage
        .input_tokens
        .saturating_add(usage.cache_creation_input_tokens)
        .saturating_add(usage.cache_read_input_tokens);
    let model = raw.model.unwrap_or_default();
    Some(StatuslinePayload {
        session_id: raw.session_id.unwrap_or_default(),
        model_name: model.display_name.or(model.id),
        window_tokens: context.context_window_size.filter(|size| *size > 0),
        used_tokens: (used > 0).then_some(used),
        cache_read_tokens: usage.cache_read_input_tokens,
    })
}

#[derive(Deserialize)]
struct Raw {
    session_id: Option<String>,
    model: Option<Model>,
    context_window: Option<Context>,
}

#[derive(Deserialize, Default)]
struct Model {
    id: Option<String>,
    display_name: Option<String>,
}

#[derive(Deserialize, Default)]
struct Context {
    context_window_size: Option<u64>,
    current_usage: Option<Usage>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
#[expect(clippy::struct_field_names, reason = "these are the client's names")]
struct Usage {
    input_tokens: u64,
    cache_creation_input_tokens: u64,
    cache_read_input_tokens: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_and_all_zero_usage_are_unknown() {
        for usage in ["null", r#"{"input_tokens":0,"cache_read_input_tokens":0}"#] {
            let text = format!(
                r#"{{"session_id":"s","model":{{"display_name":"Opus"}},"context_window":{{"context_window_size":1000000,"current_usage":{usage}}}}}"#
            );
            let payload = parse(text.as_bytes()).unwrap();
            assert_eq!((payload.used_tokens, payload.window_tokens), (None, Some(1_000_000)));
        }
    }

    #[test]
    fn used_is_input_and_both_cache_counts() {
        let text = br#"{"context_window":{"context_window_size":200000,"current_usage":{"input_tokens":1,"output_tokens":9,"cache_creation_input_tokens":2,"cache_read_input_tokens":4}}}"#;
        assert_eq!(parse(text).unwrap().used_tokens, Some(7));
        assert_eq!(parse(b"nonsense"), None);
    }
}
