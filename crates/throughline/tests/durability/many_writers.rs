//! Many writers at once: every entry is there, and no id was given twice.

use std::collections::BTreeSet;
use std::time::Instant;

use throughline_testkit::Output;

use crate::scene::{Scene, words_of};

const WRITERS: usize = 64;
/// Entries of each writer; `cargo xtask torture` asks for 50.
const ENTRIES: usize = 10;
const TRIES_MAX: usize = 10;

#[test]
fn sixty_four_writers_at_once_lose_nothing_and_share_no_id() {
    let entries = std::env::var("THROUGHLINE_TORTURE_ENTRIES").ok().and_then(|text| text.parse().ok());
    let entries = entries.unwrap_or(ENTRIES);
    let scene = Scene::new();
    let began = Instant::now();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let scene = &scene;
            scope.spawn(move || {
                for entry in 0..entries {
                    let what = ["decision", "constraint", "question", "evidence", "highlight", "action"];
                    let text = format!("writer {writer} entry {entry}");
                    let add = || scene.verb(&["add", what[(writer + entry) % what.len()], &text]);
                    // On a busy machine the others may take longer than a person waits: that is said, nothing is
                    // recorded, and the person tries again.
                    let is_refused = |output: &Output| output.stderr.contains("another process holds");
                    let mut output = add();
                    for _ in 0..TRIES_MAX {
                        if !is_refused(&output) {
                            break;
                        }
                        output = add();
                    }
                    output.assert_success();
                    assert!(output.stdout.contains("recorded"), "{}", output.stdout);
                }
            });
        }
    });
    let took = began.elapsed();
    let rows = scene.check().unwrap_or_else(|violation| panic!("{violation}\n{}", scene.dump()));
    let words: BTreeSet<String> = rows.iter().map(words_of).collect();
    let wanted = (0..WRITERS)
        .flat_map(|writer| (0..entries).map(move |entry| format!("writer {writer} entry {entry}")));
    let lost: Vec<String> = wanted.filter(|text| !words.contains(text)).collect();
    assert!(lost.is_empty(), "{} entries are lost: {lost:?}", lost.len());
    assert_eq!(rows.len(), WRITERS * entries, "each entry once");
    println!("{WRITERS} writers, {entries} entries each: {:.1} s", took.as_secs_f64());
}
