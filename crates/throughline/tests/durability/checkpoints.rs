//! A kill while a checkpoint is made: the old ones stand, and the new one is whole or not there.

use std::fs;

use serde_json::Value;

use crate::scene::{Scene, has};
use crate::traced;

const CREATE: [&str; 2] = ["checkpoint", "create"];

#[test]
fn a_checkpoint_is_whole_or_not_there_wherever_its_writer_is_killed() {
    if !has("strace") {
        return;
    }
    let scene = Scene::with_git();
    scene.home.configure("[checkpoints]\nmax = 5000\n");
    scene.home.write("a.txt", "the first");
    scene.verb(&["checkpoint", "create"]).assert_success();
    let first = ids(&scene);
    let mut killed = 0;
    scene.home.write("a.txt", "counted");
    for (number, call) in traced::calls(&scene, &CREATE, ".claude/checkpoints/.2").into_iter().enumerate() {
        scene.home.write("a.txt", &format!("version {number}"));
        let before = ids(&scene);
        let ended = traced::run_killed(&scene, &CREATE, &call);
        killed += usize::from(!ended);
        let after = ids(&scene);
        assert!(before.iter().all(|id| after.contains(id)), "killed at {call}: an old one is gone");
        assert!(after.contains(&first[0]));
        assert!(!ended || after.len() == before.len() + 1, "killed at {call}: acknowledged and not there");
        for id in &after {
            let path = scene.home.project().join(format!(".claude/checkpoints/{id}.json"));
            let read: Value = serde_json::from_slice(&fs::read(&path).unwrap_or_default())
                .unwrap_or_else(|error| panic!("killed at {call}: {id} is torn: {error}"));
            let tree = read["git"]["tree"].as_str().expect("its files were kept");
            let kept = scene.home.git(&["rev-parse", &format!("refs/throughline/checkpoints/{id}")]);
            assert_eq!(kept.trim(), tree, "killed at {call}: git may collect what {id} promises");
        }
    }
    println!("{killed} kills");
    assert!(killed > 80, "{killed}");
    // The next one finds its way through what the killed ones left.
    scene.home.write("a.txt", "the last");
    scene.verb(&["checkpoint", "create"]).assert_success();
    scene.verb(&["checkpoint", "prune"]).assert_success();
    let names = scene.home.git(&["for-each-ref", "--format=%(refname:lstrip=3)", "refs/throughline"]);
    let mut names: Vec<&str> = names.lines().collect();
    names.sort_unstable();
    assert_eq!(names, ids(&scene), "one reference for each");
    assert!(!scene.data_of_project().join("checkpoint-scratch").exists());
    scene.age_temps();
    scene.verb(&["checkpoint", "prune"]).assert_success();
    assert_eq!(scene.temps(), Vec::<std::path::PathBuf>::new());
}

fn ids(scene: &Scene) -> Vec<String> {
    let folder = scene.home.project().join(".claude/checkpoints");
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut ids: Vec<String> =
        names.filter_map(|name| Some(name.strip_suffix(".json")?.to_owned())).collect();
    ids.retain(|id| !id.starts_with('.'));
    ids.sort_unstable();
    ids
}
