//! Lines as clients of several versions write them, and what must not count.

use serde_json::{Value, json};
use throughline_domain::usage::{Band, Tier, Tokens};

use super::*;

const MESSAGE: &str = "msg_01YDfMFwWHcNYSbyW5R1JJAz";

fn line(usage: &Value) -> Value {
    json!({
        "parentUuid": null, "isSidechain": false, "cwd": "/home/me/app", "sessionId": "s1", "type": "assistant",
        "message": {"model": "claude-opus-4-6", "id": MESSAGE, "content": [{"type": "text", "text": "a \"usage\": {"}],
                    "usage": usage},
        "requestId": "req_1", "uuid": "u1", "timestamp": "2026-02-03T06:58:10.940Z"
    })
}

fn usage() -> Value {
    json!({"input_tokens": 3, "cache_creation_input_tokens": 30, "cache_read_input_tokens": 100, "output_tokens": 7,
           "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20}})
}

fn all(line: &Value) -> Vec<UsedTokens<'static>> {
    let text: &'static str = Box::leak(line.to_string().into_boxed_str());
    let mut found = Vec::new();
    let problem = read(text.as_bytes(), &mut |it| match it {
        UsageLine::Used(used) => found.push(used),
        UsageLine::Compacted(_) => panic!("no boundary"),
    });
    assert_eq!(problem, None);
    found
}

fn one(line: &Value) -> UsedTokens<'static> {
    let mut found = all(line);
    assert_eq!(found.len(), 1, "{line}");
    found.remove(0)
}

#[test]
fn a_response_is_read_with_its_cache_writes_told_apart() {
    let used = one(&line(&usage()));
    let tokens = Tokens {
        input: 3,
        output: 7,
        cache_write_5m: 10,
        cache_write_1h: 20,
        cache_read: 100,
        web_searches: 0,
    };
    assert_eq!((used.tokens, used.model, used.tier), (tokens, "claude-opus-4-6", Tier::default()));
    assert_eq!((used.origin.session, used.origin.cwd.as_deref()), (Some("s1"), Some("/home/me/app")));
    assert_eq!(used.origin.at, time::parse("2026-02-03T06:58:10.940Z"));
}

#[test]
fn cache_writes_that_are_not_told_apart_are_of_five_minutes() {
    let old = json!({"input_tokens": 3, "cache_creation_input_tokens": 30, "output_tokens": 7});
    assert_eq!(one(&line(&old)).tokens.cache_write_5m, 30);
    let mut partly = usage();
    partly["cache_creation"] = json!({"ephemeral_1h_input_tokens": 20});
    let tokens = one(&line(&partly)).tokens;
    assert_eq!((tokens.cache_write_5m, tokens.cache_write_1h), (10, 20));
}

#[test]
fn lines_and_copies_of_one_response_have_one_id() {
    let mut copy = line(&usage());
    copy["sessionId"] = "another".into();
    copy["uuid"] = "u2".into();
    copy["requestId"] = Value::Null;
    assert_eq!(one(&line(&usage())).id, one(&copy).id);
    copy["message"]["id"] = "msg_01YDfMFwWHcNYSbyW5R1JJAx".into();
    assert_ne!(one(&line(&usage())).id, one(&copy).id);
}

#[test]
fn short_ids_that_a_gateway_gives_again_are_told_apart_by_the_request() {
    let with = |message: Value, request: Value, uuid: &str| {
        let mut line = line(&usage());
        line["message"]["id"] = message;
        line["requestId"] = request;
        line["uuid"] = uuid.into();
        one(&line).id
    };
    assert_ne!(with("1".into(), "r1".into(), "u1"), with("1".into(), "r2".into(), "u1"));
    assert_eq!(with("1".into(), "r1".into(), "u1"), with("1".into(), "r1".into(), "u2"));
    // Without any id each line is a response of its own.
    assert_ne!(with(Value::Null, Value::Null, "u1"), with(Value::Null, Value::Null, "u2"));
}

#[test]
fn what_is_no_response_does_not_count() {
    let mut synthetic = line(&usage());
    synthetic["message"]["model"] = "<synthetic>".into();
    let mut error = line(&usage());
    error["isApiErrorMessage"] = true.into();
    let mut user = line(&usage());
    user["type"] = "user".into();
    user["toolUseResult"] = json!({"usage": usage(), "totalTokens": 5});
    let zeros = line(&json!({"input_tokens": 0, "output_tokens": 0}));
    let odd = line(&json!("usage"));
    for line in [synthetic, error, user, zeros, odd] {
        assert_eq!(all(&line), [], "{line}");
    }
}

#[test]
fn a_subagents_line_repeated_as_progress_is_the_same_response() {
    let inner = line(&usage());
    let progress = json!({
        "type": "progress", "isSidechain": false, "sessionId": "s1", "cwd": "/home/me/app", "uuid": "u9",
        "data": {"type": "agent_progress", "message": {"type": "assistant", "timestamp": "2026-02-03T06:58:10.940Z",
                 "message": inner["message"], "requestId": "req_1", "uuid": "u8"}},
        "timestamp": "2026-02-03T06:59:00.000Z"
    });
    let used = one(&progress);
    assert_eq!(used.id, one(&inner).id);
    assert!(used.is_sidechain);
    assert_eq!(used.origin.at, time::parse("2026-02-03T06:58:10.940Z"));
}

#[test]
fn fast_mode_region_and_size_decide_the_tier() {
    let mut fast = usage();
    fast["speed"] = "fast".into();
    fast["inference_geo"] = "us".into();
    fast["cache_read_input_tokens"] = 200_000.into();
    let tier = Tier { band: Band::Over200K, is_fast: true, is_us_only: true };
    assert_eq!(one(&line(&fast)).tier, tier);
}

#[test]
fn rounds_of_one_response_do_not_make_its_context_larger() {
    let mut rounds = usage();
    rounds["cache_read_input_tokens"] = 226_584.into();
    let round = |read: u64| json!({"type": "message", "input_tokens": 1, "cache_read_input_tokens": read});
    rounds["iterations"] = json!([round(109_696), round(116_888)]);
    let used = one(&line(&rounds));
    assert_eq!((used.context, used.tier.band), (116_889, Band::Over100K));
    assert_eq!(used.tokens.cache_read, 226_584);
    rounds["iterations"] = json!([]);
    assert_eq!(one(&line(&rounds)).context, 226_584 + 33);
}

#[test]
fn another_model_that_was_asked_in_between_counts_by_itself() {
    let mut advised = usage();
    advised["iterations"] = json!([
        {"type": "message", "input_tokens": 1, "output_tokens": 2},
        {"type": "advisor_message", "model": "claude-opus-4-7", "input_tokens": 159_419, "output_tokens": 7_805},
        {"type": "message", "input_tokens": 2, "output_tokens": 5},
    ]);
    let found = all(&line(&advised));
    assert_eq!(found.len(), 2);
    let models: Vec<(&str, u64)> = found.iter().map(|used| (used.model, used.tokens.output)).collect();
    assert_eq!(models, [("claude-opus-4-7", 7_805), ("claude-opus-4-6", 7)]);
    assert_ne!(found[0].id, found[1].id);
    assert_eq!(found[1].id, one(&line(&usage())).id);
}

#[test]
fn searches_are_counted() {
    let mut searched = usage();
    searched["server_tool_use"] = json!({"web_search_requests": 4, "web_fetch_requests": 1});
    assert_eq!(one(&line(&searched)).tokens.web_searches, 4);
}

fn compacted(line: &Value) -> Compacted<'static> {
    let text: &'static str = Box::leak(line.to_string().into_boxed_str());
    let mut found = Vec::new();
    read(text.as_bytes(), &mut |it| match it {
        UsageLine::Compacted(compacted) => found.push(compacted),
        UsageLine::Used(_) => panic!("no response"),
    });
    assert_eq!(found.len(), 1, "{line}");
    found.remove(0)
}

#[test]
fn boundaries_of_old_and_new_clients_are_read() {
    let mut line = json!({
        "type": "system", "subtype": "compact_boundary", "uuid": "b1", "sessionId": "s1", "cwd": "/home/me/app",
        "timestamp": "2026-02-19T10:33:58.495Z",
        "compactMetadata": {"trigger": "auto", "preTokens": 167_081, "postTokens": 11_571}
    });
    let new = compacted(&line);
    assert_eq!((new.is_auto, new.tokens_before, new.tokens_after), (true, Some(167_081), Some(11_571)));
    line["compactMetadata"] = Value::Null;
    let old = compacted(&line);
    assert_eq!((old.is_auto, old.tokens_before, old.tokens_after), (false, None, None));
    assert_eq!(old.id, new.id);
}

#[test]
fn a_line_that_breaks_off_is_a_problem_and_nothing_else() {
    let whole = line(&usage()).to_string();
    for cut in [whole.len() - 1, whole.len() - 30] {
        assert!(read(&whole.as_bytes()[..cut], &mut |_| panic!("nothing counts")).is_some(), "{cut}");
    }
    assert!(read(b"[\"usage\"]", &mut |_| panic!("nothing counts")).is_some());
    assert!(read(b"no JSON, no use", &mut |_| panic!("nothing counts")).is_none());
    let behind_zeros = format!("\0\0\0{whole}");
    let mut count = 0;
    assert!(read(behind_zeros.as_bytes(), &mut |_| count += 1).is_none());
    assert_eq!(count, 1);
}
