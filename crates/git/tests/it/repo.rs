//! Builds repositories that no setting of the machine can change.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;
use throughline_domain::GitState;
use throughline_git::{Bounds, Git, Then, index_file};

/// Long enough for a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

const BOUNDS: Bounds =
    Bounds { files_max: 100, file_bytes_max: 1 << 20, total_bytes_max: 10 << 20, with_content: true };

/// A repository of its own in a temporary folder.
pub(crate) struct Repo {
    pub(crate) temp: TempDir,
    pub(crate) folder: PathBuf,
}

impl Repo {
    /// No commit yet, branch `main`.
    pub(crate) fn empty() -> Self {
        Self::init(&[])
    }

    pub(crate) fn init(args: &[&str]) -> Self {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().canonicalize().unwrap().join("repo");
        fs::create_dir(&folder).unwrap();
        let repo = Self { temp, folder };
        repo.git(&[&["init", "-q", "-b", "main"], args].concat());
        repo
    }

    /// One commit with `alpha.txt` and `beta.txt`.
    pub(crate) fn with_commit() -> Self {
        let repo = Self::empty();
        repo.write("alpha.txt", "alpha\n").write("beta.txt", "beta\nbeta\n").commit("first");
        repo
    }

    pub(crate) fn write(&self, path: &str, content: &str) -> &Self {
        let path = self.folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    pub(crate) fn commit(&self, subject: &str) -> &Self {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", subject]);
        self
    }

    /// Runs the real git here; what it prints.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.folder, args)
    }

    pub(crate) fn git_in(&self, folder: &Path, args: &[&str]) -> String {
        let mut command = Command::new("git");
        command.current_dir(folder).args(args);
        for (name, value) in isolation(self.temp.path()) {
            command.env(name, value);
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// The same as [`Repo::git`] for commands that are meant to stop half way, such as a merge in conflict.
    pub(crate) fn git_stops(&self, args: &[&str]) {
        let mut command = Command::new("git");
        command.current_dir(&self.folder).args(args).envs(isolation(self.temp.path()));
        assert!(!command.output().unwrap().status.success());
    }

    /// The same, however it ends.
    pub(crate) fn git_stops_or_not(&self, folder: &Path, args: &[&str]) {
        let mut command = Command::new("git");
        command.current_dir(folder).args(args).envs(isolation(self.temp.path()));
        command.output().unwrap();
    }

    pub(crate) fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"]).trim().to_owned()
    }

    /// Our room's git, cut off from the machine's settings.
    pub(crate) fn ours(&self) -> Git {
        isolated(Git::default(), self.temp.path())
    }

    pub(crate) fn capture(&self) -> GitState {
        self.ours().capture(&self.folder, PATIENCE)
    }
}

pub(crate) fn isolated(git: Git, home: &Path) -> Git {
    isolation(home).into_iter().fold(git, |git, (name, value)| git.env(name, value))
}

fn isolation(home: &Path) -> Vec<(&'static str, PathBuf)> {
    vec![
        ("HOME", home.to_owned()),
        ("XDG_CONFIG_HOME", home.to_owned()),
        ("GIT_CONFIG_NOSYSTEM", "1".into()),
        ("GIT_CONFIG_GLOBAL", home.join("gitconfig")),
        ("GIT_CEILING_DIRECTORIES", home.canonicalize().unwrap()),
        ("GIT_AUTHOR_NAME", "Ada".into()),
        ("GIT_AUTHOR_EMAIL", "ada@example.org".into()),
        ("GIT_COMMITTER_NAME", "Ada".into()),
        ("GIT_COMMITTER_EMAIL", "ada@example.org".into()),
    ]
}

/// A shell script that is started in git's place.
pub(crate) fn fake_git(folder: &Path, script: &str) -> PathBuf {
    let path = folder.join("fake-git");
    // Written by another process: a program that a test running beside this one starts would inherit our open file for
    // a moment, and a file that is open for writing can not be started.
    let write = "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod 755 \"$0\"";
    assert!(Command::new("sh").arg("-c").arg(write).arg(&path).arg(script).status().unwrap().success());
    path
}

/// A program that leaves a trace, and the trace.
pub(crate) fn trap(repo: &Repo) -> (String, PathBuf) {
    let (program, trace) = (repo.temp.path().join("trap"), repo.temp.path().join("ran"));
    fs::write(&program, format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\n", trace.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    (program.to_string_lossy().into_owned(), trace)
}

/// Everything that this room can ask of git.
pub(crate) fn ask_everything(repo: &Repo, folder: &Path) {
    let git = repo.ours();
    let head = repo.head();
    let _ = git.capture(folder, PATIENCE);
    let _ = git.snapshot(folder, SystemTime::now(), PATIENCE);
    let _ = git.changes_since(folder, &head, PATIENCE);
    let _ = git.is_tracked(folder, Path::new("alpha.txt"));
    let _ = throughline_git::top_level_exclude_path(folder);
    let _ = throughline_git::named_programs(folder);
    let copy = repo.temp.path().join("copied-index");
    for with_content in [false, true] {
        let _ = fs::remove_file(&copy);
        if let Some(index) = index_file(folder).filter(|index| index.exists()) {
            fs::copy(index, &copy).unwrap();
        }
        let taken = git.asking(folder, PATIENCE).take(&copy, &Bounds { with_content, ..BOUNDS });
        let Some(tree) = taken.tree.clone() else { continue };
        let _ = git.keep_tree(folder, "a", &tree, PATIENCE);
        let _ = git.kept_trees(folder);
        let _ = git.diff_trees(folder, &head, &tree, PATIENCE);
        repo.write("alpha.txt", "third\n").write("other.secret", "third\n");
        let _ = fs::copy(index_file(folder).unwrap(), &copy);
        let now = git.asking(folder, PATIENCE).take(&copy, &BOUNDS);
        let then = Then { head: Some(&head), tree: &tree, touched: &[] };
        if let Ok(plan) = git.plan_restore(folder, &then, &now, PATIENCE) {
            let aside = repo.temp.path().join(format!("aside-{with_content}"));
            let _ = fs::remove_dir_all(&aside);
            fs::create_dir(&aside).unwrap();
            let _ = fs::remove_file(repo.temp.path().join("new-index"));
            let _ = git.write_restored(&plan, &repo.temp.path().join("new-index"), &aside, PATIENCE);
        }
        let _ = git.forget_trees(folder, &["a".to_owned()]);
    }
}

/// A repository in which every file differs and passes through whatever is configured.
pub(crate) fn prepared() -> Repo {
    let repo = Repo::with_commit();
    repo.write("other.secret", "one\n").commit("second");
    repo.write(".gitattributes", "* filter=f diff=d\n*.secret filter=a=b\n").commit("attributes");
    repo.write("alpha.txt", "changed\n").write("other.secret", "changed\n").write("new.txt", "new\n");
    repo
}
