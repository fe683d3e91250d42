//! A full disk, a file-size limit, a file system without locks: an error for people, nothing for the agent, no loss.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use throughline_testkit::{Output, Transcript, payload, process};

use crate::scene::{BINARY, Scene, holding};

/// A small file system over a folder, for as long as the test runs.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// `None` where this user may not mount.
    fn over(folder: &Path, kilobytes: u32) -> Option<Self> {
        fs::create_dir_all(folder).expect("a folder to mount on");
        let size = format!("size={kilobytes}k,mode=0777");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder).output();
        mounted.is_ok_and(|output| output.status.success()).then(|| Self(folder.to_owned()))
    }

    /// Takes all the room there is, but for so many bytes.
    fn fill(&self, bytes_free: usize) {
        use std::io::Write;
        let path = self.0.join("ballast");
        let mut file = fs::File::create(&path).expect("a file for ballast");
        while file.write_all(&[b'x'; 4_096]).is_ok() {}
        let length = file.metadata().expect("its length").len();
        file.set_len(length.saturating_sub(bytes_free as u64)).expect("room again");
    }

    fn free(&self) {
        fs::remove_file(self.0.join("ballast")).expect("ballast to throw away");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

/// A scene whose project's files, or whose data, are on a small disk. Where nothing can be mounted there is a limit on
/// the size of files instead, tested below.
fn on_a_small_disk(which: &str) -> Option<(Scene, SmallDisk)> {
    let scene = Scene::with_git();
    let folder = if which == "data" { scene.home.data() } else { scene.home.project().join(".claude") };
    let disk = SmallDisk::over(&folder, 2_048)?;
    for number in 1..=5 {
        scene.ok(&["add", "decision", &format!("decision {number}")]);
    }
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    Some((scene, disk))
}

fn hooks_end_well(scene: &Scene) {
    for payload in [
        payload::post_tool_batch(&scene.home, "s1", &[]),
        payload::pre_compact(&scene.home, "s1", "auto", None),
        payload::session_start(&scene.home, "s2", "startup"),
        payload::session_end(&scene.home, "s1", "other"),
    ] {
        scene.hook(&payload);
    }
}

#[test]
fn a_full_disk_refuses_clearly_and_loses_nothing() {
    for which in ["data", "project"] {
        let Some((scene, disk)) = on_a_small_disk(which) else { return };
        let before = fs::read(scene.state_path()).unwrap();
        for bytes_free in [0, 4_096, 8_192] {
            disk.fill(bytes_free);
            let mut acknowledged = 0;
            for number in 0..4 {
                let output = scene.run(&["add", "constraint", &format!("{which} {bytes_free} {number}")]);
                if output.status.success() {
                    acknowledged += 1;
                    continue;
                }
                assert!(output.stderr.contains("No space left"), "{which}: {}", output.stderr);
                assert!(output.stderr.contains("nothing was lost"), "{which}: {}", output.stderr);
            }
            hooks_end_well(&scene);
            let state = scene.state();
            assert_eq!(state["decisions"].as_array().unwrap().len(), 5, "{which}");
            if bytes_free == 0 && which == "project" {
                assert_eq!(acknowledged, 0, "there was no room at all");
                assert_eq!(fs::read(scene.state_path()).unwrap(), before);
            }
            disk.free();
            let listed = scene.ok(&["list", "--all"]);
            for number in 1..=5 {
                assert!(listed.contains(&format!("decision {number}")), "{which}: {listed}");
            }
        }
        assert!(scene.ok(&["add", "decision", "room again"]).ends_with("recorded\n"));
        assert!(scene.ok(&["list"]).contains("room again"));
        assert_eq!(scene.ok(&["validate"]), "valid\n");
    }
}

#[test]
fn a_full_disk_leaves_the_last_backup_of_a_transcript_whole() {
    let Some((scene, disk)) = on_a_small_disk("data") else { return };
    let folder = scene.home.config().join("throughline");
    fs::create_dir_all(&folder).unwrap();
    let config = "[backup]\ntranscripts = true\nfrom_tokens = 1\nevery_tokens = 1\n";
    fs::write(folder.join("throughline.toml"), config).unwrap();
    scene.hook(&payload::session_start(&scene.home, "s1", "resume"));
    let mut transcript = Transcript::new(&scene.home, "s1");
    let mut grow = |tokens| {
        transcript.user("the same words").assistant("yes", holding(tokens));
        scene.hook(&payload::post_tool_batch(&scene.home, "s1", &[]));
        fs::read_to_string(scene.home.transcript_path("s1")).unwrap()
    };
    let restored = || scene.ok(&["backups", "restore", "s1", "--to", "-"]);
    let first = grow(10_000);
    assert_eq!(restored(), first);
    for (number, bytes_free) in [0, 4_096, 8_192].into_iter().enumerate() {
        disk.fill(bytes_free);
        let whole = grow(20_000 + number as u64 * 1_000);
        let copied = restored();
        assert!(whole.starts_with(&copied) && copied.starts_with(&first), "{bytes_free}");
        assert!(bytes_free > 0 || copied == first, "there was no room at all");
        disk.free();
    }
    let whole = grow(30_000);
    assert_eq!(restored(), whole);
}

#[test]
fn a_limit_on_the_size_of_files_is_a_full_disk() {
    let scene = Scene::with_git();
    for number in 1..=8 {
        scene.ok(&["add", "decision", &format!("decision {number} {}", "with words ".repeat(40))]);
    }
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    let before = fs::read(scene.state_path()).unwrap();
    assert!(before.len() > 1_024);
    let limited = |args: &str, stdin: &str| -> Output {
        let script = format!("ulimit -f 1; exec '{BINARY}' {args}");
        process::run(
            scene.home.command(Path::new("/bin/bash")).args(["-c", &script]),
            stdin.as_bytes(),
            Duration::from_secs(20),
        )
    };
    let output = limited("add decision 'too much'", "");
    assert_eq!(output.status.code(), Some(1), "{:?} {}", output.status, output.stderr);
    assert!(output.stderr.contains("too large") && output.stderr.contains("hint:"), "{}", output.stderr);
    assert_eq!(fs::read(scene.state_path()).unwrap(), before);
    for payload in [
        payload::pre_compact(&scene.home, "s1", "auto", None),
        payload::session_start(&scene.home, "s1", "compact"),
        payload::post_tool_batch(&scene.home, "s1", &[]),
        payload::session_end(&scene.home, "s1", "other"),
    ] {
        let output = limited("hook", &payload.to_string());
        assert_eq!(output.status.code(), Some(0), "{:?}", output.status);
        assert_eq!(output.stderr, "");
    }
    assert_eq!(scene.state()["decisions"].as_array().unwrap().len(), 8);
    assert_eq!(scene.ok(&["add", "decision", "and on"]).lines().count(), 1);
    assert_eq!(scene.archived().iter().filter(|row| row.text.starts_with("decision ")).count(), 8);
}

/// Runs the binary where a system call fails, as on a file system that does not know it.
fn without(scene: &Scene, call: &str, error: &str, args: &[&str], stdin: &str) -> Output {
    let mut command = scene.home.command(Path::new("strace"));
    command
        .args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("inject={call}:error={error}"), BINARY])
        .args(args);
    process::run(&mut command, stdin.as_bytes(), Duration::from_secs(30))
}

#[test]
fn a_file_system_without_locks_is_said_and_loses_nothing() {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    let before = fs::read(scene.state_path()).unwrap();
    for error in ["EOPNOTSUPP", "ENOLCK", "ENOSYS"] {
        let output = without(&scene, "flock", error, &["add", "decision", "x"], "");
        assert_eq!(output.status.code(), Some(1), "{error}: {}", output.stderr);
        assert!(output.stderr.contains("does not support locks"), "{}", output.stderr);
        assert!(output.stderr.contains("hint: nothing was changed"), "{}", output.stderr);
        let output = without(&scene, "flock", error, &["list"], "");
        assert!(output.stdout.contains("use SQLite"), "reading needs no lock: {}", output.stderr);
    }
    for payload in [
        payload::session_start(&scene.home, "s2", "startup"),
        payload::pre_compact(&scene.home, "s1", "auto", None),
        payload::session_end(&scene.home, "s1", "other"),
    ] {
        let output = without(&scene, "flock", "EOPNOTSUPP", &["hook"], &payload.to_string());
        output.assert_success();
        assert!(
            payload["hook_event_name"] == "SessionEnd" || output.stdout.contains("use SQLite"),
            "{}",
            output.stdout
        );
    }
    assert_eq!(fs::read(scene.state_path()).unwrap(), before);
    assert_eq!(scene.ok(&["add", "decision", "with locks again"]), "D2 recorded\n");
}

#[test]
fn an_archive_without_locks_leaves_everything_waiting() {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    let output = without(&scene, "fcntl", "ENOLCK", &["add", "decision", "no database"], "");
    assert_eq!(output.status.code(), Some(0), "{}", output.stderr);
    assert!(output.stdout.contains("D2 recorded"), "{}", output.stdout);
    for payload in [
        payload::session_start(&scene.home, "s2", "startup"),
        payload::session_end(&scene.home, "s1", "other"),
    ] {
        without(&scene, "fcntl", "ENOLCK", &["hook"], &payload.to_string()).assert_success();
    }
    let all = scene.ok(&["list", "--all"]);
    assert!(all.contains("use SQLite") && all.contains("no database"), "{all}");
}

#[test]
fn a_lock_that_is_held_costs_a_person_an_error_after_ten_seconds() {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    let lock = fs::File::options().append(true).open(scene.project_data().join("lock")).unwrap();
    lock.lock().unwrap();
    let output = scene.run(&["add", "decision", "x"]);
    assert_eq!(output.status.code(), Some(1));
    assert!((10..12).contains(&output.took.as_secs()), "{:?}", output.took);
    assert!(
        output.stderr.contains("another process holds")
            && output.stderr.contains("hint: nothing was changed")
    );
    assert!(scene.ok(&["list"]).contains("use SQLite"), "reading needs no lock");
}

#[test]
fn a_holder_that_was_killed_blocks_nobody() {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    let lock = scene.project_data().join("lock");
    let mut holder = Command::new("flock").arg("--no-fork").arg(&lock).args(["sleep", "60"]).spawn().unwrap();
    let is_held = || fs::File::options().append(true).open(&lock).unwrap().try_lock().is_err();
    for _ in 0..100 {
        if is_held() {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(is_held());
    holder.kill().unwrap();
    holder.wait().unwrap();
    let output = scene.run(&["add", "decision", "next"]);
    assert_eq!(output.assert_success().stdout, "D2 recorded\n");
    assert!(output.took < Duration::from_secs(5), "{:?}", output.took);
}
