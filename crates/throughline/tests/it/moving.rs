//! Moving: everything that a project has goes into one file and comes out of it the same; a hostile file gets nothing in.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use throughline_store::bundle::BundleWriter;
use throughline_testkit::{Transcript, Usage, payload};

use crate::scene::{BINARY, STATE, Scene, files_under};

const HERON: &str = "aaaaaaaa-1111-4111-8111-00000000c0ba";
const FILE: &str = "app.throughline";
const SECRET: &str = "ghp_0123456789abcdefABCDEF0123456789abcd";

/// A project with something in every place.
fn told() -> Scene {
    let mut scene = Scene::with_git();
    scene.hook(&payload::session_start(&scene.home, HERON, "startup"));
    scene.home.set_env("CLAUDE_CODE_SESSION_ID", HERON);
    scene.ok(&["add", "decision", "left early"]);
    scene.ok(&["add", "decision", "name it heron", "--rationale", &format!("token {SECRET}")]);
    scene.ok(&["edit", "D2", "name it the heron"]);
    scene.ok(&["rm", "D1"]);
    scene.ok(&["anchor", "add", "The heron never lands", "--priority", "critical"]);
    scene.ok(&["add", "question", "where does it nest?"]);
    scene.ok(&["set", "work", "--id", "H-1", "--title", "Herons", "--phase", "EXEC"]);
    scene.ok(&["note", "the heron flies"]);
    let mut transcript = Transcript::new(&scene.home, HERON);
    transcript.user("Never feed the heron in the yard, please.");
    let id = transcript.tool_call("Bash", &json!({"command": "cargo test heron"}), Usage::filling(150_000));
    transcript.tool_result(&id, &format!("Exit code 101\nerror: no heron, {SECRET}"), true);
    transcript.assistant("The heron stays out of the yard.", Usage::filling(150_000));
    scene.hook(&payload::stop(&scene.home, HERON, "done"));
    scene.ok(&["checkpoint", "create", "--note", "before the flight"]);
    scene.hook(&payload::pre_compact(&scene.home, HERON, "manual", None));
    scene.hook(&payload::post_compact(&scene.home, HERON, "manual", "All about the heron."));
    scene.hook(&payload::session_start(&scene.home, HERON, "compact"));
    scene.hook(&payload::session_end(&scene.home, HERON, "other"));
    scene.home.remove_env("CLAUDE_CODE_SESSION_ID");
    scene.ok(&["backfill"]);
    scene
}

/// What the verbs that list print, each under its name.
fn listed(scene: &Scene) -> Vec<(String, String)> {
    let verbs: [&[&str]; 11] = [
        &["list"],
        &["list", "--all"],
        &["list", "--all", "--json"],
        &["recall", "heron"],
        &["recall", "heron", "--json", "--project", "all"],
        &["checkpoint", "list", "--json"],
        &["sessions", "list", "--json"],
        &["notes", "--session", HERON],
        &["anchor", "list", "--json"],
        &["anchor", "list", "--proposed", "--json"],
        &["usage", "sessions", "--json"],
    ];
    verbs.iter().map(|args| (args.join(" "), scene.ok(args))).collect()
}

/// As if the project came to a machine that never saw it: no data folder, nothing of ours in the project.
fn lose_everything(scene: &Scene) {
    fs::remove_dir_all(scene.home.data()).unwrap();
    let ours = scene.home.project().join(".claude");
    for name in ["sessions", "checkpoints", "logs"] {
        let _ = fs::remove_dir_all(ours.join(name));
    }
    for name in ["unified-session-state.json", "compaction-snapshot.md"] {
        let _ = fs::remove_file(ours.join(name));
    }
}

fn lines_of(path: &Path) -> String {
    let mut text = String::new();
    GzDecoder::new(fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text
}

fn packed(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn everything_comes_out_as_it_went_in() {
    let scene = told();
    let before = listed(&scene);
    let said = scene.ok(&["export", "--output", FILE]);
    assert!(said.contains("bytes written to app.throughline"), "{said}");
    let path = scene.home.project().join(FILE);
    let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let text = lines_of(&path);
    assert!(!text.contains(SECRET), "masked");
    for part in ["archive", "state", "files", "sessions", "proposals", "summaries", "passages", "usage"] {
        assert!(text.contains(&format!("{{\"end\":\"{part}\"")), "{part}");
    }
    assert!(scene.fails(1, &["export", "--output", FILE]).contains("name a file that is not there yet"));

    lose_everything(&scene);
    let trial = scene.ok(&["import", FILE, "--dry-run"]);
    assert!(trial.contains("an export of project, made ") && trial.contains("it is whole"), "{trial}");
    assert!(!scene.state_path().exists(), "a trial writes nothing");
    let said = scene.ok(&["import", FILE]);
    assert!(said.contains("archive ") && said.contains("passages ") && said.contains("usage "), "{said}");
    let told: BTreeSet<String> = trial
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(part, it)| format!("{part} {it}"))
        .collect();
    let counted = said.trim_end().split_once(": ").unwrap().1;
    assert_eq!(told, counted.split(", ").map(str::to_owned).collect(), "a trial counts as an import does");
    for ((verb, before), (_, after)) in before.iter().zip(listed(&scene)) {
        assert_eq!(*before, after, "{verb}");
    }
    assert_eq!(scene.ok(&["trust", "--list"]), "", "what a person imports is theirs");
    // Once more, and once more through a pipe: everything is known.
    assert!(scene.ok(&["import", FILE]).contains("nothing that is not here"));
    let exported = scene.run(&["export", "--output", "again.throughline"]);
    exported.assert_success();
    let script = format!("'{BINARY}' export --output - | '{BINARY}' import -");
    let piped = scene.home.run(Path::new("/bin/bash"), &["-c", &script], "");
    piped.assert_success();
    assert!(piped.stdout.contains("nothing that is not here"), "{}", piped.stdout);
    for ((verb, before), (_, after)) in before.iter().zip(listed(&scene)) {
        assert_eq!(*before, after, "{verb}");
    }
    assert_eq!(scene.ok(&["add", "decision", "next"]), "D3 recorded\n");
}

#[test]
fn another_project_keeps_its_own_and_hears_what_differs() {
    let from = told();
    from.ok(&["export", "--output", FILE]);
    let bundle = from.home.project().join(FILE);
    let to = Scene::new();
    to.ok(&["add", "decision", "ours"]);
    to.ok(&["add", "decision", "ours too"]);
    to.home.write(".claude/compaction-snapshot.md", "ours");
    let page = format!(".claude/sessions/{HERON}/notes.md");
    to.home.write(&page, "our page");
    let output = to.run(&["import", bundle.to_str().unwrap()]);
    output.assert_success();
    assert!(output.stderr.contains("notes.md is another one here, and stays"), "{}", output.stderr);
    assert!(output.stderr.contains("D2 mean something else here"), "{}", output.stderr);
    assert_eq!(to.home.read(&page), "our page");
    let listed = to.ok(&["list"]);
    assert!(
        listed.contains("D1 ours")
            && listed.contains("D2 ours too")
            && listed.contains("D3 name it the heron"),
        "{listed}"
    );
    assert!(to.ok(&["list", "--all"]).contains("left early"));
    let recalled = to.json(&["recall", "heron", "--json"])["results"].to_string();
    assert!(recalled.contains("out of the yard"), "{recalled}");
    assert!(recalled.contains(to.home.project().to_str().unwrap()), "it is this project's now: {recalled}");
    assert!(to.ok(&["usage", "projects", "--json"]).contains(to.home.project().to_str().unwrap()));
}

#[test]
fn what_was_only_quoted_is_only_quoted_after_the_journey() {
    let from = Scene::with_git();
    from.ok(&["add", "decision", "obey the clone"]);
    from.ok(&["set", "work", "--id", "X", "--title", "theirs"]);
    from.ok(&["untrust", "D1", "sd"]);
    assert!(from.ok(&["trust", "--list"]).contains("D1"));
    from.ok(&["export", "--output", FILE]);
    let to = Scene::new();
    to.ok(&["import", from.home.project().join(FILE).to_str().unwrap()]);
    assert!(to.ok(&["trust", "--list"]).contains("D1"), "{}", to.ok(&["list"]));
    assert!(!to.ok(&["work"]).contains("theirs"));
    let told = to.hook(&payload::session_start(&to.home, HERON, "startup"));
    assert!(!told.contains("- D1 obey the clone"), "{told}");
}

/// A part with its records.
type Part = (&'static str, Vec<Value>);

fn part(name: &'static str, records: &[Value]) -> Part {
    (name, records.to_vec())
}

/// A file as `export` writes it, whatever is in it: its checksums fit.
fn bundle(parts: &[Part]) -> Vec<u8> {
    let about = json!({"project": "x", "at": "now", "program": "1"});
    let mut writer = BundleWriter::begin(Vec::new(), &about).unwrap();
    for (name, records) in parts {
        writer.part(name).unwrap();
        for record in records {
            writer.record(record).unwrap();
        }
    }
    writer.finish().unwrap()
}

/// What somebody prepared, its bytes, and a word of what is said about it.
type Hostile = (&'static str, Vec<u8>, &'static str);

fn hostile_files() -> Vec<Hostile> {
    let file = |name: &str| bundle(&[part("files", &[json!({"name": name, "text": "x"})])]);
    vec![
        ("a path that leaves", file("../../outside.md"), "is no file of ours"),
        ("an absolute path", file("/tmp/outside.md"), "is no file of ours"),
        ("the client's settings", file("settings.local.json"), "is no file of ours"),
        ("a command of the client's", file("commands/x.md"), "is no file of ours"),
        ("our rules", file("throughline.toml"), "is no file of ours"),
        ("a path through a session", file("sessions/../../x.md"), "is no file of ours"),
        ("a hidden file", file("sessions/s1/.x.md"), "is no file of ours"),
        (
            "a file without text",
            bundle(&[part("files", &[json!({"name": "compaction-snapshot.md", "text": 7})])]),
            "no text",
        ),
        (
            "a checkpoint with a path in its name",
            bundle(&[part("files", &[json!({"checkpoint": {"id": "../../x"}})])]),
            "no checkpoint",
        ),
    ]
}

fn hostile_rows() -> Vec<Hostile> {
    let entry = |change: &dyn Fn(&mut Value)| {
        let mut row = json!({"table": "entries", "entry_no": 1, "kind": "decision", "id": "D1", "number": 1, "text": "t", "reason": "",
            "body": "{}", "origin": "user", "session": null, "recorded_at": "2026-01-01T00:00:00.000Z", "trusted": 1});
        change(&mut row);
        bundle(&[part("archive", &[row])])
    };
    vec![
        ("another table", entry(&|row| row["table"] = json!("sqlite_master")), "names no table"),
        ("a body that is no JSON", entry(&|row| row["body"] = json!("{")), "`body` does not fit"),
        (
            "a time that is none",
            entry(&|row| row["recorded_at"] = json!("'; DROP TABLE entries")),
            "`recorded_at` does not fit",
        ),
        ("a number for a word", entry(&|row| row["kind"] = json!(7)), "`kind` does not fit"),
        (
            "a number that uses up all ids",
            entry(&|row| row["number"] = json!(i64::MAX)),
            "`number` does not fit",
        ),
        ("a word that is a book", entry(&|row| row["id"] = json!("D".repeat(10_000))), "`id` does not fit"),
        ("a text without end", entry(&|row| row["text"] = json!("x".repeat(3 << 20))), "`text` does not fit"),
        (
            "a passage of another project",
            bundle(&[part(
                "passages",
                &[json!({"session": "s", "project": "/etc", "passages": [], "marks": []})],
            )]),
            "another project",
        ),
        (
            "a passage of no kind",
            bundle(&[part(
                "passages",
                &[
                    json!({"session": "s", "project": ".", "passages": [[99, 0, false, 1, 1, "x"]], "marks": []}),
                ],
            )]),
            "does not fit",
        ),
        (
            "usage beyond measure",
            bundle(&[part(
                "usage",
                &[
                    json!({"row": "response", "id": "0".repeat(32), "at": 1, "session": "s", "model": "m", "tier": "standard", "sidechain": false, "context": u64::MAX, "tokens": [1, 1, 1, 1, 1, 1]}),
                ],
            )]),
            "no row of usage",
        ),
    ]
}

fn hostile_bytes() -> Vec<Hostile> {
    let good = part("state", &[json!({"state": {"decisions": [{"decision": "d"}]}, "quoted": []})]);
    let damaged = |from: &str, to: &str| {
        let whole = String::from_utf8(unpacked(&bundle(std::slice::from_ref(&good)))).unwrap();
        assert!(whole.contains(from), "{from}: {whole}");
        packed(whole.replace(from, to).as_bytes())
    };
    let one_line = packed(&vec![b'{'; 17 << 20]);
    let deep = format!("{}{}\n", "{\"a\":".repeat(200_000), "1");
    vec![
        ("a part that is not known", bundle(&[part("hooks", &[json!({"command": "rm -rf"})])]), "not known"),
        ("a part twice", bundle(&[good.clone(), good.clone()]), "wrong place"),
        ("a changed record", damaged("\"d\"", "\"e\""), "the part `state` is damaged"),
        ("a missing record", damaged("\"lines\":1", "\"lines\":2"), "the part `state` is damaged"),
        ("a later version", damaged("\"version\":1", "\"version\":9"), "newer than this program knows"),
        ("something else", packed(b"{\"hello\":1}\n"), "no export of throughline"),
        ("nothing", packed(b""), "it is empty"),
        ("no lines", packed(b"just text"), "it is empty"),
        (
            "bytes that only look packed",
            [&[0x1f, 0x8b][..], b"nonsense, nonsense, nonsense"].concat(),
            "no export of throughline",
        ),
        ("half of one", bundle(std::slice::from_ref(&good))[..60].to_vec(), "could not import"),
        ("an end too soon", damaged("{\"bundle\":\"end\",\"parts\":1}\n", ""), "ends in the middle"),
        ("more after the end", damaged("\"parts\":1}\n", "\"parts\":1}\n{}\n"), "does not fit its parts"),
        ("a bomb", bomb(), "holds too much"),
        ("a line without end", one_line, "holds too much"),
        ("deep nesting", packed(deep.as_bytes()), "no export of throughline"),
    ]
}

/// Eighty megabytes of nothing, packed as tightly as can be.
fn bomb() -> Vec<u8> {
    let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
    bomb.write_all(b"{\"throughline\":\"export\",\"version\":1}\n{\"part\":\"files\"}\n").unwrap();
    let long = vec![b' '; 1 << 20];
    for _ in 0..80 {
        bomb.write_all(b"{\"name\":\"compaction-snapshot.md\",\"text\":\"").unwrap();
        bomb.write_all(&long).unwrap();
        bomb.write_all(b"\"}\n").unwrap();
    }
    bomb.finish().unwrap()
}

fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    GzDecoder::new(bytes).read_to_end(&mut text).unwrap();
    text
}

#[test]
fn a_hostile_file_is_refused_and_nothing_changes() {
    let scene = Scene::new();
    scene.ok(&["add", "decision", "mine"]);
    scene.ok(&["list"]);
    let everything = || -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = files_under(scene.home.root());
        files.retain(|path| !path.to_string_lossy().contains("hostile.throughline"));
        // Opening a database touches its shared memory.
        files.retain(|path| !path.to_string_lossy().ends_with("-shm"));
        files.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
    };
    let before = everything();
    for (what, bytes, said) in [hostile_files(), hostile_rows(), hostile_bytes()].concat() {
        let path = scene.home.project().join("hostile.throughline");
        fs::write(&path, bytes).unwrap();
        for args in
            [vec!["import", "hostile.throughline"], vec!["import", "hostile.throughline", "--dry-run"]]
        {
            let answer = scene.fails(1, &args);
            assert!(answer.contains(said) && answer.contains("nothing was taken"), "{what}: {answer}");
        }
        assert!(everything() == before, "{what} left something behind");
    }
    fs::write(scene.home.project().join("hostile.throughline"), bundle(&[])).unwrap();
    scene.ok(&["import", "hostile.throughline"]);
}

#[test]
fn no_text_of_a_file_moves_the_cursor_or_leads_elsewhere() {
    let scene = Scene::new();
    let odd = "red \u{1b}[31m and \u{202e}turned\u{200b} round";
    let rows = [
        json!({"table": "entries", "entry_no": 1, "kind": "decision", "id": "D1", "number": 1, "text": odd, "reason": odd,
            "body": json!({"id": "D1", "decision": odd}).to_string(), "origin": "user", "session": null,
            "recorded_at": "2026-01-01T00:00:00.000Z", "left_at": "2026-01-02T00:00:00.000Z", "left_why": odd, "trusted": 1}),
        json!({"table": "sessions", "id": "s-from-elsewhere", "agent": "claude-code", "transcript": "/etc/passwd", "source": null,
            "started_at": "2026-01-01T00:00:00.000Z", "last_seen_at": "2026-01-01T00:00:00.000Z", "ended_at": null}),
    ];
    let files = [json!({"name": "sessions/s-from-elsewhere/notes.md", "text": odd})];
    let bytes = bundle(&[part("archive", &rows), part("files", &files)]);
    fs::write(scene.home.project().join("odd.throughline"), bytes).unwrap();
    scene.ok(&["import", "odd.throughline"]);
    let told = [
        scene.ok(&["list", "--all"]),
        scene.ok(&["list", "--all", "--json"]),
        scene.home.read(".claude/sessions/s-from-elsewhere/notes.md"),
        scene.ok(&["sessions", "list", "--json"]),
    ];
    for text in &told {
        assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{200b}']), "{text:?}");
    }
    assert!(told[0].contains("red and turned round"), "{}", told[0]);
    assert!(told[3].contains("s-from-elsewhere") && !told[3].contains("passwd"), "{}", told[3]);
}

#[test]
fn a_link_in_the_way_is_not_written_through() {
    let from = told();
    from.ok(&["export", "--output", FILE]);
    let to = Scene::new();
    let outside = to.home.root().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::create_dir_all(to.home.project().join(".claude")).unwrap();
    std::os::unix::fs::symlink(&outside, to.home.project().join(".claude/sessions")).unwrap();
    let output = to.run(&["import", from.home.project().join(FILE).to_str().unwrap()]);
    assert!(output.stderr.contains("a link is in the way"), "{} {}", output.stdout, output.stderr);
    assert_eq!(files_under(&outside), Vec::<PathBuf>::new());
}

#[test]
fn an_import_that_is_killed_is_completed_by_the_next() {
    let scene = told();
    let before = listed(&scene);
    scene.ok(&["export", "--output", FILE]);
    lose_everything(&scene);
    for milliseconds in [1, 3, 6, 10, 15, 20, 30, 40] {
        let mut command = scene.home.command(Path::new(BINARY));
        command.args(["import", FILE]);
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        if throughline_testkit::process::wait(&mut child, Duration::from_millis(milliseconds)).is_none() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
    scene.ok(&["import", FILE]);
    for ((verb, before), (_, after)) in before.iter().zip(listed(&scene)) {
        assert_eq!(*before, after, "{verb}");
    }
}

#[test]
fn what_was_forgotten_comes_back_only_by_a_persons_word() {
    let scene = told();
    scene.ok(&["export", "--output", FILE]);
    scene.ok(&["forget", "--everything", "--yes"]);
    scene.ok(&["backfill"]);
    let recalled = || scene.json(&["recall", "heron", "--json", "--project", "all"])["results"].to_string();
    assert_eq!(recalled(), "[]");
    scene.ok(&["import", FILE]);
    assert!(recalled().contains("out of the yard"));
    assert!(scene.ok(&["list"]).contains("D2 name it the heron"));
}

/// An agent may look at a bundle; whose words are in it only a person can take.
#[test]
fn an_agent_takes_nothing_out_of_a_bundle() {
    let mut scene = told();
    scene.ok(&["export", "--output", FILE]);
    lose_everything(&scene);
    scene.home.set_env("CLAUDECODE", "1");
    scene.ok(&["import", FILE, "--dry-run"]);
    let said = scene.fails(1, &["import", FILE]);
    assert!(said.contains("is not imported for an agent"), "{said}");
    assert!(!scene.home.project().join(STATE).exists());
    scene.home.remove_env("CLAUDECODE");
    scene.ok(&["import", FILE]);
    assert!(scene.ok(&["list"]).contains("the heron"));
}
