//! The mock without a client: what it answers to plain HTTP.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use serde_json::{Value, json};
use throughline_testkit::{Kind, MockApi, Script, Step, Usage};

fn send(mock: &MockApi, head: &str, body: &str) -> String {
    let address = mock.url().replace("http://", "");
    let mut stream = TcpStream::connect(address).unwrap();
    let bytes = body.len();
    write!(stream, "{head} HTTP/1.1\r\nHost: mock\r\nContent-Length: {bytes}\r\n\r\n{body}").unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}

fn prompt(text: &str) -> Value {
    let tools = json!([{"name": "Bash"}]);
    json!({"model": "m", "tools": tools, "messages": [{"role": "user", "content": text}]})
}

fn ask(mock: &MockApi, body: &Value) -> Value {
    let response = send(mock, "POST /v1/messages?beta=true", &body.to_string());
    serde_json::from_str(response.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[test]
fn steps_are_played_in_order_also_when_the_prompt_is_gone() {
    let script = Script::new()
        .turn("one", [Step::bash("ls").usage(Usage::filling(90_000)), Step::text("end of one")])
        .turn("two", [Step::text("end of two")])
        .otherwise("nothing left");
    let mock = MockApi::start(script);
    let call = ask(&mock, &prompt("do one"));
    assert_eq!(call["content"][0]["input"]["command"], "ls");
    assert_eq!(call["stop_reason"], "tool_use");
    let usage = call["usage"].as_object().unwrap();
    assert_eq!(usage.values().map(|tokens| tokens.as_u64().unwrap()).sum::<u64>(), 90_000);
    assert_eq!(ask(&mock, &prompt("a summary"))["content"][0]["text"], "end of one");
    assert_eq!(ask(&mock, &prompt("do one, then two"))["content"][0]["text"], "end of two");
    assert_eq!(ask(&mock, &prompt("do one"))["content"][0]["text"], "nothing left");
    assert_eq!(mock.requests_of(Kind::Main).len(), 4);
    assert!(mock.request_contains("a summary") && !mock.request_contains("three"));
}

#[test]
fn an_answer_can_be_streamed_or_refused() {
    let steps =
        [Step::text("hello\n\"you\"").and_tool("Bash", json!({"command": "ls"})), Step::prompt_too_long()];
    let mock = MockApi::start(Script::new().turn("go", steps));
    let mut body = prompt("go");
    body["stream"] = json!(true);
    let response = send(&mock, "POST /v1/messages", &body.to_string());
    let events = response.lines().filter_map(|line| line.strip_prefix("data: "));
    let events: Vec<Value> = events.map(|data| serde_json::from_str(data).unwrap()).collect();
    assert_eq!(events.first().unwrap()["type"], "message_start");
    assert_eq!(events[2]["delta"]["text"], "hello\n\"you\"");
    assert_eq!(events[5]["delta"]["partial_json"], r#"{"command":"ls"}"#);
    assert_eq!(events.last().unwrap()["type"], "message_stop");
    let response = send(&mock, "POST /v1/messages", &body.to_string());
    assert!(response.starts_with("HTTP/1.1 400 ") && response.contains("prompt is too long"));
}

#[test]
fn other_paths_and_broken_bodies_are_refused() {
    let mock = MockApi::start(Script::new());
    assert!(send(&mock, "HEAD /", "").starts_with("HTTP/1.1 200 "));
    assert!(send(&mock, "POST /v1/messages/count_tokens", "{\"a\": 1}").contains("\"input_tokens\":2"));
    assert!(send(&mock, "GET /v1/models", "").starts_with("HTTP/1.1 404 "));
    assert!(send(&mock, "POST /v1/messages", "{").starts_with("HTTP/1.1 400 "));
    assert_eq!(mock.refused_paths(), ["/v1/models"]);
    assert_eq!(mock.requests().len(), 0);
}
