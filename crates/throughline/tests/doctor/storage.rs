//! The data folder: read-only, full, open to others, without locks; and a lock that somebody holds.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;

use crate::scene::{Report, Scene, has};

#[test]
fn a_lock_that_somebody_holds_is_a_warning_that_names_them() {
    let scene = Scene::at_work();
    let lock = File::options().append(true).open(scene.project_data().join("lock")).expect("the lock file");
    lock.lock().expect("the lock");
    let report = scene.doctor();
    report.says("lock", "warn", "for more than", "nothing is lost");
    if cfg!(target_os = "linux") {
        report.says("lock", "warn", &format!("process {} (", std::process::id()), "");
    }
    drop(lock);
    scene.doctor().is_fine("lock");
}

#[test]
fn a_file_system_without_locks_is_a_failure() {
    if !has("strace") {
        return;
    }
    let scene = Scene::at_work();
    let args = ["-f", "-o", "/dev/null", "-e", "trace=flock", "-e", "inject=flock:error=EOPNOTSUPP"];
    let report = scene.doctor_through("strace", &args);
    report.fails().says("lock", "fail", "does not support locks", "THROUGHLINE_HOME");
}

#[test]
fn a_data_folder_that_others_read_is_a_warning() {
    let scene = Scene::at_work();
    fs::set_permissions(scene.home.data(), fs::Permissions::from_mode(0o755)).expect("a mode");
    scene.doctor().passes().says("disk", "warn", "can be read by others (mode 755)", "chmod 700");
}

#[test]
fn a_data_folder_that_cannot_be_written_is_a_failure() {
    let scene = Scene::at_work();
    let data = scene.home.data();
    let script =
        format!("mount --bind {0} {0} && mount -o remount,ro,bind {0} && exec \"$@\"", data.display());
    let Some(report) = in_a_mount_of_its_own(&scene, &script) else { return };
    report.fails().says("disk", "fail", "Read-only file system", "THROUGHLINE_HOME");
    scene.doctor().passes();
}

#[test]
fn a_usage_log_that_cannot_be_written_is_a_warning() {
    let scene = Scene::at_work();
    scene.doctor().passes().says("usage log", "ok", "context-usage.jsonl", "");
    fs::create_dir_all(scene.home.project().join(".claude/logs/context-usage.jsonl")).expect("a folder");
    scene.doctor().passes().says("usage log", "warn", "cannot be logged", "log = false");
    scene.home.configure("[usage]\nlog = false\n[statusline]\npreset = \"odd\"\n");
    let report = scene.doctor();
    report.passes().says("usage log", "skip", "switched off", "");
    report.says("configuration", "warn", "`odd` is no preset", "--demo");
}

#[test]
fn a_disk_that_is_nearly_full_is_a_failure_and_a_small_one_a_warning() {
    let scene = Scene::new();
    scene.ok(&["init"]);
    for (size, state) in [("3m", "fail"), ("60m", "warn")] {
        let data = scene.home.data();
        let script = format!("mount -t tmpfs -o mode=700,size={size} none {} && exec \"$@\"", data.display());
        let Some(report) = in_a_mount_of_its_own(&scene, &script) else { return };
        report.says("disk", state, "are free for the data folder", "free some space");
    }
}

#[test]
fn a_data_folder_that_is_a_file_is_a_failure_without_a_panic() {
    let mut scene = Scene::new();
    let file = scene.home.root().join("file");
    fs::write(&file, "in the way").expect("a file");
    scene.home.set_env("THROUGHLINE_HOME", &file);
    scene.doctor().fails().says("disk", "fail", "", "THROUGHLINE_HOME").says(
        "lock",
        "fail",
        "",
        "THROUGHLINE_HOME",
    );
}

/// `doctor` where a script has mounted something first; `None`, aloud, where the system does not allow that.
fn in_a_mount_of_its_own(scene: &Scene, script: &str) -> Option<Report> {
    if !has("unshare") {
        return None;
    }
    let unshare = crate::scene::on_path("unshare")?;
    let args = ["--map-root-user", "--mount", "sh", "-c", script, "sh"];
    let mut allowed = args.to_vec();
    allowed.push("true");
    let tried = scene.home.run(&unshare, &allowed, "");
    if !tried.status.success() {
        eprintln!("left out: no mounts on this machine: {}", tried.stderr.trim());
        return None;
    }
    Some(scene.doctor_through("unshare", &args))
}
