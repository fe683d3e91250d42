//! A hook never breaks the agent, whatever stands in its payload: exit 0, nothing on standard error, in good time.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;
use throughline_testkit::{payload, process};

use crate::scene::{BINARY, Scene, files_under};

fn recorded() -> Scene {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    scene
}

#[test]
fn a_panic_is_logged_and_the_agent_goes_on() {
    if !process::fails_on_request(Path::new(BINARY), cfg!(feature = "fault")) {
        return;
    }
    let mut scene = recorded();
    scene.home.set_env("THROUGHLINE_FAULT", "panic");
    for payload in [
        payload::session_start(&scene.home, "s1", "startup"),
        payload::post_tool_batch(&scene.home, "s1", &[]),
        payload::pre_compact(&scene.home, "s1", "auto", None),
    ] {
        assert_eq!(scene.hook(&payload), "");
    }
    assert_eq!(scene.log().matches("panic at").count(), 3, "{}", scene.log());
    assert!(!scene.log().contains("asked for"), "only the place in the code is logged");
}

/// Whoever sets a variable in the agent's environment must not silence us.
#[test]
fn the_binary_that_people_get_does_not_fail_on_request() {
    let binary = process::program_under_test(Path::new(BINARY));
    if cfg!(feature = "fault") && binary == Path::new(BINARY) {
        eprintln!("skipped: the program under test was built with the feature `fault`");
        return;
    }
    let bytes = std::fs::read(binary).unwrap();
    let holds = |words: &[u8]| bytes.windows(words.len()).any(|window| window == words);
    assert!(holds(b"THROUGHLINE_HOME"), "names of variables stand in the binary as they are");
    assert!(!holds(b"THROUGHLINE_FAULT"));
}

#[test]
fn odd_payloads_end_well() {
    let scene = recorded();
    let whole = payload::session_start(&scene.home, "s1", "startup").to_string();
    let mut cases: Vec<(&str, Vec<u8>)> = vec![
        ("nothing", Vec::new()),
        ("a newline", b"\n".to_vec()),
        ("NULs", vec![0; 4_096]),
        ("half of it", whole.as_bytes()[..whole.len() / 2].to_vec()),
        ("a list", b"[1,2,3]".to_vec()),
        ("null", b"null".to_vec()),
        ("words", b"not JSON at all".to_vec()),
        ("two of them", format!("{whole}{whole}").into_bytes()),
        ("a deep nest", "[".repeat(100_000).into_bytes()),
        ("a deep object", format!("{{\"session_id\":\"s1\",\"x\":{}", "{\"a\":".repeat(50_000)).into_bytes()),
        (
            "numbers for words",
            json!({"session_id": 7, "hook_event_name": 9, "cwd": []}).to_string().into_bytes(),
        ),
        (
            "an unknown event",
            payload::event(&scene.home, "s1", "Sunrise", json!({"colour": "red"})).to_string().into_bytes(),
        ),
        ("no event", json!({"session_id": "s1", "cwd": scene.home.project()}).to_string().into_bytes()),
        ("keys twice", br#"{"session_id":"s1","session_id":"s2","hook_event_name":"Stop"}"#.to_vec()),
    ];
    let mut invalid = whole.clone().into_bytes();
    let at = invalid.len() - 20;
    invalid[at] = 0xff;
    cases.push(("invalid UTF-8", invalid));
    let mut nul = payload::user_prompt_submit(&scene.home, "s\u{0}1", "a\u{0}b");
    nul["cwd"] = json!("/tmp/\u{0}x");
    nul["transcript_path"] = json!("/tmp/\u{0}y");
    cases.push(("NULs in its fields", nul.to_string().into_bytes()));
    for (what, bytes) in cases {
        let output = scene.home.run(BINARY.as_ref(), &["hook"], &bytes);
        assert_eq!(output.status.code(), Some(0), "{what}: {}", output.stderr);
        assert_eq!(output.stderr, "", "{what}");
        assert!(output.took < Duration::from_secs(4), "{what}: {:?}", output.took);
    }
    assert_eq!(scene.state()["decisions"][0]["decision"], "use SQLite");
}

#[test]
fn a_payload_with_invalid_text_in_it_still_does_its_work() {
    let scene = recorded();
    let mut bytes = payload::session_start(&scene.home, "s1", "compact").to_string().into_bytes();
    bytes.truncate(bytes.len() - 1);
    bytes.extend_from_slice(b",\"tool_response\":\"caf\xe9\"}");
    assert!(scene.hook_run(&bytes).stdout.contains("use SQLite"));
}

#[test]
fn a_session_id_cannot_leave_the_data_folder() {
    let scene = recorded();
    let outside = |scene: &Scene| -> Vec<_> {
        let ours =
            [scene.home.data(), scene.home.project().join(".claude"), scene.home.project().join(".git")];
        files_under(
            scene.home.root().parent().unwrap().join(scene.home.root().file_name().unwrap()).as_path(),
        )
        .into_iter()
        .filter(|file| !ours.iter().any(|folder| file.starts_with(folder)))
        .collect()
    };
    let before = outside(&scene);
    let long = "x".repeat(5_000);
    for id in ["../../x", "..", ".", "/etc/x", "a/b", "a\\b", "a\nb", "", " ", "😀", "CON", long.as_str()] {
        for payload in [
            payload::session_start(&scene.home, id, "startup"),
            payload::post_tool_batch(&scene.home, id, &[]),
            payload::pre_compact(&scene.home, id, "manual", None),
            payload::subagent_stop(&scene.home, id, "", "a summary"),
            payload::post_compact(&scene.home, id, "manual", "a summary"),
            payload::session_end(&scene.home, id, "other"),
        ] {
            let mut payload = payload;
            payload["transcript_path"] = json!("/nowhere/x.jsonl");
            scene.hook(&payload);
        }
    }
    assert_eq!(outside(&scene), before);
    for folder in ["sessions", "projects"] {
        for entry in std::fs::read_dir(scene.home.data().join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)), "{name}");
        }
    }
    assert!(scene.home.read(".claude/sessions/CURRENT_SESSION").lines().count() <= 1);
}

#[test]
fn a_payload_of_64_mebibytes_costs_neither_memory_nor_the_agent() {
    let scene = recorded();
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    let huge = "output of a tool 😀 ".repeat(3 << 20);
    let calls = [("Bash", json!({"command": "cat"}), json!({"stdout": huge}))];
    let payload = payload::post_tool_batch(&scene.home, "s1", &calls).to_string();
    assert!(payload.len() > 60 << 20);
    let file = scene.home.root().join("payload.json");
    std::fs::write(&file, &payload).unwrap();
    let measure = "import resource, subprocess, sys
ended = subprocess.run(sys.argv[2:], stdin=open(sys.argv[1], 'rb'))
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(ended.returncode)";
    let file = file.to_str().unwrap();
    let output = scene.home.run("python3".as_ref(), &["-c", measure, file, BINARY, "hook"], "");
    output.assert_success();
    let kilobytes: u64 = output.stdout.trim().parse().expect("the largest resident size and nothing else");
    assert!(kilobytes < 20 << 10, "{kilobytes} KB");
    assert!(scene.ok(&["status"]).contains("PostToolBatch"), "and it was noted");
    for file in files_under(&scene.home.data()) {
        assert!(file.metadata().unwrap().len() < 4 << 20, "{}", file.display());
    }
}

/// The hook with its standard input held open.
fn hook_with_open_input(scene: &Scene, first: &[u8]) -> (Duration, process::Output) {
    let mut command = scene.home.command(BINARY.as_ref());
    command.arg("hook").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let began = Instant::now();
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(first).unwrap();
    let status = process::wait(&mut child, Duration::from_secs(10)).expect("a hook that ends by itself");
    let took = began.elapsed();
    drop(input);
    let rest = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (took, process::Output { status, stdout: text(&rest.stdout), stderr: text(&rest.stderr), took })
}

#[test]
fn an_input_that_is_never_closed_does_not_hold_the_hook() {
    let scene = recorded();
    let (took, output) = hook_with_open_input(&scene, b"");
    assert!(took < Duration::from_secs(4), "{took:?}");
    output.assert_success();
    let whole = payload::session_start(&scene.home, "s1", "startup").to_string();
    let (took, output) = hook_with_open_input(&scene, whole.as_bytes());
    assert!(took < Duration::from_secs(4), "{took:?}");
    output.assert_success();
    assert!(output.stdout.contains("use SQLite"), "what arrived is answered: {}", output.stdout);
}

#[test]
fn without_arguments_and_without_a_terminal_nothing_is_said() {
    let scene = recorded();
    let output = scene.home.run(
        BINARY.as_ref(),
        &[],
        payload::session_start(&scene.home, "s1", "startup").to_string(),
    );
    output.assert_success();
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", ""));
}

#[test]
fn a_client_that_hung_up_is_no_failure() {
    let scene = recorded();
    let payload =
        scene.home.write("payload.json", &payload::session_start(&scene.home, "s1", "startup").to_string());
    let script = format!(
        "set -o pipefail; '{BINARY}' hook < '{}' | true; echo $?; '{BINARY}' hook < '{}' >&-; echo $?",
        payload.display(),
        payload.display()
    );
    let output = scene.home.run("/bin/bash".as_ref(), &["-c", &script], "");
    assert_eq!(output.stdout, "0\n0\n", "{}", output.stderr);
}

#[test]
fn odd_transcripts_are_no_trouble() {
    let scene = recorded();
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    let folder = scene.home.root().join("odd");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("empty"), "").unwrap();
    std::fs::create_dir(folder.join("folder")).unwrap();
    std::fs::write(folder.join("garbage"), vec![b'{'; 100_000]).unwrap();
    std::fs::write(folder.join("one-line"), vec![b'x'; 1 << 20]).unwrap();
    std::os::unix::fs::symlink("loop", folder.join("loop")).unwrap();
    let sparse = std::fs::File::create(folder.join("sparse")).unwrap();
    sparse.set_len(1 << 40).unwrap();
    scene.home.run("/usr/bin/mkfifo".as_ref(), &[folder.join("fifo").to_str().unwrap()], "").assert_success();
    for name in ["empty", "folder", "garbage", "one-line", "loop", "sparse", "fifo", "missing", "empty/below"]
    {
        for mut payload in [
            payload::post_tool_batch(&scene.home, "s1", &[]),
            payload::session_start(&scene.home, "s1", "compact"),
            payload::pre_compact(&scene.home, "s1", "auto", None),
            payload::stop(&scene.home, "s1", "x"),
        ] {
            payload["transcript_path"] = json!(folder.join(name));
            let output = scene.hook_run(payload.to_string());
            assert!(output.took < Duration::from_secs(3), "{name}: {:?}", output.took);
        }
    }
    for device in ["/dev/zero", "/dev/stdin", "/dev/tty", "/proc/self/mem"] {
        let mut payload = payload::post_tool_batch(&scene.home, "s1", &[]);
        payload["transcript_path"] = json!(device);
        scene.hook_run(payload.to_string());
    }
}

#[test]
fn a_working_folder_that_is_gone_is_no_trouble() {
    let scene = recorded();
    for cwd in ["/no/such/folder", "", "relative", "/dev/null"] {
        for name in ["SessionStart", "PostToolBatch", "PreCompact", "Stop", "SessionEnd"] {
            let mut payload = payload::event(&scene.home, "lost", name, json!({}));
            payload["cwd"] = json!(cwd);
            assert_eq!(scene.hook(&payload), "", "{cwd}");
        }
    }
}

#[test]
fn a_hook_of_an_agent_that_nobody_knows_says_nothing_and_is_logged() {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    let start = payload::session_start(&scene.home, "s1", "startup").to_string();
    let hook = |args: &[&str]| scene.home.run(Path::new(BINARY), args, &start);
    for args in [&["hook", "--agent", "nobody"][..], &["hook", "--agent"]] {
        let output = hook(args);
        output.assert_success();
        assert_eq!(output.stdout, "", "{args:?}");
        assert!(scene.log().contains("names none that this version knows"), "{}", scene.log());
    }
    assert!(!scene.session_data("s1").exists(), "nothing is noted in its name");
    assert!(hook(&["hook", "--agent", "claude-code"]).stdout.contains("use SQLite"));
}
