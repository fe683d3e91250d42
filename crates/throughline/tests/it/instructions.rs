//! The section "Compact Instructions": written into CLAUDE.md, kept up to date, taken out again byte for byte.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::Value;
use throughline_agents::claude_code::compact_instructions::{self, SECTION, SectionStanding, install};

use crate::scene::{Scene, files_under};

const FILE: &str = "CLAUDE.md";

/// A project with this CLAUDE.md, which git does not track; `None`: without one.
fn scene(text: Option<&str>) -> Scene {
    let scene = Scene::with_git();
    scene.home.git(&["rm", "--quiet", FILE]);
    scene.home.git(&["commit", "--quiet", "--message=no instructions"]);
    if let Some(text) = text {
        scene.home.write(FILE, text);
    }
    scene
}

fn check(scene: &Scene) -> (String, String) {
    let doctor: Value = serde_json::from_str(&scene.run(&["doctor", "--json"]).stdout).unwrap();
    let found = doctor["checks"].as_array().unwrap().iter().find(|check| check["name"] == "instructions");
    let found = found.unwrap();
    (found["state"].as_str().unwrap().to_owned(), found["what"].as_str().unwrap().to_owned())
}

fn backups(scene: &Scene) -> Vec<Vec<u8>> {
    let installs = scene.home.data().join("installs");
    files_under(&installs).iter().map(|path| fs::read(path).unwrap()).collect()
}

#[test]
fn init_writes_the_section_once_and_uninstall_gives_the_file_back_byte_for_byte() {
    for original in ["# Mine\n", "# Mine", "\u{feff}# Mine\r\n\r\nrule\r\n", "a\r\nb", "", "\n", "  \n\n\n"] {
        let scene = scene(Some(original));
        let path = scene.home.project().join(FILE);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o664)).unwrap();
        let said = scene.ok(&["init"]);
        assert!(said.contains("Compact Instructions written to"), "{said}");
        let written = scene.home.read(FILE);
        assert_eq!(compact_instructions::standing(&written), SectionStanding::UpToDate);
        assert!(
            written.starts_with(original) && written.replace("\r\n", "\n").contains(SECTION),
            "{written}"
        );
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o664);
        let said = scene.ok(&["init"]);
        assert!(!said.contains("Compact Instructions"), "{said}");
        assert_eq!(scene.home.read(FILE), written);
        assert!(backups(&scene).contains(&original.as_bytes().to_vec()));
        let diff = scene.ok(&["uninstall", "--dry-run"]);
        assert!(diff.contains("-## Compact Instructions"), "{diff}");
        assert_eq!(scene.home.read(FILE), written);
        assert!(scene.ok(&["uninstall"]).contains("Compact Instructions removed from"));
        assert_eq!(scene.home.read(FILE), original, "{original:?}");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o664);
    }
}

#[test]
fn a_file_of_ours_alone_is_made_and_removed_again() {
    let scene = scene(None);
    scene.ok(&["init"]);
    let path = scene.home.project().join(FILE);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o644);
    let said = scene.ok(&["uninstall"]);
    assert!(said.contains("nothing else was in it") && !path.exists(), "{said}");
    // What somebody wrote beside it stays.
    scene.ok(&["init"]);
    scene.home.write(FILE, &format!("# Mine\n{}", scene.home.read(FILE)));
    scene.ok(&["uninstall"]);
    assert_eq!(scene.home.read(FILE), "# Mine\n");
    // Also where the settings are gone already.
    scene.ok(&["init"]);
    fs::remove_file(scene.home.project().join(".claude/settings.local.json")).unwrap();
    assert!(scene.ok(&["uninstall"]).contains("Compact Instructions removed"));
    assert_eq!(scene.home.read(FILE), "# Mine\n");
}

#[test]
fn a_dry_run_shows_the_section_and_without_instructions_nothing_is_touched() {
    let scene = scene(Some("# Mine\n"));
    let diff = scene.ok(&["init", "--dry-run"]);
    assert!(diff.contains("+## Compact Instructions") && diff.contains(" # Mine"), "{diff}");
    assert!(!scene.ok(&["init", "--dry-run", "--no-instructions"]).contains("Compact Instructions"));
    scene.ok(&["init", "--no-instructions"]);
    assert_eq!(scene.home.read(FILE), "# Mine\n");
    assert_eq!(check(&scene).0, "skip");
    scene.ok(&["init", "--instructions"]);
    let written = scene.home.read(FILE);
    assert_ne!(written, "# Mine\n");
    scene.ok(&["init", "--no-instructions"]);
    assert_eq!(scene.home.read(FILE), written, "it takes nothing away");
}

#[test]
fn an_older_section_is_replaced_and_an_edited_one_too_but_kept_and_named() {
    let scene = scene(Some("# Mine\n"));
    scene.ok(&["init"]);
    let ours = scene.home.read(FILE);
    assert_eq!(
        check(&scene),
        (
            "ok".to_owned(),
            format!("{} has our Compact Instructions, up to date", scene.home.project().join(FILE).display())
        )
    );
    let edited = ours.replace("key files", "no files");
    scene.home.write(FILE, &edited);
    assert!(check(&scene).1.contains("were edited"));
    let output = scene.run(&["init"]);
    output.assert_success();
    assert!(
        output.stderr.contains("somebody had edited them; the file as it was is kept at"),
        "{}",
        output.stderr
    );
    assert_eq!(scene.home.read(FILE), ours);
    assert!(backups(&scene).contains(&edited.clone().into_bytes()));
    // As another version of ours would have left it: the mark carries the fingerprint of the lines below it.
    let body = "## Compact Instructions\n\nKeep everything.";
    let mark = format!(
        "<!-- throughline: begin {:016x} -->",
        throughline_domain::text::fingerprint(body.as_bytes())
    );
    scene.home.write(FILE, &format!("# Mine\n\n{mark}\n{body}\n<!-- throughline: end -->\n"));
    assert!(check(&scene).1.contains("of another version"));
    let output = scene.run(&["init"]);
    assert!(
        output.stdout.contains("brought up to date") && !output.stderr.contains("edited"),
        "{}",
        output.stderr
    );
    assert_eq!(scene.home.read(FILE), ours);
    // Edited, then uninstalled: the words go, a copy stays.
    scene.home.write(FILE, &edited);
    assert!(scene.run(&["uninstall"]).stderr.contains("had edited our Compact Instructions"));
    assert_eq!(scene.home.read(FILE), "# Mine\n");
}

#[test]
fn a_section_of_the_users_own_is_left_alone() {
    let own = "# Test\n\n## Compact Instructions\nKeep decisions.\n";
    let scene = scene(Some(own));
    let output = scene.run(&["init"]);
    output.assert_success();
    assert!(
        output.stderr.contains("line 3: you have Compact Instructions of your own; ours were not added"),
        "{}",
        output.stderr
    );
    assert_eq!(scene.home.read(FILE), own);
    assert!(check(&scene).1.contains("of your own, none of ours"));
    scene.ok(&["uninstall"]);
    assert_eq!(scene.home.read(FILE), own);
}

#[test]
fn damaged_marks_are_named_and_no_byte_is_touched() {
    let ours = install("").text;
    let begin = ours.lines().next().unwrap();
    for (text, what) in [
        (format!("{begin}\nmine\n"), "line 1: the begin mark has no end mark"),
        (format!("a\n{begin}\nmine\n{ours}"), "line 2: the begin mark is followed by another one"),
        (format!("mine\n<!-- throughline: end -->\n{begin}\n"), "line 2: the end mark has no begin mark"),
    ] {
        let scene = scene(Some(&text));
        for verb in ["init", "uninstall"] {
            let output = scene.run(&[verb]);
            output.assert_success();
            assert!(output.stderr.contains(what), "{verb}: {}", output.stderr);
            assert_eq!(scene.home.read(FILE), text);
        }
        assert!(check(&scene).1.contains(what));
    }
}

#[test]
fn the_file_is_the_one_that_the_client_reads() {
    let scene = scene(None);
    scene.home.write(".claude/CLAUDE.md", "# Inside\n");
    scene.ok(&["init"]);
    assert!(scene.home.read(".claude/CLAUDE.md").contains(SECTION));
    assert!(!scene.home.project().join(FILE).exists());
    // It stays where it is, also when the other file comes.
    scene.home.write(FILE, "# Top\n");
    scene.ok(&["init"]);
    assert_eq!(scene.home.read(FILE), "# Top\n");
    // Another installation of the same project goes; the section stays with the one that is left.
    scene.ok(&["init", "--shared"]);
    scene.ok(&["uninstall"]);
    assert!(scene.home.read(".claude/CLAUDE.md").contains(SECTION));
    scene.ok(&["uninstall", "--shared"]);
    assert_eq!(scene.home.read(".claude/CLAUDE.md"), "# Inside\n");
}

#[test]
fn for_all_projects_it_is_the_users_own_file_and_a_project_does_not_repeat_it() {
    let scene = scene(Some("# Mine\n"));
    let users = scene.home.claude_config().join(FILE);
    let dotfiles = scene.home.root().join("dotfiles.md");
    fs::write(&dotfiles, "# Me\n").unwrap();
    fs::create_dir_all(scene.home.claude_config()).unwrap();
    symlink(&dotfiles, &users).unwrap();
    scene.ok(&["init", "--user"]);
    assert!(users.is_symlink() && fs::read_to_string(&dotfiles).unwrap().contains(SECTION));
    let output = scene.run(&["init"]);
    assert!(output.stderr.contains("Compact Instructions are in"), "{}", output.stderr);
    assert_eq!(scene.home.read(FILE), "# Mine\n");
    scene.ok(&["uninstall", "--user"]);
    assert_eq!(fs::read_to_string(&dotfiles).unwrap(), "# Me\n");
}

#[test]
fn what_git_tracks_the_team_will_see() {
    let scene = scene(Some("# Mine\n"));
    assert!(!scene.run(&["init"]).stderr.contains("your team"));
    scene.ok(&["uninstall"]);
    scene.home.git(&["add", FILE]);
    let output = scene.run(&["init"]);
    assert!(
        output.stderr.contains("git tracks") && output.stderr.contains("your team gets the section"),
        "{}",
        output.stderr
    );
}

#[test]
fn links_inside_the_project_are_followed_and_those_that_leave_it_refused() {
    let scene = scene(None);
    let path = scene.home.project().join(FILE);
    scene.home.write("AGENTS.md", "# Agents\n");
    symlink("AGENTS.md", &path).unwrap();
    scene.ok(&["init"]);
    assert!(path.is_symlink() && scene.home.read("AGENTS.md").contains(SECTION));
    scene.ok(&["uninstall"]);
    assert_eq!((path.is_symlink(), scene.home.read("AGENTS.md")), (true, "# Agents\n".to_owned()));
    let outside = scene.home.root().join("outside.md");
    fs::write(&outside, "# Out\n").unwrap();
    scene.home.write(".env", "API_TOKEN=abc\n");
    for target in
        [outside.to_str().unwrap(), "nowhere.md", ".git/config", ".git/x.md", ".env", "src/../.git/HEAD"]
    {
        fs::remove_file(&path).unwrap();
        symlink(target, &path).unwrap();
        let output = scene.run(&["init"]);
        output.assert_success();
        assert!(
            output.stderr.contains("no Compact Instructions were written: could not follow"),
            "{}",
            output.stderr
        );
        assert_eq!(fs::read_to_string(&outside).unwrap(), "# Out\n");
        scene.ok(&["uninstall"]);
    }
}

#[test]
fn a_file_that_is_no_text_or_too_long_is_left_alone() {
    for bytes in [vec![0xff, 0xfe, 0x41, 0x00], vec![b'a'; (1 << 20) + 1]] {
        let scene = scene(None);
        fs::write(scene.home.project().join(FILE), &bytes).unwrap();
        let output = scene.run(&["init"]);
        output.assert_success();
        assert!(output.stderr.contains("no Compact Instructions were written"), "{}", output.stderr);
        assert!(output.stdout.contains("hooks and status line registered"), "{}", output.stdout);
        assert_eq!(fs::read(scene.home.project().join(FILE)).unwrap(), bytes);
        assert_eq!(check(&scene).0, "warn");
        scene.ok(&["uninstall"]);
    }
}

#[test]
fn an_init_that_left_the_instructions_out_is_remembered_until_they_are_wanted() {
    let scene = Scene::new();
    let has_section = || scene.home.project().join("CLAUDE.md").exists();
    scene.ok(&["init", "--no-instructions"]);
    assert!(!has_section());
    let again = scene.run(&["init"]);
    assert!(
        !has_section() && again.stderr.contains("`--instructions` writes the section"),
        "{}",
        again.stderr
    );
    assert!(!scene.ok(&["init", "--dry-run"]).contains("Compact Instructions"));
    scene.ok(&["init", "--instructions", "--dry-run"]);
    assert!(!has_section(), "a dry run writes nothing");
    scene.ok(&["init", "--instructions"]);
    assert!(has_section());
    let said = scene.run(&["init"]).stderr;
    assert!(!said.contains("left as it is"), "{said}");
    scene.ok(&["init", "--no-instructions"]);
    scene.ok(&["uninstall"]);
    scene.ok(&["init"]);
    assert!(has_section(), "a new beginning");
    assert!(scene.fails(2, &["init", "--instructions", "--no-instructions"]).contains("cannot be used with"));
}
