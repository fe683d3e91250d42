//! Endings: SessionEnd saves within the client's 1.5 seconds, whatever git does; Stop folds what waits.

use throughline_testkit::{Transcript, Usage, payload};

use crate::scene::{Scene, program};

fn started() -> Scene {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    let mut transcript = Transcript::new(&scene.home, "s1");
    transcript.user("Rewrite the importer, please.").assistant("It is done.", Usage::filling(20_000));
    scene
}

#[test]
fn the_end_is_saved_noted_and_archived() {
    let scene = started();
    scene.home.write("new.txt", "x");
    assert_eq!(scene.hook(&payload::session_end(&scene.home, "s1", "prompt_input_exit")), "");
    let state = scene.state();
    assert_eq!(state["trigger"], "checkpoint");
    assert!(state["git"]["status"].as_str().unwrap().contains("new.txt"), "{}", state["git"]);
    assert!(scene.ok(&["status"]).contains("session s1 ended"), "{}", scene.ok(&["status"]));
}

#[test]
fn a_git_that_hangs_does_not_hold_up_the_end() {
    let mut scene = started();
    let programs = scene.home.root().join("programs");
    program(&programs, "git", "echo $$ >> \"$TMPDIR/git-pids\"; sleep 61 & wait");
    scene.home.add_path_dir(&programs);
    let output = scene.hook_run(payload::session_end(&scene.home, "s1", "other").to_string());
    assert!(output.took.as_millis() < 1_500, "{:?}", output.took);
    assert_eq!(scene.state()["trigger"], "checkpoint", "saved all the same");
    assert!(
        !scene.state()["git"]["error"].as_str().unwrap_or_default().is_empty(),
        "{}",
        scene.state()["git"]
    );
    assert_eq!(scene.state()["decisions"][0]["decision"], "use SQLite");
    std::thread::sleep(std::time::Duration::from_millis(100));
    let pids = std::fs::read_to_string(scene.home.root().join("tmp/git-pids")).unwrap();
    for pid in pids.lines() {
        assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists(), "a git was left behind: {pid}");
    }
}

#[test]
fn verbs_do_not_wait_for_a_git_that_hangs_either() {
    let mut scene = started();
    let programs = scene.home.root().join("programs");
    program(&programs, "git", "exec sleep 62");
    scene.home.add_path_dir(&programs);
    let output = scene.run(&["save"]);
    output.assert_success();
    assert!(output.took.as_secs() < 8, "{:?}", output.took);
    assert!(output.stderr.contains("git:"), "{}", output.stderr);
    assert_eq!(scene.ok(&["add", "decision", "still quick"]), "D2 recorded\n");
}

#[test]
fn an_end_in_a_project_with_nothing_recorded_writes_nothing_into_it() {
    let scene = Scene::with_git();
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    scene.hook(&payload::stop(&scene.home, "s1", "x"));
    scene.hook(&payload::session_end(&scene.home, "s1", "other"));
    assert!(!scene.home.project().join(".claude").exists());
}

#[test]
fn an_archive_that_is_broken_costs_nothing() {
    let scene = started();
    std::fs::write(scene.home.data().join("throughline.db"), "this is no database").unwrap();
    scene.ok(&["add", "decision", "recorded beside a broken archive"]);
    scene.hook(&payload::stop(&scene.home, "s1", "x"));
    scene.hook(&payload::session_end(&scene.home, "s1", "other"));
    let all = scene.ok(&["list", "--all"]);
    assert!(all.contains("recorded beside a broken archive"), "{all}");
    let kept = crate::scene::files_under(&scene.home.data());
    let aside =
        kept.iter().find(|file| std::fs::read(file).is_ok_and(|bytes| bytes == b"this is no database"));
    // Whoever masks what is stored puts the database in order out of its log, which is whole.
    let is_mended = || {
        let wait = std::time::Duration::from_secs(1);
        throughline_store::archive::Archive::open(
            &throughline_store::door::outside::at(&scene.home.data().join("throughline.db")),
            wait,
        )
        .and_then(|archive| archive.quick_check())
        .is_ok_and(|problems| problems.is_empty())
    };
    assert!(aside.is_some() || is_mended(), "the broken one was kept: {kept:?}");
}

#[test]
fn an_archive_that_cannot_be_opened_leaves_everything_waiting() {
    let scene = started();
    let database = scene.home.data().join("throughline.db");
    for name in ["throughline.db-wal", "throughline.db-shm"] {
        let _ = std::fs::remove_file(scene.home.data().join(name));
    }
    std::fs::remove_file(&database).unwrap();
    std::fs::create_dir(&database).unwrap();
    let output = scene.run(&["add", "decision", "waits for its archive"]);
    output.assert_success();
    assert_eq!(output.stdout, "D2 recorded\n");
    assert!(output.stderr.contains("warning:"), "{}", output.stderr);
    scene.hook(&payload::session_end(&scene.home, "s1", "other"));
    assert!(
        scene.hook(&payload::session_start(&scene.home, "s2", "startup")).contains("waits for its archive")
    );
    std::fs::remove_dir(&database).unwrap();
    assert!(scene.ok(&["list", "--all"]).contains("waits for its archive"));
}

#[test]
fn everything_against_it_at_once_does_not_hold_up_the_end() {
    let mut scene = started();
    let programs = scene.home.root().join("programs");
    program(&programs, "git", "exec sleep 64");
    scene.home.add_path_dir(&programs);
    let lock = std::fs::File::options().append(true).open(scene.project_data().join("lock")).unwrap();
    lock.lock().unwrap();
    let mut writer = std::process::Command::new("python3");
    let database = scene.home.data().join("throughline.db");
    writer.arg("-c").arg("import sqlite3,sys,time; d=sqlite3.connect(sys.argv[1],isolation_level=None); d.execute('BEGIN EXCLUSIVE'); print('held',flush=True); time.sleep(20)");
    let mut writer = writer.arg(&database).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut said = [0; 4];
    std::io::Read::read_exact(writer.stdout.as_mut().unwrap(), &mut said).unwrap();
    let output = scene.hook_run(payload::session_end(&scene.home, "s1", "other").to_string());
    writer.kill().unwrap();
    writer.wait().unwrap();
    assert!(output.took.as_millis() < 1_500, "{:?}", output.took);
    drop(lock);
    scene.home.set_env("PATH", "/usr/local/bin:/usr/bin:/bin");
    assert!(scene.ok(&["status"]).contains("session s1 ended"), "the note came first");
    assert!(scene.ok(&["list", "--all"]).contains("use SQLite"));
}
