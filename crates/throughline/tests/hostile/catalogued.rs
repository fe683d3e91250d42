//! Everything that is done leaves no file that the catalogue does not name.

use std::fs;
use std::path::{Path, PathBuf};

use throughline_store::catalogue::{Under, row_of};

use crate::scene::{SESSION, Scene, tree};

/// What `init` writes into a project: the client's files, which are edited, not ours.
const OF_THE_CLIENT: [&str; 4] =
    ["settings.json", "settings.local.json", "commands/context-compact.md", "commands/throughline.md"];

fn unknown(under: Under, root: &Path, known: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let all = tree(root).into_keys().filter(|path| path.is_file() && !path.is_symlink());
    let below = all.map(|path| path.strip_prefix(root).unwrap().to_owned());
    below.filter(|path| row_of(under, path).is_none() && !known(path)).collect()
}

#[test]
fn no_verb_and_no_hook_writes_a_file_that_the_catalogue_lacks() {
    let mut scene = Scene::new();
    scene.home.set_env("EDITOR", "true");
    let folder = scene.home.config().join("throughline");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("throughline.toml"), "[backup]\ntranscripts = true\n").unwrap();
    // One run after the other: what the last verbs took away, others wrote before.
    let mut seen = 0;
    let look = |scene: &Scene| {
        let project = scene.home.project().join(".claude");
        let of_client = |path: &Path| OF_THE_CLIENT.iter().any(|name| path == Path::new(name));
        assert_eq!(unknown(Under::Project, &project, of_client), Vec::<PathBuf>::new());
        assert_eq!(unknown(Under::Data, &scene.home.data(), |_| false), Vec::<PathBuf>::new());
        let client = scene.home.claude_config();
        assert_eq!(unknown(Under::Client, &client, |path| !path.starts_with("data")), Vec::<PathBuf>::new());
        tree(&project).len() + tree(&scene.home.data()).len()
    };
    let run = |args: &[&str], stdin: &str| {
        let output = scene.run(args, stdin);
        look(&scene);
        output
    };
    scene.do_everything_by(&run);
    for verb in [&["add", "decision", "x"][..], &["checkpoint", "create"]] {
        scene.run(verb, "").assert_success();
    }
    // Broken files are set aside under names that are known, too.
    fs::write(scene.home.project().join(".claude/unified-session-state.json"), "{").unwrap();
    fs::write(scene.home.data().join("throughline.db"), "no database at all, and long enough to be none")
        .unwrap();
    run(&["list"], "");
    run(&["doctor"], "");
    // Somebody else's version that waits.
    fs::write(
        scene.home.project().join(".claude/unified-session-state.json"),
        r#"{"version":"2.0.0","decisions":[{"id":"D9","decision":"theirs"}]}"#,
    )
    .unwrap();
    run(&["add", "decision", "y"], "");
    run(&["trust", "--yes"], "");
    run(&["edit", "--file"], "");
    run(&["hook"], &throughline_testkit::payload::session_start(&scene.home, SESSION, "startup").to_string());
    seen += look(&scene);
    assert!(seen > 20, "{seen}");
}

#[test]
fn a_project_that_is_the_home_folder_keeps_to_the_catalogue_too() {
    let mut scene = Scene::new();
    let project = scene.home.project();
    scene.home.set_env("HOME", &project);
    scene.do_everything();
    scene.run(&["add", "decision", "x"], "").assert_success();
    let data = scene.home.data();
    let files = |path: &Path| path.iter().nth(2).is_some_and(|name| name == "files");
    assert_eq!(unknown(Under::Data, &data, files), Vec::<PathBuf>::new());
    let folders =
        fs::read_dir(data.join("projects")).unwrap().map(|entry| entry.unwrap().path().join("files"));
    for folder in folders.filter(|folder| folder.is_dir()) {
        assert_eq!(unknown(Under::Project, &folder, |_| false), Vec::<PathBuf>::new());
    }
}
