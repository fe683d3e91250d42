//! Servers, hooks and verbs at the same time: what was acknowledged is there.

use std::collections::BTreeSet;

use serde_json::json;
use throughline_testkit::payload;

use super::Server;
use crate::scene::Scene;

const ROUNDS: usize = 12;

#[test]
fn two_servers_hooks_and_verbs_at_once_lose_nothing() {
    let scene = Scene::with_git();
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    let recorded = std::thread::scope(|threads| {
        let servers: Vec<_> = (0..2)
            .map(|server| {
                let home = &scene.home;
                threads.spawn(move || {
                    let mut client = Server::start(home);
                    let texts: Vec<String> =
                        (0..ROUNDS).map(|round| format!("server {server} round {round}")).collect();
                    for text in &texts {
                        let said = client.call("record_decision", json!({ "text": text })).unwrap();
                        assert!(said.ends_with(" recorded"), "{said}");
                    }
                    client.ends_well();
                    texts
                })
            })
            .collect();
        for round in 0..ROUNDS {
            // Each is a gate: it writes the state too.
            scene.hook(&payload::pre_compact(&scene.home, "s1", "manual", None));
            scene.ok(&["add", "decision", &format!("verb round {round}")]);
        }
        let mut texts: BTreeSet<String> = (0..ROUNDS).map(|round| format!("verb round {round}")).collect();
        texts.extend(servers.into_iter().flat_map(|server| server.join().expect("a server")));
        texts
    });
    scene.ok(&["list", "--all"]);
    let kept: BTreeSet<String> = scene.archived().into_iter().map(|row| row.text).collect();
    assert_eq!(recorded.difference(&kept).collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn a_server_that_waits_for_its_client_holds_no_lock() {
    let scene = Scene::new();
    let mut server = Server::start(&scene.home);
    server.call("record_decision", json!({ "text": "first" })).unwrap();
    // A hook tries for the lock a tenth of a second and then lets its save wait: here it must get it.
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    scene.hook(&payload::pre_compact(&scene.home, "s1", "manual", None));
    assert_eq!(scene.state()["trigger"], "precompact");
    assert_eq!(scene.log(), "");
    server.ends_well();
}

/// A client need not wait: what it sent first is done first.
#[test]
fn calls_are_done_in_the_order_in_which_they_came() {
    let scene = Scene::new();
    let mut server = Server::start(&scene.home);
    let mut lines = String::new();
    for id in 0..10 {
        let record = json!({ "name": "record_decision", "arguments": { "text": format!("number {id}") } });
        let recall = json!({ "name": "recall", "arguments": { "words": format!("{id}") } });
        for (id, call) in [(2 * id, record), (2 * id + 1, recall)] {
            let message = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call });
            lines.push_str(&format!("{message}\n"));
        }
    }
    server.send_bytes(lines.as_bytes());
    for id in 0..20 {
        let answer = server.answer();
        assert_eq!(answer["id"], id, "{answer}");
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        if id % 2 == 1 {
            assert!(text.contains(&format!("number {}", id / 2)), "{text}");
        }
    }
    server.ends_well();
}
