//! The other agents: for each that is set up whether its client runs our hooks, and what it has no door for.

use std::path::Path;
use std::time::Duration;

use throughline_agents::settings::section::SectionStanding;
use throughline_agents::settings::server_table;
use throughline_agents::settings::servers::SERVER_NAME;
use throughline_agents::setup::{
    ClientFiles, FolderQuestion, PAGE_SECTION, SETUPS, ServerFile, Setup, TrustCheck, Verdict,
};
use throughline_engine::place;
use throughline_store::door::outside;
use throughline_store::project_files;
use throughline_store::session::SessionFacts;

use super::context::{Context, counted};
use super::{Check, binary};
use crate::cli::VERSION;
use crate::commands::setup::chosen;
use crate::commands::setup::own_program::can_start;
use crate::commands::setup::places::{Places, Scope, client_folder};
use crate::program::{self, Silence};

/// How long a client may take to tell which hooks it runs; it takes a quarter of a second.
const ANSWER_DEADLINE: Duration = Duration::from_secs(8);
/// Longest list of folders that is read.
const LIST_BYTES_MAX: u64 = throughline_domain::limits::SETTINGS_FILE_BYTES_MAX;

pub(super) fn check(context: &Context) -> Vec<Check> {
    SETUPS
        .into_iter()
        .filter_map(|setup| Some(of_agent(context, setup, setup.files.as_ref()?)))
        .flatten()
        .collect()
}

fn of_agent(context: &Context, setup: &'static Setup, files: &ClientFiles) -> Vec<Check> {
    let broken = Scope::BOTH.into_iter().filter_map(|scope| broken(context, setup, files, scope));
    let broken: Vec<Check> = broken.collect();
    if !context.others.iter().any(|other| other.id == setup.id) {
        if !broken.is_empty() {
            return broken;
        }
        let sign = chosen::sign(&context.place, setup);
        let what = sign.map(|sign| {
            format!(
                "{} is here ({sign}), not set up; `throughline init --agent {}` adds it",
                setup.title, setup.id
            )
        });
        return what.map(|what| Check::skip(setup.id, what)).into_iter().collect();
    }
    let mut checks = broken;
    let mut registered = 0;
    let mut scopes = 0;
    for scope in Scope::BOTH {
        let Ok(places) = Places::of(&context.place, &context.memory.project, setup, files, scope) else {
            continue;
        };
        let (found, count) = in_scope(context, setup, files, &places, scope);
        registered += count;
        scopes += usize::from(count > 0);
        checks.extend(found);
    }
    if scopes > 1 {
        let what = "set up for this project and for all projects: its client may call us twice";
        let remedy = format!("`throughline uninstall --agent {}` (with --user for all) leaves one", setup.id);
        checks.push(Check::warn(setup.id, what, remedy));
    }
    checks.extend(trusted(context, setup, files, registered));
    checks.push(last_seen(context, setup));
    checks.extend(setup.cannot.iter().map(|line| Check::skip(setup.id, line)));
    checks
}

/// A file that names us and that the client cannot read: it ignores the whole of it.
fn broken(context: &Context, setup: &'static Setup, files: &ClientFiles, scope: Scope) -> Option<Check> {
    let places = Places::of(&context.place, &context.memory.project, setup, files, scope).ok()?;
    let text = read(context, &places.hooks).ok()??;
    let problem = files.hooks.edit(Some(&text), SERVER_NAME).err().filter(|_| text.contains(SERVER_NAME))?;
    let what =
        format!("{}, {problem}: the client ignores the file, and our hooks in it", places.hooks.display());
    Some(Check::fail(setup.id, what, problem.hint))
}

/// One file with our hooks, what belongs to it, and how many hooks they are.
fn in_scope(
    context: &Context,
    setup: &'static Setup,
    files: &ClientFiles,
    places: &Places,
    scope: Scope,
) -> (Vec<Check>, usize) {
    let (name, shown) = (setup.id, places.hooks.display());
    let again = format!("`throughline init --agent {}{}`", setup.id, scope.flag());
    let text = match read(context, &places.hooks) {
        Ok(Some(text)) => text,
        Ok(None) => return (Vec::new(), 0),
        Err(why) => return (vec![Check::fail(name, why, "check who owns the file")], 0),
    };
    let (count, programs) = files.hooks.registered(&text);
    if count == 0 {
        return (Vec::new(), 0);
    }
    let mut checks = Vec::new();
    let written = files.hooks.written(&text, programs.first().map_or("", String::as_str));
    checks.extend(match written {
        // Told above.
        Err(_) => None,
        Ok(written) if written == text => {
            let noun = counted(count as u64, "hook", "hooks");
            Some(Check::ok(name, format!("{}: {noun} registered in {shown}, up to date", setup.title)))
        }
        Ok(_) => Some(Check::warn(
            name,
            format!("{shown} has hooks of another version, or some are missing"),
            format!("run {again}"),
        )),
    });
    if let Ok(own) = std::env::current_exe() {
        let named = programs.iter().map(String::as_str).collect();
        checks.extend(binary::called(name, named, context.root(), &place::real(&own), &again));
    }
    checks.extend(server(context, setup, files, places, &again));
    checks.extend(page(setup, places, &again));
    (checks, count)
}

fn read(context: &Context, path: &Path) -> Result<Option<String>, String> {
    project_files::read_settings(&context.memory.project.spot_of(path)).map_err(|error| error.to_string())
}

fn server(
    context: &Context,
    setup: &'static Setup,
    files: &ClientFiles,
    places: &Places,
    again: &str,
) -> Option<Check> {
    let text = read(context, &places.servers).ok()??;
    let shown = places.servers.display();
    let command = match &files.servers {
        ServerFile::Json { list, .. } => list.registered(&text),
        ServerFile::Toml(_) => match server_table::registered(&text) {
            Ok(command) => command,
            Err(problem) => return Some(Check::warn(setup.id, format!("{shown}, {problem}"), problem.hint)),
        },
    }?;
    Some(if can_start(&command) {
        Check::ok(setup.id, format!("MCP server registered in {shown}"))
    } else {
        let what = format!("{shown} registers `{command}` as MCP server, which is not there");
        Check::fail(setup.id, what, format!("run {} --mcp", again.trim_matches('`')))
    })
}

fn page(setup: &'static Setup, places: &Places, again: &str) -> Option<Check> {
    let text = outside::read_limited(&places.page, LIST_BYTES_MAX).ok()??;
    let shown = places.page.display();
    let text = String::from_utf8_lossy(&text);
    let what = match PAGE_SECTION.standing(&text) {
        SectionStanding::Absent => return None,
        SectionStanding::UpToDate => return Some(Check::ok(setup.id, format!("{shown} has our section"))),
        SectionStanding::Foreign { line } => {
            return Some(Check::ok(
                setup.id,
                format!("{shown}, line {line}: a section of your own, none of ours"),
            ));
        }
        SectionStanding::Outdated => format!("{shown} has our section of another version"),
        SectionStanding::Edited => format!("{shown}: our section was edited"),
        SectionStanding::Damaged { line, what } => format!("{shown}, line {line}: {what}"),
    };
    Some(Check::warn(setup.id, what, format!("put your words outside the marks, then run {again}")))
}

/// Whether the client runs what is registered.
fn trusted(context: &Context, setup: &'static Setup, files: &ClientFiles, registered: usize) -> Vec<Check> {
    let verdicts = match &setup.trust {
        TrustCheck::Registered => return Vec::new(),
        TrustCheck::Asked { args, questions, read } => {
            let folder = &context.memory.project.work;
            let said = questions(&folder.to_string_lossy(), VERSION);
            let program = program::on_path(setup.program).into_iter().next().ok_or(Silence::Missing);
            let read = |line: &[u8]| read(line, registered);
            match program.and_then(|it| program::converse(&it, args, folder, &said, ANSWER_DEADLINE, read)) {
                Ok(Ok(verdicts)) => verdicts,
                Ok(Err(refusal)) => return vec![unanswered(setup, &format!("refused to say: {refusal}"))],
                Err(Silence::Missing) => return vec![unanswered(setup, "is not on the path")],
                Err(Silence::Late(deadline)) => {
                    return vec![unanswered(
                        setup,
                        &format!("gave no answer within {} s", deadline.as_secs()),
                    )];
                }
                Err(Silence::Odd(what)) => return vec![unanswered(setup, &what)],
            }
        }
        TrustCheck::Folder { list, list_variable, judge } => {
            let variable = |name: &str| context.place.around.text(name);
            let Some(folder) = client_folder(&context.place, setup) else { return Vec::new() };
            let at = files.hooks.at();
            let settings = [at.in_folder(&folder), at.in_project(&context.memory.project.work)];
            let settings = settings.map(|path| read(context, &path).ok().flatten().unwrap_or_default());
            let list = variable(list_variable).map_or_else(|| folder.join(list), std::path::PathBuf::from);
            let list = outside::read_limited(&list, LIST_BYTES_MAX).ok().flatten();
            let list = list.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            let project = place::real(&context.memory.project.work);
            let folder = project.to_string_lossy();
            judge(&FolderQuestion {
                settings: &settings,
                list: list.as_deref(),
                folder: &folder,
                variable: &variable,
            })
        }
    };
    let checks = verdicts.into_iter().map(|verdict| match verdict {
        Verdict::Runs(what) => Check::ok(setup.id, what),
        Verdict::Warn { what, remedy } => Check::warn(setup.id, what, remedy),
        Verdict::Fail { what, remedy } => Check::fail(setup.id, what, remedy),
    });
    checks.collect()
}

fn unanswered(setup: &'static Setup, why: &str) -> Check {
    let what = format!("whether the hooks are approved is not known: `{}` {why}", setup.program);
    Check::warn(setup.id, what, setup.approval)
}

/// The last session of the agent that we saw in this project.
fn last_seen(context: &Context, setup: &'static Setup) -> Check {
    let is_its = |session: &str| {
        let facts = SessionFacts::read(&context.place.home.session(session));
        facts.is_some_and(|facts| facts.agent == setup.id)
    };
    match context.seen.iter().find(|seen| is_its(&seen.session)) {
        Some(seen) => {
            Check::ok(setup.id, format!("its hooks were last seen {}", context.ago(seen.last_active_ms)))
        }
        None => Check::skip(
            setup.id,
            format!("none of its sessions was seen here yet; start `{}`", setup.program),
        ),
    }
}
