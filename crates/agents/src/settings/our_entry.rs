//! Our entry: tells our hooks and our status line in the settings from everybody else's.

use serde_json::{Map, Value};

use super::shell_words;

/// How a hook of ours is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `command` + `args`, started directly.
    Exec,
    /// One command line, run by `sh`.
    Shell,
}

/// A hook handler that calls us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OurHook {
    /// How it is started.
    pub form: Form,
    /// The binary it names, as written (without the quotes of a shell line).
    pub binary: String,
    /// Seconds until the client kills it; `None` when not set.
    pub timeout_s: Option<u64>,
}

/// Our status line, and the foreign one inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OurStatusLine {
    /// The binary it names.
    pub binary: String,
    /// The foreign command we wrap, as a JSON string literal, byte for byte as it stood in the file.
    pub(crate) wrapped_raw: Option<String>,
}

impl OurStatusLine {
    /// The foreign command we wrap.
    #[must_use]
    pub fn wrapped(&self) -> Option<String> {
        serde_json::from_str(self.wrapped_raw.as_deref()?).ok()
    }
}

const WRAP: &str = "--wrap=";
// For a command that its owner escaped in an unusual way: the literal itself is kept, or it could not be given back.
const WRAP_JSON: &str = "--wrap-json=";

/// Reads a handler; `None` when it is not ours.
#[must_use]
pub fn our_hook(handler: &Map<String, Value>) -> Option<OurHook> {
    our_hook_by(handler, program_of)
}

/// The same for a client whose command lines only `program` reads.
#[must_use]
pub fn our_hook_by(handler: &Map<String, Value>, program: ProgramOf) -> Option<OurHook> {
    if !matches!(handler.get("type").and_then(Value::as_str), Some("command") | None) {
        return None;
    }
    let command = handler.get("command")?.as_str()?;
    let timeout_s = handler.get("timeout").and_then(Value::as_u64);
    let (form, binary) = match handler.get("args") {
        Some(args) => {
            let is_ours = is_our_binary(command) && args.get(0).and_then(Value::as_str) == Some("hook");
            (Form::Exec, is_ours.then(|| command.to_owned())?)
        }
        None => (Form::Shell, program(command)?),
    };
    Some(OurHook { form, binary, timeout_s })
}

/// The program that a hook's command line names, if it is ours.
pub type ProgramOf = fn(&str) -> Option<String>;

/// The program that a plain command line names, if it calls us as a hook.
#[must_use]
pub fn program_of(command: &str) -> Option<String> {
    let mut words = shell_words::split(command)?.into_iter();
    let (program, verb) = (words.next()?, words.next()?);
    (is_our_binary(&program) && verb == "hook").then_some(program)
}

/// Reads the command of a status line; `None` when it is not ours.
#[must_use]
pub fn our_status_line(command: &str) -> Option<OurStatusLine> {
    let words = shell_words::split(command)?;
    let binary = words.first().filter(|binary| is_our_binary(binary))?.clone();
    words.get(1).filter(|verb| *verb == "statusline")?;
    let wrapped_raw = words.iter().skip(2).find_map(|word| match word.strip_prefix(WRAP_JSON) {
        Some(raw) => serde_json::from_str::<String>(raw).is_ok().then(|| raw.to_owned()),
        None => word.strip_prefix(WRAP).map(|command| Value::from(command).to_string()),
    });
    Some(OurStatusLine { binary, wrapped_raw })
}

/// The command line of our status line. `wrapped_raw` is the JSON literal of the foreign command it stands around.
#[must_use]
pub fn status_line_command(binary: &str, wrapped_raw: Option<&str>) -> String {
    let ours = format!("{} statusline", shell_words::quote(binary));
    let Some(raw) = wrapped_raw else { return ours };
    let usual = serde_json::from_str::<String>(raw).ok();
    let usual = usual.filter(|command| serde_json::to_string(command).is_ok_and(|literal| literal == raw));
    match usual {
        Some(command) => format!("{ours} {WRAP}{}", shell_words::quote(&command)),
        None => format!("{ours} {WRAP_JSON}{}", shell_words::quote(raw)),
    }
}

pub(crate) fn is_our_binary(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name == "throughline" || name == "throughline.exe"
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn our_hooks_are_known_in_every_form_they_ever_had() {
        let ours = [
            json!({"type": "command", "command": "/usr/bin/throughline", "args": ["hook"], "timeout": 5}),
            json!({"type": "command", "command": "/home/user/a b/throughline", "args": ["hook", "--verbose"]}),
            json!({"type": "command", "command": "'/home/user/a b/throughline' hook"}),
            json!({"type": "command", "command": "throughline hook"}),
            json!({"type": "command", "command": "\"$HOME/.cargo/bin/throughline\" hook"}),
            json!({"command": "C:\\Tools\\throughline.exe", "args": ["hook"]}),
        ];
        for handler in ours {
            assert!(our_hook(handler.as_object().unwrap()).is_some(), "{handler}");
        }
        let foreign = [
            json!({"type": "command", "command": "/usr/bin/throughline-hooks", "args": ["hook"]}),
            json!({"type": "command", "command": "throughline add note"}),
            json!({"type": "command", "command": "throughline hook && notify"}),
            json!({"type": "command", "command": "echo throughline hook"}),
            json!({"type": "command", "command": "/usr/bin/throughline", "args": []}),
            json!({"type": "command", "command": "/usr/bin/throughline", "args": "hook"}),
            json!({"type": "prompt", "command": "throughline hook"}),
            json!({"type": "command"}),
            json!({"type": "command", "command": 7}),
        ];
        for handler in foreign {
            assert_eq!(our_hook(handler.as_object().unwrap()), None, "{handler}");
        }
    }

    #[test]
    fn a_wrapped_command_comes_out_as_it_went_in() {
        for raw in [
            r#""ccline""#,
            r#""a 'b' \"c\" $HOME | x""#,
            r#""""#,
            r#""\u0041\/b""#,
            r#""two\nlines""#,
            r#""-x""#,
        ] {
            let command = status_line_command("/opt/my tools/throughline", Some(raw));
            let read = our_status_line(&command).unwrap();
            assert_eq!(read.wrapped_raw.as_deref(), Some(raw));
            assert_eq!(read.wrapped(), serde_json::from_str(raw).ok());
            assert_eq!(read.binary, "/opt/my tools/throughline");
        }
        assert_eq!(our_status_line("'/x/throughline' statusline").unwrap().wrapped_raw, None);
        assert_eq!(our_status_line("throughline status"), None);
        assert_eq!(our_status_line("npx ccusage statusline"), None);
    }
}
