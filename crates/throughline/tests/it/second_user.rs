//! A second user of the machine: tries to read, list and predict our files, as the system lets him.
//!
//! To become somebody else needs root; without it the test is skipped and says so.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use throughline_testkit::{Output, Transcript, Usage, payload, process};

use crate::scene::Scene;

const SECRET: &str = "the plan of the house";

/// Whether this test can become somebody else.
fn is_root() -> bool {
    let is_root = fs::metadata("/proc/self").is_ok_and(|meta| meta.uid() == 0);
    if !is_root {
        skipped("only root can become a second user");
    }
    is_root
}

#[expect(clippy::print_stderr, reason = "what is not tried is said")]
fn skipped(why: &str) {
    eprintln!("skipped: {why}");
}

/// Runs a program as somebody who owns nothing here.
fn as_other(words: &[&str]) -> Output {
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).args(words).current_dir("/");
    process::run(&mut command, b"", Duration::from_mins(1))
}

/// What a program that looks for files finds as somebody else, one path a line.
fn found(folder: &Path, test: &str) -> BTreeSet<PathBuf> {
    let folder = folder.to_str().expect("a path");
    as_other(&["find", folder, "-mindepth", "1", test]).stdout.lines().map(PathBuf::from).collect()
}

/// A home as machines have them: folders that others may enter, a data folder that we make ourselves.
fn open_home() -> Scene {
    let scene = Scene::with_git();
    fs::remove_dir_all(scene.home.data()).expect("the data folder");
    for folder in [scene.home.root().to_owned(), scene.home.user(), scene.home.project(), scene.home.config()]
    {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).expect("a mode");
    }
    // Shared, as /tmp is.
    fs::set_permissions(scene.home.root().join("tmp"), fs::Permissions::from_mode(0o1777)).expect("a mode");
    let config = scene.home.config().join("throughline");
    fs::create_dir_all(&config).expect("a folder");
    fs::write(config.join("throughline.toml"), "[backup]\ntranscripts = true\n").expect("a configuration");
    scene
}

/// Everything that is written in a session, a bundle, and the pages of people.
fn live(scene: &Scene) {
    let home = &scene.home;
    scene.ok(&["init"]);
    scene.hook(&payload::session_start(home, "s1", "startup"));
    scene.ok(&["add", "decision", SECRET]);
    scene.ok(&["anchor", "add", SECRET]);
    let mut transcript = Transcript::new(home, "s1");
    transcript.user(&format!("Never forget {SECRET}."));
    transcript.tool("Bash", &serde_json::json!({"command": "ls"}), SECRET, Usage::filling(150_000));
    scene.hook(&payload::user_prompt_submit(home, "s1", SECRET));
    scene.hook(&payload::post_tool_batch(home, "s1", &[]));
    scene.hook(&payload::stop(home, "s1", SECRET));
    let line = payload::status_line(home, "s1", 200_000, Some(150_000), 1_000).to_string();
    home.run(Path::new(crate::scene::BINARY), &["statusline"], line);
    scene.ok(&["checkpoint", "create"]);
    scene.ok(&["note", SECRET]);
    scene.hook(&payload::pre_compact(home, "s1", "auto", None));
    scene.hook(&payload::session_end(home, "s1", "other"));
    scene.ok(&["backfill"]);
    scene.ok(&["recall", "house"]);
    scene.ok(&["demo"]);
    scene.run(&["doctor"]);
    scene.hook_run("not JSON at all");
    scene.ok(&["export", "--output", "app.throughline"]);
}

#[test]
fn another_user_reads_lists_and_changes_nothing_of_ours() {
    if !is_root() {
        return;
    }
    let scene = open_home();
    let before = found(scene.home.root(), "-readable");
    live(&scene);
    let root = scene.home.root();
    // The client's own transcripts and git's objects have the modes that their makers give them.
    let others = [scene.home.claude_config(), scene.home.project().join(".git")];
    let is_ours =
        |path: &PathBuf| !others.iter().any(|folder| path.starts_with(folder)) && !before.contains(path);
    let read: Vec<PathBuf> = found(root, "-readable").into_iter().filter(is_ours).collect();
    let listed: Vec<&PathBuf> = read.iter().filter(|path| path.is_dir()).collect();
    assert!(listed.is_empty(), "another user lists {listed:?}");
    assert!(read.is_empty(), "another user reads {read:?}");
    let written: Vec<PathBuf> = found(root, "-writable").into_iter().filter(is_ours).collect();
    assert!(written.is_empty(), "another user writes {written:?}");
    let grep = as_other(&["grep", "-rlIs", SECRET, root.to_str().expect("a path")]);
    let told: Vec<&str> = grep
        .stdout
        .lines()
        .filter(|path| !others.iter().any(|folder| Path::new(path).starts_with(folder)))
        .collect();
    assert!(told.is_empty(), "another user finds the words in {told:?}");
    for name in ["throughline.db", "recall.db", "backups", "sessions"] {
        assert!(scene.home.data().join(name).exists(), "{name} is missing: the session was too short");
    }
    let bundle = fs::metadata(scene.home.project().join("app.throughline")).expect("the bundle");
    assert_eq!(bundle.mode() & 0o777, 0o600);
    let left: Vec<_> = fs::read_dir(root.join("tmp")).expect("the shared folder").flatten().collect();
    assert!(left.is_empty(), "left in the shared folder: {left:?}");
}

#[test]
fn another_user_cannot_lay_a_file_in_the_way_of_what_is_made_in_a_shared_folder() {
    if !is_root() {
        return;
    }
    let scene = open_home();
    let tmp = scene.home.root().join("tmp");
    // Everything that is opened there while verbs run that make temporary files.
    let mut names = Vec::new();
    for _ in 0..2 {
        let trace = scene.home.root().join("trace");
        let mut command = scene.home.command(Path::new("strace"));
        command.args(["-f", "-qq", "-e", "trace=openat,mkdir,mkdirat,symlink,link", "-o"]).arg(&trace);
        command.arg(crate::scene::BINARY).arg("demo");
        if Command::new("strace").arg("-V").output().is_err() {
            skipped("strace is missing");
            return;
        }
        process::run(&mut command, b"", Duration::from_mins(2)).assert_success();
        let lines = fs::read_to_string(&trace).expect("a trace");
        let prefix = format!("\"{}/", tmp.display());
        let made: BTreeSet<String> = lines
            .lines()
            .filter(|line| line.contains("O_CREAT") || line.contains("mkdir"))
            .filter_map(|line| line.split_once(&prefix)?.1.split(['"', '/']).next().map(str::to_owned))
            .collect();
        names.push(made);
    }
    assert!(!names[0].is_empty(), "the demo makes a folder of its own there");
    assert!(names[0].is_disjoint(&names[1]), "names that can be foretold: {names:?}");
}

#[test]
fn doctor_names_a_data_folder_that_another_user_owns_or_may_enter() {
    if !is_root() {
        return;
    }
    let scene = open_home();
    scene.ok(&["add", "decision", "use SQLite"]);
    fs::set_permissions(scene.home.data(), fs::Permissions::from_mode(0o755)).expect("a mode");
    let told = scene.run(&["doctor"]).stdout;
    assert!(told.contains("can be read by others") && told.contains("chmod 700"), "{told}");
    fs::set_permissions(scene.home.data(), fs::Permissions::from_mode(0o700)).expect("a mode");
    std::os::unix::fs::chown(scene.home.data(), Some(65534), Some(65534)).expect("another owner");
    let told = scene.run(&["doctor"]).stdout;
    assert!(told.contains("belongs to another user") && told.contains("chown"), "{told}");
}
