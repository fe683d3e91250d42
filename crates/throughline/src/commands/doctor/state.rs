//! The state file: there or not, ours to write, valid, within its budget; and what was left aside beside it.

use rustix::fs::{Access, access};
use throughline_domain::{State, validate};
use throughline_store::door::Spot;
use throughline_store::files;
use throughline_store::memory::{MemoryError, Repair};
use throughline_store::state_file::{self, StateFileError};

use super::Check;
use super::context::{Context, counted, size_words};

const NAME: &str = "state";
/// Longest file that is looked at.
const FILE_BYTES_MAX: u64 = throughline_domain::limits::STATE_COPY_BYTES_MAX;
/// Most problems that are shown; `validate` shows all.
const SHOWN_MAX: usize = 3;
/// Most names of a folder that are looked at.
const NAMES_MAX: usize = 10_000;

pub(super) fn check(context: &Context) -> Vec<Check> {
    let mut checks = Vec::new();
    if context.memory.is_paused() {
        checks.push(Check::warn(
            "paused",
            "Throughline is switched off for this project: hooks say and record nothing",
            "run `throughline unpause`",
        ));
    }
    match state_file::standing(&context.memory.project) {
        Ok(path) => {
            checks.extend(not_writable(context, &path));
            checks.extend(content(context, &path));
            checks.extend(left_aside(NAME, &context.memory.project.files, &path.name()));
        }
        Err(error @ StateFileError::Linked { .. }) => checks.push(Check::fail(
            NAME,
            error.to_string(),
            "replace the link by a real file or folder inside the project",
        )),
        Err(error) => checks.push(Check::fail(NAME, error.to_string(), "check who owns the folder")),
    }
    checks
}

/// What is in the file; a broken one is set aside and rebuilt, as every verb does it.
fn content(context: &Context, path: &Spot) -> Vec<Check> {
    let bytes = match files::read_limited(path, FILE_BYTES_MAX) {
        Ok(bytes) => bytes.unwrap_or_default(),
        Err(error) => {
            return vec![Check::fail(NAME, error.to_string(), "check who owns the file, and its size")];
        }
    };
    let problems = match std::str::from_utf8(&bytes) {
        _ if bytes.is_empty() => Vec::new(),
        Ok(text) => validate::problems_in(text),
        Err(_) => Vec::new(),
    };
    let (state, repairs) = match context.memory.load(&context.author) {
        Ok(settled) => settled,
        Err(error) => return vec![unsettled(&error)],
    };
    if state.major_version().is_some_and(|major| major > 2) {
        return vec![unsettled(&MemoryError::Newer { path: path.shown(), version: state.version })];
    }
    let mut checks: Vec<Check> = repairs.iter().filter_map(mended).collect();
    let was_rebuilt = !checks.is_empty();
    if !problems.is_empty() && !was_rebuilt {
        let shown: Vec<String> = problems.iter().take(SHOWN_MAX).map(ToString::to_string).collect();
        let what = format!(
            "{} not fitting the schema: {}",
            counted(problems.len() as u64, "thing", "things"),
            shown.join("; ")
        );
        checks.push(Check::warn(
            NAME,
            what,
            "nothing is lost; `throughline validate` shows all, `throughline edit` mends",
        ));
    }
    if bytes.is_empty() && state.is_blank() {
        checks.push(Check::ok(NAME, "nothing is recorded yet"));
        return checks;
    }
    checks.push(budget(context, path, &state));
    let untrusted = context.memory.untrusted().len();
    if untrusted > 0 {
        checks.push(Check::warn(
            NAME,
            format!(
                "not recorded on this machine, and only quoted to the agent: {}",
                counted(untrusted as u64, "entry", "entries")
            ),
            "look at them with `throughline trust --list`, then `throughline trust`",
        ));
    }
    checks
}

fn budget(context: &Context, path: &Spot, state: &State) -> Check {
    let size = path.bytes();
    let metrics = &state.token_metrics;
    let what = format!(
        "{}, about {} tokens ({}), {}",
        counted(state.all_entries().count() as u64, "entry", "entries"),
        metrics.estimated_tokens,
        metrics.budget_status,
        size_words(size)
    );
    if metrics.budget_status == "over_budget" || size > context.config.budget.file_bytes as u64 {
        return Check::warn(
            NAME,
            format!("{what}: over its budget"),
            "finish what is done (`throughline done`, `lift`, `resolve`); the rest is cut to the archive by the next change",
        );
    }
    Check::ok(NAME, what)
}

fn mended(repair: &Repair) -> Option<Check> {
    match repair {
        Repair::SetAside { why, aside, rebuilt } => Some(Check::warn(
            NAME,
            format!(
                "could not be read ({why}); kept as {}, {} rebuilt",
                aside.display(),
                counted(*rebuilt as u64, "entry", "entries")
            ),
            "look into the file that was kept if something is missing, then delete it",
        )),
        Repair::Rebuilt { rebuilt } => Some(Check::warn(
            NAME,
            format!("the file was gone; {} rebuilt", counted(*rebuilt as u64, "entry", "entries")),
            "`throughline fresh` starts empty, if that was meant",
        )),
        Repair::HandEdit { .. }
        | Repair::Waits { .. }
        | Repair::KeptAside { .. }
        | Repair::Upgraded { .. }
        | Repair::Kept(_) => None,
    }
}

fn unsettled(error: &MemoryError) -> Check {
    let remedy = match error {
        MemoryError::Newer { .. } => "install the newer throughline again; the file is left as it is",
        MemoryError::Lock(_) => "see `lock` above",
        _ => "nothing was lost; check who owns the folder, and the space on the disk",
    };
    Check::fail(NAME, error.to_string(), remedy)
}

fn not_writable(context: &Context, path: &Spot) -> Option<Check> {
    let folder = &context.memory.project.files;
    let folder = if folder.is_folder() { folder.shown() } else { context.root().to_owned() };
    // The file is replaced, not written into: its folder decides.
    for (place, wanted) in [(folder, Access::WRITE_OK | Access::EXEC_OK), (path.shown(), Access::READ_OK)] {
        if let Err(error) = access(&place, wanted)
            && error != rustix::io::Errno::NOENT
        {
            return Some(Check::fail(
                NAME,
                format!("{} is not ours to use: {error}", place.display()),
                "check who owns it; nothing can be recorded here until then",
            ));
        }
    }
    None
}

/// Broken files that were set aside earlier and that nobody has looked at.
pub(super) fn left_aside(check: &'static str, folder: &Spot, name: &str) -> Option<Check> {
    let prefix = format!("{name}.corrupt-");
    let entries = folder.list(NAMES_MAX).into_iter();
    let mut names: Vec<String> = entries
        .map(|entry| entry.text())
        .filter(|name| name.starts_with(&prefix) && !name.ends_with("-wal") && !name.ends_with("-shm"))
        .collect();
    names.sort();
    if names.is_empty() {
        return None;
    }
    let what = format!("set aside in {}: {}", folder.display(), names.join(", "));
    Some(Check::warn(check, what, "look into it if something is missing, then delete it"))
}
