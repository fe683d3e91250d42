//! Forgetting a session, a project, a time: nothing of it is anywhere, nothing else is touched, nothing comes back.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use throughline_testkit::{Transcript, Usage, payload};

use crate::scene::{BINARY, Scene, files_under};

const HERON: &str = "aaaaaaaa-1111-4111-8111-00000000c0ba";
const MARMOT: &str = "bbbbbbbb-2222-4222-8222-0000000ab1e5";

/// A project in which two sessions worked, each with words of its own in every place.
fn told() -> Scene {
    let mut scene = Scene::with_git();
    let folder = scene.home.config().join("throughline");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("throughline.toml"), "[backup]\ntranscripts = true\n").unwrap();
    work(&mut scene, HERON, "heron", Timestamp::now());
    work(&mut scene, MARMOT, "marmot", Timestamp::now());
    scene
}

/// A session that says its word in every place, and ends.
fn work(scene: &mut Scene, session: &str, word: &str, at: Timestamp) {
    scene.hook(&payload::session_start(&scene.home, session, "startup"));
    scene.home.set_env("CLAUDE_CODE_SESSION_ID", session);
    scene.ok(&["add", "decision", &format!("name it {word}"), "--rationale", &format!("{word}s are nice")]);
    scene.ok(&["note", &format!("the {word} flies")]);
    let mut transcript = Transcript::new(&scene.home, session);
    transcript.at(at).user(&format!("Never say {word} in a log, please."));
    let id =
        transcript.tool_call("Bash", &json!({"command": format!("echo {word}")}), Usage::filling(150_000));
    transcript.tool_result(&id, &format!("Exit code 1\nerror: no {word} here"), true);
    transcript.assistant(&format!("A {word} it is, then."), Usage::filling(150_000));
    scene.home.write(&format!("changed-in-{}.txt", &session[..4]), "x");
    scene.hook(&payload::stop(&scene.home, session, "done"));
    scene.ok(&["checkpoint", "create", "--note", word]);
    scene.hook(&payload::pre_compact(&scene.home, session, "manual", Some(&format!("keep the {word}"))));
    scene.hook(&payload::post_compact(&scene.home, session, "manual", &format!("All about the {word}.")));
    scene.hook(&payload::session_start(&scene.home, session, "compact"));
    scene.hook(&payload::session_end(&scene.home, session, "other"));
    scene.home.remove_env("CLAUDE_CODE_SESSION_ID");
    scene.ok(&["backfill"]);
}

/// Our files that hold a text, or have it in their name.
fn holding(scene: &Scene, text: &str) -> Vec<PathBuf> {
    let mut files = files_under(&scene.home.data());
    files.extend(files_under(&scene.home.project().join(".claude")));
    files.extend(files_under(&scene.home.claude_config().join("data")));
    files.retain(|path| path.symlink_metadata().unwrap().is_file());
    let holds = |path: &PathBuf| {
        let bytes = fs::read(path).unwrap();
        String::from_utf8_lossy(&bytes).to_lowercase().contains(text) || path.to_string_lossy().contains(text)
    };
    files.into_iter().filter(holds).collect()
}

fn recalled(scene: &Scene, words: &str) -> String {
    scene.json(&["recall", words, "--json", "--project", "all"])["results"].to_string()
}

/// Tokens of a session, as the reports count them.
fn used(scene: &Scene, session: &str) -> bool {
    scene.ok(&["usage", "sessions", "--json"]).contains(session)
}

#[test]
fn a_session_is_nowhere_any_more_and_the_other_is_as_it_was() {
    let scene = told();
    let places = [
        "throughline.db",
        "recall.db",
        "/sessions/",
        "checkpoints",
        "backups",
        "unified-session-state.json",
        "sessions.jsonl",
    ];
    let before = holding(&scene, HERON);
    for place in places.iter().filter(|place| **place != "unified-session-state.json") {
        assert!(before.iter().any(|path| path.to_string_lossy().contains(place)), "{place}: {before:?}");
    }
    let trial = scene.json(&["forget", "--session", "aaaaaaaa", "--dry-run", "--json"]);
    assert_eq!(trial["entries"], json!(["D1", "H1", "U1"]), "{trial}");
    let count = |place: &str| {
        let all = trial["places"].as_array().unwrap();
        all.iter().find(|it| it["place"] == place).map_or(0, |it| it["count"].as_u64().unwrap())
    };
    for place in [
        "archive: entries",
        "usage",
        "notes",
        "checkpoints",
        "backups of transcripts",
        "session data",
        "index of recall: passages",
    ] {
        assert!(count(place) > 0, "{place}: {trial}");
    }
    assert_eq!(holding(&scene, HERON), before, "a trial changes nothing");
    let said = scene.fails(1, &["forget", "--session", HERON]);
    assert!(said.contains("nothing was forgotten") && said.contains("--yes"), "{said}");
    assert_eq!(holding(&scene, HERON), before, "nobody was asked");

    let said = scene.ok(&["forget", "--session", HERON, "--yes"]);
    assert!(said.contains("nothing was found; archive without a free page"), "{said}");
    assert!(said.contains("not ours, and not touched") && said.contains(HERON), "{said}");
    assert!(said.contains("`git gc --prune=now` at once"), "git has its own time: {said}");
    assert_eq!(holding(&scene, HERON), Vec::<PathBuf>::new());
    assert_eq!(holding(&scene, "heron"), Vec::<PathBuf>::new());
    // The other one, word by word.
    assert!(scene.ok(&["list"]).contains("D2 name it marmot"));
    assert!(scene.ok(&["notes", "--session", MARMOT]).contains("the marmot flies"));
    assert!(recalled(&scene, "marmot").contains("Never say marmot"));
    assert!(used(&scene, MARMOT) && !used(&scene, HERON));
    assert!(scene.ok(&["backups", "list"]).contains(&MARMOT[..8]));
    assert_eq!(
        scene.json(&["checkpoint", "list", "--json"]).to_string().matches("\"notes\":\"marmot\"").count(),
        1
    );
    let doctor = scene.run(&["doctor"]).stdout;
    assert!(doctor.contains("✓ archive") && doctor.contains("✓ state"), "{doctor}");
    assert!(fs::read_to_string(scene.home.transcript_path(HERON)).unwrap().contains("heron"), "not ours");
}

#[test]
fn a_forgotten_session_does_not_come_back_and_one_that_goes_on_begins_afresh() {
    let scene = told();
    scene.ok(&["forget", "--session", HERON, "--yes"]);
    scene.ok(&["backfill"]);
    assert_eq!(recalled(&scene, "heron"), "[]");
    assert!(!used(&scene, HERON));
    assert!(!scene.ok(&["sessions", "list"]).contains(&HERON[..8]), "known by its transcript, and forgotten");
    assert_eq!(holding(&scene, HERON), Vec::<PathBuf>::new(), "its name neither");

    let mut transcript = Transcript::new(&scene.home, HERON);
    transcript.at(Timestamp::now() + SignedDuration::from_secs(1)).user("Now tell me about the kestrel.");
    transcript.assistant("The kestrel hovers.", Usage::filling(160_000));
    let told = scene.hook(&payload::session_start(&scene.home, HERON, "resume"));
    assert!(!told.contains("heron"), "{told}");
    scene.hook(&payload::stop(&scene.home, HERON, "The kestrel hovers."));
    scene.hook(&payload::pre_compact(&scene.home, HERON, "manual", None));
    let told = scene.hook(&payload::session_start(&scene.home, HERON, "compact"));
    assert!(told.contains("kestrel") && !told.contains("heron"), "{told}");
    scene.ok(&["backfill"]);
    assert!(recalled(&scene, "kestrel").contains("hovers"));
    assert_eq!(recalled(&scene, "heron"), "[]");
    assert_eq!(holding(&scene, "heron"), Vec::<PathBuf>::new());
    assert!(!scene.ok(&["backups", "list"]).contains(&HERON[..8]), "a copy would bring everything back");
}

#[test]
fn a_session_at_work_is_forgotten_and_said_to_go_on() {
    let scene = told();
    let third = "cccccccc-3333-4333-8333-000000001234";
    scene.hook(&payload::session_start(&scene.home, third, "startup"));
    let said = scene.ok(&["forget", "--session", third, "--yes"]);
    assert!(said.contains("is at work: what comes from now on is remembered"), "{said}");
    scene.hook(&payload::stop(&scene.home, third, "on we go"));
    assert!(scene.ok(&["sessions", "list"]).contains(&third[..8]));
}

#[test]
fn an_id_must_name_one_session() {
    let scene = told();
    let other = "aaaaaaaa-9999-4999-8999-000000000001";
    scene.hook(&payload::session_start(&scene.home, other, "startup"));
    let said = scene.fails(1, &["forget", "--session", "aaaaaaaa", "--yes"]);
    assert!(said.contains("2 sessions begin with `aaaaaaaa`"), "{said}");
    assert!(said.contains(HERON) && said.contains(other), "{said}");
    let said = scene.fails(1, &["forget", "--session", "ffffffff", "--yes"]);
    assert!(said.contains("nothing is remembered of a session `ffffffff`"), "{said}");
    for args in [["forget", "--session", "x", "--everything"], ["forget", "words", "--before", "30d"]] {
        assert!(scene.fails(2, &args).contains("cannot be used with"), "{args:?}");
    }
    assert!(scene.fails(2, &["forget"]).contains("<WORDS>"));
    assert!(!holding(&scene, HERON).is_empty(), "nothing went");
}

#[test]
fn a_whole_project_goes_and_another_stays_byte_for_byte() {
    let scene = told();
    let other = scene.home.root().join("other");
    fs::create_dir(&other).unwrap();
    let other = other.to_str().unwrap();
    scene.ok(&["--project", other, "add", "decision", "paint a heron"]);
    scene.ok(&["--project", other, "list"]);
    let others: Vec<(PathBuf, Vec<u8>)> = files_under(Path::new(other))
        .into_iter()
        .chain(
            files_under(&scene.home.data()).into_iter().filter(|it| it.to_string_lossy().contains("other-")),
        )
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    assert!(others.len() > 2, "{others:?}");
    let key = fs::read_dir(scene.home.data().join("projects"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .find(|name| !name.starts_with("other-"))
        .unwrap();

    let said = scene.ok(&["forget", "--everything", "--yes"]);
    assert!(said.contains("nothing was found"), "{said}");
    for text in [HERON, MARMOT, "marmot", key.as_str()] {
        assert_eq!(holding(&scene, text), Vec::<PathBuf>::new(), "{text}");
    }
    assert!(!scene.state_path().exists());
    assert!(!scene.home.git(&["for-each-ref"]).contains("refs/throughline"), "git lets go of the files");
    assert!(scene.home.project().join("changed-in-aaaa.txt").exists(), "the user's own files");
    for (path, bytes) in others {
        assert!(fs::read(&path).is_ok_and(|now| now == bytes), "{}", path.display());
    }
    assert!(scene.ok(&["--project", other, "list", "--all"]).contains("paint a heron"));
    scene.ok(&["backfill"]);
    assert_eq!(recalled(&scene, "marmot"), "[]");
    // It can be begun again.
    assert_eq!(scene.ok(&["add", "decision", "start over"]), "D1 recorded\n");
    assert!(scene.ok(&["forget", "--session", HERON, "--yes"]).contains("nothing was found"));
}

#[test]
fn a_project_whose_folder_is_gone_is_forgotten_by_its_path_or_its_name() {
    for by_key in [false, true] {
        let scene = Scene::new();
        let gone = scene.home.root().join("gone");
        fs::create_dir(&gone).unwrap();
        let folder = gone.to_str().unwrap().to_owned();
        scene.ok(&["--project", &folder, "add", "decision", "a cobalt heron"]);
        let key = scene.project_key();
        fs::remove_dir_all(&gone).unwrap();
        let said = scene.fails(1, &["forget", "--everything", "--project", "/no/such/folder", "--yes"]);
        assert!(said.contains("nothing is remembered of a project") && said.contains(&key), "{said}");
        let named = if by_key { &key } else { &folder };
        assert!(
            scene.ok(&["forget", "--everything", "--project", named, "--yes"]).contains("nothing was found")
        );
        assert_eq!(holding(&scene, "heron"), Vec::<PathBuf>::new());
        assert_eq!(holding(&scene, &key), Vec::<PathBuf>::new());
        assert!(!gone.exists());
    }
}

#[test]
fn a_project_that_only_its_transcripts_tell_of_is_forgotten_too() {
    let scene = Scene::new();
    let folder = scene.home.claude_config().join("projects/-home-me-never-here");
    fs::create_dir_all(&folder).unwrap();
    let line = json!({"type": "user", "uuid": "u1", "sessionId": HERON, "cwd": "/home/me/never-here",
        "timestamp": "2026-11-01T10:00:00.000Z", "message": {"role": "user", "content": "Where does the heron nest?"}});
    fs::write(folder.join(format!("{HERON}.jsonl")), format!("{line}\n")).unwrap();
    scene.ok(&["backfill"]);
    assert!(recalled(&scene, "heron").contains("nest"));
    let said = scene.ok(&["forget", "--everything", "--project", "/home/me/never-here", "--yes"]);
    assert!(said.contains("nothing was found"), "{said}");
    scene.ok(&["backfill"]);
    assert_eq!(recalled(&scene, "heron"), "[]");
    assert_eq!(holding(&scene, HERON), Vec::<PathBuf>::new());
}

#[test]
fn marks_that_cannot_be_read_bring_nothing_back_and_break_no_agent() {
    let scene = told();
    scene.ok(&["forget", "--session", HERON, "--yes"]);
    fs::write(scene.home.data().join("forgotten.json"), "{\"sessions\":").unwrap();
    scene.hook(&payload::session_start(&scene.home, HERON, "resume"));
    scene.hook(&payload::stop(&scene.home, HERON, "on"));
    scene.hook(&payload::session_end(&scene.home, HERON, "other"));
    assert!(scene.log().contains("forgotten.json"), "{}", scene.log());
    assert!(scene.run(&["backfill"]).stderr.contains("forgotten.json"));
    assert_eq!(recalled(&scene, "heron"), "[]");
    assert_eq!(holding(&scene, "heron"), Vec::<PathBuf>::new());
    let doctor = scene.run(&["doctor"]).stdout;
    assert!(doctor.contains("what was forgotten cannot be told"), "{doctor}");
}

#[test]
fn what_is_older_than_a_day_goes_and_what_is_younger_stays() {
    let mut scene = Scene::with_git();
    work(&mut scene, HERON, "heron", Timestamp::now() - SignedDuration::from_hours(24 * 20));
    scene.minutes_pass(60 * 24 * 20);
    made_older(&scene);
    work(&mut scene, MARMOT, "marmot", Timestamp::now());
    let trial = scene.ok(&["forget", "--before", "10d", "--dry-run"]);
    assert!(trial.contains("would go: working set: 3 (D1, H1, U1)"), "{trial}");
    assert!(scene.ok(&["forget", "--before", "10d", "--yes"]).contains("nothing was found"));
    assert_eq!(recalled(&scene, "heron"), "[]");
    assert_eq!(holding(&scene, "heron"), Vec::<PathBuf>::new());
    assert!(scene.ok(&["list", "--all"]).contains("name it marmot"));
    assert!(recalled(&scene, "marmot").contains("Never say marmot"));
    assert!(scene.ok(&["notes", "--session", MARMOT]).contains("the marmot flies"));
    assert!(used(&scene, MARMOT) && !used(&scene, HERON));
    let said = scene.fails(1, &["forget", "--before", "2999-01-01", "--yes"]);
    assert!(said.contains("lies in the future") && said.contains("--everything"), "{said}");
    assert!(scene.fails(1, &["forget", "--before", "soonish", "--yes"]).contains("hint:"));
}

/// What no list of times holds: the entry, the checkpoint, the archive, and the files' own times.
fn made_older(scene: &Scene) {
    let then = "2026-01-01T00:00:00.000Z";
    scene.edit_ours(|state| {
        let text = state.to_string();
        for at in text.split("\"timestamp\":\"").skip(1).map(|rest| &rest[..24]) {
            *state = serde_json::from_str(&state.to_string().replace(at, then)).unwrap();
        }
    });
    // Plain lines have their times beside them.
    scene.edit_ours(|state| {
        for (_, label) in state["labels"].as_object_mut().unwrap() {
            let print = label.as_str().unwrap().split(' ').next().unwrap().to_owned();
            *label = json!(format!("{print} {then}"));
        }
    });
    let spool = scene.session_data(HERON).join("spool.jsonl");
    let aged = fs::read_to_string(&spool).unwrap().lines().fold(String::new(), |aged, line| {
        let mut record: serde_json::Value = serde_json::from_str(line).unwrap();
        if let Some(at) = record.pointer_mut("/note/compaction/at") {
            *at = json!(1);
        }
        aged + &record.to_string() + "\n"
    });
    fs::write(spool, aged).unwrap();
    let proposals = scene.project_data().join("anchor-proposals.json");
    let mut waiting: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&proposals).unwrap()).unwrap();
    waiting["waiting"][0]["timestamp"] = json!(then);
    fs::write(proposals, waiting.to_string()).unwrap();
    // Rows get their times from the clock: the archive is lost, and made again from what is there.
    for name in ["throughline.db", "throughline.db-wal", "throughline.db-shm"] {
        let _ = fs::remove_file(scene.home.data().join(name));
    }
    let old = std::time::SystemTime::now() - Duration::from_hours(24 * 20);
    let own = files_under(&scene.home.project().join(".claude"));
    for path in own.iter().chain(&files_under(&scene.home.claude_config().join("data"))) {
        fs::File::options().append(true).open(path).unwrap().set_modified(old).unwrap();
        if path.to_string_lossy().contains("/checkpoints/") {
            let text = fs::read_to_string(path).unwrap();
            let mut checkpoint: serde_json::Value = serde_json::from_str(&text).unwrap();
            checkpoint["createdAt"] = json!(then);
            fs::write(path, checkpoint.to_string()).unwrap();
        }
    }
}

#[test]
fn a_session_across_the_day_keeps_what_it_said_since() {
    let scene = Scene::new();
    let now = Timestamp::now();
    let mut transcript = Transcript::new(&scene.home, HERON);
    transcript.at(now - SignedDuration::from_hours(24 * 20)).user("Tell me about the heron, long ago.");
    transcript.assistant("The heron waits.", Usage::filling(20_000));
    transcript
        .at(now)
        .user("Tell me about the kestrel, now.")
        .assistant("The kestrel hovers.", Usage::filling(30_000));
    scene.ok(&["backfill"]);
    let id = |words: &str| {
        scene.json(&["recall", words, "--json", "--project", "all"])["results"][0]["id"].clone()
    };
    let kestrel = id("kestrel");
    assert!(recalled(&scene, "heron").contains("waits"));
    scene.ok(&["forget", "--session", HERON, "--before", "10d", "--yes"]);
    scene.ok(&["backfill"]);
    assert_eq!(recalled(&scene, "heron"), "[]");
    assert!(recalled(&scene, "kestrel").contains("hovers"));
    assert_eq!(id("kestrel"), kestrel, "a passage keeps its number");
    let used = scene.json(&["usage", "sessions", "--json"]).to_string();
    assert!(used.contains(HERON), "{used}");
}

#[test]
fn a_run_that_is_killed_is_completed_by_the_next() {
    for args in [["--session", HERON], ["--everything", "--yes"]] {
        let scene = told();
        for milliseconds in [2, 5, 10, 15, 20, 30, 45, 60] {
            let mut command = scene.home.command(Path::new(BINARY));
            command.args(["forget", "--yes"]).args(args.iter().filter(|arg| **arg != "--yes"));
            let mut child =
                command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            if throughline_testkit::process::wait(&mut child, Duration::from_millis(milliseconds)).is_none() {
                child.kill().unwrap();
                child.wait().unwrap();
            }
        }
        let mut again = vec!["forget", "--yes"];
        again.extend(args.iter().filter(|arg| **arg != "--yes"));
        assert!(scene.ok(&again).contains("nothing was found"));
        assert_eq!(holding(&scene, HERON), Vec::<PathBuf>::new(), "{args:?}");
        assert_eq!(holding(&scene, "heron"), Vec::<PathBuf>::new(), "{args:?}");
    }
}

/// A file that a writer which is gone left where it was about to put one of ours.
fn leave_unfinished(scene: &Scene, path: &Path) -> PathBuf {
    let mut gone = std::process::Command::new("true").spawn().unwrap();
    gone.wait().unwrap();
    let name = path.file_name().unwrap().to_string_lossy();
    let temp = path.with_file_name(format!(".{name}.{}.3.tmp", gone.id()));
    fs::create_dir_all(temp.parent().unwrap()).unwrap();
    fs::write(&temp, format!("a heron of {HERON}")).unwrap();
    assert!(temp.starts_with(scene.home.root()));
    temp
}

#[test]
fn what_killed_writers_left_goes_as_well_wherever_it_is() {
    for args in [
        &["forget", "--session", HERON, "--yes"][..],
        &["forget", "--everything", "--yes"],
        &["forget", "heron", "--yes"],
    ] {
        let scene = told();
        let (ours, data) = (scene.home.project().join(".claude"), scene.project_data());
        let left = [
            ours.join("sessions").join(HERON).join("notes.md"),
            ours.join("sessions/CURRENT_SESSION"),
            ours.join("unified-session-state.json"),
            ours.join("logs/context-usage.jsonl"),
            data.join("sessions.jsonl"),
            data.join("anchor-proposals.json"),
            scene.session_data(HERON).join("ledger.json"),
            scene.session_data(HERON).join("recent/ledger.json"),
            scene.session_data(MARMOT).join("ledger.json"),
            scene.home.claude_config().join("data/compressed_context/0123456789abcdef.json"),
        ]
        .map(|path| leave_unfinished(&scene, &path));
        let foreign = ours.join("sessions").join(HERON).join(".draft.tmp");
        fs::write(&foreign, "an editor's").unwrap();
        scene.ok(args);
        let still: Vec<&PathBuf> = left.iter().filter(|path| path.exists()).collect();
        assert_eq!(still, Vec::<&PathBuf>::new(), "{args:?}");
        assert!(foreign.exists(), "not ours");
    }
}

#[test]
fn hooks_at_work_meanwhile_lose_nothing_and_bring_nothing_back() {
    let scene = told();
    std::thread::scope(|threads| {
        threads.spawn(|| {
            for number in 0..12 {
                let session = format!("dddddddd-4444-4444-8444-{:012}", number % 3);
                scene.hook(&payload::session_start(&scene.home, &session, "startup"));
                scene.ok(&["add", "decision", &format!("kept {number}")]);
                scene.hook(&payload::stop(&scene.home, &session, "fine"));
            }
        });
        scene.ok(&["forget", "--session", HERON, "--yes"]);
    });
    scene.ok(&["forget", "--session", HERON, "--yes"]);
    assert_eq!(holding(&scene, HERON), Vec::<PathBuf>::new());
    let listed = scene.ok(&["list", "--all"]);
    for number in 0..12 {
        assert!(listed.contains(&format!("kept {number}")), "{number}: {listed}");
    }
}

#[test]
fn links_are_named_and_not_followed_and_broken_files_stop_nothing() {
    let scene = told();
    let outside = scene.home.root().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("context-usage.jsonl"), "{\"session\":\"x\"}\n").unwrap();
    let logs = scene.home.project().join(".claude/logs");
    let _ = fs::remove_dir_all(&logs);
    std::os::unix::fs::symlink(&outside, &logs).unwrap();
    fs::write(scene.project_data().join("anchor-proposals.json"), "{broken").unwrap();
    fs::create_dir_all(scene.session_data(HERON)).unwrap();
    fs::write(scene.session_data(HERON).join("ledger.json"), [0xff, 0xfe, 0]).unwrap();
    let output = scene.run(&["forget", "--everything", "--yes"]);
    output.assert_success();
    assert!(output.stderr.contains("logs is a link"), "{}", output.stderr);
    assert!(outside.join("context-usage.jsonl").exists());
    assert_eq!(holding(&scene, HERON), Vec::<PathBuf>::new());
}

#[test]
fn a_damaged_database_that_was_set_aside_goes_with_everything_and_is_named_else() {
    let scene = told();
    let kept = ["throughline.db.corrupt-1", "throughline.db.corrupt-1-wal", "recall.db.corrupt-2"]
        .map(|name| scene.home.data().join(name));
    for path in &kept {
        fs::write(path, b"SQLite format 3\0\xff a heron").unwrap();
    }
    for args in [&["forget", "--session", HERON, "--yes"][..], &["forget", "heron", "--yes"]] {
        let output = scene.run(args);
        assert_eq!(output.status.code(), Some(1), "{}", output.stderr);
        let said = &output.stderr;
        assert!(said.contains("all else is forgotten") && said.contains("recall.db.corrupt-2"), "{said}");
        assert!(said.contains("delete it"), "{said}");
        let mut left = holding(&scene, "heron");
        left.sort();
        let mut all = kept.to_vec();
        all.sort();
        assert_eq!(left, all);
    }
    let trial = scene.ok(&["forget", "--everything", "--dry-run"]);
    assert!(trial.contains("damaged databases that were set aside: 3"), "{trial}");
    assert!(scene.ok(&["forget", "--everything", "--yes"]).contains("nothing was found"));
    assert_eq!(holding(&scene, "heron"), Vec::<PathBuf>::new());
    assert!(kept.iter().all(|path| !path.exists()));
}

#[test]
fn a_session_whose_backups_went_earlier_is_forgotten_too() {
    let scene = told();
    let lock = scene.home.data().join(format!("backups/locks/{HERON}.lock"));
    assert!(scene.ok(&["forget", "heron", "--yes"]).contains("found nowhere"));
    assert!(lock.exists(), "of the copies that went only the lock is left");
    let said = scene.ok(&["forget", "--session", HERON, "--yes"]);
    assert!(said.contains("nothing was found"), "{said}");
    assert!(!lock.exists());
    assert_eq!(holding(&scene, HERON), Vec::<PathBuf>::new());
}
