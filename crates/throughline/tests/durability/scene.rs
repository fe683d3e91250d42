//! The scene: a project in a home of its own, the binary in it, and what must hold of its files at any time.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::Value;
use throughline_domain::State;
use throughline_testkit::{Output, TempHome, process};

/// The binary under test.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_throughline");
/// The session of every hook in these tests.
pub(crate) const SESSION: &str = "0a1b2c3d-durability";

const DEADLINE: Duration = Duration::from_mins(1);

pub(crate) struct Scene {
    pub(crate) home: TempHome,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self { home: TempHome::new().with_project_env() }
    }

    pub(crate) fn with_git() -> Self {
        Self { home: TempHome::new().with_git().with_project_env() }
    }

    pub(crate) fn verb(&self, args: &[&str]) -> Output {
        self.home.run(Path::new(BINARY), args, "")
    }

    /// Runs a hook; whatever happens to it, it ends with 0.
    #[track_caller]
    pub(crate) fn hook(&self, payload: &Value) -> Output {
        let output = self.home.run(Path::new(BINARY), &["hook"], payload.to_string());
        output.assert_success();
        output
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.home.command(Path::new(BINARY));
        command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Runs a program in the scene, for tests that look at the binary through another one.
    pub(crate) fn run_through(&self, program: &str, args: &[&str]) -> Output {
        process::run(self.home.command(Path::new(program)).args(args), b"", DEADLINE)
    }

    pub(crate) fn state_path(&self) -> PathBuf {
        self.home.project().join(".claude/unified-session-state.json")
    }

    /// The project's folder in the data folder, once something was recorded.
    pub(crate) fn data_of_project(&self) -> PathBuf {
        let folders = fs::read_dir(self.home.data().join("projects")).expect("a folder of projects");
        let mut folders: Vec<PathBuf> = folders.flatten().map(|entry| entry.path()).collect();
        assert_eq!(folders.len(), 1, "one project, one folder: {folders:?}");
        folders.remove(0)
    }

    /// The state file as it stands: none at all, or one that is whole and valid.
    pub(crate) fn state(&self) -> Result<Option<State>, String> {
        let text = match fs::read_to_string(self.state_path()) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            text => text.map_err(|error| format!("the state file cannot be read: {error}"))?,
        };
        let (state, problems) =
            State::read(&text).map_err(|error| format!("the state file is no state: {error}\n{text}"))?;
        if !problems.is_empty() {
            return Err(format!("the state file has problems: {problems:?}\n{text}"));
        }
        Ok(Some(state))
    }

    /// Everything the archive holds of the project, after what waited was folded in. Nobody may complain.
    pub(crate) fn archived(&self) -> Result<Vec<Value>, String> {
        let output = self.verb(&["list", "--all", "--json", "--limit", "1000000"]);
        if !output.status.success() || !output.stderr.is_empty() {
            return Err(format!("list --all ended with {} and said: {}", output.status, output.stderr));
        }
        serde_json::from_str(&output.stdout).map_err(|error| format!("list --all is no JSON: {error}"))
    }

    /// What must hold when nobody writes: a valid state, ids used once, the archive and the state agree, nothing
    /// waits, and nothing looks as if a hand had edited it. Returns what the archive holds.
    pub(crate) fn check(&self) -> Result<Vec<Value>, String> {
        let before = self.state()?;
        let rows = self.archived()?;
        let after = self.state()?;
        if let (Some(before), Some(after)) = (&before, &after)
            && before != after
        {
            return Err("listing the archive changed the state file".to_owned());
        }
        check_ids(&rows)?;
        if let Some(origin) = rows.iter().map(|row| &row["origin"]).find(|origin| *origin == "hand") {
            return Err(format!("an entry has origin {origin}, but nobody edited the file"));
        }
        let Some(state) = after else { return Ok(rows) };
        let in_state: BTreeMap<String, String> =
            state.all_entries().map(|entry| (entry.id.to_string(), entry.text.clone())).collect();
        let live: BTreeMap<String, String> = rows
            .iter()
            .filter(|row| row["leftAt"].is_null())
            .map(|row| (text_of(row, "id"), words_of(row)))
            .collect();
        if in_state != live {
            return Err(format!("the state and the archive differ:\n{in_state:#?}\n{live:#?}"));
        }
        let waiting = fs::metadata(self.data_of_project().join("outbox.jsonl")).map_or(0, |meta| meta.len());
        if waiting > 0 {
            return Err(format!("{waiting} bytes still wait in the outbox"));
        }
        Ok(rows)
    }

    /// Files that a killed writer left behind and that nobody needs.
    pub(crate) fn temps(&self) -> Vec<PathBuf> {
        let mut temps = files_below(self.home.root());
        temps.retain(|path| path.extension().is_some_and(|extension| extension == "tmp"));
        temps
    }

    /// Makes the temp files an hour old, as if this had happened long ago.
    pub(crate) fn age_temps(&self) {
        let then = SystemTime::now() - Duration::from_hours(1);
        for path in self.temps() {
            let file = fs::File::options().append(true).open(&path).expect("a temp file");
            file.set_modified(then).expect("a time that can be set");
        }
    }

    /// What is there, for a failure: every file with its size, and what waits.
    pub(crate) fn dump(&self) -> String {
        let mut text = String::new();
        for path in files_below(self.home.root()) {
            let bytes = fs::metadata(&path).map_or(0, |meta| meta.len());
            let name = path.strip_prefix(self.home.root()).unwrap_or(&path).display();
            text.push_str(&format!("\n{bytes:>9} {name}"));
            let kept = ["jsonl", "log"].iter().any(|end| path.extension().is_some_and(|is| is == *end));
            if kept || path == self.state_path() {
                let content = fs::read_to_string(&path).unwrap_or_default();
                text.extend(content.lines().rev().take(60).map(|line| format!("\n    {line:.300}")));
            }
        }
        text
    }
}

/// An entry's words, under whatever name its kind has for them.
pub(crate) fn words_of(row: &Value) -> String {
    let names = ["decision", "constraint", "question", "content", "text", "highlight", "action", "directive"];
    names.iter().find_map(|name| row[*name].as_str()).map_or_else(|| row.to_string(), str::to_owned)
}

pub(crate) fn text_of(row: &Value, key: &str) -> String {
    row[key].as_str().unwrap_or_default().to_owned()
}

fn check_ids(rows: &[Value]) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for row in rows {
        if !seen.insert(text_of(row, "id")) {
            let same: Vec<&Value> = rows.iter().filter(|other| other["id"] == row["id"]).collect();
            return Err(format!("the id {} was given twice: {same:#?}", row["id"]));
        }
    }
    Ok(())
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Skips a test aloud when a program is missing. In CI nothing is skipped.
pub(crate) fn has(program: &str) -> bool {
    let found = std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()));
    assert!(found || std::env::var_os("CI").is_none(), "{program} is missing, and CI skips nothing");
    if !found {
        eprintln!("skipped: {program} is missing");
    }
    found
}
