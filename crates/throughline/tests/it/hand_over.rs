//! The hand-over: asked for, taken in, kept alive over compactions, checked against what happened, told, never twice.

use std::path::Path;

use serde_json::{Value, json};
use throughline_testkit::{Transcript, payload};

use crate::scene::{BINARY, Scene, holding, tokens};

const SUMMARY: &str = "<analysis>\nnothing\n</analysis>\n<summary>\n1. Primary Request and Intent:\n   Fix the importer.\n\n\
    10. Hand-over:\n- rule: never push to the main branch\n- tried: `timeout` is not there; `gtimeout 5` works\n\
    - state: `make check` fails: 3 of 40\n- where: `src/import.rs:40` fn rows reads a row\n- value: port is 5433\n\
    - open: next: the importer's error messages\n</summary>\n";

fn started() -> Scene {
    at_work().0
}

fn at_work() -> (Scene, Transcript) {
    let scene = Scene::with_git();
    scene.home.write("src/import.rs", "fn rows() {}\n");
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    let mut transcript = Transcript::new(&scene.home, "s1");
    transcript
        .user("Fix the importer of the tables. Please never push to the main branch.")
        .assistant("I look at it.", holding(20_000));
    (scene, transcript)
}

fn before(scene: &Scene) -> String {
    scene.hook(&payload::pre_compact(&scene.home, "s1", "auto", None))
}

/// A compaction in the client's order, with this summary.
fn compacted(scene: &Scene, summary: &str) -> (String, String) {
    let block = before(scene);
    scene.hook(&payload::subagent_stop(&scene.home, "s1", "", summary));
    let briefing = scene.hook(&payload::session_start(&scene.home, "s1", "compact"));
    scene.hook(&payload::post_compact(&scene.home, "s1", "auto", summary));
    (block, briefing)
}

fn lines(scene: &Scene) -> Vec<String> {
    let told = scene.json(&["handover", "--json"]);
    let line = |it: &Value| format!("{}: {}", it["kind"].as_str().unwrap(), it["text"].as_str().unwrap());
    told["lines"].as_array().unwrap().iter().map(line).collect()
}

fn take(scene: &Scene, text: &str) -> throughline_testkit::Output {
    scene.home.run(Path::new(BINARY), &["handover", "-"], text)
}

#[test]
fn it_is_asked_for_taken_in_and_given_to_the_next_compaction() {
    let scene = started();
    let (block, _) = compacted(&scene, SUMMARY);
    for words in ["headed \"Hand-over\"", "rule: what the user demanded", "use it verbatim"] {
        assert!(block.contains(words), "{words}: {block}");
    }
    assert_eq!(
        lines(&scene),
        [
            "rule: never push to the main branch",
            "tried: `timeout` is not there; `gtimeout 5` works",
            "state: `make check` fails: 3 of 40",
            "where: `src/import.rs:40` fn rows reads a row",
            "value: port is 5433",
            "open: next: the importer's error messages",
        ]
    );
    let block = before(&scene);
    assert!(block.contains("Known from earlier hand-overs"), "{block}");
    for words in ["- rule: never push to the main branch", "- value: port is 5433", "gtimeout 5"] {
        assert!(block.contains(words), "{words}: {block}");
    }
    assert!(block.encode_utf16().count() <= 9_600);
    let page = scene.ok(&["handover"]);
    assert!(page.contains("in the compaction's summary") && page.contains("- rule: never push"), "{page}");
    let notes = scene.home.read(".claude/sessions/s1/notes.md");
    assert!(notes.contains("Handed over in the compaction's summary"), "{notes}");
    assert_eq!(notes.matches("port is 5433").count(), 1, "{notes}");
}

#[test]
fn what_lasts_is_still_there_after_four_compactions() {
    let scene = started();
    compacted(&scene, SUMMARY);
    for round in 0..4 {
        let (_, briefing) =
            compacted(&scene, &format!("<summary>\n## Hand-over\n- open: next: step {round}\n</summary>"));
        assert!(briefing.contains("- rule: never push to the main branch"), "{round}: {briefing}");
        assert!(briefing.contains("port is 5433"), "{round}: {briefing}");
        assert!(!briefing.contains("make check"), "what was so then: {briefing}");
        assert!(!briefing.contains(&format!("step {round}")), "the summary has it: {briefing}");
        assert!(tokens(&briefing) <= 1_200);
    }
    assert_eq!(lines(&scene).first().map(String::as_str), Some("open: next: step 3"));
    assert_eq!(lines(&scene).len(), 5);
}

#[test]
fn the_same_summary_twice_adds_nothing_and_one_that_was_never_used_neither() {
    let scene = started();
    before(&scene);
    scene.hook(&payload::subagent_stop(&scene.home, "s1", "", SUMMARY));
    assert_eq!(lines(&scene), [] as [&str; 0], "a summary that was made ready is not yet a compaction");
    scene.hook(&payload::post_compact(&scene.home, "s1", "auto", SUMMARY));
    let file = scene.session_data("s1").join("hand-over.json");
    let first = std::fs::read(&file).unwrap();
    scene.hook(&payload::session_start(&scene.home, "s1", "compact"));
    scene.hook(&payload::post_compact(&scene.home, "s1", "auto", SUMMARY));
    assert_eq!(std::fs::read(&file).unwrap(), first);
    let mut inner = payload::post_compact(&scene.home, "s1", "auto", "## Hand-over\n- rule: of a subagent\n");
    inner["agent_id"] = json!("a1");
    inner["agent_type"] = json!("Explore");
    scene.hook(&inner);
    assert_eq!(std::fs::read(&file).unwrap(), first, "a subagent's compaction is not ours");
}

#[test]
fn what_happened_since_ends_a_fact() {
    let scene = started();
    compacted(&scene, SUMMARY);
    std::fs::remove_file(scene.home.project().join("src/import.rs")).unwrap();
    let page = scene.ok(&["handover"]);
    assert!(page.contains("reads a row (over: the file is gone)"), "{page}");
    assert!(!before(&scene).contains("reads a row"), "it is not told on");
}

#[test]
fn a_file_that_nobody_found_is_not_said_to_be_gone() {
    let scene = started();
    let facts =
        "where: importer/rows.rs:12 fn row (all under src/)\nwhere: src/import.rs:40 fn rows\nopen: go on\n";
    take(&scene, facts).assert_success();
    std::fs::remove_file(scene.home.project().join("src/import.rs")).unwrap();
    scene.hook(&payload::session_end(&scene.home, "s1", "other"));
    let next = scene.hook(&payload::session_start(&scene.home, "s2", "startup"));
    assert!(next.contains("importer/rows.rs:12"), "told from another folder: {next}");
    assert!(!next.contains("src/import.rs:40"), "{next}");
}

#[test]
fn the_agent_hands_over_and_what_a_later_event_says_counts() {
    let (scene, mut transcript) = at_work();
    let output = take(
        &scene,
        "rule: never push to the main branch\nrule: always push by force\nstate: `make check` fails\n",
    );
    output.assert_success();
    assert_eq!(output.stdout.trim(), "handed over: 3 facts kept, about 34 tokens");
    let again = take(
        &scene,
        "rule: never push to the main branch\nrule: always push by force\nstate: `make check` fails\n",
    );
    assert_eq!(again.stdout.trim(), "this was handed over already: nothing is new");
    let page = scene.ok(&["handover"]);
    assert!(page.contains("by a person") && page.contains("- rule: never push"), "{page}");
    assert!(page.contains("- rule (the agent's words): always push by force"), "{page}");
    let notes = scene.home.read(".claude/sessions/s1/notes.md");
    assert!(notes.contains("Handed over by a person") && notes.contains("`make check` fails"), "{notes}");
    transcript
        .tool("Bash", &json!({"command": "make check"}), "ok 40 passed", holding(20_500))
        .assistant("It passes.", holding(21_000));
    let page = scene.ok(&["handover"]);
    assert!(page.contains("`make check` fails (over: it passes since)"), "{page}");
}

#[test]
fn what_is_no_hand_over_is_refused_and_what_is_too_long_is_cut_at_a_fact() {
    let scene = started();
    for (text, said) in [("", "the hand-over is empty"), (" \n\n- none\n", "the hand-over is empty")] {
        let output = take(&scene, text);
        assert_eq!(output.status.code(), Some(1));
        assert!(output.stderr.contains(said), "{}", output.stderr);
    }
    let output = take(&scene, &"x".repeat(70 << 10));
    assert!(!output.status.success() && output.stderr.contains("more than 65536 bytes"), "{}", output.stderr);
    let many: Vec<String> = (0..100).map(|at| format!("value: number {at} {}", "x".repeat(80))).collect();
    let output = take(&scene, &format!("{}\nopen: next: ship it\n", many.join("\n")));
    assert!(output.stdout.contains("left out, as at most 1000 tokens are kept"), "{}", output.stdout);
    assert!(lines(&scene).contains(&"open: next: ship it".to_owned()));
    let bare = Scene::new();
    let output = bare.home.run(Path::new(BINARY), &["handover", "-"], "rule: x y z");
    assert!(output.stderr.contains("no session was seen"), "{}", output.stderr);
}

#[test]
fn no_secret_is_kept_and_forgotten_words_are_gone() {
    let scene = started();
    take(&scene, "value: token ghp_abcdefghijklmnopqrstuvwxyz0123456789\nvalue: the codename is bluebird\n")
        .assert_success();
    let file = scene.session_data("s1").join("hand-over.json");
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(!kept.contains("ghp_") && kept.contains("bluebird"), "{kept}");
    scene.ok(&["forget", "bluebird", "--yes"]);
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(!kept.contains("bluebird"), "{kept}");
}

#[test]
fn after_a_crash_it_comes_first_and_what_came_after_it_beside_it() {
    let scene = started();
    take(&scene, "rule: never push to the main branch\ntried: serde_yaml loses comments; yaml-edit keeps them\nopen: next: the writer\n")
        .assert_success();
    scene.hook(&payload::session_end(&scene.home, "s1", "other"));
    let briefing = scene.hook(&payload::session_start(&scene.home, "s2", "startup"));
    assert!(briefing.contains("Handed over 20") && briefing.contains("by a person"), "{briefing}");
    assert!(briefing.contains("- tried: serde_yaml loses comments; yaml-edit keeps them"), "{briefing}");
    assert!(briefing.contains("- open: next: the writer"), "{briefing}");
    assert!(tokens(&briefing) <= 1_200);
    let lasting = std::fs::read_to_string(scene.session_data("s2").join("hand-over.json")).unwrap();
    assert!(lasting.contains("yaml-edit") && !lasting.contains("the writer"), "{lasting}");
}

#[test]
fn after_clear_one_line_names_it() {
    let scene = started();
    take(&scene, "open: next: the writer\n").assert_success();
    scene.hook(&payload::session_end(&scene.home, "s1", "clear"));
    let said = scene.hook(&payload::session_start(&scene.home, "s2", "clear"));
    assert!(said.contains("`throughline handover` shows it") && !said.contains("the writer"), "{said}");
    assert!(scene.ok(&["handover"]).contains("the writer"));
}

#[test]
fn handoff_is_no_longer_nearly_empty() {
    let scene = started();
    take(&scene, "tried: serde_yaml loses comments\n").assert_success();
    scene.ok(&["note", "--route", "qa", "RS-12 for review"]);
    let block = scene.ok(&["handoff"]);
    for words in [
        "### The request",
        "Fix the importer of the tables",
        "never push to the main branch",
        "src/import.rs",
        "serde_yaml loses comments",
        "routed to qa: RS-12 for review",
        "## Context Health",
    ] {
        assert!(
            block.contains(words) || words == "src/import.rs" && block.contains("src/"),
            "{words}: {block}"
        );
    }
    assert!(tokens(&block) <= 1_200);
}

/// The reply to a tool call after which the context holds so much, in a mode of the client's.
fn filled(scene: &Scene, transcript: &mut Transcript, used_tokens: u64, mode: &str) -> String {
    transcript.assistant("more", holding(used_tokens));
    let calls = [("Bash", json!({"command": "ls"}), json!({"stdout": "x"}))];
    let mut batch = payload::post_tool_batch(&scene.home, "s1", &calls);
    batch["permission_mode"] = json!(mode);
    scene.hook(&batch)
}

#[test]
fn the_agent_is_asked_once_and_only_where_the_call_needs_no_permission() {
    for (settings, mode, asked) in [
        (json!({}), "default", false),
        (json!({}), "dontAsk", false),
        (json!({}), "bypassPermissions", true),
        (json!({}), "auto", true),
        (json!({"permissions": {"allow": ["mcp__throughline"]}}), "default", true),
        (json!({"permissions": {"allow": ["mcp__throughline"]}}), "plan", false),
        (json!({"permissions": {"allow": ["mcp__throughline__hand_over"]}}), "dontAsk", true),
        (
            json!({"permissions": {"allow": ["mcp__throughline", "Bash"], "deny": ["mcp__throughline"]}}),
            "default",
            true,
        ),
        (json!({"permissions": {"deny": ["mcp__throughline", "Bash"]}}), "bypassPermissions", false),
    ] {
        let scene = Scene::with_git();
        scene.home.write(".claude/settings.local.json", &settings.to_string());
        scene.home.write(
            ".mcp.json",
            "{\"mcpServers\":{\"throughline\":{\"command\":\"throughline\",\"args\":[\"mcp\"]}}}",
        );
        scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
        let mut transcript = Transcript::new(&scene.home, "s1");
        transcript.user("go");
        assert_ne!(filled(&scene, &mut transcript, 141_000, mode), "", "70 %");
        let said = filled(&scene, &mut transcript, 171_000, mode);
        assert_eq!(said.contains("hand over in one call"), asked, "{settings} {mode}: {said}");
        assert_eq!(filled(&scene, &mut transcript, 172_000, mode), "", "once");
        let later = filled(&scene, &mut transcript, 181_000, mode);
        assert_eq!(later.is_empty(), asked, "it takes the place of the notice at 90 %: {later}");
        assert!(!later.contains("hand over in one call"));
        let last = filled(&scene, &mut transcript, 191_000, mode);
        assert!(last.contains("95 %") && !last.contains("in one call"), "{last}");
    }
}

#[test]
fn the_notice_names_the_call_and_can_be_switched_off() {
    let scene = started();
    let mut transcript = Transcript::new(&scene.home, "s1");
    let said = filled(&scene, &mut transcript, 171_000, "bypassPermissions");
    assert!(said.contains("handover - <<'END'"), "{said}");
    assert!(said.contains("`kind: fact`") && tokens(&said) < 260, "{} {said}", tokens(&said));
    let scene = Scene::with_git();
    scene.configure_project("[hand_over]\nask = false\n");
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    let mut transcript = Transcript::new(&scene.home, "s1");
    transcript.user("go");
    filled(&scene, &mut transcript, 141_000, "bypassPermissions");
    assert_eq!(filled(&scene, &mut transcript, 171_000, "bypassPermissions"), "");
    assert!(filled(&scene, &mut transcript, 181_000, "bypassPermissions").contains("90 %"));
}

#[test]
fn the_rules_come_with_init_allow_and_go_with_uninstall() {
    for before in
        [None, Some("{\n  \"permissions\": {\n    \"allow\": [\"Bash(ls:*)\"]\n  }\n}\n"), Some("{}\n")]
    {
        let scene = Scene::with_git();
        let path = ".claude/settings.local.json";
        if let Some(text) = before {
            scene.home.write(path, text);
        }
        let said = scene.ok(&["init", "--no-instructions"]);
        assert!(
            said.contains("offered, not taken") && said.contains("Bash(throughline handover:*)"),
            "{said}"
        );
        assert!(!scene.home.read(path).contains("throughline handover"), "never taken unasked");
        let said = scene.ok(&["init", "--allow"]);
        assert!(said.contains("without asking"), "{said}");
        assert!(scene.home.read(path).contains("Bash(throughline handover:*)"));
        scene.ok(&["init", "--allow"]);
        scene.ok(&["uninstall"]);
        let after = std::fs::read_to_string(scene.home.project().join(path)).ok();
        assert_eq!(after.as_deref(), before, "byte for byte");
    }
}

#[test]
fn the_agents_call_through_the_server_is_its_word_and_found_again() {
    let (scene, mut transcript) = at_work();
    let text = "tried: the zebra cache deadlocks under load; a plain map works\n";
    transcript.tool("mcp__throughline__hand_over", &json!({ "text": text }), "handed over", holding(22_000));
    transcript.tool(
        "Bash",
        &json!({"command": "throughline handover - <<'END'\nvalue: the quagga table has 40 rows\nEND"}),
        "handed over",
        holding(23_000),
    );
    for words in ["zebra cache deadlocks", "quagga table rows"] {
        let found = scene.ok(&["recall", words, "--no-pick"]);
        assert!(found.contains(words.split(' ').next().unwrap()), "{found}");
    }
}

#[test]
fn a_kill_loses_nothing_that_was_acknowledged() {
    use std::io::Write;
    use std::process::Stdio;
    let scene = started();
    let mut acknowledged = Vec::new();
    for round in 0..24_u64 {
        let text = format!("value: number {round} of the kills\n");
        let mut command = scene.home.command(Path::new(BINARY));
        let mut child =
            command.args(["handover", "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(round * 3));
        let _ = child.kill();
        if child.wait().unwrap().success() {
            acknowledged.push(format!("value: {}", text.trim_start_matches("value: ").trim()));
        }
    }
    take(&scene, "value: the last one of them\n").assert_success();
    let kept = lines(&scene);
    for fact in &acknowledged {
        assert!(kept.contains(fact), "{fact}: {kept:?}");
    }
    assert!(kept.contains(&"value: the last one of them".to_owned()));
}
