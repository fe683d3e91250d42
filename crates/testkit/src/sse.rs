//! SSE: one answer of the model as the events of a streamed response.

use serde_json::{Value, json};

/// The whole event stream for a finished message. The client builds the message up from it again.
pub(crate) fn event_stream(message: &Value) -> String {
    let mut stream = String::new();
    let mut opening = message.clone();
    opening["content"] = json!([]);
    opening["stop_reason"] = Value::Null;
    opening["usage"]["output_tokens"] = json!(1);
    push(&mut stream, "message_start", json!({"message": opening}));
    for (index, block) in message["content"].as_array().into_iter().flatten().enumerate() {
        let (empty_block, delta) = opened(block);
        push(&mut stream, "content_block_start", json!({"index": index, "content_block": empty_block}));
        push(&mut stream, "content_block_delta", json!({"index": index, "delta": delta}));
        push(&mut stream, "content_block_stop", json!({"index": index}));
    }
    let delta = json!({"stop_reason": message["stop_reason"], "stop_sequence": null});
    push(&mut stream, "message_delta", json!({"delta": delta, "usage": message["usage"]}));
    push(&mut stream, "message_stop", json!({}));
    stream
}

/// The whole event stream of one answer of the Responses API.
pub(crate) fn response_stream(id: &str, items: &[Value], usage: &Value) -> String {
    let mut stream = String::new();
    push(&mut stream, "response.created", json!({"response": {"id": id}}));
    for (index, item) in items.iter().enumerate() {
        push(&mut stream, "response.output_item.done", json!({"output_index": index, "item": item}));
    }
    push(&mut stream, "response.completed", json!({"response": {"id": id, "usage": usage}}));
    stream
}

/// The whole stream of one answer of the chat completions API: pieces, each with the word that ends it, then the usage.
pub(crate) fn completion_stream(id: &str, deltas: &[(Value, Option<&str>)], usage: &Value) -> String {
    let chunk = |choices: Value| json!({"id": id, "object": "chat.completion.chunk", "created": 1, "model": "mock", "choices": choices});
    let mut stream = String::new();
    for (delta, end) in deltas {
        let chunk = chunk(json!([{"index": 0, "delta": delta, "finish_reason": end}]));
        stream.push_str(&format!("data: {chunk}\n\n"));
    }
    let mut last = chunk(json!([]));
    last["usage"] = usage.clone();
    stream.push_str(&format!("data: {last}\n\ndata: [DONE]\n\n"));
    stream
}

/// A block as it is announced, and the one delta that fills it.
fn opened(block: &Value) -> (Value, Value) {
    let mut empty_block = block.clone();
    if block["type"] == "text" {
        empty_block["text"] = json!("");
        (empty_block, json!({"type": "text_delta", "text": block["text"]}))
    } else {
        empty_block["input"] = json!({});
        (empty_block, json!({"type": "input_json_delta", "partial_json": block["input"].to_string()}))
    }
}

fn push(stream: &mut String, event: &str, mut data: Value) {
    data["type"] = json!(event);
    let data = data.to_string();
    stream.extend(["event: ", event, "\ndata: ", &data, "\n\n"]);
}
