//! Servers: our entry in a list of MCP servers, put in and taken out again, byte for byte.

use serde_json::{Map, Value, json};

use super::comments::Grammar;
use super::edit::{
    Change, Edit, EditOutcome, SettingsProblem, check_unique_keys, compared, remove_member, rendered_whole,
    split_byte_order_mark, taken_out, until_settled,
};
use super::json_spans::{self, Node};
use super::json_splice::{Removal, Splice, Style};
use super::our_entry::is_our_binary;

/// What our server is called; its tools are `mcp__throughline__…` to the agent.
pub const SERVER_NAME: &str = "throughline";

/// How a client spells its list of servers in a file of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerList {
    /// The list's name in the outermost object.
    pub key: &'static str,
    /// What the client takes for JSON there.
    pub grammar: Grammar,
    /// How it spells a server that is a program.
    pub shape: EntryShape,
}

/// How a client spells a server that is a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryShape {
    /// `command` names the program, `args` what it is given.
    CommandAndArgs,
    /// `type` is `local`, `command` is a list of both.
    LocalCommand,
}

/// The list that most clients share the spelling of.
pub const MCP_SERVERS: ServerList =
    ServerList { key: "mcpServers", grammar: Grammar::Strict, shape: EntryShape::CommandAndArgs };

/// The program that an entry of a server list starts; `None` when the entry is not ours.
#[must_use]
pub fn server_command(entry: &Value) -> Option<&str> {
    let command = entry.get("command")?;
    let (program, verb) = match command {
        Value::Array(words) => (words.first()?, words.get(1)?),
        program => (program, entry.get("args")?.get(0)?),
    };
    program.as_str().filter(|program| is_our_binary(program) && verb.as_str() == Some("mcp"))
}

impl ServerList {
    /// Puts our server into a text; `None` when there is no file yet. Foreign servers keep their bytes.
    pub fn add(&self, text: Option<&str>, command: &str) -> Result<Edit, SettingsProblem> {
        let entry = self.entry(command);
        let given = text.unwrap_or("");
        let (mark, body) = split_byte_order_mark(given);
        if body.bytes().all(json_spans::is_blank) {
            let end = if text.is_none() { "\n" } else { "" };
            let root = Map::from_iter([(self.key.to_owned(), json!({ SERVER_NAME: entry }))]);
            let text = format!("{mark}{body}{}{end}", rendered_whole(body, root));
            return Ok(Edit { text, outcome: EditOutcome::Rewritten });
        }
        let edited = until_settled(body, self.grammar, |body, root| {
            self.check(body, root)?;
            self.next_addition(body, root, &entry).map(|splice| splice.map(Change::Splice))
        })?;
        Ok(compared(given, format!("{mark}{}", edited.text)))
    }

    /// Takes our server out again, and what became empty because of that.
    pub fn remove(&self, text: &str) -> Result<Edit, SettingsProblem> {
        let (mark, body) = split_byte_order_mark(text);
        if body.bytes().all(json_spans::is_blank) {
            return Ok(Edit { text: text.to_owned(), outcome: EditOutcome::Unchanged });
        }
        let edited = until_settled(body, self.grammar, |body, root| {
            self.check(body, root)?;
            Ok(self.next_removal(body, root))
        })?;
        Ok(taken_out(text, mark, &edited))
    }

    /// The program that the list in a text starts for us.
    #[must_use]
    pub fn registered(&self, text: &str) -> Option<String> {
        let (_, body) = split_byte_order_mark(text);
        let root = json_spans::parse_as(body, self.grammar).ok()?;
        let entry = root.get(self.key)?.get(SERVER_NAME)?.value(body);
        server_command(&entry).map(str::to_owned)
    }

    fn entry(&self, command: &str) -> Value {
        match self.shape {
            EntryShape::CommandAndArgs => json!({ "command": command, "args": ["mcp"] }),
            EntryShape::LocalCommand => json!({ "type": "local", "command": [command, "mcp"] }),
        }
    }

    fn check(&self, body: &str, root: &Node) -> Result<(), SettingsProblem> {
        check_unique_keys(body, root, "the file")?;
        let key = self.key;
        let Some(list) = root.get(key) else { return Ok(()) };
        if list.members().is_none() {
            let hint = "correct the file by hand and run this again";
            return Err(SettingsProblem::at(
                body,
                list.span.start,
                format!("\"{key}\" is not an object"),
                hint,
            ));
        }
        check_unique_keys(body, list, &format!("\"{key}\""))
    }

    fn next_addition(
        &self,
        body: &str,
        root: &Node,
        entry: &Value,
    ) -> Result<Option<Splice>, SettingsProblem> {
        let style = Style::of(body, root);
        let Some(list) = root.member(self.key) else {
            return Ok(Some(style.append(root, None, Some(self.key), &json!({ SERVER_NAME: entry }))));
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

    fn next_removal(&self, body: &str, root: &Node) -> Option<Change> {
        let list = root.member(self.key)?;
        let members = list.value.members()?;
        let is_ours = |value: &Node| server_command(&value.value(body)).is_some();
        let at = members.iter().position(|it| it.name == SERVER_NAME && is_ours(&it.value))?;
        let style = Style::of(body, root);
        Some(match style.remove(&list.value, Some(list.name_span.start), at) {
            Removal::Cut(splice) => Change::Splice(splice),
            Removal::ContainerToo => remove_member(&style, root, self.key),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_new_file_is_as_a_person_would_write_it_and_goes_whole() {
        let edit = MCP_SERVERS.add(None, "throughline").unwrap();
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
        assert_eq!(MCP_SERVERS.remove(&edit.text).unwrap().outcome, EditOutcome::NothingLeft);
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
            let added = MCP_SERVERS.add(Some(text), "/opt/throughline").unwrap();
            assert_eq!(added.outcome, EditOutcome::Rewritten);
            let (_, body) = split_byte_order_mark(&added.text);
            let value: Value = serde_json::from_str(body).unwrap();
            let ours = &value["mcpServers"]["throughline"];
            assert_eq!(server_command(ours), Some("/opt/throughline"), "{}", added.text);
            assert_eq!(
                MCP_SERVERS.add(Some(&added.text), "/opt/throughline").unwrap().outcome,
                EditOutcome::Unchanged
            );
            let moved = MCP_SERVERS.add(Some(&added.text), "throughline").unwrap();
            assert_eq!(moved.outcome, EditOutcome::Rewritten);
            assert_eq!(MCP_SERVERS.remove(&moved.text).unwrap().text, text, "{}", moved.text);
        }
    }

    #[test]
    fn what_somebody_added_to_our_entry_stays_while_it_is_there() {
        let text = "{\"mcpServers\":{\"throughline\":{\"command\":\"/old/throughline\",\"args\":[\"mcp\"],\"env\":{\"A\":\"b\"}}}}";
        let edit = MCP_SERVERS.add(Some(text), "throughline").unwrap();
        let value: Value = serde_json::from_str(&edit.text).unwrap();
        assert_eq!(value["mcpServers"]["throughline"]["env"]["A"], "b");
        assert_eq!(value["mcpServers"]["throughline"]["command"], "throughline");
    }

    #[test]
    fn what_is_not_ours_or_no_list_is_left_alone() {
        let theirs = "{\"mcpServers\":{\"throughline\":{\"command\":\"node\",\"args\":[\"mcp\"]}}}";
        assert!(MCP_SERVERS.add(Some(theirs), "throughline").unwrap_err().what.contains("another server"));
        assert_eq!(MCP_SERVERS.remove(theirs).unwrap().outcome, EditOutcome::Unchanged);
        for broken in ["[]", "{", "{\"mcpServers\":[]}", "{\"mcpServers\":{\"a\":1,\"a\":2}}"] {
            assert!(MCP_SERVERS.add(Some(broken), "throughline").is_err(), "{broken}");
            assert!(MCP_SERVERS.remove(broken).is_err(), "{broken}");
        }
        assert_eq!(MCP_SERVERS.remove("").unwrap().outcome, EditOutcome::Unchanged);
    }

    #[test]
    fn a_list_of_local_commands_is_kept_with_its_comments() {
        let list =
            ServerList { key: "mcp", grammar: Grammar::CommentsAndCommas, shape: EntryShape::LocalCommand };
        for text in [
            "{\n  // mine\n  \"model\": \"x\", // why\n}\n",
            "// top\n{ \"mcp\": { /* none yet */ }, }",
            "{\r\n\t\"mcp\": {\r\n\t\t\"a\": {\"type\": \"remote\"}, // b\r\n\t},\r\n}",
            "{}",
        ] {
            let added = list.add(Some(text), "/opt/throughline").unwrap();
            assert_eq!(list.registered(&added.text).as_deref(), Some("/opt/throughline"), "{}", added.text);
            assert_eq!(
                list.add(Some(&added.text), "/opt/throughline").unwrap().outcome,
                EditOutcome::Unchanged
            );
            assert_eq!(list.remove(&added.text).unwrap().text, text, "{}", added.text);
        }
        let added = list.add(Some("{\n  \"a\": 1\n}"), "throughline").unwrap().text;
        let noted = added.replace("\"a\": 1,", "\"a\": 1, // kept");
        assert_eq!(list.remove(&noted).unwrap().text, "{\n  \"a\": 1 // kept\n  \n}");
    }
}
