//! A kill while notes are written: the page is the old one or the new one, and what was acknowledged is in it.

use std::fs;

use throughline_testkit::{Transcript, Usage, payload};

use crate::scene::{SESSION, Scene, has};
use crate::traced;

const PAGE: &str = ".claude/sessions";

#[test]
fn a_page_of_notes_is_old_or_new_wherever_its_writer_is_killed() {
    if !has("strace") {
        return;
    }
    let scene = Scene::with_git();
    // Short, so that old pages are put aside as well.
    scene.home.configure("[notes]\npage_bytes = 3000\n");
    scene.hook(&payload::session_start(&scene.home, SESSION, "startup"));
    Transcript::new(&scene.home, SESSION)
        .user("Write the importer, and keep the public API as it is.")
        .assistant("I will.", Usage::filling(20_000));
    scene.verb(&["note", "a first note"]).assert_success();
    let mut told = vec!["a first note".to_owned()];
    let mut killed = 0;
    for (number, call) in traced::calls(&scene, &["note", "counted"], "/.notes").into_iter().enumerate() {
        let text = format!("note number {number} of them");
        let ended = traced::run_killed(&scene, &["note", &text], &call);
        killed += usize::from(!ended);
        let page = fs::read_to_string(folder(&scene).join("notes.md")).expect("a page, and of text");
        assert_eq!(page.matches("<!-- throughline: begin").count(), 1, "killed at {call}: {page}");
        assert_eq!(page.matches("<!-- throughline: end -->").count(), 1, "killed at {call}: {page}");
        assert!(page.starts_with("# Session ") && page.ends_with('\n'), "killed at {call}: {page}");
        if ended {
            told.push(text);
        }
        let all = pages(&scene);
        for text in &told {
            assert!(all.contains(&format!("Note: {text}\n")), "killed at {call}: `{text}` is gone");
        }
    }
    println!("{killed} kills");
    assert!(killed > 80, "{killed}");
    scene.verb(&["note", "the last"]).assert_success();
    assert!(pages(&scene).contains("Note: the last\n"));
    scene.age_temps();
    scene.hook(&payload::stop(&scene.home, SESSION, "done"));
    assert_eq!(scene.temps(), Vec::<std::path::PathBuf>::new());
}

fn folder(scene: &Scene) -> std::path::PathBuf {
    scene.home.project().join(PAGE).join(SESSION)
}

/// Everything that is on the page and on those that were put aside.
fn pages(scene: &Scene) -> String {
    let entries = fs::read_dir(folder(scene)).expect("a folder of notes").flatten();
    let pages = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("notes"));
    pages.map(|entry| fs::read_to_string(entry.path()).expect("a page of text")).collect()
}
