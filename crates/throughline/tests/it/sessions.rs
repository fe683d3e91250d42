//! Sessions: who worked here, what became of each, how they follow each other, and how somebody comes back.

use std::fs;

use serde_json::{Value, json};
use throughline_testkit::{Transcript, Usage, payload};

use crate::scene::{Scene, Sleeper};

fn start(scene: &Scene, session: &str, source: &str) -> String {
    scene.hook(&payload::session_start(&scene.home, session, source))
}

fn list(scene: &Scene) -> Vec<Value> {
    scene.json(&["sessions", "list", "--json", "--limit", "200"]).as_array().cloned().unwrap()
}

fn listed(scene: &Scene, session: &str) -> Value {
    list(scene).into_iter().find(|it| it["session"] == session).unwrap_or(Value::Null)
}

fn edits(scene: &Scene, transcript: &mut Transcript, path: &str) {
    scene.home.write(path, "as the agent left it\n");
    let file = scene.home.project().join(path);
    transcript.tool(
        "Write",
        &json!({"file_path": file, "content": "as the agent left it\n"}),
        "File created successfully",
        Usage::filling(30_000),
    );
}

/// A session with a task in hand and an announcement, over since a moment.
fn left_at_work(scene: &Scene) {
    start(scene, "s1", "startup");
    let mut transcript = Transcript::new(&scene.home, "s1");
    transcript.user("Write the importer and keep the public API as it is.");
    transcript.tool(
        "TaskCreate",
        &json!({"subject": "Skip empty rows", "description": "x"}),
        "Task #1 created successfully: Skip empty rows",
        Usage::filling(30_000),
    );
    transcript.tool(
        "TaskUpdate",
        &json!({"taskId": "1", "status": "in_progress"}),
        "Updated task #1 status",
        Usage::filling(30_000),
    );
    edits(scene, &mut transcript, "src/import.rs");
    edits(scene, &mut transcript, "src/rows.rs");
    edits(scene, &mut transcript, "src/gone.rs");
    transcript.assistant("The rows are read. Next I'll skip the empty ones.", Usage::filling(31_000));
    scene.hook(&payload::stop(&scene.home, "s1", "x"));
    scene.ok(&["save"]);
}

/// Files that were not touched since are as old as the pause.
fn age_files(scene: &Scene, minutes: u64) {
    let then = std::time::SystemTime::now() - std::time::Duration::from_secs(minutes * 60);
    for path in ["src/import.rs", "src/rows.rs", "src/gone.rs"] {
        let file = fs::File::options().append(true).open(scene.home.project().join(path)).unwrap();
        file.set_modified(then).unwrap();
    }
}

#[test]
fn what_became_of_each_session_is_told() {
    let mut scene = Scene::with_git();
    start(&scene, "ended", "startup");
    scene.hook(&payload::session_end(&scene.home, "ended", "prompt_input_exit"));
    {
        let gone = Sleeper::start();
        scene.home.set_env("CLAUDE_PID", gone.pid());
        start(&scene, "crashed", "startup");
    }
    let alive = Sleeper::start();
    scene.home.set_env("CLAUDE_PID", alive.pid());
    start(&scene, "alive", "startup");
    scene.home.remove_env("CLAUDE_PID");
    let standing = |session| listed(&scene, session)["standing"].as_str().unwrap_or("").to_owned();
    assert_eq!(standing("ended"), "ended");
    assert_eq!(standing("crashed"), "ended without saying so");
    assert_eq!(standing("alive"), "at work");
    assert_eq!(listed(&scene, "ended")["endReason"], "prompt_input_exit");
    let live = scene.json(&["sessions", "list", "--live", "--json"]);
    assert_eq!(live.as_array().unwrap().len(), 1);
    let text = scene.ok(&["sessions", "list"]);
    assert!(
        text.contains("alive  at work, ") && text.contains("crashed  ended without saying so, "),
        "{text}"
    );

    // A day later its client still runs: not at work, not over, not forgotten.
    scene.minutes_pass(25 * 60);
    let silent = listed(&scene, "alive");
    assert_eq!(
        (silent["standing"].as_str(), silent["stale"].as_bool()),
        (Some("open but silent"), Some(true))
    );
    let said = start(&scene, "new", "startup");
    assert!(!said.contains("another session"), "{said}");
    assert!(scene.session_data("alive").exists(), "an open session keeps its folder");
    for over in ["ended", "crashed"] {
        assert!(!scene.session_data(over).exists(), "{over} is retired");
        assert_ne!(listed(&scene, over), Value::Null, "{over} is still listed");
    }
    assert_eq!(scene.log(), "");
}

#[test]
fn a_silent_session_does_not_keep_its_tasks_from_the_next_one() {
    let mut scene = Scene::with_git();
    let open = Sleeper::start();
    scene.home.set_env("CLAUDE_PID", open.pid());
    left_at_work(&scene);
    scene.home.remove_env("CLAUDE_PID");
    scene.minutes_pass(30);
    let beside = start(&scene, "s2", "startup");
    assert!(!beside.contains("Skip empty rows"), "its tasks are its own while it is at work: {beside}");
    scene.hook(&payload::session_end(&scene.home, "s2", "other"));
    scene.minutes_pass(25 * 60);
    let after = start(&scene, "s3", "startup");
    assert!(!after.contains("[CONTEXT RESTORED]"), "an open client did not crash: {after}");
}

#[test]
fn a_fork_of_a_session_of_hours_ago_is_told_what_changed() {
    let scene = Scene::with_git();
    left_at_work(&scene);
    scene.hook(&payload::session_end(&scene.home, "s1", "other"));
    scene.minutes_pass(5 * 60);
    age_files(&scene, 6 * 60);
    scene.home.write("src/rows.rs", "somebody else was here\n");
    let said = start(&scene, "forked", "fork");
    assert!(said.contains("Back after 5 h") && said.contains("read them again: src/rows.rs"), "{said}");
}

#[test]
fn a_transcript_that_grows_is_a_sign_of_life() {
    let scene = Scene::with_git();
    left_at_work(&scene);
    scene.minutes_pass(30);
    assert_eq!(
        listed(&scene, "s1")["standing"],
        "ended without saying so",
        "no process is known, and it is silent"
    );
    Transcript::new(&scene.home, "s1").assistant("A long build is over.", Usage::filling(30_000));
    assert_eq!(listed(&scene, "s1")["standing"], "at work");
}

#[test]
fn a_cleared_and_a_forked_session_know_where_they_come_from() {
    let mut scene = Scene::with_git();
    let client = Sleeper::start();
    scene.home.set_env("CLAUDE_PID", client.pid());
    left_at_work(&scene);
    scene.hook(&payload::session_end(&scene.home, "s1", "clear"));
    start(&scene, "s2", "clear");
    assert_eq!(listed(&scene, "s2")["goesOnFrom"], "s1");

    // Another client that clears at the same moment is another lineage.
    let other = Sleeper::start();
    scene.home.set_env("CLAUDE_PID", other.pid());
    start(&scene, "other", "startup");
    scene.hook(&payload::session_end(&scene.home, "other", "clear"));
    scene.home.set_env("CLAUDE_PID", client.pid());
    scene.hook(&payload::session_end(&scene.home, "s2", "clear"));
    scene.home.set_env("CLAUDE_PID", other.pid());
    start(&scene, "other-2", "clear");
    assert_eq!(listed(&scene, "other-2")["goesOnFrom"], "other");

    // A fork says nothing; its transcript begins as that of its parent, under another name.
    let copied = fs::read_to_string(scene.home.transcript_path("s1")).unwrap().replace("\"s1\"", "\"s3\"");
    fs::write(scene.home.transcript_path("s3"), copied).unwrap();
    start(&scene, "s3", "fork");
    scene.hook(&payload::stop(&scene.home, "s3", "x"));
    assert_eq!(listed(&scene, "s3")["goesOnFrom"], "s1");
    let shown = scene.ok(&["sessions", "show", "s3"]);
    assert!(shown.contains("goes on from: s1\n"), "{shown}");
    let page = scene.home.project().join(".claude/sessions/s3/notes.md");
    assert!(!page.exists(), "what a fork copied is not what it did");
    assert_eq!(scene.log(), "");
}

#[test]
fn who_comes_back_is_told_what_changed_under_his_feet() {
    let scene = Scene::with_git();
    scene.ok(&["set", "work", "--id", "IMP-1", "--phase", "EXEC"]);
    scene.ok(&["anchor", "add", "The public API stays", "--priority", "critical"]);
    scene.ok(&["anchor", "add", "a mere detail"]);
    left_at_work(&scene);
    scene.minutes_pass(20 * 60);
    age_files(&scene, 21 * 60);
    scene.home.write("src/rows.rs", "somebody else was here\n");
    fs::remove_file(scene.home.project().join("src/gone.rs")).unwrap();
    scene.home.git(&[
        "commit",
        "--quiet",
        "--allow-empty",
        "--message=made at night",
        "--author=Ann <a@example.org>",
    ]);
    // The client was left open overnight; the same to one that is resumed.
    let prompt = payload::user_prompt_submit(&scene.home, "s1", "good morning");
    let said = scene.hook(&prompt);
    let said = serde_json::from_str::<Value>(&said)
        .map_or(said, |it| it["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or("").to_owned());
    for line in [
        "Back after 20 h",
        "Working on IMP-1 · phase EXEC",
        "Next, as it was left: \"Next I'll skip the empty ones.\"",
        "Task, in progress: Skip empty rows",
        "A1: The public API stays",
        "made at night (Ann)",
        "Changed since you saw them, read them again: src/rows.rs",
        "No longer there: src/gone.rs",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert!(!said.contains("src/import.rs") && !said.contains("a mere detail"), "{said}");
    assert_eq!(scene.hook(&prompt), "", "once");
}

#[test]
fn a_new_session_after_hours_is_told_the_changes_once_and_the_work_once() {
    let scene = Scene::with_git();
    scene.ok(&["anchor", "add", "The public API stays", "--priority", "critical"]);
    left_at_work(&scene);
    scene.hook(&payload::session_end(&scene.home, "s1", "other"));
    scene.minutes_pass(20 * 60);
    age_files(&scene, 21 * 60);
    scene.home.write("src/rows.rs", "somebody else was here\n");
    let said = start(&scene, "s2", "startup");
    assert!(said.starts_with("[throughline:resume]") && said.contains("[throughline:briefing]"), "{said}");
    for once in ["Skip empty rows", "A1: The public API stays", "read them again: src/rows.rs"] {
        assert_eq!(said.matches(once).count(), 1, "{once}: {said}");
    }
}

#[test]
fn a_session_of_days_ago_gets_a_shorter_context_that_says_how_old_it_is() {
    let scene = Scene::with_git();
    scene.ok(&["anchor", "add", "The public API stays", "--priority", "critical"]);
    for number in 0..10 {
        scene.ok(&[
            "anchor",
            "add",
            &format!("High rule {number} {}", "word ".repeat(20)),
            "--priority",
            "high",
        ]);
    }
    left_at_work(&scene);
    scene.hook(&payload::session_end(&scene.home, "s1", "other"));
    scene.minutes_pass(5 * 24 * 60);
    age_files(&scene, 6 * 24 * 60);
    let said = start(&scene, "s1", "resume");
    assert!(said.contains("This is 5 days old (last activity "), "{said}");
    assert!(said.contains("A1: The public API stays") && !said.contains("High rule"), "{said}");
    assert!(crate::scene::tokens(&said) <= 150, "{}", crate::scene::tokens(&said));
}

#[test]
fn the_verb_prints_the_context_and_the_command() {
    let scene = Scene::with_git();
    left_at_work(&scene);
    scene.hook(&payload::session_end(&scene.home, "s1", "other"));
    let output = scene.run(&["sessions", "resume", "s1"]);
    output.assert_success();
    assert!(output.stdout.contains("Task, in progress: Skip empty rows"), "{}", output.stdout);
    assert_eq!(output.stderr.trim(), "come back with: claude --resume s1");
    let told = scene.json(&["sessions", "resume", "--json"]);
    assert_eq!(
        (told["session"].as_str(), told["command"].as_str()),
        (Some("s1"), Some("claude --resume s1"))
    );
    let shown = scene.json(&["sessions", "show", "s1", "--json"]);
    assert_eq!(shown["tasks"], json!([{"id": "1", "subject": "Skip empty rows", "status": "in_progress"}]));
    assert_eq!(shown["request"], "Write the importer and keep the public API as it is.");
    for verb in ["notes", "next", "health"] {
        let said = scene.run(&[verb, "--session", "s"]);
        assert!(!said.stderr.contains("no session"), "{verb} takes the beginning of an id: {}", said.stderr);
    }
    assert!(scene.fails(1, &["note", "--session", "typo", "x"]).contains("there is no session `typo`"));
    assert!(!scene.home.project().join(".claude/sessions/typo").exists());
    assert!(scene.fails(1, &["sessions", "show", "nobody"]).contains("there is no session `nobody`"));
    assert!(scene.fails(1, &["sessions", "resume", "../x"]).contains("there is no session"));
}

#[test]
fn sessions_from_before_the_installation_are_listed_by_their_transcripts() {
    let scene = Scene::with_git();
    let mut transcript = Transcript::new(&scene.home, "old-one");
    transcript.user("Explain the parser, please.").assistant("It parses.", Usage::filling(10_000));
    let old = listed(&scene, "old-one");
    assert_eq!(
        (old["standing"].as_str(), old["request"].as_str()),
        (Some("known by its transcript"), Some("Explain the parser, please."))
    );
    assert!(!scene.session_data("old-one").exists(), "asking about it writes nothing");
    let told = scene.json(&["sessions", "resume", "old-one", "--json"]);
    assert_eq!(told["command"], "claude --resume old-one");
}

#[test]
fn of_more_than_a_hundred_the_least_recently_used_are_left_out() {
    let scene = Scene::new();
    for number in 0..110 {
        let name = format!("n{number:03}");
        start(&scene, &name, "startup");
        scene.hook(&payload::session_end(&scene.home, &name, "other"));
    }
    let all = list(&scene);
    assert_eq!(all.len(), 100);
    assert!(all.iter().any(|it| it["session"] == "n109") && !all.iter().any(|it| it["session"] == "n000"));
}

#[test]
fn a_status_that_is_watched_is_shown_again_with_how_full_the_context_is() {
    let scene = Scene::new();
    let mut watched = scene.home.command(std::path::Path::new(crate::scene::BINARY));
    let mut watched =
        watched.args(["status", "--watch"]).stdout(std::process::Stdio::piped()).spawn().expect("a status");
    let mut lines =
        std::io::BufRead::lines(std::io::BufReader::new(watched.stdout.take().expect("its output")));
    let mut shown = 0;
    while shown < 2 {
        let line = lines.next().expect("it goes on").expect("a line");
        shown += usize::from(line == "  context: no session has told anything yet");
    }
    watched.kill().expect("it is still there");
    watched.wait().expect("it ends");
}
