//! What verbs print: data on standard output, everything else on standard error, colours only where they are wanted.

use std::borrow::Cow;
use std::io::{IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use serde_json::Value;
use throughline_briefing::fragment::{defused, poses_as};
use throughline_domain::unseen::shown;
use throughline_redact as redact;

use crate::failure::Failure;
use crate::paint::{only_ours, wants_colours};

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
///
/// Nothing in it can pose as a text of ours or of the client's: an agent may read it as well. Nothing in it moves a terminal.
pub(crate) fn say(text: &str) -> Result<(), Failure> {
    print(&harmless(text, wants_colours(&std::io::stdout())))
}

/// A text of ours that has its marks already.
pub(crate) fn say_fragment(text: &str) -> Result<(), Failure> {
    print(&redact::text(&shown(text)))
}

/// A line of the demo's screen: the program's own material, which shows our marks as the agent gets them.
pub(crate) fn say_screen(text: &str) -> Result<(), Failure> {
    print(&only_ours(&redact::text(text)))
}

/// What may reach a reader's eyes: masked, defused, with our own colours at most.
fn harmless(text: &str, has_colours: bool) -> String {
    let masked = redact::text(text);
    let bare = shown(&masked);
    // A secret, or a mark of ours, that a sequence cut in two is whole again only now.
    let plain = match &bare {
        Cow::Borrowed(same) => defused(same),
        Cow::Owned(joined) => defused(&redact::text(joined)),
    };
    if has_colours && plain == bare { only_ours(&masked) } else { plain }
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

/// Begins a terminal's screen anew; a pipe gets one text after the other.
pub(crate) fn clear_screen() {
    let mut stdout = std::io::stdout().lock();
    if stdout.is_terminal() {
        // A terminal that is gone is noticed by what is printed next.
        let _ = stdout.write_all(b"\x1b[H\x1b[2J").and_then(|()| stdout.flush());
    }
}

/// A value as JSON.
pub(crate) fn say_json(value: &Value) -> Result<(), Failure> {
    let mut value = value.clone();
    redact::json(&mut value);
    print(&escaped(&serde_json::to_string_pretty(&value).unwrap_or_default()))
}

/// The same JSON, with escapes for what moves a terminal, hides, or could pose as somebody's words: data stays data.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for line in json.split_inclusive('\n') {
        let hides = shown(line) != line;
        for (at, c) in line.char_indices() {
            let is_control = c != '\n' && c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
            let is_hidden = hides && shown(c.encode_utf8(&mut [0; 4])).is_empty();
            if is_control || is_hidden || poses_as(c, &line[at + c.len_utf8()..]).is_some() {
                let mut units = [0; 2];
                c.encode_utf16(&mut units).iter().for_each(|unit| text.push_str(&format!("\\u{unit:04x}")));
            } else {
                text.push(c);
            }
        }
    }
    text
}

/// A remark beside the data.
pub(crate) fn remark(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{}", harmless(text, wants_colours(&std::io::stderr())));
}

/// A warning.
pub(crate) fn warn(text: &str) {
    remark(&format!("{} {}", styled(WARN, "warning:"), shown(text)));
}

/// Shows a failure.
pub(crate) fn show_failure(failure: &Failure) {
    if failure.message.is_empty() {
        return;
    }
    // It repeats names and words from anywhere, which have no colours of their own.
    remark(&format!("{} {}", styled(BAD, "error:"), shown(&failure.message)));
    if let Some(hint) = &failure.hint {
        remark(&format!("\n       {} {}", styled(HINT, "hint:"), shown(hint)));
    }
}
