//! Keys of ours in odd files: each comes out again, and what cannot be done is not done.

use super::*;

const TABLE: &str = "[mcp_servers.throughline]\ncommand = \"/opt/throughline\"\nargs = [\"mcp\"]";
const PATH: [&str; 2] = ["mcp_servers", "throughline"];

fn nobody(_: &str) -> bool {
    false
}

#[test]
fn a_table_that_was_added_leaves_no_trace() {
    for text in [
        "",
        "model = \"x\"",
        "model = \"x\"\n",
        "\n",
        "# only a note\n\n\n",
        "[mcp_servers.other]\r\ncommand = \"a\"\r\n",
        "[mcp_servers.other]\r\ncommand = \"a\"",
        "a = [\n  [1, 2],\n  [3],\n]\n[t]\n\ttext = \"\"\"\n[mcp_servers.throughline]\nno = 1\n\"\"\"\n",
        "\u{feff}model = 'x'\n",
        "[mcp_servers]\n",
    ] {
        let added = append(text, TABLE, &PATH).unwrap_or_else(|problem| panic!("{text:?}: {problem}"));
        assert!(value_at(&parse(&added.text).unwrap(), &PATH).is_some());
        let gone = remove(&added.text, &PATH, nobody).unwrap();
        assert_eq!(gone.text, text, "{}", added.text);
    }
}

#[test]
fn what_others_added_since_stays() {
    let added = append("model = \"x\"\n", TABLE, &PATH).unwrap().text;
    let later = format!("{added}\n[mcp_servers.other]\ncommand = \"a\"\n");
    let gone = remove(&later, &PATH, nobody).unwrap().text;
    assert_eq!(gone, "model = \"x\"\n\n[mcp_servers.other]\ncommand = \"a\"\n");
    let approved =
        format!("{added}\n[other]\na = 1\n\n[mcp_servers.throughline.tools.recall]\nmode = \"ask\"\n");
    let gone = remove(&approved, &PATH, nobody).unwrap().text;
    assert_eq!(parse(&gone).unwrap(), parse("model = \"x\"\n[other]\na = 1\n").unwrap(), "{gone}");
    let dotted = added.replace("args", "env.A = \"b\" # why\nargs");
    assert_eq!(remove(&dotted, &PATH, nobody).unwrap().text, "model = \"x\"\n");
}

#[test]
fn what_lines_cannot_do_is_refused() {
    let inline = "mcp_servers = { other = { command = \"a\" } }\n";
    assert!(append(inline, TABLE, &PATH).is_err());
    let both = "mcp_servers = { throughline = { command = \"a\" }, other = { command = \"b\" } }\n";
    assert!(remove(both, &PATH, nobody).is_err());
    for broken in ["a = ", "[a", "a = 1\na = 2\n"] {
        assert!(append(broken, TABLE, &PATH).is_err(), "{broken}");
        assert!(remove(broken, &PATH, nobody).is_err(), "{broken}");
    }
    assert_eq!(remove("a = 1\n", &PATH, nobody).unwrap().outcome, EditOutcome::Unchanged);
}

#[test]
fn a_key_on_top_belongs_to_no_table() {
    let lines = "# ours\nprompt = \"\"\"\nA\n[b]\n\"\"\"";
    for text in ["", "[t]\na = 1", "\u{feff}# mine\nmodel = \"x\"\r\n", "model = \"x\"\r\n[t]\r\n"] {
        let added = prepend(text, lines, &["prompt"]).unwrap();
        let gone = remove(&added.text, &["prompt"], |line| line == "# ours").unwrap();
        assert_eq!(gone.text, text, "{}", added.text);
    }
    assert!(prepend("prompt = 1\n", lines, &["prompt"]).is_err());
    let moved = replace("a = 1\nb = 'x' # c\n", &["b"], "\"y\"").unwrap();
    assert_eq!(moved.text, "a = 1\nb = \"y\" # c\n");
}
