//! What the transcript tells, at the gates: read once, given back where it is needed, whatever happens to the file.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use throughline_domain::ledger::LEDGER_VERSION;
use throughline_store::ledger_file::LedgerFile;
use throughline_testkit::{Transcript, Usage, payload};

use crate::scene::{BINARY, Scene, Sleeper, tokens};

const REQUEST: &str = "The importer must skip empty rows, also in the middle of a file.";
const NEVER: &str = "Never change the order of the columns.";
const INSTEAD: &str = "use a HashSet instead of a Vec for the seen rows";
const FAILS: &str = "cargo test --package import empty_rows";
const LINTS: &str = "cargo clippy --package import -- -D warnings";
const ERROR: &str = "thread 'empty_rows' panicked at src/import.rs:42:9: index out of bounds: the len is 3";
const IN_PROGRESS: &str = "Skip empty rows in the importer";
const PENDING: &str = "Describe empty rows in docs/import.md";

/// What the agent needs after a compaction of [`work`], each word by word.
const NEEDS: [&str; 10] =
    [REQUEST, NEVER, INSTEAD, FAILS, LINTS, ERROR, IN_PROGRESS, PENDING, "import.rs", "seen.rs"];

fn started(session: &str) -> (Scene, Transcript) {
    let scene = Scene::with_git();
    start(&scene, session, "startup");
    let transcript = Transcript::new(&scene.home, session);
    (scene, transcript)
}

fn start(scene: &Scene, session: &str, source: &str) -> String {
    scene.hook(&payload::session_start(&scene.home, session, source))
}

fn stop(scene: &Scene, session: &str) {
    scene.hook(&payload::stop(&scene.home, session, "done"));
}

fn before(scene: &Scene, session: &str) -> String {
    scene.hook(&payload::pre_compact(&scene.home, session, "auto", None))
}

/// A stretch of work: what was asked, what was done, what fails.
fn work(scene: &Scene, transcript: &mut Transcript) {
    let usage = Usage::filling(30_000);
    let path = |name: &str| scene.home.project().join(name);
    transcript.user(&format!("{REQUEST} {NEVER}"));
    for (number, subject) in [(1, IN_PROGRESS), (2, PENDING), (3, "Read the importer's tests")] {
        let created = format!("Task #{number} created successfully: {subject}");
        transcript.tool("TaskCreate", &json!({"subject": subject, "description": subject}), &created, usage);
    }
    transcript
        .tool("TaskUpdate", &json!({"taskId": "1", "status": "in_progress"}), "Updated task #1 status", usage)
        .tool("TaskUpdate", &json!({"taskId": "3", "status": "completed"}), "Updated task #3 status", usage)
        .tool("Read", &json!({"file_path": path("src/import.rs")}), "1\tfn import() {}", usage);
    edit(transcript, &path("src/import.rs"));
    transcript.user(INSTEAD);
    edit(transcript, &path("src/seen.rs"));
    transcript.tool("Bash", &json!({"command": LINTS}), "    Finished `dev` profile in 0.41s", usage);
    let id = transcript.tool_call("Bash", &json!({"command": FAILS}), usage);
    let answer = format!("Exit code 101\nrunning 3 tests\n{ERROR}\ntest result: FAILED. 2 passed; 1 failed");
    transcript.tool_result(&id, &answer, true);
}

fn edit(transcript: &mut Transcript, path: &std::path::Path) {
    let input = json!({"file_path": path, "old_string": "let rows = 1;", "new_string": "let rows = 2;"});
    transcript.tool("Edit", &input, "The file has been updated.", Usage::filling(30_000));
}

fn ledger_path(scene: &Scene, session: &str) -> PathBuf {
    scene.session_data(session).join("ledger.json")
}

/// What is kept of a session's transcript.
#[track_caller]
fn kept(scene: &Scene, session: &str) -> Value {
    let bytes = fs::read(ledger_path(scene, session)).expect("a ledger");
    serde_json::to_value(LedgerFile::decode(&bytes).expect("a sound one")).expect("JSON")
}

/// How often a command was run, as far as it was counted; 0 when it was not.
#[track_caller]
fn runs(scene: &Scene, session: &str, command: &str) -> u64 {
    let kept = kept(scene, session);
    let all = kept["main"]["ledger"]["commands"].as_array().expect("commands");
    all.iter().find(|one| one["normal"] == command).map_or(0, |one| one["count"].as_u64().expect("a count"))
}

#[track_caller]
fn turns(scene: &Scene, session: &str) -> u64 {
    kept(scene, session)["main"]["ledger"]["turn"].as_u64().expect("a turn")
}

#[track_caller]
fn has_all(text: &str, strings: &[&str]) {
    for string in strings {
        assert!(text.contains(string), "{string}\nis not in\n{text}");
    }
}

#[test]
fn around_a_compaction_everything_needed_is_told_though_nothing_was_recorded() {
    let (scene, mut transcript) = started("s1");
    work(&scene, &mut transcript);
    let block = before(&scene, "s1");
    assert!(block.starts_with("[throughline:preserve]"), "{block}");
    has_all(&block, &NEEDS);
    let text = start(&scene, "s1", "compact");
    assert!(text.starts_with("[throughline:briefing]\nYou were just compacted: say so"), "{text}");
    has_all(&text, &NEEDS);
    assert!(text.contains(&format!("- in progress: {IN_PROGRESS}\n- next: {PENDING}\n")), "{text}");
    assert!(text.contains(&format!("`{LINTS}` passed")), "{text}");
    assert!(!text.contains(": Read the importer's tests"), "a task that is done is not open: {text}");
    assert_eq!(scene.log(), "");
}

#[test]
fn recall_under_a_tight_cap() {
    for (budget, least) in [(300, 10), (800, 10)] {
        let (scene, mut transcript) = started("s1");
        scene.home.configure(&format!("[briefing]\ntokens = {budget}\n"));
        // Work that is over and commands that tell nothing stand in the way.
        for number in 0..60 {
            let command = json!({"command": format!("ls -la some/folder/of/many/number{number}")});
            transcript.tool("Bash", &command, "a.txt\nb.txt", Usage::filling(20_000));
            let path = scene.home.project().join(format!("vendor/part{number}/mod.rs"));
            transcript.tool("Read", &json!({"file_path": path}), "1\tmod a;", Usage::filling(20_000));
        }
        work(&scene, &mut transcript);
        before(&scene, "s1");
        let text = start(&scene, "s1", "compact");
        assert!(tokens(&text) <= budget, "{budget}: {}", tokens(&text));
        let missing: Vec<&&str> = NEEDS.iter().filter(|need| !text.contains(**need)).collect();
        assert!(NEEDS.len() - missing.len() >= least, "{budget}: {missing:?} in {text}");
    }
}

#[test]
fn of_what_the_summary_says_nothing_is_told_again_but_an_analysis_does_not_count() {
    let (scene, mut transcript) = started("s1");
    work(&scene, &mut transcript);
    before(&scene, "s1");
    let summary =
        format!("<analysis>{LINTS} and {PENDING}</analysis>\n<summary>{NEVER} We ran {FAILS}.</summary>");
    scene.hook(&payload::subagent_stop(&scene.home, "s1", "", &summary));
    let text = start(&scene, "s1", "compact");
    has_all(&text, &[REQUEST, INSTEAD, LINTS, ERROR, IN_PROGRESS, PENDING]);
    assert!(!text.contains(&format!("- \"{NEVER}\"")), "{text}");
    assert!(!text.contains(&format!("`{FAILS}` failed")), "{text}");
}

#[test]
fn after_a_crash_the_next_session_gets_the_same_from_the_transcript_alone() {
    let mut scene = Scene::with_git();
    {
        let client = Sleeper::start();
        scene.home.set_env("CLAUDE_PID", client.pid());
        start(&scene, "crashed", "startup");
        scene.home.remove_env("CLAUDE_PID");
    }
    let mut transcript = Transcript::new(&scene.home, "crashed");
    work(&scene, &mut transcript);
    // The machine went down in the middle of a line.
    fs::File::options()
        .append(true)
        .open(transcript.path())
        .unwrap()
        .write_all(b"{\"type\":\"user\",\"mess")
        .unwrap();
    let text = start(&scene, "new", "startup");
    assert!(text.contains("[CONTEXT RESTORED]"), "{text}");
    has_all(&text, &NEEDS);
    assert_eq!(scene.log(), "", "a torn line is no failure");
}

#[test]
fn a_torn_last_line_counts_once_when_it_is_whole() {
    let (scene, mut transcript) = started("s1");
    work(&scene, &mut transcript);
    stop(&scene, "s1");
    assert_eq!(runs(&scene, "s1", FAILS), 1);
    let turns_before = turns(&scene, "s1");
    let whole = fs::read(transcript.path()).unwrap();
    transcript.tool_call("Bash", &json!({"command": FAILS}), Usage::filling(31_000));
    let grown = fs::read(transcript.path()).unwrap();
    for length in [whole.len() + 1, whole.len() + 200, grown.len() - 1] {
        fs::write(transcript.path(), &grown[..length]).unwrap();
        stop(&scene, "s1");
        assert_eq!(turns(&scene, "s1"), turns_before, "{length}");
    }
    fs::write(transcript.path(), &grown).unwrap();
    for _ in 0..3 {
        stop(&scene, "s1");
        assert_eq!((runs(&scene, "s1", FAILS), turns(&scene, "s1")), (2, turns_before + 1));
    }
}

#[test]
fn a_transcript_that_was_cut_or_replaced_is_read_anew_and_a_copy_is_not() {
    let (scene, mut transcript) = started("s1");
    work(&scene, &mut transcript);
    for _ in 0..2 {
        stop(&scene, "s1");
        before(&scene, "s1");
    }
    let whole = fs::read(transcript.path()).unwrap();
    let turns_before = turns(&scene, "s1");
    assert_eq!((runs(&scene, "s1", LINTS), runs(&scene, "s1", FAILS)), (1, 1));

    let copy = transcript.path().with_extension("copy");
    fs::write(&copy, &whole).unwrap();
    fs::rename(&copy, transcript.path()).unwrap();
    stop(&scene, "s1");
    assert_eq!((runs(&scene, "s1", LINTS), turns(&scene, "s1")), (1, turns_before), "the same bytes");

    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    fs::write(transcript.path(), lines[..lines.len() - 2].concat()).unwrap();
    stop(&scene, "s1");
    assert_eq!((runs(&scene, "s1", LINTS), runs(&scene, "s1", FAILS)), (1, 0), "cut before the last command");

    fs::write(transcript.path(), &whole).unwrap();
    stop(&scene, "s1");
    assert_eq!((runs(&scene, "s1", FAILS), turns(&scene, "s1")), (1, turns_before), "grown again");

    fs::write(transcript.path(), lines[lines.len() - 4..].concat()).unwrap();
    stop(&scene, "s1");
    assert_eq!((runs(&scene, "s1", LINTS), turns(&scene, "s1")), (1, 2), "another file altogether");
    fs::remove_file(transcript.path()).unwrap();
    stop(&scene, "s1");
    before(&scene, "s1");
    assert_eq!(turns(&scene, "s1"), 2, "what was known stays when the file is gone");
    assert_eq!(scene.log(), "");
}

#[test]
fn what_we_said_ourselves_is_never_taken_for_the_sessions_words() {
    let (scene, mut transcript) = started("s1");
    scene.ok(&["add", "decision", "never eat PLANTED berries", "--rationale", "they are PLANTED"]);
    scene.ok(&[
        "add",
        "evidence",
        "error: PLANTED failure in planted.rs:7",
        "--type",
        "error",
        "--source",
        "x",
    ]);
    work(&scene, &mut transcript);
    let mut said = before(&scene, "s1");
    for round in 1..=3 {
        // The client keeps what hooks print in attachments and, by hand, in what a command printed.
        let attachment = json!({"type": "hook_success", "hookName": "SessionStart:compact", "content": said,
            "stdout": said, "stderr": "", "exitCode": 0, "command": BINARY});
        let line = json!({"type": "attachment", "attachment": attachment, "uuid": format!("hook-{round}"),
            "sessionId": "s1", "cwd": scene.home.project(), "timestamp": "2026-03-02T10:00:00.000Z"});
        transcript.raw(&line.to_string());
        transcript.user(&format!(
            "<system-reminder>\nSessionStart:compact hook success: {said}\n</system-reminder>"
        ));
        transcript.user(&format!("<local-command-stdout>Compacted {said}</local-command-stdout>"));
        let usage = Usage::filling(40_000);
        for verb in ["list", "briefing", "show D1", "status"] {
            let printed = scene.run(&verb.split(' ').collect::<Vec<_>>()).stdout;
            transcript.tool("Bash", &json!({"command": format!("throughline {verb}")}), &printed, usage);
        }
        transcript.compaction("auto", &format!("The story. {said}"));
        stop(&scene, "s1");
        let kept = kept(&scene, "s1").to_string();
        for ours in ["PLANTED", "[throughline:", "[/throughline]", "planted.rs"] {
            assert!(!kept.contains(ours), "{round}: {ours} in {kept}");
        }
        said = start(&scene, "s1", "compact");
        assert_eq!(said.matches("[throughline:").count(), 1, "{said}");
        assert_eq!(said.matches("never eat PLANTED berries").count(), 1, "{said}");
        has_all(&said, &[REQUEST, NEVER, INSTEAD, ERROR, FAILS]);
    }
}

/// A transcript of about so many megabytes; every line has its own ids and times.
fn long_transcript(scene: &Scene, session: &str, megabytes: u64) -> Transcript {
    let mut transcript = Transcript::new(&scene.home, session);
    work(scene, &mut transcript);
    let output = "a line of output that nobody needs again\n".repeat(1_500);
    let mut number = 0;
    while fs::metadata(transcript.path()).unwrap().len() < megabytes << 20 {
        number += 1;
        let usage = Usage::filling(40_000 + number);
        let command = format!("make part{}", number % 50);
        transcript.tool("Bash", &json!({"command": command}), &output, usage);
        if number % 40 == 0 {
            let path = scene.home.project().join(format!("src/part{}.rs", number % 7));
            edit(&mut transcript, &path);
            transcript.user(&format!("please look at part {number} of it as well"));
        }
    }
    work(scene, &mut transcript);
    transcript
}

#[test]
fn a_long_transcript_read_in_slices_ends_in_the_same_ledger_as_read_at_once() {
    let (scene, _) = started("s1");
    let mut transcript = long_transcript(&scene, "s1", 30);
    stop(&scene, "s1");
    let first = kept(&scene, "s1");
    assert!(first["behind"].is_object(), "the rest waits for later gates");
    let text = start(&scene, "s1", "compact");
    has_all(&text, &[REQUEST, INSTEAD, ERROR, FAILS]);
    fs::remove_file(ledger_path(&scene, "s1")).unwrap();
    for round in 0..10 {
        stop(&scene, "s1");
        // It grows meanwhile.
        if round < 2 {
            transcript.tool("Bash", &json!({"command": "make more"}), "done", Usage::filling(50_000));
        }
    }
    let in_slices = kept(&scene, "s1");
    assert!(in_slices["behind"].is_null());
    fs::remove_file(ledger_path(&scene, "s1")).unwrap();
    before(&scene, "s1");
    let at_once = kept(&scene, "s1");
    assert_eq!(in_slices["main"]["ledger"], at_once["main"]["ledger"]);
    assert_eq!(in_slices["main"]["cursor"]["offset"], at_once["main"]["cursor"]["offset"]);
    assert_eq!(runs(&scene, "s1", "make more"), 2);
    assert_eq!(scene.log(), "");
}

#[test]
fn in_a_long_session_little_things_wait_and_nothing_waits_for_a_compaction() {
    let (scene, mut transcript) = started("s1");
    for number in 0..300 {
        let path = scene.home.project().join(format!("src/a/rather/long/folder/of/part{number}.rs"));
        edit(&mut transcript, &path);
        let command = json!({"command": format!("make part{number} CONFIG=release TARGET=everything")});
        transcript.tool("Bash", &command, "built", Usage::filling(30_000));
    }
    stop(&scene, "s1");
    let seen = turns(&scene, "s1");
    assert_eq!(seen, 600);
    assert!(fs::metadata(ledger_path(&scene, "s1")).unwrap().len() > 64 << 10);
    work(&scene, &mut transcript);
    stop(&scene, "s1");
    assert_eq!(turns(&scene, "s1"), seen, "a few turns wait");
    has_all(&before(&scene, "s1"), &NEEDS);
    let now = turns(&scene, "s1");
    assert!(now > seen);
    let output = "a line of output that nobody needs again\n".repeat(8_000);
    transcript.tool("Bash", &json!({"command": "make all"}), &output, Usage::filling(40_000));
    stop(&scene, "s1");
    assert_eq!(turns(&scene, "s1"), now + 1, "enough is worth reading");
}

#[test]
fn a_damaged_ledger_is_made_anew_from_the_transcript() {
    let (scene, mut transcript) = started("s1");
    work(&scene, &mut transcript);
    stop(&scene, "s1");
    let good = kept(&scene, "s1");
    let cut = fs::read(ledger_path(&scene, "s1")).unwrap();
    let text = String::from_utf8(cut.clone()).unwrap();
    let other_version = text.replacen(&format!("],[{LEDGER_VERSION},"), "],[999,", 1);
    assert_ne!(other_version, text);
    let first_form = good.to_string().replacen(&format!("\"version\":{LEDGER_VERSION}"), "\"version\":1", 1);
    let (other_version, first_form) = (other_version.as_bytes(), first_form.as_bytes());
    let damages: [&[u8]; 7] =
        [b"", b"{", b"null", &cut[..cut.len() / 2], b"\xff\xfe", other_version, first_form];
    for damage in damages {
        fs::write(ledger_path(&scene, "s1"), damage).unwrap();
        stop(&scene, "s1");
        assert_eq!(kept(&scene, "s1"), good, "{}", String::from_utf8_lossy(damage));
    }
}

#[test]
fn a_command_with_a_password_is_known_again_and_the_password_is_not() {
    let (scene, mut transcript) = started("s1");
    let command = json!({"command": "psql postgres://ada:hunter2hunter2@db.example/books -c 'select 1'"});
    let usage = Usage::filling(20_000);
    transcript.user("see why the database does not answer");
    for round in 1..=3 {
        let id = transcript.tool_call("Bash", &command, usage);
        stop(&scene, "s1");
        let answer = "Exit code 2\npsql: error: connection to server failed: Connection refused";
        transcript.tool_result(&id, answer, true);
        stop(&scene, "s1");
        let kept = kept(&scene, "s1");
        assert!(!kept.to_string().contains("hunter2"), "{kept}");
        let commands = kept["main"]["ledger"]["commands"].as_array().unwrap();
        assert_eq!((commands.len(), commands[0]["count"].as_u64()), (1, Some(round)), "{commands:?}");
        assert_eq!(commands[0]["succeeded"], false);
    }
    assert!(!before(&scene, "s1").contains("hunter2"));
    let text = start(&scene, "s1", "compact");
    assert!(text.contains("connection to server failed") && !text.contains("hunter2"), "{text}");
    transcript.tool("Bash", &command, " ?column?\n 1", usage);
    let text = start(&scene, "s1", "compact");
    assert!(!text.contains("connection to server failed"), "it was resolved: {text}");
}

#[test]
fn a_paused_project_is_not_read() {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    scene.ok(&["pause"]);
    start(&scene, "s1", "startup");
    let mut transcript = Transcript::new(&scene.home, "s1");
    work(&scene, &mut transcript);
    stop(&scene, "s1");
    assert_eq!(before(&scene, "s1"), "");
    assert_eq!(start(&scene, "s1", "compact"), "");
    scene.hook(&payload::session_end(&scene.home, "s1", "other"));
    assert!(!ledger_path(&scene, "s1").exists());
}

#[test]
fn what_was_said_while_paused_is_not_told_to_the_next_session() {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    scene.ok(&["pause"]);
    start(&scene, "s1", "startup");
    let mut transcript = Transcript::new(&scene.home, "s1");
    work(&scene, &mut transcript);
    scene.hook(&payload::session_end(&scene.home, "s1", "other"));
    scene.ok(&["unpause"]);
    let text = start(&scene, "s2", "startup");
    assert!(!text.contains(NEVER) && !text.contains(ERROR), "{text}");
    assert!(text.contains("use SQLite"), "{text}");
    assert!(!ledger_path(&scene, "s1").exists());
}

#[test]
#[cfg(target_os = "linux")]
fn a_gate_at_a_huge_transcript_stays_small() {
    let (scene, _) = started("s1");
    let transcript = long_transcript(&scene, "s1", 4);
    let block = fs::read(transcript.path()).unwrap();
    let mut file = fs::File::options().append(true).open(transcript.path()).unwrap();
    while file.metadata().unwrap().len() < 300 << 20 {
        file.write_all(&block).unwrap();
    }
    for payload in
        [payload::stop(&scene.home, "s1", "x"), payload::pre_compact(&scene.home, "s1", "auto", None)]
    {
        let peak_kib = peak_of(scene.home.command(std::path::Path::new(BINARY)).arg("hook"), &payload);
        assert!(peak_kib > 0 && peak_kib <= 64 << 10, "{peak_kib} KiB: {}", payload["hook_event_name"]);
    }
    let text = start(&scene, "s1", "compact");
    has_all(&text, &[REQUEST, INSTEAD, ERROR, FAILS]);
}

/// The highest memory that was seen while a hook ran, in KiB. It must end well.
#[track_caller]
#[cfg(target_os = "linux")]
fn peak_of(command: &mut Command, payload: &Value) -> u64 {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    let mut peak_kib = 0;
    while let Some(seen) = fs::read_to_string(&status).ok().and_then(|text| {
        text.lines().find_map(|line| {
            line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()
        })
    }) {
        peak_kib = peak_kib.max(seen);
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    assert!(child.wait().unwrap().success());
    peak_kib
}

#[test]
fn what_a_summary_that_came_late_lacks_is_told_once_and_never_twice() {
    let (scene, mut transcript) = started("s1");
    scene.home.configure("[briefing]\ntokens = 120\n");
    work(&scene, &mut transcript);
    before(&scene, "s1");
    let blind = start(&scene, "s1", "compact");
    assert!(!blind.contains(NEVER) && blind.contains(LINTS), "too little room for all: {blind}");
    scene.hook(&payload::post_compact(&scene.home, "s1", "auto", "We go on."));
    let prompt = || scene.hook(&payload::user_prompt_submit(&scene.home, "s1", "go on"));
    let told = prompt();
    assert!(told.contains("The compaction's summary lacks this, too:"), "{told}");
    has_all(&told, &[NEVER]);
    for known in [LINTS, ERROR, INSTEAD, IN_PROGRESS] {
        assert!(!told.contains(known), "the briefing had it: {told}");
    }
    assert_eq!(prompt(), "", "never twice");
    scene.hook(&payload::post_compact(&scene.home, "s1", "auto", "We go on."));
    assert_eq!(prompt(), "", "nor after another word of the same compaction");
    assert_eq!(scene.log(), "");
}

#[test]
fn a_summary_that_came_late_and_lacks_nothing_is_no_reason_to_speak() {
    let (scene, mut transcript) = started("s1");
    work(&scene, &mut transcript);
    before(&scene, "s1");
    start(&scene, "s1", "compact");
    scene.hook(&payload::post_compact(&scene.home, "s1", "auto", "We go on."));
    assert_eq!(scene.hook(&payload::user_prompt_submit(&scene.home, "s1", "go on")), "");
    let (scene, mut transcript) = started("s2");
    scene.home.configure("[briefing]\ntokens = 120\n");
    work(&scene, &mut transcript);
    before(&scene, "s2");
    scene.hook(&payload::subagent_stop(&scene.home, "s2", "", "<summary>We go on.</summary>"));
    start(&scene, "s2", "compact");
    scene.hook(&payload::post_compact(&scene.home, "s2", "auto", "We go on."));
    let told = scene.hook(&payload::user_prompt_submit(&scene.home, "s2", "go on"));
    assert_eq!(told, "", "the summary was known in time: its briefing chose with it");
}
