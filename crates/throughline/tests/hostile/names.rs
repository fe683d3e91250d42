//! Every name of the catalogue, and those that we read beside them, as every kind of node that is no file of ours.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use throughline_store::catalogue::{ROWS, Under};
use throughline_store::paths::{Home, Project};
use throughline_testkit::Output;

use crate::scene::{BINARY, SESSION, Scene};

/// What a clone, or somebody who could write once, left in the place of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Node {
    /// A link to a file outside.
    LinkToFile,
    /// A link to a file that is not there yet.
    LinkToNothing,
    /// A link to a folder outside, in the place of the file's own folder.
    LinkedFolder,
    /// A second name of a file outside.
    HardLink,
    /// A pipe that nobody writes to.
    Pipe,
    /// A device that never ends.
    Device,
}

/// Names in the project that are read, or written by `init`, beside the catalogue's.
const BESIDE: [&str; 6] = [
    ".claude/session-state.md",
    ".claude/settings.local.json",
    ".claude/commands/throughline.md",
    ".mcp.json",
    "CLAUDE.md",
    ".git/info/exclude",
];

impl Node {
    /// Puts it there; `None` where it makes no sense.
    fn place(self, scene: &Scene, path: &Path) -> Option<()> {
        let outside = scene.outside();
        let folder = path.parent().unwrap();
        if self == Node::LinkedFolder {
            // A root of ours is the user's own choice; a folder below it is not.
            if folder == scene.home.project()
                || folder == scene.home.data()
                || folder.exists() && folder.is_symlink()
            {
                return None;
            }
            let _ = fs::remove_dir_all(folder);
            fs::create_dir_all(folder.parent().unwrap()).unwrap();
            symlink(outside.join("keys"), folder).unwrap();
            return Some(());
        }
        fs::create_dir_all(folder).unwrap();
        let _ = fs::remove_file(path);
        match self {
            Node::LinkToFile if path.ends_with("unified-session-state.json") => {
                symlink(outside.join("state.json"), path).unwrap();
            }
            Node::LinkToFile => symlink(outside.join("file"), path).unwrap(),
            Node::LinkToNothing => symlink(outside.join("new"), path).unwrap(),
            Node::HardLink => fs::hard_link(outside.join("file"), path).unwrap(),
            Node::Pipe => rustix::fs::mknodat(
                rustix::fs::CWD,
                path,
                rustix::fs::FileType::Fifo,
                rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
                0,
            )
            .unwrap(),
            Node::Device => symlink("/dev/zero", path).unwrap(),
            Node::LinkedFolder => {}
        }
        Some(())
    }
}

fn paths(scene: &Scene, under: Under) -> Vec<PathBuf> {
    let data = Home::at(scene.home.data());
    let root = fs::canonicalize(scene.home.project()).unwrap();
    let key = Project::at(&root, None, &data).key;
    let rows = ROWS.iter().filter(|row| row.under == under);
    let below = rows.map(|row| row.example(SESSION, &key));
    let top = match under {
        Under::Project => scene.home.project().join(".claude"),
        Under::Data => scene.home.data(),
        Under::Client => scene.home.claude_config(),
    };
    let mut all: Vec<PathBuf> = below.map(|path| top.join(path)).collect();
    if under == Under::Project {
        all.extend(BESIDE.map(|name| scene.home.project().join(name)));
    }
    all
}

/// Names that are met together. Where one of them alone stops a verb (the state file, a lock, a database), it is met by
/// itself: what comes behind it must be met, too.
fn groups(scene: &Scene, under: Under, node: Node) -> Vec<Vec<PathBuf>> {
    let all = paths(scene, under);
    if std::env::var_os("THROUGHLINE_HOSTILE_EACH").is_some() {
        return all.into_iter().map(|path| vec![path]).collect();
    }
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    let stops = |path: &PathBuf| {
        let name = name(path);
        name == "unified-session-state.json" || name.ends_with("lock") || name.strip_suffix(".db").is_some()
    };
    let (alone, together): (Vec<PathBuf>, Vec<PathBuf>) = all.into_iter().partition(stops);
    let alone = alone.into_iter().filter(|path| !name(path).contains("set-aside"));
    match node {
        // Of a folder that is a link, everything in it is behind one.
        Node::LinkedFolder => {
            let mut folders: Vec<PathBuf> =
                together.into_iter().chain(alone).map(|path| path.parent().unwrap().join("x")).collect();
            folders.sort();
            folders.dedup();
            folders.into_iter().map(|path| vec![path]).collect()
        }
        // What holds up or never ends is met where a verb would read it first.
        Node::Pipe | Node::Device => vec![together, alone.collect()],
        _ => alone.map(|path| vec![path]).chain([together]).collect(),
    }
}

/// Nothing outside changes. What stands there may be refused, replaced or left: a hook ends well in any case.
fn try_all(under: Under, nodes: &[Node]) {
    let mut tried = 0;
    for node in nodes {
        for number in 0..groups(&Scene::new(), under, *node).len() {
            let scene = Scene::new();
            let group = &groups(&scene, under, *node)[number];
            if group.iter().filter_map(|path| node.place(&scene, path)).count() == 0 {
                continue;
            }
            let before = scene.outside_now();
            scene.do_everything();
            assert_eq!(scene.outside_now(), before, "{node:?} at {group:?}");
            tried += 1;
        }
    }
    assert!(tried > 0);
}

#[test]
fn links_at_our_names_in_a_project_change_nothing_outside() {
    try_all(Under::Project, &[Node::LinkToFile, Node::LinkToNothing]);
}

#[test]
fn linked_folders_in_a_project_change_nothing_outside() {
    try_all(Under::Project, &[Node::LinkedFolder]);
}

#[test]
fn pipes_devices_and_second_names_in_a_project_change_nothing_outside_and_hold_nobody_up() {
    try_all(Under::Project, &[Node::HardLink, Node::Pipe, Node::Device]);
}

#[test]
fn links_in_the_data_folder_change_nothing_outside() {
    try_all(Under::Data, &[Node::LinkToFile, Node::LinkToNothing]);
}

#[test]
fn second_names_pipes_and_devices_in_the_data_folder_change_nothing_outside() {
    try_all(Under::Data, &[Node::HardLink, Node::Pipe, Node::Device]);
}

#[test]
fn linked_folders_in_the_data_folder_change_nothing_outside() {
    try_all(Under::Data, &[Node::LinkedFolder]);
}

#[test]
fn links_among_the_summaries_change_nothing_outside() {
    try_all(Under::Client, &[Node::LinkToFile, Node::LinkedFolder, Node::HardLink, Node::Pipe]);
}

/// Paths that a process opened, as the system tells them: `openat(…) = 3</path>`.
fn opened(log: &str) -> Vec<PathBuf> {
    let ends = log.lines().filter_map(|line| line.rsplit_once(" = ")?.1.split_once('<')?.1.strip_suffix('>'));
    ends.map(PathBuf::from).collect()
}

#[test]
fn nothing_outside_is_opened_through_a_link() {
    if std::process::Command::new("strace").arg("-V").output().is_err() {
        println!("skipped: strace is missing");
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "strace is missing");
        return;
    }
    for node in [Node::LinkToFile, Node::LinkedFolder] {
        // All names at once: each process meets all of them.
        let scene = Scene::new();
        for path in paths(&scene, Under::Project) {
            if !path.exists() || path.is_file() {
                let _ = node.place(&scene, &path);
            }
        }
        let log = scene.home.root().join("trace");
        let traced: Mutex<(usize, Vec<PathBuf>)> = Mutex::default();
        let run = |args: &[&str], stdin: &str| -> Output {
            let mut command = vec![
                "-f",
                "-y",
                "-qq",
                "-e",
                "trace=open,openat,openat2,creat",
                "-o",
                log.to_str().unwrap(),
                BINARY,
            ];
            command.extend(args);
            let output = scene.home.run(Path::new("/usr/bin/strace"), &command, stdin);
            let text = fs::read_to_string(&log).unwrap_or_default();
            let mut traced = traced.lock().unwrap();
            let opened = opened(&text);
            traced.0 += opened.len();
            traced.1.extend(opened.into_iter().filter(|path| path.starts_with(scene.outside())));
            output
        };
        let before = scene.outside_now();
        scene.do_everything_by(&run);
        assert_eq!(scene.outside_now(), before, "{node:?}");
        let (count, outside) = traced.into_inner().unwrap();
        assert!(count > 500, "only {count} files were opened: the trace is not what it should be");
        assert_eq!(outside, Vec::<PathBuf>::new(), "{node:?}");
    }
}
