//! `count-tokens`: an estimate that stays at home, and the API's own count on request alone.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use throughline_testkit::{MockApi, Output, Script, Transcript, payload};

use crate::scene::{BINARY, Scene, holding};

const KEY: &str = concat!("sk-ant-", "api03-not-a-key-but-looks-like-one-0123456789");

/// A scene whose environment names the mock as the API, and a key for it.
fn online() -> (Scene, MockApi) {
    let api = MockApi::start(Script::new());
    let mut scene = Scene::with_git();
    scene.home.set_env("ANTHROPIC_BASE_URL", api.url());
    scene.home.set_env("ANTHROPIC_API_KEY", KEY);
    (scene, api)
}

fn count(scene: &Scene, args: &[&str], stdin: &str) -> Output {
    let args: Vec<&str> = ["count-tokens"].into_iter().chain(args.iter().copied()).collect();
    let output = scene.home.run(Path::new(BINARY), &args, stdin);
    assert!(!output.stdout.contains(KEY) && !output.stderr.contains(KEY), "the key is shown");
    output
}

fn counted(scene: &Scene, args: &[&str], stdin: &str) -> Value {
    let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
    let output = count(scene, &args, stdin);
    output.assert_success();
    serde_json::from_str(&output.stdout).unwrap()
}

#[test]
fn without_a_word_about_online_it_is_an_estimate_and_nobody_is_asked() {
    let (scene, api) = online();
    scene.home.write("a.md", "The parser keeps unknown fields in the order it found them.\n");
    scene.home.write("b.json", "{\"input_tokens\": 12345, \"cache_read_input_tokens\": 83000}\n");
    let one = counted(&scene, &["a.md"], "");
    assert!((10..=15).contains(&one["tokens"].as_u64().unwrap()), "{one}");
    assert_eq!((&one["exact"], &one["errorPercent"]), (&json!(false), &json!(20)));
    let both = counted(&scene, &["a.md", "b.json", "-"], "one two three");
    let files = both["files"].as_array().unwrap();
    let sum: u64 = files.iter().map(|file| file["tokens"].as_u64().unwrap()).sum();
    assert_eq!((files.len(), &both["tokens"]), (3, &json!(sum)));
    let said = count(&scene, &[], "one two three").stdout;
    assert!(said.contains("3  tokens (by estimate, ± 20 %"), "{said}");
    assert!(api.count_requests().is_empty(), "a key in the environment is no permission");
}

#[test]
fn online_the_api_counts_and_gets_model_key_and_text() {
    let (scene, api) = online();
    api.answer_counts(200, "{\"input_tokens\": 4321}", Duration::ZERO);
    let value = counted(&scene, &["--online", "--model", "claude-opus-5-5[1m]"], "how many?");
    assert_eq!((&value["tokens"], &value["exact"]), (&json!(4_321), &json!(true)));
    let requests = api.count_requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].header("x-api-key"), Some(KEY));
    assert_eq!(requests[0].header("authorization"), None);
    assert!(requests[0].header("anthropic-version").is_some());
    assert_eq!(
        requests[0].body,
        json!({"model": "claude-opus-5-5", "messages": [{"role": "user", "content": "how many?"}]})
    );
}

#[test]
fn a_token_instead_of_a_key_is_a_bearer() {
    let (mut scene, api) = online();
    scene.home.remove_env("ANTHROPIC_API_KEY");
    scene.home.set_env("ANTHROPIC_AUTH_TOKEN", KEY);
    counted(&scene, &["--online"], "how many?");
    assert_eq!(api.count_requests()[0].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(api.count_requests()[0].header("x-api-key"), None);
}

#[test]
fn what_the_api_refuses_is_told_without_the_key() {
    let (scene, api) = online();
    let refusal = |kind: &str, message: &str| {
        json!({"type": "error", "error": {"type": kind, "message": message}}).to_string()
    };
    let cases = [
        (
            401,
            refusal("authentication_error", &format!("invalid x-api-key {KEY}")),
            "refused with 401",
            "ANTHROPIC_API_KEY",
        ),
        (404, refusal("not_found_error", "model: nope"), "refused with 404: model: nope", "--model"),
        (429, refusal("rate_limit_error", "slow down"), "slow down", "wait"),
        (500, "<html>oops</html>".to_owned(), "refused with 500", "try again"),
        (302, String::new(), "refused with 302", "try again"),
        (200, "<html>hello</html>".to_owned(), "no count of tokens", "ANTHROPIC_BASE_URL"),
        (200, "{\"input_tokens\": -1}".to_owned(), "no count of tokens", "ANTHROPIC_BASE_URL"),
    ];
    for (status, body, what, way_out) in cases {
        api.answer_counts(status, body, Duration::ZERO);
        let output = count(&scene, &["--online"], "x");
        assert_eq!(output.status.code(), Some(1), "{}", output.stdout);
        assert!(output.stderr.contains(what) && output.stderr.contains(way_out), "{}", output.stderr);
        assert_eq!(output.stdout, "");
    }
}

#[test]
fn an_api_that_does_not_answer_is_not_waited_for_without_end() {
    let (scene, api) = online();
    api.answer_counts(200, "{\"input_tokens\": 1}", Duration::from_mins(1));
    let began = Instant::now();
    let output = count(&scene, &["--online"], "x");
    assert!(began.elapsed() < Duration::from_secs(40), "{:?}", began.elapsed());
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.contains("did not answer within 20 s"), "{}", output.stderr);
}

#[test]
fn without_key_host_or_sense_it_says_what_is_missing() {
    let (mut scene, _api) = online();
    scene.home.set_env("ANTHROPIC_API_KEY", "two\nlines");
    assert!(count(&scene, &["--online"], "x").stderr.contains("holds characters that no key has"));
    scene.home.remove_env("ANTHROPIC_API_KEY");
    assert!(count(&scene, &["--online"], "x").stderr.contains("set ANTHROPIC_API_KEY"));
    scene.home.set_env("ANTHROPIC_API_KEY", KEY);
    scene.home.set_env("ANTHROPIC_BASE_URL", "http://127.0.0.1:1");
    assert!(count(&scene, &["--online"], "x").stderr.contains("could not ask 127.0.0.1"));
    scene.home.set_env("ANTHROPIC_BASE_URL", "https://no-such-host.invalid");
    let output = count(&scene, &["--online"], "x");
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.contains("could not ask no-such-host.invalid"), "{}", output.stderr);
    scene.home.set_env("ANTHROPIC_BASE_URL", "file:///etc/passwd");
    assert!(count(&scene, &["--online"], "x").stderr.contains("no http or https address"));
}

#[test]
fn what_is_no_text_or_too_much_is_refused_by_name() {
    let scene = Scene::with_git();
    scene.home.write("picture.png", "\u{89}PNG\0\0");
    assert!(count(&scene, &["picture.png"], "").stderr.contains("picture.png is no text"));
    assert!(count(&scene, &["."], "").stderr.contains("is a folder"));
    assert!(count(&scene, &["gone.md"], "").stderr.contains("there is no file gone.md"));
    let large = std::fs::File::create(scene.home.project().join("large.txt")).unwrap();
    large.set_len(33 << 20).unwrap();
    assert!(count(&scene, &["large.txt"], "").stderr.contains("large.txt"));
    assert!(count(&scene, &["--model", "x"], "").stderr.contains("--online"));
}

#[test]
fn the_share_of_the_window_and_what_is_left_are_told() {
    let scene = Scene::with_git();
    scene.home.write(".claude/settings.json", "{\"autoCompactWindow\": 150000}\n");
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    Transcript::new(&scene.home, "s1").user("go").assistant("yes", holding(107_000));
    let words = "word ".repeat(20_000);
    let said = count(&scene, &[], &words).stdout;
    assert!(said.contains("10 % of the window of 200,000; 10,000 are left before the compaction"), "{said}");
    assert!(said.contains("it does not fit"), "{said}");
    let value = counted(&scene, &[], "word");
    assert_eq!((&value["tokensLeft"], &value["fits"]), (&json!(10_000), &json!(true)));
}
