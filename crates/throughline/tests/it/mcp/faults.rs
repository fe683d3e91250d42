//! What a client can get wrong: the server answers what can be answered, and outlives the rest.

use serde_json::{Value, json};

use super::Server;
use crate::scene::Scene;

#[test]
fn what_comes_before_the_greeting_does_not_end_the_server() {
    let scene = Scene::new();
    let mut server = Server::bare(&scene.home);
    server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    server.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }),
    );
    server.send(&json!({ "jsonrpc": "2.0", "id": 7, "result": {} }));
    assert_eq!(server.request("ping", json!({}))["result"], json!({}));
    let early = server.request("tools/list", json!({}));
    assert_eq!(early["error"]["code"], -32602, "{early}");
    let discover = server.request("server/discover", json!({}));
    assert_eq!(discover["error"]["code"], -32602, "{discover}");
    server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    assert!(server.initialize("2025-11-25")["result"].is_object());
    assert_eq!(server.call("record_decision", json!({ "text": "late, but safe" })).unwrap(), "D1 recorded");
    server.ends_well();
}

#[test]
fn a_client_that_looks_before_it_greets_is_told_what_there_is() {
    let scene = Scene::new();
    let mut server = Server::bare(&scene.home);
    let meta = json!({ "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
    } });
    let found = server.request("server/discover", meta);
    assert!(found["result"]["supportedVersions"].as_array().is_some_and(|it| !it.is_empty()), "{found}");
    assert!(server.initialize("2025-11-25")["result"].is_object());
    server.ends_well();
}

#[test]
fn lines_that_are_no_messages_are_answered_as_such() {
    let scene = Scene::new();
    let mut server = Server::start(&scene.home);
    server.send_bytes(b"\n\r\nthis is no JSON\n{\"jsonrpc\":\"2.0\",\"id\":1,\n\xff\xfe\x00\n");
    server.send_bytes(format!("{}{}\n", "[".repeat(100_000), "]".repeat(100_000)).as_bytes());
    for number in 0..4 {
        let answer = server.answer();
        assert_eq!(answer["error"]["code"], -32700, "{number}: {answer}");
        assert!(answer.get("id").is_none(), "nobody knows whose it was: {answer}");
    }
    assert_eq!(server.request("ping", json!({}))["result"], json!({}));
    // JSON, but no message: each is answered, without an id.
    for odd in [
        "[]",
        "7",
        "{}",
        r#"{"id":1}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":{"a":1},"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#,
    ] {
        server.send_bytes(format!("{odd}\n").as_bytes());
        let answer = server.answer();
        assert_eq!(
            (&answer["error"]["code"], &answer["id"]),
            (&json!(-32600), &Value::Null),
            "{odd}: {answer}"
        );
    }
    assert_eq!(server.call("record_decision", json!({ "text": "go on" })).unwrap(), "D1 recorded");
    server.ends_well();
}

#[test]
fn ids_are_given_back_as_they_came() {
    let scene = Scene::new();
    let mut server = Server::start(&scene.home);
    for id in [json!("a\"b\u{2028}"), json!(""), json!(0), json!(-5), json!(9_007_199_254_740_993_i64)] {
        server.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }));
        let answer = server.answer();
        assert_eq!(answer["id"], id, "{answer}");
    }
    server.ends_well();
}

#[test]
fn unknown_methods_and_shapeless_calls_are_refused() {
    let scene = Scene::new();
    let mut server = Server::start(&scene.home);
    for (method, params) in [
        ("tools/drop", json!({})),
        ("resources/subscribe", json!({ "uri": "throughline://state" })),
        ("completion/complete", json!({ "ref": {}, "argument": {} })),
        ("tools/call", json!({ "arguments": {} })),
        ("tools/call", json!({ "name": "next", "arguments": [1] })),
        ("prompts/get", json!({})),
        ("resources/read", json!({ "uri": 7 })),
    ] {
        let id = server.next_id;
        let answer = {
            server.next_id += 1;
            server.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
            server.answer()
        };
        assert!(
            answer["error"]["code"].is_i64() || answer["result"]["completion"].is_object(),
            "{method}: {answer}"
        );
        let is_offered = ["tools/call", "prompts/get", "resources/read"].contains(&method);
        assert!(!is_offered || answer["error"]["code"] == -32602, "{method}: {answer}");
    }
    assert_eq!(server.request("ping", json!({}))["result"], json!({}));
    server.ends_well();
}

#[test]
fn lines_of_megabytes_are_refused_and_whoever_sent_them_is_answered() {
    let scene = Scene::new();
    let mut server = Server::start(&scene.home);
    let refusal = server.call("record_decision", json!({ "text": "é".repeat(5 << 19) })).unwrap_err();
    assert!(refusal.starts_with("`text` has 2621440 characters"), "{refusal}");
    // Over the limit of a line: it costs no memory, and nobody waits for an answer.
    server.send_bytes(&vec![b'x'; 20 << 20]);
    server.send_bytes(b"\n");
    let answer = server.answer();
    assert_eq!((&answer["error"]["code"], answer.get("id")), (&json!(-32600), None), "{answer}");
    let text = "x".repeat(16 << 20);
    let params = json!({ "name": "record_decision", "arguments": { "text": text } });
    server.send(&json!({ "jsonrpc": "2.0", "id": 41, "method": "tools/call", "params": params }));
    let answer = server.answer();
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &json!(41)), "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("more than 8388608 bytes"), "{answer}");
    assert_eq!(server.request("ping", json!({}))["result"], json!({}));
    server.ends_well();
}

#[test]
fn a_client_that_hangs_up_ends_the_server_and_loses_nothing() {
    let scene = Scene::new();
    let mut server = Server::start(&scene.home);
    // In the middle of a line.
    server.send_bytes(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"record_dec"#);
    assert_eq!(server.ends_well(), Vec::<Value>::new());
    assert!(!scene.state_path().exists());
    // In the middle of a call: what was begun is finished.
    let mut server = Server::start(&scene.home);
    let call = json!({ "name": "record_decision", "arguments": { "text": "the last word" } });
    server.send(&json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": call }));
    server.ends_well();
    assert_eq!(scene.state()["decisions"][0]["decision"], "the last word");
    // Before it said anything at all.
    Server::bare(&scene.home).ends_well();
}

#[test]
fn a_server_that_is_killed_leaves_a_whole_file_and_no_lock() {
    let scene = Scene::new();
    for round in 0..5 {
        let mut server = Server::start(&scene.home);
        assert!(server.call("record_decision", json!({ "text": format!("said {round}") })).is_ok());
        let call = json!({ "name": "record_decision", "arguments": { "text": format!("unheard {round}") } });
        server.send(&json!({ "jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": call }));
        server.kill();
        let state = scene.state();
        let texts: Vec<&str> = state["decisions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["decision"].as_str().unwrap())
            .collect();
        for said in 0..=round {
            assert!(texts.contains(&format!("said {said}").as_str()), "{texts:?}");
        }
    }
    scene.ok(&["add", "decision", "nobody holds the lock"]);
}

/// A refusal is written while other answers are on their way: none of them may get lost.
#[test]
fn every_message_among_broken_ones_is_answered() {
    const ROUNDS: u64 = 300;
    let scene = Scene::new();
    let mut server = Server::start(&scene.home);
    for id in 0..ROUNDS {
        server.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }));
        server.send_bytes(b"{\"id\":1}\n");
    }
    let answers: Vec<Value> = (0..2 * ROUNDS).map(|_| server.answer()).collect();
    assert_eq!(answers.iter().filter(|answer| answer["error"]["code"] == -32600).count() as u64, ROUNDS);
    server.ends_well();
}
