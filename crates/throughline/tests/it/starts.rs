//! SessionStart: what a session is given, by how it starts and how long nobody was there.

use serde_json::json;
use throughline_testkit::payload;

use crate::scene::{STATE, Scene, Sleeper, program, tokens, units};

const BANNER: &str = "[CONTEXT RESTORED]";
const BRIEFING: &str = "[throughline:briefing]";
const RESUME: &str = "[throughline:resume]";
const NOTICE: &str = "[throughline:notice]";

/// A project with something recorded and a session that ended in good order.
fn after_a_session() -> Scene {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite", "--rationale", "one file"]);
    scene.ok(&["add", "action", "ship"]);
    scene.hook(&payload::session_start(&scene.home, "old", "startup"));
    scene.hook(&payload::session_end(&scene.home, "old", "prompt_input_exit"));
    scene
}

fn start(scene: &Scene, session: &str, source: &str) -> String {
    scene.hook(&payload::session_start(&scene.home, session, source))
}

#[test]
fn an_empty_project_gets_nothing() {
    let scene = Scene::with_git();
    for source in ["startup", "resume", "clear", "compact", "fork", "unheard-of"] {
        assert_eq!(start(&scene, source, source), "", "{source}");
    }
    assert!(!scene.home.project().join(".claude").exists(), "and nothing is written into it");
}

#[test]
fn startup_within_30_minutes_gets_the_banner() {
    let scene = after_a_session();
    scene.minutes_pass(29);
    let text = start(&scene, "new", "startup");
    assert!(text.contains(BANNER) && text.contains("D1: use SQLite") && text.contains("ship"), "{text}");
}

#[test]
fn startup_after_30_to_60_minutes_gets_the_briefing() {
    let scene = after_a_session();
    scene.minutes_pass(31);
    let text = start(&scene, "new", "startup");
    assert!(text.starts_with(BRIEFING) && !text.contains(BANNER) && !text.contains(RESUME), "{text}");
    assert!(text.contains("D1: use SQLite"), "{text}");
}

#[test]
fn startup_after_1_to_48_hours_gets_what_changed_and_the_briefing() {
    let scene = after_a_session();
    scene.home.write("a.txt", "x");
    scene.home.git(&["add", "a.txt"]);
    scene.home.git(&["commit", "--quiet", "--message=made meanwhile"]);
    for minutes in [61, 46 * 60] {
        scene.minutes_pass(minutes);
        let session = format!("new-{minutes}");
        let text = start(&scene, &session, "startup");
        assert!(text.starts_with(RESUME) && text.contains(BRIEFING), "{text}");
        assert!(text.contains("made meanwhile") && text.contains("D1: use SQLite"), "{text}");
        scene.hook(&payload::session_end(&scene.home, &session, "other"));
        scene.home.write("b.txt", &session);
        scene.home.git(&["add", "b.txt"]);
        scene.home.git(&["commit", "--quiet", "--message=again made meanwhile"]);
    }
}

#[test]
fn startup_after_two_days_gets_one_line() {
    let scene = after_a_session();
    scene.minutes_pass(49 * 60);
    let text = start(&scene, "new", "startup");
    assert!(text.starts_with(NOTICE) && text.contains("1 decision, 1 action"), "{text}");
    assert!(text.contains("throughline briefing") && !text.contains("SQLite"), "{text}");
    assert_eq!(text.lines().count(), 3, "{text}");
}

#[test]
fn startup_after_a_crash_gets_the_banner_whenever() {
    let mut scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    let gone = {
        let sleeper = Sleeper::start();
        scene.home.set_env("CLAUDE_PID", sleeper.pid());
        start(&scene, "crashed", "startup");
        sleeper.pid()
    };
    assert!(!std::path::Path::new(&format!("/proc/{gone}")).exists());
    for minutes in [45, 5 * 60] {
        scene.minutes_pass(minutes);
        scene.home.remove_env("CLAUDE_PID");
        let text = start(&scene, &format!("after-{minutes}"), "startup");
        assert!(text.contains(BANNER), "{minutes}: {text}");
    }
}

#[test]
fn an_id_that_the_system_gave_to_another_process_is_a_crash_too() {
    let mut scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    let sleeper = Sleeper::start();
    scene.home.set_env("CLAUDE_PID", sleeper.pid());
    start(&scene, "crashed", "startup");
    scene.home.remove_env("CLAUDE_PID");
    let path = scene.session_data("crashed").join("session.json");
    let mut cache: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    cache["client_pid_started"] = 1.into();
    std::fs::write(&path, cache.to_string()).unwrap();
    scene.minutes_pass(120);
    assert!(start(&scene, "new", "startup").contains(BANNER));
}

#[test]
fn resume_and_fork_within_the_hour_get_nothing() {
    let scene = after_a_session();
    scene.minutes_pass(50);
    assert_eq!(start(&scene, "old", "resume"), "");
    assert_eq!(start(&scene, "forked", "fork"), "");
}

#[test]
fn resume_after_hours_gets_what_changed_meanwhile() {
    let scene = after_a_session();
    scene.home.git(&["commit", "--quiet", "--allow-empty", "--message=made meanwhile"]);
    scene.home.git(&["switch", "--quiet", "--create", "other-branch"]);
    scene.minutes_pass(5 * 60);
    let text = start(&scene, "old", "resume");
    assert!(text.starts_with(RESUME) && !text.contains(BRIEFING), "{text}");
    assert!(text.contains("Back after 5 h") && text.contains("made meanwhile"), "{text}");
    assert!(text.contains("from \"main\" to \"other-branch\""), "{text}");
    assert!(!text.contains("D1"), "the history is in the context: {text}");
}

#[test]
fn a_session_resumed_after_days_gets_the_resume_context() {
    let scene = after_a_session();
    scene.minutes_pass(80 * 60);
    let text = start(&scene, "old", "resume");
    assert!(text.starts_with(RESUME) && text.contains("nothing new since"), "{text}");
}

#[test]
fn clear_gets_one_line_at_any_age() {
    let scene = after_a_session();
    for minutes in [0, 90, 4_000] {
        scene.minutes_pass(minutes);
        let text = start(&scene, &format!("cleared-{minutes}"), "clear");
        assert!(text.starts_with(NOTICE) && text.lines().count() == 3, "{minutes}: {text}");
    }
}

#[test]
fn a_compaction_gets_the_briefing_at_any_age() {
    let scene = after_a_session();
    for minutes in [0, 90, 4_000] {
        scene.minutes_pass(minutes);
        let text = start(&scene, "old", "compact");
        assert!(text.starts_with(BRIEFING) && text.contains("just compacted"), "{minutes}: {text}");
        assert!(text.contains("D1: use SQLite (because one file)"), "{text}");
    }
}

#[test]
fn beside_a_live_session_only_what_holds_for_all_is_told() {
    let mut scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    scene.ok(&["add", "constraint", "no network"]);
    scene.ok(&["add", "action", "ship it"]);
    scene.ok(&["add", "question", "which port?"]);
    scene.ok(&["add", "evidence", "E404", "--type", "error"]);
    scene.edit_and_trust(|state| {
        state["anchors"] = json!([{"id": "A1", "type": "context", "content": "the parser is hand-written", "priority": "critical"}]);
    });
    let sleeper = Sleeper::start();
    scene.home.set_env("CLAUDE_PID", sleeper.pid());
    start(&scene, "at-work", "startup");
    scene.home.set_env("CLAUDE_PID", std::process::id().to_string());
    let text = start(&scene, "second", "startup");
    for told in ["use SQLite", "no network", "the parser is hand-written"] {
        assert!(text.contains(told), "{told}: {text}");
    }
    for kept in ["ship it", "which port?", "E404"] {
        assert!(!text.contains(kept), "{kept}: {text}");
    }
    drop(sleeper);
    let text = start(&scene, "third", "compact");
    assert!(text.contains("ship it"), "after a compaction a session gets its own work back: {text}");
}

#[test]
fn a_live_session_is_not_taken_for_a_crash_after_hours() {
    let mut scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    let sleeper = Sleeper::start();
    scene.home.set_env("CLAUDE_PID", sleeper.pid());
    start(&scene, "at-work", "startup");
    scene.home.remove_env("CLAUDE_PID");
    scene.minutes_pass(300);
    let text = start(&scene, "second", "startup");
    assert!(!text.contains(BANNER), "{text}");
}

/// As much as the working set takes, of the longest kind.
fn full(scene: &Scene) {
    let words = "every word of this entry is needed, and none may be lost on the way 😀 ".repeat(6);
    scene.edit_and_trust(|state| {
        let list = |what: &str, more: &dyn Fn(usize) -> serde_json::Value| -> serde_json::Value {
            (1..=20)
                .map(|number| {
                    let mut entry = json!({what: format!("{what} {number}: {words}")});
                    entry.as_object_mut().unwrap().extend(more(number).as_object().unwrap().clone());
                    entry
                })
                .collect()
        };
        state["decisions"] = list("decision", &|n| json!({"id": format!("D{}", n + 10), "rationale": words}));
        state["constraints"] = list(
            "constraint",
            &|n| json!({"id": format!("C{}", n + 10), "source": "user", "blocking": true}),
        );
        state["openQuestions"] = list(
            "question",
            &|n| json!({"id": format!("Q{}", n + 10), "context": words, "priority": "high"}),
        );
        state["evidenceLedger"] = list(
            "content",
            &|n| json!({"id": format!("E{}", n + 10), "type": "error", "source": "cargo test"}),
        );
        state["anchors"] = list("content", &|_| json!({"type": "context", "priority": "critical"}));
        state["sd"] = json!({"id": "SD-1", "title": words, "next": words});
    });
}

#[test]
fn a_full_working_set_stays_under_the_budget_in_every_text() {
    let scene = after_a_session();
    full(&scene);
    for (minutes, source) in
        [(0, "startup"), (35, "startup"), (90, "startup"), (0, "compact"), (90, "resume"), (0, "clear")]
    {
        scene.minutes_pass(minutes);
        let session = format!("s-{minutes}-{source}");
        let text = start(&scene, &session, source);
        assert!(!text.is_empty(), "{source}");
        assert!(tokens(&text) <= 1_200, "{source} after {minutes}: {} tokens", tokens(&text));
        scene.hook(&payload::session_end(&scene.home, &session, "other"));
    }
    let text = scene.hook(&payload::pre_compact(&scene.home, "s", "auto", None));
    assert!(units(&text) <= 10_000 && units(&text) > 4_000, "{}", units(&text));
    assert!(std::fs::metadata(scene.state_path()).unwrap().len() <= 15 * 1_024);
}

#[test]
fn the_budget_of_the_environment_binds() {
    let mut scene = after_a_session();
    full(&scene);
    start(&scene, "settle", "startup");
    for budget in [300, 120, 40, 5, 0] {
        scene.home.set_env("THROUGHLINE_BRIEFING_TOKENS", budget.to_string());
        for source in ["compact", "startup"] {
            let text = start(&scene, &format!("s-{budget}"), source);
            assert!(tokens(&text) <= budget, "{source}: {} of {budget} tokens: {text}", tokens(&text));
        }
    }
    scene.home.set_env("THROUGHLINE_BRIEFING_TOKENS", "300");
    assert!(start(&scene, "last", "compact").contains("[BLOCKING]"), "what blocks is said first");
    scene.home.set_env("THROUGHLINE_BRIEFING_TOKENS", "many");
    assert!(
        tokens(&start(&scene, "odd", "compact")) > 300,
        "a word is no number: the configured budget holds"
    );
    scene.home.set_env("THROUGHLINE_BRIEFING_TOKENS", "999999999999");
    assert!(
        units(&start(&scene, "huge", "compact")) <= 10_000,
        "what the client would replace is never said"
    );
}

#[test]
fn the_configuration_file_binds_too() {
    let scene = after_a_session();
    scene.home.configure("[briefing]\ntokens = 100\n[restore]\nbanner_minutes = 1\n");
    scene.minutes_pass(2);
    let text = start(&scene, "new", "startup");
    assert!(!text.contains(BANNER) && tokens(&text) <= 100, "{text}");
    scene.home.configure("[briefing\ntokens = ");
    assert!(
        start(&scene, "other", "compact").contains("use SQLite"),
        "a broken file costs nothing but itself"
    );
    assert!(scene.run(&["list"]).stderr.contains("throughline.toml"), "and a person is told");
}

#[test]
fn a_repaired_file_is_reported_within_the_budget() {
    let scene = after_a_session();
    full(&scene);
    start(&scene, "settle", "startup");
    std::fs::write(scene.state_path(), "{ broken").unwrap();
    let text = start(&scene, "new", "startup");
    assert!(text.contains("could not be read") && text.contains("Tell the user"), "{text}");
    assert!(tokens(&text) <= 1_200, "{}", tokens(&text));
}

#[test]
fn young_files_come_back_with_their_content() {
    let scene = after_a_session();
    scene.home.write(".claude/session-state.md", "# Where I am\nhalfway through the parser\n");
    scene.hook(&payload::pre_compact(&scene.home, "old", "manual", None));
    let text = start(&scene, "old", "compact");
    assert!(text.contains("halfway through the parser"), "{text}");
    assert!(text.contains("compaction-snapshot.md"), "{text}");
    scene.minutes_pass(31);
    let text = start(&scene, "old", "compact");
    assert!(
        !text.contains("halfway") && !text.contains("compaction-snapshot.md"),
        "old files stay unsaid: {text}"
    );
}

#[test]
fn a_git_that_hangs_costs_the_start_its_deadline_at_most() {
    let mut scene = after_a_session();
    let programs = scene.home.root().join("programs");
    program(&programs, "git", "exec sleep 60");
    scene.home.add_path_dir(&programs);
    scene.minutes_pass(120);
    let output = scene.hook_run(payload::session_start(&scene.home, "new", "startup").to_string());
    assert!(output.stdout.contains("use SQLite"), "{}", output.stdout);
    assert!(output.took.as_secs() < 5, "{:?}", output.took);
}

#[test]
fn the_session_last_active_is_noted_for_people() {
    let scene = after_a_session();
    start(&scene, "now-here", "startup");
    assert_eq!(scene.home.read(".claude/sessions/CURRENT_SESSION"), "now-here\n");
    assert!(scene.home.project().join(STATE).exists());
}

#[test]
fn of_two_installations_only_one_speaks() {
    let scene = after_a_session();
    let payload = payload::session_start(&scene.home, "new", "startup").to_string();
    let first = scene.hook_run(&payload).stdout;
    let second = scene.home.run(crate::scene::BINARY.as_ref(), &["hook", "--plugin"], &payload);
    second.assert_success();
    assert!(first.contains("use SQLite"));
    assert_eq!(second.stdout, "");
}

#[test]
fn one_wrong_value_costs_that_key_alone_and_none_of_the_users() {
    let scene = Scene::with_git();
    let user = scene.home.config().join("throughline");
    std::fs::create_dir_all(&user).unwrap();
    std::fs::write(
        user.join("throughline.toml"),
        "[governance]\ntext = \"Be brief.\"\n[notes]\nenabled = false\n",
    )
    .unwrap();
    scene.configure_project("[statusline]\nwidth = \"wide\"\npreset = \"full\"\n[gate]\nturns = []\n");
    let output = scene.run(&["briefing", "--preview"]);
    assert!(output.stdout.contains("Be brief."), "{}", output.stdout);
    for key in ["`statusline.width`: invalid type", "`gate.turns`: invalid type"] {
        assert!(output.stderr.contains(key), "{key}: {}", output.stderr);
    }
    assert!(!output.stderr.contains("preset"), "{}", output.stderr);
}

/// Two sessions in one project: the one that answered last is the one that a person means.
#[test]
fn the_session_that_answered_last_is_noted_at_its_stop() {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    let noted = || scene.home.read(".claude/sessions/CURRENT_SESSION");
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    scene.hook(&payload::session_start(&scene.home, "s2", "startup"));
    assert_eq!(noted(), "s2\n");
    scene.hook(&payload::stop(&scene.home, "s1", "Done."));
    assert_eq!(noted(), "s1\n");
    scene.hook(&payload::stop(&scene.home, "s2", "Done."));
    assert_eq!(noted(), "s2\n");
}
