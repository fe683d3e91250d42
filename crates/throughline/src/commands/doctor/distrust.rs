//! Distrust: what of the project's own files is not believed, not followed or not started.

use throughline_store::checkpoints::Checkpoints;
use throughline_store::project_files;

use super::Check;
use super::context::{Context, counted};
use crate::waiting;

const NAME: &str = "distrust";
/// Most names that are told.
const NAMES_MAX: usize = 8;

pub(super) fn check(context: &Context) -> Vec<Check> {
    let mut checks = Vec::new();
    let project = &context.memory.project;
    for notice in waiting::notices(&context.memory) {
        checks.push(Check::warn(NAME, notice, "`throughline trust` shows it and takes it over"));
    }
    if let Some(notice) = waiting::config_notice(&context.config) {
        checks.push(Check::warn(NAME, notice, "`throughline trust config` allows it as it is"));
    }
    let links = project_files::links(project);
    if !links.is_empty() {
        checks.push(Check::warn(
            NAME,
            format!("links, neither read nor written through: {}", few(&links)),
            "replace them by real files inside the project",
        ));
    }
    let written = written_by_init(context);
    if !written.is_empty() {
        checks.push(Check::warn(
            NAME,
            format!("links; `init` and `uninstall` write nothing through them: {}", few(&written)),
            "replace them by real files inside the project",
        ));
    }
    let foreign =
        Checkpoints::of(project, &context.place.home).all().0.iter().filter(|it| it.is_foreign).count();
    if foreign > 0 {
        checks.push(Check::warn(
            NAME,
            format!(
                "made elsewhere, and only quoted: {}",
                counted(foreign as u64, "checkpoint", "checkpoints")
            ),
            "`throughline checkpoint list` shows them; remove those that nobody needs",
        ));
    }
    let programs = throughline_git::named_programs(&project.root);
    if !programs.is_empty() {
        checks.push(Check::ok(
            NAME,
            format!(
                "git's settings of this repository name programs; we start none of them: {}",
                few(&programs)
            ),
        ));
    }
    if checks.is_empty() {
        checks.push(Check::ok(NAME, "nothing in the project's files that we do not believe"));
    }
    checks
}

/// Links on the way to what `init` writes in a project, by their names.
fn written_by_init(context: &Context) -> Vec<String> {
    let project = &context.memory.project;
    let names = [
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".claude/commands/context-compact.md",
        ".claude/commands/throughline.md",
        ".mcp.json",
    ];
    let links =
        names.iter().filter_map(|name| project_files::link_on_the_way(project, &project.work.join(name)));
    let mut shown: Vec<String> =
        links.map(|link| link.strip_prefix(&project.work).unwrap_or(&link).display().to_string()).collect();
    shown.dedup();
    // The folder itself is named with what we keep in it.
    shown.retain(|name| !project_files::links(project).contains(name));
    shown
}

fn few(names: &[String]) -> String {
    let more = names.len().saturating_sub(NAMES_MAX);
    let shown = names.iter().take(NAMES_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}
