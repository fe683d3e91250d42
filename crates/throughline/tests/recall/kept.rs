//! Kept: what the client deleted stays, what is too old or too much goes, and a damaged index is made again.

use std::fs;

use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::scene::Scene;

#[test]
fn a_transcript_that_the_client_deleted_stays_recalled() {
    let scene = Scene::told();
    scene.ok(&["backfill"]);
    fs::remove_file(scene.file("s2")).unwrap();
    scene.ok(&["backfill"]);
    assert!(scene.texts("redis queue")[0].contains("Postgres over Redis"));
}

#[test]
fn what_is_too_old_is_forgotten_and_entries_stay() {
    let mut scene = Scene::new();
    let days_ago = |days: i64| (Timestamp::now() - SignedDuration::from_hours(24 * days)).to_string();
    let mut said = |session: &str, days: i64, text: &str| {
        let message = json!({"role": "user", "content": text});
        scene.line(session, &json!({"type": "user", "timestamp": days_ago(days), "message": message}));
    };
    said("s1", 500, "an old pelican");
    said("s2", 300, "a young pelican");
    scene.ok(&["add", "decision", "the pelican stays"]);
    assert_eq!(scene.texts("pelican").len(), 3);
    scene.configure("keep_days = 400");
    let message = json!({"role": "user", "content": "something new"});
    scene.line("s8", &json!({"type": "user", "timestamp": days_ago(1), "message": message}));
    let removed = scene.json(&["backfill", "--json"])["recall"]["sessions_removed"].as_u64();
    assert_eq!(removed, Some(1));
    assert_eq!(scene.texts("pelican"), ["the pelican stays", "a young pelican"]);
}

#[test]
fn the_index_keeps_within_its_room_and_the_oldest_go_first() {
    let mut scene = Scene::new();
    for session in 0..8 {
        for line in 0..60 {
            let noise: Vec<String> = (0..200).map(|word| format!("w{session}x{line}x{word}")).collect();
            let noise = noise.join(" ");
            scene.user(&format!("s{session}"), &format!("egret{session} {noise}"));
        }
    }
    scene.ok(&["backfill"]);
    scene.user("s9", "one more");
    let one_more = fs::read_to_string(scene.file("s9")).unwrap();
    fs::remove_file(scene.file("s9")).unwrap();
    let bytes = || -> u64 {
        let of = |name: &str| fs::metadata(scene.home.data().join(name)).map_or(0, |meta| meta.len());
        of("recall.db") + of("recall.db-wal")
    };
    let before = bytes();
    let room = before / 2;
    scene.configure(&format!("keep_days = 0\nmax_bytes = {room}"));
    scene.append("s9", &one_more);
    scene.ok(&["backfill"]);
    let after = bytes();
    assert!(after <= room, "{after} of {room}, {before} before");
    assert!(scene.texts("egret0").is_empty(), "the oldest went");
    assert_eq!(scene.texts("\"one more\""), ["one more"]);
    assert!(!scene.texts("egret7").is_empty());
}

#[test]
fn a_damaged_index_is_set_aside_and_made_again() {
    let scene = Scene::told();
    scene.ok(&["backfill"]);
    let path = scene.home.data().join("recall.db");
    let _ = fs::remove_file(scene.home.data().join("recall.db-wal"));
    fs::write(&path, "this is no database, and it is long enough to look like one").unwrap();
    let output = scene.run(&["recall", "redis"]);
    assert!(output.stdout.contains("Postgres over Redis"), "{} {}", output.stdout, output.stderr);
    assert!(output.stderr.contains("the old one is at"), "{}", output.stderr);
}

#[test]
fn switched_off_nothing_is_indexed() {
    let scene = Scene::told();
    scene.configure("enabled = false");
    assert!(scene.json(&["backfill", "--json"])["recall"].is_null());
    assert!(!scene.home.data().join("recall.db").exists());
    assert!(scene.run(&["recall", "redis"]).stderr.contains("switched off"));
}

#[test]
fn the_index_is_the_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let scene = Scene::told();
    scene.ok(&["backfill"]);
    let mode = fs::metadata(scene.home.data().join("recall.db")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
