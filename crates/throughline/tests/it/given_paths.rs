//! Given paths: a pipe, a device or a folder where a file is meant is refused at once, and nobody waits for it.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use throughline_testkit::{Output, process};

use crate::scene::{BINARY, Scene};

/// Verbs that open a path which a person names; `~` is the path.
const VERBS: &[&[&str]] = &[
    &["import", "~"],
    &["import", "~", "--dry-run"],
    &["count-tokens", "~"],
    &["validate", "~"],
    &["usage", "prices", "--update", "~"],
    &["export", "--output", "~"],
    &["backups", "restore", "s1", "--to", "~"],
    &["man", "--out", "~"],
    &["--project", "~", "status"],
    &["forget", "--project", "~"],
];

fn run(scene: &Scene, args: &[&str]) -> Output {
    let mut command = scene.home.command(Path::new(BINARY));
    process::run(command.args(args), b"", Duration::from_secs(20))
}

#[test]
fn what_is_no_file_is_refused_at_once_by_every_verb_that_takes_one() {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    let pipe = scene.home.root().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let socket = scene.home.root().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
    let link = scene.home.root().join("link");
    std::os::unix::fs::symlink(&pipe, &link).expect("a link");
    let folder = scene.home.root().join("folder");
    fs::create_dir(&folder).expect("a folder");
    let odd = [&pipe, &link, &socket, &folder].map(|path| path.display().to_string());
    for args in VERBS {
        for path in odd.iter().map(String::as_str).chain(["/dev/zero", "/dev/tty", "/dev/null/such/file"]) {
            // Pages are written into a folder, and a project is one.
            if path.ends_with("folder") && (args.contains(&"--out") || args.contains(&"--project")) {
                continue;
            }
            let args: Vec<&str> = args.iter().map(|arg| if *arg == "~" { path } else { arg }).collect();
            let output = run(&scene, &args);
            assert!(!output.status.success(), "{args:?}: {output:?}");
            assert!(output.stderr.contains("error:"), "{args:?}: {output:?}");
            assert!(output.took < Duration::from_secs(10), "{args:?} took {:?}", output.took);
        }
    }
}

#[test]
fn an_error_about_a_pipe_says_the_way_out() {
    let scene = Scene::new();
    let pipe = scene.home.root().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let pipe = pipe.display().to_string();
    for args in [&["import", &pipe][..], &["count-tokens", &pipe], &["usage", "prices", "--update", &pipe]] {
        let output = run(&scene, args);
        assert!(output.stderr.contains("no regular file") && output.stderr.contains("`-`"), "{output:?}");
    }
    let output = run(&scene, &["import", "/tmp"]);
    assert!(output.stderr.contains("is a folder"), "{output:?}");
}

/// Records of usage that differ in a number alone: as tight as anything can be packed that we would take.
fn tight(records: usize) -> Vec<u8> {
    let mut whole = GzEncoder::new(Vec::new(), Compression::best());
    whole.write_all(b"{\"throughline\":\"export\",\"version\":1}\n{\"part\":\"archive\"}\n").expect("bytes");
    let long = "word ".repeat(2_000);
    for number in 1..=records {
        let row = json!({"table": "entries", "entry_no": number, "kind": "decision", "id": format!("D{number}"),
            "number": number, "text": long, "reason": "", "body": "{}", "origin": "user", "session": null,
            "recorded_at": "2026-01-01T00:00:00.000Z", "left_at": null, "left_why": null, "trusted": 1});
        whole.write_all(format!("{row}\n").as_bytes()).expect("bytes");
    }
    whole.finish().expect("bytes")
}

#[test]
fn a_small_bundle_that_becomes_a_large_memory_is_refused_and_the_way_out_is_said() {
    let scene = Scene::new();
    let bytes = tight(5_000);
    assert!(bytes.len() < 1 << 20, "{} bytes are no bomb", bytes.len());
    fs::write(scene.home.project().join("bomb"), &bytes).expect("a file");
    let error = scene.fails(1, &["import", "bomb"]);
    assert!(error.contains("holds too much") && error.contains("bytes come of one"), "{error}");
    assert!(error.contains("nothing was taken") && error.contains("--large"), "{error}");
    let disk: u64 = crate::scene::files_under(&scene.home.data())
        .iter()
        .filter_map(|path| fs::metadata(path).ok())
        .map(|meta| meta.len())
        .sum();
    assert!(disk < 4 << 20, "{disk} bytes were written");
}
