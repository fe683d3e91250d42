//! `config`: the configuration files, where they are and in the editor.

use std::path::{Path, PathBuf};

use throughline_store::config::{Config, allowed};
use throughline_store::door::outside;
use throughline_store::{content_hash, project_files};

use super::App;
use crate::editor;
use crate::failure::Failure;
use crate::output;

/// What a new file begins with.
const NEW: &str = "# Throughline's configuration. README.md lists the keys and what they default to.\n";

/// Edit the configuration, or see where it is
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Open your own configuration in the editor; with --project the project's, which is trusted as you save it
    Edit,
    /// Print where the configuration files are
    Path,
}

/// `for_project` when `--project` was given, with a folder or without.
pub(crate) fn run(app: &App, args: &Args, for_project: bool) -> Result<(), Failure> {
    let own = app.place.config_folder.as_ref().map(|folder| folder.join("throughline.toml"));
    let of_project = app.memory.project.files.join("throughline.toml").shown();
    match args.verb {
        Verb::Path => {
            let paths: Vec<PathBuf> = if for_project { Vec::new() } else { own.into_iter().collect() };
            for path in paths.iter().chain([&of_project]) {
                output::say(&path.display().to_string())?;
            }
            Ok(())
        }
        Verb::Edit if for_project => edit_project(app, &of_project),
        Verb::Edit => edit_own(app, &own.ok_or_else(super::no_home)?),
    }
}

fn edit_own(app: &App, path: &Path) -> Result<(), Failure> {
    app.refuse_agent("changing the user's configuration", "")?;
    let spot = outside::resolved(path);
    let before = project_files::read_settings(&spot)?;
    let Some(text) = edited(app, path, before.as_deref())? else { return output::say("nothing changed") };
    project_files::write_settings(&spot, &text)?;
    output::say(&format!("{} saved", path.display()))
}

/// What is saved here is the user's word: exactly these bytes are allowed.
fn edit_project(app: &App, path: &Path) -> Result<(), Failure> {
    app.refuse_agent("changing and trusting the project's configuration", "")?;
    let project = &app.memory.project;
    let before = project_files::read_config(project)?;
    let Some(text) = edited(app, path, before.as_deref())? else {
        return output::say(if app.config.waiting.is_some() {
            "nothing changed, so nothing is trusted that was not; `throughline trust` takes it over as it is"
        } else {
            "nothing changed"
        });
    };
    // Allowed first: a kill in between leaves words that nobody wrote anywhere.
    allowed::allow(&app.place.home, project, &content_hash::of(text.as_bytes()))?;
    project_files::write_config(project, &text)?;
    output::say(&format!("{} saved and trusted", path.display()))
}

/// The text as the user saved it; `None` where it is as it was.
fn edited(app: &App, path: &Path, before: Option<&str>) -> Result<Option<String>, Failure> {
    let (home, project) = (&app.place.home, &app.memory.project);
    let shown = before.unwrap_or(NEW);
    let bytes = editor::edited(home, project, "throughline.toml", shown.as_bytes())?;
    if bytes == shown.as_bytes() {
        return Ok(None);
    }
    let checked = String::from_utf8(bytes.clone())
        .map_err(|_| "not UTF-8 text".to_owned())
        .and_then(|text| Config::problems_in(path, &text).map(|problems| (text, problems)));
    let (text, problems) = checked.map_err(|what| {
        editor::kept_in(home, project, "throughline.toml", &bytes);
        Failure::new(format!("that is no TOML: {what}"))
            .hint("nothing was changed; edit again and correct it")
    })?;
    for problem in problems {
        output::warn(&problem.what);
    }
    Ok(Some(text))
}
