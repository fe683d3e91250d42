//! Server table: our MCP server as a table of a TOML file, put in and taken out again.

use super::edit::{Edit, EditOutcome, SettingsProblem};
use super::our_entry::is_our_binary;
use super::servers::SERVER_NAME;
use super::toml_keys::{append, parse, remove as remove_path, replace, value_at};
use toml::Value;

const PATH: [&str; 2] = ["mcp_servers", SERVER_NAME];
const COMMAND: [&str; 3] = ["mcp_servers", SERVER_NAME, "command"];

/// Puts our server into a text. Somebody else's of that name is no place for ours.
pub fn add(text: &str, command: &str) -> Result<Edit, SettingsProblem> {
    let table = parse(text)?;
    let Some(entry) = value_at(&table, &PATH) else {
        let lines = format!("[mcp_servers.{SERVER_NAME}]\ncommand = {}\nargs = [\"mcp\"]", literal(command));
        return append(text, &lines, &PATH).map_err(|problem| by_hand(problem, &lines));
    };
    match ours(entry) {
        Some(written) if written == command => {
            Ok(Edit { text: text.to_owned(), outcome: EditOutcome::Unchanged })
        }
        Some(_) => replace(text, &COMMAND, &literal(command)),
        None => {
            let at = text.find(SERVER_NAME).unwrap_or(0);
            let what = format!("another server is called \"{SERVER_NAME}\"");
            Err(SettingsProblem::at(text, at, what, "give it another name and run this again"))
        }
    }
}

/// Takes our server out again, with what was added to its table.
pub fn remove(text: &str) -> Result<Edit, SettingsProblem> {
    if registered(text)?.is_none() {
        return Ok(Edit { text: text.to_owned(), outcome: EditOutcome::Unchanged });
    }
    remove_path(text, &PATH, |_| false)
}

/// The program that a text starts for us.
pub fn registered(text: &str) -> Result<Option<String>, SettingsProblem> {
    let table = parse(text)?;
    Ok(value_at(&table, &PATH).and_then(ours).map(str::to_owned))
}

fn ours(entry: &Value) -> Option<&str> {
    let command = entry.get("command")?.as_str()?;
    let verb = entry.get("args")?.get(0)?.as_str()?;
    (is_our_binary(command) && verb == "mcp").then_some(command)
}

/// A string of JSON is a string of TOML, but for one letter.
fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

fn by_hand(problem: SettingsProblem, lines: &str) -> SettingsProblem {
    let hint = format!("put these lines in by hand: {}", lines.replace('\n', " ⏎ "));
    SettingsProblem { hint, ..problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_server_moves_with_the_program_and_leaves_no_trace() {
        for text in ["", "model = \"x\"", "# mine\r\n[mcp_servers.a]\r\ncommand = \"b\"\r\n"] {
            let added = add(text, "/opt/it's \"here\"/throughline").unwrap();
            assert_eq!(registered(&added.text).unwrap().as_deref(), Some("/opt/it's \"here\"/throughline"));
            let moved = add(&added.text, "throughline").unwrap();
            assert_eq!(registered(&moved.text).unwrap().as_deref(), Some("throughline"));
            assert_eq!(add(&moved.text, "throughline").unwrap().outcome, EditOutcome::Unchanged);
            assert_eq!(remove(&moved.text).unwrap().text, text);
        }
    }

    #[test]
    fn a_server_of_somebody_elses_stays() {
        let theirs = "[mcp_servers.throughline]\ncommand = \"node\"\nargs = [\"mcp\"]\n";
        assert!(add(theirs, "throughline").unwrap_err().what.contains("another server"));
        assert_eq!(remove(theirs).unwrap().text, theirs);
        let inline = "mcp_servers = { a = { command = \"b\" } }\n";
        let refused = add(inline, "throughline").unwrap_err();
        assert!(refused.hint.contains("[mcp_servers.throughline] ⏎ command"), "{}", refused.hint);
    }
}
