//! An agent of the table set up in its own files, and taken out of them again.

use std::path::{Path, PathBuf};

use throughline_agents::settings::edit;
use throughline_agents::settings::{server_table, servers::SERVER_NAME};
use throughline_agents::setup::{
    ClientFiles, HookFile, PAGE_SECTION, SETUPS, ServerFile, Setup, is_skill, skill,
};
use throughline_engine::git_exclude::{exclude_file, keep_out_of_git};
use throughline_engine::place;
use throughline_store::project_files;

use super::client_file::{refuse_links, show_diff};
use super::leaving;
use super::own_program::{is_on_path, own_path};
use super::places::{Places, Scope};
use super::planned::{Planned, Step, Undo, remove_made};
use super::sections::{self, Candidate, Pages};
use crate::commands::{App, claude_code, init, uninstall};
use crate::failure::Failure;
use crate::output::{self, GOOD, styled};

const LABEL: &str = "Throughline instructions";

/// Sets an agent up, or shows what that would change.
pub(in crate::commands) fn install(
    app: &App,
    setup: &Setup,
    files: &ClientFiles,
    args: &init::Args,
) -> Result<(), Failure> {
    let scope = Scope::of(args.user);
    refuse_linked_worktree(app, setup, files, scope)?;
    let places = Places::of(&app.place, &app.memory.project, setup, files, scope)?;
    refuse_links_to(app, &places, scope, "or set it up for all your projects: `--user`")?;
    let binary = own_path(args.shared)?;
    let wishes = Wishes { server: args.mcp, prompt: args.codex_prompt, binary };
    // All or nothing: a file that cannot be edited stops us before anything is written.
    let mut plans = plans(app, files, &places, &wishes)?;
    let (skill, is_foreign) = plan_skill(app, &places)?;
    plans.extend(skill);
    let page = places.page.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let wants_page = sections::are_wanted(app, args, &places.hooks, &page);
    if args.dry_run {
        plans.iter().filter(|plan| plan.is_change()).try_for_each(Planned::show)?;
        show_exclusion(app, &plans, scope, args.shared)?;
        return if wants_page { install_page(app, files, &places, scope, true) } else { Ok(()) };
    }
    for plan in &plans {
        write(app, setup, plan)?;
    }
    keep_out(app, &plans, scope, args.shared)?;
    if is_foreign {
        output::warn(&format!("{} is not ours and was left as it is", places.skill.display()));
    }
    if wants_page {
        install_page(app, files, &places, scope, false)?;
    }
    sections::remember(app, args, &places.hooks)?;
    tell_after(app, setup, &places, scope, args)
}

/// What was asked for beside the hooks.
struct Wishes {
    server: bool,
    prompt: bool,
    binary: String,
}

/// Takes everything of ours out of an agent's files, or shows what that would change.
pub(in crate::commands) fn uninstall(
    app: &App,
    setup: &Setup,
    files: &ClientFiles,
    args: &uninstall::Args,
) -> Result<(), Failure> {
    let scope = Scope::of(args.user);
    let places = Places::of(&app.place, &app.memory.project, setup, files, scope)?;
    refuse_links_to(app, &places, scope, "or take out by hand what an earlier version wrote there")?;
    let other = if scope == Scope::User { Scope::Project } else { Scope::User };
    // The prompt is one for all projects: it goes with the last of the hooks.
    let is_prompt_needed = is_set_up_in(app, setup, other);
    let mut plans = undo_plans(app, files, &places, !is_prompt_needed)?;
    let is_shared = is_needed_by_others(app, setup, scope);
    if !is_shared {
        plans.extend(Planned::whole_gone(app, &places.skill, is_skill)?);
    }
    if plans.is_empty() {
        output::say(&format!("{}: nothing of ours stands in {}", setup.title, places.hooks.display()))?;
    }
    if args.dry_run {
        plans.iter().try_for_each(Planned::show)?;
        return if is_page_shared(app, setup, &places, scope) {
            Ok(())
        } else {
            remove_page(app, &places, true)
        };
    }
    let mut made = Vec::new();
    for plan in &plans {
        made.extend(plan.give_back(app)?);
        let deed = if plan.removes_file() { "removed" } else { "given back as it was" };
        output::say(&format!("{} {} {deed}", styled(GOOD, "✓"), plan.path.display()))?;
    }
    if !is_page_shared(app, setup, &places, scope) {
        remove_page(app, &places, false)?;
    }
    remove_made(app, made);
    if scope == Scope::Project {
        stop_keeping_out(app, &plans)?;
    }
    Ok(())
}

/// After agents of the table were left: what still calls us, and what goes when nothing does.
pub(in crate::commands) fn leave(app: &App, left: &[&Setup], args: &uninstall::Args) -> Result<(), Failure> {
    let is_left = claude_code::is_registered(app) | tell_what_is_left(app);
    if args.dry_run {
        return Ok(());
    }
    if !is_left {
        leaving::stop_excluding(app)?;
        leaving::release_files(app);
    }
    let ids: Vec<&str> = left.iter().map(|setup| setup.id).collect();
    output::say(&format!(
        "what was recorded stays; `throughline init --agent {}{}` brings the hooks back",
        ids.join(","),
        Scope::of(args.user).flag()
    ))
}

/// Tells which agents of the table still call us.
pub(in crate::commands) fn tell_what_is_left(app: &App) -> bool {
    let mut is_left = false;
    for setup in SETUPS {
        for scope in Scope::BOTH {
            if is_set_up_in(app, setup, scope) {
                is_left = true;
                output::remark(&format!(
                    "{} is still set up: `throughline uninstall --agent {}{}`",
                    setup.title,
                    setup.id,
                    scope.flag()
                ));
            }
        }
    }
    is_left
}

/// Whether hooks of ours stand in an agent's files, for this project or for all.
pub(in crate::commands) fn is_set_up(app: &App, setup: &Setup) -> bool {
    Scope::BOTH.into_iter().any(|scope| is_set_up_in(app, setup, scope))
}

/// Whether an agent of the table is set up in this project.
pub(in crate::commands) fn is_in_project(app: &App) -> bool {
    SETUPS.into_iter().any(|setup| is_set_up_in(app, setup, Scope::Project))
}

fn is_set_up_in(app: &App, setup: &Setup, scope: Scope) -> bool {
    let Some(files) = &setup.files else { return false };
    let Ok(places) = Places::of(&app.place, &app.memory.project, setup, files, scope) else { return false };
    let text = project_files::read_settings(&app.memory.project.spot_of(&places.hooks)).ok().flatten();
    text.is_some_and(|text| files.hooks.registered(&text).0 > 0)
}

/// The skill and the page are one for several agents: they go with the last.
fn is_needed_by_others(app: &App, but: &Setup, scope: Scope) -> bool {
    SETUPS.into_iter().any(|setup| setup.id != but.id && is_set_up_in(app, setup, scope))
}

fn is_page_shared(app: &App, but: &Setup, places: &Places, scope: Scope) -> bool {
    SETUPS.into_iter().filter(|setup| setup.id != but.id && is_set_up_in(app, setup, scope)).any(|setup| {
        let files = setup.files.as_ref();
        let theirs =
            files.and_then(|files| Places::of(&app.place, &app.memory.project, setup, files, scope).ok());
        theirs.is_some_and(|theirs| theirs.page == places.page)
    })
}

/// A client that takes its files from the main working tree reads none that we would write in a linked one.
fn refuse_linked_worktree(
    app: &App,
    setup: &Setup,
    files: &ClientFiles,
    scope: Scope,
) -> Result<(), Failure> {
    if !files.main_worktree_counts || scope == Scope::User {
        return Ok(());
    }
    let Some(main) = place::main_worktree(&app.memory.project.work) else { return Ok(()) };
    Err(Failure::new(format!(
        "{} is a linked worktree, and {} takes the hooks of its main one",
        app.memory.project.work.display(),
        setup.title
    ))
    .hint(format!(
        "nothing was changed; run `throughline --project {} init --agent {}`, or add --user for all your projects",
        main.display(),
        setup.id
    )))
}

fn refuse_links_to(app: &App, places: &Places, scope: Scope, otherwise: &str) -> Result<(), Failure> {
    match scope {
        Scope::Project => refuse_links(app, places.all(), otherwise),
        // The user's own files are where the user put them.
        Scope::User => Ok(()),
    }
}

/// The files to edit, each once: two things of ours may go into one.
fn plans(app: &App, files: &ClientFiles, places: &Places, wishes: &Wishes) -> Result<Vec<Planned>, Failure> {
    let mut steps: Vec<(&Path, Step<'_>)> = Vec::new();
    let mut planned = Vec::new();
    match &files.hooks {
        HookFile::Entries { .. } => {
            let edit = Box::new(|text: Option<&str>| files.hooks.edit(text, &wishes.binary));
            steps.push((&places.hooks, Step { what: "hooks", edit }));
        }
        HookFile::Program { text, is_ours, .. } => {
            planned.push(Planned::whole(app, &places.hooks, "plugin", text(&wishes.binary), is_ours)?);
        }
    }
    if wishes.server {
        steps.push((&places.servers, add_server(&files.servers, &wishes.binary)));
    }
    if let (true, Some(prompt), Some(path)) = (wishes.prompt, &files.prompt, &places.prompt) {
        let edit = Box::new(|text: Option<&str>| (prompt.install)(text.unwrap_or("")));
        steps.push((path, Step { what: "prompt for compactions", edit }));
    }
    while !steps.is_empty() {
        let path = steps[0].0;
        let (here, rest): (Vec<_>, Vec<_>) = steps.into_iter().partition(|(it, _)| *it == path);
        let here: Vec<Step<'_>> = here.into_iter().map(|(_, step)| step).collect();
        planned.push(Planned::install(app, path, &here, &undo_of(files, places, path, true))?);
        steps = rest;
    }
    Ok(planned)
}

fn add_server<'a>(file: &'a ServerFile, binary: &'a str) -> Step<'a> {
    let what = "MCP server";
    match file {
        ServerFile::Json { list, .. } => Step { what, edit: Box::new(move |text| list.add(text, binary)) },
        ServerFile::Toml(_) => {
            Step { what, edit: Box::new(move |text| server_table::add(text.unwrap_or(""), binary)) }
        }
    }
}

/// What takes our things out of one of the files.
fn undo_of<'a>(files: &'a ClientFiles, places: &Places, path: &Path, with_prompt: bool) -> Vec<Undo<'a>> {
    let mut undo: Vec<Undo<'a>> = Vec::new();
    if let HookFile::Entries { form, .. } = &files.hooks
        && places.hooks == path
    {
        undo.push(Box::new(move |text| edit::uninstall(text, form)));
    }
    if places.servers == path {
        undo.push(match &files.servers {
            ServerFile::Json { list, .. } => Box::new(move |text| list.remove(text)),
            ServerFile::Toml(_) => Box::new(server_table::remove),
        });
    }
    if let (Some(prompt), true) = (&files.prompt, with_prompt && places.prompt.as_deref() == Some(path)) {
        undo.push(Box::new(move |text| (prompt.uninstall)(text)));
    }
    undo
}

fn undo_plans(
    app: &App,
    files: &ClientFiles,
    places: &Places,
    with_prompt: bool,
) -> Result<Vec<Planned>, Failure> {
    let mut plans = Vec::new();
    if let HookFile::Program { is_ours, .. } = &files.hooks {
        plans.extend(Planned::whole_gone(app, &places.hooks, is_ours)?);
    }
    let mut paths: Vec<&PathBuf> = vec![&places.hooks, &places.servers];
    paths.extend(places.prompt.as_ref().filter(|_| with_prompt));
    paths.dedup();
    for path in paths {
        let undo = undo_of(files, places, path, with_prompt);
        if !undo.is_empty() {
            plans.extend(Planned::uninstall(app, path, &undo)?);
        }
    }
    Ok(plans)
}

/// The skill that the agents of the table share; and whether somebody's own stands in its place.
fn plan_skill(app: &App, places: &Places) -> Result<(Option<Planned>, bool), Failure> {
    let standing = project_files::read_settings(&app.memory.project.spot_of(&places.skill))?;
    if standing.is_some_and(|text| !is_skill(&text)) {
        return Ok((None, true));
    }
    Ok((Some(Planned::whole(app, &places.skill, "skill", skill(), is_skill)?), false))
}

fn write(app: &App, setup: &Setup, plan: &Planned) -> Result<(), Failure> {
    let shown = plan.path.display();
    if !plan.is_change() {
        return output::say(&format!("{shown} is up to date"));
    }
    let kept = plan.write(app)?;
    let what = plan.what.join(" and ");
    output::say(&format!("{} {}: {what} written to {shown}", styled(GOOD, "✓"), setup.title))?;
    if let Some(copy) = kept {
        output::remark(&format!("a copy of the file as it was is kept at {}", copy.display()));
    }
    Ok(())
}

/// The page that a client reads, with our section in it.
fn install_page(
    app: &App,
    files: &ClientFiles,
    places: &Places,
    scope: Scope,
    dry_run: bool,
) -> Result<(), Failure> {
    if !places.page.exists()
        && let Some(other) = hidden_by(app, files, scope)
    {
        output::remark(&format!(
            "{} was not made: some agents read {} only where there is no such page; make it yourself, then run this again",
            places.page.display(),
            other.display()
        ));
        return Ok(());
    }
    sections::install(app, &pages(places), Vec::new(), dry_run)
}

/// A page that some client would no longer read if ours were made.
fn hidden_by(app: &App, files: &ClientFiles, scope: Scope) -> Option<PathBuf> {
    let (names, base) = match scope {
        Scope::Project => (files.page.project_gives_way, app.memory.project.work.clone()),
        Scope::User => (files.page.home_gives_way, app.place.user_home.clone()?),
    };
    names.iter().map(|name| base.join(name)).find(|path| path.exists())
}

fn remove_page(app: &App, places: &Places, dry_run: bool) -> Result<(), Failure> {
    sections::remove(app, &pages(places), dry_run)
}

fn pages(places: &Places) -> Pages {
    let file = Candidate::read(places.page.clone(), places.within.as_deref());
    Pages { section: &PAGE_SECTION, label: LABEL, files: vec![file] }
}

/// Files that we made in a project for one person are kept out of git; what a team shares is not.
fn excluded(app: &App, plans: &[Planned], scope: Scope, shared: bool) -> Vec<String> {
    if scope == Scope::User || shared {
        return Vec::new();
    }
    plans.iter().filter(|plan| plan.makes_file()).filter_map(|plan| line_of(app, plan)).collect()
}

fn line_of(app: &App, plan: &Planned) -> Option<String> {
    let below = plan.path.strip_prefix(&app.memory.project.work).ok()?;
    Some(format!("/{}", below.display()))
}

fn keep_out(app: &App, plans: &[Planned], scope: Scope, shared: bool) -> Result<(), Failure> {
    keep_out_of_git(&app.memory.project);
    let lines = excluded(app, plans, scope, shared);
    if let Some(exclude) = exclude_file(&app.memory.project.root)
        && !lines.is_empty()
    {
        project_files::exclude_lines(&exclude, &lines)?;
    }
    Ok(())
}

fn stop_keeping_out(app: &App, plans: &[Planned]) -> Result<(), Failure> {
    let lines: Vec<String> = plans.iter().filter_map(|plan| line_of(app, plan)).collect();
    if let Some(exclude) = exclude_file(&app.memory.project.root) {
        project_files::stop_excluding_lines(&exclude, &lines)?;
    }
    Ok(())
}

fn show_exclusion(app: &App, plans: &[Planned], scope: Scope, shared: bool) -> Result<(), Failure> {
    let lines = excluded(app, plans, scope, shared);
    if let Some(exclude) = exclude_file(&app.memory.project.root) {
        let (old, new) = project_files::exclusion_with(&exclude, &lines)?;
        if old != new {
            show_diff(&exclude.shown(), &old, &new)?;
        }
    }
    Ok(())
}

/// What is left to the person: approval, a program on the path, a file that the team sees.
fn tell_after(
    app: &App,
    setup: &Setup,
    places: &Places,
    scope: Scope,
    args: &init::Args,
) -> Result<(), Failure> {
    let root = &app.memory.project.work;
    if scope == Scope::Project
        && !args.shared
        && throughline_git::is_tracked(root, &places.hooks) == Some(true)
    {
        output::warn(&format!(
            "git tracks {}: it now names a place on this machine; `--shared` names the program alone",
            places.hooks.display()
        ));
    }
    if args.shared && !is_on_path(SERVER_NAME) {
        output::warn("`throughline` is not on the path: the agent will not find it by that name");
    }
    let other = if scope == Scope::User { Scope::Project } else { Scope::User };
    if is_set_up_in(app, setup, other) {
        output::warn(&format!(
            "{} is set up for this project and for all projects: `throughline uninstall --agent {}{}` leaves one",
            setup.title,
            setup.id,
            other.flag()
        ));
    }
    if !setup.approval.is_empty() {
        output::say(&format!("next: {}", setup.approval))?;
    }
    if !args.mcp {
        output::say(&format!(
            "offered, not taken: the memory as tools: throughline init --agent {} --mcp{}",
            setup.id,
            scope.flag()
        ))?;
    }
    output::say(&format!("`throughline doctor` tells whether {} runs the hooks", setup.title))
}
