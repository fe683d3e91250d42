//! The user's editor: a text is opened in it, and what was saved comes back.

use std::path::Path;
use std::process::{Command, Stdio};

use throughline_store::paths::{Home, Project};
use throughline_store::scratch::Scratch;

use crate::failure::Failure;
use crate::output;

/// Opens a copy of a text in the editor that the environment names, and gives what was saved. The copy lies in the data
/// folder: nobody but the user and his editor touches it meanwhile.
pub(crate) fn edited(home: &Home, project: &Project, name: &str, text: &[u8]) -> Result<Vec<u8>, Failure> {
    let scratch = Scratch::put(home, project, name, text)?;
    open(&scratch.path().shown())?;
    Ok(scratch.taken()?)
}

/// Says where the text of a failed attempt is.
pub(crate) fn kept_in(home: &Home, project: &Project, name: &str, text: &[u8]) {
    if let Ok(scratch) = Scratch::put(home, project, &format!("rejected-{name}"), text) {
        output::remark(&format!("what you wrote is kept in {}", scratch.path().display()));
    }
}

fn open(path: &Path) -> Result<(), Failure> {
    let named = |name| std::env::var(name).ok().filter(|editor| !editor.trim().is_empty());
    let editor = named("VISUAL").or_else(|| named("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    // As git does it: the variable may hold options, and the path may hold anything.
    let status = Command::new("/bin/sh")
        .args(["-c", &format!("{editor} \"$@\""), "sh"])
        .arg(path)
        .stdin(Stdio::inherit())
        .status()
        .map_err(|error| Failure::new(format!("could not start `{editor}`: {error}")))?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::new(format!("the editor `{editor}` ended with a failure"))
        .hint("nothing was changed; VISUAL or EDITOR names another editor"))
}
