//! Servers: our entry in a list of MCP servers, put in and taken out again, byte for byte.

use serde_json::{Map, Value, json};

use super::{
    Change, Edit, EditOutcome, SettingsProblem, check_unique_keys, compared, remove_member, rendered_whole,
    split_byte_order_mark, taken_out, until_settled,
};
use crate::claude_code::json_spans::{self, Node};
use crate::claude_code::json_splice::{Removal, Splice, Style};
use crate::claude_code::our_entry::is_our_binary;

const LIST: &str = "mcpServers";
/// What our server is called; its tools are `mcp__throughline__…` to the agent.
pub const SERVER_NAME: &str = "throughline";

/// The program that an entry of a server list starts; `None` when the entry is not ours.
#[must_use]
pub fn server_command(entry: &Value) -> Option<&str> {
    let command = entry.get("command")?.as_str()?;
    let verb = entry.get("args")?.get(0)?.as_str()?;
    (is_our_binary(command) && verb == "mcp").then_some(command)
}

/// Puts our server into the text of a `.mcp.json`; `None` when there is no file yet. Foreign servers keep their bytes.
pub fn add_server(text: Option<&str>, command: &str) -> Result<Edit, SettingsProblem> {
    let entry = json!({ "command": command, "args": ["mcp"] });
    let given = text.unwrap_or("");
    let (mark, body) = split_byte_order_mark(given);
    if body.bytes().all(json_spans::is_blank) {
        let end = if text.is_none() { "\n" } else { "" };
        let root = Map::from_iter([(LIST.to_owned(), json!({ SERVER_NAME: entry }))]);
        let text = format!("{mark}{body}{}{end}", rendered_whole(body, root));
        return Ok(Edit { text, outcome: EditOutcome::Rewritten });
    }
    let edited = until_settled(body, |body, root| {
        check(body, root)?;
        next_addition(body, root, &entry).map(|splice| splice.map(Change::Splice))
    })?;
    Ok(compared(given, format!("{mark}{}", edited.text)))
}

/// Takes our server out again, and what became empty because of that.
pub fn remove_server(text: &str) -> Result<Edit, SettingsProblem> {
    let (mark, body) = split_byte_order_mark(text);
    if body.bytes().all(json_spans::is_blank) {
        return Ok(Edit { text: text.to_owned(), outcome: EditOutcome::Unchanged });
    }
    let edited = until_settled(body, |body, root| {
        check(body, root)?;
        Ok(next_removal(body, root))
    })?;
    Ok(taken_out(text, mark, &edited))
}

fn check(body: &str, root: &Node) -> Result<(), SettingsProblem> {
    check_unique_keys(body, root, "the file")?;
    let Some(list) = root.get(LIST) else { return Ok(()) };
    if list.members().is_none() {
        let hint = "correct the file by hand and run this again";
        return Err(SettingsProblem::at(body, list.span.start, format!("\"{LIST}\" is not an object"), hint));
    }
    check_unique_keys(body, list, &format!("\"{LIST}\""))
}

fn next_addition(body: &str, root: &Node, entry: &Value) -> Result<Option<Splice>, SettingsProblem> {
    let style = Style::of(body, root);
    let Some(list) = root.member(LIST) else {
        return Ok(Some(style.append(root, None, Some(LIST), &json!({ SERVER_NAME: entry }))));
    };
    let Some(present) = list.value.get(SERVER_NAME) else {
        let owner = Some(list.name_span.start);
        return Ok(Some(style.append(&list.value, owner, Some(SERVER_NAME), entry)));
    };
    let written = present.value(body);
    if server_command(&written).is_none() {
        let what = format!("another server is called \"{SERVER_NAME}\"");
        let hint = "give it another name and run this again";
        return Err(SettingsProblem::at(body, present.span.start, what, hint));
    }
    // What somebody added to our entry, such as `env`, stays.
    let mut renewed = written.as_object().cloned().unwrap_or_default();
    renewed.extend(entry.as_object().cloned().unwrap_or_default());
    let renewed = Value::Object(renewed);
    if renewed == written {
        return Ok(None);
    }
    let first = present.children().first().map(|child| child.start);
    let layout = style.layout_at(present.span.start, first);
    Ok(Some(Splice::new(present.span.clone(), style.render(&renewed, &layout))))
}

fn next_removal(body: &str, root: &Node) -> Option<Change> {
    let list = root.member(LIST)?;
    let members = list.value.members()?;
    let is_ours = |value: &Node| server_command(&value.value(body)).is_some();
    let at = members.iter().position(|it| it.name == SERVER_NAME && is_ours(&it.value))?;
    let style = Style::of(body, root);
    Some(match style.remove(&list.value, Some(list.name_span.start), at) {
        Removal::Cut(splice) => Change::Splice(splice),
        Removal::ContainerToo => remove_member(&style, root, LIST),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_new_file_is_as_a_person_would_write_it_and_goes_whole() {
        let edit = add_server(None, "throughline").unwrap();
        expect![[r#"
            {
              "mcpServers": {
                "throughline": {
                  "command": "throughline",
                  "args": ["mcp"]
                }
              }
            }
        "#]]
        .assert_eq(&edit.text);
        assert_eq!(remove_server(&edit.text).unwrap().outcome, EditOutcome::NothingLeft);
    }

    #[test]
    fn foreign_servers_keep_their_bytes_and_ours_leaves_no_trace() {
        for text in [
            "{}",
            "{ }\n",
            " \n",
            "{\"mcpServers\":{}}",
            "{\"mcpServers\": { }, \"z\": 1}\n",
            "{\n\t\"mcpServers\": {\n\t\t\"git\": {\"command\": \"uvx\", \"args\": [ \"git\" ]}\n\t}\n}\n",
            "\u{feff}{\r\n  \"mcpServers\": {\r\n    \"a\": {\"url\": \"https://a\"}\r\n  }\r\n}",
            "{\"other\":[1,2]}",
        ] {
            let added = add_server(Some(text), "/opt/throughline").unwrap();
            assert_eq!(added.outcome, EditOutcome::Rewritten);
            let (_, body) = split_byte_order_mark(&added.text);
            let value: Value = serde_json::from_str(body).unwrap();
            let ours = &value["mcpServers"]["throughline"];
            assert_eq!(server_command(ours), Some("/opt/throughline"), "{}", added.text);
            assert_eq!(
                add_server(Some(&added.text), "/opt/throughline").unwrap().outcome,
                EditOutcome::Unchanged
            );
            let moved = add_server(Some(&added.text), "throughline").unwrap();
            assert_eq!(moved.outcome, EditOutcome::Rewritten);
            assert_eq!(remove_server(&moved.text).unwrap().text, text, "{}", moved.text);
        }
    }

    #[test]
    fn what_somebody_added_to_our_entry_stays_while_it_is_there() {
        let text = "{\"mcpServers\":{\"throughline\":{\"command\":\"/old/throughline\",\"args\":[\"mcp\"],\"env\":{\"A\":\"b\"}}}}";
        let edit = add_server(Some(text), "throughline").unwrap();
        let value: Value = serde_json::from_str(&edit.text).unwrap();
        assert_eq!(value["mcpServers"]["throughline"]["env"]["A"], "b");
        assert_eq!(value["mcpServers"]["throughline"]["command"], "throughline");
    }

    #[test]
    fn what_is_not_ours_or_no_list_is_left_alone() {
        let theirs = "{\"mcpServers\":{\"throughline\":{\"command\":\"node\",\"args\":[\"mcp\"]}}}";
        assert!(add_server(Some(theirs), "throughline").unwrap_err().what.contains("another server"));
        assert_eq!(remove_server(theirs).unwrap().outcome, EditOutcome::Unchanged);
        for broken in ["[]", "{", "{\"mcpServers\":[]}", "{\"mcpServers\":{\"a\":1,\"a\":2}}"] {
            assert!(add_server(Some(broken), "throughline").is_err(), "{broken}");
            assert!(remove_server(broken).is_err(), "{broken}");
        }
        assert_eq!(remove_server("").unwrap().outcome, EditOutcome::Unchanged);
    }
}
