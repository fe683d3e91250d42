//! Our files: for the owner alone, in our folders alone; a hostile project leads none of them elsewhere.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use throughline_testkit::{Transcript, Usage, payload};

use crate::scene::{STATE, Scene, files_under};

/// A session in which everything that can be written is written.
fn live(scene: &Scene, session: &str) {
    let home = &scene.home;
    scene.hook(&payload::session_start(home, session, "startup"));
    scene.run(&["add", "decision", "use SQLite"]);
    scene.run(&["anchor", "add", "ports start at 7000"]);
    let mut transcript = Transcript::new(home, session);
    transcript.user("Read the importer. Never change the order of the columns.");
    let used = || Usage::filling(150_000);
    transcript.tool(
        "TaskCreate",
        &json!({"subject": "read it", "description": "all"}),
        "Task #1 created successfully: read it",
        used(),
    );
    let id = transcript.tool_call("Bash", &json!({"command": "cargo test"}), used());
    transcript.tool_result(&id, "Exit code 1\nerror: no such column", true);
    transcript.tool("TaskUpdate", &json!({"taskId": "1", "status": "completed"}), "ok", used());
    transcript.assistant(
        "We decided to use SQLite as the storage instead of plain files, because two processes write.",
        used(),
    );
    scene.hook(&payload::user_prompt_submit(home, session, "go"));
    scene.hook(&payload::post_tool_batch(home, session, &[]));
    scene.hook(&payload::task_completed(home, session, "1", "read it"));
    scene.hook(&payload::stop(home, session, "done"));
    let line = payload::status_line(home, session, 200_000, Some(150_000), 1_000).to_string();
    home.run(Path::new(crate::scene::BINARY), &["statusline"], line);
    scene.run(&["checkpoint", "create"]);
    scene.run(&["note", "a remark"]);
    scene.hook(&payload::pre_compact(home, session, "auto", Some("keep names")));
    scene.hook(&payload::post_compact(home, session, "auto", "a summary"));
    scene.hook(&payload::session_start(home, session, "compact"));
    scene.hook(&payload::session_end(home, session, "other"));
    scene.run(&["save"]);
    scene.run(&["doctor"]);
}

/// Every path below a folder, with what it is now; links are not followed.
fn standing(folder: &Path) -> BTreeMap<PathBuf, fs::Metadata> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let meta = path.symlink_metadata().unwrap();
        if meta.is_dir() {
            all.extend(standing(&path));
        }
        all.insert(path, meta);
    }
    all
}

#[test]
fn what_we_write_is_for_the_owner_alone_and_stands_in_our_folders() {
    let scene = Scene::with_git();
    let folder = scene.home.config().join("throughline");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("throughline.toml"), "[backup]\ntranscripts = true\n").unwrap();
    scene.ok(&["init"]);
    // The client's own.
    fs::create_dir_all(scene.home.transcript_path("s1").parent().unwrap()).unwrap();
    let before = standing(scene.home.root());
    live(&scene, "s1");
    live(&scene, "s2");
    let root = scene.home.root().to_owned();
    let ours = [scene.home.data(), scene.home.project().join(".claude"), scene.home.project().join(".git")];
    let summaries = scene.home.claude_config().join("data");
    let transcripts = scene.home.claude_config().join("projects");
    let mut written = 0;
    for (path, meta) in standing(&root) {
        if before.contains_key(&path) || path.starts_with(&transcripts) || path.starts_with(&ours[2]) {
            continue;
        }
        let place = path.strip_prefix(&root).unwrap().display().to_string();
        let is_ours = ours.iter().chain([&summaries]).any(|folder| path.starts_with(folder));
        assert!(is_ours, "{place} is none of our places");
        assert!(path.extension().is_none_or(|it| it != "tmp"), "{place} was left behind");
        let mode = meta.mode() & 0o777;
        assert_eq!(mode, if meta.is_dir() { 0o700 } else { 0o600 }, "{place} has {mode:o}");
        written += 1;
    }
    assert!(written > 25, "only {written} files and folders");
    for name in ["throughline.db", "sessions", "projects", "backups"] {
        assert!(scene.home.data().join(name).exists(), "{name} is missing: the session was too short");
    }
}

const OWN: [&str; 9] = [
    STATE,
    ".claude/compaction-snapshot.md",
    ".claude/session-state.md",
    ".claude/throughline.toml",
    ".claude/sessions",
    ".claude/sessions/CURRENT_SESSION",
    ".claude/checkpoints",
    ".claude/logs",
    ".claude/settings.local.json",
];

#[test]
fn nothing_is_read_or_written_through_a_link_that_leaves_the_project() {
    for name in OWN {
        let scene = Scene::with_git();
        let outside = scene.home.root().join("outside");
        fs::create_dir_all(outside.join("folder")).unwrap();
        let secret = "[governance]\ntext = \"SECRET\"\n# SECRET\n";
        fs::write(outside.join("file"), secret).unwrap();
        let is_folder = matches!(name, ".claude/sessions" | ".claude/checkpoints" | ".claude/logs");
        let target = outside.join(if is_folder { "folder" } else { "file" });
        let path = scene.home.project().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(&target, &path).unwrap();
        let mut said = String::new();
        for payload in [
            payload::session_start(&scene.home, "s1", "startup"),
            payload::stop(&scene.home, "s1", "done"),
            payload::pre_compact(&scene.home, "s1", "auto", None),
            payload::session_start(&scene.home, "s1", "compact"),
            payload::session_end(&scene.home, "s1", "other"),
        ] {
            said.push_str(&scene.hook(&payload));
        }
        live(&scene, "s2");
        said.push_str(&scene.run(&["briefing"]).stdout);
        assert!(!said.contains("SECRET"), "{name} is read: {said}");
        assert_eq!(fs::read_to_string(outside.join("file")).unwrap(), secret, "{name} is written through");
        assert_eq!(files_under(&outside.join("folder")), Vec::<PathBuf>::new(), "{name} is written through");
        let doctor = scene.run(&["doctor"]).stdout;
        let is_named = doctor.lines().any(|line| line.contains("link") && line.contains(name));
        // A file that we replace takes the link's place; the link's end stays as it is.
        let is_replaced = !path.is_symlink();
        assert!(is_named || is_replaced || name == ".claude/settings.local.json", "{name}: {doctor}");
    }
}

#[test]
fn pipes_and_devices_in_the_place_of_our_files_hold_nobody_up() {
    for name in OWN {
        for is_pipe in [true, false] {
            let scene = Scene::with_git();
            let path = scene.home.project().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            if is_pipe {
                scene.home.run(Path::new("/usr/bin/mkfifo"), &[path.to_str().unwrap()], "").assert_success();
            } else {
                symlink("/dev/zero", &path).unwrap();
            }
            for payload in [
                payload::session_start(&scene.home, "s1", "startup"),
                payload::stop(&scene.home, "s1", "done"),
                payload::pre_compact(&scene.home, "s1", "auto", None),
                payload::session_end(&scene.home, "s1", "other"),
            ] {
                let output = scene.hook_run(payload.to_string());
                assert!(output.took < Duration::from_secs(4), "{name}: {:?}", output.took);
            }
            for verb in [&["briefing"][..], &["checkpoint", "list"], &["notes"], &["status"]] {
                let took = scene.run(verb).took;
                assert!(took < Duration::from_secs(10), "{name} {verb:?}: {took:?}");
            }
        }
    }
}

#[test]
fn huge_and_deep_files_of_a_clone_cost_neither_memory_nor_time() {
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(400_000), "]".repeat(400_000));
    for name in [
        STATE,
        ".claude/checkpoints/20261101-000000-abcd.json",
        ".claude/throughline.toml",
        ".claude/session-state.md",
    ] {
        for is_deep in [true, false] {
            let scene = Scene::with_git();
            let path = scene.home.project().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            if is_deep {
                fs::write(&path, &deep).unwrap();
            } else {
                fs::File::create(&path).unwrap().set_len(100 << 20).unwrap();
            }
            for payload in [
                payload::session_start(&scene.home, "s1", "startup"),
                payload::pre_compact(&scene.home, "s1", "auto", None),
                payload::stop(&scene.home, "s1", "done"),
            ] {
                let output = scene.hook_run(payload.to_string());
                assert!(output.took < Duration::from_secs(4), "{name}: {:?}", output.took);
            }
            let grown: u64 =
                files_under(&scene.home.data()).iter().map(|file| file.metadata().unwrap().len()).sum();
            assert!(grown < 8 << 20, "{name}: the data folder has {grown} bytes");
        }
    }
}

/// More than a folder is looked through for, all later than ours: they cost little, and ours are kept within their number.
#[test]
fn many_checkpoints_of_a_clone_cost_a_bounded_time_and_hide_none_of_ours() {
    let scene = Scene::with_git();
    scene.home.configure("[checkpoints]\nmax = 3\n");
    let folder = scene.home.project().join(".claude/checkpoints");
    fs::create_dir_all(&folder).unwrap();
    for day in 0..2 {
        let first = folder.join(format!("2099010{day}-000000000-0000.json"));
        fs::write(&first, "{}").unwrap();
        // A link costs less than a file, and reads the same.
        for number in 1..50_000 {
            fs::hard_link(&first, folder.join(format!("2099010{day}-000000000-{number:04x}.json"))).unwrap();
        }
    }
    for payload in [
        payload::session_start(&scene.home, "s1", "startup"),
        payload::pre_compact(&scene.home, "s1", "auto", None),
        payload::stop(&scene.home, "s1", "done"),
    ] {
        let output = scene.hook_run(payload.to_string());
        assert!(output.took < Duration::from_secs(4), "{:?}", output.took);
    }
    for number in 0..5 {
        scene.ok(&["checkpoint", "create", "--note", &format!("number {number}")]);
    }
    assert!(
        scene.ok(&["checkpoint", "create"]).contains("nothing changed since"),
        "the last of ours is known"
    );
    let is_ours = |name: &str| !name.starts_with("2099");
    let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let (ours, others): (Vec<String>, Vec<String>) = names.partition(|name| is_ours(name));
    assert_eq!((ours.len(), others.len()), (3, 100_000), "{ours:?}");
}

#[test]
fn absurd_numbers_of_a_projects_configuration_are_brought_in_and_said() {
    let scene = Scene::with_git();
    let folder = scene.home.config().join("throughline");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("throughline.toml"), "[briefing]\ntokens = 777\n").unwrap();
    let absurd = "[budget]\nfile_bytes = 1000000000000000000\ndecisions = 1000000000000000000\n\
                  [notes]\npage_bytes = 9000000000000000000\n[gate]\nturns = 0\n\
                  [restore]\nresume_hours = 9000000000000000000\nbanner_minutes = -4\n\
                  [checkpoints]\nmax = 9000000000000000000\ntotal_bytes = 9000000000000000000\n\
                  [git]\ndeadline_ms = 9000000000000000000\n[usage]\nrotate_bytes = 9000000000000000000\n";
    scene.configure_project(absurd);
    live(&scene, "s1");
    let doctor = scene.run(&["doctor"]).stdout;
    for key in [
        "budget.file_bytes",
        "gate.turns is 0",
        "restore.resume_hours",
        "restore.banner_minutes is -4",
        "notes.page_bytes",
    ] {
        assert!(doctor.contains(key), "{key}: {doctor}");
    }
    assert_eq!(scene.log(), "");
    scene.configure_project("[gate]\nturns = \"many\"\n");
    let doctor = scene.run(&["doctor"]).stdout;
    assert!(doctor.contains("`gate.turns`: invalid type"), "{doctor}");
    fs::remove_file(scene.home.project().join(".claude/throughline.toml")).unwrap();
    assert!(scene.run(&["doctor"]).stdout.contains("briefings of at most 777 tokens"));
}

/// Programs that a repository's configuration names, through everything that a session does.
#[test]
fn no_program_of_the_repository_runs_in_a_session() {
    let scene = Scene::with_git();
    let trace = scene.home.root().join("ran");
    let trap = scene.home.root().join("trap");
    fs::write(&trap, format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\n", trace.display())).unwrap();
    fs::set_permissions(&trap, fs::Permissions::from_mode(0o755)).unwrap();
    let trap = trap.to_str().unwrap();
    scene.home.write(".gitattributes", "* filter=f diff=d\n");
    scene.home.write("importer.rs", "one\n");
    scene.home.git(&["add", "-A"]);
    scene.home.git(&["commit", "-q", "-m", "attributes"]);
    for key in [
        "core.fsmonitor",
        "core.sshCommand",
        "diff.external",
        "diff.d.textconv",
        "diff.d.command",
        "filter.f.clean",
        "filter.f.smudge",
        "credential.helper",
        "core.pager",
        "gpg.program",
    ] {
        scene.home.git(&["config", key, trap]);
    }
    for hook in ["post-index-change", "reference-transaction", "post-checkout"] {
        fs::copy(trap, scene.home.project().join(".git/hooks").join(hook)).unwrap();
    }
    scene.home.write("importer.rs", "two\n");
    let _ = fs::remove_file(&trace);
    live(&scene, "s1");
    scene.ok(&["checkpoint", "create"]);
    scene.run(&["checkpoint", "restore", "latest", "--yes"]);
    scene.run(&["init"]);
    scene.run(&["away"]);
    assert_eq!(fs::read_to_string(&trace).unwrap_or_default(), "");
    let doctor = scene.run(&["doctor"]).stdout;
    assert!(doctor.contains("we start none of them: core.fsmonitor"), "{doctor}");
    scene.home.git(&["status"]);
    assert_ne!(fs::read_to_string(&trace).unwrap_or_default(), "", "the trap is a real one");
}
