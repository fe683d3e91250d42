//! `init`: our hooks into the client's settings; shown as a diff, reversible, foreign entries untouched.

use std::path::{Path, PathBuf};

use similar::TextDiff;
use throughline_agents::claude_code::plugin;
use throughline_agents::claude_code::settings_edit::{self, EditOutcome, Install};
use throughline_agents::claude_code::version::Version;
use throughline_domain::text::one_line;
use throughline_engine::git_exclude::exclude_file;
use throughline_engine::place::Place;
use throughline_store::door::Spot;
use throughline_store::{files, project_files};

use super::App;
use super::compact_at::{self, CompactAt, Plan};
use super::instructions;
use super::permissions;
use super::servers;
use crate::failure::Failure;
use crate::output::{self, BAD, GOOD, HINT, styled};
use crate::program;

const EXAMPLES: &str = "\
Examples:
  throughline init                     this project, for you alone
  throughline init --user --dry-run    what would change for all your projects
  throughline init --compact-at 70%    and have the client compact at 70 % of the model's window
  throughline init --compact-at off    when it compacted before
  throughline init --no-instructions   without the section in CLAUDE.md
  throughline init --allow             and let the agent record and hand over without asking
  throughline init --mcp               and the memory as MCP tools, for all who work here";

/// Register the hooks with Claude Code for this project
///
/// Writes .claude/settings.local.json (yours alone), the commands /context-compact and /throughline, and a short section
/// "Compact Instructions" in CLAUDE.md that tells the summariser what to keep. Copies of the files as they were are kept;
/// `uninstall` gives them back.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Args {
    /// Write .claude/settings.json, which your team shares
    #[arg(long, conflicts_with = "user")]
    shared: bool,
    /// Write your own settings: all projects
    #[arg(long)]
    user: bool,
    /// Have the client compact here: 70% of the model's window, 140000 or 140k tokens; `off` takes it back
    #[arg(long, value_name = "WHERE", value_parser = compact_at::parse)]
    compact_at: Option<CompactAt>,
    /// The model's window of which the percentage is taken, when no session has told it yet
    #[arg(long, value_name = "TOKENS", requires = "compact_at", value_parser = window)]
    window: Option<u64>,
    /// Leave CLAUDE.md as it is, now and at the next init: no Compact Instructions for the summariser
    #[arg(long)]
    no_instructions: bool,
    /// Write the Compact Instructions although an earlier init left them out
    #[arg(long, conflicts_with = "no_instructions")]
    instructions: bool,
    /// Register the MCP server too, in .mcp.json, which your team shares; --shared does so by itself
    #[arg(long, conflicts_with = "user")]
    mcp: bool,
    /// Let the agent record and hand over without asking: our rules into `permissions.allow`; `uninstall` takes them out
    #[arg(long)]
    allow: bool,
    /// Show the difference and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// Beside the copies of the settings: CLAUDE.md was to be left alone.
const NO_INSTRUCTIONS: &str = "no-instructions";

fn window(text: &str) -> Result<u64, String> {
    compact_at::tokens(text).ok_or_else(|| "a number of tokens, such as 200000 or 1m".to_owned())
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let path = settings_path(app, args.shared, args.user)?;
    if !args.user {
        let commands = command_paths(app, false).into_iter().map(|(path, _)| path);
        refuse_links(
            app,
            commands.chain([path.clone()]),
            "or register for all your projects: `throughline init --user`",
        )?;
    }
    let spot = app.memory.project.spot_of(&path);
    let old = project_files::read_settings(&spot)?;
    let client = client_version();
    let ours = Install { binary: own_path(args.shared)?, client, status_line: true };
    let edit = settings_edit::install(old.as_deref(), &ours).map_err(|problem| refuse(&path, &problem))?;
    let plan = args
        .compact_at
        .map(|wanted| compact_at::plan(app, &path, &edit.text, wanted, args.window))
        .transpose()?;
    let wants_server = args.mcp || args.shared;
    if wants_server {
        // All or nothing: a list that cannot be edited stops us before anything is written.
        servers::edit(app)?;
    }
    let text = plan.as_ref().map_or(&edit.text, |plan| &plan.edit.text);
    let allowed = args.allow.then(|| permissions::plan(&path, text)).transpose()?;
    let text = allowed.as_ref().map_or(text, |allowed| &allowed.edit.text);
    if args.dry_run {
        show_diff(&path, old.as_deref().unwrap_or(""), text)?;
        show_other_files(app, args.user)?;
        if wants_instructions(app, args, &path) {
            instructions::install(app, args.user, true)?;
        }
        if wants_server {
            servers::install(app, true)?;
        }
        return tell_plan(plan.as_ref());
    }
    if old.as_ref() == Some(text) {
        output::say(&format!("{} is up to date", path.display()))?;
    } else {
        let backup = keep_original(app, &path, old.as_deref())?;
        plan.iter().try_for_each(|plan| plan.remember(app, &path))?;
        allowed.iter().try_for_each(|allowed| allowed.remember(app, &path))?;
        project_files::write_settings(&spot, text)?;
        remember_written(app, &path, text)?;
        output::say(&format!(
            "{} hooks and status line registered in {}",
            styled(GOOD, "✓"),
            path.display()
        ))?;
        if let Some(backup) = backup {
            output::remark(&format!("a copy of the file as it was is kept at {}", backup.display()));
        }
    }
    if let Some(plan) = &plan {
        plan.warn_if_overruled(app);
    }
    tell_plan(plan.as_ref())?;
    write_command(app, args.user)?;
    if wants_instructions(app, args, &path) {
        instructions::install(app, args.user, false)?;
    }
    remember_instructions(app, args, &path)?;
    throughline_engine::git_exclude::keep_out_of_git(&app.memory.project);
    if wants_server {
        servers::install(app, false)?;
    }
    offer(client)?;
    allowed.as_ref().map_or_else(permissions::offer, permissions::Plan::tell)?;
    if wants_server { Ok(()) } else { servers::offer(args.user) }
}

/// Whether CLAUDE.md gets the section: what was said last counts, now or at an earlier run.
fn wants_instructions(app: &App, args: &Args, path: &Path) -> bool {
    let was_left_out = install_folder(&app.place, path).join(NO_INSTRUCTIONS).exists();
    if was_left_out && !args.instructions && !args.no_instructions {
        output::remark(
            "CLAUDE.md is left as it is, as an earlier init was told; `--instructions` writes the section",
        );
    }
    args.instructions || !(args.no_instructions || was_left_out)
}

fn remember_instructions(app: &App, args: &Args, path: &Path) -> Result<(), Failure> {
    let mark = install_folder(&app.place, path).join(NO_INSTRUCTIONS);
    if args.no_instructions {
        project_files::keep(&mark, "")?;
    } else if args.instructions && mark.exists() {
        files::remove(&mark)?;
    }
    Ok(())
}

fn tell_plan(plan: Option<&Plan>) -> Result<(), Failure> {
    plan.map_or(Ok(()), |plan| plan.said.iter().try_for_each(|line| output::say(line)))
}

/// The settings file that is meant.
pub(super) fn settings_path(app: &App, shared: bool, user: bool) -> Result<PathBuf, Failure> {
    if user {
        let folder = app.place.claude_folder.as_ref().ok_or_else(|| {
            Failure::new("neither CLAUDE_CONFIG_DIR nor HOME names a folder")
                .hint("set CLAUDE_CONFIG_DIR to the client's configuration folder")
        })?;
        return Ok(folder.join("settings.json"));
    }
    let name = if shared { "settings.json" } else { "settings.local.json" };
    Ok(app.memory.project.work.join(".claude").join(name))
}

/// Nothing is written or removed through a link in the project: it may have come with a clone.
pub(super) fn refuse_links(
    app: &App,
    paths: impl IntoIterator<Item = PathBuf>,
    otherwise: &str,
) -> Result<(), Failure> {
    let link_to = |path: PathBuf| project_files::link_on_the_way(&app.memory.project, &path);
    let Some(link) = paths.into_iter().find_map(link_to) else { return Ok(()) };
    let target = app.memory.project.spot_of(&link).link_target().unwrap_or_default();
    let what = format!("{} is a link to {}", link.display(), target.display());
    let hint = "nothing was changed; replace the link by a real file or folder";
    Err(Failure::new(one_line(&what, 1_000)).hint(format!("{hint}, {otherwise}")))
}

pub(super) fn refuse(
    path: &Path,
    problem: &throughline_agents::claude_code::settings_edit::SettingsProblem,
) -> Failure {
    Failure::new(format!(
        "{}, line {}, column {}: {}",
        path.display(),
        problem.line,
        problem.column,
        problem.what
    ))
    .hint(format!("nothing was changed; {}", problem.hint))
}

/// How the client is to call us. A file that a team shares cannot name a place on one machine.
pub(super) fn own_path(shared: bool) -> Result<String, Failure> {
    if shared {
        return Ok("throughline".to_owned());
    }
    let path = std::env::current_exe()
        .map_err(|error| Failure::new(format!("could not tell where this program is: {error}")))?;
    path.into_os_string()
        .into_string()
        .map_err(|path| Failure::new(format!("the path {} is not UTF-8", path.to_string_lossy())))
}

/// The version of the client on the path; without one the newest rules are used.
pub(crate) fn client_version() -> Option<Version> {
    program::client_version().ok().map(|(version, _)| version)
}

pub(super) fn show_diff(path: &Path, old: &str, new: &str) -> Result<(), Failure> {
    let diff = TextDiff::from_lines(old, new);
    let name = path.display().to_string();
    let text = diff.unified_diff().context_radius(3).header(&name, &name).to_string();
    if text.is_empty() {
        return output::say(&format!("{name}: no difference"));
    }
    for line in text.lines() {
        let shown = match line.as_bytes().first() {
            Some(b'+') => styled(GOOD, line),
            Some(b'-') => styled(BAD, line),
            Some(b'@') => styled(HINT, line),
            _ => line.to_owned(),
        };
        output::say(&shown)?;
    }
    Ok(())
}

/// Keeps the file as it was before we first touched it.
fn keep_original(app: &App, path: &Path, old: Option<&str>) -> Result<Option<Spot>, Failure> {
    let Some(old) = old else { return Ok(None) };
    // An upgrade of our own entries must not replace the copy from before them.
    if settings_edit::uninstall(old).is_ok_and(|edit| edit.outcome != EditOutcome::Unchanged) {
        return Ok(None);
    }
    let folder = install_folder(&app.place, path);
    project_files::back_up(&folder, path, old)?;
    let copy = folder.join("original");
    project_files::keep(&copy, old)?;
    Ok(Some(copy))
}

/// Remembers the bytes that we wrote: `uninstall` gives the original back when nobody changed them since.
fn remember_written(app: &App, path: &Path, text: &str) -> Result<(), Failure> {
    project_files::keep(&install_folder(&app.place, path).join("written"), text)?;
    Ok(())
}

/// Where the copies of one settings file are kept.
pub(super) fn install_folder(place: &Place, path: &Path) -> Spot {
    let name = throughline_domain::text::fingerprint(path.as_os_str().as_encoded_bytes());
    place.home.root().join("installs").join(format!("{name:016x}"))
}

pub(super) fn command_paths(app: &App, user: bool) -> Vec<(PathBuf, &'static str)> {
    let folder = match (&app.place.claude_folder, user) {
        (Some(claude), true) => claude.join("commands"),
        _ => app.memory.project.work.join(".claude/commands"),
    };
    vec![
        (folder.join("context-compact.md"), plugin::CONTEXT_COMPACT_COMMAND),
        (folder.join("throughline.md"), plugin::THROUGHLINE_COMMAND),
    ]
}

/// What else a run would write: the slash commands, and the lines that keep our files out of git.
fn show_other_files(app: &App, user: bool) -> Result<(), Failure> {
    for (path, text) in command_paths(app, user) {
        match project_files::read_settings(&app.memory.project.spot_of(&path))? {
            Some(standing) if standing == text => {}
            Some(_) => output::warn(&format!("{} is not ours and would be left as it is", path.display())),
            None => show_diff(&path, "", text)?,
        }
    }
    if let Some(exclude) = exclude_file(&app.memory.project.work) {
        let (old, new) = project_files::exclusion(&exclude)?;
        if old != new {
            show_diff(&exclude.shown(), &old, &new)?;
        }
    }
    Ok(())
}

fn write_command(app: &App, user: bool) -> Result<(), Failure> {
    for (path, text) in command_paths(app, user) {
        if project_files::write_own(&app.memory.project.spot_of(&path), text, |_| false)? {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            output::remark(&format!("the command /{name} is at {}", path.display()));
        } else {
            output::warn(&format!("{} is not ours and was left as it is", path.display()));
        }
    }
    Ok(())
}

fn offer(client: Option<Version>) -> Result<(), Failure> {
    if client.is_none() {
        output::remark("the client `claude` was not found on the path; the newest rules were used");
    }
    output::say("next: start Claude Code here, work, and look at `throughline status`")
}
