//! The hooks as they are registered: the settings files themselves, which events, in which form, with which timeouts.

use std::collections::BTreeSet;

use throughline_agents::claude_code::hook_table::{self, EXEC_FORM_SINCE};
use throughline_agents::claude_code::settings_edit;
use throughline_agents::claude_code::settings_read::{RegisteredHook, Scope};
use throughline_agents::settings::our_entry::Form;

use super::SettingsFile;
use crate::commands::doctor::Check;
use crate::commands::doctor::context::Context;

const NAME: &str = "hooks";

/// The client's settings files: a broken one is ignored by the client, with our hooks in it.
pub(in crate::commands::doctor) fn files(context: &Context) -> Vec<Check> {
    const NAME: &str = "settings";
    let mut checks: Vec<Check> = context.usual.files.iter().filter_map(broken).collect();
    let broken: Vec<Scope> = context
        .usual
        .files
        .iter()
        .filter(|file| self::broken(file).is_some())
        .map(|file| file.scope)
        .collect();
    for (scope, problem) in &context.usual.settings.problems {
        if !broken.contains(scope) {
            checks.push(Check::warn(
                NAME,
                format!("{}, {problem}", context.usual.file_of(*scope)),
                &problem.hint,
            ));
        }
    }
    if checks.is_empty() {
        let names = context.usual.files.iter().filter(|file| matches!(file.text, Ok(Some(_))));
        let names: Vec<String> = names.map(|file| file.path.display().to_string()).collect();
        let what = if names.is_empty() { "the client has none".to_owned() } else { names.join(", ") };
        checks.push(Check::ok(NAME, what));
    }
    checks
}

fn broken(file: &SettingsFile) -> Option<Check> {
    const NAME: &str = "settings";
    let text = match &file.text {
        Ok(text) => text.as_deref()?,
        Err(error) => {
            return Some(Check::fail(
                NAME,
                error,
                "check who owns the file; the client cannot read it either",
            ));
        }
    };
    // The client's own state is not ours to judge: what we read of it has a default.
    if file.scope == Scope::ClientState {
        return None;
    }
    let problem = settings_edit::uninstall(text).err()?;
    let what =
        format!("{}, {problem}: the client ignores the file, and our hooks in it", file.path.display());
    Some(Check::fail(NAME, what, &problem.hint))
}

/// Whether every event has its hook, in a form that the client understands.
pub(in crate::commands::doctor) fn registered(context: &Context) -> Vec<Check> {
    let hooks = &context.usual.settings.hooks;
    let mut checks = Vec::new();
    if context.usual.settings.disable_all_hooks {
        checks.push(Check::fail(
            NAME,
            "\"disableAllHooks\" is true in the settings: the client runs none",
            "set it to false, or remove it",
        ));
    }
    match (hooks.is_empty(), context.usual.plugin()) {
        // Whoever works with another agent alone lacks nothing.
        (true, None) if !context.others.is_empty() => {
            let titles: Vec<&str> = context.others.iter().map(|setup| setup.title).collect();
            let what = format!("none for Claude Code; set up for {}", titles.join(", "));
            checks.push(Check::skip(NAME, what));
        }
        (true, None) => checks.push(Check::fail(
            NAME,
            "none is registered for this project: nothing is recorded or restored by itself",
            "run `throughline init`",
        )),
        (true, Some(plugin)) => checks.push(Check::ok(NAME, format!("brought by the plugin {plugin}"))),
        (false, plugin) => {
            if plugin.is_none() {
                checks.extend(missing_events(context));
            }
            checks.extend(wrong_form(context));
            checks.extend(called_twice(context));
        }
    }
    if checks.is_empty() {
        let events: BTreeSet<&str> = hooks.iter().map(|hook| hook.event.as_str()).collect();
        let scopes: BTreeSet<Scope> = hooks.iter().map(|hook| hook.scope).collect();
        let files: Vec<String> = scopes.into_iter().map(|scope| context.usual.file_of(scope)).collect();
        checks
            .push(Check::ok(NAME, format!("{} events registered in {}", events.len(), files.join(" and "))));
    }
    checks
}

fn missing_events(context: &Context) -> Option<Check> {
    let has = |event: &str| context.usual.settings.hooks.iter().any(|hook| hook.event == event);
    let missing: Vec<&str> = hook_table::rules_for(context.usual.version())
        .map(|rule| rule.event)
        .filter(|event| !has(event))
        .collect();
    if missing.is_empty() {
        return None;
    }
    let scope = context.usual.settings.hooks.iter().map(|hook| hook.scope).max();
    let what = format!("not registered: {}", missing.join(", "));
    Some(Check::warn(NAME, what, format!("run `{}` again", init_for(scope))))
}

/// A client that is too old for the exec form ignores the arguments, and calls us without any: we say nothing then.
fn wrong_form(context: &Context) -> Option<Check> {
    let version = context.usual.version().filter(|version| *version < EXEC_FORM_SINCE)?;
    let hook = context.usual.settings.hooks.iter().find(|hook| hook.hook.form == Form::Exec)?;
    let what = format!(
        "{} registers them in a form that Claude Code {version} does not understand (it needs {EXEC_FORM_SINCE}): none works",
        context.usual.file_of(hook.scope)
    );
    Some(Check::fail(NAME, what, format!("run `{}` again, or update the client", init_for(Some(hook.scope)))))
}

/// The client runs one command once, wherever it is registered; two different ones run both.
fn called_twice(context: &Context) -> Option<Check> {
    let hooks = &context.usual.settings.hooks;
    let differs = |a: &RegisteredHook, b: &RegisteredHook| {
        a.event == b.event && (a.hook.binary != b.hook.binary || a.hook.form != b.hook.form)
    };
    let (first, second) = hooks
        .iter()
        .enumerate()
        .find_map(|(at, hook)| Some((hook, hooks[at + 1..].iter().find(|other| differs(hook, other))?)))?;
    let what = format!(
        "{} and {} register different commands of ours for {}: each event is done twice",
        context.usual.file_of(first.scope),
        context.usual.file_of(second.scope),
        first.event
    );
    let remedy = format!("run `{}`", init_for(Some(first.scope)).replace("init", "uninstall"));
    Some(Check::warn(NAME, what, remedy))
}

/// Without a timeout the client waits for minutes where we are done in milliseconds or never.
pub(in crate::commands::doctor) fn timeouts(context: &Context) -> Vec<Check> {
    const NAME: &str = "timeouts";
    if context.usual.settings.hooks.is_empty() {
        return vec![Check::skip(NAME, "no hook of ours stands in the settings")];
    }
    let mut odd: Vec<String> = Vec::new();
    let mut scope = None;
    for hook in &context.usual.settings.hooks {
        let Some(rule) = hook_table::HOOKS.iter().find(|rule| rule.event == hook.event) else { continue };
        let said = match hook.hook.timeout_s {
            None => "none".to_owned(),
            Some(seconds) if seconds > u64::from(rule.timeout_s) => format!("{seconds} s"),
            Some(_) => continue,
        };
        odd.push(format!("{} {said} instead of {} s", hook.event, rule.timeout_s));
        scope = scope.max(Some(hook.scope));
    }
    if odd.is_empty() {
        return vec![Check::ok(NAME, "short ones are set on every hook")];
    }
    vec![Check::warn(NAME, odd.join(", "), format!("run `{}` again", init_for(scope)))]
}

/// Both installations see each event: the second one steps back, and costs its start.
pub(in crate::commands::doctor) fn plugin_beside_settings(context: &Context) -> Vec<Check> {
    const NAME: &str = "plugin";
    let Some(plugin) = context.usual.plugin() else {
        return vec![Check::skip(NAME, "not enabled; the settings are enough")];
    };
    let Some(hook) = context.usual.settings.hooks.first() else {
        return vec![Check::ok(NAME, format!("{plugin} is enabled, and alone"))];
    };
    let what = format!(
        "{plugin} is enabled and {} registers the hooks too: of each event the second call does nothing",
        context.usual.file_of(hook.scope)
    );
    let uninstall = init_for(Some(hook.scope)).replace("init", "uninstall");
    vec![Check::warn(
        NAME,
        what,
        format!("`{uninstall}` keeps the plugin, `claude plugin uninstall {plugin}` keeps the settings"),
    )]
}

/// The call of `init` that writes a scope's file.
fn init_for(scope: Option<Scope>) -> &'static str {
    match scope {
        Some(Scope::User) => "throughline init --user",
        Some(Scope::Project) => "throughline init --shared",
        _ => "throughline init",
    }
}
