//! A git that is missing, refuses, hangs, never stops talking, or dies.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use throughline_git::Git;

use crate::repo::{PATIENCE, Repo, fake_git, isolated};

const NO_REPOSITORY: &str = "git was not asked: this is not a git repository, and it is in none";

#[test]
fn a_folder_outside_any_repository_is_an_error_in_words() {
    let temp = tempfile::tempdir().unwrap();
    let state = isolated(Git::default(), temp.path()).capture(temp.path(), PATIENCE);
    assert_eq!(state.error.as_deref(), Some(NO_REPOSITORY));
    assert_eq!((state.branch, state.status.as_str()), (None, ""));
}

#[test]
fn a_folder_that_does_not_exist_is_an_error_in_words() {
    let temp = tempfile::tempdir().unwrap();
    let error =
        isolated(Git::default(), temp.path()).capture(&temp.path().join("gone"), PATIENCE).error.unwrap();
    assert!(error.contains("cannot be entered") && error.contains("No such file or directory"), "{error}");
}

#[test]
fn a_bare_repository_is_an_error_in_words() {
    let repo = Repo::with_commit();
    repo.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let state = repo.ours().capture(&repo.folder.join("../bare.git"), PATIENCE);
    // A folder of a clone can look like one: it is not taken for a repository.
    assert_eq!(state.error.as_deref(), Some(NO_REPOSITORY));
    assert_eq!(state.recent_commits, Vec::<String>::new());
    repo.git(&["config", "core.bare", "true"]);
    assert_eq!(repo.capture().error.as_deref(), Some("git was not asked: it is a bare repository"));
}

#[test]
fn no_git_at_all_is_an_error_in_words() {
    let repo = Repo::empty();
    let temp = &repo.temp;
    let missing = Git::new(temp.path().join("no-such-git"));
    let state = missing.capture(&repo.folder, PATIENCE);
    assert_eq!(state.error.as_deref(), Some("git was not found: install it or add it to PATH"));
    let not_a_program = temp.path().join("text");
    fs::write(&not_a_program, "no program").unwrap();
    let error = Git::new(not_a_program).capture(&repo.folder, PATIENCE).error.unwrap();
    assert!(error.starts_with("git could not be started: "), "{error}");
    assert_eq!(missing.version(), None);
    assert_eq!(missing.is_tracked(&repo.folder, Path::new("x")), None);
    assert_eq!(missing.changes_since(&repo.folder, "abcdef1", PATIENCE), None);
}

#[test]
fn a_hanging_git_is_killed_with_all_it_started_and_leaves_no_zombie() {
    let repo = Repo::empty();
    let temp = &repo.temp;
    let pids = temp.path().join("pids");
    let script =
        format!("sleep 1000 & echo $! $$ >> {0}; (sleep 1000 & echo $! >> {0}; wait); wait", pids.display());
    let git = Git::new(fake_git(temp.path(), &script));
    let start = Instant::now();
    let state = git.capture(&repo.folder, Duration::from_millis(700));
    let took = start.elapsed();
    assert_eq!(state.error.as_deref(), Some("git did not answer within 700 ms"));
    assert!(took >= Duration::from_millis(700) && took < Duration::from_secs(5), "{took:?}");
    let started = fs::read_to_string(&pids).unwrap();
    assert!(started.split_whitespace().count() >= 4, "{started}");
    // What the fake started belongs to init after its death, which collects it in its own time.
    let all_gone = || started.split_whitespace().all(|pid| !is_alive(pid));
    let patience = Instant::now() + Duration::from_secs(10);
    while !all_gone() && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(all_gone());
    assert_eq!(zombies_of_ours(&started), Vec::<String>::new());
}

#[test]
fn only_the_question_that_hangs_is_without_answer() {
    let repo = Repo::with_commit();
    repo.write("alpha.txt", "changed\n");
    repo.git(&["add", "alpha.txt"]);
    let script = "case \" $* \" in *' log '*) sleep 1000;; *) exec git \"$@\";; esac";
    let git = isolated(Git::new(fake_git(repo.temp.path(), script)), repo.temp.path());
    let state = git.capture(&repo.folder, Duration::from_secs(2));
    assert!(state.error.unwrap().starts_with("git log did not answer within 2000 ms"));
    assert_eq!((state.branch.as_deref(), state.status.as_str()), (Some("main"), "M  alpha.txt"));
    assert_eq!(state.staged_changes, "1 file changed, 1 insertion(+), 1 deletion(-)");

    let script = "case \" $* \" in *' status '*) sleep 1000;; *) exec git \"$@\";; esac";
    let git = isolated(Git::new(fake_git(repo.temp.path(), script)), repo.temp.path());
    let state = git.capture(&repo.folder, Duration::from_secs(2));
    assert_eq!(state.error.as_deref(), Some("git status did not answer within 2000 ms"));
    assert_eq!((state.branch.as_deref(), state.recent_commits.len()), (Some("main"), 1));
    assert_eq!(state.head, Some(repo.head()));
}

#[test]
fn a_git_that_never_stops_talking_is_stopped_at_the_deadline() {
    let repo = Repo::empty();
    for endless in ["yes '? x'", "yes '? x' | tr '\\n' '\\0'", "cat /dev/zero", "yes fatal >&2"] {
        let git = Git::new(fake_git(repo.temp.path(), endless));
        let start = Instant::now();
        let state = git.capture(&repo.folder, Duration::from_millis(300));
        assert!(start.elapsed() < Duration::from_secs(5), "{endless}");
        assert_eq!(state.error.as_deref(), Some("git did not answer within 300 ms"), "{endless}");
        assert!(state.status.len() < 1000 && state.modified_files.len() <= 1, "{endless}");
    }
}

#[test]
fn a_git_that_fails_is_quoted_in_one_line() {
    let repo = Repo::empty();
    let script = "echo 'warning: something else' >&2; printf 'fatal: the \\033[31mindex is broken\\nhint: x\\n' >&2; exit 128";
    let state = Git::new(fake_git(repo.temp.path(), script)).capture(&repo.folder, PATIENCE);
    assert_eq!(state.error.as_deref(), Some("git status failed: the \\033[31mindex is broken"));
    let state = Git::new(fake_git(repo.temp.path(), "exit 3")).capture(&repo.folder, PATIENCE);
    assert_eq!(state.error.as_deref(), Some("git status failed: exit code 3, no message"));
}

#[test]
fn a_broken_repository_is_an_error_in_words_and_the_rest_is_kept() {
    let repo = Repo::with_commit();
    fs::write(repo.folder.join(".git/index"), "no index at all, but long enough to be read as one").unwrap();
    let state = repo.capture();
    assert_eq!(state.error.as_deref(), Some("git status failed: index file corrupt"));
    assert_eq!(state.recent_commits.len(), 1);
}

#[test]
fn a_deadline_of_no_time_and_one_without_end_are_both_fine() {
    let repo = Repo::with_commit();
    let state = repo.ours().capture(&repo.folder, Duration::ZERO);
    assert_eq!(state.error.as_deref(), Some("git did not answer within 0 ms"));
    assert_eq!(repo.ours().capture(&repo.folder, Duration::MAX).error, None);
}

#[test]
fn a_partial_clone_is_told_without_fetching() {
    let origin = Repo::with_commit();
    origin.git(&["config", "uploadpack.allowFilter", "true"]);
    let source = format!("file://{}", origin.folder.display());
    origin.git(&["clone", "-q", "--no-checkout", "--filter=blob:none", &source, "../partial"]);
    let partial = origin.folder.join("../partial");
    let objects = |folder: &Path| origin.git_in(folder, &["count-objects", "-v"]);
    let before = objects(&partial);
    let state = origin.ours().capture(&partial, PATIENCE);
    // Everything is staged as deleted, and to count the lines git would need what it does not have.
    assert_eq!(state.status, "D  alpha.txt\nD  beta.txt");
    assert_eq!(state.recent_commits.len(), 1);
    assert!(state.error.unwrap().starts_with("git diff failed: "));
    assert_eq!(objects(&partial), before);
}

#[test]
fn a_git_that_is_killed_is_an_error_in_words() {
    let repo = Repo::empty();
    let state = Git::new(fake_git(repo.temp.path(), "kill -9 $$")).capture(&repo.folder, PATIENCE);
    assert_eq!(state.error.as_deref(), Some("git status was killed by signal 9"));
}

/// Exit codes are lost then, and to wait for them until the deadline would cost every answer.
#[cfg(target_os = "linux")]
#[test]
fn a_parent_that_ignores_its_children_s_end_costs_no_answer() {
    let repo = Repo::with_commit();
    let this = std::env::current_exe().unwrap();
    let output = Command::new("env")
        .arg("--ignore-signal=CHLD")
        .arg(this)
        .args(["--exact", "--nocapture", "faults::child_that_can_not_wait"])
        .env("REPOSITORY_UNDER_TEST", &repo.folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("branch main, 1 commits, error none"), "{said}");
    assert!(said.contains("outside: git was not asked: this is not a git repository"), "{said}");
}

/// Does its work only where the test above starts it, in a process of its own.
#[test]
fn child_that_can_not_wait() {
    let Some(folder) = std::env::var_os("REPOSITORY_UNDER_TEST").map(PathBuf::from) else { return };
    let git = isolated(Git::default(), folder.parent().unwrap());
    let start = Instant::now();
    let state = git.capture(&folder, PATIENCE);
    let error = state.error.unwrap_or("none".to_owned());
    println!("branch {}, {} commits, error {error}", state.branch.unwrap(), state.recent_commits.len());
    println!("outside: {}", git.capture(folder.parent().unwrap(), PATIENCE).error.unwrap());
    assert!(start.elapsed() < PATIENCE);
}

#[test]
fn a_process_that_git_left_behind_does_not_keep_us_waiting() {
    let repo = Repo::with_commit();
    // It keeps our pipes open for long after git itself has answered.
    let git = isolated(Git::new(fake_git(repo.temp.path(), "sleep 8 & exec git \"$@\"")), repo.temp.path());
    let start = Instant::now();
    let state = git.capture(&repo.folder, PATIENCE);
    assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
    assert_eq!((state.error, state.recent_commits.len()), (None, 1));
}

#[test]
fn git_gets_no_terminal_no_locks_and_no_network() {
    let repo = Repo::with_commit();
    let temp = &repo.temp;
    let seen = temp.path().join("seen");
    let script = format!("env > {0}.env; cat > {0}.stdin; echo \"$@\" > {0}.args", seen.display());
    let git =
        Git::new(fake_git(temp.path(), &script)).env("GIT_DIR", "/elsewhere").env("LC_ALL", "de_DE.UTF-8");
    let git = git.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", "a.b").env("GIT_CONFIG_VALUE_0", "c");
    let _ = git.is_tracked(&repo.folder, Path::new("x"));
    let env = fs::read_to_string(seen.with_extension("env")).unwrap();
    for line in
        ["GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "GIT_PAGER=cat", "GIT_NO_LAZY_FETCH=1"]
    {
        assert!(env.lines().any(|set| set == line), "{line}");
    }
    assert!(!env.contains("/elsewhere") && !env.contains("GIT_CONFIG_COUNT="));
    let dot_git = format!("GIT_DIR={}", repo.folder.join(".git").display());
    assert!(
        env.contains("GIT_DIR=") && !env.contains(&dot_git),
        "the folder with the settings is ours: {env}"
    );
    assert_eq!(fs::read_to_string(seen.with_extension("stdin")).unwrap(), "");
    let args = fs::read_to_string(seen.with_extension("args")).unwrap();
    assert!(args.starts_with(
        "--no-optional-locks -c core.quotepath=false -c color.ui=false -c log.showSignature=false"
    ));
}

/// The third field of `/proc/<pid>/stat`, after the name in parentheses.
fn state_letter(pid: &str) -> Option<(char, String)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    Some((fields.next()?.chars().next()?, fields.next()?.to_owned()))
}

fn is_alive(pid: &str) -> bool {
    state_letter(pid).is_some_and(|(letter, _)| letter != 'Z' && letter != 'X')
}

/// Those of `pids` that are dead children of this process which nobody waited for.
fn zombies_of_ours(pids: &str) -> Vec<String> {
    let ours = std::process::id().to_string();
    let is_zombie =
        |pid: &&str| state_letter(pid).is_some_and(|(letter, parent)| letter == 'Z' && parent == ours);
    pids.split_whitespace().filter(is_zombie).map(str::to_owned).collect()
}
