//! A folder that becomes a link, and a folder again, while verbs and hooks are at work.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags};
use throughline_testkit::payload;

use crate::scene::{SESSION, Scene};

const TIME: Duration = Duration::from_secs(8);

#[test]
fn a_folder_that_is_swapped_for_a_link_leads_nobody_outside() {
    for name in [".claude", ".claude/sessions", ".claude/checkpoints"] {
        let scene = Scene::new();
        let path = scene.home.project().join(name);
        fs::create_dir_all(&path).unwrap();
        let link = scene.home.project().join("link");
        symlink(scene.outside().join("keys"), &link).unwrap();
        let before = scene.outside_now();
        let (is_over, swaps) = (AtomicBool::new(false), AtomicU64::new(0));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    // Both keep their names: at every moment something stands there.
                    let swapped = rustix::fs::renameat_with(CWD, &path, CWD, &link, RenameFlags::EXCHANGE);
                    swaps.fetch_add(u64::from(swapped.is_ok()), Ordering::Relaxed);
                }
            });
            let end = Instant::now() + TIME / 3;
            while Instant::now() < end {
                let _ = fs::remove_file(scene.home.data().join("masked.json"));
                for payload in [
                    payload::session_start(&scene.home, SESSION, "startup"),
                    payload::pre_compact(&scene.home, SESSION, "auto", None),
                    payload::stop(&scene.home, SESSION, "done"),
                ] {
                    scene.run(&["hook"], &payload.to_string()).assert_success();
                }
                for verb in [
                    &["add", "decision", "the blue heron"][..],
                    &["note", "x"],
                    &["checkpoint", "create"],
                    &["forget", "blue", "heron", "--yes"],
                ] {
                    scene.run(verb, "");
                }
            }
            is_over.store(true, Ordering::Relaxed);
        });
        assert_eq!(scene.outside_now(), before, "{name}");
        assert!(swaps.into_inner() > 1_000);
    }
}
