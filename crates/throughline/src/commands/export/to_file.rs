//! Exporting everything, for a person: into a file that is not there yet, or to standard output.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use throughline_engine::bundle::write::{self as bundle, Passed, WriteError};
use throughline_store::bundle::{create, files};

use crate::cli::VERSION;
use crate::commands::App;
use crate::failure::Failure;
use crate::output;

/// Writes the file; `-` is standard output. What is there already is not written over.
pub(super) fn run(app: &App, to: &Path) -> Result<(), Failure> {
    if to.as_os_str() == "-" {
        let mut stdout = write(app, io::stdout().lock())?;
        return stdout
            .flush()
            .map_err(|error| Failure::new(format!("could not write to standard output: {error}")));
    }
    let file = create(to).map_err(|error| {
        let is_there = error.source.kind() == io::ErrorKind::AlreadyExists;
        let failure = Failure::from(error);
        if is_there {
            failure.hint("nothing was written; name a file that is not there yet")
        } else {
            failure
        }
    })?;
    let written = write(app, BufWriter::new(file)).and_then(|file| flushed(file, to));
    if written.is_err() {
        // Half of it is of no use to anybody.
        let _ = files::give_up(to);
    }
    let bytes = written?;
    output::say(&format!("{bytes} bytes written to {}; `throughline import` reads them", to.display()))
}

fn flushed(file: BufWriter<File>, to: &Path) -> Result<u64, Failure> {
    let failed = |error: io::Error| Failure::new(format!("could not write {}: {error}", to.display()));
    let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
    file.sync_all().map_err(failed)?;
    Ok(file.metadata().map_err(failed)?.len())
}

fn write<W: Write>(app: &App, to: W) -> Result<W, Failure> {
    let state = app.state()?;
    Ok(bundle::write(&app.at_hand(), &state, VERSION, to, &mut |passed| output::warn(&words(passed)))?)
}

fn words(passed: &Passed) -> String {
    match passed {
        Passed::NoFile(path) => {
            format!("{} is not exported: no plain file, or too long", path.display())
        }
        Passed::NoText(path) => format!("{} is not exported: it is no text", path.display()),
        Passed::Checkpoint(problem) => format!("{problem}; it is not exported"),
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::To(_) => Self::new(error.to_string()),
            WriteError::From(error) => error.into(),
        }
    }
}
