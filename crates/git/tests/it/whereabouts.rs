//! Which repository a folder belongs to: claims count only where the other side agrees.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use throughline_git::{WhyNot, repository_around, repository_at, top_level_exclude_path};

use crate::repo::{PATIENCE, Repo};

fn why_not(folder: &Path) -> String {
    let why = repository_at(folder).unwrap_err();
    assert_ne!(why, WhyNot::NoRepository);
    why.to_string()
}

fn linked(repo: &Repo) -> PathBuf {
    repo.git(&["worktree", "add", "-q", "-b", "side", "../linked"]);
    repo.folder.with_file_name("linked")
}

#[test]
fn a_usual_repository_is_its_own() {
    let repo = Repo::with_commit();
    let found = repository_at(&repo.folder).unwrap();
    let dot_git = repo.folder.join(".git");
    assert_eq!((&found.git_dir, &found.common_dir, &found.main_worktree), (&dot_git, &dot_git, &None));
    repo.write("deep/er/x", "");
    assert_eq!(repository_at(&repo.folder.join("deep")), Err(WhyNot::NoRepository));
    assert_eq!(repository_around(&repo.folder.join("deep/er")).unwrap(), found);
    let through_link = repo.temp.path().join("link");
    symlink(repo.folder.join("deep"), &through_link).unwrap();
    assert_eq!(repository_around(&through_link.join("er")).unwrap(), found, "the way to it may have links");
}

#[test]
fn a_linked_worktree_has_the_main_one_that_lists_it() {
    let repo = Repo::with_commit();
    let linked = linked(&repo);
    let found = repository_at(&linked).unwrap();
    assert_eq!(found.main_worktree, Some(repo.folder.clone()));
    assert_eq!(found.common_dir, repo.folder.join(".git"));
    // Git can write all three pointers relative, too.
    fs::write(linked.join(".git"), "gitdir: ../repo/.git/worktrees/linked\n").unwrap();
    let git_dir = repo.folder.join(".git/worktrees/linked");
    fs::write(git_dir.join("gitdir"), "../../../../linked/.git\n").unwrap();
    assert_eq!(repository_at(&linked).unwrap(), found);
}

#[test]
fn a_worktree_that_the_main_one_does_not_list_is_foreign() {
    let (victim, other) = (Repo::with_commit(), Repo::with_commit());
    let listed = linked(&victim);
    let dot_git = victim.folder.join(".git");
    let write = |path: PathBuf, text: String| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    // It poses as the one that is listed.
    let posing = other.temp.path().join("posing");
    write(posing.join(".git"), fs::read_to_string(listed.join(".git")).unwrap());
    assert!(why_not(&posing).contains("does not list"), "{}", why_not(&posing));
    // It brings a list of its own.
    let bringing = other.temp.path().join("bringing");
    write(bringing.join(".git"), "gitdir: forged/worktrees/x\n".to_owned());
    let forged = bringing.join("forged/worktrees/x");
    write(forged.join("HEAD"), "ref: refs/heads/main\n".to_owned());
    write(forged.join("gitdir"), format!("{}\n", bringing.join(".git").display()));
    write(forged.join("commondir"), format!("{}\n", dot_git.display()));
    assert!(why_not(&bringing).contains("does not list"), "{}", why_not(&bringing));
    // Its list is a link into its own.
    let through_link = other.temp.path().join("through-link");
    write(through_link.join(".git"), format!("gitdir: {}\n", dot_git.join("worktrees/link").display()));
    symlink(&forged, dot_git.join("worktrees/link")).unwrap();
    assert!(why_not(&through_link).contains("does not list"), "{}", why_not(&through_link));
    // A folder says that it shares what the victim has.
    fs::write(other.folder.join(".git/commondir"), format!("{}\n", dot_git.display())).unwrap();
    assert!(why_not(&other.folder).contains("belongs to another repository"));
    for folder in [&posing, &bringing, &through_link, &other.folder] {
        assert_eq!(top_level_exclude_path(folder), None, "nothing is written there");
        assert_eq!(throughline_git::index_file(folder), None);
        assert_eq!(throughline_git::head_from_files(folder), None);
    }
}

#[test]
fn a_submodule_is_the_one_that_names_this_folder() {
    let (library, repo) = (Repo::with_commit(), Repo::with_commit());
    let source = library.folder.to_string_lossy().into_owned();
    repo.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &source, "library"]);
    let inside = repo.folder.join("library");
    let found = repository_at(&inside).unwrap();
    assert_eq!((&found.git_dir, &found.main_worktree), (&repo.folder.join(".git/modules/library"), &None));
    // Another folder of the project, and one outside, claim it.
    repo.write("posing/.git", "gitdir: ../.git/modules/library\n");
    assert!(why_not(&repo.folder.join("posing")).contains("does not name this working tree"));
    let outside = repo.temp.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join(".git"), format!("gitdir: {}\n", found.git_dir.display())).unwrap();
    assert!(why_not(&outside).contains("does not name this working tree"));
}

/// Somebody else's `.git` above our folder would be given what checkpoints keep.
#[test]
fn a_repository_of_another_user_is_asked_where_the_users_own_settings_allow_it() {
    let repo = Repo::with_commit();
    repo.write("private.txt", "mine\n").write("deep/x", "");
    let given = Command::new("chown").args(["-R", "12345"]).arg(repo.folder.join(".git")).status().unwrap();
    if !given.success() {
        eprintln!("skipped: only root can give a folder to another user");
        return;
    }
    let settings = repo.temp.path().join("gitconfig");
    let error = |folder: &Path| repo.ours().capture(folder, PATIENCE).error.unwrap_or_default();
    for folder in [repo.folder.clone(), repo.folder.join("deep")] {
        assert!(error(&folder).contains("belongs to another user"), "{}", error(&folder));
    }
    assert_eq!(top_level_exclude_path(&repo.folder), None);
    assert_eq!(repo.ours().is_tracked(&repo.folder, Path::new("alpha.txt")), None);
    fs::write(&settings, "[safe]\n\tdirectory = /elsewhere\n").unwrap();
    assert!(error(&repo.folder).contains("belongs to another user"));
    // What the repository itself says of it does not count.
    let own = fs::read_to_string(repo.folder.join(".git/config")).unwrap();
    fs::write(repo.folder.join(".git/config"), own + "[safe]\n\tdirectory = *\n").unwrap();
    assert!(error(&repo.folder).contains("belongs to another user"));
    for allowed in ["*", repo.folder.to_str().unwrap()] {
        fs::write(&settings, format!("[safe]\n\tdirectory = {allowed}\n")).unwrap();
        assert_eq!(error(&repo.folder), "", "{allowed}");
    }
}

#[test]
fn what_is_no_plain_pointer_is_refused_and_nothing_waits() {
    let repo = Repo::with_commit();
    let victim = Repo::with_commit();
    let folder = repo.temp.path().join("project");
    fs::create_dir(&folder).unwrap();
    let dot_git = folder.join(".git");
    let other = victim.folder.join(".git");
    for text in [
        &b""[..],
        b"gitdir:\n",
        b"gitdir: nowhere\n",
        b"gitdir: \xff\n",
        b"gitdir: .\n",
        format!("gitdir: {}\n", other.display()).as_bytes(),
        format!("gitdir: {}{}\n", "./".repeat(10_000), other.display()).as_bytes(),
    ] {
        fs::write(&dot_git, text).unwrap();
        why_not(&folder);
    }
    fs::remove_file(&dot_git).unwrap();
    symlink(&other, &dot_git).unwrap();
    assert_eq!(why_not(&folder), "its `.git` is a link");
    fs::remove_file(&dot_git).unwrap();
    assert!(Command::new("mkfifo").arg(&dot_git).status().unwrap().success());
    assert_eq!(why_not(&folder), "its `.git` is no file");
}
