//! What verbs print: data on standard output, everything else on standard error, colours only where they are wanted.

use std::io::Write;

use anstyle::{AnsiColor, Style};
use serde_json::Value;
use throughline_store::redact;

use crate::failure::Failure;

/// A success.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Something to look at.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
/// A failure.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// Paths, commands, hints.
pub(crate) const HINT: Style = AnsiColor::Cyan.on_default();
/// A heading.
pub(crate) const HEAD: Style = Style::new().bold();
/// What matters less.
pub(crate) const DIM: Style = Style::new().dimmed();

/// Text in a style; the stream drops the codes where no colours are wanted.
pub(crate) fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// A line of data, without secrets: what a person wrote into our files by hand was never masked.
pub(crate) fn say(text: &str) -> Result<(), Failure> {
    print(&redact::text(text))
}

fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = anstream::stdout().lock();
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        // Whoever reads has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::new(format!("could not write to standard output: {error}"))),
        Ok(()) => Ok(()),
    }
}

/// A value as JSON.
pub(crate) fn say_json(value: &Value) -> Result<(), Failure> {
    let mut value = value.clone();
    redact::json(&mut value);
    print(&serde_json::to_string_pretty(&value).unwrap_or_default())
}

/// A remark beside the data.
pub(crate) fn remark(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{}", redact::text(text));
}

/// A warning.
pub(crate) fn warn(text: &str) {
    remark(&format!("{} {text}", styled(WARN, "warning:")));
}

/// Shows a failure.
pub(crate) fn show_failure(failure: &Failure) {
    if failure.message.is_empty() {
        return;
    }
    remark(&format!("{} {}", styled(BAD, "error:"), failure.message));
    if let Some(hint) = &failure.hint {
        remark(&format!("\n       {} {hint}", styled(HINT, "hint:")));
    }
}
