//! The surroundings: the environment, our own configuration, and git.

use std::time::{Duration, Instant};

use throughline_engine::governance;

use super::Check;
use super::context::Context;
use crate::program;

/// How long a status of the project may take here.
const GIT_DEADLINE: Duration = Duration::from_secs(4);
/// Slower than this is felt at every save.
const GIT_SLOW: Duration = Duration::from_secs(1);

pub(super) fn environment(context: &Context) -> Vec<Check> {
    const NAME: &str = "environment";
    let mut checks = Vec::new();
    for name in ["HOME", "THROUGHLINE_HOME", "CLAUDE_CONFIG_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
        let Some(value) = std::env::var_os(name).filter(|value| !value.is_empty()) else { continue };
        if !std::path::Path::new(&value).is_absolute() {
            let what = format!("{name} is `{}`, no absolute path: it is ignored", value.to_string_lossy());
            checks.push(Check::warn(NAME, what, format!("set {name} to a full path, or unset it")));
        }
    }
    if context.place.user_home.is_none() {
        checks.push(Check::warn(
            NAME,
            "HOME is not set: the user's own settings and configuration are not read",
            "set HOME",
        ));
    }
    if let Some(folder) =
        std::env::var_os("CLAUDE_PROJECT_DIR").filter(|folder| !std::path::Path::new(folder).is_dir())
    {
        let what = format!(
            "CLAUDE_PROJECT_DIR is `{}`, which is no folder: it is ignored",
            folder.to_string_lossy()
        );
        checks.push(Check::warn(NAME, what, "set it to the project's top folder, or unset it"));
    }
    if let Some(tokens) = std::env::var_os("THROUGHLINE_BRIEFING_TOKENS")
        && tokens.to_str().and_then(|text| text.parse::<u64>().ok()).is_none()
    {
        let what = format!(
            "THROUGHLINE_BRIEFING_TOKENS is `{}`, no number: it is ignored",
            tokens.to_string_lossy()
        );
        checks.push(Check::warn(NAME, what, "set it to a number of tokens, or unset it"));
    }
    if checks.is_empty() {
        let what =
            format!("data in {}, project {}", context.place.home.root().display(), context.root().display());
        checks.push(Check::ok(NAME, what));
    }
    checks
}

pub(super) fn configuration(context: &Context) -> Vec<Check> {
    const NAME: &str = "configuration";
    let odd_look = throughline_engine::statusline::rules::look_problems(&context.config.statusline);
    let long_rules = governance::too_long(&context.config);
    if context.config_problems.is_empty() && odd_look.is_empty() && long_rules.is_empty() {
        return vec![Check::ok(
            NAME,
            format!("briefings of at most {} tokens", context.config.briefing.tokens),
        )];
    }
    let line = |problem: &throughline_store::config::ConfigProblem| {
        Check::warn(
            NAME,
            format!("{}: {}", problem.path.display(), problem.what),
            "correct or remove the line",
        )
    };
    let odd = |what: &String| Check::warn(NAME, what, "`throughline statusline --demo` shows what there is");
    let mut checks: Vec<Check> =
        context.config_problems.iter().map(line).chain(odd_look.iter().map(odd)).collect();
    checks.extend(long_rules.into_iter().map(|phase| too_long(context, phase)));
    checks
}

fn too_long(context: &Context, phase: &str) -> Check {
    let whose = if phase.is_empty() {
        "the rules in [governance] do".to_owned()
    } else {
        format!("with those for phase {phase} the rules in [governance] do")
    };
    let tokens = context.config.governance.tokens;
    Check::warn(
        "configuration",
        format!("{whose} not fit: they are cut at {tokens} tokens, or a third of a briefing"),
        "shorten them, or raise governance.tokens (and briefing.tokens)",
    )
}

pub(super) fn git(context: &Context) -> Vec<Check> {
    const NAME: &str = "git";
    let remedy = "nothing else depends on it: saves are just without the working tree";
    if program::on_path("git").is_empty() {
        return vec![Check::warn(NAME, "not found on the path", format!("install git; {remedy}"))];
    }
    let began = Instant::now();
    let Some(version) = throughline_git::version() else {
        let deadline = throughline_git::QUERY_DEADLINE;
        let what = if began.elapsed() < deadline {
            "`git version` fails".to_owned()
        } else {
            format!("`git version` did not answer within {} s", deadline.as_secs())
        };
        return vec![Check::warn(NAME, what, format!("run it by hand; {remedy}"))];
    };
    let began = Instant::now();
    let state = throughline_git::capture(context.root(), GIT_DEADLINE);
    let took = began.elapsed();
    vec![match state.error {
        Some(error) if error.contains("not a git repository") => {
            Check::ok(NAME, format!("{version}; the project is no repository"))
        }
        Some(error) => {
            Check::warn(NAME, format!("{version}: {error}"), format!("run `git status` by hand; {remedy}"))
        }
        None if took > GIT_SLOW => Check::warn(
            NAME,
            format!("{version}; a status takes {} ms here, and a save waits for it", took.as_millis()),
            "try `git gc`, a sparse checkout, or a smaller working tree",
        ),
        None => Check::ok(NAME, format!("{version}; a status takes {} ms here", took.as_millis())),
    }]
}
