//! Forgetting: the words are nowhere any more, whatever held them; a kill or a hook in between costs another run at most.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;
use throughline_testkit::{Transcript, Usage, payload};

use crate::scene::{BINARY, Scene, files_under};

const WORDS: &str = "cobalt heron";

/// A project in which everything that can hold words holds these.
fn told(session: &str) -> Scene {
    let scene = Scene::with_git();
    let folder = scene.home.config().join("throughline");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("throughline.toml"), "[backup]\ntranscripts = true\n").unwrap();
    work(&scene, session);
    scene
}

fn work(scene: &Scene, session: &str) {
    let home = &scene.home;
    scene.hook(&payload::session_start(home, session, "startup"));
    scene.ok(&["add", "decision", "name it Cobalt Heron", "--rationale", "they like birds"]);
    scene.ok(&["add", "decision", "use SQLite", "--rationale", "the cobalt\nheron wants it"]);
    scene.ok(&["add", "decision", "keep the name short"]);
    scene.ok(&["edit", "D3", "keep the cobalt heron short"]);
    scene.ok(&["edit", "D3", "keep all names short"]);
    scene.ok(&["set", "work", "--title", "Launch of cobalt heron", "--phase", "EXEC"]);
    let mut transcript = Transcript::new(home, session);
    transcript.user("Never say cobalt heron in a log.");
    let id = transcript.tool_call("Bash", &json!({"command": "echo cobalt heron"}), Usage::filling(150_000));
    transcript.tool_result(&id, "Exit code 1\nerror: no cobalt heron here", true);
    transcript.assistant("Cobalt heron it is.", Usage::filling(150_000));
    scene.ok(&["note", "the cobalt heron flies"]);
    scene.hook(&payload::stop(home, session, "Cobalt heron it is."));
    scene.run(&["checkpoint", "create"]);
    scene.hook(&payload::pre_compact(home, session, "manual", Some("keep cobalt heron")));
    scene.hook(&payload::post_compact(home, session, "manual", "All about the cobalt heron."));
    scene.hook(&payload::session_start(home, session, "compact"));
    scene.hook(&payload::session_end(home, session, "other"));
}

/// Every file of ours in which the words stand as they are; copies of transcripts are packed.
fn holding(scene: &Scene) -> Vec<PathBuf> {
    let mut files = files_under(&scene.home.data());
    files.extend(files_under(&scene.home.project().join(".claude")));
    files.extend(files_under(&scene.home.claude_config().join("data")));
    let holds = |path: &PathBuf| {
        let text = String::from_utf8_lossy(&fs::read(path).unwrap()).to_lowercase();
        text.replace("\\n", " ").replace('\n', " ").contains(WORDS)
    };
    files.into_iter().filter(holds).collect()
}

#[test]
fn words_are_nowhere_any_more_and_the_rest_stays() {
    let scene = told("s1");
    let before = holding(&scene);
    let places = [
        "throughline.db",
        "unified-session-state.json",
        "last-state.json",
        "ledger.json",
        "notes.md",
        "/checkpoints/",
    ];
    for name in places {
        assert!(before.iter().any(|path| path.to_string_lossy().contains(name)), "{name}: {before:?}");
    }
    let trial = scene.ok(&["forget", "--dry-run", "Cobalt", "heron"]);
    for line in [
        "entry D1 would go",
        "entry D2 would go",
        "backups of session s1 would go",
        "archive: ",
        "notes.md",
        "checkpoint 2",
    ] {
        assert!(trial.contains(line), "{line}: {trial}");
    }
    assert_eq!(holding(&scene), before, "a trial changes nothing");
    assert!(scene.fails(1, &["forget", "cobalt heron"]).contains("--yes"), "nobody was asked");
    assert_eq!(holding(&scene), before);
    let said = scene.ok(&["forget", "--yes", "cobalt", "heron"]);
    assert!(said.contains("found nowhere any more"), "{said}");
    assert!(said.contains("not ours, and not touched") && said.contains("s1.jsonl"), "{said}");
    assert_eq!(holding(&scene), Vec::<PathBuf>::new());
    assert!(!scene.ok(&["backups", "list"]).contains("s1"), "the copies are gone");
    let listed = scene.ok(&["list", "--all"]);
    assert!(listed.contains("keep all names short") && !listed.contains("SQLite"), "{listed}");
    assert!(scene.ok(&["briefing"]).contains("keep all names short"));
    assert!(scene.home.read(".claude/sessions/s1/notes.md").contains("[forgotten]"));
    let transcript = fs::read_to_string(scene.home.transcript_path("s1")).unwrap();
    assert!(transcript.contains("cobalt heron"), "the agent's own file is not ours");
    scene.ok(&["validate"]);
    let doctor = scene.run(&["doctor"]).stdout;
    assert!(doctor.contains("✓ archive") && doctor.contains("✓ state"), "{doctor}");
    let text = scene.hook(&payload::session_start(&scene.home, "s2", "startup"));
    assert!(!text.to_lowercase().contains(WORDS), "{text}");
    assert!(scene.ok(&["forget", "--yes", "cobalt heron"]).contains("nothing that is remembered here"));
}

#[test]
fn a_run_that_is_killed_is_completed_by_the_next() {
    let scene = told("s1");
    for milliseconds in [2, 5, 10, 15, 20, 30, 45, 60] {
        let mut command = scene.home.command(Path::new(BINARY));
        command.args(["forget", "--yes", "cobalt heron"]);
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        if throughline_testkit::process::wait(&mut child, Duration::from_millis(milliseconds)).is_none() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
    scene.ok(&["forget", "--yes", "cobalt heron"]);
    assert_eq!(holding(&scene), Vec::<PathBuf>::new());
    assert!(scene.ok(&["list", "--all"]).contains("keep all names short"));
}

#[test]
fn hooks_at_work_meanwhile_do_not_bring_the_words_back() {
    let scene = told("s1");
    std::thread::scope(|threads| {
        threads.spawn(|| {
            for number in 0..15 {
                let session = format!("other-{}", number % 3);
                scene.hook(&payload::session_start(&scene.home, &session, "startup"));
                scene.hook(&payload::stop(&scene.home, &session, "fine"));
            }
        });
        scene.run(&["forget", "--yes", "cobalt heron"]);
    });
    scene.ok(&["forget", "--yes", "cobalt heron"]);
    assert_eq!(holding(&scene), Vec::<PathBuf>::new());
}

#[test]
fn what_another_project_remembers_is_named_and_stays() {
    let scene = told("s1");
    let other = scene.home.root().join("other");
    fs::create_dir(&other).unwrap();
    let other = other.to_str().unwrap();
    scene.ok(&["--project", other, "add", "decision", "paint a cobalt heron"]);
    let said = scene.fails(1, &["forget", "--yes", "cobalt heron"]);
    assert!(said.contains("other projects hold them too; run it there: other-"), "{said}");
    assert!(scene.ok(&["--project", other, "list"]).contains("paint a cobalt heron"));
    scene.ok(&["--project", other, "forget", "--yes", "cobalt heron"]);
    assert_eq!(holding(&scene), Vec::<PathBuf>::new());
}

#[test]
fn what_is_forgotten_is_not_recalled_either() {
    let scene = told("s1");
    Transcript::new(&scene.home, "s2")
        .user("Where does the marmot sleep, please?")
        .assistant("The marmot sleeps in the barn.", Usage::filling(20_000));
    let recalled =
        |words: &str| scene.json(&["recall", words, "--json", "--project", "all"])["results"].to_string();
    assert!(recalled("cobalt heron").to_lowercase().contains(WORDS), "{}", recalled("cobalt heron"));
    assert!(recalled("marmot").contains("sleeps in the barn"));
    assert!(scene.ok(&["forget", "--dry-run", "cobalt", "heron"]).contains("index of recall: "));
    scene.ok(&["forget", "--yes", "cobalt", "heron"]);
    // Its transcript is still there, and was read: what went does not come back.
    assert_eq!(recalled("cobalt heron"), "[]");
    assert!(recalled("marmot").contains("sleeps in the barn"));
}
